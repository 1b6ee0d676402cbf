/* SPDX-License-Identifier: Apache-2.0 */
/* ws.c: frames of a WebSocket, written with a mask and read strictly. */
#include "adapter/http/ws.h"

#include "base/utf8.h"

enum {
    FIN = 0x80,
    RESERVED = 0x70,
    OP = 0x0f,
    MASKED = 0x80,
    LENGTH = 0x7f,
    TWO = 126,
    EIGHT = 127
};
enum { ROOM = 256 << 10 }; /* that is given at once, and a head */

/* ---- out ---- */

void ws_frame_add(struct buf *to, enum ws_op op, struct str payload, const uint8_t mask[4])
{
    uint8_t head[14] = { (uint8_t)(FIN | op) };
    size_t n = 2, width = payload.n < TWO ? 0 : payload.n <= UINT16_MAX ? 2 : 8;

    head[1] = (uint8_t)(MASKED | (width == 0 ? payload.n : width == 2 ? TWO : EIGHT));
    for (size_t i = width; i > 0; i--)
        head[n++] = (uint8_t)(payload.n >> (8 * (i - 1)));
    memcpy(head + n, mask, 4);
    if (!buf_reserve(to, n + 4 + payload.n))
        return;
    buf_add(to, head, n + 4);
    buf_add(to, payload.s, payload.n);
    for (size_t i = 0; i < payload.n; i++)
        to->s[to->len - payload.n + i] ^= (char)mask[i % 4];
}

void ws_close_add(struct buf *to, int code, const uint8_t mask[4])
{
    const char text[2] = { (char)(code >> 8), (char)(code & 0xff) };

    ws_frame_add(to, WS_CLOSE, (struct str){ text, sizeof text }, mask);
}

/* ---- in ---- */

void ws_reader_open(struct ws_reader *r, size_t most)
{
    *r = (struct ws_reader){ .most = most, .bytes = { .max = ROOM }, .message = { .max = most } };
}

void ws_reader_free(struct ws_reader *r)
{
    buf_free(&r->bytes);
    buf_free(&r->message);
}

void ws_reader_give(struct ws_reader *r, struct str bytes)
{
    if (r->used > 0) {
        memmove(r->bytes.s, r->bytes.s + r->used, r->bytes.len - r->used);
        r->bytes.len -= r->used;
        r->used = 0;
    }
    buf_add(&r->bytes, bytes.s, bytes.n);
}

static struct ws_event broken(int code, const char *why)
{
    return (struct ws_event){ .news = WS_BROKEN, .code = code, .why = why };
}

static const struct ws_event more = { .news = WS_MORE };

struct ws_head {
    int op;
    bool is_last;
    uint64_t length;
    size_t bytes; /* of the head itself */
};

static const uint8_t *at(const struct ws_reader *r)
{
    return (const uint8_t *)r->bytes.s + r->used;
}

static bool is_control(int op)
{
    return op >= WS_CLOSE;
}

/* The length of a frame in as few bytes as it needs; false: in more. */
static bool read_length(const uint8_t *b, struct ws_head *h)
{
    size_t width = h->bytes - 2;

    h->length = width == 0 ? b[1] & LENGTH : 0;
    for (size_t i = 0; i < width; i++)
        h->length = h->length << 8 | b[2 + i];
    return width == 0 || (width == 2 ? h->length >= TWO : h->length > UINT16_MAX);
}

/* What is wrong with the first two bytes of a frame. */
static const char *first_fault(const struct ws_reader *r, const uint8_t *b)
{
    int op = b[0] & OP;

    if (b[0] & RESERVED)
        return "a frame has bits set that were not agreed on";
    if (b[1] & MASKED)
        return "the server masks its frames";
    if (op > WS_PONG || (op > WS_BINARY && op < WS_CLOSE))
        return "a frame is of an unknown kind";
    if (is_control(op) && (!(b[0] & FIN) || (b[1] & LENGTH) > WS_CONTROL))
        return "a control frame is too long or in pieces";
    if (op == WS_GOES_ON && !r->begun)
        return "a message goes on that has not begun";
    if (!is_control(op) && op != WS_GOES_ON && r->begun)
        return "a message begins in the middle of another";
    return NULL;
}

