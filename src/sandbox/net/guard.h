/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: does an answer hold a secret that was added to its request? Pure.
 *
 * It is recognised as it was sent, the frames of chunks in it or not. One that is encoded,
 * compressed or taken apart otherwise is not.
 */
#pragma once

#include "sandbox/net/body.h"
#include "sandbox/net_wire.h"

bool guard_finds(const struct policy *p, struct str bytes);

/* How many bytes at the end may be the beginning of one. */
size_t guard_tail(const struct policy *p, struct str bytes);

/* Both of the data of a body without its frames; `at` is where the body stands before the bytes. */
bool guard_finds_data(const struct policy *p, struct body at, struct str bytes, size_t *tail);
