/* SPDX-License-Identifier: Apache-2.0 */
/* race.h: several contestants, measured by turns in one run, compared by the median.
 *
 * Turns are short and interleaved, so that what else the machine does meets all of them alike. The
 * first contestant is the yardstick: the others are printed as how many times faster they are.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RACE_TURNS = 101, RACE_MAX = 8 };

struct runner {
    const char *name;
    void (*run)(void);
    double ns[RACE_TURNS]; /* for one call, turn by turn */
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

static inline double race_median(struct runner *r)
{
    qsort(r->ns, RACE_TURNS, sizeof r->ns[0], race_by_size);
    return r->ns[RACE_TURNS / 2];
}

/* Calls everyone `calls` times a turn. */
static inline void race(const char *title, struct runner *runners, size_t n, int calls)
{
    double yardstick = 0;

    for (int turn = -1; turn < RACE_TURNS; turn++) { /* turn -1 warms up */
        for (size_t i = 0; i < n; i++) {
            double begin = race_now();

            for (int c = 0; c < calls; c++)
                runners[i].run();
            if (turn >= 0)
                runners[i].ns[turn] = (race_now() - begin) / calls;
        }
    }
    printf("%s\n", title);
    for (size_t i = 0; i < n; i++) {
        double ns = race_median(&runners[i]);

        yardstick = i == 0 ? ns : yardstick;
        printf("  %-44s %9.0f ns %8.2f x\n", runners[i].name, ns, yardstick / ns);
    }
}
