/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: opens a connection to an MCP server, finds out which era it speaks, and closes it. */
#include "adapter/mcp.h"
#include "adapter/mcp/parts.h"
#include "base/json_write.h"
#include "contract/codes.h"

enum {
    PROBE_PART = 3, /* of the patience, at most, is for a server that does not know the question */
    TELL_MS = 5000, /* for a notification where each has an answer of its own */
    PATIENCE_MS = 30000,
};

/* The versions of the legacy era, newest first. */
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26",
                                               "2024-11-05" };

static const struct mcp_wire *const wires[] = {
    [TRANSPORT_STDIO] = &mcp_line,
    [TRANSPORT_HTTP] = &mcp_http,
    [TRANSPORT_WEBSOCKET] = &mcp_socket,
};

void mcp_seen(struct mcp *m, bool outwards, struct str message)
{
    if (!m->ask.seen)
        return;
    pthread_mutex_lock(&m->telling);
    m->ask.seen(m->ask.self, outwards, message);
    pthread_mutex_unlock(&m->telling);
}

/* ---- the two ways to begin ---- */

enum begun { BEGUN, NOT_THIS_ERA, NOT_AT_ALL };

static bool is_one(const struct doc *list, const char *version)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && str_is(c->text, version))
            return true;
    return false;
}

static void take_info(struct mcp *m, const struct doc *result)
{
    const struct doc *info = rpc_get(result, "serverInfo");

    if (!info)
        info = rpc_get(rpc_get(result, "_meta"), "io.modelcontextprotocol/serverInfo");
    if (info && info->kind == DOC_MAP)
        m->info = info;
}

/* It ended, or will not speak to us: the other era would fare no better. */
static bool is_hopeless(const struct mcp_exchange *x)
{
    return x->end == MCP_REFUSED || x->end == MCP_GONE || x->end == MCP_CANCELLED ||
           x->status == 401 || x->status == 403 || mcp_is_busy(x);
}

static int64_t error_code(const struct mcp_exchange *x)
{
    const struct doc *code = x->end == MCP_ERROR ? rpc_get(x->answer.error, "code") : NULL;

    return code ? code->whole : 0;
}

static enum begun begin_modern(struct mcp *m, int64_t end_ms, struct mcp_exchange *x)
{
    struct mcp_want want = { .method = "server/discover",
                             .end_ms = end_ms,
                             .cancel = m->ask.cancel };

    m->era = MCP_MODERN;
    m->version = MCP_NEWEST;
    mcp_request(m, &want, &m->a, x);
    /* It does not want this version now, but lists it: asked once more. */
    if (error_code(x) == RPC_UNSUPPORTED_VERSION &&
        is_one(rpc_get(rpc_get(x->answer.error, "data"), "supported"), MCP_NEWEST))
        mcp_request(m, &want, &m->a, x);
    if (x->end == MCP_DONE && is_one(rpc_get(x->answer.result, "supportedVersions"), MCP_NEWEST)) {
        take_info(m, x->answer.result);
        return BEGUN;
    }
    if (error_code(x) == RPC_HEADER_MISMATCH || error_code(x) == RPC_MISSING_CAPABILITY)
        return BEGUN; /* only a modern server knows these */
    m->era = MCP_LEGACY;
    return is_hopeless(x) ? NOT_AT_ALL : NOT_THIS_ERA;
}

static const char *known_version(struct str said_version)
{
    for (size_t i = 0; i < COUNT(legacy_versions); i++)
        if (str_is(said_version, legacy_versions[i]))
            return legacy_versions[i];
    return NULL;
}

static void put_us(const void *self, struct buf *to)
{
    const struct mcp *m = self;

    json_put(to, "protocolVersion", legacy_versions[0]);
    json_key(to, "capabilities");
    buf_adds(to, m->capabilities);
    buf_adds(to, ",\"clientInfo\":{\"name\":\"writ\",\"version\":\"" WRIT_VERSION "\"}");
}

static void initialize(struct mcp *m, int64_t end_ms, int cancel, struct arena *a,
                       struct mcp_exchange *x)
{
    struct mcp_want want = {
        .method = "initialize", .params = put_us, .self = m, .end_ms = end_ms, .cancel = cancel
    };

