/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c: the tools of a server: all pages of its list, kept, digested, held to their schemas.
 */
#include "adapter/mcp.h"
#include "adapter/mcp/parts.h"
#include "base/doc_make.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/jsonschema.h"
#include "contract/codes.h"

enum {
    PAGES_MAX = 100,
    TOOLS_MAX = 10000,
    LEFT_MAX = 1000, /* that are told of */
    LIST_BYTES = 16 << 20,
    CHECK_STEPS = 10 * 1000 * 1000,

    /* A list may be used for a second even where its time is over at once: who calls a tool has
     * just looked at it. Over legacy http we are not told of changes, so that we look now and then.
     */
    KEPT_LEAST_MS = 1000,
    KEPT_UNTOLD_MS = 30 * 1000,
    KEPT_MOST_MS = 24 * 3600 * 1000,
};

struct tools {
    struct arena a;
    struct tool *v;
    size_t n, room;
    struct mcp_left *left;
    size_t left_count, left_room;
    size_t bytes;     /* of its pages, whatever is in them */
    struct str text;  /* the list, JSON */
    int64_t until_ms; /* 0: until we are told */
    uint64_t changes; /* of the connection, when it was asked for */
    int users;        /* under the connection's lock, which keeps one of them for itself */
    pthread_mutex_t checking;
};

/* ---- the digest ---- */

/* What is shown of a tool, and what is said about the message that brought it, is not the tool. */
static bool is_beside(struct str key)
{
    return str_is(key, "_meta") || str_is(key, "icons");
}

struct digest mcp_tool_digest(const struct doc *tool, struct arena *a)
{
    _buf_ struct buf to = { .max = LIST_BYTES };
    const struct doc **sorted = tool->kind == DOC_MAP ? doc_sorted(tool, a) : NULL;

    json_open(&to, '{');
    for (uint32_t i = 0; sorted && i < tool->count; i++) {
        if (is_beside(sorted[i]->key))
            continue;
        json_text(&to, sorted[i]->key);
        buf_addc(&to, ':');
        json_canon(sorted[i], a, &to);
    }
    json_close(&to, '}');
    return digest_of(to.s, to.len);
}

/* ---- lists ---- */

static void free_list(struct tools *list)
{
    (void)pthread_mutex_destroy(&list->checking);
    arena_free(&list->a);
    free(list);
}

/* Under the lock: the list when nobody has it any more. */
static struct tools *unused(struct tools *list)
{
    return list && --list->users == 0 ? list : NULL;
}

void tools_let_go(struct mcp *m, struct tools *list)
{
    struct tools *old;

    pthread_mutex_lock(&m->lock);
    old = unused(list);
    pthread_mutex_unlock(&m->lock);
    if (old)
        free_list(old);
}

static void keep(struct mcp *m, struct tools *list)
{
    struct tools *old;

    pthread_mutex_lock(&m->lock);
    old = unused(m->tools);
    m->tools = list;
    if (list)
        list->users++;
    pthread_mutex_unlock(&m->lock);
    if (old)
        free_list(old);
}

void tools_forget(struct mcp *m)
{
    keep(m, NULL);
}

static struct tools *kept(struct mcp *m)
{
    struct tools *list;

    pthread_mutex_lock(&m->lock);
    list = m->tools;
    if (list && (list->changes != m->changes || (list->until_ms && mcp_now(m) >= list->until_ms)))
        list = NULL;
    if (list)
        list->users++;
    pthread_mutex_unlock(&m->lock);
    return list;
}

/* ---- asking for one ---- */

static const char too_much[] = "its list of tools has more than 16 MiB";

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct tool *)a)->name, ((const struct tool *)b)->name);
}

static bool refuse(struct mcp_exchange *x, const char *why)
{
    x->end = MCP_GARBLED;
    x->why = why;
    return false;
}

/* A document of its own, of which nothing is where `d` is; NULL: it cannot be. */
static const struct document *apart(const struct doc *d, const char *what, struct arena *a)
{
    struct ceilings max = ceilings_answer();
    _buf_ struct buf text = { .max = LIST_BYTES };
    const struct document *out;
    struct error e;

    json_doc(&text, d);
    if (!buf_ok(&text) || !json_read(what, (struct str){ arena_text(a, buf_str(&text)), text.len },
                                     &max, a, &out, &e))
        return NULL;
    return out;
}

