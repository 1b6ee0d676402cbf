/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h: one after the other, or a few at once, for what may take long: who waits for a turn can
 * be called off. */
#pragma once

#include <stdbool.h>

#include "base/own.h"

struct turn {
    int fd; /* readable: a turn can be had */
};

bool turn_open(struct turn *t) NODISCARD;                       /* of one at a time */
bool turn_open_for(struct turn *t, unsigned at_once) NODISCARD; /* of so many */
void turn_close(struct turn *t);

/* Waits. False: `cancel` (-1: nobody calls) became readable before, or it could not be opened. */
bool turn_take(const struct turn *t, int cancel) NODISCARD;
void turn_give(const struct turn *t);