    mcp_request(m, &want, a, x);
}

/* Where a notification has an answer of its own, it may not come: that is waited for no longer than
 * for one that matters. */
static void say_initialized(struct mcp *m, int64_t end_ms, int cancel)
{
    int64_t most_ms = mcp_now(m) + TELL_MS;
    struct mcp_want want = { .method = "notifications/initialized",
                             .end_ms = end_ms < most_ms ? end_ms : most_ms,
                             .cancel = cancel };

    mcp_notify(m, &want);
}

static enum begun begin_legacy(struct mcp *m, int64_t end_ms, struct mcp_exchange *x)
{
    const char *version;

    m->era = MCP_LEGACY;
    m->version = NULL;
    initialize(m, end_ms, m->ask.cancel, &m->a, x);
    if (x->end != MCP_DONE)
        return is_hopeless(x) ? NOT_AT_ALL : NOT_THIS_ERA;
    version = known_version(rpc_text(x->answer.result, "protocolVersion"));
    if (!version) {
        x->end = MCP_GARBLED;
        x->why = "it speaks no version that is known here";
        return NOT_THIS_ERA;
    }
    m->version = version;
    take_info(m, x->answer.result);
    say_initialized(m, mcp_now(m) + m->ask.patience_ms, m->ask.cancel);
    if (m->wire->begun)
        m->wire->begun(m);
    return BEGUN;
}

/* Modern first, as the protocol wants it; a server that was legacy before is asked so first. One
 * that is only slow may be asked both ways, and then the first way again. */
static bool find_out(struct mcp *m, struct mcp_exchange *x)
{
    int64_t begin = mcp_now(m), end = begin + m->ask.patience_ms;
    bool was_legacy = m->ask.era == MCP_LEGACY;
    enum begun how = NOT_THIS_ERA;

    if (!was_legacy)
        how = begin_modern(m, begin + m->ask.patience_ms / PROBE_PART, x);
    if (how == NOT_THIS_ERA)
        how = begin_legacy(m, end, x);
    if (how == NOT_THIS_ERA && mcp_now(m) < end && (was_legacy || x->end == MCP_ERROR)) {
        struct mcp_exchange again = { 0 };

        how = begin_modern(m, end, &again);
        if (how != BEGUN && x->end != MCP_ERROR)
            *x = again;
    }
    return how == BEGUN;
}

bool mcp_again(struct mcp *m, const struct mcp_exchange *x, int64_t end_ms)
{
    _arena_ struct arena a = { 0 };
    struct mcp_exchange begun;
    char *old;

    if (m->era != MCP_LEGACY || strcmp(x->method, "initialize") == 0)
        return false;
    pthread_mutex_lock(&m->lock);
    old = m->session;
    m->session = NULL;
    pthread_mutex_unlock(&m->lock);
    if (!old)
        return false;
    free(old);
    initialize(m, end_ms, x->cancel, &a, &begun);
    if (begun.end != MCP_DONE)
        return false;
    say_initialized(m, end_ms, x->cancel);
    return true;
}

/* ---- opening ---- */

static struct str copied(struct str text, struct arena *a)
{
    return (struct str){ arena_text(a, text), text.n };
}

static const struct str *copied_list(const struct str *list, size_t n, struct arena *a)
{
    struct str *copy = arena_alloc(a, n * sizeof *copy);

    for (size_t i = 0; i < n; i++)
        copy[i] = copied(list[i], a);
    return copy;
}

