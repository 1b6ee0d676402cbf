/* SPDX-License-Identifier: Apache-2.0 */
/* acts_rights.c: identities, capabilities, priorities, and the limits a process has by itself. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- F21, F22: programs that would give rights ---- */

/* UID, or none: runs as that user and no other, with no right at all. */
static int whoami(int argc, char **argv)
{
    static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapAmb" };
    uid_t real, effective, saved;
    gid_t groups[3];

    getresuid(&real, &effective, &saved);
    getresgid(&groups[0], &groups[1], &groups[2]);
    holds(real == effective && real == saved, "one user: %u %u %u", real, effective, saved);
    holds(groups[0] == groups[1] && groups[0] == groups[2], "one group: %u %u %u", groups[0],
          groups[1], groups[2]);
    holds(argc < 1 || real == (uid_t)atol(argv[0]), "the user is as before");
    note("CapBnd: %llx", status_hex("CapBnd")); /* a ceiling on rights; there are none below it */
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        holds(status_hex(sets[i]) == 0, "%s is empty: %llx", sets[i], status_hex(sets[i]));
    holds(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "no new privileges");
    holds(status_hex("Seccomp") == 2, "a filter on system calls");
    return verdict();
}

static int run(const char *path, const char *word, const char *more)
{
    char *args[] = { (char *)path, (char *)word, (char *)more, NULL };
    int pid = fork();

    if (pid == 0) {
        execv(path, args);
        _exit(errno == ENOENT ? 127 : 126);
    }
    return pid < 0 ? -1 : waited(pid);
}

/* PROGRAM..: copies of this program, which their owner made set-user-id, or gave capabilities. */
static int set_user(int argc, char **argv)
{
    static const char *const system[] = { "/bin/su",         "/usr/bin/sudo", "/bin/ping",
                                          "/usr/bin/passwd", "/bin/mount",    "/usr/bin/newgrp",
                                          "/usr/bin/chsh" };
    char uid[20];

    snprintf(uid, sizeof uid, "%u", getuid());
    for (int i = 0; i < argc; i++) {
        note("chmod: %s", chmod(argv[i], 06755) ? strerrorname_np(errno) : "done");
        refused("EPERM EACCES EROFS EOPNOTSUPP ENOTSUP",
                setxattr(argv[i], "security.capability",
                         "\1\0\0\2\377\377\377\377\0\0\0\0\377\377\377\377\0\0\0\0", 20, 0),
                "give %s capabilities", argv[i]);
        holds(run(argv[i], "whoami", uid) == 0, "%s runs with no more rights", argv[i]);
    }
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        note("%s: %d", system[i], run(system[i], "--version", NULL));
    return verdict();
}

/* FILE: every way to leave a program that is set-user-id of whoever owns the files outside. */
static int set_mode(int argc, char **argv)
{
    struct {
        uint64_t flags, mode, resolve;
    } how = { O_CREAT | O_WRONLY | O_CLOEXEC, 06755, 0 };
    int fd = open(argc ? argv[0] : "", O_RDWR | O_CREAT | O_CLOEXEC, 0755);

    note("chmod: %d", chmod(argv[0], 06755));
    note("fchmod: %d", fchmod(fd, 04755));
    note("fchmodat2: %ld", syscall(452, AT_FDCWD, argv[0], 06755, 0));
    note("open: %d", open("set-open", O_CREAT | O_WRONLY | O_CLOEXEC, 06755));
    note("openat2: %ld", syscall(SYS_openat2, AT_FDCWD, "set-openat2", &how, sizeof how));
    note("mknod: %d", mknod("set-mknod", S_IFREG | 06755, 0));
    note("mkdir: %d", mkdir("set-mkdir", 06755));
    fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 06755);
    note("tmpfile: %d", linkat(AT_FDCWD, text("/proc/self/fd/%d", fd), AT_FDCWD, "set-tmpfile",
                               AT_SYMLINK_FOLLOW));
    return 0;
}

/* ---- F23: a program that is no file; ARG..: an act of this one ---- */

