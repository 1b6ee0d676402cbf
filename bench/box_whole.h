/* SPDX-License-Identifier: Apache-2.0 */
/* box_whole.h: boxes that have every part of a sandbox, put together in several ways. */
#pragma once

#include <sched.h>

#include "box.h"

#define WHOLE  .namespaces = BOX_NAMESPACES, BOX_FILES, BOX_LOCKS, .init = true, .capture = true
#define LEAN   .lean = true
#define BESIDE .birth = BIRTH_BESIDE

/* clang-format off */
static const struct box whole_boxes[] = {
    { "confines nothing" },
    { "no net, no groups",                WHOLE, BESIDE, .net = NET_NONE },
    { "no net, no groups, lean",          WHOLE, BESIDE, LEAN, .net = NET_NONE },
    { "no net, no groups, lean, early",   WHOLE, BESIDE, LEAN, .net = NET_NONE, .early = true },
    { "no groups",                        WHOLE, BESIDE },
    { "no groups, fork",                  WHOLE, .birth = BIRTH_FORK },
    { "no groups, lean",                  WHOLE, BESIDE, LEAN },
    { "no groups, lean, net parallel",    WHOLE, BESIDE, LEAN, .net = NET_PARALLEL },
    { "no groups, lean, early net",       WHOLE, BESIDE, LEAN, .net = NET_COMMAND, .early = true },
    { "no groups, lean, early, kept net", WHOLE, BESIDE, LEAN, .net = NET_KEPT, .early = true },
    { "groups",                           WHOLE, BESIDE, .groups = GROUPS_TASKS },
    { "groups, lean, early net",          WHOLE, BESIDE, LEAN, .groups = GROUPS_TASKS, .net = NET_COMMAND, .early = true },
    { "late groups, lean, early net",     WHOLE, BESIDE, LEAN, .groups = GROUPS_LATE, .net = NET_COMMAND, .early = true },
    { "groups, lean, early, kept net",    WHOLE, BESIDE, LEAN, .groups = GROUPS_TASKS, .net = NET_KEPT, .early = true },
};
/* clang-format on */

#undef BESIDE
#undef LEAN
#undef WHOLE
