/* SPDX-License-Identifier: Apache-2.0 */
/* emulated.h: what a kernel lacks that qemu or valgrind plays. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether there is the call by which a directory is opened on the way to a grant. */
static inline bool opens_directories(void)
{
    return syscall(SYS_openat2, -1, "", NULL, 0) == 0 || errno != ENOSYS;
}