static int memory_program(int argc, char **argv)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int fd = (int)syscall(SYS_memfd_create, "program", 0);
    char name[] = "program", *args[16] = { name }, bytes[65536];
    ssize_t n;

    if (argc > 14 || !holds(from >= 0, "own program") || !holds(fd >= 0, "memfd"))
        return 99;
    while ((n = read(from, bytes, sizeof bytes)) > 0) {
        if (write(fd, bytes, (size_t)n) != n)
            return 99;
    }
    for (int i = 0; i < argc; i++)
        args[i + 1] = argv[i];
    fexecve(fd, args, environ);
    note("fexecve: %s",
         strerrorname_np(errno)); /* also right: where only listed programs may run */
    return 0;
}

/* ---- P20, P21 ---- */

static int personalities(int argc, char **argv)
{
    int now = (int)syscall(SYS_personality, 0xffffffff);

    if (now < 0)
        now = 0;
    refused("EPERM", syscall(SYS_personality, READ_IMPLIES_EXEC), "READ_IMPLIES_EXEC");
    refused("EPERM", syscall(SYS_personality, 0x0100000 /* MMAP_PAGE_ZERO */), "MMAP_PAGE_ZERO");
    refused("EPERM", syscall(SYS_personality, 0x0008 /* PER_LINUX32 */), "PER_LINUX32");
    if (!(now & ADDR_NO_RANDOMIZE))
        refused("EPERM", syscall(SYS_personality, ADDR_NO_RANDOMIZE), "ADDR_NO_RANDOMIZE");
    return argc && argv ? 99 : verdict();
}

static int prctls(int argc, char **argv)
{
    struct sock_filter allow[] = { { 0x06, 0, 0, SECCOMP_RET_ALLOW } };
    struct sock_fprog program = { 1, allow };

    refused(NULL, prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0), "clear NO_NEW_PRIVS");
    holds(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "no new privileges");
    note("dumpable: %d", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    note("parent's death: %d", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
    refused(NULL, prctl(PR_SET_SECUREBITS, 0x2f, 0, 0, 0), "secure bits");
    refused(NULL, prctl(PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0), "memory map");
    refused(NULL, prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0), "ambient");
    refused(
        "EPERM EINVAL ENOSYS",
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program),
        "a filter with a listener");
    note("a filter that allows all: %ld",
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
    refused("EPERM", unshare(CLONE_NEWUSER), "unshare after it");
    return argc && argv ? 99 : verdict();
}

/* ---- P23: more than its share of time; CORES ---- */

static int priorities(int argc, char **argv)
{
    struct sched_param high = { .sched_priority = 1 };
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = {
        .size = 48, .policy = 6, .runtime = 10000000, .deadline = 30000000, .period = 30000000
    };
    cpu_set_t before, all, after;

    refused("EPERM EINVAL", sched_setscheduler(0, SCHED_FIFO, &high), "FIFO");
    refused("EPERM EINVAL", sched_setscheduler(0, SCHED_RR, &high), "RR");
    refused("EPERM EINVAL EBUSY", syscall(SYS_sched_setattr, 0, &attr, 0), "deadline");
    refused("EPERM EACCES", setpriority(PRIO_PROCESS, 0, -20), "nice -20");
    refused("EPERM EINVAL", syscall(SYS_ioprio_set, 1, 0, 1 << 13), "real-time disk");
    sched_getaffinity(0, sizeof before, &before);
    for (int i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, &all);
    note("all CPUs: %d", sched_setaffinity(0, sizeof all, &all));
    sched_getaffinity(0, sizeof after, &after);
    holds(argc < 1 || CPU_COUNT(&after) <= atoi(argv[0]), "CPUs %d, then %d", CPU_COUNT(&before),
          CPU_COUNT(&after));
    return verdict();
}

/* ---- P24, R20: limits of a process ---- */

