/* SPDX-License-Identifier: Apache-2.0 */
/* json_patch.h: JSON Patch (RFC 6902): a list of operations on a document, all of them or none. */
#pragma once

#include "base/doc.h"
#include "base/work.h"

/* The document after all operations, as a tree of its own; document and patch stay as they are.
 * False: an operation is not well-formed, has nothing to work on, or is a test that fails (the
 * message says which operation and why; they are counted from 1); or the work is over. The whole
 * document cannot be removed, and nothing may become deeper than a reader takes. */
bool json_patch(const struct doc *document, const struct doc *patch, struct work *w,
                struct arena *a, const struct doc **out, struct error *e) NODISCARD;
