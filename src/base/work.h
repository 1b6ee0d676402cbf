/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: how much a computation over somebody else's data may still do.
 *
 * Steps are counted, so that equal inputs meet equal verdicts on every machine; now and then the
 * caller is asked whether it is too late, as a backstop. Who is out of work stops and says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { WORK_LOOK = 1 << 16 };

struct work {
    uint64_t left;            /* steps */
    bool (*late)(void *self); /* asked every WORK_LOOK steps; NULL: it is never late */
    void *self;
    uint32_t since; /* steps since it was asked */
    bool over;      /* the work was used up, or it was late */
};

/* Takes that many steps; false, for ever after, where they are not left. */
static inline bool work_do(struct work *w, uint32_t steps)
{
    if (w->over || w->left < steps) {
        w->over = true;
        return false;
    }
    w->left -= steps;
    w->since += steps;
    if (w->since < WORK_LOOK)
        return true;
    w->since = 0;
    w->over = w->late && w->late(w->self);
    return !w->over;
}
