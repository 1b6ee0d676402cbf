/* SPDX-License-Identifier: Apache-2.0 */
/* bench_pool.c: one command after the other from one process: /bin/true in the sandbox with what is
 * kept, every wall and its output captured, against posix_spawn and wait of the bare program.
 *
 * usage: bench_pool    the goal: at most 1.25 times the bare spawn
 */
#include "ground.h"
#include "race.h"
#include "sandbox/environment.h"
#include "sandbox/reach.h"
#include "sandbox/sandbox.h"

enum { CALLS = 8 };

static struct ground ground;

static const struct request_filesystem filesystem = { .level = FS_STANDARD };
static const struct request_network network = { .level = CHOICE_NONE };
static const struct request_processes processes = { .max_children = 32, .allow_fork = true };
static const struct request_sandbox most = { .timeout_ms = 60000,
                                             .memory_mb = 512,
                                             .cpu_cores = 1,
                                             .filesystem = &filesystem,
                                             .network = &network,
                                             .processes = &processes };

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "%s\n", what);
    exit(1);
}

/* What may be reached, and the program: all that is decided before a launch. */
struct decided {
    struct arena a;
    struct reach reach;
    struct program program;
    struct run run;
    char *argv[2];
    struct kept *kept;
};

static void decide(struct decided *d)
{
    struct reach_ask ask = { .filesystem = &filesystem,
                             .cwd = ground.work,
                             .caller = ground.work,
                             .kept = d->kept,
                             .person = true };
    struct environment_ask environment = { .path = policy_path, .cwd = ground.work };
    struct program_ask program_ask = { .cwd = ground.work };
    struct error e = { 0 };

    d->argv[0] = arena_text(&d->a, str_of("/bin/true"));
    program_ask.command = d->argv[0];
    must(reach_build(&ask, &d->a, &d->reach, &e), e.msg);
    if (d->kept)
        program_ask.system = kept_system(d->kept, world_real()->wall_ms(NULL));
    program_find(&program_ask, &d->a, &d->program);
    program_grant(&program_ask, &d->program, &d->reach.grants);
    grants_settle(&d->reach.grants);
    d->run = (struct run){ .program = &d->program,
                           .grants = &d->reach.grants,
                           .argv = d->argv,
                           .limits = &most,
                           .live = { -1, -1 },
                           .cancel = -1,
                           .kept = d->kept,
                           .cwd = d->reach.cwd,
                           .owner = d->reach.owner,
                           .group = d->reach.group,
                           .env = environment_make(&environment, &d->a) };
}

static void launch(const struct decided *d)
{
    _arena_ struct arena a = { 0 };
    struct error e = { 0 };
    struct outcome out;

    must(sandbox_run(&d->run, world_real(), &a, &out, &e), e.msg);
    must(out.exit_code == 0 && out.layers == LAYER_ALL && !out.left, "/bin/true failed inside");
}

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
    struct decided d = { .kept = pooled.kept };

    decide(&d);
    launch(&d);
    arena_free(&d.a);
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
    decide(&pooled);
    decide(&alone);
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
