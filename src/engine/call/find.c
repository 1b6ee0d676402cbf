/* SPDX-License-Identifier: Apache-2.0 */
/* find.c: which adapter, which operation, whether it may be called, with which parameters. */
#include "engine/call.h"

#include <signal.h>

#include "adapter/callable.h"
#include "base/doc_make.h"
#include "base/doc_read.h"
#include "base/json_read.h"
#include "base/utf8.h"
#include "contract/tool_version.h"
#include "engine/call/peer.h"
#include "engine/call_probe.h"
#include "engine/home.h"
#include "engine/input.h"

enum { HINT_MOST = 60, FOUND_MOST = 120 }; /* bytes of a value that is told */

static bool no(int status, int *out)
{
    *out = status;
    return false;
}

/* ---- the operation ---- */

static bool find_operation(struct tool_call *c, struct str asked)
{
    struct items names = toolbox_operations(c->adapter, c->tool, c->a);
    const struct str *all = names.v;

    if (asked.n && (items_have(&names, asked) || toolbox_takes_any(c->adapter, c->tool, c->a))) {
        c->operation = asked;
        return true;
    }
    if (!asked.n && names.n == 1) {
        c->operation = all[0];
        return true;
    }
    if (!names.n && c->adapter->doc.type == ADAPTER_CLI)
        return error_set(&c->error, CODE_OPERATION_NOT_ALLOWED,
                         "adapter %.*s names no operation, and neither does scope.operations of "
                         "the tool %.*s in the registry; name there what may be called, or \"*\"",
                         STR_ARG(c->adapter->doc.adapter_id), STR_ARG(c->tool->tool_id));
    if (asked.n)
        return error_set(
            &c->error, CODE_OPERATION_UNKNOWN, "adapter %.*s has no operation %s; there are %s",
            STR_ARG(c->adapter->doc.adapter_id), said(asked, c->a), items_said(&names, c->a));
    return error_set(&c->error, CODE_OPERATION_UNKNOWN,
                     "adapter %.*s has several operations, name one: %s",
                     STR_ARG(c->adapter->doc.adapter_id), items_said(&names, c->a));
}

/* ---- whether it may be called ---- */

static void warn_of_age(struct tool_call *c)
{
    const struct adapter_doc *doc = &c->adapter->doc;

    if (c->tool->status == TOOL_DEPRECATED)
        call_warn(c, arena_printf(c->a, "the tool %.*s is deprecated", STR_ARG(c->tool->tool_id)));
    if (doc->metadata->status == ADAPTER_DEPRECATED)
        call_warn(c,
                  arena_printf(c->a, "the adapter %.*s is deprecated", STR_ARG(doc->adapter_id)));
}

/* By the name that is called, however it is written, before anything is sent to anybody. Where it
 * leads, and at which port, is judged when it is reached. */
static bool is_denied(const struct items *deny, struct str text)
{
    struct host host;

    return host_read(text, 0, &host) ? deny->n > 0 : hosts_deny(deny->v, deny->n, &host, NULL);
}

bool call_hosts(struct tool_call *c, struct str host, struct http_hosts *out, struct error *e)
{
    struct call_network held = call_network(c);

    if (!callable_network(c->adapter, host, e))
        return false;
    if (!held.on)
        return error_set(e, CODE_HOST_REFUSED, "%.*s is not reached: the caller wants no network",
                         STR_ARG(host));
    if (is_denied(&held.deny, host))
        return error_set(e, CODE_HOST_REFUSED, "%.*s is not reached: the caller denies it",
                         STR_ARG(host));
    *out = (struct http_hosts){ held.allow.v, held.deny.v, held.allow.n, held.deny.n };
    return tool_lets_reach(c->tool, e);
}

