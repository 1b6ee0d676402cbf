/* SPDX-License-Identifier: Apache-2.0 */
/* acts_process.c: starting, signalling, outliving and dying. */
#include "acts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A file that tells the runner: here we are. */
static void ready(const char *name)
{
    int fd = open(name ? name : "ready", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

    if (fd >= 0)
        close(fd);
}

static void ignore_all(void)
{
    for (int i = 1; i < 65; i++)
        signal(i, SIG_IGN);
}

static _Noreturn int forever(void)
{
    for (;;)
        pause();
}

/* ---- P01 to P03: how many ---- */

static int fork_bomb(int argc, char **argv)
{
    for (;;) {
        if (fork() < 0 && argc && argv)
            return 0;
    }
}

static long leave_child(long pid)
{
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waited((int)pid);
    return pid;
}

static void *nothing(void *arg)
{
    return arg;
}

static int no_fork(int argc, char **argv)
{
    uint64_t args[11] = { 0, 0, 0, 0, SIGCHLD };
    pid_t spawned;
    pthread_t thread;
    char name[] = "x", *words[] = { name, NULL };
    int error = posix_spawn(&spawned, "/proc/self/exe", NULL, NULL, words, environ);

    errno = error;
    refused(NULL, error ? -1 : 0, "posix_spawn");
    refused(NULL, leave_child(fork()), "fork");
    refused(NULL, leave_child(vfork()), "vfork");
    refused(NULL, leave_child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)), "clone");
    refused(NULL, leave_child(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)),
            "clone, a sibling");
    refused(NULL, leave_child(syscall(SYS_clone, 0, 0, 0, 0, 0)), "clone without a signal");
    refused(NULL, leave_child(syscall(SYS_clone, SIGCHLD | 1UL << 40, 0, 0, 0, 0)),
            "clone with a high bit");
    refused(NULL, leave_child(syscall(SYS_clone3, args, sizeof args)), "clone3");
#ifdef SYS_fork
    refused(NULL, leave_child(syscall(SYS_fork)), "fork itself");
    refused(NULL, leave_child(syscall(SYS_vfork)), "vfork itself");
#endif
    error = pthread_create(&thread, NULL, nothing, NULL);
    errno = error;
    if (works(error ? -1 : 0, "a thread"))
        pthread_join(thread, NULL);
    return argc && argv ? 99 : verdict();
}

/* TRIED, WANTED: so many at once are tried, and exactly so many must work. */
static int children(int argc, char **argv)
{
    int tried = argc > 1 ? atoi(argv[0]) : 0, made = 0, pids[256];

    for (int i = 0; i < tried && i < 256; i++) {
        pids[made] = fork();
        if (pids[made] == 0)
            return forever();
        if (pids[made] < 0)
            note("child %d: %s", i + 1, strerrorname_np(errno));
        made += pids[made] > 0;
    }
    holds(made == atoi(argv[1]), "%d children at once", made);
    for (int i = 0; i < made; i++) {
        kill(pids[i], SIGKILL);
        waited(pids[i]);
    }
    return verdict();
}

/* N: one after the other. */
static int one_by_one(int argc, char **argv)
{
    for (int i = 0; argc && i < atoi(argv[0]); i++) {
        if (!works(leave_child(fork()), "child %d", i + 1))
            break;
    }
    return verdict();
}

static void *waits(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/* N: until it is refused; so many must not come about. */
static int threads(int argc, char **argv)
{
    int want = argc ? atoi(argv[0]) : 0, made = 0, error = 0;
    pthread_attr_t small;
    pthread_t thread;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    while (made < want && (error = pthread_create(&thread, &small, waits, NULL)) == 0)
        made++;
    errno = error;
    refused("EAGAIN ENOMEM", error ? -1 : 0, "%d threads", want);
    note("%d threads", made);
    return verdict();
}

/* ---- P03: processes in the room of threads ---- */

/* Processes that are alive, without the first one, which is writ's; -1: /proc does not tell. */
static int alive(void)
{
    DIR *in = opendir("/proc");
    int found = 0;

    for (const struct dirent *d = in ? readdir(in) : NULL; d; d = readdir(in)) {
        char state = 'Z';
        FILE *stat;

        if (d->d_name[0] < '1' || d->d_name[0] > '9' || strcmp(d->d_name, "1") == 0)
            continue;
        stat = fopen(text("/proc/%s/stat", d->d_name), "re");
        if (stat && fscanf(stat, "%*d (%*[^)]) %c", &state) == 1 && state != 'Z' && state != 'X')
            found++;
        if (stat)
            (void)fclose(stat);
    }
    if (in)
        (void)closedir(in);
    return in ? found : -1;
}

/* Threads that cannot come to be: without what all threads share, or with a number that is to be
 * written to where nothing is. */
static void unmade_threads(int times)
{
    const unsigned long shared = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
    const unsigned long flags[] = { CLONE_THREAD, CLONE_THREAD | CLONE_VM,
                                    shared | CLONE_PIDFD | CLONE_DETACHED, shared | CLONE_PIDFD };

    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        int failed = 0;

        for (int i = 0; i < times; i++)
            failed += syscall(SYS_clone, flags[k], 0, 8, 0, 0) < 0;
        holds(failed == times, "%d of %d threads with flags %lx are not made", failed, times,
              flags[k]);
    }
}

