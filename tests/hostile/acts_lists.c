/* SPDX-License-Identifier: Apache-2.0 */
/* acts_lists.c: what a command tries that is held by lists alone, among the host's processes. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/kcmp.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { IOPRIO_PROCESS = 1, IOPRIO_USER = 3, FCHMODAT2 = 452, PIDFD_OPEN = 434, PIDFD_GETFD = 438 };

#define NO "EPERM EACCES ESRCH"

/* ---- P08, P09: others of the same user ---- */

static void signal_it(pid_t pid)
{
    siginfo_t info = { .si_signo = SIGTERM, .si_code = SI_QUEUE };
    int pidfd = (int)syscall(PIDFD_OPEN, pid, 0), pair[2];
    char byte = 0;

    refused(NO, kill(pid, 0), "kill %d, 0", pid);
    refused(NO, kill(pid, SIGTERM), "kill %d", pid);
    refused(NO, kill(-pid, SIGTERM), "kill the group of %d", pid);
    refused(NO, syscall(SYS_tkill, pid, SIGTERM), "tkill");
    refused(NO, syscall(SYS_tgkill, pid, pid, SIGTERM), "tgkill");
    refused(NO, syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, &info), "rt_sigqueueinfo");
    refused(NO, syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGTERM, &info), "rt_tgsigqueueinfo");
    if (pidfd >= 0)
        refused(NO, syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0), "pidfd_send_signal");
    /* Whoever a file belongs to is told that there is something to read; the runner looks. */
    if (pipe(pair) == 0 && fcntl(pair[0], F_SETOWN, pid) == 0) {
        (void)fcntl(pair[0], F_SETSIG, SIGTERM);
        (void)fcntl(pair[0], F_SETFL, O_ASYNC);
        (void)!write(pair[1], &byte, 1);
    }
    (void)kill(-1, SIGURG); /* our own tree, and nobody else */
}

static void look_into_it(pid_t pid)
{
    char byte = 0;
    struct iovec here = { &byte, 1 }, there = { &byte, 1 };
    int pidfd = (int)syscall(PIDFD_OPEN, pid, 0);
    void *list;
    size_t size;
    static const char *const files[] = { "mem", "environ", "maps",   "fd/0", "root/etc/passwd",
                                         "cwd", "status",  "cmdline" };

    refused(NO, ptrace(PTRACE_ATTACH, pid, 0, 0), "ptrace attach");
    refused(NO, ptrace(PTRACE_SEIZE, pid, 0, 0), "ptrace seize");
    refused(NO, process_vm_readv(pid, &here, 1, &there, 1, 0), "process_vm_readv");
    refused(NO, process_vm_writev(pid, &here, 1, &there, 1, 0), "process_vm_writev");
    refused(NO, syscall(SYS_kcmp, pid, getpid(), KCMP_FILES, 0, 0), "kcmp");
    refused(NO, syscall(SYS_get_robust_list, pid, &list, &size), "get_robust_list");
    refused(NO " EBADF", syscall(PIDFD_GETFD, pidfd, 0, 0), "pidfd_getfd");
    refused(NO " EBADF", syscall(440, pidfd, &here, 1, 20, 0), "process_madvise");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int fd = open(text("/proc/%d/%s", pid, files[i]), O_RDONLY | O_CLOEXEC);

        if (refused("EACCES EPERM ENOENT", fd, "/proc/%d/%s", pid, files[i]))
            spill(fd);
    }
}

