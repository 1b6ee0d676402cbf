/* SPDX-License-Identifier: Apache-2.0 */
/* acts_memory.c: memory in every form the kernel has for it.
 *
 * Each form takes four times the 64 MiB it was given, unless it is refused or killed before.
 */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[1 << 16];

/* MB: touched, page by page. */
static int memory(int argc, char **argv)
{
    size_t size = (size_t)(argc ? atol(argv[0]) : 128) << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1;
    note("%zu MB", size >> 20);
    return 0;
}

static int taken(long long bytes, long long want)
{
    note("%lld MB: %s", bytes >> 20, bytes < want ? strerrorname_np(errno) : "GOT IT");
    return bytes >= want;
}

static long long write_all(int fd, long long want)
{
    long long total = 0;
    ssize_t n = fd;

    while (total < want && (n = write(fd, block, sizeof block)) > 0)
        total += n;
    return total;
}

static int hoard_files(const char *form, long long want)
{
    static const char *const homes[] = { "/tmp", "/dev/shm", "/run" };
    long long total = 0;

    if (strcmp(form, "memfd") == 0)
        return taken(write_all((int)syscall(SYS_memfd_create, "x", 0), want), want);
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        total += write_all(open(text("%s/hoard", homes[i]), O_CREAT | O_WRONLY | O_CLOEXEC, 0600),
                           want - total);
    return taken(total, want);
}

static int hoard_buffers(const char *form, long long want)
{
    long long total = 0;
    int pair[2], size = 1 << 20;
    ssize_t n;

    while (total < want) {
        if (strcmp(form, "pipes") == 0 ? pipe2(pair, O_NONBLOCK | O_CLOEXEC)
                                       : socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
            break;
        fcntl(pair[1], F_SETPIPE_SZ, size);
        setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        while ((n = write(pair[1], block, sizeof block)) > 0)
            total += n;
    }
    return taken(total, want);
}

/* A socket on loopback at a port that the kernel chose, and its address. */
static int on_loopback(int type, struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    *at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    if (fd < 0 || bind(fd, (void *)at, sizeof *at) || getsockname(fd, (void *)at, &size))
        return -1;
    return fd;
}

/* Both ways of each connection are filled, and nobody reads. */
static int hoard_tcp(const char *form, long long want)
{
    struct sockaddr_in at;
    int door = on_loopback(SOCK_STREAM, &at);
    long long total = 0;

    note("%s: %d", form, listen(door, 16));
    for (int i = 0; i < 100 && total < want; i++) {
        int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), far;

        if (near < 0 || connect(near, (void *)&at, sizeof at))
            break;
        far = accept4(door, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (far < 0)
            break;
        fcntl(near, F_SETFL, O_NONBLOCK);
        total += write_all(near, want - total);
        total += write_all(far, want - total);
    }
    return taken(total, want);
}

/* What is not read of datagrams stays; what had no room was never there. A socket holds half a
 * megabyte at most, which is why half of what is wanted has to do. */
static int hoard_udp(const char *form, long long want)
{
    static int fds[900];
    int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = 1 << 28;
    long long total = 0;
    ssize_t n;

    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        struct sockaddr_in at;

        fds[i] = on_loopback(SOCK_DGRAM, &at);
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
        for (int k = 0; k < 12; k++)
            (void)!sendto(from, block, 60000, MSG_DONTWAIT, (void *)&at, sizeof at);
    }
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        while ((n = recv(fds[i], block, sizeof block, 0)) > 0)
            total += n;
    note("%s", form);
    return taken(total, want / 2);
}

static int hoard_shm(const char *form, long long want)
{
    long long total = 0, size = 16 << 20;

    for (; total < want; total += size) {
        int id = shmget(IPC_PRIVATE, (size_t)size, IPC_CREAT | 0600);
        char *memory = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

        if (memory == (void *)-1)
            break;
        memset(memory, form[0], (size_t)size);
    }
    return taken(total, want);
}

/* A page table of 4 KiB for 2 MiB that read as zero. */
static int hoard_tables(const char *form, long long want)
{
    size_t step = 2 << 20, size = (size_t)(want / 4096) * step;
    volatile char *memory =
        mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    long long total = 0;

    if (memory == MAP_FAILED)
        return taken(0, want);
    madvise((void *)memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += step, total += 4096)
        total += memory[i];
    return taken(form ? total : 0, want);
}

/* Names that lead nowhere are remembered, too. Nothing may be left of them, so this one is bounded.
 */
static int hoard_names(const char *form, long long want)
{
    char name[256];
    long long total = 0;

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (long i = 0; total < want; i++, total += 448) {
        snprintf(name, 20, "%019ld", i);
        name[19] = 'n';
        if (access(name, F_OK) == 0)
            return 99;
    }
    note("%s: %lld MB", form, total >> 20); /* the kernel may let go of them: the runner looks */
    return 0;
}

/* ---- what no control group counts ---- */

/* As long as a run needs to be looked at. */
static int held(long long bytes, long long want)
{
    int got = taken(bytes, want);

    usleep(700000);
    return got;
}

