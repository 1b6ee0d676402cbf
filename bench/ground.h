/* SPDX-License-Identifier: Apache-2.0 */
/* ground.h: where contestants run: a fresh git repository, and the programs built beside us. */
#pragma once

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct ground {
    char work[64];              /* the repository; we are in it */
    char hooks[80], config[80]; /* of its .git */
    char built[PATH_MAX];       /* the directory this program lies in */
    char writ[PATH_MAX];        /* the program that is measured, or "" */
};

static inline void ground_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    assert(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

/* The repository as `git init` leaves it, as far as a sandbox looks at it. */
static inline void ground_repository(struct ground *g)
{
    static const char *const directories[] = { ".git", ".git/hooks", ".git/objects", ".git/refs",
                                               ".git/refs/heads" };

    (void)snprintf(g->work, sizeof g->work, "/tmp/writ-bench-XXXXXX");
    if (!mkdtemp(g->work) || chdir(g->work) < 0) {
        perror(g->work);
        exit(1);
    }
    (void)snprintf(g->hooks, sizeof g->hooks, "%s/.git/hooks", g->work);
    (void)snprintf(g->config, sizeof g->config, "%s/.git/config", g->work);
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        (void)mkdir(directories[i], 0755);
    ground_write(".git/HEAD", "ref: refs/heads/main\n");
    ground_write(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    ground_write("README", "A place to run in.\n");
}

static inline void ground_remove(void)
{
    static const char *const rest[] = {
        ".writ/tools.yaml", ".writ",           "plan.yaml",  "build.ninja",
        ".ninja_log",       ".ninja_deps",     "filter.bpf", "print_bytes",
        "README",           ".git/config",     ".git/HEAD",  ".git/hooks",
        ".git/objects",     ".git/refs/heads", ".git/refs",  ".git",
    };
    char work[PATH_MAX];

    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
        (void)remove(rest[i]);
    if (getcwd(work, sizeof work))
        (void)rmdir(work);
}

/* writ is the argument, else the one of the same build as this program. The repository is removed
 * when this program ends. */
static inline void ground_make(struct ground *g, const char *writ)
{
    ssize_t n = readlink("/proc/self/exe", g->built, sizeof g->built - 1);
    char beside[PATH_MAX + 16];

    assert(n > 0);
    g->built[n] = '\0';
    *strrchr(g->built, '/') = '\0';
    (void)snprintf(beside, sizeof beside, "%s/../writ", g->built);
    if (!realpath(writ ? writ : beside, g->writ) || access(g->writ, X_OK) < 0)
        g->writ[0] = '\0';
    ground_repository(g);
    (void)atexit(ground_remove);
}

/* Where a program's output goes, and which descriptor it gets besides; -1: /dev/null, none. */
struct ground_io {
    int out, more;
};

static inline pid_t ground_start(const char *const argv[], struct ground_io io)
{
    char *const *words = (char *const *)(uintptr_t)argv;
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    (void)posix_spawn_file_actions_init(&actions);
    if (io.out < 0)
        (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    else
        (void)posix_spawn_file_actions_adddup2(&actions, io.out, 1);
    if (io.more >= 0)
        (void)posix_spawn_file_actions_adddup2(&actions, io.more, io.more);
    if (posix_spawn(&pid, argv[0], &actions, NULL, words, environ) != 0)
        pid = -1;
    (void)posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* Starts a program and waits. Its status as waitpid() has it; what it used, where that is asked. */
static inline int ground_run(const char *const argv[], struct ground_io io, struct rusage *used)
{
    int status = -1;
    pid_t pid = ground_start(argv, io);

    while (pid > 0 && wait4(pid, &status, 0, used) < 0)
        continue;
    return status;
}

/* Whether `writ exec` is there and works here; says so if not. */
static inline bool ground_has_exec(const struct ground *g)
{
    const char *argv[] = { g->writ, "exec", "--", "/bin/true", NULL };
    int status = g->writ[0] ? ground_run(argv, (struct ground_io){ -1, -1 }, NULL) : -1;

    if (status == 0)
        return true;
    printf("  skipped: writ exec (%s)\n", !g->writ[0] ? "no writ was found; name it as the argument"
                                                      : "it could not run /bin/true here");
    return false;
}
