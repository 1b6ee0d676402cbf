/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h: makes groups for tests, and processes in them. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "home.h"
#include "sandbox/cgroup.h"

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

enum { MIB = 1 << 20, SOME_USER = 12345 };

static const struct cgroup_limits few = { .memory_bytes = 64 * MIB, .cores = 1, .tasks = 8 };

static inline int wait_for_the_end(void)
{
    for (;;)
        (void)pause();
    return 0;
}

/* Runs `work` in a new process in the group; its result is the exit status. Returns when the
 * process is inside. */
static inline pid_t start(const struct cgroup *c, int (*work)(void))
{
    struct clone_args args = { .exit_signal = SIGCHLD };
    int inside[2];
    pid_t pid;
    char x;

    assert_int_equal(pipe2(inside, O_CLOEXEC), 0);
    if (cgroup_into(c) >= 0) {
        args.flags = CLONE_INTO_CGROUP;
        args.cgroup = (uint64_t)cgroup_into(c);
    }
    pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0)
        _exit(cgroup_enter(c) == 0 && write(inside[1], "x", 1) == 1 ? work() : 99);
    (void)close(inside[1]);
    assert_true(pid > 0);
    assert_int_equal(read(inside[0], &x, 1), 1);
    (void)close(inside[0]);
    return pid;
}

static inline int finish(pid_t pid)
{
    int status = -1;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Processes inside outlive who started them; whoever is killed comes to us. */
static inline bool reaped(int count)
{
    int status = 0;

    while (count > 0 && waitpid(-1, &status, 0) > 0 && WIFSIGNALED(status))
        count--;
    return count == 0;
}

static inline struct cgroup made(const struct cgroup_limits *limits)
{
    struct cgroup c = { 0 };
    struct error e = { 0 };

    if (!cgroup_make(limits, &c, &e))
        fail_msg("%s", e.msg);
    return c;
}

static inline void removed(struct cgroup *c)
{
    struct error e = { 0 };

    if (!cgroup_remove(c, &e))
        fail_msg("%s", e.msg);
}

/* The directory of a run's group. */
static inline const char *dir_of(int controller, const char *name)
{
    static char path[800];

    (void)snprintf(path, sizeof path, "%s/%s", homes[controller].dir, name);
    return path;
}

static inline bool exists(int controller, const char *name)
{
    return access(dir_of(controller, name), F_OK) == 0;
}

/* How many groups of runs there are, in all hierarchies. */
static inline int groups_left(void)
{
    int count = 0;

    for (int i = 0; i < HOME_DIRS; i++) {
        DIR *d = opendir(homes[i].dir);

        assert_non_null(d);
        for (struct dirent *entry; (entry = readdir(d));)
            count += strncmp(entry->d_name, "writ-4", 6) == 0;
        (void)closedir(d);
    }
    return count;
}
