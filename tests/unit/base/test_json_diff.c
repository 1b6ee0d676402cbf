/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_diff.c: a patch between two documents: short where it can be, and always right. */
#include "unit/base/trees.h"

#include "base/doc_same.h"
#include "base/json_diff.h"
#include "base/json_patch.h"
#include "base/list_diff.h"

static struct work plenty(void)
{
    return (struct work){ .left = UINT64_C(1) << 32 };
}

static const struct doc *differ(const struct doc *before, const struct doc *after, struct arena *a)
{
    const struct doc *patch = NULL, *out = NULL;
    struct work w = plenty();
    struct error e = { 0 };

    assert_true(json_diff(before, after, &w, a, &patch));
    assert_tree(patch);
    if (!json_patch(before, patch, &w, a, &out, &e))
        fail_msg("%s to %s: %s: %s", canon(before, a), canon(after, a), canon(patch, a), e.msg);
    if (!doc_same(out, after, &w, a))
        fail_msg("%s to %s: %s", canon(before, a), canon(after, a), canon(patch, a));
    assert_string_equal(canon(out, a), canon(after, a));
    return patch;
}

static void simple_changes_are_short(void **state)
{
    static const struct {
        const char *before, *after, *patch;
    } cases[] = {
        { "{\"a\":1}", "{\"a\":1.0}", "[]" },
        { "1", "2", "[{\"op\":\"replace\",\"path\":\"\",\"value\":2}]" },
        { "{}", "[]", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]" },
        { "{\"b\":2,\"a\":1}", "{\"a\":1,\"b\":2}", "[]" },
        { "{\"a\":1}", "{\"a\":1,\"b\":{\"c\":[]}}",
          "[{\"op\":\"add\",\"path\":\"/b\",\"value\":{\"c\":[]}}]" },
        { "{\"a\":1,\"b\":2}", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]" },
        { "{\"a\":{\"b\":{\"c\":1,\"d\":2}}}", "{\"a\":{\"b\":{\"c\":3,\"d\":2}}}",
          "[{\"op\":\"replace\",\"path\":\"/a/b/c\",\"value\":3}]" },
        { "{\"a/b\":{\"m~n\":1}}", "{\"a/b\":{\"m~n\":2}}",
          "[{\"op\":\"replace\",\"path\":\"/a~1b/m~0n\",\"value\":2}]" },
        { "[1,2,3]", "[1,9,2,3]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":9}]" },
        { "[1,2,3]", "[1,3]", "[{\"op\":\"remove\",\"path\":\"/1\"}]" },
        { "[1,2,3]", "[2,3]", "[{\"op\":\"remove\",\"path\":\"/0\"}]" },
        { "[1,2]", "[1,2,3]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":3}]" },
        { "[1,2,3]", "[1,9,3]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":9}]" },
        { "[{\"id\":1,\"n\":1},{\"id\":2,\"n\":2}]", "[{\"id\":1,\"n\":1},{\"id\":2,\"n\":5}]",
          "[{\"op\":\"replace\",\"path\":\"/1/n\",\"value\":5}]" },
        { "[1,2,3,4,5]", "[2,3,9,5,6]",
          "[{\"op\":\"remove\",\"path\":\"/0\"},{\"op\":\"replace\",\"path\":\"/2\",\"value\":9},"
          "{\"op\":\"add\",\"path\":\"/4\",\"value\":6}]" },
        { "[1,1,1]", "[1]",
          "[{\"op\":\"remove\",\"path\":\"/1\"},{\"op\":\"remove\",\"path\":\"/1\"}]" },
        { "{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"z\":3}}",
          "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":{\"z\":3}}]" },
        { "[]", "[1,2]", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[1,2]}]" },
        { "{\"a\":null}", "{\"a\":false}",
          "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":false}]" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };

        assert_string_equal(
            canon(differ(tree(cases[i].before, &a), tree(cases[i].after, &a), &a), &a),
            cases[i].patch);
    }
}

static void any_two_documents_have_a_patch_between_them(void **state)
{
    uint64_t seed = 1976;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *before = draw_tree(&seed, 4, &a);

        (void)differ(before, draw_tree(&seed, 4, &a), &a);
        assert_int_equal(differ(before, before, &a)->count, 0);
    }
}

static void a_document_that_changed_a_little_has_one_too(void **state)
{
    uint64_t seed = 1977;
    uint32_t operations = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *before = draw_tree(&seed, 5, &a);
        struct doc *after = doc_root(&a, DOC_NULL);
        struct work w = plenty();

        assert_true(doc_copy(before, after, &w, &a));
        disturb(&seed, after, &a);
        assert_tree(after);
        operations += differ(before, after, &a)->count;
    }
    assert_true(operations > 10000);
}

