/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.h: a body that comes packed (gzip, deflate), piece by piece, up to its own end.
 *
 * libcurl would unpack it as well, but takes one that is cut short for a whole one.
 */
#pragma once

#include "adapter/http/curl.h"

struct unpack;

/* May a body be so packed, and unpacked here? Names are those of Content-Encoding. */
bool unpack_knows(struct str name);

/* NULL: there is no memory for it. */
struct unpack *unpack_open(void);
void unpack_close(struct unpack *u); /* NULL is fine */

enum unpack_took {
    UNPACK_TAKEN,
    UNPACK_HOLD, /* the same piece comes again, and perhaps more at once */
    UNPACK_STOP, /* who takes it has had enough */
    UNPACK_ODD,  /* it is not packed so */
};

/* What is in the next piece goes to `take`. */
enum unpack_took unpack_feed(struct unpack *u, struct str piece,
                             enum web_take (*take)(void *self, struct str bytes), void *self);

/* Has its end come, or nothing at all? */
bool unpack_whole(const struct unpack *u);
