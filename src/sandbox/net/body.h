/* SPDX-License-Identifier: Apache-2.0 */
/* body.h: where the body of an HTTP/1.1 message ends. Pure. */
#pragma once

#include "sandbox/net/head.h"

struct body {
    enum body_kind kind;
    int64_t left;    /* bytes of the body, or of the chunk */
    int state;       /* within the frames of chunks */
    size_t line;     /* bytes of what is no data since the last data */
    bool over, said; /* it has ended; a digit of the size was there */
    bool bare;       /* no headers may come behind the chunks */
};

struct body body_begin(const struct head *head);

/* The next piece of its data, and how many bytes it takes with the frames before it. The bytes are
 * of those that body_take() took. */
size_t body_piece(struct body *b, struct str bytes, struct str *data);

/* How many of these bytes are the body's; the rest is not. *wrong: they are no chunks. */
size_t body_take(struct body *b, struct str bytes, bool *wrong);
