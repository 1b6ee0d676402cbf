/* SPDX-License-Identifier: Apache-2.0 */
/* call_rules.c: what the verdicts mean, and the rules that look at a call's arguments. */
#include "sandbox/calls.h"

#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

enum {
    NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                 CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWTIME,
    SOCKET_TYPE = 0xf, /* the rest of the argument is SOCK_CLOEXEC and SOCK_NONBLOCK */
};

#define ALL UINT32_MAX

/* clang-format off */
/* IPPROTO_TCP and _UDP alone: others (SCTP, MPTCP, L2TP) make the kernel load modules.
 * A socket's type is asked first, so that a raw one gets EPERM whatever its protocol.
 * TIOCSTI and its like would let a program type into its caller's terminal or take it over.
 * Device nodes are useless on mounts without devices; this is the second lock. */
const struct call_rule_row call_rules[] = {
    { CALL_FILTER,      1, ALL,         CALL_HAS,  SECCOMP_FILTER_FLAG_NEW_LISTENER, CALL_EPERM },
    { CALL_FILTER,      0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_PROTOCOL,    2, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_PROTOCOL,    2, ALL,         CALL_IS,   IPPROTO_TCP,                      CALL_ALLOW },
    { CALL_PROTOCOL,    2, ALL,         CALL_IS,   IPPROTO_UDP,                      CALL_ALLOW },
    { CALL_PROTOCOL,    0, ALL,         CALL_ELSE, 0,                                CALL_NO_PROTOCOL },

    { CALL_INET,        1, SOCKET_TYPE, CALL_IS,   SOCK_STREAM,                      CALL_PROTOCOL },
    { CALL_INET,        1, SOCKET_TYPE, CALL_IS,   SOCK_DGRAM,                       CALL_PROTOCOL },
    { CALL_INET,        0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_CLONE,       0, ALL,         CALL_HAS,  NAMESPACES,                       CALL_EPERM },
    { CALL_CLONE,       0, ALL,         CALL_HAS,  CLONE_THREAD,                     CALL_ALLOW },
    { CALL_CLONE,       0, ALL,         CALL_ELSE, 0,                                CALL_FORK },

    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCSTI,                          CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCLINUX,                        CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCSETD,                         CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCSCTTY,                        CALL_EPERM },
    { CALL_IOCTL,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   0,                                CALL_ALLOW },
    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   S_IFREG,                          CALL_ALLOW },
    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   S_IFIFO,                          CALL_ALLOW },
    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   S_IFSOCK,                         CALL_ALLOW },
    { CALL_MKNOD,       0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   0,                                CALL_ALLOW },
    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   S_IFREG,                          CALL_ALLOW },
    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   S_IFIFO,                          CALL_ALLOW },
    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   S_IFSOCK,                         CALL_ALLOW },
    { CALL_MKNODAT,     0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_PERSONALITY, 0, ALL,         CALL_IS,   PER_LINUX,                        CALL_ALLOW },
    { CALL_PERSONALITY, 0, ALL,         CALL_IS,   ADDR_NO_RANDOMIZE,                CALL_ALLOW },
    { CALL_PERSONALITY, 0, ALL,         CALL_IS,   ALL,                              CALL_ALLOW },
    { CALL_PERSONALITY, 0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_SECCOMP,     0, ALL,         CALL_IS,   SECCOMP_SET_MODE_STRICT,          CALL_ALLOW },
    { CALL_SECCOMP,     0, ALL,         CALL_IS,   SECCOMP_SET_MODE_FILTER,          CALL_FILTER },
    { CALL_SECCOMP,     0, ALL,         CALL_IS,   SECCOMP_GET_ACTION_AVAIL,         CALL_ALLOW },
    { CALL_SECCOMP,     0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_SOCKET,      0, ALL,         CALL_IS,   AF_UNIX,                          CALL_UNIX },
    { CALL_SOCKET,      0, ALL,         CALL_IS,   AF_INET,                          CALL_INET },
    { CALL_SOCKET,      0, ALL,         CALL_IS,   AF_INET6,                         CALL_INET },
    { CALL_SOCKET,      0, ALL,         CALL_ELSE, 0,                                CALL_NO_FAMILY },

    { CALL_SOCKETPAIR,  0, ALL,         CALL_IS,   AF_UNIX,                          CALL_ALLOW },
    { CALL_SOCKETPAIR,  0, ALL,         CALL_ELSE, 0,                                CALL_NO_FAMILY },
};
#undef ALL

const size_t call_rule_count = COUNT(call_rules);

const char *const call_test_names[] = {
    [CALL_IS]   = "is",
    [CALL_HAS]  = "has one of",
    [CALL_ELSE] = "else",
};