static void slow_it(pid_t pid)
{
    struct sched_param none = { 0 };
    uint32_t attr[12] = { sizeof attr, SCHED_BATCH };
    struct rlimit few = { 1, 1 };
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    refused(NO, sched_setaffinity(pid, sizeof one, &one), "sched_setaffinity");
    refused(NO, syscall(SYS_sched_setscheduler, pid, SCHED_IDLE, &none), "sched_setscheduler");
    refused(NO, syscall(SYS_sched_setparam, pid, &none), "sched_setparam");
    refused(NO, syscall(SYS_sched_setattr, pid, attr, 0), "sched_setattr");
    refused(NO, setpriority(PRIO_PROCESS, (id_t)pid, 19), "setpriority");
    refused(NO, setpriority(PRIO_USER, getuid(), 19), "setpriority of the user");
    refused(NO, setpriority(PRIO_USER, 0, 19), "setpriority of our own user");
    refused(NO, syscall(SYS_ioprio_set, IOPRIO_PROCESS, pid, 3 << 13), "ioprio_set");
    refused(NO, syscall(SYS_ioprio_set, IOPRIO_USER, getuid(), 3 << 13), "ioprio_set of the user");
    refused(NO, prlimit(pid, RLIMIT_NOFILE, &few, NULL), "prlimit");
    refused(NO, prlimit(pid, RLIMIT_NOFILE, NULL, &few), "prlimit, to read");
    refused(NO, syscall(SYS_migrate_pages, pid, 0, NULL, NULL), "migrate_pages");
    refused(NO, syscall(SYS_move_pages, pid, 0, NULL, NULL, NULL, 0), "move_pages");
    refused(NO, setpgid(pid, 0), "setpgid");
    works(setpriority(PRIO_PROCESS, 0, 19), "our own priority");
    works(prlimit(0, RLIMIT_NOFILE, NULL, &few), "our own limits");
}

/* PID..: of the caller's, outside. */
static int neighbours(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        signal_it((pid_t)atoi(argv[i]));
        look_into_it((pid_t)atoi(argv[i]));
        slow_it((pid_t)atoi(argv[i]));
    }
    return verdict();
}

/* ---- P26: what the user has in the kernel ---- */

/* SHM MSG SEM QUEUE: numbers of what was made outside, and a name. */
static int host_ipc(int argc, char **argv)
{
    struct {
        long kind;
        char byte;
    } message = { 1, 'x' };
    struct sembuf up = { 0, 1, IPC_NOWAIT };
    int shm, msg, sem;

    if (argc < 4)
        return 64;
    shm = atoi(argv[0]);
    msg = atoi(argv[1]);
    sem = atoi(argv[2]);
    refused(NO, (long)shmat(shm, NULL, SHM_RDONLY), "shmat");
    refused(NO, shmctl(shm, IPC_RMID, NULL), "shmctl");
    refused(NO, shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), "shmget");
    refused(NO, msgsnd(msg, &message, 1, IPC_NOWAIT), "msgsnd");
    refused(NO, msgrcv(msg, &message, 1, 0, IPC_NOWAIT), "msgrcv");
    refused(NO, msgctl(msg, IPC_RMID, NULL), "msgctl");
    refused(NO, msgget(IPC_PRIVATE, IPC_CREAT | 0600), "msgget");
    refused(NO, semop(sem, &up, 1), "semop");
    refused(NO, semctl(sem, 0, IPC_RMID), "semctl");
    refused(NO, semget(IPC_PRIVATE, 1, IPC_CREAT | 0600), "semget");
    refused(NO, syscall(SYS_mq_open, argv[3], O_RDWR | O_CREAT, 0600, NULL), "mq_open");
    refused(NO, syscall(SYS_mq_unlink, argv[3]), "mq_unlink");
    refused(NO, open(text("/dev/shm/%s", argv[3]), O_RDWR | O_CREAT, 0600), "/dev/shm");
    return verdict();
}

/* ---- F26: what is no content, of files outside and of those that may only be read ---- */

/* The elders of utimensat, as they are made without a library in between. */
#ifdef __x86_64__
static void elders_refused(const char *path)
{
    static const long whole[2] = { 1, 1 }, parts[4] = { 1, 0, 1, 0 };

    refused(NO, syscall(SYS_utime, path, whole), "utime %s", path);
    refused(NO, syscall(SYS_utimes, path, parts), "utimes %s", path);
    refused(NO, syscall(SYS_utimes, path, NULL), "utimes %s, now", path);
    refused(NO, syscall(SYS_futimesat, AT_FDCWD, path, parts), "futimesat %s", path);
}

