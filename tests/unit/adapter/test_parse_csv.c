/* SPDX-License-Identifier: Apache-2.0 */
/* test_parse_csv.c: rows of fields, as RFC 4180 has them. */
#include "unit/adapter/loaded.h"

#define CSV    "{type: parse, spec: csv}"
#define LISTS  "{type: parse, spec: {csv: {header: false}}}"
#define TSV    "{type: parse, spec: tsv}"
#define AS(is) "{type: parse, spec: {csv: {" is "}}}"

static void R_001_105_the_first_row_has_the_names(void **state)
{
    (void)state;
    check_output(CSV, "a,b\n1,2\n3,4", "[{\"a\":\"1\",\"b\":\"2\"},{\"a\":\"3\",\"b\":\"4\"}]");
    check_output(CSV, "a,b\n", "[]");
    check_output(CSV, "", "[]");
    check_output(LISTS, "a,b\n1,2\n", "[[\"a\",\"b\"],[\"1\",\"2\"]]");
    check_output(TSV, "a\tb\n1,5\t\n", "[{\"a\":\"1,5\",\"b\":\"\"}]");
    check_output(AS("header: false, delimiter: ';'"), "1,5;2\n", "[[\"1,5\",\"2\"]]");
}

static void R_001_105_fields_in_quotes_hold_anything(void **state)
{
    (void)state;
    check_output(LISTS, "\"a,b\",\"c\"\"d\",\"\",\"e\nf\r\ng\"\n",
                 "[[\"a,b\",\"c\\\"d\",\"\",\"e\\nf\\r\\ng\"]]");
    check_output(LISTS, "\"\"\"\"", "[[\"\\\"\"]]");
    check_output(AS("header: false, quotes: false"), "\"a,b\"c\n", "[[\"\\\"a\",\"b\\\"c\"]]");
}

static void R_001_105_lines_end_in_lf_or_crlf_and_blank_ones_are_no_rows(void **state)
{
    (void)state;
    check_output(LISTS, "a,b\r\nc,d\ne,f", "[[\"a\",\"b\"],[\"c\",\"d\"],[\"e\",\"f\"]]");
    check_output(LISTS, "\n\r\na\n\n\"\"\n\n", "[[\"a\"],[\"\"]]");
    check_output(LISTS, ",\n,", "[[\"\",\"\"],[\"\",\"\"]]");
    check_output(LISTS, "\"a\r\"\r\n", "[[\"a\\r\"]]");
}

static void R_001_105_rows_of_another_width_are_refused_with_their_line(void **state)
{
    (void)state;
    check_output_fails(CSV, str_of("a,b\n1,2\n3\n"),
                       "parse: csv: line 3 has 1 fields, the first row has 2");
    check_output_fails(LISTS, str_of("\"a\nb\",c\n\n1,2,3\n"),
                       "parse: csv: line 4 has 3 fields, the first row has 2");
    check_output_fails(CSV, str_of("a,b,a\n"), "parse: csv: line 1: two columns are named 'a'");
    check_output_fails(CSV, str_of("\n\r\na,b,a\n"),
                       "parse: csv: line 3: two columns are named 'a'");
}

static void R_001_105_quotes_out_of_place_are_refused_with_their_line(void **state)
{
    (void)state;
    check_output_fails(LISTS, str_of("a\n\"b\nc"),
                       "parse: csv: line 2: a quote that no other ends");
    check_output_fails(LISTS, str_of("a\nb\"c\n"),
                       "parse: csv: line 2: a quote in a field that does not begin with one");
    check_output_fails(LISTS, str_of("\"a\nb\"c\n"),
                       "parse: csv: line 2: something behind the quote that ends a field");
    check_output_fails(LISTS, str_of("a\rb\n"),
                       "parse: csv: line 1: a carriage return that no line feed follows");
    check_output_fails(LISTS, str_of("a\r"),
                       "parse: csv: line 1: a carriage return that no line feed follows");
}

static void half_a_mebibyte_of_commas_is_read(void **state)
{
    enum { N = 1 << 19 };
    _loaded_ struct loaded l = { 0 };
    char *text = arena_alloc(&l.a, N);
    const struct doc *out;

    (void)state;
    memset(text, ',', N);
    assert_true(parse_output(read_text(&l.a, "{csv: {header: false}}"), (struct str){ text, N },
                             &l.a, &out, &l.e));
    assert_int_equal(out->first->count, N + 1);
    memset(text, '\n', N);
    assert_true(parse_output(read_text(&l.a, "lines"), (struct str){ text, N }, &l.a, &out, &l.e));
    assert_int_equal(out->count, N);
}

/* Many small values take a hundred times the room that their text does. Each text has a few more
 * than are allowed. */
static void what_would_take_too_much_memory_is_refused(void **state)
{
    static const struct {
        const char *parser, *unit;
    } rows[] = {
        { "lines", "\n" },
        { "json_lines", "[1,2]\n" },
        { "{csv: {header: false}}", "a,b\n" },
        { "{csv: {header: false}}", "," },
        { "tsv", "\t" },
        { "{regex: {pattern: '(?<a>.)', all: true}}", "x" },
    };
    enum { VALUES = 1 << 20 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _loaded_ struct loaded l = { 0 };
        size_t unit = strlen(rows[i].unit), times = unit > 1 ? VALUES / 3 + 1 : VALUES + 1;
        char *text = arena_alloc(&l.a, unit * times);
        const struct doc *out;

        for (size_t k = 0; k < times; k++)
            memcpy(text + k * unit, rows[i].unit, unit);
        assert_false(parse_output(read_text(&l.a, rows[i].parser),
                                  (struct str){ text, unit * times }, &l.a, &out, &l.e));
        if (!strstr(l.e.msg, ": document_values is above 1048576: Values in one document"))
            fail_msg("%s: %s", rows[i].parser, l.e.msg);
        assert_int_equal(l.e.code, CODE_TRANSFORM_FAILED);
    }
}

static void so_are_a_million_keys(void **state)
{
    enum { KEYS = (1 << 20) + 1, ROOM = 10 };
    _loaded_ struct loaded l = { 0 };
    char *text = arena_alloc(&l.a, (size_t)KEYS * ROOM + 1);
    const struct doc *out;

    (void)state;
    for (size_t k = 0; k < KEYS; k++)
        (void)snprintf(text + k * ROOM, ROOM + 1, "k%07zu=\n", k);
    assert_false(parse_output(read_text(&l.a, "kv"), (struct str){ text, (size_t)KEYS * ROOM },
                              &l.a, &out, &l.e));
    assert_string_equal(l.e.msg, "kv: line 1048577: document_values is above 1048576: Values in "
                                 "one document, copies made by YAML aliases included.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_105_the_first_row_has_the_names),
        cmocka_unit_test(R_001_105_fields_in_quotes_hold_anything),
        cmocka_unit_test(R_001_105_lines_end_in_lf_or_crlf_and_blank_ones_are_no_rows),
        cmocka_unit_test(R_001_105_rows_of_another_width_are_refused_with_their_line),
        cmocka_unit_test(R_001_105_quotes_out_of_place_are_refused_with_their_line),
        cmocka_unit_test(half_a_mebibyte_of_commas_is_read),
        cmocka_unit_test(what_would_take_too_much_memory_is_refused),
        cmocka_unit_test(so_are_a_million_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
