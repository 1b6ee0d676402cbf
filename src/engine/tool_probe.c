/* SPDX-License-Identifier: Apache-2.0 */
/* tool_probe.c: asks a tool for its version, and remembers the answer. */
#include "engine/tool_probe.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/num.h"
#include "contract/repeat.h"
#include "contract/tool_version.h"
#include "engine/exec.h"
#include "sandbox/environment.h"

enum { REMEMBERED = 256 };

/* ---- remembering ---- */

/* By the program and what tells that it is still the same. */
static const char *memory_path(const struct probe_ask *ask, const struct program *program,
                               struct arena *a)
{
    char text[DIGEST_TEXT];
    struct digest digest;
    const char *key;
    struct stat st;

    if (!ask->cache || stat(program->real, &st) != 0)
        return NULL;
    key = arena_printf(a, "probe\n%s\n%s\n%ju %ju %jd %jd.%09ld", ask->command, program->real,
                       (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (intmax_t)st.st_size,
                       (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    digest = digest_of(key, strlen(key));
    digest_text(&digest, text);
    return arena_printf(a, "%s/tool-metadata/%s", ask->cache, text + strlen("sha256:"));
}

/* "made version" */
static bool recall(const struct probe_ask *ask, const char *path, struct arena *a, struct str *out)
{
    struct error e;
    struct str text;
    int64_t made, age;
    const char *blank;

    if (ask->fresh || !path || !fs_read(path, REMEMBERED, a, &text, &e))
        return false;
    blank = memchr(text.s, ' ', text.n);
    if (!blank || !text.n || text.s[text.n - 1] != '\n' ||
        !num_int((struct str){ text.s, (size_t)(blank - text.s) }, &made))
        return false;
    age = ask->now_ms - made;
    *out = (struct str){ blank + 1, (size_t)(text.s + text.n - 1 - (blank + 1)) };
    return age >= 0 && age <= caches[CACHE_TOOLS].ttl_ms;
}

/* That it cannot be kept changes nothing. */
static void remember(const struct probe_ask *ask, const char *path, struct str version,
                     struct arena *a)
{
    const char *text = arena_printf(a, "%" PRId64 " %.*s\n", ask->now_ms, STR_ARG(version));
    char *directory;
    struct error e;

    if (!path)
        return;
    directory = arena_text(a, str_of(path));
    *strrchr(directory, '/') = '\0';
    if (fs_make_dirs(directory, &e))
        (void)!fs_write(path, str_of(text), &e);
}

/* ---- asking ---- */

static bool run(struct exec *x, const struct program *program, struct arena *a)
{
    struct environment_ask environment = { .path = policy_path, .cwd = x->reach.cwd };
    char *argv[] = { arena_text(a, str_of(x->command->argv[0])), arena_text(a, str_of("--version")),
                     NULL };
    struct run run = { .program = program,
                       .grants = &x->reach.grants,
                       .cwd = x->reach.cwd,
                       .argv = argv,
                       .env = environment_make(&environment, a),
                       .limits = x->request.sandbox,
                       .live = { -1, -1 },
                       .cancel = -1,
                       .at_once = true };
    struct error e;

    return sandbox_run(&run, x->world, a, &x->outcome, &e) && x->outcome.exit_code == 0;
}

static struct str ask_program(struct exec *x, const struct program *program, struct arena *a)
{
    struct str version;

    if (!run(x, program, a))
        return (struct str){ "", 0 };
    version = tool_version_in(x->outcome.out.head);
    return version.n ? version : tool_version_in(x->outcome.err.head);
}

struct str tool_probe(const struct probe_ask *ask, struct arena *a)
{
    const char *const argv[] = { ask->command, NULL };
    const struct writ_command command = { .argv = argv,
                                          .options = "{\"sandbox\":{\"timeout_ms\":5000}}" };
    struct exec x = { .command = &command, .world = world_real(), .a = a };
    struct program_ask find = { .command = ask->command, .cwd = "/tmp" };
    struct str version = { "", 0 };
    struct report r;
    const char *memory;

    if (strchr(ask->command, '/') || !exec_read(&x, &r))
        return version;
    x.reach = (struct reach){ .cwd = find.cwd, .grants = { .a = a }, .absent = { .a = a } };
    program_find(&find, a, &x.program);
    if (x.program.missing)
        return version;
    memory = memory_path(ask, &x.program, a);
    if (recall(ask, memory, a, &version))
        return version;
    program_grant(&find, &x.program, &x.reach.grants);
    grants_settle(&x.reach.grants);
    version = ask_program(&x, &x.program, a);
    remember(ask, memory, version, a);
    return version;
}
