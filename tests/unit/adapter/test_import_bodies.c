/* SPDX-License-Identifier: Apache-2.0 */
/* test_import_bodies.c: bodies that an adapter cannot send are told, whatever the document is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/adapter/imported.h"

#define FORM \
    "{application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}}}"

static const char three[] =
    "openapi: 3.0.3\n"
    "info: {title: F, version: '1'}\n"
    "servers: [{url: 'https://api.example.org'}]\n"
    "paths:\n"
    "  /json: {post: {operationId: json, requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {}}}\n"
    "  /form: {post: {operationId: form, requestBody: {content: " FORM "}, responses: {}}}\n"
    "  /file: {post: {operationId: file, requestBody: {content: {multipart/form-data: {schema: {type: object}}}}, responses: {}}}\n"
    "  /must: {post: {operationId: must, requestBody: {required: true, content: " FORM
    "}, responses: {}}}\n"
    "  /none: {post: {operationId: none, requestBody: {content: {}}, responses: {}}}\n";

static void a_body_that_may_be_left_out_is_told_when_it_is(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, three);
    check_says(left_out(&i, "form"), "only its body");
    check_says(left_out(&i, "form"),
               "'application/x-www-form-urlencoded', which is not what the others send");
    check_says(left_out(&i, "file"), "only its body");
    check_says(left_out(&i, "file"), "'multipart/form-data', and an adapter sends JSON or");
    check_says(left_out(&i, "must"),
               "its body is 'application/x-www-form-urlencoded', which is not");
    assert_int_equal(i.made.left_count, 3);
    assert_int_equal(i.made.operations, 4);
    assert_string_equal(at(&i, "operations.form.input.properties"), "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_may_be_left_out_is_told_when_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
