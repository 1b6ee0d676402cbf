/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.c: measures a value: bytes, depth, longest list. */
#include "executor/bounds.h"

/* A scalar has depth 0, the outermost list or map 1; only lists have a length (A03-11). Readers
 * hold the depth of what comes here below CEILING_DEPTH. */
static int64_t measure(const struct doc *d, int64_t *longest) /* NOLINT(misc-no-recursion) */
{
    int64_t deepest = 0;

    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return 0;
    if (d->kind == DOC_LIST && d->count > *longest)
        *longest = d->count;
    for (const struct doc *child = d->first; child; child = child->next) {
        int64_t depth = measure(child, longest);

        if (depth > deepest)
            deepest = depth;
    }
    return deepest + 1;
}

struct bound bounds_broken(const struct doc *value, size_t bytes, const struct executor_limits *max)
{
    int64_t longest = 0, depth;

    if ((int64_t)bytes > max->max_payload_bytes)
        return (struct bound){ "max_payload_bytes", max->max_payload_bytes, (int64_t)bytes };
    depth = measure(value, &longest);
    if (depth > max->max_depth)
        return (struct bound){ "max_depth", max->max_depth, depth };
    if (longest > max->max_list_items)
        return (struct bound){ "max_list_items", max->max_list_items, longest };
    return (struct bound){ 0 };
}
