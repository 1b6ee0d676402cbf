/* SPDX-License-Identifier: Apache-2.0 */
/* conn.c: a connection from its first byte to its end. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "sandbox/net/opening.h"
#include "sandbox/net/serve.h"
#include "sandbox/net/socks.h"

/* ---- its end ---- */

static void conn_close(struct serve *s, struct conn *c)
{
    event_end(s, c);
    side_close(s, &c->client);
    side_close(s, &c->server);
    c->stage = STAGE_NONE;
    c->turn++;
    s->conn_count--;
}

void conn_abort(struct serve *s, struct conn *c)
{
    static const struct linger at_once = { 1, 0 };

    if (c->stage == STAGE_NONE)
        return;
    (void)setsockopt(c->client.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    /* What a client said that has gone in peace still goes out. */
    if (c->client.broken && c->server.fd >= 0)
        (void)setsockopt(c->server.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    conn_close(s, c);
}

static enum socks_code socks_code_of(const struct conn *c, int status)
{
    switch (status) {
    case 403: return SOCKS_NOT_ALLOWED;
    case 405: return SOCKS_NO_SUCH_COMMAND;
    case 501: return SOCKS_NO_SUCH_ADDRESS;
    case 502: return c->candidate_count ? SOCKS_REFUSED : SOCKS_NO_HOST;
    case 504: return SOCKS_EXPIRED;
    default: return SOCKS_FAILED;
    }
}

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } rows[] = {
        { 400, "Bad Request" },     { 403, "Forbidden" },        { 405, "Not Allowed" },
        { 408, "Request Timeout" }, { 431, "Header Too Large" }, { 501, "Not Implemented" },
        { 502, "Bad Gateway" },     { 503, "Unavailable" },      { 504, "Gateway Timeout" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].status == status)
            return rows[i].reason;
    return "Refused";
}

/* "writ: example.org:443 is not in the list of hosts" */
static void say_status(struct conn *c, int status, const char *why)
{
    char line[HOST_MAX + WIRE_RULE + 64], head[256];
    const char *name = strcmp(c->host.name, "?") == 0 ? "the request" : c->host.name;
    bool subject = strncmp(why, "it ", 3) == 0;
    int n;

    if (!c->host.port)
        n = snprintf(line, sizeof line, "writ: %s: %s\n", name, why);
    else
        n = snprintf(line, sizeof line, "writ: %s:%d%s%s\n", name, c->host.port,
                     subject ? " " : ": ", subject ? why + 3 : why);
    flow_say(&c->down, head,
             (size_t)snprintf(head, sizeof head,
                              "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n"
                              "Content-Length: %d\r\nConnection: close\r\n\r\n",
                              status, reason_of(status), n));
    flow_say(&c->down, line, (size_t)n);
}

static void go_last(struct serve *s, struct conn *c)
{
    side_close(s, &c->server);
    c->up.head_from = c->up.head_to = 0;
    c->up.from = c->up.ready = c->up.to = 0;
    c->stage = STAGE_LAST;
    c->drained = 0;
    c->deadline_ms = s->now_ms + LAST_MS;
}

void conn_refuse(struct serve *s, struct conn *c, int status, const char *why)
{
    uint8_t answer[SOCKS_ANSWER];

    if (c->decided && !c->refused && status >= 500)
        (void)snprintf(c->error, sizeof c->error, "%s", why);
    if (c->via == VIA_STRAIGHT || (c->stage == STAGE_EXCHANGE && c->answer_begun)) {
        conn_abort(s, c);
        return;
    }
    c->down.from = c->down.ready = c->down.to = 0;
    if (c->via == VIA_SOCKS) {
        socks_answer(socks_code_of(c, status), answer);
        flow_say(&c->down, answer, sizeof answer);
    } else {
        say_status(c, status, why);
    }
    event_end(s, c);
    go_last(s, c);
}

void conn_late(struct serve *s, struct conn *c)
{
    if (c->stage == STAGE_HEAD && !c->waits)
        http_refuse(s, c, 408, "its head took too long");
    else if (c->stage == STAGE_LOOKUP || c->stage == STAGE_CONNECT || c->stage == STAGE_TLS ||
             (c->stage == STAGE_EXCHANGE && !c->answer_begun))
        conn_refuse(s, c, 504, "it took too long");
    else if (c->stage == STAGE_OPENING)
        reach_revoke(s, c, "its TLS did not say in time for whom it is");
    else
        conn_abort(s, c);
}

/* ---- its beginning ---- */

