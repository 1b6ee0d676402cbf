/* SPDX-License-Identifier: Apache-2.0 */
/* line.c: a server at the other end of two pipes: one message a line, as stdio has it.
 *
 * What it does not take at once waits here, and is written while we wait for its answer: a server
 * that is writing to us cannot read, and neither side may wait for the other for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "adapter/mcp/stream.h"
#include "base/quiet.h"
#include "contract/codes.h"

enum {
    READ_AT_ONCE = 64 << 10,
    READS = 64,         /* by who only looks: a server may send without end */
    A_STORM = 32,       /* messages between two looks at whether it was called off */
    OUT_MAX = 64 << 20, /* that may wait to be read by it */
    GIVE_BACK = 1 << 20,
};

struct line {
    /* Of who reads. */
    struct buf got;
    size_t at, looked; /* the line begins, and holds no end up to here */
    bool skipping;     /* the rest of a line that was too long */
    unsigned taken;    /* messages */

    pthread_mutex_t writing; /* of these: */
    struct buf out;
    size_t written;
    bool deaf;

    int wake; /* there is something to write: who polls does it */

    /* A second end of the pipe that we write to, which nobody reads from. As long as it is open no
     * SIGPIPE comes of writing, and that need not be held back for each message. That the server is
     * gone is learnt by reading. -1: it cannot be had, or is not needed. */
    int other_end;
    bool quiet; /* SIGPIPE may come */
};

static struct line *line_of(const struct mcp *m)
{
    return m->own;
}

/* ---- out ---- */

/* What was written, while more waits: when it is more than what has to be moved for it. A server
 * that reads slowly but steadily may never have read all of it. */
static void give_back(struct line *l)
{
    if (l->written < GIVE_BACK || l->written < l->out.len - l->written)
        return;
    buf_drop(&l->out, l->written);
    l->written = 0;
}

/* Writes what it takes now; false: it takes nothing any more. Under `writing`. */
static bool flush(struct mcp *m, struct line *l)
{
    sigset_t before;

    if (l->quiet)
        before = quiet_begin();
    while (!l->deaf && l->written < l->out.len) {
        ssize_t n = write(m->ask.out, l->out.s + l->written, l->out.len - l->written);

        if (n >= 0)
            l->written += (size_t)n;
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            l->deaf = true;
    }
    if (l->quiet)
        quiet_end(&before);
    if (l->written == l->out.len || l->deaf) {
        buf_reset(&l->out);
        l->written = 0;
    } else {
        give_back(l);
    }
    return !l->deaf;
}

static bool waits_to_write(struct line *l)
{
    bool waits;

    pthread_mutex_lock(&l->writing);
    waits = l->out.len > l->written;
    pthread_mutex_unlock(&l->writing);
    return waits;
}

/* A server that ended has often said why on the way: what it wrote is read before that is said. */
static const char *line_send(struct mcp *m, struct str message)
{
    struct line *l = line_of(m);
    const char *fault = NULL;
    bool waits;

    pthread_mutex_lock(&l->writing);
    buf_add(&l->out, message.s, message.n);
    buf_addc(&l->out, '\n');
    if (!buf_ok(&l->out))
        fault = "it does not read what it is sent";
    else
        (void)flush(m, l);
    waits = l->out.len > l->written;
    pthread_mutex_unlock(&l->writing);
    if (waits && !fault)
        (void)eventfd_write(l->wake, 1);
    return fault;
}

/* ---- in ---- */

/* Takes a line out of what was read, where it stays until more is read; false: there is none yet.
 */
static bool take_line(struct line *l, struct str *out)
{
    const char *end = memchr(l->got.s + l->looked, '\n', l->got.len - l->looked);
    struct str line;

    if (!end) {
        l->looked = l->got.len;
        return false;
    }
    line = (struct str){ l->got.s + l->at, (size_t)(end - (l->got.s + l->at)) };
    l->at = l->looked = (size_t)(end - l->got.s) + 1;
    if (line.n > 0 && line.s[line.n - 1] == '\r')
        line.n--;
    *out = line;
    return true;
}

/* Lines that say nothing are passed over; so is what is left of one that was too long. There may be
 * no end of them: only what is a message is copied. */
static bool take_good_line(struct line *l, struct arena *a, struct str *out)
{
    struct str line;

    while (l->got.s && take_line(l, &line)) {
        bool skipped = l->skipping;

        l->skipping = false;
        if (!skipped && line.n > 0) {
            *out = (struct str){ arena_text(a, line), line.n };
            return true;
        }
    }
    return false;
}

static bool too_long(const struct mcp *m, struct line *l)
{
    if (l->got.len - l->at <= m->ask.message_max)
        return false;
    buf_reset(&l->got);
    l->at = l->looked = 0;
    return true;
}

static void make_room(struct line *l)
{
    size_t rest = l->got.len - l->at;

    if (l->at == 0)
        return;
    memmove(l->got.s, l->got.s + l->at, rest);
    l->got.len = rest;
    l->looked -= l->at;
    l->at = 0;
}

/* Reads once; STREAM_MESSAGE: something has come, STREAM_NOTHING: nothing is there. */
static enum stream_next read_some(struct mcp *m, struct line *l, struct str *why)
{
    ssize_t n;

