/* SPDX-License-Identifier: Apache-2.0 */
/* test_seccomp.c: the filter is sound, and says of every number what the table says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include "sandbox/calls.h"
#include "unit/sandbox/filters.h"

/* What a conditional jump may skip; seccomp.c was built with the same. */
#ifdef REACH
enum { LONGEST = REACH + 1 };
#else
enum { LONGEST = 255 };
#endif

/* ---- the program ---- */

/* The kernel's own check, and a size that is quick to load. With bridges no jump is longer than it
 * was told to be; a longest program needs a few whatever the reach. */
static void P13_P14_the_program_is_short_and_every_jump_lands(void **state)
{
    (void)state;
    for (int p = 0; p < POLICIES; p++) {
        const struct seccomp_program *program = &programs[p];
        size_t bridges = 0;

        for (size_t i = 0; i < program->count; i++) {
            const struct sock_filter *f = &program->code[i];
            size_t left = program->count - i - 1u;

            bridges += f->code == (BPF_JMP | BPF_JA);
            if (f->code == (BPF_JMP | BPF_JA))
                assert_true(f->k < left);
            else if (BPF_CLASS(f->code) == BPF_JMP)
                assert_true(f->jt < left && f->jf < left && f->jt <= LONGEST && f->jf <= LONGEST);
        }
        assert_int_equal(BPF_CLASS(program->code[program->count - 1].code), BPF_RET);
        assert_in_range(program->count, 50, LONGEST < 255 ? SECCOMP_CODE_MAX : 400);
        assert_true(LONGEST < 255 ? bridges > 0 : bridges < 80);
    }
}

/* A record can name the filter by its digest. */
static void the_program_is_the_same_each_time(void **state)
{
    struct seccomp_program again = { 0 };

    (void)state;
    for (int p = 0; p < POLICIES; p++) {
        seccomp_build(&policies[p], &again);
        assert_int_equal(again.count, programs[p].count);
        assert_memory_equal(again.code, programs[p].code, again.count * sizeof again.code[0]);
    }
}

static enum call_verdict row_of(int nr)
{
    for (size_t i = 0; i < call_count; i++)
        if (calls[i].number == nr)
            return calls[i].verdict;
    return CALL_ENOSYS;
}

static uint32_t openat2_verdict(int policy)
{
    return policies[policy].no_setid ? ERRNO(ENOSYS) : ALLOW;
}

static uint32_t unheld_verdict(int policy)
{
    return policies[policy].held ? ERRNO(ENOSYS) : ALLOW;
}

static uint32_t ipc_verdict(int policy)
{
    return policies[policy].ask_ipc ? ASK : ALLOW;
}

/* What is only closed without namespaces: test_seccomp_hosted.c. */
static bool is_hosts(enum call_verdict row)
{
    return row == CALL_SHARED || row == CALL_CHANGE || row == CALL_XATTR;
}

static void P13_P14_P15_P16_every_number_gets_the_verdict_of_its_row(void **state)
{
    size_t allowed = 0;

    (void)state;
    for (int nr = 0; nr < 1024; nr++) {
        enum call_verdict row = row_of(nr);

        allowed += row == CALL_ALLOW;
        for (int p = 0; p < POLICIES && row < CALL_RULES; p++) {
            uint32_t want = row == CALL_ALLOW || is_hosts(row) ? ALLOW
                            : row == CALL_EPERM                ? ERRNO(EPERM)
                            : row == CALL_FORK                 ? fork_verdict(p)
                            : row == CALL_THREAD_END           ? thread_verdict(p)
                            : row == CALL_OPENAT2              ? openat2_verdict(p)
                            : row == CALL_IPC                  ? ipc_verdict(p)
                            : row == CALL_HELD                 ? held_verdict(p)
                            : row == CALL_UNHELD               ? unheld_verdict(p)
                                                               : ERRNO(ENOSYS);

            assert_int_equal(ask(p, nr, 0, 0, 0), want);
            assert_int_equal(ask(p, nr, UINT64_MAX, UINT64_MAX, UINT64_MAX), want);
        }
    }
    assert_in_range(allowed, 150, 350);
}

