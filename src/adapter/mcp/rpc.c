/* SPDX-License-Identifier: Apache-2.0 */
/* rpc.c: JSON-RPC 2.0 as MCP has it: messages to write, and what a stranger's text is. */
#include "adapter/mcp_rpc.h"

#include <stdio.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"

const char rpc_text_id[] = "an answer whose id is a text, where ours is a number";

/* ---- reading ---- */

static void broken(struct rpc_message *out, const char *wrong)
{
    *out = (struct rpc_message){
        .kind = RPC_BROKEN, .id = out->id, .wrong = wrong, .bytes = out->bytes
    };
}

/* An id is a text or a whole number; null is only there where a request could not be read. */
static bool take_id(const struct doc *d, struct rpc_message *out)
{
    const struct doc *id = rpc_get(d, "id");

    out->id = id && id->kind != DOC_NULL ? id : NULL;
    return !out->id || id->kind == DOC_INT || id->kind == DOC_TEXT;
}

static const struct doc *map_of(const struct doc *d, const char *key)
{
    const struct doc *member = rpc_get(d, key);

    return member && member->kind == DOC_MAP ? member : NULL;
}

static void take_answer(const struct doc *d, struct rpc_message *out)
{
    const struct doc *code;

    out->kind = RPC_ANSWER;
    out->result = map_of(d, "result");
    out->error = map_of(d, "error");
    if (!out->result == !out->error) {
        broken(out, !out->result && rpc_get(d, "result")
                        ? "an answer whose result is not an object"
                        : "an answer that has not either a result or an error");
        return;
    }
    code = out->error ? rpc_get(out->error, "code") : NULL;
    if (out->error && (!code || code->kind != DOC_INT))
        broken(out, "an error without a whole number for its code");
}

static void take_call(const struct doc *d, const struct doc *method, struct rpc_message *out)
{
    out->kind = rpc_get(d, "id") ? RPC_REQUEST : RPC_NOTE;
    out->method = method->text;
    out->params = map_of(d, "params");
    if (out->kind == RPC_REQUEST && !out->id)
        broken(out, "a request whose id is null");
}

static void take_message(const struct doc *d, struct rpc_message *out)
{
    const struct doc *method = rpc_get(d, "method");
    bool named = take_id(d, out);

    if (!str_is(rpc_text(d, "jsonrpc"), "2.0"))
        broken(out, "JSON that is not of JSON-RPC 2.0");
    else if (!named)
        broken(out, "an id that is neither a text nor a whole number");
    else if (method && method->kind != DOC_TEXT)
        broken(out, "a method that is not a text");
    else if (method)
        take_call(d, method, out);
    else
        take_answer(d, out);
    if (out->kind == RPC_BROKEN && method)
        out->id = NULL; /* it is the server's own */
}

/* Which request of ours it has an answer to, the first of them; NULL: it answers nothing. */
static const struct doc *answered_in(const struct doc *batch)
{
    struct rpc_message one = { 0 };

    for (const struct doc *c = batch->first; c; c = c->next)
        if (c->kind == DOC_MAP && !rpc_get(c, "method") && take_id(c, &one) && one.id)
            return one.id;
    return NULL;
}

void rpc_read(struct str text, struct arena *a, struct rpc_message *out)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;
    struct error e = { 0 };

    *out = (struct rpc_message){ .kind = RPC_NOISE, .bytes = text.n };
    if (!json_read("message", text, &max, a, &document, &e)) {
        /* What begins as a message and fails by its depth or its letters is one. What does not even
         * have the grammar may be something that was printed. */
        out->refused = e.code != ERROR_SYNTAX && text.n > 0 && text.s[0] == '{';
        out->kind = out->refused ? RPC_BROKEN : RPC_NOISE;
        out->wrong = out->refused ? rpc_words(str_of(e.msg), a)
                                  : arena_printf(a, "a line that is no message: %s",
                                                 said(str_of(rpc_words(text, a)), a));
        return;
    }
    if (document->root.kind == DOC_LIST) {
        out->id = answered_in(&document->root);
        broken(out, "a batch, which MCP does not have");
    } else if (document->root.kind != DOC_MAP) {
        broken(out, "JSON that is no message");
    } else {
        take_message(&document->root, out);
    }
}

bool rpc_id_is(const struct doc *id, int64_t ours)
{
    return id && id->kind == DOC_INT && id->whole == ours;
}

bool rpc_id_means(const struct doc *id, int64_t ours)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%lld", (long long)ours);
    if (id && id->kind == DOC_TEXT)
        return str_is(id->text, text);
    return rpc_id_is(id, ours) || (id && id->kind == DOC_NUMBER && id->number == (double)ours);
}

/* ---- writing ---- */

void rpc_begin(struct buf *to, int64_t id, const char *method)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\"");
    if (id > 0)
        json_put_int(to, "id", id);
    buf_adds(to, ",\"method\":\""); /* methods are our own words: nothing to escape */
    buf_adds(to, method);
    buf_adds(to, "\",\"params\":{");
}

void rpc_end(struct buf *to)
{
    buf_adds(to, "}}");
}

static void begin_answer(struct buf *to, const struct doc *id)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\"");
    json_key(to, "id");
    if (id)
        json_doc(to, id);
    else
        json_nil(to);
}

void rpc_answer(struct buf *to, const struct doc *id, struct str result)
{
    begin_answer(to, id);
    json_key(to, "result");
    buf_add(to, result.s, result.n);
    buf_addc(to, '}');
}

void rpc_refuse(struct buf *to, const struct doc *id, int code, const char *why)
{
    begin_answer(to, id);
    json_key(to, "error");
    json_open(to, '{');
    json_put_int(to, "code", code);
    json_put(to, "message", why);
    buf_adds(to, "}}");
}

/* ---- words ---- */

/* Control characters that terminals obey, among them U+0080 to U+009F. */
static bool is_plain(const char *at, size_t n)
{
    unsigned char first = (unsigned char)at[0], second = n > 1 ? (unsigned char)at[1] : 0;

    return !(n == 1 && (first < ' ' || first == 0x7f)) && !(first == 0xc2 && second < 0xa0);
}

const char *rpc_words(struct str text, struct arena *a)
{
    char *words = arena_raw(a, (text.n < 4 * RPC_WORDS ? text.n : 4 * RPC_WORDS) + 1);
    const char *at = text.s ? text.s : "", *end = at + text.n;
    size_t n = 0;

    for (int chars = 0; chars < RPC_WORDS && at < end; chars++) {
        size_t step = utf8_step(at, end);

        if (step > 0 && is_plain(at, step)) {
            memcpy(words + n, at, step);
            n += step;
        } else {
            words[n++] = step > 0 ? ' ' : '?';
        }
        at += step > 0 ? step : 1;
    }
    words[n] = '\0';
    return words;
}
