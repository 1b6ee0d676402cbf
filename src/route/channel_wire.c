/* SPDX-License-Identifier: Apache-2.0 */
/* channel_wire.c: the thread of a channel: reads, dispatches, and sends what could not go at once.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "contract/codes.h"
#include "route/channel_parts.h"

enum watched { WATCH_FROM, WATCH_ERR, WATCH_TO, WATCH_WAKE, WATCH_CARRIER, WATCHES };

enum {
    FRAMES_A_TURN = 32, /* before others are looked at */
    READS_A_TURN = 16,  /* the same of its stderr: what a pipe holds */
    READ_BYTES = 4096,
    LAST_MS = 1000, /* for the last words of a worker that does not listen any more */
    OUTGOING_MAX = 1 << 30,
};

/* ---- what the carrier says ---- */

static void keep_said(struct channel *c, const char *bytes, size_t n)
{
    size_t over = c->said_n + n > SAID_MAX ? c->said_n + n - SAID_MAX : 0;

    memmove(c->said, c->said + over, c->said_n - over);
    memcpy(c->said + c->said_n - over, bytes, n);
    c->said_n += n - over;
}

/* Of much, the last is what counts. Who never stops is not listened to for ever: others wait. */
bool wire_listen(struct channel *c)
{
    char bytes[READ_BYTES];
    struct pollfd p = { .fd = c->carrier.err, .events = POLLIN };

    for (int i = 0; i < READS_A_TURN && c->carrier.err >= 0 && poll(&p, 1, 0) > 0; i++) {
        ssize_t n = read(c->carrier.err, bytes, sizeof bytes);
        size_t over = n > SAID_MAX ? (size_t)n - SAID_MAX : 0;

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        keep_said(c, bytes + over, (size_t)n - over);
    }
    return c->carrier.err >= 0;
}

const char *wire_said(const struct channel *c, struct arena *a)
{
    char *text = arena_text(a, (struct str){ c->said, c->said_n });
    size_t n = c->said_n;

    while (n > 0 && (unsigned char)text[n - 1] <= ' ')
        text[--n] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            text[i] = '|';
        else if (text[i] < ' ' || text[i] > '~')
            text[i] = text[i] == '\r' ? ' ' : '?';
    }
    return n ? arena_printf(a, "; it said: %s", text) : "";
}

/* ---- out ---- */

