/* SPDX-License-Identifier: Apache-2.0 */
/* test_seccomp_args.c: where the arguments decide, no spelling of them gets by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/own.h"
#include "unit/sandbox/filters.h"

enum { BCACHEFS = 0xbc }; /* the kind of its ioctls */

static void P13_clone_makes_no_namespace(void **state)
{
    static const uint64_t news[] = { CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                     CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, 0x80 };
    static const uint64_t with[] = {
        0,    SIGCHLD, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, CLONE_VM | CLONE_VFORK | SIGCHLD,
        HIGH, HIGH_ALL
    };

    (void)state;
    for (size_t i = 0; i < COUNT(news); i++)
        for (size_t j = 0; j < COUNT(with); j++)
            all_say(ERRNO(EPERM), __NR_clone, news[i] | with[j], 0, 0);
}

static void R_001_021_P02_threads_and_processes_start_by_the_policy(void **state)
{
    static const uint64_t processes[] = { SIGCHLD,
                                          0,
                                          CLONE_VM | CLONE_VFORK | SIGCHLD,
                                          CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
                                          CLONE_PARENT | SIGCHLD,
                                          CLONE_VM | CLONE_SIGHAND,
                                          (uint64_t)CLONE_THREAD << 32,
                                          HIGH_ALL | SIGCHLD };
    const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                            CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                            CLONE_CHILD_CLEARTID;
    const uint64_t threads[] = { thread, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM,
                                 thread | HIGH_ALL };
    static const uint64_t none[] = { CLONE_THREAD,
                                     CLONE_THREAD | CLONE_VM,
                                     CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_PIDFD,
                                     CLONE_THREAD | CLONE_SIGHAND | HIGH_ALL,
                                     CLONE_THREAD | CLONE_VFORK | SIGCHLD,
                                     CLONE_THREAD | (uint64_t)(CLONE_VM | CLONE_SIGHAND) << 32 };

    (void)state;
    for (int p = 0; p < POLICIES; p++) {
        for (size_t i = 0; i < COUNT(threads); i++)
            assert_int_equal(ask(p, __NR_clone, threads[i], 0, 0), thread_verdict(p));
        for (size_t i = 0; i < COUNT(processes); i++)
            assert_int_equal(ask(p, __NR_clone, processes[i], 0, 0), fork_verdict(p));
        for (size_t i = 0; i < COUNT(none); i++) /* the kernel would make none of these */
            assert_int_equal(ask(p, __NR_clone, none[i], 0, 0), ERRNO(EINVAL));
#ifdef __x86_64__
        assert_int_equal(ask(p, __NR_fork, 0, 0, 0), fork_verdict(p));
        assert_int_equal(ask(p, __NR_vfork, 0, 0, 0), fork_verdict(p));
#endif
    }
}

static void no_lease_is_taken(void **state)
{
    enum { SET_DELEGATION = 1040 }; /* of a directory, since Linux 6.19 */

    (void)state;
    all_say(ERRNO(EPERM), __NR_fcntl, 0, SET_DELEGATION, 0);
    all_say(ERRNO(EPERM), __NR_fcntl, 0, F_SETLEASE, F_WRLCK);
    all_say(ERRNO(EPERM), __NR_fcntl, UINT64_MAX, F_SETLEASE | HIGH_ALL, F_UNLCK);
    for (uint64_t does = 0; does < 2048; does++)
        if (does != F_SETLEASE && does != SET_DELEGATION && (does < 36 || does > 38))
            all_say(ALLOW, __NR_fcntl, F_SETLEASE, does, F_SETLEASE);
}