static void open_straight(struct serve *s, struct conn *c)
{
    struct sockaddr_in here = { 0 };
    socklen_t n = sizeof here;

    c->via = VIA_STRAIGHT;
    if (getsockname(c->client.fd, (struct sockaddr *)&here, &n) != 0 ||
        here.sin_family != AF_INET) {
        conn_abort(s, c);
        return;
    }
    c->host = (struct host){ .port = ntohs(here.sin_port), .is_address = true };
    memcpy(c->host.address.b, &here.sin_addr, 4);
    (void)inet_ntop(AF_INET, &here.sin_addr, c->host.name, sizeof c->host.name);
    if (names_of(s, &c->host.address).n > 0 || hosts_own_loop(&s->policy.hosts, &c->host))
        reach_begin(s, c);
    else if (names_are_at(&c->host.address))
        reach_stop(s, c, 403, "no name was given this address");
    else
        conn_abort(s, c); /* the rest of the loop is the run's own: nobody was meant */
}

static struct conn *free_place(struct serve *s)
{
    for (size_t i = 0; i < CONNS; i++)
        if (s->conns[i].stage == STAGE_NONE)
            return &s->conns[i];
    return NULL;
}

static void empty(struct flow *f)
{
    f->head_from = f->head_to = f->from = f->ready = f->to = 0;
    f->bytes = 0;
}

void conn_open(struct serve *s, int fd, enum door_kind kind)
{
    static const int yes = 1;
    struct conn *c = free_place(s);

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    s->conn_count++;
    c->life++;
    c->turn++;
    c->client = (struct side){ .fd = fd, .can_read = true, .can_write = true };
    c->server = (struct side){ .fd = -1 };
    empty(&c->up);
    empty(&c->down);
    c->deadline_ms = s->now_ms + HEADER_MS;
    c->decided = c->answer_begun = c->waits = c->retried = false;
    c->looked = 0;
    c->via = VIA_HTTP;
    c->stage = kind == DOOR_NAMES_TCP ? STAGE_NAMES : STAGE_FIRST;
    if (kind == DOOR_STRAIGHT)
        open_straight(s, c);
    if (c->stage != STAGE_NONE)
        conn_run(s, c);
}

/* ---- SOCKS ---- */

static void take(struct conn *c, size_t n)
{
    c->up.from = c->up.ready = c->up.ready + n;
}

static void step_hello(struct serve *s, struct conn *c)
{
    uint8_t answer[SOCKS_HELLO_ANSWER] = { SOCKS_VERSION, 0 };
    size_t taken = 0;
    bool plain = false;

    c->via = VIA_SOCKS;
    switch (socks_read_hello(flow_unread(&c->up), &taken, &plain)) {
    case SOCKS_PART: return;
    case SOCKS_WRONG: conn_abort(s, c); return;
    case SOCKS_WHOLE: break;
    }
    take(c, taken);
    c->stage = STAGE_ASK;
    if (plain) {
        flow_say(&c->down, answer, sizeof answer);
        return;
    }
    answer[1] = 0xff;
    c->host = (struct host){ .name = "?" };
    reach_tell(s, c, "SOCKS is spoken without a password");
    flow_say(&c->down, answer, sizeof answer);
    go_last(s, c);
}

/* socks_code_of() makes the code of it again. */
static int status_of(enum socks_code code)
{
    return code == SOCKS_NO_SUCH_COMMAND ? 405 : code == SOCKS_NO_SUCH_ADDRESS ? 501 : 403;
}

static void step_ask(struct serve *s, struct conn *c)
{
    static const struct str none = { "", 0 };
    struct str bytes = flow_unread(&c->up);
    struct socks_ask ask;
    size_t taken = 0;

    switch (socks_read_ask(bytes, &taken, &ask)) {
    case SOCKS_PART: return;
    case SOCKS_WRONG: reach_nowhere(s, c, none, 400, "it is no SOCKS 5"); return;
    case SOCKS_WHOLE: break;
    }
    c->host = ask.host;
    if (ask.code == SOCKS_GRANTED) {
        take(c, taken);
        reach_begin(s, c);
    } else if (ask.host.length) {
        reach_stop(s, c, status_of(ask.code), ask.why);
    } else {
        /* what was written there is told, and its length before it is not */
        reach_nowhere(s, c, taken > 7 ? (struct str){ bytes.s + 5, taken - 7 } : none,
                      status_of(ask.code), ask.why);
    }
}

/* ---- step by step ---- */

static void step_first(struct conn *c)
{
    struct str bytes = flow_unread(&c->up);

    if (bytes.n > 0)
        c->stage = bytes.s[0] == SOCKS_VERSION ? STAGE_HELLO : STAGE_HEAD;
}

static void step_tls(struct serve *s, struct conn *c)
{
    const char *why = NULL;
    int done = tls_shake(c->server.tls, &why);

    if (done == 1)
        http_connected(s, c);
    else if (done == TLS_BROKEN)
        conn_refuse(s, c, 502, why);
}

