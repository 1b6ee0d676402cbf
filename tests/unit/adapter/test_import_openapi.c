/* SPDX-License-Identifier: Apache-2.0 */
/* test_import_openapi.c: OpenAPI documents become adapters that pass, or it is said why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/adapter/imported.h"

/* ---- a document of each kind ---- */

static const char pets[] =
    "openapi: 3.0.3\n"
    "info: {title: Pet Store!, version: 1.0.0}\n"
    "servers:\n"
    "  - {url: 'https://{region}.example.org:8443/v2/', variables: {region: {default: eu}}}\n"
    "  - {url: https://other.example.org}\n"
    "security: [{token: []}]\n"
    "paths:\n"
    "  /pets/{petId}:\n"
    "    summary: not an operation\n"
    "    description: nor this\n"
    "    x-internal: {get: {operationId: never}}\n"
    "    parameters:\n"
    "      - {name: petId, in: path, required: true, schema: {type: integer}, description: Which.}\n"
    "      - {$ref: '#/components/parameters/Verbose'}\n"
    "    get: {operationId: show pet.ById, summary: '  One\n\n\n      pet. ', responses: {'200': {description: ok}}}\n"
    "    delete: {responses: {}}\n"
    "    put:\n"
    "      operationId: replace\n"
    "      parameters: [{name: verbose, in: query, schema: {type: string}}]\n"
    "      requestBody: {$ref: '#/components/requestBodies/Pet'}\n"
    "      responses: {}\n"
    "    trace: {operationId: traced, responses: {}}\n"
    "  /pets:\n"
    "    get:\n"
    "      operationId: list\n"
    "      parameters:\n"
    "        - {name: tag, in: query, schema: {type: array, items: {type: string}}}\n"
    "        - {name: ids, in: query, explode: false, schema: {type: array}}\n"
    "        - {name: filter, in: query, style: deepObject, schema: {type: object}}\n"
    "        - {name: X-Page, in: header, schema: {type: integer, nullable: true, minimum: 0, exclusiveMinimum: true}}\n"
    "        - {name: Accept, in: header, schema: {type: string}}\n"
    "        - {name: session, in: cookie, schema: {type: string, pattern: '^(?=x)'}}\n"
    "    post:\n"
    "      operationId: create\n"
    "      requestBody: {required: true, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}\n"
    "      responses: {}\n"
    "  /upload:\n"
    "    post:\n"
    "      operationId: upload\n"
    "      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}\n"
    "      responses: {}\n"
    "  /old: {get: {operationId: old, security: [{pass: []}], responses: {}}}\n"
    "  /open: {get: {operationId: open, security: [], responses: {}}}\n"
    "  /far: {get: {operationId: far, parameters: [{$ref: 'other.yaml#/x'}], responses: {}}}\n"
    "  /gone: {get: {operationId: gone, parameters: [{$ref: '#/components/nothing'}], responses: {}}}\n"
    "  /round: {get: {operationId: round, parameters: [{$ref: '#/components/parameters/A'}], responses: {}}}\n"
    "  /own: {get: {operationId: own, servers: [{url: https://x.example.org}], responses: {}}}\n"
    "components:\n"
    "  securitySchemes: {token: {type: http, scheme: Bearer}, pass: {type: http, scheme: basic}}\n"
    "  parameters:\n"
    "    Verbose: {name: verbose, in: query, schema: {type: boolean}}\n"
    "    A: {$ref: '#/components/parameters/B'}\n"
    "    B: {$ref: '#/components/parameters/A'}\n"
    "  requestBodies: {Pet: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}\n"
    "  schemas:\n"
    "    Pet:\n"
    "      type: object\n"
    "      required: [name, id]\n"
    "      properties:\n"
    "        id: {type: integer, readOnly: true}\n"
    "        name: {type: string, example: Rex, minLength: 1, description: Its name.}\n"
    "        parent: {$ref: '#/components/schemas/Pet'}\n";

