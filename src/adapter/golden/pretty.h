/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.h: JSON as a review reads it best: a member a line, in the order of their names. */
#pragma once

#include "base/buf.h"
#include "base/doc.h"

void golden_pretty(const struct doc *d, struct arena *a, struct buf *to);
