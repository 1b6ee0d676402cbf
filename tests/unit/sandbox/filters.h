/* SPDX-License-Identifier: Apache-2.0 */
/* filters.h: the filter of every policy there is, and questions to them. */
#pragma once

#include <errno.h>

#include "unit/sandbox/bpf.h"

enum { POLICIES = 256 };

#define ALLOW     SECCOMP_RET_ALLOW
#define ASK       SECCOMP_RET_USER_NOTIF
#define STOP      SECCOMP_RET_TRACE
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
        policies[i] = (struct seccomp_policy){ .fork = i & 1 ? FORK_NEVER : FORK_FREE,
                                               .count_threads = i & 2,
                                               .count_forks = i & 2,
                                               .inet = i & 4,
                                               .no_setid = i & 8,
                                               .ask_sockets = i & 16,
                                               .ask_ipc = i & 32,
                                               .held = i & 64,
                                               .count_filters = i & 128 };
        seccomp_build(&policies[i], &programs[i]);
    }
    return 0;
}

static inline uint32_t ask_with(int policy, int nr, const uint64_t args[6])
{
    struct seccomp_data data = { .nr = nr, .arch = BPF_ARCH };

    memcpy(data.args, args, sizeof data.args);
    return bpf_run(&programs[policy], &data);
}

static inline uint32_t ask(int policy, int nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
    return ask_with(policy, nr, (uint64_t[6]){ a0, a1, a2 });
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
    if (policies[policy].fork == FORK_FREE)
        return ALLOW;
    return policies[policy].count_forks ? ASK : ERRNO(EPERM);
}

static inline uint32_t held_verdict(int policy)
{
    return policies[policy].held ? STOP : ALLOW;
}

static inline uint32_t filter_verdict(int policy)
{
    return policies[policy].count_filters ? ASK : ERRNO(EPERM);
}

static inline uint32_t thread_verdict(int policy)
{
    return policies[policy].count_threads ? ASK : ALLOW;
}