static void a_document_of_3_0_becomes_an_adapter(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, pets);
    assert_string_equal(i.made.adapter_id, "pet-store");
    assert_int_equal(i.made.operations, 6);
    assert_string_equal(at(&i, "tool_id"), "\"pet-store\"");
    assert_string_equal(at(&i, "interface.api.base_url"), "\"https://eu.example.org:8443/v2\"");
    assert_string_equal(at(&i, "sandbox_override.network.allow"), "[\"eu.example.org:8443\"]");
    assert_string_equal(at(&i, "interface.api.endpoint_mapping"),
                        "{\"show_pet_ById\":\"GET /pets/{petId}\","
                        "\"replace\":\"PUT /pets/{petId}\","
                        "\"delete_pets_petId\":\"DELETE /pets/{petId}\","
                        "\"list\":\"GET /pets\",\"create\":\"POST /pets\",\"open\":\"GET /open\"}");
    assert_string_equal(at(&i, "interface.api.headers"),
                        "{\"Accept\":\"application/json, */*;q=0.5\"}");
    assert_string_equal(at(&i, "metadata.created"), "\"2026-11-16\"");
    assert_string_equal(at(&i, "operations.show_pet_ById"),
                        "{\"about\":\"One pet.\",\"input\":{\"type\":\"object\",\"properties\":{"
                        "\"petId\":{\"type\":\"integer\",\"description\":\"Which.\"},"
                        "\"verbose\":{\"type\":\"boolean\"}},\"required\":[\"petId\"],"
                        "\"additionalProperties\":false},\"parameters\":{"
                        "\"petId\":{\"in\":\"path\"},\"verbose\":{\"in\":\"query\"}},"
                        "\"effect\":\"read\"}");
    assert_string_equal(at(&i, "operations.delete_pets_petId.effect"), "\"write\"");
}

static void parameters_of_a_path_are_inherited_and_overridden(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, pets);
    assert_string_equal(at(&i, "operations.replace.input.properties.verbose"),
                        "{\"type\":\"string\"}");
    assert_string_equal(at(&i, "operations.replace.input.required"), "[\"petId\",\"name\"]");
    assert_string_equal(at(&i, "operations.never"), "");
    assert_string_equal(at(&i, "operations.summary"), "");
}

static void bodies_are_flat_where_they_can_be(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, pets);
    assert_string_equal(at(&i, "operations.replace.parameters.name"), "{\"in\":\"body\"}");
    assert_string_equal(at(&i, "operations.replace.parameters.id"), "");
    assert_string_equal(at(&i, "operations.replace.input.properties.parent"),
                        "{\"$ref\":\"#/$defs/Pet\"}");
    assert_string_equal(at(&i, "operations.replace.input.$defs.Pet.properties.parent"),
                        "{\"$ref\":\"#/$defs/Pet\"}");
    assert_string_equal(at(&i, "operations.replace.input.properties.name"),
                        "{\"type\":\"string\",\"minLength\":1,\"description\":\"Its name.\"}");
    assert_string_equal(at(&i, "operations.create.body"), "\"body\"");
    assert_string_equal(at(&i, "operations.create.input.properties.body.items"),
                        "{\"$ref\":\"#/$defs/Pet\"}");
}

static void parameters_become_what_we_can_write(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, pets);
    assert_string_equal(at(&i, "operations.list.input.properties.tag"),
                        "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
    check_says(at(&i, "operations.list.input.properties.ids"), "Several, with commas");
    assert_string_equal(at(&i, "operations.list.input.properties.X-Page"),
                        "{\"type\":[\"integer\",\"null\"],\"exclusiveMinimum\":0}");
    assert_string_equal(at(&i, "operations.list.parameters.X-Page"), "{\"in\":\"header\"}");
    assert_string_equal(at(&i, "operations.list.input.properties.Accept"), "");
    assert_string_equal(at(&i, "operations.list.input.properties.filter"), "");
    check_says(i.made.left[1].why, "only its parameter 'filter': it is an object");
    check_says(i.made.left[2].why, "only 1 pattern of its parameters, which the service alone");
    check_says(i.made.left[2].why, "'^(?=x)': look-around is not regular");
    /* Our own reader has no look-ahead. */
    assert_string_equal(at(&i, "operations.list.input.properties.session"),
                        "{\"type\":\"string\"}");
}

