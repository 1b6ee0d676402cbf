/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: one request in either era, and one call of a tool with the rounds it may take. */
#include "adapter/mcp.h"
#include "adapter/mcp/parts.h"
#include "base/json_write.h"

enum {
    REQUEST_MAX = 64 << 20,
    REQUEST_USUAL = 1000, /* bytes that most need no more than */
    INPUTS_MAX = 32,      /* that a server may ask for in one round */
};

/* ---- requests ---- */

static int64_t new_id(struct mcp *m)
{
    int64_t id;

    pthread_mutex_lock(&m->lock);
    id = ++m->last_id;
    pthread_mutex_unlock(&m->lock);
    return id;
}

static void write_message(const struct mcp *m, const struct mcp_want *want, int64_t id,
                          struct buf *to)
{
    if (!buf_reserve(to, REQUEST_USUAL))
        return;
    rpc_begin(to, id, want->method);
    if (want->params)
        want->params(want->self, to);
    if (m->era == MCP_MODERN) {
        json_key(to, "_meta");
        buf_adds(to, m->meta);
    }
    rpc_end(to);
}

static void send_once(struct mcp *m, const struct mcp_want *want, struct arena *a,
                      struct mcp_exchange *out)
{
    _buf_ struct buf to = { .max = REQUEST_MAX };

    *out = (struct mcp_exchange){ .method = want->method,
                                  .name = want->name,
                                  .id = new_id(m),
                                  .headers = want->headers,
                                  .header_count = want->header_count,
                                  .end_ms = want->end_ms,
                                  .cancel = want->cancel,
                                  .wake = -1,
                                  .a = a };
    write_message(m, want, out->id, &to);
    out->message = buf_str(&to);
    if (buf_ok(&to)) {
        m->wire->exchange(m, out);
    } else {
        out->end = MCP_TOO_LARGE;
        out->why = arena_printf(a, "the request is above the ceiling of %d bytes", REQUEST_MAX);
    }
    out->message = (struct str){ 0 };
}

void mcp_request(struct mcp *m, const struct mcp_want *want, struct arena *a,
                 struct mcp_exchange *out)
{
    send_once(m, want, a, out);
    /* What has a result was done, and its session is not over. */
    if (out->status != 404 || out->answer.result || !mcp_again(m, out, want->end_ms))
        return;
    if (!want->once && !rpc_id_is(out->answer.id, out->id))
        send_once(m, want, a, out);
    else if (out->end == MCP_ERROR && !out->answer.error)
        out->why = arena_printf(a,
                                "%s; another session has begun, and the call, which may have been "
                                "done, was not sent again",
                                out->why);
}

void mcp_notify(struct mcp *m, const struct mcp_want *want)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf to = { .max = MCP_MESSAGE_MAX };
    struct mcp_exchange x = {
        .method = want->method, .end_ms = want->end_ms, .cancel = want->cancel, .wake = -1, .a = &a
    };

    write_message(m, want, 0, &to);
    x.message = buf_str(&to);
    m->wire->exchange(m, &x);
}

/* ---- what a server asks for before it answers (MRTR) ---- */

/* Our answers to all it asks for, as members of the next request's params; NULL, or what it must
 * not ask for. */
static const char *answer_inputs(struct mcp *m, const struct doc *result, struct arena *a,
                                 struct buf *to)
{
    const struct doc *asked = rpc_get(result, "inputRequests"), *state;
    const struct doc *c = doc_first(asked, DOC_MAP);

    if (asked && (asked->kind != DOC_MAP || asked->count > INPUTS_MAX))
        return "it asks for more than one round may have";
    if (c)
        buf_adds(to, ",\"inputResponses\":{");
    for (const struct doc *one = c; one; one = one->next) {
        _buf_ struct buf reply = { .max = MCP_MESSAGE_MAX };
        struct str method = rpc_text(one, "method");
        const char *why;
        int code;

        if (one->kind != DOC_MAP ||
            !mcp_reply(m, method, rpc_get(one, "params"), &reply, &code, &why))
            return arena_printf(a, "it asks for %s, which it was not offered",
                                said(mcp_clean(m, method, a), a));
        json_text(to, one->key);
        buf_addc(to, ':');
        buf_add(to, reply.s, reply.len);
    }
    if (c)
        buf_addc(to, '}');
    state = rpc_get(result, "requestState");
    if (state && state->kind == DOC_TEXT) {
        buf_adds(to, ",\"requestState\":"); /* json_key() takes what is empty for a beginning */
        json_text(to, state->text);
    }
    return c || state ? NULL : "it asks for something and does not say for what";
}

/* ---- a call ---- */

struct calling {
    struct mcp *m;
    const struct mcp_call *call;
    struct arena *a;
    int64_t end_ms;
    struct tool_use use;
    struct mcp_answer *out;
    struct buf more; /* what the round says besides */
};

static void conclude(struct mcp_answer *out, enum mcp_end end, const char *why)
{
    out->end = end;
    out->message = why;
}

static void conclude_failed(struct calling *c, const struct mcp_exchange *x)
{
    c->out->later_ms = x->later_ms;
    if (x->end == MCP_ERROR && x->answer.error) {
        conclude(c->out, MCP_ERROR, mcp_error_words(c->m, x->answer.error, c->a));
        c->out->code = mcp_is_busy(x) ? x->status : rpc_get(x->answer.error, "code")->whole;
        return;
    }
    conclude(c->out, x->end, x->why ? mcp_words(c->m, str_of(x->why), c->a) : "");
    c->out->code = x->end == MCP_ERROR ? x->status : 0;
}

