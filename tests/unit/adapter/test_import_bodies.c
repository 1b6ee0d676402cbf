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

#define A_FORM "application/x-www-form-urlencoded: {schema: {properties: {a: {}}}}"

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
    check_says(left_out(&i, "file"), "only its body");
    check_says(left_out(&i, "file"), "'multipart/form-data', and an adapter sends JSON, ");
    assert_int_equal(i.made.left_count, 1);
    assert_int_equal(i.made.operations, 5);
    assert_string_equal(at(&i, "operations.file.input.properties"), "{}");
}

static void forms_stand_beside_bodies_of_json(void **state)
{
    static const char *const names[] = { "form", "must" };
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, three);
    assert_string_equal(at(&i, "interface.api.headers.Content-Type"), "");
    assert_string_equal(at(&i, "operations.json.content_type"), "");
    for (size_t k = 0; k < COUNT(names); k++) {
        assert_string_equal(left_out(&i, names[k]), "");
        assert_string_equal(at(&i, arena_printf(&i.a, "operations.%s.content_type", names[k])),
                            "\"application/x-www-form-urlencoded\"");
        assert_string_equal(at(&i, arena_printf(&i.a, "operations.%s.parameters", names[k])),
                            "{\"a\":{\"in\":\"body\"}}");
    }
}

/* What is sent of several: JSON, then a form, then a text. "-": the body is left out. */
static void a_body_is_of_the_type_that_can_say_the_most(void **state)
{
    static const struct {
        const char *types, *type, *input;
    } rows[] = {
        { "application/*: {}", "", "{\"body\":{}}" },
        { "'*/*': {}", "", "{\"body\":{}}" },
        { "text/xml: {}, " A_FORM ", application/json: {}", "", "{\"body\":{}}" },
        { "json: {}", "", "{\"body\":{}}" },
        { "text/xml: {}, " A_FORM, "\"application/x-www-form-urlencoded\"", "{\"a\":{}}" },
        { "text/xml: {schema: {type: object}}", "\"text/xml\"",
          "{\"body\":{\"type\":\"string\"}}" },
        { "text/*: {}", "\"text/plain\"", "{\"body\":{\"type\":\"string\"}}" },
        { "application/soap+xml: {}", "\"application/soap+xml\"",
          "{\"body\":{\"type\":\"string\"}}" },
        { "application/octet-stream: {}", "-", "{}" },
        { "application/x-www-form-urlencodedX: {}", "-", "{}" },
        { "image/*: {}", "-", "{}" },
        { "text/: {}", "-", "{}" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };
        bool left = rows[k].type[0] == '-';

        import(&i, arena_printf(&i.a,
                                "openapi: 3.0.3\nservers: [{url: 'https://api.example.org'}]\n"
                                "paths:\n"
                                "  /json: {post: {operationId: json, requestBody: {content: "
                                "{application/json: {}}}, responses: {}}}\n"
                                "  /it: {post: {operationId: it, requestBody: {content: {%s}}, "
                                "responses: {}}}\n",
                                rows[k].types));
        if (left)
            check_says(left_out(&i, "it"), "only its body");
        else
            assert_string_equal(left_out(&i, "it"), "");
        assert_string_equal(at(&i, "operations.it.content_type"), left ? "" : rows[k].type);
        assert_string_equal(at(&i, "operations.it.input.properties"), rows[k].input);
    }
}

/* With `more` operations between those that send forms. */
static const char *two(struct arena *a, const char *more)
{
    return arena_printf(
        a,
        "swagger: '2.0'\n"
        "info: {title: Old, version: '1'}\n"
        "host: api.example.org\n"
        "parameters: {Field: {name: f, in: formData, type: string, required: true}}\n"
        "paths:\n"
        "  /may: {put: {operationId: may, parameters: [{name: f, in: formData, type: string}], responses: {}}}\n"
        "%s"
        "  /must: {put: {operationId: must, consumes: [application/x-www-form-urlencoded],\n"
        "    parameters: [{$ref: '#/parameters/Field'}], responses: {}}}\n"
        "  /parts: {put: {operationId: parts, consumes: [multipart/form-data],\n"
        "    parameters: [{name: f, in: formData, type: string, required: true}], responses: {}}}\n"
        "  /file: {put: {operationId: file, parameters: [{name: f, in: formData, type: file}], responses: {}}}\n",
        more);
}

