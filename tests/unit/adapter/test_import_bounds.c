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
        cmocka_unit_test(an_address_that_is_none_is_told_at_once),
        cmocka_unit_test(many_of_one_name_take_no_longer_than_others),
        cmocka_unit_test(schemas_that_are_too_deep_or_too_large_leave_their_operation_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
