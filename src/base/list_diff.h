/* SPDX-License-Identifier: Apache-2.0 */
/* list_diff.h: which items two lists have in common, in order. */
#pragma once

#include "base/doc.h"
#include "base/work.h"

/* One byte an item: 1 for those that stay. As many stay on both sides, and the first that stays in
 * one list is the same as the first in the other, and so on. They are as many as can be, where the
 * lists differ little or are short; else those that are in the same place. False: the work is over.
 */
bool list_diff(const struct doc *before, const struct doc *after, struct work *w, struct arena *a,
               const uint8_t **stays_before, const uint8_t **stays_after) NODISCARD;