const char *const call_verdict_names[] = {
    [CALL_ENOSYS]        = "ENOSYS",
    [CALL_ALLOW]         = "allow",
    [CALL_EPERM]         = "EPERM",
    [CALL_NO_FAMILY]     = "EAFNOSUPPORT",
    [CALL_NO_PROTOCOL]   = "EPROTONOSUPPORT",
    [CALL_ASK]           = "ask",
    [CALL_FORK]          = "fork",
    [CALL_UNIX]          = "unix",
    [CALL_FILTER]        = "filter",
    [CALL_PROTOCOL]      = "protocol",
    [CALL_INET]          = "inet",
    [CALL_CLONE]         = "clone",
    [CALL_IOCTL]         = "ioctl",
    [CALL_MKNOD]         = "mknod",
    [CALL_MKNODAT]       = "mknodat",
    [CALL_PERSONALITY]   = "personality",
    [CALL_SECCOMP]       = "seccomp",
    [CALL_SOCKET]        = "socket",
    [CALL_SOCKETPAIR]    = "socketpair",
    [CALL_VERDICT_COUNT] = NULL,
};

const struct call_verdict_row call_verdicts[CALL_VERDICT_COUNT] = {
    [CALL_ENOSYS]      = { CALL_ENOSYS,      "The call does not exist; a library takes its other way." },
    [CALL_ALLOW]       = { CALL_ALLOW,       "The call is made." },
    [CALL_EPERM]       = { CALL_EPERM,       "The call is refused." },
    [CALL_NO_FAMILY]   = { CALL_NO_FAMILY,   "There is no such family of sockets." },
    [CALL_NO_PROTOCOL] = { CALL_NO_PROTOCOL, "There is no such protocol." },
    [CALL_ASK]         = { CALL_ASK,         "The supervisor counts the process and says yes or no." },
    [CALL_FORK]        = { CALL_FORK,        "Allow, ask or EPERM, by allow_fork and max_children." },
    [CALL_UNIX]        = { CALL_UNIX,        "Allowed only where the policy opens UNIX sockets." },
    [CALL_FILTER]      = { CALL_FILTER,      "A further filter is allowed, one that others answer is not." },
    [CALL_PROTOCOL]    = { CALL_PROTOCOL,    "TCP and UDP." },
    [CALL_INET]        = { CALL_INET,        "Streams and datagrams, only where the policy has a network." },
    [CALL_CLONE]       = { CALL_CLONE,       "Threads are allowed, namespaces are not, processes are by fork." },
    [CALL_IOCTL]       = { CALL_IOCTL,       "All but those that take over a terminal." },
    [CALL_MKNOD]       = { CALL_MKNOD,       "Files, FIFOs and sockets, no devices." },
    [CALL_MKNODAT]     = { CALL_MKNODAT,     "Files, FIFOs and sockets, no devices." },
    [CALL_PERSONALITY] = { CALL_PERSONALITY, "To ask, to be plain Linux, and to have fixed addresses." },
    [CALL_SECCOMP]     = { CALL_SECCOMP,     "A program may confine itself further." },
    [CALL_SOCKET]      = { CALL_SOCKET,      "UNIX and internet sockets, each by the policy." },
    [CALL_SOCKETPAIR]  = { CALL_SOCKETPAIR,  "UNIX sockets." },
};

static const struct column rule_columns[] = {
    { "rule",     COLUMN_NAME, offsetof(struct call_rule_row, rule), call_verdict_names },
    { "argument", COLUMN_INT,  offsetof(struct call_rule_row, arg) },
    { "mask",     COLUMN_UINT, offsetof(struct call_rule_row, mask) },
    { "test",     COLUMN_NAME, offsetof(struct call_rule_row, test), call_test_names },
    { "value",    COLUMN_UINT, offsetof(struct call_rule_row, value) },
    { "then",     COLUMN_NAME, offsetof(struct call_rule_row, then), call_verdict_names },
};

static const struct column verdict_columns[] = {
    { "verdict", COLUMN_NAME, offsetof(struct call_verdict_row, verdict), call_verdict_names },
    { "meaning", COLUMN_TEXT, offsetof(struct call_verdict_row, meaning) },
};
/* clang-format on */

const struct table call_rules_table = {
    .name = "call_rules",
    .about = "Calls that are judged by their arguments: the first row of a rule that fits decides.",
    COLUMNS(rule_columns),
    .keys = 1,
    ROWS(call_rules),
};

const struct table call_verdicts_table = {
    .name = "call_verdicts",
    .about = "What becomes of a system call.",
    COLUMNS(verdict_columns),
    .keys = 1,
    ROWS(call_verdicts),
};
