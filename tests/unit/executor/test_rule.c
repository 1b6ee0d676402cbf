/* SPDX-License-Identifier: Apache-2.0 */
/* test_rule.c: rule_evaluate: each op, what is missing, what is put together, what is refused. */
#include "unit/base/trees.h"

#include "executor/builtin.h"

static const char facts[] = "{\"n\":5,\"f\":5.5,\"t\":\"main\",\"l\":[1,\"a\",{\"x\":1}],\"m\":"
                            "{\"a/b\":true},\"z\":null,\"e\":\"\"}";

/* Does a condition hold of the facts? */
static bool holds(const char *when)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf payload = { .max = 1 << 16 };
    struct work w = { .left = 1 << 20 };
    const struct doc *output = NULL;
    struct error e = { 0 };

    buf_addf(&payload, "{\"facts\":%s,\"rules\":[{\"id\":\"r\",\"when\":%s}]}", facts, when);
    if (!builtin_named(str_of("rule_evaluate"))->execute(tree(payload.s, &a), &w, &a, &output, &e))
        fail_msg("%s: %s", when, e.msg);
    assert_tree(output);
    return doc_whole(output, "count") == 1;
}

static void each_op_holds_when_it_should(void **state)
{
    static const struct {
        const char *pointer, *op, *value; /* value NULL: none is said */
        bool holds;
    } cases[] = {
        { "/n", "eq", "5", true },           { "/n", "eq", "5.0", true },
        { "/n", "eq", "\"5\"", false },      { "/z", "eq", "null", true },
        { "", "eq", facts, true },           { "/l/2", "eq", "{\"x\":1}", true },
        { "/m/a~1b", "eq", "true", true },   { "/n", "ne", "5", false },
        { "/n", "ne", "6", true },           { "/n", "lt", "5.5", true },
        { "/n", "lt", "5", false },          { "/n", "le", "5", true },
        { "/f", "gt", "5", true },           { "/f", "gt", "5.5", false },
        { "/f", "ge", "5.5", true },         { "/t", "lt", "\"mb\"", true },
        { "/t", "gt", "\"Z\"", true },       { "/e", "lt", "\"a\"", true },
        { "/t", "lt", "7", false },          { "/n", "gt", "\"a\"", false },
        { "/z", "le", "0", false },          { "/t", "in", "[\"dev\",\"main\"]", true },
        { "/n", "in", "[1,5.0]", true },     { "/n", "in", "[]", false },
        { "/l", "contains", "\"a\"", true }, { "/l", "contains", "{\"x\":1.0}", true },
        { "/l", "contains", "2", false },    { "/t", "contains", "\"ai\"", true },
        { "/t", "contains", "\"\"", true },  { "/t", "contains", "\"x\"", false },
        { "/t", "contains", "1", false },    { "/m", "contains", "\"a/b\"", false },
        { "/n", "exists", NULL, true },      { "/z", "exists", "true", true },
        { "/z", "exists", "false", false },

        { "/no", "eq", "null", false },      { "/no", "ne", "1", true },
        { "/no", "lt", "1", false },         { "/no", "ge", "1", false },
        { "/no", "in", "[null]", false },    { "/no", "contains", "null", false },
        { "/no", "exists", NULL, false },    { "/no", "exists", "false", true },
        { "/l/3", "exists", NULL, false },   { "/n/x", "exists", NULL, false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _buf_ struct buf when = { .max = 4096 };

        buf_addf(&when, "{\"pointer\":\"%s\",\"op\":\"%s\"", cases[i].pointer, cases[i].op);
        if (cases[i].value)
            buf_addf(&when, ",\"value\":%s", cases[i].value);
        buf_adds(&when, "}");
        if (holds(when.s) != cases[i].holds)
            fail_msg("%s", when.s);
    }
}

#define YES "{\"pointer\":\"/n\",\"op\":\"eq\",\"value\":5}"
#define NO  "{\"pointer\":\"/n\",\"op\":\"eq\",\"value\":6}"

static void conditions_are_put_together(void **state)
{
    static const struct {
        const char *when;
        bool holds;
    } cases[] = {
        { "{\"all\":[]}", true },
        { "{\"any\":[]}", false },
        { "{\"all\":[" YES "," YES "]}", true },
        { "{\"all\":[" YES "," NO "]}", false },
        { "{\"any\":[" NO "," YES "]}", true },
        { "{\"any\":[" NO "," NO "]}", false },
        { "{\"not\":" NO "}", true },
        { "{\"not\":" YES "}", false },
        { "{\"not\":{\"any\":[" NO ",{\"all\":[" YES "," NO "]}]}}", true },
        { "{\"all\":[{\"not\":{\"not\":" YES "}},{\"any\":[" NO "," YES "]}]}", true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (holds(cases[i].when) != cases[i].holds)
            fail_msg("%s", cases[i].when);
}

static void rules_are_tried_in_order(void **state)
{
    static const struct {
        const char *payload, *output;
    } cases[] = {
        { "{\"facts\":1,\"rules\":[]}", "{\"count\":0,\"matched\":[]}" },
        { "{\"facts\":1,\"rules\":[{\"id\":\"b\",\"then\":{\"x\":[1]}},{\"id\":\"a\"}]}",
          "{\"count\":2,\"matched\":[{\"id\":\"b\",\"then\":{\"x\":[1]}},{\"id\":\"a\"}]}" },
        { "{\"facts\":1,\"mode\":\"all\",\"rules\":[{\"id\":\"b\",\"then\":null},{\"id\":\"a\"}]}",
          "{\"count\":2,\"matched\":[{\"id\":\"b\",\"then\":null},{\"id\":\"a\"}]}" },
        { "{\"facts\":1,\"mode\":\"first\",\"rules\":[{\"id\":\"c\",\"when\":{\"any\":[]}},"
          "{\"id\":\"b\"},{\"id\":\"a\"}]}",
          "{\"count\":1,\"matched\":[{\"id\":\"b\"}]}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct work w = { .left = 1 << 20 };
        const struct doc *output = NULL;
        struct error e = { 0 };

        assert_true(builtin_named(str_of("rule_evaluate"))
                        ->execute(tree(cases[i].payload, &a), &w, &a, &output, &e));
        assert_string_equal(canon(output, &a), cases[i].output);
    }
}

static void R_003_024_a_rule_that_is_wrong_is_an_exception_whatever_the_facts(void **state)
{
    static const struct {
        const char *rules, *says;
    } cases[] = {
        { "[{\"id\":\"a\"},{\"id\":\"b\"},{\"id\":\"a\"}]", "/rules: two have the id 'a'" },
        { "[{\"when\":{}}]", "/rules/0: a rule needs 'id'" },
        { "[{\"id\":\"a\",\"when\":[]}]", "/rules/0/when: when is a list of 0, must be a map" },
        { "[{\"id\":\"a\",\"when\":{}}]", "/rules/0/when: a condition needs 'pointer' and 'op', or "
                                          "one of all, any and not" },
        { "[{\"id\":\"a\"},{\"id\":\"b\",\"when\":{\"any\":[" YES ",{\"all\":{}}]}}]",
          "/rules/1/when/any/1/all: must be a list of conditions" },
        { "[{\"id\":\"a\",\"when\":{\"not\":[]}}]", "/rules/0/when/not: must be a condition" },
        { "[{\"id\":\"a\",\"when\":{\"all\":[1]}}]",
          "/rules/0/when/all/0: a condition must be a map" },
        { "[{\"id\":\"a\",\"when\":{\"all\":[],\"any\":[]}}]",
          "/rules/0/when: all, any and not stand alone; put conditions together with all" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\"}}]",
          "/rules/0/when: a condition needs 'op'" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"n\",\"op\":\"exists\"}}]",
          "/rules/0/when: 'n' is no JSON pointer: it must begin with '/'" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\",\"op\":\"eq\"}}]",
          "/rules/0/when: this op needs a 'value'" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\",\"op\":\"lt\",\"value\":[]}}]",
          "/rules/0/when: this op needs a 'value' that is a number or a text" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\",\"op\":\"in\",\"value\":1}}]",
          "/rules/0/when: this op needs a 'value' that is a list" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\",\"op\":\"exists\",\"value\":1}}]",
          "/rules/0/when: this op needs no 'value', or one that is true or false" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\",\"op\":\"matches\",\"value\":1}}]",
          "/rules/0/when: this op needs a 'value' that is a text: an I-Regexp" },
        { "[{\"id\":\"a\",\"when\":{\"pointer\":\"/n\",\"op\":\"eq\",\"valu\":1}}]",
          "/rules/0/when/valu: a condition has no field 'valu' (did you mean 'value'?)" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf payload = { .max = 1 << 16 };
        struct work w = { .left = 1 << 20 };
        const struct doc *output = NULL;
        struct error e = { 0 };

        buf_addf(&payload, "{\"facts\":{},\"mode\":\"first\",\"rules\":%s}", cases[i].rules);
        assert_false(builtin_named(str_of("rule_evaluate"))
                         ->execute(tree(payload.s, &a), &w, &a, &output, &e));
        assert_string_equal(e.msg, cases[i].says);
        assert_null(output);
    }
}

static void ops_that_are_not_there_are_named(void **state)
{
    _arena_ struct arena a = { 0 };
    struct work w = { .left = 1 << 20 };
    const struct doc *output = NULL;
    struct error e = { 0 };

    (void)state;
    assert_false(builtin_named(str_of("rule_evaluate"))
                     ->execute(tree("{\"facts\":{},\"rules\":[{\"id\":\"a\",\"when\":{\"pointer\":"
                                    "\"/n\",\"op\":\"exist\"}}]}",
                                    &a),
                               &w, &a, &output, &e));
    assert_non_null(strstr(e.msg, "/rules/0/when/op: 'exist' is not one of eq, ne, lt, le"));
    assert_non_null(strstr(e.msg, "(did you mean 'exists'?)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_op_holds_when_it_should),
        cmocka_unit_test(conditions_are_put_together),
        cmocka_unit_test(rules_are_tried_in_order),
        cmocka_unit_test(R_003_024_a_rule_that_is_wrong_is_an_exception_whatever_the_facts),
        cmocka_unit_test(ops_that_are_not_there_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
