/* SPDX-License-Identifier: Apache-2.0 */
/* last.c: what is behind the head moves up, and the last of it stays. */
#include "sandbox/last.h"

#include <string.h>

void last_add(struct last *t, const char *bytes, size_t n)
{
    size_t stays;

    if (n == 0)
        return;
    if (n >= LAST_BYTES) {
        memcpy(t->bytes, bytes + n - LAST_BYTES, LAST_BYTES);
        t->n = LAST_BYTES;
        return;
    }
    stays = t->n < LAST_BYTES - n ? t->n : LAST_BYTES - n;
    memmove(t->bytes, t->bytes + t->n - stays, stays);
    memcpy(t->bytes + stays, bytes, n);
    t->n = stays + n;
}

struct str last_text(struct str head, const struct last *t, struct arena *a)
{
    size_t before = LAST_BYTES - t->n;
    char *text;

    if (t->n == 0)
        return (struct str){ 0 };
    before = before < head.n ? before : head.n;
    text = arena_alloc(a, before + t->n + 1);
    if (before)
        memcpy(text, head.s + head.n - before, before);
    memcpy(text + before, t->bytes, t->n);
    return (struct str){ text, before + t->n };
}
