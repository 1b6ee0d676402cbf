/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c: an attempt that a tool of an MCP server answers. */
#include "base/doc_make.h"
#include "base/json_write.h"
#include "contract/exits.h"
#include "engine/call.h"
#include "engine/call/peer.h"
#include "engine/call_servers.h"
#include "engine/call_visit.h"
#include "engine/input.h"

enum { TOLD_MOST = 400 }; /* with the tool's name, what an error has room for */

struct mcp_attempt {
    struct tool_call *c;
    struct server_line line;
    struct mcp_call ask;
    struct mcp_answer answer;
};

/* clang-format off */
static const struct ending_row {
    enum code code;
    int exit;
    enum cause cause;
    bool gone;     /* the server is not to be spoken to again */
    bool answered; /* it hears us, however late it was before */
    bool deaf;     /* it does not, or not what we say, where that took all its time: nobody waits
                      for it to leave */
} endings[] = {
    [MCP_DONE]         = { CODE_NONE,             0,                CAUSE_EXITED,    false, true },
    [MCP_ERROR]        = { CODE_PEER_ERROR,       WRIT_NO,          CAUSE_EXITED,    false, true },
    [MCP_LATE]         = { CODE_COMMAND_TIMEOUT,  EXIT_TIMEOUT,     CAUSE_TIMEOUT,   false, false, true },
    [MCP_CANCELLED]    = { CODE_EXECUTION_HALTED, EXIT_TIMEOUT,     CAUSE_CANCELLED, false, false },
    [MCP_REFUSED]      = { CODE_HOST_REFUSED,     WRIT_REFUSED,     CAUSE_EXITED,    true,  false },
    [MCP_GONE]         = { CODE_PEER_UNAVAILABLE, WRIT_UNAVAILABLE, CAUSE_LOST,      true,  false },
    [MCP_LOST]         = { CODE_PEER_PROTOCOL,    WRIT_NO,          CAUSE_LOST,      true,  false },
    [MCP_GARBLED]      = { CODE_PEER_PROTOCOL,    WRIT_NO,          CAUSE_EXITED,    true,  false, true },
    [MCP_TOO_LARGE]    = { CODE_PEER_PROTOCOL,    WRIT_NO,          CAUSE_EXITED,    true,  false, true },
    [MCP_CHANGED]      = { CODE_TOOL_CHANGED,     WRIT_REFUSED,     CAUSE_EXITED,    false, false },
    [MCP_UNKNOWN_TOOL] = { CODE_OPERATION_UNKNOWN, WRIT_USAGE,      CAUSE_EXITED,    false, false },
};
/* clang-format on */

static const struct doc *peer_doc(const struct mcp_attempt *t)
{
    static const char *const eras[] = { "unknown", "legacy", "modern" };
    struct arena *a = t->c->a;
    struct doc *d = doc_root(a, DOC_MAP);

    doc_add_text(a, d, "kind", str_of("mcp"));
    doc_add_text(a, d, "server", str_of(t->line.name));
    doc_add_text(a, d, "tool", t->ask.tool);
    doc_add_text(a, d, "era", str_of(eras[mcp_era_of(t->line.mcp)]));
    if (mcp_version(t->line.mcp))
        doc_add_text(a, d, "protocol", str_of(arena_text(a, str_of(mcp_version(t->line.mcp)))));
    if (t->line.execution.n)
        doc_add_text(a, d, "server_execution", str_of(arena_text(a, t->line.execution)));
    return d;
}

/* The words of a tool that says that it failed. */
static const char *said_by(const struct doc *result, struct arena *a)
{
    const struct doc *c = doc_first(doc_get(result, "content"), DOC_LIST);

    for (; c; c = c->next) {
        struct str text = doc_text(c, "text");

        if (text.n)
            return call_quoted(text, TOLD_MOST, a);
    }
    return "it does not say why";
}

/* Which server it is, and how long it may take. */
static const char *unanswered(const struct mcp_attempt *t)
{
    bool late = t->answer.end == MCP_LATE, refused = t->answer.end == MCP_ERROR;
    const char *limit = late ? call_time_said(call_timeout(t->c), t->c->a) : "";

    if (!t->answer.message || (!late && !refused && !endings[t->answer.end].gone))
        return t->answer.message;
    return arena_printf(t->c->a, "%s: %s%s", t->line.name, t->answer.message, limit);
}

/* A server that runs here and ended in the middle of a call has often said why. */
static void tell_end(struct mcp_attempt *t)
{
    struct tool_call *c = t->c;
    bool ended = t->answer.end == MCP_GONE || t->answer.end == MCP_LOST;
    const char *words = ended && t->line.execution.n ? servers_last_words(c, t->line.mcp) : NULL;

    if (words)
        t->answer.message = arena_printf(c->a, "%s (%s)", t->answer.message, words);
}

