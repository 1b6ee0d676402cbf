/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_wide.c: SHA-256 with the vectors of x86-64 processors that have no SHA instructions; empty
 * elsewhere. */
#include "base/sha256.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <string.h>

#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h> /* what the C library has found out: to ask a virtual CPU is slow */
#define HAS(feature) CPU_FEATURE_ACTIVE(feature)
#else
#define HAS(feature) 0
#endif

#define WITH_AVX2      __attribute__((target("avx2,bmi,bmi2")))
#define WITH_AVX512    __attribute__((target("avx512f,avx512bw")))
#define INLINE         inline __attribute__((always_inline))

#define TURN(v, right) ((v) >> (right) | (v) << (32 - (right)))

/* FIPS 180-4, 4.1.2, for one word and for a vector of them. */
#define SUM_A(v)         (TURN(v, 2) ^ TURN(v, 13) ^ TURN(v, 22))
#define SUM_E(v)         (TURN(v, 6) ^ TURN(v, 11) ^ TURN(v, 25))
#define FAR(v)           (TURN(v, 7) ^ TURN(v, 18) ^ (v) >> 3)
#define NEAR(v)          (TURN(v, 17) ^ TURN(v, 19) ^ (v) >> 10)
#define CHOICE(e, f, g)  ((g) ^ ((e) & ((f) ^ (g))))
#define MOST_OF(a, b, c) (((a) & (b)) | ((c) & ((a) | (b))))

/* ---- sixteen messages, a word of each in one vector ---- */

enum { LANES = 16 };

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

static INLINE void get_words(lanes w[16], const uint8_t *const bytes[LANES], size_t at)
{
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < LANES; k++) {
            uint32_t word;

            memcpy(&word, bytes[k] + at + 4 * i, sizeof word);
            w[i][k] = __builtin_bswap32(word);
        }
}

static INLINE void fold_block(lanes h[8], lanes w[16])
{
    lanes a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];

#pragma GCC unroll 64
    for (int i = 0; i < 64; i++) {
        if (i >= 16)
            w[i & 15] += FAR(w[(i - 15) & 15]) + w[(i - 7) & 15] + NEAR(w[(i - 2) & 15]);
        lanes t = last + SUM_E(e) + CHOICE(e, f, g) + sha256_k[i] + w[i & 15];
        lanes u = SUM_A(a) + MOST_OF(a, b, c);

        last = g, g = f, f = e, e = d + t;
        d = c, c = b, b = a, a = t + u;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d;
    h[4] += e, h[5] += f, h[6] += g, h[7] += last;
}

/* For whichever processor the caller is compiled: one with narrower vectors takes two for one. */
static INLINE void fold_all(uint32_t *const h[LANES], const uint8_t *const bytes[LANES],
                            size_t count)
{
    lanes state[8], words[16];

    for (int i = 0; i < 8; i++)
        for (int k = 0; k < LANES; k++)
            state[i][k] = h[k][i];
    for (size_t at = 0; at < 64 * count; at += 64) {
        get_words(words, bytes, at);
        fold_block(state, words);
    }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < LANES; k++)
            h[k][i] = state[i][k];
}

WITH_AVX512 static void fold_lanes_512(uint32_t *const h[], const uint8_t *const bytes[],
                                       size_t count)
{
    fold_all(h, bytes, count);
}

WITH_AVX2 static void fold_lanes_256(uint32_t *const h[], const uint8_t *const bytes[],
                                     size_t count)
{
    fold_all(h, bytes, count);
}

/* ---- one message: its schedule in vectors, its rounds in registers ---- */

struct eight {
    uint32_t a, b, c, d, e, f, g, h;
};

WITH_AVX2 static INLINE void turn_round(struct eight *s, uint32_t wk)
{
    uint32_t t = s->h + SUM_E(s->e) + CHOICE(s->e, s->f, s->g) + wk;
    uint32_t u = SUM_A(s->a) + MOST_OF(s->a, s->b, s->c);

    s->h = s->g, s->g = s->f, s->f = s->e, s->e = s->d + t;
    s->d = s->c, s->c = s->b, s->b = s->a, s->a = t + u;
}

