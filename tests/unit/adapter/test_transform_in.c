/* SPDX-License-Identifier: Apache-2.0 */
/* test_transform_in.c: what is done to parameters before a call (contract 001). */
#include <malloc.h>

#include "base/yaml.h"
#include "unit/adapter/loaded.h"

#define RENAME(spec)  "transforms: {input: [{type: rename, spec: " spec "}]}"
#define MAP(spec)     "transforms: {input: [{type: map, spec: " spec "}]}"
#define DEFAULT(spec) "transforms: {input: [{type: default, spec: " spec "}]}"
#define VALID(spec)   "transforms: {input: [{type: validate, spec: " spec "}]}"

/* ---- rename ---- */

static void R_001_101_a_parameter_gets_another_name(void **state)
{
    (void)state;
    check_input(RENAME("{q: pattern, n: count}"), "{q: x, path: /a, n: 3}",
                "{\"path\":\"/a\",\"pattern\":\"x\",\"count\":3}");
    check_input(RENAME("{q: pattern}"), "{path: /a}", "{\"path\":\"/a\"}");
    check_input(RENAME("{}"), "{a: 1}", "{\"a\":1}");
}

static void R_001_101_two_names_can_change_places(void **state)
{
    (void)state;
    check_input(RENAME("{a: b, b: a}"), "{a: 1, b: 2}", "{\"b\":1,\"a\":2}");
    check_input(RENAME("{a: b, b: c}"), "{a: 1, b: 2}", "{\"b\":1,\"c\":2}");
}

static void R_001_101_a_name_can_be_a_pointer(void **state)
{
    (void)state;
    check_input(RENAME("{/filter/name: name, size: /filter/limit/size}"),
                "{filter: {name: x, all: true}, size: 5}",
                "{\"filter\":{\"all\":true,\"limit\":{\"size\":5}},\"name\":\"x\"}");
    check_input(RENAME("{/a~1b: c, /x/0/y: z}"), "{a/b: 1, x: [{y: 2}]}",
                "{\"x\":[{}],\"c\":1,\"z\":2}");
}

static void R_001_101_a_map_that_nothing_is_left_of_goes_too(void **state)
{
    (void)state;
    check_input(RENAME("{/o/deep: opt}"), "{a: 1, o: {deep: x}, b: 2}",
                "{\"a\":1,\"b\":2,\"opt\":\"x\"}");
    check_input(RENAME("{/o/p/deep: opt, /o/p/other: more}"), "{o: {p: {deep: x, other: y}}}",
                "{\"opt\":\"x\",\"more\":\"y\"}");
    check_input(RENAME("{/o/a: /o/b}"), "{o: {a: 1}}", "{\"o\":{\"b\":1}}");
    check_input(RENAME("{/o/a: b, /p/a: c}"), "{o: {a: 1}, p: {}}", "{\"p\":{},\"b\":1}");
    /* Its name is free then, also for what was in it. */
    check_input(RENAME("{/a/b: a}"), "{a: {b: 1}}", "{\"a\":1}");
    check_input(RENAME("{/a/b/c: a}"), "{a: {b: {c: 1}}, d: 2}", "{\"d\":2,\"a\":1}");
}

static void R_001_101_a_parameter_is_not_renamed_over_another(void **state)
{
    (void)state;
    check_input_fails(RENAME("{q: pattern}"), "{q: x, pattern: y}", "/pattern",
                      "'pattern': /pattern is 'y', and 'q' would be renamed to it");
    check_input_fails(RENAME("{q: /a/b}"), "{q: x, a: 5}", "/a", "'/a/b': /a is 5, must be a map");
    check_input_fails(RENAME("{q: /a/b/c}"), "{q: x, a: [1]}", "/a",
                      "'/a/b/c': /a is a list of 1, and has nothing of that name");
}

static void R_001_101_what_cannot_be_renamed_is_found_early(void **state)
{
    (void)state;
    check_problem(RENAME("[q]"), "/transforms/input/0/spec",
                  "a list of 1, must be a map such as {from: to}");
    check_problem(RENAME("{a: c, b: c}"), "/transforms/input/0/spec/b",
                  "'a' and 'b' cannot both be renamed to 'c'");
    check_problem(RENAME("{a: 1}"), "/transforms/input/0/spec/a", "1, must be the new name");
    check_problem(RENAME("{a: ''}"), "/transforms/input/0/spec/a", "a name without characters");
    check_problem(RENAME("{/a~2: b}"), "/transforms/input/0/spec/~1a~02",
                  "'/a~2' is no JSON pointer: '~' must be '~0' or '~1'");
}

