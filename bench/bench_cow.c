/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cow.c: what write mode cow adds to a launch of /bin/true by `writ exec`.
 *
 * usage: bench_cow [WRIT]    the goal: it adds at most half of a bare start
 */
#include "ground.h"
#include "race.h"

enum { CALLS = 5 };

enum { BARE, DIRECT, COW, CONTESTANTS };

static struct ground ground;
static const struct contestant {
    const char *name;
    const char *argv[8];
} contestants[CONTESTANTS] = {
    [BARE] = { "bare", { "/bin/true" } },
    [DIRECT] = { "writ exec", { ground.writ, "exec", "--json", "--", "/bin/true" } },
    [COW] = { "writ exec --write-mode cow",
              { ground.writ, "exec", "--json", "--write-mode", "cow", "--", "/bin/true" } },
};

static void launch(const void *with)
{
    const struct contestant *c = with;
    int status = ground_run((const char **)c->argv, (struct ground_io){ -1, -1 }, NULL);

    if (status != 0) {
        (void)fprintf(stderr, "%s: status %d\n", c->name, status);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static struct runner runners[CONTESTANTS];
    double times[CONTESTANTS];

    ground_make(&ground, argc > 1 ? argv[1] : NULL);
    if (!ground_has_exec(&ground))
        return 0;
    for (size_t i = 0; i < CONTESTANTS; i++)
        runners[i] = (struct runner){ .run_with = launch, .with = &contestants[i] };
    race_measure(runners, CONTESTANTS, RACE_TURNS, CALLS);
    printf("a launch of /bin/true, by posix_spawn, process start included\n");
    for (size_t i = 0; i < CONTESTANTS; i++) {
        times[i] = race_median(&runners[i]);
        printf("  %-44s %7.0f us\n", contestants[i].name, times[i] / 1e3);
    }
    printf("  goal: write mode cow adds at most 0.5 x the time of bare: %.2f x\n",
           (times[COW] - times[DIRECT]) / times[BARE]);
    return 0;
}
