/* SPDX-License-Identifier: Apache-2.0 */
/* idle.c: a command that does nothing, run to find out whether the walls can be built here. */
#include "engine/idle.h"

#include <assert.h>

#include "engine/home.h"
#include "sandbox/environment.h"

/* The first that is there is run. */
static const struct {
    const char *command, *words[2];
} commands[] = {
    { "/bin/true", { NULL } },
    { "/usr/bin/true", { NULL } },
    { "/bin/sh", { "-c", ":" } },
};

/* Where commands may not run, nothing of the disk is granted: the rest can still be tried. */
static void see(struct idle *idle)
{
    struct exec *x = &idle->x;
    struct error e;

    if (exec_see(x, &e))
        return;
    idle->refused = arena_text(x->a, str_of(e.msg));
    x->reach = (struct reach){ .cwd = "/tmp", .grants = { .a = x->a }, .absent = { .a = x->a } };
}

static void set_level(struct idle *idle, enum fs_level level)
{
    struct request_sandbox *sandbox = arena_new(idle->x.a, struct request_sandbox);
    struct request_filesystem *filesystem = arena_new(idle->x.a, struct request_filesystem);

    *sandbox = *idle->x.request.sandbox;
    *filesystem = *sandbox->filesystem;
    filesystem->level = (int)level;
    sandbox->filesystem = filesystem;
    idle->x.request.sandbox = sandbox;
}

static void find_command(struct idle *idle)
{
    struct exec *x = &idle->x;
    struct program_ask ask = { .cwd = x->reach.cwd };
    size_t i = 0;

    for (;; i++) {
        ask.command = commands[i].command;
        program_find(&ask, x->a, &x->program);
        if (!x->program.missing || i + 1 == COUNT(commands))
            break;
    }
    program_grant(&ask, &x->program, &x->reach.grants);
    grants_settle(&x->reach.grants);
    idle->argv[0] = arena_text(x->a, str_of(ask.command));
    for (size_t k = 0; k < COUNT(commands[i].words) && commands[i].words[k]; k++)
        idle->argv[k + 1] = arena_text(x->a, str_of(commands[i].words[k]));
}

void idle_prepare(struct idle *idle, const char *const *environment, enum fs_level level,
                  struct arena *a)
{
    static const char *const argv[] = { "/bin/true", NULL };
    static const struct writ_command command = { .argv = argv };
    struct environment_ask ask = { .path = policy_path };
    struct report r;
    bool ok;

    *idle = (struct idle){ .x = { .command = &command, .world = world_real(), .a = a },
                           .environment = environment };
    ok = exec_read(&idle->x, &r); /* the defaults */
    assert(ok);
    (void)ok;
    set_level(idle, level);
    see(idle);
    find_command(idle);
    ask.cwd = idle->x.reach.cwd;
    idle->x.env = environment_make(&ask, a);
}

bool idle_run(struct idle *idle, unsigned weak, const struct held *held, struct error *e)
{
    struct exec *x = &idle->x;
    struct run run = { .program = &x->program,
                       .grants = &x->reach.grants,
                       .absent = &x->reach.absent,
                       .state = home_state(idle->environment, x->a),
                       .cwd = x->reach.cwd,
                       .owner = x->reach.owner,
                       .group = x->reach.group,
                       .argv = idle->argv,
                       .env = x->env,
                       .held = held,
                       .limits = x->request.sandbox,
                       .weak = weak,
                       .live = { -1, -1 },
                       .cancel = -1 };

    if (!sandbox_run(&run, x->world, x->a, &x->outcome, e))
        return false;
    return x->outcome.exit_code == 0 ||
           error_set(e, CODE_LAYER_MISSING, "%s ended with %d in the sandbox", idle->argv[0],
                     x->outcome.exit_code);
}
