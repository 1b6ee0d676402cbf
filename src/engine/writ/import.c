/* SPDX-License-Identifier: Apache-2.0 */
/* import.c: the public function that makes an adapter of what others wrote. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <writ/adapters.h>

#include "adapter/callable.h"
#include "adapter/import_mcp.h"
#include "adapter/import_openapi.h"
#include "adapter/transform.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "base/world.h"
#include "base/yaml.h"
#include "contract/adapter_doc.h"
#include "engine/call_visit.h"
#include "engine/given.h"
#include "engine/import_given.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/toolbox.h"

enum { LIST_MS = 20000 };

/* "2026-01-16" */
static const char *today(struct arena *a)
{
    const struct world *w = world_real();
    char text[STAMP_TEXT];

    stamp_text(w->wall_ms(w->self), text);
    return arena_text(a, (struct str){ text, strlen("2026-01-16") });
}

/* What is written must be what is read: an adapter without a problem. */
static bool reads_back(const struct import_made *made, struct arena *a, struct adapter *out,
                       struct report *r)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    *out = (struct adapter){ .origin = ORIGIN_PROJECT };
    *r = report_new(a, "adapter", made->yaml);
    if (yaml_read("adapter", made->yaml, &max, a, &document, &e)) {
        out->tree = &document->root;
        return shape_decode(&adapter_shape, &document->root, r, &out->doc);
    }
    report_error(r, &e);
    return false;
}

/* What keeps it from being called as it is: where its service is, mostly, which is for people to
 * mend. They are told now, and not by the first call. */
static void put_uncallable(const struct adapter *adapter, struct arena *a, struct buf *to)
{
    struct report r = report_new(a, "adapter", (struct str){ 0 });

    transforms_fit(adapter, &r);
    callable_fits(adapter, &r);
    for (const struct problem *p = r.first; p; p = p->next)
        if (!p->warning)
            json_outside(to, str_of(arena_printf(a, "it cannot be called as it is: %s: %s",
                                                 p->pointer, p->msg)));
}

/* ---- what the registry must say ---- */

static bool is_listed(const struct writ_import *import, const struct adapter *adapter,
                      struct arena *a)
{
    struct report r = report_new(a, "", (struct str){ 0 });
    const struct settings *settings;
    const struct registry_doc *registry;
    const struct tool_doc *tool;
    struct toolbox box;
    struct error e;
    bool listed;

    toolbox_open(&box, import->environment, world_real());
    listed = toolbox_settings(&box, &settings, &r) &&
             toolbox_tool(&box, adapter, &registry, &tool, &r, &e);
    toolbox_close(&box);
    return listed;
}

/* A text of JSON is one of YAML. By itself: JSON looks at what stands before it. */
static void put_text(struct buf *to, struct str text)
{
    _buf_ struct buf json = { .max = to->max };

    json_text(&json, text);
    buf_add(to, json.s, json.len);
}

static void put_names(struct buf *to, const char *key, const struct str *names, size_t n)
{
    buf_addf(to, "%s: [", key);
    for (size_t i = 0; i < n; i++)
        json_text(to, names[i]);
    buf_adds(to, "]");
}

/* An entry of .writ/tools.yaml that lets all of it be called, as people paste it. */
static void write_entry(const struct adapter *adapter, struct arena *a, struct buf *to)
{
    const struct mcp_interface *mcp = adapter->doc.interface->mcp;
    struct items operations = adapter_operations(adapter, a);
    const struct override_network *network = adapter->doc.sandbox_override->network;
    bool starts = mcp && mcp->command.n;

    buf_adds(to, "  - tool_id: ");
    put_text(to, adapter->doc.tool_id);
    buf_adds(to, "\n    name: ");
    put_text(to, adapter->doc.name);
    buf_adds(to, "\n    owner: you\n    scope:\n      ");
    if (starts) {
        put_names(to, "commands", mcp->command.v, 1);
        buf_adds(to, "\n      ");
    }
    put_names(to, "operations", operations.v, operations.n);
    if (!starts || (network && network->enabled))
        buf_addf(to, "\n      network: api\n    approval: {by: you, at: \"%s\", reason: \"why\"}",
                 today(a));
    buf_adds(to, "\n    status: active\n");
}

/* ---- the answer ---- */

