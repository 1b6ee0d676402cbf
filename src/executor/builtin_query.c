/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_query.c: json_select and schema_validate: what is in a document, and is it right. */
#include "base/doc_make.h"
#include "base/jsonpath.h"
#include "base/jsonschema.h"
#include "executor/builtin_run.h"

enum { PATH_CHARS = 4096 };

struct select_payload {
    struct str path;
    const struct doc *document;
};

static const char *const drafts[] = { "2020-12", "draft-07", NULL }; /* by enum schema_draft */

struct schema_payload {
    const struct doc *schema, *document;
    int draft;
    bool formats;
};

/* clang-format off */
#define AT(member) offsetof(struct select_payload, member)
static const struct field select_fields[] = {
    { "path",     F_TEXT, ONE, NEEDED, .at = AT(path), .min = 1, .max = PATH_CHARS, .help = "A JSONPath (RFC 9535), as in $.steps[?@.timeout_ms > 1000].id" },
    { "document", F_ANY,  ONE, NEEDED, .at = AT(document), .help = "The document it selects from." },
};
#undef AT

#define AT(member) offsetof(struct schema_payload, member)
static const struct field schema_fields[] = {
    { "schema",   F_ANY,    ONE, NEEDED,   .at = AT(schema), .help = "A JSON Schema; it refers to nothing outside of itself." },
    { "document", F_ANY,    ONE, NEEDED,   .at = AT(document), .help = "The document it is held against." },
    { "draft",    F_CHOICE, ONE, OPTIONAL, .at = AT(draft), .choices = drafts, .fallback = SCHEMA_2020_12, .help = "The draft of a schema that does not say $schema." },
    { "formats",  F_BOOL,   ONE, OPTIONAL, .at = AT(formats), .help = "true: format is checked, too." },
};
#undef AT
/* clang-format on */

const struct shape json_select_payload = { .name = "json_select payload",
                                           .size = sizeof(struct select_payload),
                                           FIELDS(select_fields),
                                           .code = CODE_EXECUTOR_EXCEPTION };
const struct shape schema_validate_payload = { .name = "schema_validate payload",
                                               .size = sizeof(struct schema_payload),
                                               FIELDS(schema_fields),
                                               .code = CODE_EXECUTOR_EXCEPTION };

/* Values are copied, not shared: a path can select one of them very often, and what is written out
 * in the end must be paid for. */
bool json_select_run(const struct doc *payload, struct work *work, struct arena *a,
                     const struct doc **output, struct error *e)
{
    struct doc *list = doc_root(a, DOC_LIST);
    struct select_payload p = { 0 };
    const struct jsonpath *path;
    struct nodes nodes = { 0 };

    if (!payload_read(&json_select_payload, payload, a, &p, e))
        return false;
    if (!work_do(work, WORK_VALUE * (uint32_t)p.path.n))
        return work_is_over(e);
    if (!jsonpath_read(p.path, a, &path, e))
        return error_wrap(e, "/path");
    if (!jsonpath_run(path, p.document, a, work, &nodes))
        return work_is_over(e);
    for (size_t i = 0; i < nodes.n; i++)
        if (!doc_copy(nodes.v[i], doc_add(a, list, (struct str){ 0 }), work, a))
            return work_is_over(e);
    *output = list;
    return true;
}

/* A value as a document of its own: its places then begin at itself. */
static bool detach(const struct doc *d, struct work *w, struct arena *a,
                   const struct document **out, struct error *e)
{
    struct doc *root = doc_root(a, DOC_NULL);

    if (!doc_copy(d, root, w, a))
        return work_is_over(e);
    *out = (const struct document *)root; /* the root comes first */
    return true;
}

/* The errors in the order they were found; the report has the last one first. */
static void add_problems(const struct problem *problem, struct doc *list, struct arena *a)
{
    const struct problem **found = NULL;
    size_t n = 0, room = 0;

    for (; problem; problem = problem->next) {
        found = arena_more(a, found, n, &room, sizeof *found);
        found[n++] = problem;
    }
    while (n-- > 0) {
        struct doc *map;

        if (found[n]->warning)
            continue;
        map = doc_add_kind(a, list, NULL, DOC_MAP);
        doc_add_text(a, map, "pointer", str_of(found[n]->pointer));
        doc_add_text(a, map, "message", str_of(found[n]->msg));
    }
}

static bool schema_refused(struct report *r, struct error *e)
{
    report_finish(r);
    return error_set(e, CODE_EXECUTOR_EXCEPTION, "/schema%s: %s", r->first ? r->first->pointer : "",
                     r->first ? r->first->msg : "cannot be read");
}

bool schema_validate_run(const struct doc *payload, struct work *work, struct arena *a,
                         const struct doc **output, struct error *e)
{
    struct schema_options options = { .code = CODE_VALIDATION_ERROR };
    struct report in_schema = report_new(a, "schema", (struct str){ 0 });
    struct report problems = report_new(a, "document", (struct str){ 0 });
    const struct document *schema = NULL, *document = NULL;
    const struct jsonschema *program;
    struct schema_payload p = { 0 };
    struct doc *map;
    bool valid;

    if (!payload_read(&schema_validate_payload, payload, a, &p, e) ||
        !detach(p.schema, work, a, &schema, e) || !detach(p.document, work, a, &document, e))
        return false;
    options.draft = (enum schema_draft)p.draft;
    options.formats = p.formats;
    if (!jsonschema_read(schema, &options, a, &program, &in_schema))
        return schema_refused(&in_schema, e);
    valid = jsonschema_check(program, &document->root, a, work, &problems);
    if (work->over)
        return work_is_over(e);
    map = doc_root(a, DOC_MAP);
    doc_add_bool(a, map, "valid", valid);
    add_problems(problems.first, doc_add_kind(a, map, "problems", DOC_LIST), a);
    *output = map;
    return true;
}
