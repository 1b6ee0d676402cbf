/* SPDX-License-Identifier: Apache-2.0 */
/* loaded.h: an adapter with transforms, loaded from a text, and what they make of something. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapter/transform.h"
#include "base/json_write.h"
#include "base/yaml.h"

struct loaded {
    struct arena a;
    struct adapter adapter;
    struct report report; /* of transforms_fit() */
    struct error e;
};

static inline void loaded_free(struct loaded *l)
{
    arena_free(&l->a);
}
#define _loaded_ _cleanup_(loaded_free)

static inline const struct doc *read_text(struct arena *a, const char *text)
{
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e = { 0 };

    if (!yaml_read("adapter.yaml", str_of(text), &max, a, &d, &e))
        fail_msg("%d:%d: %s", e.at.line, e.at.col, e.msg);
    return &d->root;
}

/* `more`: `transforms:` and what else an adapter may have, as YAML. */
static inline void load(struct loaded *l, const char *more)
{
    const char *text =
        arena_printf(&l->a,
                     "adapter_id: ADP-900\n"
                     "name: test\n"
                     "version: \"1.0.0\"\n"
                     "tool_id: TL-900\n"
                     "type: api\n"
                     "interface:\n"
                     "  api:\n"
                     "    base_url: \"https://api.example.com/v1\"\n"
                     "    auth_method: none\n"
                     "    headers: {}\n"
                     "    endpoint_mapping: {get: \"GET /r/{id}\", put: \"PUT /r\"}\n"
                     "metadata:\n"
                     "  author: Test\n"
                     "  created: \"2026-01-16\"\n"
                     "  updated: \"2026-01-16\"\n"
                     "  status: active\n"
                     "%s\n",
                     more);
    struct report r = report_new(&l->a, "adapter.yaml", str_of(text));

    l->adapter.tree = read_text(&l->a, text);
    if (!shape_decode(&adapter_shape, l->adapter.tree, &r, &l->adapter.doc))
        fail_msg("%s: %s", r.first->pointer, r.first->msg);
    l->report = report_new(&l->a, "adapter.yaml", str_of(text));
    transforms_fit(&l->adapter, &l->report);
    report_finish(&l->report);
}

/* The one problem of transforms_fit(). */
static inline void check_problem(const char *more, const char *pointer, const char *msg)
{
    _loaded_ struct loaded l = { 0 };

    load(&l, more);
    if (!l.report.first)
        fail_msg("nothing is wrong with %s", more);
    assert_string_equal(l.report.first->msg, msg);
    assert_string_equal(l.report.first->pointer, pointer);
    assert_true(l.report.first->line > 0);
}

static inline void check_fits(const struct loaded *l)
{
    if (l->report.errors)
        fail_msg("%s: %s", l->report.first->pointer, l->report.first->msg);
}

static inline char *json_of(struct arena *a, const struct doc *d)
{
    _buf_ struct buf b = { .max = 1 << 26 };

    json_doc(&b, d);
    return arena_text(a, buf_str(&b));
}

/* One transform of output, as YAML flow: "{type: parse, spec: csv}". What it makes of a text, as
 * JSON; of bytes, the bytes. NULL: it failed, with l->e. */
static inline const char *output_of(struct loaded *l, const char *transforms, struct str text)
{
    struct value raw = { .bytes = text }, out = { 0 };

    load(l, arena_printf(&l->a, "transforms: {output: [%s]}", transforms));
    check_fits(l);
    l->e = (struct error){ 0 };
    if (!transform_output(&l->adapter, &raw, &l->a, &out, &l->e))
        return NULL;
    return out.doc ? json_of(&l->a, out.doc) : arena_text(&l->a, out.bytes);
}

static inline void check_output(const char *transforms, const char *text, const char *json)
{
    _loaded_ struct loaded l = { 0 };
    const char *made = output_of(&l, transforms, str_of(text));

    if (!made)
        fail_msg("%s", l.e.msg);
    assert_string_equal(made, json);
}

static inline void check_output_fails(const char *transforms, struct str text, const char *msg)
{
    _loaded_ struct loaded l = { 0 };
    const char *made = output_of(&l, transforms, text);

    if (made)
        fail_msg("gave %s", made);
    assert_string_equal(l.e.msg, msg);
    assert_int_equal(l.e.code, CODE_TRANSFORM_FAILED);
}

static inline const char *input_of(struct loaded *l, const char *more, const char *params)
{
    const struct doc *out;

    load(l, more);
    check_fits(l);
    l->e = (struct error){ 0 };
    if (!transform_input(&l->adapter, str_of("get"), read_text(&l->a, params), &l->a, &out, &l->e))
        return NULL;
    return json_of(&l->a, out);
}

static inline void check_input(const char *more, const char *params, const char *json)
{
    _loaded_ struct loaded l = { 0 };
    const char *made = input_of(&l, more, params);

    if (!made)
        fail_msg("%s", l.e.msg);
    assert_string_equal(made, json);
}

static inline void check_input_fails(const char *more, const char *params, const char *pointer,
                                     const char *msg)
{
    _loaded_ struct loaded l = { 0 };
    const char *made = input_of(&l, more, params);

    if (made)
        fail_msg("gave %s", made);
    assert_string_equal(l.e.msg, msg);
    assert_string_equal(l.e.at.ptr, pointer);
    assert_int_equal(l.e.code, CODE_PARAMETER_REFUSED);
}
