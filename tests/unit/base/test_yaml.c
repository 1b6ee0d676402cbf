/* SPDX-License-Identifier: Apache-2.0 */
/* test_yaml.c: the YAML reader: typing, refusals with a place, ceilings against bombs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/json_write.h"
#include "base/yaml.h"

static bool read_str(struct str text, struct arena *a, const struct document **d, struct error *e)
{
    struct ceilings max = ceilings_default();

    return yaml_read("x.yaml", text, &max, a, d, e);
}

static void plain_words_are_typed_by_the_core_schema(void **state)
{
    static const struct {
        const char *text, *canon;
    } cases[] = {
        { "[~, null, Null, NULL, ]", "[null,null,null,null]" },
        { "{a: , b: ''}", "{\"a\":null,\"b\":\"\"}" },
        { "[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]" },
        { "[yes, no, on, off, y, n, tRUE]",
          "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"tRUE\"]" },
        { "[0, -1, +12, 007, 0o17, 0x1F, 0b1, 1_000]", "[0,-1,12,7,15,31,\"0b1\",\"1_000\"]" },
        { "[1., .5, -1.5e3, +1e-2, 1e, ., +]", "[1,0.5,-1500,0.01,\"1e\",\".\",\"+\"]" },
        { "[\"1\", 'true', \"\"]", "[\"1\",\"true\",\"\"]" },
        { "[2026-01-16, 12:30, 1.0.0]", "[\"2026-01-16\",\"12:30\",\"1.0.0\"]" },
        { "1: a\ntrue: b\n'~': c\n", "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\"}" },
        { "a: 'x\r\n  y'\r\nb: |\r\n  z\r\n", "{\"a\":\"x y\",\"b\":\"z\\n\"}" },
        { "a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}" },
        { "a: &x {k: [1, 2]}\nb: *x\n", "{\"a\":{\"k\":[1,2]},\"b\":{\"k\":[1,2]}}" },
        { "&a a\n", "\"a\"" },
        { "%YAML 1.2\n---\na: 1\n...\n", "{\"a\":1}" },
        { "\xef\xbb\xbf- - ", "[[null]]" },
        { "\xef\xbb\xbf"
          "a:\n- 1\nb:\n 2\n",
          "{\"a\":[1],\"b\":2}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf out = { .max = 1000 };
        const struct document *d;
        struct error e = { 0 };

        if (!read_str(str_of(cases[i].text), &a, &d, &e))
            fail_msg("%s: %s", cases[i].text, e.msg);
        json_canon(&d->root, &a, &out);
        assert_string_equal(out.s, cases[i].canon);
    }
}

/* Where the specification and other readers agree, and one reader or another has been wrong. */
static void texts_are_read_as_written(void **state)
{
    static const struct {
        const char *text, *canon;
    } cases[] = {
        { "a: 'x''''y'\n", "{\"a\":\"x''y\"}" },
        { "- ''''''''\n- ''\n- ''''\n", "[\"'''\",\"\",\"'\"]" },
        { "run: [echo, 'a''''b', '''''']\n", "{\"run\":[\"echo\",\"a''b\",\"''\"]}" },
        { "- '\n  ''\n\n  '\n", "[\" '\\n\"]" },
        { "a: 'x  \n\n\n   y '\n", "{\"a\":\"x\\n\\ny \"}" },
        { "a: \"x\\ \n  y\"\n", "{\"a\":\"x  y\"}" },
        { "a: \"x \\\n\n   \\ty\"\n", "{\"a\":\"x \\n\\ty\"}" },
        { "a: \"\\x41\\u00e9\\ud83d\\ude00\\U0001F600\\/\"\n",
          "{\"a\":\"A\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80/\"}" },
        { "a: x\n  y\n\n  z # c\n", "{\"a\":\"x y\\nz\"}" },
        { "a: x\n  - y\n  # c\n", "{\"a\":\"x - y\"}" },
        { "a: b:c d#e -f ?g :h\n", "{\"a\":\"b:c d#e -f ?g :h\"}" },
        { "a: b\n %x\n", "{\"a\":\"b %x\"}" },
        { "[a:b, {c:, \"d\":e, f : g}, h: i, ? j]\n",
          "[\"a:b\",{\"c\":null,\"d\":\"e\",\"f\":\"g\"},{\"h\":\"i\"},{\"j\":null}]" },
        { "run: [\n  a,\n]\n", "{\"run\":[\"a\"]}" },
        { "|\n x\n", "\"x\\n\"" },
        { "--- >-\n x\n y\n", "\"x y\"" },
        { "|+\n \n\n...\n", "\"\\n\\n\"" },
        { "a: |1\n   \n", "{\"a\":\"  \\n\"}" },
        { "a: |\n\n  x\n \n\n", "{\"a\":\"\\nx\\n\"}" },
        { "a: |+\n  x\n\n\nb: |-\n  y\n\n", "{\"a\":\"x\\n\\n\\n\",\"b\":\"y\"}" },
        { "a: |\n  x", "{\"a\":\"x\"}" }, /* the text has no line end, so its value has none */
        { "a: |2-\n   x\n    y\n  \tz\n", "{\"a\":\" x\\n  y\\n\\tz\"}" },
        { "a: >\n  x\n\n   y\n", "{\"a\":\"x\\n\\n y\\n\"}" },
        { "a: >2\n  x\n\n\n  \ty\n  z\n", "{\"a\":\"x\\n\\n\\n\\ty\\nz\\n\"}" },
        { "a: >\n\n  x\n  y\n\n  z\n", "{\"a\":\"\\nx y\\nz\\n\"}" },
        { "a: >\n  x\n   y\n\n  z\n", "{\"a\":\"x\\n y\\n\\nz\\n\"}" },
        { "a:\n- |\n- x\n", "{\"a\":[\"\",\"x\"]}" },
        { "a:\n  b: |\n  c: x\n", "{\"a\":{\"b\":\"\",\"c\":\"x\"}}" },
        { "a:\n  b: |\n\nc: x\n", "{\"a\":{\"b\":\"\"},\"c\":\"x\"}" },
        { "- - |\n  - x\n", "[[\"\",\"x\"]]" },
        { "\"a\": |\n x\n", "{\"a\":\"x\\n\"}" },
        { "? a\n: |\n x\n", "{\"a\":\"x\\n\"}" },
        { "? |\n  a\n: - b\n  - c\n", "{\"a\\n\":[\"b\",\"c\"]}" },
        { "- a: |\n   x\n  b: y\n", "[{\"a\":\"x\\n\",\"b\":\"y\"}]" },
        { "a: &x\n- 1\nb: &y\n  c: *x\nd: *y\n",
          "{\"a\":[1],\"b\":{\"c\":[1]},\"d\":{\"c\":[1]}}" },
        { "a:\t1\t# c\n", "{\"a\":1}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf out = { .max = 1000 };
        const struct document *d;
        struct error e = { 0 };

        if (!read_str(str_of(cases[i].text), &a, &d, &e))
            fail_msg("%s: %s", cases[i].text, e.msg);
        json_canon(&d->root, &a, &out);
        assert_string_equal(out.s, cases[i].canon);
    }
}

struct refusal {
    const char *text, *msg, *ptr;
    int code, line, col;
};

static void check_refusals(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        _arena_ struct arena a = { 0 };
        const struct document *d = NULL;
        struct error e = { 0 };

        assert_false(read_str(str_of(cases[i].text), &a, &d, &e));
        assert_string_equal(e.msg, cases[i].msg);
        assert_string_equal(e.at.ptr, cases[i].ptr);
        assert_int_equal(e.code, cases[i].code);
        assert_int_equal(e.at.line, cases[i].line);
        assert_int_equal(e.at.col, cases[i].col);
    }
}

