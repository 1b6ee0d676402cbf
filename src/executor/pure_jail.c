/* SPDX-License-Identifier: Apache-2.0 */
/* pure_jail.c: the walls around a worker. */
#include "executor/pure_jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/fs.h"
#include "executor/pure_wire.h"

/* On another architecture this file does not compile: nobody has read its calls. */
#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

enum { ALWAYS = -1, STACK_BYTES = 64 << 20, MAPS_MAX = 1 << 20 };

/* ---- the list of calls ---- */

/* Allowed when all rows of a call, which stand together, hold: masked, the low 32 bits of the
 * argument are the value. */
struct wall_row {
    int call, arg;
    uint32_t mask, value;
};

/* clang-format off */
static const struct wall_row wall_rows[] = {
    { SYS_read,         0, UINT32_MAX,    PURE_CHANNEL },
    { SYS_write,        0, UINT32_MAX,    PURE_CHANNEL },
    { SYS_brk,          ALWAYS, 0, 0 },
    { SYS_mmap,         2, PROT_EXEC,     0 },
    { SYS_mmap,         3, MAP_ANONYMOUS, MAP_ANONYMOUS },
    { SYS_munmap,       ALWAYS, 0, 0 },
    { SYS_mremap,       ALWAYS, 0, 0 },
    { SYS_madvise,      2, UINT32_MAX,    MADV_DONTNEED },
    { SYS_futex,        1, ~(uint32_t)(FUTEX_PRIVATE_FLAG | FUTEX_WAKE), FUTEX_WAIT },
    { SYS_rt_sigreturn, ALWAYS, 0, 0 },
    { SYS_exit,         ALWAYS, 0, 0 },
    { SYS_exit_group,   ALWAYS, 0, 0 },
};
/* clang-format on */

enum { FILTER_MAX = 128 };

struct filter {
    uint16_t count;
    struct sock_filter code[FILTER_MAX];
};

static void put(struct filter *f, uint16_t op, uint32_t k, size_t otherwise)
{
    f->code[f->count++] = (struct sock_filter){ .code = op, .k = k, .jf = (uint8_t)otherwise };
}

static void put_load(struct filter *f, size_t offset)
{
    put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0);
}

/* One call: its number, its tests, then the two ends. Who fails a test jumps over the others. */
static void put_call(struct filter *f, const struct wall_row *row, size_t rows, uint32_t refusal)
{
    size_t tests = row->arg == ALWAYS ? 0 : rows;

    put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->call, 3 * tests + 2);
    for (size_t i = 0; i < tests; i++) {
        size_t at = offsetof(struct seccomp_data, args) + (size_t)row[i].arg * sizeof(uint64_t);

        put_load(f, at); /* both architectures are little-endian: the low half comes first */
        put(f, BPF_ALU | BPF_AND | BPF_K, row[i].mask, 0);
        put(f, BPF_JMP | BPF_JEQ | BPF_K, row[i].value, 3 * (tests - i - 1) + 1);
    }
    put(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
    put(f, BPF_RET | BPF_K, refusal, 0);
}

/* Another architecture's numbers are other calls, so there is no judging them; those of x32 are
 * none of the list. */
static bool load_filter(uint32_t refusal, const struct wall_row *more, struct error *e)
{
    struct filter f = { 0 };

    put_load(&f, offsetof(struct seccomp_data, arch));
    put(&f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1);
    put(&f, BPF_JMP | BPF_JA, 1, 0);
    put(&f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0);
    put_load(&f, offsetof(struct seccomp_data, nr));
    for (size_t i = 0, rows = 0; i < COUNT(wall_rows); i += rows) {
        rows = 1;
        while (i + rows < COUNT(wall_rows) && wall_rows[i + rows].call == wall_rows[i].call)
            rows++;
        put_call(&f, &wall_rows[i], rows, refusal);
    }
    if (more)
        put_call(&f, more, 1, refusal);
    put(&f, BPF_RET | BPF_K, refusal, 0);

    struct sock_fprog program = { .len = f.count, .filter = f.code };

    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        return error_sys(e, ERROR_IO, "system calls cannot be filtered");
    return true;
}

/* ---- what is closed before ---- */