static void forms_of_Swagger_2_stand_beside_bodies_of_json(void **state)
{
    _imported_ struct imported i = { 0 };
    const char *json = "  /json: {post: {operationId: json, parameters:\n"
                       "    [{name: b, in: body, schema: {type: object}}], responses: {}}}\n";

    (void)state;
    import(&i, two(&i.a, json));
    assert_string_equal(left_out(&i, "may"), "");
    assert_string_equal(left_out(&i, "must"), "");
    check_says(left_out(&i, "parts"), "its body is 'multipart/form-data', and an adapter sends");
    check_says(left_out(&i, "file"), "only its body");
    assert_int_equal(i.made.left_count, 2);
    assert_string_equal(at(&i, "operations.may.parameters"), "{\"f\":{\"in\":\"body\"}}");
    assert_string_equal(at(&i, "operations.may.content_type"),
                        "\"application/x-www-form-urlencoded\"");
    assert_string_equal(at(&i, "operations.json.content_type"), "");
    assert_string_equal(at(&i, "interface.api.headers.Content-Type"), "");
}

static void forms_of_Swagger_2_are_sent_where_all_bodies_are_forms(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, two(&i.a, ""));
    assert_string_equal(left_out(&i, "may"), "");
    assert_string_equal(left_out(&i, "must"), "");
    check_says(left_out(&i, "parts"), "its body is 'multipart/form-data'");
    check_says(left_out(&i, "file"), "only its body");
    assert_string_equal(at(&i, "operations.must.parameters"), "{\"f\":{\"in\":\"body\"}}");
    assert_string_equal(at(&i, "interface.api.headers.Content-Type"),
                        "\"application/x-www-form-urlencoded\"");
}

static void what_is_not_wanted_has_no_say_in_what_bodies_are(void **state)
{
    static const char *const includes[][2] = { { "json", NULL },
                                               { "none", NULL },
                                               { "form", NULL } };
    static const char *const types[] = { "", "", "\"application/x-www-form-urlencoded\"" };

    (void)state;
    for (size_t k = 0; k < COUNT(includes); k++) {
        _imported_ struct imported i = { 0 };

        import_with(&i, three, (struct import_ask){ .include = includes[k] });
        assert_true(i.good);
        assert_string_equal(at(&i, "interface.api.headers.Content-Type"), types[k]);
    }
}

#define JSON_OUT "[{\"type\":\"parse\",\"spec\":\"json\"}]"

