/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c: frames as bytes: written whole, read strictly. */
#include "route/frame.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/digest.h"
#include "base/quiet.h"
#include "contract/codes.h"

enum {
    KIND_AT = 4,
    ZERO_AT = 5,
    ERRAND_AT = 8,
    FEW = 4096,           /* bytes of a hello */
    REFUSAL = 1 << 20,    /* of a refusal */
    RECORD = 4 << 20,     /* of the record of a run */
    READ_ROOM = 64 << 10, /* asked for at once, at the least */
};

/* clang-format off */
const struct frame_row frames[FRAME_KINDS] = {
    [FRAME_HELLO]    = { "hello",    SIDE_WORKER, FEW,             "The worker is there: its protocol, version, host and slots, as JSON." },
    [FRAME_INPUT]    = { "input",    SIDE_CALLER, FRAME_PIECE,     "Bytes of the command's standard input." },
    [FRAME_RUN]      = { "run",      SIDE_CALLER, FRAME_MAX,       "A request and what it is to be run with, as JSON." },
    [FRAME_READY]    = { "ready",    SIDE_WORKER, RECORD,          "The request was admitted, as JSON: what is known of it; nothing runs yet." },
    [FRAME_REFUSED]  = { "refused",  SIDE_WORKER, REFUSAL,         "The request was refused, as JSON; nothing ran." },
    [FRAME_GO]       = { "go",       SIDE_CALLER, 0,               "The command may start." },
    [FRAME_STOP]     = { "stop",     SIDE_CALLER, 0,               "The command is to end; said again: at once." },
    [FRAME_OUT]      = { "out",      SIDE_WORKER, FRAME_PIECE,     "Bytes of the command's standard output." },
    [FRAME_ERR]      = { "err",      SIDE_WORKER, FRAME_PIECE,     "Bytes of the command's standard error." },
    [FRAME_FILE]     = { "file",     SIDE_WORKER, FRAME_PIECE,     "Bytes of a file that is kept." },
    [FRAME_FILE_END] = { "file_end", SIDE_WORKER, DIGEST_TEXT - 1, "The digest of the file that came before." },
    [FRAME_BEAT]     = { "beat",     SIDE_CALLER, 0,               "The caller is there." },
    [FRAME_ECHO]     = { "echo",     SIDE_WORKER, 0,               "The worker is there." },
    [FRAME_ACK]      = { "ack",      SIDE_CALLER, 0,               "It came; no answer is wanted." },
    [FRAME_RESULT]   = { "result",   SIDE_WORKER, RECORD,          "The record of the run, as JSON: how it ended." },
};

static const char *const sides[] = { [SIDE_CALLER] = "caller", [SIDE_WORKER] = "worker" };

static const struct column frame_columns[] = {
    { "name",    COLUMN_TEXT, offsetof(struct frame_row, name) },
    { "from",    COLUMN_NAME, offsetof(struct frame_row, from), sides },
    { "bytes",   COLUMN_UINT, offsetof(struct frame_row, most) },
    { "meaning", COLUMN_TEXT, offsetof(struct frame_row, meaning) },
};
/* clang-format on */

const struct table frames_table = {
    .name = "frames",
    .about = "The messages of the worker protocol, who sends them, and how long they may be.",
    COLUMNS(frame_columns),
    .keys = 1,
    .rows = &frames[FRAME_HELLO],
    .row_size = sizeof frames[0],
    .row_count = FRAME_KINDS - FRAME_HELLO,
};

/* ---- out ---- */

static void put_number(unsigned char *to, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(n >> (24 - 8 * i));
}

static uint32_t number(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* A pipe that nobody reads must not be the end of our caller. */
static ssize_t write_parts(int fd, struct iovec *parts, size_t n)
{
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = n };
    ssize_t done = sendmsg(fd, &message, MSG_NOSIGNAL);
    sigset_t before;
    int sys;

    if (done >= 0 || errno != ENOTSOCK)
        return done;
    before = quiet_begin();
    done = writev(fd, parts, (int)n);
    sys = errno;
    quiet_end(&before);
    errno = sys;
    return done;
}

static void skip(struct iovec *parts, size_t done)
{
    for (int i = 0; i < 2; i++) {
        size_t n = done < parts[i].iov_len ? done : parts[i].iov_len;

        parts[i].iov_base = (char *)parts[i].iov_base + n;
        parts[i].iov_len -= n;
        done -= n;
    }
}

/* False: it is not to be waited for any more. */
static bool wait_for_room(int fd, int stop)
{
    struct pollfd p[] = { { fd, POLLOUT, 0 }, { stop, POLLIN, 0 } };

    return poll(p, COUNT(p), -1) < 0 || !p[1].revents;
}

static void put_head(unsigned char head[FRAME_HEAD], const struct frame *f)
{
    memset(head, 0, FRAME_HEAD);
    put_number(head, (uint32_t)f->body.n);
    head[KIND_AT] = (unsigned char)f->kind;
    put_number(head + ERRAND_AT, f->errand);
}

