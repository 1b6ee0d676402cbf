/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: results of calls that would come to the same again (A01-13).
 *
 * An operation that its adapter calls deterministic runs in an empty directory, at level minimal:
 * then all it can read is its program and what it is given, and that is known.
 */
#pragma once

#include "adapter/cache.h"
#include "adapter/repeatable.h"
#include "engine/call.h"

struct remembered {
    bool asked; /* the operation is said to be deterministic */
    bool holds; /* all six rows do */
    bool found; /* `value` was remembered */
    struct str value;
    struct digest key, executable, system;
    const char *directory; /* the empty one it runs in */
    struct cache_place place;
    struct repeat_verdict verdict;
};

/* What is known of the call that is about to be made, and what it came to before. */
void call_recall(struct tool_call *c, const struct cli_call *bound, struct remembered *m);

/* The call came to this: it is remembered where all holds. `program`: the digest of what ran. */
void call_remember(struct tool_call *c, const struct remembered *m, struct str value,
                   const struct digest *program);

/* A remembered result as an attempt: on record, and done by nobody. */
void call_recalled(struct tool_call *c, const struct remembered *m, const struct cli_call *bound,
                   struct attempt_end *end);
