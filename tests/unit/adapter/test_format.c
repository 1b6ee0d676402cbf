/* SPDX-License-Identifier: Apache-2.0 */
/* test_format.c: documents to text, and what is read back from it. */
#include "base/doc_make.h"
#include "base/doc_same.h"
#include "unit/adapter/loaded.h"

#define FORMAT(spec) "{type: parse, spec: json}, {type: format, spec: " spec "}"

static void R_001_107_text_is_written_as_it_is(void **state)
{
    (void)state;
    check_output(FORMAT("text"), "\"a\\nb\"", "a\nb");
    check_output(FORMAT("text"), "1.50", "1.5");
    check_output(FORMAT("text"), "true", "true");
    check_output(FORMAT("text"), "null", "null");
    check_output_fails(FORMAT("text"), str_of("[1]"),
                       "format: text: the output is a list of 1, must be a text, a number, "
                       "true, false or null; or say json");
}

static void R_001_107_json_is_written(void **state)
{
    (void)state;
    check_output(FORMAT("json"), "{ \"b\": [1, \"x\"], \"a\": null }",
                 "{\"b\":[1,\"x\"],\"a\":null}\n");
    check_output(FORMAT("json_pretty"), "{\"b\":[1,{\"c\":[]}],\"a\":{}}",
                 "{\n  \"b\": [\n    1,\n    {\n      \"c\": []\n    }\n  ],\n  \"a\": {}\n}\n");
    check_output(FORMAT("json_pretty"), "\"x\"", "\"x\"\n");
    check_output(FORMAT("json_lines"), "[1,{\"a\":\"\\n\"},[]]", "1\n{\"a\":\"\\n\"}\n[]\n");
    check_output_fails(FORMAT("json_lines"), str_of("{}"),
                       "format: json_lines: the output is a map of 0, must be a list");
}

static void R_001_107_lines_are_written(void **state)
{
    (void)state;
    check_output(FORMAT("lines"), "[\"a\",1,null,true,\"\"]", "a\n1\nnull\ntrue\n\n");
    check_output_fails(FORMAT("lines"), str_of("[\"a\",\"b\\nc\"]"),
                       "format: lines: /1 is 'b\\nc', must be a text of one line");
    check_output_fails(FORMAT("lines"), str_of("[[1]]"),
                       "format: lines: /0 is a list of 1, must be a text, a number, true, false or "
                       "null");
}

static void R_001_107_yaml_is_written(void **state)
{
    (void)state;
    check_output(
        FORMAT("yaml"),
        "{\"a\":[1,[2,[]],{\"b\":null,\"c\":{\"d\":true}}],\"e f\":\"plain text\",\"g\":{}}",
        "a:\n"
        "  - 1\n"
        "  - - 2\n"
        "    - []\n"
        "  - b: null\n"
        "    c:\n"
        "      d: true\n"
        "e f: plain text\n"
        "g: {}\n");
    check_output(FORMAT("yaml"),
                 "[\"no\",\"1\",\"1e3\",\"\",\"null\",\"a: b\",\"a #b\",\"2026-01-16\"]",
                 "- \"no\"\n- \"1\"\n- \"1e3\"\n- \"\"\n- \"null\"\n- \"a: b\"\n- \"a #b\"\n"
                 "- \"2026-01-16\"\n");
    check_output(FORMAT("yaml"), "[1e30,-0.5,1.5e-9]", "- 1.0e+30\n- -0.5\n- 1.5e-9\n");
    check_output(FORMAT("yaml"), "\"x\\u0000\\u2028\\u0085\\\\\"",
                 "\"x\\u0000\\u2028\\u0085\\\\\"\n");
}

