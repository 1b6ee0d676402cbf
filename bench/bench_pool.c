/* SPDX-License-Identifier: Apache-2.0 */
/* bench_pool.c: one command after the other from one process: /bin/true in the sandbox with what is
 * kept, every wall and its output captured, against posix_spawn and wait of the bare program.
 *
 * usage: bench_pool    the goal: at most 1.25 times the bare spawn
 */
#include "ground.h"
#include "launch.h"
#include "race.h"

enum { CALLS = 8 };

static struct ground ground;

/* ---- contestants ---- */

static struct decided pooled, alone;

static void run_bare(void)
{
    const char *argv[] = { "/bin/true", NULL };

    must(ground_run(argv, (struct ground_io){ -1, -1 }, NULL) == 0, "/bin/true failed");
}

static void run_decided(const void *with)
{
    launch(with);
}

static void run_all(void)
{
    decide_and_launch(pooled.kept, ground.work);
}

enum { BARE, POOLED, ALL, ALONE, CONTESTANTS };

int main(void)
{
    static struct runner runners[CONTESTANTS] = {
        [BARE] = { "posix_spawn and wait, bare", .run = run_bare },
        [POOLED] = { "a run, with what is kept", .run_with = run_decided, .with = &pooled },
        [ALL] = { "the same, grants decided each time", .run = run_all },
        [ALONE] = { "a run, nothing kept", .run_with = run_decided, .with = &alone },
    };
    double bare;

    ground_make(&ground, NULL);
    pooled.kept = kept_new();
    decide(&pooled, ground.work);
    decide(&alone, ground.work);
    race_measure(runners, CONTESTANTS, RACE_TURNS, CALLS);
    bare = race_median(&runners[BARE]);
    printf("/bin/true, one after the other, from one process\n");
    for (size_t i = 0; i < CONTESTANTS; i++)
        printf("  %-44s %7.0f us (p10 %5.0f) %6.2f x bare\n", runners[i].name,
               race_median(&runners[i]) / 1e3, race_share(&runners[i], 10) / 1e3,
               race_median(&runners[i]) / bare);
    printf("  goal: at most 1.25 x bare: %.2f x\n", race_median(&runners[POOLED]) / bare);
    kept_free(pooled.kept);
    arena_free(&pooled.a);
    arena_free(&alone.a);
    return 0;
}
