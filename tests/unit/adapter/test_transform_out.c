/* SPDX-License-Identifier: Apache-2.0 */
/* test_transform_out.c: what is done to what comes back (contract 001): parse, extract, order. */
#include "base/fs.h"
#include "unit/adapter/loaded.h"

#define PARSE(spec)   "{type: parse, spec: " spec "}"
#define EXTRACT(spec) "{type: extract, spec: " spec "}"
#define FORMAT(spec)  "{type: format, spec: " spec "}"
#define BYTES(text)   ((struct str){ text, sizeof(text) - 1 })

/* ---- parse ---- */

static void R_001_105_json_is_read(void **state)
{
    (void)state;
    check_output(PARSE("json"), " {\"a\": [1, 2.50, null]}\n", "{\"a\":[1,2.5,null]}");
    check_output_fails(PARSE("json"), BYTES("{\"a\": 1,\n \"a\": 2}"),
                       "parse: json: line 2, column 2: the key 'a' is given twice");
    check_output_fails(PARSE("json"), BYTES(" \n"), "parse: json: there is nothing to read");
}

/* What a tool answered is not lost for a number that no double holds: it has done its work. */
static void R_001_105_R_001_106_numbers_stay_as_they_came(void **state)
{
    static const char came[] = "{\"id\": 12345678901234567891, \"f\": 0.1234567890123456789, "
                               "\"e\": [1E+400, -1e-400, 1152921504606846976]}";
    static const char there[] = "{\"id\":12345678901234567891,\"f\":0.1234567890123456789,"
                                "\"e\":[1E+400,-1e-400,1152921504606846976]}";

    (void)state;
    check_output(PARSE("json"), came, there);
    check_output(PARSE("json_lines"), "9007199254740993\n1.50\n", "[9007199254740993,1.5]");
    check_output(PARSE("yaml"), "{a: +09007199254740993, b: 1e400, c: .5}",
                 "{\"a\":9007199254740993,\"b\":1e400,\"c\":0.5}");
    check_output(EXTRACT("$.id"), came, "12345678901234567891");
    check_output(EXTRACT("'/e/0'"), came, "1E+400");
    check_output(EXTRACT("'$[?@.id > 9007199254740992].id'"),
                 "[{\"id\": 9007199254740992}, {\"id\": 9007199254740993}]", "[9007199254740993]");
    check_output(PARSE("json") ", " FORMAT("json_pretty"), "[9007199254740993]",
                 "[\n  9007199254740993\n]\n");
    check_output(PARSE("json") ", " FORMAT("{template: '{id} {/e/1}'}"), came,
                 "12345678901234567891 -1e-400");
    check_output(PARSE("json") ", " FORMAT("yaml") ", " PARSE("yaml"), came,
                 "{\"id\":12345678901234567891,\"f\":0.1234567890123456789,"
                 "\"e\":[1.0E+400,-1.0e-400,1152921504606846976]}");
}

static void R_001_105_json_lines_are_read(void **state)
{
    (void)state;
    check_output(PARSE("json_lines"), "{\"a\":1}\r\n\n[2]\n \n\"x\"", "[{\"a\":1},[2],\"x\"]");
    check_output(PARSE("json_lines"), "", "[]");
    check_output_fails(PARSE("json_lines"), BYTES("{}\n\n{]\n"),
                       "parse: json_lines: line 3, column 2: found ']', expected a key in quotes");
    check_output_fails(PARSE("json_lines"), BYTES("1 2\n"),
                       "parse: json_lines: line 1, column 3: found '2', expected the end of the "
                       "text");
}

static void R_001_105_yaml_is_read(void **state)
{
    (void)state;
    check_output(PARSE("yaml"), "a: 1\nb: [x, no]\r\n", "{\"a\":1,\"b\":[\"x\",\"no\"]}");
}

static void R_001_105_lines_are_read(void **state)
{
    (void)state;
    check_output(PARSE("lines"), "a\r\n\n b\n", "[\"a\",\"\",\" b\"]");
    check_output(PARSE("lines"), "a\nb", "[\"a\",\"b\"]");
    check_output(PARSE("lines"), "", "[]");
    check_output(PARSE("lines"), "\xef\xbb\xbfx\n", "[\"x\"]");
}

