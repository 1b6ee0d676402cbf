/* SPDX-License-Identifier: Apache-2.0 */
/* ws_peer.h: what a server of WebSockets says and hears, for those that keep the rules and not. */
#pragma once

#include "adapter/peer.h"

#include <sys/socket.h>

#include "adapter/http/ws.h"
#include "base/base64.h"

/* Agrees to what is asked; false: nothing was. `more` goes into the head. */
static inline bool agree_by(struct peer *p, int fd, const char *connection, const char *more)
{
    static const char name[] = "Sec-WebSocket-Key: ";
    char head[PEER_ASK];
    uint8_t key[WS_KEY];
    _buf_ struct buf answer = { .max = PEER_ASK };
    const char *text;
    size_t n;

    if (!peer_ask(p, fd, head) || !(text = strstr(head, name)))
        return false;
    text += sizeof name - 1;
    if (!base64_read((struct str){ text, strcspn(text, "\r") }, key, sizeof key, &n))
        return false;
    buf_adds(&answer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                      "Connection: ");
    buf_adds(&answer, connection);
    buf_adds(&answer, "\r\nSec-WebSocket-Accept: ");
    ws_accept_add(&answer, key);
    buf_adds(&answer, "\r\n");
    buf_adds(&answer, more);
    buf_adds(&answer, "\r\n");
    return peer_send(fd, answer.s, answer.len);
}

static inline bool agree(struct peer *p, int fd, const char *more)
{
    return agree_by(p, fd, "Upgrade", more);
}

/* The next frame of the client's, unmasked; -1: there is none. */
static inline int hear(int fd, struct buf *text)
{
    uint8_t head[2], mask[4], length[8];
    size_t n, width;

    if (recv(fd, head, 2, MSG_WAITALL) != 2 || !(head[1] & 0x80))
        return -1;
    n = head[1] & 0x7f;
    width = n == 127 ? 8 : n == 126 ? 2 : 0;
    if (width && recv(fd, length, width, MSG_WAITALL) != (ssize_t)width)
        return -1;
    for (size_t i = 0; i < width; i++)
        n = (i ? n << 8 : 0) | length[i];
    buf_reset(text);
    if (recv(fd, mask, 4, MSG_WAITALL) != 4 || !buf_reserve(text, n))
        return -1;
    if (n && recv(fd, text->s, n, MSG_WAITALL) != (ssize_t)n)
        return -1;
    for (size_t i = 0; i < n; i++)
        text->s[i] ^= (char)mask[i % 4];
    text->len = n;
    return head[0] & 0x0f;
}

static inline bool frame(int fd, int first, struct str text)
{
    uint8_t head[4] = { (uint8_t)first, (uint8_t)text.n, (uint8_t)(text.n >> 8), (uint8_t)text.n };

    if (text.n >= 126)
        head[1] = 126;
    return peer_send(fd, head, text.n < 126 ? 2 : 4) && peer_send(fd, text.s, text.n);
}
