/* SPDX-License-Identifier: Apache-2.0 */
/* num.h: whole numbers as people write them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

/* The value of a hexadecimal digit in either case, or -1. */
static inline int num_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a decimal whole number that fits. One number has one text: an optional '-' and digits,
 * no '+', no leading zeros, no "-0", no spaces. */
bool num_int(struct str text, int64_t *out) NODISCARD;
