/* SPDX-License-Identifier: Apache-2.0 */
/* servers.c: starts MCP servers in the sandbox, each in a thread that waits for its end. */
#include "engine/call_servers.h"

#include <errno.h>
#include <string.h>

#include "adapter/host.h"
#include "base/doc_make.h"
#include "base/json_write.h"
#include "base/turn.h"
#include "engine/call/peer.h"
#include "engine/input.h"
#include "engine/wired.h"

enum { PATIENCE_MS = 30000, LAST_MS = 1000 };

/* What starts a well-known server, where the configuration names no other. */
static const struct {
    const char *name;
    const char *command[4];
    const char *install;
} known[] = {
    { "filesystem-server",
      { "mcp-server-filesystem", ".", NULL },
      "npm install -g @modelcontextprotocol/server-filesystem" },
};

struct server {
    const struct adapter *adapter;
    const char *name;
    const char *directory;  /* where it runs; NULL: here */
    const struct mcp *lost; /* it went away: it is only there to be let go of */
    struct mcp *mcp;        /* NULL: it is not open */
    struct turn turn;       /* to open it */
    struct http *http;      /* NULL: by a pipe */
    struct server *next;

    /* of one that runs here */
    struct wired wired;
    struct arena a; /* its run's; the call that started it may be long over */
    struct writ_call ask;
    struct exec_step step;
    struct tool_call call;
    struct exec x;
    struct exec_call how;
    struct attempt_end end;
    const struct doc *request;
    struct digest narrowed; /* what the caller who started it left, and approved of */
};

static struct wired not_wired(const struct tool_call *c)
{
    return (struct wired){ .world = c->world, .inner = { -1, -1 }, .stop = { -1, -1 } };
}

/* ---- one that runs here ---- */

static void serve(void *self, int wires[2])
{
    struct server *s = self;

    s->x.wires = wires;
    s->x.deaf = &s->wired.deaf;
    s->x.left = &s->wired.left;
    (void)call_exec(&s->call, s->request, &s->how, &s->x, &s->end);
}

/* What the configuration says of the adapter's server, or NULL. */
static const struct config_server *configured_of(const struct tool_call *c)
{
    const struct settings *settings;
    struct report ignored;

    if (!toolbox_settings(c->box, &settings, &ignored))
        return NULL;
    return settings_server(settings, c->adapter->doc.interface->mcp->server);
}

struct items servers_command(const struct tool_call *c)
{
    const struct mcp_interface *mcp = c->adapter->doc.interface->mcp;
    const struct config_server *configured = configured_of(c);
    struct str *words;
    struct items out = { 0 };

    if (mcp->command.n)
        return mcp->command;
    if (configured)
        return configured->command;
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!str_is(mcp->server, known[i].name))
            continue;
        words = arena_alloc(c->a, COUNT(known[i].command) * sizeof *words);
        for (out.v = words; known[i].command[out.n]; out.n++)
            words[out.n] = str_of(known[i].command[out.n]);
    }
    return out;
}

bool servers_unnamed(const char *name, struct error *e)
{
    return error_set(e, CODE_PEER_UNAVAILABLE,
                     "nothing says how the server %s is started; name it under `servers` "
                     "in .writ/config.yaml, or give the adapter interface.mcp.command",
                     name);
}

/* What the caller says holds for the server too, but for the time, which is that of one call. */
static const struct doc *narrow_of(const struct tool_call *c, struct arena *a)
{
    struct doc *narrow = doc_root(a, DOC_MAP);
    struct work work = { .left = UINT64_MAX };

    for (const struct doc *m = c->narrow ? doc_first(c->narrow, DOC_MAP) : NULL; m; m = m->next)
        if (!str_is(m->key, "timeout_ms"))
            (void)!doc_copy(m, doc_add(a, narrow, (struct str){ arena_text(a, m->key), m->key.n }),
                            &work, a);
    return narrow;
}

/* Who leaves it less, or approves of more, has another server. */
static struct digest narrowing(const struct tool_call *c)
{
    _buf_ struct buf canon = { .max = ANSWER_MAX };

    json_canon(narrow_of(c, c->a), c->a, &canon);
    buf_adds(&canon, c->ask->approve ? c->ask->approve : "");
    return digest_of(canon.s, canon.len);
}

/* The call that runs the server is ours: it outlives the one that wanted it, and has nothing of
 * what that asked for. */
