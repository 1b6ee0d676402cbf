/* SPDX-License-Identifier: Apache-2.0 */
/* resting.h: connections that are kept for the next request, and what came on them meanwhile.
 *
 * Whoever speaks unasked would be taken for the answer to the next question. Such a connection is
 * shut, so that it is not used again.
 */
#pragma once

#include <poll.h>
#include <stddef.h>

enum { RESTING_MOST = 1024 };

struct resting {
    struct pollfd v[RESTING_MOST];
    size_t n;
};

void resting_add(struct resting *r, int fd);  /* nobody waits for anything on it */
void resting_wake(struct resting *r, int fd); /* it is used, or gone; where it rests or not */
void resting_shut(struct resting *r);         /* those on which something came, or that ended */
