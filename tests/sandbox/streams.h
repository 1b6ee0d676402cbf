/* SPDX-License-Identifier: Apache-2.0 */
/* streams.h: runs of a test that look at what a command has open; each with everything for itself,
 * and in a berth. */
#pragma once

#include "kept_runs.h"

static inline int make(void **state)
{
    (void)state;
    runs_make(&r);
    return 0;
}

static inline void assert_printed(const struct printed *p, const char *text)
{
    struct digest digest = digest_of(text, strlen(text));

    assert_int_equal(p->bytes, strlen(text));
    assert_int_equal(p->head.n, strlen(text));
    assert_memory_equal(p->head.s, text, p->head.n);
    assert_memory_equal(&p->digest, &digest, sizeof digest);
}

/* Its own eyes: a program that lists a directory would see the one it opened. */
static const char list_open[] =
    "i=0; while [ $i -lt 1100 ]; do [ -e /proc/$$/fd/$i ] && printf '%s ' $i; i=$((i+1)); done";

#define BOTH(f)                                    \
    cmocka_unit_test_setup_teardown(f, make, end), \
        cmocka_unit_test_setup_teardown(f, make_kept, end)