static void P18_numbers_above_the_table_do_not_exist(void **state)
{
    static const uint32_t huge[] = { 0x10000,    0x0f0000,   0x0f0005,   0x40000000, 0x7fffffff,
                                     0x80000000, 0xbfffffff, 0xc0000000, 0xfffffffe, 0xffffffff };

    (void)state;
    for (size_t i = 0; i < COUNT(huge); i++)
        all_say(ERRNO(ENOSYS), (int)huge[i], 0, 0, 0);
    for (uint32_t nr = 0; nr < 1024; nr++) { /* as x32 has them, and with other high bits */
        all_say(ERRNO(ENOSYS), (int)(nr | 0x40000000), 0, 0, 0);
        all_say(ERRNO(ENOSYS), (int)(nr | 0x80000000), 0, 0, 0);
        all_say(ERRNO(ENOSYS), (int)(nr | 0x00010000), 0, 0, 0);
    }
}

static void P18_another_architecture_is_killed(void **state)
{
    static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM,
                                       BPF_OTHER_ARCH,  0,
                                       UINT32_MAX,      BPF_ARCH ^ 1,
                                       BPF_ARCH + 1,    AUDIT_ARCH_RISCV64 };

    (void)state;
    for (size_t i = 0; i < COUNT(others); i++)
        for (int nr = -1; nr < 1024; nr++)
            for (int p = 0; p < POLICIES; p++) {
                struct seccomp_data data = { .nr = nr, .arch = others[i] };

                assert_int_equal(bpf_run(&programs[p], &data), KILL);
            }
}

/* ---- names, written out: the table itself is on trial here ---- */

static void P14_P15_P16_rings_keys_and_their_like_do_not_exist(void **state)
{
    /* clang-format off */
    static const int list[] = {
        __NR_clone3, __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register,
        __NR_io_setup, __NR_io_destroy, __NR_io_submit, __NR_io_cancel, __NR_io_getevents,
        __NR_io_pgetevents,
        __NR_add_key, __NR_request_key, __NR_keyctl, __NR_userfaultfd, __NR_memfd_secret,
        457 /* statmount */, 458 /* listmount */, 470 /* listns */,
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++)
        all_say(ERRNO(ENOSYS), list[i], 0, 0, 0);
}

static void A01_10_P09_P13_P15_P23_what_reaches_others_or_the_kernel_is_refused(void **state)
{
    /* clang-format off */
    static const int list[] = {
        __NR_unshare, __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot,
        __NR_open_tree, __NR_move_mount, __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick,
        __NR_mount_setattr, 467 /* open_tree_attr */, __NR_ptrace, __NR_process_vm_readv,
        __NR_process_vm_writev, __NR_process_madvise, __NR_pidfd_getfd, __NR_kcmp, __NR_bpf,
        __NR_perf_event_open, __NR_kexec_load, __NR_kexec_file_load, __NR_init_module,
        __NR_finit_module, __NR_delete_module, __NR_swapon, __NR_swapoff, __NR_reboot, __NR_acct,
        __NR_quotactl, __NR_quotactl_fd, __NR_open_by_handle_at, __NR_name_to_handle_at,
        __NR_fanotify_init, __NR_settimeofday, __NR_clock_settime, __NR_adjtimex,
        __NR_clock_adjtime, __NR_syslog, __NR_vhangup, __NR_lookup_dcookie, __NR_nfsservctl,
        __NR_move_pages, __NR_migrate_pages, __NR_sethostname, __NR_setdomainname,
        __NR_sched_setaffinity,
#ifdef __x86_64__
        __NR_iopl, __NR_ioperm, __NR_create_module,
#endif
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++)
        all_say(ERRNO(EPERM), list[i], 0, 0, 0);
}

static void what_outlives_its_maker_is_asked_for(void **state)
{
    static const int list[] = { __NR_shmget, __NR_semget, __NR_msgget, __NR_mq_open };

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++)
        for (int p = 0; p < POLICIES; p++)
            assert_int_equal(ask(p, list[i], 0, 0, 0), ipc_verdict(p));
}

