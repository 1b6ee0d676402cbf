/* SPDX-License-Identifier: Apache-2.0 */
/* toolbox.c: finds adapters and tools once, and keeps services open. */
#include "engine/toolbox.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/doc_read.h"
#include "engine/adapters_here.h"
#include "engine/home.h"
#include "engine/written.h"

struct toolbox_adapter {
    const struct catalog_entry *entry;
    struct adapter adapter;
    bool right;
    struct report report; /* it is not */
    struct toolbox_adapter *next;
};

struct http_lost {
    struct http *http;
    struct http_lost *next;
};

void toolbox_open(struct toolbox *box, const char *const *environment, const struct world *world)
{
    *box = (struct toolbox){ .environment = environment, .world = world };
    (void)pthread_mutex_init(&box->lock, NULL);
    (void)pthread_mutex_init(&box->servers_lock, NULL);
}

void toolbox_share(struct toolbox *box, struct fleet *fleet, struct registries *registries)
{
    box->fleet = fleet;
    box->registries = registries;
}

void toolbox_rest(struct toolbox *box)
{
    (void)pthread_mutex_lock(&box->servers_lock);
    if (box->end_servers)
        box->end_servers(box->servers);
    box->servers = NULL;
    (void)pthread_mutex_unlock(&box->servers_lock);
}

/* The fleet and the registries of the plan, or our own when there is no plan. */
static void settle(struct toolbox *box)
{
    if (box->fleet)
        return;
    fleet_open(&box->own_fleet, box->environment, box->world);
    registries_open(&box->own_registries);
    box->fleet = &box->own_fleet;
    box->registries = &box->own_registries;
    box->own = true;
}

void toolbox_close(struct toolbox *box)
{
    toolbox_rest(box);
    for (const struct http_lost *lost = box->lost; lost; lost = lost->next)
        http_close(lost->http);
    http_close(box->http);
    if (box->tokens)
        api_tokens_close(box->tokens);
    if (box->own) {
        fleet_close(&box->own_fleet);
        registries_close(&box->own_registries);
    }
    arena_free(&box->servers_arena);
    arena_free(&box->a);
    (void)pthread_mutex_destroy(&box->lock);
    (void)pthread_mutex_destroy(&box->servers_lock);
}

/* ---- adapters ---- */

static bool read_settings(struct toolbox *box, const struct settings **out, struct report *r)
{
    char here[PATH_MAX];
    struct error e;

    settle(box);
    if (home_here(here, NULL, &e))
        return fleet_settings(box->fleet, here, out, r);
    *r = report_new(&box->a, ".", (struct str){ 0 });
    report_error(r, &e);
    return false;
}

bool toolbox_settings(struct toolbox *box, const struct settings **out, struct report *r)
{
    bool ok;

    (void)pthread_mutex_lock(&box->lock);
    ok = read_settings(box, out, r);
    (void)pthread_mutex_unlock(&box->lock);
    return ok;
}

static bool list(struct toolbox *box, struct report *r, struct error *e)
{
    const struct settings *settings;
    struct adapters_here here;

    if (box->listed)
        return true;
    if (!read_settings(box, &settings, r)) {
        *e = (struct error){ .code = CODE_NONE };
        return false;
    }
    if (!adapters_here(box->environment, &box->a, &here, e))
        return false;
    box->ask = here.ask;
    box->listed = catalog_list(&box->ask, &box->a, &box->catalog, e);
    return box->listed;
}

static bool load_trusted(struct toolbox *box, const struct catalog_entry *entry,
                         struct toolbox_adapter *loaded)
{
    struct error e;

    if (!catalog_load(&box->ask, entry, &box->a, &loaded->adapter, &loaded->report))
        return false;
    if (entry->origin == ORIGIN_SHIPPED ||
        written_trusts(box->environment, entry->path, &box->a, &e))
        return true;
    report_error(&loaded->report, &e);
    return false;
}

/* One that is wrong is not read again either. */
static bool load(struct toolbox *box, const struct catalog_entry *entry, const struct adapter **out,
                 struct report *r, struct error *e)
{
    struct toolbox_adapter *loaded = box->adapters;

    while (loaded && loaded->entry != entry)
        loaded = loaded->next;
    if (!loaded) {
        loaded = arena_new(&box->a, struct toolbox_adapter);
        loaded->entry = entry;
        loaded->right = load_trusted(box, entry, loaded);
        if (!loaded->right)
            report_finish(&loaded->report);
        loaded->next = box->adapters;
        box->adapters = loaded;
    }
    *e = (struct error){ .code = CODE_NONE };
    *out = &loaded->adapter;
    if (!loaded->right)
        *r = report_copy(&loaded->report, &box->a);
    return loaded->right;
}

/* What is asked for by its tool: L0 tells which there are, L1 which has the operation. */
static bool choose(struct toolbox *box, struct str tool, struct str operation,
                   const struct adapter **out, struct report *r, struct error *e)
{
    struct catalog_want want = { .tool_id = tool, .operation = operation, .type = -1 };
    _arena_ struct arena scratch = { 0 };
    struct catalog_choice choice;

    return catalog_pick(&box->catalog, &want, &scratch, &choice, e) &&
           load(box, choice.entry, out, r, e);
}

