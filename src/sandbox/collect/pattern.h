/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h: a pattern of paths, matched name by name on the way down. */
#pragma once

#include "base/own.h"
#include "base/str.h"

enum { PATTERN_PARTS = 63 };

struct pattern {
    struct str parts[PATTERN_PARTS];
    size_t n;
    size_t plain; /* how many of the first parts are plain names */
};

/* Splits at the slashes; empty parts and "." fall away. False where it has too many parts, or one
 * is "..". */
bool pattern_read(struct str text, struct pattern *out) NODISCARD;

/* Places are a set: which parts a name may be held against next, bit i for part i. Those below the
 * plain parts; those below a directory that is met there, 0 where nothing below it can match. */
uint64_t pattern_start(const struct pattern *p);
uint64_t pattern_below(const struct pattern *p, uint64_t places, struct str name);

/* Whether a file of that name is meant. */
bool pattern_fits(const struct pattern *p, uint64_t places, struct str name);
