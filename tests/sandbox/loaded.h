/* SPDX-License-Identifier: Apache-2.0 */
/* loaded.h: children that load a filter and report by their exit status, as root and as an ordinary
 * user.
 */
#pragma once

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/seccomp.h"

static inline long load_program(struct sock_filter *code, unsigned short count, unsigned flags)
{
    struct sock_fprog program = { count, code };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Loads the filter for good; what seccomp(2) returned. */
static inline long load(const struct seccomp_policy *policy, unsigned flags)
{
    struct seccomp_program program;

    seccomp_build(policy, &program);
    return load_program(program.code, program.count, flags);
}

/* Runs a case in a child of its own; its wait status. */
static inline int status_of(void (*act)(const void *with), const void *with)
{
    int status;
    pid_t pid;

    (void)fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        act(with);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* In a child: says what went wrong, and ends it. */
static inline void require(bool good, const char *what)
{
    if (good)
        return;
    (void)dprintf(STDERR_FILENO, "# %s: %s\n", what, strerror(errno));
    _exit(1);
}

static inline void load_any(const void *with)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

    (void)with;
    if (load_program(&allow, 1, 0) != 0)
        _exit(1);
}

/* ---- programs ---- */

#define PYTHON "/usr/bin/python3"

struct program {
    const struct seccomp_policy *policy;
    const char *argv[5];
};

static inline void become(const void *with)
{
    const struct program *program = with;

    require(load(program->policy, 0) == 0, "load");
    (void)execv(program->argv[0], (char *const *)(uintptr_t)program->argv);
    require(false, "execv");
}

/* ---- which tests there are ---- */

enum { ANYBODY = 12345 };

struct live_test {
    bool here; /* the machine has what it needs */
    struct CMUnitTest test;
};

/* What cmocka skips counts as failed; so what cannot be done here is left out. With --user the
 * tests are those of an ordinary user. */
static inline int run_those(const struct live_test *all, size_t count, int argc, char **argv)
{
    bool user = argc > 1 && strcmp(argv[1], "--user") == 0;
    struct CMUnitTest tests[16];
    size_t n = 0;

    if (user &&
        (setresgid(ANYBODY, ANYBODY, ANYBODY) != 0 || setresuid(ANYBODY, ANYBODY, ANYBODY) != 0)) {
        (void)printf("1..0 # SKIP only root can become somebody else\n");
        return 0;
    }
    (void)prctl(PR_SET_DUMPABLE, 1);      /* as it would be, had that user started it */
    if (status_of(load_any, NULL) != 0) { /* so in an emulator of system calls */
        (void)printf("1..0 # SKIP no filter can be loaded here\n");
        return 0;
    }
    assert_true(count <= COUNT(tests));
    for (size_t i = 0; i < count; i++)
        if (all[i].here)
            tests[n++] = all[i].test;
    return _cmocka_run_group_tests("filter", tests, n, NULL, NULL);
}
