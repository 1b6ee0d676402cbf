/* SPDX-License-Identifier: Apache-2.0 */
/* golden.h: what calls must come to: recorded once, held against later ones.
 *
 * Each is a JSON file of the project, .writ/golden/<adapter>.<operation>.<name>.json, to be
 * committed and reviewed: the call, its output and what it was made with.
 */
#pragma once

#include "adapter/adapter.h"
#include "base/buf.h"

struct golden {
    struct str name;    /* of the case; [a-z0-9-]+ */
    struct str adapter; /* its adapter_id */
    struct str operation;
    const struct doc *params; /* a map */
    struct value output;
    struct str adapter_version, tool_version; /* what it was recorded with; may be empty */
    const char *path;
};

struct goldens {
    struct golden *v; /* by path */
    size_t n;
};

bool golden_list(const char *project, struct arena *a, struct goldens *out,
                 struct error *e) NODISCARD;

/* Writes it, atomically; `replace`: one that is there is taken over, else refused. */
bool golden_save(const char *project, const struct golden *g, bool replace, struct arena *a,
                 const char **path, struct error *e) NODISCARD;

/* Are they the same? JSON by value, bytes by byte; volatile members (JSON Pointers) are left out.
 */
bool golden_same(const struct golden *g, const struct value *now, struct arena *a);

/* What differs, as lines for people: pointers of JSON, or a unified diff of text. */
void golden_diff(const struct golden *g, const struct value *now, struct arena *a, struct buf *to);
