/* SPDX-License-Identifier: Apache-2.0 */
/* people.h: processes that a test watches, and the user it runs as. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOME_USER = 12345, LONG_MS = 60000 }; /* nothing takes that long: it is how tests fail */

extern char **environ;

/* With --user the test goes on as an ordinary user. False: it cannot, and is skipped. */
static inline bool become_who(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[argc - 1], "--user") != 0)
        return true;
    return setgroups(0, NULL) == 0 && setresgid(SOME_USER, SOME_USER, SOME_USER) == 0 &&
           setresuid(SOME_USER, SOME_USER, SOME_USER) == 0;
}

/* A handle on a process that is there now. */
static inline int hold(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    assert_true(fd >= 0);
    return fd;
}

static inline bool is_ready(int fd, int patience_ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    return poll(&p, 1, patience_ms) == 1;
}

/* It is dead, or dies soon. Lets go of it. */
static inline void assert_dies(int handle)
{
    assert_true(is_ready(handle, LONG_MS));
    (void)close(handle);
}

/* The next line without its end, one byte after the other: nothing behind it is lost. */
static inline const char *next_line(int fd)
{
    static char line[4096];
    size_t n = 0;

    while (n < sizeof line - 1 && is_ready(fd, LONG_MS) && read(fd, line + n, 1) == 1 &&
           line[n] != '\n')
        n++;
    line[n] = '\0';
    return line;
}

static inline pid_t next_pid(int fd)
{
    return (pid_t)strtol(next_line(fd), NULL, 10);
}
