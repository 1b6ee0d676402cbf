/* SPDX-License-Identifier: Apache-2.0 */
/* confine.c: limits, rights and a list of calls that are never made. */
#include "base/confine.h"

#include <errno.h>
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

/* No other program is ever started, and no call reads another's memory or takes its descriptors:
 * who gets in stays alone. A call of another architecture has another number, so it is not made at
 * all. From 424 on a call has the same number everywhere, and the headers may be older. */
static bool filter_calls(struct error *e)
{
    static const uint32_t denied[] = {
        SYS_execve, /* other programs */
        SYS_execveat,
        SYS_ptrace, /* other processes */
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_kcmp,
        SYS_move_pages,
        SYS_migrate_pages,
        438,                   /* pidfd_getfd */
        440,                   /* process_madvise */
        448,                   /* process_mrelease */
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
    struct sock_filter code[2 * COUNT(denied) + 13];
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
        { RLIMIT_FSIZE, 0 }, /* it writes no file */
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
