/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h: a good checkpoint to change, and what must be said of the changed one.
 *
 * Include it after cmocka.h.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "ledger/checkpoint.h"
#include "ledger/note.h"

#define ORIGIN "writ/8d2f61aa-4b0c-4d57-9a55-0f6a2e1c3b4d"
#define ROOT   "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define MADE   "made 2026-11-15T14:00:00.000Z"
#define DASH   "\xe2\x80\x94 "
#define BESIDE DASH "witness.example/w1 AAAABHdpdG5lc3M=\n"

enum { GOOD_SIZE = 128 };
static const int64_t good_made_ms = 1794751200000; /* as MADE says */

static inline struct sign_key key_of(uint8_t first)
{
    uint8_t seed[SIGN_SEED] = { first };
    struct sign_key key;

    sign_key_from(seed, &key);
    return key;
}

static inline struct verifier verifier_of(const char *name, uint8_t first)
{
    struct sign_key key = key_of(first);
    struct verifier v = { .name = str_of(name) };

    memcpy(v.public, key.public, SIGN_PUBLIC);
    return v;
}

static inline struct checkpoint checkpoint_of(const char *origin, int64_t size, int64_t made_ms)
{
    struct checkpoint c = { .origin = str_of(origin), .size = size, .made_ms = made_ms };

    for (int i = 0; i < DIGEST_BYTES; i++)
        c.root.b[i] = (uint8_t)i;
    return c;
}

/* The good one: signed by key 1. */
static inline void add_good(struct buf *to)
{
    struct checkpoint c = checkpoint_of(ORIGIN, GOOD_SIZE, good_made_ms);
    struct sign_key key = key_of(1);

    checkpoint_write(&c, &key, to);
    assert_true(buf_ok(to));
}

static inline void refuse(struct str note, const char *words)
{
    _arena_ struct arena a = { 0 };
    struct checkpoint c = { .size = 4711 };
    struct error e = { 0 };

    if (checkpoint_read(note, &a, &c, &e))
        fail_msg("was read: %.*s", STR_ARG(note));
    assert_int_equal(c.size, 4711);
    if (!strstr(e.msg, words))
        fail_msg("says '%s', expected '%s'", e.msg, words);
}

static inline void refuse_signed(struct str note, const struct verifier *by, const char *words)
{
    struct error e = { 0 };

    if (checkpoint_signed(note, by, &e))
        fail_msg("holds: %.*s", STR_ARG(note));
    if (!strstr(e.msg, words))
        fail_msg("says '%s', expected '%s'", e.msg, words);
}
