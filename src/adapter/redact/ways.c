/* SPDX-License-Identifier: Apache-2.0 */
/* ways.c: reads percent-encoding, forms, JSON texts, markup, lines that were folded, and
 * hexadecimal digits as people like to see them. */
#include "adapter/redact/ways.h"

#include "base/num.h"
#include "base/utf8.h"

static struct glyph plain(struct str t, size_t at)
{
    return (struct glyph){ { t.s[at] }, 1, 1 };
}

static int hex_at(struct str t, size_t at, int digits)
{
    int value = 0;

    for (int i = 0; i < digits; i++) {
        int digit = at + (size_t)i < t.n ? num_hex(t.s[at + (size_t)i]) : -1;

        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

static struct glyph percent(struct str t, size_t at)
{
    int value = t.s[at] == '%' ? hex_at(t, at + 1, 2) : -1;

    return value < 0 ? plain(t, at) : (struct glyph){ { (char)value }, 1, 3 };
}

static struct glyph form(struct str t, size_t at)
{
    return t.s[at] == '+' ? (struct glyph){ { ' ' }, 1, 1 } : percent(t, at);
}

/* \uXXXX, or two of them that are one character. */
static struct glyph unicode(struct str t, size_t at)
{
    int high = hex_at(t, at + 2, 4), low = -1;
    struct glyph g = { .taken = 6 };

    if (high < 0)
        return plain(t, at);
    if (high >= 0xd800 && high < 0xdc00 && at + 7 < t.n && t.s[at + 6] == '\\' &&
        t.s[at + 7] == 'u')
        low = hex_at(t, at + 8, 4);
    if (low >= 0xdc00 && low < 0xe000) {
        g.taken = 12;
        g.n = utf8_put(0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00),
                       g.bytes);
        return g;
    }
    g.n = utf8_put((uint32_t)high, g.bytes);
    return g;
}

struct glyph json_glyph(struct str t, size_t at)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *letter;

    if (t.s[at] != '\\' || at + 1 == t.n)
        return plain(t, at);
    if (t.s[at + 1] == 'u')
        return unicode(t, at);
    letter = t.s[at + 1] ? strchr(letters, t.s[at + 1]) : NULL;
    return letter ? (struct glyph){ { meant[letter - letters] }, 1, 2 } : plain(t, at);
}

/* What somebody broke into lines, and perhaps moved in, is read as if he had not. */
static struct glyph folded(struct str t, size_t at)
{
    size_t n = 1;

    if (!is_one_of(t.s[at], "\r\n"))
        return plain(t, at);
    while (at + n < t.n && is_one_of(t.s[at + n], "\r\n \t"))
        n++;
    return (struct glyph){ .taken = n };
}

/* ---- hexadecimal digits ---- */

static bool is_separator(char c)
{
    return c == ' ' || c == ':' || c == '-' || c == ',';
}

/* Where the digits go on behind one or two separators, such as ", ". */
static size_t behind_separator(struct str t, size_t at)
{
    at++;
    return at + (at < t.n && is_separator(t.s[at]));
}

/* "0x" or "\\x" before two digits. */
static bool has_prefix(struct str t, size_t at)
{
    return at + 1 < t.n && is_one_of(t.s[at], "0\\") && is_one_of(t.s[at + 1], "xX") &&
           hex_at(t, at + 2, 2) >= 0;
}

