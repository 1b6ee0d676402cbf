/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c: the loop of writ-net. */
#include "sandbox/net/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/pass.h"

enum { NEWS = 64, LOOK_MS = 500 };

uint32_t conn_number(const struct serve *s, const struct conn *c)
{
    return (uint32_t)(c - s->conns);
}

static bool watch(const struct serve *s, int fd, uint32_t events, uint64_t kind, uint32_t which)
{
    struct epoll_event event = { .events = events, .data.u64 = kind << MARK_KIND | which };

    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* ---- the channel ---- */

/* -1: the channel is over; 0: nothing now. A door's descriptor comes with it. */
static ssize_t receive(struct serve *s, char packet[WIRE_MAX], int *fd, bool wait)
{
    int fds[PASS_MOST];
    ssize_t n = pass_hear(s->channel, packet, WIRE_MAX, wait ? 0 : MSG_DONTWAIT, fds);

    *fd = fds[0];
    pass_drop(fds, 1);
    if (n <= 0)
        return n < 0 && errno == EAGAIN ? 0 : -1;
    return n;
}

bool serve_hear_policy(struct serve *s, struct error *e)
{
    char packet[WIRE_MAX];

    while (!s->policy.done) {
        int fd;
        ssize_t n = receive(s, packet, &fd, true);

        own_close(&fd);
        if (n < 0 || !wire_read_policy((struct str){ packet, (size_t)n }, &s->a, &s->policy))
            return error_set(e, ERROR_IO, "what holds was not told");
        explicit_bzero(packet, sizeof packet);
    }
    return true;
}

static bool watch_door(struct serve *s, size_t i)
{
    s->doors[i].listed = watch(s, s->doors[i].fd, EPOLLIN, MARK_DOOR, (uint32_t)i);
    return s->doors[i].listed;
}

static void add_door(struct serve *s, struct str packet, int fd)
{
    struct wire_door w;
    int flags = fcntl(fd, F_GETFL);

    if (packet.n != sizeof w || packet.s[0] != WIRE_DOOR || fd < 0 || s->door_count == DOORS_MAX ||
        fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        own_close(&fd);
        return;
    }
    memcpy(&w, packet.s, sizeof w);
    s->doors[s->door_count] = (struct served_door){ .fd = fd, .kind = (enum door_kind)w.door };
    (void)watch_door(s, s->door_count++);
}

/* False: the run is over. */
static bool hear(struct serve *s)
{
    char packet[WIRE_MAX];
    int fd;
    ssize_t n = receive(s, packet, &fd, false);

    if (n > 0)
        add_door(s, (struct str){ packet, (size_t)n }, fd);
    return n >= 0;
}

/* ---- doors ---- */

/* When all places are taken, who comes waits at the door. */
static void tend_doors(struct serve *s)
{
    for (size_t i = 0; i < s->door_count; i++) {
        struct served_door *d = &s->doors[i];
        bool wanted = d->kind == DOOR_NAMES_UDP || s->conn_count < s->places;

        if (wanted && !d->listed)
            (void)watch_door(s, i);
        if (!wanted && d->listed) {
            (void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, d->fd, NULL);
            d->listed = false;
        }
    }
}

static void open_door(struct serve *s, struct served_door *d)
{
    if (d->kind == DOOR_NAMES_UDP) {
        names_serve(s, d->fd);
        return;
    }
    while (s->conn_count < s->places) {
        int fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd < 0)
            return;
        conn_open(s, fd, d->kind);
    }
}

/* ---- the loop ---- */

static void run_side(struct serve *s, const struct epoll_event *event)
{
    struct conn *c = &s->conns[event->data.u64 >> 32 & (CONNS - 1)];
    bool of_server = event->data.u64 >> MARK_SIDE & 1;
    struct side *side = of_server ? &c->server : &c->client;
    bool over = event->events & (EPOLLHUP | EPOLLERR);

    if (c->stage == STAGE_NONE || c->life != (uint32_t)event->data.u64 || side->fd < 0)
        return;
    if (over && !(side->mask & (EPOLLIN | EPOLLOUT)))
        side_forget(s, side);
    side->can_read = side->can_read || over || event->events & EPOLLIN;
    side->can_write = side->can_write || over || event->events & EPOLLOUT;
    if (of_server && c->stage == STAGE_CONNECT)
        reach_connected(s, c);
    if (c->stage != STAGE_NONE)
        conn_run(s, c);
}