static void refusals_say_what_and_where(void **state)
{
    static const struct refusal cases[] = {
        { "", "the document is empty", "", ERROR_SYNTAX, 1, 1 },
        { "# only a comment\n", "the document is empty", "", ERROR_SYNTAX, 1, 1 },
        { "a: 1\nb:\n  c: 1\n  c: 2\n", "the key 'c' is given twice", "/b", ERROR_DUPLICATE, 4, 3 },
        { "a: !!str 1\n", "tags are not read; the value's own form says what it is", "",
          ERROR_SUBSET, 1, 4 },
        { "- !x {}\n", "tags are not read; the value's own form says what it is", "", ERROR_SUBSET,
          1, 3 },
        { "a: 1\n---\nb: 2\n", "a second document begins here; writ reads one in each file", "",
          ERROR_SUBSET, 2, 1 },
        { "a: *b\n", "no anchor '&b' stands before this alias", "", ERROR_SYNTAX, 1, 4 },
        { "&a [1, *a]\n", "the alias '*a' stands inside what it repeats", "", ERROR_SUBSET, 1, 8 },
        { "[1, 2]: x\n", "a key must be text, not a list or a map", "", ERROR_SUBSET, 1, 1 },
        { "{\"a\\0\": 1}", "a key must not hold the character NUL", "", ERROR_SUBSET, 1, 2 },
        { "a: .inf\n", ".inf is not a number JSON has", "", ERROR_NUMBER, 1, 4 },
        { "a: .NaN\n", ".NaN is not a number JSON has", "", ERROR_NUMBER, 1, 4 },
        { "a: 9007199254740993\n",
          "9007199254740993 cannot be held exactly by a double; write it as text", "", ERROR_NUMBER,
          1, 4 },
        { "a: 0x20000000000000\n", "0x20000000000000 is above 2^53 - 1; write it as text", "",
          ERROR_NUMBER, 1, 4 },
        { "a: b: c\n",
          "this is not YAML: invalid nested block mapping on the same line; put a value that has ': ' in it in quotes",
          "", ERROR_SYNTAX, 1, 5 },
        { "a: x\xff\n", "byte 0xff is not UTF-8", "", ERROR_ENCODING, 1, 5 },
        { "a: 1\r\n~: 1\r\n", "this key reads as a number, a truth or null; quote it", "",
          ERROR_SUBSET, 2, 1 },
        { "{0x1F: 1}", "this key reads as a number, a truth or null; quote it", "", ERROR_SUBSET, 1,
          2 },
        { "{.inf: 1}", "this key reads as a number, a truth or null; quote it", "", ERROR_SUBSET, 1,
          2 },
    };

    (void)state;
    check_refusals(cases, COUNT(cases));
}