static void R_001_107_csv_is_written(void **state)
{
    (void)state;
    check_output(FORMAT("csv"), "[{\"a\":1,\"b\":\"x,\\\"y\\\"\"},{\"b\":null,\"a\":true}]",
                 "a,b\n1,\"x,\"\"y\"\"\"\ntrue,\n");
    check_output(FORMAT("{csv: {header: false, delimiter: ;, crlf: true}}"),
                 "[{\"a\":1,\"b\":\";\"}]", "1;\";\"\r\n");
    check_output(FORMAT("{csv: {columns: [b, c]}}"), "[{\"a\":1,\"b\":2},{\"c\":3}]",
                 "b,c\n2,\n,3\n");
    check_output(FORMAT("tsv"), "[[\"a\\tb\",\"c,d\"],[\"\",\"\"]]", "\"a\tb\"\tc,d\n\t\n");
    check_output(FORMAT("csv"), "[[\"\"],[\"a\"]]", "\"\"\na\n");
    check_output(FORMAT("csv"), "[]", "");
}

static void R_001_107_what_is_no_table_is_refused(void **state)
{
    static const char same[] = "must be a map with the names of the first row; or name them in "
                               "columns";
    char msg[200];

    (void)state;
    (void)snprintf(msg, sizeof msg, "format: csv: /1 is a map of 1, %s", same);
    check_output_fails(FORMAT("csv"), str_of("[{\"a\":1},{\"b\":1}]"), msg);
    check_output_fails(FORMAT("csv"), str_of("[[1,2],[3]]"),
                       "format: csv: /1 is a list of 1, must be as long as the first row");
    check_output_fails(FORMAT("csv"), str_of("[{\"a\":[1]}]"),
                       "format: csv: /0/a is a list of 1, must be a text, a number, true, false or "
                       "null");
    check_output_fails(FORMAT("csv"), str_of("[1]"),
                       "format: csv: /0 is 1, must be a list or a map with fields");
    check_output_fails(FORMAT("csv"), str_of("{}"),
                       "format: csv: the output is a map of 0, must be a list of maps or of "
                       "lists");
    check_output_fails(FORMAT("csv"), str_of("[[\"\\u0000\"]]"),
                       "format: csv: /0/0 is '\\x00', must be a text without NUL");
}

static void R_001_107_a_template_is_filled(void **state)
{
    (void)state;
    check_output(FORMAT("{template: '{name} has {/size/kb} kB {{{tags}}}'}"),
                 "{\"name\":\"a\",\"size\":{\"kb\":1.5},\"tags\":[1,\"x\"]}",
                 "a has 1.5 kB {[1,\"x\"]}");
    check_output(FORMAT("{template: {text: '{/0}-{/1}', each: true}}"), "[[1,2],[3,4]]",
                 "1-2\n3-4\n");
    check_output(FORMAT("{template: '', each: true}"), "[1]", "\n");
    check_output(FORMAT("{template: '{a}'}"), "{\"a\":null}", "null");
    check_output_fails(FORMAT("{template: '{name}'}"), str_of("{\"nam\":1}"),
                       "format: template: there is no {'name'}");
    check_output_fails(FORMAT("{template: '{/b}', each: true}"), str_of("[{\"b\":1},{\"a\":1}]"),
                       "format: template: item 1: there is no {'/b'}");
}

static void R_001_107_a_spec_that_is_none_is_found_early(void **state)
{
    (void)state;
    check_problem("transforms: {output: [{type: format, spec: {template: 'a}'}}]}",
                  "/transforms/output/0/spec/template", "a '}' that ends nothing; '}}' is a brace");
    check_problem("transforms: {output: [{type: format, spec: {template: 'a{b'}}]}",
                  "/transforms/output/0/spec/template", "a '{' that no '}' ends; '{{' is a brace");
    check_problem("transforms: {output: [{type: format, spec: {template: {text: '{}'}}}]}",
                  "/transforms/output/0/spec/template/text",
                  "{} names nothing; {/0} is the first item");
    check_problem("transforms: {output: [{type: format, spec: template}]}",
                  "/transforms/output/0/spec", "a template needs 'text'");
    check_problem(
        "transforms: {output: [{type: format, spec: jsn}]}", "/transforms/output/0/spec",
        "format: 'jsn' is not one of text, json, json_pretty, json_lines, yaml, csv, tsv, "
        "lines, template (did you mean 'json'?)");
}

