/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h: one after the other, for what may take long: who waits for a turn can be called off. */
#pragma once

#include <stdbool.h>

#include "base/own.h"

struct turn {
    int fd; /* readable: it is nobody's turn */
};

bool turn_open(struct turn *t) NODISCARD;
void turn_close(struct turn *t);

/* Waits. False: `cancel` (-1: nobody calls) became readable before, or it could not be opened. */
bool turn_take(const struct turn *t, int cancel) NODISCARD;
void turn_give(const struct turn *t);
