/* SPDX-License-Identifier: Apache-2.0 */
/* config.h: what holds here: the project's .writ/config.yaml and the user's own, in one.
 *
 * Nobody changes what a class means, and the project says nothing about workers: see config_doc.h.
 */
#pragma once

#include "base/report.h"
#include "contract/config_doc.h"

struct settings {
    struct route_doc contract;           /* what writ ships, and the classes of both documents */
    const struct config_worker *workers; /* the user's, then those that are always there */
    size_t worker_count;
    const struct config_server *servers; /* MCP servers: the user's, then the project's */
    size_t server_count;
    const struct secret_doc *secrets; /* for hosts; the user's own */
    size_t secret_count;
    struct items registries;   /* of struct str: hosts that level registry reaches besides */
    size_t project_registries; /* the last of these, so many, are the project's */
    struct str remote;         /* the worker that remote commands go to */
    enum fallback fallback;    /* fail_closed where either document says so */
    enum dependency_skip dependency_skip; /* fail, unless the user's document alone says cascade */
};

/* Reads the nearest project's document on the way up from `from`, an absolute path, and the user's:
 * config.yaml in writ below XDG_CONFIG_HOME, else below ~/.config. Neither has to be there. All of
 * it lives in the arena. False: one of them is wrong, and the report says which and how. */
bool settings_read(const char *from, const char *const *environment, struct arena *a,
                   struct settings *out, struct report *r) NODISCARD;

/* The same from the top of the repository that the current directory is in. */
bool settings_here(const char *const *environment, struct arena *a, struct settings *out,
                   struct report *r) NODISCARD;

/* What holds of the fallback: the stricter of what is asked for (enum fallback, or CHOICE_NONE) and
 * what is set. A request does not loosen a policy. */
enum fallback settings_fallback(const struct settings *settings, int asked);

/* The MCP server of that name, the user's before the project's; NULL: there is none. */
const struct config_server *settings_server(const struct settings *settings, struct str name);

/* The worker of that name; one without a name: that remote commands go to. NULL: there is none. */
const struct config_worker *settings_worker(const struct settings *settings, struct str name);
