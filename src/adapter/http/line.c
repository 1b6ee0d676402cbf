/* SPDX-License-Identifier: Apache-2.0 */
/* line.c: calls side by side on one channel, read by whoever waits. */
#include "adapter/http/line.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum { SEND_MS = 10000, SPARE = 2 << 20 };

int64_t line_now_ms(const struct http *h)
{
    return h->world->mono_ms(h->world->self);
}

/* ---- those who wait ---- */

static void wake(const struct line_call *c)
{
    if (c->waits)
        (void)eventfd_write(c->wake, 1);
}

/* Somebody else has to read now. */
static void hand_over(struct http *h, const struct line_call *from)
{
    for (struct line_call *c = h->calls; c && !h->reading; c = c->next) {
        if (c == from || !c->waits)
            continue;
        wake(c);
        return;
    }
}

/* Once only; with the lock. All who wait are told. */
static void die(struct http *h, const char *why)
{
    _arena_ struct arena a = { 0 };
    const char *how;
    struct error e = { 0 };

    if (h->dead)
        return;
    h->dead = true;
    (void)shutdown(h->child.channel, SHUT_RDWR);
    how = http_child_end(&h->child, &a);
    (void)error_set(&e, ERROR_IO, "writ-http %s", why ? why : how);
    memcpy(h->how, e.msg, sizeof h->how);
    for (struct line_call *c = h->calls; c; c = c->next)
        wake(c);
}

static bool is_dead(struct http *h, struct error *e)
{
    bool dead;

    (void)pthread_mutex_lock(&h->lock);
    dead = h->dead;
    if (dead)
        (void)error_set(e, ERROR_IO, "%s", h->how);
    (void)pthread_mutex_unlock(&h->lock);
    return dead;
}

static void die_now(struct http *h, const char *why)
{
    (void)pthread_mutex_lock(&h->lock);
    die(h, why);
    (void)pthread_mutex_unlock(&h->lock);
}

/* ---- out ---- */

