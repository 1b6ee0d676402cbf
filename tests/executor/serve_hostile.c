/* SPDX-License-Identifier: Apache-2.0 */
/* serve_hostile.c: a service that does what no executor may do; the payload names the act.
 *
 * It stands in the place of wasm, in a writ-pure of its own. Each act gets as far as the kernel
 * lets it, and one that succeeds says so.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>

#include "executor/pure_wire.h"
#include "executor/serve.h"

extern char **environ;

/* ---- one system call ---- */

static _Alignas(4096) char somewhere[4096];

/* clang-format off */
static const struct { const char *name; long nr; uint64_t args[6]; } calls[] = {
    { "call:openat",        SYS_openat,        { (uint64_t)AT_FDCWD, (uint64_t)"/etc/passwd", O_RDONLY } },
    { "call:temp file",     SYS_openat,        { (uint64_t)AT_FDCWD, (uint64_t)"/tmp", O_TMPFILE | O_RDWR, 0600 } },
    { "call:unlinkat",      SYS_unlinkat,      { (uint64_t)AT_FDCWD, (uint64_t)"/tmp/none" } },
    { "call:mkdirat",       SYS_mkdirat,       { (uint64_t)AT_FDCWD, (uint64_t)"/tmp/none", 0700 } },
    { "call:getdents64",    SYS_getdents64,    { 0, (uint64_t)somewhere, sizeof somewhere } },
    { "call:statx",         SYS_statx,         { (uint64_t)AT_FDCWD, (uint64_t)"/", 0, 0, (uint64_t)somewhere } },
    { "call:read 0",        SYS_read,          { 0, (uint64_t)somewhere, 1 } },
    { "call:read 5",        SYS_read,          { 5, (uint64_t)somewhere, 1 } },
    { "call:write 1",       SYS_write,         { 1, (uint64_t)somewhere, 1 } },
    { "call:write 2",       SYS_write,         { 2, (uint64_t)somewhere, 1 } },
    { "call:pwrite64",      SYS_pwrite64,      { PURE_CHANNEL, (uint64_t)somewhere, 1 } },
    { "call:writev",        SYS_writev,        { PURE_CHANNEL, (uint64_t)somewhere, 1 } },
    { "call:memfd_create",  SYS_memfd_create,  { (uint64_t)"none" } },
    { "call:dup",           SYS_dup,           { PURE_CHANNEL } },
    { "call:inet socket",   SYS_socket,        { AF_INET, SOCK_STREAM } },
    { "call:inet6 socket",  SYS_socket,        { AF_INET6, SOCK_DGRAM } },
    { "call:unix socket",   SYS_socket,        { AF_UNIX, SOCK_STREAM } },
    { "call:netlink socket", SYS_socket,       { AF_NETLINK, SOCK_RAW } },
    { "call:vsock socket",  SYS_socket,        { AF_VSOCK, SOCK_STREAM } },
    { "call:socketpair",    SYS_socketpair,    { AF_UNIX, SOCK_STREAM, 0, (uint64_t)somewhere } },
    { "call:connect",       SYS_connect,       { PURE_CHANNEL, (uint64_t)somewhere, sizeof(struct sockaddr_un) } },
    { "call:sendto",        SYS_sendto,        { PURE_CHANNEL, (uint64_t)somewhere, 1 } },
    { "call:sendmsg",       SYS_sendmsg,       { PURE_CHANNEL, (uint64_t)somewhere } },
    { "call:io_uring",      425,               { 1, (uint64_t)somewhere } },
    { "call:flock",         SYS_flock,         { PURE_CHANNEL, 1 } },
    { "call:fcntl",         SYS_fcntl,         { PURE_CHANNEL, F_GETFL } },
    { "call:shmget",        SYS_shmget,        { 0, 4096, 0600 } },
    { "call:mq_open",       SYS_mq_open,       { (uint64_t)"none", O_RDWR } },
    { "call:clone",         SYS_clone,         { SIGCHLD } },
    { "call:clone thread",  SYS_clone,         { CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, (uint64_t)(somewhere + 4000) } },
    { "call:clone3",        SYS_clone3,        { 0 } },
    { "call:execve",        SYS_execve,        { (uint64_t)"/bin/true" } },
    { "call:execveat",      SYS_execveat,      { (uint64_t)AT_FDCWD, (uint64_t)"/bin/true" } },
    { "call:kill",          SYS_kill,          { 0, 0 } },
    { "call:ptrace",        SYS_ptrace,        { PTRACE_TRACEME } },
    { "call:getppid",       SYS_getppid,       { 0 } },
    { "call:getpid",        SYS_getpid,        { 0 } },
    { "call:getuid",        SYS_getuid,        { 0 } },
    { "call:getcwd",        SYS_getcwd,        { (uint64_t)somewhere, sizeof somewhere } },
    { "call:uname",         SYS_uname,         { (uint64_t)somewhere } },
    { "call:sysinfo",       SYS_sysinfo,       { (uint64_t)somewhere } },
    { "call:getrandom",     SYS_getrandom,     { (uint64_t)somewhere, 16 } },
    { "call:clock_gettime", SYS_clock_gettime, { CLOCK_REALTIME, (uint64_t)somewhere } },
    { "call:cpu clock",     SYS_clock_gettime, { CLOCK_PROCESS_CPUTIME_ID, (uint64_t)somewhere } },
    { "call:gettimeofday",  SYS_gettimeofday,  { (uint64_t)somewhere } },
    { "call:times",         SYS_times,         { (uint64_t)somewhere } },
    { "call:getrusage",     SYS_getrusage,     { 0, (uint64_t)somewhere } },
    { "call:nanosleep",     SYS_nanosleep,     { (uint64_t)somewhere } },
    { "call:getcpu",        SYS_getcpu,        { (uint64_t)somewhere } },
    { "call:sched_getaffinity", SYS_sched_getaffinity, { 0, 128, (uint64_t)somewhere } },
    { "call:prctl",         SYS_prctl,         { PR_SET_TSC, PR_TSC_ENABLE } },
    { "call:prlimit64",     SYS_prlimit64,     { 0, 9 } },
    { "call:seccomp",       SYS_seccomp,       { 0 } },
    { "call:mprotect",      SYS_mprotect,      { (uint64_t)somewhere, 4096, PROT_EXEC } },
    { "call:mmap code",     SYS_mmap,          { 0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1 } },
    { "call:mmap the channel", SYS_mmap,       { 0, 4096, PROT_READ, MAP_PRIVATE, PURE_CHANNEL } },
    { "call:madvise",       SYS_madvise,       { (uint64_t)somewhere, 4096, 8 } },
    { "call:rt_sigaction",  SYS_rt_sigaction,  { SIGSYS, 0, 0, 8 } },
    { "call:futex on time", SYS_futex,         { (uint64_t)somewhere, FUTEX_LOCK_PI } },
    { "call:beyond",        100000,            { 0 } },
};
/* clang-format on */

