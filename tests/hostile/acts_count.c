/* SPDX-License-Identifier: Apache-2.0 */
/* acts_count.c: a million of everything that the kernel counts. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int a_file(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int a_poll(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

static int a_timer_file(void)
{
    return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

static int an_event(void)
{
    return eventfd(0, EFD_CLOEXEC);
}

static int a_watcher(void)
{
    return inotify_init1(IN_CLOEXEC);
}

static int a_pipe(void)
{
    int pair[2];

    return pipe2(pair, O_CLOEXEC);
}

static int a_timer(void)
{
    timer_t timer;
    struct sigevent quiet = { .sigev_notify = SIGEV_NONE };

    return timer_create(CLOCK_MONOTONIC, &quiet, &timer);
}

static int a_signal(void)
{
    return sigqueue(getpid(), SIGRTMIN + 3, (union sigval){ 0 });
}

/* WHAT: until it is refused. */
static int million(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *what; int (*make)(void); } rows[] = {
        { "files", a_file }, { "epolls", a_poll }, { "timerfds", a_timer_file },
        { "eventfds", an_event }, { "inotifies", a_watcher }, { "pipes", a_pipe },
        { "timers", a_timer }, { "signals", a_signal },
    };
    /* clang-format on */
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (size_t i = 0; argc && i < sizeof rows / sizeof *rows; i++) {
        int made = 0, last = 0;

        if (strcmp(rows[i].what, argv[0]) != 0)
            continue;
        while (made < 1000000 && (last = rows[i].make()) >= 0)
            made++;
        refused("EMFILE ENFILE EAGAIN ENOMEM ENOSPC", last, "a million %s", argv[0]);
        note("%d %s", made, argv[0]);
        return verdict();
    }
    return 99;
}

/* MOST INSTANCES, MOST WATCHES: takes all it gets, makes `ready`, and awaits `go`. */
static int watchers(int argc, char **argv)
{
    int instances = 0, watches = 0, first = -1, fd;

    if (argc < 2)
        return 99;
    for (; instances < 1000 && (fd = a_watcher()) >= 0; instances++)
        first = first < 0 ? fd : first;
    for (; watches < 20000; watches++) {
        const char *name = text("/tmp/w%d", watches);

        fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0 || inotify_add_watch(first, name, IN_OPEN) < 0)
            break;
        close(fd);
    }
    fd = open("ready", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    while (access("go", F_OK) != 0)
        usleep(1000);
    holds(instances > 0 && instances <= atoi(argv[0]), "%d instances", instances);
    holds(watches > 0 && watches <= atoi(argv[1]), "%d watches", watches);
    return fd < 0 ? 99 : verdict();
}

/* Sends so many descriptors at once over a socket that nobody reads. */
static int send_many(int line, int n)
{
    int fds[250] = { 0 };
    char control[CMSG_SPACE(sizeof fds)] = { 0 };
    char byte = 0;
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = CMSG_SPACE(n * sizeof *fds) };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(n * sizeof *fds);
    memcpy(CMSG_DATA(head), fds, n * sizeof *fds);
    return (int)sendmsg(line, &message, MSG_DONTWAIT);
}

/* As many descriptors under way as the kernel lets a user have; makes `ready`, and awaits `go`. */
static int under_way(int argc, char **argv)
{
    int pair[2], fd, sent = 0;

    (void)argc;
    (void)argv;
    while (sent < 100000 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        while (send_many(pair[0], 250) > 0)
            sent += 250;
        if (errno != EAGAIN)
            break;
    }
    fd = open("ready", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    while (access("go", F_OK) != 0)
        usleep(1000);
    holds(sent > 0, "%d descriptors under way", sent);
    return fd < 0 ? 99 : verdict();
}

/* clang-format off */
const struct act acts_count[] = {
    { "R19", "watchers", watchers },
    { "R19", "under_way", under_way },
    { "R19", "million", million },
    { 0 },
};
/* clang-format on */
