/* SPDX-License-Identifier: Apache-2.0 */
/* golden_lines.h: what differs between two texts, as a unified diff. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"
#include "base/work.h"

/* Hunks with three lines around what differs; nothing where they are the same. Lines that are not
 * UTF-8 or too long are the caller's to keep away. False: the work is over. */
bool golden_lines(struct str before, struct str after, struct work *w, struct arena *a,
                  struct buf *to) NODISCARD;
