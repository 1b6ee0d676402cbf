/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h: a seccomp allow-list for contestants that bring none of their own.
 *
 * Every call of this kernel's table is allowed but for the ones named here, and what is beyond the
 * table is not there (ENOSYS). It is laid out as a binary search over ranges of numbers, which is
 * the quickest to load and to pass that is known: nobody is handicapped by it.
 */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

enum { FILTER_MAX = 256, FILTER_CALLS = 450 };

#ifdef __aarch64__
enum { FILTER_ARCH = (int)AUDIT_ARCH_AARCH64 };
#else
enum { FILTER_ARCH = (int)AUDIT_ARCH_X86_64 };
#endif

struct filter {
    struct sock_filter code[FILTER_MAX];
    unsigned short n;
};

struct filter_ranges {
    int from[FILTER_CALLS]; /* first number of the range; alternately allowed and refused */
    int n;
};

static inline int filter_refuses(int nr)
{
    static const int refused[] = {
        SYS_unshare,
        SYS_setns,
        SYS_clone3,
        SYS_mount,
        SYS_umount2,
        SYS_pivot_root,
        SYS_chroot,
        SYS_open_tree,
        SYS_move_mount,
        SYS_fsopen,
        SYS_fsconfig,
        SYS_fsmount,
        SYS_fspick,
        SYS_mount_setattr,
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_bpf,
        SYS_add_key,
        SYS_request_key,
        SYS_keyctl,
        SYS_io_uring_setup,
        SYS_io_uring_enter,
        SYS_io_uring_register,
        SYS_perf_event_open,
        SYS_userfaultfd,
        SYS_kexec_load,
        SYS_init_module,
        SYS_finit_module,
        SYS_delete_module,
        SYS_reboot,
        SYS_swapon,
        SYS_swapoff,
        SYS_settimeofday,
        SYS_clock_settime,
        SYS_open_by_handle_at,
    };

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (refused[i] == nr)
            return 1;
    }
    return nr >= FILTER_CALLS;
}

static inline void filter_add(struct filter *f, int code, unsigned k, int jt, int jf)
{
    f->code[f->n++] =
        (struct sock_filter){ (unsigned short)code, (unsigned char)jt, (unsigned char)jf, k };
}

/* The search through ranges lo to hi. */
static inline void filter_search(struct filter *f, const struct filter_ranges *r, int lo, int hi)
{
    int middle = (lo + hi + 1) / 2, at = f->n;

    if (lo == hi) {
        unsigned refuse = SECCOMP_RET_ERRNO | (r->from[lo] >= FILTER_CALLS ? ENOSYS : EPERM);

        filter_add(f, BPF_RET | BPF_K, lo % 2 == 0 ? SECCOMP_RET_ALLOW : refuse, 0, 0);
        return;
    }
    filter_add(f, BPF_JMP | BPF_JGE | BPF_K, (unsigned)r->from[middle], 0, 0);
    filter_search(f, r, lo, middle - 1);
    f->code[at].jt = (unsigned char)(f->n - at - 1);
    filter_search(f, r, middle, hi);
}

static inline void filter_build(struct filter *f)
{
    struct filter_ranges ranges = { .n = 1 }; /* call 0 is allowed on both machines */

    for (int nr = 1; nr <= FILTER_CALLS; nr++) {
        if (filter_refuses(nr) != filter_refuses(nr - 1))
            ranges.from[ranges.n++] = nr;
    }
    f->n = 0;
    filter_add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)FILTER_ARCH, 1, 0);
    filter_add(f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    filter_add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    filter_search(f, &ranges, 0, ranges.n - 1);
}
