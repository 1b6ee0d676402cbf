/* SPDX-License-Identifier: Apache-2.0 */
/* exec_network.h: what a run reaches through its gate, and what became of it. */
#pragma once

#include "engine/exec.h"

/* Who serves the doors, installed beside writ. */
extern const char gate_program[];

/* What it may reach, by its level, its lists and the registries of the configuration; finds the
 * secrets that are sent along. It is admitted. False: refused. */
bool exec_find_network(struct exec *x, struct error *e) NODISCARD;

/* The files of the secrets that are sent along, as they are named: struct str. */
struct items exec_secret_files(const struct exec *x);

/* What its gate is asked for; NULL: it has none. */
const struct gate_ask *exec_gate(const struct exec *x);

/* Takes those secrets out of what it printed, before any of it is kept. */
void exec_clean_network(struct exec *x);

/* What it left in files is kept without those that hold one, and no name of one tells it. */
void exec_guard_files(struct exec *x, struct collect_job *job);
void exec_clean_names(struct exec *x);

/* Nothing more is to be kept: the secrets are forgotten. */
void exec_forget_network(struct exec *x);

/* Of a run that failed: what the network had to do with it, for people; NULL: nothing. */
const char *exec_network_why(const struct exec *x);

/* The member `network` of the record. */
void exec_put_network(const struct exec *x, struct buf *to);
