/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c: growing bytes with a hard ceiling and a sticky fault. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

/* Without room to the end of time: no later add finds any either. */
static bool fault(struct buf *b)
{
    b->full = true;
    b->cap = b->len;
    return false;
}

bool buf_grow(struct buf *b, size_t n)
{
    size_t want = b->cap ? b->cap : 256;
    char *grown;

    if (b->full || b->len > b->max || n > b->max - b->len)
        return fault(b);
    while (want < b->len + n + 1)
        want *= 2;
    want = want > b->max + 1 ? b->max + 1 : want; /* room without asking ends at the ceiling too */
    grown = realloc(b->s, want);
    if (!grown)
        return fault(b);
    b->s = grown;
    b->cap = want;
    return true;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    _free_ char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) {
        text = NULL;
        (void)fault(b);
        return;
    }
    buf_add(b, text, (size_t)n);
}

void buf_free(struct buf *b)
{
    free(b->s);
    *b = (struct buf){ .max = b->max };
}

void buf_drop(struct buf *b, size_t n)
{
    if (n == 0)
        return;
    b->len -= n;
    memmove(b->s, b->s + n, b->len);
    b->s[b->len] = '\0';
}
