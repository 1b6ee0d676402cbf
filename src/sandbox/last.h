/* SPDX-License-Identifier: Apache-2.0 */
/* last.h: the last bytes of a stream whose head alone is kept: why a command failed is said there.
 */
#pragma once

#include "base/mem.h"
#include "base/str.h"

enum { LAST_BYTES = 2 << 10 };

/* The last that came behind the head. */
struct last {
    char bytes[LAST_BYTES];
    size_t n;
};

/* Copies no more than LAST_BYTES, however much came. */
void last_add(struct last *t, const char *bytes, size_t n);

/* The last LAST_BYTES of head and tail together, in the arena; no text, where nothing came behind
 * the head: then the head has them. */
struct str last_text(struct str head, const struct last *t, struct arena *a);
