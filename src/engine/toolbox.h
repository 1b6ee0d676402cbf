/* SPDX-License-Identifier: Apache-2.0 */
/* toolbox.h: what the calls of a run or a plan have in common: adapters, tools, open services.
 *
 * Each adapter is loaded once, each service is reached once and kept. For any thread.
 */
#pragma once

#include <pthread.h>

#include "adapter/api_bind.h"
#include "adapter/catalog.h"
#include "adapter/http.h"
#include "engine/fleet.h"
#include "engine/registries.h"

struct toolbox_adapter;
struct http_lost;
struct server;

struct toolbox {
    const char *const *environment; /* the caller's */
    const struct world *world;
    struct fleet *fleet;           /* settings; the plan's */
    struct registries *registries; /* the plan's */
    struct fleet own_fleet;
    struct registries own_registries;
    bool own; /* both are ours */

    struct arena a;
    pthread_mutex_t lock;
    pthread_mutex_t servers_lock; /* guards the list of servers, and: */
    struct arena servers_arena;
    bool listed;
    struct catalog_ask ask;
    struct catalog catalog;
    struct toolbox_adapter *adapters;
    const struct registry_doc *shipped;
    struct http *http;
    struct http_lost *lost; /* that went away; others may still hold them */
    struct api_tokens *tokens;
    struct server *servers; /* MCP servers that run in the sandbox or were connected to */
    void (*end_servers)(struct server *first); /* NULL: there were none */
};

void toolbox_open(struct toolbox *box, const char *const *environment, const struct world *world);

/* With the settings and registries of a plan, in place of its own. */
void toolbox_share(struct toolbox *box, struct fleet *fleet, struct registries *registries);

/* Ends the servers; who needs one later starts it anew. */
void toolbox_rest(struct toolbox *box);
void toolbox_close(struct toolbox *box); /* ends the servers, and what speaks HTTP */

#define _toolbox_ _cleanup_(toolbox_close)

/* The adapter of that id or name; else, where that is a tool's id, the one of the tool's adapters
 * that has the operation (contract 001, loading workflow). Loaded and checked. False: *e where
 * there is none, or it cannot be told which; else the report has its problems, and e->code is
 * CODE_NONE. */
bool toolbox_adapter(struct toolbox *box, struct str name, struct str operation,
                     const struct adapter **out, struct report *r, struct error *e) NODISCARD;

/* The tool that the adapter is for, as the registry that holds has it. False: *e, or the report. */
bool toolbox_tool(struct toolbox *box, const struct adapter *adapter,
                  const struct registry_doc **registry, const struct tool_doc **out,
                  struct report *r, struct error *e) NODISCARD;

/* The names that can be called, of struct str: the adapter's own; a command's may be named by the
 * registry alone (A01-16), and is `run` where that has "*" and nothing else. `tool` may be NULL: no
 * registry has it. */
struct items toolbox_operations(const struct adapter *adapter, const struct tool_doc *tool,
                                struct arena *a);

/* A command whose adapter names no operation, of a tool that the registry lets have every one: may
 * be called by any name. */
bool toolbox_takes_any(const struct adapter *adapter, const struct tool_doc *tool, struct arena *a);

/* What speaks HTTP; started when it is first asked for. */
bool toolbox_http(struct toolbox *box, struct http **out, struct error *e) NODISCARD;

/* It can no longer be spoken to: the next who asks gets another one. */
void toolbox_http_lost(struct toolbox *box, struct http *http);

/* The settings that hold here. */
bool toolbox_settings(struct toolbox *box, const struct settings **out, struct report *r) NODISCARD;
