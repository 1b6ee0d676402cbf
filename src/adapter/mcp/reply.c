/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c: what a server that asks us is told. Nobody sits here: it gets the roots it may know,
 * a form's own defaults, and else a refusal; it is never left without an answer. */
#include "adapter/mcp/parts.h"
#include "base/json_write.h"

/* ---- roots/list ---- */

/* A path as a file URI: what may stand in one as it is, and the rest by its bytes. */
static void put_uri(struct buf *to, struct str path)
{
    static const char plain[] = "/-._~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    buf_adds(to, "\"file://");
    for (size_t i = 0; i < path.n; i++) {
        if (is_one_of(path.s[i], plain))
            buf_addc(to, path.s[i]);
        else
            buf_addf(to, "%%%02X", (unsigned char)path.s[i]);
    }
    buf_addc(to, '"');
}

static bool list_roots(struct mcp *m, const struct doc *params, struct buf *to)
{
    (void)params;
    buf_adds(to, "{\"roots\":[");
    for (size_t i = 0; i < m->ask.root_count; i++) {
        buf_adds(to, i ? ",{\"uri\":" : "{\"uri\":");
        put_uri(to, m->ask.roots[i]);
        buf_addc(to, '}');
    }
    buf_adds(to, "]}");
    return true;
}

/* ---- elicitation/create ---- */

static bool names(const struct doc *list, struct str name)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && str_eq(c->text, name))
            return true;
    return false;
}

struct forms forms_begin(struct mcp *m, const struct mcp_call *call)
{
    struct forms before;

    pthread_mutex_lock(&m->lock);
    before = m->forms;
    m->calls++;
    m->declining += call->declines;
    pthread_mutex_unlock(&m->lock);
    return before;
}

void forms_end(struct mcp *m, const struct mcp_call *call, struct forms before,
               struct mcp_answer *out)
{
    pthread_mutex_lock(&m->lock);
    out->filled = m->forms.filled > before.filled;
    out->declined = m->forms.declined > before.declined;
    m->calls--;
    m->declining -= call->declines;
    pthread_mutex_unlock(&m->lock);
}

/* A form is filled in the name of who called: where nobody did, or one of them declines, none is
 * filled. Which of several calls a form belongs to the protocol does not say. */
static bool count_form(struct mcp *m, bool can_fill)
{
    bool fill;

    pthread_mutex_lock(&m->lock);
    fill = can_fill && m->calls && !m->declining;
    m->forms.filled += fill;
    m->forms.declined += !fill;
    pthread_mutex_unlock(&m->lock);
    return fill;
}

/* A form that its own defaults fill is sent back so; of any other we have nothing to say. */
static bool fill_form(struct mcp *m, const struct doc *params, struct buf *to)
{
    const struct doc *schema = rpc_get(params, "requestedSchema");
    const struct doc *c = doc_first(rpc_get(schema, "properties"), DOC_MAP);
    const struct doc *required = rpc_get(schema, "required");
    struct str mode = rpc_text(params, "mode");
    bool fits = mode.n == 0 || str_is(mode, "form"), any = false;

    buf_adds(to, "{\"action\":\"accept\",\"content\":{");
    for (; c && fits; c = c->next) {
        const struct doc *value = c->kind == DOC_MAP ? rpc_get(c, "default") : NULL;

        if (!value) {
            fits = !names(required, c->key);
            continue;
        }
        json_text(to, c->key);
        buf_addc(to, ':');
        json_doc(to, value);
        any = true;
    }
    buf_adds(to, "}}");
    if (!count_form(m, fits && any)) {
        buf_reset(to);
        buf_adds(to, "{\"action\":\"decline\"}");
    }
    return true;
}

/* ---- all of them ---- */

static bool say_nothing(struct mcp *m, const struct doc *params, struct buf *to)
{
    (void)m;
    (void)params;
    buf_adds(to, "{}");
    return true;
}

bool mcp_reply(struct mcp *m, struct str method, const struct doc *params, struct buf *to,
               int *code, const char **why)
{
    static const struct {
        const char *method;
        bool (*reply)(struct mcp *m, const struct doc *params, struct buf *to);
    } replies[] = {
        { "ping", say_nothing },
        { "roots/list", list_roots },
        { "elicitation/create", fill_form },
    };

    for (size_t i = 0; i < COUNT(replies); i++)
        if (str_is(method, replies[i].method))
            return replies[i].reply(m, params, to);
    *code = str_is(method, "sampling/createMessage") ? RPC_REFUSED : RPC_UNKNOWN_METHOD;
    *why = *code == RPC_REFUSED ? "there is no model here" : "no such method here";
    return false;
}

static void tools_changed(struct mcp *m)
{
    pthread_mutex_lock(&m->lock);
    m->changes++;
    pthread_mutex_unlock(&m->lock);
}

void mcp_hear(struct mcp *m, const struct rpc_message *message, struct buf *to)
{
    _buf_ struct buf result = { .max = MCP_MESSAGE_MAX };
    const char *why = NULL;
    int code = 0;

    if (message->kind == RPC_NOTE) {
        if (str_is(message->method, "notifications/tools/list_changed"))
            tools_changed(m);
        return;
    }
    if (mcp_reply(m, message->method, message->params, &result, &code, &why))
        rpc_answer(to, message->id, buf_str(&result));
    else
        rpc_refuse(to, message->id, code, why);
    mcp_seen(m, true, buf_str(to));
}