static void P19_no_ioctl_takes_over_a_terminal(void **state)
{
    (void)state;
    for (uint64_t request = 0; request < 0x10000; request++) {
        bool bad = request == TIOCSTI || request == TIOCLINUX || request == TIOCSETD ||
                   request == TIOCSCTTY || request >> 8 == BTRFS_IOCTL_MAGIC ||
                   request >> 8 == BCACHEFS;
        uint32_t want = bad ? ERRNO(EPERM) : ALLOW;

        assert_int_equal(ask(0, __NR_ioctl, 0, request, 0), want);
        if (!bad && request % 251)
            continue;
        all_say(want, __NR_ioctl, request, request, request);
        all_say(want, __NR_ioctl, 0, request | HIGH, 0);
        all_say(want, __NR_ioctl, HIGH_ALL, request | HIGH_ALL, HIGH_ALL);
        if (!bad)
            all_say(ALLOW, __NR_ioctl, TIOCSTI, request | 0x80000000, TIOCSTI);
    }
}

static void no_ioctl_makes_a_snapshot(void **state)
{
    static const uint64_t bad[] = {
        BTRFS_IOC_SNAP_CREATE,
        BTRFS_IOC_SNAP_CREATE_V2,
        BTRFS_IOC_SUBVOL_CREATE,
        BTRFS_IOC_SUBVOL_CREATE_V2,
        BTRFS_IOC_SNAP_DESTROY,
        BTRFS_IOC_SNAP_DESTROY_V2,
        BTRFS_IOC_SEND,
        BTRFS_IOC_SET_RECEIVED_SUBVOL,
        BTRFS_IOC_TREE_SEARCH,
        BTRFS_IOC_TREE_SEARCH_V2,
        BTRFS_IOC_INO_LOOKUP,
        BTRFS_IOC_INO_LOOKUP_USER,
        BTRFS_IOC_SUBVOL_SETFLAGS,
        _IOC(_IOC_WRITE, BCACHEFS, 16, 32),
    };
    static const uint64_t good[] = { FICLONE, FICLONERANGE, FIDEDUPERANGE, FS_IOC_GETFSLABEL,
                                     FS_IOC_GETFLAGS };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        all_say(ERRNO(EPERM), __NR_ioctl, FICLONE, bad[i], FICLONE);
        all_say(ERRNO(EPERM), __NR_ioctl, 0, bad[i] | HIGH_ALL, 0);
    }
    for (size_t i = 0; i < COUNT(good); i++)
        all_say(ALLOW, __NR_ioctl, 0, good[i], 0);
}

static void P20_personality_is_plain(void **state)
{
    static const uint64_t bad[] = { READ_IMPLIES_EXEC,  READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE,
                                    PER_LINUX32,        UNAME26,
                                    ADDR_COMPAT_LAYOUT, MMAP_PAGE_ZERO,
                                    PER_SVR4,           1,
                                    0x80000000,         0xfffffffe };

    (void)state;
    for (int p = 0; p < POLICIES; p++) /* what a held layout is made by stays */
        assert_int_equal(ask(p, __NR_personality, 0, 0, 0), policies[p].held ? ERRNO(0) : ALLOW);
    all_say(ERRNO(EPERM), __NR_personality, ADDR_NO_RANDOMIZE, 0, 0);
    all_say(ALLOW, __NR_personality, 0xffffffff, 0, 0);
    all_say(ALLOW, __NR_personality, UINT64_MAX, 0, 0);
    for (size_t i = 0; i < COUNT(bad); i++) {
        all_say(ERRNO(EPERM), __NR_personality, bad[i], 0, 0);
        all_say(ERRNO(EPERM), __NR_personality, bad[i] | HIGH, 0, 0);
    }
}

/* Where time is held, nobody closes its memory to who holds it, nor opens the cycle counter. */
static void I07_memory_stays_open_to_who_holds_time(void **state)
{
    (void)state;
    for (int p = 0; p < POLICIES; p++) {
        uint32_t want = policies[p].held ? ERRNO(0) : ALLOW;

        assert_int_equal(ask(p, __NR_prctl, PR_SET_DUMPABLE, 0, 0), want);
        assert_int_equal(ask(p, __NR_prctl, PR_SET_DUMPABLE, 1, 0), want);
        assert_int_equal(ask(p, __NR_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0), want);
    }
    all_say(ALLOW, __NR_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0);
    all_say(ALLOW, __NR_prctl, PR_SET_NAME, 0, 0);
}