/* Each of the two words that stand twice in v: turned as one of 64 bits, its low half is right. */
WITH_AVX2 static INLINE __m128i near_two(__m128i v)
{
    __m128i turned = _mm_xor_si128(_mm_srli_epi64(v, 17), _mm_srli_epi64(v, 19));

    return _mm_xor_si128(turned, _mm_srli_epi32(v, 10));
}

/* The four words that are due sixteen rounds after those of m[i & 3], in their place. The last two
 * of them rest on the first two. */
WITH_AVX2 static INLINE void make_words(__m128i m[4], int i)
{
    const __m128i low = _mm_set_epi64x(-1, 0x0b0a090803020100);
    const __m128i high = _mm_set_epi64x(0x0b0a090803020100, -1);
    __m128i last = m[(i + 3) & 3], w7 = _mm_alignr_epi8(last, m[(i + 2) & 3], 4);
    __m128i w15 = _mm_alignr_epi8(m[(i + 1) & 3], m[i & 3], 4);
    __m128i turned = _mm_xor_si128(_mm_srli_epi32(w15, 7), _mm_slli_epi32(w15, 25));
    __m128i made;

    turned = _mm_xor_si128(turned, _mm_xor_si128(_mm_srli_epi32(w15, 18), _mm_slli_epi32(w15, 14)));
    turned = _mm_xor_si128(turned, _mm_srli_epi32(w15, 3));
    made = _mm_add_epi32(_mm_add_epi32(m[i & 3], w7), turned);
    made = _mm_add_epi32(made, _mm_shuffle_epi8(near_two(_mm_shuffle_epi32(last, 0xfa)), low));
    made = _mm_add_epi32(made, _mm_shuffle_epi8(near_two(_mm_shuffle_epi32(made, 0x50)), high));
    m[i & 3] = made;
}

WITH_AVX2 static INLINE void put_with_k(uint32_t wk[4], __m128i words, int i)
{
    __m128i k = _mm_loadu_si128((const __m128i *)(const void *)(sha256_k + i));

    _mm_storeu_si128((__m128i *)(void *)wk, _mm_add_epi32(words, k));
}

WITH_AVX2 static void fold_one(uint32_t h[8], const uint8_t *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    struct eight s = { h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7] };
    uint32_t wk[64];
    __m128i m[4];

    for (int i = 0; i < 4; i++) {
        m[i] = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i));
        m[i] = _mm_shuffle_epi8(m[i], swap);
        put_with_k(&wk[4 * i], m[i], 4 * i);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        if (i < 12) { /* these have time until they are needed */
            make_words(m, i);
            put_with_k(&wk[4 * i + 16], m[i & 3], 4 * i + 16);
        }
        for (int k = 0; k < 4; k++)
            turn_round(&s, wk[4 * i + k]);
    }
    h[0] += s.a, h[1] += s.b, h[2] += s.c, h[3] += s.d;
    h[4] += s.e, h[5] += s.f, h[6] += s.g, h[7] += s.h;
}

WITH_AVX2 static void fold(uint32_t h[8], const uint8_t *bytes, size_t count)
{
    for (; count > 0; count--, bytes += 64)
        fold_one(h, bytes);
}

/* ---- which ---- */

static bool has_avx2(void)
{
    return HAS(AVX2) && HAS(BMI1) && HAS(BMI2);
}

static bool has_avx512(void)
{
    return has_avx2() && HAS(AVX512F) && HAS(AVX512BW);
}

const struct sha256_way sha256_avx2 = { "avx2", has_avx2, fold, LANES, 6, fold_lanes_256 };
const struct sha256_way sha256_avx512 = { "avx512", has_avx512, fold, LANES, 4, fold_lanes_512 };

#endif
