/* SPDX-License-Identifier: Apache-2.0 */
/* mem.c: arenas, and the only place that meets the end of memory. */
#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

enum { BLOCK = 16 * 1024, BLOCK_MAX = 4 << 20, SPARES = 4, FIRST_ROOM = 32 };
_Static_assert(ARENA_ALIGN >= alignof(max_align_t), "anything may live in an arena");

struct arena_block {
    struct arena_block *before;
    size_t size;
    alignas(ARENA_ALIGN) char bytes[];
};

static void (*tell_end)(void);

void mem_on_end(void (*tell)(void))
{
    tell_end = tell;
}

void mem_end(void)
{
    if (tell_end)
        tell_end();
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
    struct arena_block *b = a->spare;

    if (b && b->size >= size) {
        a->spare = b->before;
        b->before = a->last;
        use_block(a, b);
        return;
    }
    /* Each twice the one before: what arena_reset() keeps soon is enough for a turn. */
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

/* Written where it would be, and once more where there was too little room: measuring it first
 * would take as long as writing it. */
char *arena_printf(struct arena *a, const char *fmt, ...)
{
    size_t room = (size_t)(a->end - a->at);
    va_list ap, again;
    char *text;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(a->at, room, fmt, ap);
    va_end(ap);
    if (n < 0)
        mem_end();
    text = arena_raw(a, (size_t)n + 1);
    if ((size_t)n >= room)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

static void free_before(struct arena_block *b)
{
    while (b) {
        struct arena_block *before = b->before;

        free(b);
        b = before;
    }
}

void arena_join(struct arena *to, struct arena *from)
{
    struct arena_block *first = from->last;

    free_before(from->spare);
    from->spare = NULL;
    if (!to->last) {
        from->spare = to->spare;
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

/* The next turn needs about as much as this one: pages that are given back are made anew. */
void arena_reset(struct arena *a)
{
    struct arena_block **rest = a->last ? &a->last->before : NULL;

    if (!rest)
        return;
    while (*rest)
        rest = &(*rest)->before;
    *rest = a->spare;
    rest = &a->last->before;
    for (int i = 0; i < SPARES && *rest; i++)
        rest = &(*rest)->before;
    free_before(*rest);
    *rest = NULL;
    a->spare = a->last->before;
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
    free_before(a->spare);
    *a = (struct arena){ 0 };
}