#ifdef __x86_64__
/* Where time is held, the kernel's shared code is not mapped once more, for it reads the real one.
 */
static void I08_nobody_gets_the_shared_code_anew(void **state)
{
    (void)state;
    for (uint64_t what = 0x2001; what <= 0x2003; what++)
        for (int p = 0; p < POLICIES; p++) {
            uint32_t want = policies[p].held ? ERRNO(EPERM) : ALLOW;

            assert_int_equal(ask(p, __NR_arch_prctl, what, 4096, 0), want);
            assert_int_equal(ask(p, __NR_arch_prctl, what | HIGH, 4096, 0), want);
        }
    all_say(ALLOW, __NR_arch_prctl, 0x1002 /* ARCH_SET_FS */, 4096, 0);
    all_say(ALLOW, __NR_arch_prctl, 0x3001 /* ARCH_CET_STATUS */, 4096, 0); /* as older glibc */
    all_say(ALLOW, __NR_arch_prctl, 0x2000, 4096, 0);
    all_say(ALLOW, __NR_arch_prctl, 0x2004, 4096, 0);
}
#endif

/* Where time is held, who waits for a while stops; who waits for ever, or not at all, does not. */
static void I07_waits_that_end_by_themselves_are_held(void **state)
{
    static const struct {
        int nr, arg;
        uint64_t never[2]; /* for ever, or not at all */
        uint64_t a1;
    } rows[] = {
        { __NR_ppoll, 2, { 0, 0 }, 0 },
        { __NR_pselect6, 4, { 0, 0 }, 0 },
        { __NR_epoll_pwait, 3, { 0, 0xffffffff }, 0 },
        { 441 /* epoll_pwait2 */, 3, { 0, 0 }, 0 },
        { __NR_futex, 3, { 0, 0 }, FUTEX_WAIT | FUTEX_PRIVATE_FLAG },
        { __NR_futex, 3, { 0, 0 }, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME },
        { __NR_rt_sigtimedwait, 2, { 0, 0 }, 0 },
#ifdef __x86_64__
        { __NR_poll, 2, { 0, 0xffffffff }, 0 },
        { __NR_select, 4, { 0, 0 }, 0 },
        { __NR_epoll_wait, 3, { 0, 0xffffffff }, 0 },
#endif
    };

    (void)state;
    for (int p = 0; p < POLICIES; p++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            uint64_t args[6] = { 0, rows[i].a1 };

            args[rows[i].arg] = 4096;
            assert_int_equal(ask_with(p, rows[i].nr, args), held_verdict(p));
            for (size_t k = 0; k < 2; k++) {
                args[rows[i].arg] = rows[i].never[k];
                assert_int_equal(ask_with(p, rows[i].nr, args), ALLOW);
            }
        }
    all_say(ALLOW, __NR_timerfd_settime, 0, 0, 4096);
    for (int p = 0; p < POLICIES; p++)
        assert_int_equal(ask(p, __NR_timerfd_settime, 0, 1, 4096), held_verdict(p));
    for (int p = 0; p < POLICIES; p++) /* a wake is no wait, whatever its arguments */
        assert_int_equal(ask_with(p, __NR_futex, (uint64_t[6]){ 0, FUTEX_WAKE, 1, 4096 }), ALLOW);
}

static void no_device_is_made(void **state)
{
    static const uint64_t types[] = { 0,       S_IFREG, S_IFIFO, S_IFSOCK, S_IFCHR,
                                      S_IFBLK, S_IFDIR, S_IFLNK, S_IFMT };

    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        uint32_t want = i < 4 ? ALLOW : ERRNO(EPERM);

        for (uint64_t mode = 0; mode <= 01777; mode += 0111) {
            all_say(want, __NR_mknodat, S_IFCHR, S_IFCHR, types[i] | mode);
            all_say(want, __NR_mknodat, 0, 0, types[i] | mode | HIGH);
            all_say(want, __NR_mknodat, 0, 0,
                    types[i] | mode | 0x10000); /* the kernel takes 16 bits */
#ifdef __x86_64__
            all_say(want, __NR_mknod, S_IFCHR, types[i] | mode, S_IFCHR);
            all_say(want, __NR_mknod, 0, types[i] | mode | HIGH_ALL, 0);
#endif
        }
    }
}

