/* SPDX-License-Identifier: Apache-2.0 */
/* pure_jail.h: the walls around a worker, closed in three steps by the worker itself.
 *
 * Behind them there are the channel and memory, and nothing else: no name, file, clock, chance,
 * process or variable. What tries is killed.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* First of all: it dies with its parent, gains no rights, and leaves no core. */
bool walls_begin(struct error *e) NODISCARD;

/* The files are read: everything closes but a call that is not on the list still only fails
 * (EPERM), so that a library can look for what it does not need. The program has `memory` bytes
 * above what is in use now. */
bool walls_close(size_t memory, struct error *e) NODISCARD;

/* From now on such a call is the end of the process. */
bool walls_seal(struct error *e) NODISCARD;
