/* SPDX-License-Identifier: Apache-2.0 */
/* range.h: what is allowed, in words. */
#pragma once

#include "base/buf.h"

/* "1000..600000"; "1 or more" where max is WHOLE_MAX or 0; "only 1" where both are the same. */
void say_range(int64_t min, int64_t max, struct buf *to);
