/* SPDX-License-Identifier: Apache-2.0 */
/* filters.h: the filter of every policy there is, and questions to them. */
#pragma once

#include <errno.h>

#include "unit/sandbox/bpf.h"

enum { POLICIES = 12 };

#define ALLOW     SECCOMP_RET_ALLOW
#define ASK       SECCOMP_RET_USER_NOTIF
#define KILL      SECCOMP_RET_KILL_PROCESS
#define ERRNO(n)  (SECCOMP_RET_ERRNO | (n))
#define HIGH      (UINT64_C(1) << 32)
#define HIGH_ALL  (UINT64_C(0xffffffff) << 32)
#define NO_FAMILY ERRNO(EAFNOSUPPORT)

static struct seccomp_policy policies[POLICIES];
static struct seccomp_program programs[POLICIES];

static inline int build_all(void **state)
{
    (void)state;
    for (int i = 0; i < POLICIES; i++) {
        policies[i] = (struct seccomp_policy){ (enum fork_rule)(i / 4), i & 1, i & 2 };
        seccomp_build(&policies[i], &programs[i]);
    }
    return 0;
}

static inline uint32_t ask(int policy, int nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
    struct seccomp_data data = { .nr = nr, .arch = BPF_ARCH, .args = { a0, a1, a2 } };

    return bpf_run(&programs[policy], &data);
}

static inline void all_say(uint32_t want, int nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
    for (int i = 0; i < POLICIES; i++) {
        uint32_t got = ask(i, nr, a0, a1, a2);

        if (got != want)
            fail_msg("call %d(%#lx, %#lx, %#lx) under policy %d: %#x, not %#x", nr, (long)a0,
                     (long)a1, (long)a2, i, got, want);
    }
}

static inline uint32_t fork_verdict(int policy)
{
    static const uint32_t want[] = { ASK, ALLOW, ERRNO(EPERM) };

    return want[policies[policy].fork];
}
