/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_x86.c: the SHA-256 block function with Intel's SHA instructions; empty elsewhere. */
#include "base/sha256.h"

#if defined __x86_64__ || defined SHA256_X86_MODEL

#ifndef SHA256_X86_MODEL /* the tests bring a model of these, for CPUs without them */
#include <cpuid.h>
#include <immintrin.h>
#define TARGET __attribute__((target("sha,sse4.1,ssse3")))
#endif

/* Message words are big-endian: the bytes of each of the four are turned round. */
TARGET static __m128i get_words(const uint8_t *p)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), swap);
}

/* How the instructions want the state: highest word first. */
struct state {
    __m128i abef, cdgh;
};

/* Each turn does four rounds with the message words m0 and makes the four words that are due
 * sixteen rounds later. The last four turns make words nobody needs: unrolled, the compiler drops
 * them. One rnds2 does two rounds, with the lower two words of wk. */
TARGET static struct state fold_one(struct state s, const uint8_t *block)
{
    __m128i m0 = get_words(block), m1 = get_words(block + 16);
    __m128i m2 = get_words(block + 32), m3 = get_words(block + 48);
    __m128i abef = s.abef, cdgh = s.cdgh;

#pragma GCC unroll 16
    for (int i = 0; i < 64; i += 4) {
        __m128i k = _mm_loadu_si128((const __m128i *)(const void *)(sha256_k + i));
        __m128i wk = _mm_add_epi32(m0, k);
        __m128i w7 = _mm_alignr_epi8(m3, m2, 4); /* the words seven before those to be made */
        __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(m0, m1), w7);

        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));
        m0 = m1, m1 = m2, m2 = m3, m3 = _mm_sha256msg2_epu32(next, m3);
    }
    return (struct state){ _mm_add_epi32(s.abef, abef), _mm_add_epi32(s.cdgh, cdgh) };
}

TARGET static struct state get_state(const uint32_t h[8])
{
    return (struct state){
        _mm_set_epi32((int)h[0], (int)h[1], (int)h[4], (int)h[5]),
        _mm_set_epi32((int)h[2], (int)h[3], (int)h[6], (int)h[7]),
    };
}

TARGET static void put_state(struct state s, uint32_t h[8])
{
    uint32_t feba[4], hgdc[4];

    _mm_storeu_si128((__m128i *)(void *)feba, s.abef);
    _mm_storeu_si128((__m128i *)(void *)hgdc, s.cdgh);
    h[0] = feba[3], h[1] = feba[2], h[4] = feba[1], h[5] = feba[0];
    h[2] = hgdc[3], h[3] = hgdc[2], h[6] = hgdc[1], h[7] = hgdc[0];
}

TARGET static void fold(uint32_t h[8], const uint8_t *bytes, size_t count)
{
    struct state s = get_state(h);

    for (; count > 0; count--, bytes += 64)
        s = fold_one(s, bytes);
    put_state(s, h);
}

/* The four words that are due sixteen rounds after those of turn i, in the place of these. */
TARGET static void make_words(__m128i m[4], int i)
{
    __m128i last = m[(i + 3) & 3], w7 = _mm_alignr_epi8(last, m[(i + 2) & 3], 4);
    __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]), w7);

    m[i & 3] = _mm_sha256msg2_epu32(next, last);
}

/* The instructions of one message wait for each other; those of the other fill the gaps. */
TARGET static void fold_two(uint32_t *const h[], const uint8_t *const bytes[], size_t count)
{
    struct state s = get_state(h[0]), t = get_state(h[1]);
    const uint8_t *p = bytes[0], *q = bytes[1];

    for (; count > 0; count--, p += 64, q += 64) {
        __m128i m[4], n[4];
        struct state s0 = s, t0 = t;

        for (int i = 0; i < 4; i++) {
            m[i] = get_words(p + 16 * i);
            n[i] = get_words(q + 16 * i);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i k = _mm_loadu_si128((const __m128i *)(const void *)(sha256_k + 4 * i));
            __m128i x = _mm_add_epi32(m[i & 3], k), y = _mm_add_epi32(n[i & 3], k);

            s.cdgh = _mm_sha256rnds2_epu32(s.cdgh, s.abef, x);
            t.cdgh = _mm_sha256rnds2_epu32(t.cdgh, t.abef, y);
            s.abef = _mm_sha256rnds2_epu32(s.abef, s.cdgh, _mm_shuffle_epi32(x, 0x0e));
            t.abef = _mm_sha256rnds2_epu32(t.abef, t.cdgh, _mm_shuffle_epi32(y, 0x0e));
            if (i < 12) {
                make_words(m, i);
                make_words(n, i);
            }
        }
        s = (struct state){ _mm_add_epi32(s.abef, s0.abef), _mm_add_epi32(s.cdgh, s0.cdgh) };
        t = (struct state){ _mm_add_epi32(t.abef, t0.abef), _mm_add_epi32(t.cdgh, t0.cdgh) };
    }
    put_state(s, h[0]);
    put_state(t, h[1]);
}

/* Leaf 7, EBX bit 29: SHA. Leaf 1, ECX bits 9 and 19: SSSE3 and SSE4.1. */
static bool works(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b >> 29 & 1))
        return false;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 9 & 1) && (c >> 19 & 1);
}

const struct sha256_way sha256_x86 = { "x86", works, fold, 2, 2, fold_two };

#endif
