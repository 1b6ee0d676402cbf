/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h: growing bytes with a hard ceiling and a sticky fault.
 *
 * Add as often as you like and ask once: after the first failed add, every later add does nothing
 * and buf_ok() stays false. A zeroed struct buf with .max set is a valid empty buffer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/own.h"
#include "base/str.h"

struct buf {
    char *s; /* NUL-terminated once anything was added */
    size_t len;
    size_t cap;
    size_t max; /* bytes it may ever hold */
    bool full;  /* the sticky fault: something did not fit */
};

bool buf_grow(struct buf *b, size_t n) NODISCARD;
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
void buf_free(struct buf *b);

/* Takes the first n bytes out: the rest moves to the front. */
void buf_drop(struct buf *b, size_t n);

/* Room for n more bytes and a NUL at b->s + b->len, or false and the fault. */
NODISCARD static inline bool buf_reserve(struct buf *b, size_t n)
{
    return b->cap - b->len > n || buf_grow(b, n);
}

static inline void buf_add(struct buf *b, const void *bytes, size_t n)
{
    if (!buf_reserve(b, n))
        return;
    if (n)
        memcpy(b->s + b->len, bytes, n);
    b->len += n;
    b->s[b->len] = '\0';
}

static inline void buf_adds(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

static inline void buf_addc(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

static inline bool buf_ok(const struct buf *b)
{
    return !b->full;
}

static inline struct str buf_str(const struct buf *b)
{
    return (struct str){ b->s ? b->s : "", b->len };
}

/* Empties it and keeps the memory. */
static inline void buf_reset(struct buf *b)
{
    b->len = 0;
    b->full = false;
}

#define _buf_ _cleanup_(buf_free)
