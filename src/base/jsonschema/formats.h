/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h: the formats a text can have, as one table. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct format {
    const char *name;
    bool (*fits)(struct str text);
    const char *said; /* "a date" */
    const char *example;
    uint32_t steps; /* that it costs besides the length of the text */
};

/* The row of that name, or NULL: a format that is not known is not checked. */
const struct format *format_named(struct str name);

/* Those that others are made of. */
bool is_ipv4(struct str text);
bool is_ipv6(struct str text);
bool is_hostname(struct str text);
bool is_uri(struct str text);
bool is_uri_reference(struct str text);
