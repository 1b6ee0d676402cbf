/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: which names a block of 256 entries may hold: a Bloom filter in place of many indexes.
 *
 * A search looks at one filter a block and reads the few blocks that may have what it asks for. To
 * append costs nothing but setting bits, which no index can say of itself.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { NAMES_BYTES = 2048 };

enum name {
    NAME_ID, /* the first 8 digits of an entry's id */
    NAME_KIND,
    NAME_SUBJECT,
    NAME_SUBJECT_START, /* its first 8 bytes, when it has more */
    NAME_TENANT,
    NAME_ROBOT,
    NAME_STATE,
    NAME_DEPENDS, /* an id that an event depends on */
    NAME_RERUN,   /* the execution that another one repeats */
};

enum { NAME_START = 8 };

struct names {
    uint8_t bits[NAMES_BYTES];
};

void names_add(struct names *names, enum name name, struct str text);

/* False: certainly not there. */
bool names_may_have(const struct names *names, enum name name, struct str text);
