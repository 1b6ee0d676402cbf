/* SPDX-License-Identifier: Apache-2.0 */
/* test_pointer.c: JSON Pointers (RFC 6901) are read, followed, and written as they are read. */
#include "unit/base/trees.h"

#include "base/pointer.h"

static struct work plenty(void)
{
    return (struct work){ .left = 1 << 20 };
}

static void the_examples_of_the_rfc_lead_where_it_says(void **state)
{
    static const struct {
        const char *pointer, *value;
    } cases[] = {
        { "/foo", "[\"bar\",\"baz\"]" },
        { "/foo/0", "\"bar\"" },
        { "/", "0" },
        { "/a~1b", "1" },
        { "/c%d", "2" },
        { "/e^f", "3" },
        { "/g|h", "4" },
        { "/i\\j", "5" },
        { "/k\"l", "6" },
        { "/ ", "7" },
        { "/m~0n", "8" },
    };
    _arena_ struct arena a = { 0 };
    const struct doc *d = tree("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
                               "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}",
                               &a);
    struct work w = plenty();
    struct pointer p;
    struct error e;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _buf_ struct buf again = { .max = 100 };
        const struct doc *found;

        assert_true(pointer_read(str_of(cases[i].pointer), &a, &p, &e));
        found = pointer_find(&p, d, &w);
        assert_non_null(found);
        assert_string_equal(canon(found, &a), cases[i].value);
        doc_pointer(found, &again);
        assert_string_equal(again.s, cases[i].pointer);
    }
    assert_true(pointer_read(str_of(""), &a, &p, &e));
    assert_ptr_equal(pointer_find(&p, d, &w), d);
}

static void what_is_not_there_is_not_found(void **state)
{
    static const char *const cases[] = {
        "/x",       "/foo/2",          "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/1e0",
        "/foo/0/x", "/foo/4294967296", "/foo/",  "//",      "/n/x",    "/foo/-1",
    };
    _arena_ struct arena a = { 0 };
    const struct doc *d = tree("{\"foo\":[1,2],\"\":{\"a\":1},\"n\":null}", &a);
    struct work w = plenty();
    struct pointer p;
    struct error e;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(pointer_read(str_of(cases[i]), &a, &p, &e));
        if (pointer_find(&p, d, &w))
            fail_msg("%s was found", cases[i]);
    }
}

static void what_is_no_pointer_is_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "a", "'a' is no JSON pointer: it must begin with '/'" },
        { "#/a", "'#/a' is no JSON pointer: it must begin with '/'" },
        { "/a~", "'/a~' is no JSON pointer: '~' must be '~0' or '~1'" },
        { "/~2", "'/~2' is no JSON pointer: '~' must be '~0' or '~1'" },
        { "/a/b~/c", "'/a/b~/c' is no JSON pointer: '~' must be '~0' or '~1'" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct pointer p = { NULL, 7 };
        struct error e = { 0 };

        assert_false(pointer_read(str_of(cases[i].text), &a, &p, &e));
        assert_string_equal(e.msg, cases[i].says);
        assert_int_equal(p.n, 7);
    }
}

static void escapes_are_undone_once(void **state)
{
    _arena_ struct arena a = { 0 };
    struct pointer p;
    struct error e;

    (void)state;
    assert_true(pointer_read(str_of("/~01/~10"), &a, &p, &e));
    assert_int_equal(p.n, 2);
    assert_true(str_is(p.names[0], "~1"));
    assert_true(str_is(p.names[1], "/0"));
}

static void looking_costs_work(void **state)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = tree("[[1]]", &a);
    struct work w = { .left = 1 };
    struct pointer p;
    struct error e;

    (void)state;
    assert_true(pointer_read(str_of("/0/0"), &a, &p, &e));
    assert_null(pointer_find(&p, d, &w));
    assert_true(w.over);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_lead_where_it_says),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(what_is_no_pointer_is_refused),
        cmocka_unit_test(escapes_are_undone_once),
        cmocka_unit_test(looking_costs_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
