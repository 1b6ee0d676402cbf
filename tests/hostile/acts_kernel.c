/* SPDX-License-Identifier: Apache-2.0 */
/* acts_kernel.c: system calls that no command needs, and looking into other processes. */
#include "acts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- P09, P10: other processes ---- */

static void touch_process(int pid, const char *who)
{
    char byte = 0;
    struct iovec here = { &byte, 1 }, there = { (void *)0x400000, 1 };
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);

    refused("EPERM ESRCH", ptrace(PTRACE_SEIZE, pid, 0, 0), "seize %s", who);
    refused("EPERM ESRCH", ptrace(PTRACE_ATTACH, pid, 0, 0), "attach to %s", who);
    refused("EPERM ESRCH", process_vm_readv(pid, &here, 1, &there, 1, 0), "read %s", who);
    refused("EPERM ESRCH", process_vm_writev(pid, &here, 1, &there, 1, 0), "write %s", who);
    refused("EPERM ESRCH", syscall(SYS_kcmp, pid, getpid(), 0, 0, 0), "compare %s", who);
    refused("EPERM ESRCH", syscall(SYS_pidfd_getfd, handle, 0, 0), "descriptor of %s", who);
    refused("EPERM ESRCH", syscall(SYS_process_madvise, handle, &there, 1, MADV_COLD, 0),
            "advise %s", who);
    if (handle >= 0)
        close(handle);
}

static int trace(int argc, char **argv)
{
    int pid = fork();

    if (pid == 0) {
        pause();
        _exit(0);
    }
    touch_process(1, "init");
    touch_process(getppid(), "the parent");
    if (works(pid, "a child"))
        touch_process(pid, "the child");
    kill(pid, SIGKILL);
    refused("EPERM", ptrace(PTRACE_TRACEME, 0, 0, 0), "be traced");
    return argc && argv ? 99 : verdict();
}

static void peek_at(const char *pid)
{
    static const char *const files[] = { "environ", "mem",   "auxv",    "maps", "cmdline", "exe",
                                         "fd/0",    "stack", "syscall", "cwd",  "root",    "io" };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int fd = open(text("/proc/%s/%s", pid, files[i]), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

        if (refused("ENOENT EACCES EPERM ESRCH", fd, "open /proc/%s/%s", pid, files[i]))
            spill(fd);
    }
}

static int peek(int argc, char **argv)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int pid;

    peek_at("1");
    peek_at(text("%d", getppid()));
    while (dir && (entry = readdir(dir))) {
        pid = atoi(entry->d_name);
        if (pid > 0)
            holds(pid == getpid(), "process %d is this one", pid);
        if (pid > 0 && pid != getpid())
            peek_at(entry->d_name);
    }
    if (dir)
        closedir(dir);
    return argc && argv ? 99 : verdict();
}

/* ---- P08: init, which tells how this program ends ---- */

enum { IOPRIO_PROCESS = 1, IOPRIO_GROUP, IOPRIO_USER, IDLE = 3 << 13 };

static int change_init(int argc, char **argv)
{
    const struct sched_param none = { 0 };
    struct rlimit few = { 0, 0 }, now;
    int pid = fork();

    if (pid == 0) {
        pause();
        _exit(0);
    }
    refused("EPERM", prlimit(1, RLIMIT_NOFILE, &few, NULL), "descriptors of init");
    refused("EPERM", syscall(SYS_prlimit64, 1UL | 1UL << 40, RLIMIT_NOFILE, &few, NULL),
            "the same");
    refused("EPERM", prlimit(1, RLIMIT_CPU, &few, NULL), "time of init");
    refused("EPERM", sched_setscheduler(1, SCHED_IDLE, &none), "idling init");
    refused("EPERM", sched_setparam(1, &none), "parameters of init");
    refused("EPERM", syscall(SYS_sched_setattr, 1, NULL, 0), "attributes of init");
    refused("EPERM", setpriority(PRIO_PROCESS, 1, 19), "priority of init");
    refused("EPERM", setpriority(PRIO_PGRP, 1, 19), "priority of its group");
    refused("EPERM", setpriority(PRIO_USER, getuid(), 19), "priority of its user");
    refused("EPERM", syscall(SYS_ioprio_set, IOPRIO_PROCESS, 1, IDLE), "disk time of init");
    refused("EPERM", syscall(SYS_ioprio_set, IOPRIO_GROUP, 1, IDLE), "disk time of its group");
    refused("EPERM", syscall(SYS_ioprio_set, IOPRIO_USER, getuid(), IDLE), "and of its user");
    if (works(pid, "a child")) {
        works(prlimit(pid, RLIMIT_NOFILE, NULL, &now), "reading a child's limit");
        works(prlimit(pid, RLIMIT_NOFILE, &few, NULL), "a child's limit");
        works(sched_setscheduler(pid, SCHED_IDLE, &none), "idling a child");
        works(setpriority(PRIO_PROCESS, (id_t)pid, 19), "a child's priority");
        works(setpriority(PRIO_PROCESS, 0, 19), "one's own priority");
        works((int)syscall(SYS_ioprio_set, IOPRIO_PROCESS, pid, IDLE), "a child's disk time");
        kill(pid, SIGKILL);
    }
    return argc && argv ? 99 : verdict();
}

