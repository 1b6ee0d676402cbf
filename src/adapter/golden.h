/* SPDX-License-Identifier: Apache-2.0 */
/* golden.h: what calls must come to: recorded once, held against later ones.
 *
 * Each is a JSON file of the project, .writ/golden/<adapter>.<operation>.<name>.json, to be
 * committed and reviewed: the call, its output and what it was made with. A member a line, in the
 * order of their names. No link is followed to them.
 *
 * lines: bytes that are UTF-8, without the line ends between them. volatile is a person's to add;
 * who records again keeps it.
 */
/* clang-format off */
/*
 *     {
 *       "adapter": "ADP-001",
 *       "adapter_digest": "sha256:..",        what it was recorded with
 *       "adapter_version": "1.0.0",
 *       "directory": "docs",                  beneath the project's top; left out: there
 *       "name": "todos",
 *       "operation": "search",
 *       "output": [..],                       or "lines": [..], or "base64": ".."
 *       "params": {"pattern": "TODO"},
 *       "tool_version": "14.1.0",
 *       "volatile": ["/0/elapsed"]            what may differ
 *     }
 */
/* clang-format on */
#pragma once

#include "adapter/adapter.h"
#include "base/buf.h"
#include "base/digest.h"

struct golden {
    struct str name;    /* of the case; [a-z0-9-]+ */
    struct str adapter; /* its adapter_id */
    struct str operation;
    const struct doc *params; /* a map */
    struct value output;
    struct str directory; /* below the project's top; no text: the top itself */
    struct str adapter_version, adapter_digest, tool_version; /* may be empty */
    struct items may_differ; /* of struct str: JSON Pointers into the output; the name * of a list
                                stands for each of its items */
    const char *path;
    struct error *wrong; /* NULL: it is as it should be; else all but name and path is empty, and
                            this says what is wrong with the file, and where */
};

struct goldens {
    struct golden *v; /* by path */
    size_t n;
};

/* All there are, or those whose file is called by that name; none where there is no directory.
 * Others are not read. False: the directory cannot be read. */
bool golden_list(const char *project, const char *name, struct arena *a, struct goldens *out,
                 struct error *e) NODISCARD;

/* The names that files are called by, right or not. */
bool golden_names(const char *project, struct arena *a, const char ***out, size_t *n,
                  struct error *e) NODISCARD;

/* The files of them, right or not: what the level "golden outputs" of the caches has. */
struct golden_file {
    const char *path;
    struct digest digest; /* of its bytes */
    int64_t bytes, changed_ms;
    const struct error *wrong; /* it cannot be read, and its path alone is known; NULL: it can */
};

struct golden_files {
    struct golden_file *v; /* by path */
    size_t n;
};

bool golden_files(const char *project, struct arena *a, struct golden_files *out,
                  struct error *e) NODISCARD;

/* Is this a name for one? */
bool golden_name(struct str name, struct error *e) NODISCARD;

/* Writes it, atomically; `replace`: one that is there is taken over, else refused. */
bool golden_save(const char *project, const struct golden *g, bool replace, struct arena *a,
                 const char **path, struct error *e) NODISCARD;

/* Are they the same? JSON by value, bytes by byte; volatile members (JSON Pointers) are left out.
 */
bool golden_same(const struct golden *g, const struct value *now, struct arena *a);

/* What differs, as lines for people that begin with - (as recorded) or + (as it is now): pointers
 * and values of JSON, or a unified diff of text. */
void golden_diff(const struct golden *g, const struct value *now, struct arena *a, struct buf *to);
