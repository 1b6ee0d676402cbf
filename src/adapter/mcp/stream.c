/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c: calls that share one line; one of those that wait reads for all. */
#include "adapter/mcp/stream.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>

enum { AT_ONCE = 256 }; /* messages that are heard before a call, at most: there may be a storm */

static void end_with(struct mcp_exchange *x, enum mcp_end end, const char *why)
{
    x->done = true;
    x->end = end;
    x->why = arena_text(x->a, str_of(why));
}

static void wake(struct mcp_exchange *x)
{
    if (x->wake >= 0)
        (void)eventfd_write(x->wake, 1);
}

static void wake_all(struct stream *s)
{
    for (struct mcp_exchange *x = s->waiting; x; x = x->next)
        wake(x);
}

static struct mcp_exchange *only_one(const struct stream *s)
{
    return s->waiting && !s->waiting->next ? s->waiting : NULL;
}

/* ---- what came; all under the lock ---- */

static void note_odd(struct stream *s, const char *what)
{
    (void)snprintf(s->odd, sizeof s->odd, "%s", what);
    s->odds++;
}

static void hand_over(struct mcp_exchange *x, const struct rpc_message *message, struct arena *own)
{
    arena_join(x->a, own);
    x->answer = *message;
    x->end = message->error ? MCP_ERROR : MCP_DONE;
    x->done = true;
    wake(x);
}

/* Who waits for an answer to this id, or to what it means. */
static struct mcp_exchange *whose(const struct stream *s, const struct doc *id)
{
    for (struct mcp_exchange *x = s->waiting; x; x = x->next)
        if (!x->done && rpc_id_means(id, x->id))
            return x;
    return NULL;
}

static void end_broken(struct mcp_exchange *x, const char *why)
{
    end_with(x, MCP_GARBLED, why);
    wake(x);
}

/* An answer to nobody is late or a second one, which is no fault, or to somebody else. An error
 * that names no request is about what could not be read: where one waits, it is meant. */
static void take_answer(struct mcp *m, const struct rpc_message *message, struct arena *own)
{
    struct stream *s = m->stream;
    const struct doc *id = message->id;
    struct mcp_exchange *x = whose(s, id);

    if (!x && !id && message->error)
        x = only_one(s);
    if (x && id && !rpc_id_is(id, x->id))
        end_broken(x, rpc_text_id);
    else if (x && !x->done)
        hand_over(x, message, own);
    else if (!id || id->kind != DOC_INT || id->whole < 1 || id->whole > m->last_id)
        note_odd(s, "an answer to no request of ours");
}

/* Who was answered so gets no better answer: it is told at once. What cannot be read has no name,
 * and is for the one who waits. */
static void take_broken(struct stream *s, const struct rpc_message *message)
{
    struct mcp_exchange *x = message->refused ? only_one(s) : whose(s, message->id);

    note_odd(s, message->wrong);
    if (x && !x->done)
        end_broken(x, message->wrong);
}

static void take_over(struct stream *s, const char *why)
{
    s->over = true;
    (void)snprintf(s->why, sizeof s->why, "%s", why);
    wake_all(s);
}

static void too_large(const struct mcp *m)
{
    for (struct mcp_exchange *x = m->stream->waiting; x; x = x->next) {
        if (!x->done)
            end_with(x, MCP_TOO_LARGE, mcp_large_words(m, x->a));
        wake(x);
    }
}

static void take(struct mcp *m, struct str text, struct arena *own)
{
    _buf_ struct buf reply = { .max = MCP_MESSAGE_MAX };
    struct rpc_message message;
    const char *fault = NULL;

    mcp_seen(m, false, text);
    mcp_read(m, text, own, &message);
    if (message.kind == RPC_REQUEST || message.kind == RPC_NOTE) {
        mcp_hear(m, &message, &reply);
        fault = reply.len ? m->stream->ops->send(m, buf_str(&reply)) : NULL;
    }
    pthread_mutex_lock(&m->lock);
    if (message.kind == RPC_ANSWER)
        take_answer(m, &message, own);
    else if (message.kind == RPC_NOISE || message.kind == RPC_BROKEN)
        take_broken(m->stream, &message);
    if (fault)
        take_over(m->stream, fault);
    pthread_mutex_unlock(&m->lock);
}

/* ---- reading for all ---- */

/* One message, or none in time. Whoever calls it is the one that reads. */
static enum stream_next step(struct mcp *m, const struct mcp_exchange *x)
{
    _arena_ struct arena own = { 0 };
    struct str text = { 0 };
    enum stream_next how = m->stream->ops->next(m, x, &own, &text);

    if (how == STREAM_MESSAGE) {
        take(m, text, &own);
        return how;
    }
    if (how == STREAM_TOO_LARGE || how == STREAM_OVER || how == STREAM_GARBLED) {
        pthread_mutex_lock(&m->lock);
        m->stream->garbled |= how == STREAM_GARBLED;
        if (how == STREAM_TOO_LARGE)
            too_large(m);
        else
            take_over(m->stream, text.s ? text.s : "the line has ended");
        pthread_mutex_unlock(&m->lock);
    }
    return how;
}

