/* SPDX-License-Identifier: Apache-2.0 */
/* plan_text.h: the least a plan may say. Include after cmocka.h. */
#pragma once

#include "contract/plan_doc.h"
#include "unit/contract/check.h"

#define PLAN           "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"
#define FETCH          "0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e01"
#define BUILD          "0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e02"
#define REPORT         "0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e03"
#define V1             "0d9c8a50-7d2b-1c4e-8f4a-0a5b1c2d3e01"

#define NOT_UUID(text) "'" text "' is not a UUID v4 such as 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"

/* What is needed and nothing else. */
static const char plan[] = "id: " PLAN "\n"
                           "version: 1\n"
                           "created_at: 1766000000000\n"
                           "name: nightly\n"
                           "context_requirements: [region]\n"
                           "steps:\n"
                           "- {id: " FETCH ", action: execute, payload: {}, on_failure: halt}\n"
                           "- {id: " BUILD ", action: validate, payload: {}, on_failure: skip}\n"
                           "- {id: " REPORT ", action: notify, payload: {}, on_failure: retry}\n";

static inline void refuse(const struct refusal *rows, size_t count)
{
    check_refusals(&plan_shape, plan, rows, count);
}

static inline const struct plan_doc *accept(struct checked *c, const char *from, const char *to)
{
    const struct plan_doc *doc = check_text(c, &plan_shape, check_swap(&c->a, plan, from, to));

    check_clean(c);
    return doc;
}

/* The plan with a name or action of so many characters, each two bytes long. */
static inline const char *long_text(struct arena *a, const char *from, const char *key,
                                    size_t chars)
{
    _buf_ struct buf text = { .max = 4096 };

    buf_addf(&text, "%s: ", key);
    for (size_t i = 0; i < chars; i++)
        buf_adds(&text, "\xc3\xa9");
    return check_swap(a, plan, from, text.s);
}
