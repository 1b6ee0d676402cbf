/* SPDX-License-Identifier: Apache-2.0 */
/* exec_network.h: what a run reaches through its gate, and what became of it. */
#pragma once

#include "engine/exec.h"

/* Who serves the doors, installed beside writ. */
extern const char gate_program[];

/* What it may reach, by its level, its lists and the registries of the configuration; finds the
 * secrets that are sent along. After exec_find_secrets(). False: refused. */
bool exec_find_network(struct exec *x, struct error *e) NODISCARD;

/* What its gate is asked for; NULL: it has none. */
const struct gate_ask *exec_gate(const struct exec *x);

/* Of a run that failed: what the network had to do with it, for people; NULL: nothing. */
const char *exec_network_why(const struct exec *x);

/* The member `network` of the record. */
void exec_put_network(const struct exec *x, struct buf *to);
