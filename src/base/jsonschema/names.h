/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: names and what they stand for, found by their hash.
 *
 * Who chooses the names may choose them so that they meet in one place. Looking past others costs
 * work, so that this is slow for him alone and never without an end.
 */
#pragma once

#include "base/mem.h"
#include "base/str.h"
#include "base/work.h"

struct name {
    struct str key; /* key.s is NULL: the slot is free */
    uint64_t hash;
    void *is;
};

struct names {
    struct name *v;
    size_t room, count; /* room: a power of two, or 0 */
};

/* Mixes two numbers so that every bit depends on all others. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_word(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t hash_half(const char *p)
{
    uint32_t half;

    memcpy(&half, p, sizeof half);
    return half;
}

/* Every byte counts; some count twice, so that none is read alone. */
static inline uint64_t hash_text(struct str text)
{
    const unsigned char *p = (const unsigned char *)text.s;
    uint64_t hash = text.n, last = 0;
    size_t n = text.n;

    for (size_t i = 0; i + 8 < n; i += 8)
        hash = hash_mix(hash, hash_word(text.s + i));
    if (n >= 8)
        last = hash_word(text.s + n - 8);
    else if (n >= 4)
        last = hash_half(text.s) | hash_half(text.s + n - 4) << 32;
    else if (n > 0)
        last = p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16;
    return hash_mix(hash, last);
}

/* The name, or NULL. Where the work is over there is none. */
static inline const struct name *schema_name_find(const struct names *t, struct str key,
                                                  struct work *w)
{
    uint64_t hash;

    if (t->count == 0)
        return NULL;
    hash = hash_text(key);
    for (size_t i = hash & (t->room - 1), past = 1;; i = (i + 1) & (t->room - 1), past++) {
        if (!t->v[i].key.s)
            return NULL;
        if (t->v[i].hash == hash && str_eq(t->v[i].key, key))
            return &t->v[i];
        if (past % 8 == 0 && !work_do(w, 8))
            return NULL;
    }
}

/* The name, which is added where there was none. The key must outlive the table. */
struct name *schema_name_add(struct names *t, struct str key, struct arena *a, struct work *w)
    __attribute__((returns_nonnull));
