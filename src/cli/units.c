/* SPDX-License-Identifier: Apache-2.0 */
/* units.c: times and sizes in a few characters. */
#include "cli/units.h"

#include <inttypes.h>
#include <stdio.h>

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

/* Two units, the lesser always with two digits: "4 m 05 s". */
static void two(int64_t ms, int64_t more, int64_t less, const char *names, char out[UNITS_TEXT])
{
    (void)snprintf(out, UNITS_TEXT, "%" PRId64 " %c %02" PRId64 " %c", ms / more, names[0],
                   ms % more / less, names[1]);
}

void units_time(int64_t ms, char out[UNITS_TEXT])
{
    if (ms < SECOND)
        (void)snprintf(out, UNITS_TEXT, "%" PRId64 " ms", ms);
    else if (ms < MINUTE)
        (void)snprintf(out, UNITS_TEXT, "%" PRId64 ".%" PRId64 " s", ms / SECOND,
                       ms % SECOND / 100);
    else if (ms < HOUR)
        two(ms, MINUTE, SECOND, "ms", out);
    else if (ms < DAY)
        two(ms, HOUR, MINUTE, "hm", out);
    else
        two(ms, DAY, HOUR, "dh", out);
}

void units_bytes(int64_t bytes, char out[UNITS_TEXT])
{
    static const char *const names[] = { "B", "kB", "MB", "GB", "TB" };
    size_t i = 0;
    int64_t unit = 1, tenths;

    for (; i + 1 < sizeof names / sizeof *names && bytes / unit >= 1024; i++)
        unit *= 1024;
    tenths = bytes / unit < 10 ? bytes % unit * 10 / unit : 0;
    if (tenths)
        (void)snprintf(out, UNITS_TEXT, "%" PRId64 ".%" PRId64 " %s", bytes / unit, tenths,
                       names[i]);
    else
        (void)snprintf(out, UNITS_TEXT, "%" PRId64 " %s", bytes / unit, names[i]);
}
