/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h: what writ and writ-http say to each other: framed messages over a socket pair.
 *
 * A frame is twelve bytes (how long its body is, its kind, the number of the call; in this
 * machine's order) and its body. Neither side takes what the other has no right to say, nor more of
 * it than its row allows: writ-http reads what strangers send, and may be theirs one day.
 *
 *     writ       CALL                  (STOP)        OPEN          SEND*         (STOP)
 *     writ-http        (HEAD PIECE*)?   END                OPENED        TEXT*   END
 *
 * After STOP nothing more is said about a call.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define HTTP_PROTOCOL "writ-http/1"

enum {
    HTTP_CHANNEL = 3, /* writ-http's descriptor of it */
    HTTP_FRAME_HEAD = 12,
    HTTP_PIECE = 64 << 10,       /* of a body, at most */
    HTTP_ASK_MAX = 64 << 20,     /* a request, its body and all */
    HTTP_TEXT_MAX = 16 << 20,    /* a message of a WebSocket */
    HTTP_HEAD_BYTES = 256 << 10, /* the headers of an answer */
    HTTP_HEADERS = 1000,
    HTTP_HOSTS = 1000,
};

enum http_kind {
    HTTP_CALL = 1, /* a request: http/pack.h */
    HTTP_OPEN,     /* the same, for a WebSocket */
    HTTP_SEND,     /* a message, as text */
    HTTP_STOP,     /* it is not wanted any more */
    HTTP_HEAD,     /* writ-http: status and headers */
    HTTP_BODY,     /* writ-http: a piece of the body */
    HTTP_END,      /* writ-http: how it ended */
    HTTP_OPENED,   /* writ-http: the WebSocket is open */
    HTTP_TEXT,     /* writ-http: a message */
    HTTP_KINDS,
};

enum http_side { HTTP_WRIT, HTTP_PROGRAM };

struct http_frame_row {
    const char *name;
    enum http_side from;
    uint32_t most; /* bytes of its body */
};

extern const struct http_frame_row http_frames[HTTP_KINDS];

struct http_frame {
    enum http_kind kind;
    uint32_t call;
    struct str body;
};

/* Adds its bytes to what is to be sent. */
void http_frame_add(struct buf *to, const struct http_frame *f);

/* A frame whose body is written straight behind its head: begin, add the body, end. */
size_t http_frame_begin(struct buf *to);
void http_frame_end(struct buf *to, size_t begun, enum http_kind kind, uint32_t call);

/* What has come so far of a stream. */
struct http_reader {
    enum http_side from; /* who is heard */
    struct buf bytes;
    size_t used;
};

void http_reader_open(struct http_reader *r, enum http_side from);
void http_reader_close(struct http_reader *r); /* wipes what it has */

/* The next frame that has come whole; its body stays until more is read. *whole is false: there is
 * none. False: what came is no frame. */
bool http_reader_take(struct http_reader *r, struct http_frame *out, bool *whole,
                      struct error *e) NODISCARD;

/* Who sleeps is woken by another processor, which takes longer than many an answer. So a reader
 * looks a few times more before it does, as long as that has paid: where it did not, it looks ever
 * more seldom. */
struct http_eager {
    bool allowed;       /* there is more than one processor */
    unsigned rest, gap; /* waits until it is tried again, and how many they are the next time */
};

struct http_eager http_eager_new(void);

/* Reads what is there. `wait`: until there is something, or as long as the socket says
 * (SO_RCVTIMEO). */
enum http_got { HTTP_GOT_SOME, HTTP_GOT_NOTHING, HTTP_GOT_END };
enum http_got http_reader_eager(struct http_reader *r, int fd, struct http_eager *eager);
enum http_got http_reader_fill(struct http_reader *r, int fd, bool wait);
