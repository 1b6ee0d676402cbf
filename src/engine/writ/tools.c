/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c: the public function that tells which tools are allowed here, and which are there.
 */
#include <writ/adapters.h>

#include "base/doc_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/registry_doc.h"
#include "contract/tool_version.h"
#include "engine/adapters_here.h"
#include "engine/call_probe.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/written.h"

struct telling {
    struct adapters_here here;
    struct catalog catalog;
    struct registry_doc registry;
    const struct doc *tree; /* of the registry */
    const char *file;       /* NULL: the one that ships */
    const char *const *environment;
    bool fresh;
    struct arena *a;
};

/* ---- the registry ---- */

static bool read_registry(struct telling *t, struct report *r)
{
    const char *found = home_above(t->here.root, ".writ/tools.yaml", t->a);
    struct writ_input shipped = { .name = "tools.yaml",
                                  .text = shipped_tools,
                                  .len = strlen(shipped_tools) };
    const struct document *document;
    struct error e;

    t->file = found ? adapters_shown(&t->here, found) : NULL;
    if (t->file ? !input_read_file(t->file, t->a, &document, r)
                : !input_read(&shipped, t->a, &document, r))
        return false;
    if (found && !written_trusts(t->environment, found, t->a, &e)) {
        report_error(r, &e);
        return false;
    }
    t->tree = &document->root;
    return shape_decode(&registry_shape, t->tree, r, &t->registry);
}

/* ---- one tool ---- */

/* A date holds until its day is over everywhere it could be meant. */
static bool is_past(struct str day, int64_t now_ms)
{
    char today[STAMP_TEXT];
    struct stamp stamp;
    const char *why;

    if (!day.n)
        return false;
    if (stamp_read(day, &stamp, &why))
        return stamp_ms(&stamp) < now_ms;
    stamp_text(now_ms, today);
    return str_cmp(day, (struct str){ today, day.n }) < 0;
}

static void put_text(struct buf *to, const char *key, struct str text)
{
    json_key(to, key);
    if (text.n)
        json_outside(to, text);
    else
        json_nil(to);
}

static void put_member(struct buf *to, const char *key, const struct doc *d)
{
    json_key(to, key);
    if (d)
        json_doc(to, d);
    else
        json_nil(to);
}

static void put_adapters(const struct telling *t, struct str tool_id, struct buf *to)
{
    struct items all = catalog_for_tool(&t->catalog, tool_id, t->a);
    const struct catalog_entry *const *entries = all.v;

    json_key(to, "adapters");
    json_open(to, '[');
    for (size_t i = 0; i < all.n; i++)
        if (t->file || entries[i]->origin == ORIGIN_SHIPPED)
            json_outside(to, entries[i]->adapter_id);
    json_close(to, ']');
}

/* By its first command; a tool without one is not of this machine. */
static void put_installed(const struct telling *t, const struct tool_doc *tool, struct buf *to)
{
    const struct str *commands = tool->scope->commands.v;
    struct error unasked = { 0 };
    struct probe_ask ask = { .environment = t->environment,
                             .cache = t->here.ask.cache,
                             .now_ms = t->here.ask.now_ms,
                             .fresh = t->fresh,
                             .cancel = -1,
                             .unasked = &unasked };
    struct str found = { "", 0 };

    if (tool->scope->commands.n) {
        ask.command = arena_text(t->a, commands[0]);
        (void)!tool_probe(&ask, t->a, &found);
    }
    put_text(to, "installed", found);
    if (unasked.code)
        json_put(to, "unasked", unasked.msg);
    json_key(to, "fits");
    if (found.n)
        json_bool(to, tool_version_fits(tool->version, found));
    else
        json_nil(to);
}

static void put_tool(const struct telling *t, const struct tool_doc *tool, const struct doc *d,
                     struct buf *to)
{
    json_open(to, '{');
    put_text(to, "tool_id", tool->tool_id);
    put_text(to, "name", tool->name);
    put_text(to, "version", tool->version);
    put_text(to, "owner", tool->owner);
    put_text(to, "provenance", tool->provenance);
    put_text(to, "status", doc_text(d, "status"));
    put_member(to, "scope", doc_get(d, "scope"));
    put_member(to, "approval", doc_get(d, "approval"));
    put_text(to, "last_review", tool->last_review);
    put_text(to, "next_review", tool->next_review);
    json_put_bool(to, "overdue", is_past(tool->next_review, t->here.ask.now_ms));
    put_installed(t, tool, to);
    put_adapters(t, tool->tool_id, to);
    json_put_bool(to, "shipped", !t->file);
    json_close(to, '}');
}

/* ---- all of them ---- */

static size_t put_tools(const struct telling *t, const char *only, struct buf *to)
{
    const struct tool_doc *tools = t->registry.tools.v;
    const struct doc *d = doc_first(doc_get(t->tree, "tools"), DOC_LIST);
    size_t shown = 0;

    json_key(to, "tools");
    json_open(to, '[');
    for (size_t i = 0; i < t->registry.tools.n; i++, d = d->next) {
        if (only && !str_is(tools[i].tool_id, only) && !str_is(tools[i].name, only))
            continue;
        put_tool(t, &tools[i], d, to);
        shown++;
    }
    json_close(to, ']');
    return shown;
}

static int unknown_tool(const struct telling *t, const char *name, char **answer)
{
    const struct tool_doc *tools = t->registry.tools.v;
    const char **words = arena_alloc(t->a, (2 * t->registry.tools.n + 1) * sizeof *words), *near;

    for (size_t i = 0; i < t->registry.tools.n; i++) {
        words[2 * i] = arena_text(t->a, tools[i].tool_id);
        words[2 * i + 1] = arena_text(t->a, tools[i].name);
    }
    near = str_nearest(str_of(name), words, 2 * t->registry.tools.n);
    *answer = record_failure(CODE_USAGE,
                             arena_printf(t->a, "the registry has no tool %s%s%s%s",
                                          said(str_of(name), t->a),
                                          near ? "; did you mean " : "; writ tools lists them",
                                          near ? said(str_of(near), t->a) : "", near ? "?" : ""));
    return WRIT_USAGE;
}

int writ_tools(const char *tool, bool fresh, const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct telling t = { .environment = environment, .fresh = fresh, .a = &a };
    struct report r;
    struct error e;

    if (!adapters_here(environment, &a, &t.here, &e) ||
        !catalog_list(&t.here.ask, &a, &t.catalog, &e))
        return record_unread(&e, answer);
    if (!read_registry(&t, &r))
        return input_wrong(&r, "registry", answer);
    json_open(&out, '{');
    json_put(&out, "registry", t.file);
    json_put(&out, "allowlist", t.registry.allowlist == ALLOWLIST_STRICT ? "strict" : "caller");
    if (!put_tools(&t, tool, &out) && tool)
        return unknown_tool(&t, tool, answer);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}
