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
    FORK_FREE,  /* starting a process is allowed */
    FORK_NEVER, /* starting a process gets EPERM; threads are not concerned */
};

/* Only threads ask. A signal that comes while the supervisor is asked ends the call with EINTR: C
 * libraries block signals while they start a thread, but not while they fork. */
struct seccomp_policy {
    enum fork_rule fork;
    bool count_threads; /* starting and ending a thread asks the supervisor (USER_NOTIF) */
    bool count_filters; /* making a filter asks the supervisor, else it gets EPERM */
    bool count_forks;   /* FORK_NEVER: starting a process asks, too, and is refused there */
    bool ask_sockets;   /* making a socket of inet asks the supervisor, else it is allowed */
    bool ask_ipc;  /* so does making what can outlive its maker: memory, semaphores, queues, and
                    * pairs of sockets, in which descriptors can be under way */
    bool inet;     /* AF_INET and AF_INET6, stream and datagram */
    bool held;     /* calls about time and chance stop for init, which traces */
    bool no_setid; /* no file can be made to lend its owner's rights, or its group's */
    bool hosted;   /* processes, ipc and disk are the host's: without namespaces */
};

enum { SECCOMP_CODE_MAX = 1024 };

struct seccomp_program {
    uint16_t count;
    struct sock_filter code[SECCOMP_CODE_MAX];
};

void seccomp_build(const struct seccomp_policy *policy, struct seccomp_program *out);
