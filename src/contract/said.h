/* SPDX-License-Identifier: Apache-2.0 */
/* said.h: words for messages: what a user wrote, and what is allowed. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/* The text between '', short and without control characters, in the arena. */
const char *said(struct str text, struct arena *a);

/* "1000..600000"; "1 or more" where max is WHOLE_MAX or 0; "only 1" where both are the same. */
void say_range(int64_t min, int64_t max, struct buf *to);
