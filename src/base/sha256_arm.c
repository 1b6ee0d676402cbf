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

static bool works(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
}

const struct sha256_way sha256_arm = { "arm", works, fold };

#endif
