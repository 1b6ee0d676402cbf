/* SPDX-License-Identifier: Apache-2.0 */
/* tracee.c: what the two architectures call things, and the way into another's memory. */
#include "sandbox/held/tracee.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* An iovec that holds another's addresses. */
struct far_part {
    uint64_t at, n;
};

long tracee_ptrace(long request, pid_t pid, uint64_t at, uint64_t data)
{
    return syscall(SYS_ptrace, request, (long)pid, at, data);
}

/* A program of 32 bits has fewer, in other places. */
bool tracee_get(pid_t pid, struct tracee_regs *regs)
{
    struct iovec part = { &regs->r, sizeof regs->r };

    if (tracee_ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, (uintptr_t)&part) != 0)
        return false;
    if (part.iov_len == sizeof regs->r)
        return true;
    errno = ENOEXEC;
    return false;
}

bool tracee_set(pid_t pid, const struct tracee_regs *regs)
{
    struct tracee_regs copy = *regs;
    struct iovec part = { &copy.r, sizeof copy.r };

    return tracee_ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, (uintptr_t)&part) == 0;
}

/* ---- memory ---- */

bool tracee_read(pid_t pid, uint64_t from, void *to, size_t n)
{
    struct iovec here = { to, n };
    struct far_part there = { from, n };

    return syscall(SYS_process_vm_readv, (long)pid, &here, 1UL, &there, 1UL, 0UL) == (long)n;
}

bool tracee_write(pid_t pid, uint64_t to, const void *from, size_t n)
{
    const struct far_part here = { (uintptr_t)from, n }, there = { to, n };

    return syscall(SYS_process_vm_writev, (long)pid, &here, 1UL, &there, 1UL, 0UL) == (long)n;
}

bool tracee_patch(pid_t pid, uint64_t to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, (const char *)from + i, sizeof word);
        if (tracee_ptrace(PTRACE_POKEDATA, pid, to + i, word) != 0)
            return false;
    }
    return true;
}

bool tracee_counter_can_be_held(void)
{
    int now;

    return prctl(PR_GET_TSC, &now) == 0;
}

/* ---- registers ---- */

#if defined(__aarch64__)

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif
#ifndef HWCAP2_RNG
#define HWCAP2_RNG (1 << 16)
#endif

/* mrs Xt, CNTVCT_EL0 and so on; the lowest five bits are t. With the counter the kernel takes its
 * pace away: ours is one a nanosecond. */
#define MRS_COUNTER         UINT32_C(0xd53be040)
#define MRS_COUNTER_ORDERED UINT32_C(0xd53be0c0)
#define MRS_PACE            UINT32_C(0xd53be000)

enum { MRS_TO = 31, PACE = 1000000000 };

int tracee_call(const struct tracee_regs *regs)
{
    return (int)regs->r.regs[8];
}

uint64_t tracee_arg(const struct tracee_regs *regs, int n)
{
    return regs->r.regs[n];
}

void tracee_set_arg(struct tracee_regs *regs, int n, uint64_t value)
{
    regs->r.regs[n] = value;
}

int64_t tracee_result(const struct tracee_regs *regs)
{
    return (int64_t)regs->r.regs[0];
}

/* The result lies where the first argument was. The kernel keeps that one, and puts it back itself
 * when it makes the call again. */
void tracee_put_back(struct tracee_regs *regs, const uint64_t args[TRACEE_ARGS])
{
    for (int i = 1; i < TRACEE_ARGS; i++)
        tracee_set_arg(regs, i, args[i]);
}

uint64_t tracee_stack(const struct tracee_regs *regs)
{
    return regs->r.sp;
}

void tracee_set_stack(struct tracee_regs *regs, uint64_t at)
{
    regs->r.sp = at;
}

uint64_t tracee_next(const struct tracee_regs *regs)
{
    return regs->r.pc;
}

void tracee_set_next(struct tracee_regs *regs, uint64_t at)
{
    regs->r.pc = at;
}