/* ---- modes ---- */

enum { NONE = -1 };

/* clang-format off */
/* Calls that give a file its mode, and where their arguments have it. */
static const struct { int nr, flags, mode; uint64_t with; } modes[] = {
    { __NR_fchmod,   NONE, 1, 0 },
    { __NR_fchmodat, NONE, 2, 0 },
    { 452,           NONE, 2, 0 },
    { __NR_mknodat,  NONE, 2, 0 },
    { __NR_mknodat,  NONE, 2, S_IFREG },
    { __NR_mknodat,  NONE, 2, S_IFIFO },
    { __NR_mknodat,  NONE, 2, S_IFSOCK },
    { __NR_openat,   2,    3, 0 },
#ifdef __x86_64__
    { __NR_chmod,    NONE, 1, 0 },
    { __NR_creat,    NONE, 1, 0 },
    { __NR_mknod,    NONE, 1, S_IFREG },
    { __NR_mknod,    NONE, 1, S_IFIFO },
    { __NR_open,     1,    2, 0 },
#endif
};

/* What open's flags may be. __O_TMPFILE by its number: the header's includes O_DIRECTORY. */
static const struct { uint64_t flags; bool creates; } opens[] = {
    { O_RDONLY,                                false },
    { O_WRONLY | O_TRUNC | O_APPEND,           false },
    { O_RDONLY | O_DIRECTORY | O_CLOEXEC,      false },
    { O_PATH | O_NOFOLLOW,                     false },
    { 0xffffffff & ~(UINT64_C(020000000) | O_CREAT), false },
    { (uint64_t)O_CREAT << 32,                 false },
    { O_CREAT,                                 true },
    { O_CREAT | HIGH_ALL,                      true },
    { O_WRONLY | O_CREAT | O_EXCL,             true },
    { O_RDWR | O_TMPFILE,                      true },
    { 020000000,                               true },
    { 0xffffffff,                              true },
};
/* clang-format on */

/* One call with this mode and, where it has any, these flags; the other arguments are all ones. */
static void check_mode(size_t call, uint64_t mode, uint64_t flags, bool creates)
{
    uint64_t args[6] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };

    args[modes[call].mode] = mode | modes[call].with;
    if (modes[call].flags != NONE)
        args[modes[call].flags] = flags;
    for (int p = 0; p < POLICIES; p++) {
        bool refused = policies[p].no_setid && creates && (mode & 06000);
        uint32_t got = ask_with(p, modes[call].nr, args);

        if (got != (refused ? ERRNO(EPERM) : ALLOW))
            fail_msg("call %d, mode %#lo, flags %#lx under policy %d: %#x", modes[call].nr,
                     (unsigned long)mode, (unsigned long)flags, p, got);
    }
}

static void F21_no_file_is_made_to_lend_rights_where_the_policy_says_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(modes); i++)
        for (uint64_t mode = 0; mode <= 07777; mode += modes[i].flags == NONE ? 1 : 077)
            for (size_t f = 0; f < (modes[i].flags == NONE ? 1 : COUNT(opens)); f++) {
                bool creates = modes[i].flags == NONE || opens[f].creates;

                check_mode(i, mode, opens[f].flags, creates);
                check_mode(i, mode | HIGH_ALL, opens[f].flags, creates);
                check_mode(i, mode | 0x10000, opens[f].flags, creates);
            }
}

