/* SPDX-License-Identifier: Apache-2.0 */
/* relay.c: moves bytes between the two ends of a connection. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "sandbox/net/serve.h"

/* ---- one end ---- */

void side_close(struct serve *s, struct side *side)
{
    (void)s; /* what is closed is not watched any more */
    tls_close(side->tls);
    own_close(&side->fd);
    *side = (struct side){ .fd = -1 };
}

static uint64_t mark(const struct serve *s, const struct conn *c, const struct side *side)
{
    return (uint64_t)MARK_CONN << MARK_KIND | (uint64_t)(side == &c->server) << MARK_SIDE |
           (uint64_t)conn_number(s, c) << 32 | c->life;
}

static bool side_watch(struct serve *s, struct conn *c, struct side *side, uint32_t mask)
{
    struct epoll_event event = { .events = mask, .data.u64 = mark(s, c, side) };

    if (side->gone || (side->listed && side->mask == mask))
        return true;
    if (epoll_ctl(s->epoll, side->listed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, side->fd, &event) != 0)
        return false;
    side->listed = true;
    side->mask = mask;
    return true;
}

void side_forget(struct serve *s, struct side *side)
{
    if (side->listed)
        (void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, side->fd, NULL);
    side->listed = false;
    side->gone = true;
}

static ssize_t side_read(struct side *side, char *to, size_t n)
{
    ssize_t got;

    if (side->tls)
        return tls_read(side->tls, to, n);
    do
        got = recv(side->fd, to, n, 0);
    while (got < 0 && errno == EINTR);
    return got >= 0 ? got : errno == EAGAIN ? TLS_LATER : TLS_BROKEN;
}

static ssize_t side_write(struct side *side, struct iovec *v, size_t n)
{
    struct msghdr m = { .msg_iov = v, .msg_iovlen = n };
    ssize_t sent;

    if (side->tls)
        return n > 0 ? tls_write(side->tls, v[0].iov_base, v[0].iov_len) : 0;
    do
        sent = sendmsg(side->fd, &m, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0 ? sent : errno == EAGAIN ? TLS_LATER : TLS_BROKEN;
}

/* ---- one direction ---- */

static void make_room(struct flow *f)
{
    if (f->from == 0)
        return;
    memmove(f->body, f->body + f->from, f->to - f->from);
    f->to -= f->from;
    f->ready -= f->from;
    f->from = 0;
}

static bool has_room(const struct flow *f)
{
    return f->to - f->from < BODY_BYTES;
}

/* True: something came, or the end. */
static bool pull(struct side *side, struct flow *f)
{
    size_t room;
    ssize_t n;

    if (!side->can_read || side->ended || !has_room(f))
        return false;
    if (f->from == f->to || f->to == BODY_BYTES)
        make_room(f);
    room = BODY_BYTES - f->to;
    n = side_read(side, f->body + f->to, room);
    if (n == TLS_LATER) {
        side->can_read = false;
        return false;
    }
    if (n > 0) {
        f->to += (size_t)n;
        /* Less than was asked for: the next call would only say that there is no more. */
        if (!side->tls && (size_t)n < room && !side->gone)
            side->can_read = false;
        return true;
    }
    side->ended = true;
    side->broken = side->broken || n == TLS_BROKEN;
    return true;
}

static void went(struct flow *f, size_t n)
{
    size_t head = f->head_to - f->head_from;

    head = head < n ? head : n;
    f->head_from += head;
    f->from += n - head;
    f->bytes += (int64_t)n;
    if (f->head_from == f->head_to)
        f->head_from = f->head_to = 0;
}

/* Nobody takes it any more. */
static void drop(struct flow *f)
{
    f->head_from = f->head_to = 0;
    f->from = f->ready;
}

static bool push(struct flow *f, struct side *side)
{
    struct iovec v[2];
    size_t pieces = 0;
    ssize_t n;

    if (flow_is_empty(f) || !side->can_write)
        return false;
    if (side->broken || side->shut) {
        drop(f);
        return true;
    }
    if (f->head_from < f->head_to)
        v[pieces++] = (struct iovec){ f->head + f->head_from, f->head_to - f->head_from };
    if (f->from < f->ready)
        v[pieces++] = (struct iovec){ f->body + f->from, f->ready - f->from };
    n = side_write(side, v, pieces);
    if (n > 0) {
        went(f, (size_t)n);
        return true;
    }
    if (n == TLS_LATER) {
        side->can_write = false;
        return false;
    }
    /* The kernel tells a reset once: who reads next would take it for an end. */
    side->broken = !side->tls && errno == ECONNRESET;
    side->shut = true;
    drop(f);
    return true;
}

void flow_say(struct flow *f, const void *bytes, size_t n)
{
    if (f->head_to + n > HEAD_BYTES)
        return;
    memcpy(f->head + f->head_to, bytes, n);
    f->head_to += n;
}

/* ---- both ---- */

static bool server_speaks(const struct conn *c)
{
    return c->server.fd >= 0 &&
           (c->stage == STAGE_EXCHANGE || c->stage == STAGE_ANSWER || c->stage == STAGE_RAW);
}

bool relay_move(struct serve *s, struct conn *c)
{
    bool moved = pull(&c->client, &c->up);

    (void)s;
    if (c->stage == STAGE_LAST) {
        c->drained += c->up.to;
        c->up.from = c->up.ready = c->up.to = 0;
    }
    if (c->stage == STAGE_RAW)
        c->up.ready = c->up.to;
    if (c->stage == STAGE_OPENING || server_speaks(c))
        moved = push(&c->up, &c->server) || moved;
    if (server_speaks(c)) {
        moved = pull(&c->server, &c->down) || moved;
        if (c->stage == STAGE_RAW)
            c->down.ready = c->down.to;
    }
    return push(&c->down, &c->client) || moved;
}

/* What waits to be written is asked for even where it could be: who was interrupted would wait for
 * a side that may have nothing more to say. */
static uint32_t wanted(const struct side *side, const struct flow *in, const struct flow *out)
{
    uint32_t mask = !side->ended && has_room(in) ? EPOLLIN : 0;

    if (side->tls && tls_wants_write(side->tls))
        mask |= EPOLLOUT;
    return !flow_is_empty(out) ? mask | EPOLLOUT : mask;
}

void relay_watch(struct serve *s, struct conn *c, bool again)
{
    bool watched =
        side_watch(s, c, &c->client, wanted(&c->client, &c->up, &c->down) | (again ? EPOLLOUT : 0));

    if (c->stage == STAGE_CONNECT)
        watched = side_watch(s, c, &c->server, EPOLLOUT) && watched;
    else if (c->stage == STAGE_TLS)
        watched =
            side_watch(s, c, &c->server, tls_wants_write(c->server.tls) ? EPOLLOUT : EPOLLIN) &&
            watched;
    else if (c->stage == STAGE_OPENING)
        watched = side_watch(s, c, &c->server, flow_is_empty(&c->up) ? 0 : EPOLLOUT) &&
                  watched; /* it is the client's turn to speak */
    else if (server_speaks(c))
        watched = side_watch(s, c, &c->server, wanted(&c->server, &c->down, &c->up)) && watched;
    if (!watched)
        conn_abort(s, c);
}