/* ---- what is written is read as the same ---- */

static uint64_t chance(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static struct str random_text(struct arena *a, uint64_t *seed)
{
    static const char *const pieces[] = {
        "a",
        "b",
        "no",
        "1",
        "-",
        " ",
        "  ",
        ",",
        "\t",
        "\"",
        "'",
        "\\",
        "\n",
        "\r",
        "\r\n",
        ":",
        "#",
        "[",
        "]",
        "{",
        "}",
        "%",
        "&",
        "*",
        "!",
        "|",
        ">",
        "@",
        "`",
        "?",
        "~",
        "é",
        "\xe2\x80\xa8",
        "\xc2\x85",
        "\xef\xbb\xbf",
        "\x01",
        "\x7f",
        "=",
        "<<",
        "...",
        "---",
        "0x1",
        "null",
        "😀",
        ";",
    };
    _buf_ struct buf b = { .max = 4096 };
    size_t n = chance(seed) % 8;

    for (size_t i = 0; i < n; i++)
        buf_adds(&b, pieces[chance(seed) % COUNT(pieces)]);
    if (chance(seed) % 200 == 0)
        for (int i = 0; i < 1500; i++)
            buf_addc(&b, chance(seed) % 9 ? ' ' : '[');
    return (struct str){ arena_text(a, buf_str(&b)), b.len };
}

static void fill(struct arena *a, struct doc *d, uint64_t *seed, int depth)
{
    uint64_t n = chance(seed) % 5;

    d->kind = (enum doc_kind)(chance(seed) % (depth > 0 ? DOC_MAP + 1 : DOC_TEXT + 1));
    if (d->kind == DOC_TEXT)
        d->text = random_text(a, seed);
    else if (d->kind == DOC_BOOL)
        d->truth = chance(seed) % 2;
    else if (d->kind == DOC_INT)
        d->whole = (int64_t)(chance(seed) % 2000) - 1000;
    else if (d->kind == DOC_NUMBER)
        d->number = (double)(int64_t)(chance(seed) % 100000) * (chance(seed) % 2 ? 1e-7 : 1e25);
    else if (d->kind == DOC_MAP)
        for (uint64_t i = 0; i < n; i++) {
            struct str key = random_text(a, seed);
            struct doc *c =
                doc_add(a, d, (struct str){ arena_printf(a, "%s%d", key.s, (int)i), key.n + 1 });

            fill(a, c, seed, depth - 1);
        }
    else if (d->kind == DOC_LIST)
        for (uint64_t i = 0; i < n; i++)
            fill(a, doc_add(a, d, (struct str){ 0 }), seed, depth - 1);
}

/* Written by one and read by the other, which are two transforms of one list. */
static void check_same(const struct doc *d, const char *transforms)
{
    _loaded_ struct loaded l = { 0 };
    struct value raw = { .doc = d }, out = { 0 };
    struct work w = { .left = 1 << 26 };

    load(&l, transforms);
    check_fits(&l);
    if (!transform_output(&l.adapter, &raw, &l.a, &out, &l.e))
        fail_msg("%s: %s: %s", transforms, json_of(&l.a, d), l.e.msg);
    if (!doc_same(d, out.doc, &w, &l.a))
        fail_msg("%s: %s became %s", transforms, json_of(&l.a, d), json_of(&l.a, out.doc));
}

#define BOTH(name) \
    "transforms: {output: [{type: format, spec: " name "}, {type: parse, spec: " name "}]}"

static void R_001_107_yaml_and_json_read_back_as_the_same(void **state)
{
    uint64_t seed = 88172645463325252;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        _arena_ struct arena a = { 0 };
        struct document root = { 0 };

        fill(&a, &root.root, &seed, 5);
        check_same(&root.root, BOTH("yaml"));
        check_same(&root.root, BOTH("json"));
        check_same(
            &root.root,
            "transforms: {output: [{type: format, spec: json_pretty}, {type: parse, spec: json}]}");
        if (root.root.kind == DOC_LIST)
            check_same(&root.root, BOTH("json_lines"));
    }
}