static char small_digit(char c)
{
    return (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
}

/* Digits in small letters, with nothing between them: so the words have them. A prefix goes with
 * its first digit: what is left behind would be no prefix of anything. */
static struct glyph digits(struct str t, size_t at)
{
    size_t on;

    if (has_prefix(t, at))
        return (struct glyph){ { small_digit(t.s[at + 2]) }, 1, 3 };
    if (!is_separator(t.s[at]))
        return (struct glyph){ { small_digit(t.s[at]) }, 1, 1 };
    on = behind_separator(t, at);
    return hex_at(t, on, 2) < 0 && !has_prefix(t, on) ? plain(t, at)
                                                      : (struct glyph){ .taken = on - at };
}

/* ---- markup ---- */

enum { ENTITY_MOST = REDACT_LONGEST }; /* "&#1114111;", and zeros before it */

static const struct entity {
    const char *name;
    char meant;
} entities[] = { { "&amp", '&' },  { "&lt", '<' },    { "&gt", '>' },
                 { "&quot", '"' }, { "&apos", '\'' }, { "&nbsp", ' ' } };

/* The number of "&#38" or "&#x26", and where it ends; 0: it is none. */
static uint32_t entity_number(struct str t, size_t at, size_t *end)
{
    bool hex = at + 2 < t.n && is_one_of(t.s[at + 2], "xX");
    uint32_t value = 0;
    size_t i = at + 2 + hex;

    for (; i < t.n && i < at + ENTITY_MOST; i++) {
        int digit = num_hex(t.s[i]);

        if (digit < 0 || (!hex && digit > 9) || value > 0x10ffff)
            break;
        value = value * (hex ? 16 : 10) + (uint32_t)digit;
    }
    *end = i;
    return value > 0x10ffff || (value >= 0xd800 && value < 0xe000) ? 0 : value;
}

/* Browsers read it without its ';', too. */
static struct glyph entity(struct str t, size_t at)
{
    struct str rest = str_from(t, at);
    struct glyph g = { .n = 0 };
    size_t end = 0;

    if (t.s[at] != '&')
        return plain(t, at);
    for (size_t i = 0; i < COUNT(entities); i++) {
        if (str_begins(rest, entities[i].name)) {
            g = (struct glyph){ { entities[i].meant }, 1, 0 };
            end = at + strlen(entities[i].name);
        }
    }
    if (str_begins(rest, "&#")) {
        uint32_t number = entity_number(t, at, &end);

        g.n = number ? utf8_put(number, g.bytes) : 0;
    }
    if (!g.n)
        return plain(t, at);
    g.taken = end - at + (end < t.n && t.s[end] == ';');
    return g;
}

/* ---- what was cut off ---- */

static bool percent_begun(struct str t, size_t at)
{
    return t.s[at] == '%' && t.n - at < 3;
}

/* And one that may go on: a half of a character. */
static bool json_begun(struct str t, size_t at)
{
    size_t left = t.n - at;

    return t.s[at] == '\\' &&
           (left < 2 || (t.s[at + 1] == 'u' && (left < 6 || (left < 12 && unicode(t, at).n == 3))));
}

static bool prefix_begun(struct str t, size_t at)
{
    size_t left = t.n - at;

    if (!is_one_of(t.s[at], "0\\"))
        return false;
    return left == 1 || (is_one_of(t.s[at + 1], "xX") &&
                         (left == 2 || (left == 3 && num_hex(t.s[at + 2]) >= 0)));
}

static bool digits_begun(struct str t, size_t at)
{
    size_t on;

    if (!is_separator(t.s[at]))
        return prefix_begun(t, at);
    on = behind_separator(t, at);
    return on >= t.n || prefix_begun(t, on) || (on + 1 == t.n && num_hex(t.s[on]) >= 0);
}

static bool entity_begun(struct str t, size_t at)
{
    return t.s[at] == '&' && t.n - at < ENTITY_MOST && !memchr(t.s + at, ';', t.n - at);
}

/* clang-format off */
const struct redact_way redact_ways[] = {
    { "",           plain,      NULL,          false },
    { "\n\r",       folded,     NULL,          false },
    { "%",          percent,    percent_begun, false },
    { "+%",         form,       percent_begun, false },
    { "\\",         json_glyph, json_begun,    false },
    { "&",          entity,     entity_begun,  false },
    { " :-,0\\ABCDEF", digits,  digits_begun,  true },
};
/* clang-format on */

const size_t redact_way_count = COUNT(redact_ways);