static void elders_work(int fd)
{
    static const long whole[2] = { 1, 1000000001 }, wrong[4] = { 1, 0, 1, 1000000 };
    static const long parts[4] = { 1, 999999, 1000000002, 7 };
    struct stat s;

    works(syscall(SYS_utime, "own", whole), "utime");
    holds(fstat(fd, &s) == 0 && s.st_atim.tv_sec == 1 && s.st_mtim.tv_sec == 1000000001 &&
              s.st_mtim.tv_nsec == 0,
          "the times are those of utime");
    works(syscall(SYS_utimes, "own", parts), "utimes");
    holds(fstat(fd, &s) == 0 && s.st_atim.tv_nsec == 999999000 && s.st_mtim.tv_sec == 1000000002 &&
              s.st_mtim.tv_nsec == 7000,
          "the times are those of utimes");
    works(syscall(SYS_utime, "own", NULL), "utime, now");
    holds(fstat(fd, &s) == 0 && s.st_mtim.tv_sec > 1000000002, "the time is now");
    works(syscall(SYS_futimesat, AT_FDCWD, "own", parts), "futimesat");
    works(syscall(SYS_utimes, "own", NULL), "utimes, now");
    works(syscall(SYS_futimesat, fd, NULL, parts), "futimesat without a path");
    holds(fstat(fd, &s) == 0 && s.st_mtim.tv_nsec == 7000, "the times are those of futimesat");
    refused("EINVAL", syscall(SYS_utimes, "own", wrong), "utimes with a million millionths");
    refused("EFAULT", syscall(SYS_utime, "own", 8), "utime of a bad address");
    refused("EFAULT", syscall(SYS_utimes, NULL, parts), "utimes of nothing");
    refused("ENOENT", syscall(SYS_utimes, "", parts), "utimes of no name");
    refused("ENOENT", syscall(SYS_futimesat, AT_FDCWD, "", parts), "futimesat of no name");
    refused("EFAULT", syscall(SYS_chmod, NULL, 0600), "chmod of nothing");
}
#else
static void elders_refused(const char *path)
{
    (void)path;
}

static void elders_work(int fd)
{
    (void)fd;
}
#endif

static void change_it(const char *path)
{
    static const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
    int as_path = open(path, O_PATH | O_CLOEXEC), plain = open(path, O_RDONLY | O_CLOEXEC);
    int flags = 0x40; /* no dump */

    refused(NO, chmod(path, 0777), "chmod %s", path);
    refused(NO, syscall(FCHMODAT2, AT_FDCWD, path, 0777, 0), "fchmodat2 %s", path);
    refused(NO, chown(path, getuid(), getgid()), "chown %s", path);
    refused(NO, lchown(path, (uid_t)-1, getgid()), "lchown %s", path);
    refused(NO, utimensat(AT_FDCWD, path, times, 0), "utimensat %s", path);
    refused(NO, utimensat(AT_FDCWD, path, NULL, 0), "utimensat %s, now", path);
    elders_refused(path);
    refused("EOPNOTSUPP", setxattr(path, "user.x", "x", 1, 0), "setxattr %s", path);
    refused("EOPNOTSUPP", removexattr(path, "user.x"), "removexattr %s", path);
    refused("EOPNOTSUPP", getxattr(path, "user.x", &flags, 1), "getxattr %s", path);
    refused(NO, truncate(path, 0), "truncate %s", path);
    refused(NO, unlink(path), "unlink %s", path);
    refused(NO " EXDEV", rename(path, "taken"), "rename %s", path);
    refused(NO " EXDEV", link(path, "linked"), "link %s", path);
    refused(NO, open(path, O_WRONLY | O_CLOEXEC), "write %s", path);
    if (symlink(path, "leads") == 0) {
        refused(NO, chmod("leads", 0777), "chmod through a link");
        refused(NO, utimensat(AT_FDCWD, "leads", times, 0), "utimensat through a link");
        unlink("leads");
    }
    if (as_path >= 0) {
        refused(NO " EBADF", fchmod(as_path, 0777), "fchmod of a path");
        refused(NO " EBADF ENOENT", syscall(FCHMODAT2, as_path, "", 0777, AT_EMPTY_PATH), "empty");
        refused(NO " EBADF", futimens(as_path, times), "futimens of a path");
        refused(NO " EXDEV ENOENT", linkat(as_path, "", AT_FDCWD, "linked", AT_EMPTY_PATH),
                "linkat of a path");
    }
    if (plain >= 0) {
        refused(NO, fchmod(plain, 0777), "fchmod of what may be read");
        refused(NO, futimens(plain, times), "futimens of what may be read");
        refused(NO, fchown(plain, (uid_t)-1, getgid()), "fchown of what may be read");
        refused("EOPNOTSUPP", fsetxattr(plain, "user.x", "x", 1, 0), "fsetxattr");
        refused(NO, ioctl(plain, FS_IOC_SETFLAGS, &flags), "FS_IOC_SETFLAGS");
    }
}

