/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c: makes an adapter of the tools of an MCP server: block YAML, with schemas as JSON.
 */
#include "adapter/import_mcp.h"

#include "adapter/import/names.h"
#include "adapter/import_yaml.h"
#include "adapter/mcp.h"
#include "adapter/mcp_rpc.h"
#include "adapter/secret.h"
#include "base/doc_read.h"
#include "base/json_write.h"
#include "base/jsonschema.h"
#include "base/utf8.h"
#include "base/yaml_scalar.h"
#include "contract/adapter_doc.h"

enum {
    NAME_MAX_CHARS = 128,
    YAML_MAX = 4 << 20, /* as the reader has it */
};

struct importing {
    const struct mcp_import_ask *ask;
    struct arena *a;
    struct mcp_imported *out;
    size_t left_room;
    struct buf mapping, operations;
    struct names names;          /* of operations, those that are left out as well */
    struct schema_series series; /* the schemas of one server: however many, there is an end */
};

/* ---- names ---- */

/* Letters, digits, _ and -; what else there is becomes `other`. It does not begin with a dash. */
static const char *word(struct str text, char other, struct arena *a)
{
    size_t n = text.n < NAME_MAX_CHARS ? text.n : NAME_MAX_CHARS;
    char *name = arena_text(a, (struct str){ text.s, n });

    for (size_t i = 0; i < n; i++)
        if (!is_one_of(name[i], "_-0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ||
            (i == 0 && name[i] == '-'))
            name[i] = other;
    return name;
}

/* Two tools that come to one name are told apart by a number, whichever of them are wanted. */
static const char *operation_name(struct importing *im, struct str tool)
{
    return names_give(&im->names, word(tool, '_', im->a), im->a);
}

/* ---- include and exclude ---- */

/* A * stands for any number of characters. Looks back to the last one only, so that it is quick. */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *since = text;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            since = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++since;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool any_matches(const char *const *patterns, const char *text)
{
    for (; patterns && *patterns; patterns++)
        if (matches(*patterns, text))
            return true;
    return false;
}

/* What a server says for people, without what it was told itself. */
static struct str told(const struct importing *im, struct str said)
{
    return im->ask->known ? redact(said, im->ask->known, im->a) : said;
}

static void leave(struct importing *im, const char *operation, const char *why)
{
    im->out->left = arena_more(im->a, im->out->left, im->out->left_count, &im->left_room,
                               sizeof *im->out->left);
    im->out->left[im->out->left_count++] = (struct mcp_import_left){ operation, why };
}

/* ---- one tool ---- */

/* Does the text that begins here open more brackets than it closes? A reader of YAML counts them
 * wherever they stand: those in the texts of all tools together could be too many for it. */
static bool leaves_open(const char *at, const char *end)
{
    int64_t open = 0;

    for (; at < end && *at != '"'; at += *at == '\\' && at + 1 < end ? 2 : 1)
        open += is_one_of(*at, "[{") ? 1 : is_one_of(*at, "]}") ? -1 : 0;
    return open > 0;
}

/* JSON in which each character is seen, and has a place in YAML: others than ASCII stand in texts
 * alone, where their number means the same, as that of a bracket does. */
static void put_seen(struct buf *to, struct str json)
{
    const char *end = json.s + json.n;
    bool text = false, open = false;
    size_t step;

    for (const char *at = json.s; at < end; at += step) {
        uint32_t c;

        step = utf8_step(at, end);
        step = step ? step : 1;
        c = utf8_get(at, step);
        if (c == '"') {
            text = !text;
            open = text && leaves_open(at + 1, end);
        }
        if (c == '\\' && at + 1 < end) {
            step = 2; /* what it escapes is ASCII, and ends no text */
            buf_add(to, at, step);
        } else if (yaml_must_escape(c) || (open && (c == '[' || c == '{')))
            buf_addf(to, "\\u%04x", (unsigned)c);
        else
            buf_add(to, at, step);
    }
}

static void put(struct buf *to, const char *before, struct str text)
{
    _buf_ struct buf quoted = { .max = YAML_MAX };

    json_outside(&quoted, text);
    buf_addf(to, "%s ", before);
    put_seen(to, buf_str(&quoted));
    buf_addc(to, '\n');
    to->full |= quoted.full;
}

/* A schema that nobody could hold parameters against would refuse every call: then the server alone
 * judges them, and whoever makes or reads the adapter is told. NULL: it is one; else why not. */
static const char *no_schema(struct importing *im, const struct document *schema)
{
    _arena_ struct arena scratch = { 0 }; /* patterns take more room than the document */
    struct schema_options options = { .code = CODE_VALIDATION_ERROR, .series = &im->series };
    struct report r = report_new(&scratch, "schema.yaml", (struct str){ 0 });
    const struct jsonschema *program;

    if (jsonschema_read(schema, &options, &scratch, &program, &r))
        return NULL;
    return arena_printf(im->a, "its schema is none: %s",
                        rpc_words(str_of(r.first ? r.first->msg : "it cannot be read"), im->a));
}

/* A NUL, which an adapter must not have, as JSON writes it. */
static bool has_nul(struct str json)
{
    for (size_t i = 0; i < json.n; i++) {
        if (json.s[i] != '\\')
            continue;
        if (str_begins(str_from(json, i), "\\u0000"))
            return true;
        i++; /* what is escaped begins nothing */
    }
    return false;
}

/* JSON is YAML, but for some characters and for numbers that no double holds. What cannot be read
 * back is not written, and again the server alone judges. NULL: it can be; else why not. */
static const char *unread(struct str json, struct arena *a, const struct document **out)
{
    struct ceilings max = ceilings_default();
    struct error e = { .msg = "a text in it has a NUL byte" };

    if (!has_nul(json) && doc_read("schema.yaml", json, &max, a, out, &e))
        return NULL;
    return arena_printf(a, "its schema cannot stand here: %s", rpc_words(str_of(e.msg), a));
}

/* "input" or "output" of an operation. False: it is too large. */
static bool put_schema(struct importing *im, const char *operation, const char *side,
                       const struct doc *schema, struct buf *to)
{
    _buf_ struct buf text = { .max = YAML_MAX }, shown = { .max = YAML_MAX };
    const struct document *again = NULL;
    const char *why;
    struct str json;

    if (!schema || schema->kind != DOC_MAP)
        return true;
    json_doc(&text, schema);
    put_seen(&shown, buf_str(&text));
    if (!buf_ok(&text) || !buf_ok(&shown))
        return false;
    json = (struct str){ arena_text(im->a, buf_str(&shown)), shown.len };
    why = im->ask->known && secret_held(schema, im->ask->known) ? "it has the token in it"
                                                                : unread(json, im->a, &again);
    if (!why)
        why = no_schema(im, again);
    if (why) {
        buf_addf(to, "    # %s\n", why);
        leave(im, operation,
              arena_printf(im->a,
                           "only the schema of its %s, which the server alone holds it to: %s",
                           side, why));
        return true;
    }
    buf_addf(to, "    %s: ", side);
    buf_add(to, json.s, json.n);
    buf_addc(to, '\n');
    return true;
}

static void put_effect(const struct doc *tool, struct buf *to)
{
    const struct doc *hint = rpc_get(rpc_get(tool, "annotations"), "readOnlyHint");

    if (!hint || hint->kind != DOC_BOOL)
        return;
    buf_addf(to, "    effect: %s  # as the server says of itself\n",
             hint->truth ? "read" : "write");
}

/* A tool may be called 404, true or null: as a key such a name is quoted. */
static const char *as_key(const char *name, struct arena *a)
{
    struct doc d = { 0 };
    const char *why;

    if (yaml_scalar(str_of(name), &d, &why) && d.kind == DOC_TEXT)
        return name;
    return arena_printf(a, "\"%s\"", name);
}

static const char *put_tool(struct importing *im, const struct doc *tool, const char *name)
{
    _buf_ struct buf to = { .max = YAML_MAX };
    struct str about = rpc_text(tool, "description");
    const char *key = as_key(name, im->a);
    char digest[DIGEST_TEXT];
    struct digest d = mcp_tool_digest(tool, im->a);

    digest_text(&d, digest);
    buf_addf(&to, "  %s:\n", key);
    if (about.n == 0)
        about = rpc_text(tool, "title");
    if (about.n > 0)
        put(&to, "    about:", str_of(rpc_words(told(im, about), im->a)));
    buf_addf(&to, "    digest: %s\n", digest);
    put_effect(tool, &to);
    if (!put_schema(im, name, "input", rpc_get(tool, "inputSchema"), &to) ||
        !put_schema(im, name, "output", rpc_get(tool, "outputSchema"), &to))
        return "its schema has more than 4 MiB";
    buf_add(&im->operations, to.s, to.len);
    put(&im->mapping, arena_printf(im->a, "      %s:", key), rpc_text(tool, "name"));
    return NULL;
}

/* What a task comes to is asked for later, and we do not. */
static bool needs_task(const struct doc *tool)
{
    return str_is(rpc_text(rpc_get(tool, "execution"), "taskSupport"), "required");
}

static void take_tool(struct importing *im, const struct doc *tool)
{
    struct str tool_name = rpc_text(tool, "name");
    const char *name, *why = NULL;

    if (tool_name.n == 0)
        return;
    if (told(im, tool_name).s != tool_name.s) {
        leave(im, rpc_words(told(im, tool_name), im->a), "its name has the token in it");
        return;
    }
    name = operation_name(im, tool_name);
    if (im->ask->include && !any_matches(im->ask->include, name))
        why = "it is not among those to include";
    else if (any_matches(im->ask->exclude, name))
        why = "it is among those to exclude";
    else if (needs_task(tool))
        why = "it is called as a task alone, which is not done here";
    else
        why = put_tool(im, tool, name);
    if (why) {
        leave(im, name, why);
        return;
    }
    im->out->operations++;
}

/* ---- the whole ---- */

static void put_words(struct buf *to, const char *const *argv)
{
    _buf_ struct buf list = { .max = YAML_MAX };

    json_open(&list, '[');
    for (; argv && *argv; argv++)
        json_outside(&list, str_of(*argv));
    json_close(&list, ']');
    buf_addf(to, "    command: %s\n", list.s);
}

/* The host and port of a URL. */
static struct str host_of(const char *url)
{
    const char *at = strstr(url, "://");
    size_t n;

    if (!at)
        return str_of("");
    at += 3;
    n = strcspn(at, "/?#");
    return (struct str){ at, n };
}

static void put_interface(const struct importing *im, const char *server, struct buf *to)
{
    static const char *const transports[] = { "stdio", "http", "websocket" };

    buf_adds(to, "interface:\n  mcp:\n");
    put(to, "    server:", str_of(server));
    buf_addf(to, "    transport: %s\n", transports[im->ask->transport]);
    if (im->ask->argv)
        put_words(to, im->ask->argv);
    if (im->ask->url)
        put(to, "    url:", str_of(im->ask->url));
    if (im->ask->bearer) {
        buf_adds(to, "    auth:\n");
        put(to, "      secret:", str_of(im->ask->bearer));
    }
    buf_adds(to, "    tool_mapping:\n");
    buf_add(to, im->mapping.s, im->mapping.len);
}

/* Values are for whoever calls it: only where they are found stands here. */
static void put_secrets(const struct mcp_import_ask *ask, struct buf *to)
{
    if (ask->bearer || ask->secret_count)
        buf_adds(to, "\nsecrets:\n");
    if (ask->bearer) {
        put(to, "  - name:", str_of(ask->bearer));
        put(to, "    env:", str_of(ask->bearer));
        buf_adds(to, "    hosts:\n");
        put(to, "      -", host_of(ask->url));
    }
    for (size_t i = 0; i < ask->secret_count; i++) {
        const struct secret_doc *s = &ask->secrets[i];

        put(to, "  - name:", s->variable);
        if (s->env.n)
            put(to, "    env:", s->env);
        else if (s->file.n)
            put(to, "    file:", s->file);
        else
            put(to, "    credential:", s->credential);
        put(to, "    variable:", s->variable);
    }
}

static void put_network(const struct mcp_import_ask *ask, struct buf *to)
{
    if (ask->url || ask->hosts)
        buf_adds(to, "\nsandbox_override:\n  network:\n    enabled: true\n    allow:\n");
    if (ask->url)
        put(to, "      -", host_of(ask->url));
    for (const struct doc *c = ask->hosts; c; c = c->next)
        put(to, "      -", c->text);
}

static void put_adapter(struct importing *im, struct buf *to)
{
    struct str said_name = rpc_text(im->ask->server, "name");
    const char *server = word(said_name.n ? said_name : str_of("server"), '-', im->a);
    const char *name = im->ask->name ? im->ask->name : arena_printf(im->a, "mcp-%s", server);

    im->out->adapter_id = name;
    buf_adds(to,
             "# Made from the tools that the server lists. Each is pinned: where its definition\n"
             "# changes, the call is refused until the adapter is made again.\n");
    put(to, "adapter_id:", str_of(name));
    put(to, "name:", str_of(name));
    buf_adds(to, "version: \"1.0.0\"\n");
    put(to, "tool_id:", str_of(im->ask->tool ? im->ask->tool : name));
    buf_adds(to, "type: mcp\n\n");
    put_interface(im, server, to);
    put_secrets(im->ask, to);
    buf_adds(to, "\noperations:\n");
    buf_add(to, im->operations.s, im->operations.len);
    buf_adds(to, "\n# What does not fit the schema of its operation is not sent to the server.\n"
                 "transforms:\n  input:\n    - type: validate\n      spec: json_schema\n");
    put_network(im->ask, to);
    buf_adds(to, "\nmetadata:\n  author: writ\n");
    buf_addf(to, "  created: \"%s\"\n  updated: \"%s\"\n  status: experimental\n", im->ask->today,
             im->ask->today);
}

/* What was made is an adapter: it is read as one. */
static bool is_adapter(struct str yaml, struct arena *a, struct error *e)
{
    struct ceilings max = ceilings_default();
    struct report r = report_new(a, "adapter.yaml", yaml);
    const struct document *document;
    struct adapter_doc doc = { 0 };

    if (!doc_read("adapter.yaml", yaml, &max, a, &document, e))
        return error_wrap(e, "the adapter");
    (void)shape_decode(&adapter_shape, &document->root, &r, &doc);
    if (r.errors == 0)
        return true;
    return error_set(e, CODE_VALIDATION_ERROR, "the adapter: %s: %s",
                     r.first->pointer ? r.first->pointer : "", r.first->msg);
}

bool import_mcp(const struct mcp_import_ask *ask, struct arena *a, struct mcp_imported *out,
                struct error *e)
{
    _buf_ struct buf yaml = { .max = YAML_MAX };
    struct importing im = { .ask = ask,
                            .a = a,
                            .out = out,
                            .series = { .a = a, .work = { .left = SCHEMA_SERIES_STEPS } },
                            .mapping = { .max = YAML_MAX },
                            .operations = { .max = YAML_MAX } };

    *out = (struct mcp_imported){ 0 };
    for (size_t i = 0; i < ask->left_count; i++)
        leave(&im, arena_text(a, told(&im, str_of(ask->left[i].tool))),
              arena_text(a, told(&im, str_of(ask->left[i].why))));
    for (const struct doc *c = doc_first(ask->tools, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_MAP)
            take_tool(&im, c);
    put_adapter(&im, &yaml);
    yaml.full |= im.mapping.full || im.operations.full;
    buf_free(&im.mapping);
    buf_free(&im.operations);
    if (out->operations == 0 && ask->left_count)
        return error_set(e, CODE_VALIDATION_ERROR, "no tool is left to call; '%s' is not: %s",
                         out->left->operation, out->left->why);
    if (out->operations == 0)
        return error_set(e, CODE_VALIDATION_ERROR, "no tool is left to call");
    if (!buf_ok(&yaml))
        return error_set(e, CODE_VALIDATION_ERROR, "the adapter has more than 4 MiB");
    out->yaml = (struct str){ arena_text(a, buf_str(&yaml)), yaml.len };
    return is_adapter(out->yaml, a, e);
}
