/* SPDX-License-Identifier: Apache-2.0 */
/* pure_wire.h: what writ and a jailed worker say to each other.
 *
 * A stream socket carries calls one way and answers the other, in the same order; each is a head
 * and its bytes. Both sides are the same build on the same machine, so a head is a plain struct. A
 * page that both can see tells how many calls were begun: who has to be ended, or died, is known
 * even while answers still wait to be sent.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Descriptors of a worker. The page's is gone before the program is. */
enum { PURE_CHANNEL = 3, PURE_PAGE = 4 };

struct pure_ask {
    uint32_t bytes; /* of the payload */
};

/* The first answer tells how the start went; the others are an enum call_end each. */
enum { PURE_READY = 100, PURE_FAILED };

struct pure_answer {
    uint32_t bytes, end;
    uint32_t call; /* which it answers: the first call of a worker is 1 */
};

struct pure_page {
    _Atomic uint32_t begun;
};
