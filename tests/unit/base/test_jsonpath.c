/* SPDX-License-Identifier: Apache-2.0 */
/* test_jsonpath.c: what the compliance suite does not ask: messages, ceilings, work, places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/jsonpath.h"

static const struct doc *read_json(const char *text, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;

    if (!json_read("x.json", str_of(text), &max, a, &d, &e))
        fail_msg("%s: %s", text, e.msg);
    return &d->root;
}

static const struct jsonpath *read_path(const char *text, struct arena *a)
{
    const struct jsonpath *path;
    struct error e;

    if (!jsonpath_read(str_of(text), a, &path, &e))
        fail_msg("%s: %s", text, e.msg);
    return path;
}

static bool takes(const char *path, struct error *e)
{
    _arena_ struct arena a = { 0 };
    const struct jsonpath *out = NULL;

    *e = (struct error){ 0 };
    return jsonpath_read(str_of(path), &a, &out, e);
}

/* A list of the values, and one of their places. */
static void select_from(const char *json, const char *path, struct arena *a, struct buf *to)
{
    struct work w = { .left = 1 << 20 };
    struct nodes n;

    assert_true(jsonpath_run(read_path(path, a), read_json(json, a), a, &w, &n));
    json_open(to, '[');
    json_open(to, '[');
    for (size_t i = 0; i < n.n; i++)
        json_doc(to, n.v[i]);
    json_close(to, ']');
    assert_true(jsonpath_places(&n, &w, to));
    json_close(to, ']');
}

