/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.h: a descriptor that becomes readable when somebody wants something stopped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/wish.h"
#include "base/world.h"

/* What was heard of it before; { 0 }: nothing. */
struct cancel_calls {
    struct wishes wishes;
    bool told; /* by a signal */
};

/* Takes one request from *fd, which is ready: an eventfd's number, one description of a signalfd or
 * a pipe's bytes. False: there was none, or a signal that tells the same wish again; *fd is -1 when
 * there will be none any more. */
bool cancel_heard(int *fd, struct cancel_calls *calls, const struct world *world) NODISCARD;

/* Does somebody call, now? It is not read. Nobody calls by letting go of it. */
bool cancel_asked(int fd) NODISCARD;

/* Waits so long. False: `fd` (-1: nobody calls) became readable before; it is not read. Nobody
 * calls by letting go of it. */
bool cancel_wait(int fd, int64_t ms, const struct world *world) NODISCARD;
