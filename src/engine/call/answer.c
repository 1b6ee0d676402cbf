/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: what a call came to, as JSON. */
#include "base/json_write.h"
#include "base/utf8.h"
#include "engine/call.h"

static void put_output(const struct value *v, struct buf *to)
{
    if (v->doc) {
        json_key(to, "output");
        json_doc(to, v->doc);
        return;
    }
    json_key(to, utf8_valid(v->bytes) == v->bytes.n ? "text" : "base64");
    if (utf8_valid(v->bytes) == v->bytes.n)
        json_text(to, v->bytes);
    else
        json_base64(to, v->bytes);
}

/* They are a stranger's words, and need not be UTF-8. */
static void put_headers(const struct doc *headers, struct buf *to)
{
    json_key(to, "headers");
    json_open(to, '{');
    for (const struct doc *c = headers->first; c; c = c->next)
        json_put_outside(to, c->key.s, c->text);
    json_close(to, '}');
}

static void put_attempt(const struct attempt_end *t, struct buf *to)
{
    json_open(to, '{');
    json_put_outside(to, "adapter_id", t->adapter->doc.adapter_id);
    if (t->execution.n && t->ran)
        json_put_outside(to, "execution_id", t->execution);
    json_put_bool(to, "ok", t->ok);
    if (t->exit_code >= 0)
        json_put_int(to, "exit_code", t->exit_code);
    if (t->status)
        json_put_int(to, "status", t->status);
    if (t->headers)
        put_headers(t->headers, to);
    if (!t->ok) {
        json_put(to, "code", codes[t->code].name);
        json_put(to, "message", t->message ? t->message : "");
    }
    json_put_int(to, "duration_ms", t->duration_ms);
    json_close(to, '}');
}

static void put_ledger(const struct tool_call *c, struct buf *to)
{
    json_key(to, "ledger");
    json_open(to, '[');
    for (size_t i = 0; i < c->attempt_count; i++)
        for (size_t k = 0; k < c->attempts[i].ledger_count; k++)
            json_text(to, c->attempts[i].ledger[k]);
    json_close(to, ']');
}

static void put_error(const struct tool_call *c, bool ok, struct buf *to)
{
    json_key(to, "error");
    if (ok) {
        json_nil(to);
        return;
    }
    json_open(to, '{');
    json_put(to, "code", codes[c->error.code].name);
    json_put(to, "message", c->error.msg);
    if (c->error.at.ptr[0])
        json_put(to, "pointer", c->error.at.ptr);
    json_close(to, '}');
}

void call_answer(const struct tool_call *c, int status, struct buf *to)
{
    bool ok = status == WRIT_OK;

    json_open(to, '{');
    if (c->adapter)
        json_put_outside(to, "adapter_id", c->adapter->doc.adapter_id);
    if (c->operation.n)
        json_put_outside(to, "operation", c->operation);
    json_put_bool(to, "ok", ok);
    if (!ok) { /* as every answer has it that is no yes */
        json_put(to, "code", codes[c->error.code].name);
        json_put(to, "message", c->error.msg);
    }
    if (ok)
        put_output(&c->output, to);
    json_put_bool(to, "cached", c->cached);
    json_key(to, "attempts");
    json_open(to, '[');
    for (size_t i = 0; i < c->attempt_count; i++)
        put_attempt(&c->attempts[i], to);
    json_close(to, ']');
    json_put_bool(to, "fell_back", c->fell_back);
    json_key(to, "warnings");
    json_open(to, '[');
    for (size_t i = 0; i < c->warning_count; i++)
        json_outside(to, str_of(c->warnings[i]));
    json_close(to, ']');
    put_error(c, ok, to);
    put_ledger(c, to);
    json_close(to, '}');
}