/* A01-17: the registry and the adapter may say which versions they mean. Nobody can tell is no. */
static bool version_fits(struct tool_call *c, int *status)
{
    struct str wanted[] = { c->tool->version, c->adapter->doc.tool_version };
    const char *state = home_state(c->ask->environment, c->a);
    struct error unasked = { 0 };
    struct probe_ask ask = { .environment = c->ask->environment,
                             .cache = state ? arena_printf(c->a, "%s/cache", state) : NULL,
                             .cancel = c->ask->cancel,
                             .unasked = &unasked };

    c->installed = (struct str){ 0 };
    if (c->adapter->doc.type != ADAPTER_CLI || (!wanted[0].n && !wanted[1].n))
        return true;
    ask.command = arena_text(c->a, c->adapter->doc.interface->cli->executable);
    ask.now_ms = c->world->wall_ms(c->world->self);
    if (!exec_weak(c->ask->weak, c->a, &ask.weak, &c->error))
        return no(WRIT_USAGE, status);
    if (!tool_probe(&ask, c->a, &c->installed)) {
        *status = 128 + SIGINT;
        return error_set(&c->error, CODE_EXECUTION_HALTED,
                         "it was called off while %s was asked for its version; nothing ran",
                         ask.command);
    }
    if (unasked.code) {
        c->error = unasked;
        return no(WRIT_NO_SANDBOX, status);
    }
    for (size_t i = 0; i < COUNT(wanted); i++)
        if (!tool_version_fits(wanted[i], c->installed))
            return error_set(&c->error, CODE_TOOL_VERSION,
                             "%s is of version %.*s, %s asks for %.*s", ask.command,
                             STR_ARG(c->installed.n ? c->installed : str_of("unknown")),
                             i ? "the adapter" : "the registry", STR_ARG(wanted[i]));
    return true;
}

/* ---- the parameters ---- */

static bool refuse_param(struct tool_call *c, const char *word, const char *why)
{
    return error_set(&c->error, CODE_PARAMETER_REFUSED, "'%.60s' %s", word, why);
}

static const struct doc *member(const struct doc *map, struct str key)
{
    for (const struct doc *m = doc_first(map, DOC_MAP); m; m = m->next)
        if (str_eq(m->key, key))
            return m;
    return NULL;
}

static bool set_json(struct tool_call *c, const char *word, struct str text, struct doc *to)
{
    struct ceilings max = ceilings_default();
    struct work work = { .left = UINT64_MAX };
    const struct document *document;
    struct error e;

    if (!json_read("parameters", text, &max, c->a, &document, &e))
        return error_set(&c->error, CODE_PARAMETER_REFUSED,
                         "'%.60s'%s, at %d:%d behind the ':=': %s%s", word,
                         e.code == CODE_SYNTAX ? " is not key:=JSON" : "", e.at.line, e.at.col,
                         e.msg, e.code == CODE_SYNTAX ? "; key=value gives a text" : "");
    return doc_copy(&document->root, to, &work, c->a);
}

/* key=text or key:=json */
static bool set_one(struct tool_call *c, const char *word, struct doc *params)
{
    const char *eq = strchr(word, '=');
    bool json = eq && eq > word && eq[-1] == ':';
    struct str key = { word, eq ? (size_t)(eq - word) - json : 0 };
    struct doc *value;

    if (!key.n)
        return refuse_param(c, word, "is neither key=value nor key:=json");
    if (member(params, key))
        return refuse_param(c, word, "gives a parameter a second time");
    value = doc_add(c->a, params, key);
    if (json)
        return set_json(c, word, str_of(eq + 1), value);
    value->kind = DOC_TEXT;
    value->text = str_of(eq + 1);
    return true;
}

/* A text is not shown: it may be a secret. */
static bool no_map(struct tool_call *c, const struct doc *root)
{
    const char *name = c->ask->params->name;
    _buf_ struct buf found = { .max = FOUND_MOST };

    if (root->kind == DOC_TEXT)
        buf_adds(&found, "a text");
    else
        doc_say(root, &found);
    return error_set(&c->error, CODE_PARAMETER_REFUSED,
                     "%s: parameters must be a map such as {key: value}, this is %s",
                     name ? name : "parameters", buf_str(&found).s);
}

