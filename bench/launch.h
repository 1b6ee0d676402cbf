/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: /bin/true in the sandbox: what is decided before a launch, and the launch itself. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/environment.h"
#include "sandbox/reach.h"
#include "sandbox/sandbox.h"

static const struct request_filesystem filesystem = { .level = FS_STANDARD };
static const char *const states[] = { "/var/lib/writ-bench", NULL }; /* nothing is there */
static const struct request_network network = { .level = CHOICE_NONE };
static const struct request_processes processes = { .max_children = 32, .allow_fork = true };
static const struct request_sandbox most = { .timeout_ms = 60000,
                                             .memory_mb = 512,
                                             .cpu_cores = 1,
                                             .filesystem = &filesystem,
                                             .network = &network,
                                             .processes = &processes };

static inline void must(bool ok, const char *what)
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

static inline void decide(struct decided *d, const char *work)
{
    struct reach_ask ask = { .filesystem = &filesystem,
                             .cwd = work,
                             .caller = work,
                             .states = states,
                             .kept = d->kept,
                             .person = true };
    struct environment_ask environment = { .path = policy_path, .cwd = work };
    struct program_ask program_ask = { .cwd = work };
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

static inline void launch(const struct decided *d)
{
    _arena_ struct arena a = { 0 };
    struct error e = { 0 };
    struct outcome out;

    must(sandbox_run(&d->run, world_real(), &a, &out, &e), e.msg);
    must(out.exit_code == 0 && out.layers == LAYER_ALL && !out.left, "/bin/true failed inside");
}

/* As a step of a plan does: what may be reached is looked at afresh for each. */
static inline void decide_and_launch(struct kept *kept, const char *work)
{
    struct decided d = { .kept = kept };

    decide(&d, work);
    launch(&d);
    arena_free(&d.a);
}
