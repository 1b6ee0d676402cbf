/* SPDX-License-Identifier: Apache-2.0 */
/* visit.c: speaks to an MCP server that no adapter names. */
#include "engine/call_visit.h"

#include <string.h>

#include "contract/exits.h"
#include "contract/forms.h"
#include "contract/interface_doc.h"
#include "engine/call.h"

enum { PATIENCE_MS = 30000 };

/* clang-format off */
static const struct scheme {
    const char *begins;
    int transport;
} schemes[] = {
    { "http://",  TRANSPORT_HTTP },
    { "https://", TRANSPORT_HTTP },
    { "ws://",    TRANSPORT_WEBSOCKET },
    { "wss://",   TRANSPORT_WEBSOCKET },
};

static const struct failure {
    enum code code;
    int status;
} failures[] = {
    { CODE_PEER_UNAVAILABLE, WRIT_UNAVAILABLE },
    { CODE_PEER_PROTOCOL,    WRIT_NO },
    { CODE_PEER_ERROR,       WRIT_NO },
    { CODE_VALIDATION_ERROR, WRIT_USAGE },
    { CODE_EXECUTION_HALTED, EXIT_TIMEOUT },
    { CODE_LAYER_MISSING,    WRIT_NO_SANDBOX },
};
/* clang-format on */

int visit_status(const struct error *e)
{
    for (size_t i = 0; i < COUNT(failures); i++)
        if (failures[i].code == (enum code)e->code)
            return failures[i].status;
    return WRIT_REFUSED;
}

/* ---- one that runs here ---- */

static void serve(void *self, int wires[2])
{
    struct visit *v = self;

    v->x.wires = wires;
    v->x.deaf = &v->wired.deaf;
    v->x.left = &v->wired.left;
    v->status = exec_run(&v->x, &v->report, &v->kind, &v->ran, &v->error);
    if (!v->ran)
        (void)exec_keep_refusal(&v->x, &v->error, v->status);
}

static bool start(struct visit *v, const struct visit_ask *ask, int ours[2], struct error *e)
{
    v->wired.run = serve;
    v->wired.hurried = true;
    v->wired.self = v;
    if (!wired_open(&v->wired, e))
        return false;
    v->command = (struct writ_command){ .argv = ask->argv,
                                        .environment = ask->environment,
                                        .ledger = ask->ledger,
                                        .weak = ask->weak,
                                        .options = ask->options,
                                        .live = { -1, -1 },
                                        .cancel = v->wired.stop[0] };
    v->x.command = &v->command;
    return wired_start(&v->wired, ours, e);
}

/* Most servers are written for a machine that is all theirs, and say only what they miss. */
static const char *what_it_saw(const struct visit *v)
{
    if (v->x.program.missing)
        return "";
    return request_net_level(v->x.request.sandbox->network) == NET_OFFLINE
               ? "; it ran offline, and saw this project and the system alone; --allow-host, --net "
                 "and --env give it more"
               : "; it saw this project and the system alone";
}

/* Why it did not run, or what it said when it ended, is a better answer than that nothing was
 * heard. */
static int why_not(struct visit *v, struct error *e)
{
    struct tool_call nobody = { .a = &v->a };
    struct attempt_end end = { 0 };

    wired_end(&v->wired);
    if (v->ran) {
        call_command_failed(&nobody, &v->x, &end);
        (void)error_wrap(e, "the server %s (%s)",
                         v->wired.deaf || v->x.outcome.cause == CAUSE_CANCELLED ? "was stopped"
                                                                                : "ended",
                         end.message);
        (void)error_set(e, e->code, "%s%s", arena_text(&v->a, str_of(e->msg)), what_it_saw(v));
        return visit_status(e);
    }
    *e = v->error;
    return v->status;
}

/* ---- one elsewhere ---- */

