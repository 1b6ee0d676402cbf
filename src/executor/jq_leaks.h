/* SPDX-License-Identifier: Apache-2.0 */
/* jq_leaks.h: what of jq would tell a program more than its payload, and how each is closed. */
#pragma once

#include <stddef.h>

enum jq_leak_end {
    LEAK_RAISES,   /* a call that uses it is an exception */
    LEAK_CONSTANT, /* it is the same for everybody */
    LEAK_REFUSED,  /* a program that names it is not started */
};

struct jq_leak {
    const char *name;
    const char *prefix; /* stands before every program; NULL: closed in another way */
    const char *attempt;
    enum jq_leak_end end;
    const char *value; /* of LEAK_CONSTANT: JSON */
    const char *closed;
};

extern const struct jq_leak jq_leaks[];
extern const size_t jq_leak_count;
