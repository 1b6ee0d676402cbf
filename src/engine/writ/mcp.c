/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c: the public function that tries an MCP server. */
#include <writ/adapters.h>

#include "adapter/mcp_probe.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "engine/call_visit.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"

/* What is called. */
struct wish {
    const struct doc *context;
    bool all;
};

static bool read_one(const char *text, struct arena *a, const struct doc **out, struct error *e)
{
    struct ceilings max = ceilings_default();
    const struct document *document;

    if (!json_read("context", str_of(text), &max, a, &document, e)) {
        e->code = CODE_VALIDATION_ERROR;
        return error_wrap(e, "the context is no JSON");
    }
    *out = &document->root;
    return true;
}

/* As the caller says, else as the conformance suite does in its variables. */
static bool read_wish(const char *given, const char *const *environment, struct arena *a,
                      struct wish *out, struct error *e)
{
    const char *text = home_variable(environment, "MCP_CONFORMANCE_CONTEXT");
    const struct doc *all;

    *out = (struct wish){ 0 };
    if (given && !read_one(given, a, &out->context, e))
        return false;
    all = out->context ? doc_get(out->context, "all") : NULL;
    out->all = all && all->kind == DOC_BOOL && all->truth;
    if (given && !out->all && !mcp_probe_calls(out->context))
        return error_set(
            e, CODE_VALIDATION_ERROR,
            "the context names no call: {\"calls\":[{\"tool\":..,\"arguments\":{..}}]}");
    return mcp_probe_calls(out->context) || !text || read_one(text, a, &out->context, e);
}

/* A tool that fails or is not there was answered; a call whose answer did not come was not. */
static bool all_answered(const struct doc *said)
{
    static const enum mcp_end lost[] = { MCP_LATE, MCP_CANCELLED, MCP_GONE,
                                         MCP_LOST, MCP_GARBLED,   MCP_TOO_LARGE };

    for (const struct doc *c = doc_first(doc_get(said, "answers"), DOC_LIST); c; c = c->next)
        for (size_t i = 0; i < COUNT(lost); i++)
            if (str_is(doc_text(c, "end"), mcp_end_names[lost[i]]))
                return false;
    return true;
}

/* What it said is judged as it is, and then read without the token: which is taken out of a
 * document, for the text of one would be none afterwards. */
static int judge(const struct visit *v, struct arena *a, struct buf *out, struct error *e)
{
    _buf_ struct buf clean = { .max = ANSWER_MAX };
    struct ceilings max = ceilings_none(); /* each of its parts was held to its own */
    const struct document *document;
    int status;

    if (!buf_ok(out)) /* who takes it tells that it is too large */
        return WRIT_NO;
    max.any_number = true;
    if (!json_read("answer", buf_str(out), &max, a, &document, e))
        return WRIT_NO;
    status = all_answered(&document->root) ? WRIT_OK : WRIT_NO;
    if (v->secrets.n) {
        json_doc(&clean, visit_told(v, &document->root, a));
        buf_free(out);
        *out = clean;
        clean = (struct buf){ 0 };
    }
    return status;
}

static int speak(const struct visit_ask *ask, const struct wish *wish, struct arena *a,
                 struct buf *out, struct error *e)
{
    _visit_ struct visit v;
    int status = visit_open(&v, ask, e);

    if (status != WRIT_OK)
        return status;
    if (!mcp_probe(v.mcp, wish->context, wish->all, a, out, e))
        return visit_status(e);
    return judge(&v, a, out, e);
}

static int probe(const struct visit_ask *ask, const char *given, struct buf *out, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct wish wish;

    if (!read_wish(given, ask->environment, &a, &wish, e))
        return WRIT_USAGE;
    return speak(ask, &wish, &a, out, e);
}

int writ_mcp_probe(const char *url, const char *context, const char *bearer,
                   const char *const *environment, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct visit_ask ask = {
        .url = url, .bearer = bearer, .environment = environment, .cancel = -1
    };
    struct error e = { 0 };
    int status;

    if (!given(url, "url", answer))
        return WRIT_USAGE;
    status = probe(&ask, context, &out, &e);
    if (!e.code)
        return take_answer(&out, status, answer);
    *answer = record_failure(e.code, e.msg);
    return status;
}