static void take_lookups(struct serve *s)
{
    struct lookup_answer answer;

    while (lookup_take(&answer)) {
        struct conn *c = &s->conns[answer.conn % CONNS];

        reach_found(s, c, &answer);
        if (c->stage != STAGE_NONE)
            conn_run(s, c);
    }
}

static void look_at_clock(struct serve *s)
{
    if (s->now_ms < s->look_ms)
        return;
    s->look_ms = s->now_ms + LOOK_MS;
    for (size_t i = 0; i < CONNS; i++) {
        struct conn *c = &s->conns[i];

        if (c->stage == STAGE_NONE || c->deadline_ms > s->now_ms)
            continue;
        conn_late(s, c);
        if (c->stage != STAGE_NONE)
            conn_run(s, c);
    }
}

static bool take(struct serve *s, const struct epoll_event *event)
{
    switch (event->data.u64 >> MARK_KIND) {
    case MARK_CHANNEL: return !(event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || hear(s);
    case MARK_LOOKUPS: take_lookups(s); return true;
    case MARK_DOOR: open_door(s, &s->doors[(uint32_t)event->data.u64 % DOORS_MAX]); return true;
    default: run_side(s, event); return true;
    }
}

/* The channel is asked about only while something waits for it. */
static void tend_channel(struct serve *s)
{
    bool waits;
    struct epoll_event event = { .data.u64 = (uint64_t)MARK_CHANNEL << MARK_KIND };

    event_send(s, false);
    waits = s->event_count > 0 || s->uncounted > 0;
    event.events = waits ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (waits != s->channel_waits)
        (void)epoll_ctl(s->epoll, EPOLL_CTL_MOD, s->channel, &event);
    s->channel_waits = waits;
}

static void end(struct serve *s)
{
    static const char all_told = WIRE_END;

    s->now_ms = s->world->mono_ms(s->world->self);
    for (size_t i = 0; i < CONNS; i++) {
        if (s->conns[i].stage == STAGE_NONE)
            continue;
        conn_abort(s, &s->conns[i]);
        event_send(s, true);
    }
    event_send(s, true);
    if (s->event_count == 0 && s->uncounted == 0)
        (void)send(s->channel, &all_told, 1, MSG_NOSIGNAL);
}

/* A connection has two descriptors; where we may have few, fewer are let in. */
static size_t count_places(void)
{
    enum { OTHERS = 64 + DOORS_MAX };
    struct rlimit most;

    if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur < OTHERS + 2)
        return 1;
    return most.rlim_cur > OTHERS + 2 * CONNS ? CONNS : (size_t)(most.rlim_cur - OTHERS) / 2;
}

bool serve_run(struct serve *s, struct error *e)
{
    struct epoll_event news[NEWS];
    static const char ready = WIRE_READY;
    bool on = true;

    s->places = count_places();
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll < 0 || !lookup_open(&s->lookups, e) ||
        !watch(s, s->channel, EPOLLIN, MARK_CHANNEL, 0) ||
        !watch(s, s->lookups, EPOLLIN, MARK_LOOKUPS, 0) ||
        send(s->channel, &ready, 1, MSG_NOSIGNAL) != 1)
        return error_sys(e, ERROR_IO, "the loop cannot begin");
    while (on) {
        int n = epoll_wait(s->epoll, news, NEWS, s->conn_count ? LOOK_MS : -1);

        s->now_ms = s->world->mono_ms(s->world->self);
        for (int i = 0; i < n && on; i++)
            on = take(s, &news[i]);
        look_at_clock(s);
        tend_doors(s);
        tend_channel(s);
    }
    end(s);
    return true;
}
