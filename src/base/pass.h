/* SPDX-License-Identifier: Apache-2.0 */
/* pass.h: words over a socket, with descriptors beside them. Only system calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/own.h"

enum { PASS_MOST = 32 }; /* descriptors that go with one word */

bool pass_send(int line, const void *word, size_t size, const int *fds, size_t n) NODISCARD;

/* What recvmsg() says, with its flags: bytes that came, 0 at the end, -1 and errno. Descriptors are
 * closed on exec; those that did not come are -1. */
ssize_t pass_hear(int line, void *word, size_t size, int flags, int fds[PASS_MOST]) NODISCARD;

/* Waits for a word of this size. */
bool pass_take(int line, void *word, size_t size, int fds[PASS_MOST]) NODISCARD;

/* Closes those from `first` on: nobody wants them. */
void pass_drop(int fds[PASS_MOST], size_t first);
