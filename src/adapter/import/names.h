/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: names that differ, whoever chose them: the second of two is told apart by a number.
 *
 * In time by their number: whoever writes a document does not decide how long it takes. Zeroed, it
 * is empty.
 */
#pragma once

#include <stddef.h>

#include "base/mem.h"

struct names {
    struct name *slots;
    size_t count, room;
};

/* The name itself, or name_2, name_3, .. where it was given before. */
const char *names_give(struct names *n, const char *name, struct arena *a);
