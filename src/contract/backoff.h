/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.h: how long to wait before trying again.
 *
 * The same arithmetic serves a plan's retry policy (contract 004), a remote route (000) and an
 * adapter (001). There is no chance in it: the same attempt always waits the same time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct backoff {
    int64_t max_attempts; /* the first one included: 1 means no retry */
    int64_t backoff_ms, max_backoff_ms;
    double multiplier; /* at least 1.0 */
};

/* What contract 004 says where a plan is silent; contract 000's two retries, after 1 and 2 s. */
extern const struct backoff backoff_plan, backoff_route;

/* Whether another attempt may follow this one; the first is 1. */
bool backoff_again(const struct backoff *b, int attempt);

/* How long to wait after this attempt failed, in milliseconds. */
int64_t backoff_delay(const struct backoff *b, int attempt);