static void put_made(const struct writ_import *import, const struct import_made *made,
                     const struct adapter *adapter, struct arena *a, struct buf *to)
{
    _buf_ struct buf entry = { .max = ANSWER_MAX };

    json_open(to, '{');
    json_put_outside(to, "adapter", made->yaml);
    json_put(to, "adapter_id", made->adapter_id);
    json_put_int(to, "operations", (int64_t)made->operations);
    json_key(to, "left_out");
    json_open(to, '[');
    for (size_t i = 0; i < made->left_count; i++) {
        json_open(to, '{');
        json_put(to, "operation", made->left[i].operation);
        json_put(to, "why", made->left[i].why);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_key(to, "warnings");
    json_open(to, '[');
    for (size_t i = 0; i < made->warned; i++)
        json_outside(to, str_of(made->warnings[i]));
    put_uncallable(adapter, a, to);
    json_close(to, ']');
    json_put_outside(to, "tool_id", adapter->doc.tool_id);
    if (!is_listed(import, adapter, a))
        write_entry(adapter, a, &entry);
    json_key(to, "tool_entry");
    if (entry.len)
        json_outside(to, buf_str(&entry));
    else
        json_nil(to);
    json_close(to, '}');
}

static int from_openapi(const struct writ_import *import, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct import_ask ask = { .name = import->name,
                              .tool = import->tool,
                              .include = import->include,
                              .exclude = import->exclude,
                              .today = today(&a) };
    struct ceilings max = ceilings_answer(); /* a bound or an example may be any number */
    const struct document *document;
    struct import_made made;
    struct adapter adapter;
    struct report r;
    struct error e;

    if (!input_read_within(import->openapi, &max, &a, &document, &r))
        return input_wrong(&r, NULL, answer);
    ask.root = &document->root;
    if (!import_openapi(&ask, &a, &made, &e)) {
        report_error(&r, &e);
        return input_wrong(&r, NULL, answer);
    }
    if (!reads_back(&made, &a, &adapter, &r))
        return input_wrong(&r, "adapter", answer);
    put_made(import, &made, &adapter, &a, &out);
    return take_answer(&out, WRIT_OK, answer);
}

/* ---- of a server ---- */

static const char *const *some(const char *const *patterns)
{
    return patterns && *patterns ? patterns : NULL;
}

/* The whole path of a file of this directory. Its own name stays: what a link leads to may be a
 * program that asks by which name it was started. */
static const char *whole_path(const char *word, struct arena *a)
{
    const char *slash = strrchr(word, '/');
    const char *directory =
        slash ? arena_text(a, (struct str){ word, (size_t)(slash - word) }) : ".";
    _free_ char *real = realpath(directory, NULL);

    if (!real)
        return word;
    return arena_printf(a, "%s/%s", strcmp(real, "/") == 0 ? "" : real, slash ? slash + 1 : word);
}

/* Does an argument name a file, as "server.js" and "lib/rules" do? What only may be a path is one
 * where there is such a file; a word without a slash that is also the name of a directory is left
 * alone, and so is ".", which is wherever somebody calls. */
static bool names_file(const char *word)
{
    const char *slash = strrchr(word, '/');
    struct stat st;

    if (*word == '/' || *word == '-' || stat(word, &st) != 0)
        return false;
    return S_ISREG(st.st_mode) ||
           (slash && slash[1] && strcmp(slash, "/.") != 0 && strcmp(slash, "/..") != 0);
}

/* An argument, or what stands behind the = of an option: "--config=./rules" names a file as
 * "./rules" does. A value without dots may be anything, and is left alone. */
static const char *whole_word(const char *word, struct arena *a)
{
    const char *equals = str_begins(str_of(word), "--") ? strchr(word, '=') : NULL;
    struct str value = str_of(equals ? equals + 1 : "");

    if ((str_begins(value, "./") || str_begins(value, "../")) && names_file(value.s))
        return arena_printf(a, "%.*s%s", (int)(value.s - word), word, whole_path(value.s, a));
    return names_file(word) ? whole_path(word, a) : word;
}

/* "./server" and "server.js" are files of this directory; the adapter is called from others, too.
 */
static const char *const *from_anywhere(const char *const *argv, struct arena *a)
{
    const char **out;
    size_t n = 0;

    if (!argv)
        return NULL;
    while (argv[n])
        n++;
    out = arena_alloc(a, (n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        bool beside = argv[i][0] != '/' && strchr(argv[i], '/');

        out[i] = i > 0 ? whole_word(argv[i], a) : beside ? whole_path(argv[i], a) : argv[i];
    }
    return out;
}

static bool make(const struct writ_import *import, const struct visit *v, const struct doc *tools,
                 struct arena *a, struct import_made *made, struct error *e)
{
    struct import_given given = import_given(import->options, a);
    struct mcp_import_ask ask = { .server = visit_told(v, mcp_server_info(v->mcp), a),
                                  .tools = tools,
                                  .name = import->name,
                                  .tool = import->tool,
                                  .transport = v->transport,
                                  .argv = from_anywhere(import->argv, a),
                                  .url = import->argv ? NULL : import->url,
                                  .bearer = import->bearer,
                                  .known = &v->secrets,
                                  .include = some(import->include),
                                  .exclude = import->exclude,
                                  .hosts = given.hosts,
                                  .secrets = given.secrets,
                                  .secret_count = given.secret_count,
                                  .today = today(a) };
    struct mcp_imported got;

    ask.left_count = mcp_tools_left(v->mcp, a, &ask.left);
    if (!import_mcp(&ask, a, &got, e))
        return false;
    *made = (struct import_made){ .yaml = got.yaml,
                                  .adapter_id = got.adapter_id,
                                  .operations = got.operations,
                                  .left = arena_alloc(a, (got.left_count + 1) * sizeof *made->left),
                                  .left_count = got.left_count };
    for (size_t i = 0; i < got.left_count; i++)
        made->left[i] = (struct import_left){ got.left[i].operation, got.left[i].why };
    import_warn_of_words(import->argv, a, made);
    import_warn_of_given(&given, a, made);
    return true;
}

/* *answer: only where a document is wrong. */
static int ask_server(const struct writ_import *import, struct arena *a, struct import_made *made,
                      char **answer, struct error *e)
{
    struct visit_ask ask = { .argv = import->argv,
                             .url = import->url,
                             .bearer = import->bearer,
                             .environment = import->environment,
                             .ledger = import->ledger,
                             .weak = import->weak,
                             .options = import->options,
                             .cancel = import->cancel };
    _visit_ struct visit v;
    const struct doc *tools;
    int status = visit_open(&v, &ask, e);

    if (status == WRIT_WRONG)
        return input_wrong(&v.report, v.kind, answer);
    if (status != WRIT_OK)
        return status;
    if (!mcp_tools(v.mcp, LIST_MS, import->cancel, a, &tools, e))
        return visit_status(e);
    if (!make(import, &v, tools, a, made, e))
        return WRIT_NO;
    return visit_end(&v, e);
}

static int from_server(const struct writ_import *import, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct import_made made = { 0 };
    struct adapter adapter;
    struct report r;
    struct error e = { 0 };
    int status = import_no_login(import->argv, &e) ? ask_server(import, &a, &made, answer, &e)
                                                   : visit_status(&e);

    if (status == WRIT_WRONG)
        return status;
    if (status != WRIT_OK) {
        *answer = record_failure(e.code, e.msg);
        return status;
    }
    if (!reads_back(&made, &a, &adapter, &r))
        return input_wrong(&r, "adapter", answer);
    put_made(import, &made, &adapter, &a, &out);
    return take_answer(&out, status, answer);
}

int writ_import(const struct writ_import *import, char **answer)
{
    if (!given_ledger(import->ledger, import->environment, answer))
        return WRIT_USAGE;
    if (!!import->openapi + !!import->url + (import->argv && import->argv[0]) > 1) {
        *answer =
            record_failure(CODE_USAGE, "there is more to import than one: give a document, an "
                                       "address or a command");
        return WRIT_USAGE;
    }
    if (import->bearer && !import->url) {
        *answer = record_failure(CODE_USAGE, "a token is sent to a server at an address alone");
        return WRIT_USAGE;
    }
    if (import->openapi)
        return from_openapi(import, answer);
    if (import->url || (import->argv && import->argv[0]))
        return from_server(import, answer);
    *answer = record_failure(CODE_VALIDATION_ERROR, "there is nothing to import");
    return WRIT_USAGE;
}
