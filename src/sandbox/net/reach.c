/* SPDX-License-Identifier: Apache-2.0 */
/* reach.c: judges a host, looks it up, judges what was found, and connects to that. */
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "sandbox/net/serve.h"
#include "sandbox/net/socks.h"

static void set_rule(struct conn *c, const char *rule)
{
    size_t n = strnlen(rule, sizeof c->rule - 1);

    memcpy(c->rule, rule, n);
    c->rule[n] = '\0';
}

/* ---- before anything is looked up ---- */

void reach_tell(struct serve *s, struct conn *c, const char *why)
{
    event_begin(s, c);
    set_rule(c, why);
    event_end(s, c);
}

void reach_stop(struct serve *s, struct conn *c, int status, const char *why)
{
    reach_tell(s, c, why);
    conn_refuse(s, c, status, why);
}

void reach_nowhere(struct serve *s, struct conn *c, struct str text, int status, const char *why)
{
    c->host = (struct host){ .name = "?" };
    text = target_host_told(text);
    for (size_t i = 0; i < text.n && i < HOST_MAX; i++)
        c->host.name[i] = text.s[i] > ' ' && text.s[i] < 0x7f ? text.s[i] : '?';
    reach_stop(s, c, status, why);
}

/* Who asked our resolver has an address of ours, which stands for the name. */
static void name_again(struct serve *s, struct conn *c)
{
    struct str name = { 0 };
    struct host host;

    if (c->host.is_address)
        name = names_of(s, &c->host.address);
    if (name.n && !host_read(name, c->host.port, &host))
        c->host = host;
}

void reach_begin(struct serve *s, struct conn *c)
{
    struct host_verdict verdict;

    name_again(s, c);
    c->turn++;
    c->candidate = c->candidate_count = 0;
    event_begin(s, c);
    arena_reset(&s->scratch);
    verdict = hosts_judge(&s->policy.hosts, &c->host, &s->scratch);
    c->refused = verdict.refused;
    set_rule(c, verdict.rule);
    if (c->refused) {
        conn_refuse(s, c, 403, c->rule);
        return;
    }
    c->stage = STAGE_LOOKUP;
    c->deadline_ms = s->now_ms + CONNECT_MS;
    if (c->host.is_address) {
        struct lookup_answer itself = { .turn = c->turn, .v = { c->host.address }, .n = 1 };

        reach_found(s, c, &itself);
    } else if (!lookup_ask(conn_number(s, c), c->turn, &c->host)) {
        conn_refuse(s, c, 503, "too many names are being looked up");
    }
}

/* ---- towards one of its addresses ---- */

static bool start(struct conn *c, const struct address *to)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(c->host.port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(c->host.port) };
    static const int yes = 1;
    int failed;

    c->server = (struct side){ .fd = socket(to->six ? AF_INET6 : AF_INET,
                                            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) };
    if (c->server.fd < 0)
        return false;
    memcpy(&six.sin6_addr, to->b, 16);
    memcpy(&four.sin_addr, to->b, 4);
    (void)setsockopt(c->server.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    failed = to->six ? connect(c->server.fd, (struct sockaddr *)&six, sizeof six)
                     : connect(c->server.fd, (struct sockaddr *)&four, sizeof four);
    return failed == 0 || errno == EINPROGRESS;
}

/* To the first of its addresses that is left and answers. */
static void reach_next(struct serve *s, struct conn *c)
{
    int failed = errno;
    char why[128];

    side_close(s, &c->server);
    while (c->candidate < c->candidate_count) {
        const struct address *to = &c->candidates[c->candidate++];

        c->stage = STAGE_CONNECT;
        if (start(c, to))
            return;
        failed = errno;
        side_close(s, &c->server);
    }
    (void)snprintf(why, sizeof why, "no connection: %s", error_words(failed));
    conn_refuse(s, c, 502, why);
}

/* ---- what was found ---- */

static void refuse_address(struct serve *s, struct conn *c, const struct address *address,
                           const struct host_verdict *verdict)
{
    char text[ADDRESS_TEXT], rule[WIRE_RULE];

    address_text(address, c->host.port, text);
    (void)snprintf(rule, sizeof rule, "%s (%s)", verdict->rule, text);
    c->refused = verdict->refused;
    set_rule(c, rule);
    conn_refuse(s, c, 403, c->rule);
}