static void what_cannot_be_called_is_left_out_with_the_reason(void **state)
{
    static const struct {
        const char *operation, *why;
    } rows[] = {
        { "traced", "TRACE" },
        { "upload", "its body is 'multipart/form-data'" },
        { "old", "'pass'" },
        { "far", "it refers to 'other.yaml#/x', and only references within" },
        { "gone", "which is not there" },
        { "round", "round and round" },
        { "own", "a server of its own" },
    };
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, pets);
    for (size_t k = 0; k < COUNT(rows); k++)
        check_says(left_out(&i, rows[k].operation), rows[k].why);
    assert_int_equal(i.made.left_count, COUNT(rows) + 2);
}

static const char swagger[] =
    "swagger: '2.0'\n"
    "info: {title: Old One, version: '1'}\n"
    "host: old.example.org\n"
    "basePath: /api\n"
    "schemes: [http, https]\n"
    "securityDefinitions: {key: {type: apiKey, in: query, name: api_key}}\n"
    "security: [{key: []}]\n"
    "paths:\n"
    "  /a/{id}:\n"
    "    get:\n"
    "      parameters:\n"
    "        - {name: id, in: path, required: true, type: string, maxLength: 5}\n"
    "        - {name: csv, in: query, type: array, items: {type: string}}\n"
    "        - {name: multi, in: query, type: array, collectionFormat: multi, items: {type: string}}\n"
    "      responses: {'200': {schema: {type: object}}}\n"
    "    post:\n"
    "      parameters:\n"
    "        - {name: thing, in: body, required: true, schema: {$ref: '#/definitions/Thing'}}\n"
    "      responses: {'200': {schema: {type: object}}}\n"
    "definitions: {Thing: {type: object, required: [id], properties: {id: {type: string}, n: {type: integer, maximum: 9, exclusiveMaximum: true}}}}\n";

static void a_document_of_Swagger_2_becomes_an_adapter(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import_with(&i, swagger, (struct import_ask){ .name = "mine", .tool = "TL-9" });
    assert_true(i.good);
    assert_string_equal(at(&i, "adapter_id"), "\"mine\"");
    assert_string_equal(at(&i, "tool_id"), "\"TL-9\"");
    assert_string_equal(at(&i, "interface.api.base_url"), "\"https://old.example.org/api\"");
    assert_string_equal(at(&i, "interface.api.auth"),
                        "{\"secret\":\"key\",\"in\":\"query\",\"name\":\"api_key\"}");
    assert_string_equal(at(&i, "secrets"), "[{\"name\":\"key\",\"env\":\"MINE_KEY\"}]");
    assert_string_equal(at(&i, "operations.get_a_id.input.properties.id"),
                        "{\"type\":\"string\",\"maxLength\":5}");
    check_says(at(&i, "operations.get_a_id.input.properties.csv"), "commas");
    assert_string_equal(at(&i, "operations.get_a_id.input.properties.multi.type"), "\"array\"");
    /* The body has an id, too, and the path's came first: it stays whole. */
    assert_string_equal(at(&i, "operations.post_a_id.body"), "\"body\"");
    assert_string_equal(at(&i, "operations.post_a_id.input.$defs.Thing.properties.n"),
                        "{\"type\":\"integer\",\"exclusiveMaximum\":9}");
    assert_string_equal(at(&i, "transforms.output"), "[{\"type\":\"parse\",\"spec\":\"json\"}]");
}

