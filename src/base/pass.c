/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c: sends and takes words with descriptors. */
#include "base/pass.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { TRIES = 1000 };

union control {
    char bytes[CMSG_SPACE(PASS_MOST * sizeof(int))];
    struct cmsghdr head;
};

static ssize_t send_once(int line, const struct msghdr *message)
{
    ssize_t sent;

    do
        sent = sendmsg(line, message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

static ssize_t send_raised(int line, const struct msghdr *message)
{
    struct rlimit own, most;
    ssize_t sent;

    if (getrlimit(RLIMIT_NOFILE, &own) != 0)
        return -1;
    most = (struct rlimit){ own.rlim_max, own.rlim_max };
    if (setrlimit(RLIMIT_NOFILE, &most) != 0)
        return -1;
    sent = send_once(line, message);
    (void)setrlimit(RLIMIT_NOFILE, &own);
    return sent;
}

/* The kernel counts what all programs of a user have under way, and holds it against the soft limit
 * of who sends. Another program, or a command in its own walls, may have come that far: ours is
 * raised for this word, by one thread at a time, or what one takes for the limit to go back to is
 * what another has raised. It is no lock that is waited for without end: in a copy of this process
 * its owner does not run. */
static ssize_t send_although(int line, const struct msghdr *message)
{
    static atomic_flag raised = ATOMIC_FLAG_INIT;
    ssize_t sent = -1;

    for (int i = 0; i < TRIES; i++) {
        bool mine = !atomic_flag_test_and_set(&raised);

        sent = mine ? send_raised(line, message) : send_once(line, message);
        if (mine)
            atomic_flag_clear(&raised);
        if (mine || sent >= 0 || errno != ETOOMANYREFS)
            break;
        (void)sched_yield();
    }
    return sent;
}

bool pass_send(int line, const void *word, size_t size, const int *fds, size_t n)
{
    union control control = { .head = { .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS,
                                        .cmsg_len = CMSG_LEN(n * sizeof(int)) } };
    struct iovec part = { (void *)word, size }; /* is only read */
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = n > 0 ? &control : NULL,
                              .msg_controllen = n > 0 ? CMSG_SPACE(n * sizeof(int)) : 0 };
    ssize_t sent;

    assert(n <= PASS_MOST);
    if (n > 0)
        memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
    sent = send_once(line, &message);
    if (sent < 0 && errno == ETOOMANYREFS)
        sent = send_although(line, &message);
    return sent == (ssize_t)size;
}

ssize_t pass_hear(int line, void *word, size_t size, int flags, int fds[PASS_MOST])
{
    union control control = { 0 };
    struct iovec part = { word, size };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    const struct cmsghdr *head;
    ssize_t got;

    for (int i = 0; i < PASS_MOST; i++)
        fds[i] = -1;
    do
        got = recvmsg(line, &message, MSG_CMSG_CLOEXEC | flags);
    while (got < 0 && errno == EINTR);
    head = got >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    return got;
}

bool pass_take(int line, void *word, size_t size, int fds[PASS_MOST])
{
    return pass_hear(line, word, size, 0, fds) == (ssize_t)size;
}

void pass_drop(int fds[PASS_MOST], size_t first)
{
    for (size_t i = first; i < PASS_MOST; i++)
        own_close(&fds[i]);
}
