/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.c: delay(n) = min(backoff_ms * multiplier^(n-1), max_backoff_ms), never overflowing. */
#include "contract/backoff.h"

const struct backoff backoff_plan = {
    .max_attempts = 1,
    .backoff_ms = 0,
    .max_backoff_ms = 60000,
    .multiplier = 1.0,
};

/* A00-8: retries are the attempts after the first. */
const struct backoff backoff_route = {
    .max_attempts = 3,
    .backoff_ms = 1000,
    .max_backoff_ms = 2000,
    .multiplier = 2.0,
};

bool backoff_again(const struct backoff *b, int attempt)
{
    return attempt < b->max_attempts;
}

/* By squaring: at most 31 rounds, whatever the attempt, and the same bits on every machine. */
static double power(double base, unsigned exponent)
{
    double result = 1.0;

    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result *= base;
        base *= base;
    }
    return result;
}

int64_t backoff_delay(const struct backoff *b, int attempt)
{
    double multiplier = b->multiplier > 1.0 ? b->multiplier : 1.0;
    double delay;

    if (b->backoff_ms <= 0 || b->max_backoff_ms <= 0)
        return 0;
    delay = (double)b->backoff_ms * power(multiplier, attempt > 1 ? (unsigned)attempt - 1 : 0);
    if (!(delay < (double)b->max_backoff_ms)) /* infinity too */
        return b->max_backoff_ms;
    return (int64_t)(delay + 0.5);
}
