/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.h: names looked up by a few threads, side by side. */
#pragma once

#include "base/error.h"
#include "contract/hosts.h"

enum { LOOKUP_THREADS = 8, LOOKUP_ADDRESSES = 16 };

/* Who asked, and what was found. */
struct lookup_answer {
    uint32_t conn, turn; /* whose it is; an older turn is nobody's */
    struct address v[LOOKUP_ADDRESSES];
    size_t n;
};

/* Readable when there are answers. */
bool lookup_open(int *fd, struct error *e) NODISCARD;

/* False: too many are waiting. */
bool lookup_ask(uint32_t conn, uint32_t turn, const struct host *host) NODISCARD;
bool lookup_take(struct lookup_answer *out) NODISCARD;