static void leave(const struct mcp *m, struct tools *list, struct str name, const char *why)
{
    struct arena *a = &list->a;
    const char *tool = name.n ? mcp_words(m, name, a) : "(no name)";

    if (list->left_count == LEFT_MAX)
        return;
    list->left = arena_more(a, list->left, list->left_count, &list->left_room, sizeof *list->left);
    list->left[list->left_count++] = (struct mcp_left){ tool, why };
}

/* NULL: it is a tool; else why it is none. */
static const char *no_tool(const struct doc *said)
{
    const struct doc *input = rpc_get(said, "inputSchema");

    if (said->kind != DOC_MAP || rpc_text(said, "name").n == 0)
        return "it has no name";
    return input && input->kind == DOC_MAP ? NULL : "it has no inputSchema";
}

/* A tool without a name cannot be called, and one whose headers are wrong must not be, over http.
 * What is kept of it is its definition; the page that it came with is not. */
static void add_tool(const struct mcp *m, struct tools *list, const struct doc *said)
{
    const char *why = no_tool(said);
    const struct document *definition = why ? NULL : apart(said, "tool", &list->a);
    struct tool one = { 0 };
    struct digest digest;

    if (!definition) {
        leave(m, list, rpc_text(said, "name"), why ? why : "its definition cannot be kept");
        return;
    }
    one.definition = &definition->root;
    one.name = rpc_text(one.definition, "name");
    if (m->ask.transport == TRANSPORT_HTTP && m->era == MCP_MODERN &&
        !headers_read(rpc_get(one.definition, "inputSchema"), &list->a, &one.headers, &why)) {
        leave(m, list, one.name, why);
        return;
    }
    digest = mcp_tool_digest(one.definition, &list->a);
    digest_text(&digest, one.digest);
    list->v = arena_more(&list->a, list->v, list->n, &list->room, sizeof *list->v);
    list->v[list->n++] = one;
}

static void keep_time(const struct mcp *m, struct tools *list, const struct doc *result)
{
    const struct doc *ttl = rpc_get(result, "ttlMs");

    if (m->era == MCP_MODERN) {
        int64_t ms = ttl && ttl->kind == DOC_INT ? ttl->whole : 0;

        ms = ms < KEPT_LEAST_MS ? KEPT_LEAST_MS : ms > KEPT_MOST_MS ? KEPT_MOST_MS : ms;
        list->until_ms = mcp_now(m) + ms;
    } else if (m->ask.transport == TRANSPORT_HTTP) {
        list->until_ms = mcp_now(m) + KEPT_UNTOLD_MS;
    }
}

/* What a page says. *cursor is what the next is asked for with, or NULL. */
static bool take_page(const struct mcp *m, struct tools *list, const struct doc **cursor,
                      struct mcp_exchange *x)
{
    const struct doc *tools = rpc_get(x->answer.result, "tools");
    const struct doc *next = rpc_get(x->answer.result, "nextCursor");
    struct doc *kept_cursor;

    list->bytes += x->answer.bytes;
    if (list->bytes > LIST_BYTES)
        return refuse(x, too_much);
    if (!tools || tools->kind != DOC_LIST || list->n + tools->count > TOOLS_MAX)
        return refuse(x, "its list of tools is none, or has more than 10,000");
    for (const struct doc *c = tools->first; c; c = c->next)
        add_tool(m, list, c);
    keep_time(m, list, x->answer.result);
    if (!next || next->kind != DOC_TEXT) {
        *cursor = NULL;
        return true;
    }
    if (*cursor && str_eq(next->text, (*cursor)->text))
        return refuse(x, "its list of tools has the same page again");
    kept_cursor = doc_root(&list->a, DOC_TEXT);
    kept_cursor->text = (struct str){ arena_text(&list->a, next->text), next->text.n };
    *cursor = kept_cursor;
    return true;
}

/* One page. It may be much larger than what is kept of it, and lives no longer than its turn. */
static bool read_page(struct mcp *m, struct tools *list, const struct mcp_want *want,
                      const struct doc **cursor, struct mcp_exchange *x)
{
    _arena_ struct arena page = { 0 };

    mcp_request(m, want, &page, x);
    if (x->end != MCP_DONE || !take_page(m, list, cursor, x)) {
        arena_join(&list->a, &page); /* the error is in there */
        return false;
    }
    x->answer = (struct rpc_message){ 0 };
    return true;
}

