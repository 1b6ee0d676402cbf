/* SPDX-License-Identifier: Apache-2.0 */
/* cow_plan.h: which trees of a jail get a layer, and which names are barred in them. */
#pragma once

#include "sandbox/jail.h"
#include "sandbox/protect.h"

struct cow_ask {
    const struct grants *grants;  /* that the jail was built for */
    const struct absents *absent; /* NULL: none */
    const struct program *program;
};

/* After jail_build(): every writable tree is covered. False: one cannot be. */
bool cow_plan(const struct cow_ask *ask, struct arena *a, struct jail *jail,
              struct error *e) NODISCARD;

/* Layers as they will be: of each only the tree on the disk is open. False: one of them is another
 * directory than was looked at (CODE_PATH_CHANGED), or cannot be opened. */
bool cow_expect(const struct jail *jail, struct arena *a, struct cow_layers *out,
                struct error *e) NODISCARD;

/* The descriptors that came with WORD_LAYERS; `to` may be NULL: what nobody waits for is
 * closed. */
void cow_take(const int *fds, size_t n, struct cow_layers *to);

/* Does a layer keep this name from coming into being? */
bool cow_holds(const struct cow_layers *to, const char *path);
