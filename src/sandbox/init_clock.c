/* SPDX-License-Identifier: Apache-2.0 */
/* init_clock.c: when init ends its tree, should nobody else do so. */
#include "sandbox/init_clock.h"

#include "base/world.h"

enum { AGAIN_MS = 1000 };

int64_t init_clock_now(void)
{
    const struct world *real = world_real();

    return real->mono_ms(real->self);
}

void init_clock_begin(struct init_clock *c)
{
    if (c->most_ms > 0 && c->at_ms == 0)
        c->at_ms = init_clock_now() + c->most_ms;
}

int init_clock_left(const struct init_clock *c)
{
    int64_t left = c->at_ms - init_clock_now();

    if (c->at_ms == 0)
        return -1;
    return poll_ms(left);
}

bool init_clock_is_up(struct init_clock *c)
{
    int64_t now = init_clock_now();

    if (c->at_ms == 0 || now < c->at_ms)
        return false;
    c->at_ms = now + AGAIN_MS;
    return true;
}
