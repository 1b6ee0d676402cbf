/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: does an answer hold a secret that was added to its request? Pure.
 *
 * It is recognised as it was sent. One that is encoded, compressed or taken apart, by the frames of
 * chunks too, is not.
 */
#pragma once

#include "sandbox/net_wire.h"

bool guard_finds(const struct policy *p, struct str bytes);

/* How many bytes at the end may be the beginning of one. */
size_t guard_tail(const struct policy *p, struct str bytes);
