/* SPDX-License-Identifier: Apache-2.0 */
/* stamp.h: points in time as RFC 3339 writes them, and the dates of a calendar.
 *
 * A stamp is an instant: 12:00+02:00 and 10:00Z are the same one. Years are 0001..9999.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

enum { STAMP_TEXT = sizeof "2025-01-19T10:15:30.000Z" };

struct stamp {
    int64_t sec;   /* Unix time */
    uint32_t nano; /* 0..999999999 */
    bool leap;     /* in the leap second that follows sec: it has no Unix time of its own */
};

/* Reads a date-time with seconds and a zone: Z or an offset up to 23:59, -00:00 is UTC. A fraction
 * has 1..9 digits; more are refused, not rounded, so that stamps are equal only if their texts mean
 * the same. Second 60 is read only where RFC 3339, 5.7 says leap seconds happen: as 23:59:60 UTC
 * on 30 June or 31 December. On false, *why is a phrase for people and *out is as it was. */
bool stamp_read(struct str text, struct stamp *out, const char **why) NODISCARD;

/* Below, at or above zero as a is earlier than, the same as or later than b. A leap second comes
 * after the second before it, fraction and all, and before the next day. */
int stamp_cmp(const struct stamp *a, const struct stamp *b);

/* Unix milliseconds, rounded down. A leap second stays in the last millisecond of its day. */
int64_t stamp_ms(const struct stamp *s);

/* Writes "2025-01-19T10:15:30.000Z" and a NUL. What four digits cannot say, before the year 0000
 * or after 9999, becomes the nearest they can. */
void stamp_text(int64_t unix_ms, char out[STAMP_TEXT]);

/* Is this a calendar date such as 2026-01-16? */
bool stamp_date(struct str text) NODISCARD;
