/* SPDX-License-Identifier: Apache-2.0 */
/* call_rules.c: what the verdicts mean, and the rules that look at a call's arguments. */
#include "sandbox/calls.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

enum {
    NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                 CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWTIME,
    THREAD = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, /* the kernel makes none without these */
    THREAD_ASKED = THREAD | CLONE_PIDFD,              /* nor, before Linux 6.9, with that */
    SOCKET_TYPE = 0xf,          /* the rest of the argument is SOCK_CLOEXEC and SOCK_NONBLOCK */
    TCP_AO_KEY = 38,            /* TCP_AO_ADD_KEY, since Linux 6.7 */
    SET_DELEGATION = 1024 + 16, /* since Linux 6.19: a lease on a directory */
    MAP_VDSO_X32 = 0x2001,      /* ARCH_MAP_VDSO_X32 and so on */
    MAP_VDSO_32 = 0x2002,
    MAP_VDSO_64 = 0x2003,
    IOCTL_TYPE = 0xff00,
    IOCTL_BTRFS = 0x9400,
    IOCTL_BCACHEFS = 0xbc00,
    IOPRIO_PROCESS = 1,
    INIT = 1, /* the first process of a run, which is writ's */
    SETID = S_ISUID | S_ISGID,
    FUTEX_DOES = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME),
    CREATES = O_CREAT | (O_TMPFILE & ~O_DIRECTORY), /* without these nobody reads the mode */
};

#define ALL UINT32_MAX

/* clang-format off */
/* IPPROTO_TCP and _UDP alone: others (SCTP, MPTCP, L2TP) make the kernel load modules.
 * A socket's type is asked first, so that a raw one gets EPERM whatever its protocol.
 * TIOCSTI and its like would let a program type into its caller's terminal or take it over.
 * A lease holds up whoever opens the file, also outside of the sandbox, for up to 45 seconds.
 * A snapshot of a tree shows what was masked in it, and its owner needs no right to make one: of
 * the controls of btrfs and bcachefs those are left that every file system has.
 * Device nodes are useless on mounts without devices; this is the second lock.
 * Programs for BPF lie in memory that no cgroup counts and that has one limit for the machine, so no
 * socket gets a filter.
 * Locks are counted by their process: open files and processes with the same descriptors have none
 * that can be counted. Lists of a socket, and what it gets before it is accepted, are not counted.
 * Huge pages that the host has set aside for somebody are counted as nobody's memory.
 * A privileged caller's run makes files that are root's outside: where one had the setuid bit, any
 * user of the machine could be root by it. The mode of openat2 lies in memory, out of sight.
 * The limit on core files is 1, by which the kernel knows that no handler of the machine is to be
 * started; 0 would start it. Programs that want no core files are told that they have their way.
 * Init has the command's user, so that the kernel would let it be changed: without descriptors it
 * could not tell how the command ended. Groups and users are no way to it, for it is in both.
 * Where time is held, init reaches into each process: who closed its memory would get no answer.
 * Where processes and files are the host's (process.h), a program reaches none of the others by its
 * number, and of the controls of files it has those that change nothing but its own. */
