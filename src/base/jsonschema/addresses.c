/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.c: hosts, IP addresses and URIs, as their RFCs spell them. */
#include "base/jsonschema/formats.h"

#include "base/num.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static struct str after(struct str text, size_t n)
{
    return (struct str){ text.s + n, text.n - n };
}

static size_t until(struct str text, const char *marks)
{
    size_t n = 0;

    while (n < text.n && !is_one_of(text.s[n], marks))
        n++;
    return n;
}

/* RFC 2673: four numbers up to 255, without leading zeros. */
bool is_ipv4(struct str text)
{
    for (int part = 0; part < 4; part++) {
        int v = 0;
        size_t n = 0;

        for (; n < text.n && n < 4 && is_digit(text.s[n]); n++)
            v = v * 10 + (text.s[n] - '0');
        if (n == 0 || n > 3 || v > 255 || (n > 1 && text.s[0] == '0'))
            return false;
        if (part == 3)
            return n == text.n;
        if (n == text.n || text.s[n] != '.')
            return false;
        text = after(text, n + 1);
    }
    return false;
}

/* RFC 4291, 2.2: eight groups; "::" stands for one or more that are zero, once; the last two may be
 * an IPv4 address. */
bool is_ipv6(struct str text)
{
    int groups = 0;
    bool gap = false;

    if (str_begins(text, "::")) {
        gap = true;
        text = after(text, 2);
        if (text.n == 0)
            return true;
    }
    while (groups < 8) {
        size_t n = 0;

        while (n < text.n && n < 5 && num_hex(text.s[n]) >= 0)
            n++;
        if (n < text.n && text.s[n] == '.')
            return is_ipv4(text) && (gap ? groups <= 5 : groups == 6);
        if (n == 0 || n > 4)
            return false;
        groups++;
        text = after(text, n);
        if (text.n == 0)
            return gap ? groups < 8 : groups == 8;
        if (text.s[0] != ':')
            return false;
        text = after(text, 1);
        if (text.n > 0 && text.s[0] == ':') {
            if (gap)
                return false;
            gap = true;
            text = after(text, 1);
            if (text.n == 0)
                return groups < 8;
        }
    }
    return false;
}

static bool is_label(struct str label)
{
    for (size_t i = 0; i < label.n; i++)
        if (!is_digit(label.s[i]) && !is_letter(label.s[i]) && label.s[i] != '-')
            return false;
    if (label.n == 0 || label.n > 63 || label.s[0] == '-' || label.s[label.n - 1] == '-')
        return false;
    /* RFC 5891, 4.2.3.1: "--" there is for what encodes other letters */
    return label.n < 4 || label.s[2] != '-' || label.s[3] != '-' ||
           (str_begins(label, "xn--") && label.n > 4);
}

/* RFC 1123. */
bool is_hostname(struct str text)
{
    if (text.n == 0 || text.n > 253)
        return false;
    for (;;) {
        size_t n = until(text, ".");

        if (!is_label((struct str){ text.s, n }))
            return false;
        if (n == text.n)
            return true;
        text = after(text, n + 1);
    }
}

/* ---- RFC 3986, appendix A ---- */

static bool is_unreserved(char c)
{
    return is_digit(c) || is_letter(c) || is_one_of(c, "-._~");
}

/* Characters of a part: those that need no escape, "%25", and these. */
static bool is_made_of(struct str text, const char *these)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] == '%') {
            if (text.n - i < 3 || num_hex(text.s[i + 1]) < 0 || num_hex(text.s[i + 2]) < 0)
                return false;
            i += 2;
        } else if (!is_unreserved(text.s[i]) && !is_one_of(text.s[i], these)) {
            return false;
        }
    }
    return true;
}

static bool is_literal(struct str inside)
{
    size_t n = 1;

    if (inside.n == 0 || (inside.s[0] | 0x20) != 'v')
        return is_ipv6(inside);
    while (n < inside.n && num_hex(inside.s[n]) >= 0)
        n++;
    return n > 1 && n + 1 < inside.n && inside.s[n] == '.' && !memchr(inside.s, '%', inside.n) &&
           is_made_of(after(inside, n + 1), "!$&'()*+,;=:");
}

static bool is_authority(struct str text)
{
    size_t n = until(text, "@"), end;

    if (n < text.n) {
        if (!is_made_of((struct str){ text.s, n }, "!$&'()*+,;=:"))
            return false;
        text = after(text, n + 1);
    }
    if (text.n > 0 && text.s[0] == '[') {
        end = until(text, "]");
        if (end == text.n || !is_literal((struct str){ text.s + 1, end - 1 }))
            return false;
        end++;
    } else {
        end = until(text, ":");
        if (!is_made_of((struct str){ text.s, end }, "!$&'()*+,;="))
            return false;
    }
    text = after(text, end);
    if (text.n > 0 && text.s[0] != ':')
        return false;
    for (size_t i = 1; i < text.n; i++)
        if (!is_digit(text.s[i]))
            return false;
    return true;
}

/* What follows the scheme. */
static bool is_rest(struct str text)
{
    size_t n;

    if (str_begins(text, "//")) {
        text = after(text, 2);
        n = until(text, "/?#");
        if (!is_authority((struct str){ text.s, n }))
            return false;
        text = after(text, n);
    }
    n = until(text, "?#");
    if (!is_made_of((struct str){ text.s, n }, "!$&'()*+,;=:@/"))
        return false;
    text = after(text, n);
    n = until(text, "#");
    if (n > 0 && !is_made_of((struct str){ text.s + 1, n - 1 }, "!$&'()*+,;=:@/?"))
        return false;
    text = after(text, n);
    return text.n == 0 || is_made_of(after(text, 1), "!$&'()*+,;=:@/?");
}

/* Bytes of "scheme:", or 0. */
static size_t scheme(struct str text)
{
    size_t n = until(text, ":/?#");

    if (n == 0 || n == text.n || text.s[n] != ':' || !is_letter(text.s[0]))
        return 0;
    for (size_t i = 1; i < n; i++)
        if (!is_letter(text.s[i]) && !is_digit(text.s[i]) && !is_one_of(text.s[i], "+-."))
            return 0;
    return n + 1;
}

bool is_uri(struct str text)
{
    size_t n = scheme(text);

    return n > 0 && is_rest(after(text, n));
}

bool is_uri_reference(struct str text)
{
    size_t n = until(text, ":/?#");

    /* the first segment of a relative path has no colon */
    return is_uri(text) || ((n == text.n || text.s[n] != ':') && is_rest(text));
}
