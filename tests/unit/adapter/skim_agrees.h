/* SPDX-License-Identifier: Apache-2.0 */
/* skim_agrees.h: what is skimmed off a text is what the parser says of it, wherever the parser
 * takes it. */
#pragma once

#include "adapter/catalog_skim.h"
#include "base/doc_read.h"
#include "contract/adapter_doc.h"

static inline bool skim_same(const struct doc *root, const char *key, struct str skimmed)
{
    const struct doc *d = doc_get(root, key);

    return d && d->kind == DOC_TEXT && str_eq(d->text, skimmed);
}

/* *certain: it was told without the parser. */
static inline bool skim_agrees(struct str text, bool json, bool *certain)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct skimmed s = { 0 };
    struct error e = { 0 };

    *certain = json ? skim_json(text, &s) : skim_yaml(text, true, &s);
    if (!*certain || !doc_read(json ? "a.json" : "a.yaml", text, &max, &a, &document, &e))
        return true;
    return skim_same(&document->root, "adapter_id", s.adapter_id) &&
           skim_same(&document->root, "name", s.name) &&
           skim_same(&document->root, "tool_id", s.tool_id) && s.type >= 0 &&
           s.type < ADAPTER_TYPE_COUNT &&
           skim_same(&document->root, "type", str_of(adapter_types[s.type]));
}
