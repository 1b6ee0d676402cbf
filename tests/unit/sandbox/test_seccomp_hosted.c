/* SPDX-License-Identifier: Apache-2.0 */
/* test_seccomp_hosted.c: without namespaces the filter closes what reaches others of the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/own.h"
#include "sandbox/calls.h"
#include "unit/sandbox/bpf.h"

#define ALLOW    SECCOMP_RET_ALLOW
#define ASK      SECCOMP_RET_USER_NOTIF
#define ERRNO(n) (SECCOMP_RET_ERRNO | (n))

enum { OTHER = 4711 };

static struct seccomp_program program;

static int build(void **state)
{
    static const struct seccomp_policy policy = { .no_setid = true, .hosted = true };

    (void)state;
    seccomp_build(&policy, &program);
    return 0;
}

static void says(uint32_t want, int nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
    struct seccomp_data data = { .nr = nr, .arch = BPF_ARCH, .args = { a0, a1, a2 } };

    assert_int_equal(bpf_run(&program, &data), want);
}

static void others_are_out_of_reach_by_their_number(void **state)
{
    (void)state;
    says(ALLOW, __NR_sched_setscheduler, 0, 0, 0);
    says(ERRNO(EPERM), __NR_sched_setscheduler, OTHER, 0, 0);
    says(ERRNO(EPERM), __NR_sched_setparam, OTHER, 0, 0);
    says(ERRNO(EPERM), __NR_sched_setattr, OTHER, 0, 0);
    says(ERRNO(EPERM), __NR_sched_setaffinity, OTHER, 0, 0);
    says(ALLOW, __NR_setpriority, PRIO_PROCESS, 0, 0);
    says(ERRNO(EPERM), __NR_setpriority, PRIO_PROCESS, OTHER, 0);
    says(ERRNO(EPERM), __NR_setpriority, PRIO_USER, 0, 0);
    says(ERRNO(EPERM), __NR_setpriority, PRIO_PGRP, 0, 0);
    says(ALLOW, __NR_ioprio_set, 1, 0, 0);
    says(ERRNO(EPERM), __NR_ioprio_set, 1, OTHER, 0);
    says(ERRNO(EPERM), __NR_ioprio_set, 3, 0, 0);
    says(ALLOW, __NR_prlimit64, 0, RLIMIT_NOFILE, 1);
    says(ERRNO(EPERM), __NR_prlimit64, OTHER, RLIMIT_NOFILE, 0);
    says(ERRNO(0), __NR_prlimit64, 0, RLIMIT_CORE, 1);
}

static void the_host_s_ipc_and_sockets_are_closed(void **state)
{
    static const int closed[] = { __NR_shmget, __NR_shmat,     __NR_shmctl,        __NR_semget,
                                  __NR_semop,  __NR_semctl,    __NR_msgget,        __NR_msgsnd,
                                  __NR_msgrcv, __NR_msgctl,    __NR_mq_open,       __NR_mq_unlink,
                                  __NR_bind,   __NR_connect,   __NR_inotify_init1, __NR_fchown,
                                  __NR_listen, __NR_semtimedop };

    (void)state;
    for (size_t i = 0; i < COUNT(closed); i++)
        says(ERRNO(EPERM), closed[i], 0, 0, 0);
    says(ERRNO(EAFNOSUPPORT), __NR_socket, AF_INET, SOCK_STREAM, 0);
    says(ERRNO(EAFNOSUPPORT), __NR_socket, AF_INET6, SOCK_DGRAM, 0);
    says(ERRNO(EAFNOSUPPORT), __NR_socket, AF_UNIX, SOCK_STREAM, 0);
    says(ALLOW, __NR_socketpair, AF_UNIX, SOCK_STREAM, 0);
}

static void no_directory_is_watched(void **state)
{
    (void)state;
    says(ERRNO(EPERM), __NR_fcntl, 3, F_NOTIFY, 0);
    says(ERRNO(EPERM), __NR_fcntl, 3, F_NOTIFY | UINT64_C(1) << 32, 0);
    says(ALLOW, __NR_fcntl, 3, F_GETFL, 0);
}

static void modes_and_times_are_asked_for(void **state)
{
    (void)state;
    says(ASK, __NR_fchmod, 3, 0644, 0);
    says(ASK, __NR_fchmodat, 3, 0, 0644);
    says(ASK, 452, 3, 0, 0644);
    says(ASK, __NR_utimensat, 3, 0, 0);
#ifdef __x86_64__
    says(ASK, __NR_utime, 0, 0, 0);
    says(ASK, __NR_utimes, 0, 0, 0);
    says(ASK, __NR_futimesat, 3, 0, 0);
#endif
    says(ERRNO(EPERM), __NR_fchmod, 3, 04755, 0);
    says(ERRNO(EPERM), __NR_fchmodat, 3, 0, 02755);
    says(ERRNO(EOPNOTSUPP), __NR_setxattr, 0, 0, 0);
    says(ERRNO(EOPNOTSUPP), __NR_fgetxattr, 0, 0, 0);
}

static void controls_of_files_change_nothing(void **state)
{
    (void)state;
    says(ALLOW, __NR_ioctl, 0, FIONREAD, 0);
    says(ALLOW, __NR_ioctl, 0, TCGETS, 0);
    says(ERRNO(EPERM), __NR_ioctl, 0, FS_IOC_SETFLAGS, 0);
    says(ERRNO(EPERM), __NR_ioctl, 0, FS_IOC_FSSETXATTR, 0);
    says(ERRNO(EPERM), __NR_ioctl, 0, TIOCSTI, 0);
    says(ERRNO(EPERM), __NR_ioctl, 0, TIOCSTI | UINT64_C(1) << 32, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_are_out_of_reach_by_their_number),
        cmocka_unit_test(the_host_s_ipc_and_sockets_are_closed),
        cmocka_unit_test(no_directory_is_watched),
        cmocka_unit_test(modes_and_times_are_asked_for),
        cmocka_unit_test(controls_of_files_change_nothing),
    };

    return cmocka_run_group_tests(tests, build, NULL);
}
