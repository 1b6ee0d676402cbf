/* SPDX-License-Identifier: Apache-2.0 */
/* wish.h: signals by which somebody wants us to end. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/world.h"

/* A descriptor to which these come from now on, up to a 0, and to nobody else; -1: there is none.
 * Who started us with one of them ignored (nohup, a shell its background) wants it ignored: it is
 * left out, for one that is blocked would come all the same. */
int wish_listen(const int *signals);

/* When each signal first came; { 0 }: none has. */
struct wishes {
    int64_t first_ms[NSIG];
};

/* Does somebody insist? One wish often comes as several signals: timeout(1) tells its child and
 * then the group, a shell passes on the hangup that the kernel sends as well, and a manager of
 * services sends SIGTERM and SIGHUP. Only the same one, half a second after it first came or more,
 * was meant again. */
bool wish_insists(struct wishes *heard, uint32_t sig, const struct world *world);