static const char newer[] =
    "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"New\",\"version\":\"1\"},"
    "\"servers\":[{\"url\":\"/rooted\"}],"
    "\"paths\":{\"/x\":{\"post\":{\"operationId\":\"go\",\"requestBody\":{\"content\":{"
    "\"application/x-www-form-urlencoded\":{\"schema\":{\"type\":\"object\",\"properties\":{"
    "\"a\":{\"type\":[\"string\",\"null\"],\"const\":\"x\"},"
    "\"b\":{\"$ref\":\"#/paths/~1x/post/x-s\",\"description\":\"beside\"}}}}}},"
    "\"x-s\":{\"type\":\"integer\"},\"responses\":{}}}},"
    "\"components\":{\"securitySchemes\":{\"o\":{\"type\":\"oauth2\",\"flows\":{"
    "\"clientCredentials\":{\"tokenUrl\":\"https://id.example.org/token\","
    "\"scopes\":{\"read\":\"\",\"write\":\"\"}}}}}},\"security\":[{\"o\":[\"read\"]}]}";

static void a_document_of_3_1_becomes_an_adapter(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, newer);
    assert_string_equal(at(&i, "interface.api.base_url"), "\"https://api.example.com/rooted\"");
    assert_int_equal(i.made.warned, 1);
    check_says(i.made.warnings[0], "does not say where the service is ('/rooted')");
    assert_int_equal(i.made.left_count, 0);
    assert_string_equal(at(&i, "interface.api.auth_method"), "\"oauth\"");
    assert_string_equal(
        at(&i, "interface.api.auth"),
        "{\"token_url\":\"https://id.example.org/token\",\"client_id\":"
        "\"client_id\",\"client_secret\":\"client_secret\",\"scope\":\"read write\"}");
    assert_string_equal(at(&i, "sandbox_override.network.allow"),
                        "[\"api.example.com\",\"id.example.org\"]");
    assert_string_equal(at(&i, "interface.api.headers.Content-Type"),
                        "\"application/x-www-form-urlencoded\"");
    assert_string_equal(at(&i, "operations.go.input.properties"),
                        "{\"a\":{\"type\":[\"string\",\"null\"],\"const\":\"x\"},"
                        "\"b\":{\"$ref\":\"#/$defs/x-s\",\"description\":\"beside\"}}");
}

/* Whoever calls brings a token of his own: from there none can be had. */
static void a_place_for_tokens_that_is_none_leaves_a_bearer(void **state)
{
    static const char *const places[] = { "https://id.exa|ple.org/token", "/token", "https://",
                                          "https://id.example.org/token#x" };

    (void)state;
    for (size_t k = 0; k < COUNT(places); k++) {
        _imported_ struct imported i = { 0 };
        _buf_ struct buf text = { .max = 4096 };
        const char *url = strstr(newer, "https://id.example.org/token");

        buf_add(&text, newer, (size_t)(url - newer));
        buf_adds(&text, places[k]);
        buf_adds(&text, strchr(url, '"'));
        import(&i, text.s);
        assert_string_equal(at(&i, "interface.api.auth_method"), "\"bearer\"");
        assert_string_equal(at(&i, "sandbox_override.network.allow"), "[\"api.example.com\"]");
    }
}

static void operations_are_chosen_by_patterns(void **state)
{
    static const struct {
        const char *include[3], *exclude[3];
        size_t operations;
    } rows[] = {
        { { "list", NULL }, { NULL }, 1 },      { { "*pet*", NULL }, { NULL }, 2 },
        { { "*", NULL }, { "*e*", NULL }, 1 },  { { NULL }, { "list", "create", NULL }, 4 },
        { { "l*t", "c*", NULL }, { NULL }, 2 }, { { "nothing", NULL }, { NULL }, 0 },
        { { "LIST", NULL }, { NULL }, 0 },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import_with(&i, pets,
                    (struct import_ask){ .include = rows[k].include, .exclude = rows[k].exclude });
        if (i.made.operations != rows[k].operations)
            fail_msg("row %zu has %zu", k, i.made.operations);
        assert_int_equal(i.good, rows[k].operations > 0);
        if (!i.good)
            check_says(i.e.msg, "none of its operations is chosen by --include and --exclude; it "
                                "has 13, such as show_pet_ById, replace, delete_pets_petId");
    }
}

