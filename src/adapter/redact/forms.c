/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c: percent-encoding, markup, hexadecimal digits and base64, as they are written. */
#include "adapter/redact/forms.h"

#include "adapter/redact/json.h"
#include "base/base64.h"
#include "base/own.h"

/* ---- percent-encoding ---- */

static const struct percent_hand {
    const char *kept; /* besides letters and digits */
    const char *digits;
    bool plus; /* for a blank */
} percent_hands[] = {
    { "-._~", "0123456789ABCDEF", false },                 /* RFC 3986 */
    { "-._~!*'()", "0123456789ABCDEF", false },            /* encodeURIComponent */
    { "-._~!*'();/?:@&=+$,#", "0123456789ABCDEF", false }, /* encodeURI */
    { "-._~/", "0123456789ABCDEF", false },                /* Python */
    { "-._~", "0123456789ABCDEF", true },                  /* Go */
    { "-._", "0123456789ABCDEF", true },                   /* PHP */
    { "-._*", "0123456789ABCDEF", true },                  /* browsers, Java */
    { "-._~", "0123456789abcdef", false },
    { "-._!*()", "0123456789abcdef", true }, /* .NET */
};

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool percent_by_hand(size_t hand, struct str text, struct buf *to)
{
    const struct percent_hand *h = &percent_hands[hand];

    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.s[i];

        if (is_letter_or_digit(text.s[i]) || is_one_of(text.s[i], h->kept))
            buf_addc(to, text.s[i]);
        else if (c == ' ' && h->plus)
            buf_addc(to, '+');
        else
            buf_addf(to, "%%%c%c", h->digits[c >> 4], h->digits[c & 15]);
    }
    return !str_eq(buf_str(to), text);
}

/* ---- markup ---- */

/* What stands for the two kinds of quotes. */
static const char *const markup_hands[][2] = {
    { "&quot;", "&#39;" },  /* PHP, Django, JavaScript */
    { "&quot;", "&#x27;" }, /* Python */
    { "&#34;", "&#39;" },   /* Go, Jinja */
    { "&quot;", "&apos;" }, /* XML */
    { "\"", "'" },          /* text between tags */
};

static bool markup_by_hand(size_t hand, struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++) {
        switch (text.s[i]) {
        case '&': buf_adds(to, "&amp;"); break;
        case '<': buf_adds(to, "&lt;"); break;
        case '>': buf_adds(to, "&gt;"); break;
        case '"': buf_adds(to, markup_hands[hand][0]); break;
        case '\'': buf_adds(to, markup_hands[hand][1]); break;
        default: buf_addc(to, text.s[i]);
        }
    }
    return !str_eq(buf_str(to), text);
}

/* ---- digits and base64 ---- */

static bool hex_by_hand(size_t hand, struct str text, struct buf *to)
{
    static const char *const digits[] = { "0123456789abcdef", "0123456789ABCDEF" };

    for (size_t i = 0; i < text.n; i++) {
        buf_addc(to, digits[hand][(unsigned char)text.s[i] >> 4]);
        buf_addc(to, digits[hand][(unsigned char)text.s[i] & 15]);
    }
    return true;
}

void base64_inside(size_t lead, struct str text, struct buf *to)
{
    static const size_t skipped[] = { 0, 2, 3 }; /* characters with bits of the bytes before */
    size_t whole = 8 * (lead + text.n) / 6, n = whole - skipped[lead];
    char first[3] = { 0 };
    size_t held = 3 - lead < text.n ? 3 - lead : text.n;

    memcpy(first + lead, text.s, held);
    base64_add(to, (struct str){ first, lead + held });
    base64_add(to, str_from(text, held));
    if (!buf_ok(to))
        return;
    memmove(to->s, to->s + skipped[lead], n);
    explicit_bzero(to->s + n, to->len - n);
    to->len = n;
    explicit_bzero(first, sizeof first);
}

bool base64_for_urls(char *text, size_t n)
{
    bool differs = false;

    for (size_t i = 0; i < n; i++) {
        if (!is_one_of(text[i], "+/"))
            continue;
        text[i] = text[i] == '+' ? '-' : '_';
        differs = true;
    }
    return differs;
}

/* At each of its three places, in each of its two alphabets. */
static bool base64_by_hand(size_t hand, struct str text, struct buf *to)
{
    base64_inside(hand % 3, text, to);
    return hand < 3 || base64_for_urls(to->s, to->len);
}

/* clang-format off */
const struct redact_form redact_forms[] = {
    { json_by_hand,    JSON_HANDS,           6, 8192 },
    { percent_by_hand, COUNT(percent_hands), 3, 4096 },
    { markup_by_hand,  COUNT(markup_hands),  6, 4096 },
    { hex_by_hand,     2,                    2, 4096 },
    { base64_by_hand,  6,                    2, 4096 },
};
/* clang-format on */

const size_t redact_form_count = COUNT(redact_forms);
