/* SPDX-License-Identifier: Apache-2.0 */
/* test_import_parameters.c: parameters of an OpenAPI document that an adapter has not, or
 * otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/adapter/imported.h"

/* int64 is bounded by numbers that no double holds; what cannot be said is left to the service. */
static void a_number_that_no_double_holds_does_not_keep_a_document_out(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i,
           "openapi: 3.0.0\n"
           "paths:\n"
           "  /a: {get: {operationId: a, parameters: [{in: query, name: n, example: 1e999, schema: "
           "{type: integer, minimum: 0, exclusiveMaximum: true, maximum: 9223372036854775807, "
           "default: 9223372036854775807, enum: [1, 9223372036854775807]}}]}}\n");
    assert_string_equal(at(&i, "operations.a.input.properties.n"),
                        "{\"type\":\"integer\",\"minimum\":0}");
}

/* A whole number of 64 bits may be more than a document holds: where it is sent as digits, it may
 * be given as these. */
static void a_number_of_64_bits_may_be_given_as_its_digits(void **state)
{
    static const char digits[] =
        "{\"type\":[\"integer\",\"string\"],\"format\":\"int64\",\"pattern\":\"^-?[0-9]+$\"}";
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i,
           "openapi: 3.0.0\n"
           "paths:\n"
           "  /a/{p}: {post: {operationId: a, parameters: ["
           "{in: path, name: p, schema: {type: integer, format: int64}}, "
           "{in: query, name: q, schema: {type: array, items: {type: integer, format: int64}}}, "
           "{in: header, name: h, schema: {type: integer, format: int32}}], "
           "requestBody: {content: {application/json: {schema: {type: object, properties: "
           "{b: {type: integer, format: int64}}}}}}}}\n");
    assert_string_equal(at(&i, "operations.a.input.properties.p"), digits);
    assert_string_equal(at(&i, "operations.a.input.properties.q.items"), digits);
    assert_string_equal(at(&i, "operations.a.input.properties.h.type"), "\"integer\"");
    assert_string_equal(at(&i, "operations.a.input.properties.b.type"), "\"integer\"");
}

/* What `writ check` refuses, and each call, is not written. */
static void headers_that_are_not_sent_are_no_parameters(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(
        &i,
        "openapi: 3.0.0\n"
        "paths:\n"
        "  /a: {put: {operationId: a, parameters: [{in: header, name: Content-Length, required: "
        "true}, {in: header, name: \"X\\r\\nY: 1\"}, {in: header, name: X-Y}]}}\n"
        "  /b: {put: {operationId: b, parameters: [{in: header, name: 'X Y', required: true}]}}\n");
    assert_string_equal(at(&i, "operations.a.parameters"), "{\"X-Y\":{\"in\":\"header\"}}");
    assert_string_equal(at(&i, "operations.a.input.required"), "");
    check_says(left_out(&i, "a"),
               "only its parameter 'Content-Length': it belongs to the connection");
    check_says(left_out(&i, "b"), "it needs the parameter 'X Y': no header has such a name");
}

/* Documents that list the key among the parameters, too, are many: it is auth_method's to give. */
static void the_place_of_a_key_is_no_parameter(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i,
           "openapi: 3.0.0\nsecurity: [{k: []}]\n"
           "components: {securitySchemes: {k: {type: apiKey, in: header, name: X-Key}}}\n"
           "paths:\n"
           "  /a: {get: {operationId: a, parameters: [{in: header, name: x-key, required: true}, "
           "{in: query, name: X-Key}]}}\n");
    assert_string_equal(at(&i, "operations.a.parameters"), "{\"X-Key\":{\"in\":\"query\"}}");
    assert_string_equal(at(&i, "operations.a.input.required"), "");
}

/* What is told can be looked for in the document, and mended. */
static void what_is_left_out_is_told_with_its_reason(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, "openapi: 3.0.0\n"
               "components: {securitySchemes: {d: {type: http, scheme: digest}}}\n"
               "paths:\n"
               "  /a: {get: {operationId: a}}\n"
               "  /b: {get: {operationId: b, security: [{d: []}]}}\n"
               "  /u: {get: {operationId: u, security: [{nobody: []}]}}\n"
               "  /v: {get: {operationId: v, security: [{d: [], nobody: []}]}}\n"
               "  /c: {get: {operationId: c, parameters: [{in: query, name: q, schema: {type: "
               "strnig}}]}}\n");
    assert_string_equal(left_out(&i, "b"), "callers prove who they are by 'd', which is not known "
                                           "here: keys, Basic, Bearer and OAuth are");
    assert_string_equal(left_out(&i, "u"), "callers prove who they are by 'nobody', which the "
                                           "document does not define");
    assert_string_equal(left_out(&i, "v"), "callers prove who they are by two ways at once, and an "
                                           "adapter does it in one");
    check_says(left_out(&i, "c"), "its schema cannot be read: /properties/q/type: 'type' must be");
    check_says(left_out(&i, "c"), "this is 'strnig'");
}

