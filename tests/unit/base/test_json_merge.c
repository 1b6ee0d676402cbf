/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_merge.c: JSON Merge Patch (RFC 7386), and what it means for two values to be the same.
 */
#include "unit/base/trees.h"

#include "base/doc_same.h"
#include "base/json_merge.h"

static struct work plenty(void)
{
    return (struct work){ .left = 1 << 26 };
}

/* The table of appendix A, and a few of our own. */
static void the_examples_of_the_rfc_come_out(void **state)
{
    static const struct {
        const char *target, *patch, *result;
    } cases[] = {
        { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
        { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
        { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
        { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
        { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
        { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
        { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
        { "{\"a\":\"foo\"}", "null", "null" },
        { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
        { "{\"e\":null}", "{\"a\":1}", "{\"a\":1,\"e\":null}" },
        { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
        { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
        { "{}", "{\"a\":[null,{\"b\":null}]}", "{\"a\":[null,{\"b\":null}]}" },
        { "{\"z\":1,\"a\":2}", "{\"m\":3,\"z\":null}", "{\"a\":2,\"m\":3}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *out = NULL;
        struct work w = plenty();

        assert_true(json_merge(tree(cases[i].target, &a), tree(cases[i].patch, &a), &w, &a, &out));
        assert_tree(out);
        assert_string_equal(canon(out, &a), cases[i].result);
    }
}

/* MergePatch of the RFC, word by word, over trees that nobody sorted. */
static void model(const struct doc *target, const struct doc *patch, struct doc *to,
                  struct arena *a)
{
    struct work w = plenty();

    if (patch->kind != DOC_MAP) {
        assert_true(doc_copy(patch, to, &w, a));
        return;
    }
    to->kind = DOC_MAP;
    for (const struct doc *t = target ? doc_first(target, DOC_MAP) : NULL; t; t = t->next)
        if (!doc_get(patch, arena_text(a, t->key)))
            assert_true(doc_copy(t, doc_add(a, to, t->key), &w, a));
    for (const struct doc *p = patch->first; p; p = p->next)
        if (p->kind != DOC_NULL)
            model(target ? doc_get(target, arena_text(a, p->key)) : NULL, p, doc_add(a, to, p->key),
                  a);
}

static void any_two_documents_merge_as_the_rfc_has_it(void **state)
{
    uint64_t seed = 7386;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *x = draw_tree(&seed, 4, &a), *y = draw_tree(&seed, 4, &a), *out = NULL;
        const char *x_was = canon(x, &a), *y_was = canon(y, &a);
        struct doc *wanted = doc_root(&a, DOC_NULL);
        struct work w = plenty();

        model(x, y, wanted, &a);
        assert_true(json_merge(x, y, &w, &a, &out));
        assert_tree(out);
        assert_string_equal(canon(out, &a), canon(wanted, &a));
        assert_string_equal(canon(x, &a), x_was);
        assert_string_equal(canon(y, &a), y_was);
    }
}

static void values_are_the_same_by_what_they_say(void **state)
{
    static const struct {
        const char *x, *y;
        bool same;
    } cases[] = {
        { "1", "1.0", true },
        { "0", "-0.0", true },
        { "100", "1e2", true },
        { "1", "true", false },
        { "0", "null", false },
        { "\"1\"", "1", false },
        { "[]", "{}", false },
        { "\"a\"", "\"\\u0061\"", true },
        { "\"\"", "\"a\"", false },
        { "[1,2]", "[2,1]", false },
        { "[1,2]", "[1,2,3]", false },
        { "{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}", true },
        { "{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false },
        { "{\"a\":1}", "{\"a\":1,\"b\":null}", false },
        { "{\"b\":{\"y\":1,\"x\":2},\"a\":1}", "{\"a\":1,\"b\":{\"x\":2,\"y\":1}}", true },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *x = tree(cases[i].x, &a), *y = tree(cases[i].y, &a);
        struct work w = plenty();

        if (doc_same(x, y, &w, &a) != cases[i].same || doc_same(y, x, &w, &a) != cases[i].same)
            fail_msg("%s and %s", cases[i].x, cases[i].y);
        assert_int_equal(doc_hash(x, &w) == doc_hash(y, &w), cases[i].same);
    }
}

static void the_same_is_what_has_the_same_canonical_bytes(void **state)
{
    uint64_t seed = 1;
    int met = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *x = draw_tree(&seed, 2, &a), *y = draw_tree(&seed, 2, &a);
        bool same = strcmp(canon(x, &a), canon(y, &a)) == 0;
        struct work w = plenty();

        assert_int_equal(doc_same(x, y, &w, &a), same);
        assert_int_equal(doc_hash(x, &w) == doc_hash(y, &w), same);
        met += same;
    }
    assert_true(met > 100);
}

static void an_ordered_document_is_itself_and_any_other_a_copy(void **state)
{
    uint64_t seed = 8785;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *d = draw_tree(&seed, 4, &a), *ordered, *again;
        _buf_ struct buf read = { .max = 1 << 20 };
        struct work w = plenty();

        assert_true(doc_ordered(d, &w, &a, &ordered));
        assert_tree(ordered);
        json_doc(&read, ordered); /* keys as they are */
        assert_string_equal(read.s, canon(d, &a));
        assert_true(doc_ordered(ordered, &w, &a, &again));
        assert_ptr_equal(ordered, again);
    }
}

static void work_that_is_over_ends_all_of_them(void **state)
{
    _arena_ struct arena a = { 0 };
    const struct doc *x = tree("{\"b\":{\"c\":[1,2,3]},\"a\":\"text\"}", &a), *out = NULL;
    struct work full = plenty();
    uint64_t needed;

    (void)state;
    assert_true(json_merge(x, x, &full, &a, &out));
    needed = (1 << 26) - full.left;
    for (uint64_t left = 0; left < needed; left++) {
        struct work w = { .left = left };

        out = NULL;
        assert_false(json_merge(x, x, &w, &a, &out));
        assert_true(w.over);
        assert_null(out);
    }
    for (uint64_t left = 0; left < 5; left++) {
        struct work same = { .left = left }, order = { .left = left };

        assert_false(doc_same(x, x, &same, &a));
        assert_true(same.over);
        assert_false(doc_ordered(x, &order, &a, &out));
        assert_true(order.over);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_come_out),
        cmocka_unit_test(any_two_documents_merge_as_the_rfc_has_it),
        cmocka_unit_test(values_are_the_same_by_what_they_say),
        cmocka_unit_test(the_same_is_what_has_the_same_canonical_bytes),
        cmocka_unit_test(an_ordered_document_is_itself_and_any_other_a_copy),
        cmocka_unit_test(work_that_is_over_ends_all_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