/* ---- map ---- */

static void R_001_102_a_value_becomes_another(void **state)
{
    (void)state;
    check_input(MAP("{sort: {newest: desc, oldest: asc}}"), "{sort: newest}",
                "{\"sort\":\"desc\"}");
    check_input(MAP("{sort: {newest: desc}}"), "{sort: other, a: newest}",
                "{\"sort\":\"other\",\"a\":\"newest\"}");
    check_input(MAP("{sort: {newest: desc, '*': none}}"), "{sort: other}", "{\"sort\":\"none\"}");
    check_input(MAP("{sort: {newest: desc}}"), "{a: 1}", "{\"a\":1}");
}

static void R_001_102_numbers_truths_and_null_are_mapped_by_their_words(void **state)
{
    (void)state;
    check_input(MAP("{a: {'1': one, 'true': 'on', 'null': [], '1.5': {b: 2}}}"), "{a: 1}",
                "{\"a\":\"one\"}");
    check_input(MAP("{a: {'true': 'on'}}"), "{a: true}", "{\"a\":\"on\"}");
    check_input(MAP("{a: {'null': [1]}}"), "{a: null}", "{\"a\":[1]}");
    check_input(MAP("{a: {'1.5': {b: 2}}}"), "{a: 1.5}", "{\"a\":{\"b\":2}}");
}

static void R_001_102_each_item_of_a_list_is_mapped(void **state)
{
    (void)state;
    check_input(MAP("{/f/types: {py: python, '*': other}}"), "{f: {types: [py, c, [1]]}}",
                "{\"f\":{\"types\":[\"python\",\"other\",\"other\"]}}");
    check_input(MAP("{a: {'': empty}}"), "{a: ['', null]}", "{\"a\":[\"empty\",null]}");
}

/* Each value once: what one became is not what was given. */
static void R_001_102_what_a_value_became_is_not_mapped_again(void **state)
{
    (void)state;
    check_input(MAP("{a: {all: [read, write], '*': none}}"), "{a: all}",
                "{\"a\":[\"read\",\"write\"]}");
    check_input(MAP("{a: {x: [x, y], y: z}}"), "{a: x}", "{\"a\":[\"x\",\"y\"]}");
    check_input(MAP("{a: {x: [x, y], y: z}}"), "{a: [x, y]}", "{\"a\":[[\"x\",\"y\"],\"z\"]}");
}

static void R_001_102_what_cannot_be_mapped_is_found_early(void **state)
{
    (void)state;
    check_problem(MAP("text"), "/transforms/input/0/spec",
                  "'text', must be a map such as {param: {value: other}}");
    check_problem(MAP("{a: [1]}"), "/transforms/input/0/spec/a",
                  "a list of 1, must be a map of values to what they become");
}

/* ---- default ---- */

static void R_001_103_what_was_left_out_has_a_default(void **state)
{
    (void)state;
    check_input(DEFAULT("{limit: 10, /page/size: [1, {a: 2}]}"), "{limit: 5}",
                "{\"limit\":5,\"page\":{\"size\":[1,{\"a\":2}]}}");
    check_input(DEFAULT("{limit: 10}"), "{}", "{\"limit\":10}");
}

static void R_001_103_null_was_not_left_out(void **state)
{
    (void)state;
    check_input(DEFAULT("{limit: 10}"), "{limit: null}", "{\"limit\":null}");
    check_input(DEFAULT("{limit: null}"), "{}", "{\"limit\":null}");
}

static void R_001_103_a_default_has_a_place(void **state)
{
    (void)state;
    check_input_fails(DEFAULT("{/a/b: 1}"), "{a: text}", "/a",
                      "'/a/b': /a is 'text', must be a map");
    check_problem(DEFAULT("[1]"), "/transforms/input/0/spec",
                  "a list of 1, must be a map such as {param: value}");
}

/* ---- validate ---- */