static void a_list_that_is_written_as_text_says_how(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(
        &i,
        "swagger: '2.0'\n"
        "paths:\n"
        "  /a: {get: {operationId: a, parameters: [{in: query, name: q, type: array}, {in: query, "
        "name: r, type: array, collectionFormat: pipes, description: '  Rows. '}]}}\n");
    assert_string_equal(at(&i, "operations.a.input.properties.q.description"),
                        "\"Several, with commas between them.\"");
    assert_string_equal(at(&i, "operations.a.input.properties.r.description"),
                        "\"Several, with | between them. Rows.\"");
}

/* A list that may also be one text is a list: sent as such it would be written wrongly. */
static void a_list_is_seen_behind_others(void **state)
{
    static const struct {
        const char *schema;
        bool text;
    } rows[] = {
        { "{oneOf: [{type: string}, {type: array}]}", true },
        { "{anyOf: [{type: string}, {$ref: '#/components/schemas/L'}]}", true },
        { "{allOf: [{$ref: '#/components/schemas/L'}]}", true },
        { "{type: [array, 'null']}", true },
        { "{oneOf: [{type: integer}, {type: [string, 'null']}]}", false },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import(&i,
               arena_printf(&i.a,
                            "openapi: 3.1.0\ncomponents: {schemas: {L: {type: array}}}\npaths:\n"
                            "  /a: {get: {operationId: a, parameters: [{in: query, name: q, "
                            "explode: false, schema: %s}, {in: query, name: r, schema: %s}]}}\n",
                            rows[k].schema, rows[k].schema));
        assert_string_equal(at(&i, "operations.a.input.properties.q.description"),
                            rows[k].text ? "\"Several, with commas between them.\"" : "");
        assert_string_equal(at(&i, "operations.a.input.properties.r.description"), "");
    }
}

/* Those that can be read stay. Where names are not known by their pattern, none is additional. */
static void patterns_that_cannot_be_read_are_left_out_and_told(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, "openapi: 3.1.0\npaths:\n  /x: {post: {operationId: x, parameters: [\n"
               "    {name: a, in: query, schema: {pattern: '(?<!x)y', minLength: 1}},\n"
               "    {name: b, in: query, schema: {pattern: '^[a-z]+$'}},\n"
               "    {name: c, in: query, schema: {pattern: '(a)\\1'}}],\n"
               "    requestBody: {content: {application/json: {schema: {type: array, items:\n"
               "      {additionalProperties: false, patternProperties: {'^(?=b)': {}}}}}}}}}\n");
    assert_string_equal(at(&i, "operations.x.input.properties.a"), "{\"minLength\":1}");
    assert_string_equal(at(&i, "operations.x.input.properties.b"), "{\"pattern\":\"^[a-z]+$\"}");
    assert_string_equal(at(&i, "operations.x.input.properties.c"), "{}");
    assert_string_equal(at(&i, "operations.x.input.properties.body.items"), "{}");
    assert_int_equal(i.made.left_count, 1);
    check_says(left_out(&i, "x"), "only 3 patterns of its parameters, which the service alone");
    check_says(left_out(&i, "x"), "the first is '(?<!x)y': look-around is not regular");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_no_double_holds_does_not_keep_a_document_out),
        cmocka_unit_test(a_number_of_64_bits_may_be_given_as_its_digits),
        cmocka_unit_test(headers_that_are_not_sent_are_no_parameters),
        cmocka_unit_test(what_is_left_out_is_told_with_its_reason),
        cmocka_unit_test(a_list_that_is_written_as_text_says_how),
        cmocka_unit_test(a_list_is_seen_behind_others),
        cmocka_unit_test(the_place_of_a_key_is_no_parameter),
        cmocka_unit_test(patterns_that_cannot_be_read_are_left_out_and_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