static void what_is_no_yaml_is_refused(void **state)
{
    static const struct refusal cases[] = {
        { "a: |+\n  x\n ", "the last line is blanks without a line end", "", ERROR_SYNTAX, 3, 1 },
        { "%YAML 1.2\n---*x\n", "after a directive the document begins with ---", "", ERROR_SYNTAX,
          2, 1 },
        { "%YAML 1.1\n---\na: 1\n", "only %YAML 1.2 is read", "", ERROR_SYNTAX, 1, 1 },
        { "[?]", "a question mark alone must be quoted", "", ERROR_SUBSET, 1, 2 },
        { "%x\na: b\n", "after a directive the document begins with ---", "", ERROR_SYNTAX, 2, 1 },
        { "a:\nb\n", "this is not YAML: a value must stand deeper than its key", "", ERROR_SYNTAX,
          2, 1 },
        { "a: 1\nb:\n-0 - 4\n", "this is not YAML: a value must stand deeper than its key", "",
          ERROR_SYNTAX, 3, 1 },
        { "-\nb\n", "this is not YAML: a value must stand deeper than its key", "", ERROR_SYNTAX, 2,
          1 },
        { "a: 1\nb\n",
          "this is not YAML: neither a key with ':' behind it nor an item of the list before", "",
          ERROR_SYNTAX, 2, 1 },
        { "a: 1\n  b: 2\n", "this is not YAML: a key stands on one line", "", ERROR_SYNTAX, 1, 4 },
        { "a: 'x'\n  b: 2\n",
          "this is not YAML: this line stands deeper than the one it belongs to", "", ERROR_SYNTAX,
          2, 3 },
        { "a: 'x' y\n", "this is not YAML: a value ends before this, in the same line", "",
          ERROR_SYNTAX, 1, 8 },
        { "a: 'x\n", "this is not YAML: the quote that ends this text is missing", "", ERROR_SYNTAX,
          1, 4 },
        { "a: \"x\ny\"\n",
          "this is not YAML: a text in quotes goes on in lines that stand deeper than its key", "",
          ERROR_SYNTAX, 2, 1 },
        { "a: \"\\ud83d\"\n", "this is not YAML: the digits of this escape are no character", "",
          ERROR_SYNTAX, 1, 5 },
        { "a: [1, {b: 2]\n", "this is not YAML: here a comma or a closing bracket is missing",
          "/a/1", ERROR_SYNTAX, 1, 13 },
        { "a: [1,\nb]\n", "this is not YAML: the lines inside brackets stand deeper than their key",
          "/a", ERROR_SYNTAX, 2, 1 },
        { "a: [1,\n", "this is not YAML: the text ends inside brackets", "/a", ERROR_SYNTAX, 2, 1 },
        { "a:\n\tb: 1\n",
          "this is not YAML: a tab stands where only spaces may; indent with spaces", "",
          ERROR_SYNTAX, 2, 1 },
        { "-\t- a\n", "this is not YAML: a tab stands where only spaces may; indent with spaces",
          "", ERROR_SYNTAX, 1, 2 },
        { "a: |\n\t\nb: 1\n",
          "this is not YAML: a tab stands where only spaces may; empty the line", "", ERROR_SYNTAX,
          2, 1 },
        { "a: |\n   \n  x\n",
          "this is not YAML: an empty line before the text has more spaces than the text", "",
          ERROR_SYNTAX, 2, 1 },
        { "a: @b\n", "this is not YAML: a value cannot begin with '@' here; put a text in quotes",
          "", ERROR_SYNTAX, 1, 4 },
        { "a: 1\n\xef\xbb\xbf"
          "b: 2\n",
          "a byte order mark inside the document", "", ERROR_SYNTAX, 2, 1 },
        { "a: 1\rb: 2\n", "a carriage return without a line feed; lines end in LF or CRLF", "",
          ERROR_SYNTAX, 1, 5 },
        { "a: x\xc2\x85"
          "b: y\n",
          "a line end of older YAML (U+0085); write it as \\N in double quotes", "", ERROR_SYNTAX,
          1, 5 },
        { ": x\n", "this key reads as a number, a truth or null; quote it", "", ERROR_SUBSET, 1,
          1 },
        { "&a k: v\n", "a key cannot carry an anchor", "", ERROR_SUBSET, 1, 4 },
        { "[&a : x]\n", "a key cannot carry an anchor", "", ERROR_SUBSET, 1, 2 },
        { "|\n   \nx\n",
          "this is not YAML: an empty line before the text has more spaces than the text", "",
          ERROR_SYNTAX, 2, 1 },
        { "&a *a\n", "this is not YAML: an alias cannot carry an anchor", "", ERROR_SYNTAX, 1, 4 },
        { "\xef\xbb\xbf"
          "a: !x 1\n",
          "tags are not read; the value's own form says what it is", "", ERROR_SUBSET, 1, 4 },
    };

    (void)state;
    check_refusals(cases, COUNT(cases));
}

