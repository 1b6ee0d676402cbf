/* SPDX-License-Identifier: Apache-2.0 */
/* compilers.h: compilers run as plain processes, and a cache of their own for tests. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "executor/wasm_build.h"

extern char **environ;

static char cache[] = "/tmp/writ-wasm-XXXXXX"; /* made at the first use */
static int programs_run;

static inline bool drain(int fd, struct buf *said)
{
    char chunk[4096];
    ssize_t n;

    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        buf_add(said, chunk, (size_t)n);
    return n == 0;
}

static inline int start_program(pid_t *pid, const char *const *argv, const char *dir, int out)
{
    posix_spawn_file_actions_t act;
    int bad;

    (void)posix_spawn_file_actions_init(&act);
    (void)posix_spawn_file_actions_addchdir_np(&act, dir);
    (void)posix_spawn_file_actions_adddup2(&act, out, 1);
    (void)posix_spawn_file_actions_adddup2(&act, out, 2);
    bad = posix_spawnp(pid, argv[0], &act, NULL, (char *const *)argv, environ);
    (void)posix_spawn_file_actions_destroy(&act);
    return bad;
}

static bool run_plainly(void *self, const char *const *argv, const char *dir, struct buf *said,
                        struct error *e)
{
    int ends[2], status = 0;
    pid_t pid;

    (void)self;
    programs_run++;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_sys(e, ERROR_IO, "no pipe");
    errno = start_program(&pid, argv, dir, ends[1]);
    (void)close(ends[1]);
    if (errno != 0) {
        (void)close(ends[0]);
        return error_sys(e, ERROR_IO, "%s cannot be run", argv[0]);
    }
    (void)drain(ends[0], said);
    (void)close(ends[0]);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return error_set(e, CODE_COMMAND_FAILED, "%s ended with %d", argv[0], status);
    return true;
}

static const struct builder plain_builder = { run_plainly, NULL };

/* The module of tests/executor/wat, as bytes. */
static inline struct str module_named(const char *name, struct arena *a)
{
    struct error e = { 0 };
    struct str bytes = { NULL, 0 };

    if (!fs_read(arena_printf(a, WASM_MODULES "/%s.wasm", name), 1 << 22, a, &bytes, &e))
        fprintf(stderr, "%s: %s\n", name, e.msg);
    return bytes;
}

static inline int make_cache(void **state)
{
    (void)state;
    return strstr(cache, "XXXXXX") && !mkdtemp(cache) ? -1 : 0;
}

static inline const char *object_of(const char *name, struct arena *a)
{
    struct wasm_build how = { module_named(name, a), 128, cache, &plain_builder };
    struct error e = { 0 };
    const char *object = NULL;

    if (make_cache(NULL) != 0 || !wasm_build(&how, a, &object, &e))
        fprintf(stderr, "%s: %s\n", name, e.msg);
    return object;
}

static inline int remove_cache(void **state)
{
    struct error e;

    (void)state;
    return fs_remove(cache, &e) ? 0 : -1;
}