static void what_is_no_document_is_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        { "{}", "this is no OpenAPI document" },
        { "[]", "this is no OpenAPI document" },
        { "text", "this is no OpenAPI document" },
        { "openapi: 4.0.0", "this is no OpenAPI document" },
        { "swagger: '1.2'", "this is no OpenAPI document" },
        { "openapi: 3.0.0", "there are no operations under `paths`" },
        { "openapi: 3.0.0\npaths: []", "there are no operations under `paths`" },
        { "openapi: 3.1.0\npaths: {/x: {get: 1, post: []}}", "there are no operations" },
        { "openapi: 3.1.0\nwebhooks: {x: {post: {}}}",
          "under `webhooks` is called by the service" },
        { "openapi: 3.1.0\npaths: {x: {get: {}}}", "its path 'x' does not begin with /" },
        { "openapi: 3.1.0\npaths: {'#x': {get: {}}}", "its path '' does not begin with /" },
        { "openapi: 3.1.0\npaths: {'/x y': {get: {}}}", "its path '/x y' has a blank" },
        { "openapi: 3.1.0\npaths: {'/x?a=b': {get: {}}}", "its path '/x?a=b' has a query" },
        { "openapi: 3.1.0\npaths: {'/{}': {get: {}}}", "a placeholder without a name" },
        { "openapi: 3.1.0\npaths: {'/a}': {get: {}}}", "half a pair of braces" },
        { "openapi: 3.1.0\npaths: {'/{a': {get: {}}}", "half a pair of braces" },
        { "openapi: 3.1.0\npaths: {/x: {$ref: 'http://x/y'}}", "only references within" },
        { "openapi: 3.1.0\npaths: {/x: {get: {security: [{a: [], b: []}]}}}", "two ways at once" },
        { "openapi: 3.1.0\npaths: {/x: {get: {parameters: [{in: query}]}}}", "without a name" },
        { "openapi: 3.1.0\npaths: {/x: {get: {parameters: [1]}}}", "without a name" },
        { "{\"openapi\":\"3.1.0\",\"paths\":{\"/x\":{\"post\":{\"requestBody\":{\"content\":{"
          "\"application/json\":{\"schema\":{\"enum\":[\"a\\u0000\"]}}}}}}}}",
          "a NUL byte" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import_with(&i, rows[k].text, (struct import_ask){ 0 });
        if (i.good)
            fail_msg("%s was taken", rows[k].text);
        check_says(i.e.msg, rows[k].why);
    }
}

static const char odd_names[] =
    "openapi: 3.1.0\n"
    "info: {title: '  ../../Ü  '}\n"
    "paths:\n"
    "  /a: {get: {operationId: 'a.b'}, post: {operationId: 'a/b'}}\n"
    "  /b/{x}: {get: {parameters: [{in: query, name: x}, {in: header, name: x}]}}\n"
    "  /c: {get: {operationId: '\\n: {}'}}\n"
    "  /\xc3\xa4: {get: {}}\n"
    "  '/d/{x}#A=B?{c}': {get: {}}\n";

static void names_are_made_to_fit_and_to_differ(void **state)
{
    _imported_ struct imported i = { 0 };

    (void)state;
    import(&i, odd_names);
    assert_string_equal(i.made.adapter_id, "unnamed");
    assert_string_equal(at(&i, "interface.api.endpoint_mapping"),
                        "{\"a_b\":\"GET /a\",\"a_b_2\":\"POST /a\",\"get_b_x\":\"GET /b/{x}\","
                        "\"n\":\"GET /c\",\"get_unnamed\":\"GET /\xc3\xa4\","
                        "\"get_d_x_A_B_c\":\"GET /d/{x}\"}");
    assert_string_equal(at(&i, "operations.get_b_x.parameters"),
                        "{\"x\":{\"in\":\"query\"},\"header_x\":{\"in\":\"header\",\"name\":\"x\"},"
                        "\"path_x\":{\"in\":\"path\",\"name\":\"x\"}}");
}

/* The second of one name has its number also where the first is not wanted. */
static void names_do_not_depend_on_what_is_chosen(void **state)
{
    static const char *const include[] = { "a_b_2", NULL };
    _imported_ struct imported i = { 0 };

    (void)state;
    import_with(&i, odd_names, (struct import_ask){ .include = include });
    assert_true(i.good);
    assert_string_equal(at(&i, "interface.api.endpoint_mapping"), "{\"a_b_2\":\"POST /a\"}");
}

