/* SPDX-License-Identifier: Apache-2.0 */
/* ceilings.c: the table of reader ceilings. */
#include "base/ceilings.h"

/* clang-format off */
const struct ceiling_row ceiling_rows[CEILING_COUNT] = {
    [CEILING_BYTES]    = { "document_bytes",  64 << 20, "Bytes in one document." },
    [CEILING_DEPTH]    = { "document_depth",       128, "Lists and maps inside each other." },
    [CEILING_VALUES]   = { "document_values",  1 << 20, "Values in one document, copies made by YAML aliases included." },
    [CEILING_TEXT]     = { "text_bytes",      16 << 20, "Bytes in one text value or key." },
    [CEILING_NUMBER]   = { "number_bytes",         400, "Characters in one number." },
    [CEILING_YAML_BYTES] = { "yaml_bytes",     4 << 20, "Bytes in one YAML document; JSON may be larger." },
    [CEILING_ANCHORS]  = { "yaml_anchors",         256, "Anchors in one YAML document." },
    [CEILING_QUERY]    = { "query_steps",    100000000, "Steps of work that one JSONPath query may take: about one for each value it looks at." },
    [CEILING_SCHEMA_STEPS] = { "schema_steps", 100000000, "Steps of one check of a document against a JSON Schema." },
    [CEILING_PROBLEMS] = { "problems",             200, "Problems listed for one document; the rest are counted." },
};
/* clang-format on */

struct ceilings ceilings_default(void)
{
    struct ceilings c = { .any_number = false };

    for (int i = 0; i < CEILING_COUNT; i++)
        c.v[i] = ceiling_rows[i].value;
    return c;
}

struct ceilings ceilings_answer(void)
{
    struct ceilings c = ceilings_default();

    c.any_number = true;
    return c;
}

struct ceilings ceilings_none(void)
{
    enum { DEPTH_MOST = 1024 };
    struct ceilings c = { .any_number = false };

    for (int i = 0; i < CEILING_COUNT; i++)
        c.v[i] = UINT32_MAX;
    c.v[CEILING_DEPTH] = DEPTH_MOST;
    return c;
}
