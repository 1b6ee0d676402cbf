/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.h: the ways to compress a SHA-256 block. For digest.c only; others include digest.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sha256_way {
    const char *name;
    bool (*works)(void);                                             /* on the CPU we run on? */
    void (*fold)(uint32_t h[8], const uint8_t *bytes, size_t count); /* count blocks of 64 bytes */

    /* The same for so many messages side by side, where that is faster than one after the other;
     * 0: it is not. Lanes without a message of their own fold any other once more. */
    size_t lanes;
    size_t least; /* fewer messages are faster one after the other */
    void (*fold_lanes)(uint32_t *const h[], const uint8_t *const bytes[], size_t count);
};

extern const struct sha256_way sha256_plain; /* everywhere */
extern const struct sha256_way sha256_arm;   /* only where __AARCH64EL__ */
extern const struct sha256_way sha256_x86;   /* only where __x86_64__, as those that follow */
extern const struct sha256_way sha256_avx512;
extern const struct sha256_way sha256_avx2;

enum { SHA256_LANES_MOST = 16 };

/* The round constants of FIPS 180-4, 4.2.2. */
extern const uint32_t sha256_k[64];