static void auth_is_taken_from_the_first_scheme_that_can_be_done(void **state)
{
    static const struct {
        const char *schemes, *security, *method;
    } rows[] = {
        { "{a: {type: http, scheme: bearer}}", "[{a: []}]", "\"bearer\"" },
        { "{a: {type: apiKey, in: header, name: X-K}}", "[{a: []}]", "\"api_key\"" },
        { "{a: {type: apiKey, in: cookie, name: k}}", "[{a: []}]", "\"api_key\"" },
        { "{a: {type: http, scheme: digest}, b: {type: http, scheme: bearer}}",
          "[{a: []}, {b: []}]", "\"bearer\"" },
        { "{a: {type: http, scheme: Basic}, b: {type: http, scheme: bearer}}", "[{a: []}, {b: []}]",
          "\"basic\"" },
        { "{a: {type: basic}}", "[{a: []}]", "\"basic\"" },
        { "{a: {type: oauth2, flows: {authorizationCode: {}}}}", "[{a: []}]", "\"bearer\"" },
        { "{a: {type: openIdConnect}}", "[{a: []}]", "\"bearer\"" },
        { "{}", "[]", "\"none\"" },
        { "{a: {type: http, scheme: bearer}}", "[{}, {a: []}]", "\"bearer\"" },
        { "{a: {type: http, scheme: digest}}", "[{}, {a: []}]", "\"none\"" },
        { "{a: {type: oauth2, flows: {implicit: {}}}, b: {type: http, scheme: bearer}}",
          "[{a: [], b: []}]", "\"bearer\"" },
        { "{a: {type: http, scheme: bearer}, b: {type: apiKey, in: header, name: k}}",
          "[{a: [], b: []}, {b: []}]", "\"api_key\"" },
    };

    (void)state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        _imported_ struct imported i = { 0 };

        import(&i, arena_printf(&i.a,
                                "openapi: 3.0.0\npaths: {/x: {get: {}}}\nsecurity: %s\n"
                                "components: {securitySchemes: %s}\n",
                                rows[k].security, rows[k].schemes));
        assert_string_equal(at(&i, "interface.api.auth_method"), rows[k].method);
    }
}

static void operations_that_are_sent_a_proof_they_do_not_ask_for_are_told(void **state)
{
    static const char *const open[] = { "open", NULL };
    _imported_ struct imported i = { 0 }, alone = { 0 };

    (void)state;
    import(&i, pets);
    assert_int_equal(i.made.warned, 1);
    check_says(i.made.warnings[0], "open: the document asks for no proof of who calls");
    import_with(&alone, pets, (struct import_ask){ .include = open });
    assert_true(alone.good);
    assert_int_equal(alone.made.warned, 0);
    assert_string_equal(at(&alone, "interface.api.auth_method"), "\"none\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_of_3_0_becomes_an_adapter),
        cmocka_unit_test(parameters_of_a_path_are_inherited_and_overridden),
        cmocka_unit_test(bodies_are_flat_where_they_can_be),
        cmocka_unit_test(parameters_become_what_we_can_write),
        cmocka_unit_test(what_cannot_be_called_is_left_out_with_the_reason),
        cmocka_unit_test(a_document_of_Swagger_2_becomes_an_adapter),
        cmocka_unit_test(a_document_of_3_1_becomes_an_adapter),
        cmocka_unit_test(a_place_for_tokens_that_is_none_leaves_a_bearer),
        cmocka_unit_test(operations_are_chosen_by_patterns),
        cmocka_unit_test(what_is_no_document_is_refused),
        cmocka_unit_test(names_are_made_to_fit_and_to_differ),
        cmocka_unit_test(names_do_not_depend_on_what_is_chosen),
        cmocka_unit_test(operations_that_are_sent_a_proof_they_do_not_ask_for_are_told),
        cmocka_unit_test(auth_is_taken_from_the_first_scheme_that_can_be_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
