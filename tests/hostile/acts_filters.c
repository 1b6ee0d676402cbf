/* SPDX-License-Identifier: Apache-2.0 */
/* acts_filters.c: programs for the kernel's BPF machine, which no cgroup counts. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The program that takes the most room: as many instructions as the kernel takes. */
static struct sock_fprog long_program(unsigned short count)
{
    static struct sock_filter code[BPF_MAXINSNS];

    for (unsigned short i = 0; i + 1 < count; i++)
        code[i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, i);
    code[count - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
    return (struct sock_fprog){ count, code };
}

/* ---- P21: of sockets; PROCESSES, SOCKETS, LENGTH: so many of so many instructions are tried at
 * once, else each way once ---- */

static long set_option(int fd, uint64_t level, uint64_t name, const void *value, size_t size)
{
    return syscall(SYS_setsockopt, fd, level, name, value, size);
}

static void try_options(int fd, const char *what)
{
    /* clang-format off */
    static const struct { const char *name; uint64_t number; } rows[] = {
        { "SO_ATTACH_FILTER", SO_ATTACH_FILTER }, { "SO_ATTACH_BPF", SO_ATTACH_BPF },
        { "SO_ATTACH_REUSEPORT_CBPF", SO_ATTACH_REUSEPORT_CBPF },
        { "SO_ATTACH_REUSEPORT_EBPF", SO_ATTACH_REUSEPORT_EBPF },
    };
    /* clang-format on */
    static const uint64_t high[] = { 0, UINT64_C(1) << 32, UINT64_C(0xffffffff) << 32 };
    struct sock_fprog program = long_program(2);
    int one = 1;

    works(set_option(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one), "%s: another option", what);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof high / sizeof *high; k++)
            for (size_t l = 0; l < sizeof high / sizeof *high; l++)
                refused("EPERM",
                        set_option(fd, SOL_SOCKET | high[k], rows[i].number | high[l], &program,
                                   sizeof program),
                        "%s: %s, high bits %zu and %zu", what, rows[i].name, k, l);
}

/* Each process holds what it was given until all have tried. */
static void fill_sockets(int processes, int sockets, int length)
{
    struct sock_fprog program = long_program((unsigned short)length);
    int done[2], got = 0, part, wait[2];

    if (pipe(done) != 0 || pipe(wait) != 0)
        return;
    for (int i = 0; i < processes; i++) {
        if (fork() != 0)
            continue;
        (void)close(wait[1]);
        part = 0;
        for (int k = 0; k < sockets; k++) {
            int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

            part += fd >= 0 &&
                    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
        }
        (void)!write(done[1], &part, sizeof part);
        _exit((int)read(wait[0], &part, 1));
    }
    (void)close(done[1]);
    for (int i = 0; i < processes && read(done[0], &part, sizeof part) == sizeof part; i++)
        got += part;
    holds(got == 0, "%d filters of %d instructions at once", got, length);
    (void)sleep(1); /* whoever looks from outside sees the fullest moment */
    (void)close(wait[1]);
}

static int socket_filters(int argc, char **argv)
{
    static const int families[] = { AF_INET, AF_INET6 }, types[] = { SOCK_STREAM, SOCK_DGRAM };
    int pair[2];

    if (argc > 2) {
        fill_sockets(atoi(argv[0]), atoi(argv[1]), atoi(argv[2]));
        return verdict();
    }
    for (size_t i = 0; i < 4; i++) {
        int fd = socket(families[i / 2], types[i % 2] | SOCK_CLOEXEC, 0);

        if (fd >= 0) /* without namespaces there are pairs alone */
            try_options(fd, text("family %d, type %d", families[i / 2], types[i % 2]));
    }
    if (works(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "a pair"))
        try_options(pair[0], "a pair");
    return verdict();
}

/* ---- P21: of system calls ---- */

static long add_filter(bool by_prctl, const struct sock_fprog *program)
{
    return by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)
                    : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
}

struct adding {
    int wanted, got, done;
    unsigned short length;
};

static void *add_filters(void *with)
{
    struct adding *a = with;
    struct sock_fprog program = long_program(a->length);

    program.filter[a->length - 1].k = SECCOMP_RET_ALLOW;
    for (int i = 0; i < a->wanted; i++) {
        if (add_filter(i & 1, &program) == 0)
            __atomic_fetch_add(&a->got, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&a->done, 1, __ATOMIC_RELAXED);
    for (;;)
        (void)pause();
    return NULL;
}

/* MOST, THREADS, FILTERS, LENGTH: threads that make so many each of so many instructions, and stay;
 * no more than MOST together. Then until `go` is there. */
static int fill_filters(char **argv)
{
    int most = atoi(argv[0]), threads = atoi(argv[1]), started = 0;
    struct adding adding = { .wanted = atoi(argv[2]), .length = (unsigned short)atoi(argv[3]) };
    pthread_attr_t small;
    pthread_t thread;

    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 1 << 17);
    for (int i = 0; i < threads; i++)
        started += pthread_create(&thread, &small, add_filters, &adding) == 0;
    for (int i = 0; i < 1000 && __atomic_load_n(&adding.done, __ATOMIC_RELAXED) < started; i++)
        (void)usleep(50000);
    note("%d filters", adding.got);
    holds(adding.got <= most, "%d threads have no more than %d filters", threads, most);
    (void)close(open("ready", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    for (int i = 0; i < 400 && access("wait", F_OK) == 0; i++)
        (void)usleep(50000);
    return verdict();
}

static int seccomp_filters(int argc, char **argv)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = { 1, &allow };
    int made = 0;

    if (argc > 3)
        return fill_filters(argv);
    for (int i = 0; i < 250; i++) { /* those that have ended do not count */
        int pid = fork();

        if (pid == 0)
            _exit(add_filter(i & 1, &program) == 0 ? 0 : 1);
        made += pid > 0 && waited(pid) == 0;
    }
    holds(made == 250, "%d of 250 programs had a filter of their own", made);
    for (made = 0; made < 300 && add_filter(made & 1, &program) == 0; made++)
        ;
    holds(made <= 100, "%d filters of one program", made);
    refused("EPERM", add_filter(false, &program), "one more by seccomp");
    refused("EPERM", add_filter(true, &program), "one more by prctl");
    return verdict();
}

/* clang-format off */
const struct act acts_filters[] = {
    { "P21", "seccomp_filters", seccomp_filters },
    { "P21", "socket_filters", socket_filters },
    { 0 },
};
/* clang-format on */
