/* SPDX-License-Identifier: Apache-2.0 */
/* query.h: which entries are asked for: the options of `writ log` and `writ export`. */
#pragma once

#include "base/buf.h"
#include "cli/args.h"

/* The options as the JSON that writ_log() takes. `newest`: so many where --limit does not say it;
 * 0: all. `now_ms` is what --since 2h counts from. False when an option makes no sense; that was
 * said. */
bool query_write(const struct args *args, int64_t newest, int64_t now_ms, struct buf *to) NODISCARD;
