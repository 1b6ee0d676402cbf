/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c: asks a tool for its version, and remembers the answer. */
#include "engine/call_probe.h"

#include <string.h>
#include <sys/stat.h>

#include "adapter/cache.h"
#include "contract/tool_version.h"
#include "engine/exec.h"
#include "engine/home.h"
#include "sandbox/environment.h"

enum { NOBODY = 65534 };

/* By the program and what tells that it is still the same. */
static bool key_of(const struct probe_ask *ask, const struct program *program, struct arena *a,
                   struct digest *out)
{
    struct stat st;
    struct str texts[4];

    if (stat(program->real, &st) != 0)
        return false;
    texts[0] = str_of("version of a tool");
    texts[1] = str_of(ask->command);
    texts[2] = str_of(program->real);
    texts[3] =
        str_of(arena_printf(a, "%ju %ju %jd %jd.%09ld", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
                            (intmax_t)st.st_size, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec));
    *out = cache_key(texts, COUNT(texts));
    return true;
}

/* ---- asking ---- */

/* False: it could not be asked, or was stopped before it had answered. */
static bool run(struct exec *x, const struct program *program, const struct probe_ask *ask,
                struct arena *a)
{
    struct environment_ask environment = { .path = policy_path, .cwd = x->reach.cwd };
    char *argv[] = { arena_text(a, str_of(x->command->argv[0])), arena_text(a, str_of("--version")),
                     NULL };
    bool hosted = ask->weak & (1U << LAYER_USER); /* root's needs somebody else to be */
    struct run run = { .program = program,
                       .grants = &x->reach.grants,
                       .state = home_state(ask->environment, a),
                       .cwd = x->reach.cwd,
                       .owner = hosted ? NOBODY : 0,
                       .group = hosted ? NOBODY : 0,
                       .argv = argv,
                       .env = environment_make(&environment, a),
                       .limits = x->request.sandbox,
                       .weak = ask->weak,
                       .live = { -1, -1 },
                       .cancel = ask->cancel,
                       .at_once = true };
    struct error e;

    if (sandbox_run(&run, x->world, a, &x->outcome, &e))
        return x->outcome.cause == CAUSE_EXITED;
    *ask->unasked = e;
    return false;
}

/* One that fails has no version that it tells. */
static struct str said_version(const struct outcome *o)
{
    struct str version;

    if (o->exit_code != 0)
        return (struct str){ "", 0 };
    version = tool_version_in(o->out.head);
    return version.n ? version : tool_version_in(o->err.head);
}

bool tool_probe(const struct probe_ask *ask, struct arena *a, struct str *version)
{
    const char *const argv[] = { ask->command, NULL };
    const struct writ_command command = { .argv = argv,
                                          .options = "{\"sandbox\":{\"timeout_ms\":5000}}" };
    struct exec x = { .command = &command, .world = world_real(), .a = a };
    struct program_ask find = { .command = ask->command, .cwd = "/tmp" };
    struct cache_place place = { .directory = ask->cache, .now_ms = ask->now_ms };
    struct digest key;
    struct report r;
    struct error e;

    *version = (struct str){ "", 0 };
    if (strchr(ask->command, '/') || !exec_read(&x, &r))
        return true;
    x.reach = (struct reach){ .cwd = find.cwd, .grants = { .a = a }, .absent = { .a = a } };
    program_find(&find, a, &x.program);
    if (x.program.missing)
        return true;
    if (!key_of(ask, &x.program, a, &key) ||
        (!ask->fresh && ask->cache && cache_get(&place, CACHE_TOOLS, &key, a, version)))
        return true;
    program_grant(&find, &x.program, &x.reach.grants);
    grants_settle(&x.reach.grants);
    if (!run(&x, &x.program, ask, a)) /* which says nothing about the tool: asked again */
        return x.outcome.cause != CAUSE_CANCELLED;
    *version = said_version(&x.outcome);
    if (ask->cache) /* that it cannot be kept changes nothing */
        (void)!cache_put(&place, CACHE_TOOLS, &key, *version, &e);
    return true;
}