static void R_001_105_keys_with_values_are_read(void **state)
{
    (void)state;
    check_output(PARSE("kv"),
                 "# os-release\n"
                 "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
                 "\n"
                 "ID=debian\r\n"
                 "  LOGO='it is \\here'\n"
                 "ESCAPED=\"a \\\"b\\\" \\\\ \\$x \\n\"\n"
                 "URL: https://example.com/?a=b\n"
                 "PATH=/bin:/usr/bin\n"
                 "EMPTY=\n"
                 "NOTHING:\n",
                 "{\"PRETTY_NAME\":\"Debian GNU/Linux 12 (bookworm)\",\"ID\":\"debian\","
                 "\"LOGO\":\"it is \\\\here\",\"ESCAPED\":\"a \\\"b\\\" \\\\ $x \\\\n\","
                 "\"URL\":\"https://example.com/?a=b\",\"PATH\":\"/bin:/usr/bin\",\"EMPTY\":\"\","
                 "\"NOTHING\":\"\"}");
    check_output(PARSE("{kv: {separator: ' -> '}}"), "a=b -> c: d\n", "{\"a=b\":\"c: d\"}");
}

static void R_001_105_quotes_count_only_around_all_of_a_value(void **state)
{
    (void)state;
    check_output(PARSE("kv"), "a=\"x\" and \"y\"\nb='it''s'\nc=\"\nd=\"x\\\"\ne=\"x\\\\\"\nf=''\n",
                 "{\"a\":\"\\\"x\\\" and \\\"y\\\"\",\"b\":\"'it''s'\",\"c\":\"\\\"\","
                 "\"d\":\"\\\"x\\\\\\\"\",\"e\":\"x\\\\\",\"f\":\"\"}");
}

static void R_001_105_a_line_without_key_or_value_is_refused(void **state)
{
    (void)state;
    check_output_fails(PARSE("kv"), BYTES("a=1\n\nnothing\n"),
                       "parse: kv: line 3: 'nothing' has no separator");
    check_output_fails(PARSE("kv"), BYTES("=1\n"), "parse: kv: line 1: '=1' has no key");
    check_output_fails(PARSE("kv"), BYTES("a=1\n#\na=2\n"),
                       "parse: kv: line 3: the key 'a' was there before");
}

static void R_001_105_what_is_no_text_is_refused_with_its_place(void **state)
{
    static const char *const names[] = { PARSE("json"), PARSE("json_lines"),
                                         PARSE("yaml"), PARSE("csv"),
                                         PARSE("tsv"),  PARSE("lines"),
                                         PARSE("kv"),   PARSE("{regex: '(?<a>.)'}") };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        _loaded_ struct loaded l = { 0 };

        assert_null(output_of(&l, names[i], BYTES("ab\xff")));
        assert_non_null(strstr(l.e.msg, ": not UTF-8 at byte 2"));
        assert_string_equal(l.e.at.ptr, "/transforms/output/0/spec");
        assert_null(output_of(&l, names[i], BYTES("a\0b")));
        assert_non_null(strstr(l.e.msg, ": a NUL at byte 1 is no text"));
    }
}

static void R_001_105_a_text_in_a_document_is_parsed_too(void **state)
{
    (void)state;
    check_output(EXTRACT("/text") ", " PARSE("json"), "{\"text\":\"[1,2]\"}", "[1,2]");
    check_output(EXTRACT("/v") ", " PARSE("json"), "{\"v\":[1,2]}", "[1,2]");
    check_output_fails(EXTRACT("/v") ", " PARSE("csv"), BYTES("{\"v\":[1,2]}"),
                       "parse: the output is a list of 2, must be text");
}

static void R_001_105_a_spec_that_is_none_is_found_early(void **state)
{
    static const char all[] = "json, json_lines, yaml, csv, tsv, lines, kv, regex";
    char msg[200];

    (void)state;
    (void)snprintf(msg, sizeof msg,
                   "parse: 'json_line' is not one of %s (did you mean 'json_lines'?)", all);
    check_problem("transforms: {output: [{type: parse, spec: json_line}]}",
                  "/transforms/output/0/spec", msg);
    (void)snprintf(msg, sizeof msg, "parse: 'xml' is not one of %s", all);
    check_problem("transforms: {output: [{type: parse, spec: {xml: {}}}]}",
                  "/transforms/output/0/spec/xml", msg);
    check_problem("transforms: {output: [{type: parse, spec: 5}]}", "/transforms/output/0/spec",
                  "parse: 5 is no name, and no name with options such as {csv: {header: false}}");
    check_problem("transforms: {output: [{type: parse, spec: {}}]}", "/transforms/output/0/spec",
                  "parse: {} names nothing");
    check_problem("transforms: {output: [{type: parse, spec: {csv: {}, tsv: {}}}]}",
                  "/transforms/output/0/spec/tsv", "parse: 'csv' and 'tsv': name one");
    check_problem("transforms: {output: [{type: parse, spec: {json: {a: 1}}}]}",
                  "/transforms/output/0/spec/json/a", "'json' has no options");
    check_problem("transforms: {output: [{type: parse, spec: {csv: 5}}]}",
                  "/transforms/output/0/spec/csv", "'csv' is 5, must be a map of its options");
}

