/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c: the loop of writ-http, and its end of the channel. */
#include "adapter/http/serve.h"

#include <errno.h>
#include <sys/socket.h>

enum {
    POLLS = 1 + 1024 + SERVE_SOCKETS,
    FULL = 4 << 20, /* bytes that wait: strangers wait, too */
    KEEP = 1 << 20, /* a larger buffer is let go of when it is empty */
};

int64_t serve_now_ms(const struct serve *s)
{
    return s->world->mono_ms(s->world->self);
}

/* ---- out ---- */

void serve_say(struct serve *s, enum http_kind kind, uint32_t call, struct str body)
{
    http_frame_add(&s->out, &(struct http_frame){ kind, call, body });
}

void serve_say_end(struct serve *s, uint32_t call, const struct http_ended *end)
{
    size_t at = http_frame_begin(&s->out);

    http_pack_ended(&s->out, end);
    http_frame_end(&s->out, at, HTTP_END, call);
}

static size_t waiting(const struct serve *s)
{
    return s->out.len - s->sent;
}

bool serve_is_full(const struct serve *s)
{
    return waiting(s) > FULL;
}

/* What waited is gone: strangers may speak again. */
static void emptied(struct serve *s)
{
    if (s->out.cap > KEEP) {
        size_t max = s->out.max;

        buf_free(&s->out);
        s->out = (struct buf){ .max = max };
    }
    buf_reset(&s->out);
    s->sent = 0;
    transfers_go_on(s);
}

/* Where strangers are faster than who reads, there is always something that waits: what was sent
 * is given back all the same, when it is more than what has to be moved for it. */
static void give_back(struct serve *s)
{
    if (s->sent < KEEP || s->sent < waiting(s))
        return;
    buf_drop(&s->out, s->sent);
    s->sent = 0;
}

/* As much as the channel takes; false: it has ended. */
static bool flush(struct serve *s)
{
    while (waiting(s) > 0) {
        ssize_t n = send(s->channel, s->out.s + s->sent, waiting(s), MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN) {
            give_back(s);
            return true;
        }
        if (n < 0 && errno != EINTR)
            return false;
        s->sent += n > 0 ? (size_t)n : 0;
        if (waiting(s) == 0)
            emptied(s);
    }
    return buf_ok(&s->out);
}

/* ---- in ---- */

static void stop(struct serve *s, uint32_t call)
{
    if (!transfer_stop(s, call))
        (void)wire_stop(s, call);
}

static bool dispatch(struct serve *s, const struct http_frame *f, struct error *e)
{
    switch ((int)f->kind) {
    case HTTP_CALL: transfer_begin(s, f); return true;
    case HTTP_OPEN: wire_begin(s, f); return true;
    case HTTP_SEND: wire_send(s, f); return true;
    case HTTP_STOP: stop(s, f->call); return true;
    default: return error_set(e, ERROR_SYNTAX, "a frame came that is not writ's to send");
    }
}

static bool read_frames(struct serve *s, bool wait, bool *ended, struct error *e)
{
    struct http_frame f;
    bool whole = true;

    enum http_got got = HTTP_GOT_NOTHING;

    if (wait)
        got = http_reader_eager(&s->in, s->channel, &s->eager);
    if (got == HTTP_GOT_NOTHING)
        got = http_reader_fill(&s->in, s->channel, wait);
    *ended = got == HTTP_GOT_END;
    while (whole && !*ended) {
        if (!http_reader_take(&s->in, &f, &whole, e) || (whole && !dispatch(s, &f, e)))
            return false;
    }
    return true;
}

/* ---- the loop ---- */

static int wait_ms(const struct serve *s)
{
    int64_t curl_ms = web_due_ms(s->web), wires_ms = wires_due_ms(s);
    int64_t due_ms = curl_ms < 0                          ? wires_ms
                     : wires_ms < 0 || curl_ms < wires_ms ? curl_ms
                                                          : wires_ms;
    int64_t left_ms;

    if (due_ms < 0)
        return -1;
    left_ms = due_ms - serve_now_ms(s);
    return left_ms <= 0 ? 0 : left_ms > INT16_MAX ? INT16_MAX : (int)left_ms;
}

/* Where nothing else can happen, one call of the kernel does for two. */
static bool is_idle(const struct serve *s, size_t polls, int wait)
{
    return polls == 0 && wait < 0 && waiting(s) == 0;
}

static bool turn(struct serve *s, bool *ended, struct error *e)
{
    static struct pollfd polls[POLLS];
    size_t curls = web_polls(s->web, polls + 1, POLLS - 1 - SERVE_SOCKETS);
    size_t wires = wires_polls(s, polls + 1 + curls, SERVE_SOCKETS);
    int wait = wait_ms(s);
    bool idle = is_idle(s, curls + wires, wait);

    polls[0] = (struct pollfd){ s->channel, waiting(s) ? POLLIN | POLLOUT : POLLIN, 0 };
    if (!idle && poll(polls, 1 + curls + wires, wait) < 0 && errno != EINTR)
        return error_sys(e, ERROR_IO, "nothing can be waited for");
    if (idle || polls[0].revents & (POLLIN | POLLHUP | POLLERR)) {
        if (!read_frames(s, idle, ended, e))
            return false;
    }
    web_go(s->web, polls + 1, curls, serve_now_ms(s));
    wires_go(s, polls + 1 + curls, wires);
    return true;
}

bool serve_run(struct serve *s, struct error *e)
{
    bool ended = false;

    while (flush(s) && !ended) {
        transfers_tidy(s); /* while whoever asked reads the answer */
        if (!turn(s, &ended, e))
            return false;
    }
    return true;
}
