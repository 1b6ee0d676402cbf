/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c: reads a pipe without ever waiting for anybody. */
#include "sandbox/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

void capture_begin(struct capture *c, int from, int live, size_t keep, char *part)
{
    *c = (struct capture){ .from = from, .head = { .max = keep }, .rest = INT64_MAX, .part = part };
    onward_begin(&c->live, live);
    sha256_begin(&c->sum);
}

static bool is_waiting(const struct capture *c)
{
    return c->sent < c->had;
}

bool capture_is_open(const struct capture *c)
{
    return c->from >= 0 || is_waiting(c);
}

int capture_waits(const struct capture *c, short *events)
{
    *events = is_waiting(c) ? POLLOUT : POLLIN;
    return is_waiting(c) ? c->live.to : c->from;
}

static void keep(struct capture *c, const char *bytes, size_t n)
{
    size_t room = c->head.max - c->head.len, first = n < room ? n : room;

    sha256_add(&c->sum, bytes, n);
    c->total += (int64_t)n;
    buf_add(&c->head, bytes, first);
    if (c->seen && first)
        c->seen(c->seen_self, c->stream, bytes, first);
    last_add(&c->tail, bytes + first, n - first);
}

/* Nobody reads any more: the command is told as it would be without us, by a broken pipe. */
static void give_up(struct capture *c)
{
    c->had = c->sent = 0;
    own_close(&c->from);
}

/* Somebody may still read and cannot be told, such as a full disk: that is no fault of the
 * command's. */
static void pass_on(struct capture *c)
{
    while (is_waiting(c)) {
        size_t n = onward_pass(&c->live, c->part + c->sent, c->had - c->sent);

        c->sent += n;
        if (c->live.to < 0 && c->live.lost)
            capture_alone(c);
        else if (c->live.to < 0)
            give_up(c);
        else if (n == 0)
            return;
    }
}

static void expect(struct capture *c, int64_t rest)
{
    c->rest = rest;
    if (rest <= 0)
        own_close(&c->from);
}

/* Who prints much is to wait less: a matter of speed alone. */
static void widen(struct capture *c)
{
    if (!c->wide)
        (void)fcntl(c->from, F_SETPIPE_SZ, PIPE_BYTES);
    c->wide = true;
}

void capture_step(struct capture *c)
{
    ssize_t n;

    if (!is_waiting(c)) {
        n = read(c->from, c->part, c->rest < CAPTURE_PART ? (size_t)c->rest : CAPTURE_PART);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n <= 0) {
            own_close(&c->from);
            return;
        }
        if (n == CAPTURE_PART)
            widen(c);
        keep(c, c->part, (size_t)n);
        expect(c, c->rest - n);
        c->had = c->live.to >= 0 ? (size_t)n : 0;
        c->sent = 0;
    }
    pass_on(c);
}

void capture_alone(struct capture *c)
{
    if (c->live.to >= 0 && capture_is_open(c))
        c->live.lost = ECANCELED;
    c->live.to = -1;
    c->had = c->sent = 0;
}

void capture_last(struct capture *c)
{
    int there = 0;

    if (c->from >= 0)
        expect(c, ioctl(c->from, FIONREAD, &there) == 0 ? there : 0);
}

void capture_end(struct capture *c)
{
    give_up(c);
}
