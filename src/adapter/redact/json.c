/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: the hands in which programs write JSON: what they escape though they need not. */
#include "adapter/redact/json.h"

#include "base/utf8.h"

/* All escape quotes, backslashes and control characters. */
static const struct json_hand {
    const char *slashed; /* a backslash before it */
    const char *coded;   /* as \uXXXX */
    bool ascii;          /* all that is not ASCII, too */
    bool capitals;       /* \u00E4 */
} hands[JSON_HANDS] = {
    { "", "", false, false },       /* JavaScript, jq, Rust */
    { "", "", true, false },        /* Python */
    { "/", "", true, false },       /* PHP */
    { "/", "", false, false },      /* PHP that leaves Unicode */
    { "", "<>&", false, false },    /* Go, Rails */
    { "", "<>&='", false, false },  /* Gson */
    { "", "\"<>&'+`", true, true }, /* .NET */
};

static void add_code(struct buf *to, uint32_t unit, bool capitals)
{
    buf_addf(to, capitals ? "\\u%04X" : "\\u%04x", unit);
}

static void add_point(struct buf *to, uint32_t point, bool capitals)
{
    if (point >= 0x10000) {
        add_code(to, 0xd800 + ((point - 0x10000) >> 10), capitals);
        point = 0xdc00 + ((point - 0x10000) & 0x3ff);
    }
    add_code(to, point, capitals);
}

/* One character; what is no UTF-8 is a character of one byte. */
static void add_character(struct buf *to, const struct json_hand *hand, const char *s, size_t n)
{
    static const char short_ones[] = "\b\f\n\r\t", letters[] = "bfnrt";
    bool is_utf8 = n > 0;
    char c = s[0];

    if (n > 1 && hand->ascii)
        add_point(to, utf8_get(s, n), hand->capitals);
    else if (n > 1 || !is_utf8)
        buf_add(to, s, n ? n : 1);
    else if (is_one_of(c, short_ones))
        buf_addf(to, "\\%c", letters[strchr(short_ones, c) - short_ones]);
    else if ((unsigned char)c < ' ' || is_one_of(c, hand->coded))
        add_code(to, (unsigned char)c, hand->capitals);
    else if (is_one_of(c, "\"\\") || is_one_of(c, hand->slashed))
        buf_addf(to, "\\%c", c);
    else
        buf_addc(to, c);
}

bool json_by_hand(size_t i, struct str text, struct buf *to)
{
    const char *end = text.s + text.n;

    for (const char *s = text.s; s < end;) {
        size_t n = utf8_step(s, end);

        add_character(to, &hands[i], s, n);
        s += n ? n : 1;
    }
    return !str_eq(buf_str(to), text);
}
