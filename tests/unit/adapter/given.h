/* SPDX-License-Identifier: Apache-2.0 */
/* given.h: an adapter of a text, and parameters of another, as calls have them.
 *
 * Include it after cmocka.h.
 */
#pragma once

#include "adapter/adapter.h"
#include "base/json_read.h"
#include "unit/contract/check.h"

static inline void load_adapter(struct arena *a, const char *text, struct adapter *out)
{
    struct ceilings max = ceilings_default();
    struct report r = report_new(a, "adapter", str_of(text));
    const struct document *document;
    struct error e = { 0 };

    if (!doc_read("adapter", str_of(text), &max, a, &document, &e))
        fail_msg("%d:%d: %s", e.at.line, e.at.col, e.msg);
    *out = (struct adapter){ .tree = &document->root, .origin = ORIGIN_USER };
    if (!shape_decode(&adapter_shape, &document->root, &r, &out->doc))
        fail_msg("%s: %s", r.first->pointer, r.first->msg);
}

static inline const struct doc *load_params(struct arena *a, struct str text)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };

    if (!json_read("params", text, &max, a, &document, &e))
        fail_msg("%d:%d: %s", e.at.line, e.at.col, e.msg);
    return &document->root;
}
