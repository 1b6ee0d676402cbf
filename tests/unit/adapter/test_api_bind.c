/* SPDX-License-Identifier: Apache-2.0 */
/* test_api_bind.c: parameters become a request, encoded by their place, or are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapter/api_bind.h"
#include "base/fs.h"
#include "unit/adapter/given.h"
#include "unit/contract/data.h"

static const char shop[] =
    "adapter_id: shop\n"
    "name: shop\n"
    "version: 1.0.0\n"
    "tool_id: shop\n"
    "type: api\n"
    "interface:\n"
    "  api:\n"
    "    base_url: http://localhost:4010/v1/\n"
    "    headers: {X-Own: one}\n"
    "    endpoint_mapping:\n"
    "      get: GET /things/{id}\n"
    "      bare: /things\n"
    "      files: GET /files/.{name}\n"
    "      find: GET /find?kind=all\n"
    "      inside: GET /find?q={q}\n"
    "      make: POST /things\n"
    "      put: PUT /things/{id}\n"
    "      mend: PATCH /things/{id}\n"
    "      drop: DELETE /things/{id}\n"
    "      placed: POST /placed/{where}\n"
    "      whole: POST /whole\n"
    "      closed: GET /closed\n"
    "      safe_post: POST /search\n"
    "      odd_get: GET /fire\n"
    "      bad_header: GET /h\n"
    "      marks: GET /m\xc3\xb6|x\n"
    "operations:\n"
    "  placed:\n"
    "    parameters:\n"
    "      place: {in: path, name: where}\n"
    "      trace: {in: header, name: X-Trace}\n"
    "      key: {in: header, name: Idempotency-Key}\n"
    "      crumb: {in: cookie}\n"
    "      page: {in: query, name: p}\n"
    "      more: {in: body, name: rest}\n"
    "  whole: {body: item, parameters: {dry: {in: query}}}\n"
    "  closed: {input: {type: object, properties: {limit: {}, offset: {}}, additionalProperties: false}}\n"
    "  safe_post: {effect: read}\n"
    "  mend: {content_type: application/merge-patch+json}\n"
    "  drop: {content_type: application/json}\n"
    "  odd_get: {effect: write}\n"
    "  bad_header: {parameters: {host: {in: header, name: Host}}}\n"
    "sandbox_override: {network: {enabled: true, allow: [localhost]}}\n"
    "metadata: {author: x, created: 2026-01-16, updated: 2026-01-16, status: active}\n";

struct bound {
    struct arena a;
    struct adapter adapter;
    struct api_call call;
    struct error e;
    bool good;
};

static void bound_free(struct bound *b)
{
    arena_free(&b->a);
}

#define _bound_ _cleanup_(bound_free)

static void bind_str(struct bound *b, const char *adapter, const char *operation, struct str params)
{
    load_adapter(&b->a, adapter, &b->adapter);
    b->good = api_bind(&b->adapter, str_of(operation), load_params(&b->a, params), &b->a, &b->call,
                       &b->e);
}

static void bind(struct bound *b, const char *operation, const char *params)
{
    bind_str(b, shop, operation, str_of(params));
}

static void check_url(const char *operation, const char *params, const char *url)
{
    _bound_ struct bound b = { 0 };

    bind(&b, operation, params);
    if (!b.good)
        fail_msg("%s %s: %s", operation, params, b.e.msg);
    assert_string_equal(b.call.request.url, url);
}

static void check_refused(const char *operation, struct str params, const char *why)
{
    _bound_ struct bound b = { 0 };

    bind_str(&b, shop, operation, params);
    if (b.good)
        fail_msg("%s %.*s became %s", operation, STR_ARG(params), b.call.request.url);
    assert_int_equal(b.e.code, CODE_PARAMETER_REFUSED);
    if (!strstr(b.e.msg, why))
        fail_msg("%s: '%s' does not say '%s'", operation, b.e.msg, why);
}

static struct str header(const struct api_call *call, const char *name)
{
    for (size_t i = 0; i < call->request.header_count; i++)
        if (str_is(call->request.headers[i].name, name))
            return call->request.headers[i].value;
    return (struct str){ 0 };
}

/* ---- places ---- */

