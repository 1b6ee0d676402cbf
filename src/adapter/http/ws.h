/* SPDX-License-Identifier: Apache-2.0 */
/* ws.h: WebSocket (RFC 6455) as bytes, from the client's side. Pure: nothing is sent here.
 *
 * Text messages only. What a server may not send ends the connection: frames that are masked, bits
 * that were not agreed on, lengths that are written too long, text that is not UTF-8.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

enum { WS_KEY = 16, WS_HEAD_MAX = 16 << 10, WS_CONTROL = 125 };

/* ---- opening ---- */

enum { WS_SWITCHED = 101 }; /* the status that opens it */

/* The text of Sec-WebSocket-Key for these random bytes, and what the server must answer to it. */
void ws_key_add(struct buf *to, const uint8_t key[WS_KEY]);
void ws_accept_add(struct buf *to, const uint8_t key[WS_KEY]);

/* The end of the head of an answer: bytes up to and with its empty line; 0: it is not here yet. */
size_t ws_head_end(struct str bytes);

/* NULL: the head agrees to what was asked. Else why not; *status is what it says, or 0.
 * `protocol` is empty: none was asked for. */
const char *ws_disagrees(struct str head, const uint8_t key[WS_KEY], struct str protocol,
                         int *status);

/* ---- frames ---- */

enum ws_op { WS_GOES_ON = 0, WS_TEXT = 1, WS_BINARY = 2, WS_CLOSE = 8, WS_PING = 9, WS_PONG = 10 };

/* Closing codes that we send. */
enum {
    WS_NORMAL = 1000,
    WS_PROTOCOL = 1002,
    WS_NOT_TEXT = 1003,
    WS_NOT_UTF8 = 1007,
    WS_LARGE = 1009
};

void ws_frame_add(struct buf *to, enum ws_op op, struct str payload, const uint8_t mask[4]);
void ws_close_add(struct buf *to, int code, const uint8_t mask[4]);

struct ws_reader {
    struct buf bytes; /* that have come; .max is set by ws_reader_open() */
    size_t used;
    struct buf message;   /* in pieces */
    size_t most;          /* bytes of a message */
    bool begun;           /* a message has, and its end has not come */
    size_t left;          /* bytes of the frame that is being read */
    bool inside, is_last; /* of that frame */
};

void ws_reader_open(struct ws_reader *r, size_t most);
void ws_reader_free(struct ws_reader *r);
void ws_reader_give(struct ws_reader *r, struct str bytes);

enum ws_news {
    WS_MORE,    /* is needed */
    WS_MESSAGE, /* `text`, until the next call */
    WS_PINGED,  /* `text` is to be sent back */
    WS_CLOSED,  /* the server wants to close: its `code`, or 0, and its reason in `text` */
    WS_BROKEN,  /* `code` is to be sent; `why` is for people. Nothing more is read */
};

struct ws_event {
    enum ws_news news;
    struct str text;
    int code;
    const char *why;
};

struct ws_event ws_next(struct ws_reader *r);