static void own_call(struct server *s, const struct tool_call *c)
{
    s->ask = *c->ask;
    s->ask.cancel = s->wired.stop[0];
    s->ask.adapter = s->ask.operation = s->ask.options = NULL;
    s->ask.params = NULL;
    s->ask.set = NULL;
    s->call = (struct tool_call){ .box = c->box,
                                  .ask = &s->ask,
                                  .world = c->world,
                                  .a = &s->a,
                                  .adapter = c->adapter,
                                  .operation = { arena_text(&s->a, c->operation), c->operation.n },
                                  .registry = c->registry,
                                  .tool = c->tool,
                                  .narrow = narrow_of(c, &s->a),
                                  .given = doc_root(&s->a, DOC_MAP),
                                  .directory = s->directory,
                                  .purpose = arena_printf(&s->a, "MCP server %s", s->name) };
    if (c->step) {
        s->step = *c->step;
        s->step.payload = NULL;
        s->step.purpose = NULL;
        s->call.step = &s->step;
    }
}

static bool start(struct server *s, const struct tool_call *c, const struct items *command,
                  int ours[2], struct error *e)
{
    const struct str *words = command->v;
    struct call_request request = { .command = words[0],
                                    .arguments = { (void *)(words + 1), command->n - 1 },
                                    .timeout_ms = limits[LIMIT_TIMEOUT_MS].max };

    s->wired.run = serve;
    s->wired.hurried = !c->step;
    s->wired.self = s;
    if (!wired_open(&s->wired, e))
        return false;
    own_call(s, c);
    if (!call_secrets(&s->call, &s->end))
        return error_set(e, (int)s->end.code, "%s", s->end.message);
    s->request = call_request(&s->call, &request);
    return wired_start(&s->wired, ours, e);
}

static void halt(struct server *s)
{
    mcp_close(s->mcp);
    s->mcp = NULL;
    wired_end(&s->wired);
}

static void stop(struct server *s)
{
    bool ran = s->wired.runs || s->end.execution.n;

    halt(s);
    if (ran)
        exec_close(&s->x);
    s->end = (struct attempt_end){ 0 };
    secrets_wipe(&s->call.secrets);
    wired_close(&s->wired);
    arena_wipe(&s->a); /* headers and variables are made of secrets */
    arena_free(&s->a);
}

/* All are asked to end before one is waited for. */
static void servers_close(struct server *first)
{
    for (struct server *s = first; s; s = s->next) {
        mcp_close(s->mcp);
        s->mcp = NULL;
    }
    for (struct server *s = first; s; s = s->next) {
        stop(s);
        turn_close(&s->turn);
    }
}

/* ---- opening ---- */

static bool hosts_of(struct tool_call *c, const char *url, struct mcp_ask *ask, struct error *e)
{
    const char *host = strstr(url, "://");
    size_t n;

    if (!host)
        return error_set(e, CODE_HOST_REFUSED, "'%.80s' is no URL", url);
    host += 3;
    n = *host == '[' ? strcspn(host, "]/?#") + 1 : strcspn(host, ":/?#");
    if (!call_hosts(c, (struct str){ host, strnlen(host, n) }, &ask->hosts, e))
        return false;
    return toolbox_http(c->box, &ask->http, e);
}

/* A bearer token, where the adapter names a secret for it. */
static bool headers_of(struct server *s, struct tool_call *c, struct mcp_ask *ask, struct error *e)
{
    const struct auth_doc *auth = c->adapter->doc.interface->mcp->auth;
    struct attempt_end ignored = { 0 };
    const struct secret *secret;
    struct url_parts url;

    if (!auth || !auth->secret.n)
        return true;
    if (!url_split_server(str_of(ask->url), &url))
        return error_set(e, CODE_HOST_REFUSED, "'%.80s' is no URL", ask->url);
    if (!secret_goes_to(c->adapter, auth->secret, &url, e))
        return false;
    own_call(s, c);
    if (!call_secrets(&s->call, &ignored))
        return error_set(e, (int)ignored.code, "%s", ignored.message);
    secret = secret_named(&s->call.secrets, auth->secret);
    if (!secret)
        return error_set(e, CODE_SECRET_MISSING, "the adapter has no secret %.*s",
                         STR_ARG(auth->secret));
    return mcp_bearer(ask, secret, &s->a, e);
}

