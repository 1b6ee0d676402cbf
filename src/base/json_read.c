/* SPDX-License-Identifier: Apache-2.0 */
/* json_read.c: JSON text to a document, strict and without recursion.
 *
 * Texts without escapes are not copied: they point into what was read. The container being filled
 * is the only state, so depth costs nothing and is a number to compare.
 */
#include "base/json_read.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_scan.h"
#include "base/num.h"
#include "base/number.h"
#include "base/utf8.h"

struct reader {
    const char *p, *end;
    struct arena *a;
    const struct ceilings *max;
    struct document *document;
    struct doc *up; /* the list or map being filled, or NULL */
    struct error *e;
    uint32_t depth, values;
};

PRINTF(4, 5)
COLD static bool refuse(struct reader *r, int code, const char *where, const char *fmt, ...)
{
    struct at at = document_at(r->document, r->up, (size_t)(where - r->document->text.s));
    char msg[ERROR_MSG];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return error_at(r->e, code, &at, "%s", msg);
}

/* Says what stands at p where something else was expected. */
COLD static bool expected(struct reader *r, const char *what)
{
    size_t n = utf8_step(r->p, r->end);

    if (r->p == r->end)
        return refuse(r, ERROR_SYNTAX, r->p, "the text ends where %s should be", what);
    if (n == 0)
        return refuse(r, ERROR_ENCODING, r->p, "byte 0x%02x is not UTF-8", (unsigned char)*r->p);
    if (n == 3 && memcmp(r->p, "\xef\xbb\xbf", 3) == 0)
        return refuse(r, ERROR_SYNTAX, r->p, "found a byte order mark, expected %s", what);
    if (n == 1 && (*r->p < ' ' || *r->p == 0x7f))
        return refuse(r, ERROR_SYNTAX, r->p, "found byte 0x%02x, expected %s", (unsigned char)*r->p,
                      what);
    return refuse(r, ERROR_SYNTAX, r->p, "found '%.*s', expected %s", (int)n, r->p, what);
}

COLD static bool above(struct reader *r, enum ceiling which, const char *where)
{
    return refuse(r, ERROR_CEILING, where, "%s is above %u: %s", ceiling_rows[which].name,
                  r->max->v[which], ceiling_rows[which].meaning);
}