/* What people type. */
static void F21_setuid_and_setgid_are_refused_and_sticky_is_not(void **state)
{
    static const uint64_t bad[] = { 04755, 02755, 06755, 04000, 02000, 07777 };
    static const uint64_t good[] = { 0755, 01777, 0644, 0 };

    (void)state;
    for (int p = 0; p < POLICIES; p++) {
        uint32_t want = policies[p].no_setid ? ERRNO(EPERM) : ALLOW;

        for (size_t i = 0; i < COUNT(bad); i++)
            assert_int_equal(ask(p, __NR_fchmodat, 0, 0, bad[i]), want);
        for (size_t i = 0; i < COUNT(good); i++)
            assert_int_equal(ask(p, __NR_fchmodat, 0, 0, good[i]), ALLOW);
        assert_int_equal(ask(p, 437, 0, 0, 0), policies[p].no_setid ? ERRNO(ENOSYS) : ALLOW);
    }
}

/* ---- limits ---- */

/* A pointer may have its bits in either half. */
static void P24_the_limit_on_core_files_stays_and_can_be_read(void **state)
{
    static const uint64_t pointers[] = { 1, 0x1000, HIGH, HIGH_ALL, 0x80000000, UINT64_MAX };

    (void)state;
    for (uint64_t limit = 0; limit < 32; limit++) {
        uint32_t want = limit == RLIMIT_CORE ? ERRNO(0) : ALLOW;

        all_say(want, __NR_setrlimit, limit, 0, 0);
        all_say(want, __NR_setrlimit, limit | HIGH, 0x1000, 0);
        for (size_t i = 0; i < COUNT(pointers); i++) {
            all_say(want, __NR_prlimit64, 0, limit, pointers[i]);
            all_say(want, __NR_prlimit64, UINT64_MAX, limit | HIGH_ALL, pointers[i]);
            all_say(ALLOW, __NR_prlimit64, pointers[i] << 1, limit, 0);
            all_say(ALLOW, __NR_getrlimit, limit, pointers[i], 0);
        }
    }
    all_say(ALLOW, __NR_setrlimit, 0x80000000 | RLIMIT_CORE, 0, 0);
    all_say(ALLOW, __NR_prlimit64, RLIMIT_CORE, RLIMIT_NOFILE, 1);
}

/* ---- sockets ---- */

static uint32_t inet_verdict(int policy, uint64_t type, uint64_t protocol)
{
    uint32_t yes = policies[policy].ask_sockets ? ASK : ALLOW;

    if ((type & 0xf) != SOCK_STREAM && (type & 0xf) != SOCK_DGRAM)
        return ERRNO(EPERM);
    return protocol == 0 || protocol == 6 || protocol == 17 ? yes : ERRNO(EPROTONOSUPPORT);
}

static uint32_t socket_verdict(int policy, uint64_t family, uint64_t type, uint64_t protocol)
{
    if ((family != AF_INET && family != AF_INET6) || !policies[policy].inet)
        return NO_FAMILY;
    return inet_verdict(policy, type, protocol);
}

static void check_sockets(uint64_t family, uint64_t type)
{
    static const uint64_t protocols[] = { 0,   IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP, 115,
                                          132, 255,          256,         262,         0x80000000 };
    uint64_t flags = SOCK_CLOEXEC | SOCK_NONBLOCK;

    for (size_t i = 0; i < COUNT(protocols); i++)
        for (int p = 0; p < POLICIES; p++) {
            uint64_t protocol = protocols[i];
            uint32_t want = socket_verdict(p, family, type, protocol);

            assert_int_equal(ask(p, __NR_socket, family, type, protocol), want);
            assert_int_equal(ask(p, __NR_socket, family, type | flags, protocol), want);
            assert_int_equal(ask(p, __NR_socket, family | HIGH_ALL, type | HIGH, protocol | HIGH),
                             want);
        }
}

static void N03_sockets_have_the_families_of_the_policy(void **state)
{
    (void)state;
    for (uint64_t family = 0; family <= 45; family++)
        for (uint64_t type = 0; type < 16; type++)
            check_sockets(family, type);
    check_sockets(0x80000000 | AF_INET, SOCK_STREAM);
    check_sockets(0xffffffff, SOCK_STREAM);
}

