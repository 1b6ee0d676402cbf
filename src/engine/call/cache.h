/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: results of calls that would come to the same again (A01-13).
 *
 * An operation that its adapter calls deterministic runs in an empty directory, at level minimal,
 * with time and chance held: then all it can read is its program and what it is given, and that is
 * known. A function can read its package besides: it is held, and not remembered.
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

/* What is known of the call that is about to be made, and what it came to before. `read`: paths
 * that it can read besides. */
void call_recall(struct tool_call *c, const struct cli_call *bound, const struct items *read,
                 struct remembered *m);

/* What is said to be deterministic sees nothing but what it is given, and that is made true: its
 * clock stands still, and its chance is the same each time. Nothing, where that is not said. */
void call_hold(const struct remembered *m, struct call_request *request, struct exec_call *how);

/* The call came to this: it is remembered where all holds. `program`: the digest of what ran. */
void call_remember(struct tool_call *c, const struct remembered *m, struct str value,
                   const struct digest *program);

/* A remembered result as an attempt: on record, and done by nobody. */
void call_recalled(struct tool_call *c, const struct remembered *m, const struct cli_call *bound,
                   struct attempt_end *end);
