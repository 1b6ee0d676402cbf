/* SPDX-License-Identifier: Apache-2.0 */
/* levels.c: the tables of filesystem, network and disclosure levels. */
#include "contract/levels.h"

#include "contract/codes.h"

/* clang-format off */
const char *const fs_level_names[] = {
    [FS_MINIMAL]     = "minimal",
    [FS_STANDARD]    = "standard",
    [FS_EXTENDED]    = "extended",
    [FS_ELEVATED]    = "elevated",
    [FS_LEVEL_COUNT] = NULL,
};

const struct fs_level_row fs_levels[FS_LEVEL_COUNT] = {
    [FS_MINIMAL]  = { FS_MINIMAL,  "working directory only",      "none",                         "read-only analysis",  false, false },
    [FS_STANDARD] = { FS_STANDARD, "repository root",             "working directory",            "typical development", false, true },
    [FS_EXTENDED] = { FS_EXTENDED, "repository and dependencies", "working directory and output", "build tasks",         false, false },
    [FS_ELEVATED] = { FS_ELEVATED, "system paths",                "specific paths",               "system tools",        true,  false },
};

static const struct column fs_columns[] = {
    { "level",    COLUMN_NAME, offsetof(struct fs_level_row, level), fs_level_names },
    { "read",     COLUMN_TEXT, offsetof(struct fs_level_row, read) },
    { "write",    COLUMN_TEXT, offsetof(struct fs_level_row, write) },
    { "use",      COLUMN_TEXT, offsetof(struct fs_level_row, use) },
    { "approval", COLUMN_BOOL, offsetof(struct fs_level_row, approval) },
    { "default",  COLUMN_BOOL, offsetof(struct fs_level_row, standard) },
};

const char *const net_level_names[] = {
    [NET_OFFLINE]     = "offline",
    [NET_REGISTRY]    = "registry",
    [NET_API]         = "api",
    [NET_OPEN]        = "open",
    [NET_LEVEL_COUNT] = NULL,
};

const struct net_level_row net_levels[NET_LEVEL_COUNT] = {
    [NET_OFFLINE]  = { NET_OFFLINE,  "none",                    "most tasks",            false, true },
    [NET_REGISTRY] = { NET_REGISTRY, "package registries only", "dependency install",    false, false },
    [NET_API]      = { NET_API,      "allowlisted APIs",        "external integrations", false, false },
    [NET_OPEN]     = { NET_OPEN,     "any, logged",             "research",              true,  false },
};

static const struct column net_columns[] = {
    { "level",    COLUMN_NAME, offsetof(struct net_level_row, level), net_level_names },
    { "allowed",  COLUMN_TEXT, offsetof(struct net_level_row, allowed) },
    { "use",      COLUMN_TEXT, offsetof(struct net_level_row, use) },
    { "approval", COLUMN_BOOL, offsetof(struct net_level_row, approval) },
    { "default",  COLUMN_BOOL, offsetof(struct net_level_row, standard) },
};

/* A01-14: L2 also shows errors and sandbox_override, without which nothing can be executed. */
const struct level_row levels[LEVEL_COUNT] = {
    [L0] = { "L0", "adapter_id, name, tool_id, type",                                        "listing available adapters" },
    [L1] = { "L1", "L0 and an interface summary",                                            "selecting an adapter for a task" },
    [L2] = { "L2", "L1 and the full interface, transforms, errors and sandbox_override",     "executing an adapter" },
    [L3] = { "L3", "the full schema, examples and fixtures",                                 "debugging or documentation" },
};

static const struct column level_columns[] = {
    { "level", COLUMN_TEXT, offsetof(struct level_row, name) },
    { "shown", COLUMN_TEXT, offsetof(struct level_row, shown) },
    { "use",   COLUMN_TEXT, offsetof(struct level_row, use) },
};
/* clang-format on */

const struct table fs_levels_table = {
    .name = "filesystem",
    .about = "What a run may read and write, from contract 001.",
    COLUMNS(fs_columns),
    .keys = 1,
    ROWS(fs_levels),
};

const struct table net_levels_table = {
    .name = "network",
    .about = "What a run may reach, from contract 001.",
    COLUMNS(net_columns),
    .keys = 1,
    ROWS(net_levels),
};

const struct table levels_table = {
    .name = "disclosure",
    .about = "How much of an adapter is shown, from contract 001.",
    COLUMNS(level_columns),
    .keys = 1,
    ROWS(levels),
};

static bool granted(const char *what, const char *level, bool allowed, struct error *e)
{
    if (allowed)
        return true;
    return error_set(
        e, CODE_APPROVAL_MISSING,
        "%s level '%s' needs a recorded approval, and there is none: --approve REASON, "
        "or approval: {reason: ..} in a document",
        what, level);
}

bool fs_level_granted(enum fs_level level, bool approved, struct error *e)
{
    return granted("filesystem", fs_level_names[level], approved || !fs_levels[level].approval, e);
}

bool net_level_granted(enum net_level level, bool approved, struct error *e)
{
    return granted("network", net_level_names[level], approved || !net_levels[level].approval, e);
}