static void R_001_104_input_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    check_input(VALID("{type: object, required: [id], properties: {id: {type: integer}}}"),
                "{id: 5}", "{\"id\":5}");
    check_input_fails(VALID("{properties: {id: {type: integer}}}"), "{id: five}", "/id",
                      "'id' must be a whole number, this is 'five'");
    check_input_fails(VALID("{required: [id, name]}"), "{a: 1}", "",
                      "the document needs 'id' (and 1 more)");
    check_input_fails(VALID("false"), "{}", "", "nothing is allowed here");
}

static void R_001_104_json_schema_is_that_of_the_operation(void **state)
{
    static const char more[] =
        "transforms: {input: [{type: validate, spec: json_schema}]}\n"
        "operations: {get: {input: {properties: {id: {type: integer, maximum: 9}}}},\n"
        "             put: {input: {}}}";

    (void)state;
    check_input(more, "{id: 9}", "{\"id\":9}");
    check_input_fails(more, "{id: 10}", "/id", "'id' must be at most 9, this is 10");
}

static void R_001_104_a_schema_of_draft_07_says_so(void **state)
{
    (void)state;
    check_input_fails(VALID("{$schema: 'http://json-schema.org/draft-07/schema#', "
                            "properties: {a: {items: [{type: string}]}}}"),
                      "{a: [1]}", "/a/0", "item 0 must be a text, this is 1");
}

static void R_001_104_without_a_schema_there_is_a_warning_and_all_maps_fit(void **state)
{
    _loaded_ struct loaded l = { 0 };

    (void)state;
    load(&l, "transforms: {input: [{type: validate, spec: json_schema}]}");
    assert_int_equal(l.report.errors, 0);
    assert_int_equal(l.report.warnings, 1);
    assert_int_equal(l.report.first->code, CODE_SCHEMA_MISSING);
    assert_string_equal(l.report.first->msg,
                        "there is no operations.<operation>.input for 'get', 'put': its parameters "
                        "only have to be a map");
    check_input("transforms: {input: [{type: validate, spec: json_schema}]}", "{any: 1}",
                "{\"any\":1}");
}

static void R_001_104_a_schema_that_is_none_is_found_early(void **state)
{
    (void)state;
    check_problem(VALID("json_shema"), "/transforms/input/0/spec",
                  "'json_shema', must be json_schema, or a JSON Schema");
    check_problem(
        VALID("{properties: {id: {type: whole}}}"), "/transforms/input/0/spec/properties/id/type",
        "'type' must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', "
        "'string', this is 'whole' (the nearest that anyOf allows)");
}

/* ---- all of them ---- */

static void R_001_108_transforms_are_done_in_the_order_of_the_list(void **state)
{
    (void)state;
    check_input(
        "transforms: {input: [{type: rename, spec: {a: b}}, {type: default, spec: {a: 1}}]}",
        "{a: 5}", "{\"b\":5,\"a\":1}");
    check_input(
        "transforms: {input: [{type: default, spec: {a: 1}}, {type: rename, spec: {a: b}}]}", "{}",
        "{\"b\":1}");
    check_input(
        "transforms: {input: [{type: map, spec: {a: {x: y}}}, {type: map, spec: {a: {y: z}}}"
        ", {type: map, spec: {a: {x: w}}}]}",
        "{a: x}", "{\"a\":\"z\"}");
    check_input_fails("transforms: {input: [{type: validate, spec: {maxProperties: 0}},"
                      " {type: default, spec: {a: 1}}]}",
                      "{b: 1}", "", "the document must have at most 0 members, this has 1");
    check_input("transforms: {input: [{type: validate, spec: {maxProperties: 0}},"
                " {type: default, spec: {a: 1}}]}",
                "{}", "{\"a\":1}");
}

static void parameters_are_a_map_and_are_left_alone(void **state)
{
    _loaded_ struct loaded l = { 0 };
    const struct doc *params, *out;

    (void)state;
    load(&l, RENAME("{a: b}"));
    params = read_text(&l.a, "{a: 1}");
    assert_true(transform_input(&l.adapter, str_of("get"), params, &l.a, &out, &l.e));
    assert_string_equal(json_of(&l.a, params), "{\"a\":1}");
    params = read_text(&l.a, "[1]");
    assert_false(transform_input(&l.adapter, str_of("get"), params, &l.a, &out, &l.e));
    assert_string_equal(l.e.msg, "the parameters must be a map");
}

