/* SPDX-License-Identifier: Apache-2.0 */
/* lane_lost.h: lanes whose writ was killed: the next one gives them their end. */
#pragma once

#include "base/world.h"

struct lane_lost_ask {
    const char *state;  /* the state directory; NULL: there is none */
    const char *ledger; /* as of struct writ_command */
    const char *const *environment;
    const struct world *world;
};

/* Writes what is missing of each: the end of its transcript, manifest.json, result.json, and its
 * end in the ledger, with the transcript's digest: it has failed as worker_lost. What cannot be
 * written is left for the next time. */
void lane_lost_close(const struct lane_lost_ask *ask);
