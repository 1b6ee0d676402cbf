/* SPDX-License-Identifier: Apache-2.0 */
/* confine.c: limits, rights and a list of calls that are never made. */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { X32 = 0x40000000 };

/* On another architecture this file does not compile: nobody has read its calls. */
#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* Landlock's rights, as far as they are given away here. */
enum {
    LANDLOCK_VERSION = 1,
    FS_EXECUTE = 1 << 0,
    FS_NAMES = 0x1ff << 4, /* to make or remove a name of any kind */
    FS_TRUNCATE = 1 << 14, /* since version 3 */
    HAS_TRUNCATE = 3,
    SCOPE_SIGNAL = 1 << 1, /* since version 6 */
    HAS_SCOPE = 6,
};

/* Who is in a domain of Landlock's reaches no process outside of it in any way that tracing would
 * need: that closes /proc/PID/mem, its environment and its descriptors, which no filter can know by
 * their paths. Nor does it send one a signal. Where Landlock is missing, they are open to who has
 * the same user, as far as the kernel lets that user trace. */
static bool enter_domain(struct error *e)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    struct {
        uint64_t files, network, scoped;            /* what a kernel does not know must be zero */
    } handled = { .files = FS_EXECUTE | FS_NAMES }; /* and no rule that allows one of them */

    if (version < 1)
        return true;
    if (version >= HAS_TRUNCATE)
        handled.files |= FS_TRUNCATE;
    if (version >= HAS_SCOPE)
        handled.scoped = SCOPE_SIGNAL;
    _fd_ int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);

    if (rules < 0 || syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        return error_sys(e, ERROR_IO, "other processes cannot be put out of reach");
    return true;
}

/* ---- calls ---- */

/* What is never called. From 424 on a call has the same number everywhere, and the headers may be
 * older. */
static const uint32_t denied[] = {
    SYS_execve, /* other programs */
    SYS_execveat,
    SYS_ptrace, /* other processes */
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_move_pages,
    SYS_migrate_pages,
    SYS_shmat,
    SYS_sched_setaffinity,
    SYS_sched_setattr,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
    SYS_setpriority,
    SYS_ioprio_set,
    438,          /* pidfd_getfd */
    440,          /* process_madvise */
    448,          /* process_mrelease */
    437,          /* openat2: whether it writes lies in memory, where no filter looks */
    SYS_truncate, /* what files are */
    SYS_fchmod,
    SYS_fchmodat,
    452, /* fchmodat2 */
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    463,          /* setxattrat */
    466,          /* removexattrat */
    469,          /* file_setattr */
#ifdef __x86_64__ /* their elders */
    SYS_creat,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
    SYS_open_by_handle_at, /* other files and mounts */
    SYS_mount,
    SYS_unshare,
    SYS_setns,
    SYS_bpf, /* the kernel */
    SYS_perf_event_open,
    SYS_io_uring_setup,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
};

/* A thread is made, and a process, but no namespace, in which rights would be gained. What clone3
 * asks for lies in memory, where no filter looks; without it a C library takes clone. */
static unsigned short allow_threads(struct sock_filter code[static 7])
{
    static const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                       CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    const struct sock_filter lines[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    memcpy(code, lines, sizeof lines);
    return COUNT(lines);
}

enum { WRITING = O_ACCMODE | O_CREAT | O_TRUNC, SOCKET_TYPE = 0xf };

/* Calls that are made with some arguments only: what a mask leaves of one is the value of a row, or
 * the call fails. Rows of one call stand together; the last has its errno.
 *
 * Opening: no limit holds what is written to a file that is mapped. Sockets: one that has a path or
 * a name leads to those who start programs for their user, as a bus and a container engine do. To
 * look up a host takes the others, and libcurl wakes itself by a pair; but of a pair for datagrams
 * each can be connected to anybody. Limits: one of processor time kills another process. */
/* clang-format off */
static const struct narrowed {
    uint32_t nr, argument, mask, value, sys;
} narrowed[] = {
#ifdef __x86_64__
    { SYS_open,       1, WRITING,     0,           EACCES },
#endif
    { SYS_openat,     2, WRITING,     0,           EACCES },
    { SYS_socket,     0, ~0U,         AF_INET,     0 },
    { SYS_socket,     0, ~0U,         AF_INET6,    0 },
    { SYS_socket,     0, ~0U,         AF_NETLINK,  EAFNOSUPPORT },
    { SYS_socketpair, 1, SOCKET_TYPE, SOCK_STREAM, EAFNOSUPPORT },
    { SYS_prlimit64,  0, ~0U,         0,           EPERM }, /* of itself */
};
/* clang-format on */

enum { NARROWED_LINES = 8 };

/* The number of the call is loaded, before and after. */
static unsigned short allow_some(struct sock_filter code[static NARROWED_LINES * COUNT(narrowed)])
{
    unsigned short n = 0;

    for (size_t i = 0; i < COUNT(narrowed); i++) {
        const struct narrowed *row = &narrowed[i];
        bool last = i + 1 == COUNT(narrowed) || narrowed[i + 1].nr != row->nr;
        uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) + 8UL * row->argument);
        const struct sock_filter lines[NARROWED_LINES] = {
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row->nr, 0, 5),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
            BPF_STMT(BPF_ALU | BPF_AND | BPF_K, row->mask),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row->value, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row->nr, 0, 1), /* of the last row alone */
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | row->sys),
        };
        unsigned short count = last ? NARROWED_LINES : NARROWED_LINES - 2;

        memcpy(code + n, lines, count * sizeof *lines);
        n += count;
    }
    return n;
}

/* Who gets in stays alone. A call of another architecture has another number, so it is not made at
 * all. */
static bool filter_calls(struct error *e)
{
    struct sock_filter code[2 * COUNT(denied) + NARROWED_LINES * COUNT(narrowed) + 13];
    struct sock_fprog program = { .filter = code };
    unsigned short n = 0;

    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    for (size_t i = 0; i < COUNT(denied); i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    n += allow_some(code + n);
    n += allow_threads(code + n);
    program.len = n;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return error_sys(e, ERROR_IO, "system calls cannot be filtered");
    return true;
}

/* Who is started by root is still root, and has no right over what others own. */
static bool drop_rights(void)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { 0 };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &head, none) == 0;
}

bool confine_self(unsigned descriptors, struct error *e)
{
    const struct {
        int resource;
        rlim_t most;
    } rows[] = {
        { RLIMIT_CORE, 0 },
        { RLIMIT_FSIZE, 0 }, /* nor does what it was given grow */
        { RLIMIT_NOFILE, descriptors },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rlimit now = { 0 };

        if (getrlimit(rows[i].resource, &now) != 0)
            return error_sys(e, ERROR_IO, "limits cannot be read");
        if (now.rlim_max > rows[i].most)
            now.rlim_max = rows[i].most;
        now.rlim_cur = now.rlim_max;
        if (setrlimit(rows[i].resource, &now) != 0)
            return error_sys(e, ERROR_IO, "limits cannot be set");
    }
    if (chdir("/") != 0 || !drop_rights() || prctl(PR_SET_DUMPABLE, 0) != 0 ||
        signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return error_sys(e, ERROR_IO, "what is not needed cannot be given away");
    return enter_domain(e) && filter_calls(e);
}
