/* SPDX-License-Identifier: Apache-2.0 */
/* http.c: requests in absolute form: judged one by one, written anew, answered in frames.
 *
 * Each request has a connection of its own to its server: what one host is sent never depends on
 * what another was asked before.
 */
#include <assert.h>
#include <stdio.h>

#include "sandbox/net/guard.h"
#include "sandbox/net/serve.h"

/* ---- heads, written anew ---- */

static void say(struct flow *f, struct str text)
{
    flow_say(f, text.s, text.n);
}

static void says(struct flow *f, const char *text)
{
    flow_say(f, text, strlen(text));
}

static bool same(struct str a, const char *word)
{
    return str_cmp_letters(a, str_of(word)) == 0;
}

static void say_field(struct flow *f, struct str name, struct str value)
{
    say(f, name);
    says(f, ": ");
    say(f, value);
    says(f, "\r\n");
}

/* How long the body is: as we have understood it, once. */
static void say_frame(struct flow *f, const struct head *head)
{
    char text[64];

    if (head->body == BODY_CHUNKED)
        says(f, "Transfer-Encoding: chunked\r\n");
    if (head->body != BODY_LENGTH)
        return;
    flow_say(
        f, text,
        (size_t)snprintf(text, sizeof text, "Content-Length: %lld\r\n", (long long)head->length));
}

static bool is_frame(struct str name)
{
    return same(name, "content-length") || same(name, "transfer-encoding");
}

static void say_host(struct flow *f, const struct target *t, uint16_t usual)
{
    char text[HOST_MAX + 32];
    bool six = t->host.is_address && t->host.address.six;
    int n =
        snprintf(text, sizeof text, "Host: %s%s%s", six ? "[" : "", t->host.name, six ? "]" : "");

    flow_say(f, text, (size_t)n);
    if (t->host.port != usual)
        flow_say(f, text, (size_t)snprintf(text, sizeof text, ":%d", t->host.port));
    says(f, "\r\n");
}

/* ---- headers that are added ---- */

static_assert(HEAD_MAX + WIRE_ADDED + 2 * HEAD_FIELDS + 2 * HOST_MAX < HEAD_BYTES,
              "all of it fits");

static bool names_host(const struct gate_inject *inject, const struct target *t,
                       struct host_entry *entry)
{
    return host_entry_read(inject->host, entry) &&
           host_entry_names(entry, (struct str){ t->host.name, t->host.length });
}

/* Who names no port means those of the web, as in the list of hosts: what listens at another port
 * of the host may be somebody else. */
static bool is_its_port(const struct host_entry *entry, const struct target *t)
{
    return entry->port ? t->host.port == entry->port : t->host.port == 80 || t->host.port == 443;
}

/* The first that is for the host; it says how the host is spoken to. */
static const struct gate_inject *inject_for(const struct serve *s, const struct target *t)
{
    for (size_t i = 0; i < s->policy.inject_count; i++) {
        struct host_entry entry;

        if (names_host(&s->policy.injects[i], t, &entry) &&
            (!t->says_port || is_its_port(&entry, t)))
            return &s->policy.injects[i];
    }
    return NULL;
}

/* Is this one added where the first one is? The target's port is settled. */
static bool goes_with(const struct gate_inject *inject, const struct gate_inject *first,
                      const struct target *t)
{
    struct host_entry entry;

    return first && inject->plain == first->plain && names_host(inject, t, &entry) &&
           is_its_port(&entry, t);
}

/* What the client says there is replaced. */
static bool is_added(const struct serve *s, const struct gate_inject *first, const struct target *t,
                     struct str name)
{
    for (size_t i = 0; i < s->policy.inject_count; i++)
        if (str_cmp_letters(name, s->policy.injects[i].header) == 0 &&
            goes_with(&s->policy.injects[i], first, t))
            return true;
    return false;
}

