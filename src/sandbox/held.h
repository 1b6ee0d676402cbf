/* SPDX-License-Identifier: Apache-2.0 */
/* held.h: time that stands still, and chance that is the same in every run.
 *
 * Each process of a fixed run has a clock and a place in a stream of bytes, in its own memory: a
 * fork copies them, and init carries them over an exec. The clock moves only when the process
 * waits: a wait that comes to its end moves it to where that end was due. Nothing that really
 * happens moves it otherwise, so that the same program sees the same time in every run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

/* What a fixed run is given. Zero: time runs and chance is chance. */
struct held {
    bool on;
    int64_t wall_s;      /* Unix time at its start */
    struct digest seed;  /* of its stream of bytes */
    uint64_t page_bytes; /* of the kernel's clocks (held_page.h); 0: they are left alone */
};

/* What a timer was set to. */
struct held_tick {
    int64_t timer; /* the kernel's number; -1 - ITIMER_REAL, .. */
    uint64_t ns;
};

enum { HELD_INTERVALS = 3, HELD_TICKS = 8 };

/* Lies in the memory of each process. The code in held/code.c knows the first two. */
struct held_state {
    uint64_t mono_ns;
    uint64_t reads; /* how often the clock was asked */
    uint64_t drawn; /* parts of the stream that were taken */
    uint64_t stalls;
    uint64_t cycles; /* how often the cycle counter was asked */
    uint64_t sleeps; /* of threads that only look after others, since the clock moved */
    uint64_t opens;  /* how often it has opened a random device */
    struct held_tick ticks[HELD_TICKS]; /* the interval timers; then others, where they have room */
};

enum {
    HELD_BYTES = 192,  /* room for the state */
    HELD_READS = 8192, /* who asks so often waits for something: 1 ms passes */
    HELD_TICK_NS = 1000000,
    HELD_READS_SLOW = 64, /* what one system call counts */
    HELD_STALLS = 256,    /* waits that ended early, until 1 ms passes */
    HELD_SLEEPS = 256,    /* sleeps that only look after others, until they count as waits */
};

_Static_assert(sizeof(struct held_state) <= HELD_BYTES, "the state fits the gap");

#define HELD_SECOND_NS 1000000000ULL
#define HELD_START_NS  (1000 * HELD_SECOND_NS) /* CLOCK_MONOTONIC at the start */

struct held_time {
    int64_t s, ns;
};

/* The environment says which day it is: SOURCE_DATE_EPOCH. */
struct held held_make(char *const *env, const struct digest *seed);

struct held_state held_begin(void);

/* The time on that clock of the kernel's; false: there is no such clock. */
bool held_clock(const struct held *h, const struct held_state *s, int clock,
                struct held_time *out) NODISCARD;

/* By how much the wall is ahead of CLOCK_MONOTONIC. */
uint64_t held_wall_ahead_ns(const struct held *h);

/* Counts questions about the time; who only asks and never waits gets on, too. */
void held_asked(struct held_state *s, uint64_t times);

/* A wait for `ns` from now on ends there. */
uint64_t held_deadline(const struct held_state *s, uint64_t ns);

/* A wait came to its end. */
void held_pass(struct held_state *s, uint64_t deadline);

/* A wait did not come to its end: something happened before. After many of them some time passes,
 * so that what is due is not put off for ever. */
void held_stall(struct held_state *s, uint64_t deadline);

/* A timer was set. Of two that share a place (five are between them) the one before is forgotten.
 */
void held_set(struct held_state *s, int timer, uint64_t ns);

/* Where a wait that began there is over when the signal of that timer cuts it off: the time that it
 * was set to is over. Of one that is not known 1 ms is. */
uint64_t held_cut(const struct held_state *s, int timer, uint64_t began, uint64_t deadline);

/* A sleep came to its end that may only look after others, as runtimes have threads for. It moves
 * the clock when nothing else has done so for many of them: then somebody waits for the time. */
void held_slept(struct held_state *s, uint64_t deadline);

enum { HELD_PART = DIGEST_BYTES };

/* The next part of the stream that belongs to this process. */
void held_draw(const struct held *h, uint64_t stream, uint64_t *drawn,
               unsigned char out[HELD_PART]);