static void R_001_093_path_and_query_are_encoded(void **state)
{
    static const struct {
        const char *operation, *params, *url;
    } rows[] = {
        { "get", "{\"id\":1}", "http://localhost:4010/v1/things/1" },
        { "get", "{\"id\":\"a b/c?d#e\"}", "http://localhost:4010/v1/things/a%20b%2Fc%3Fd%23e" },
        { "get", "{\"id\":\"%2e%2e\"}", "http://localhost:4010/v1/things/%252e%252e" },
        { "get", "{\"id\":\"...\"}", "http://localhost:4010/v1/things/..." },
        { "get", "{\"id\":\"a..b\"}", "http://localhost:4010/v1/things/a..b" },
        { "get", "{\"id\":\"\\r\\nHost: x\"}",
          "http://localhost:4010/v1/things/%0D%0AHost%3A%20x" },
        { "get", "{\"id\":\"\xc3\xa4\"}", "http://localhost:4010/v1/things/%C3%A4" },
        { "get", "{\"id\":true,\"verbose\":1.5}",
          "http://localhost:4010/v1/things/true?verbose=1.5" },
        { "get", "{\"id\":[1,\"a,b\"]}", "http://localhost:4010/v1/things/1,a%2Cb" },
        { "bare", "{}", "http://localhost:4010/v1/things" },
        { "bare", "{\"q\":\"a&b=c d+e\"}", "http://localhost:4010/v1/things?q=a%26b%3Dc%20d%2Be" },
        { "bare", "{\"tag\":[\"a\",\"b\"],\"n\":-5}",
          "http://localhost:4010/v1/things?tag=a&tag=b&n=-5" },
        { "bare", "{\"tag\":[],\"none\":null}", "http://localhost:4010/v1/things" },
        { "bare", "{\"a b&c\":\"\"}", "http://localhost:4010/v1/things?a%20b%26c=" },
        { "find", "{\"q\":\"x\"}", "http://localhost:4010/v1/find?kind=all&q=x" },
        { "inside", "{\"q\":\"a&b\"}", "http://localhost:4010/v1/find?q=a%26b" },
        { "marks", "{}", "http://localhost:4010/v1/m%C3%B6%7Cx" },
        { "drop", "{\"id\":\"x\",\"force\":true}", "http://localhost:4010/v1/things/x?force=true" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_url(rows[i].operation, rows[i].params, rows[i].url);
}

static void a_path_is_never_climbed(void **state)
{
    static const struct {
        const char *operation, *params, *why;
    } rows[] = {
        { "get", "{\"id\":\".\"}", "'id' has '.' or '..'" },
        { "get", "{\"id\":\"..\"}", "'id' has '.' or '..'" },
        { "get", "{\"id\":\"../../etc\"}", "'id' has '.' or '..'" },
        { "get", "{\"id\":\"a/../b\"}", "'id' has '.' or '..'" },
        { "get", "{\"id\":\"a\\\\..\\\\b\"}", "'id' has '.' or '..'" },
        { "get", "{\"id\":\"a/..\"}", "'id' has '.' or '..'" },
        { "get", "{\"id\":\"\"}", "'id' is empty" },
        { "get", "{\"id\":[]}", "'id' is empty" },
        { "get", "{}", "get needs 'id'" },
        { "get", "{\"id\":null}", "'id' is null" },
        { "get", "{\"id\":{\"a\":1}}", "'id' is a map" },
        { "get", "{\"id\":[[1]]}", "'id' is a list of lists" },
        { "get", "{\"id\":\"a\\u0000b\"}", "a NUL byte" },
        { "files", "{\"name\":\".\"}", "'.' or '..'" },
        { "bare", "{\"q\":{\"a\":1}}", "'q' is a map" },
        { "bare", "{\"q\":[{}]}", "'q' has an item that is a map" },
        { "bare", "{\"q\":[1,null]}", "'q' has an item that is null" },
        { "bare", "{\"q\":\"a\\u0000b\"}", "a NUL byte" },
        { "bare", "[1]", "must be a map" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_refused(rows[i].operation, str_of(rows[i].params), rows[i].why);
}

/* Two values that are harmless alone must not be "..", put together. */
static void values_side_by_side_do_not_climb_either(void **state)
{
    _bound_ struct bound b = { 0 };

    (void)state;
    bind_str(&b, shop, "files", str_of("{\"name\":\"hidden\"}"));
    assert_true(b.good);
    assert_string_equal(b.call.request.url, "http://localhost:4010/v1/files/.hidden");
    check_refused("files", str_of("{\"name\":\"\"}"), "'name' is empty");
}

static void large_values_are_refused_where_they_do_not_fit(void **state)
{
    static const struct {
        const char *before, *operation, *why;
    } rows[] = {
        { "{\"id\":\"", "get", "64 KiB" },
        { "{\"q\":\"", "bare", "64 KiB" },
        { "{\"place\":1,\"trace\":\"", "placed", "64 KiB" },
        { "{\"place\":1,\"crumb\":\"", "placed", "64 KiB" },
    };
    enum { SIZE = 1 << 20 };
    _arena_ struct arena a = { 0 };
    char *large = arena_alloc(&a, SIZE + 1);

    (void)state;
    memset(large, 'x', SIZE);
    for (size_t i = 0; i < COUNT(rows); i++)
        check_refused(rows[i].operation, str_of(arena_printf(&a, "%s%s\"}", rows[i].before, large)),
                      rows[i].why);
    {
        _bound_ struct bound b = { 0 };

        bind(&b, "make", arena_printf(&a, "{\"text\":\"%s\"}", large));
        assert_true(b.good);
        assert_int_equal(b.call.request.body.n, SIZE + strlen("{\"text\":\"\"}"));
    }
}

static void each_parameter_goes_where_the_operation_says(void **state)
{
    _bound_ struct bound b = { 0 };

    (void)state;
    bind(&b, "placed",
         "{\"place\":\"x y\",\"trace\":[\"t1\",\"t2\"],\"crumb\":\"a;b\",\"page\":[1,2],"
         "\"more\":{\"a\":[null]},\"free\":\"f\"}");
    if (!b.good)
        fail_msg("%s", b.e.msg);
    assert_string_equal(b.call.request.url, "http://localhost:4010/v1/placed/x%20y?p=1&p=2");
    assert_string_equal(b.call.shown, "POST http://localhost:4010/v1/placed/x%20y?p=..&p=..");
    assert_true(str_is(b.call.host, "localhost"));
    assert_true(str_is(header(&b.call, "X-Trace"), "t1,t2"));
    assert_true(str_is(header(&b.call, "X-Own"), "one"));
    assert_true(str_is(header(&b.call, "Cookie"), "crumb=a%3Bb"));
    assert_true(str_is(header(&b.call, "Content-Type"), "application/json"));
    assert_true(str_is(b.call.request.body, "{\"rest\":{\"a\":[null]},\"free\":\"f\"}"));
    assert_int_equal(b.call.request.cancel, -1);
    assert_string_equal(b.call.request.method, "POST");
}

static void a_header_never_ends_its_line(void **state)
{
    static const char *const values[] = { "a\\r\\nX: y", "a\\nb", "a\\rb", "a\\u0001", "a\\u007f" };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++)
        check_refused("placed",
                      str_of(arena_printf(&a, "{\"place\":1,\"trace\":\"%s\"}", values[i])),
                      "control character");
    check_refused("placed", str_of("{\"place\":1,\"trace\":\"a\\u0000\"}"), "NUL");
    check_refused("placed", str_of("{\"place\":1,\"crumb\":[1]}"), "a cookie is one value");
    check_refused("bad_header", str_of("{\"host\":\"evil.net\"}"), "belongs to the connection");
}

static void parameters_do_not_take_each_other_s_place(void **state)
{
    (void)state;
    check_refused("placed", str_of("{\"place\":1,\"more\":1,\"rest\":2}"),
                  "'rest' has the place of another parameter");
    check_refused("placed", str_of("{\"place\":1,\"where\":2}"),
                  "'where' has the place of another");
    check_refused("whole", str_of("{\"item\":1,\"other\":2}"), "'other' has no place");
}

/* ---- bodies ---- */

static void a_body_is_JSON_of_what_is_left_or_of_one_parameter(void **state)
{
    static const struct {
        const char *operation, *params, *body;
    } rows[] = {
        { "make", "{\"a\":\"\\u0000\\\"\",\"b\":[1,{\"c\":null}],\"d\":1e3}",
          "{\"a\":\"\\u0000\\\"\",\"b\":[1,{\"c\":null}],\"d\":1000}" },
        { "put", "{\"id\":7,\"name\":\"n\"}", "{\"name\":\"n\"}" },
        { "mend", "{\"id\":7,\"name\":null}", "{\"name\":null}" },
        { "whole", "{\"item\":[1,2],\"dry\":true}", "[1,2]" },
        { "whole", "{\"item\":\"text\"}", "\"text\"" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _bound_ struct bound b = { 0 };

        bind(&b, rows[i].operation, rows[i].params);
        if (!b.good)
            fail_msg("%s", b.e.msg);
        if (!str_is(b.call.request.body, rows[i].body))
            fail_msg("%.*s", STR_ARG(b.call.request.body));
    }
}

static void no_parameters_make_no_body(void **state)
{
    _bound_ struct bound b = { 0 };

    (void)state;
    bind(&b, "make", "{}");
    assert_true(b.good);
    assert_null(b.call.request.body.s);
    assert_null(header(&b.call, "Content-Type").s);
    b.good = api_bind(&b.adapter, str_of("make"), NULL, &b.a, &b.call, &b.e);
    assert_true(b.good);
}

static const char form[] = "adapter_id: f\nname: f\nversion: 1.0.0\ntool_id: f\ntype: api\n"
                           "interface:\n"
                           "  api:\n"
                           "    base_url: https://f.example.org\n"
                           "    headers: {content-type: %s}\n"
                           "    endpoint_mapping: {send: POST /send, text: POST /text, "
                           "mend: PATCH /it}\n"
                           "operations: {text: {body: it}, mend: {content_type: "
                           "application/json-patch+json}}\n"
                           "metadata: {author: x, created: 2026-01-16, updated: 2026-01-16, "
                           "status: active}\n";

/* What the headers say of all bodies gives way; where there is no body nothing is said. */
static void an_operation_has_a_content_type_of_its_own(void **state)
{
    _bound_ struct bound alone = { 0 }, beside = { 0 }, none = { 0 };
    char text[1000];

    (void)state;
    bind(&alone, "mend", "{\"id\":1,\"a\":2}");
    assert_true(str_is(header(&alone.call, "Content-Type"), "application/merge-patch+json"));
    (void)snprintf(text, sizeof text, form, "text/plain");
    bind_str(&beside, text, "mend", str_of("{\"a\":2}"));
    assert_int_equal(beside.call.request.header_count, 1);
    assert_true(str_is(header(&beside.call, "content-type"), "application/json-patch+json"));
    assert_true(str_is(beside.call.request.body, "{\"a\":2}"));
    bind(&none, "drop", "{\"id\":1}");
    assert_true(none.good);
    assert_null(header(&none.call, "Content-Type").s);
}

static void a_body_of_another_type_is_a_form_or_a_text(void **state)
{
    static const struct {
        const char *type, *operation, *params, *body;
    } rows[] = {
        { "application/x-www-form-urlencoded", "send", "{\"a\":\"x y&z\",\"b\":[1,2],\"c\":null}",
          "a=x%20y%26z&b=1&b=2" },
        { "application/x-www-form-urlencoded", "text", "{\"it\":{\"a\":\"=\"}}", "a=%3D" },
        { "text/plain", "text", "{\"it\":\"as \\n it is\"}", "as \n it is" },
        { "application/vnd.api+json", "send", "{\"a\":1}", "{\"a\":1}" },
        { "application/x-www-form-urlencoded ; charset=utf-8", "send", "{\"a\":1}", "a=1" },
        { "application/x-www-form-urlencodedX", "send", "{\"a\":1}", NULL },
        { "application/x-ndjson", "text", "{\"it\":[{\"a\":1},\"x\"]}", "{\"a\":1}\n\"x\"\n" },
        { "application/x-ndjson", "text", "{\"it\":{\"a\":1}}", "{\"a\":1}\n" },
        { "application/jsonl", "text", "{\"it\":\"{}\\n[]\\n\"}", "{}\n[]\n" },
        { "application/ndjson", "send", "{\"a\":1}", "{\"a\":1}\n" },
        { "application/json-seq", "text", "{\"it\":[1]}", NULL },
        { "text/plain", "text", "{\"it\":1}", NULL },
        { "text/plain", "send", "{\"it\":\"x\"}", NULL },
        { "application/x-www-form-urlencoded", "send", "{\"a\":{\"b\":1}}", NULL },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _bound_ struct bound b = { 0 };
        char text[1000];

        (void)snprintf(text, sizeof text, form, rows[i].type);
        bind_str(&b, text, rows[i].operation, str_of(rows[i].params));
        assert_int_equal(b.good, rows[i].body != NULL);
        if (rows[i].body && !str_is(b.call.request.body, rows[i].body))
            fail_msg("%.*s", STR_ARG(b.call.request.body));
    }
}

/* ---- what is not there ---- */

static void what_an_operation_does_not_have_is_refused_with_the_nearest_name(void **state)
{
    _bound_ struct bound b = { 0 };

    (void)state;
    check_refused("closed", str_of("{\"limt\":1}"),
                  "closed has no parameter 'limt'; did you mean 'limit'?");
    check_refused("closed", str_of("{\"zzzzzzzz\":1}"), "closed has no parameter 'zzzzzzzz'");
    check_url("closed", "{\"limit\":1}", "http://localhost:4010/v1/closed?limit=1");
    bind(&b, "gte", "{}");
    assert_false(b.good);
    assert_int_equal(b.e.code, CODE_OPERATION_UNKNOWN);
    assert_string_equal(b.e.msg, "shop has no operation 'gte'; did you mean 'get'?");
}

static void too_many_parameters_are_refused(void **state)
{
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    buf_adds(&text, "{\"p\":1");
    for (int i = 0; i < 1000; i++)
        buf_addf(&text, ",\"p%d\":1", i);
    buf_addc(&text, '}');
    check_refused("bare", buf_str(&text), "1001 parameters, allowed at most 1000");
}

static void R_001_109_what_may_be_sent_twice_is_known(void **state)
{
    static const struct {
        const char *operation, *params;
        bool repeatable;
    } rows[] = {
        { "bare", "{}", true },
        { "put", "{\"id\":1}", true },
        { "drop", "{\"id\":1}", true },
        { "make", "{}", false },
        { "mend", "{\"id\":1}", false },
        { "safe_post", "{}", true },
        { "odd_get", "{}", false },
        { "placed", "{\"place\":1}", false },
        { "placed", "{\"place\":1,\"key\":\"k\"}", true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _bound_ struct bound b = { 0 };

        bind(&b, rows[i].operation, rows[i].params);
        assert_true(b.good);
        if (b.call.repeatable != rows[i].repeatable)
            fail_msg("%s", rows[i].operation);
    }
}

/* ---- ADP-002, as the contract prints it ---- */

static void R_001_090_R_001_092_R_001_093_the_example_of_the_contract_is_bound(void **state)
{
    static const struct {
        const char *operation, *params, *method, *url, *body;
    } rows[] = {
        { "get_resource", "{\"id\":\"a/b\"}", "GET", "https://api.example.com/v1/resources/a%2Fb",
          NULL },
        { "list_resources", "{\"page\":2}", "GET", "https://api.example.com/v1/resources?page=2",
          NULL },
        { "create_resource", "{\"name\":\"n\"}", "POST", "https://api.example.com/v1/resources",
          "{\"name\":\"n\"}" },
    };
    _arena_ struct arena a = { 0 };
    const char *text = data_text(&a, "contract-001/adp-002.yaml");

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _bound_ struct bound b = { 0 };

        bind_str(&b, text, rows[i].operation, str_of(rows[i].params));
        if (!b.good)
            fail_msg("%s", b.e.msg);
        assert_string_equal(b.call.request.method, rows[i].method);
        assert_string_equal(b.call.request.url, rows[i].url);
        assert_true(str_is(b.call.host, "api.example.com"));
        assert_true(str_is(header(&b.call, "Content-Type"), "application/json"));
        assert_true(str_is(header(&b.call, "Accept"), "application/json"));
        assert_int_equal(b.call.request.header_count, 2);
        if (rows[i].body)
            assert_true(str_is(b.call.request.body, rows[i].body));
        else
            assert_null(b.call.request.body.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_093_path_and_query_are_encoded),
        cmocka_unit_test(a_path_is_never_climbed),
        cmocka_unit_test(values_side_by_side_do_not_climb_either),
        cmocka_unit_test(large_values_are_refused_where_they_do_not_fit),
        cmocka_unit_test(each_parameter_goes_where_the_operation_says),
        cmocka_unit_test(a_header_never_ends_its_line),
        cmocka_unit_test(parameters_do_not_take_each_other_s_place),
        cmocka_unit_test(a_body_is_JSON_of_what_is_left_or_of_one_parameter),
        cmocka_unit_test(no_parameters_make_no_body),
        cmocka_unit_test(an_operation_has_a_content_type_of_its_own),
        cmocka_unit_test(a_body_of_another_type_is_a_form_or_a_text),
        cmocka_unit_test(what_an_operation_does_not_have_is_refused_with_the_nearest_name),
        cmocka_unit_test(too_many_parameters_are_refused),
        cmocka_unit_test(R_001_109_what_may_be_sent_twice_is_known),
        cmocka_unit_test(R_001_090_R_001_092_R_001_093_the_example_of_the_contract_is_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
