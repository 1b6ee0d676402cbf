/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_arm.c: the SHA-256 block function with ARMv8's instructions; empty elsewhere. */
#include "base/sha256.h"

#ifdef __AARCH64EL__

/* The rest of writ must run on CPUs without these instructions, so only fold() is compiled for
 * them. gcc names the feature "+crypto" and clang "sha2"; and clang's header up to version 15
 * hides the intrinsics unless the whole file is compiled for them, hence the definition. */
#ifdef __clang__
#define TARGET __attribute__((target("sha2")))
#ifndef __ARM_FEATURE_SHA2
#define __ARM_FEATURE_SHA2 1
#endif
#else
#define TARGET __attribute__((target("+crypto")))
#endif

#include <arm_neon.h>
#include <sys/auxv.h>

TARGET static uint32x4_t get_words(const uint8_t *p)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p)));
}

struct state {
    uint32x4_t abcd, efgh;
};

/* Each turn does four rounds with the message words m0 and makes the four words that are due
 * sixteen rounds later. The last four turns make words nobody needs: unrolled, the compiler drops
 * them. The empty asm copies abcd for the second instruction, which can wait; left alone, both
 * compilers copy it for the first, and every turn takes two cycles longer. */
TARGET static struct state fold_one(struct state s, const uint8_t *block)
{
    uint32x4_t m0 = get_words(block), m1 = get_words(block + 16);
    uint32x4_t m2 = get_words(block + 32), m3 = get_words(block + 48);
    uint32x4_t abcd = s.abcd, efgh = s.efgh;

#pragma GCC unroll 16
    for (int i = 0; i < 64; i += 4) {
        uint32x4_t wk = vaddq_u32(m0, vld1q_u32(sha256_k + i));
        uint32x4_t next = vsha256su1q_u32(vsha256su0q_u32(m0, m1), m2, m3);
        uint32x4_t old;

        __asm__("" : "=w"(old) : "0"(abcd));
        abcd = vsha256hq_u32(abcd, efgh, wk);
        efgh = vsha256h2q_u32(efgh, old, wk);
        m0 = m1, m1 = m2, m2 = m3, m3 = next;
    }
    return (struct state){ vaddq_u32(s.abcd, abcd), vaddq_u32(s.efgh, efgh) };
}

TARGET static void fold(uint32_t h[8], const uint8_t *bytes, size_t count)
{
    struct state s = { vld1q_u32(h), vld1q_u32(h + 4) };

    for (; count > 0; count--, bytes += 64)
        s = fold_one(s, bytes);
    vst1q_u32(h, s.abcd);
    vst1q_u32(h + 4, s.efgh);
}

/* The instructions of one message wait for each other; those of the other fill the gaps. */
TARGET static void fold_two(uint32_t *const h[], const uint8_t *const bytes[], size_t count)
{
    struct state s = { vld1q_u32(h[0]), vld1q_u32(h[0] + 4) };
    struct state t = { vld1q_u32(h[1]), vld1q_u32(h[1] + 4) };
    const uint8_t *p = bytes[0], *q = bytes[1];

    for (; count > 0; count--, p += 64, q += 64) {
        uint32x4_t m[4], n[4];
        struct state s0 = s, t0 = t;

        for (int i = 0; i < 4; i++) {
            m[i] = get_words(p + 16 * i);
            n[i] = get_words(q + 16 * i);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            uint32x4_t k = vld1q_u32(sha256_k + 4 * i);
            uint32x4_t x = vaddq_u32(m[i & 3], k), y = vaddq_u32(n[i & 3], k);
            uint32x4_t a = s.abcd, b = t.abcd;

            if (i < 12) {
                m[i & 3] = vsha256su1q_u32(vsha256su0q_u32(m[i & 3], m[(i + 1) & 3]),
                                           m[(i + 2) & 3], m[(i + 3) & 3]);
                n[i & 3] = vsha256su1q_u32(vsha256su0q_u32(n[i & 3], n[(i + 1) & 3]),
                                           n[(i + 2) & 3], n[(i + 3) & 3]);
            }
            s.abcd = vsha256hq_u32(s.abcd, s.efgh, x);
            t.abcd = vsha256hq_u32(t.abcd, t.efgh, y);
            s.efgh = vsha256h2q_u32(s.efgh, a, x);
            t.efgh = vsha256h2q_u32(t.efgh, b, y);
        }
        s = (struct state){ vaddq_u32(s.abcd, s0.abcd), vaddq_u32(s.efgh, s0.efgh) };
        t = (struct state){ vaddq_u32(t.abcd, t0.abcd), vaddq_u32(t.efgh, t0.efgh) };
    }
    vst1q_u32(h[0], s.abcd);
    vst1q_u32(h[0] + 4, s.efgh);
    vst1q_u32(h[1], t.abcd);
    vst1q_u32(h[1] + 4, t.efgh);
}

static bool works(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
}

const struct sha256_way sha256_arm = { "arm", works, fold, 2, 2, fold_two };

#endif
