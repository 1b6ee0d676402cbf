/* SPDX-License-Identifier: Apache-2.0 */
/* builder.h: compilers run as any command is: inside the sandbox, and on record. */
#pragma once

#include "executor/wasm_build.h"

/* Whose compilers: those in the PATH of the caller, recorded in the caller's ledger. */
struct workshop {
    const char *const *environment;
    const char *ledger;
    const char *const *weak; /* as of struct writ_command */
    const char *dir;         /* where something was built; NULL: nothing was */
    int refused; /* the status of a compiler that did not run, as of writ_exec(), or 0 */
};

/* Compiles a module; *object lies in the workshop's directory, until it is closed. */
bool workshop_build(struct workshop *w, struct str module, struct arena *a, const char **object,
                    struct error *e) NODISCARD;
void workshop_close(struct workshop *w);