/* Until somebody has read our answer, wants us to read, or the time is over. */
static bool rest(struct mcp *m, struct mcp_exchange *x)
{
    int64_t left = x->end_ms - mcp_now(m);
    struct pollfd p[2] = { { .events = POLLIN }, { .fd = x->cancel, .events = POLLIN } };
    eventfd_t n;

    if (x->wake < 0)
        x->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p[0].fd = x->wake;
    pthread_mutex_unlock(&m->lock);
    /* Without an eventfd we look again and again; so does who has little time left. */
    left = x->wake < 0 && left > 10 ? 10 : left;
    (void)poll(p, 2, poll_ms(left));
    if (p[0].revents)
        (void)eventfd_read(x->wake, &n);
    pthread_mutex_lock(&m->lock);
    return x->cancel >= 0 && p[1].revents;
}

static bool read_on(struct mcp *m, const struct mcp_exchange *x)
{
    enum stream_next how;

    m->stream->reading = true;
    pthread_mutex_unlock(&m->lock);
    how = step(m, x);
    pthread_mutex_lock(&m->lock);
    m->stream->reading = false;
    return how == STREAM_CANCELLED;
}

static void await(struct mcp *m, struct mcp_exchange *x)
{
    struct stream *s = m->stream;
    uint64_t odds = s->odds;
    bool cancelled = false;

    while (!x->done && !s->over && !cancelled && mcp_now(m) < x->end_ms)
        cancelled = s->reading ? rest(m, x) : read_on(m, x);
    if (x->done)
        return;
    if (cancelled)
        end_with(x, MCP_CANCELLED, "it was called off");
    else if (s->over)
        end_with(x, s->garbled ? MCP_GARBLED : MCP_GONE, s->why);
    else if (s->odds > odds)
        end_with(x, MCP_GARBLED, s->odd);
    else
        end_with(x, MCP_LATE, "no answer in time");
}

/* ---- a request ---- */

static void leave(struct mcp *m, const struct mcp_exchange *x)
{
    struct mcp_exchange **at = &m->stream->waiting;

    while (*at && *at != x)
        at = &(*at)->next;
    if (*at)
        *at = x->next;
    if (!m->stream->reading && m->stream->waiting)
        wake(m->stream->waiting); /* somebody has to read now */
}

/* The server may go on with what nobody waits for; it is told not to. */
static void call_off(struct mcp *m, const struct mcp_exchange *x)
{
    _buf_ struct buf to = { .max = 256 };

    rpc_begin(&to, 0, "notifications/cancelled");
    buf_addf(&to, "\"requestId\":%lld,\"reason\":\"%s\"", (long long)x->id,
             x->end == MCP_CANCELLED ? "cancelled" : "timeout");
    rpc_end(&to);
    mcp_seen(m, true, buf_str(&to));
    (void)m->stream->ops->send(m, buf_str(&to));
}

void stream_exchange(struct mcp *m, struct mcp_exchange *x)
{
    struct stream *s = m->stream;
    const char *fault;
    bool over;

    x->wake = -1;
    pthread_mutex_lock(&m->lock);
    over = s->over;
    if (x->id > 0) {
        x->next = s->waiting;
        s->waiting = x;
    }
    pthread_mutex_unlock(&m->lock);
    mcp_seen(m, true, x->message);
    fault = s->ops->send(m, x->message);
    x->sent = !fault && !over;
    pthread_mutex_lock(&m->lock);
    if (fault)
        take_over(s, fault);
    if (x->id > 0) {
        await(m, x);
        leave(m, x);
    }
    pthread_mutex_unlock(&m->lock);
    if (x->wake >= 0)
        (void)close(x->wake);
    if (x->id > 0 && (x->end == MCP_LATE || x->end == MCP_CANCELLED || x->end == MCP_GARBLED) &&
        strcmp(x->method, "initialize") != 0) /* which must not be called off */
        call_off(m, x);
}

void stream_look(struct mcp *m)
{
    struct mcp_exchange now = { .end_ms = 0, .cancel = -1 };
    enum stream_next how = STREAM_MESSAGE;

    pthread_mutex_lock(&m->lock);
    if (m->stream->reading || m->stream->over) {
        pthread_mutex_unlock(&m->lock);
        return;
    }
    m->stream->reading = true;
    pthread_mutex_unlock(&m->lock);
    for (int i = 0; i < AT_ONCE && how == STREAM_MESSAGE; i++)
        how = step(m, &now);
    pthread_mutex_lock(&m->lock);
    m->stream->reading = false;
    if (m->stream->waiting)
        wake(m->stream->waiting);
    pthread_mutex_unlock(&m->lock);
}