static struct ws_event end_message(struct ws_reader *r)
{
    struct str text = buf_str(&r->message);

    r->inside = false;
    if (!r->is_last)
        return more;
    r->begun = false;
    if (utf8_valid(text) != text.n)
        return broken(WS_NOT_UTF8, "a message is not UTF-8");
    return (struct ws_event){ .news = WS_MESSAGE, .text = text };
}

/* Bytes of a message go over as they come: no more of it is here than was sent. */
static struct ws_event read_message(struct ws_reader *r)
{
    size_t here = r->bytes.len - r->used;
    size_t n = here < r->left ? here : r->left;

    buf_add(&r->message, at(r), n);
    r->used += n;
    r->left -= n;
    return r->left > 0 ? more : end_message(r);
}

static struct ws_event closed(struct str payload)
{
    int code = payload.n >= 2 ? (unsigned char)payload.s[0] << 8 | (unsigned char)payload.s[1] : 0;
    struct str reason =
        payload.n > 2 ? (struct str){ payload.s + 2, payload.n - 2 } : (struct str){ "", 0 };

    if (payload.n == 1 || (payload.n && (code < 1000 || code >= 5000)) ||
        (code >= 1004 && code <= 1006))
        return broken(WS_PROTOCOL, "the server closes with a code that there is not");
    if (reason.n > 0 && utf8_valid(reason) != reason.n)
        return broken(WS_NOT_UTF8, "the server closes with a text that is not UTF-8");
    return (struct ws_event){ .news = WS_CLOSED, .code = code, .text = reason };
}

/* Such a frame is read when all of it is here. */
static struct ws_event read_control(struct ws_reader *r, const struct ws_head *h)
{
    struct str payload;

    if (r->bytes.len - r->used < h->bytes + h->length)
        return more;
    payload = (struct str){ r->bytes.s + r->used + h->bytes, (size_t)h->length };
    r->used += h->bytes + payload.n;
    if (h->op == WS_CLOSE)
        return closed(payload);
    if (h->op == WS_PING)
        return (struct ws_event){ .news = WS_PINGED, .text = payload };
    return more; /* a pong that nobody waits for */
}

static struct ws_event begin_message(struct ws_reader *r, const struct ws_head *h)
{
    if (h->op == WS_BINARY)
        return broken(WS_NOT_TEXT, "a message is not text");
    if (h->op == WS_TEXT)
        buf_reset(&r->message);
    if (h->length > r->most - r->message.len)
        return broken(WS_LARGE, "a message is larger than is allowed");
    r->used += h->bytes;
    r->left = (size_t)h->length;
    r->begun = r->inside = true;
    r->is_last = h->is_last;
    return read_message(r);
}

static struct ws_event read_frame(struct ws_reader *r)
{
    size_t here = r->bytes.len - r->used;
    const uint8_t *b = at(r);
    struct ws_head h;
    const char *fault;

    if (here < 2)
        return more;
    fault = first_fault(r, b);
    if (fault)
        return broken(WS_PROTOCOL, fault);
    h = (struct ws_head){ .op = b[0] & OP, .is_last = b[0] & FIN };
    h.bytes = (b[1] & LENGTH) == TWO ? 4 : (b[1] & LENGTH) == EIGHT ? 10 : 2;
    if (here < h.bytes)
        return more;
    if (!read_length(b, &h))
        return broken(WS_PROTOCOL, "the length of a frame is written in too many bytes");
    return is_control(h.op) ? read_control(r, &h) : begin_message(r, &h);
}

struct ws_event ws_next(struct ws_reader *r)
{
    struct ws_event event = more;
    size_t before;

    if (!buf_ok(&r->bytes) || !buf_ok(&r->message))
        return broken(WS_LARGE, "a message is larger than there is room for");
    do {
        before = r->bytes.len - r->used;
        event = r->inside ? read_message(r) : read_frame(r);
    } while (event.news == WS_MORE && r->bytes.len - r->used < before);
    return event;
}
