/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_json.c: json_diff, json_merge and json_patch: documents into other documents. */
#include "base/json_diff.h"
#include "base/json_merge.h"
#include "base/json_patch.h"
#include "executor/builtin_run.h"

struct two {
    const struct doc *first, *second;
};

struct patch_payload {
    const struct doc *document;
    struct items patch; /* of const struct doc *: the list is read once more by json_patch() */
};

/* clang-format off */
#define AT(member) offsetof(struct two, member)
static const struct field diff_fields[] = {
    { "before", F_ANY, ONE, NEEDED, .at = AT(first),  .help = "The document as it was." },
    { "after",  F_ANY, ONE, NEEDED, .at = AT(second), .help = "The document as it is to be." },
};

static const struct field merge_fields[] = {
    { "target", F_ANY, ONE, NEEDED, .at = AT(first),  .help = "The document." },
    { "patch",  F_ANY, ONE, NEEDED, .at = AT(second), .help = "What changes in it: null takes a member away, maps are merged, all else takes the place of what was there." },
};
#undef AT

#define AT(member) offsetof(struct patch_payload, member)
static const struct field patch_fields[] = {
    { "document", F_ANY, ONE,  NEEDED, .at = AT(document), .help = "The document." },
    { "patch",    F_MAP, LIST, NEEDED, .at = AT(patch),    .help = "Operations in order, as {\"op\":\"replace\",\"path\":\"/a/0\",\"value\":1}: add, remove, replace, move, copy, test." },
};
#undef AT
/* clang-format on */

const struct shape json_diff_payload = { .name = "json_diff payload",
                                         .size = sizeof(struct two),
                                         FIELDS(diff_fields),
                                         .code = CODE_EXECUTOR_EXCEPTION };
const struct shape json_merge_payload = { .name = "json_merge payload",
                                          .size = sizeof(struct two),
                                          FIELDS(merge_fields),
                                          .code = CODE_EXECUTOR_EXCEPTION };
const struct shape json_patch_payload = { .name = "json_patch payload",
                                          .size = sizeof(struct patch_payload),
                                          FIELDS(patch_fields),
                                          .code = CODE_EXECUTOR_EXCEPTION };

bool json_diff_run(const struct doc *payload, struct work *work, struct arena *a,
                   const struct doc **output, struct error *e)
{
    struct two p = { 0 };

    return payload_read(&json_diff_payload, payload, a, &p, e) &&
           (json_diff(p.first, p.second, work, a, output) || work_is_over(e));
}

bool json_merge_run(const struct doc *payload, struct work *work, struct arena *a,
                    const struct doc **output, struct error *e)
{
    struct two p = { 0 };

    return payload_read(&json_merge_payload, payload, a, &p, e) &&
           (json_merge(p.first, p.second, work, a, output) || work_is_over(e));
}

bool json_patch_run(const struct doc *payload, struct work *work, struct arena *a,
                    const struct doc **output, struct error *e)
{
    struct patch_payload p = { 0 };

    return payload_read(&json_patch_payload, payload, a, &p, e) &&
           json_patch(p.document, doc_get(payload, "patch"), work, a, output, e);
}
