/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h: arenas. One request, one arena, one free.
 *
 * Memory from an arena is zeroed and lives until arena_free() or arena_reset(). Inputs are
 * size-checked before they are parsed, so running out of memory is not something a user can
 * cause; if it happens the process ends, here and nowhere else.
 */
#pragma once

#include <stddef.h>

#include "base/own.h"
#include "base/str.h"

struct arena {
    char *at, *end; /* what is free of the last block */
    struct arena_block *last;
    struct arena_block *spare; /* kept of an earlier turn */
};

enum { ARENA_ALIGN = 16 };

/* Memory has come to its end. */
_Noreturn void mem_end(void);

/* Who says so before: once, at the start of a program. It must not allocate. */
void mem_on_end(void (*tell)(void));

/* Zeroed, for what outlives every arena; free() takes it. */
__attribute__((malloc, returns_nonnull)) void *mem_zeroed(size_t size);

/* Makes room for `size` bytes, a multiple of ARENA_ALIGN, in a new block. */
void arena_grow(struct arena *a, size_t size);

/* What is given is not zeroed: for who writes every byte of it. */
__attribute__((malloc, returns_nonnull)) static inline void *arena_raw(struct arena *a, size_t size)
{
    size_t need = ((size ? size : 1) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    void *p;

    if ((size_t)(a->end - a->at) < need)
        arena_grow(a, need);
    p = a->at;
    a->at += need;
    return p;
}

__attribute__((malloc, returns_nonnull)) static inline void *arena_alloc(struct arena *a,
                                                                         size_t size)
{
    return memset(arena_raw(a, size), 0, size);
}

/* Room for one more item of `size` bytes behind n of them: the array itself, or a copy of it that
 * is twice as long. */
void *arena_more(struct arena *a, void *v, size_t n, size_t *room, size_t size)
    __attribute__((returns_nonnull));

/* A copy of s, NUL-terminated. */
char *arena_text(struct arena *a, struct str s) __attribute__((returns_nonnull));

/* Text as printf() would write it. */
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3)
    __attribute__((returns_nonnull));

/* What lives in `from` lives in `to` from now on, where it is; `from` is empty. */
void arena_join(struct arena *to, struct arena *from);

/* Forgets everything and keeps some of the memory: for loops that read one document after another.
 */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

/* As arena_reset(), and nothing that came since the last of these can be read any more: who has
 * secrets in an arena ends each turn so. */
void arena_wipe(struct arena *a);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define _arena_            _cleanup_(arena_free)
