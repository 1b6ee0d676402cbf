/* SPDX-License-Identifier: Apache-2.0 */
/* runners.h: executions that have begun and have no end, of which it is known here whether who runs
 * them lives (alive.h). A step lives with its plan, on which it rests.
 */
#pragma once

#include "engine/alive.h"
#include "engine/record.h"

struct runner {
    int64_t seq; /* of the event by which it runs, its newest */
    bool lives;
};

struct runners {
    struct runner *v; /* by their seqs */
    size_t n, room;
    int shut; /* an errno: why nobody knows who runs; 0: it is known */
};

/* Between look and look_end. A ledger that has no state directory has none. */
bool runners_find(struct writ_ledger *w, struct arena *a, struct runners *out,
                  struct error *e) NODISCARD;

/* Is this event the newest of an execution, and does who runs it live? */
enum living runners_look(const struct runners *r, int64_t seq);
