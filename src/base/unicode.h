/* SPDX-License-Identifier: Apache-2.0 */
/* unicode.h: the general categories of Unicode: which code points are letters, digits, signs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { UNICODE_LAST = 0x10ffff };

enum unicode_category {
    UNICODE_LU,
    UNICODE_LL,
    UNICODE_LT,
    UNICODE_LM,
    UNICODE_LO,
    UNICODE_MN,
    UNICODE_MC,
    UNICODE_ME,
    UNICODE_ND,
    UNICODE_NL,
    UNICODE_NO,
    UNICODE_PC,
    UNICODE_PD,
    UNICODE_PS,
    UNICODE_PE,
    UNICODE_PI,
    UNICODE_PF,
    UNICODE_PO,
    UNICODE_SM,
    UNICODE_SC,
    UNICODE_SK,
    UNICODE_SO,
    UNICODE_ZS,
    UNICODE_ZL,
    UNICODE_ZP,
    UNICODE_CC,
    UNICODE_CF,
    UNICODE_CS,
    UNICODE_CO,
    UNICODE_CN,
    UNICODE_PAIRS, /* of a run only: Lu and Ll in turn */
};

/* All code points in order as runs of one category: how many, times 32, plus the category. */
extern const uint32_t unicode_runs[];
extern const size_t unicode_run_count;

/* The categories a name stands for, as bits by enum unicode_category: "Lu", "L"; 0 where there is
 * no such name. The second also knows "Letter", "Uppercase_Letter" and the like. */
uint32_t unicode_short(struct str name);
uint32_t unicode_named(struct str name);
