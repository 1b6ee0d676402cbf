/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree.c: roots and proofs are those of the RFC, and no other proof is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/ledger/tree_model.h"

enum { SIZES = 70, SMALL = 17, MARGIN = 4 };

/* The linker puts these in the place of the C library's (tests/meson.build). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static int allocations;

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    allocations++;
    return __real_realloc(p, size);
}

static struct model_source model;
static const struct tree_source source = { model_hash, &model };

static void size_is(int64_t size)
{
    model = (struct model_source){ .size = size };
}

static void assert_same(const struct digest *a, const struct digest *b)
{
    assert_memory_equal(a->b, b->b, DIGEST_BYTES);
}

static void assert_paths_same(const struct tree_path *a, const struct tree_path *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->hash, b->hash, a->n * sizeof a->hash[0]);
}

/* ---- roots ---- */

static void known_leaves_and_roots(void **state)
{
    /* clang-format off */
    static const struct str inputs[] = {
        { "", 0 }, { "\x00", 1 }, { "\x10", 1 }, { "\x20\x21", 2 }, { "\x30\x31", 2 },
        { "\x40\x41\x42\x43", 4 }, { "\x50\x51\x52\x53\x54\x55\x56\x57", 8 },
        { "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f", 16 },
    };
    static const struct { size_t n; const char *root; } roots[] = {
        { 0, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { 1, "sha256:6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
        { 8, "sha256:5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328" },
    };
    /* clang-format on */
    struct digest leaves[COUNT(inputs)], root;
    char text[DIGEST_TEXT];

    (void)state;
    for (size_t i = 0; i < COUNT(inputs); i++)
        leaves[i] = tree_leaf(inputs[i]);
    for (size_t i = 0; i < COUNT(roots); i++) {
        root = tree_root(leaves, roots[i].n);
        digest_text(&root, text);
        assert_string_equal(text, roots[i].root);
    }
}

static void a_leaf_is_never_a_node(void **state)
{
    struct digest node = tree_node(&model_leaves[0], &model_leaves[1]);
    char bytes[2 * DIGEST_BYTES];
    struct digest leaf;

    (void)state;
    memcpy(bytes, &model_leaves[0], DIGEST_BYTES);
    memcpy(bytes + DIGEST_BYTES, &model_leaves[1], DIGEST_BYTES);
    leaf = tree_leaf((struct str){ bytes, sizeof bytes });
    assert_memory_not_equal(leaf.b, node.b, DIGEST_BYTES);
}

static void roots_of_every_size(void **state)
{
    struct error e;

    (void)state;
    for (int64_t size = 0; size <= SIZES; size++) {
        struct digest want = model_root(0, size), kept;
        struct digest ours = tree_root(model_leaves, (size_t)size);

        size_is(size);
        assert_same(&ours, &want);
        assert_true(tree_root_at(size, &source, &kept, &e));
        assert_same(&kept, &want);
    }
}

static void a_root_needs_no_memory(void **state)
{
    static struct digest leaves[256];
    _free_ char *counted = malloc(1);
    struct digest half, root, whole;
    int before = allocations;

    (void)state;
    assert_non_null(counted);
    assert_int_equal(before, 1);
    for (size_t i = 0; i < COUNT(leaves); i++)
        leaves[i] = model_leaves[i % COUNT(model_leaves)];
    root = tree_root(leaves, COUNT(leaves));
    assert_int_equal(allocations, before);
    half = tree_root(model_leaves, COUNT(model_leaves));
    whole = tree_node(&half, &half);
    assert_same(&root, &whole);
}

/* ---- proofs, and the same broken by hand ---- */

/* One call for all that a proof can show, so that every proof is broken in the same ways. */
typedef bool check(struct tree_range part, const struct digest *hash, int64_t size,
                   const struct digest *root, const struct tree_path *path);

static bool check_leaf(struct tree_range part, const struct digest *hash, int64_t size,
                       const struct digest *root, const struct tree_path *path)
{
    return tree_included(part.start, size, hash, path, root);
}

static bool check_old(struct tree_range part, const struct digest *hash, int64_t size,
                      const struct digest *root, const struct tree_path *path)
{
    return tree_consistent(part.end, hash, size, root, path);
}

/* One bit anywhere decides, and every hash has its place. */
static void refused_when_broken(check *shows, struct tree_range part, int64_t size,
                                const struct tree_path *path)
{
    struct digest hash = model_root(part.start, part.end), root = model_root(0, size);
    struct digest no_hash = hash, no_root = root;
    struct tree_path bad = *path;

    no_hash.b[0] ^= 1;
    no_root.b[DIGEST_BYTES - 1] ^= 0x80;
    assert_true(shows(part, &hash, size, &root, path));
    assert_false(shows(part, &no_hash, size, &root, path));
    assert_false(shows(part, &hash, size, &no_root, path));
    for (size_t i = 0; i < path->n; i++) {
        bad.hash[i].b[i % DIGEST_BYTES] ^= 4;
        assert_false(shows(part, &hash, size, &root, &bad));
        bad = *path;
    }
    for (size_t i = 0; i < path->n; i++) { /* one left out */
        memmove(&bad.hash[i], &bad.hash[i + 1], (path->n - i - 1) * sizeof bad.hash[0]);
        bad.n--;
        assert_false(shows(part, &hash, size, &root, &bad));
        bad = *path;
    }
    for (size_t i = 0; i <= path->n; i++) { /* one too many: the hash, the root, a neighbour */
        const struct digest *more[] = { &hash, &root, &path->hash[i < path->n ? i : 0] };

        for (size_t j = 0; j < (path->n > 0 ? 3 : 2); j++) {
            memmove(&bad.hash[i + 1], &bad.hash[i], (path->n - i) * sizeof bad.hash[0]);
            bad.hash[i] = *more[j];
            bad.n++;
            assert_false(shows(part, &hash, size, &root, &bad));
            bad = *path;
        }
    }
    for (size_t i = 1; i < path->n; i++) { /* two changed over */
        bad.hash[i - 1] = path->hash[i];
        bad.hash[i] = path->hash[i - 1];
        assert_false(shows(part, &hash, size, &root, &bad));
        bad = *path;
    }
}

static void inclusion_of_every_leaf(void **state)
{
    struct tree_path ours, want;
    struct error e;

    (void)state;
    for (int64_t size = 1; size <= SIZES; size++) {
        size_is(size);
        for (int64_t i = 0; i < size; i++) {
            assert_true(tree_inclusion(i, size, &source, &ours, &e));
            model_inclusion(i, 0, size, &want);
            assert_paths_same(&ours, &want);
            refused_when_broken(check_leaf, (struct tree_range){ i, i + 1 }, size, &ours);
        }
    }
}

static void consistency_of_every_pair(void **state)
{
    struct tree_path ours, want;
    struct error e;

    (void)state;
    for (int64_t size = 1; size <= SIZES; size++) {
        size_is(size);
        for (int64_t old = 1; old <= size; old++) {
            assert_true(tree_consistency(old, size, &source, &ours, &e));
            model_consistency((struct tree_range){ 0, old }, 0, size, true, &want);
            assert_paths_same(&ours, &want);
            refused_when_broken(check_old, (struct tree_range){ 0, old }, size, &ours);
        }
    }
}

static void the_empty_tree_proves_nothing(void **state)
{
    struct digest nothing = tree_root(NULL, 0);
    struct tree_path path = { .n = 7 };
    struct error e;

    (void)state;
    for (int64_t size = 0; size <= SMALL; size++) {
        struct digest root = model_root(0, size);

        size_is(size);
        assert_true(tree_consistency(0, size, &source, &path, &e));
        assert_int_equal(path.n, 0);
        assert_false(tree_consistent(0, &nothing, size, &root, &path));
        assert_false(tree_included(0, 0, &root, &path, &root));
        path.n = 7;
    }
}

static void every_range_that_stands(void **state)
{
    struct tree_path path;

    (void)state;
    for (int64_t size = 1; size <= SIZES; size++) {
        for (int64_t start = 0; start < size; start++) {
            for (int64_t end = start + 1; end <= size; end++) {
                struct tree_range r = { start, end };

                if (!tree_range_stands(r))
                    continue;
                model_consistency(r, 0, size, true, &path);
                refused_when_broken(tree_range_consistent, r, size, &path);
            }
        }
    }
}

static void a_range_stands_where_a_node_begins(void **state)
{
    static const struct tree_range no[] = {
        { 1, 3 },  { 2, 5 },  { 3, 5 },         { 1, 15 },        { 4, 9 },
        { 0, 0 },  { 5, 5 },  { 5, 4 },         { -1, 1 },        { -2, 0 },
        { -4, 4 }, { 0, -1 }, { 1, INT64_MAX }, { 0, INT64_MIN }, { INT64_MIN, INT64_MAX },
    };
    static const struct tree_range yes[] = {
        { 0, 1 },         { 0, 3 },   { 2, 4 },
        { 4, 7 },         { 8, 13 },  { INT64_MAX - 1, INT64_MAX },
        { 0, INT64_MAX }, { 24, 25 }, { INT64_C(1) << 62, INT64_MAX },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(no); i++)
        assert_false(tree_range_stands(no[i]));
    for (size_t i = 0; i < COUNT(yes); i++)
        assert_true(tree_range_stands(yes[i]));
}

static void a_range_has_its_leaves_and_no_others(void **state)
{
    struct tree_range r = { 8, 13 };
    struct digest hash = model_root(r.start, r.end);
    struct tree_path path;

    (void)state;
    for (int64_t i = r.start; i < r.end; i++) {
        model_inclusion(i - r.start, r.start, r.end, &path);
        for (int64_t j = 0; j < SMALL; j++)
            assert_int_equal(tree_range_included(j, r, &model_leaves[i], &path, &hash), i == j);
        assert_false(
            tree_range_included(i, (struct tree_range){ 7, 12 }, &model_leaves[i], &path, &hash));
    }
}

static void an_empty_range_has_the_hash_of_nothing(void **state)
{
    struct digest nothing = tree_root(NULL, 0), root = model_root(0, 3);
    struct tree_path path = { 0 };

    (void)state;
    assert_true(tree_range_consistent((struct tree_range){ 3, 3 }, &nothing, 3, &root, &path));
    assert_false(tree_range_consistent((struct tree_range){ 4, 4 }, &nothing, 3, &root, &path));
    assert_false(tree_range_consistent((struct tree_range){ -1, -1 }, &nothing, 3, &root, &path));
    assert_false(tree_range_consistent((struct tree_range){ 3, 3 }, &root, 3, &root, &path));
    path.n = 1;
    assert_false(tree_range_consistent((struct tree_range){ 3, 3 }, &nothing, 3, &root, &path));
}

/* A path does not say what it was made for. Where another place has a path of the same form it
 * shows that too (0 of 3 and 0 of 4); everywhere else it must not. */
static void claimed_for_every_other_place(struct tree_range of, int64_t size,
                                          const struct tree_path *path)
{
    struct digest hash = model_root(of.start, of.end), root = model_root(0, size);

    for (int64_t n = 1; n <= SMALL + MARGIN; n++) {
        for (int64_t start = 0; start <= n; start++) {
            for (int64_t end = start + 1; end <= n; end++) {
                struct tree_range r = { start, end };
                bool want = tree_range_stands(r) && model_shows(r, &hash, n, &root, path);

                assert_int_equal(tree_range_consistent(r, &hash, n, &root, path), want);
                if (start == 0)
                    assert_int_equal(tree_consistent(end, &hash, n, &root, path), want);
                if (end == start + 1)
                    assert_int_equal(tree_included(start, n, &hash, path, &root), want);
            }
            assert_false(tree_consistent(n + 1 + start, &hash, n, &root, path));
            assert_false(tree_included(n + start, n, &hash, path, &root));
        }
    }
}

static void a_proof_shows_only_what_has_its_form(void **state)
{
    struct tree_path path;

    (void)state;
    for (int64_t size = 1; size <= SMALL; size++) {
        for (int64_t i = 0; i < size; i++) {
            model_inclusion(i, 0, size, &path);
            claimed_for_every_other_place((struct tree_range){ i, i + 1 }, size, &path);
            model_consistency((struct tree_range){ 0, i + 1 }, 0, size, true, &path);
            claimed_for_every_other_place((struct tree_range){ 0, i + 1 }, size, &path);
        }
    }
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
        cmocka_unit_test(known_leaves_and_roots),
        cmocka_unit_test(a_leaf_is_never_a_node),
        cmocka_unit_test(roots_of_every_size),
        cmocka_unit_test(a_root_needs_no_memory),
        cmocka_unit_test(inclusion_of_every_leaf),
        cmocka_unit_test(consistency_of_every_pair),
        cmocka_unit_test(the_empty_tree_proves_nothing),
        cmocka_unit_test(every_range_that_stands),
        cmocka_unit_test(a_range_stands_where_a_node_begins),
        cmocka_unit_test(a_range_has_its_leaves_and_no_others),
        cmocka_unit_test(an_empty_range_has_the_hash_of_nothing),
        cmocka_unit_test(a_proof_shows_only_what_has_its_form),
    };

    return cmocka_run_group_tests_name("tree", tests, begin, NULL);
}
