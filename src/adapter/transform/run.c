/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: the transforms as a table: whether an adapter's can be done, and done in order. */
#include "adapter/transform.h"
#include "adapter/transform_parts.h"
#include "base/jsonpath.h"
#include "base/jsonschema.h"
#include "base/pointer.h"

enum { SAY = 256, NAMES_SAY = 200 };

/* ---- do they fit? ---- */

static void must_be(const struct doc *d, const char *must, struct report *r)
{
    _buf_ struct buf found = { .max = SAY };

    doc_say(d, &found);
    report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR, "%s, must be %s", buf_str(&found).s, must);
}

static bool place_fits(const struct doc *d, enum about about, struct str place, struct report *r)
{
    struct error e = { 0 };
    struct str *names;
    size_t n;

    if (place_read(place, r->a, &names, &n, &e))
        return true;
    report_add(r, about, d, CODE_VALIDATION_ERROR, "%s", e.msg);
    return false;
}

/* Each key of a map is a place. */
static bool places_fit(const struct doc *spec, const char *must, struct report *r)
{
    bool fit = spec->kind == DOC_MAP;

    if (!fit)
        must_be(spec, must, r);
    for (const struct doc *row = doc_first(spec, DOC_MAP); row; row = row->next)
        fit = place_fits(row, ABOUT_KEY, row->key, r) && fit;
    return fit;
}

static void rename_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    (void)adapter;
    if (!places_fit(spec, "a map such as {from: to}", r))
        return;
    for (const struct doc *row = spec->first; row; row = row->next) {
        if (row->kind != DOC_TEXT) {
            must_be(row, "the new name", r);
            continue;
        }
        if (!place_fits(row, ABOUT_VALUE, row->text, r))
            continue;
        for (const struct doc *c = spec->first; c != row; c = c->next)
            if (c->kind == DOC_TEXT && str_eq(c->text, row->text))
                report_add(r, ABOUT_VALUE, row, CODE_VALIDATION_ERROR,
                           "%s and %s cannot both be renamed to %s", said(c->key, r->a),
                           said(row->key, r->a), said(row->text, r->a));
    }
}

static void map_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    (void)adapter;
    if (!places_fit(spec, "a map such as {param: {value: other}}", r))
        return;
    for (const struct doc *row = spec->first; row; row = row->next)
        if (row->kind != DOC_MAP)
            must_be(row, "a map of values to what they become", r);
}

static void default_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    (void)adapter;
    (void)places_fit(spec, "a map such as {param: value}", r);
}

/* What is wrong in a schema, at its place in the adapter. */
static void schema_fits(const struct doc *schema, struct schema_series *series, struct report *r)
{
    _arena_ struct arena scratch = { 0 }; /* there may be thousands, and one is tried at a time */
    struct work w = { .left = ceiling_rows[CEILING_SCHEMA_STEPS].value };
    struct report found = report_new(&scratch, "", (struct str){ 0 });
    struct schema_options options = { .code = CODE_VALIDATION_ERROR, .series = series };
    struct doc *root = doc_root(&scratch, DOC_NULL);
    const struct jsonschema *program;

    if (!doc_copy(schema, root, &w, &scratch)) {
        must_be(schema, "a smaller schema", r);
        return;
    }
    if (jsonschema_read((const struct document *)root, &options, &scratch, &program, &found))
        return;
    report_finish(&found);
    for (const struct problem *p = found.first; p; p = p->next) {
        struct pointer pointer;
        const struct doc *at = NULL;
        struct error e;

        if (pointer_read(str_of(p->pointer), &scratch, &pointer, &e))
            at = pointer_find(&pointer, schema, &w);
        report_add(r, p->warning ? ABOUT_ODD : ABOUT_VALUE, at ? at : schema, CODE_VALIDATION_ERROR,
                   "%s", p->msg);
    }
}

/* json_schema means operations.<operation>.input; without one a map is all that is asked for. */
static void named_schema_fits(const struct adapter *adapter, const struct doc *spec,
                              struct report *r)
{
    struct items operations = { 0 };
    const struct str *names;
    _buf_ struct buf without = { .max = NAMES_SAY };
    size_t missing = 0;

