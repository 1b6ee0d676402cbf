/* SPDX-License-Identifier: Apache-2.0 */
/* bench_held.c: a program that asks the time a million times, and one that never does, with
 * --deterministic fixed against stable.
 *
 * usage: bench_held [WRIT]    the goals: at most 20 times slower, and not slower. A launch that
 * does nothing is measured, too, and taken off.
 */
#include "ground.h"
#include "race.h"

enum { TURNS = 21, WORDS = 10 };

enum { NOTHING, ASKS, NEVER, EXECS, TASKS };

static struct ground ground;
static const char *const modes[] = { "stable", "fixed" };
static const char *const names[TASKS] = { "a launch that does nothing", "1000000 times the time",
                                          "50000000 steps without it", "100 programs, one by one" };
static const char *argvs[2][TASKS][WORDS];

static void launch(const void *with)
{
    const char *const *argv = with;
    int status = ground_run(argv, (struct ground_io){ -1, -1 }, NULL);

    if (status != 0) {
        (void)fprintf(stderr, "%s: status %d\n", argv[5], status);
        exit(1);
    }
}

static void enter(int mode, int task, const char *const words[3])
{
    const char **to = argvs[mode][task];
    size_t n = 0;

    to[n++] = ground.writ;
    to[n++] = "exec";
    to[n++] = "--deterministic";
    to[n++] = modes[mode];
    to[n++] = "--";
    for (int i = 0; i < 3 && words[i]; i++)
        to[n++] = words[i];
}

int main(int argc, char **argv)
{
    static struct runner runners[2 * TASKS];
    static const char loop[] = "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done";
    static char asks[PATH_MAX + 16];
    double ns[2][TASKS];

    ground_make(&ground, argc > 1 ? argv[1] : NULL);
    (void)snprintf(asks, sizeof asks, "%s/ask_time", ground.built);
    if (!ground_has_exec(&ground))
        return 0;
    for (int mode = 0; mode < 2; mode++) {
        enter(mode, NOTHING, (const char *[3]){ asks, "0" });
        enter(mode, ASKS, (const char *[3]){ asks, "1000000" });
        enter(mode, NEVER, (const char *[3]){ asks, "50000000", "never" });
        enter(mode, EXECS, (const char *[3]){ "/bin/sh", "-c", loop });
        for (int task = 0; task < TASKS; task++)
            runners[mode * TASKS + task] =
                (struct runner){ .run_with = launch, .with = argvs[mode][task] };
    }
    race_measure(runners, (size_t)2 * TASKS, TURNS, 1);
    for (int mode = 0; mode < 2; mode++)
        for (int task = 0; task < TASKS; task++)
            ns[mode][task] = race_median(&runners[mode * TASKS + task]);
    printf("fixed against stable\n");
    for (int task = 0; task < TASKS; task++) {
        double less[2] = { task ? ns[0][NOTHING] : 0, task ? ns[1][NOTHING] : 0 };

        printf("  %-30s %9.0f us %9.0f us %7.2f x\n", names[task], (ns[0][task] - less[0]) / 1e3,
               (ns[1][task] - less[1]) / 1e3, (ns[1][task] - less[1]) / (ns[0][task] - less[0]));
    }
    return 0;
}
