/* SPDX-License-Identifier: Apache-2.0 */
/* held.c: the arithmetic of a clock that stands still, and the stream of bytes. */
#include "sandbox/held.h"

#include <string.h>
#include <time.h>

/* 1980-01-01, as in the environment of every run. */
enum { DAY_ONE = 315532800 };

/* Seconds that a signed 64-bit count of nanoseconds has room for, and some. */
#define WALL_MOST (INT64_C(1) << 33)

static bool read_seconds(const char *text, int64_t *out)
{
    int64_t s = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || s > WALL_MOST)
            return false;
        s = s * 10 + (*text - '0');
    }
    *out = s;
    return s <= WALL_MOST;
}

struct held held_make(char *const *env, const struct digest *seed)
{
    static const char name[] = "SOURCE_DATE_EPOCH=";
    struct held h = { .on = true, .wall_s = DAY_ONE, .seed = *seed };

    for (; *env; env++)
        if (strncmp(*env, name, sizeof name - 1) == 0 &&
            !read_seconds(*env + sizeof name - 1, &h.wall_s))
            h.wall_s = DAY_ONE;
    return h;
}

struct held_state held_begin(void)
{
    return (struct held_state){ .mono_ns = HELD_START_NS };
}

uint64_t held_wall_ahead_ns(const struct held *h)
{
    return (uint64_t)h->wall_s * HELD_SECOND_NS - HELD_START_NS;
}

static bool is_of_cpu(int clock)
{
    return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

static bool is_wall(int clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

/* What a CPU was busy is nobody's to repeat: its clocks begin at 0 and go with the others. */
bool held_clock(const struct held *h, const struct held_state *s, int clock, struct held_time *out)
{
    uint64_t ns = s->mono_ns;

    if (clock > CLOCK_TAI || clock == CLOCK_TAI - 1)
        return false;
    if (is_wall(clock))
        ns += held_wall_ahead_ns(h);
    else if (is_of_cpu(clock))
        ns -= HELD_START_NS;
    *out = (struct held_time){ (int64_t)(ns / HELD_SECOND_NS), (int64_t)(ns % HELD_SECOND_NS) };
    return true;
}

void held_asked(struct held_state *s, uint64_t times)
{
    if (s->reads / HELD_READS != (s->reads + times) / HELD_READS)
        s->mono_ns += HELD_TICK_NS;
    s->reads += times;
}

uint64_t held_deadline(const struct held_state *s, uint64_t ns)
{
    return ns > UINT64_MAX / 4 ? UINT64_MAX / 4 : s->mono_ns + ns;
}

void held_pass(struct held_state *s, uint64_t deadline)
{
    if (s->mono_ns < deadline) {
        s->mono_ns = deadline;
        s->sleeps = 0;
    }
    s->stalls = 0;
}

void held_stall(struct held_state *s, uint64_t deadline)
{
    uint64_t tick = s->mono_ns + HELD_TICK_NS;

    if (++s->stalls >= HELD_STALLS)
        held_pass(s, deadline < tick ? deadline : tick);
}

static size_t place_of(int timer)
{
    return timer < 0 ? (size_t)(-1 - timer)
                     : HELD_INTERVALS + (size_t)timer % (HELD_TICKS - HELD_INTERVALS);
}

void held_set(struct held_state *s, int timer, uint64_t ns)
{
    s->ticks[place_of(timer)] = (struct held_tick){ timer, ns };
}

uint64_t held_cut(const struct held_state *s, int timer, uint64_t began, uint64_t deadline)
{
    const struct held_tick *set = &s->ticks[place_of(timer)];
    bool known = set->timer == timer && set->ns > HELD_TICK_NS;
    uint64_t tick = began + (known ? set->ns : HELD_TICK_NS);

    return deadline < tick ? deadline : tick;
}

void held_slept(struct held_state *s, uint64_t deadline)
{
    if (s->sleeps < HELD_SLEEPS)
        s->sleeps++;
    else if (s->mono_ns < deadline)
        s->mono_ns = deadline;
}

void held_draw(const struct held *h, uint64_t stream, uint64_t *drawn, unsigned char out[HELD_PART])
{
    struct sha256 sum;
    struct digest d;

    sha256_begin(&sum);
    sha256_add(&sum, h->seed.b, sizeof h->seed.b);
    sha256_add(&sum, &stream, sizeof stream);
    sha256_add(&sum, drawn, sizeof *drawn);
    d = sha256_end(&sum);
    (*drawn)++;
    memcpy(out, d.b, HELD_PART);
}