static bool look_at(struct visit *v, const char *url, struct error *e)
{
    if (url_has_login(str_of(url)))
        return error_set(e, CODE_VALIDATION_ERROR, "%s", url_login_told);
    for (size_t i = 0; i < COUNT(schemes); i++) {
        const char *host = url + strlen(schemes[i].begins);

        if (!str_begins(str_of(url), schemes[i].begins))
            continue;
        v->transport = schemes[i].transport;
        v->host = (struct str){ host, strcspn(host, "/?#") };
        if (v->host.n)
            return true;
    }
    return error_set(e, CODE_VALIDATION_ERROR,
                     "'%.200s' is no URL of a server: http, https, ws or wss, and a host", url);
}

/* Who gives the token in place of its name would find it in messages. */
static bool read_token(struct visit *v, const struct visit_ask *ask, struct mcp_ask *how,
                       struct error *e)
{
    struct secret_places places = { .environment = ask->environment };
    struct secret_doc doc = { .name = str_of("token") };
    struct secret_ask secret = { .doc = &doc, .places = &places };
    const char *why;

    if (!ask->bearer)
        return true;
    doc.env = str_of(ask->bearer);
    if (!forms[FORM_ENV_NAME].fits(doc.env, &why))
        return error_set(
            e, CODE_VALIDATION_ERROR,
            "bearer takes the name of the variable that has the token, and not the token "
            "itself");
    if (!secret_find(&secret, &v->a, &v->secrets, e))
        return error_wrap(e, "the token");
    how->secrets = &v->secrets;
    return mcp_bearer(how, v->secrets.v, &v->a, e);
}

/* ---- both ---- */

static bool reach(struct visit *v, const struct visit_ask *ask, struct mcp_ask *how,
                  struct error *e)
{
    int ours[2] = { -1, -1 };

    if (ask->argv) {
        v->transport = TRANSPORT_STDIO;
        if (!start(v, ask, ours, e))
            return false;
        how->in = ours[0];
        how->out = ours[1];
    } else {
        if (!look_at(v, ask->url, e) || !toolbox_http(&v->box, &how->http, e))
            return false;
        if (!read_token(v, ask, how, e))
            return false;
        how->url = ask->url;
        how->hosts = (struct http_hosts){ .allow = &v->host, .allow_count = 1 };
    }
    how->transport = v->transport;
    return true;
}

int visit_open(struct visit *v, const struct visit_ask *ask, struct error *e)
{
    struct mcp_ask how = { .world = world_real(),
                           .name = ask->argv ? ask->argv[0] : ask->url,
                           .in = -1,
                           .out = -1,
                           .secret_place = "with --bearer",
                           .patience_ms = PATIENCE_MS,
                           .cancel = ask->cancel,
                           .late = &v->wired.deaf };

    *v = (struct visit){
        .wired = { .world = how.world, .inner = { -1, -1 }, .stop = { -1, -1 } },
        .x = { .world = how.world, .store = -1 },
    };
    v->x.a = &v->a;
    toolbox_open(&v->box, ask->environment, how.world);
    if (!reach(v, ask, &how, e))
        return visit_status(e);
    if (mcp_open(&how, &v->mcp, e))
        return WRIT_OK;
    v->mcp = NULL;
    return ask->argv ? why_not(v, e) : visit_status(e);
}

const struct doc *visit_told(const struct visit *v, const struct doc *said, struct arena *a)
{
    return v->secrets.n && said ? redact_doc(said, &v->secrets, a) : said;
}

int visit_end(struct visit *v, struct error *e)
{
    mcp_close(v->mcp);
    v->mcp = NULL;
    wired_end(&v->wired);
    if (v->status != WRIT_UNRECORDED || v->ran)
        return WRIT_OK;
    *e = v->error;
    return v->status;
}

void visit_close(struct visit *v)
{
    struct error ignored;
    bool ran = v->wired.runs || v->kind;

    (void)visit_end(v, &ignored);
    if (ran)
        exec_close(&v->x);
    wired_close(&v->wired);
    toolbox_close(&v->box);
    secrets_wipe(&v->secrets);
    arena_wipe(&v->a); /* a header was made of them */
    arena_free(&v->a);
}
