/* SPDX-License-Identifier: Apache-2.0 */
/* headers.c: parameters of a tool that go along as headers (x-mcp-header, MCP 2026-07-28). */
#include "adapter/mcp/headers.h"

#include "adapter/mcp_rpc.h"
#include "base/base64.h"

static const char mark[] = "x-mcp-header";

enum {
    MARKS_MAX = 64,
    DEEPEST = 128,        /* as the reader of JSON has it */
    VALUE_MAX = 64 << 10, /* bytes in the value of one header */
};
static const int64_t safe_integer = 9007199254740991; /* that every reader of JSON holds exactly */

struct marked {
    struct str name; /* Mcp-Param-.. */
    struct str *path;
    size_t depth;
    struct marked *next;
};

struct tool_headers {
    struct marked *first;
    size_t count;
};

struct walk {
    struct arena *a;
    struct tool_headers *found;
    struct str path[DEEPEST];
    const char *why;
};

/* ---- marks ---- */

static bool is_token(struct str text)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (size_t i = 0; i < text.n; i++)
        if (!is_one_of(text.s[i], token))
            return false;
    return text.n > 0;
}

static bool is_plain_type(const struct doc *property)
{
    struct str type = rpc_text(property, "type");

    return str_is(type, "string") || str_is(type, "integer") || str_is(type, "boolean");
}

static bool is_taken(const struct tool_headers *found, struct str name)
{
    for (const struct marked *one = found->first; one; one = one->next)
        if (one->name.n == name.n && str_cmp_letters(one->name, name) == 0)
            return true;
    return false;
}

static void add_mark(struct walk *w, const struct doc *property, const struct doc *value,
                     size_t depth)
{
    struct marked *one = arena_new(w->a, struct marked);
    struct str text = value->kind == DOC_TEXT ? value->text : str_of("");

    one->name = str_of(arena_printf(w->a, "Mcp-Param-%.*s", STR_ARG(text)));
    if (!is_token(text))
        w->why = "x-mcp-header is not the name of a header";
    else if (depth == 0 || !is_plain_type(property))
        w->why = "x-mcp-header is at what is neither a string, an integer nor a boolean";
    else if (is_taken(w->found, one->name))
        w->why = "x-mcp-header names a header twice";
    else if (w->found->count == MARKS_MAX)
        w->why = "x-mcp-header is there too often";
    if (w->why)
        return;
    one->path = arena_alloc(w->a, depth * sizeof *one->path);
    memcpy(one->path, w->path, depth * sizeof *one->path);
    one->depth = depth;
    one->next = w->found->first;
    w->found->first = one;
    w->found->count++;
}

/* A mark anywhere in here is one too many. */
static void no_marks(struct walk *w, const struct doc *d)
{
    if (d->kind != DOC_MAP && d->kind != DOC_LIST)
        return;
    for (const struct doc *c = d->first; c && !w->why; c = c->next) {
        if (d->kind == DOC_MAP && str_is(c->key, mark))
            w->why = "x-mcp-header is where a value cannot be found by its name alone";
        no_marks(w, c);
    }
}

/* A schema that is reached by names of properties alone. */
static void walk(struct walk *w, const struct doc *schema, size_t depth)
{
    const struct doc *value = rpc_get(schema, mark);

    if (value)
        add_mark(w, schema, value, depth);
    for (const struct doc *c = doc_first(schema, DOC_MAP); c && !w->why; c = c->next) {
        if (c == value || str_is(c->key, "default") || str_is(c->key, "examples") ||
            str_is(c->key, "const") || str_is(c->key, "enum"))
            continue; /* values, not schemas */
        if (!str_is(c->key, "properties") || c->kind != DOC_MAP || depth + 1 >= DEEPEST) {
            no_marks(w, c);
            continue;
        }
        for (const struct doc *p = c->first; p && !w->why; p = p->next) {
            w->path[depth] = p->key;
            walk(w, p->kind == DOC_MAP ? p : NULL, depth + 1);
        }
    }
}

bool headers_read(const struct doc *schema, struct arena *a, const struct tool_headers **out,
                  const char **why)
{
    struct walk *w = arena_new(a, struct walk);

    w->a = a;
    w->found = arena_new(a, struct tool_headers);
    walk(w, schema, 0);
    if (w->why) {
        *why = w->why;
        return false;
    }
    *out = w->found->count ? w->found : NULL;
    return true;
}

/* ---- values ---- */

static bool is_plain(struct str text)
{
    static const char begin[] = "=?base64?", end[] = "?=";

    if (text.n > 0 && (text.s[0] == ' ' || text.s[text.n - 1] == ' '))
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.s[i] < ' ' || text.s[i] > '~')
            return false;
    return !(str_begins(text, begin) && memcmp(text.s + text.n - 2, end, 2) == 0);
}

struct str header_value(struct str text, struct arena *a)
{
    _buf_ struct buf to = { .max = 2 * VALUE_MAX };

    if (is_plain(text))
        return text;
    buf_adds(&to, "=?base64?");
    base64_add(&to, text);
    buf_adds(&to, "?=");
    return (struct str){ arena_text(a, buf_str(&to)), to.len };
}

static const struct doc *at_path(const struct doc *arguments, const struct marked *one)
{
    const struct doc *d = arguments;

    for (size_t i = 0; d && i < one->depth; i++) {
        const struct doc *c = doc_first(d, DOC_MAP);

        while (c && !str_eq(c->key, one->path[i]))
            c = c->next;
        d = c;
    }
    return d;
}

/* Of what does not have its type, or is too much for a header, there is none: the server says what
 * it thinks of that. */
static bool put_value(const struct doc *d, struct arena *a, struct str *out)
{
    if (d->kind == DOC_TEXT && d->text.n <= VALUE_MAX)
        *out = header_value(d->text, a);
    else if (d->kind == DOC_BOOL)
        *out = str_of(d->truth ? "true" : "false");
    else if (d->kind == DOC_INT && d->whole <= safe_integer && d->whole >= -safe_integer)
        *out = str_of(arena_printf(a, "%lld", (long long)d->whole));
    else
        return false;
    return true;
}

const struct http_header *headers_of(const struct tool_headers *marks, const struct doc *arguments,
                                     struct arena *a, size_t *count)
{
    struct http_header *headers = arena_alloc(a, marks->count * sizeof *headers);

    *count = 0;
    for (const struct marked *one = marks->first; one; one = one->next) {
        const struct doc *d = at_path(arguments, one);
        struct str value;

        if (d && put_value(d, a, &value))
            headers[(*count)++] = (struct http_header){ one->name, value };
    }
    return headers;
}
