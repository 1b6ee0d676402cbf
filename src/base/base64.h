/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h: bytes of any kind as text (RFC 4648, with padding). */
#pragma once

#include "base/buf.h"

void base64_add(struct buf *to, struct str bytes);