static void flush(struct channel *c)
{
    size_t done = 0;

    while (!c->deaf && done < c->outgoing.len) {
        ssize_t n = write(c->carrier.to, c->outgoing.s + done, c->outgoing.len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            c->deaf = true;
    }
    c->written += done;
    if (done)
        memmove(c->outgoing.s, c->outgoing.s + done, c->outgoing.len - done);
    c->outgoing.len = c->deaf ? 0 : c->outgoing.len - done;
}

void wire_send(struct channel *c, const struct frame *f)
{
    bool waiting = c->outgoing.len > 0;

    if (c->dead)
        return;
    c->outgoing.max = OUTGOING_MAX;
    frame_add(&c->outgoing, f);
    c->queued += FRAME_HEAD + f->body.n;
    if (!buf_ok(&c->outgoing)) {
        wire_fail(c, "%s has to be sent more than memory has room for", c->who);
        return;
    }
    if (!waiting)
        flush(c);
    if (c->outgoing.len || c->deaf)
        (void)eventfd_write(c->wake, 1);
}

static int64_t now(const struct channel *c)
{
    return c->world->mono_ms(c->world->self);
}

/* What waits to be sent says the same. */
void wire_beat(struct channel *c)
{
    struct frame beat = { .kind = FRAME_BEAT };

    c->beat_ms = now(c);
    if (!c->outgoing.len)
        wire_send(c, &beat);
}

/* ---- the end ---- */

void wire_fail(struct channel *c, const char *fmt, ...)
{
    va_list ap;

    if (c->dead)
        return;
    c->dead = true;
    va_start(ap, fmt);
    (void)vsnprintf(c->why.msg, sizeof c->why.msg, fmt, ap);
    va_end(ap);
    c->why.code = CODE_RCH_UNAVAILABLE;
    c->forced = true;
    carrier_signal(&c->carrier, SIGKILL);
    for (struct underway *u = c->underway; u; u = u->next)
        (void)eventfd_write(u->news, 1);
    (void)eventfd_write(c->wake, 1);
    (void)pthread_cond_broadcast(&c->room);
}

/* What ended it often comes on stderr, a moment later. */
static void went_away(struct channel *c, const struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct pollfd p = { .fd = c->carrier.pidfd, .events = POLLIN };

    if (e->code == CODE_NONE)
        (void)poll(&p, 1, LAST_MS);
    (void)wire_listen(c);
    (void)pthread_mutex_lock(&c->lock);
    if (e->code == CODE_NONE)
        wire_fail(c, "%s went away%s", c->who, wire_said(c, &a));
    else
        wire_fail(c, "%s cannot be understood: %s%s", c->who, e->msg, wire_said(c, &a));
    (void)pthread_mutex_unlock(&c->lock);
}

/* ---- in ---- */

static bool dispatch(struct channel *c, const struct frame *f, struct error *e)
{
    struct underway *u;
    bool ok;

    if (f->kind == FRAME_ECHO)
        return true;
    (void)pthread_mutex_lock(&c->lock);
    for (u = c->underway; u && u->number != f->errand; u = u->next)
        ;
    ok = u ? intake(c, u, f, e)
           : error_set(e, CODE_SYNTAX, "it sent a frame '%s' of an errand that is not under way",
                       frames[f->kind].name);
    (void)pthread_mutex_unlock(&c->lock);
    return ok;
}

/* Does the worker have more to send before it hears from us? */
static bool goes_on(enum frame_kind kind)
{
    return kind == FRAME_OUT || kind == FRAME_ERR || kind == FRAME_FILE || kind == FRAME_FILE_END;
}

/* Some of the frames that have come. *more: there may be others, whatever poll says. *open: an
 * answer is waited for. */
static bool take_frames(struct channel *c, bool *more, bool *open, struct error *e)
{
    struct frame f;

    *more = true;
    *open = false;
    for (int i = 0; i < FRAMES_A_TURN; i++) {
        if (!frame_take(&c->reader, &f, more, e))
            return false;
        if (!*more) {
            *open |= frame_has_part(&c->reader) && !c->answered;
            c->answered |= frame_has_part(&c->reader);
            return true;
        }
        c->answered = false;
        *open |= goes_on(f.kind);
        if (!dispatch(c, &f, e))
            return false;
    }
    return true;
}

/* Tells that we are there, when it is time, or that it came. */
static void answer(struct channel *c, bool came, bool open)
{
    struct frame ack = { .kind = FRAME_ACK };
    int64_t at = now(c);

    (void)pthread_mutex_lock(&c->lock);
    if (came)
        c->heard_ms = at;
    if (at - c->beat_ms >= BEAT_MS)
        wire_beat(c);
    else if (c->eager && open && !c->outgoing.len)
        wire_send(c, &ack);
    (void)pthread_mutex_unlock(&c->lock);
}

struct glance {
    struct pollfd fds[WATCHES];
    bool more, deaf;
};

/* False: there is nothing to wait for any more. */
static bool prepare(struct channel *c, struct glance *t)
{
    bool pending, over;

    (void)pthread_mutex_lock(&c->lock);
    pending = c->outgoing.len > 0;
    over = c->closing || c->dead;
    t->deaf = c->deaf;
    (void)pthread_mutex_unlock(&c->lock);
    t->fds[WATCH_FROM] = (struct pollfd){ .fd = c->carrier.from, .events = POLLIN };
    t->fds[WATCH_ERR].events = POLLIN;
    t->fds[WATCH_TO] = (struct pollfd){ .fd = pending ? c->carrier.to : -1, .events = POLLOUT };
    t->fds[WATCH_WAKE] = (struct pollfd){ .fd = c->wake, .events = POLLIN };
    t->fds[WATCH_CARRIER] = (struct pollfd){ .fd = c->carrier.pidfd, .events = POLLIN };
    return !over;
}

static bool handle(struct channel *c, struct glance *t, struct error *e)
{
    eventfd_t times;
    bool open;

    if (t->fds[WATCH_WAKE].revents)
        (void)eventfd_read(c->wake, &times);
    if (t->fds[WATCH_ERR].revents && !wire_listen(c))
        t->fds[WATCH_ERR].fd = -1;
    if (t->fds[WATCH_TO].revents) {
        (void)pthread_mutex_lock(&c->lock);
        flush(c);
        (void)pthread_mutex_unlock(&c->lock);
    }
    if (!take_frames(c, &t->more, &open, e))
        return false;
    answer(c, t->fds[WATCH_FROM].revents != 0, open);
    if (now(c) - c->heard_ms >= SILENCE_MS)
        return error_set(e, CODE_IO, "nothing was heard of it for %d s", SILENCE_MS / 1000);
    if (t->fds[WATCH_CARRIER].revents && !t->more)
        return error_set(e, CODE_NONE, "its carrier has ended");
    return true;
}

void *wire_main(void *channel)
{
    struct channel *c = channel;
    struct glance t = { .fds = { [WATCH_ERR] = { .fd = c->carrier.err } } };
    struct error e = { 0 }, left = { 0 };
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    c->heard_ms = c->beat_ms = now(c);
    while (prepare(c, &t)) {
        int ready = poll(t.fds, WATCHES, t.more ? 0 : t.deaf ? LAST_MS : BEAT_MS);
        bool silent = ready == 0 && t.deaf && !t.more;

        if (ready < 0 && errno != EINTR)
            (void)error_sys(&e, CODE_IO, "it cannot be waited for");
        else if (!silent && handle(c, &t, &e))
            continue;
        went_away(c, &e);
    }
    if (c->dead) { /* it is not used by anybody any more, however long the channel is held */
        channel_end(c, &left);
        (void)pthread_mutex_lock(&c->lock);
        if (left.msg[0])
            channel_add(&c->why, left.msg);
        c->ended = true;
        (void)pthread_cond_broadcast(&c->room);
        (void)pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}
