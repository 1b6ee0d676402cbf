/* SPDX-License-Identifier: Apache-2.0 */
/* json_merge.h: JSON Merge Patch (RFC 7386): what is null is taken away, maps are merged, anything
 * else takes the place of what was there. */
#pragma once

#include "base/doc.h"
#include "base/work.h"

/* The target with the patch, as a tree of its own. False: the work is over. */
bool json_merge(const struct doc *target, const struct doc *patch, struct work *w, struct arena *a,
                const struct doc **out) NODISCARD;
