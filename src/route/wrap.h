/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h: runs a command by a wrapper, `rch exec -- CMD`, and tells its failures from the
 * command's.
 *
 * The walls are the wrapper's affair: of ours only the time, the output's ceilings and the death of
 * all it started here hold.
 */
#pragma once

#include "base/world.h"
#include "contract/config_doc.h"
#include "sandbox/outcome.h"
#include "sandbox/sandbox.h"

struct wrap_ask {
    const struct config_worker *worker;
    char *const *argv;        /* the command's own */
    char *const *environment; /* the caller's */
    const char *cwd;
    struct str input;
    int64_t timeout_ms;
    bool at_once;
    struct pace pace;
    int live[2], cancel;
    bool (*permit)(void *self, struct error *e); /* asked before it is started */
    void *permit_self;
};

enum wrap_end {
    WRAP_ENDED,       /* the outcome is the command's */
    WRAP_UNAVAILABLE, /* the wrapper said that it did not run it, or could not be started */
    WRAP_FORBIDDEN,   /* permit said no */
};

enum wrap_end wrap_run(const struct wrap_ask *ask, const struct world *world, struct arena *a,
                       struct outcome *out, struct error *e);