static void R_001_107_csv_and_tsv_read_back_as_the_same(void **state)
{
    uint64_t seed = 362436069;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        _arena_ struct arena a = { 0 };
        struct document root = { .root = { .kind = DOC_LIST } };
        bool maps = chance(&seed) % 2;
        uint64_t width = 1 + chance(&seed) % 4, rows = 1 + chance(&seed) % 4;
        struct str names[4];

        for (uint64_t k = 0; k < width; k++) {
            struct str name = random_text(&a, &seed);

            names[k] = (struct str){ arena_printf(&a, "%s%d", name.s, (int)k), name.n + 1 };
        }
        for (uint64_t r = 0; r < rows; r++) {
            struct doc *row = doc_add(&a, &root.root, (struct str){ 0 });

            row->kind = maps ? DOC_MAP : DOC_LIST;
            for (uint64_t k = 0; k < width; k++) {
                struct doc *d = doc_add(&a, row, maps ? names[k] : (struct str){ 0 });

                d->kind = DOC_TEXT;
                d->text = random_text(&a, &seed);
            }
        }
        check_same(&root.root, maps ? BOTH("csv") : BOTH("{csv: {header: false}}"));
        check_same(&root.root, maps ? BOTH("tsv") : BOTH("{tsv: {header: false}}"));
        check_same(&root.root, maps ? BOTH("{csv: {delimiter: ';'}}")
                                    : BOTH("{csv: {header: false, delimiter: ' '}}"));
    }
}

static void long_keys_and_deep_documents_read_back_as_the_same(void **state)
{
    _arena_ struct arena a = { 0 };
    struct document root = { .root = { .kind = DOC_MAP } };
    struct doc *d = &root.root;
    char *key = arena_alloc(&a, 5001);

    (void)state;
    memset(key, 'k', 5000);
    for (int i = 0; i < 120; i++) {
        struct str name = i % 20 ? str_of("a") : (struct str){ key, 5000 };

        d = doc_add(&a, d, d->kind == DOC_MAP ? name : (struct str){ 0 });
        d->kind = i % 3 ? DOC_MAP : DOC_LIST;
    }
    check_same(&root.root, BOTH("yaml"));
    check_same(&root.root, BOTH("json"));
}

/* The reader's guard counts blanks in a row and brackets that are open, in texts, too. */
static void blanks_and_brackets_without_number_read_back_as_the_same(void **state)
{
    enum { MANY = 12000 };
    _arena_ struct arena a = { 0 };
    struct document root = { .root = { .kind = DOC_LIST } };
    char *text = arena_alloc(&a, MANY);

    (void)state;
    memset(text, ' ', MANY);
    doc_add_text(&a, &root.root, NULL, (struct str){ text, MANY });
    check_same(&root.root, BOTH("yaml"));
    for (int i = 0; i < MANY; i++)
        doc_add_text(&a, &root.root, NULL, str_of(i % 2 ? "[" : "{"));
    check_same(&root.root, BOTH("yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_107_text_is_written_as_it_is),
        cmocka_unit_test(R_001_107_json_is_written),
        cmocka_unit_test(R_001_107_lines_are_written),
        cmocka_unit_test(R_001_107_yaml_is_written),
        cmocka_unit_test(R_001_107_csv_is_written),
        cmocka_unit_test(R_001_107_what_is_no_table_is_refused),
        cmocka_unit_test(R_001_107_a_template_is_filled),
        cmocka_unit_test(R_001_107_a_spec_that_is_none_is_found_early),
        cmocka_unit_test(R_001_107_yaml_and_json_read_back_as_the_same),
        cmocka_unit_test(R_001_107_csv_and_tsv_read_back_as_the_same),
        cmocka_unit_test(long_keys_and_deep_documents_read_back_as_the_same),
        cmocka_unit_test(blanks_and_brackets_without_number_read_back_as_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