static void control_characters_are_refused(void **state)
{
    static const struct {
        struct str text;
        int line, col;
    } cases[] = {
        { { "a: b\0c\n", 7 }, 1, 5 },
        { { "a: 1\nb: \"x\x01\"\n", 13 }, 2, 6 },
        { { "|\0\1\5\0\n 1x \0\0", 12 }, 1, 2 },
        { { "a: \x7f\n", 5 }, 1, 4 },
        { { "a: '\xc2\x9b'\n", 8 }, 1, 5 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        const struct document *d = NULL;
        struct error e = { 0 };

        assert_false(read_str(cases[i].text, &a, &d, &e));
        assert_int_equal(e.code, ERROR_SYNTAX);
        assert_string_equal(e.msg, "a control character is no YAML");
        assert_int_equal(e.at.line, cases[i].line);
        assert_int_equal(e.at.col, cases[i].col);
    }
}

static void repeat(struct buf *b, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_adds(b, text);
}

/* Each ends in a ceiling, long before it can cost memory or time. */
static void bombs_end_in_a_ceiling(void **state)
{
    static const struct {
        enum ceiling which;
        const char *begin, *again;
        size_t times;
    } cases[] = {
        { CEILING_DEPTH, "", "[", 5000 },
        { CEILING_DEPTH, "", "- ", 100000 },
        { CEILING_DEPTH, "", "{a: ", 5000 },
        { CEILING_DEPTH, "", "[", 2000000 },
        { CEILING_DEPTH, "", "{\"a\":\n", 500000 },
        { CEILING_DEPTH, "", "[? b: ", 100000 },
        { CEILING_YAML_BYTES, "a: \"", "xxxxxxxxxxxxxxxx", 100 << 16 },
        { CEILING_VALUES, "", "- a\n", 1040000 },
        { CEILING_ANCHORS, "", "- &a x\n", 300 },
        { CEILING_NUMBER, "0.", "1", 401 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf text = { .max = 128 << 20 };
        const struct document *d = NULL;
        struct ceilings max = ceilings_default();
        struct error e = { 0 };

        max.v[CEILING_VALUES] = 1000000;
        buf_adds(&text, cases[i].begin);
        repeat(&text, cases[i].again, cases[i].times);
        assert_false(yaml_read("x", buf_str(&text), &max, &a, &d, &e));
        assert_int_equal(e.code, ERROR_CEILING);
        if (!strstr(e.msg, ceiling_rows[cases[i].which].name))
            fail_msg("case %zu: %s", i, e.msg);
    }
}

/* What costs a reader time that grows with the square of the text: a megabyte each. */
static void long_texts_take_linear_time(void **state)
{
    static const struct {
        const char *begin, *again, *end;
    } cases[] = {
        { "a:", " ", "1\n" },
        { "a: |\n  x\n", "\n", "b: 1\n" },
        { "a: x", "\n", "  y\n" },
        { "a: '", "\n", "  '\n" },
        { "a: \"", "\\\n ", "\"\n" },
        { "%", "%", "\n---\n1\n" },
        { "a: >\n  x\n", "   y\n", "" },
        { "- ", "a# ", "\n" },
        { "- ", "a\n  b ", "\n" },
        { "[", "\n", "]\n" },
        { "", "# c\n", "a\n" },
        { "a:\n", "    \n", " b: c\n" },
        { "a: |\n", "  \n", "  x\n" },
        { "- 'x", "''", "'\n" },
        { "", "- &a x\n- *a\n", "" },
        { "", "- |\n", "" },
    };
    struct ceilings max = ceilings_default();

    (void)state;
    max.v[CEILING_ANCHORS] = UINT32_MAX;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf text = { .max = 128 << 20 };
        const struct document *d = NULL;
        struct error e = { 0 };
        clock_t begin = clock();

        buf_adds(&text, cases[i].begin);
        repeat(&text, cases[i].again, ((size_t)1 << 20) / strlen(cases[i].again));
        buf_adds(&text, cases[i].end);
        if (!yaml_read("x", buf_str(&text), &max, &a, &d, &e))
            fail_msg("case %zu: %d:%d %s", i, e.at.line, e.at.col, e.msg);
        if (clock() - begin > (clock_t)10 * CLOCKS_PER_SEC)
            fail_msg("case %zu took %ld s", i, (long)((clock() - begin) / CLOCKS_PER_SEC));
    }
}

static void aliases_are_copied_inside_the_budget(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };
    const struct document *d = NULL;
    struct error e = { 0 };

    (void)state;
    buf_adds(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++)
        buf_addf(&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n",
                 i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    assert_false(read_str(buf_str(&text), &a, &d, &e));
    assert_int_equal(e.code, ERROR_CEILING);
    assert_non_null(strstr(e.msg, "document_values"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_are_typed_by_the_core_schema),
        cmocka_unit_test(texts_are_read_as_written),
        cmocka_unit_test(refusals_say_what_and_where),
        cmocka_unit_test(what_is_no_yaml_is_refused),
        cmocka_unit_test(control_characters_are_refused),
        cmocka_unit_test(bombs_end_in_a_ceiling),
        cmocka_unit_test(long_texts_take_linear_time),
        cmocka_unit_test(aliases_are_copied_inside_the_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