/* ---- P14 to P16: calls ---- */

struct call {
    const char *name;
    long number;
};

static void call_all(const char *wanted, const struct call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        refused(wanted, syscall(calls[i].number, -1, -1, 0, 0, 0, 0), "%s", calls[i].name);
}

/* clang-format off */
static const struct call ring[] = {
    { "io_uring_setup", SYS_io_uring_setup }, { "io_uring_enter", SYS_io_uring_enter },
    { "io_uring_register", SYS_io_uring_register }, { "io_setup", SYS_io_setup },
    { "io_destroy", SYS_io_destroy }, { "io_submit", SYS_io_submit }, { "io_cancel", SYS_io_cancel },
    { "io_getevents", SYS_io_getevents }, { "io_pgetevents", SYS_io_pgetevents },
};
static const struct call keys[] = {
    { "add_key", SYS_add_key }, { "request_key", SYS_request_key }, { "keyctl", SYS_keyctl },
};
/* With -1, -1 and zeros none of them does anything, wherever it is tried. */
static const struct call privileged[] = {
    { "bpf", SYS_bpf }, { "perf_event_open", SYS_perf_event_open }, { "userfaultfd", SYS_userfaultfd },
    { "kexec_load", SYS_kexec_load }, { "kexec_file_load", SYS_kexec_file_load }, { "init_module", SYS_init_module },
    { "finit_module", SYS_finit_module }, { "delete_module", SYS_delete_module },
    { "swapon", SYS_swapon }, { "swapoff", SYS_swapoff }, { "reboot", SYS_reboot }, { "acct", SYS_acct },
    { "quotactl", SYS_quotactl }, { "quotactl_fd", 443 }, { "settimeofday", SYS_settimeofday },
    { "clock_settime", SYS_clock_settime }, { "adjtimex", SYS_adjtimex },
    { "clock_adjtime", SYS_clock_adjtime }, { "syslog", SYS_syslog }, { "vhangup", SYS_vhangup },
    { "sethostname", SYS_sethostname }, { "setdomainname", SYS_setdomainname },
    { "move_pages", SYS_move_pages }, { "migrate_pages", SYS_migrate_pages },
    { "pidfd_getfd", SYS_pidfd_getfd }, { "nfsservctl", SYS_nfsservctl },
#ifdef SYS_lookup_dcookie
    { "lookup_dcookie", SYS_lookup_dcookie },
#endif
#ifdef SYS_iopl
    { "iopl", SYS_iopl }, { "ioperm", SYS_ioperm }, { "modify_ldt", SYS_modify_ldt },
    { "create_module", SYS_create_module }, { "uselib", SYS_uselib }, { "ustat", SYS_ustat },
    { "sysfs", SYS_sysfs }, { "_sysctl", SYS__sysctl },
#endif
    { "statmount", 457 }, { "listmount", 458 }, { "lsm_set_self_attr", 460 },
    { "number 600", 600 }, { "number 1023", 1023 }, { "number 100000", 100000 },
};
/* clang-format on */

static int ring_calls(int argc, char **argv)
{
    call_all("ENOSYS", ring, sizeof ring / sizeof *ring);
    return argc && argv ? 99 : verdict();
}

