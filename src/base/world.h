/* SPDX-License-Identifier: Apache-2.0 */
/* world.h: the only door to time, identity and chance.
 *
 * Everything that would make two runs differ is asked of a struct world. Production passes
 * world_real(); tests pass a struct fake_world and get the same bytes every time.
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/uuid.h"

struct world {
    int64_t (*wall_ms)(void *self); /* Unix time, for records */
    int64_t (*mono_ms)(void *self); /* never goes back, for deadlines */
    struct uuid (*new_id)(void *self);
    void (*chance)(void *self, void *bytes, size_t n); /* fit for keys and tokens */
    void *self;
};

/* For any thread. Should the kernel refuse its clocks or its random numbers, the process aborts:
 * no honest record could be written without them. */
const struct world *world_real(void);

/* How long poll() is to wait where `left` milliseconds are left by mono_ms, which is its clock. */
static inline int poll_ms(int64_t left)
{
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* The processor's time that a child of ours has used by now; 0 when it is gone. */
int64_t world_cpu_ms(pid_t pid);

/* Time stands still until fake_world_tick(); ids count up from one; random bytes look random and
 * are always the same. For one thread. */
struct fake_world {
    struct world world;
    int64_t now_ms;
    uint64_t ids, draws;
};

void fake_world_init(struct fake_world *f, int64_t start_ms);
void fake_world_tick(struct fake_world *f, int64_t ms);