    make_room(l);
    if (!buf_reserve(&l->got, READ_AT_ONCE))
        return STREAM_TOO_LARGE;
    n = read(m->ask.in, l->got.s + l->got.len, READ_AT_ONCE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return STREAM_NOTHING;
    if (n <= 0) {
        *why = str_of(l->got.len > l->at ? "its output ended in the middle of a message"
                                         : "its output has ended");
        return STREAM_OVER;
    }
    l->got.len += (size_t)n;
    return STREAM_MESSAGE;
}

enum watched { WATCH_IN, WATCH_WAKE, WATCH_CANCEL, WATCH_OUT, WATCHES };

/* Waits until there is something to do; false: the time is over. */
static bool wait_for(struct mcp *m, const struct mcp_exchange *x, struct pollfd p[WATCHES])
{
    struct line *l = line_of(m);
    int64_t left = x->end_ms > 0 ? x->end_ms - mcp_now(m) : 0;

    p[WATCH_IN] = (struct pollfd){ .fd = m->ask.in, .events = POLLIN };
    p[WATCH_WAKE] = (struct pollfd){ .fd = l->wake, .events = POLLIN };
    p[WATCH_CANCEL] = (struct pollfd){ .fd = x->cancel, .events = POLLIN };
    p[WATCH_OUT] = (struct pollfd){ .fd = m->ask.out, .events = POLLOUT };
    return poll(p, waits_to_write(l) ? WATCHES : WATCH_OUT, poll_ms(left)) > 0;
}

/* Looks around when there is nothing to read: STREAM_MESSAGE means: read on. */
static enum stream_next look_around(struct mcp *m, const struct mcp_exchange *x)
{
    struct line *l = line_of(m);
    struct pollfd p[WATCHES];
    eventfd_t n;

    if (!wait_for(m, x, p))
        return STREAM_NOTHING;
    if (x->cancel >= 0 && p[WATCH_CANCEL].revents)
        return STREAM_CANCELLED;
    if (p[WATCH_WAKE].revents)
        (void)eventfd_read(l->wake, &n);
    if (p[WATCH_OUT].revents) {
        pthread_mutex_lock(&l->writing);
        (void)flush(m, l);
        pthread_mutex_unlock(&l->writing);
    }
    return STREAM_MESSAGE;
}

static bool is_called_off(const struct mcp_exchange *x)
{
    struct pollfd p = { .fd = x->cancel, .events = POLLIN };

    return x->cancel >= 0 && poll(&p, 1, 0) > 0;
}

/* Reads first and asks whether there is something afterwards: an answer is often there by the time
 * that we look. */
static enum stream_next line_next(struct mcp *m, const struct mcp_exchange *x, struct arena *a,
                                  struct str *out)
{
    struct line *l = line_of(m);
    enum stream_next how = STREAM_MESSAGE;

    if (++l->taken % A_STORM == 0 && is_called_off(x))
        return STREAM_CANCELLED;
    for (int turn = 0; x->end_ms > 0 || turn < READS; turn++) {
        bool skipping = l->skipping;

        if (take_good_line(l, a, out))
            return STREAM_MESSAGE;
        if (too_long(m, l)) {
            l->skipping = true;
            if (!skipping)
                return STREAM_TOO_LARGE;
        }
        if (how == STREAM_NOTHING)
            how = look_around(m, x);
        else if (x->end_ms > 0 && turn > 0 && mcp_now(m) >= x->end_ms)
            return STREAM_NOTHING;
        else if (turn > 0 && is_called_off(x)) /* there may be no end of what says nothing */
            return STREAM_CANCELLED;
        if (how != STREAM_MESSAGE)
            return how;
        how = read_some(m, l, out);
    }
    return STREAM_NOTHING;
}

/* ---- opening and closing ---- */

static void hold_other_end(const struct mcp *m, struct line *l)
{
    char path[64];
    struct stat st;

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", m->ask.out);
    l->other_end = fstat(m->ask.out, &st) == 0 && S_ISFIFO(st.st_mode)
                       ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                       : -1;
    l->quiet = l->other_end < 0;
}

static bool line_open(struct mcp *m, struct error *e)
{
    static const struct stream_ops ops = { .next = line_next, .send = line_send };
    struct line *l = mem_zeroed(sizeof *l);

    m->own = l;
    m->stream = mem_zeroed(sizeof *m->stream);
    m->stream->ops = &ops;
    l->got.max = m->ask.message_max + 2 * READ_AT_ONCE;
    l->out.max = OUT_MAX;
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    (void)pthread_mutex_init(&l->writing, NULL);
    hold_other_end(m, l);
    if (l->wake < 0 || fcntl(m->ask.in, F_SETFL, O_NONBLOCK) < 0 ||
        fcntl(m->ask.out, F_SETFL, O_NONBLOCK) < 0)
        return error_sys(e, CODE_PEER_UNAVAILABLE, "the line to %s cannot be used", m->ask.name);
    return true;
}

static void line_close(struct mcp *m)
{
    struct line *l = line_of(m);

    if (m->ask.out >= 0)
        (void)close(m->ask.out);
    if (m->ask.in >= 0 && m->ask.in != m->ask.out)
        (void)close(m->ask.in);
    if (!l)
        return;
    buf_free(&l->got);
    buf_free(&l->out);
    (void)pthread_mutex_destroy(&l->writing);
    if (l->wake >= 0)
        (void)close(l->wake);
    if (l->other_end >= 0)
        (void)close(l->other_end);
    free(l);
}

const struct mcp_wire mcp_line = {
    .open = line_open, .exchange = stream_exchange, .look = stream_look, .close = line_close
};
