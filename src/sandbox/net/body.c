/* SPDX-License-Identifier: Apache-2.0 */
/* body.c: counts bytes, or follows chunks one by one. */
#include "sandbox/net/body.h"

#include "base/num.h"

enum {
    LINE_MAX_BYTES = 8 << 10, /* of sizes, what is said beside them, and headers at the end */
    CHUNK_DIGITS = 14,        /* of a size: one more still fits into a number */
};

enum state {
    SIZE,
    SIZE_MORE, /* ";name=value" behind a size */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    LINE, /* the first character of a line at the end */
    LINE_MORE,
    LINE_LF,
    LAST_LF,
};

struct body body_begin(const struct head *head)
{
    struct body b = { .kind = head->body, .state = SIZE };

    if (b.kind == BODY_LENGTH)
        b.left = head->length;
    b.over = b.kind == BODY_NONE || (b.kind == BODY_LENGTH && b.left == 0);
    return b;
}

/* A size, as "1f"; false: it is none. */
static bool take_size(struct body *b, char c)
{
    int digit = num_hex(c);

    if (digit >= 0) {
        b->left = b->left * 16 + digit;
        b->said = true;
        return b->left >> (CHUNK_DIGITS * 4) == 0;
    }
    if (!b->said)
        return false;
    b->state = c == '\r' ? SIZE_LF : SIZE_MORE;
    return c == '\r' || c == ';';
}

/* Text up to a CR; no other control character is in it. */
static bool take_text(struct body *b, char c, enum state then)
{
    if (c == '\r')
        b->state = then;
    return c == '\r' || c == '\t' || ((unsigned char)c >= ' ' && c != 0x7f);
}

static bool take_size_end(struct body *b, char c)
{
    b->state = b->left > 0 ? DATA : LINE;
    return c == '\n';
}

/* One byte of what is between the data; false: it is out of place. */
static bool take_frame(struct body *b, char c)
{
    switch ((enum state)b->state) {
    case SIZE: return take_size(b, c);
    case SIZE_MORE: return take_text(b, c, SIZE_LF);
    case SIZE_LF: return take_size_end(b, c);
    case DATA_CR: b->state = DATA_LF; return c == '\r';
    case DATA_LF:
        *b = (struct body){ .kind = BODY_CHUNKED, .state = SIZE, .bare = b->bare };
        return c == '\n';
    case LINE:
        b->state = c == '\r' ? LAST_LF : LINE_MORE;
        return c == '\r' || (!b->bare && c > ' ' && c < 0x7f);
    case LINE_MORE: return take_text(b, c, LINE_LF);
    case LINE_LF: b->state = LINE; return c == '\n';
    case LAST_LF: b->over = c == '\n'; return b->over;
    case DATA: break;
    }
    return false;
}

static size_t take_data(struct body *b, size_t n)
{
    n = (int64_t)n < b->left ? n : (size_t)b->left;
    b->left -= (int64_t)n;
    return n;
}

size_t body_piece(struct body *b, struct str bytes, struct str *data)
{
    bool chunks = b->kind == BODY_CHUNKED;
    size_t n = 0;

    while (chunks && n < bytes.n && b->state != DATA && !b->over && take_frame(b, bytes.s[n]))
        n++;
    *data = (struct str){ bytes.s + n, bytes.n - n };
    if (chunks) {
        data->n = b->state == DATA ? take_data(b, data->n) : 0;
        b->state = b->state == DATA && b->left == 0 ? DATA_CR : b->state;
    }
    return n + data->n;
}

size_t body_take(struct body *b, struct str bytes, bool *wrong)
{
    size_t n = 0;

    *wrong = false;
    if (b->over)
        return 0;
    if (b->kind == BODY_TO_END)
        return bytes.n;
    if (b->kind == BODY_LENGTH) {
        n = take_data(b, bytes.n);
        b->over = b->left == 0;
        return n;
    }
    while (n < bytes.n && !b->over && !*wrong) {
        if (b->state == DATA) {
            n += take_data(b, bytes.n - n);
            b->state = b->left == 0 ? DATA_CR : DATA;
            continue;
        }
        *wrong = ++b->line > LINE_MAX_BYTES || !take_frame(b, bytes.s[n]);
        n += !*wrong;
    }
    return n;
}