/* Its program is not there: how it gets there, where that is known. */
static bool not_installed(const struct server *s, struct error *e)
{
    const char *how = call_passed_over(&s->x);
    struct str name = s->x.request.inputs->command;

    for (size_t i = 0; i < COUNT(known) && !how; i++)
        if (str_is(name, known[i].command[0]))
            how = known[i].install;
    return error_set(
        e, CODE_PEER_UNAVAILABLE,
        "the server %s cannot be started: there is no program '%.*s'; install it%s%s%s, "
        "or name another command under `servers` in .writ/config.yaml",
        s->name, STR_ARG(name), how ? " (" : "", how ? how : "", how ? ")" : "");
}

/* Why its run did not begin, or what it said when it ended, is a better answer than that nothing
 * was heard. */
static bool why_not(struct server *s, struct error *e)
{
    halt(s);
    if (!s->end.ran && s->end.message)
        return error_set(e, (int)s->end.code, "%s", s->end.message);
    if (!s->end.ran)
        return false;
    if (s->x.program.missing == ENOENT)
        return not_installed(s, e);
    call_command_failed(&s->call, &s->x, &s->end);
    return error_wrap(e, "the server %s (%s)",
                      s->wired.deaf || s->x.outcome.cause == CAUSE_CANCELLED ? "was stopped"
                                                                             : "ended",
                      s->end.message);
}

static bool open_one(struct server *s, struct tool_call *c, struct mcp_refusal *refusal,
                     struct mcp **out, struct error *e)
{
    const struct mcp_interface *mcp = c->adapter->doc.interface->mcp;
    int64_t patience = call_timeout(c);
    struct mcp_ask ask = { .transport = mcp->transport,
                           .world = c->world,
                           .name = s->name,
                           .in = -1,
                           .out = -1,
                           .secret_place = "under interface.mcp.auth of the adapter",
                           .patience_ms = patience < PATIENCE_MS ? patience : PATIENCE_MS,
                           .cancel = c->ask->cancel,
                           .refusal = refusal,
                           .late = &s->wired.deaf };
    int ours[2] = { -1, -1 };

    if (mcp->transport == TRANSPORT_STDIO) {
        struct items command = servers_command(c);

        if (!command.n)
            return servers_unnamed(s->name, e);
        if (!start(s, c, &command, ours, e))
            return false;
        ask.in = ours[0];
        ask.out = ours[1];
    } else {
        const struct config_server *configured = configured_of(c);
        struct str url = mcp->url.n ? mcp->url : configured ? configured->url : (struct str){ 0 };

        if (!url.n)
            return error_set(e, CODE_PEER_UNAVAILABLE,
                             "nothing says where the server %s is; name it under `servers` in "
                             ".writ/config.yaml, or give the adapter interface.mcp.url",
                             s->name);
        ask.url = arena_text(&s->a, url);
        if (!hosts_of(c, ask.url, &ask, e) || !headers_of(s, c, &ask, e))
            return false;
    }
    s->http = ask.http;
    ask.secrets = &s->call.secrets;
    if (mcp_open(&ask, out, e))
        return true;
    if (s->http)
        toolbox_http_lost(c->box, s->http); /* it may be what is gone */
    return s->wired.runs ? why_not(s, e) : false;
}

static bool runs_there(const struct server *s, const struct tool_call *c)
{
    return !s->directory == !c->directory &&
           (!s->directory || strcmp(s->directory, c->directory) == 0);
}

/* ---- who has one ---- */

/* Under the lock. */
static struct server *find(struct tool_call *c, const struct digest *narrowed)
{
    struct server *s = c->box->servers;

    while (s && (s->adapter != c->adapter || s->lost || !runs_there(s, c) ||
                 memcmp(&s->narrowed, narrowed, sizeof *narrowed) != 0))
        s = s->next;
    return s;
}

/* One that nobody has opened yet. Under the lock. */
static struct server *add(struct tool_call *c, const struct digest *narrowed)
{
    struct toolbox *box = c->box;
    struct server *s = arena_new(&box->servers_arena, struct server);

