/* SPDX-License-Identifier: Apache-2.0 */
/* race.h: several contestants, measured by turns in one run, compared by the median.
 *
 * Turns are short and interleaved, so that what else the machine does meets all of them alike, and
 * each turn has its own order, so that nobody always runs in the wake of the same neighbour. The
 * first contestant is the yardstick: the others are printed as how many times faster they are.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RACE_TURNS = 101, RACE_MAX = 64 };

struct runner {
    const char *name;
    void (*run)(void);
    void (*run_with)(const void *with); /* in place of run, where one function serves several */
    const void *with;
    double ns[RACE_TURNS]; /* for one call, turn by turn */
    int turns;             /* how many were measured */
};

static inline double race_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int race_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What that share of the turns took at most, in hundredths; 50 is the median. */
static inline double race_share(struct runner *r, int share)
{
    qsort(r->ns, (size_t)r->turns, sizeof r->ns[0], race_by_size);
    return r->ns[r->turns * share / 100];
}

static inline double race_median(struct runner *r)
{
    return race_share(r, 50);
}

static inline void race_shuffle(size_t *order, size_t n)
{
    static uint32_t chance = 1; /* the same orders in every run */

    for (size_t i = n; i > 1; i--) {
        size_t other, last = order[i - 1];

        chance = chance * 1664525 + 1013904223;
        other = (chance >> 16) % i;
        order[i - 1] = order[other];
        order[other] = last;
    }
}

static inline double race_turn(const struct runner *r, int calls)
{
    double begin = race_now();

    for (int c = 0; c < calls; c++) {
        if (r->run)
            r->run();
        else
            r->run_with(r->with);
    }
    return (race_now() - begin) / calls;
}

/* Calls everyone `calls` times in each of so many turns; race_median() then tells. */
static inline void race_measure(struct runner *runners, size_t n, int turns, int calls)
{
    size_t order[RACE_MAX];

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (int turn = -1; turn < turns; turn++) { /* turn -1 warms up */
        race_shuffle(order, n);
        for (size_t i = 0; i < n; i++) {
            struct runner *r = &runners[order[i]];
            double ns = race_turn(r, calls);

            if (turn >= 0)
                r->ns[turn] = ns;
            r->turns = turns;
        }
    }
}

static inline void race(const char *title, struct runner *runners, size_t n, int calls)
{
    double yardstick = 0;

    race_measure(runners, n, RACE_TURNS, calls);
    printf("%s\n", title);
    for (size_t i = 0; i < n; i++) {
        double ns = race_median(&runners[i]);

        yardstick = i == 0 ? ns : yardstick;
        printf("  %-44s %9.0f ns %8.2f x\n", runners[i].name, ns, yardstick / ns);
    }
}
