/* SPDX-License-Identifier: Apache-2.0 */
/* alive.h: does who runs a lane still live?
 *
 *     <state>/running/<execution id>
 *
 * is there while it runs, locked by who runs it; the lock goes with the process, however that ends.
 * A file that nobody holds is of one who was killed, and stays: the ledger has no end of it. There
 * are no process ids in it that could have become somebody else's. The name of the machine is: of
 * another one, where the state directory is shared, nothing is known. Plans have none: their state
 * is in memory alone while they run (contract 004, 6.6).
 */
#pragma once

#include "base/mem.h"
#include "base/str.h"

/* { .fd = -1 } is a valid empty one. */
struct alive {
    int fd; /* -1: it is not told; whoever asks does not know */
    const char *path;
};

/* Before the ledger has it that it runs. That it cannot be told keeps nothing from running. */
struct alive alive_begin(const char *state, struct str execution, struct arena *a);

/* After the ledger has its end. */
void alive_end(struct alive *alive);

enum living { LIVING_UNKNOWN, LIVING, LIVING_NO };

enum living alive_look(const char *state, struct str execution, struct arena *a);
