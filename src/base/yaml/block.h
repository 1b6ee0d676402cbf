/* SPDX-License-Identifier: Apache-2.0 */
/* block.h: block texts (| and >) that libfyaml 0.7.12 reads wrongly. */
#pragma once

#include "base/str.h"

/* A block text whose first line stands at `at` in the source, as libfyaml read it. */
struct yaml_block {
    struct str source, text;
    size_t at;
    int column; /* of the key or the dash it belongs to, from 0; -1 at the root */
    bool folded;
};

/* What is wrong with what was read, or NULL. */
const char *yaml_block(const struct yaml_block *b);

/* How many bytes of its line stand before the offset. */
int yaml_column(struct str source, size_t offset);
