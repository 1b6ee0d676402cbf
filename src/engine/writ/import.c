/* SPDX-License-Identifier: Apache-2.0 */
/* import.c: the public function that makes an adapter of what others wrote. */
#include <writ/adapters.h>

#include "adapter/import_mcp.h"
#include "adapter/import_openapi.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "base/world.h"
#include "base/yaml.h"
#include "contract/adapter_doc.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/visit.h"

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
static bool reads_back(const struct import_made *made, struct arena *a, struct report *r)
{
    struct ceilings max = ceilings_default();
    struct adapter_doc decoded = { 0 };
    const struct document *document;
    struct error e;

    *r = report_new(a, "adapter", made->yaml);
    if (yaml_read("adapter", made->yaml, &max, a, &document, &e))
        return shape_decode(&adapter_shape, &document->root, r, &decoded);
    report_error(r, &e);
    return false;
}

static void put_made(const struct import_made *made, struct buf *to)
{
    json_open(to, '{');
    json_key(to, "adapter");
    json_outside(to, made->yaml);
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
    const struct document *document;
    struct import_made made;
    struct report r;
    struct error e;

    if (!input_read(import->openapi, &a, &document, &r))
        return input_wrong(&r, NULL, answer);
    ask.root = &document->root;
    if (!import_openapi(&ask, &a, &made, &e)) {
        report_error(&r, &e);
        return input_wrong(&r, NULL, answer);
    }
    if (!reads_back(&made, &a, &r))
        return input_wrong(&r, "adapter", answer);
    put_made(&made, &out);
    *answer = take_answer(&out);
    return WRIT_OK;
}

/* ---- of a server ---- */

static const char *const *some(const char *const *patterns)
{
    return patterns && *patterns ? patterns : NULL;
}

static bool make(const struct writ_import *import, const struct visit *v, const struct doc *tools,
                 struct arena *a, struct import_made *made, struct error *e)
{
    struct mcp_import_ask ask = { .server = mcp_server_info(v->mcp),
                                  .tools = tools,
                                  .name = import->name,
                                  .tool = import->tool,
                                  .transport = v->transport,
                                  .argv = import->argv,
                                  .url = import->argv ? NULL : import->url,
                                  .include = some(import->include),
                                  .exclude = import->exclude,
                                  .today = today(a) };
    struct mcp_imported got;

    if (!import_mcp(&ask, a, &got, e))
        return false;
    *made = (struct import_made){ .yaml = got.yaml,
                                  .adapter_id = got.adapter_id,
                                  .operations = got.operations,
                                  .left = arena_alloc(a, (got.left_count + 1) * sizeof *made->left),
                                  .left_count = got.left_count };
    for (size_t i = 0; i < got.left_count; i++)
        made->left[i] = (struct import_left){ got.left[i].operation, got.left[i].why };
    return true;
}

static int ask_server(const struct writ_import *import, struct arena *a, struct import_made *made,
                      struct error *e)
{
    struct visit_ask ask = { .argv = import->argv,
                             .url = import->url,
                             .environment = import->environment,
                             .ledger = import->ledger,
                             .cancel = import->cancel };
    _visit_ struct visit v;
    const struct doc *tools;
    int status = visit_open(&v, &ask, e);

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
    struct error e = { 0 };
    int status = ask_server(import, &a, &made, &e);

    if (status != WRIT_OK) {
        *answer = record_failure(e.code, e.msg);
        return status;
    }
    put_made(&made, &out);
    *answer = take_answer(&out);
    return status;
}

int writ_import(const struct writ_import *import, char **answer)
{
    if (import->openapi)
        return from_openapi(import, answer);
    if (import->url || (import->argv && import->argv[0]))
        return from_server(import, answer);
    *answer = record_failure(CODE_VALIDATION_ERROR, "there is nothing to import");
    return WRIT_USAGE;
}