/* The variable is set before any library asks, and the C library keeps the answer: it will look for
 * no file later. */
static bool close_zone(struct error *e)
{
    if (setenv("TZ", "UTC0", 1) != 0)
        return error_sys(e, ERROR_IO, "the time zone cannot be set");
    tzset();
    return true;
}

static bool close_names(struct error *e)
{
    if (chdir("/") != 0)
        return error_sys(e, ERROR_IO, "the directory cannot be left");
    if (syscall(SYS_close_range, 0, PURE_CHANNEL - 1, 0) != 0 ||
        syscall(SYS_close_range, PURE_CHANNEL + 1, UINT32_MAX, 0) != 0)
        return error_sys(e, ERROR_IO, "descriptors cannot be closed");
    return true;
}

static bool unmap_line(const char *line, struct error *e)
{
    void *from, *to;

    if (sscanf(line, "%p-%p", &from, &to) != 2)
        return error_set(e, ERROR_IO, "/proc/self/maps has a line that cannot be read");
    if (munmap(from, (size_t)((char *)to - (char *)from)) != 0)
        return error_sys(e, ERROR_IO, "the kernel's clock page cannot be unmapped");
    return true;
}

/* The kernel lends every process code and data that tell the time without a call. Unmapped, a
 * clock is a crash. */
static bool close_clock_pages(struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct str maps;
    char *line, *rest;

    if (!fs_read("/proc/self/maps", MAPS_MAX, &a, &maps, e))
        return error_wrap(e, "/proc/self/maps");
    for (line = arena_text(&a, maps); (rest = strchr(line, '\n')); line = rest + 1) {
        *rest = '\0';
        if ((strstr(line, "[vvar") || strstr(line, "[vdso]")) && !unmap_line(line, e))
            return false;
    }
    return true;
}

/* The counter that the clock pages are computed from. An arm64 kernel before 6.12 cannot close it;
 * neither language that runs here has an instruction that reads it. */
static bool close_counter(struct error *e)
{
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0)
        return true;
#if defined(__aarch64__)
    if (errno == EINVAL)
        return true;
#endif
    return error_sys(e, ERROR_IO, "the processor's counter cannot be closed");
}

/* What the process has mapped by now is not the program's doing. */
static bool mapped_bytes(size_t *out, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct str text;

    if (!fs_read("/proc/self/statm", MAPS_MAX, &a, &text, e))
        return error_wrap(e, "/proc/self/statm");
    *out = strtoull(arena_text(&a, text), NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
    return true;
}

static bool set_limits(size_t memory, struct error *e)
{
    size_t mapped = 0;

    if (!mapped_bytes(&mapped, e))
        return false;

    const struct {
        int resource;
        rlim_t most;
    } rows[] = {
        { RLIMIT_STACK, STACK_BYTES }, /* values nest: libraries walk them by recursion */
        { RLIMIT_AS, mapped + memory },
        { RLIMIT_NPROC, 0 },
        { RLIMIT_NOFILE, 0 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rlimit most = { rows[i].most, rows[i].most };
        struct rlimit now;

        if (getrlimit(rows[i].resource, &now) == 0 && now.rlim_max < most.rlim_max)
            most.rlim_cur = most.rlim_max = now.rlim_max;
        if (setrlimit(rows[i].resource, &most) != 0)
            return error_sys(e, ERROR_IO, "limit %d cannot be set", rows[i].resource);
    }
    return true;
}

/* ---- the three steps ---- */

bool walls_begin(struct error *e)
{
    static const struct rlimit none;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_DUMPABLE, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
        return error_sys(e, ERROR_IO, "a worker cannot be confined");
    return true;
}

bool walls_close(size_t memory, struct error *e)
{
    static const struct wall_row one_filter_more = { SYS_seccomp, ALWAYS, 0, 0 };

    (void)mallopt(M_ARENA_MAX, 1); /* another arena would need mprotect */
    return close_zone(e) && close_names(e) && close_clock_pages(e) && set_limits(memory, e) &&
           close_counter(e) && load_filter(SECCOMP_RET_ERRNO | EPERM, &one_filter_more, e);
}

bool walls_seal(struct error *e)
{
    return load_filter(SECCOMP_RET_KILL_PROCESS, NULL, e);
}
