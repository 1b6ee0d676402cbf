/* SPDX-License-Identifier: Apache-2.0 */
/* world.c: the real world and the fake one. The only file that may read a clock or draw lots. */
#include "base/world.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/stir.h"

static int64_t read_clock(clockid_t id)
{
    struct timespec t;

    if (clock_gettime(id, &t) != 0)
        abort();
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t real_wall(void *self)
{
    (void)self;
    return read_clock(CLOCK_REALTIME);
}

static int64_t real_mono(void *self)
{
    (void)self;
    return read_clock(CLOCK_MONOTONIC);
}

/* A signal may cut a large request short; that is no refusal. */
static void real_chance(void *self, void *bytes, size_t n)
{
    uint8_t *p = bytes;

    (void)self;
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);

        if (got < 0 && errno != EINTR)
            abort();
        if (got > 0) {
            p += got;
            n -= (size_t)got;
        }
    }
}

static struct uuid real_id(void *self)
{
    struct uuid id = { { 0 } };

    real_chance(self, id.b, sizeof id.b);
    return uuid_of(id);
}

const struct world *world_real(void)
{
    static const struct world real = {
        .wall_ms = real_wall,
        .mono_ms = real_mono,
        .new_id = real_id,
        .chance = real_chance,
    };

    return &real;
}

int64_t world_cpu_ms(pid_t pid)
{
    struct timespec t;
    clockid_t id;

    if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t fake_now(void *self)
{
    return ((struct fake_world *)self)->now_ms;
}

static struct uuid fake_id(void *self)
{
    struct fake_world *f = self;
    struct uuid id = { { 0 } };
    uint64_t n = ++f->ids;

    for (int i = 15; i >= 9; i--, n >>= 8)
        id.b[i] = (uint8_t)n;
    return uuid_of(id);
}

static void fake_chance(void *self, void *bytes, size_t n)
{
    struct fake_world *f = self;
    uint8_t *p = bytes;

    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)stir(++f->draws * STIR_STEP);
}

void fake_world_init(struct fake_world *f, int64_t start_ms)
{
    *f = (struct fake_world){ .now_ms = start_ms };
    f->world = (struct world){
        .wall_ms = fake_now,
        .mono_ms = fake_now,
        .new_id = fake_id,
        .chance = fake_chance,
        .self = f,
    };
}

void fake_world_tick(struct fake_world *f, int64_t ms)
{
    f->now_ms += ms;
}
