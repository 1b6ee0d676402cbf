/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c: sends and takes words with descriptors. */
#include "sandbox/pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

bool pass_send(int line, void *word, size_t size, const int *fds, size_t n)
{
    union {
        char bytes[CMSG_SPACE(PASS_MOST * sizeof(int))];
        struct cmsghdr head;
    } control = { .head = { .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS,
                            .cmsg_len = CMSG_LEN(n * sizeof(int)) } };
    struct iovec part = { word, size };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = n > 0 ? &control : NULL,
                              .msg_controllen = n > 0 ? CMSG_SPACE(n * sizeof(int)) : 0 };

    if (n > 0)
        memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
    return sendmsg(line, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

bool pass_take(int line, void *word, size_t size, int fds[PASS_MOST])
{
    union {
        char bytes[CMSG_SPACE(PASS_MOST * sizeof(int))];
        struct cmsghdr head;
    } control = { 0 };
    struct iovec part = { word, size };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    ssize_t got;

    for (int i = 0; i < PASS_MOST; i++)
        fds[i] = -1;
    do {
        got = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (control.head.cmsg_len > CMSG_LEN(0))
        memcpy(fds, CMSG_DATA(&control.head), control.head.cmsg_len - CMSG_LEN(0));
    return got == (ssize_t)size;
}
