/* SPDX-License-Identifier: Apache-2.0 */
/* line_diff.h: what differs between two texts, as the hunks of a unified diff. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"
#include "base/work.h"

/* Hunks with three lines around what differs, as `patch` and `git apply` read them; nothing where
 * the texts are the same. A line ends with a line feed and may hold any other byte. The hunks are
 * as short as can be while the work lasts; what is left to compare then is replaced as a whole. */
void line_diff(struct str before, struct str after, struct work *w, struct arena *a,
               struct buf *to);