/* What the sandbox itself still does after it has loaded the filter, and what any program does. */
static void the_way_to_the_program_stays_open(void **state)
{
    /* clang-format off */
    static const int list[] = {
        __NR_write, __NR_sendmsg, __NR_close, __NR_exit_group,
        __NR_read, __NR_openat, __NR_mmap, __NR_futex, __NR_rt_sigreturn, __NR_prctl,
        __NR_landlock_restrict_self, __NR_memfd_create, __NR_mbind,
        452 /* fchmodat2 */, 462 /* mseal */,
#ifdef __x86_64__
        __NR_open, __NR_stat, __NR_arch_prctl, __NR_poll,
#endif
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++)
        all_say(ALLOW, list[i], 0, 0, 0);
    for (int p = 0; p < POLICIES; p++) {
        assert_int_equal(ask(p, __NR_execve, 0, 0, 0), held_verdict(p));
        assert_int_equal(ask(p, __NR_execveat, 0, 0, 0), held_verdict(p));
        assert_int_equal(ask(p, 455 /* futex_wait */, 0, 0, 0), unheld_verdict(p));
        assert_int_equal(ask(p, __NR_getdents64, 0, 0, 0), held_verdict(p));
#ifdef __x86_64__
        assert_int_equal(ask(p, __NR_getdents, 0, 0, 0), unheld_verdict(p));
#endif
    }
}

/* A whiteout is a device. */
static void no_rename_leaves_a_device(void **state)
{
    (void)state;
    for (uint64_t flags = 0; flags < 8; flags++)
        for (int p = 0; p < POLICIES; p++)
            assert_int_equal(ask_with(p, __NR_renameat2, (uint64_t[6]){ 0, 0, 0, 0, flags | HIGH }),
                             flags & RENAME_WHITEOUT ? ERRNO(EPERM) : ALLOW);
}

static void no_huge_pages_are_taken(void **state)
{
    (void)state;
    for (int p = 0; p < POLICIES; p++) {
        const uint64_t map = MAP_PRIVATE | MAP_ANONYMOUS;

        assert_int_equal(ask_with(p, __NR_mmap, (uint64_t[6]){ 0, 4096, 3, map }), ALLOW);
        assert_int_equal(ask_with(p, __NR_mmap, (uint64_t[6]){ 0, 4096, 3, map | MAP_HUGETLB }),
                         ERRNO(EPERM));
        assert_int_equal(ask(p, __NR_memfd_create, 0, MFD_CLOEXEC, 0), ALLOW);
        assert_int_equal(ask(p, __NR_memfd_create, 0, MFD_HUGETLB, 0), ERRNO(EPERM));
        assert_int_equal(ask(p, __NR_shmget, 0, 0, 0600), ask(p, __NR_semget, 0, 0, 0));
        assert_int_equal(ask(p, __NR_shmget, 0, 0, SHM_HUGETLB), ERRNO(EPERM));
    }
}

static void P21_filters_are_counted_and_none_listens(void **state)
{
    (void)state;
    all_say(ALLOW, __NR_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0);
    all_say(ALLOW, __NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, 0);
    all_say(ALLOW, __NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0);
    all_say(ALLOW, __NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0);
    all_say(ALLOW, __NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, 0);
    all_say(ERRNO(EPERM), __NR_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, 0);
    for (uint64_t flags = 0; flags < 256; flags++)
        for (uint64_t high = 0; high <= HIGH; high += HIGH)
            for (int p = 0; p < POLICIES; p++)
                assert_int_equal(
                    ask(p, __NR_seccomp, SECCOMP_SET_MODE_FILTER | high, flags | high, high | 4096),
                    flags & SECCOMP_FILTER_FLAG_NEW_LISTENER ? ERRNO(EPERM) : filter_verdict(p));
    for (int p = 0; p < POLICIES; p++)
        assert_int_equal(ask(p, __NR_prctl, PR_SET_SECCOMP | HIGH, SECCOMP_MODE_FILTER, HIGH),
                         filter_verdict(p));
    for (uint64_t op = 3; op < 64; op++)
        all_say(ERRNO(EPERM), __NR_seccomp, op, 0, 0);
}