static void R_001_105_options_are_checked(void **state)
{
    (void)state;
    check_problem("transforms: {output: [{type: parse, spec: {csv: {headers: false}}}]}",
                  "/transforms/output/0/spec/csv/headers",
                  "a csv parser has no field 'headers' (did you mean 'header'?)");
    check_problem("transforms: {output: [{type: parse, spec: {csv: {}, header: 1}}]}",
                  "/transforms/output/0/spec/header", "header is 1, must be true or false");
    check_problem(
        "transforms: {output: [{type: parse, spec: {csv: {header: true}, header: true}}]}",
        "/transforms/output/0/spec/csv", "'header' is given twice");
    check_problem("transforms: {output: [{type: parse, spec: {csv: {delimiter: '\"'}}}]}",
                  "/transforms/output/0/spec/csv/delimiter",
                  "a delimiter is one character of ASCII that is no quote and ends no line");
    check_problem("transforms: {output: [{type: parse, spec: {csv: {delimiter: é}}}]}",
                  "/transforms/output/0/spec/csv/delimiter",
                  "a delimiter is one character of ASCII that is no quote and ends no line");
    check_problem("transforms: {output: [{type: parse, spec: regex}]}", "/transforms/output/0/spec",
                  "a regex parser needs 'pattern'");
}

/* ---- extract ---- */

static void R_001_106_a_path_that_selects_one_gives_the_value(void **state)
{
    (void)state;
    check_output(EXTRACT("$.data"), "{\"data\":{\"a\":[1]}}", "{\"a\":[1]}");
    check_output(EXTRACT("'$[0]'"), "[null]", "null");
    check_output(EXTRACT("$"), "[1]", "[1]");
    check_output_fails(EXTRACT("$.data"), BYTES("{\"date\":1}"),
                       "extract: there is nothing at '$.data'");
}

static void R_001_106_any_other_path_gives_a_list(void **state)
{
    (void)state;
    check_output(EXTRACT("'$.a[*].b'"), "{\"a\":[{\"b\":1},{},{\"b\":2}]}", "[1,2]");
    check_output(EXTRACT("$..b"), "{}", "[]");
}

static void R_001_106_a_pointer_gives_the_value(void **state)
{
    (void)state;
    check_output(EXTRACT("/a/1/b~1c"), "{\"a\":[0,{\"b/c\":\"x\"}]}", "\"x\"");
    check_output_fails(EXTRACT("/a"), BYTES("[]"), "extract: there is nothing at '/a'");
}

static void R_001_106_what_is_not_json_cannot_be_extracted_from(void **state)
{
    (void)state;
    check_output_fails(EXTRACT("/a"), BYTES("<html>"),
                       "extract: json: line 1, column 1: found '<', expected a value");
}

static void R_001_106_a_path_that_is_none_is_found_early(void **state)
{
    (void)state;
    check_problem("transforms: {output: [{type: extract, spec: data}]}",
                  "/transforms/output/0/spec",
                  "'data', must be a JSONPath such as $.data, or a JSON Pointer such as /data");
    check_problem("transforms: {output: [{type: extract, spec: $.}]}", "/transforms/output/0/spec",
                  "the path ends, expected a name or * after '.', at character 3");
}

/* ---- all of them ---- */

static void R_001_108_output_is_transformed_in_the_order_of_the_list(void **state)
{
    (void)state;
    check_output(PARSE("csv") ", " EXTRACT("'$[*].a'") ", " FORMAT("lines"), "a,b\n1,2\n3,4\n",
                 "1\n3\n");
    check_output(FORMAT("json") ", " PARSE("json"), "[1]", "\"[1]\"");
    check_output(PARSE("json") ", " FORMAT("json"), "[ 1 ]", "[1]\n");
    check_output(EXTRACT("/0") ", " EXTRACT("/1"), "[[5,6],7]", "6");
}

static void R_001_108_the_transform_that_failed_is_named(void **state)
{
    _loaded_ struct loaded l = { 0 };

    (void)state;
    assert_null(output_of(&l, PARSE("json") ", " EXTRACT("/a"), str_of("[]")));
    assert_string_equal(l.e.at.ptr, "/transforms/output/1/spec");
}