static int key_calls(int argc, char **argv)
{
    call_all("ENOSYS", keys, sizeof keys / sizeof *keys);
    refused("ENOSYS", syscall(SYS_add_key, "user", "writ", "x", 1, -4 /* user keyring */), "store");
    return argc && argv ? 99 : verdict();
}

static int privileged_calls(int argc, char **argv)
{
    call_all("EPERM ENOSYS", privileged, sizeof privileged / sizeof *privileged);
    return argc && argv ? 99 : verdict();
}

/* ---- P18: the entrances of other architectures ---- */

#ifdef __x86_64__
static int in_child(void (*act)(void))
{
    int pid = fork();

    if (pid == 0) {
        act();
        _exit(0);
    }
    return waited(pid);
}

static void by_gate(void)
{
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L /* getpid */) : "memory");
    _exit(result == -ENOSYS ? 1 : 0);
}

static void by_x32(void)
{
    _exit(syscall(0x40000000L + SYS_getpid) < 0 ? 1 : 0);
}

static int compat(int argc, char **argv)
{
    holds(in_child(by_gate) != 0, "int 0x80 does not work");
    holds(in_child(by_x32) != 0, "x32 does not work");
    return argc && argv ? 99 : verdict();
}
#else
static int compat(int argc, char **argv)
{
    note("no second entrance in this architecture");
    return argc && argv ? 99 : 0;
}
#endif

/* ---- P19: the caller's terminal ---- */

static int terminal(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; unsigned long request; } rows[] = {
        { "TIOCSTI", TIOCSTI }, { "TIOCSTI with a high bit", TIOCSTI | 1UL << 32 },
        { "TIOCLINUX", TIOCLINUX }, { "TIOCLINUX with a high bit", TIOCLINUX | 1UL << 63 },
        { "TIOCSCTTY", TIOCSCTTY }, { "TIOCSETD", TIOCSETD },
    };
    /* clang-format on */
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY), fds[4] = { 0, 1, 2, tty };

    refused("ENOENT ENXIO EACCES", tty, "/dev/tty");
    refused("ENOENT EACCES ENXIO", open("/dev/console", O_RDWR | O_CLOEXEC | O_NOCTTY), "console");
    for (int i = 0; i < (tty < 0 ? 3 : 4); i++) {
        holds(!isatty(fds[i]), "descriptor %d is no terminal", fds[i]);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            refused("EPERM", syscall(SYS_ioctl, fds[i], rows[k].request, "x"), "%s on %d",
                    rows[k].name, fds[i]);
    }
    return argc && argv ? 99 : verdict();
}

/* ---- P26: what outlives a process ---- */

enum { KEY = 0x77726974 };

static int ipc_leave(int argc, char **argv)
{
    mqd_t queue = mq_open("/writ", O_CREAT | O_RDWR, 0666, NULL);

    note("shm: %d", shmget(KEY, 4096, IPC_CREAT | 0666));
    note("sem: %d", semget(KEY, 1, IPC_CREAT | 0666));
    note("msg: %d", msgget(KEY, IPC_CREAT | 0666));
    note("mq: %d", queue);
    note("posix shm: %d", shm_open("/writ", O_CREAT | O_RDWR, 0666));
    return argc && argv ? 99 : 0;
}

static int ipc_find(int argc, char **argv)
{
    refused(NULL, shmget(KEY, 0, 0), "shm");
    refused(NULL, semget(KEY, 0, 0), "sem");
    refused(NULL, msgget(KEY, 0), "msg");
    refused(NULL, mq_open("/writ", O_RDONLY), "mq");
    refused(NULL, shm_open("/writ", O_RDONLY, 0), "posix shm");
    for (int i = 0; i < 64; i++)
        refused(NULL, shmctl(i, IPC_STAT, NULL), "shm number %d", i);
    return argc && argv ? 99 : verdict();
}

/* clang-format off */
const struct act acts_kernel[] = {
    { "P08", "change_init", change_init },
    { "P09", "trace",      trace },
    { "P10", "peek",       peek },
    { "P14", "ring",       ring_calls },
    { "P15", "privileged", privileged_calls },
    { "P16", "keys",       key_calls },
    { "P18", "compat",     compat },
    { "P19", "terminal",   terminal },
    { "P26", "ipc_leave",  ipc_leave },
    { "P26", "ipc_find",   ipc_find },
    { 0 },
};
/* clang-format on */
