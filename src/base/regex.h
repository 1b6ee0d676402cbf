/* SPDX-License-Identifier: Apache-2.0 */
/* regex.h: regular expressions whose cost is linear in the text: no pattern can hang them.
 *
 * A regex keeps what it learns from the texts it sees, in a fixed room: one thread at a time.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/work.h"

enum regex_dialect {
    REGEX_I,    /* I-Regexp, RFC 9485: all of it and nothing else; ^ and $ are anchors, as in the
                 * suite of RFC 9535 */
    REGEX_ECMA, /* ECMA-262 with the u flag, as JSON Schema has it; what is not regular
                 * (look-around, back-references) is refused */
};

struct regex;

/* Refuses a pattern that is not of the dialect, or whose program would be larger than a ceiling. */
bool regex_read(struct str pattern, enum regex_dialect dialect, struct arena *a,
                const struct regex **out, struct error *e) NODISCARD;

/* The same for a pattern of strangers, one of many perhaps: what reading costs is taken from the
 * work. False as well where that is over, and w->over tells. */
bool regex_read_within(struct str pattern, enum regex_dialect dialect, struct work *w,
                       struct arena *a, const struct regex **out, struct error *e) NODISCARD;

/* Does all of the text match; does some part of it. The text is UTF-8. Where the work is over the
 * answer is false and w->over tells. The arena is for scratch. */
bool regex_whole(const struct regex *r, struct str text, struct work *w, struct arena *a);
bool regex_search(const struct regex *r, struct str text, struct work *w, struct arena *a);

/* ---- groups: which part of a text matched which part of a pattern ---- */

enum { REGEX_GROUPS = 64 }; /* groups with names in one pattern */

struct regex_groups;

/* A pattern of REGEX_ECMA whose groups (?<name>..), also written (?P<name>..), are told apart; no
 * two have the same name. `lines`: ^ and $ also stand where lines begin and end. */
bool regex_groups_read(struct str pattern, bool lines, struct arena *a,
                       const struct regex_groups **out, struct error *e) NODISCARD;

/* Their names, in the order they are opened. */
size_t regex_groups_names(const struct regex_groups *g, const struct str **names);

/* A text that is gone through from left to right: matches do not overlap. Of those that begin at
 * one place it is the one that Perl and RE2 find: earlier alternatives and more repetitions first,
 * fewer where a repetition is lazy. A group that is repeated keeps what it matched last.
 *
 * All matches together cost no more than the length of the text times that of the pattern. */
struct regex_walk;

/* False: the text is not UTF-8, the work is over, or it needs more room than a ceiling. The text
 * must outlive the walk. */
bool regex_walk_begin(const struct regex_groups *g, struct str text, struct work *w,
                      struct arena *a, struct regex_walk **out, struct error *e) NODISCARD;

/* The next match; false: there is none, or the work is over. groups[i] is what the group of that
 * number matched; .s is NULL: it took no part. */
bool regex_walk_next(struct regex_walk *walk, struct str *whole, struct str *groups) NODISCARD;
