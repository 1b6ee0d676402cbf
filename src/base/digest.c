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
    &sha256_x86,   &sha256_avx512, &sha256_avx2,
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

static const uint32_t start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* The block is left as it is: its bytes are written before they are read. */
void sha256_begin(struct sha256 *s)
{
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

/* ---- many side by side ---- */

/* A message on its way through a lane: its whole blocks first, then those at its end. */
struct lane {
    uint32_t h[8];
    const uint8_t *bytes;
    size_t count;           /* of blocks there */
    size_t ends;            /* blocks of the end that follow; 0: it is the end */
    uint8_t end[2 * BLOCK]; /* what is left of the text, the mark and the length */
    size_t message;
};

static void lane_turn(struct lane *lane)
{
    lane->bytes = lane->end;
    lane->count = lane->ends;
    lane->ends = 0;
}

static void lane_begin(struct lane *lane, struct str text, size_t message)
{
    size_t whole = text.n / BLOCK, held = text.n % BLOCK;

    memcpy(lane->h, start, sizeof start);
    lane->message = message;
    lane->bytes = (const uint8_t *)text.s;
    lane->count = whole;
    lane->ends = held + 1 > LENGTH_AT ? 2 : 1;
    if (held)
        memcpy(lane->end, text.s + whole * BLOCK, held);
    memset(lane->end + held, 0, lane->ends * BLOCK - held);
    lane->end[held] = 0x80;
    put_length(lane->end + (lane->ends - 1) * BLOCK, text.n);
    if (whole == 0)
        lane_turn(lane);
}

/* So many blocks of each. */
static void fold_side_by_side(const struct sha256_way *with, struct lane *const lanes[], size_t n,
                              size_t count)
{
    uint32_t unused[8] = { 0 }, *h[SHA256_LANES_MOST];
    const uint8_t *bytes[SHA256_LANES_MOST];

    for (size_t i = 0; i < with->lanes; i++) {
        h[i] = i < n ? lanes[i]->h : unused;
        bytes[i] = lanes[i < n ? i : 0]->bytes;
    }
    with->fold_lanes(h, bytes, count);
}

/* As many blocks of all of them as the one has that has fewest. */
static void fold_some(const struct sha256_way *with, struct lane *const lanes[], size_t n)
{
    size_t count = lanes[0]->count;

    for (size_t i = 1; i < n; i++)
        count = lanes[i]->count < count ? lanes[i]->count : count;
    if (with->lanes && n >= with->least)
        fold_side_by_side(with, lanes, n, count);
    else
        for (size_t i = 0; i < n; i++)
            with->fold(lanes[i]->h, lanes[i]->bytes, count);
    for (size_t i = 0; i < n; i++) {
        lanes[i]->bytes += count * BLOCK;
        lanes[i]->count -= count;
        if (lanes[i]->count == 0 && lanes[i]->ends)
            lane_turn(lanes[i]);
    }
}

/* A lane that is done takes the next message; the last ones are done with fewer. */
void digest_many(const struct str *texts, struct digest *out, size_t n)
{
    const struct sha256_way *with = way();
    struct lane room[SHA256_LANES_MOST], *lanes[SHA256_LANES_MOST];
    size_t most = with->lanes ? with->lanes : 1, busy = 0;

    for (size_t i = 0; i < most; i++)
        lanes[i] = &room[i];
    for (size_t next = 0; next < n || busy > 0;) {
        for (; busy < most && next < n; busy++, next++)
            lane_begin(lanes[busy], texts[next], next);
        fold_some(with, lanes, busy);
        for (size_t i = busy; i-- > 0;) {
            struct lane *lane = lanes[i];

            if (lane->count > 0)
                continue;
            out[lane->message] = digest_from(lane->h);
            lanes[i] = lanes[--busy];
            lanes[busy] = lane;
        }
    }
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
