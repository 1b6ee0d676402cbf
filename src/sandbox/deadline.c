/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c: when init ends its tree, should nobody else do so. */
#include "sandbox/deadline.h"

#include "base/world.h"

enum { AGAIN_MS = 1000 };

int64_t deadline_now(void)
{
    const struct world *real = world_real();

    return real->mono_ms(real->self);
}

void deadline_begin(struct deadline *d)
{
    if (d->most_ms > 0 && d->at_ms == 0)
        d->at_ms = deadline_now() + d->most_ms;
}

int deadline_left(const struct deadline *d)
{
    int64_t left = d->at_ms - deadline_now();

    if (d->at_ms == 0)
        return -1;
    return poll_ms(left);
}

bool deadline_has_come(struct deadline *d)
{
    int64_t now = deadline_now();

    if (d->at_ms == 0 || now < d->at_ms)
        return false;
    d->at_ms = now + AGAIN_MS;
    return true;
}
