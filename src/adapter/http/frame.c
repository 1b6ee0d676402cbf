/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c: frames as bytes: written at once, read strictly. */
#include "adapter/http/frame.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>

enum {
    READ_ROOM = 128 << 10, /* asked for at once, at the least */
    KEEP = 1 << 20,        /* a larger buffer is let go of when it is empty */
    ANSWER_HEAD = 1 << 20, /* headers and their lengths */
    ENDING = 4 << 10,
};

/* clang-format off */
const struct http_frame_row http_frames[HTTP_KINDS] = {
    [HTTP_CALL]   = { "call",   HTTP_WRIT,    HTTP_ASK_MAX },
    [HTTP_OPEN]   = { "open",   HTTP_WRIT,    ANSWER_HEAD },
    [HTTP_SEND]   = { "send",   HTTP_WRIT,    HTTP_TEXT_MAX },
    [HTTP_STOP]   = { "stop",   HTTP_WRIT,    0 },
    [HTTP_HEAD]   = { "head",   HTTP_PROGRAM, ANSWER_HEAD },
    [HTTP_BODY]   = { "body",   HTTP_PROGRAM, HTTP_PIECE },
    [HTTP_END]    = { "end",    HTTP_PROGRAM, ENDING },
    [HTTP_OPENED] = { "opened", HTTP_PROGRAM, 0 },
    [HTTP_TEXT]   = { "text",   HTTP_PROGRAM, HTTP_TEXT_MAX },
};
/* clang-format on */

struct head {
    uint32_t bytes, kind, call;
};

static_assert(sizeof(struct head) == HTTP_FRAME_HEAD, "a head has no holes");

void http_frame_add(struct buf *to, const struct http_frame *f)
{
    struct head head = { (uint32_t)f->body.n, f->kind, f->call };

    assert(f->body.n <= http_frames[f->kind].most);
    if (!buf_reserve(to, sizeof head + f->body.n))
        return;
    buf_add(to, &head, sizeof head);
    buf_add(to, f->body.s, f->body.n);
}

size_t http_frame_begin(struct buf *to)
{
    static const struct head nothing;
    size_t begun = to->len;

    buf_add(to, &nothing, sizeof nothing);
    return begun;
}

void http_frame_end(struct buf *to, size_t begun, enum http_kind kind, uint32_t call)
{
    struct head head = { 0, kind, call };

    if (!buf_ok(to))
        return;
    head.bytes = (uint32_t)(to->len - begun - sizeof head);
    assert(head.bytes <= http_frames[kind].most);
    memcpy(to->s + begun, &head, sizeof head);
}

/* ---- in ---- */

void http_reader_open(struct http_reader *r, enum http_side from)
{
    size_t most = from == HTTP_WRIT ? HTTP_ASK_MAX : HTTP_TEXT_MAX;

    *r = (struct http_reader){ .from = from,
                               .bytes = { .max = HTTP_FRAME_HEAD + most + READ_ROOM + 1 } };
}

/* Requests have secrets in them. */
static void wipe(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->cap);
    buf_free(b);
}

void http_reader_close(struct http_reader *r)
{
    size_t max = r->bytes.max;

    wipe(&r->bytes);
    r->bytes.max = max;
    r->used = 0;
}

static size_t at_hand(const struct http_reader *r)
{
    return r->bytes.len - r->used;
}

bool http_reader_take(struct http_reader *r, struct http_frame *out, bool *whole, struct error *e)
{
    struct head head;

    *whole = false;
    if (at_hand(r) < sizeof head)
        return true;
    memcpy(&head, r->bytes.s + r->used, sizeof head);
    if (head.kind < HTTP_CALL || head.kind >= HTTP_KINDS || http_frames[head.kind].from != r->from)
        return error_set(e, ERROR_SYNTAX, "what came is no frame that this side may send");
    if (head.bytes > http_frames[head.kind].most)
        return error_set(e, ERROR_CEILING, "a frame '%s' of %u bytes came, allowed are %u",
                         http_frames[head.kind].name, head.bytes, http_frames[head.kind].most);
    if (at_hand(r) - sizeof head < head.bytes)
        return true;
    *out = (struct http_frame){ .kind = head.kind,
                                .call = head.call,
                                .body = { r->bytes.s + r->used + sizeof head, head.bytes } };
    r->used += sizeof head + head.bytes;
    *whole = true;
    return true;
}

/* How many bytes the frame that has begun still lacks. */
static size_t missing(const struct http_reader *r)
{
    struct head head;

    if (at_hand(r) < sizeof head)
        return 0;
    memcpy(&head, r->bytes.s + r->used, sizeof head);
    return head.bytes <= r->bytes.max ? sizeof head + head.bytes - at_hand(r) : 0;
}

/* What was used makes room, and leaves nothing behind; moved is only what is left of a frame. */
static bool make_room(struct http_reader *r)
{
    size_t left = at_hand(r), lacks = missing(r);

    if (r->used && r->bytes.cap > KEEP && left < READ_ROOM) {
        struct buf less = { .max = r->bytes.max };

        buf_add(&less, r->bytes.s + r->used, left);
        wipe(&r->bytes);
        r->bytes = less;
    } else if (r->used) {
        memmove(r->bytes.s, r->bytes.s + r->used, left);
        if (r->from == HTTP_WRIT)
            explicit_bzero(r->bytes.s + left, r->used);
        r->bytes.len = left;
    }
    r->used = 0;
    return buf_reserve(&r->bytes, lacks > READ_ROOM ? lacks : READ_ROOM);
}

enum http_got http_reader_fill(struct http_reader *r, int fd, bool wait)
{
    ssize_t n;

    if (!make_room(r))
        return HTTP_GOT_END;
    do
        n = recv(fd, r->bytes.s + r->bytes.len, r->bytes.cap - r->bytes.len - 1,
                 wait ? 0 : MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return HTTP_GOT_NOTHING;
    if (n <= 0)
        return HTTP_GOT_END;
    r->bytes.len += (size_t)n;
    return HTTP_GOT_SOME;
}

/* ---- looking before sleeping ---- */

enum {
    LOOKS = 400,
    LOOKS_AT_ONCE = 32,
    GAP_MAX = 64
}; /* a look takes less than half a microsecond */

struct http_eager http_eager_new(void)
{
    cpu_set_t ours;

    return (struct http_eager){
        .allowed = sched_getaffinity(0, sizeof ours, &ours) == 0 && CPU_COUNT(&ours) > 1,
        .gap = 1,
    };
}

enum http_got http_reader_eager(struct http_reader *r, int fd, struct http_eager *eager)
{
    enum http_got got = HTTP_GOT_NOTHING;

    if (!eager->allowed)
        return got;
    if (eager->rest > 0) {
        eager->rest--;
        return got;
    }
    for (int i = 1; i <= LOOKS && got == HTTP_GOT_NOTHING; i++) {
        got = http_reader_fill(r, fd, false);
        if (got == HTTP_GOT_NOTHING && i % LOOKS_AT_ONCE == 0)
            (void)sched_yield(); /* to the one we wait for, where that has no other processor */
    }
    if (got != HTTP_GOT_NOTHING) {
        eager->gap = 1;
        return got;
    }
    eager->rest = eager->gap;
    eager->gap = eager->gap < GAP_MAX ? 2 * eager->gap : GAP_MAX;
    return got;
}
