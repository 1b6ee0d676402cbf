/* SPDX-License-Identifier: Apache-2.0 */
/* data.h: reads the examples of the contracts, which lie verbatim in tests/data. */
#pragma once

#include "base/fs.h"
#include "unit/contract/check.h"

/* The build says where the data lies; from the project's root it lies here. */
#ifndef TEST_DATA
#define TEST_DATA "tests/data"
#endif

/* The text of a file there. */
static inline const char *data_text(struct arena *a, const char *name)
{
    struct error e = { 0 };
    struct str text;

    if (!fs_read(arena_printf(a, "%s/%s", TEST_DATA, name), 1 << 20, a, &text, &e))
        fail_msg("%s", e.msg);
    return arena_text(a, text);
}
