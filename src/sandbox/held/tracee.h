/* SPDX-License-Identifier: Apache-2.0 */
/* tracee.h: the registers and the memory of a process that init traces and that is stopped.
 *
 * Everything that differs between the architectures is in tracee.c. Nothing here allocates. Each
 * function is false when the process is gone, or the memory is not there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#if defined(__aarch64__)
#include <asm/ptrace.h>
#endif

#include "base/own.h"

enum { TRACEE_ARGS = 6 };

struct tracee_regs {
#if defined(__aarch64__)
    struct user_pt_regs r;
#else
    struct user_regs_struct r;
#endif
};

/* ptrace by its bare call: addresses are numbers. */
long tracee_ptrace(long request, pid_t pid, uint64_t at, uint64_t data);

/* False with ENOEXEC: they are those of a 32-bit program. */
bool tracee_get(pid_t pid, struct tracee_regs *regs) NODISCARD;
bool tracee_set(pid_t pid, const struct tracee_regs *regs);

int tracee_call(const struct tracee_regs *regs);
uint64_t tracee_arg(const struct tracee_regs *regs, int n);
void tracee_set_arg(struct tracee_regs *regs, int n, uint64_t value);
int64_t tracee_result(const struct tracee_regs *regs);
/* At the return of a call: the arguments as they were; the result stays, wherever it is. */
void tracee_put_back(struct tracee_regs *regs, const uint64_t args[TRACEE_ARGS]);
uint64_t tracee_stack(const struct tracee_regs *regs);
void tracee_set_stack(struct tracee_regs *regs, uint64_t at);
uint64_t tracee_next(const struct tracee_regs *regs); /* the instruction it is at */
void tracee_set_next(struct tracee_regs *regs, uint64_t at);

/* At the beginning of a call: it is not made, and this is its result. */
bool tracee_answer(pid_t pid, struct tracee_regs *regs, int64_t result);

/* If it stands before an instruction that reads the cycle counter: does it, with this value. */
bool tracee_step_over_counter(pid_t pid, struct tracee_regs *regs, uint64_t value);

/* Whether the cycle counter can be kept from programs, and what they can draw chance from that
 * nobody can hold. */
bool tracee_counter_can_be_held(void);
bool tracee_draws_in_hardware(void);

bool tracee_read(pid_t pid, uint64_t from, void *to, size_t n) NODISCARD;
bool tracee_write(pid_t pid, uint64_t to, const void *from, size_t n) NODISCARD;

/* Writes where the process itself may not: into its code. n is a multiple of 8. */
bool tracee_patch(pid_t pid, uint64_t to, const void *from, size_t n) NODISCARD;