/* All of it, or the line is dead: half a frame is nothing that can be followed by another. */
static bool send_all(struct http *h, struct str bytes)
{
    int64_t deadline_ms = -1;

    while (bytes.n > 0) {
        ssize_t n = send(h->child.channel, bytes.s, bytes.n, MSG_DONTWAIT | MSG_NOSIGNAL);
        struct pollfd p = { h->child.channel, POLLOUT, 0 };
        int64_t now_ms;

        if (n > 0) {
            bytes = (struct str){ bytes.s + n, bytes.n - (size_t)n };
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        now_ms = line_now_ms(h);
        deadline_ms = deadline_ms < 0 ? now_ms + SEND_MS : deadline_ms;
        if (now_ms >= deadline_ms)
            return false;
        (void)poll(&p, 1, poll_ms(deadline_ms - now_ms));
    }
    return true;
}

static bool send_frame(struct http *h, struct str bytes, struct error *e)
{
    bool ok;

    if (is_dead(h, e))
        return false;
    (void)pthread_mutex_lock(&h->writing);
    ok = send_all(h, bytes);
    (void)pthread_mutex_unlock(&h->writing);
    if (ok)
        return true;
    die_now(h, NULL);
    (void)is_dead(h, e);
    return false;
}

bool line_send(struct http *h, struct line_call *c, enum http_kind kind, struct str body,
               struct error *e)
{
    _buf_ struct buf frame = { .max = HTTP_FRAME_HEAD + HTTP_TEXT_MAX + 1 };

    http_frame_add(&frame, &(struct http_frame){ kind, c->number, body });
    return send_frame(h, buf_str(&frame), e);
}

bool line_begin(struct http *h, struct line_call *c, enum http_kind kind, struct buf *frame,
                size_t room, struct error *e)
{
    *c = (struct line_call){ .wake = -1 };
    c->inbox.max = room < SIZE_MAX / 2 ? room + SPARE : SIZE_MAX / 2;
    http_reader_open(&c->mail, HTTP_PROGRAM);
    (void)pthread_mutex_lock(&h->lock);
    c->number = ++h->last;
    c->next = h->calls;
    h->calls = c;
    (void)pthread_mutex_unlock(&h->lock);
    http_frame_end(frame, 0, kind, c->number);
    if (send_frame(h, buf_str(frame), e))
        return true;
    line_leave(h, c, false);
    return false;
}

void line_leave(struct http *h, struct line_call *c, bool stop)
{
    struct line_call **at = &h->calls;
    struct error e;

    (void)pthread_mutex_lock(&h->lock);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    hand_over(h, c);
    (void)pthread_mutex_unlock(&h->lock);
    if (stop && !line_send(h, c, HTTP_STOP, (struct str){ 0 }, &e))
        c->lost = true; /* with writ-http itself, and all it did */
    own_close(&c->wake);
    buf_free(&c->inbox);
    http_reader_close(&c->mail);
}

/* ---- in ---- */

/* What is about a call that is over is dropped. */
static void put(struct http *h, const struct http_frame *f, const struct line_call *me)
{
    struct line_call *c = h->calls;

    while (c && c->number != f->call)
        c = c->next;
    if (!c || c->lost)
        return;
    http_frame_add(&c->inbox, f);
    c->lost = !buf_ok(&c->inbox);
    if (c != me)
        wake(c);
}

/* With the lock. */
static void sort_out(struct http *h, enum http_got got, const struct line_call *me)
{
    struct http_frame f;
    struct error e = { 0 };
    bool whole = true;

    if (got == HTTP_GOT_END)
        die(h, NULL);
    while (whole && !h->dead) {
        if (!http_reader_take(&h->in, &f, &whole, &e))
            die(h, "says what is no frame");
        else if (whole)
            put(h, &f, me);
    }
}

static int left_ms(const struct http *h, int64_t deadline_ms)
{
    return poll_ms(deadline_ms - line_now_ms(h));
}

/* Waits at a descriptor. LINE_MAIL: there is something to be looked at. */
static enum line_news wait_at(const struct http *h, int fd, int64_t deadline_ms, int cancel)
{
    struct pollfd p[2] = { { fd, POLLIN, 0 }, { cancel, POLLIN, 0 } };
    int n = poll(p, 2, left_ms(h, deadline_ms));

    if (n > 0 && p[0].revents == 0 && p[1].revents)
        return LINE_CANCELLED;
    return n == 0 && left_ms(h, deadline_ms) == 0 ? LINE_LATE : LINE_MAIL;
}

/* Reads for all. Comes and goes with the lock. */
static enum line_news read_for_all(struct http *h, struct line_call *me, int64_t deadline_ms,
                                   int cancel)
{
    enum line_news news = LINE_MAIL;
    enum http_got got;
    bool alone = cancel < 0; /* only the clock can end it: the socket waits as well as poll() */

    h->reading = true;
    (void)pthread_mutex_unlock(&h->lock);
    got = http_reader_eager(&h->in, h->child.channel, &h->eager);
    if (got == HTTP_GOT_NOTHING && !alone)
        news = wait_at(h, h->child.channel, deadline_ms, cancel);
    if (got == HTTP_GOT_NOTHING && news == LINE_MAIL)
        got = http_reader_fill(&h->in, h->child.channel, alone);
    if (alone && got == HTTP_GOT_NOTHING && left_ms(h, deadline_ms) == 0)
        news = LINE_LATE;
    (void)pthread_mutex_lock(&h->lock);
    h->reading = false;
    sort_out(h, got, me);
    return news;
}

/* Waits for who reads. Comes and goes with the lock. */
static enum line_news wait_for_other(struct http *h, struct line_call *me, int64_t deadline_ms,
                                     int cancel)
{
    enum line_news news;
    eventfd_t count;

    if (me->wake < 0)
        me->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (me->wake < 0) {
        die(h, "has a caller that has no descriptor left");
        return LINE_DEAD;
    }
    me->waits = true;
    (void)pthread_mutex_unlock(&h->lock);
    news = wait_at(h, me->wake, deadline_ms, cancel);
    (void)eventfd_read(me->wake, &count);
    (void)pthread_mutex_lock(&h->lock);
    me->waits = false;
    return news;
}

static void fetch(struct line_call *c)
{
    struct buf empty = c->mail.bytes;

    c->mail.bytes = c->inbox;
    empty.max = c->inbox.max;
    buf_reset(&empty);
    c->inbox = empty;
    c->mail.used = 0;
}

enum line_news line_wait(struct http *h, struct line_call *c, int64_t deadline_ms, int cancel,
                         struct error *e)
{
    enum line_news news = LINE_MAIL;

    (void)pthread_mutex_lock(&h->lock);
    while (news == LINE_MAIL && c->inbox.len == 0 && !h->dead && !c->lost)
        news = h->reading ? wait_for_other(h, c, deadline_ms, cancel)
                          : read_for_all(h, c, deadline_ms, cancel);
    if (c->inbox.len > 0) {
        fetch(c);
        news = LINE_MAIL;
    } else if (h->dead || c->lost) {
        (void)error_set(e, ERROR_IO, "%s", h->dead ? h->how : "more came than there is room for");
        news = LINE_DEAD;
    }
    hand_over(h, c);
    (void)pthread_mutex_unlock(&h->lock);
    return news;
}