    *s = (struct server){
        .adapter = c->adapter,
        .narrowed = *narrowed,
        .name = arena_text(&box->servers_arena, c->adapter->doc.interface->mcp->server),
        .directory = c->directory ? arena_text(&box->servers_arena, str_of(c->directory)) : NULL,
        .wired = not_wired(c),
        .next = box->servers
    };
    if (!turn_open(&s->turn))
        return NULL;
    box->servers = s;
    box->end_servers = servers_close;
    return s;
}

/* In its turn. One that could not be opened is as if nobody had tried. */
static bool open_in_turn(struct server *s, struct tool_call *c, struct mcp_refusal *refusal,
                         struct error *e)
{
    struct mcp *mcp = NULL;
    bool ok = open_one(s, c, refusal, &mcp, e);

    if (!ok)
        stop(s);
    (void)pthread_mutex_lock(&c->box->servers_lock);
    if (!ok)
        *s = (struct server){ .adapter = s->adapter,
                              .narrowed = s->narrowed,
                              .name = s->name,
                              .directory = s->directory,
                              .turn = s->turn,
                              .wired = not_wired(c),
                              .next = s->next };
    s->mcp = mcp;
    (void)pthread_mutex_unlock(&c->box->servers_lock);
    return ok;
}

/* Two calls of one adapter start one server. Where it fails, who waited tries for himself. */
static struct server *get(struct tool_call *c, struct mcp_refusal *refusal, struct error *e)
{
    struct digest narrowed = narrowing(c);
    struct server *s;
    bool ok;

    (void)pthread_mutex_lock(&c->box->servers_lock);
    s = find(c, &narrowed);
    s = s ? s : add(c, &narrowed);
    (void)pthread_mutex_unlock(&c->box->servers_lock);
    if (!s) {
        (void)error_sys(e, CODE_IO, "no server can be waited for");
        return NULL;
    }
    if (!turn_take(&s->turn, c->ask->cancel)) {
        (void)error_set(e, CODE_EXECUTION_HALTED, "%s was not waited for: it was called off",
                        s->name);
        return NULL;
    }
    ok = s->mcp || open_in_turn(s, c, refusal, e);
    turn_give(&s->turn);
    return ok ? s : NULL;
}

bool servers_get(struct tool_call *c, struct server_line *out, struct mcp_refusal *refusal,
                 struct error *e)
{
    const struct server *s = get(c, refusal, e);

    if (!s)
        return false;
    *out = (struct server_line){ .mcp = s->mcp,
                                 .name = s->name,
                                 .http = s->http,
                                 .execution = s->request ? doc_text(s->request, "execution_id")
                                                         : (struct str){ 0 } };
    return true;
}

void servers_lost(struct toolbox *box, const struct mcp *mcp)
{
    (void)pthread_mutex_lock(&box->servers_lock);
    for (struct server *s = box->servers; s; s = s->next)
        if (s->mcp == mcp)
            s->lost = mcp;
    (void)pthread_mutex_unlock(&box->servers_lock);
}

/* Its line may be over while it still runs; that one is not waited for. */
static const char *last_words(struct server *s)
{
    if (!s->request)
        return NULL;
    if (!wired_ended(&s->wired, LAST_MS))
        return "the server itself runs on";
    if (!s->end.ran)
        return NULL;
    call_command_failed(&s->call, &s->x, &s->end);
    return call_redacted(&s->call, s->end.message);
}

static struct server *with_line(struct toolbox *box, const struct mcp *mcp)
{
    struct server *s;

    (void)pthread_mutex_lock(&box->servers_lock);
    for (s = box->servers; s && s->mcp != mcp;)
        s = s->next;
    (void)pthread_mutex_unlock(&box->servers_lock);
    return s;
}

/* In its turn: that may take a while, and others want other servers. It stays while calls run. */
const char *servers_last_words(const struct tool_call *c, const struct mcp *mcp)
{
    struct server *s = with_line(c->box, mcp);
    const char *words;

    if (!s || !turn_take(&s->turn, c->ask->cancel))
        return NULL;
    words = last_words(s);
    words = words ? arena_text(c->a, str_of(words)) : NULL;
    turn_give(&s->turn);
    return words;
}

void servers_heard(struct toolbox *box, const struct mcp *mcp, bool in_time)
{
    (void)pthread_mutex_lock(&box->servers_lock);
    for (struct server *s = box->servers; s; s = s->next)
        if (s->mcp == mcp)
            s->wired.deaf = !in_time;
    (void)pthread_mutex_unlock(&box->servers_lock);
}
