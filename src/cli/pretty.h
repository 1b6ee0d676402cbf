/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.h: a JSON value as people read it: a member a line, indented. */
#pragma once

#include "base/doc.h"

/* Lists and maps that fit on a line stay on it. Lines are cut at the terminal's edge. */
void pretty_show(const struct doc *d, size_t indent);

/* A value on one line, without the signs of JSON: "cpu_ms 1700, oom_events 0". */
void pretty_words(const struct doc *d, struct buf *to);