const struct call_rule_row call_rules[] = {
    { CALL_PROGRAM_HIGH, 2, ALL,        CALL_IS,   0,                                CALL_ALLOW, .high = true },
    { CALL_PROGRAM_HIGH, 0, ALL,        CALL_ELSE, 0,                                CALL_INSTALL },

    { CALL_PROGRAM,     2, ALL,         CALL_IS,   0,                                CALL_PROGRAM_HIGH },
    { CALL_PROGRAM,     0, ALL,         CALL_ELSE, 0,                                CALL_INSTALL },

    { CALL_FILTER,      1, ALL,         CALL_HAS,  SECCOMP_FILTER_FLAG_NEW_LISTENER, CALL_EPERM },
    { CALL_FILTER,      0, ALL,         CALL_ELSE, 0,                                CALL_PROGRAM },

    { CALL_LIMIT2,      2, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_LIMIT2,      0, ALL,         CALL_ELSE, 0,                                CALL_HELD },

    { CALL_LIMIT3,      3, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_LIMIT3,      0, ALL,         CALL_ELSE, 0,                                CALL_HELD },

    { CALL_LIMIT4,      4, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_LIMIT4,      0, ALL,         CALL_ELSE, 0,                                CALL_HELD },

    { CALL_MS2,         2, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_MS2,         2, ALL,         CALL_IS,   ALL,                              CALL_ALLOW },
    { CALL_MS2,         0, ALL,         CALL_ELSE, 0,                                CALL_HELD },

    { CALL_MS3,         3, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_MS3,         3, ALL,         CALL_IS,   ALL,                              CALL_ALLOW },
    { CALL_MS3,         0, ALL,         CALL_ELSE, 0,                                CALL_HELD },

    { CALL_TIMER,       1, ALL,         CALL_HAS,  TIMER_ABSTIME,                    CALL_HELD },
    { CALL_TIMER,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_FUTEX,       1, FUTEX_DOES,  CALL_IS,   FUTEX_WAIT,                       CALL_LIMIT3 },
    { CALL_FUTEX,       1, FUTEX_DOES,  CALL_IS,   FUTEX_WAIT_BITSET,                CALL_LIMIT3 },
    { CALL_FUTEX,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_COUNTER,     1, ALL,         CALL_IS,   PR_TSC_SIGSEGV,                   CALL_ALLOW },
    { CALL_COUNTER,     0, ALL,         CALL_ELSE, 0,                                CALL_PLAIN },

    { CALL_PRCTL_FILTER, 1, ALL,        CALL_IS,   SECCOMP_MODE_FILTER,              CALL_PROGRAM },
    { CALL_PRCTL_FILTER, 0, ALL,        CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_PRCTL,       0, ALL,         CALL_IS,   PR_SET_SECCOMP,                   CALL_PRCTL_FILTER },
    { CALL_PRCTL,       0, ALL,         CALL_IS,   PR_SET_DUMPABLE,                  CALL_PLAIN },
    { CALL_PRCTL,       0, ALL,         CALL_IS,   PR_SET_TSC,                       CALL_COUNTER },
    { CALL_PRCTL,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_ARCH,        0, ALL,         CALL_IS,   MAP_VDSO_X32,                     CALL_EPERM },
    { CALL_ARCH,        0, ALL,         CALL_IS,   MAP_VDSO_32,                      CALL_EPERM },
    { CALL_ARCH,        0, ALL,         CALL_IS,   MAP_VDSO_64,                      CALL_EPERM },
    { CALL_ARCH,        0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_PROTOCOL,    2, ALL,         CALL_IS,   0,                                CALL_NET },
    { CALL_PROTOCOL,    2, ALL,         CALL_IS,   IPPROTO_TCP,                      CALL_NET },
    { CALL_PROTOCOL,    2, ALL,         CALL_IS,   IPPROTO_UDP,                      CALL_NET },
    { CALL_PROTOCOL,    0, ALL,         CALL_ELSE, 0,                                CALL_NO_PROTOCOL },

    { CALL_PAIR,        1, SOCKET_TYPE, CALL_IS,   SOCK_STREAM,                      CALL_PAIRED },
    { CALL_PAIR,        1, SOCKET_TYPE, CALL_IS,   SOCK_SEQPACKET,                   CALL_PAIRED },
    { CALL_PAIR,        0, ALL,         CALL_ELSE, 0,                                CALL_NO_PROTOCOL },

    { CALL_INET,        1, SOCKET_TYPE, CALL_IS,   SOCK_STREAM,                      CALL_PROTOCOL },
    { CALL_INET,        1, SOCKET_TYPE, CALL_IS,   SOCK_DGRAM,                       CALL_PROTOCOL },
    { CALL_INET,        0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_MODE1,       1, ALL,         CALL_HAS,  SETID,                            CALL_EPERM },
    { CALL_MODE1,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_MODE2,       2, ALL,         CALL_HAS,  SETID,                            CALL_EPERM },
    { CALL_MODE2,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_MODE3,       3, ALL,         CALL_HAS,  SETID,                            CALL_EPERM },
    { CALL_MODE3,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_CHMOD1,      1, ALL,         CALL_HAS,  SETID,                            CALL_EPERM },
    { CALL_CHMOD1,      0, ALL,         CALL_ELSE, 0,                                CALL_CHANGE },

    { CALL_CHMOD2,      2, ALL,         CALL_HAS,  SETID,                            CALL_EPERM },
    { CALL_CHMOD2,      0, ALL,         CALL_ELSE, 0,                                CALL_CHANGE },

    { CALL_NEW_HIGH,    2, ALL,         CALL_IS,   0,                                CALL_ALLOW, .high = true },
    { CALL_NEW_HIGH,    0, ALL,         CALL_ELSE, 0,                                CALL_NOTHING },

    { CALL_NEW,         2, ALL,         CALL_IS,   0,                                CALL_NEW_HIGH },
    { CALL_NEW,         0, ALL,         CALL_ELSE, 0,                                CALL_NOTHING },

    { CALL_CLONE_THREAD, 0, THREAD_ASKED, CALL_IS,   THREAD,                           CALL_THREAD },
    { CALL_CLONE_THREAD, 0, ALL,          CALL_ELSE, 0,                                CALL_WRONG },

    { CALL_CLONE,       0, ALL,         CALL_HAS,  NAMESPACES,                       CALL_EPERM },
    { CALL_CLONE,       0, ALL,         CALL_HAS,  CLONE_THREAD,                     CALL_CLONE_THREAD },
    { CALL_CLONE,       0, ALL,         CALL_HAS,  CLONE_FILES,                      CALL_EPERM },
    { CALL_CLONE,       0, ALL,         CALL_ELSE, 0,                                CALL_FORK },

    { CALL_FCNTL,       1, ALL,         CALL_IS,   F_SETLEASE,                       CALL_EPERM },
    { CALL_FCNTL,       1, ALL,         CALL_IS,   SET_DELEGATION,                   CALL_EPERM },
    { CALL_FCNTL,       1, ALL,         CALL_IS,   F_OFD_GETLK,                      CALL_WRONG },
    { CALL_FCNTL,       1, ALL,         CALL_IS,   F_OFD_SETLK,                      CALL_WRONG },
    { CALL_FCNTL,       1, ALL,         CALL_IS,   F_OFD_SETLKW,                     CALL_WRONG },
    { CALL_FCNTL,       1, ALL,         CALL_IS,   F_NOTIFY,                         CALL_SHARED },
    { CALL_FCNTL,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_IOCTL_KIND,  1, IOCTL_TYPE,  CALL_IS,   IOCTL_BTRFS,                      CALL_EPERM },
    { CALL_IOCTL_KIND,  1, IOCTL_TYPE,  CALL_IS,   IOCTL_BCACHEFS,                   CALL_EPERM },
    { CALL_IOCTL_KIND,  0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCSTI,                          CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCLINUX,                        CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCSETD,                         CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   TIOCSCTTY,                        CALL_EPERM },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   FICLONE,                          CALL_ALLOW },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   FICLONERANGE,                     CALL_ALLOW },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   FIDEDUPERANGE,                    CALL_ALLOW },
    { CALL_IOCTL,       1, ALL,         CALL_IS,   FS_IOC_GETFSLABEL,                CALL_ALLOW },
    { CALL_IOCTL,       0, ALL,         CALL_ELSE, 0,                                CALL_IOCTL_KIND },

    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FIONREAD,                        CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FIONBIO,                         CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FIOASYNC,                        CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FIOCLEX,                         CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FIONCLEX,                        CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   TCGETS,                          CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   TIOCGWINSZ,                      CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   TIOCGPGRP,                       CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FICLONE,                         CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FICLONERANGE,                    CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FS_IOC_GETFLAGS,                 CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FS_IOC_FIEMAP,                   CALL_ALLOW },
    { CALL_IOCTL_FEW,   1, ALL,         CALL_IS,   FIGETBSZ,                        CALL_ALLOW },
    { CALL_IOCTL_FEW,   0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   0,                                CALL_MODE1 },
    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   S_IFREG,                          CALL_MODE1 },
    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   S_IFIFO,                          CALL_MODE1 },
    { CALL_MKNOD,       1, S_IFMT,      CALL_IS,   S_IFSOCK,                         CALL_MODE1 },
    { CALL_MKNOD,       0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   0,                                CALL_MODE2 },
    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   S_IFREG,                          CALL_MODE2 },
    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   S_IFIFO,                          CALL_MODE2 },
    { CALL_MKNODAT,     2, S_IFMT,      CALL_IS,   S_IFSOCK,                         CALL_MODE2 },
    { CALL_MKNODAT,     0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_OPEN,        1, ALL,         CALL_HAS,  CREATES,                          CALL_MODE2 },
    { CALL_OPEN,        0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_OPENAT,      2, ALL,         CALL_HAS,  CREATES,                          CALL_MODE3 },
    { CALL_OPENAT,      0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_RENAME,      4, ALL,         CALL_HAS,  RENAME_WHITEOUT,                  CALL_EPERM },
    { CALL_RENAME,      0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_MMAP,        3, ALL,         CALL_HAS,  MAP_HUGETLB,                      CALL_EPERM },
    { CALL_MMAP,        0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_MEMFD,       1, ALL,         CALL_HAS,  MFD_HUGETLB,                      CALL_EPERM },
    { CALL_MEMFD,       0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_SHMGET,      2, ALL,         CALL_HAS,  SHM_HUGETLB,                      CALL_EPERM },
    { CALL_SHMGET,      0, ALL,         CALL_ELSE, 0,                                CALL_IPC },

    { CALL_PERSONALITY, 0, ALL,         CALL_IS,   PER_LINUX,                        CALL_PLAIN },
    { CALL_PERSONALITY, 0, ALL,         CALL_IS,   ALL,                              CALL_ALLOW },
    { CALL_PERSONALITY, 0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_PRLIMIT,     1, ALL,         CALL_IS,   RLIMIT_CORE,                      CALL_NEW },
    { CALL_PRLIMIT,     0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_PRLIMIT_IN,  0, ALL,         CALL_IS,   INIT,                             CALL_EPERM },
    { CALL_PRLIMIT_IN,  0, ALL,         CALL_ELSE, 0,                                CALL_PRLIMIT },

    { CALL_OTHER0,      0, ALL,         CALL_IS,   INIT,                             CALL_EPERM },
    { CALL_OTHER0,      0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_OTHER1,      1, ALL,         CALL_IS,   INIT,                             CALL_EPERM },
    { CALL_OTHER1,      0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_PRIORITY_IN, 0, ALL,         CALL_IS,   PRIO_PROCESS,                     CALL_OTHER1 },
    { CALL_PRIORITY_IN, 0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_IOPRIO_IN,   0, ALL,         CALL_IS,   IOPRIO_PROCESS,                   CALL_OTHER1 },
    { CALL_IOPRIO_IN,   0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_PRLIMIT_OWN, 0, ALL,         CALL_IS,   0,                                CALL_PRLIMIT },
    { CALL_PRLIMIT_OWN, 0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_OWN0,        0, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_OWN0,        0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_OWN1,        1, ALL,         CALL_IS,   0,                                CALL_ALLOW },
    { CALL_OWN1,        0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_PRIORITY,    0, ALL,         CALL_IS,   PRIO_PROCESS,                     CALL_OWN1 },
    { CALL_PRIORITY,    0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_IOPRIO,      0, ALL,         CALL_IS,   IOPRIO_PROCESS,                   CALL_OWN1 },
    { CALL_IOPRIO,      0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_SECCOMP,     0, ALL,         CALL_IS,   SECCOMP_SET_MODE_STRICT,          CALL_ALLOW },
    { CALL_SECCOMP,     0, ALL,         CALL_IS,   SECCOMP_SET_MODE_FILTER,          CALL_FILTER },
    { CALL_SECCOMP,     0, ALL,         CALL_IS,   SECCOMP_GET_ACTION_AVAIL,         CALL_ALLOW },
    { CALL_SECCOMP,     0, ALL,         CALL_ELSE, 0,                                CALL_EPERM },

    { CALL_SETRLIMIT,   0, ALL,         CALL_IS,   RLIMIT_CORE,                      CALL_NOTHING },
    { CALL_SETRLIMIT,   0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_SOCKET_OPTION, 2, ALL,       CALL_IS,   SO_ATTACH_FILTER,                 CALL_EPERM },
    { CALL_SOCKET_OPTION, 2, ALL,       CALL_IS,   SO_ATTACH_BPF,                    CALL_EPERM },
    { CALL_SOCKET_OPTION, 2, ALL,       CALL_IS,   SO_ATTACH_REUSEPORT_CBPF,         CALL_EPERM },
    { CALL_SOCKET_OPTION, 2, ALL,       CALL_IS,   SO_ATTACH_REUSEPORT_EBPF,         CALL_EPERM },
    { CALL_SOCKET_OPTION, 2, ALL,       CALL_IS,   SO_RCVBUF,                        CALL_NOTHING },
    { CALL_SOCKET_OPTION, 0, ALL,       CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_IPV6_OPTION, 2, ALL,         CALL_IS,   IPV6_JOIN_GROUP,                  CALL_EPERM },
    { CALL_IPV6_OPTION, 2, ALL,         CALL_IS,   MCAST_JOIN_GROUP,                 CALL_EPERM },
    { CALL_IPV6_OPTION, 2, ALL,         CALL_IS,   MCAST_JOIN_SOURCE_GROUP,          CALL_EPERM },
    { CALL_IPV6_OPTION, 0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_TCP_OPTION,  2, ALL,         CALL_IS,   TCP_MD5SIG,                      CALL_EPERM },
    { CALL_TCP_OPTION,  2, ALL,         CALL_IS,   TCP_MD5SIG_EXT,                  CALL_EPERM },
    { CALL_TCP_OPTION,  2, ALL,         CALL_IS,   TCP_AO_KEY,                       CALL_EPERM },
    { CALL_TCP_OPTION,  0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_SETSOCKOPT,  1, ALL,         CALL_IS,   SOL_SOCKET,                       CALL_SOCKET_OPTION },
    { CALL_SETSOCKOPT,  1, ALL,         CALL_IS,   IPPROTO_IPV6,                     CALL_IPV6_OPTION },
    { CALL_SETSOCKOPT,  1, ALL,         CALL_IS,   IPPROTO_TCP,                      CALL_TCP_OPTION },
    { CALL_SETSOCKOPT,  0, ALL,         CALL_ELSE, 0,                                CALL_ALLOW },

    { CALL_SOCKET,      0, ALL,         CALL_IS,   AF_INET,                          CALL_INET },
    { CALL_SOCKET,      0, ALL,         CALL_IS,   AF_INET6,                         CALL_INET },
    { CALL_SOCKET,      0, ALL,         CALL_ELSE, 0,                                CALL_NO_FAMILY },

    { CALL_SOCKETPAIR,  0, ALL,         CALL_IS,   AF_UNIX,                          CALL_PAIR },
    { CALL_SOCKETPAIR,  0, ALL,         CALL_ELSE, 0,                                CALL_NO_FAMILY },
};
#undef ALL