static enum call_end try_call(struct str name, struct buf *out)
{
    for (size_t i = 0; i < COUNT(calls); i++) {
        const uint64_t *args = calls[i].args;

        if (!str_is(name, calls[i].name))
            continue;
        buf_addf(out, "%ld",
                 syscall(calls[i].nr, args[0], args[1], args[2], args[3], args[4], args[5]));
        return CALL_OUTPUT;
    }
    return CALL_NO_OUTPUT;
}

/* ---- other acts ---- */

static enum call_end vdso(struct buf *out)
{
    struct timespec t;

    buf_addf(out, "%d", clock_gettime(CLOCK_MONOTONIC_COARSE, &t));
    return CALL_OUTPUT;
}

static enum call_end vdso_of_the_kernel(struct buf *out)
{
    struct timeval t;

    buf_addf(out, "%d", gettimeofday(&t, NULL));
    return CALL_OUTPUT;
}

static enum call_end counter(struct buf *out)
{
    uint64_t now;

#if defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
#else
    now = __builtin_ia32_rdtsc();
#endif
    buf_addf(out, "%llu", (unsigned long long)now);
    return CALL_OUTPUT;
}

/* The zone is for the C library, and the same for everybody. */
static enum call_end variables(struct buf *out)
{
    for (char **v = environ; *v; v++)
        buf_addf(out, "%s ", *v);
    return CALL_OUTPUT;
}

/* How many megabytes there are. */
static enum call_end memory(struct buf *out)
{
    enum { PIECE = 1 << 20, MOST = 4096 };
    static char *pieces[MOST];
    int n = 0;

