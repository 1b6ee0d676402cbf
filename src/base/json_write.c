/* SPDX-License-Identifier: Apache-2.0 */
/* json_write.c: JSON text, from a document or call by call. */
#include "base/json_write.h"

#include "base/base64.h"
#include "base/json_scan.h"
#include "base/shortest.h"
#include "base/utf8.h"

/* One character that JSON text cannot hold as it is. */
static void put_escape(struct buf *to, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
    };
    char escape[] = "\\u00xx";

    escape[1] = c >= ' ' ? (char)c : letters[c] ? letters[c] : 'u';
    escape[4] = digits[c >> 4];
    escape[5] = digits[c & 15];
    buf_add(to, escape, escape[1] == 'u' ? 6 : 2);
}

/* Copies up to the first byte that is not plain, and returns where that is. */
static inline const char *copy_plain(const char *p, const char *end, char *to)
{
    while (p < end && json_plain(*p))
        *to++ = *p++;
    return p;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Looks at eight bytes and copies them when they are plain. */
static inline bool copy_eight(const char *p, char *to)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    memcpy(to, &v, sizeof v);
    return json_stops(v) == 0;
}

/* Copies a text that is plain to its end, false for one that is not. Eight bytes at a time; the
 * last eight may be copied twice, so that nothing is left to do byte by byte. */
static inline bool copy_whole(struct str t, char *to)
{
    size_t i = 0;

    if (t.n < 8) /* one without bytes may be nowhere */
        return t.n == 0 || copy_plain(t.s, t.s + t.n, to) == t.s + t.n;
    for (; t.n - i >= 8; i += 8)
        if (!copy_eight(t.s + i, to + i))
            return false;
    return i == t.n || copy_eight(t.s + t.n - 8, to + t.n - 8);
}
#else
static inline bool copy_whole(struct str t, char *to)
{
    return t.n == 0 || copy_plain(t.s, t.s + t.n, to) == t.s + t.n;
}
#endif

COLD static void put_escaped(struct buf *to, struct str t)
{
    const char *p = t.s, *end = t.s + t.n;

    buf_addc(to, '"');
    while (p < end) {
        const char *stop;

        if (!buf_reserve(to, (size_t)(end - p)))
            return;
        stop = copy_plain(p, end, to->s + to->len);
        to->len += (size_t)(stop - p);
        p = stop;
        if (p < end)
            put_escape(to, (unsigned char)*p++);
    }
    buf_addc(to, '"');
}

static void put_text(struct buf *to, struct str t)
{
    char *at;

    if (!buf_reserve(to, t.n + 2))
        return;
    at = to->s + to->len;
    if (!copy_whole(t, at + 1)) {
        put_escaped(to, t);
        return;
    }
    at[0] = at[t.n + 1] = '"';
    at[t.n + 2] = '\0';
    to->len += t.n + 2;
}

static void put_int(struct buf *to, int64_t n)
{
    char digits[24], *p = digits + sizeof digits;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (n < 0)
        *--p = '-';
    buf_add(to, p, (size_t)(digits + sizeof digits - p));
}

static void put_number(struct buf *to, const struct doc *d)
{
    char text[SHORTEST_MAX];

    if (d->written)
        buf_adds(to, d->written);
    else
        buf_add(to, text, shortest_double(d->number, text));
}

/* Writes a value; sorts keys when an arena is given to sort them in. */
static void put(struct buf *to, const struct doc *d, struct arena *sort)
{
    const struct doc **sorted = NULL;
    const struct doc *c;
    uint32_t i = 0;

    switch (d->kind) {
    case DOC_NULL: buf_add(to, "null", 4); return;
    case DOC_BOOL: buf_adds(to, d->truth ? "true" : "false"); return;
    case DOC_INT: put_int(to, d->whole); return;
    case DOC_NUMBER: put_number(to, d); return;
    case DOC_TEXT: put_text(to, d->text); return;
    case DOC_LIST:
        buf_addc(to, '[');
        for (c = d->first; c; c = c->next) {
            put(to, c, sort);
            if (c->next)
                buf_addc(to, ',');
        }
        buf_addc(to, ']');
        return;
    case DOC_MAP:
        if (sort)
            sorted = doc_sorted(d, sort);
        buf_addc(to, '{');
        for (c = d->first; c; c = c->next, i++) {
            const struct doc *member = sorted ? sorted[i] : c;

            if (i > 0)
                buf_addc(to, ',');
            put_text(to, member->key);
            buf_addc(to, ':');
            put(to, member, sort);
        }
        buf_addc(to, '}');
        return;
    }
}

void json_canon(const struct doc *d, struct arena *a, struct buf *to)
{
    put(to, d, a);
}

/* A comma belongs between two values: not at the start, after a bracket, or after a key. */
static void separate(struct buf *to)
{
    char last = to->len ? to->s[to->len - 1] : '\n';

    if (last != '[' && last != '{' && last != ':' && last != '\n')
        buf_addc(to, ',');
}

void json_open(struct buf *to, char bracket)
{
    separate(to);
    buf_addc(to, bracket);
}

void json_close(struct buf *to, char bracket)
{
    buf_addc(to, bracket);
}

void json_key(struct buf *to, const char *key)
{
    separate(to);
    put_text(to, str_of(key));
    buf_addc(to, ':');
}

void json_text(struct buf *to, struct str text)
{
    separate(to);
    put_text(to, text);
}

void json_clean(struct buf *to, struct str json)
{
    while (json.n > 0) {
        size_t good = utf8_valid(json), bad = good < json.n;

        buf_add(to, json.s, good);
        buf_adds(to, bad ? "\xef\xbf\xbd" : "");
        json = (struct str){ json.s + good + bad, json.n - good - bad };
    }
}

void json_outside(struct buf *to, struct str text)
{
    _buf_ struct buf clean = { .max = to->max };

    json_clean(&clean, text);
    json_text(to, buf_str(&clean));
    to->full |= clean.full;
}

void json_base64(struct buf *to, struct str bytes)
{
    separate(to);
    buf_addc(to, '"');
    base64_add(to, bytes);
    buf_addc(to, '"');
}

void json_int(struct buf *to, int64_t n)
{
    separate(to);
    put_int(to, n);
}

void json_bool(struct buf *to, bool truth)
{
    separate(to);
    buf_adds(to, truth ? "true" : "false");
}

void json_nil(struct buf *to)
{
    separate(to);
    buf_adds(to, "null");
}

void json_doc(struct buf *to, const struct doc *d)
{
    separate(to);
    put(to, d, NULL);
}

void json_put(struct buf *to, const char *key, const char *text)
{
    json_key(to, key);
    if (text)
        json_outside(to, str_of(text));
    else
        json_nil(to);
}

void json_put_text(struct buf *to, const char *key, struct str text)
{
    json_key(to, key);
    json_text(to, text);
}

void json_put_outside(struct buf *to, const char *key, struct str text)
{
    json_key(to, key);
    json_outside(to, text);
}

void json_put_digest(struct buf *to, const char *key, const struct digest *d)
{
    char text[DIGEST_TEXT];

    if (d)
        digest_text(d, text);
    json_put(to, key, d ? text : NULL);
}

void json_put_int(struct buf *to, const char *key, int64_t n)
{
    json_key(to, key);
    json_int(to, n);
}

void json_put_bool(struct buf *to, const char *key, bool truth)
{
    json_key(to, key);
    json_bool(to, truth);
}