/* [0, 1, 2, ..], with one number in so many left out. */
static const struct doc *count_up(uint32_t n, uint32_t without, struct arena *a)
{
    struct doc *list = doc_root(a, DOC_LIST);

    for (uint32_t i = 0; i < n; i++)
        if (!without || i % without != 3)
            doc_add_int(a, list, NULL, i);
    return list;
}

static void long_lists_are_compared_by_what_stays(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    assert_int_equal(differ(count_up(900, 0, &a), count_up(900, 100, &a), &a)->count, 9);
    assert_int_equal(differ(count_up(50000, 0, &a), count_up(50000, 40000, &a), &a)->count, 2);
    assert_int_equal(differ(count_up(7000, 7, &a), count_up(7000, 0, &a), &a)->count, 1000);
    /* Above the ceiling of changes: item by item, and still right. */
    assert_true(differ(count_up(8000, 0, &a), count_up(8000, 7, &a), &a)->count > 6000);
}

/* The longest common subsequence, by its definition. */
static uint32_t in_common(const struct doc *x, const struct doc *y, struct arena *a)
{
    struct work w = plenty();
    uint32_t most, other;

    if (!x || !y)
        return 0;
    if (doc_same(x, y, &w, a))
        return 1 + in_common(x->next, y->next, a);
    most = in_common(x->next, y, a);
    other = in_common(x, y->next, a);
    return most > other ? most : other;
}

static void as_many_items_stay_as_can(void **state)
{
    uint64_t seed = 1986;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        _arena_ struct arena a = { 0 };
        struct doc *x = doc_root(&a, DOC_LIST), *y = doc_root(&a, DOC_LIST);
        const uint8_t *stays_x, *stays_y;
        uint32_t n = 0, m = 0;
        struct work w = plenty();

        for (uint32_t k = draw(&seed, 9); k > 0; k--)
            doc_add_int(&a, x, NULL, draw(&seed, 4));
        for (uint32_t k = draw(&seed, 9); k > 0; k--)
            doc_add_int(&a, y, NULL, draw(&seed, 4));
        assert_true(list_diff(x, y, &w, &a, &stays_x, &stays_y));
        for (uint32_t k = 0; k < x->count; k++)
            n += stays_x[k];
        for (uint32_t k = 0; k < y->count; k++)
            m += stays_y[k];
        assert_int_equal(n, m);
        assert_int_equal(n, in_common(x->first, y->first, &a));
    }
}

static void the_order_of_members_does_not_matter(void **state)
{
    _arena_ struct arena a = { 0 };
    const struct doc *x = tree("{\"b\":1,\"a\":2,\"c\":3}", &a);
    const struct doc *y = tree("{\"d\":1,\"c\":4,\"b\":0}", &a);
    const struct doc *x_too = tree("{\"a\":2,\"c\":3,\"b\":1}", &a);
    const struct doc *y_too = tree("{\"b\":0,\"c\":4,\"d\":1}", &a);

    (void)state;
    assert_string_equal(canon(differ(x, y, &a), &a), canon(differ(x_too, y_too, &a), &a));
    assert_string_equal(canon(differ(x, y, &a), &a),
                        "[{\"op\":\"remove\",\"path\":\"/a\"},"
                        "{\"op\":\"replace\",\"path\":\"/b\",\"value\":0},"
                        "{\"op\":\"replace\",\"path\":\"/c\",\"value\":4},"
                        "{\"op\":\"add\",\"path\":\"/d\",\"value\":1}]");
}

static void work_may_end_at_any_step(void **state)
{
    _arena_ struct arena a = { 0 };
    const struct doc *x = tree("{\"a\":[1,2,{\"b\":3,\"c\":\"d\"}],\"e\":{}}", &a);
    const struct doc *y = tree("{\"a\":[2,5,{\"b\":4,\"c\":\"d\"}],\"f\":[]}", &a);
    struct work w = plenty();
    const struct doc *patch = NULL;
    uint64_t needed;

    (void)state;
    assert_true(json_diff(x, y, &w, &a, &patch));
    needed = plenty().left - w.left;
    for (uint64_t left = 0; left < needed; left++) {
        patch = NULL;
        w = (struct work){ .left = left };
        assert_false(json_diff(x, y, &w, &a, &patch));
        assert_true(w.over);
        assert_null(patch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_changes_are_short),
        cmocka_unit_test(any_two_documents_have_a_patch_between_them),
        cmocka_unit_test(a_document_that_changed_a_little_has_one_too),
        cmocka_unit_test(long_lists_are_compared_by_what_stays),
        cmocka_unit_test(as_many_items_stay_as_can),
        cmocka_unit_test(the_order_of_members_does_not_matter),
        cmocka_unit_test(work_may_end_at_any_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
