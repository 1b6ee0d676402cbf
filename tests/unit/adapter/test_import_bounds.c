/* SPDX-License-Identifier: Apache-2.0 */
/* test_import_bounds.c: OpenAPI documents that are made to be large, deep or without end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/adapter/imported.h"

/* Each schema refers twice to the next: written out they would be 2^40. */
static void references_do_not_multiply(void **state)
{
    _imported_ struct imported i = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    buf_adds(&text, "{\"openapi\":\"3.0.0\",\"paths\":{\"/x\":{\"get\":{\"parameters\":[{\"name\":"
                    "\"q\",\"in\":\"query\",\"schema\":{\"$ref\":\"#/s/0\"}}]}}},\"s\":[");
    for (int k = 0; k < 40; k++)
        buf_addf(&text, "{\"allOf\":[{\"$ref\":\"#/s/%d\"},{\"$ref\":\"#/s/%d\"}]},", k + 1, k + 1);
    buf_adds(&text, "{}]}");
    import(&i, text.s);
    assert_true(i.made.yaml.n < 8000);
}

static void schemas_that_are_too_deep_or_too_large_leave_their_operation_out(void **state)
{
    static const struct {
        int depth, width;
        const char *why;
    } rows[] = { { 66, 0, "too large or too deep" }, { 0, 25000, "too large" } };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };
        _buf_ struct buf text = { .max = 4 << 20 };

        buf_adds(&text, "{\"openapi\":\"3.0.0\",\"paths\":{\"/y\":{\"get\":{}},\"/x\":{\"get\":{"
                        "\"parameters\":[{\"name\":\"q\",\"in\":\"query\",\"schema\":");
        for (int n = 0; n < rows[k].depth; n++)
            buf_adds(&text, "{\"not\":");
        buf_adds(&text, "{\"anyOf\":[{}");
        for (int n = 0; n < rows[k].width; n++)
            buf_adds(&text, ",{}");
        buf_adds(&text, "]}");
        for (int n = 0; n < rows[k].depth; n++)
            buf_addc(&text, '}');
        buf_adds(&text, "}]}}}}");
        import(&i, text.s);
        assert_int_equal(i.made.operations, 1);
        check_says(left_out(&i, "get_x"), rows[k].why);
    }
}

/* Each looked for the next free number among all others: 60 seconds for 5,000. */
static void many_of_one_name_take_no_longer_than_others(void **state)
{
    _imported_ struct imported i = { 0 };
    _buf_ struct buf text = { .max = 16 << 20 };

    (void)state;
    buf_adds(&text, "{\"openapi\":\"3.0.0\",\"paths\":{");
    for (int k = 0; k < 8000; k++)
        buf_addf(&text, "\"/%d\":{\"get\":{\"operationId\":\"x\"}},", k);
    buf_adds(&text, "\"/x\":{\"get\":{\"parameters\":[{\"name\":\"q\",\"in\":\"query\","
                    "\"schema\":{\"anyOf\":[{}");
    for (int k = 0; k < 6000; k++)
        buf_addf(&text, ",{\"$ref\":\"#/s/%d/a\"}", k);
    buf_adds(&text, "]}}]}}},\"s\":[{\"a\":{}}");
    for (int k = 1; k < 6000; k++)
        buf_adds(&text, ",{\"a\":{}}");
    buf_adds(&text, "]}");
    import(&i, text.s);
    assert_int_equal(i.made.operations, 2000);
    assert_string_equal(at(&i, "interface.api.endpoint_mapping.x_2000"), "\"GET /1999\"");
    check_says(left_out(&i, "x_8000"), "at most 2000");
}

/* By aliases one long text stands in many places: each was copied to be followed. */
static void references_are_not_without_end(void **state)
{
    _imported_ struct imported i = { 0 };
    _buf_ struct buf text = { .max = 4 << 20 };

    (void)state;
    buf_adds(&text, "openapi: 3.0.0\nx: &a \"#/");
    for (int k = 0; k < 1000000; k++)
        buf_addc(&text, 'a');
    buf_adds(&text, "\"\npaths:\n  /ok: {get: {}}\n");
    for (int k = 0; k < 50000; k++)
        buf_addf(&text, "  /%d: {$ref: *a}\n", k);
    import(&i, text.s);
    assert_int_equal(i.made.operations, 1);
    check_says(left_out(&i, "/7"), "…', which has 1000002 characters, allowed are 2000");
}

/* One long pattern in 60,000 places: each was tried, and all that it took was kept. */
static void patterns_cost_what_they_take(void **state)
{
    _imported_ struct imported i = { 0 };
    _buf_ struct buf text = { .max = 4 << 20 };

    (void)state;
    buf_adds(&text, "openapi: 3.0.0\nx: &a \"");
    for (int k = 0; k < 500; k++)
        buf_adds(&text, "(a|b)*");
    buf_adds(&text, "(?=a)\"\ny: &p\n"); /* which we do not read: it is left out in the end */
    for (int k = 0; k < 150; k++)
        buf_addf(&text, "  - {name: q%d, in: query, schema: {pattern: *a}}\n", k);
    buf_adds(&text, "paths:\n");
    for (int k = 0; k < 400; k++)
        buf_addf(&text, "  /%d: {get: {}, parameters: *p}\n", k);
    import(&i, text.s);
    assert_in_range(i.made.operations, 2, 100);
    check_says(left_out(&i, "get_399"), "its schema is too large");
}

/* Each brace looked for its other half up to the end. */
static void an_address_that_is_none_is_told_at_once(void **state)
{
    _imported_ struct imported i = { 0 };
    _buf_ struct buf text = { .max = 16 << 20 };

    (void)state;
    buf_adds(&text, "{\"openapi\":\"3.0.0\",\"paths\":{\"/x\":{\"get\":{}}},"
                    "\"servers\":[{\"url\":\"");
    for (int k = 0; k < 8 << 20; k++)
        buf_addc(&text, '{');
    buf_adds(&text, "\"}]}");
    import(&i, text.s);
    assert_int_equal(i.made.warned, 1);
    check_says(i.made.warnings[0], "does not say where the service is ('{{{{");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_do_not_multiply),
        cmocka_unit_test(references_are_not_without_end),
        cmocka_unit_test(patterns_cost_what_they_take),
        cmocka_unit_test(an_address_that_is_none_is_told_at_once),
        cmocka_unit_test(many_of_one_name_take_no_longer_than_others),
        cmocka_unit_test(schemas_that_are_too_deep_or_too_large_leave_their_operation_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