static void say_request(const struct serve *s, struct conn *c, const struct head *head,
                        const struct target *t, const struct gate_inject *first)
{
    struct flow *f = &c->up;

    say(f, head->method);
    says(f, t->path.n && t->path.s[0] == '/' ? " " : " /");
    say(f, t->path);
    says(f, head->minor ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
    say_host(f, t, c->tls ? 443 : 80);
    for (size_t i = 0; i < head->n; i++) {
        struct str name = head->v[i].name;

        if (!same(name, "host") && !is_frame(name) && !head_is_hop(head, name) &&
            !is_added(s, first, t, name))
            say_field(f, name, head->v[i].value);
    }
    for (size_t i = 0; i < s->policy.inject_count; i++)
        if (goes_with(&s->policy.injects[i], first, t))
            say_field(f, s->policy.injects[i].header, s->policy.injects[i].value);
    say_frame(f, head);
    says(f, "Connection: close\r\n\r\n");
}

/* ---- a request ---- */

/* A host that gets a secret is spoken to by TLS, whatever the client could speak. */
static const char *choose_tls(struct conn *c, struct target *t, const struct gate_inject *inject)
{
    struct host_entry entry = { .port = 0 };

    c->tls = inject && !inject->plain;
    if (t->tls && !c->tls)
        return "https is asked for with CONNECT";
    if (inject && !t->says_port) {
        t->host.port = c->tls ? 443 : 80;
        if (host_entry_read(inject->host, &entry) && entry.port)
            t->host.port = entry.port;
    }
    return NULL;
}

/* The host is told as it was read, where it was. */
static void refuse_target(struct serve *s, struct conn *c, struct str text, int status,
                          const char *why)
{
    struct target t;

    if (c->via == VIA_CONNECT)
        (void)target_read_authority(text, &t);
    else
        (void)target_read(text, &t);
    c->host = t.host;
    if (t.host.length)
        reach_stop(s, c, status, why);
    else
        reach_nowhere(s, c, text, status, why);
}

void http_refuse(struct serve *s, struct conn *c, int status, const char *why)
{
    struct str method, text = head_target(flow_unread(&c->up), &method);

    c->via = str_is(method, "CONNECT") ? VIA_CONNECT : VIA_HTTP;
    refuse_target(s, c, text, status, why);
}

static void begin_connect(struct serve *s, struct conn *c, const struct head *head)
{
    struct target t;
    const char *why = target_read_authority(head->target, &t);

    c->via = VIA_CONNECT;
    c->tls = false;
    if (why || head->body != BODY_NONE) {
        refuse_target(s, c, head->target, why ? 403 : 400, why ? why : "a CONNECT has no body");
        return;
    }
    c->host = t.host;
    reach_begin(s, c);
}

static void begin_request(struct serve *s, struct conn *c, const struct head *head)
{
    const struct gate_inject *inject;
    struct target t;
    const char *why = target_read(head->target, &t);

    c->via = VIA_HTTP;
    if (why) {
        refuse_target(s, c, head->target, 403, why);
        return;
    }
    inject = inject_for(s, &t);
    why = choose_tls(c, &t, inject);
    c->host = t.host;
    c->to_head = str_is(head->method, "HEAD");
    c->keeps = !head->ends;
    c->minor = head->minor;
    c->request = body_begin(head);
    c->request.bare = inject != NULL; /* a header that is added could be said there again */
    c->answer_begun = false;
    c->guarded = inject != NULL;
    c->held = 0;
    say_request(s, c, head, &t, inject);
    if (why)
        reach_stop(s, c, 501, why);
    else if (str_is(head->method, "TRACE"))
        reach_stop(s, c, 405, "TRACE would show what is added");
    else
        reach_begin(s, c);
}

/* A head that was read whole is taken out only after it was written anew. */
void http_head(struct serve *s, struct conn *c)
{
    struct str bytes = flow_unread(&c->up);
    struct head head;
    const char *why;
    size_t n;

    if (bytes.n == 0)
        return;
    if (c->waits)
        c->deadline_ms = s->now_ms + HEADER_MS;
    c->waits = false;
    c->via = VIA_HTTP;
    n = head_length(bytes, &c->looked);
    if (bytes.s[0] < 'A' || bytes.s[0] > 'Z') {
        reach_nowhere(s, c, (struct str){ "", 0 }, 400, "neither HTTP nor SOCKS 5");
        return;
    }
    if (n > HEAD_MAX || (n == 0 && bytes.n > HEAD_MAX)) {
        http_refuse(s, c, 431, "its head is larger than 16 KiB");
        return;
    }
    if (n == 0)
        return;
    why = head_read_request((struct str){ bytes.s, n }, &head);
    if (why) {
        http_refuse(s, c, 400, why);
        return;
    }
    c->up.from = c->up.ready = c->up.ready + n;
    c->looked = 0;
    if (str_is(head.method, "CONNECT"))
        begin_connect(s, c, &head);
    else
        begin_request(s, c, &head);
}

void http_connected(struct serve *s, struct conn *c)
{
    c->stage = STAGE_EXCHANGE;
    c->looked = 0;
    c->deadline_ms = s->now_ms + IDLE_MS;
}

/* ---- its answer ---- */

static void say_answer(struct conn *c, const struct head *head)
{
    struct flow *f = &c->down;
    char line[64];

    flow_say(f, line, (size_t)snprintf(line, sizeof line, "HTTP/1.1 %d ", head->status));
    say(f, head->reason);
    says(f, "\r\n");
    for (size_t i = 0; i < head->n; i++)
        if (!head_is_hop(head, head->v[i].name))
            say_field(f, head->v[i].name, head->v[i].value);
    if (head->status >= 200)
        says(f, c->keeps ? "Connection: keep-alive\r\n" : "Connection: close\r\n");
    says(f, "\r\n");
}

static const char has_secret[] = "its answer has the secret that was added";

/* False: there is no head yet, or it was no good. */
static bool take_answer(struct serve *s, struct conn *c)
{
    struct str bytes = flow_unread(&c->down);
    struct head head = { 0 };
    const char *why = NULL;
    size_t n = head_length(bytes, &c->looked);

    if (n > ANSWER_MAX || (n == 0 && bytes.n > ANSWER_MAX))
        why = "the head of its answer is too large";
    else if (n == 0)
        return false;
    else
        why = head_read_answer((struct str){ bytes.s, n }, c->to_head, &head);
    if (!why && c->guarded && guard_finds(&s->policy, (struct str){ bytes.s, n })) {
        reach_cut(s, c, has_secret);
        return false;
    }
    if (!why && (head.status == 101 || (c->minor == 0 && head.body == BODY_CHUNKED)))
        why = "its answer is in a language that was not asked for";
    if (why) {
        conn_refuse(s, c, 502, why);
        return false;
    }
    c->answer_begun = head.status >= 200;
    c->answer = c->shown = body_begin(&head);
    /* What is left of a request that was answered early is not waited for. */
    c->keeps = c->keeps && (!c->answer_begun || (head.body != BODY_TO_END && c->request.over));
    say_answer(c, &head);
    c->down.from = c->down.ready = c->down.ready + n;
    c->looked = 0;
    return true;
}

static void next_request(struct serve *s, struct conn *c)
{
    event_end(s, c);
    side_close(s, &c->server);
    c->down.from = c->down.ready = c->down.to = 0;
    c->up.from = c->up.ready;
    c->up.head_from = c->up.head_to = 0;
    c->stage = STAGE_HEAD;
    c->waits = true;
    c->deadline_ms = s->now_ms + IDLE_MS;
    if (c->keeps && c->request.over)
        return;
    c->stage = STAGE_LAST;
    c->drained = 0;
    c->deadline_ms = s->now_ms + LAST_MS;
}

static bool take_body(struct body *b, struct flow *f)
{
    bool wrong;

    f->ready += body_take(b, flow_unread(f), &wrong);
    return !wrong;
}

/* The server says no more: is what it said all of it? */
static void answer_ended(struct serve *s, struct conn *c)
{
    if (!c->answer_begun)
        conn_refuse(s, c, 502, "it ended the connection without an answer");
    else if (c->answer.kind == BODY_TO_END && !c->server.broken)
        c->answer.over = true;
    else if (!c->answer.over)
        conn_abort(s, c);
}

/* Frames between its bytes can make a beginning longer than there is room for. */
static bool is_stuck(const struct conn *c)
{
    return c->held > 0 && c->down.from == c->down.ready && c->down.to - c->down.from == BODY_BYTES;
}

/* The command does not see the secret, and a host that tells it what it sent would show it: what
 * may be its beginning waits for what follows. What is new begins at `from`. False: it is there. */
static bool guard(struct serve *s, struct conn *c, size_t from)
{
    struct str bytes = { c->down.body + c->down.from, c->down.ready - c->down.from };
    struct str fresh = { c->down.body + from, c->down.ready - from };
    size_t tail = 0;
    bool wrong;

    if (!c->guarded || !c->answer_begun)
        return true;
    if (guard_finds(&s->policy, bytes) ||
        (c->answer.kind == BODY_CHUNKED && guard_finds_data(&s->policy, c->shown, fresh, &tail))) {
        reach_cut(s, c, has_secret);
        return false;
    }
    c->held = guard_tail(&s->policy, fresh);
    c->held = c->answer.over ? 0 : tail > c->held ? tail : c->held;
    c->down.ready -= c->held;
    (void)body_take(&c->shown, (struct str){ fresh.s, fresh.n - c->held }, &wrong);
    if (!is_stuck(c))
        return true;
    reach_cut(s, c, "its answer may have the secret that was added: its chunks hide it");
    return false;
}

void http_exchange(struct serve *s, struct conn *c)
{
    size_t held = c->held, from;
    bool went;

    c->down.ready += held;
    c->held = 0;
    if (!take_body(&c->request, &c->up)) {
        conn_refuse(s, c, 400,
                    c->request.bare ? "its body is not in chunks, or has headers behind them"
                                    : "its body is not in chunks");
        return;
    }
    /* A client that takes no more has left: what its server goes on to say is for nobody. */
    if (c->client.broken || c->client.shut ||
        (c->client.ended && !c->request.over && flow_unread(&c->up).n == 0)) {
        conn_abort(s, c);
        return;
    }
    while (!c->answer_begun && flow_is_empty(&c->down) && take_answer(s, c))
        ;
    if (c->stage != STAGE_EXCHANGE)
        return;
    from = c->down.ready - held;
    if (c->answer_begun && !take_body(&c->answer, &c->down)) {
        conn_abort(s, c);
        return;
    }
    went = !c->answer_begun || c->answer.over || flow_unread(&c->down).n == 0;
    if (c->server.ended && went && !(c->answer_begun && c->answer.over))
        answer_ended(s, c);
    if (c->stage != STAGE_EXCHANGE || !guard(s, c, from))
        return;
    if (c->answer_begun && c->answer.over && flow_is_empty(&c->down))
        next_request(s, c);
}
