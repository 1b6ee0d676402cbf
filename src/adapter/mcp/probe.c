/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c: tries a server: lists its tools and calls some of them. */
#include "adapter/mcp_probe.h"

#include "adapter/mcp_rpc.h"
#include "base/doc_make.h"
#include "base/json_write.h"

enum {
    CALL_MS = 20000,
    SAMPLE_DEPTH = 16,
    SAMPLE_WORK = 1 << 20,
};

/* Indexed by enum mcp_end. */
const char *const mcp_end_names[] = {
    [MCP_DONE] = "done",       [MCP_ERROR] = "error",
    [MCP_LATE] = "late",       [MCP_CANCELLED] = "cancelled",
    [MCP_GONE] = "gone",       [MCP_LOST] = "lost",
    [MCP_GARBLED] = "garbled", [MCP_TOO_LARGE] = "too_large",
    [MCP_CHANGED] = "changed", [MCP_UNKNOWN_TOOL] = "unknown_tool",
};

/* ---- arguments ---- */

static bool requires(const struct doc *schema, struct str name)
{
    const struct doc *c = doc_first(rpc_get(schema, "required"), DOC_LIST);

    while (c && !(c->kind == DOC_TEXT && str_eq(c->text, name)))
        c = c->next;
    return c != NULL;
}

/* A value that the schema itself names. */
static const struct doc *named(const struct doc *schema)
{
    static const char *const keys[] = { "default", "const" };

    for (size_t i = 0; i < COUNT(keys); i++)
        if (rpc_get(schema, keys[i]))
            return rpc_get(schema, keys[i]);
    return doc_first(rpc_get(schema, "enum"), DOC_LIST);
}

static void fill(struct doc *to, const struct doc *schema, int depth, struct arena *a);

static void fill_map(struct doc *to, const struct doc *schema, int depth, struct arena *a)
{
    const struct doc *c = doc_first(rpc_get(schema, "properties"), DOC_MAP);

    to->kind = DOC_MAP;
    for (; c && depth < SAMPLE_DEPTH; c = c->next)
        if (requires(schema, c->key))
            fill(doc_add(a, to, c->key), c, depth + 1, a);
}

static void fill(struct doc *to, const struct doc *schema, int depth, struct arena *a)
{
    struct work w = { .left = SAMPLE_WORK };
    const struct doc *value = schema->kind == DOC_MAP ? named(schema) : NULL;
    const struct doc *least = rpc_get(schema, "minimum");
    struct str type = rpc_text(schema, "type");

    if (value) {
        if (!doc_copy(value, to, &w, a))
            to->kind = DOC_NULL;
    } else if (str_is(type, "integer") || str_is(type, "number")) {
        to->kind = DOC_INT;
        to->whole = least && least->kind == DOC_INT ? least->whole : 1;
    } else if (str_is(type, "boolean")) {
        to->kind = DOC_BOOL;
        to->truth = true;
    } else if (str_is(type, "array")) {
        to->kind = DOC_LIST;
    } else if (str_is(type, "object")) {
        fill_map(to, schema, depth, a);
    } else if (!str_is(type, "null")) {
        to->kind = DOC_TEXT;
        to->text = str_of("text");
    }
}

/* What an inputSchema takes: what it requires, by default, const, enum or type. */
static const struct doc *sample_of(const struct doc *schema, struct arena *a)
{
    struct doc *root = doc_root(a, DOC_MAP);

    if (schema && schema->kind == DOC_MAP)
        fill_map(root, schema, 0, a);
    return root;
}

/* ---- calls ---- */

static bool call_one(struct mcp *m, struct str tool, const struct doc *arguments, struct arena *a,
                     struct buf *to, struct error *e)
{
    struct mcp_call call = {
        .tool = tool, .arguments = arguments, .timeout_ms = CALL_MS, .cancel = -1
    };
    struct mcp_answer got;

    if (!mcp_call(m, &call, a, &got, e))
        return false;
    json_open(to, '{');
    json_put_text(to, "tool", tool);
    json_put(to, "end", mcp_end_names[got.end]);
    json_put_bool(to, "failed", got.failed);
    if (got.end == MCP_ERROR)
        json_put_int(to, "code", got.code);
    if (got.message)
        json_put(to, "message", got.message);
    if (got.result) {
        json_key(to, "result");
        json_doc(to, got.result);
    }
    json_close(to, '}');
    return true;
}

const struct doc *mcp_probe_calls(const struct doc *context)
{
    const struct doc *calls = rpc_get(context, "calls");

    return doc_first(calls ? calls : rpc_get(context, "toolCalls"), DOC_LIST);
}

static bool call_these(struct mcp *m, const struct doc *calls, struct arena *a, struct buf *to,
                       struct error *e)
{
    for (const struct doc *c = calls; c; c = c->next)
        if (!call_one(m, rpc_text(c, rpc_get(c, "tool") ? "tool" : "name"), rpc_get(c, "arguments"),
                      a, to, e))
            return false;
    return true;
}

static bool is_hinted(const struct doc *tool, const char *hint)
{
    const struct doc *d = rpc_get(rpc_get(tool, "annotations"), hint);

    return d && d->kind == DOC_BOOL && d->truth;
}

/* Arguments are made up: only what says that it reads, and nothing else, may be given them. */
static bool only_reads(const struct doc *tool)
{
    return is_hinted(tool, "readOnlyHint") && !is_hinted(tool, "destructiveHint");
}

static bool call_tools(struct mcp *m, const struct doc *tools, bool all, struct arena *a,
                       struct buf *to, struct error *e)
{
    for (const struct doc *c = doc_first(tools, DOC_LIST); c; c = c->next)
        if ((all || only_reads(c)) &&
            !call_one(m, rpc_text(c, "name"), sample_of(rpc_get(c, "inputSchema"), a), a, to, e))
            return false;
    return true;
}

static void put_not_called(const struct doc *tools, struct buf *to)
{
    json_key(to, "not_called");
    json_open(to, '[');
    for (const struct doc *c = doc_first(tools, DOC_LIST); c; c = c->next)
        if (!only_reads(c))
            json_text(to, rpc_text(c, "name"));
    json_close(to, ']');
}

bool mcp_probe(struct mcp *m, const struct doc *context, bool all, struct arena *a,
               struct buf *answer, struct error *e)
{
    const struct doc *calls = mcp_probe_calls(context), *tools;
    bool good;

    if (!mcp_tools(m, CALL_MS, -1, a, &tools, e))
        return false;
    json_open(answer, '{');
    json_put(answer, "era", mcp_era_of(m) == MCP_MODERN ? "modern" : "legacy");
    json_put(answer, "version", mcp_version(m));
    if (mcp_server_info(m)) {
        json_key(answer, "server");
        json_doc(answer, mcp_server_info(m));
    }
    json_key(answer, "tools");
    json_doc(answer, tools);
    if (!calls && !all)
        put_not_called(tools, answer);
    json_key(answer, "answers");
    json_open(answer, '[');
    good = calls ? call_these(m, calls, a, answer, e) : call_tools(m, tools, all, a, answer, e);
    json_close(answer, ']');
    json_close(answer, '}');
    return good;
}