static bool read_params(struct tool_call *c, int *status)
{
    struct doc *params = doc_root(c->a, DOC_MAP);
    struct work work = { .left = UINT64_MAX };
    const struct document *document;

    if (c->given)
        return true;
    if (c->ask->params) {
        c->kind = "parameters";
        if (!input_read(c->ask->params, c->a, &document, &c->report))
            return no(WRIT_WRONG, status);
        c->kind = NULL;
        *status = WRIT_USAGE;
        if (document->root.kind != DOC_MAP)
            return no_map(c, &document->root);
        params->kind = DOC_NULL;
        (void)!doc_copy(&document->root, params, &work, c->a);
    }
    *status = WRIT_USAGE;
    for (const char *const *set = c->ask->set; set && *set; set++)
        if (!set_one(c, *set, params))
            return false;
    c->given = params;
    return true;
}

/* Two calls that differ must not be one in the record: what is no text is not replaced. The value
 * is not told: it may be a secret. */
static bool are_texts(struct tool_call *c, int *status)
{
    const char *approve = c->ask->approve;

    for (const struct doc *p = doc_first(c->given, DOC_MAP); p; p = p->next) {
        if (!doc_not_text(p))
            continue;
        *status = WRIT_USAGE;
        return error_set(&c->error, CODE_ENCODING, "the parameter %s is not UTF-8",
                         said(p->key, c->a));
    }
    if (!approve || utf8_valid(str_of(approve)) == strlen(approve))
        return true;
    *status = WRIT_USAGE;
    return error_set(&c->error, CODE_ENCODING, "the reason of the approval is not UTF-8");
}

/* ---- text that should have been JSON ---- */

/* Was it written key=text, not key:=json? */
static bool was_text(const struct tool_call *c, struct str key)
{
    for (const char *const *set = c->ask->set; set && *set; set++)
        if (strlen(*set) > key.n && memcmp(*set, key.s, key.n) == 0 && (*set)[key.n] == '=')
            return true;
    return false;
}

/* The parameters with this one read as JSON; NULL: it is none, or text there, too. */
static const struct doc *given_as_json(const struct tool_call *c, const struct doc *param)
{
    struct ceilings max = ceilings_default();
    struct work work = { .left = UINT64_MAX };
    struct doc *all = doc_root(c->a, DOC_NULL), *value;
    const struct document *document;
    struct error e;

    if (!json_read("parameters", param->text, &max, c->a, &document, &e) ||
        document->root.kind == DOC_TEXT || !doc_copy(c->given, all, &work, c->a))
        return NULL;
    value = (struct doc *)member(all, param->key);
    value->kind = DOC_NULL;
    return doc_copy(&document->root, value, &work, c->a) ? all : NULL;
}

/* A value that was refused as text, and would not be as JSON, gets the word that is missing. */
static void hint_json(struct tool_call *c)
{
    struct str name = str_of(c->error.at.ptr[0] == '/' ? c->error.at.ptr + 1 : "");
    const struct doc *param = member(c->given, name), *as_json = NULL, *out;
    struct error old = c->error, e = { 0 };

    if (param && param->kind == DOC_TEXT && param->text.n <= HINT_MOST && was_text(c, name))
        as_json = given_as_json(c, param);
    if (!as_json || (!transform_input(c->adapter, c->operation, as_json, c->a, &out, &e) &&
                     strcmp(e.at.ptr, old.at.ptr) == 0))
        return;
    (void)error_set(&c->error, old.code, "%s; write %.*s:=%.*s", old.msg, STR_ARG(param->key),
                    STR_ARG(param->text));
    c->error.at = old.at;
}