static void take_ask(struct mcp *m, const struct mcp_ask *ask)
{
    struct http_header *headers = arena_alloc(&m->a, ask->header_count * sizeof *headers);

    m->ask = *ask;
    for (size_t i = 0; i < ask->header_count; i++)
        headers[i] = (struct http_header){ copied(ask->headers[i].name, &m->a),
                                           copied(ask->headers[i].value, &m->a) };
    m->ask.headers = headers;
    m->ask.hosts.allow = copied_list(ask->hosts.allow, ask->hosts.allow_count, &m->a);
    m->ask.hosts.deny = copied_list(ask->hosts.deny, ask->hosts.deny_count, &m->a);
    m->ask.roots = copied_list(ask->roots, ask->root_count, &m->a);
    m->ask.name = arena_text(&m->a, str_of(ask->name ? ask->name : "the server"));
    m->ask.url = ask->url ? arena_text(&m->a, str_of(ask->url)) : NULL;
    m->ask.message_max = ask->message_max ? ask->message_max : MCP_MESSAGE_MAX;
    m->ask.patience_ms = ask->patience_ms ? ask->patience_ms : PATIENCE_MS;
    /* Roots are offered where there are some: a server may take them for all that it may touch. */
    m->capabilities = ask->root_count ? "{\"elicitation\":{\"form\":{}},\"roots\":{}}"
                                      : "{\"elicitation\":{\"form\":{}}}";
    m->meta = arena_printf(&m->a,
                           "{\"io.modelcontextprotocol/protocolVersion\":\"" MCP_NEWEST "\","
                           "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"writ\","
                           "\"version\":\"" WRIT_VERSION "\"},"
                           "\"io.modelcontextprotocol/clientCapabilities\":%s}",
                           m->capabilities);
}

static bool say_failed(const struct mcp *m, const struct mcp_exchange *x, struct error *e)
{
    static const int codes_of[] = {
        [MCP_DONE] = CODE_PEER_PROTOCOL,    [MCP_ERROR] = CODE_PEER_ERROR,
        [MCP_LATE] = CODE_PEER_UNAVAILABLE, [MCP_CANCELLED] = CODE_EXECUTION_HALTED,
        [MCP_GONE] = CODE_PEER_UNAVAILABLE, [MCP_GARBLED] = CODE_PEER_PROTOCOL,
        [MCP_LOST] = CODE_PEER_UNAVAILABLE, [MCP_TOO_LARGE] = CODE_PEER_PROTOCOL,
        [MCP_CHANGED] = CODE_PEER_PROTOCOL, [MCP_UNKNOWN_TOOL] = CODE_PEER_PROTOCOL,
        [MCP_REFUSED] = CODE_HOST_REFUSED,
    };
    _arena_ struct arena a = { 0 };
    const char *why = x->end == MCP_ERROR && x->answer.error
                          ? mcp_error_words(m, x->answer.error, &a)
                      : x->end == MCP_DONE ? "its answer is not what was asked for"
                                           : x->why;

    if (m->ask.refusal && x->end == MCP_ERROR)
        *m->ask.refusal = (struct mcp_refusal){
            x->answer.error && !mcp_is_busy(x) ? error_code(x) : x->status,
            x->later_ms,
        };
    if (x->end == MCP_LATE && m->ask.late)
        *m->ask.late = true;
    if (x->end == MCP_LATE)
        why = arena_printf(&a, "no answer in %lld ms", (long long)m->ask.patience_ms);
    return error_set(e, codes_of[x->end], "%s cannot be spoken to: %s", m->ask.name,
                     why ? why : "no answer");
}

bool mcp_open(const struct mcp_ask *ask, struct mcp **out, struct error *e)
{
    struct mcp *m = mem_zeroed(sizeof *m);
    struct mcp_exchange x = { 0 };
    bool good;

    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_mutex_init(&m->telling, NULL);
    take_ask(m, ask);
    m->wire = wires[ask->transport];
    good = m->wire->open(m, e) && (find_out(m, &x) || say_failed(m, &x, e));
    if (good)
        *out = m;
    else
        mcp_close(m);
    return good;
}

void mcp_close(struct mcp *m)
{
    if (!m)
        return;
    m->wire->close(m);
    tools_forget(m);
    free(m->stream);
    free(m->session);
    (void)pthread_mutex_destroy(&m->lock);
    (void)pthread_mutex_destroy(&m->telling);
    arena_wipe(&m->a); /* it has the headers that prove who we are */
    arena_free(&m->a);
    free(m);
}

enum mcp_era mcp_era_of(const struct mcp *m)
{
    return m->era;
}

const char *mcp_version(const struct mcp *m)
{
    return m->version;
}

const struct doc *mcp_server_info(const struct mcp *m)
{
    return m->info;
}