    while (n < MOST && (pieces[n] = malloc(PIECE))) {
        memset(pieces[n], 1, PIECE);
        n++;
    }
    for (int i = 0; i < n; i++)
        free(pieces[i]);
    buf_addf(out, "%d", n);
    return CALL_OUTPUT;
}

static enum call_end loop(struct buf *out)
{
    for (volatile uint64_t i = 0;; i++)
        if (i == UINT64_MAX)
            return buf_ok(out) ? CALL_NO_OUTPUT : CALL_LIMIT;
}

static enum call_end hang(struct buf *out)
{
    static uint32_t word;

    while (buf_ok(out))
        (void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return CALL_LIMIT;
}

static int deeper(volatile char *above)
{
    volatile char here[4096];

    here[0] = *above;
    return here[0] ? 0 : deeper(here) + here[0];
}

static enum call_end deep(struct buf *out)
{
    char top = 0;

    buf_addf(out, "%d", deeper(&top));
    return CALL_OUTPUT;
}

static enum call_end crash(struct buf *out)
{
    static volatile int *volatile nowhere;

    (void)out;
    return *nowhere ? CALL_OUTPUT : CALL_NO_OUTPUT;
}

static enum call_end give_up(struct buf *out)
{
    (void)out;
    abort();
}

static enum call_end leave(struct buf *out)
{
    (void)out;
    _exit(3);
}

static enum call_end garbage(struct buf *out)
{
    static const char text[] = "{\"status\":\"SUCCESS\"}";

    (void)out;
    (void)!write(PURE_CHANNEL, text, sizeof text);
    return CALL_NO_OUTPUT;
}

/* An answer too many: it would be the next call's. */
static uint32_t numbers;

static enum call_end forge(struct buf *out)
{
    struct {
        struct pure_answer head;
        char text[8];
    } answer = { { 8, CALL_OUTPUT, numbers }, "\"forged\"" };

    (void)!write(PURE_CHANNEL, &answer, sizeof answer);
    buf_adds(out, "\"mine\"");
    return CALL_OUTPUT;
}

static enum call_end boast(struct buf *out)
{
    struct pure_answer head = { UINT32_MAX, CALL_OUTPUT, numbers };

    (void)out;
    (void)!write(PURE_CHANNEL, &head, sizeof head);
    return CALL_NO_OUTPUT;
}

static enum call_end gigabyte(struct buf *out)
{
    for (int i = 0; i < 1 << 20; i++)
        buf_add(out, somewhere, 1024);
    return CALL_OUTPUT;
}

static enum call_end late(struct buf *out)
{
    (void)out;
    return CALL_TIMEOUT;
}

static enum call_end raise_one(struct buf *out)
{
    buf_adds(out, "my own words");
    return CALL_EXCEPTION;
}

static enum call_end nothing(struct buf *out)
{
    (void)out;
    return CALL_NO_OUTPUT;
}

static const struct {
    const char *name;
    enum call_end (*act)(struct buf *out);
} acts[] = {
    { "vdso clock", vdso },   { "vdso time of day", vdso_of_the_kernel },
    { "counter", counter },   { "variables", variables },
    { "memory", memory },     { "loop", loop },
    { "hang", hang },         { "deep", deep },
    { "crash", crash },       { "abort", give_up },
    { "exit", leave },        { "garbage", garbage },
    { "forge", forge },       { "boast", boast },
    { "gigabyte", gigabyte }, { "late", late },
    { "raise", raise_one },   { "nothing", nothing },
};

/* ---- the service ---- */

static bool hostile_open(const char *file, struct error *e)
{
    return *file || error_set(e, ERROR_IO, "a file has a name");
}

static enum call_end hostile_call(struct str payload, struct buf *out)
{
    numbers++;
    for (size_t i = 0; i < COUNT(acts); i++)
        if (str_is(payload, acts[i].name))
            return acts[i].act(out);
    if (str_begins(payload, "call:"))
        return try_call(payload, out);
    buf_add(out, payload.s, payload.n); /* who is asked for nothing hostile is an echo */
    return CALL_OUTPUT;
}

const struct service wasm_service = {
    .name = "hostile",
    .open = hostile_open,
    .call = hostile_call,
};