static void step_opening(struct serve *s, struct conn *c)
{
    const char *why = NULL;
    size_t taken = 0;

    switch (opening_judge(flow_unread(&c->up), &c->host, c->retried, &taken, &why)) {
    case OPENING_PART: c->up.ready += taken; return;
    case OPENING_RETRY:
    case OPENING_WRONG: reach_revoke(s, c, why); return;
    case OPENING_FITS: break;
    }
    c->up.ready += taken;
    c->stage = STAGE_ANSWER;
    c->deadline_ms = s->now_ms + IDLE_MS;
}

static void step_answer(struct serve *s, struct conn *c)
{
    const char *why = NULL;
    size_t taken = 0;

    switch (opening_answer(flow_unread(&c->down), &taken, &why)) {
    case OPENING_WRONG: reach_revoke(s, c, why); return;
    case OPENING_FITS: c->stage = STAGE_RAW; return;
    case OPENING_RETRY:
        c->down.ready += taken;
        c->retried = true;
        c->stage = STAGE_OPENING;
        c->deadline_ms = s->now_ms + HEADER_MS;
        return;
    case OPENING_PART: break;
    }
    c->down.ready += taken;
    if (c->client.broken || c->server.broken) {
        conn_abort(s, c);
    } else if (c->server.ended) { /* it ends without an answer, perhaps after an alert */
        c->down.ready = c->down.to;
        event_end(s, c);
        go_last(s, c);
    }
}

/* An end that was broken off is passed on as one: a tidy end would make what came look whole. */
static void step_raw(struct serve *s, struct conn *c)
{
    bool cut = c->server.broken && c->server.ended;

    if (c->client.broken || (cut && flow_is_empty(&c->down))) {
        conn_abort(s, c);
        return;
    }
    if (c->client.ended && flow_is_empty(&c->up) && !c->server.shut) {
        (void)shutdown(c->server.fd, SHUT_WR);
        c->server.shut = true;
    }
    if (c->server.ended && flow_is_empty(&c->down) && !c->client.shut) {
        (void)shutdown(c->client.fd, SHUT_WR);
        c->client.shut = true;
    }
    if (c->client.shut && c->server.shut)
        conn_close(s, c);
}

/* What we said is read before the connection goes away, if it is read at all. */
static void step_last(struct serve *s, struct conn *c)
{
    if (flow_is_empty(&c->down) && !c->client.shut) {
        (void)shutdown(c->client.fd, SHUT_WR);
        c->client.shut = true;
    }
    if (c->client.ended)
        conn_close(s, c);
    else if (c->drained > DRAIN_BYTES)
        conn_abort(s, c);
}

static void step(struct serve *s, struct conn *c)
{
    switch (c->stage) {
    case STAGE_FIRST: step_first(c); break;
    case STAGE_HELLO: step_hello(s, c); break;
    case STAGE_ASK: step_ask(s, c); break;
    case STAGE_HEAD: http_head(s, c); break;
    case STAGE_NAMES: names_stream(s, c); break;
    case STAGE_TLS: step_tls(s, c); break;
    case STAGE_EXCHANGE: http_exchange(s, c); break;
    case STAGE_OPENING: step_opening(s, c); break;
    case STAGE_ANSWER: step_answer(s, c); break;
    case STAGE_RAW: step_raw(s, c); break;
    case STAGE_LAST: step_last(s, c); break;
    case STAGE_NONE:
    case STAGE_LOOKUP:
    case STAGE_CONNECT: break;
    }
}

/* It says no more, and has not said enough. */
static bool is_over(const struct conn *c, enum stage before)
{
    return c->client.ended && c->stage == before &&
           (c->stage == STAGE_FIRST || c->stage == STAGE_HELLO || c->stage == STAGE_ASK ||
            c->stage == STAGE_HEAD || c->stage == STAGE_NAMES || c->stage == STAGE_OPENING ||
            c->client.broken);
}

void conn_run(struct serve *s, struct conn *c)
{
    enum { ROUNDS = 16 }; /* then it is others' turn, unless nobody would tell us to go on */
    bool on = true;

    for (int i = 0; on && (i < ROUNDS || c->client.gone || c->server.gone || c->server.tls); i++) {
        enum stage before = c->stage;
        bool moved = relay_move(s, c);

        if (moved && (c->stage == STAGE_RAW || c->stage == STAGE_EXCHANGE))
            c->deadline_ms = s->now_ms + IDLE_MS;
        step(s, c);
        if (c->stage != STAGE_NONE && !moved && is_over(c, before))
            conn_close(s, c);
        if (c->stage == STAGE_NONE)
            return;
        on = moved || c->stage != before;
    }
    relay_watch(s, c, on);
}