static void what_is_made_cannot_become_too_deep(void **state)
{
    _buf_ struct buf spec = { .max = 4096 };

    (void)state;
    buf_adds(&spec, "transforms: {input: [{type: default, spec: {");
    for (int i = 0; i < 33; i++)
        buf_adds(&spec, "/a");
    buf_adds(&spec, ": 1}}]}");
    check_problem(spec.s,
                  "/transforms/input/0/spec/~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a"
                  "~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a~1a",
                  "'/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a…' has 33 names, allowed are 32");
    buf_reset(&spec);
    buf_adds(&spec, "transforms: {input: [");
    for (int i = 0; i < 33; i++)
        buf_addf(&spec, "%s{type: default, spec: {a: 1}}", i ? ", " : "");
    buf_adds(&spec, "]}");
    check_problem(spec.s, "/transforms/input/32/spec", "33 transforms, allowed are 32");
}

/* One at a time is tried, and what it took given back: 100 MB where it was kept. */
static void the_schemas_of_many_operations_take_the_room_of_one(void **state)
{
    enum { ROOM = 32 << 20 };
    static struct adapter_transforms none;
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };
    struct adapter adapter = { .doc = { .transforms = &none } };
    struct report r = report_new(&a, "", (struct str){ 0 });
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;
    size_t before;

    (void)state;
    buf_adds(&text, "operations:\n  a: {input: &i {properties: {p: {pattern: &p \"");
    for (int i = 0; i < 500; i++)
        buf_adds(&text, "(a|b)*");
    buf_adds(&text, "\"}");
    for (int i = 0; i < 100; i++)
        buf_addf(&text, ", p%d: {pattern: *p}", i);
    buf_adds(&text, "}}}\n");
    for (int i = 0; i < 30; i++)
        buf_addf(&text, "  a%d: {input: *i}\n", i);
    assert_true(yaml_read("a.yaml", buf_str(&text), &max, &a, &d, &e));
    adapter.tree = &d->root;
    before = mallinfo2().uordblks + mallinfo2().hblkhd;
    transforms_fit(&adapter, &r);
    assert_int_equal(r.errors, 0);
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schemas_of_many_operations_take_the_room_of_one),
        cmocka_unit_test(R_001_101_a_parameter_gets_another_name),
        cmocka_unit_test(R_001_101_two_names_can_change_places),
        cmocka_unit_test(R_001_101_a_name_can_be_a_pointer),
        cmocka_unit_test(R_001_101_a_map_that_nothing_is_left_of_goes_too),
        cmocka_unit_test(R_001_101_a_parameter_is_not_renamed_over_another),
        cmocka_unit_test(R_001_101_what_cannot_be_renamed_is_found_early),
        cmocka_unit_test(R_001_102_a_value_becomes_another),
        cmocka_unit_test(R_001_102_numbers_truths_and_null_are_mapped_by_their_words),
        cmocka_unit_test(R_001_102_each_item_of_a_list_is_mapped),
        cmocka_unit_test(R_001_102_what_a_value_became_is_not_mapped_again),
        cmocka_unit_test(R_001_102_what_cannot_be_mapped_is_found_early),
        cmocka_unit_test(R_001_103_what_was_left_out_has_a_default),
        cmocka_unit_test(R_001_103_null_was_not_left_out),
        cmocka_unit_test(R_001_103_a_default_has_a_place),
        cmocka_unit_test(R_001_104_input_that_does_not_fit_is_refused),
        cmocka_unit_test(R_001_104_json_schema_is_that_of_the_operation),
        cmocka_unit_test(R_001_104_a_schema_of_draft_07_says_so),
        cmocka_unit_test(R_001_104_without_a_schema_there_is_a_warning_and_all_maps_fit),
        cmocka_unit_test(R_001_104_a_schema_that_is_none_is_found_early),
        cmocka_unit_test(R_001_108_transforms_are_done_in_the_order_of_the_list),
        cmocka_unit_test(parameters_are_a_map_and_are_left_alone),
        cmocka_unit_test(what_is_made_cannot_become_too_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
