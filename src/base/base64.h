/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h: bytes of any kind as text (RFC 4648, with padding). */
#pragma once

#include "base/buf.h"

void base64_add(struct buf *to, struct str bytes);

/* The bytes a text stands for, if there are no more than `room`; *n says how many. One sequence of
 * bytes has one text, the one that base64_add() writes: no line ends, no padding left out, no bits
 * left over. Where `out` is NULL, room does not matter and they are only counted. */
bool base64_read(struct str text, void *out, size_t room, size_t *n) NODISCARD;
