/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp.h: the filter on system calls, made from the table of calls.
 *
 * An allow-list: what the table does not name does not exist (ENOSYS). The program is a binary
 * search over ranges of call numbers with the same verdict, so that it is short and quick both to
 * load and to pass. Nothing here allocates; building takes a few microseconds.
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

enum fork_rule {
    FORK_COUNTED, /* starting a process, not a thread, asks the supervisor (USER_NOTIF) */
    FORK_FREE,    /* starting a process is allowed */
    FORK_NEVER,   /* starting a process gets EPERM; threads are allowed */
};

struct seccomp_policy {
    enum fork_rule fork;
    bool unix_sockets; /* socket(AF_UNIX); socketpair is always allowed */
    bool inet;         /* AF_INET and AF_INET6, stream and datagram */
};

enum { SECCOMP_CODE_MAX = 1024 };

struct seccomp_program {
    uint16_t count;
    struct sock_filter code[SECCOMP_CODE_MAX];
};

void seccomp_build(const struct seccomp_policy *policy, struct seccomp_program *out);
