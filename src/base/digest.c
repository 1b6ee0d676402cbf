/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c: SHA-256 around a block function (FIPS 180-4, 5 and 6.2), and its text form. */
#include "base/digest.h"

#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#include "base/num.h"
#include "base/sha256.h"

enum { BLOCK = 64, LENGTH_AT = BLOCK - 8 };

static const char prefix[] = "sha256:";
enum { PREFIX = sizeof prefix - 1 };

/* Best first; the last one works everywhere and is not asked. */
static const struct sha256_way *const ways[] = {
#ifdef __AARCH64EL__
    &sha256_arm,
#endif
#ifdef __x86_64__
    &sha256_x86,
#endif
    &sha256_plain,
};

static _Atomic(const struct sha256_way *) chosen;

/* Threads that meet here all find the same row, and the rows are constants: no order is needed. */
static const struct sha256_way *way(void)
{
    const struct sha256_way *w = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (w)
        return w;
    size_t i = 0;
    while (i < COUNT(ways) - 1 && !ways[i]->works())
        i++;
    atomic_store_explicit(&chosen, ways[i], memory_order_relaxed);
    return ways[i];
}

bool digest_use(const char *name)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        if (strcmp(ways[i]->name, name) == 0 && ways[i]->works()) {
            atomic_store_explicit(&chosen, ways[i], memory_order_relaxed);
            return true;
        }
    }
    return false;
}

/* The block is left as it is: its bytes are written before they are read. */
void sha256_begin(struct sha256 *s)
{
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };

    memcpy(s->h, start, sizeof start);
    s->bytes = 0;
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    size_t held = s->bytes % BLOCK;

    if (n == 0)
        return; /* bytes may be NULL */
    s->bytes += n;
    if (held > 0) {
        size_t part = n < BLOCK - held ? n : BLOCK - held;

        memcpy(s->block + held, p, part);
        if (held + part < BLOCK)
            return;
        way()->fold(s->h, s->block, 1);
        p += part;
        n -= part;
    }
    if (n >= BLOCK)
        way()->fold(s->h, p, n / BLOCK);
    memcpy(s->block, p + n / BLOCK * BLOCK, n % BLOCK);
}

static void put32(uint8_t *out, uint32_t v)
{
    v = htobe32(v);
    memcpy(out, &v, sizeof v);
}

static void put_length(uint8_t block[BLOCK], uint64_t bytes)
{
    put32(block + LENGTH_AT, (uint32_t)(bytes >> 29));
    put32(block + LENGTH_AT + 4, (uint32_t)(bytes << 3));
}

static struct digest digest_from(const uint32_t h[8])
{
    struct digest d = { { 0 } };

    for (size_t i = 0; i < 8; i++)
        put32(d.b + 4 * i, h[i]);
    return d;
}

struct digest sha256_end(struct sha256 *s)
{
    size_t held = s->bytes % BLOCK;

    s->block[held++] = 0x80;
    if (held > LENGTH_AT) {
        memset(s->block + held, 0, BLOCK - held);
        way()->fold(s->h, s->block, 1);
        held = 0;
    }
    memset(s->block + held, 0, LENGTH_AT - held);
    put_length(s->block, s->bytes);
    way()->fold(s->h, s->block, 1);
    return digest_from(s->h);
}

struct digest digest_of(const void *bytes, size_t n)
{
    struct sha256 s;

    sha256_begin(&s);
    sha256_add(&s, bytes, n);
    return sha256_end(&s);
}

/* Blocks of two messages, as many side by side as both have. */
static void fold_both(struct sha256 s[2], const uint8_t *const bytes[2], const size_t count[2])
{
    size_t both = count[0] < count[1] ? count[0] : count[1];
    uint32_t *const h[2] = { s[0].h, s[1].h };

    if (way()->fold_two)
        way()->fold_two(h, bytes, both);
    else
        both = 0;
    for (int i = 0; i < 2; i++)
        way()->fold(h[i], bytes[i] + both * BLOCK, count[i] - both);
}

void digest_two(const struct str texts[2], struct digest out[2])
{
    struct sha256 s[2];
    uint8_t ends[2][2 * BLOCK];
    const uint8_t *whole[2], *end[2] = { ends[0], ends[1] };
    size_t wholes[2], end_blocks[2];

    for (int i = 0; i < 2; i++) {
        size_t held = texts[i].n % BLOCK;

        sha256_begin(&s[i]);
        whole[i] = (const uint8_t *)texts[i].s;
        wholes[i] = texts[i].n / BLOCK;
        end_blocks[i] = held + 1 > LENGTH_AT ? 2 : 1;
        memcpy(ends[i], whole[i] + wholes[i] * BLOCK, held);
        memset(ends[i] + held, 0, end_blocks[i] * BLOCK - held);
        ends[i][held] = 0x80;
        put_length(ends[i] + (end_blocks[i] - 1) * BLOCK, texts[i].n);
    }
    fold_both(s, whole, wholes);
    fold_both(s, end, end_blocks);
    for (int i = 0; i < 2; i++)
        out[i] = digest_from(s[i].h);
}

/* By arithmetic rather than from a table: the compiler then does sixteen at once. */
static char hex(uint8_t n)
{
    return (char)(n + (n > 9 ? 'a' - 10 : '0'));
}

void digest_text(const struct digest *d, char out[DIGEST_TEXT])
{
    memcpy(out, prefix, PREFIX);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        out[PREFIX + 2 * i] = hex(d->b[i] >> 4);
        out[PREFIX + 2 * i + 1] = hex(d->b[i] & 15);
    }
    out[DIGEST_TEXT - 1] = '\0';
}

/* Upper case is refused: one digest has one text, so texts can be compared as bytes. */
static int lower_hex(char c)
{
    return c >= 'A' && c <= 'F' ? -1 : num_hex(c);
}

bool digest_parse(struct str text, struct digest *out)
{
    struct digest d;

    if (text.n != DIGEST_TEXT - 1 || memcmp(text.s, prefix, PREFIX) != 0)
        return false;
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        int high = lower_hex(text.s[PREFIX + 2 * i]);
        int low = lower_hex(text.s[PREFIX + 2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        d.b[i] = (uint8_t)(high << 4 | low);
    }
    *out = d;
    return true;
}
