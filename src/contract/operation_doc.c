/* SPDX-License-Identifier: Apache-2.0 */
/* operation_doc.c: the shape of what an adapter says about one of its operations. */
#include "contract/operation_doc.h"

static const char *const parameter_places[] = { "path", "query", "header", "cookie", "body", NULL };
static const char *const effect_names[] = { "unknown", "read", "write", NULL };

/* clang-format off */
#define AT(member) offsetof(struct parameter_doc, member)
static const struct field parameter_fields[] = {
    { "in",   F_CHOICE, ONE, NEEDED,   .at = AT(in), .choices = parameter_places, .level = L2, .req = "R-001-093", .help = "Where it goes in the request." },
    { "name", F_TEXT,   ONE, OPTIONAL, .at = AT(name), .min = 1,                  .level = L2, .req = "R-001-093", .help = "Its name there; the parameter's own when left out." },
};
#undef AT

const struct shape parameter_shape = { .name = "parameter", .size = sizeof(struct parameter_doc), FIELDS(parameter_fields), .code = CODE_VALIDATION_ERROR };
/* clang-format on */

static void parameters_fit(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "parameters"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next) {
        struct parameter_doc one = { 0 };

        (void)shape_decode(&parameter_shape, c, r, &one);
    }
}

/* clang-format off */
#define AT(member) offsetof(struct operation_doc, member)
static const struct field operation_fields[] = {
    { "about",      F_TEXT,   ONE,  OPTIONAL, .at = AT(about), .min = 1,                                                    .level = L2, .req = "R-001-139", .help = "What it does, in a sentence." },
    { "input",      F_MAP,    ONE,  OPTIONAL, .at = AT(input),                                                              .level = L2, .req = "R-001-104", .help = "A JSON Schema of its parameters; the transform `validate: json_schema` holds them to it." },
    { "output",     F_MAP,    ONE,  OPTIONAL, .at = AT(output),                                                             .level = L2, .req = "R-001-105", .help = "A JSON Schema of what it gives." },
    { "args",       F_TEXT,   LIST, OPTIONAL, .at = AT(args),                                                               .level = L2, .req = "R-001-087", .help = "Of cli: arguments that follow base_args." },
    { "takes",      F_TEXT,   LIST, OPTIONAL, .at = AT(takes), .min = 1,                                                    .level = L2, .req = "R-001-088", .help = "Of cli: the parameters it takes; all of arg_mapping when left out." },
    { "parameters", F_MAP,    ONE,  OPTIONAL, .at = AT(parameters), .sub = &parameter_shape,                                .level = L2, .req = "R-001-093", .help = "Of api: where each parameter goes, {in, name}; by the path and the method when left out." },
    { "body",       F_TEXT,   ONE,  OPTIONAL, .at = AT(body), .min = 1,                                                     .level = L2, .req = "R-001-093", .help = "Of api: the parameter that is the whole body." },
    { "content_type", F_TEXT, ONE,  OPTIONAL, .at = AT(content_type), .min = 1, .max = 200,                                 .level = L2, .req = "R-001-092", .help = "Of api: the Content-Type of its body; that of the headers, or application/json, when left out." },
    { "digest",     F_TEXT,   ONE,  OPTIONAL, .at = AT(digest), .form = FORM_DIGEST,                                        .level = L2, .req = "R-001-100", .help = "Of mcp: the digest of the tool's definition; another one is refused." },
    { "deterministic", F_BOOL,  ONE,  OPTIONAL, .at = AT(deterministic),                                                      .level = L2, .req = "R-001-150", .help = "True: it draws no chance and reads no clock, so that results may be remembered." },
    { "idempotent", F_BOOL,   ONE,  OPTIONAL, .at = AT(idempotent),                                                         .level = L2, .req = "R-001-131", .help = "Of api and mcp: true: done twice it is as if done once, so that it may be tried again." },
    { "effect",     F_CHOICE, ONE,  OPTIONAL, .at = AT(effect), .choices = effect_names, .fallback = EFFECT_UNKNOWN,        .level = L2, .req = "R-001-109", .help = "read changes nothing, so that it may be tried again; write does." },
};
#undef AT

static const struct rule operation_rules[] = {
    { "R-001-093", "A parameter of an api has a place.", parameters_fit },
};

const struct shape operation_shape = { .name = "operation", .size = sizeof(struct operation_doc), FIELDS(operation_fields), RULES(operation_rules), .code = CODE_VALIDATION_ERROR };
/* clang-format on */

void operations_fit(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *c = doc_first(doc_get(d, "operations"), DOC_MAP);

    (void)decoded;
    for (; c; c = c->next) {
        struct operation_doc one = { 0 };

        (void)shape_decode(&operation_shape, c, r, &one);
    }
}

/* A member of a map by a name that has its length. */
static const struct doc *member(const struct doc *map, struct str name)
{
    for (const struct doc *c = doc_first(map, DOC_MAP); c; c = c->next)
        if (str_eq(c->key, name))
            return c;
    return NULL;
}

struct operation_doc operation_of(const struct doc *adapter, struct str operation, struct arena *a)
{
    const struct doc *d = member(doc_get(adapter, "operations"), operation);
    struct report ignored = report_new(a, "", (struct str){ 0 });
    struct operation_doc out = { 0 };

    if (d)
        (void)shape_decode(&operation_shape, d, &ignored, &out);
    return out;
}

bool operation_parameter(const struct operation_doc *operation, struct str name, struct arena *a,
                         struct parameter_doc *out)
{
    const struct doc *d = member(operation->parameters, name);
    struct report ignored = report_new(a, "", (struct str){ 0 });

    *out = (struct parameter_doc){ 0 };
    return d && shape_decode(&parameter_shape, d, &ignored, out);
}