static void put_cursor(const void *self, struct buf *to)
{
    const struct doc *const *cursor = self;

    if (!*cursor)
        return;
    json_put_text(to, "cursor", (*cursor)->text);
}

static bool read_pages(struct mcp *m, struct tools *list, const struct mcp_want *how,
                       struct mcp_exchange *x)
{
    const struct doc *cursor = NULL;
    struct mcp_want want = *how;

    want.params = put_cursor;
    want.self = &cursor;
    for (int page = 0; page < PAGES_MAX; page++) {
        if (!read_page(m, list, &want, &cursor, x))
            return false;
        if (!cursor)
            return true;
    }
    return refuse(x, "its list of tools has more than 100 pages");
}

/* In the order of names; a tool that is there twice is one where both are the same. */
static bool put_in_order(struct tools *list, struct mcp_exchange *x)
{
    size_t n = 0;

    if (list->n > 1)
        qsort(list->v, list->n, sizeof *list->v, by_name);
    for (size_t i = 0; i < list->n; i++) {
        bool again = n > 0 && str_eq(list->v[n - 1].name, list->v[i].name);

        if (again && memcmp(list->v[n - 1].digest, list->v[i].digest, DIGEST_TEXT) != 0)
            return refuse(x, "its list has two tools of one name");
        if (!again)
            list->v[n++] = list->v[i];
    }
    list->n = n;
    return true;
}

static bool write_list(struct tools *list, struct mcp_exchange *x)
{
    _buf_ struct buf to = { .max = LIST_BYTES };

    json_open(&to, '[');
    for (size_t i = 0; i < list->n; i++)
        json_doc(&to, list->v[i].definition);
    json_close(&to, ']');
    if (!buf_ok(&to))
        return refuse(x, too_much);
    list->text = (struct str){ arena_text(&list->a, buf_str(&to)), to.len };
    return true;
}

/* The list, for the caller to let go of; NULL: *failed says why, in words that live in `a`. */
static struct tools *get(struct mcp *m, int64_t end_ms, int cancel, struct arena *a,
                         struct mcp_exchange *failed)
{
    struct mcp_want want = { .method = "tools/list", .end_ms = end_ms, .cancel = cancel };
    struct tools *list;

    list = kept(m);
    if (list)
        return list;
    list = mem_zeroed(sizeof *list);
    (void)pthread_mutex_init(&list->checking, NULL);
    pthread_mutex_lock(&m->lock);
    list->changes = m->changes;
    pthread_mutex_unlock(&m->lock);
    list->users = 1;
    if (read_pages(m, list, &want, failed) && put_in_order(list, failed) &&
        write_list(list, failed)) {
        keep(m, list);
        return list;
    }
    arena_join(a, &list->a); /* the error is in there */
    free_list(list);
    return NULL;
}

