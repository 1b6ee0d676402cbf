/* SPDX-License-Identifier: Apache-2.0 */
/* events.c: tells what was decided, as fast as it is heard; what is too much is counted. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "sandbox/net/serve.h"

void event_begin(struct serve *s, struct conn *c)
{
    c->decided = true;
    c->refused = HOST_REQUEST;
    c->began_ms = s->now_ms;
    c->at_ms = s->world->wall_ms(s->world->self);
    c->rule[0] = c->error[0] = c->address[0] = '\0';
    c->up.bytes = c->down.bytes = 0;
}

void event_end(struct serve *s, struct conn *c)
{
    struct wire_event w = { .kind = WIRE_EVENT,
                            .via = (uint8_t)c->via,
                            .refused = (uint8_t)c->refused,
                            .port = c->host.port,
                            .up = c->up.bytes,
                            .down = c->down.bytes > 0 ? c->down.bytes : 0,
                            .ms = s->now_ms - c->began_ms,
                            .at_ms = c->at_ms };

    if (!c->decided)
        return;
    c->decided = false;
    memcpy(w.host, c->host.name, sizeof w.host);
    memcpy(w.address, c->address, sizeof w.address);
    memcpy(w.rule, c->rule, sizeof w.rule);
    memcpy(w.error, c->error, sizeof w.error);
    event_tell(s, &w);
}

void event_tell(struct serve *s, const struct wire_event *event)
{
    size_t room = wire_is_let_out(event) ? EVENTS : EVENTS / 2;

    if (s->event_count >= room)
        event_send(s, false);
    if (s->event_count >= room) {
        s->uncounted++;
        return;
    }
    s->events[(s->event_first + s->event_count++) % EVENTS] = *event;
}

/* True: it went. */
static bool send_packet(struct serve *s, const void *packet, size_t n, bool last)
{
    enum { PATIENCE_MS = 2000 };
    struct pollfd p = { .fd = s->channel, .events = POLLOUT };

    for (;;) {
        if (send(s->channel, packet, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n)
            return true;
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN || !last || poll(&p, 1, PATIENCE_MS) <= 0)
            return false;
    }
}

void event_send(struct serve *s, bool last)
{
    while (s->event_count > 0 &&
           send_packet(s, &s->events[s->event_first], sizeof s->events[0], last)) {
        s->event_first = (s->event_first + 1) % EVENTS;
        s->event_count--;
    }
    if (s->event_count == 0 && s->uncounted > 0) {
        struct wire_count w = { .kind = WIRE_COUNT, .uncounted = s->uncounted };

        if (send_packet(s, &w, sizeof w, last))
            s->uncounted = 0;
    }
}
