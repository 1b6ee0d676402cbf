/* SPDX-License-Identifier: Apache-2.0 */
/* range.c: what is allowed, in words. */
#include "contract/range.h"

#include <inttypes.h>

#include "base/number.h"

void say_range(int64_t min, int64_t max, struct buf *to)
{
    if (max == WHOLE_MAX || max == 0)
        buf_addf(to, "%" PRId64 " or more", min);
    else if (min == max)
        buf_addf(to, "only %" PRId64, min);
    else
        buf_addf(to, "%" PRId64 "..%" PRId64, min, max);
}
