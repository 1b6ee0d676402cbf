/* SPDX-License-Identifier: Apache-2.0 */
/* json_diff.h: what has to be done to one document to make it the other, as a JSON Patch. */
#pragma once

#include "base/doc.h"
#include "base/work.h"

/* A list of the operations add, remove and replace: json_patch(before, *out) is `after`, and *out
 * is empty where both are the same. Few operations rather than the fewest: lists that are long and
 * very different are compared item by item. False: the work is over. */
bool json_diff(const struct doc *before, const struct doc *after, struct work *w, struct arena *a,
               const struct doc **out) NODISCARD;