const size_t call_rule_count = COUNT(call_rules);

static const char *const call_test_names[] = {
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
    [CALL_UNSUPPORTED]   = "EOPNOTSUPP",
    [CALL_WRONG]         = "EINVAL",
    [CALL_NOTHING]       = "nothing",
    [CALL_ASK]           = "ask",
    [CALL_STOP]          = "stop",
    [CALL_FORK]          = "fork",
    [CALL_THREAD]        = "thread",
    [CALL_THREAD_END]    = "thread_end",
    [CALL_INSTALL]       = "install",
    [CALL_NET]           = "net",
    [CALL_IPC]           = "ipc",
    [CALL_PAIRED]        = "paired",
    [CALL_OPENAT2]       = "openat2",
    [CALL_SHARED]        = "shared",
    [CALL_CHANGE]        = "change",
    [CALL_XATTR]         = "xattr",
    [CALL_HELD]          = "held",
    [CALL_UNHELD]        = "unheld",
    [CALL_PLAIN]         = "plain",
    [CALL_PROGRAM_HIGH]  = "program_high",
    [CALL_PROGRAM]       = "program",
    [CALL_FILTER]        = "filter",
    [CALL_LIMIT2]        = "limit2",
    [CALL_LIMIT3]        = "limit3",
    [CALL_LIMIT4]        = "limit4",
    [CALL_MS2]           = "ms2",
    [CALL_MS3]           = "ms3",
    [CALL_TIMER]         = "timer",
    [CALL_FUTEX]         = "futex",
    [CALL_COUNTER]       = "counter",
    [CALL_PRCTL_FILTER]  = "prctl_filter",
    [CALL_PRCTL]         = "prctl",
    [CALL_ARCH]          = "arch",
    [CALL_PROTOCOL]      = "protocol",
    [CALL_PAIR]          = "pair",
    [CALL_INET]          = "inet",
    [CALL_MODE1]         = "mode1",
    [CALL_MODE2]         = "mode2",
    [CALL_MODE3]         = "mode3",
    [CALL_CHMOD1]        = "chmod1",
    [CALL_CHMOD2]        = "chmod2",
    [CALL_NEW_HIGH]      = "new_high",
    [CALL_NEW]           = "new",
    [CALL_CLONE_THREAD]  = "clone_thread",
    [CALL_CLONE]         = "clone",
    [CALL_FCNTL]         = "fcntl",
    [CALL_IOCTL_KIND]    = "ioctl_kind",
    [CALL_IOCTL]         = "ioctl",
    [CALL_IOCTL_FEW]     = "ioctl_few",
    [CALL_MKNOD]         = "mknod",
    [CALL_MKNODAT]       = "mknodat",
    [CALL_OPEN]          = "open",
    [CALL_OPENAT]        = "openat",
    [CALL_RENAME]        = "rename",
    [CALL_MMAP]          = "mmap",
    [CALL_MEMFD]         = "memfd",
    [CALL_SHMGET]        = "shmget",
    [CALL_PERSONALITY]   = "personality",
    [CALL_PRLIMIT]       = "prlimit",
    [CALL_PRLIMIT_IN]    = "prlimit_in",
    [CALL_OTHER0]        = "other0",
    [CALL_OTHER1]        = "other1",
    [CALL_PRIORITY_IN]   = "priority_in",
    [CALL_IOPRIO_IN]     = "ioprio_in",
    [CALL_PRLIMIT_OWN]   = "prlimit_own",
    [CALL_OWN0]          = "own0",
    [CALL_OWN1]          = "own1",
    [CALL_PRIORITY]      = "priority",
    [CALL_IOPRIO]        = "ioprio",
    [CALL_SECCOMP]       = "seccomp",
    [CALL_SETRLIMIT]     = "setrlimit",
    [CALL_SOCKET_OPTION] = "socket_option",
    [CALL_IPV6_OPTION]   = "ipv6_option",
    [CALL_TCP_OPTION]    = "tcp_option",
    [CALL_SETSOCKOPT]    = "setsockopt",
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
    [CALL_NOTHING]     = { CALL_NOTHING,     "Nothing changes, and the program is told that it worked." },
    [CALL_ASK]         = { CALL_ASK,         "The supervisor takes note of it, or says no." },
    [CALL_UNSUPPORTED] = { CALL_UNSUPPORTED,  "The file system does not have it." },
    [CALL_WRONG]       = { CALL_WRONG,       "The arguments are wrong; the kernel would say so, too." },
    [CALL_STOP]        = { CALL_STOP,        "The first process of the run, which traces this one, answers or lets it be made." },
    [CALL_FORK]        = { CALL_FORK,        "Allow or EPERM, by allow_fork; the kernel counts." },
    [CALL_THREAD]      = { CALL_THREAD,      "Allowed, or asked for where the policy counts threads." },
    [CALL_THREAD_END]  = { CALL_THREAD_END,  "Allowed, or told to the supervisor where the policy counts threads." },
    [CALL_INSTALL]     = { CALL_INSTALL,     "The supervisor counts filters: 100 in a run, 1000 in all runs of a user." },
    [CALL_NET]         = { CALL_NET,         "Allowed, or asked for where it has to be known that the network is used." },
    [CALL_IPC]         = { CALL_IPC,         "Allowed, or asked for where it has to be known that something may stay behind." },
    [CALL_PAIRED]      = { CALL_PAIRED,      "Allowed, or asked for where it has to be known that descriptors may stay under way." },
    [CALL_OPENAT2]     = { CALL_OPENAT2,     "ENOSYS where no file may lend rights: its mode cannot be seen." },
    [CALL_SHARED]      = { CALL_SHARED,      "Allowed, or EPERM where what it reaches is the host's: without namespaces." },
    [CALL_CHANGE]      = { CALL_CHANGE,      "Allowed; without namespaces the supervisor does it, where the file may be written." },
    [CALL_XATTR]       = { CALL_XATTR,       "Allowed, or EOPNOTSUPP without namespaces." },
    [CALL_HELD]        = { CALL_HELD,        "Allowed, or answered where time and chance are held." },
    [CALL_UNHELD]      = { CALL_UNHELD,      "ENOSYS where time is held: libraries use another call, which is understood." },
    [CALL_PLAIN]       = { CALL_PLAIN,       "Allowed, or nothing where the layout of memory is held." },
    [CALL_LIMIT2]      = { CALL_LIMIT2,      "Held if argument 2 is there." },
    [CALL_LIMIT3]      = { CALL_LIMIT3,      "Held if argument 3 is there." },
    [CALL_LIMIT4]      = { CALL_LIMIT4,      "Held if argument 4 is there." },
    [CALL_MS2]         = { CALL_MS2,         "Held if argument 2 is a time, and not none or for ever." },
    [CALL_MS3]         = { CALL_MS3,         "Held if argument 3 is a time, and not none or for ever." },
    [CALL_TIMER]       = { CALL_TIMER,       "Held if it is set to a point in time." },
    [CALL_FUTEX]       = { CALL_FUTEX,       "Held if it waits, and not for ever." },
    [CALL_COUNTER]     = { CALL_COUNTER,     "The cycle counter stays closed where time is held." },
    [CALL_ARCH]        = { CALL_ARCH,        "All, but where time is held nobody gets the kernel's shared code anew." },
    [CALL_PRCTL_FILTER] = { CALL_PRCTL_FILTER, "A further filter by program; strict mode is allowed." },
    [CALL_PRCTL]       = { CALL_PRCTL,       "All, but filters by install; where time is held nobody hides its memory from who holds it." },
    [CALL_PROGRAM_HIGH] = { CALL_PROGRAM_HIGH, "The same, for the other half of the pointer." },
    [CALL_PROGRAM]     = { CALL_PROGRAM,     "By install; without a program, as libraries call to see what there is, nothing is made." },
    [CALL_FILTER]      = { CALL_FILTER,      "A further filter by program; one that others answer is refused." },
    [CALL_PROTOCOL]    = { CALL_PROTOCOL,    "TCP and UDP." },
    [CALL_PAIR]        = { CALL_PAIR,        "All but datagrams: half of such a pair can be sent from to any socket of the host." },
    [CALL_INET]        = { CALL_INET,        "Streams and datagrams, only where the policy has a network." },
    [CALL_MODE1]       = { CALL_MODE1,       "The mode, argument 1, lends no rights, where the policy says so." },
    [CALL_MODE2]       = { CALL_MODE2,       "The mode, argument 2, lends no rights, where the policy says so." },
    [CALL_MODE3]       = { CALL_MODE3,       "The mode, argument 3, lends no rights, where the policy says so." },
    [CALL_CHMOD1]      = { CALL_CHMOD1,      "The mode, argument 1, lends no rights; then by change. Only without namespaces." },
    [CALL_CHMOD2]      = { CALL_CHMOD2,      "The mode, argument 2, lends no rights; then by change. Only without namespaces." },
    [CALL_NEW_HIGH]    = { CALL_NEW_HIGH,    "The same, for the other half of the pointer." },
    [CALL_NEW]         = { CALL_NEW,         "Without a new limit the old one is only read." },
    [CALL_CLONE_THREAD] = { CALL_CLONE_THREAD, "With the flags that the kernel makes no thread without, and with no descriptor for it." },
    [CALL_CLONE]       = { CALL_CLONE,       "No namespaces, no process that shares descriptors; threads are by thread, processes by fork." },
    [CALL_FCNTL]       = { CALL_FCNTL,       "All but leases, which hold up others who open the file, and locks of open files, of which nobody can tell whose they are; without namespaces no watches either." },
    [CALL_IOCTL_KIND]  = { CALL_IOCTL_KIND,  "All but those of file systems that have snapshots." },
    [CALL_IOCTL]       = { CALL_IOCTL,       "All but those that take over a terminal or make snapshots." },
    [CALL_IOCTL_FEW]   = { CALL_IOCTL_FEW,   "Those that ask, or change a program's own; without namespaces." },
    [CALL_MKNOD]       = { CALL_MKNOD,       "Files, FIFOs and sockets, no devices." },
    [CALL_MKNODAT]     = { CALL_MKNODAT,     "Files, FIFOs and sockets, no devices." },
    [CALL_OPEN]        = { CALL_OPEN,        "Where a file is made, its mode is looked at." },
    [CALL_OPENAT]      = { CALL_OPENAT,      "Where a file is made, its mode is looked at." },
    [CALL_RENAME]      = { CALL_RENAME,      "All but those that leave a device behind." },
    [CALL_MMAP]        = { CALL_MMAP,        "All but huge pages that the host has set aside." },
    [CALL_MEMFD]       = { CALL_MEMFD,       "All but huge pages that the host has set aside." },
    [CALL_SHMGET]      = { CALL_SHMGET,      "By ipc, and no huge pages that the host has set aside." },
    [CALL_PERSONALITY] = { CALL_PERSONALITY, "To ask, and to be plain Linux." },
    [CALL_PRLIMIT]     = { CALL_PRLIMIT,     "All limits but the one on core files, which can be read." },
    [CALL_PRLIMIT_IN]  = { CALL_PRLIMIT_IN,  "By prlimit, but not those of the run's first process." },
    [CALL_OTHER0]      = { CALL_OTHER0,      "Argument 0 is not the run's first process." },
    [CALL_OTHER1]      = { CALL_OTHER1,      "Argument 1 is not the run's first process." },
    [CALL_PRIORITY_IN] = { CALL_PRIORITY_IN, "Of one process, and not of the run's first." },
    [CALL_IOPRIO_IN]   = { CALL_IOPRIO_IN,   "Of one process, and not of the run's first." },
    [CALL_PRLIMIT_OWN] = { CALL_PRLIMIT_OWN, "One's own limits alone; without namespaces." },
    [CALL_OWN0]        = { CALL_OWN0,        "Argument 0 is oneself; without namespaces." },
    [CALL_OWN1]        = { CALL_OWN1,        "Argument 1 is oneself; without namespaces." },
    [CALL_PRIORITY]    = { CALL_PRIORITY,    "One's own priority alone; without namespaces." },
    [CALL_IOPRIO]      = { CALL_IOPRIO,      "One's own priority alone; without namespaces." },
    [CALL_SECCOMP]     = { CALL_SECCOMP,     "A program may confine itself further." },
    [CALL_SETRLIMIT]   = { CALL_SETRLIMIT,   "All limits but the one on core files." },
    [CALL_SOCKET_OPTION] = { CALL_SOCKET_OPTION, "All but those that attach a program of BPF; a size of the receive buffer is not heeded." },
    [CALL_IPV6_OPTION] = { CALL_IPV6_OPTION, "All but those that join a multicast group." },
    [CALL_TCP_OPTION]  = { CALL_TCP_OPTION,  "All but those that add a key for a peer." },
    [CALL_SETSOCKOPT]  = { CALL_SETSOCKOPT,  "By socket_option, ipv6_option or tcp_option; others are allowed." },
    [CALL_SOCKET]      = { CALL_SOCKET,      "Internet sockets, by the policy; UNIX sockets never." },
    [CALL_SOCKETPAIR]  = { CALL_SOCKETPAIR,  "UNIX sockets, connected to each other." },
};

static const struct column rule_columns[] = {
    { "rule",     COLUMN_NAME, offsetof(struct call_rule_row, rule), call_verdict_names },
    { "argument", COLUMN_INT,  offsetof(struct call_rule_row, arg) },
    { "high",     COLUMN_BOOL, offsetof(struct call_rule_row, high) },
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
