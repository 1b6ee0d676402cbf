/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_x86_model.h: the x86 instructions sha256_x86.c uses, in C for a little-endian machine.
 *
 * Written from the operation sections of Intel's manual (SDM volume 2), and kept as literal as
 * they are: lane 0 is bits 31:0, lane 3 is bits 127:96.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#define SHA256_X86_MODEL
#define TARGET

struct lanes {
    uint32_t w[4];
};
typedef struct lanes __m128i; /* the one name sha256_x86.c insists on */

/* What the modelled CPU answers; a test may take a feature away. */
static uint32_t model_leaf7_ebx = 1u << 29;
static uint32_t model_leaf1_ecx = 1u << 9 | 1u << 19;

static int __get_cpuid_count(unsigned leaf, unsigned sub, unsigned *a, unsigned *b, unsigned *c,
                             unsigned *d)
{
    *a = *b = *c = *d = 0;
    if (leaf == 7 && sub == 0)
        *b = model_leaf7_ebx;
    if (leaf == 1)
        *c = model_leaf1_ecx;
    return 1;
}

static int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    return __get_cpuid_count(leaf, 0, a, b, c, d);
}

static __m128i _mm_loadu_si128(const __m128i *p)
{
    __m128i r;

    memcpy(&r, p, sizeof r);
    return r;
}

static void _mm_storeu_si128(__m128i *p, __m128i v)
{
    memcpy(p, &v, sizeof v);
}

static __m128i _mm_set_epi32(int w3, int w2, int w1, int w0)
{
    return (__m128i){ { (uint32_t)w0, (uint32_t)w1, (uint32_t)w2, (uint32_t)w3 } };
}

static __m128i _mm_set_epi64x(int64_t high, int64_t low)
{
    return _mm_set_epi32((int)(high >> 32), (int)high, (int)(low >> 32), (int)low);
}

static __m128i _mm_add_epi32(__m128i a, __m128i b)
{
    for (int i = 0; i < 4; i++)
        a.w[i] += b.w[i];
    return a;
}

static __m128i _mm_shuffle_epi32(__m128i a, int order)
{
    __m128i r;

    for (int i = 0; i < 4; i++)
        r.w[i] = a.w[order >> 2 * i & 3];
    return r;
}

/* PSHUFB */
static __m128i _mm_shuffle_epi8(__m128i a, __m128i order)
{
    uint8_t from[16], at[16], to[16];

    memcpy(from, &a, 16);
    memcpy(at, &order, 16);
    for (int i = 0; i < 16; i++)
        to[i] = at[i] & 0x80 ? 0 : from[at[i] & 15];
    memcpy(&a, to, 16);
    return a;
}

/* PALIGNR: high and low as one number of 256 bits, shifted right by whole bytes. */
static __m128i _mm_alignr_epi8(__m128i high, __m128i low, int bytes)
{
    uint8_t both[32];

    memcpy(both, &low, 16);
    memcpy(both + 16, &high, 16);
    memcpy(&low, both + bytes, 16);
    return low;
}

static uint32_t ror(uint32_t v, int n)
{
    return v >> n | v << (32 - n);
}

static uint32_t sigma0(uint32_t v)
{
    return ror(v, 7) ^ ror(v, 18) ^ v >> 3;
}

static uint32_t sigma1(uint32_t v)
{
    return ror(v, 17) ^ ror(v, 19) ^ v >> 10;
}

/* SHA256MSG1 */
static __m128i _mm_sha256msg1_epu32(__m128i src1, __m128i src2)
{
    uint32_t w4 = src2.w[0], w3 = src1.w[3], w2 = src1.w[2], w1 = src1.w[1], w0 = src1.w[0];

    return (__m128i){ { w0 + sigma0(w1), w1 + sigma0(w2), w2 + sigma0(w3), w3 + sigma0(w4) } };
}

/* SHA256MSG2 */
static __m128i _mm_sha256msg2_epu32(__m128i src1, __m128i src2)
{
    uint32_t w14 = src2.w[2], w15 = src2.w[3];
    uint32_t w16 = src1.w[0] + sigma1(w14), w17 = src1.w[1] + sigma1(w15);
    uint32_t w18 = src1.w[2] + sigma1(w16), w19 = src1.w[3] + sigma1(w17);

    return (__m128i){ { w16, w17, w18, w19 } };
}

/* SHA256RNDS2, with its third operand xmm0 */
static __m128i _mm_sha256rnds2_epu32(__m128i src1, __m128i src2, __m128i xmm0)
{
    uint32_t a = src2.w[3], b = src2.w[2], c = src1.w[3], d = src1.w[2];
    uint32_t e = src2.w[1], f = src2.w[0], g = src1.w[1], h = src1.w[0];

    for (int i = 0; i < 2; i++) {
        uint32_t ch = (e & f) ^ (~e & g), maj = (a & b) ^ (a & c) ^ (b & c);
        uint32_t t = ch + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + xmm0.w[i] + h;
        uint32_t u = maj + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22));

        h = g, g = f, f = e, e = t + d;
        d = c, c = b, b = a, a = t + u;
    }
    return (__m128i){ { f, e, b, a } };
}
