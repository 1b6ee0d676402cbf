/* SPDX-License-Identifier: Apache-2.0 */
/* said.c: quotes what a user wrote. */
#include "contract/said.h"

#include "base/doc.h"

const char *said(struct str text, struct arena *a)
{
    enum { SAID_MAX = 256 };
    _buf_ struct buf quoted = { .max = SAID_MAX };

    doc_say(&(struct doc){ .kind = DOC_TEXT, .text = text }, &quoted);
    return arena_text(a, buf_str(&quoted));
}