static inline void skip_space(struct reader *r)
{
    while (r->p < r->end && (unsigned char)*r->p <= ' ' &&
           (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
        r->p++;
}

/* The four digits of a \u escape at r->p, or -1. */
static int32_t read_hex4(const struct reader *r)
{
    int32_t n = 0;

    if (r->end - r->p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = num_hex(r->p[i]);

        if (digit < 0)
            return -1;
        n = n * 16 + digit;
    }
    return n;
}

/* One \u escape, or two that make a pair; r->p stands behind the u. */
static bool read_u(struct reader *r, char **to)
{
    const char *begin = r->p - 2;
    int32_t high = read_hex4(r), low;

    if (high < 0)
        return refuse(r, ERROR_SYNTAX, begin, "\\u needs four hexadecimal digits");
    r->p += 4;
    if (high >= 0xdc00 && high <= 0xdfff)
        return refuse(r, ERROR_ENCODING, begin, "\\u%04x is half of a surrogate pair", high);
    if (high >= 0xd800 && high <= 0xdbff) {
        bool pair = r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u';

        r->p += pair ? 2 : 0;
        low = pair ? read_hex4(r) : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return refuse(r, ERROR_ENCODING, begin, "\\u%04x is half of a surrogate pair", high);
        r->p += 4;
        high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    }
    *to += utf8_put((uint32_t)high, *to);
    return true;
}

static bool read_escape(struct reader *r, char **to)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *found;

    r->p++;
    if (r->p < r->end && *r->p == 'u') {
        r->p++;
        return read_u(r, to);
    }
    found = r->p < r->end && *r->p ? strchr(letters, *r->p) : NULL;
    if (!found)
        return expected(r, "one of \" \\ / b f n r t u after the backslash");
    *(*to)++ = bytes[found - letters];
    r->p++;
    return true;
}

/* Text with escapes: r->p stands at the first one. The bytes never grow, so the distance to the
 * closing quote bounds them. */
COLD static bool read_escaped(struct reader *r, const char *begin, struct str *out)
{
    const char *close = r->p;
    char *to;

    while (close < r->end && *close != '"')
        close += *close == '\\' && r->end - close > 1 ? 2 : 1;
    char *text = arena_alloc(r->a, (size_t)(close - begin) + 1);
    memcpy(text, begin, (size_t)(r->p - begin));
    to = text + (r->p - begin);
    while (r->p < r->end && *r->p != '"') {
        size_t n = utf8_step(r->p, r->end);

        if (*r->p == '\\') {
            if (!read_escape(r, &to))
                return false;
            continue;
        }
        if (n == 0 || (unsigned char)*r->p < ' ')
            return expected(r, "text");
        memcpy(to, r->p, n);
        to += n;
        r->p += n;
    }
    *out = (struct str){ text, (size_t)(to - text) };
    return true;
}

/* A quoted text; r->p stands at the opening quote. */
static bool read_text(struct reader *r, struct str *out)
{
    const char *begin = r->p + 1;

    r->p = json_skip(begin, r->end, true);
    while (r->p < r->end && (unsigned char)*r->p >= 0x80) {
        size_t n = utf8_step(r->p, r->end);

        if (n == 0)
            return expected(r, "text");
        r->p = json_skip(r->p + n, r->end, true);
    }
    *out = (struct str){ begin, (size_t)(r->p - begin) };
    if (r->p < r->end && *r->p == '\\' && !read_escaped(r, begin, out))
        return false;
    if (r->p == r->end || *r->p != '"')
        return expected(r, "'\"' to end the text");
    if (out->n > r->max->v[CEILING_TEXT])
        return above(r, CEILING_TEXT, begin - 1);
    r->p++;
    return true;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Moves r->p behind the digits that must stand here. */
static bool take_digits(struct reader *r)
{
    const char *after = skip_digits(r->p, r->end);

    if (after == r->p)
        return expected(r, "a digit");
    r->p = after;
    return true;
}

static bool read_number(struct reader *r, struct doc *d)
{
    const char *begin = r->p, *why;
    struct str text;

    r->p += *r->p == '-';
    if (r->p < r->end && *r->p == '0')
        r->p++;
    else if (!take_digits(r))
        return false;
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        if (!take_digits(r))
            return false;
    }
    if (r->p < r->end && (*r->p | 0x20) == 'e') {
        r->p++;
        r->p += r->p < r->end && (*r->p == '+' || *r->p == '-');
        if (!take_digits(r))
            return false;
    }
    text = (struct str){ begin, (size_t)(r->p - begin) };
    if (text.n > r->max->v[CEILING_NUMBER])
        return above(r, CEILING_NUMBER, begin);
    if (r->max->any_number)
        number_keep(text, r->a, d);
    else if (!number_read(text, d, &why))
        return refuse(r, ERROR_NUMBER, begin, "%.*s %s", (int)(text.n < 40 ? text.n : 40), begin,
                      why);
    return true;
}

static bool read_word(struct reader *r, struct doc *d)
{
    static const struct {
        const char *word;
        enum doc_kind kind;
        bool truth;
    } words[] = { { "true", DOC_BOOL, true }, { "false", DOC_BOOL, false }, { "null", DOC_NULL } };

    for (size_t i = 0; i < COUNT(words); i++) {
        size_t n = strlen(words[i].word);

        if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i].word, n) == 0) {
            d->kind = words[i].kind;
            d->truth = words[i].truth;
            r->p += n;
            return true;
        }
    }
    return expected(r, "a value");
}

