/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree_numbers.c: trees as large as their numbers allow, numbers nobody should send, and
 * sources that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/ledger/tree_model.h"

enum { SIZES = 33, LEVELS = 63, READS_MAX = 2 * LEVELS };

static struct model_source model;
static const struct tree_source source = { model_hash, &model };

/* ---- as large as it gets ---- */

/* A tree in which every leaf is the same has one hash a level, so its size is no matter. */
struct even {
    struct digest level[LEVELS];
    int64_t size;
    int reads;
};

static bool even_hash(void *self, int level, int64_t index, struct digest *out, struct error *e)
{
    struct even *even = self;

    (void)e;
    even->reads++;
    assert_in_range(level, 0, LEVELS - 1);
    assert_true(index >= 0 && index < even->size >> level); /* complete, and inside */
    *out = even->level[level];
    return true;
}

static struct even even_new(void)
{
    struct even even = { .level[0] = tree_leaf(str_of("the same")) };

    for (int i = 1; i < LEVELS; i++)
        even.level[i] = tree_node(&even.level[i - 1], &even.level[i - 1]);
    return even;
}

static const int64_t large[] = {
    INT64_C(1) << 31,       (INT64_C(1) << 31) + 1, (INT64_C(1) << 32) - 1,
    INT64_C(1) << 32,       (INT64_C(1) << 62) - 1, INT64_C(1) << 62,
    (INT64_C(1) << 62) + 1, INT64_MAX - 1,          INT64_MAX,
};

static void one_large_pair(struct even *even, int64_t old, int64_t size)
{
    struct tree_source from = { even_hash, even };
    struct digest root, old_root;
    struct tree_path path;
    struct error e;

    even->size = size;
    assert_true(tree_root_at(size, &from, &root, &e));
    assert_true(tree_root_at(old, &from, &old_root, &e));
    even->reads = 0;
    assert_true(tree_inclusion(old - 1, size, &from, &path, &e));
    assert_in_range(even->reads, 1, READS_MAX);
    assert_true(tree_included(old - 1, size, &even->level[0], &path, &root));
    assert_false(tree_included(old - 1, size, &even->level[1], &path, &root));
    even->reads = 0;
    assert_true(tree_consistency(old, size, &from, &path, &e));
    assert_in_range(even->reads, old == size ? 0 : 1, READS_MAX);
    assert_true(tree_consistent(old, &old_root, size, &root, &path));
    assert_false(tree_consistent(old, &even->level[1], size, &root, &path) && old != 2);
}

static void trees_of_every_length_of_number(void **state)
{
    struct even even = even_new();

    (void)state;
    for (size_t i = 0; i < COUNT(large); i++) {
        for (int bit = 0; bit < LEVELS; bit++) {
            for (int64_t near = -1; near <= 1; near++) {
                int64_t old = (INT64_C(1) << bit) + near;

                if (old > 0 && old <= large[i])
                    one_large_pair(&even, old, large[i]);
            }
        }
        for (size_t j = 0; j <= i; j++)
            one_large_pair(&even, large[j], large[i]);
    }
}

/* ---- what nobody should send ---- */

static const int64_t odd[] = {
    INT64_MIN,        INT64_MIN + 1,    -(INT64_C(1) << 32), -2,        -1, 0, 1, 2, 3, 64, 65,
    INT64_C(1) << 32, INT64_C(1) << 62, INT64_MAX - 1,       INT64_MAX,
};

static const size_t lengths[] = {
    0,
    1,
    2,
    62,
    63,
    64,
    65,
    TREE_PATH_MAX - 1,
    TREE_PATH_MAX,
    TREE_PATH_MAX + 1,
    SIZE_MAX / 32,
    SIZE_MAX,
};

static void refused_for_any(const struct tree_path *path, int64_t a, int64_t b)
{
    struct digest hash = model_leaves[0], root = model_leaves[1];

    assert_false(tree_included(a, b, &hash, path, &root));
    assert_false(tree_consistent(a, &hash, b, &root, path));
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct tree_range r = { a, odd[i] };

        assert_false(tree_range_included(b, r, &hash, path, &root));
        assert_false(tree_range_consistent(r, &hash, b, &root, path));
    }
}

static void any_numbers_and_any_length_are_refused(void **state)
{
    _free_ struct tree_path *path = calloc(1, sizeof *path);

    (void)state;
    assert_non_null(path);
    for (size_t l = 0; l < COUNT(lengths); l++) {
        path->n = lengths[l];
        for (size_t i = 0; i < COUNT(odd); i++)
            for (size_t j = 0; j < COUNT(odd); j++)
                refused_for_any(path, odd[i], odd[j]);
    }
}

/* Right hashes at the front do not help a path that says it is longer than it can be. */
static void a_right_path_of_a_wrong_length_is_refused(void **state)
{
    struct digest root = model_root(0, 5);
    struct tree_path path;

    (void)state;
    model_inclusion(2, 0, 5, &path);
    assert_true(tree_included(2, 5, &model_leaves[2], &path, &root));
    for (size_t l = 0; l < COUNT(lengths); l++) {
        size_t right = path.n;

        path.n = lengths[l];
        assert_false(tree_included(2, 5, &model_leaves[2], &path, &root) && lengths[l] != right);
        path.n = right;
    }
}

/* ---- sources that fail ---- */

struct answers {
    struct digest root;
    struct tree_path path;
};

enum question { ROOT, INCLUSION, CONSISTENCY, QUESTIONS };

static bool ask(enum question what, int64_t i, struct answers *to, struct error *e)
{
    if (what == ROOT)
        return tree_root_at(model.size, &source, &to->root, e);
    if (what == INCLUSION)
        return tree_inclusion(i, model.size, &source, &to->path, e);
    return tree_consistency(i, model.size, &source, &to->path, e);
}

/* Fails at the first call, the second, and so on, until there are no more calls to fail at. */
static void fails_everywhere(enum question what, int64_t i, int64_t size)
{
    static struct answers before, after;
    int call = 1;

    memset(&before, 0x5a, sizeof before);
    for (;; call++) {
        struct error e = { 0 };

        after = before;
        model = (struct model_source){ .size = size, .fail_at = call };
        if (ask(what, i, &after, &e))
            break;
        assert_int_equal(model.calls, call); /* and no further */
        assert_int_equal(e.code, ERROR_IO);
        assert_memory_equal(&after, &before, sizeof before);
    }
    assert_int_equal(model.calls, call - 1);
    assert_memory_not_equal(&after, &before, sizeof before);
}

static void outputs_stay_when_the_source_fails(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= SIZES; size++)
        for (int64_t i = 0; i < size; i++)
            for (int what = 0; what < QUESTIONS; what++)
                fails_everywhere((enum question)what, i, size);
}

static int begin(void **state)
{
    (void)state;
    model_begin();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_every_length_of_number),
        cmocka_unit_test(any_numbers_and_any_length_are_refused),
        cmocka_unit_test(a_right_path_of_a_wrong_length_is_refused),
        cmocka_unit_test(outputs_stay_when_the_source_fails),
    };

    return cmocka_run_group_tests_name("tree_numbers", tests, begin, NULL);
}