/* An address of the world that an interface of this machine has leads to what listens here. */
static bool is_own(const struct ifaddrs *own, const struct address *address)
{
    struct address real = address_meant(address);

    for (; own; own = own->ifa_next) {
        struct address one;
        uint16_t port;

        if (own->ifa_addr && address_of_socket(own->ifa_addr, &one, &port) &&
            (address_same(&one, address) || address_same(&one, &real)))
            return true;
    }
    return false;
}

static struct host_verdict judge_found(const struct serve *s, const struct host *host,
                                       const struct address *address, const struct ifaddrs *own,
                                       struct arena *a)
{
    struct host_verdict verdict = hosts_judge_address(&s->policy.hosts, host, address, a);

    if (!verdict.refused && is_own(own, address) &&
        !hosts_list_address(&s->policy.hosts, host, address))
        return (struct host_verdict){ HOST_ADDRESS, "its address is one of this machine's own" };
    return verdict;
}

void reach_found(struct serve *s, struct conn *c, const struct lookup_answer *answer)
{
    struct host_verdict verdict = { HOST_REQUEST, "" };
    struct ifaddrs *own = NULL;

    if (c->stage != STAGE_LOOKUP || c->turn != answer->turn)
        return;
    if (getifaddrs(&own) != 0) { /* anew each time: they come and go */
        conn_refuse(s, c, 503, "the addresses of this machine cannot be told");
        return;
    }
    arena_reset(&s->scratch);
    for (size_t i = 0; i < answer->n; i++) {
        verdict = judge_found(s, &c->host, &answer->v[i], own, &s->scratch);
        if (!verdict.refused)
            c->candidates[c->candidate_count++] = answer->v[i];
    }
    freeifaddrs(own);
    if (answer->n == 0)
        conn_refuse(s, c, 502, "its name cannot be looked up");
    else if (c->candidate_count == 0)
        refuse_address(s, c, &answer->v[answer->n - 1], &verdict);
    else
        reach_next(s, c);
}

/* ---- connections ---- */

static bool is_connected(const struct conn *c, int *failed)
{
    struct sockaddr_storage peer;
    socklen_t n = sizeof peer, size = sizeof *failed;

    if (getsockopt(c->server.fd, SOL_SOCKET, SO_ERROR, failed, &size) != 0)
        *failed = errno;
    return *failed == 0 && getpeername(c->server.fd, (struct sockaddr *)&peer, &n) == 0;
}

static void say(struct flow *f, const char *text)
{
    flow_say(f, text, strlen(text));
}

static void go_tunnel(struct serve *s, struct conn *c)
{
    uint8_t granted[SOCKS_ANSWER];

    socks_answer(SOCKS_GRANTED, granted);
    if (c->via == VIA_CONNECT)
        say(&c->down, "HTTP/1.1 200 Connection established\r\n\r\n");
    if (c->via == VIA_SOCKS)
        flow_say(&c->down, granted, sizeof granted);
    c->down.bytes -=
        (int64_t)(c->down.head_to - c->down.head_from); /* that is ours, not the host's */
    c->stage = s->policy.match ? STAGE_OPENING : STAGE_RAW;
    c->deadline_ms = s->now_ms + (s->policy.match ? HEADER_MS : IDLE_MS);
}

void reach_revoke(struct serve *s, struct conn *c, const char *why)
{
    c->refused = HOST_REQUEST;
    set_rule(c, why);
    conn_abort(s, c);
}

void reach_cut(struct serve *s, struct conn *c, const char *why)
{
    if (c->down.bytes > 0) {
        reach_revoke(s, c, why);
        return;
    }
    c->refused = HOST_REQUEST;
    c->answer_begun = false;
    c->down.head_from = c->down.head_to = 0;
    set_rule(c, why);
    conn_refuse(s, c, 502, why);
}

void reach_connected(struct serve *s, struct conn *c)
{
    int failed = 0;

    if (!is_connected(c, &failed)) {
        errno = failed;
        if (failed)
            reach_next(s, c);
        return;
    }
    address_text(&c->candidates[c->candidate - 1], c->host.port, c->address);
    c->server.can_read = c->server.can_write = true;
    if (c->via != VIA_HTTP) {
        go_tunnel(s, c);
    } else if (!c->tls) {
        http_connected(s, c);
    } else {
        c->server.tls = tls_open(c->server.fd, c->host.name, c->host.is_address);
        c->stage = STAGE_TLS;
        if (!c->server.tls)
            conn_refuse(s, c, 502, "TLS cannot begin");
    }
}
