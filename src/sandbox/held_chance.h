/* SPDX-License-Identifier: Apache-2.0 */
/* held_chance.h: /dev/random and /dev/urandom of a fixed run.
 *
 * Both are one file that init answers for (FUSE): whoever opens it gets a stream of his own, which
 * depends on the process and on how often that has opened it before, and on nothing else. A read
 * gets as much as was asked for; what is written is taken and forgotten. Where /dev/fuse cannot be
 * opened both are a plain file, which all read from its beginning, and nobody can write.
 */
#pragma once

#include "sandbox/held/image.h"

/* While we are still who has started it, in the namespace that is to mount it; -1: it cannot be. */
int held_chance_open(void);

/* The file system with that file, not mounted anywhere yet; or -1 and errno. */
int held_chance_mount(int channel);

/* Fills the plain file: HELD_CHANCE_BYTES of a stream, and zeros without end. */
int held_chance_fill(const struct held *held, int fd);

enum { HELD_CHANCE_BYTES = 1 << 20 };

/* Answers one question of the kernel, if there is one. */
void held_chance_serve(const struct held_ground *g, int channel);

/* Whether all who read get the same here. */
bool held_chance_is_shared(void);
