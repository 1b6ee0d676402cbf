/* SPDX-License-Identifier: Apache-2.0 */
/* onward.c: writes no more than goes without waiting. */
#include "base/onward.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* After su a terminal's file is somebody else's still; by the name of one's own terminal whoever
 * sits at it may open it. */
int onward_open(int fd)
{
    enum { HOW = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    char path[32];
    int own;

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    own = open(path, HOW);
    if (own < 0 && errno == EACCES && tcgetsid(fd) == getsid(0))
        own = open("/dev/tty", HOW);
    return own;
}

void onward_begin(struct onward *o, int to)
{
    struct stat s;

    *o = (struct onward){ .to = to };
    if (to < 0 || fstat(to, &s) != 0)
        return;
    o->is_socket = S_ISSOCK(s.st_mode);
    o->is_blocking =
        !o->is_socket && !S_ISREG(s.st_mode) && !((unsigned)fcntl(to, F_GETFL) & O_NONBLOCK);
}

/* The room that poll saw a while ago may be gone: stdout and stderr are often one pipe. */
static bool has_room(int to)
{
    struct pollfd one = { .fd = to, .events = POLLOUT };

    return poll(&one, 1, 0) > 0;
}

/* A pipe that has room takes PIPE_BUF at once. */
static ssize_t put(const struct onward *o, const char *bytes, size_t n)
{
    if (o->is_socket)
        return send(o->to, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (!o->is_blocking)
        return write(o->to, bytes, n);
    if (!has_room(o->to)) {
        errno = EAGAIN;
        return -1;
    }
    return write(o->to, bytes, n < PIPE_BUF ? n : PIPE_BUF);
}

size_t onward_pass(struct onward *o, const char *bytes, size_t n)
{
    ssize_t went = put(o, bytes, n);

    if (went >= 0)
        return (size_t)went;
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    o->lost = errno == EPIPE || errno == ECONNRESET ? 0 : errno;
    o->to = -1;
    return 0;
}
