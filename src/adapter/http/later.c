/* SPDX-License-Identifier: Apache-2.0 */
/* later.c: when who answered wants to be asked again. */
#include <stdio.h>

#include "adapter/http.h"
#include "base/stamp.h"

/* ---- dates of HTTP (RFC 9110, 5.6.7) ---- */

/* The three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
 * `Sun Nov  6 08:49:37 1994`. d, m, y, t stand for a day, month, year, time; w for a weekday; other
 * characters for themselves. */
static const char *const date_forms[] = { "w, d m y t GMT", "w, d-m-y t GMT", "w m d t y" };

struct date {
    int day, month, year, hour, minute, second;
};

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Digits at *at, as many as there are up to `most`; -1: none. */
static int digits(struct str t, size_t *at, size_t most)
{
    size_t n = 0;
    int value = 0;

    for (; n < most && *at < t.n && t.s[*at] >= '0' && t.s[*at] <= '9'; n++, (*at)++)
        value = 10 * value + (t.s[*at] - '0');
    return n ? value : -1;
}

static int month_at(struct str t, size_t *at)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (int i = 0; i < 12 && *at + 3 <= t.n; i++) {
        if (memcmp(t.s + *at, months + 3 * i, 3) != 0)
            continue;
        *at += 3;
        return i + 1;
    }
    return -1;
}

/* A year of two digits is never more than 50 years ahead. */
static int year_at(struct str t, size_t *at, int64_t now_ms)
{
    size_t from = *at;
    int year = digits(t, at, 4), now = 1970 + (int)(now_ms / 31556952000);

    if (*at - from == 4)
        return year;
    if (*at - from != 2)
        return -1;
    year += now / 100 * 100;
    return year > now + 50 ? year - 100 : year;
}

static bool time_at(struct str t, size_t *at, struct date *d)
{
    int *parts[] = { &d->hour, &d->minute, &d->second };

    for (size_t i = 0; i < COUNT(parts); i++) {
        if (i && (*at >= t.n || t.s[(*at)++] != ':'))
            return false;
        *parts[i] = digits(t, at, 2);
        if (*parts[i] < 0)
            return false;
    }
    return true;
}

static bool piece_at(char piece, struct str t, size_t *at, int64_t now_ms, struct date *d)
{
    switch (piece) {
    case 'w':
        while (*at < t.n && letter(t.s[*at]))
            (*at)++;
        return true;
    case 'd': *at += *at < t.n && t.s[*at] == ' '; return (d->day = digits(t, at, 2)) > 0;
    case 'm': return (d->month = month_at(t, at)) > 0;
    case 'y': return (d->year = year_at(t, at, now_ms)) > 0;
    case 't': return time_at(t, at, d);
    default: return *at < t.n && t.s[(*at)++] == piece;
    }
}

static bool read_date(struct str t, int64_t now_ms, int64_t *out)
{
    char text[64];
    struct stamp stamp;
    const char *why;

    for (size_t i = 0; i < COUNT(date_forms); i++) {
        struct date d = { 0 };
        const char *form = date_forms[i];
        size_t at = 0;
        int n;

        while (*form && piece_at(*form, t, &at, now_ms, &d))
            form++;
        if (*form || at != t.n)
            continue;
        n = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", d.year, d.month, d.day,
                     d.hour, d.minute, d.second);
        if (!stamp_read((struct str){ text, (size_t)n }, &stamp, &why))
            return false;
        *out = stamp_ms(&stamp);
        return true;
    }
    return false;
}

/* ---- Retry-After ---- */

/* Seconds, or -1; as many as there are digits, up to a thousand years. */
static int64_t read_seconds(struct str t)
{
    int64_t n = 0;

    for (size_t i = 0; i < t.n; i++) {
        if (t.s[i] < '0' || t.s[i] > '9')
            return -1;
        n = n < 31556952000 ? 10 * n + (t.s[i] - '0') : n;
    }
    return t.n ? n : -1;
}

int64_t http_retry_after(const struct http_answer *answer, int64_t now_wall_ms, int64_t most_ms)
{
    struct str said = str_trim(http_header(answer, "Retry-After"), " \t");
    int64_t seconds = read_seconds(said), wait, then;

    if (seconds >= 0)
        wait = seconds * 1000;
    else if (said.n && read_date(said, now_wall_ms, &then))
        wait = then > now_wall_ms ? then - now_wall_ms : 0;
    else
        return -1;
    return wait < most_ms ? wait : most_ms;
}
