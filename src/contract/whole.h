/* SPDX-License-Identifier: Apache-2.0 */
/* whole.h: rules that several documents share: nothing in them is cut short or without effect. */
#pragma once

#include "contract/shape.h"

/* No text but that of a stream holds a NUL byte. */
void whole_texts(const struct doc *d, const void *decoded, struct report *r);

/* Hosts are allowed only where the network is on; d is the map with `enabled` and `allow`. */
void whole_network(const struct doc *d, const void *decoded, struct report *r);
