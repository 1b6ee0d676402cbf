/* SPDX-License-Identifier: Apache-2.0 */
/* adapter.h: an adapter that was loaded, and the words the files of this floor share.
 *
 * An adapter turns an operation and its parameters into something that can be done (bind), and what
 * comes back into what the caller asked for (transform). Nothing here runs a command or keeps a
 * record: the floor above does.
 */
#pragma once

#include "base/digest.h"
#include "contract/adapter_doc.h"

/* Where an adapter comes from: the nearest one of a name holds. */
enum origin { ORIGIN_PROJECT, ORIGIN_USER, ORIGIN_SHIPPED, ORIGIN_COUNT };
extern const char *const origin_names[]; /* "project", "user", "shipped" */

struct adapter {
    struct adapter_doc doc;
    const struct doc *tree; /* as it was written */
    const char *file;       /* its name for people */
    const char *directory;  /* that relative paths in it start from: of the project, the project's
                               top; else that of the file. NULL: it has none */
    enum origin origin;
    struct digest digest; /* of its canonical form */
};

/* The names of its operations, in the order they are written: the interface's mapping, or of cli
 * those under `operations`. A cli adapter may name none: then the registry's scope.operations are
 * its operations. */
struct items adapter_operations(const struct adapter *adapter, struct arena *a); /* of struct str */

/* What came back, on its way through the transforms: bytes until somebody reads them. */
struct value {
    struct str bytes;
    const struct doc *doc; /* NULL: `bytes` is what there is */
};
