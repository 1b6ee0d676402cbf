/* SPDX-License-Identifier: Apache-2.0 */
/* query.h: which entries are asked for: the options of `writ log` and `writ export`. */
#pragma once

#include "base/buf.h"
#include "cli/args.h"

/* The rows of those that narrow a reading: the same for whoever reads. */
/* clang-format off */
#define QUERY_OPTIONS                                                                              \
    { "execution", "ID",     NULL,           "of one execution; 8 characters of the id will do" }, \
    { "tenant",    "TENANT", NULL,           "of one tenant" },                                    \
    { "robot",     "ROBOT",  NULL,           "of one robot" },                                     \
    { "kind",      "KIND",   "entries",      "of one kind; writ explain entries lists them" },     \
    { "state",     "STATE",  "event_states", "events with this state" },                           \
    { "since",     "TIME",   NULL,           "not before: 2026-11-15T14:00:00Z, 2026-11-15, 90s, " \
                                             "15m, 2h, 7d" },                                      \
    { "until",     "TIME",   NULL,           "not after" }
/* clang-format on */

/* The options as the JSON that writ_log() takes. `newest`: so many where --limit does not say it;
 * 0: all. `now_ms` is what --since 2h counts from. False when an option makes no sense; that was
 * said. */
bool query_write(const struct args *args, int64_t newest, int64_t now_ms, struct buf *to) NODISCARD;