    if (!adapter)
        return; /* who its operations are is not known */
    operations = adapter_operations(adapter, r->a);
    names = operations.v;
    for (size_t i = 0; i < operations.n; i++) {
        struct operation_doc o = operation_of(adapter->tree, names[i], r->a);

        if (!o.input && missing++ < 3)
            buf_addf(&without, "%s%s", missing > 1 ? ", " : "", said(names[i], r->a));
    }
    if (missing || operations.n == 0)
        report_add(r, ABOUT_ODD, spec, CODE_SCHEMA_MISSING,
                   "there is no operations.<operation>.input%s%s%s: its parameters only have to be "
                   "a map",
                   missing ? " for " : "", buf_str(&without).s, missing > 3 ? ", .." : "");
}

static void validate_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    if (spec->kind == DOC_MAP || spec->kind == DOC_BOOL)
        schema_fits(spec, NULL, r);
    else if (spec->kind == DOC_TEXT && str_is(spec->text, "json_schema"))
        named_schema_fits(adapter, spec, r);
    else
        must_be(spec, "json_schema, or a JSON Schema", r);
}

static void parse_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    const struct way *way;
    const void *options;

    (void)adapter;
    (void)way_read(&parsers, spec, r, &way, &options);
}

static void format_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    const struct way *way;
    const void *options;

    (void)adapter;
    (void)way_read(&formats, spec, r, &way, &options);
}

static void extract_fits(const struct adapter *adapter, const struct doc *spec, struct report *r)
{
    const struct jsonpath *path;
    struct pointer pointer;
    struct error e = { 0 };
    bool fits;

    (void)adapter;
    if (spec->kind != DOC_TEXT || !spec->text.n || !is_one_of(spec->text.s[0], "$/")) {
        must_be(spec, "a JSONPath such as $.data, or a JSON Pointer such as /data", r);
        return;
    }
    fits = spec->text.s[0] == '$' ? jsonpath_read(spec->text, r->a, &path, &e)
                                  : pointer_read(spec->text, r->a, &pointer, &e);
    if (!fits)
        report_add(r, ABOUT_VALUE, spec, CODE_VALIDATION_ERROR, "%s", e.msg);
}

/* ---- the table ---- */

enum { INPUTS = INPUT_VALIDATE + 1, OUTPUTS = OUTPUT_FORMAT + 1 };

/* clang-format off */
static const struct change changes[INPUTS + OUTPUTS] = {
    [INPUT_RENAME]             = { "rename",   "input",  "{from: to, ..}",                   "A parameter gets another name; names or JSON Pointers. One that is given by both names is refused.", rename_fits, .input = change_rename },
    [INPUT_MAP]                = { "map",      "input",  "{param: {value: other, \"*\": any other}}", "A value becomes another; of a list each item. Without \"*\" others stay as they are.", map_fits, .input = change_map },
    [INPUT_DEFAULT]            = { "default",  "input",  "{param: value, ..}",               "What was left out.", default_fits, .input = change_default },
    [INPUT_VALIDATE]           = { "validate", "input",  "a JSON Schema, or json_schema",    "The parameters must fit; json_schema is that of operations.<operation>.input.", validate_fits, .input = change_validate },
    [INPUTS + OUTPUT_PARSE]    = { "parse",    "output", "see writ explain parsers",         "Text becomes a document.", parse_fits, .output = change_parse },
    [INPUTS + OUTPUT_EXTRACT]  = { "extract",  "output", "$.path or /pointer",               "A part of the document: the value, or a list where the path can select many.", extract_fits, .output = change_extract },
    [INPUTS + OUTPUT_FORMAT]   = { "format",   "output", "see writ explain formats",         "The document becomes text.", format_fits, .output = change_format },
};

static const struct column change_columns[] = {
    { "type",    COLUMN_TEXT, offsetof(struct change, name) },
    { "side",    COLUMN_TEXT, offsetof(struct change, side) },
    { "spec",    COLUMN_TEXT, offsetof(struct change, spec) },
    { "meaning", COLUMN_TEXT, offsetof(struct change, about) },
};
/* clang-format on */

const struct table transforms_table = {
    .name = "transforms",
    .about = "What an adapter can do to parameters, and to what comes back, in order.",
    COLUMNS(change_columns),
    .keys = 1,
    ROWS(changes),
};

static void list_fits(const struct adapter *adapter, struct items list, const struct change *rows,
                      size_t row_count, struct report *r)
{
    const struct transform *all = list.v;

    for (size_t i = 0; i < list.n; i++) {
        if (!all[i].spec || all[i].type < 0 || (size_t)all[i].type >= row_count)
            continue; /* the shape has said so */
        if (i >= TRANSFORMS_MOST) {
            report_add(r, ABOUT_VALUE, all[i].spec, CODE_VALIDATION_ERROR,
                       "%zu transforms, allowed are %d", list.n, TRANSFORMS_MOST);
            return; /* there may be thousands, each a schema */
        }
        rows[all[i].type].fits(adapter, all[i].spec, r);
    }
}