static bool find(struct toolbox *box, struct str name, const struct adapter **out, struct report *r,
                 struct error *e)
{
    _arena_ struct arena scratch = { 0 };
    const struct catalog_entry *entry;

    return list(box, r, e) && catalog_find(&box->catalog, name, &scratch, &entry, e) &&
           load(box, entry, out, r, e);
}

static bool is_tool(const struct toolbox *box, struct str name)
{
    _arena_ struct arena scratch = { 0 };

    return catalog_for_tool(&box->catalog, name, &scratch).n > 0;
}

bool toolbox_adapter(struct toolbox *box, struct str name, struct str operation,
                     const struct adapter **out, struct report *r, struct error *e)
{
    bool ok;

    (void)pthread_mutex_lock(&box->lock);
    ok = find(box, name, out, r, e);
    if (!ok && e->code == CODE_ADAPTER_UNKNOWN && is_tool(box, name))
        ok = choose(box, name, operation, out, r, e);
    (void)pthread_mutex_unlock(&box->lock);
    return ok;
}

/* ---- tools ---- */

static const struct registry_doc *shipped(struct toolbox *box)
{
    struct ceilings max = ceilings_default();
    struct registry_doc *registry = arena_new(&box->a, struct registry_doc);
    struct report r = report_new(&box->a, "tools.yaml", str_of(shipped_tools));
    const struct document *document;
    struct error e;

    if (box->shipped)
        return box->shipped;
    if (doc_read("tools.yaml", str_of(shipped_tools), &max, &box->a, &document, &e) &&
        shape_decode(&registry_shape, &document->root, &r, registry))
        box->shipped = registry;
    return box->shipped;
}

/* What ships is allowed by what ships, until somebody keeps a registry of their own. */
bool toolbox_tool(struct toolbox *box, const struct adapter *adapter,
                  const struct registry_doc **registry, const struct tool_doc **out,
                  struct report *r, struct error *e)
{
    struct str id = adapter->doc.tool_id;
    bool right, own;

    *e = (struct error){ .code = CODE_NONE };
    (void)pthread_mutex_lock(&box->lock);
    right = registry_above(box->registries, fleet_root(box->fleet), box->environment, &box->a,
                           registry, r);
    own = right && *registry;
    if (right && !own && adapter->origin == ORIGIN_SHIPPED)
        *registry = shipped(box);
    (void)pthread_mutex_unlock(&box->lock);
    if (!right)
        return false;
    *out = registry_tool(*registry, id);
    if (*out)
        return true;
    return error_set(
        e, CODE_OPERATION_NOT_ALLOWED,
        own ? "the registry .writ/tools.yaml has no tool %.*s, which adapter %.*s is for"
            : "there is no registry that allows the tool %.*s of adapter %.*s; "
              "`writ init` writes one",
        STR_ARG(id), STR_ARG(adapter->doc.adapter_id));
}

struct items toolbox_operations(const struct adapter *adapter, const struct tool_doc *tool,
                                struct arena *a)
{
    struct items names = adapter_operations(adapter, a);
    const struct items *scope = tool ? &tool->scope->operations : NULL;
    struct str *all;

    if (names.n || adapter->doc.type != ADAPTER_CLI || !scope)
        return names;
    all = arena_alloc(a, (scope->n + 1) * sizeof *all);
    for (size_t i = 0; i < scope->n; i++)
        if (!str_is(((const struct str *)scope->v)[i], "*"))
            all[names.n++] = ((const struct str *)scope->v)[i];
    if (!names.n && scope->n)
        all[names.n++] = str_of("run"); /* "*" names nothing, and the command is there */
    names.v = all;
    return names;
}

bool toolbox_takes_any(const struct adapter *adapter, const struct tool_doc *tool, struct arena *a)
{
    return adapter->doc.type == ADAPTER_CLI && !adapter_operations(adapter, a).n &&
           items_have(&tool->scope->operations, str_of("*"));
}

/* ---- services ---- */

bool toolbox_http(struct toolbox *box, struct http **out, struct error *e)
{
    bool ok = true;

    (void)pthread_mutex_lock(&box->lock);
    if (!box->http) {
        const char *program = home_program("writ-http", box->environment, &box->a);

        ok = program
                 ? http_open(program, box->environment, &box->http, e)
                 : error_set(e, CODE_PEER_UNAVAILABLE,
                             "writ-http, which speaks HTTP for writ, is not installed beside it");
    }
    if (ok && !box->tokens)
        box->tokens = api_tokens_open();
    *out = box->http; /* another thread may find it lost as soon as we let go */
    (void)pthread_mutex_unlock(&box->lock);
    return ok;
}

void toolbox_http_lost(struct toolbox *box, struct http *http)
{
    (void)pthread_mutex_lock(&box->lock);
    if (box->http == http) {
        struct http_lost *lost = arena_new(&box->a, struct http_lost);

        *lost = (struct http_lost){ http, box->lost };
        box->lost = lost;
        box->http = NULL;
    }
    (void)pthread_mutex_unlock(&box->lock);
}
