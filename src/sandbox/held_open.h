/* SPDX-License-Identifier: Apache-2.0 */
/* held_open.h: what a fixed run does not hold, on this CPU and this kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"

struct held_open_row {
    const char *what;
    const char *why;
    bool (*is_open)(void); /* NULL: everywhere */
};

enum { HELD_OPEN = 15 };

extern const struct held_open_row held_open_rows[HELD_OPEN];
extern const struct table held_open_table;

/* Whether that one is open here. */
bool held_is_open(const struct held_open_row *row);