static bool open_container(struct reader *r, struct doc *d, enum doc_kind kind)
{
    if (++r->depth > r->max->v[CEILING_DEPTH])
        return above(r, CEILING_DEPTH, r->p);
    d->kind = kind;
    r->up = d;
    r->p++;
    return true;
}

/* One value at r->p into d. A container is only opened: r->up tells. */
static bool read_value(struct reader *r, struct doc *d)
{
    d->at = (uint32_t)(r->p - r->document->text.s);
    if (++r->values > r->max->v[CEILING_VALUES])
        return above(r, CEILING_VALUES, r->p);
    if (r->p == r->end)
        return expected(r, "a value");
    switch (*r->p) {
    case '{': return open_container(r, d, DOC_MAP);
    case '[': return open_container(r, d, DOC_LIST);
    case '"': d->kind = DOC_TEXT; return read_text(r, &d->text);
    case '-':
    case '0' ... '9': return read_number(r, d);
    default: return read_word(r, d);
    }
}

/* The key of the next member; r->p stands where its quote should be. */
static bool read_key(struct reader *r, struct str *key)
{
    const char *begin = r->p;

    if (r->p == r->end || *r->p != '"')
        return expected(r, "a key in quotes");
    if (!read_text(r, key))
        return false;
    if (key->s != begin + 1 && memchr(key->s, '\0', key->n)) /* only an escape can make one */
        return refuse(r, ERROR_SUBSET, begin, "a key must not hold the character NUL");
    skip_space(r);
    if (r->p == r->end || *r->p != ':')
        return expected(r, "':' after the key");
    r->p++;
    skip_space(r);
    return true;
}

/* Adds the next member or item to r->up and reads it. */
static bool read_child(struct reader *r)
{
    uint32_t key_at = (uint32_t)(r->p - r->document->text.s);
    struct str key = { 0 };
    struct doc *d;

    if (r->up->kind == DOC_MAP && !read_key(r, &key))
        return false;
    d = doc_add(r->a, r->up, key);
    d->key_at = key_at;
    return read_value(r, d);
}

static bool close_container(struct reader *r)
{
    if (r->up->kind == DOC_MAP) {
        const struct doc *twice = doc_twice(r->up, r->a);

        if (twice)
            return refuse(r, ERROR_DUPLICATE, r->document->text.s + twice->key_at,
                          "the key %s is given twice", said(twice->key, r->a));
    }
    r->p++;
    r->depth--;
    r->up = r->up->up;
    return true;
}

/* What follows a value: the end of its container, or a comma and the next one. */
static bool read_next(struct reader *r)
{
    bool fresh = r->up->count == 0;
    char close = r->up->kind == DOC_MAP ? '}' : ']';
    const char *comma;

    skip_space(r);
    if (r->p < r->end && *r->p == close)
        return close_container(r);
    if (!fresh) {
        if (r->p == r->end || *r->p != ',')
            return expected(r, close == '}' ? "',' or '}'" : "',' or ']'");
        comma = r->p++;
        skip_space(r);
        if (r->p < r->end && *r->p == close)
            return refuse(r, ERROR_SYNTAX, comma, "found ',' before '%c': a comma too many", close);
    }
    return read_child(r);
}

bool json_read(const char *file, struct str text, const struct ceilings *max, struct arena *a,
               const struct document **out, struct error *e)
{
    struct document *document = arena_new(a, struct document);
    const char *begin = text.s ? text.s : ""; /* an answer without a body has no text */
    struct reader r = {
        .p = begin, .end = begin + text.n, .a = a, .max = max, .document = document, .e = e
    };

    document->file = file;
    document->text = (struct str){ begin, text.n };
    if (text.n > max->v[CEILING_BYTES])
        return above(&r, CEILING_BYTES, begin);
    skip_space(&r);
    if (!read_value(&r, &document->root))
        return false;
    while (r.up)
        if (!read_next(&r))
            return false;
    skip_space(&r);
    if (r.p != r.end)
        return expected(&r, "the end of the text");
    *out = document;
    return true;
}