/* The contract's own examples, word for word. */
static void check_example(const char *name, uint32_t warnings, const char *came, const char *json)
{
    _loaded_ struct loaded l = { 0 };
    struct ceilings max = ceilings_default();
    struct report r = report_new(&l.a, name, (struct str){ 0 });
    struct value raw = { .bytes = str_of(came) }, out = { 0 };
    const struct document *d;
    const struct doc *params;
    struct str text;

    assert_true(fs_read(arena_printf(&l.a, TEST_DATA "/contract-001/%s", name), 1 << 20, &l.a,
                        &text, &l.e));
    assert_true(yaml_read(name, text, &max, &l.a, &d, &l.e));
    l.adapter.tree = &d->root;
    assert_true(shape_decode(&adapter_shape, &d->root, &r, &l.adapter.doc));
    transforms_fit(&l.adapter, &r);
    assert_int_equal(r.errors, 0);
    assert_int_equal(r.warnings, warnings);
    assert_true(transform_input(&l.adapter, str_of("get_resource"), read_text(&l.a, "{id: 7}"),
                                &l.a, &params, &l.e));
    assert_string_equal(json_of(&l.a, params), "{\"id\":7}");
    assert_true(transform_output(&l.adapter, &raw, &l.a, &out, &l.e));
    assert_string_equal(json_of(&l.a, out.doc), json);
}

static void R_001_105_R_001_106_the_examples_of_the_contract_are_done(void **state)
{
    (void)state;
    check_example("adp-001.yaml", 0, "{\"type\":\"begin\"}\n{\"type\":\"end\"}\n",
                  "[{\"type\":\"begin\"},{\"type\":\"end\"}]");
    check_example("adp-002.yaml", 1, "{\"data\":{\"id\":7}}", "{\"id\":7}");
    check_example("adp-003.yaml", 0, "{\"content\":[{\"text\":\"x\"}]}", "[{\"text\":\"x\"}]");
}

static void bytes_without_transforms_stay_as_they_are(void **state)
{
    _loaded_ struct loaded l = { 0 };
    struct value raw = { .bytes = BYTES("\xff\0") }, out = { 0 };

    (void)state;
    load(&l, "");
    assert_true(transform_output(&l.adapter, &raw, &l.a, &out, &l.e));
    assert_null(out.doc);
    assert_int_equal(out.bytes.n, 2);
    load(&l, "transforms: {output: [{type: format, spec: text}]}");
    assert_true(transform_output(&l.adapter, &raw, &l.a, &out, &l.e));
    assert_int_equal(out.bytes.n, 2);
}

static void a_message_quotes_little_of_what_came(void **state)
{
    static const char *const specs[] = { PARSE("json"), PARSE("kv"), PARSE("csv"), PARSE("yaml"),
                                         PARSE("{regex: '(?<a>Y)'}") };
    char text[2000];

    (void)state;
    memset(text, 'Z', sizeof text);
    text[1000] = '"';
    text[1500] = '\n';
    for (size_t i = 0; i < COUNT(specs); i++) {
        _loaded_ struct loaded l = { 0 };
        size_t n = 0;

        text[0] = i == 3 ? '[' : 'Z';
        assert_null(output_of(&l, specs[i], (struct str){ text, sizeof text }));
        for (const char *p = l.e.msg; *p; p++)
            n += *p == 'Z';
        assert_true(n <= 80);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_105_json_is_read),
        cmocka_unit_test(R_001_105_R_001_106_numbers_stay_as_they_came),
        cmocka_unit_test(R_001_105_json_lines_are_read),
        cmocka_unit_test(R_001_105_yaml_is_read),
        cmocka_unit_test(R_001_105_lines_are_read),
        cmocka_unit_test(R_001_105_keys_with_values_are_read),
        cmocka_unit_test(R_001_105_quotes_count_only_around_all_of_a_value),
        cmocka_unit_test(R_001_105_a_line_without_key_or_value_is_refused),
        cmocka_unit_test(R_001_105_what_is_no_text_is_refused_with_its_place),
        cmocka_unit_test(R_001_105_a_text_in_a_document_is_parsed_too),
        cmocka_unit_test(R_001_105_a_spec_that_is_none_is_found_early),
        cmocka_unit_test(R_001_105_options_are_checked),
        cmocka_unit_test(R_001_106_a_path_that_selects_one_gives_the_value),
        cmocka_unit_test(R_001_106_any_other_path_gives_a_list),
        cmocka_unit_test(R_001_106_a_pointer_gives_the_value),
        cmocka_unit_test(R_001_106_what_is_not_json_cannot_be_extracted_from),
        cmocka_unit_test(R_001_106_a_path_that_is_none_is_found_early),
        cmocka_unit_test(R_001_108_output_is_transformed_in_the_order_of_the_list),
        cmocka_unit_test(R_001_108_the_transform_that_failed_is_named),
        cmocka_unit_test(R_001_105_R_001_106_the_examples_of_the_contract_are_done),
        cmocka_unit_test(bytes_without_transforms_stay_as_they_are),
        cmocka_unit_test(a_message_quotes_little_of_what_came),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
