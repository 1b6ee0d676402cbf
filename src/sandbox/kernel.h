/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: the system calls that the C library does not wrap, or not everywhere.
 *
 * Each returns what the kernel returned, or -1 and errno. Constants that are newer than the headers
 * of old stable systems are given here, once.
 */
#pragma once

#include <linux/mount.h>
#include <linux/sched.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/openat2.h"

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif
#ifndef CLONE_CLEAR_SIGHAND
#define CLONE_CLEAR_SIGHAND 0x100000000ULL
#endif

struct kernel_mount_attr {
    uint64_t set, clear, propagation, userns_fd;
};

static inline int kernel_open_tree(int at, const char *path, unsigned flags)
{
    return (int)syscall(SYS_open_tree, at, path, flags);
}

static inline int kernel_move_mount(int from, int at, const char *to, unsigned flags)
{
    return (int)syscall(SYS_move_mount, from, "", at, to, flags | MOVE_MOUNT_F_EMPTY_PATH);
}

static inline int kernel_mount_setattr(int at, unsigned flags, const struct kernel_mount_attr *attr)
{
    return (int)syscall(SYS_mount_setattr, at, "", flags, attr, sizeof *attr);
}

static inline int kernel_fsopen(const char *type)
{
    return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static inline int kernel_fsconfig(int fs, unsigned command, const char *key, const char *value)
{
    return (int)syscall(SYS_fsconfig, fs, command, key, value, 0);
}

static inline int kernel_fsmount(int fs, unsigned attr)
{
    return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attr);
}

static inline int kernel_pivot_root(const char *new_root, const char *put_old)
{
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}