/* PATH.. */
static int metadata(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        change_it(argv[i]);
    refused(NO, inotify_init1(0), "inotify_init1");
    return verdict();
}

/* What is one's own can be changed, in every way a program says it. */
static int own_metadata(int argc, char **argv)
{
    static const struct timespec times[2] = { { 1, 0 }, { 1000000000, 5 } };
    static char longest[5000];
    char here[4096];
    struct stat s;
    int fd = open("own", O_RDWR | O_CREAT | O_CLOEXEC, 0600), dir;

    (void)argc;
    (void)argv;
    works(chmod("own", 0751), "chmod");
    holds(stat("own", &s) == 0 && (s.st_mode & 07777) == 0751, "the mode is 0751");
    works(fchmod(fd, 0640), "fchmod");
    holds(fstat(fd, &s) == 0 && (s.st_mode & 07777) == 0640, "the mode is 0640");
    works(mkdir("sub", 0700), "mkdir");
    dir = open("sub", O_PATH | O_DIRECTORY | O_CLOEXEC);
    works(fchmodat(dir, "../own", 0600, 0), "fchmodat from a directory");
    works(utimensat(dir, "../own", times, 0), "utimensat from a directory");
    holds(stat("own", &s) == 0 && s.st_mtim.tv_sec == 1000000000 && s.st_mtim.tv_nsec == 5,
          "the time is as it was set");
    works(futimens(fd, NULL), "futimens, now");
    holds(stat("own", &s) == 0 && s.st_mtim.tv_sec > 1000000000, "the time is now");
    elders_work(fd);
    refused("EFAULT", syscall(SYS_utimensat, AT_FDCWD, NULL, times, 0), "utimensat of nothing");
    refused("ENOENT", utimensat(AT_FDCWD, "", times, 0), "utimensat of no name");
    refused("ENOENT", chmod("", 0), "chmod of no name");
    works(chdir("sub"), "chdir");
    works(chmod("../own", 0644), "chmod from elsewhere");
    works(chmod(".", 0755), "chmod of a directory");
    works(symlink("../own", "link"), "symlink");
    works(utimensat(AT_FDCWD, "link", times, AT_SYMLINK_NOFOLLOW), "the time of a link");
    holds(lstat("link", &s) == 0 && s.st_mtim.tv_sec == 1000000000, "is the link's own");
    holds(stat("link", &s) == 0 && s.st_mtim.tv_sec > 1000000000, "and not the file's");
    works(chmod("link", 0600), "chmod through a link of one's own");
    works(chmod(text("%s/../sub/./../own", getcwd(here, sizeof here)), 0610), "an absolute path");
    holds(stat("../own", &s) == 0 && (s.st_mode & 07777) == 0610, "the mode is 0610");
    refused("EPERM", chmod("../own", 04755), "chmod with rights to lend");
    refused("ENOENT", chmod("nothing", 0600), "chmod of nothing");
    refused("EFAULT", syscall(SYS_fchmodat, AT_FDCWD, 8, 0600), "chmod of a bad address");
    refused("EBADF", fchmod(999, 0600), "fchmod of nothing");
    memset(longest, 'x', sizeof longest - 1);
    refused("ENAMETOOLONG", chmod(longest, 0600), "chmod of a long name");
    return verdict();
}

/* A name that leads to our own file and to PATH by turns, while its mode is changed. */
static int flip_link(int argc, char **argv)
{
    int pid;

    if (argc < 1)
        return 64;
    close(open("mine", O_RDWR | O_CREAT, 0600));
    pid = fork();
    if (pid == 0)
        for (;;) {
            (void)!symlink("mine", "a");
            rename("a", "name");
            (void)!symlink(argv[0], "b");
            rename("b", "name");
        }
    for (int i = 0; i < 3000; i++) {
        (void)!chmod("name", 0777);
        (void)!utimensat(AT_FDCWD, "name", NULL, 0);
    }
    kill(pid, SIGKILL);
    waited(pid);
    unlink("name");
    return verdict();
}

/* ---- F27: places ---- */