static void P21_no_socket_gets_a_program_of_bpf(void **state)
{
    static const uint64_t attached[] = { SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF,
                                         SO_ATTACH_REUSEPORT_EBPF };
    static const uint64_t high[] = { 0, HIGH, HIGH_ALL, UINT64_C(1) << 63 };

    (void)state;
    for (size_t i = 0; i < COUNT(attached); i++) {
        for (size_t k = 0; k < COUNT(high); k++)
            for (size_t l = 0; l < COUNT(high); l++)
                all_say(ERRNO(EPERM), __NR_setsockopt, 0, SOL_SOCKET | high[k],
                        attached[i] | high[l]);
        all_say(ALLOW, __NR_setsockopt, 0, IPPROTO_TCP, attached[i]);
    }
    all_say(ALLOW, __NR_setsockopt, 0, SOL_SOCKET, SO_REUSEADDR);
    all_say(ALLOW, __NR_setsockopt, 0, SOL_SOCKET, SO_DETACH_FILTER);
    all_say(ALLOW, __NR_setsockopt, 0, SOL_SOCKET, SO_LOCK_FILTER);
}

/* What a socket is told to keep, and a connection that waits, is in memory that no cgroup counts.
 */
static void R03_sockets_keep_no_lists(void **state)
{
    static const uint64_t refused[][2] = {
        { IPPROTO_IPV6, IPV6_JOIN_GROUP },         { IPPROTO_IPV6, MCAST_JOIN_GROUP },
        { IPPROTO_IPV6, MCAST_JOIN_SOURCE_GROUP }, { IPPROTO_TCP, 14 /* TCP_MD5SIG */ },
        { IPPROTO_TCP, 32 /* TCP_MD5SIG_EXT */ },  { IPPROTO_TCP, 38 /* TCP_AO_ADD_KEY */ },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++)
        all_say(ERRNO(EPERM), __NR_setsockopt, 0, refused[i][0], refused[i][1]);
    all_say(ERRNO(0), __NR_setsockopt, 0, SOL_SOCKET, SO_RCVBUF);
    all_say(ALLOW, __NR_setsockopt, 0, SOL_SOCKET, SO_SNDBUF);
    all_say(ALLOW, __NR_setsockopt, 0, IPPROTO_TCP, TCP_NODELAY);
    all_say(ALLOW, __NR_setsockopt, 0, IPPROTO_IPV6, IPV6_V6ONLY);
}

/* The supervisor counts locks by the process that has them. */
static void R03_every_lock_is_of_a_process(void **state)
{
    (void)state;
    for (uint64_t open_file = 36; open_file <= 38; open_file++) /* F_OFD_GETLK and so on */
        all_say(ERRNO(EINVAL), __NR_fcntl, 3, open_file, 0);
    all_say(ALLOW, __NR_fcntl, 3, F_SETLK, 0);
    all_say(ALLOW, __NR_fcntl, 3, F_SETLKW, 0);
    all_say(ERRNO(EPERM), __NR_clone, CLONE_FILES | SIGCHLD, 0, 0);
    all_say(ERRNO(EPERM), __NR_clone, CLONE_VM | CLONE_FILES | SIGCHLD, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(P13_P14_the_program_is_short_and_every_jump_lands),
        cmocka_unit_test(the_program_is_the_same_each_time),
        cmocka_unit_test(P13_P14_P15_P16_every_number_gets_the_verdict_of_its_row),
        cmocka_unit_test(P18_numbers_above_the_table_do_not_exist),
        cmocka_unit_test(P18_another_architecture_is_killed),
        cmocka_unit_test(P14_P15_P16_rings_keys_and_their_like_do_not_exist),
        cmocka_unit_test(A01_10_P09_P13_P15_P23_what_reaches_others_or_the_kernel_is_refused),
        cmocka_unit_test(what_outlives_its_maker_is_asked_for),
        cmocka_unit_test(the_way_to_the_program_stays_open),
        cmocka_unit_test(no_rename_leaves_a_device),
        cmocka_unit_test(no_huge_pages_are_taken),
        cmocka_unit_test(P21_filters_are_counted_and_none_listens),
        cmocka_unit_test(P21_no_socket_gets_a_program_of_bpf),
        cmocka_unit_test(R03_sockets_keep_no_lists),
        cmocka_unit_test(R03_every_lock_is_of_a_process),
    };

    return cmocka_run_group_tests(tests, build_all, NULL);
}