/* Forks until it is refused; the children stay. The most that were alive at once. */
static int fill_processes(int *made)
{
    int most = 0, seen;

    for (*made = 0; *made < 1000; (*made)++) {
        pid_t pid = fork();

        if (pid == 0)
            forever();
        if (pid < 0)
            break;
        seen = alive();
        most = seen > most ? seen : most;
    }
    return most;
}

/* A thread for a moment, again and again. */
static _Noreturn void storm(void)
{
    for (;;) {
        pthread_t threads[8];
        int n = 0;

        while (n < 8 && pthread_create(&threads[n], NULL, nothing, NULL) == 0)
            n++;
        while (n > 0)
            (void)pthread_join(threads[--n], NULL);
    }
}

/* Threads that are let go on, and that the kernel refuses: its user may have no more. */
static _Noreturn void refused_storm(void)
{
    struct rlimit none = { 0, 0 };
    pthread_t thread;

    (void)setrlimit(RLIMIT_NPROC, &none);
    for (;;)
        (void)pthread_create(&thread, NULL, nothing, NULL);
}

/* MOST, SECONDS, STORMS, REFUSED: tries to have more than MOST children, first with threads that
 * are not made, then beside so many children whose threads come and go, and so many whose threads
 * the kernel refuses. One process may slip in beside them for a moment; the second time that ends
 * the run. */
static int thread_room(int argc, char **argv)
{
    int most = argc ? atoi(argv[0]) : 10, seconds = argc > 1 ? atoi(argv[1]) : 2, made, seen;
    int storms = argc > 2 ? atoi(argv[2]) : 2, refusals = argc > 3 ? atoi(argv[3]) : 0;
    time_t end;

    unmade_threads(600);
    seen = fill_processes(&made);
    holds(made <= most && seen <= most + 1, "%d children, at most %d alive", made, seen);
    kill(-1, SIGKILL);
    while (wait(NULL) > 0)
        ;
    for (int i = 0; i < storms + refusals; i++) {
        if (fork() == 0)
            i < storms ? storm() : refused_storm();
    }
    seen = fill_processes(&made);
    ready(NULL);
    for (end = time(NULL) + seconds; time(NULL) < end;) {
        pid_t pid = fork();
        int now;

        if (pid == 0)
            forever();
        made += pid > 0;
        now = pid > 0 ? alive() : 0;
        seen = now > seen ? now : seen;
    }
    note("%d children beside %d storms of threads", made, storms);
    holds(seen <= most + 1 + (storms > 0), "at most %d alive", seen);
    return verdict();
}

/* ---- P04, R14: outliving ---- */

/* A daemon of the old school. With `keep` it holds on to stdout and stderr. */
static int daemonise(int argc, char **argv)
{
    bool keep = argc && strcmp(argv[0], "keep") == 0;

    if (fork() > 0)
        return 0;
    setsid();
    ignore_all();
    if (fork() > 0)
        return 0;
    if (!keep) {
        for (int i = 0; i < 3; i++)
            close(i);
    }
    ready("daemon");
    return forever();
}

/* DEPTH: a family, each one a session of its own, deaf to every signal; it stays. */
static int family(int argc, char **argv)
{
    int depth = argc ? atoi(argv[0]) : 3;

    ignore_all();
    for (int i = 0; i < depth && fork() == 0; i++) {
        setsid();
        if (i == depth - 1)
            ready(NULL);
    }
    return forever();
}

/* ---- P08: signals to others ---- */

static int signals(int argc, char **argv)
{
    ignore_all();
    for (int i = 1; i < 65; i++) {
        note("signal %d to init: %s", i, kill(1, i) ? strerrorname_np(errno) : "sent");
        if (i != SIGKILL && i != SIGSTOP && i < 32)
            kill(getppid(), i);
    }
    for (int i = 1; i < 32; i++)
        kill(-1, i); /* everything but init and this process */
    for (int pid = 2; pid < 40000; pid++) {
        if (pid != getpid() && kill(pid, SIGKILL) == 0)
            note("killed %d", pid); /* a process of its own namespace, if any */
    }
    for (int i = 0; i < argc; i++)
        refused("ESRCH EPERM", kill(atoi(argv[i]), 0), "see process %s", argv[i]);
    return verdict();
}

/* ---- P11, P12: what writ left within reach ---- */

