/* SPDX-License-Identifier: Apache-2.0 */
/* mem.c: arenas, and the only place that meets the end of memory. */
#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

enum { BLOCK = 16 * 1024, BLOCK_MAX = 4 << 20, FIRST_ROOM = 32 };
_Static_assert(ARENA_ALIGN >= alignof(max_align_t), "anything may live in an arena");

struct arena_block {
    struct arena_block *before;
    size_t size;
    alignas(ARENA_ALIGN) char bytes[];
};

void mem_end(void)
{
    abort();
}

void *mem_zeroed(size_t size)
{
    void *p = calloc(1, size);

    if (!p)
        mem_end();
    return p;
}

static void use_block(struct arena *a, struct arena_block *b)
{
    a->last = b;
    a->at = b->bytes;
    a->end = b->bytes + b->size;
}

void arena_grow(struct arena *a, size_t size)
{
    size_t room = a->last ? 2 * a->last->size : BLOCK;
    struct arena_block *b;

    /* Each twice the one before: arena_reset() keeps the last, which soon is enough for a turn. */
    if (room > BLOCK_MAX)
        room = BLOCK_MAX;
    if (room < size)
        room = size;
    b = malloc(sizeof *b + room);

    if (!b)
        mem_end();
    *b = (struct arena_block){ .before = a->last, .size = room };
    use_block(a, b);
}

void *arena_more(struct arena *a, void *v, size_t n, size_t *room, size_t size)
{
    void *longer;

    if (n < *room)
        return v;
    *room = *room ? 2 * *room : FIRST_ROOM;
    longer = arena_alloc(a, *room * size);
    return n ? memcpy(longer, v, n * size) : longer;
}

char *arena_text(struct arena *a, struct str s)
{
    char *copy = arena_raw(a, s.n + 1);

    if (s.n)
        memcpy(copy, s.s, s.n);
    copy[s.n] = '\0';
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    char *text;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        mem_end();
    text = arena_alloc(a, (size_t)n + 1);
    (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void arena_join(struct arena *to, struct arena *from)
{
    struct arena_block *first = from->last;

    if (!to->last) {
        *to = *from;
    } else if (first) {
        /* Behind the last block of `to`, which still has room. */
        while (first->before)
            first = first->before;
        first->before = to->last->before;
        to->last->before = from->last;
    }
    *from = (struct arena){ 0 };
}

static void free_before(struct arena_block *b)
{
    while (b) {
        struct arena_block *before = b->before;

        free(b);
        b = before;
    }
}

void arena_reset(struct arena *a)
{
    if (!a->last)
        return;
    free_before(a->last->before);
    a->last->before = NULL;
    use_block(a, a->last);
}

void arena_wipe(struct arena *a)
{
    for (struct arena_block *b = a->last; b; b = b->before)
        explicit_bzero(b->bytes, b == a->last ? (size_t)(a->at - b->bytes) : b->size);
    arena_reset(a);
}

void arena_free(struct arena *a)
{
    free_before(a->last);
    *a = (struct arena){ 0 };
}
