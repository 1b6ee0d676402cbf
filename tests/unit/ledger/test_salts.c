/* SPDX-License-Identifier: Apache-2.0 */
/* test_salts.c: what is hashed for speed is hashed behind a salt, drawn anew each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "ledger/book.h"
#include "ledger/verify.h"

/* ---- a store that has nothing ---- */

static uint8_t salt_seen[SUM_SALT];

static bool ask_events(struct store *s, struct asked_event *asked, size_t n, struct arena *a,
                       struct error *e)
{
    (void)s, (void)asked, (void)n, (void)a, (void)e;
    return true;
}

static bool ask_entries(struct store *s, struct asked_entry *asked, size_t n, struct arena *a,
                        struct error *e)
{
    (void)s, (void)asked, (void)n, (void)a, (void)e;
    return true;
}

static bool no_entries(struct store *s, const struct entry_range *range, entry_reader reader,
                       void *self, struct error *e)
{
    (void)s, (void)range, (void)reader, (void)self, (void)e;
    return true;
}

static bool no_blocks(struct store *s, const struct block_range *range, block_reader reader,
                      void *self, struct error *e)
{
    (void)s, (void)range, (void)reader, (void)self, (void)e;
    return true;
}

static bool no_checkpoints(struct store *s, checkpoint_reader reader, void *self, struct error *e)
{
    (void)s, (void)reader, (void)self, (void)e;
    return true;
}

static bool see_salt(struct store *s, const struct index_sum *sum, struct arena *a,
                     const char **finding, struct error *e)
{
    (void)s, (void)a, (void)e;
    memcpy(salt_seen, sum->salt, sizeof salt_seen);
    *finding = NULL;
    return true;
}

static const struct store_kind hollow = {
    .name = "hollow",
    .ask_events = ask_events,
    .ask_entries = ask_entries,
    .read_entries = no_entries,
    .read_blocks = no_blocks,
    .read_checkpoints = no_checkpoints,
    .check = see_salt,
};

static struct ledger ledger_in(struct fake_world *f)
{
    fake_world_init(f, 1000);
    return (struct ledger){ .keep = { .kind = &hollow }, .world = &f->world };
}

/* ---- batches ---- */

enum { IDS = 1000, SLOTS = 2 * IDS + 1 };

/* How many slots in a row are taken, at most: so far is looked for one id. */
static size_t longest_row(const struct book *b)
{
    size_t most = 0, row = 0;

    for (size_t i = 0; i < b->slot_count; i++) {
        row = b->slots[i] ? row + 1 : 0;
        most = row > most ? row : most;
    }
    return most;
}

static void ids_that_were_chosen_to_collide_do_not(void **state)
{
    _arena_ struct arena a = { 0 };
    struct fake_world f;
    struct ledger l = ledger_in(&f);
    struct draft draft = { .depends = arena_alloc(&a, IDS * sizeof(struct uuid)) };
    struct book one, two;
    struct error e;

    (void)state;
    /* All of these want slot 0 when a seq is multiplied by the golden ratio. */
    for (uint64_t seq = 1; draft.depend_count < IDS; seq++)
        if (seq * 0x9e3779b97f4a7c15 % SLOTS == 0)
            entry_id_make((int64_t)seq, &draft.depends[draft.depend_count++]);
    assert_true(book_open(&one, &l, &draft, 1, &a, &e));
    assert_int_equal(one.slot_count, SLOTS);
    assert_int_equal(one.entry_count, IDS);
    assert_in_range(longest_row(&one), 1, IDS / 10);
    assert_true(book_open(&two, &l, &draft, 1, &a, &e));
    assert_true(one.salt != two.salt);
    assert_memory_not_equal(one.slots, two.slots, SLOTS * sizeof *one.slots);
}

/* ---- verify ---- */

static void verify_adds_up_behind_another_salt_each_time(void **state)
{
    static const uint8_t none[SUM_SALT];
    _arena_ struct arena a = { 0 };
    struct fake_world f;
    struct ledger l = ledger_in(&f);
    uint8_t before[SUM_SALT] = { 0 };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct verification v = { .seq = -1 };
        struct error e;

        memset(salt_seen, 0, sizeof salt_seen);
        assert_true(ledger_verify(&l, &v, &a, &e));
        assert_true(v.intact);
        assert_memory_not_equal(salt_seen, none, sizeof none);
        assert_memory_not_equal(salt_seen, before, sizeof before);
        memcpy(before, salt_seen, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_that_were_chosen_to_collide_do_not),
        cmocka_unit_test(verify_adds_up_behind_another_salt_each_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