static int overwrite(int argc, char **argv)
{
    static const char *const paths[] = { "/proc/self/exe", "/proc/1/exe", "/proc/thread-self/exe" };
    const char *wanted = "ETXTBSY EROFS EACCES EPERM ENOENT";

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        refused(wanted, open(paths[i], O_WRONLY | O_CLOEXEC), "write %s", paths[i]);
        refused(wanted, open(paths[i], O_RDWR | O_TRUNC | O_CLOEXEC), "truncate %s", paths[i]);
    }
    refused(wanted, open(text("/proc/%d/exe", getppid()), O_WRONLY | O_CLOEXEC),
            "write the parent's");
    for (int i = 0; i < argc; i++) {
        refused(wanted, open(argv[i], O_WRONLY | O_CLOEXEC), "write %s", argv[i]);
        refused(wanted, unlink(argv[i]), "unlink %s", argv[i]);
    }
    return verdict();
}

static int descriptors(int argc, char **argv)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    int fd;

    while (dir && (entry = readdir(dir))) {
        fd = atoi(entry->d_name);
        holds(fd < 3 || fd == dirfd(dir), "/proc/self/fd/%s is expected", entry->d_name);
    }
    for (fd = 3; fd < 1024; fd++) {
        if (!dir || fd != dirfd(dir))
            if (fcntl(fd, F_GETFD) >= 0)
                spill(holds(false, "%d is closed", fd) ? -1 : fd);
    }
    return argc && argv ? 99 : verdict();
}

/* ---- P07: what a program starts with ---- */

static int fresh(int argc, char **argv)
{
    holds(status_hex("SigBlk") == 0, "no signal is blocked: %llx", status_hex("SigBlk"));
    holds(status_hex("SigIgn") == 0, "no signal is ignored: %llx", status_hex("SigIgn"));
    refused("ECHILD", waitpid(-1, NULL, WNOHANG), "a child of its own");
    holds(getpid() != 1, "not process 1");
    holds(getsid(0) >= 0 && tcgetpgrp(0) < 0, "no terminal");
    return argc && argv ? 99 : verdict();
}

/* ---- P27, P31, P32, R05 to R08: ending, or not ---- */

static int vfork_hang(int argc, char **argv)
{
    pid_t pid;

    ready(NULL);
    pid = vfork();
    if (pid == 0) {
        for (;;)
            pause();
    }
    return argc && argv ? 99 : 1;
}

static int leave_with(int argc, char **argv)
{
    return argc ? atoi(argv[0]) : 0;
}

static int die(int argc, char **argv)
{
    int number = argc ? atoi(argv[0]) : SIGKILL;
    uint64_t none[16] = { 0 };

    /* Past glibc, which keeps 32 and 33 for itself. */
    syscall(SYS_rt_sigaction, number, none, NULL, 8);
    syscall(SYS_kill, getpid(), number);
    return 0;
}

static int sleeps(int argc, char **argv)
{
    ready(argc ? argv[0] : NULL);
    return forever();
}

static int deaf(int argc, char **argv)
{
    ignore_all();
    return sleeps(argc, argv);
}

static int blocks_on_fifo(int argc, char **argv)
{
    ready(NULL);
    return argc == 1 ? open(argv[0], O_RDONLY | O_CLOEXEC) : 99;
}

static int blocks_on_stdin(int argc, char **argv)
{
    char byte;

    ready(NULL);
    return argc && argv ? 99 : (int)read(0, &byte, 1);
}

/* MICROSECONDS */
static int naps(int argc, char **argv)
{
    return argc == 1 ? usleep((useconds_t)atol(argv[0])) : 99;
}

/* N: so many, without end. */
static _Noreturn int spin(int argc, char **argv)
{
    for (int i = 1; argc && i < atoi(argv[0]); i++) {
        if (fork() == 0)
            break;
    }
    for (volatile unsigned i = 0;; i++)
        ;
}

/* As above, and it has to be killed. */
static int deaf_spin(int argc, char **argv)
{
    ignore_all();
    return spin(argc, argv);
}

/* FILE */
static int touches(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        ready(argv[i]);
    return argc ? 0 : 99;
}

/* clang-format off */
const struct act acts_process[] = {
    { "P01", "fork_bomb",   fork_bomb },
    { "P02", "no_fork",     no_fork },
    { "P02", "children",    children },
    { "P02", "one_by_one",  one_by_one },
    { "P03", "threads",     threads },
    { "P03", "thread_room", thread_room },
    { "P04", "daemon",      daemonise },
    { "P05", "family",      family },
    { "P07", "fresh",       fresh },
    { "P08", "signals",     signals },
    { "P11", "overwrite",   overwrite },
    { "P12", "descriptors", descriptors },
    { "P27", "vfork_hang",  vfork_hang },
    { "P31", "exit",        leave_with },
    { "P32", "die",         die },
    { "R05", "sleep",       sleeps },
    { "R06", "spin",        spin },
    { "R06", "deaf_spin",   deaf_spin },
    { "R07", "read_fifo",   blocks_on_fifo },
    { "R07", "read_stdin",  blocks_on_stdin },
    { "R08", "deaf",        deaf },
    { "R09", "nap",         naps },
    { "I10", "touch",       touches },
    { 0 },
};
/* clang-format on */
