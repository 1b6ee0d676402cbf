/* SPDX-License-Identifier: Apache-2.0 */
/* runs.h: commands run in the sandbox by a test, in a directory of their own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "sandbox/environment.h"
#include "sandbox/reach.h"
#include "sandbox/sandbox.h"

/* What is asked for; a test changes it before it runs anything. */
struct runs {
    char dir[64];   /* the working directory: a repository, and writable */
    char state[64]; /* where it is remembered what is denied */
    struct arena a;
    struct request_filesystem filesystem;
    struct request_network network;
    struct request_processes processes;
    struct request_sandbox limits;
    struct run run;
    const char *command;                    /* in place of the shell, without arguments */
    char **argv;                            /* in place of both; NULL: one of them */
    const char *cwd;                        /* in place of `dir` */
    void (*admitted)(const struct runs *r); /* is called when it is decided what it sees, or NULL */
    const struct pair *variables;
    size_t variable_count;
};

static inline void runs_make(struct runs *r)
{
    char path[128];

    *r = (struct runs){ .filesystem = { .level = FS_STANDARD },
                        .network = { .level = CHOICE_NONE },
                        .processes = { .max_children = 32, .allow_fork = true },
                        .limits = { .timeout_ms = 60000, .memory_mb = 256, .cpu_cores = 1 },
                        .run = { .live = { -1, -1 }, .cancel = -1 } };
    r->limits.filesystem = &r->filesystem;
    r->limits.network = &r->network;
    r->limits.processes = &r->processes;
    (void)snprintf(r->dir, sizeof r->dir, "/tmp/writ-runs-XXXXXX");
    assert_non_null(mkdtemp(r->dir));
    (void)snprintf(r->state, sizeof r->state, "/tmp/writ-state-XXXXXX");
    assert_non_null(mkdtemp(r->state));
    (void)snprintf(path, sizeof path, "%s/.git", r->dir);
    assert_int_equal(mkdir(path, 0755), 0);
}

static inline void runs_free(struct runs *r)
{
    char line[192];

    (void)snprintf(line, sizeof line, "rm -rf '%s' '%s'", r->dir, r->state);
    assert_int_equal(system(line), 0); /* NOLINT: a path of our own */
    arena_free(&r->a);
}

/* Writes a file below the working directory. */
static inline void runs_write(const struct runs *r, const char *name, const char *text)
{
    assert_true(home_write(r->dir, name, text));
}

/* Runs a script of the shell; `world` tells the time. False: it was refused, see *e. */
static inline bool runs_try(struct runs *r, const struct world *world, const char *script,
                            struct outcome *out, struct error *e)
{
    char *shell[] = { arena_text(&r->a, str_of("/bin/sh")), arena_text(&r->a, str_of("-c")),
                      arena_text(&r->a, str_of(script)), NULL };
    char *alone[] = { arena_text(&r->a, str_of(r->command ? r->command : "")), NULL };
    char **argv = r->argv ? r->argv : r->command ? alone : shell;
    const char *cwd = r->cwd ? r->cwd : r->dir;
    struct reach_ask ask = { .filesystem = &r->filesystem,
                             .cwd = cwd,
                             .caller = r->dir,
                             .states = (const char *const[]){ r->state, NULL },
                             .kept = r->run.kept,
                             .person = true };
    struct program_ask program_ask = { .command = argv[0], .cwd = cwd };
    struct environment_ask environment = {
        .asked = r->variables, .count = r->variable_count, .path = policy_path, .cwd = cwd
    };
    struct program program;
    struct reach reach;
    struct run run = r->run;

    if (!reach_build(&ask, &r->a, &reach, e))
        return false;
    if (r->run.kept)
        program_ask.system = kept_system(r->run.kept, world_real()->wall_ms(NULL));
    program_find(&program_ask, &r->a, &program);
    program_grant(&program_ask, &program, &reach.grants);
    grants_settle(&reach.grants);
    if (r->admitted)
        r->admitted(r);
    run.program = &program;
    run.grants = &reach.grants;
    run.absent = &reach.absent;
    run.cwd = reach.cwd;
    run.owner = reach.owner;
    run.group = reach.group;
    run.argv = argv;
    run.env = environment_make(&environment, &r->a);
    run.limits = &r->limits;
    return sandbox_run(&run, world, &r->a, out, e);
}

/* The same, and it must run. */
static inline struct outcome runs_do(struct runs *r, const struct world *world, const char *script)
{
    struct outcome out = { 0 };
    struct error e = { 0 };

    if (!runs_try(r, world, script, &out, &e))
        fail_msg("%s", e.msg);
    assert_null(out.left);
    return out;
}
