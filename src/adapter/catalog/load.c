/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: an adapter is loaded, and chosen among several (contract 001, loading workflow).
 */
#include "adapter/callable.h"
#include "adapter/catalog.h"
#include "adapter/transform.h"
#include "base/doc_read.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "contract/inputs.h"
#include "contract/tool_version.h"

enum { CANON_BYTES = 256 << 20 };

/* ---- loading ---- */

static const char *shipped_text(const char *name)
{
    for (size_t i = 0; i < shipped_count; i++)
        if (strcmp(shipped_adapters[i].name, name) == 0)
            return shipped_adapters[i].text;
    return "";
}

static bool read_tree(const struct catalog_entry *entry, struct arena *a,
                      const struct document **out, struct report *r)
{
    struct ceilings max = ceilings_default();
    struct str text = { "", 0 };
    struct error e;

    if (entry->origin == ORIGIN_SHIPPED)
        text = str_of(shipped_text(entry->path));
    *r = report_new(a, entry->path, text);
    if (entry->origin != ORIGIN_SHIPPED &&
        !fs_read_file(entry->path, max.v[CEILING_BYTES], a, &text, &e)) {
        report_error(r, &e);
        return false;
    }
    r->text = text;
    if (doc_read(entry->path, text, &max, a, out, &e))
        return true;
    report_error(r, &e);
    return false;
}

static struct digest canonical_digest(const struct doc *tree, struct arena *a)
{
    _buf_ struct buf canon = { .max = CANON_BYTES };

    json_canon(tree, a, &canon);
    return digest_of(canon.s, canon.len);
}

/* Where relative paths in it start from. */
static const char *directory_of(const struct catalog_ask *ask, const struct catalog_entry *entry,
                                struct arena *a)
{
    const char *slash = strrchr(entry->path, '/');

    if (entry->origin == ORIGIN_SHIPPED)
        return NULL;
    if (entry->origin == ORIGIN_PROJECT && ask->project)
        return ask->project;
    return slash ? arena_text(a, (struct str){ entry->path, (size_t)(slash - entry->path) }) : ".";
}

/* What a project starts is the project's file, wherever in it somebody calls. */
static void find_commands(struct adapter *adapter, struct arena *a)
{
    struct adapter_interface *in = arena_new(a, struct adapter_interface);

    *in = *adapter->doc.interface;
    if (in->cli) {
        struct cli_interface *cli = arena_new(a, struct cli_interface);

        *cli = *in->cli;
        cli->executable = inputs_of_project(cli->executable, adapter->directory, a);
        in->cli = cli;
    }
    if (in->mcp && in->mcp->command.n) {
        struct mcp_interface *mcp = arena_new(a, struct mcp_interface);
        struct str *words = arena_alloc(a, in->mcp->command.n * sizeof *words);

        *mcp = *in->mcp;
        memcpy(words, mcp->command.v, mcp->command.n * sizeof *words);
        words[0] = inputs_of_project(words[0], adapter->directory, a);
        mcp->command.v = words;
        in->mcp = mcp;
    }
    adapter->doc.interface = in;
}

bool catalog_load(const struct catalog_ask *ask, const struct catalog_entry *entry, struct arena *a,
                  struct adapter *out, struct report *r)
{
    const struct document *document;

    *out = (struct adapter){ .file = entry->path, .origin = entry->origin };
    if (!read_tree(entry, a, &document, r))
        return false;
    out->tree = &document->root;
    if (!shape_decode(&adapter_shape, out->tree, r, &out->doc))
        return false;
    out->directory = directory_of(ask, entry, a);
    out->digest = canonical_digest(out->tree, a);
    transforms_fit(out, r);
    callable_fits(out, r);
    if (out->origin == ORIGIN_PROJECT)
        find_commands(out, a);
    return r->errors == 0;
}

/* ---- choosing ---- */

/* The summary of an interface: whether it has the operation. A cli adapter that names none has
 * those the registry lets it have. */
static bool has_operation(const struct adapter *adapter, struct str operation, struct arena *a)
{
    struct items all = adapter_operations(adapter, a);
    const struct str *names = all.v;

    if (!operation.n || (adapter->doc.type == ADAPTER_CLI && !all.n))
        return true;
    for (size_t i = 0; i < all.n; i++)
        if (str_eq(names[i], operation))
            return true;
    return false;
}

/* L1 of one that matches: does it suit the task? One that cannot be read does not. */
static bool suits(const struct catalog_entry *entry, const struct catalog_want *want,
                  struct arena *a)
{
    struct adapter adapter = { .origin = entry->origin };
    const struct document *document;
    struct report ignored;

    if (!read_tree(entry, a, &document, &ignored))
        return false;
    adapter.tree = &document->root;
    adapter.doc.type = entry->type;
    return has_operation(&adapter, want->operation, a) &&
           (!want->installed.n ||
            tool_version_fits(doc_text(adapter.tree, "tool_version"), want->installed));
}

/* What L0 tells is asked first. */
static size_t matching(const struct catalog *c, const struct catalog_want *want, struct arena *a,
                       const struct catalog_entry ***out)
{
    struct items tool = catalog_for_tool(c, want->tool_id, a);
    const struct catalog_entry **all = tool.v;
    size_t n = 0;

    for (size_t i = 0; i < tool.n; i++)
        if (!all[i]->twice && (want->type < 0 || all[i]->type == want->type))
            all[n++] = all[i];
    *out = all;
    return n;
}

static const struct catalog_entry *choose(const struct catalog_entry **all, size_t n,
                                          const struct catalog_want *want, struct arena *a,
                                          size_t *compared)
{
    const struct catalog_entry *best = NULL;

    if (n == 1)
        return all[0];
    for (size_t i = 0; i < n; i++) {
        (*compared)++;
        if ((!best || all[i]->origin < best->origin) && suits(all[i], want, a))
            best = all[i];
    }
    return best;
}

bool catalog_pick(const struct catalog *c, const struct catalog_want *want, struct arena *a,
                  struct catalog_choice *out, struct error *e)
{
    const struct catalog_entry **all;
    size_t n = matching(c, want, a, &all);

    *out = (struct catalog_choice){ .from_cache = c->indexed, .listed = c->n };
    out->entry = choose(all, n, want, a, &out->compared);
    return out->entry ||
           error_set(e, CODE_ADAPTER_UNKNOWN, "no adapter for the tool %s %s",
                     said(want->tool_id, a), n ? "does what is asked for" : "is there");
}