static void ask(void *self, struct exec *x)
{
    struct mcp_attempt *t = self;
    struct tool_call *c = t->c;
    _buf_ struct buf text = { .max = ANSWER_MAX };
    int64_t began = c->world->mono_ms(c->world->self);
    const struct ending_row *row;
    int64_t took_ms;
    struct peer_end end;
    struct error e;

    if (!mcp_call(t->line.mcp, &t->ask, c->a, &t->answer, &e))
        t->answer =
            (struct mcp_answer){ .end = MCP_GONE, .message = arena_text(c->a, str_of(e.msg)) };
    took_ms = c->world->mono_ms(c->world->self) - began;
    if (t->answer.filled)
        call_warn(c, "the server asked for a form and was given its own defaults");
    if (t->answer.declined)
        call_warn(c, t->ask.declines ? "the server asked for a form, which was declined: the "
                                       "operation's effect is not said to be read"
                                     : "the server asked for a form, which was declined");
    tell_end(t);
    row = &endings[t->answer.end];
    if (row->answered || (row->deaf && took_ms >= t->ask.timeout_ms))
        servers_heard(c->box, t->line.mcp, row->answered);
    if (row->gone)
        servers_lost(c->box, t->line.mcp);
    if (row->gone && t->line.http)
        toolbox_http_lost(c->box, t->line.http); /* it may be what is gone */
    if (t->answer.result) {
        t->answer.result = redact_doc(t->answer.result, &c->secrets, c->a);
        json_canon(t->answer.result, c->a, &text);
    }
    end = (struct peer_end){ .cause = row->cause,
                             .exit_code = row->exit,
                             .code = row->code,
                             .message = call_redacted(c, unanswered(t)),
                             .printed = { arena_text(c->a, buf_str(&text)), text.len },
                             .duration_ms = took_ms,
                             .peer = peer_doc(t) };
    if (end.code == CODE_NONE && t->answer.failed) {
        end.code = CODE_PEER_ERROR;
        end.exit_code = WRIT_NO;
        end.message = arena_printf(c->a, "the tool %.*s failed: %s", STR_ARG(t->ask.tool),
                                   said_by(t->answer.result, c->a));
    }
    peer_ended(x, &end);
}

static struct str tool_of(const struct tool_call *c)
{
    const struct items *mapping = &c->adapter->doc.interface->mcp->tool_mapping;
    const struct pair *all = mapping->v;

    for (size_t i = 0; i < mapping->n; i++)
        if (str_eq(all[i].key, c->operation))
            return all[i].text;
    return c->operation;
}

static bool may_repeat(const struct operation_doc *operation)
{
    return operation->effect == EFFECT_READ || operation->idempotent;
}

static void take_end(const struct mcp_attempt *t, const struct exec *x,
                     const struct operation_doc *operation, struct attempt_end *end)
{
    end->status = t->answer.end == MCP_ERROR ? t->answer.code : 0;
    end->retry_after = t->answer.later_ms;
    end->repeatable = may_repeat(operation);
    end->once = "as its effect is not said to be read, nor is it said to be idempotent";
    end->ok = !x->now.failing;
    if (end->ok) {
        end->value = (struct value){ .doc = t->answer.result };
        return;
    }
    end->code = x->now.failing->code;
    end->message = x->now.failing->message;
    end->exit = x->outcome.exit_code;
}

/* Waiting for the server, starting it and the call itself share the call's time. */
static int64_t left_since(const struct tool_call *c, int64_t began_ms)
{
    int64_t left_ms = call_timeout(c) - (c->world->mono_ms(c->world->self) - began_ms);

    return left_ms > 0 ? left_ms : 1;
}

void call_mcp(struct tool_call *c, struct attempt_end *end)
{
    struct operation_doc operation = operation_of(c->adapter->tree, c->operation, c->a);
    int64_t began_ms = c->world->mono_ms(c->world->self);
    struct mcp_attempt t = { .c = c };
    struct exec *x = arena_new(c->a, struct exec);
    struct exec_call how = { .peer = ask, .clean = call_nothing_to_clean, .self = &t };
    struct call_request request = { 0 };
    struct str words[1];
    struct mcp_refusal refusal = { 0 };
    struct error e = { 0 };

    t.ask = (struct mcp_call){ .tool = tool_of(c),
                               .arguments = c->params,
                               .pinned = operation.digest,
                               .cancel = c->ask->cancel,
                               .repeatable = may_repeat(&operation),
                               .declines = operation.effect != EFFECT_READ };
    if (!call_secrets(c, end))
        return;
    if (!servers_get(c, &t.line, &refusal, &e)) {
        (void)error_set(&e, e.code, "%s", call_redacted(c, arena_text(c->a, str_of(e.msg))));
        call_failed(end, visit_status(&e), &e, c->a);
        end->nothing_happened = true;
        end->status = refusal.code;
        end->retry_after = refusal.later_ms;
        return;
    }
    t.ask.timeout_ms = left_since(c, began_ms);
    words[0] = str_of(t.line.name);
    request.command = t.ask.tool;
    request.arguments = (struct items){ words, 1 };
    how.allowed =
        arena_printf(c->a, "allowed: %.*s %.*s", STR_ARG(c->tool->tool_id), STR_ARG(c->operation));
    if (call_exec(c, call_request(c, &request), &how, x, end))
        take_end(&t, x, &operation, end);
    exec_close(x);
}
