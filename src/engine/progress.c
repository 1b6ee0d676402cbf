/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c: writes lines where they fit, and counts those that do not. */
#include "engine/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/json_write.h"
#include "engine/input.h"
#include "sandbox/quiet.h"

void progress_open(struct progress *p, int fd)
{
    struct stat s;

    *p = (struct progress){ .fd = fd, .line = { .max = ANSWER_MAX } };
    p->pipe = fd >= 0 && fstat(fd, &s) == 0 && S_ISFIFO(s.st_mode);
    (void)pthread_mutex_init(&p->lock, NULL);
}

void progress_close(struct progress *p)
{
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

/* Whatever is no pipe takes a line, or blocks as little as a file does. */
static bool fits(const struct progress *p)
{
    struct pollfd one = { .fd = p->fd, .events = POLLOUT };

    return poll(&one, 1, 0) == 1 && (one.revents & POLLOUT) && !(one.revents & POLLERR) &&
           (!p->pipe || p->line.len <= PIPE_BUF || p->line.len <= pipe_room(p->fd));
}

/* True: the whole line is there. A reader that is gone must not end the process. */
static bool put(struct progress *p)
{
    sigset_t before = quiet_begin();
    const char *at = p->line.s;
    size_t left = p->line.len;

    while (left > 0) {
        ssize_t n = write(p->fd, at, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += n;
        left -= (size_t)n;
    }
    quiet_end(&before);
    p->broken = left > 0;
    return left == 0;
}

struct buf *progress_begin(struct progress *p, const char *event)
{
    if (p->fd < 0 || p->broken)
        return NULL;
    (void)pthread_mutex_lock(&p->lock);
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
    if (buf_ok(&p->line) && fits(p) && put(p))
        p->lost = 0;
    else
        p->lost++;
    (void)pthread_mutex_unlock(&p->lock);
}
