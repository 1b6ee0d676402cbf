/* SPDX-License-Identifier: Apache-2.0 */
/* stamp.c: RFC 3339 to instants and back, without the C library's idea of time zones.
 *
 * The day count works on years that begin in March: the leap day is then the last of its year, and
 * the months before it follow one linear rule, (153 m + 2) / 5 days before month m. 400 years are
 * 146097 days; day 0 is 1970-01-01, 719468 days after 1 March of the year 0000.
 */
#include "base/stamp.h"

#include <string.h>

enum {
    DAY_S = 86400,
    DAY_MS = DAY_S * 1000,
    ERA_DAYS = 146097,
    ERA_YEARS = 400,
    EPOCH = 719468,
    DATE_TEXT = sizeof "2025-01-19" - 1,
    SECONDS_TEXT = sizeof "2025-01-19T10:15:30" - 1,
    OFFSET_TEXT = sizeof "+02:00" - 1,
    NANO_DIGITS = 9,
};

/* 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z: an offset may lead out of the years there are. */
static const int64_t FIRST_S = -62135596800, LAST_S = 253402300799;

struct date {
    int year, month, day;
};

/* Of a date from the year 0001 on. */
static int64_t days_of(struct date d)
{
    int year = d.month > 2 ? d.year : d.year - 1;
    int month = d.month > 2 ? d.month - 3 : d.month + 9;

    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + d.day - 1 -
           EPOCH;
}

/* Of a day from 0000-01-01 on. That is before March, hence the additional era. */
static struct date date_of(int64_t days)
{
    int64_t since = days + EPOCH + ERA_DAYS;
    int era = (int)(since / ERA_DAYS), in_era = (int)(since % ERA_DAYS);
    int year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int in_year = in_era - (year * 365 + year / 4 - year / 100);
    int month = (5 * in_year + 2) / 153;
    int day = in_year - (153 * month + 2) / 5 + 1;

    year += (era - 1) * ERA_YEARS + (month >= 10);
    return (struct date){ year, month < 10 ? month + 3 : month - 9, day };
}

static bool refuse(const char **why, const char *phrase)
{
    *why = phrase;
    return false;
}

/* The number two digits make, or one too large for any field. */
static int two(const char *p)
{
    unsigned tens = (unsigned)p[0] - '0', ones = (unsigned)p[1] - '0';

    return tens > 9 || ones > 9 ? 100 : (int)(tens * 10 + ones);
}

