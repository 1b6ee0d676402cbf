/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_pick.c: a member found without reading the rest is the one that reading finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json_pick.h"
#include "base/own.h"

static const char text[] =
    "{\"a\":1,\"b\\\"\":\"x\",\"deep\":{\"lineage\":{\"no\":[1,{\"a\":\"}\"}]}},"
    "\"e\":\"quote \\\\\\\" } ] ,\",\"lineage\":{\"ids\":[\"p\",\"q\\n\",[]]},"
    "\"nil\":null,\"z\":[]}";

static const struct {
    const char *key, *value;
} members[] = {
    { "a", "1" },
    { "deep", "{\"lineage\":{\"no\":[1,{\"a\":\"}\"}]}}" },
    { "e", "\"quote \\\\\\\" } ] ,\"" },
    { "lineage", "{\"ids\":[\"p\",\"q\\n\",[]]}" },
    { "nil", "null" },
    { "z", "[]" },
    { "no", "" },
    { "ids", "" },
    { "", "" },
};

static void members_are_found_at_their_own_level(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(members); i++) {
        struct str got = json_pick(str_of(text), members[i].key);

        if (!str_is(got, members[i].value))
            fail_msg("%s is %.*s", members[i].key, STR_ARG(got));
    }
}

static void items_come_one_by_one(void **state)
{
    struct str list = json_pick(json_pick(str_of(text), "lineage"), "ids"), item;
    static const char *const want[] = { "\"p\"", "\"q\\n\"", "[]" };
    size_t at = 0, n = 0;

    (void)state;
    while (json_pick_item(list, &at, &item)) {
        assert_true(n < COUNT(want));
        assert_true(str_is(item, want[n++]));
    }
    assert_int_equal(n, COUNT(want));
    at = 0;
    assert_false(json_pick_item(str_of("[]"), &at, &item));
    assert_false(json_pick_item(str_of(""), &at, &item));
}

static void plain_texts_have_no_escapes(void **state)
{
    (void)state;
    assert_true(str_is(json_pick_plain(str_of("\"led-1\"")), "led-1"));
    assert_int_equal(json_pick_plain(str_of("\"a\\n\"")).n, 0);
    assert_int_equal(json_pick_plain(str_of("12")).n, 0);
    assert_int_equal(json_pick_plain(str_of("\"")).n, 0);
}

/* What is cut off anywhere is not found or cut off too; nothing is read behind its end. */
static void nothing_is_read_behind_the_end(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        char *cut = malloc(n ? n : 1);
        struct str part = { cut, n }, item;
        size_t at = 0;

        assert_non_null(cut);
        memcpy(cut, text, n);
        for (size_t i = 0; i < COUNT(members); i++)
            assert_true(json_pick(part, members[i].key).n <= n);
        while (json_pick_item(json_pick(json_pick(part, "lineage"), "ids"), &at, &item))
            assert_true(item.n <= n);
        free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_at_their_own_level),
        cmocka_unit_test(items_come_one_by_one),
        cmocka_unit_test(plain_texts_have_no_escapes),
        cmocka_unit_test(nothing_is_read_behind_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