static int places(int argc, char **argv)
{
    static const char *const closed[] = { "/tmp", "/var/tmp", "/dev/shm", "/run", "/", "/home" };
    static const char *const devices[] = { "/dev/tty",          "/dev/kmsg",    "/dev/mem",
                                           "/dev/ptmx",         "/dev/console", "/dev/fuse",
                                           "/dev/kvm",          "/proc",        "/sys",
                                           "/proc/self/status", "/dev" };
    static const char *const own[] = { "HOME", "TMPDIR" };
    char bytes[16];
    int fd;

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const char *place = getenv(own[i]);
        struct stat s;

        holds(place && stat(place, &s) == 0 && (s.st_mode & 07777) == 0700 && s.st_uid == getuid(),
              "%s is ours alone: %s", own[i], place);
        works(open(text("%s/file", place), O_RDWR | O_CREAT | O_CLOEXEC, 0600), "a file in it");
        works(mkdir(text("%s/closed", place), 0000), "a closed directory in it");
    }
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        refused("EACCES EPERM EROFS ENOENT EXDEV",
                open(text("%s/hostile-file", closed[i]), O_RDWR | O_CREAT | O_CLOEXEC, 0600),
                "a file in %s", closed[i]);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        refused("EACCES EPERM ENOENT ENXIO ENODEV", open(devices[i], O_RDONLY | O_CLOEXEC), "%s",
                devices[i]);
    fd = open("/dev/null", O_RDWR | O_TRUNC | O_CLOEXEC);
    works(write(fd, "x", 1), "/dev/null");
    works(read(open("/dev/zero", O_RDONLY | O_CLOEXEC), bytes, 16), "/dev/zero");
    works(read(open("/dev/urandom", O_RDONLY | O_CLOEXEC), bytes, 16), "/dev/urandom");
    refused("ENOSPC", write(open("/dev/full", O_WRONLY | O_CLOEXEC), "x", 1), "/dev/full");
    return verdict();
}

/* ---- P07: it begins with nothing blocked, ignored or open ---- */

static int fresh(int argc, char **argv)
{
    sigset_t blocked;

    (void)argc;
    (void)argv;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int s = 1; s <= 64; s++) {
        struct sigaction act;

        if (s == 32 || s == 33)
            continue;
        holds(!sigismember(&blocked, s), "signal %d is not blocked", s);
        holds(sigaction(s, NULL, &act) == 0 && act.sa_handler == SIG_DFL, "nor ignored");
    }
    for (int fd = 3; fd < 1024; fd++)
        refused("EBADF", fcntl(fd, F_GETFD), "descriptor %d", fd);
    holds(getsid(0) != getpid() && getpgid(0) == getpid(), "a group of its own");
    return verdict();
}

/* DIR..: of the host, which may be read. */
static int watch_dirs(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        int fd = open(argv[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        refused("EPERM", fcntl(fd, F_NOTIFY, DN_ACCESS | DN_MULTISHOT), "F_NOTIFY on %s", argv[i]);
        refused("EPERM", syscall(SYS_fcntl, fd, F_NOTIFY | 1UL << 32, DN_ACCESS),
                "F_NOTIFY with a high bit on %s", argv[i]);
        refused("EPERM", inotify_init1(IN_CLOEXEC), "inotify");
        (void)close(fd);
    }
    return verdict();
}

/* UID: it is that user, and nobody more. */
static int is_user(int argc, char **argv)
{
    uid_t real, effective, saved;

    if (argc < 1)
        return 64;
    getresuid(&real, &effective, &saved);
    holds(real == (uid_t)atol(argv[0]) && real == effective && real == saved, "user %u %u %u", real,
          effective, saved);
    refused("EPERM EINVAL", setuid(0), "setuid 0");
    refused("EPERM EINVAL", setgid(0), "setgid 0");
    return verdict();
}

/* clang-format off */
const struct act acts_lists[] = {
    { "P09", "neighbours",   neighbours },
    { "P26", "host_ipc",     host_ipc },
    { "F26", "metadata",     metadata },
    { "F26", "own_metadata", own_metadata },
    { "F26", "flip_link",    flip_link },
    { "F26", "watch_dirs",   watch_dirs },
    { "F27", "places",       places },
    { "P07", "fresh_calls",  fresh },
    { "P25", "is_user",      is_user },
    { 0 },
};
/* clang-format on */
