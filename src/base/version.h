/* SPDX-License-Identifier: Apache-2.0 */
/* version.h: versions as Semantic Versioning 2.0.0 has them, and ranges of them.
 *
 * Numbers may have any length: they are compared as text. contract/semver.h is for the three plain
 * numbers that contracts ask for.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

struct version {
    struct str number[3]; /* major, minor, patch */
    struct str pre;       /* "rc.1"; without bytes: none */
};

/* 1.2.3, 1.2.3-rc.1, 1.2.3-rc.1+build; the build is checked and forgotten. */
bool version_read(struct str text, struct version *out) NODISCARD;

/* -1, 0 or 1 as a is older than, of the same precedence as, or newer than b. */
int version_cmp(const struct version *a, const struct version *b);

/* Sets of comparisons between ||; in a set, all must hold. */
struct version_range;

/*     >=1.2.0 <2.0.0    1.2.3    =1.2.3    the numbers may end early: >=1.2, <2, 1.2, 1.2.x, 1, *
 *     ^1.2.3    from there on, without a change of the first number that is not 0
 *     ~1.2.3    from there on, with the same major and minor number
 *
 * On false the message says what was found. */
bool version_range_read(struct str text, struct arena *a, const struct version_range **out,
                        struct error *e) NODISCARD;

/* A pre-release is in a set only if one of its comparisons names a pre-release of the same three
 * numbers: who asks for ^1.2.0 does not ask for 2.0.0-rc.1 or 1.3.0-rc.1. */
bool version_in(const struct version *v, const struct version_range *range);
