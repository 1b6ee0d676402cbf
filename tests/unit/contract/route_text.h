/* SPDX-License-Identifier: Apache-2.0 */
/* route_text.h: the route contract writ ships. Include after cmocka.h. */
#pragma once

#include "contract/classes.h"
#include "contract/route_doc.h"
#include "unit/contract/data.h"

/* The contract writ ships, as JSON. */
static inline const char *shipped(struct arena *a)
{
    _buf_ struct buf text = { .max = 1 << 20 };
    struct route_doc doc;

    route_shipped(a, &doc);
    shape_json(&route_shape, &doc, &text);
    return arena_text(a, buf_str(&text));
}

/* Each row breaks the shipped contract in one way. */
static inline void refuse(const struct refusal *rows, size_t count)
{
    struct arena a = { 0 };

    check_refusals(&route_shape, shipped(&a), rows, count);
    arena_free(&a);
}

static inline const struct route_doc *decode_shipped(struct checked *c)
{
    const struct route_doc *doc = check_text(c, &route_shape, shipped(&c->a));

    check_clean(c);
    return doc;
}
