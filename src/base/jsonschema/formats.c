/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c: dates, times, ids and pointers; addresses are in the file beside it. */
#include "base/jsonschema/formats.h"

#include "base/num.h"
#include "base/regex.h"
#include "base/stamp.h"

static struct str after(struct str text, size_t n)
{
    return (struct str){ text.s + n, text.n - n };
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(struct str text)
{
    size_t n = 0;

    while (n < text.n && is_digit(text.s[n]))
        n++;
    return n;
}

/* The two digits that begin a text, up to `most`; -1 where they are not there. */
static int two(struct str text, int most)
{
    int v = text.n >= 2 && is_digit(text.s[0]) && is_digit(text.s[1])
                ? (text.s[0] - '0') * 10 + (text.s[1] - '0')
                : -1;

    return v <= most ? v : -1;
}

/* "Z" or "+02:00", as minutes. */
static bool read_offset(struct str zone, int *minutes)
{
    int hour, minute;

    *minutes = 0;
    if (zone.n == 1)
        return zone.s[0] == 'Z' || zone.s[0] == 'z';
    if (zone.n != 6 || !is_one_of(zone.s[0], "+-") || zone.s[3] != ':')
        return false;
    hour = two(after(zone, 1), 23);
    minute = two(after(zone, 4), 59);
    *minutes = (hour * 60 + minute) * (zone.s[0] == '-' ? -1 : 1);
    return hour >= 0 && minute >= 0;
}

/* RFC 3339 full-time. Second 60 is there only where it is the last of a day in UTC. */
static bool is_time(struct str text)
{
    enum { DAY = 24 * 60, SECONDS = 8 };
    int hour, minute, second, offset;
    struct str rest;

    if (text.n <= SECONDS || text.s[2] != ':' || text.s[5] != ':')
        return false;
    hour = two(text, 23);
    minute = two(after(text, 3), 59);
    second = two(after(text, 6), 60);
    rest = after(text, SECONDS);
    if (rest.s[0] == '.') {
        size_t n = digits(after(rest, 1));

        if (n == 0)
            return false;
        rest = after(rest, n + 1);
    }
    if (hour < 0 || minute < 0 || second < 0 || !read_offset(rest, &offset))
        return false;
    return second < 60 || (hour * 60 + minute - offset + DAY) % DAY == DAY - 1;
}

static bool is_date(struct str text)
{
    return stamp_date(text);
}

static bool is_date_time(struct str text)
{
    enum { DATE = 10 };

    return text.n > DATE && (text.s[DATE] == 'T' || text.s[DATE] == 't') &&
           is_date((struct str){ text.s, DATE }) && is_time(after(text, DATE + 1));
}

/* One or more of "1Y2M3D": units follow each other as in the list, without a gap. */
static bool take_units(struct str *text, const char *units)
{
    const char *next = NULL;

    while (text->n > 0) {
        size_t n = digits(*text);
        const char *unit = n > 0 && n < text->n && text->s[n] ? strchr(units, text->s[n]) : NULL;

        if (!unit || (next && unit != next))
            break;
        next = unit + 1;
        *text = after(*text, n + 1);
    }
    return next != NULL;
}

/* RFC 3339, appendix A. */
static bool is_duration(struct str text)
{
    if (text.n < 2 || text.s[0] != 'P')
        return false;
    text = after(text, 1);
    if (take_units(&text, "W"))
        return text.n == 0;
    if (take_units(&text, "YMD") && text.n == 0)
        return true;
    if (text.n == 0 || text.s[0] != 'T')
        return false;
    text = after(text, 1);
    return take_units(&text, "HMS") && text.n == 0;
}

static bool is_uuid(struct str text)
{
    enum { LENGTH = 36 };

    for (size_t i = 0; i < text.n && i < LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? text.s[i] != '-' : num_hex(text.s[i]) < 0)
            return false;
    }
    return text.n == LENGTH;
}

static bool is_pointer(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.s[i] == '~' && (i + 1 == text.n || !is_one_of(text.s[i + 1], "01")))
            return false;
    return text.n == 0 || text.s[0] == '/';
}

