/* SPDX-License-Identifier: Apache-2.0 */
/* exec_secrets.h: secrets that a run is given in variables, or that are sent along for it. */
#pragma once

#include "engine/exec.h"

/* Finds those that it is given in variables. It is admitted. False: refused. */
bool exec_find_secrets(struct exec *x, struct error *e) NODISCARD;

/* Adds one to x->secrets, as the last. */
bool exec_find_secret(struct exec *x, const struct secret_doc *doc, struct error *e) NODISCARD;

/* Adds what a header's value holds beside itself: its credentials, a password. */
void exec_add_credentials(struct str value, struct secrets *all, struct arena *a);

/* The files that secrets are found in, as they are named: struct str. */
struct items exec_secret_files(const struct exec *x);

/* Takes secrets out of what it printed, before any of it is kept. */
void exec_clean_secrets(struct exec *x);

/* What it left in files is kept without those that hold one, and no name of one tells it. */
void exec_guard_files(struct exec *x, struct collect_job *job);
void exec_clean_names(struct exec *x);

/* Nothing more is to be kept. */
void exec_forget_secrets(struct exec *x);

/* The members `secrets` of the record, where each was found, and `recorded_secrets`, the variables
 * that look like one and whose values the record has. */
void exec_put_secrets(const struct exec *x, struct buf *to);
