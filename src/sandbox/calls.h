/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h: every system call a sandboxed program may make, and what becomes of the others.
 *
 * What the table does not name does not exist (ENOSYS): a call that a later kernel brings is closed
 * until somebody has thought about it. A name gets EPERM where a program should learn that it is
 * refused, and ENOSYS where its C library knows another way.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"

/* Zero is what an unknown call gets. A rule's rows lead only to verdicts that stand before it. */
enum call_verdict {
    CALL_ENOSYS,
    CALL_ALLOW,
    CALL_EPERM,
    CALL_NO_FAMILY,   /* EAFNOSUPPORT */
    CALL_NO_PROTOCOL, /* EPROTONOSUPPORT */
    CALL_UNSUPPORTED, /* EOPNOTSUPP */
    CALL_WRONG,       /* EINVAL */
    CALL_NOTHING,     /* nothing is done, and the answer is success */
    CALL_ASK,         /* the supervisor is asked: SECCOMP_RET_USER_NOTIF */
    CALL_STOP,        /* init traces the process, and answers: SECCOMP_RET_TRACE */
    CALL_FINAL_COUNT,

    CALL_FORK = CALL_FINAL_COUNT, /* the policy says: allow or EPERM */
    CALL_THREAD,                  /* the policy says: allow or ask */
    CALL_THREAD_END,              /* the policy says: allow or ask */
    CALL_INSTALL,                 /* the policy says: ask or EPERM */
    CALL_NET,                     /* the policy says: allow or ask */
    CALL_IPC,                     /* the policy says: allow or ask */
    CALL_PAIRED,                  /* the policy says: allow or ask */
    CALL_OPENAT2,                 /* the policy says: allow or ENOSYS */
    CALL_SHARED,                  /* the policy says: allow, or EPERM where it is the host's */
    CALL_CHANGE,                  /* the policy says: allow, or ask where the disk is the host's */
    CALL_XATTR,                   /* the policy says: allow or EOPNOTSUPP */
    CALL_HELD,                    /* the policy says: allow, or stop where time is held */
    CALL_UNHELD,                  /* the policy says: allow, or ENOSYS where time is held */
    CALL_PLAIN,                   /* the policy says: allow, or nothing where time is held */

    CALL_RULES, /* from here on the arguments say, by the rows of call_rules */
    CALL_PROGRAM_HIGH = CALL_RULES,
    CALL_PROGRAM,
    CALL_FILTER,
    CALL_LIMIT2, /* these, to _ARCH, only where the policy has held, else allow */
    CALL_LIMIT3,
    CALL_LIMIT4,
    CALL_MS2,
    CALL_MS3,
    CALL_TIMER,
    CALL_FUTEX,
    CALL_COUNTER,
    CALL_PRCTL_FILTER,
    CALL_PRCTL,
    CALL_ARCH,
    CALL_PROTOCOL,
    CALL_PAIR,
    CALL_INET,  /* only where the policy has inet, else EAFNOSUPPORT */
    CALL_MODE1, /* these, _OPEN and _OPENAT only where the policy has no_setid, else allow */
    CALL_MODE2,
    CALL_MODE3,
    CALL_CHMOD1, /* as _MODE, for files that are there */
    CALL_CHMOD2,
    CALL_NEW_HIGH,
    CALL_NEW,
    CALL_CLONE_THREAD,
    CALL_CLONE,
    CALL_FCNTL,
    CALL_IOCTL_KIND,
    CALL_IOCTL,
    CALL_IOCTL_FEW,
    CALL_MKNOD,
    CALL_MKNODAT,
    CALL_OPEN,
    CALL_OPENAT,
    CALL_RENAME,
    CALL_MMAP,
    CALL_MEMFD,
    CALL_SHMGET,
    CALL_PERSONALITY,
    CALL_PRLIMIT,
    CALL_PRLIMIT_IN, /* these, to _IOPRIO_IN, only where the run has processes of its own */
    CALL_OTHER0,
    CALL_OTHER1,
    CALL_PRIORITY_IN,
    CALL_IOPRIO_IN,
    CALL_PRLIMIT_OWN,
    CALL_OWN0, /* these, _CHMOD, _IOCTL_FEW and _PRLIMIT_OWN only where processes are the host's */
    CALL_OWN1,
    CALL_PRIORITY,
    CALL_IOPRIO,
    CALL_SECCOMP,
    CALL_SETRLIMIT,
    CALL_SOCKET_OPTION,
    CALL_IPV6_OPTION,
    CALL_TCP_OPTION,
    CALL_SETSOCKOPT,
    CALL_SOCKET,
    CALL_SOCKETPAIR,
    CALL_VERDICT_COUNT,
};

struct call_row {
    const char *name;
    int number; /* on the architecture writ was built for */
    const char *group;
    enum call_verdict verdict;
};

struct call_verdict_row {
    enum call_verdict verdict;
    const char *meaning;
};

/* Of an argument the low 32 bits are looked at: of most the kernel takes no more. Of a pointer it
 * takes all, so that a rule for the high 32 bits follows. */
enum call_test {
    CALL_IS,   /* masked, it is the value */
    CALL_HAS,  /* it has one of the value's bits */
    CALL_ELSE, /* always: the last row of each rule */
};

/* The rows of one rule stand together, look at one half of one argument, and are tried in order;
 * the first that fits decides. */
struct call_rule_row {
    enum call_verdict rule;
    int arg; /* counted from 0 */
    uint32_t mask;
    enum call_test test;
    uint32_t value;
    enum call_verdict then;
    bool high; /* the high 32 bits are looked at */
};

enum { CALL_NUMBERS = 512 }; /* every number in the table is below */

extern const struct call_row calls[];
extern const size_t call_count;
extern const struct call_rule_row call_rules[];
extern const size_t call_rule_count;
extern const char *const call_verdict_names[];
extern const struct call_verdict_row call_verdicts[CALL_VERDICT_COUNT];
extern const struct table calls_table, call_rules_table, call_verdicts_table;