void frame_add(struct buf *to, const struct frame *f)
{
    unsigned char head[FRAME_HEAD];

    assert(f->body.n <= frames[f->kind].most);
    put_head(head, f);
    buf_add(to, head, FRAME_HEAD);
    buf_add(to, f->body.s, f->body.n);
}

bool frame_write(int fd, int stop, const struct frame *f, struct error *e)
{
    unsigned char head[FRAME_HEAD];
    union {
        const char *lent;
        void *iov; /* nothing is written through it */
    } body = { f->body.s };
    struct iovec parts[2] = { { head, FRAME_HEAD }, { body.iov, f->body.n } };

    if (f->body.n > frames[f->kind].most)
        return error_set(e, CODE_CEILING, "a frame '%s' has %zu bytes, allowed are %u",
                         frames[f->kind].name, f->body.n, frames[f->kind].most);
    put_head(head, f);
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t done = write_parts(fd, parts, 2);

        if (done >= 0)
            skip(parts, (size_t)done);
        else if (errno != EINTR && (errno != EAGAIN || !wait_for_room(fd, stop)))
            return error_sys(e, CODE_IO, "nobody reads what is sent");
    }
    return true;
}

/* ---- in ---- */

void frame_reader_open(struct frame_reader *r, int fd, enum frame_side from)
{
    *r = (struct frame_reader){ .fd = fd,
                                .from = from,
                                .bytes = { .max = FRAME_HEAD + FRAME_MAX + READ_ROOM } };
}

void frame_reader_close(struct frame_reader *r)
{
    buf_free(&r->bytes);
    r->used = 0;
}

static size_t at_hand(const struct frame_reader *r)
{
    return r->bytes.len - r->used;
}

bool frame_has_part(const struct frame_reader *r)
{
    return at_hand(r) > 0;
}

/* Is it the beginning of a frame that this side may send? */
static bool head_holds(const struct frame_reader *r, const unsigned char *head, struct error *e)
{
    unsigned kind = head[KIND_AT];

    if (kind < FRAME_HELLO || kind >= FRAME_KINDS || head[ZERO_AT] || head[ZERO_AT + 1] ||
        head[ZERO_AT + 2])
        return error_set(e, CODE_SYNTAX, "what came is no frame");
    if (frames[kind].from != r->from)
        return error_set(e, CODE_SYNTAX, "a frame '%s' came, which is the %s's to send",
                         frames[kind].name, sides[frames[kind].from]);
    if (number(head) > frames[kind].most)
        return error_set(e, CODE_CEILING, "a frame '%s' of %u bytes came, allowed are %u",
                         frames[kind].name, number(head), frames[kind].most);
    return true;
}

/* The next frame of what is at hand. *missing: how many bytes of it are not here yet. */
static bool take(struct frame_reader *r, struct frame *out, size_t *missing, struct error *e)
{
    const unsigned char *head;
    size_t all = FRAME_HEAD;

    if (at_hand(r) < all) {
        *missing = all - at_hand(r);
        return true;
    }
    head = (const unsigned char *)r->bytes.s + r->used;
    if (!head_holds(r, head, e))
        return false;
    all += number(head);
    *missing = at_hand(r) < all ? all - at_hand(r) : 0;
    if (*missing)
        return true;
    *out = (struct frame){ .kind = head[KIND_AT],
                           .errand = number(head + ERRAND_AT),
                           .body = { (const char *)head + FRAME_HEAD, all - FRAME_HEAD } };
    r->used += all;
    return true;
}

/* What was used makes room. Moved is only what is left of a frame. */
static bool make_room(struct frame_reader *r, size_t missing, struct error *e)
{
    size_t left = at_hand(r);

    if (r->used) {
        memmove(r->bytes.s, r->bytes.s + r->used, left);
        r->bytes.len = left;
        r->used = 0;
    }
    if (!buf_reserve(&r->bytes, missing > READ_ROOM ? missing : READ_ROOM))
        return error_set(e, CODE_CEILING, "a frame is longer than memory has room for");
    return true;
}

static bool read_more(struct frame_reader *r, size_t missing, struct error *e)
{
    ssize_t n;

    if (!make_room(r, missing, e))
        return false;
    do
        n = read(r->fd, r->bytes.s + r->bytes.len, r->bytes.cap - r->bytes.len - 1);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return true;
    if (n < 0 && errno != ECONNRESET)
        return error_sys(e, CODE_IO, "the stream cannot be read");
    if (n <= 0 && at_hand(r) > 0)
        return error_set(e, CODE_IO, "the stream ended in the middle of a frame");
    if (n <= 0)
        return error_set(e, CODE_NONE, "the stream ended");
    r->bytes.len += (size_t)n;
    return true;
}

static bool is_readable(int fd)
{
    struct pollfd p = { fd, POLLIN, 0 };

    return fd >= 0 && poll(&p, 1, 0) > 0;
}

bool frame_take(struct frame_reader *r, struct frame *out, bool *whole, struct error *e)
{
    size_t missing = 0;

    *whole = false;
    for (;;) {
        if (!take(r, out, &missing, e))
            return false;
        *whole = !missing;
        if (*whole || !is_readable(r->fd))
            return true;
        if (!read_more(r, missing, e))
            return false;
    }
}
