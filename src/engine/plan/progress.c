/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c: writes lines where they fit, and counts those that do not. */
#include "engine/plan/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/json_write.h"
#include "base/onward.h"
#include "base/quiet.h"
#include "engine/input.h"

/* A terminal that nobody reads would hold us up; whether it does is said of an opening of it, so we
 * have one of our own. */
static void open_terminal(struct progress *p)
{
    int own = onward_open(p->fd);

    if (own < 0)
        return;
    p->fd = own;
    p->own = true;
}

void progress_open(struct progress *p, int fd)
{
    struct stat s;

    *p =
        (struct progress){ .fd = fd, .line = { .max = ANSWER_MAX }, .rest = { .max = ANSWER_MAX } };
    (void)pthread_mutex_init(&p->lock, NULL);
    if (fd < 0 || fstat(fd, &s) != 0)
        return;
    p->pipe = S_ISFIFO(s.st_mode);
    p->socket = S_ISSOCK(s.st_mode);
    if (S_ISCHR(s.st_mode))
        open_terminal(p);
}

void progress_close(struct progress *p)
{
    if (p->own)
        own_close(&p->fd);
    buf_free(&p->rest);
    buf_free(&p->line);
    (void)pthread_mutex_destroy(&p->lock);
}

/* A pipe holds whole pages: one that is begun may be lost for other writes. */
static size_t pipe_room(int fd)
{
    enum { PAGE = 4096 };
    int size = fcntl(fd, F_GETPIPE_SZ), used = 0;

    if (size < 0 || ioctl(fd, FIONREAD, &used) != 0)
        return 0;
    return used + 2 * PAGE > size ? 0 : (size_t)(size - used - 2 * PAGE);
}

static bool fits(const struct progress *p)
{
    struct pollfd one = { .fd = p->fd, .events = POLLOUT };

    return poll(&one, 1, 0) == 1 && (one.revents & POLLOUT) && !(one.revents & POLLERR) &&
           (!p->pipe || p->line.len <= PIPE_BUF || p->line.len <= pipe_room(p->fd));
}

/* How much of it was taken. A reader that is gone must not end the process. */
static size_t put(struct progress *p, const char *at, size_t n)
{
    sigset_t before = quiet_begin();
    size_t done = 0;

    while (done < n) {
        ssize_t now = p->socket ? send(p->fd, at + done, n - done, MSG_DONTWAIT | MSG_NOSIGNAL)
                                : write(p->fd, at + done, n - done);

        if (now < 0 && errno == EINTR)
            continue;
        p->broken = now == 0 || (now < 0 && errno != EAGAIN);
        if (now <= 0)
            break;
        done += (size_t)now;
    }
    quiet_end(&before);
    return done;
}

static bool put_rest(struct progress *p)
{
    p->sent += put(p, p->rest.s + p->sent, p->rest.len - p->sent);
    if (p->sent < p->rest.len)
        return false;
    buf_reset(&p->rest);
    p->sent = 0;
    return true;
}

/* True: the line is there, or its beginning, and the rest will follow. */
static bool put_line(struct progress *p)
{
    size_t done;

    if (p->rest.len && !put_rest(p))
        return false;
    done = put(p, p->line.s, p->line.len);
    if (done > 0 && done < p->line.len)
        buf_add(&p->rest, p->line.s + done, p->line.len - done);
    return done > 0;
}

struct buf *progress_begin(struct progress *p, const char *event)
{
    if (p->fd < 0)
        return NULL;
    (void)pthread_mutex_lock(&p->lock);
    if (p->broken) {
        (void)pthread_mutex_unlock(&p->lock);
        return NULL;
    }
    buf_reset(&p->line);
    json_open(&p->line, '{');
    json_put(&p->line, "event", event);
    return &p->line;
}

void progress_end(struct progress *p, int64_t at_ms)
{
    json_put_int(&p->line, "at", at_ms);
    if (p->lost)
        json_put_int(&p->line, "lost", (int64_t)p->lost);
    json_close(&p->line, '}');
    buf_addc(&p->line, '\n');
    if (buf_ok(&p->line) && fits(p) && put_line(p))
        p->lost = 0;
    else
        p->lost++;
    (void)pthread_mutex_unlock(&p->lock);
}
