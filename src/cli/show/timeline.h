/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.h: what happened, one below the other, with a bar for how long each lasted. */
#pragma once

#include "base/doc.h"
#include "cli/print.h"

/* `events` is a list of entries, oldest first. Bars are drawn where a person looks on. */
void timeline_show(const struct doc *events);

/* From the first event to the last, in ms; -1 where they do not tell. */
int64_t timeline_span(const struct doc *events);

/* What the columns of a bar stand for. */
struct timeline_scale {
    int64_t begin, span; /* ms */
    size_t columns;
};

/* Columns for bars that begin at this one; 0 where there is no room, or nobody looks on. */
size_t timeline_columns(size_t column, int64_t span_ms);

/* A bar from one time to another, with the blanks before it; how many columns that took. */
size_t timeline_bar(const struct timeline_scale *scale, int64_t from, int64_t to,
                    enum colour colour);
