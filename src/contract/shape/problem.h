/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h: what is wrong with a field, in words; for the decoder alone. */
#pragma once

#include "contract/shape.h"

/* Where a problem is: the shape and field it is about, and where it is reported. */
struct spot {
    const struct shape *shape;
    const struct field *field;
    struct report *report;
};

/* "attempt is 'x', must be a whole number". */
void problem_kind(const struct spot *s, const struct doc *d, const char *should);

/* "attempt is 9007199254740992, must be at most 9007199254740991": a whole number beyond those that
 * are held exactly. */
void problem_beyond(const struct spot *s, const struct doc *d);

/* "run is 'ls -l', must be a list of texts, as ["ls","-l"]": the same, of a list or map. */
void problem_list(const struct spot *s, const struct doc *d, const char *should);

/* "timeout_ms is 999, allowed 1000..600000". */
void problem_range(const struct spot *s, const struct doc *d, int64_t min, int64_t max);

/* "name has 256 characters, allowed 1..255"; "steps has 0 entries, allowed 1..1024". */
void problem_length(const struct spot *s, const struct doc *d, size_t chars);
void problem_count(const struct spot *s, const struct doc *d);

/* "'x' is not a UUID v4 such as ...". */
void problem_form(const struct spot *s, const struct doc *d, const char *why);

/* "'shrug' is not one of halt, skip, retry". */
void problem_choice(const struct spot *s, const struct doc *d);

/* "a plan needs 'steps'"; "a plan has no field 'stpes' (did you mean 'steps'?)"; "a plan must be a
 * map, not 'x'". The field of the spot is not looked at in the last two. */
void problem_missing(const struct spot *s, const struct doc *d);
void problem_unknown(const struct spot *s, const struct doc *d);
void problem_no_map(const struct spot *s, const struct doc *d);
