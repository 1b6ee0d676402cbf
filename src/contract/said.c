/* SPDX-License-Identifier: Apache-2.0 */
/* said.c: words for messages: what a user wrote, and what is allowed. */
#include "contract/said.h"

#include <inttypes.h>

#include "base/number.h"

const char *said(struct str text, struct arena *a)
{
    enum { SAID_MAX = 256 };
    _buf_ struct buf quoted = { .max = SAID_MAX };

    doc_say(&(struct doc){ .kind = DOC_TEXT, .text = text }, &quoted);
    return arena_text(a, buf_str(&quoted));
}

void say_range(int64_t min, int64_t max, struct buf *to)
{
    if (max == WHOLE_MAX || max == 0)
        buf_addf(to, "%" PRId64 " or more", min);
    else if (min == max)
        buf_addf(to, "only %" PRId64, min);
    else
        buf_addf(to, "%" PRId64 "..%" PRId64, min, max);
}
