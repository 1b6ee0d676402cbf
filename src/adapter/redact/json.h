/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: a secret as the common writers of JSON write it, for what is encoded afterwards.
 */
#pragma once

#include "base/buf.h"

enum { JSON_HANDS = 7 };

/* The text as hand `i` writes it, between the quotes. False: as it stands. */
bool json_by_hand(size_t i, struct str text, struct buf *to);
