/* SPDX-License-Identifier: Apache-2.0 */
/* record_fields.h: what the record of one run can say, member by member. */
#pragma once

#include "base/table.h"

/* A name as it is reached: usage.cpu_ms; [] stands for each of a list, * for any name. */
struct record_field {
    const char *name;
    const char *when; /* it is there; "" is always */
    const char *meaning;
};

extern const struct table record_table;
