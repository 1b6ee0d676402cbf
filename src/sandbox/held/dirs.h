/* SPDX-License-Identifier: Apache-2.0 */
/* dirs.h: the files of a directory in the order of their names.
 *
 * A disk lists them in an order of its own, which differs from disk to disk. What getdents64 has
 * put into a process's memory is put in order there; who reads a directory in several parts gets
 * each of them in order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HELD_DIR_BYTES = 64 << 10 };

/* In bytewise order; what is not well formed stays as it is. Where in the directory one is after
 * each of them belongs to the place and not to the name: it stays, so that the next part is the
 * next. */
void held_dirs_sort(unsigned char *entries, size_t n, unsigned char *room);

/* The same in another's memory. */
void held_dirs_returned(pid_t pid, uint64_t at, int64_t n);
