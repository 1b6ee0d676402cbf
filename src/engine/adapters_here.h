/* SPDX-License-Identifier: Apache-2.0 */
/* adapters_here.h: where adapters are looked for, from the directory the caller is in. */
#pragma once

#include "adapter/catalog.h"

struct adapters_here {
    const char *directory; /* the current one; absolute */
    size_t length;         /* of its name */
    const char *root;      /* the top of its repository; itself where there is none */
    struct catalog_ask ask;
};

/* The project is the nearest directory with .writ/adapters, from the repository's top upwards: what
 * lies further down may have been put there by a command. */
bool adapters_here(const char *const *environment, struct arena *a, struct adapters_here *out,
                   struct error *e) NODISCARD;

/* A path as people call it: from the current directory where it lies below it. */
const char *adapters_shown(const struct adapters_here *here, const char *path);