static bool is_relative_pointer(struct str text)
{
    size_t n = digits(text);

    if (n == 0 || (n > 1 && text.s[0] == '0'))
        return false;
    text = after(text, n);
    if (text.n > 0 && is_one_of(text.s[0], "+-")) {
        n = digits(after(text, 1));
        if (n == 0 || (text.s[1] == '0'))
            return false;
        text = after(text, n + 1);
    }
    return str_is(text, "#") || is_pointer(text);
}

static bool is_regex(struct str text)
{
    _arena_ struct arena a = { 0 };
    const struct regex *regex;
    struct error e;

    return regex_read(text, REGEX_ECMA, &a, &regex, &e);
}

static bool is_atom(char c)
{
    unsigned char u = (unsigned char)c;

    return is_digit(c) || (u | 0x20U) - 'a' < 26U || is_one_of(c, "!#$%&'*+-/=?^_`{|}~");
}

/* RFC 5321: in quotes only what ASCII prints, also behind a backslash. Whether a plain char has a
 * sign is the processor's affair, so both ends are looked at. */
static bool is_quotable(char c)
{
    return c >= ' ' && c <= '~';
}

/* Dots stand between atoms, or the whole is in quotes. */
static bool is_mailbox(struct str text)
{
    bool quoted = text.n >= 2 && text.s[0] == '"' && text.s[text.n - 1] == '"';

    for (size_t i = 1; quoted && i < text.n - 1; i++) {
        if (text.s[i] == '\\')
            i++;
        else if (text.s[i] == '"')
            return false;
        if (i >= text.n - 1 || !is_quotable(text.s[i]))
            return false;
    }
    for (size_t i = 0; !quoted && i < text.n; i++)
        if (!is_atom(text.s[i]) &&
            (text.s[i] != '.' || i == 0 || i + 1 == text.n || text.s[i - 1] == '.'))
            return false;
    return text.n > 0 && text.n <= 64;
}

static bool is_email(struct str text)
{
    static const char ipv6[] = "[IPv6:";
    size_t n = text.n;
    struct str domain, address;

    while (n > 0 && text.s[n - 1] != '@')
        n--;
    if (n == 0 || !is_mailbox((struct str){ text.s, n - 1 }))
        return false;
    domain = after(text, n);
    if (domain.n < 3 || domain.s[0] != '[' || domain.s[domain.n - 1] != ']')
        return is_hostname(domain);
    address = (struct str){ domain.s + 1, domain.n - 2 };
    if (str_begins(domain, ipv6))
        return is_ipv6(after(address, strlen(ipv6) - 1));
    return is_ipv4(address);
}

enum { REGEX_STEPS = 4096 }; /* a program is made of each */

/* clang-format off */
static const struct format formats[] = {
    { "date",                  is_date,             "a date",             "2026-01-16" },
    { "time",                  is_time,             "a time with a zone", "10:15:30Z" },
    { "date-time",             is_date_time,        "a date and time",    "2026-01-16T10:15:30Z" },
    { "duration",              is_duration,         "a duration",         "P1DT12H" },
    { "email",                 is_email,            "an email address",   "ada@example.org" },
    { "hostname",              is_hostname,         "a host name",        "www.example.org" },
    { "ipv4",                  is_ipv4,             "an IPv4 address",    "192.0.2.1" },
    { "ipv6",                  is_ipv6,             "an IPv6 address",    "2001:db8::1" },
    { "uri",                   is_uri,              "a URI",              "https://example.org/a" },
    { "uri-reference",         is_uri_reference,    "a URI reference",    "../a#b" },
    { "uuid",                  is_uuid,             "a UUID",             "5d2e9f04-7c18-4a6b-93f0-e1b8d4c7a260" },
    { "json-pointer",          is_pointer,          "a JSON pointer",     "/steps/0" },
    { "relative-json-pointer", is_relative_pointer, "a relative JSON pointer", "1/name" },
    { "regex",                 is_regex,            "a regular expression", "^a+$", REGEX_STEPS },
};
/* clang-format on */

const struct format *format_named(struct str name)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (str_is(name, formats[i].name))
            return &formats[i];
    return NULL;
}