bool tracee_answer(pid_t pid, struct tracee_regs *regs, int64_t result)
{
    int none = -1;
    struct iovec part = { &none, sizeof none };

    regs->r.regs[0] = (uint64_t)result;
    return tracee_ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, (uintptr_t)&part) == 0 &&
           tracee_set(pid, regs);
}

bool tracee_step_over_counter(pid_t pid, struct tracee_regs *regs, uint64_t value)
{
    uint32_t instruction;
    uint32_t reads;
    unsigned to;

    if (!tracee_read(pid, regs->r.pc, &instruction, sizeof instruction))
        return false;
    to = instruction & MRS_TO;
    reads = instruction - to;
    if (reads != MRS_COUNTER && reads != MRS_COUNTER_ORDERED && reads != MRS_PACE)
        return false;
    if (to < MRS_TO) /* 31 is the register that is always zero */
        regs->r.regs[to] = reads == MRS_PACE ? PACE : value;
    regs->r.pc += sizeof instruction;
    return tracee_set(pid, regs);
}

bool tracee_draws_in_hardware(void)
{
    return getauxval(AT_HWCAP2) & HWCAP2_RNG;
}

#else /* x86-64 */

#include <cpuid.h>

int tracee_call(const struct tracee_regs *regs)
{
    return (int)regs->r.orig_rax;
}

uint64_t tracee_arg(const struct tracee_regs *regs, int n)
{
    const unsigned long long args[TRACEE_ARGS] = { regs->r.rdi, regs->r.rsi, regs->r.rdx,
                                                   regs->r.r10, regs->r.r8,  regs->r.r9 };

    return args[n];
}

void tracee_set_arg(struct tracee_regs *regs, int n, uint64_t value)
{
    unsigned long long *const args[TRACEE_ARGS] = { &regs->r.rdi, &regs->r.rsi, &regs->r.rdx,
                                                    &regs->r.r10, &regs->r.r8,  &regs->r.r9 };

    *args[n] = value;
}

int64_t tracee_result(const struct tracee_regs *regs)
{
    return (int64_t)regs->r.rax;
}

void tracee_put_back(struct tracee_regs *regs, const uint64_t args[TRACEE_ARGS])
{
    for (int i = 0; i < TRACEE_ARGS; i++)
        tracee_set_arg(regs, i, args[i]);
}

uint64_t tracee_stack(const struct tracee_regs *regs)
{
    return regs->r.rsp;
}

void tracee_set_stack(struct tracee_regs *regs, uint64_t at)
{
    regs->r.rsp = at;
}

uint64_t tracee_next(const struct tracee_regs *regs)
{
    return regs->r.rip;
}

void tracee_set_next(struct tracee_regs *regs, uint64_t at)
{
    regs->r.rip = at;
}

bool tracee_answer(pid_t pid, struct tracee_regs *regs, int64_t result)
{
    regs->r.orig_rax = (unsigned long long)-1;
    regs->r.rax = (unsigned long long)result;
    return tracee_set(pid, regs);
}

/* rdtsc is 0f 31, rdtscp 0f 01 f9; it names the CPU, too, which is the first. */
bool tracee_step_over_counter(pid_t pid, struct tracee_regs *regs, uint64_t value)
{
    static const unsigned char rdtsc[] = { 0x0f, 0x31 }, rdtscp[] = { 0x0f, 0x01, 0xf9 };
    unsigned char found[sizeof rdtscp] = { 0 };

    if (!tracee_read(pid, regs->r.rip, found, sizeof rdtsc))
        return false;
    if (memcmp(found, rdtsc, sizeof rdtsc) == 0) {
        regs->r.rip += sizeof rdtsc;
    } else {
        if (!tracee_read(pid, regs->r.rip, found, sizeof found) ||
            memcmp(found, rdtscp, sizeof rdtscp) != 0)
            return false;
        regs->r.rcx = 0;
        regs->r.rip += sizeof rdtscp;
    }
    regs->r.rax = value & UINT32_MAX;
    regs->r.rdx = value >> 32;
    return tracee_set(pid, regs);
}

bool tracee_draws_in_hardware(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_RDRND);
}

#endif