/* The document that a schema speaks of is the parameters: which operation wants them? */
static void tell_operation(struct tool_call *c)
{
    static const char whole[] = "the document ", needs[] = "needs '";
    struct error old = c->error;
    const char *rest = old.msg + sizeof whole - 1;
    bool one = strncmp(rest, needs, sizeof needs - 1) == 0;

    if (strncmp(old.msg, whole, sizeof whole - 1) != 0)
        return;
    (void)error_set(&c->error, old.code, "operation %.*s of adapter %.*s %s%s",
                    STR_ARG(c->operation), STR_ARG(c->adapter->doc.adapter_id),
                    one ? "needs the parameter '" : "", one ? rest + sizeof needs - 1 : rest);
    c->error.at = old.at;
}

/* ---- all of it ---- */

static bool find_adapter(struct tool_call *c, struct str name, struct str operation, int *status)
{
    c->kind = NULL;
    if (!toolbox_adapter(c->box, name, operation, &c->adapter, &c->report, &c->error)) {
        c->kind = c->error.code == CODE_NONE ? "adapter" : NULL;
        report_goes_on_in(&c->report, c->a);
        return no(c->kind ? WRIT_WRONG : WRIT_USAGE, status);
    }
    if (!toolbox_tool(c->box, c->adapter, &c->registry, &c->tool, &c->report, &c->error)) {
        c->kind = c->error.code == CODE_NONE ? "registry" : NULL;
        report_goes_on_in(&c->report, c->a);
        return no(c->kind ? WRIT_WRONG : WRIT_REFUSED, status);
    }
    return true;
}

/* What is wrong with a parameter is told with its value, unless that is a secret. */
static bool refused_in_secret(struct tool_call *c, int *status)
{
    struct attempt_end end = { 0 };

    if (!call_secrets(c, &end) && end.code == CODE_SECRET_IN_PARAMETER) {
        (void)error_set(&c->error, (int)end.code, "%s", end.message);
        *status = end.exit;
    }
    secrets_wipe(&c->secrets);
    return false;
}

bool call_find(struct tool_call *c, struct str adapter, struct str operation, int *status)
{
    if (!find_adapter(c, adapter, operation, status))
        return false;
    *status = WRIT_REFUSED;
    if (tool_blocked(c->tool, &c->error))
        return false;
    if (!find_operation(c, operation))
        return no(c->error.code == CODE_OPERATION_UNKNOWN ? WRIT_USAGE : WRIT_REFUSED, status);
    if (!tool_lets_call(c->tool, c->operation, c->a, &c->error) ||
        (c->world && !version_fits(c, status)))
        return false;
    warn_of_age(c);
    if (!read_params(c, status) || !are_texts(c, status) || !call_narrow(c, status))
        return false;
    *status = WRIT_USAGE;
    if (transform_input(c->adapter, c->operation, c->given, c->a, &c->params, &c->error))
        return true;
    hint_json(c);
    tell_operation(c);
    return c->world && refused_in_secret(c, status);
}

const char *call_why_not(struct tool_call *c)
{
    struct report *r = &c->report;
    const struct problem *first;

    if (!c->kind || !r->first)
        return arena_printf(c->a, "%s%s%s", c->error.at.ptr, c->error.at.ptr[0] ? ": " : "",
                            c->error.msg);
    report_finish(r);
    for (first = r->first; first->warning && first->next; first = first->next)
        ;
    return arena_printf(c->a, "%s:%d:%d: %s%s%s", r->file, first->line, first->col, first->pointer,
                        first->pointer[0] ? ": " : "", first->msg);
}

const char *call_why_none(struct toolbox *box, struct str adapter, struct str operation,
                          struct arena *a)
{
    struct tool_call c = { .box = box, .a = a };
    int status;

    if (find_adapter(&c, adapter, operation, &status) && !tool_blocked(c.tool, &c.error) &&
        find_operation(&c, operation) && tool_lets_call(c.tool, c.operation, a, &c.error))
        return NULL;
    return call_why_not(&c);
}
