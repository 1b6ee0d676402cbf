/* SPDX-License-Identifier: Apache-2.0 */
/* openat2.h: opens a path by rules about what lies on the way: the C library has no wrapper. */
#pragma once

#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* `resolve` is of RESOLVE_*. -1 and errno: it cannot be had. */
static inline int kernel_openat2(int at, const char *path, uint64_t flags, uint64_t resolve)
{
    struct open_how how = { .flags = flags, .resolve = resolve };

    return (int)syscall(SYS_openat2, at, path, &how, sizeof how);
}
