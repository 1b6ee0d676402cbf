/* SPDX-License-Identifier: Apache-2.0 */
/* ws_open.c: the opening of a WebSocket: the key, and the answer that proves it was read. */
#include <assert.h>

#include "adapter/http/ws.h"
#include "base/base64.h"
#include "base/num.h"

/* ---- SHA-1, which RFC 6455 asks for; it protects nothing here ---- */

enum { SHA1_BYTES = 20, BLOCK = 64 };

static uint32_t turned(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static void sha1_block(uint32_t h[5], const uint8_t *b)
{
    static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
    uint32_t w[80], v[5];

    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)b[4 * i] << 24 | (uint32_t)b[4 * i + 1] << 16 |
               (uint32_t)b[4 * i + 2] << 8 | b[4 * i + 3];
    for (size_t i = 16; i < 80; i++)
        w[i] = turned(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(v, h, sizeof v);
    for (size_t i = 0; i < 80; i++) {
        uint32_t choose = (v[1] & v[2]) | (~v[1] & v[3]), odd = v[1] ^ v[2] ^ v[3];
        uint32_t most = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
        uint32_t f = i < 20 ? choose : i < 40 ? odd : i < 60 ? most : odd;
        uint32_t next = turned(v[0], 5) + f + v[4] + k[i / 20] + w[i];

        v[4] = v[3];
        v[3] = v[2];
        v[2] = turned(v[1], 30);
        v[1] = v[0];
        v[0] = next;
    }
    for (size_t i = 0; i < 5; i++)
        h[i] += v[i];
}

/* Of a text that fits two blocks. */
static void sha1(struct str text, uint8_t out[SHA1_BYTES])
{
    uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    uint8_t blocks[2 * BLOCK] = { 0 };
    size_t n = text.n + 9 <= BLOCK ? BLOCK : 2 * BLOCK;

    assert(text.n + 9 <= sizeof blocks);
    memcpy(blocks, text.s, text.n);
    blocks[text.n] = 0x80;
    blocks[n - 2] = (uint8_t)(text.n * 8 >> 8);
    blocks[n - 1] = (uint8_t)(text.n * 8);
    for (size_t i = 0; i < n; i += BLOCK)
        sha1_block(h, blocks + i);
    for (size_t i = 0; i < SHA1_BYTES; i++)
        out[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- the key ---- */

void ws_key_add(struct buf *to, const uint8_t key[WS_KEY])
{
    base64_add(to, (struct str){ (const char *)key, WS_KEY });
}

void ws_accept_add(struct buf *to, const uint8_t key[WS_KEY])
{
    _buf_ struct buf text = { .max = 2 * BLOCK - 9 };
    uint8_t digest[SHA1_BYTES];

    ws_key_add(&text, key);
    buf_adds(&text, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    sha1(buf_str(&text), digest);
    base64_add(to, (struct str){ (const char *)digest, sizeof digest });
}

/* ---- the answer ---- */

size_t ws_head_end(struct str bytes)
{
    const char *end = bytes.n ? memmem(bytes.s, bytes.n, "\r\n\r\n", 4) : NULL;

    return end ? (size_t)(end - bytes.s) + 4 : 0;
}

static struct str next_line(struct str *rest)
{
    const char *end = rest->n ? memmem(rest->s, rest->n, "\r\n", 2) : NULL;
    struct str line = { rest->s, end ? (size_t)(end - rest->s) : rest->n };
    size_t used = line.n + (end ? 2 : 0);

    *rest = (struct str){ rest->s + used, rest->n - used };
    return line;
}

/* Once, and with that value; *n counts how often it is there. */
static bool says(struct str line, const char *name, struct str value, bool letters, int *n)
{
    const char *colon = line.n ? memchr(line.s, ':', line.n) : NULL;
    struct str theirs;

    if (!colon || str_cmp_letters((struct str){ line.s, (size_t)(colon - line.s) }, str_of(name)))
        return true;
    ++*n;
    theirs = str_trim((struct str){ colon + 1, (size_t)(line.s + line.n - colon) - 1 }, " \t");
    return letters ? str_cmp_letters(theirs, value) == 0 : str_eq(theirs, value);
}

/* The same of a list: the word is among those between commas, whatever its letters. */
static bool lists(struct str line, const char *name, const char *word, int *n)
{
    const char *colon = line.n ? memchr(line.s, ':', line.n) : NULL;
    struct str rest;

    if (!colon || str_cmp_letters((struct str){ line.s, (size_t)(colon - line.s) }, str_of(name)))
        return true;
    ++*n;
    rest = (struct str){ colon + 1, (size_t)(line.s + line.n - colon) - 1 };
    for (;;) {
        const char *comma = rest.n ? memchr(rest.s, ',', rest.n) : NULL;
        struct str one = { rest.s, comma ? (size_t)(comma - rest.s) : rest.n };

        if (str_cmp_letters(str_trim(one, " \t"), str_of(word)) == 0)
            return true;
        if (!comma)
            return false;
        rest = (struct str){ comma + 1, rest.n - one.n - 1 };
    }
}

static int status_of(struct str line)
{
    int64_t status;

    if (!str_begins(line, "HTTP/1.1 ") || line.n < 12 || (line.n > 12 && line.s[12] != ' '))
        return 0;
    return num_int((struct str){ line.s + 9, 3 }, &status) && status >= 100 ? (int)status : 0;
}

const char *ws_disagrees(struct str head, const uint8_t key[WS_KEY], struct str protocol,
                         int *status)
{
    _buf_ struct buf accept = { .max = 64 };
    int upgrades = 0, connections = 0, accepts = 0, protocols = 0, extensions = 0;
    bool good = true;

    ws_accept_add(&accept, key);
    *status = status_of(next_line(&head));
    if (*status == 0)
        return "what came is not HTTP";
    if (*status != WS_SWITCHED)
        return "the server opens no WebSocket there";
    while (head.n > 0) {
        struct str line = next_line(&head);

        good = good && says(line, "Upgrade", str_of("websocket"), true, &upgrades) &&
               lists(line, "Connection", "upgrade", &connections) &&
               says(line, "Sec-WebSocket-Accept", buf_str(&accept), false, &accepts) &&
               says(line, "Sec-WebSocket-Protocol", protocol, false, &protocols) &&
               says(line, "Sec-WebSocket-Extensions", str_of(""), false, &extensions);
    }
    if (!good || upgrades != 1 || connections != 1 || accepts != 1 || extensions != 0)
        return "the server does not agree to what was asked";
    if (protocols != (protocol.n > 0))
        return "the server does not speak the protocol that was asked for";
    return NULL;
}