static void refusals_say_what_and_where(void **state)
{
    static const struct {
        const char *path, *msg;
        int col;
    } cases[] = {
        { "", "the path ends, expected '$', with which each path begins, at character 1", 1 },
        { "@.a", "found '@', expected '$', with which each path begins, at character 1", 1 },
        { "$.", "the path ends, expected a name or * after '.', at character 3", 3 },
        { "$.é-", "found '-', expected '.', '..' or '[', at character 4", 4 },
        { "$..", "the path ends, expected a name, * or [ after '..', at character 4", 4 },
        { "$ ", "found a blank, expected '.', '..' or '[', at character 2", 2 },
        { "$[]",
          "found ']', expected a name in quotes, an index, a slice, * or a filter, at character 3",
          3 },
        { "$[1 2]", "found '2', expected ',' or ']', at character 5", 5 },
        { "$[01]", "found '0', expected a whole number without leading zeros, at character 3", 3 },
        { "$[9007199254740992]", "found a number beyond 2^53 - 1, at character 3", 3 },
        { "$['a]", "a text that no ' ends, at character 3", 3 },
        { "$['\\\"']",
          "found '\"', expected one of ' \\ / b f n r t u after the backslash, at character 5", 5 },
        { "$['\\ud800']", "\\ud800 is half of a surrogate pair, at character 4", 4 },
        { "$[?1]", "found ']', expected a comparison: a literal alone is no test, at character 5",
          5 },
        { "$[?length(@.a)]", "length() is a value: expected a comparison, at character 4", 4 },
        { "$[?match(@.a,'b')==true]", "match() is true or false, expected a value, at character 4",
          4 },
        { "$[?@.*==1]", "this query may select many values, expected one value, at character 4",
          4 },
        { "$[?count(1)>0]", "found a value, expected a query such as @.*, at character 10", 10 },
        { "$[?size(@)>0]",
          "found 'size', expected length, count, match, search or value, at character 4", 4 },
        { "$[?length(@,@)>0]", "found ',', expected ')' after the last argument, at character 12",
          12 },
        { "$[?match(@)]", "found ')', expected ',' and another argument, at character 11", 11 },
        { "$[?@.a=1]", "found '=', expected ',' or ']', at character 7", 7 },
        { "$[?@.a==01]", "found '0', expected a number as JSON has it, at character 9", 9 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error e;

        if (takes(cases[i].path, &e))
            fail_msg("%s was taken", cases[i].path);
        assert_string_equal(e.msg, cases[i].msg);
        assert_int_equal(e.code, ERROR_SYNTAX);
        assert_int_equal(e.at.line, 1);
        assert_int_equal(e.at.col, cases[i].col);
    }
}

static void paths_have_ceilings(void **state)
{
    _buf_ struct buf deep = { .max = 1 << 20 }, many = { .max = 1 << 20 }, big = { .max = 1 << 20 };
    struct error e;

    (void)state;
    buf_adds(&deep, "$[?");
    for (int i = 0; i < 50; i++)
        buf_addc(&deep, '(');
    assert_false(takes(deep.s, &e));
    assert_non_null(strstr(e.msg, "more than 50 deep"));
    buf_addc(&many, '$');
    for (int i = 0; i < 1000; i++)
        buf_adds(&many, ".a");
    assert_true(takes(many.s, &e));
    buf_adds(&many, ".a");
    assert_false(takes(many.s, &e));
    assert_non_null(strstr(e.msg, "more than 1000 segments"));
    buf_adds(&big, "$['");
    for (int i = 0; i < 16384; i++)
        buf_addc(&big, 'a');
    buf_adds(&big, "']");
    assert_false(takes(big.s, &e));
    assert_string_equal(e.msg, "the path has 16389 bytes, allowed are 16384");
    assert_false(takes("$['\xff']", &e));
    assert_int_equal(e.code, ERROR_ENCODING);
}

static void work_is_bounded(void **state)
{
    static const char *const paths[] = {
        "$..[?$..[?$..[?$..a]]]",           "$..*..*..*..*", "$[*,*,*,*][*,*,*,*][*,*,*,*]..*..*",
        "$..[?count($..*)>count($..*..*)]", "$..[?$==$]",    "$..[?search(@, '(a|b)*c')]..*..*..*",
    };
    _buf_ struct buf json = { .max = 1 << 20 };

    (void)state;
    buf_addc(&json, '[');
    for (int i = 0; i < 1000; i++)
        buf_addf(&json, "%s{\"k\":[[%d,[[\"ab\",[2]]]],\"abababab\"]}", i ? "," : "", i);
    buf_addc(&json, ']');
    for (size_t i = 0; i < COUNT(paths); i++) {
        _arena_ struct arena a = { 0 };
        struct work w = { .left = 5000 };
        struct nodes n = { .n = 7 };

        if (jsonpath_run(read_path(paths[i], &a), read_json(json.s, &a), &a, &w, &n))
            fail_msg("%s had work enough", paths[i]);
        assert_true(w.over);
        assert_int_equal(n.n, 7);
    }
}

static bool is_late(void *self)
{
    ++*(int *)self;
    return true;
}

static void it_stops_when_it_is_late(void **state)
{
    _arena_ struct arena a = { 0 };
    int asked = 0;
    struct work w = { .left = UINT64_MAX, .late = is_late, .self = &asked };
    struct nodes n;

    (void)state;
    assert_false(jsonpath_run(read_path("$..[?$..[?$..[?$..[?$..[?$..[?$..[?$..a]]]]]]]", &a),
                              read_json("[[[[1,2],3],[4,[5]]],[[6,[7]],[8]]]", &a), &a, &w, &n));
    assert_int_equal(asked, 1);
}

static void places_are_right_in_any_order(void **state)
{
    static const struct {
        const char *json, *path, *want;
    } cases[] = {
        { "[1,2,3,4]", "$[::-1]", "[[4,3,2,1],[\"$[3]\",\"$[2]\",\"$[1]\",\"$[0]\"]]" },
        { "[[1,2],[3,4]]", "$[1,0,1][1,0]",
          "[[4,3,2,1,4,3],[\"$[1][1]\",\"$[1][0]\",\"$[0][1]\",\"$[0][0]\",\"$[1][1]\",\"$[1][0]\"]]" },
        { "{\"a'b\\\\\":[{\"\\n\\u0001\":0}]}", "$..*",
          "[[[{\"\\n\\u0001\":0}],{\"\\n\\u0001\":0},0],[\"$['a\\\\'b\\\\\\\\']\","
          "\"$['a\\\\'b\\\\\\\\'][0]\",\"$['a\\\\'b\\\\\\\\'][0]['\\\\n\\\\u0001']\"]]" },
        { "7", "$", "[[7],[\"$\"]]" },
        { "7", "$.a", "[[],[]]" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf got = { .max = 1 << 16 };

        select_from(cases[i].json, cases[i].path, &a, &got);
        assert_string_equal(got.s, cases[i].want);
    }
}

/* A long list, from its end: no more work than a few steps for each value. */
static void places_of_a_long_list_are_cheap(void **state)
{
    enum { MANY = 50000 };
    _arena_ struct arena a = { 0 };
    _buf_ struct buf json = { .max = 1 << 20 }, places = { .max = 4 << 20 };
    struct work w = { .left = 8 * MANY }, little = { .left = MANY / 16 };
    struct nodes n;

    (void)state;
    buf_addc(&json, '[');
    for (int i = 0; i < MANY; i++)
        buf_adds(&json, i ? ",0" : "0");
    buf_addc(&json, ']');
    assert_true(jsonpath_run(read_path("$[::-1]", &a), read_json(json.s, &a), &a, &w, &n));
    assert_int_equal(n.n, MANY);
    assert_true(jsonpath_places(&n, &w, &places));
    assert_memory_equal(places.s, "[\"$[49999]\",\"$[49998]\",", 23);
    assert_memory_equal(places.s + places.len - 14, "\"$[1]\",\"$[0]\"]", 14);
    assert_false(jsonpath_places(&n, &little, &places));
}

/* Patterns that stand in the document change from value to value. */
static void patterns_of_the_document(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf got = { .max = 1 << 16 };

    (void)state;
    select_from(
        "[{\"p\":\"a+\",\"t\":\"aa\"},{\"p\":\"b\",\"t\":\"aa\"},{\"p\":\"a+\",\"t\":\"ab\"},"
        "{\"p\":\"(\",\"t\":\"(\"},{\"p\":1,\"t\":\"1\"}]",
        "$[?match(@.t, @.p)].t", &a, &got);
    assert_string_equal(got.s, "[[\"aa\"],[\"$[0]['t']\"]]");
}

static void numbers_are_equal_by_value(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf got = { .max = 1 << 16 };

    (void)state;
    select_from("[1,1.0,100,1e2,-0,0,0.1,\"1\",true]", "$[?@==1||@==1E2||@==-0||@<=1e-1]", &a,
                &got);
    assert_string_equal(got.s, "[[1,1,100,100,0,0,0.1],[\"$[0]\",\"$[1]\",\"$[2]\",\"$[3]\","
                               "\"$[4]\",\"$[5]\",\"$[6]\"]]");
}

/* An id of 64 bits in an answer is looked for as it is written there. */
static void numbers_that_no_double_holds_are_compared_by_their_digits(void **state)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "$[?@==9007199254740993]", "[9007199254740993]" },
        { "$[?@!=9007199254740993]", "[9007199254740992,18446744073709551615]" },
        { "$[?@>9007199254740992]", "[9007199254740993,18446744073709551615]" },
        { "$[?@<18446744073709551616]",
          "[9007199254740992,9007199254740993,18446744073709551615]" },
        { "$[?@<1e999]", "[9007199254740992,9007199254740993,18446744073709551615]" },
    };
    struct ceilings max = ceilings_answer();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf got = { .max = 1 << 10 };
        struct work w = { .left = 1 << 20 };
        const struct document *d;
        struct nodes n;
        struct error e;

        assert_true(json_read("x.json",
                              str_of("[9007199254740992,9007199254740993,18446744073709551615]"),
                              &max, &a, &d, &e));
        assert_true(jsonpath_run(read_path(cases[i].path, &a), &d->root, &a, &w, &n));
        json_open(&got, '[');
        for (size_t k = 0; k < n.n; k++)
            json_doc(&got, n.v[k]);
        json_close(&got, ']');
        assert_string_equal(got.s, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_say_what_and_where),
        cmocka_unit_test(paths_have_ceilings),
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(it_stops_when_it_is_late),
        cmocka_unit_test(places_are_right_in_any_order),
        cmocka_unit_test(places_of_a_long_list_are_cheap),
        cmocka_unit_test(patterns_of_the_document),
        cmocka_unit_test(numbers_are_equal_by_value),
        cmocka_unit_test(numbers_that_no_double_holds_are_compared_by_their_digits),
    };

    return cmocka_run_group_tests_name("jsonpath", tests, NULL, NULL);
}
