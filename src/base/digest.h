/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h: SHA-256, and the text "sha256:<hex>" that records carry.
 *
 * The CPU's own instructions are used where it has them. Nothing here fails or allocates, and
 * different threads may hash at once, each with its own struct sha256.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

enum { DIGEST_BYTES = 32, DIGEST_TEXT = sizeof "sha256:" + 2 * 32 };

struct digest {
    uint8_t b[DIGEST_BYTES];
};

/* A running hash: begin, add as often as there is something to add, end. */
struct sha256 {
    uint32_t h[8];
    uint64_t bytes;    /* added so far */
    uint8_t block[64]; /* the last bytes % 64 of them, not yet compressed */
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);

/* After this *s must begin again. */
struct digest sha256_end(struct sha256 *s);

struct digest digest_of(const void *bytes, size_t n);

/* The digests of many texts: faster than one after the other on CPUs that can work on several at
 * once, by two times to ten. */
void digest_many(const struct str *texts, struct digest *out, size_t n);

/* Writes "sha256:<64 lower-case hex digits>" and a NUL. */
void digest_text(const struct digest *d, char out[DIGEST_TEXT]);

/* Reads exactly what digest_text() writes; anything else is false. */
bool digest_parse(struct str text, struct digest *out) NODISCARD;

/* Tests and benchmarks choose an implementation by name: "plain", "arm", "x86", "avx512" or
 * "avx2". False, and no change, where this CPU lacks it. */
bool digest_use(const char *name) NODISCARD;
