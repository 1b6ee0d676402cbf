/* SPDX-License-Identifier: Apache-2.0 */
/* bpf.h: runs a filter as the kernel would, and fails where the kernel would refuse it. */
#pragma once

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>

#include "sandbox/seccomp.h"

#ifdef __x86_64__
#define BPF_ARCH       AUDIT_ARCH_X86_64
#define BPF_OTHER_ARCH AUDIT_ARCH_AARCH64
#else
#define BPF_ARCH       AUDIT_ARCH_AARCH64
#define BPF_OTHER_ARCH AUDIT_ARCH_X86_64
#endif

static bool bpf_holds(uint16_t code, uint32_t a, uint32_t k)
{
    switch (BPF_OP(code)) {
    case BPF_JA: return true;
    case BPF_JEQ: return a == k;
    case BPF_JGE: return a >= k;
    case BPF_JGT: return a > k;
    case BPF_JSET: return (a & k) != 0;
    default: fail_msg("test %#x is unknown", code); return false;
    }
}

static uint32_t bpf_word(const struct seccomp_data *data, uint32_t at)
{
    uint32_t word;

    assert_true(at % sizeof word == 0 && at + sizeof word <= sizeof *data);
    memcpy(&word, (const char *)data + at, sizeof word);
    return word;
}

/* What the filter says about a call. BPF only jumps forwards, so this ends. */
static uint32_t bpf_run(const struct seccomp_program *p, const struct seccomp_data *data)
{
    uint32_t a = 0;

    for (size_t i = 0; i < p->count; i++) {
        const struct sock_filter *f = &p->code[i];

        switch (f->code) {
        case BPF_LD | BPF_W | BPF_ABS: a = bpf_word(data, f->k); break;
        case BPF_ALU | BPF_AND | BPF_K: a &= f->k; break;
        case BPF_JMP | BPF_JA: i += f->k; break;
        case BPF_RET | BPF_K: return f->k;
        default:
            assert_int_equal(BPF_CLASS(f->code), BPF_JMP);
            assert_int_equal(BPF_SRC(f->code), BPF_K);
            i += bpf_holds(f->code, a, f->k) ? f->jt : f->jf;
        }
    }
    fail_msg("the filter ran past its end");
    return 0;
}