/* The kernel has no limit on them. Each file has few, because it walks over those of a file. */
static int hoard_locks(const char *form, long long want)
{
    enum { BYTES = 192, OF_A_FILE = 500, FILES = 900 };
    long long total = 0;
    int children = 0;

    for (; total < want; children++) {
        int child = fork();

        if (child < 0)
            break;
        for (long i = 0; child == 0 && i < (long)FILES * OF_A_FILE && total + i * BYTES < want;
             i++) {
            static int file;
            struct flock lock = { .l_type = F_WRLCK, .l_start = i % OF_A_FILE * 2, .l_len = 1 };

            if (i % OF_A_FILE == 0)
                file = (int)syscall(SYS_memfd_create, "x", 0);
            if (fcntl(file, F_SETLK, &lock) != 0)
                break;
        }
        if (child == 0)
            raise(SIGSTOP); /* it has them all */
        total += FILES * OF_A_FILE * BYTES;
    }
    while (waitpid(-1, NULL, WUNTRACED) > 0 && --children > 0)
        ;
    note("%s", form);
    return held(total < want ? total : want, want);
}

/* A server that accepts nothing, and clients that are gone: no descriptor is left but its own. */
static int hoard_unaccepted(const char *form, long long want)
{
    long long total = 0;
    int size = 1 << 28;

    for (int doors = 0, made = 1; doors < 900 && made > 0 && total < want; doors++) {
        struct sockaddr_in at;
        int door = on_loopback(SOCK_STREAM, &at);

        setsockopt(door, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
        if (door < 0 || listen(door, 4096))
            break;
        for (made = 0; total < want; made++) {
            int near = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            struct pollfd ready = { near, POLLOUT, 0 };

            if (near < 0)
                break;
            connect(near, (void *)&at, sizeof at);
            poll(&ready, 1, 20);
            if (ready.revents & POLLOUT)
                total += write_all(near, want - total);
            close(near);
            if (!(ready.revents & POLLOUT))
                break; /* no more wait at this door */
        }
    }
    note("%s", form);
    return held(total, want);
}

/* Each socket keeps a list of the groups it is in. */
static int hoard_memberships(const char *form, long long want)
{
    enum { BYTES = 64, OF_A_SOCKET = 4000 };
    long long total = 0, before = -1;

    while (total < want && total > before) {
        int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        before = total;
        for (int i = 0; fd >= 0 && i < OF_A_SOCKET; i++, total += BYTES) {
            struct ipv6_mreq group = { .ipv6mr_interface = 1 };

            group.ipv6mr_multiaddr.s6_addr[0] = 0xff;
            group.ipv6mr_multiaddr.s6_addr[1] = 1;
            memcpy(&group.ipv6mr_multiaddr.s6_addr[12], &i, sizeof i);
            if (setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof group))
                break;
        }
    }
    note("%s", form);
    return held(total, want);
}

/* Each socket of TCP keeps a list of keys for its peers. */
static int hoard_keys(const char *form, long long want)
{
    enum { BYTES = 200 };
    long long total = 0, before = -1;

    while (total < want && total > before) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        before = total;
        for (uint32_t i = 1; fd >= 0 && i < 4000; i++, total += BYTES) {
            struct tcp_md5sig key = { .tcpm_keylen = 1 };
            struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(i) } };

            memcpy(&key.tcpm_addr, &at, sizeof at);
            if (setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &key, sizeof key))
                break;
        }
    }
    note("%s", form);
    return held(total, want);
}

/* FORM, MB */
static int hoard(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *form; int (*take)(const char *, long long); } forms[] = {
        { "tmpfs", hoard_files }, { "memfd", hoard_files }, { "pipes", hoard_buffers },
        { "sockets", hoard_buffers }, { "shm", hoard_shm }, { "tables", hoard_tables },
        { "names", hoard_names }, { "tcp", hoard_tcp }, { "udp", hoard_udp },
        { "locks", hoard_locks }, { "unaccepted", hoard_unaccepted },
        { "memberships", hoard_memberships }, { "keys", hoard_keys },
    };
    /* clang-format on */
    if (argc < 2)
        return 99;
    memset(block, 'x', sizeof block);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].form, argv[0]) == 0)
            return forms[i].take(argv[0], atoll(argv[1]) << 20);
    }
    return 99;
}

/* ---- R04: memory that cannot be taken back ---- */

static int locked_memory(int argc, char **argv)
{
    size_t size = 32 << 20;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *huge =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

    refused("EPERM ENOMEM EAGAIN", mlock(memory, size), "mlock");
    refused("EPERM ENOMEM EAGAIN", mlockall(MCL_CURRENT | MCL_FUTURE), "mlockall");
    refused("EPERM ENOMEM EAGAIN",
            mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1,
                 0) == MAP_FAILED
                ? -1
                : 0,
            "locked mapping");
    refused("ENOMEM EPERM EINVAL EAGAIN", huge == MAP_FAILED ? -1 : 0, "huge pages");
    return argc && argv ? 99 : verdict();
}

/* MB: at once, by the kernel. */
static int populate(int argc, char **argv)
{
    size_t size = (size_t)(argc ? atol(argv[0]) : 128) << 20;
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED)
        return 1;
    memset(memory, 1, size);
    note("GOT IT");
    return 0;
}

/* clang-format off */
const struct act acts_memory[] = {
    { "R01", "memory",        memory },
    { "R03", "hoard",         hoard },
    { "R04", "locked_memory", locked_memory },
    { "R04", "populate",      populate },
    { 0 },
};
/* clang-format on */