/* p has at least DATE_TEXT bytes. */
static bool read_date(const char *p, struct date *out, const char **why)
{
    static const int month_days[] = { 0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    static const char *const day_range[] = {
        [28] = "the day must be 01..28 in this month",
        [29] = "the day must be 01..29 in this month",
        [30] = "the day must be 01..30 in this month",
        [31] = "the day must be 01..31 in this month",
    };
    int century = two(p), year = century * 100 + two(p + 2);
    int month = two(p + 5), day = two(p + 8);

    if (century > 99 || two(p + 2) > 99 || p[4] != '-' || p[7] != '-')
        return refuse(why, "the date must look like 2025-01-19");
    if (year == 0)
        return refuse(why, "the year must be 0001..9999");
    if (month < 1 || month > 12)
        return refuse(why, "the month must be 01..12");
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int last = month_days[month] + (leap && month == 2);
    if (day < 1 || day > last)
        return refuse(why, day_range[last]);
    *out = (struct date){ year, month, day };
    return true;
}

/* p has at least SECONDS_TEXT - DATE_TEXT bytes. Counts from midnight; second 60 is 59 and leap. */
static bool read_time(const char *p, struct stamp *out, const char **why)
{
    int hour = two(p + 1), minute = two(p + 4), second = two(p + 7);

    if ((p[0] != 'T' && p[0] != 't') || p[3] != ':' || p[6] != ':')
        return refuse(why, "the time must look like T10:15:30");
    if (hour > 23)
        return refuse(why, "the hour must be 00..23");
    if (minute > 59)
        return refuse(why, "the minute must be 00..59");
    if (second > 60)
        return refuse(why, "the second must be 00..59");
    out->leap = second == 60;
    out->sec = hour * 3600 + minute * 60 + second - out->leap;
    return true;
}

/* Moves *rest past ".digits", if there are any. */
static bool read_fraction(struct str *rest, uint32_t *nano, const char **why)
{
    size_t n = 1;

    *nano = 0;
    if (rest->n == 0 || rest->s[0] != '.')
        return true;
    for (; n < rest->n && (unsigned)rest->s[n] - '0' <= 9; n++) {
        if (n > NANO_DIGITS)
            return refuse(why, "the fraction must have no more than 9 digits");
        *nano = *nano * 10 + ((uint32_t)rest->s[n] - '0');
    }
    if (n == 1)
        return refuse(why, "the fraction must have 1 to 9 digits");
    for (size_t i = n; i <= NANO_DIGITS; i++)
        *nano *= 10;
    *rest = (struct str){ rest->s + n, rest->n - n };
    return true;
}

/* The zone is the whole rest. */
static bool read_zone(struct str rest, int *offset_s, const char **why)
{
    const char *p = rest.s;

    if (rest.n == 0)
        return refuse(why, "the zone is missing: Z, or an offset such as +02:00");
    *offset_s = 0;
    if (rest.n == 1 && (p[0] == 'Z' || p[0] == 'z'))
        return true;
    if (rest.n != OFFSET_TEXT || (p[0] != '+' && p[0] != '-') || p[3] != ':')
        return refuse(why, "the zone must be Z or an offset such as +02:00, and nothing after it");
    int hour = two(p + 1), minute = two(p + 4);
    if (hour > 23 || minute > 59)
        return refuse(why, "the offset must be 00:00..23:59");
    *offset_s = (hour * 3600 + minute * 60) * (p[0] == '-' ? -1 : 1);
    return true;
}

/* Is this the last second of 30 June or 31 December? */
static bool leap_may_follow(int64_t sec)
{
    if ((sec + 1) % DAY_S != 0)
        return false;
    struct date next = date_of((sec + 1) / DAY_S);
    return next.day == 1 && (next.month == 1 || next.month == 7);
}

bool stamp_read(struct str text, struct stamp *out, const char **why)
{
    struct date date;
    struct stamp s;
    int offset_s;

    if (text.n < DATE_TEXT)
        return refuse(why, "a date and time look like 2025-01-19T10:15:30Z");
    if (!read_date(text.s, &date, why))
        return false;
    if (text.n < SECONDS_TEXT)
        return refuse(why, "the time must look like T10:15:30");
    if (!read_time(text.s + DATE_TEXT, &s, why))
        return false;
    struct str rest = { text.s + SECONDS_TEXT, text.n - SECONDS_TEXT };
    if (!read_fraction(&rest, &s.nano, why) || !read_zone(rest, &offset_s, why))
        return false;
    s.sec += days_of(date) * DAY_S - offset_s;
    if (s.sec < FIRST_S || s.sec > LAST_S)
        return refuse(why, "the year must be 0001..9999, in UTC as well");
    if (s.leap && !leap_may_follow(s.sec))
        return refuse(why, "second 60 is only at 23:59:60 UTC on 30 June or 31 December");
    *out = s;
    return true;
}

int stamp_cmp(const struct stamp *a, const struct stamp *b)
{
    if (a->sec != b->sec)
        return a->sec < b->sec ? -1 : 1;
    if (a->leap != b->leap)
        return a->leap ? 1 : -1;
    return (a->nano > b->nano) - (a->nano < b->nano);
}

int64_t stamp_ms(const struct stamp *s)
{
    return s->sec * 1000 + (s->leap ? 999 : s->nano / 1000000);
}

static void put_two(char *out, int v)
{
    out[0] = (char)('0' + v / 10);
    out[1] = (char)('0' + v % 10);
}

void stamp_text(int64_t unix_ms, char out[STAMP_TEXT])
{
    const int64_t first_ms = -62167219200000, last_ms = 253402300799999;
    int64_t ms = unix_ms < first_ms ? first_ms : unix_ms > last_ms ? last_ms : unix_ms;
    int64_t days = (ms - first_ms) / DAY_MS + first_ms / DAY_MS;
    int in_day = (int)(ms - days * DAY_MS);
    struct date d = date_of(days);

    memcpy(out, "....-..-..T..:..:......Z", STAMP_TEXT);
    put_two(out, d.year / 100);
    put_two(out + 2, d.year % 100);
    put_two(out + 5, d.month);
    put_two(out + 8, d.day);
    put_two(out + 11, in_day / 3600000);
    put_two(out + 14, in_day / 60000 % 60);
    put_two(out + 17, in_day / 1000 % 60);
    put_two(out + 20, in_day / 10 % 100);
    out[22] = (char)('0' + in_day % 10);
}

bool stamp_date(struct str text)
{
    struct date date;
    const char *why;

    return text.n == DATE_TEXT && read_date(text.s, &date, &why);
}
