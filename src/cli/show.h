/* SPDX-License-Identifier: Apache-2.0 */
/* show.h: the parts that `writ show` is made of: a dim label, and what it says beside it. */
#pragma once

#include "base/doc.h"

enum { SHOW_MAX = 1 << 20 };

/* Nothing is shown of an empty text. What does not fit is cut at the terminal's edge, or folded. */
void show_text(const char *label, struct str text);
void show_folded(const char *label, struct str text);
void show_number(const char *label, int64_t n);

/* A name and what it is, in two columns. */
void show_pair(const char *label, struct str name, size_t width, struct str text);

/* What it rests on, and what rests on it: "rests_on" and "used_by" of the answer. */
void show_lineage(const struct doc *answer);

/* Which bodies were erased, when and why. */
void show_erasures(const struct doc *answer);

/* What to type next, where a person looks on. */
void show_next(const char *typed, struct str id, const char *does);

/* A whole execution. */
void show_execution(const struct doc *answer);

/* The steps of a plan, where the execution is one's; false where it is not. */
bool show_plan(const struct doc *answer);

/* A message about them, with their names for their ids, as the end of a run has it. */
void show_named(const struct doc *answer, struct str message, struct buf *to);