static void what_Swagger_2_consumes_and_produces_is_heeded(void **state)
{
    static const struct {
        const char *types, *left, *output, *type;
    } rows[] = {
        { "", "", JSON_OUT, "" },
        { "consumes: [text/xml, application/JSON]\nproduces: [application/hal+json]\n", "",
          JSON_OUT, "" },
        { "consumes: [application/xml]\n", "", JSON_OUT, "\"application/xml\"" },
        { "consumes: [application/*]\n", "", JSON_OUT, "" },
        { "consumes: [image/png]\n", "its body is 'image/png', and an adapter sends", JSON_OUT,
          "" },
        { "produces: [application/xml]\n", "", "", "" },
        { "produces: [application/*]\n", "", "", "" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import(&i,
               arena_printf(&i.a,
                            "swagger: '2.0'\nhost: api.example.org\n%spaths:\n"
                            "  /get: {get: {operationId: get, responses: {'200': {schema: {}}}}}\n"
                            "  /may: {put: {operationId: may, parameters: [{in: body, name: b, "
                            "schema: {}}], responses: {'200': {schema: {}}}}}\n"
                            "  /must: {put: {operationId: must, parameters: [{in: body, name: b, "
                            "required: true, schema: {}}], responses: {'200': {schema: {}}}}}\n",
                            rows[k].types));
        check_says(left_out(&i, "must"), rows[k].left);
        assert_int_equal(*left_out(&i, "must") == '\0', *rows[k].left == '\0');
        assert_int_equal(*left_out(&i, "may") == '\0', *rows[k].left == '\0');
        assert_string_equal(at(&i, "operations.may.body"), *rows[k].left ? "" : "\"body\"");
        assert_string_equal(at(&i, "transforms.output"), rows[k].output);
        assert_string_equal(at(&i, "operations.may.content_type"), rows[k].type);
    }
}

/* As parameters of its own a body has its named members and no others. */
static void a_body_that_needs_more_than_it_names_is_sent_whole(void **state)
{
    static const struct {
        const char *schema, *body;
    } rows[] = {
        { "{$ref: '#/a'}", "" },
        { "{$ref: '#/a', description: An A.}", "" },
        { "{$ref: '#/a', properties: {b: {}}, required: [b]}", "\"body\"" },
        { "{properties: {a: {}}, required: [a]}", "" },
        { "{properties: {a: {}}, required: [a, b]}", "\"body\"" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import(&i, arena_printf(&i.a,
                                "openapi: 3.1.0\npaths:\n  /x: {put: {operationId: x, requestBody: "
                                "{content: {application/json: {schema: %s}}}}}\n"
                                "a: {properties: {a: {type: string}}}\n",
                                rows[k].schema));
        assert_string_equal(at(&i, "operations.x.body"), rows[k].body);
    }
}

/* Many documents in a row are not one. */
static void lines_of_json_are_not_json(void **state)
{
    static const char *const types[] = { "application/x-ndjson", "application/jsonl",
                                         "application/json-seq", "application/stream+json" };

    (void)state;
    for (size_t k = 0; k < COUNT(types); k++) {
        _imported_ struct imported i = { 0 };

        import(&i, arena_printf(&i.a,
                                "openapi: 3.0.0\npaths:\n  /get: {get: {operationId: get, "
                                "responses: {'200': {content: {%s: {schema: {}}}}}}}\n",
                                types[k]));
        assert_string_equal(at(&i, "transforms.output"), "");
    }
}

static void a_type_of_json_that_is_another_is_said_of_its_operation(void **state)
{
    static const struct {
        const char *type, *said;
    } rows[] = {
        { "application/json", "" },
        { "Application/JSON", "" },
        { "'*/*'", "" },
        { "'application/*+json'", "" },
        { "application/json-patch+json", "\"application/json-patch+json\"" },
        { "application/merge-patch+json", "\"application/merge-patch+json\"" },
        { "application/vnd.x.y+json", "\"application/vnd.x.y+json\"" },
        { "'application/json; charset=utf-8'", "\"application/json; charset=utf-8\"" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported three_i = { 0 }, two_i = { 0 };

        import(&three_i, arena_printf(&three_i.a,
                                      "openapi: 3.0.0\npaths:\n  /it: {patch: {operationId: it, "
                                      "requestBody: {content: {%s: {schema: {}}}}}}\n",
                                      rows[k].type));
        assert_string_equal(at(&three_i, "operations.it.content_type"), rows[k].said);
        import(&two_i, arena_printf(&two_i.a,
                                    "swagger: '2.0'\npaths:\n  /it: {patch: {operationId: it, "
                                    "consumes: [text/xml, %s], parameters: "
                                    "[{name: b, in: body, schema: {}}]}}\n",
                                    rows[k].type));
        assert_string_equal(at(&two_i, "operations.it.content_type"), rows[k].said);
    }
}

/* Whoever writes the document does not write our headers. */
static void a_type_that_steers_is_none(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, "openapi: 3.0.0\npaths:\n  /it: {patch: {operationId: it, requestBody: "
               "{content: {\"application/json\\r\\nX-A: b\": {schema: {}}}}}}\n");
    check_says(left_out(&i, "it"), "only its body");
    assert_string_equal(at(&i, "operations.it.content_type"), "");
}

/* As OpenAPI has it: they are required of answers alone. */
static void members_that_are_only_read_are_not_required(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(
        &i,
        "openapi: 3.0.0\n"
        "components: {schemas: {Id: {type: integer, readOnly: true}}}\n"
        "paths:\n  /x: {post: {operationId: x, requestBody: {content: {application/json: "
        "{schema: {type: array, items: {required: [a, b, c, d], properties: {"
        "a: {readOnly: true}, b: {$ref: '#/components/schemas/Id'}, c: {type: string}}}}}}}}}\n");
    assert_string_equal(at(&i, "operations.x.input.properties.body.items.required"),
                        "[\"c\",\"d\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_may_be_left_out_is_told_when_it_is),
        cmocka_unit_test(forms_stand_beside_bodies_of_json),
        cmocka_unit_test(a_body_is_of_the_type_that_can_say_the_most),
        cmocka_unit_test(forms_of_Swagger_2_stand_beside_bodies_of_json),
        cmocka_unit_test(forms_of_Swagger_2_are_sent_where_all_bodies_are_forms),
        cmocka_unit_test(what_Swagger_2_consumes_and_produces_is_heeded),
        cmocka_unit_test(a_body_that_needs_more_than_it_names_is_sent_whole),
        cmocka_unit_test(lines_of_json_are_not_json),
        cmocka_unit_test(a_type_of_json_that_is_another_is_said_of_its_operation),
        cmocka_unit_test(a_type_that_steers_is_none),
        cmocka_unit_test(members_that_are_only_read_are_not_required),
        cmocka_unit_test(what_is_not_wanted_has_no_say_in_what_bodies_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