/* Whether anything is held to them or not: somebody reads them. */
static void schemas_fit(const struct doc *tree, struct report *r)
{
    const struct doc *o = doc_first(doc_get(tree, "operations"), DOC_MAP);
    _arena_ struct arena shared = { 0 };
    struct schema_series series = { .a = &shared, .work = { .left = SCHEMA_SERIES_STEPS } };

    for (; o && !series.work.over; o = o->next) {
        const struct doc *input = doc_get(o, "input"), *output = doc_get(o, "output");

        if (input && input->kind == DOC_MAP)
            schema_fits(input, &series, r);
        if (output && output->kind == DOC_MAP)
            schema_fits(output, &series, r);
    }
}

void transforms_fit(const struct adapter *adapter, struct report *r)
{
    const struct adapter_transforms *t = adapter->doc.transforms;

    if (!t)
        return;
    schemas_fit(adapter->tree, r);
    list_fits(adapter, t->input, changes, INPUTS, r);
    list_fits(adapter, t->output, changes + INPUTS, OUTPUTS, r);
}

void transforms_fit_alone(const struct doc *tree, const struct adapter_transforms *t,
                          struct report *r)
{
    schemas_fit(tree, r);
    if (!t)
        return;
    list_fits(NULL, t->input, changes, INPUTS, r);
    list_fits(NULL, t->output, changes + INPUTS, OUTPUTS, r);
}

/* ---- they are done ---- */

/* Says which transform failed, where the error has no place of its own. */
static bool failed(const struct transform *t, const char *name, struct error *e)
{
    _buf_ struct buf pointer = { .max = ERROR_PTR - 1 };

    if (e->code == CODE_PARAMETER_REFUSED)
        return false;
    e->code = CODE_TRANSFORM_FAILED;
    e->at = (struct at){ 0 };
    doc_pointer(t->spec, &pointer);
    memcpy(e->at.ptr, buf_str(&pointer).s, pointer.len + 1);
    return error_wrap(e, "%s", name);
}

static bool few_enough(struct items list, struct error *e)
{
    return list.n <= TRANSFORMS_MOST ||
           error_set(e, CODE_TRANSFORM_FAILED, "%zu transforms, allowed are %d", list.n,
                     TRANSFORMS_MOST);
}

bool transform_input(const struct adapter *adapter, struct str operation, const struct doc *params,
                     struct arena *a, const struct doc **out, struct error *e)
{
    const struct adapter_transforms *t = adapter->doc.transforms;
    const struct transform *all = t ? t->input.v : NULL;
    struct work w = { .left = ceiling_rows[CEILING_QUERY].value };
    struct making m = { a, &w, e, NULL };
    struct doc *own;
    const struct doc *schema;

    if (params->kind != DOC_MAP)
        return error_set(e, CODE_PARAMETER_REFUSED, "the parameters must be a map");
    if (!t || t->input.n == 0) {
        *out = params;
        return true;
    }
    own = doc_root(a, DOC_NULL);
    if (!few_enough(t->input, e))
        return false;
    if (!doc_copy(params, own, &w, a))
        return making_over(&m);
    schema = operation_of(adapter->tree, operation, a).input;
    for (size_t i = 0; i < t->input.n; i++)
        if (!changes[all[i].type].input(&m, all[i].spec, schema, own))
            return failed(&all[i], changes[all[i].type].name, e);
    *out = own;
    return true;
}

bool transform_output(const struct adapter *adapter, const struct value *raw, struct arena *a,
                      struct value *out, struct error *e)
{
    const struct adapter_transforms *t = adapter->doc.transforms;
    const struct transform *all = t ? t->output.v : NULL;
    struct work w = { .left = ceiling_rows[CEILING_QUERY].value };
    struct making m = { a, &w, e, NULL };
    struct value value = *raw;

    if (t && !few_enough(t->output, e))
        return false;
    for (size_t i = 0; t && i < t->output.n; i++) {
        const struct change *row = &changes[INPUTS + all[i].type];

        w = (struct work){ .left = ceiling_rows[CEILING_QUERY].value };
        if (!row->output(&m, all[i].spec, &value))
            return failed(&all[i], row->name, e);
    }
    *out = value;
    return true;
}
