/* SPDX-License-Identifier: Apache-2.0 */
/* literal.c: texts and numbers as a path has them. */
#include "base/jsonpath/parts.h"
#include "base/num.h"
#include "base/number.h"
#include "base/utf8.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* --- texts --- */

static bool four(struct path *p, uint32_t *out)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++, p->at++) {
        int digit = num_hex(jsonpath_peek(p));

        if (digit < 0)
            return jsonpath_expected(p, "four hexadecimal digits after \\u");
        unit = unit << 4 | (uint32_t)digit;
    }
    *out = unit;
    return true;
}

static bool by_number(struct path *p, char **to)
{
    size_t at = p->at - 2;
    uint32_t point = 0, low = 0;

    if (!four(p, &point))
        return false;
    if (point >= 0xd800 && point <= 0xdbff) {
        if (!jsonpath_eat(p, "\\u"))
            return jsonpath_wrong(p, at, "\\u%04x is half of a surrogate pair", point);
        if (!four(p, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return jsonpath_wrong(p, at, "\\u%04x is half of a surrogate pair", point);
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    } else if (point >= 0xdc00 && point <= 0xdfff) {
        return jsonpath_wrong(p, at, "\\u%04x is half of a surrogate pair", point);
    }
    *to += utf8_put(point, *to);
    return true;
}

static bool escape(struct path *p, char quote, char **to)
{
    static const char letters[] = "\\/bfnrt", bytes[] = "\\/\b\f\n\r\t";
    char c = jsonpath_peek(p);

    if (jsonpath_eat(p, "u"))
        return by_number(p, to);
    if (c != quote && !is_one_of(c, letters))
        return jsonpath_expected(p, quote == '"' ? "one of \" \\ / b f n r t u after the backslash"
                                                 : "one of ' \\ / b f n r t u after the backslash");
    *(*to)++ = c == quote ? c : bytes[strchr(letters, c) - letters];
    p->at++;
    return true;
}

/* Bytes up to the closing quote, or to the end where there is none. */
static size_t text_length(const struct path *p, char quote)
{
    size_t n = 0, most = p->text.n - p->at;

    while (n < most && p->text.s[p->at + n] != quote)
        n += p->text.s[p->at + n] == '\\' && n + 1 < most ? 2 : 1;
    return n;
}

bool jsonpath_text(struct path *p, struct str *out)
{
    char quote = jsonpath_peek(p), *text, *to;
    size_t from = ++p->at;

    text = to = arena_alloc(p->a, text_length(p, quote)); /* escapes never grow */
    while (p->at < p->text.n && jsonpath_peek(p) != quote) {
        if ((unsigned char)jsonpath_peek(p) < ' ')
            return jsonpath_expected(p, "a text without control characters: write them as \\u000a");
        if (!jsonpath_eat(p, "\\"))
            *to++ = p->text.s[p->at++];
        else if (!escape(p, quote, &to))
            return false;
    }
    if (p->at == p->text.n)
        return jsonpath_wrong(p, from - 1, "a text that no %c ends", quote);
    p->at++;
    *out = (struct str){ text, (size_t)(to - text) };
    return true;
}

/* --- numbers --- */

static size_t digits(const struct path *p, size_t at)
{
    size_t n = 0;

    while (at + n < p->text.n && is_digit(p->text.s[at + n]))
        n++;
    return n;
}

bool jsonpath_whole(struct path *p, int64_t *out)
{
    size_t from = p->at, sign = jsonpath_peek(p) == '-';
    struct str text = { p->text.s + from, sign + digits(p, from + sign) };

    if (!num_int(text, out))
        return text.n > 16 ? jsonpath_wrong(p, from, "found a number beyond 2^53 - 1")
                           : jsonpath_expected(p, "a whole number without leading zeros");
    if (*out > WHOLE_MAX || *out < -WHOLE_MAX)
        return jsonpath_wrong(p, from, "found a number beyond 2^53 - 1");
    p->at += text.n;
    return true;
}

/* Where a number's text ends; 0 where it is none. */
static size_t number_end(const struct path *p)
{
    size_t at = p->at + (jsonpath_peek(p) == '-'), n = digits(p, at);

    if (n == 0 || (n > 1 && p->text.s[at] == '0'))
        return 0;
    at += n;
    if (at < p->text.n && p->text.s[at] == '.') {
        n = digits(p, at + 1);
        if (n == 0)
            return 0;
        at += 1 + n;
    }
    if (at < p->text.n && is_one_of(p->text.s[at], "eE")) {
        at++;
        at += at < p->text.n && is_one_of(p->text.s[at], "+-");
        n = digits(p, at);
        if (n == 0)
            return 0;
        at += n;
    }
    return at;
}

static bool number(struct path *p, struct doc *out)
{
    size_t end = number_end(p), from = p->at;

    if (end == 0)
        return jsonpath_expected(p, "a number as JSON has it");
    if (end - from > NUMBER_MAX)
        return jsonpath_wrong(p, from, "%.40s..: more digits than a number may have",
                              p->text.s + from);
    number_keep((struct str){ p->text.s + from, end - from }, p->a, out);
    p->at = end;
    return true;
}

static bool is_word(const struct path *p, const char *word)
{
    struct str rest = { p->text.s + p->at, p->text.n - p->at };

    return str_begins(rest, word);
}

bool jsonpath_follows(const struct path *p)
{
    char c = jsonpath_peek(p);

    return is_one_of(c, "\"'-") || is_digit(c) || is_word(p, "true") || is_word(p, "false") ||
           is_word(p, "null");
}

bool jsonpath_literal(struct path *p, struct doc *out)
{
    char c = jsonpath_peek(p);

    *out = (struct doc){ 0 };
    if (c == '\'' || c == '"') {
        out->kind = DOC_TEXT;
        return jsonpath_text(p, &out->text);
    }
    if (jsonpath_eat(p, "null"))
        return true;
    if (c == 't' || c == 'f') {
        out->kind = DOC_BOOL;
        out->truth = jsonpath_eat(p, "true");
        return out->truth || jsonpath_eat(p, "false");
    }
    return number(p, out);
}
