/* SPDX-License-Identifier: Apache-2.0 */
/* levels.h: how much of the disk, the network and an adapter is open, in the words of contract 001.
 *
 * The names are lists that NULL ends: they serve a document's field as its choices, and
 * contract/names.h finds a word in them.
 */
#pragma once

#include "base/error.h"
#include "base/table.h"
#include "contract/shape.h"

enum fs_level { FS_MINIMAL, FS_STANDARD, FS_EXTENDED, FS_ELEVATED, FS_LEVEL_COUNT };
enum net_level { NET_OFFLINE, NET_REGISTRY, NET_API, NET_OPEN, NET_LEVEL_COUNT };
enum { LEVEL_COUNT = L3 + 1 };

struct fs_level_row {
    enum fs_level level;
    const char *read, *write, *use;
    bool approval; /* it is refused without a recorded approval */
    bool standard; /* it holds when nothing is said */
};

struct net_level_row {
    enum net_level level;
    const char *allowed, *use;
    bool approval, standard;
};

struct level_row {
    const char *name, *shown, *use;
};

extern const char *const fs_level_names[];
extern const char *const net_level_names[];
extern const struct fs_level_row fs_levels[FS_LEVEL_COUNT];
extern const struct net_level_row net_levels[NET_LEVEL_COUNT];
extern const struct level_row levels[LEVEL_COUNT];
extern const struct table fs_levels_table, net_levels_table, levels_table;

/* Whether a run may have that level; false says which approval is missing. */
bool fs_level_granted(enum fs_level level, bool approved, struct error *e) NODISCARD;
bool net_level_granted(enum net_level level, bool approved, struct error *e) NODISCARD;