static int core_limit(int argc, char **argv)
{
    struct rlimit core, more = { RLIM_INFINITY, RLIM_INFINITY };

    /* By 1 no file is written and no handler started; by 0 a handler would be. So both ways count.
     */
    note("raise it: %d", setrlimit(RLIMIT_CORE, &more));
    more = (struct rlimit){ 0, 0 };
    note("lower it: %d", setrlimit(RLIMIT_CORE, &more));
    getrlimit(RLIMIT_CORE, &core);
    holds(core.rlim_cur == 1 && core.rlim_max == 1, "core limit 1: %lld", (long long)core.rlim_max);
    fflush(stdout);
    if (!verdict())
        abort();
    return argc && argv ? 99 : verdict();
}

/* Whatever the call says, the limit is as it was. */
static void raise_limit(int limit, const struct rlimit *now, const struct rlimit *more,
                        const char *name)
{
    int done = setrlimit(limit, more);
    struct rlimit after = { 0 };

    getrlimit(limit, &after);
    holds(after.rlim_max == now->rlim_max, "%s: %d, and the limit is as before", name, done);
}

static int raise_limits(int argc, char **argv)
{
    static const struct {
        const char *name;
        int limit;
        bool finite;
    } rows[] = {
        { "core", RLIMIT_CORE, true },        { "files", RLIMIT_NOFILE, true },
        { "file size", RLIMIT_FSIZE, true },  { "locked memory", RLIMIT_MEMLOCK, true },
        { "queues", RLIMIT_MSGQUEUE, true },  { "stack", RLIMIT_STACK, true },
        { "nice", RLIMIT_NICE, true },        { "priority", RLIMIT_RTPRIO, true },
        { "processes", RLIMIT_NPROC, false }, { "signals", RLIMIT_SIGPENDING, true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rlimit now, more = { RLIM_INFINITY, RLIM_INFINITY };

        getrlimit(rows[i].limit, &now);
        holds(!rows[i].finite || now.rlim_max != RLIM_INFINITY, "%s has a limit", rows[i].name);
        if (now.rlim_max == RLIM_INFINITY)
            continue;
        raise_limit(rows[i].limit, &now, &more, rows[i].name);
        more = (struct rlimit){ now.rlim_cur, now.rlim_max + 1 };
        raise_limit(rows[i].limit, &now, &more, rows[i].name);
    }
    return argc && argv ? 99 : verdict();
}

/* ---- P25: somebody else ---- */

/* Who this user is outside, as its namespace maps it; -1 where there is no telling. */
static long outside_id(void)
{
    FILE *map = fopen("/proc/self/uid_map", "re");
    long inside, outside = -1, count;

    if (map && fscanf(map, "%ld %ld %ld", &inside, &outside, &count) != 3)
        outside = -1;
    if (map)
        fclose(map);
    return outside;
}

static int become(int argc, char **argv)
{
    static const unsigned ids[] = { 0, 1, 65534, 1000, 12345, 2000000000, 4294967294 };
    gid_t group = 0;

    refused("EPERM EINVAL", setgroups(1, &group), "setgroups");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (ids[i] == getuid() || ids[i] == getgid())
            continue;
        refused("EPERM EINVAL", setuid(ids[i]), "setuid %u", ids[i]);
        refused("EPERM EINVAL", setresuid(ids[i], ids[i], ids[i]), "setresuid %u", ids[i]);
        refused("EPERM EINVAL", setgid(ids[i]), "setgid %u", ids[i]);
        refused("EPERM EINVAL", setresgid(ids[i], ids[i], ids[i]), "setresgid %u", ids[i]);
        setfsuid(ids[i]);
        holds((uid_t)setfsuid((uid_t)-1) == getuid(), "setfsuid %u did nothing", ids[i]);
    }
    holds(outside_id() > 0, "not root outside: %ld", outside_id());
    return argc && argv ? 99 : verdict();
}

/* clang-format off */
const struct act acts_rights[] = {
    { "F21", "set_user",       set_user },
    { "F21", "set_mode",       set_mode },
    { "F22", "whoami",         whoami },
    { "F23", "memory_program", memory_program },
    { "P20", "personality",    personalities },
    { "P21", "prctl",          prctls },
    { "P23", "priorities",     priorities },
    { "P24", "core",           core_limit },
    { "P25", "become",         become },
    { "R20", "raise_limits",   raise_limits },
    { 0 },
};
/* clang-format on */
