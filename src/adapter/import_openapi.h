/* SPDX-License-Identifier: Apache-2.0 */
/* import_openapi.h: makes an adapter of an OpenAPI document: 3.0, 3.1, or Swagger 2.0.
 *
 * Pure: nothing is fetched, and references are followed within the document alone. Each operation
 * becomes one, under its operationId or a name made of its method and path; what cannot be called
 * is left out, and told.
 */
#pragma once

#include "base/doc.h"

struct import_ask {
    const struct doc *root;
    const char *name, *tool;    /* NULL: after the document's title */
    const char *const *include; /* patterns with *, ended by NULL; or NULL: all */
    const char *const *exclude;
    const char *today; /* "2026-01-16" */
};

struct import_left {
    const char *operation, *why;
};

struct import_made {
    struct str yaml;
    const char *adapter_id;
    size_t operations;
    struct import_left *left;
    size_t left_count;
    const char **warnings; /* what whoever uses it should know */
    size_t warned;
};

/* False: it is no such document, or nothing of it is left; *e has the place. */
bool import_openapi(const struct import_ask *ask, struct arena *a, struct import_made *out,
                    struct error *e) NODISCARD;