/* Finds the tool; false: the call has come to its end. */
static bool find_tool(struct calling *c)
{
    struct mcp_exchange failed = { .end = MCP_GARBLED };

    switch (tools_find(c->m, c->call, c->end_ms, c->a, &c->use, &failed)) {
    case TOOL_NO_LIST: conclude_failed(c, &failed); return false;
    case TOOL_UNKNOWN:
        conclude(
            c->out, MCP_UNKNOWN_TOOL,
            arena_printf(c->a, "%s has no tool %s", c->m->ask.name, said(c->call->tool, c->a)));
        return false;
    case TOOL_FOUND: break;
    }
    if (c->call->pinned.n == 0 || str_is(c->call->pinned, c->use.tool->digest))
        return true;
    conclude(c->out, MCP_CHANGED,
             arena_printf(c->a, "the tool %s is not what was pinned: it is %s now",
                          said(c->call->tool, c->a), c->use.tool->digest));
    return false;
}

static void put_params(const void *self, struct buf *to)
{
    const struct calling *c = self;

    json_put_text(to, "name", c->call->tool);
    json_key(to, "arguments");
    if (c->call->arguments)
        json_doc(to, c->call->arguments);
    else
        buf_adds(to, "{}");
    buf_add(to, c->more.s, c->more.len);
}

static void one_round(struct calling *c, struct mcp_exchange *x)
{
    struct mcp_want want = { .method = "tools/call",
                             .params = put_params,
                             .self = c,
                             .name = c->call->tool,
                             .end_ms = c->end_ms,
                             .cancel = c->call->cancel,
                             .once = !c->call->repeatable };

    if (c->m->era == MCP_MODERN && c->use.tool->headers)
        want.headers =
            headers_of(c->use.tool->headers, c->call->arguments, c->a, &want.header_count);
    mcp_request(c->m, &want, c->a, x);
}

static bool wants_headers(const struct mcp_exchange *x)
{
    const struct doc *code = x->end == MCP_ERROR ? rpc_get(x->answer.error, "code") : NULL;

    return code && code->whole == RPC_HEADER_MISMATCH;
}

/* What makes it no result of a tool; NULL: it is one. */
static const char *wrong_with(const struct doc *result)
{
    const struct doc *failed = rpc_get(result, "isError"), *content = rpc_get(result, "content");

    if (failed && failed->kind != DOC_BOOL)
        return "a result whose isError is neither true nor false";
    if (!content)
        return rpc_get(result, "structuredContent") ? NULL : "a result without content";
    if (content->kind != DOC_LIST)
        return "a result whose content is no list";
    for (const struct doc *c = doc_first(content, DOC_LIST); c; c = c->next)
        if (c->kind != DOC_MAP)
            return "a result whose content has an item that is no object";
    return NULL;
}

/* The answer is there; the round was the last, or the next one has something to say besides. */
static bool is_last(struct calling *c, const struct mcp_exchange *x)
{
    const struct doc *type = rpc_get(x->answer.result, "resultType");
    const struct doc *failed = rpc_get(x->answer.result, "isError");
    const char *wrong = NULL;

    c->out->result = x->answer.result;
    c->out->failed = failed && failed->kind == DOC_BOOL && failed->truth;
    c->out->end = MCP_DONE;
    if (c->m->era == MCP_MODERN && type && type->kind == DOC_TEXT &&
        str_is(type->text, "input_required")) {
        buf_reset(&c->more);
        wrong = answer_inputs(c->m, x->answer.result, c->a, &c->more);
        if (!wrong)
            return false;
    } else if (type && (type->kind != DOC_TEXT || !str_is(type->text, "complete"))) {
        wrong = "a result of a type that is not known here";
    } else {
        wrong = wrong_with(x->answer.result);
        if (!wrong && !c->out->failed)
            wrong = tools_misfit(c->m, &c->use, x->answer.result, c->a);
    }
    if (wrong)
        conclude(c->out, MCP_GARBLED, wrong);
    return true;
}

static void play_rounds(struct calling *c)
{
    struct mcp_exchange x = { 0 };
    bool asked_again = false, sent = false;

    for (int round = 0; round < MCP_ROUNDS; round++) {
        one_round(c, &x);
        if (wants_headers(&x) && !asked_again) {
            /* The tool has other parameters than we know: the list is asked for once more. */
            asked_again = true;
            tools_let_go(c->m, c->use.list);
            tools_forget(c->m);
            c->use.list = NULL;
            if (!find_tool(c))
                return;
            continue;
        }
        sent |= x.sent;
        if (x.end == MCP_GONE && sent && !c->call->repeatable)
            x.end = MCP_LOST;
        if (x.end != MCP_DONE) {
            conclude_failed(c, &x);
            return;
        }
        if (is_last(c, &x))
            return;
    }
    conclude(c->out, MCP_GARBLED, "it asks for more again and again");
}

bool mcp_call(struct mcp *m, const struct mcp_call *call, struct arena *a, struct mcp_answer *out,
              struct error *e)
{
    struct calling c = { .m = m,
                         .call = call,
                         .a = a,
                         .end_ms = mcp_now(m) + call->timeout_ms,
                         .out = out,
                         .more = { .max = REQUEST_MAX } };

    (void)e;
    *out = (struct mcp_answer){ 0 };
    if (find_tool(&c)) {
        struct forms before = forms_begin(m, call);

        play_rounds(&c);
        forms_end(m, call, before, out);
    }
    if (c.use.list)
        tools_let_go(m, c.use.list);
    buf_free(&c.more);
    return true;
}