static void N03_socket_pairs_are_local(void **state)
{
    (void)state;
    for (uint64_t family = 0; family <= 45; family++) {
        uint32_t no = family == AF_UNIX ? ERRNO(EPROTONOSUPPORT) : NO_FAMILY;
        for (int p = 0; p < POLICIES; p++) {
            uint32_t want = no == NO_FAMILY ? no : policies[p].ask_ipc ? ASK : ALLOW;

            assert_int_equal(ask(p, __NR_socketpair, family, SOCK_STREAM, 0), want);
            assert_int_equal(ask(p, __NR_socketpair, family | HIGH, SOCK_SEQPACKET, 0), want);
        }
        all_say(no, __NR_socketpair, family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        all_say(no, __NR_socketpair, family, SOCK_RAW, 0); /* to the kernel, datagrams */
    }
}

/* By whatever spelling the kernel takes for 1. */
static void P08_the_first_process_is_not_to_be_changed(void **state)
{
    static const uint64_t init[] = { 1, 1 | HIGH, 1 | HIGH_ALL };

    (void)state;
    for (size_t i = 0; i < COUNT(init); i++) {
        all_say(ERRNO(EPERM), __NR_prlimit64, init[i], RLIMIT_NOFILE, 1);
        all_say(ERRNO(EPERM), __NR_prlimit64, init[i], RLIMIT_CORE, 0);
        all_say(ERRNO(EPERM), __NR_sched_setscheduler, init[i], 0, 0);
        all_say(ERRNO(EPERM), __NR_sched_setparam, init[i], 0, 0);
        all_say(ERRNO(EPERM), __NR_sched_setattr, init[i], 0, 0);
        all_say(ERRNO(EPERM), __NR_setpriority, PRIO_PROCESS, init[i], 0);
        all_say(ERRNO(EPERM), __NR_ioprio_set, 1, init[i], 0);
    }
    for (uint64_t pid = 0; pid < 5; pid += 2) {
        all_say(ALLOW, __NR_prlimit64, pid, RLIMIT_NOFILE, 1);
        all_say(ALLOW, __NR_sched_setscheduler, pid, 1, 1);
        all_say(ALLOW, __NR_setpriority, PRIO_PROCESS, pid, 1);
        all_say(ALLOW, __NR_ioprio_set, 1, pid, 1);
        all_say(ERRNO(EPERM), __NR_setpriority, PRIO_PGRP, pid, 1);
        all_say(ERRNO(EPERM), __NR_setpriority, PRIO_USER, pid, 1);
        all_say(ERRNO(EPERM), __NR_ioprio_set, 2, pid, 1);
        all_say(ERRNO(EPERM), __NR_ioprio_set, 3, pid, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(P13_clone_makes_no_namespace),
        cmocka_unit_test(R_001_021_P02_threads_and_processes_start_by_the_policy),
        cmocka_unit_test(P08_the_first_process_is_not_to_be_changed),
        cmocka_unit_test(no_lease_is_taken),
        cmocka_unit_test(P19_no_ioctl_takes_over_a_terminal),
        cmocka_unit_test(no_ioctl_makes_a_snapshot),
        cmocka_unit_test(P20_personality_is_plain),
        cmocka_unit_test(I07_memory_stays_open_to_who_holds_time),
#ifdef __x86_64__
        cmocka_unit_test(I08_nobody_gets_the_shared_code_anew),
#endif
        cmocka_unit_test(I07_waits_that_end_by_themselves_are_held),
        cmocka_unit_test(no_device_is_made),
        cmocka_unit_test(F21_no_file_is_made_to_lend_rights_where_the_policy_says_so),
        cmocka_unit_test(F21_setuid_and_setgid_are_refused_and_sticky_is_not),
        cmocka_unit_test(P24_the_limit_on_core_files_stays_and_can_be_read),
        cmocka_unit_test(N03_socket_pairs_are_local),
        cmocka_unit_test(N03_sockets_have_the_families_of_the_policy),
    };

    return cmocka_run_group_tests(tests, build_all, NULL);
}
