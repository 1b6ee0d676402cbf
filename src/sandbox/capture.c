/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c: reads a pipe without ever waiting for anybody. */
#include "sandbox/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

void capture_begin(struct capture *c, int from, int live, size_t keep, char *part)
{
    struct stat s;

    *c = (struct capture){
        .from = from, .live = live, .head = { .max = keep }, .rest = INT64_MAX, .part = part
    };
    c->is_socket = live >= 0 && fstat(live, &s) == 0 && S_ISSOCK(s.st_mode);
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
    return is_waiting(c) ? c->live : c->from;
}

static void keep(struct capture *c, const char *bytes, size_t n)
{
    size_t room = c->head.max - c->head.len, first = n < room ? n : room;

    sha256_add(&c->sum, bytes, n);
    c->total += (int64_t)n;
    buf_add(&c->head, bytes, first);
    last_add(&c->tail, bytes + first, n - first);
}

/* Nobody reads any more: the command is told as it would be without us, by a broken pipe. */
static void give_up(struct capture *c)
{
    c->had = c->sent = 0;
    own_close(&c->from);
}

/* Somebody would read and cannot be told, such as a full disk: that is no fault of the command's.
 */
static void lose(struct capture *c, int why)
{
    c->lost = why;
    capture_alone(c);
}

static void pass_on(struct capture *c)
{
    while (is_waiting(c)) {
        const char *rest = c->part + c->sent;
        size_t left = c->had - c->sent;
        ssize_t n = c->is_socket ? send(c->live, rest, left, MSG_DONTWAIT | MSG_NOSIGNAL)
                                 : write(c->live, rest, left);

        if (n >= 0)
            c->sent += (size_t)n;
        else if (errno == EAGAIN)
            return;
        else if (errno == EPIPE || errno == ECONNRESET)
            give_up(c);
        else if (errno != EINTR)
            lose(c, errno);
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
        c->had = c->live >= 0 ? (size_t)n : 0;
        c->sent = 0;
    }
    pass_on(c);
}

void capture_alone(struct capture *c)
{
    c->live = -1;
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