enum tool_found tools_find(struct mcp *m, const struct mcp_call *call, int64_t end_ms,
                           struct arena *a, struct tool_use *out, struct mcp_exchange *failed)
{
    /* Who pins a tool wants to know of a change that was told before the call. */
    if (call->pinned.n > 0 && m->wire->look)
        m->wire->look(m);
    out->list = get(m, end_ms, call->cancel, a, failed);
    if (!out->list)
        return TOOL_NO_LIST;
    for (size_t low = 0, high = out->list->n; low < high;) {
        size_t middle = (low + high) / 2;
        int order = str_cmp(call->tool, out->list->v[middle].name);

        if (order == 0) {
            out->tool = &out->list->v[middle];
            return TOOL_FOUND;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return TOOL_UNKNOWN;
}

static bool say_failed(const struct mcp *m, const struct mcp_exchange *x, struct arena *a,
                       struct error *e)
{
    const char *why =
        x->end == MCP_ERROR && x->answer.error ? mcp_error_words(m, x->answer.error, a) : x->why;
    int code = x->end == MCP_ERROR                                ? CODE_PEER_ERROR
               : x->end == MCP_REFUSED                            ? CODE_HOST_REFUSED
               : x->end == MCP_GARBLED || x->end == MCP_TOO_LARGE ? CODE_PEER_PROTOCOL
                                                                  : CODE_PEER_UNAVAILABLE;

    return error_set(e, code, "the tools of %s cannot be listed: %s", m->ask.name, why ? why : "");
}

bool mcp_tools(struct mcp *m, int64_t timeout_ms, int cancel, struct arena *a,
               const struct doc **out, struct error *e)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;
    struct mcp_exchange failed = { 0 };
    struct tools *list;
    struct str text;

    if (m->wire->look)
        m->wire->look(m);
    list = get(m, mcp_now(m) + timeout_ms, cancel, a, &failed);
    if (!list)
        return say_failed(m, &failed, a, e);
    text = (struct str){ arena_text(a, list->text), list->text.n };
    tools_let_go(m, list);
    if (!json_read("tools", text, &max, a, &document, e))
        return false;
    *out = &document->root;
    return true;
}

size_t mcp_tools_left(struct mcp *m, struct arena *a, const struct mcp_left **out)
{
    struct mcp_left *left;
    size_t n;

    pthread_mutex_lock(&m->lock);
    n = m->tools ? m->tools->left_count : 0;
    left = arena_alloc(a, n * sizeof *left);
    for (size_t i = 0; i < n; i++)
        left[i] = (struct mcp_left){ arena_text(a, str_of(m->tools->left[i].tool)),
                                     arena_text(a, str_of(m->tools->left[i].why)) };
    pthread_mutex_unlock(&m->lock);
    *out = left;
    return n;
}

/* ---- outputSchema ---- */

/* Of an outputSchema: what is read takes a hundred times as much memory. */
enum { OUTPUT_SCHEMA_MOST = 256 << 10 };

/* A schema that we cannot read, that is too large, or that refers to one elsewhere, holds nothing:
 * nothing is ever fetched for it. */
static const struct jsonschema *output_of(struct tools *list, struct tool *tool)
{
    const struct doc *schema = rpc_get(tool->definition, "outputSchema");
    struct schema_options options = { .draft = SCHEMA_2020_12, .code = CODE_PEER_PROTOCOL };
    struct report ignored = report_new(&list->a, "", (struct str){ 0 });
    const struct document *document;

    if (tool->checked || !schema)
        return tool->output;
    tool->checked = true;
    document = apart(schema, "outputSchema", &list->a);
    if (!document || document->text.n > OUTPUT_SCHEMA_MOST ||
        !jsonschema_read(document, &options, &list->a, &tool->output, &ignored))
        tool->output = NULL;
    return tool->output;
}

/* The words quote the content, cut short: they are made of what has no secrets any more. */
static const char *misfit_words(const struct mcp *m, const struct jsonschema *schema,
                                const struct doc *content, struct arena *a)
{
    struct work work = { .left = CHECK_STEPS };
    struct report r = report_new(a, "structuredContent", (struct str){ 0 });
    const char *at;

    if (jsonschema_check(schema, mcp_clean_doc(m, content, a), a, &work, &r) || !r.first)
        return "its structuredContent is not what its outputSchema says";
    at = r.first->pointer ? r.first->pointer : "";
    return arena_printf(a, "its structuredContent is not what its outputSchema says: %s%s%s", at,
                        *at ? ": " : "", rpc_words(str_of(r.first->msg), a));
}

const char *tools_misfit(const struct mcp *m, const struct tool_use *use, const struct doc *result,
                         struct arena *a)
{
    const struct doc *content = rpc_get(result, "structuredContent");
    struct work work = { .left = CHECK_STEPS };
    struct report r = report_new(a, "structuredContent", (struct str){ 0 });
    const struct jsonschema *schema;
    const char *wrong = NULL;

    if (!rpc_get(use->tool->definition, "outputSchema"))
        return NULL;
    pthread_mutex_lock(&use->list->checking);
    schema = output_of(use->list, use->tool);
    if (schema && !content)
        wrong = "it has an outputSchema, and gave no structuredContent";
    else if (schema && !jsonschema_check(schema, content, a, &work, &r))
        wrong = work.over || !r.first
                    ? "its structuredContent takes too long to be held against its outputSchema"
                    : misfit_words(m, schema, content, a);
    pthread_mutex_unlock(&use->list->checking);
    return wrong;
}
