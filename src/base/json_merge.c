/* SPDX-License-Identifier: Apache-2.0 */
/* json_merge.c: JSON Merge Patch (RFC 7386). */
#include "base/json_merge.h"

#include "base/doc_make.h"
#include "base/doc_same.h"

/* The depth is that of the deeper one, which has a ceiling. */
static bool merge(const struct doc *target, const struct doc *patch, struct doc *to, struct work *w,
                  struct arena *a)
{
    static const struct doc nothing = { .kind = DOC_MAP };
    const struct doc *old, *patched;
    struct doc_pairs pairs;

    if (patch->kind != DOC_MAP)
        return doc_copy(patch, to, w, a);
    if (!target || target->kind != DOC_MAP)
        target = &nothing;
    to->kind = DOC_MAP;
    if (!doc_pairs_begin(&pairs, target, patch, w, a))
        return false;
    while (doc_pairs_next(&pairs, &old, &patched)) {
        struct str key = patched ? patched->key : old->key;

        if (!work_do(w, WORK_VALUE + work_text(key)))
            return false;
        if (patched && patched->kind == DOC_NULL)
            continue;
        if (patched ? !merge(old, patched, doc_add(a, to, key), w, a)
                    : !doc_copy(old, doc_add(a, to, key), w, a))
            return false;
    }
    return true;
}

bool json_merge(const struct doc *target, const struct doc *patch, struct work *w, struct arena *a,
                const struct doc **out)
{
    struct doc *root = doc_root(a, DOC_NULL);

    if (!merge(target, patch, root, w, a))
        return false;
    *out = root;
    return true;
}
