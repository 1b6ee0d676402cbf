/* SPDX-License-Identifier: Apache-2.0 */
/* pass.h: words of a fixed size over a socket, with descriptors beside them. Only system calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/jail.h"

/* The streams, and the line or the groups. */
enum { PASS_MOST = STREAM_COUNT + CGROUP_DIRS };

bool pass_send(int line, void *word, size_t size, const int *fds, size_t n) NODISCARD;

/* Waits for it. Descriptors that do not come are -1. */
bool pass_take(int line, void *word, size_t size, int fds[PASS_MOST]) NODISCARD;
