/* SPDX-License-Identifier: Apache-2.0 */
/* items.c: lists of texts: what is in one, and all of it in words. */
#include "base/buf.h"
#include "contract/shape.h"

enum { WORDS_MAX = 300 };

bool items_have(const struct items *names, struct str name)
{
    const struct str *all = names->v;

    for (size_t i = 0; i < names->n; i++)
        if (str_eq(all[i], name))
            return true;
    return false;
}

bool pairs_have(const struct items *pairs, struct str key)
{
    const struct pair *all = pairs->v;

    for (size_t i = 0; i < pairs->n; i++)
        if (str_eq(all[i].key, key))
            return true;
    return false;
}

const char *items_said(const struct items *names, struct arena *a)
{
    const struct str *all = names->v;
    _buf_ struct buf text = { .max = WORDS_MAX };

    for (size_t i = 0; i < names->n; i++)
        buf_addf(&text, "%s%.*s", i ? ", " : "", STR_ARG(all[i]));
    return names->n ? arena_text(a, buf_str(&text)) : "none";
}
