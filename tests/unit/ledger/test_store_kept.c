/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_kept.c: every store keeps blocks and checkpoints, and erases bodies. */
#include "unit/ledger/stores.h"

struct blocks {
    size_t n;
    int level;
    int64_t first;
};

static bool see_block(void *self, const struct block *block, struct error *e)
{
    struct blocks *seen = self;
    struct block want = { .level = seen->level, .n = seen->first + (int64_t)seen->n };

    (void)e;
    fill_bytes(want.root.b, DIGEST_BYTES, (uint64_t)(want.n * 5 + want.level));
    if (want.level == 0)
        fill_bytes(want.names.bits, NAMES_BYTES, (uint64_t)want.n + 9);
    assert_int_equal(block->level, want.level);
    assert_int_equal(block->n, want.n);
    assert_memory_equal(block->root.b, want.root.b, DIGEST_BYTES);
    if (want.level == 0)
        assert_memory_equal(block->names.bits, want.names.bits, NAMES_BYTES);
    return ++seen->n < 5;
}

static void blocks_come_back_by_level_and_number(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct blocks seen = { .first = 2 };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    ok(kind->begin(s, &tip, &e));
    add_blocks(s, 0, 70000);
    ok(kind->commit(s, true, &e));
    ok(kind->look(s, &tip, &e));
    ok(kind->read_blocks(s, &(struct block_range){ 0, 2, 6 }, see_block, &seen, &e));
    assert_int_equal(seen.n, 4);
    seen = (struct blocks){ .first = 100 };
    ok(kind->read_blocks(s, &(struct block_range){ 0, 100, 200 }, see_block, &seen, &e));
    assert_int_equal(seen.n, 5);
    seen = (struct blocks){ .level = 1 };
    ok(kind->read_blocks(s, &(struct block_range){ 1, 0, 10 }, see_block, &seen, &e));
    assert_int_equal(seen.n, 1);
    kind->look_end(s);
    kind->close(s);
}

static bool see_checkpoint(void *self, const struct kept_checkpoint *c, struct error *e)
{
    static const int64_t sizes[] = { 100, 200, 300 };
    size_t *n = self;

    (void)e;
    assert_int_equal(c->size, sizes[*n]);
    assert_int_equal(c->made_ms, 5000 - c->size);
    assert_text(c->note, str_of("writ/x\n100\n\xe2\x80\x94 signed\n"));
    ++*n;
    return true;
}

static void checkpoints_come_back_by_size(void **state)
{
    static const int64_t sizes[] = { 200, 300, 100 };
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct error e = { 0 };
    struct tip tip;
    size_t n = 0;

    (void)state;
    ok(kind->begin(s, &tip, &e));
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct kept_checkpoint c = { sizes[i], 5000 - sizes[i],
                                     str_of("writ/x\n100\n\xe2\x80\x94 signed\n") };

        ok(kind->add_checkpoint(s, &c, &e));
    }
    ok(kind->commit(s, true, &e));
    ok(kind->look(s, &tip, &e));
    ok(kind->read_checkpoints(s, see_checkpoint, &n, &e));
    assert_int_equal(n, 3);
    kind->look_end(s);
    kind->close(s);
}

static void the_last_checkpoint_is_the_one_about_most_entries(void **state)
{
    static const struct kept_checkpoint made[] = {
        { 200, 5, { "b", 1 } },
        { 300, 6, { "c", 1 } },
        { 100, 7, { "a", 1 } },
        { 300, 8, { "d", 1 } },
    };
    static const char last[] = "bccd";
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct error e = { 0 };
    struct str note = { "?", 1 };
    struct tip tip;

    (void)state;
    ok(kind->begin(s, &tip, &e));
    ok(kind->last_checkpoint(s, &a, &note, &e));
    assert_int_equal(note.n, 0);
    for (size_t i = 0; i < COUNT(made); i++) {
        ok(kind->add_checkpoint(s, &made[i], &e));
        ok(kind->last_checkpoint(s, &a, &note, &e));
        assert_text(note, (struct str){ last + i, 1 });
    }
    ok(kind->commit(s, true, &e));
    kind->close(s);
}

/* Entries from 4 on, of which two are erased. */
static bool see_erased(void *self, const struct entry *entry, struct error *e)
{
    _arena_ struct arena a = { 0 };
    int64_t *next = self;
    struct entry want = entry_at(*next, &a);

    (void)e;
    want.erased = *next == 5 || *next == 7;
    fill_bytes(want.body_digest.b, DIGEST_BYTES, 77);
    assert_entry(entry, &want, true);
    return ++*next;
}

static void an_erased_body_is_gone_and_the_rest_stays(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    int64_t next = 4;
    struct digest digest;
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 20, true);
    fill_bytes(digest.b, DIGEST_BYTES, 77);
    ok(kind->begin(s, &tip, &e));
    ok(kind->erase(s, 6, &digest, &e));
    kind->rollback(s);
    ok(kind->begin(s, &tip, &e));
    ok(kind->erase(s, 5, &digest, &e));
    ok(kind->erase(s, 7, &digest, &e));
    ok(kind->commit(s, true, &e));
    ok(kind->look(s, &tip, &e));
    assert_int_equal(tip.size, 20);
    ok(kind->read_entries(s, &(struct entry_range){ 4, 9, .bodies = true }, see_erased, &next, &e));
    assert_int_equal(next, 9);
    kind->look_end(s);
    kind->close(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_back_by_level_and_number),
        cmocka_unit_test(checkpoints_come_back_by_size),
        cmocka_unit_test(the_last_checkpoint_is_the_one_about_most_entries),
        cmocka_unit_test(an_erased_body_is_gone_and_the_rest_stays),
    };

    choose_store(argc, argv);
    return cmocka_run_group_tests(tests, use_directory, leave_directory);
}
