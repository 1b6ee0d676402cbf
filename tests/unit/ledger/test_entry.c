/* SPDX-License-Identifier: Apache-2.0 */
/* test_entry.c: ids that lead to their entry, headers that are canonical, filters that miss
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/world.h"
#include "ledger/entry.h"
#include "ledger/names.h"
#include "ledger/tree.h"

static struct entry example(void)
{
    struct entry entry = { .seq = 300,
                           .kind = ENTRY_EVENT,
                           .subject = str_of("exec-\"1\"\n"),
                           .tenant = str_of("t-001"),
                           .robot = str_of("r-001"),
                           .place = event_place(2, EVENT_FAILED),
                           .traits = { .coherence = COHERENCE_PARTIAL,
                                       .policy = POLICY_DRAFT_ONLY,
                                       .dry_run = true,
                                       .retryable = true,
                                       .snapshot_ms = 1737280800000,
                                       .snapshot_sub = 123456 },
                           .created_ms = 1737281730000,
                           .recorded_ms = 1737281730001,
                           .body = str_of("{}") };

    memset(entry.id.b, 7, sizeof entry.id.b);
    entry_id_make(entry.seq, &entry.id);
    entry.content = digest_of("c", 1);
    entry.body_digest = entry_body_digest(entry.salt, entry.body);
    return entry;
}

static struct digest leaf_of(const struct entry *entry)
{
    _buf_ struct buf scratch = { .max = 1 << 16 };
    struct digest leaf;

    assert_int_equal(entry_leaves(entry, 1, &scratch, &leaf), 1);
    return leaf;
}

static void R_002_003_an_id_leads_to_its_entry(void **state)
{
    static const int64_t seqs[] = { 0, 1, 255, 256, 1000000, ((int64_t)1 << 48) - 1 };
    struct fake_world f;

    (void)state;
    fake_world_init(&f, 0);
    for (size_t i = 0; i < COUNT(seqs); i++) {
        struct uuid id, back;
        char text[ENTRY_ID_TEXT];

        f.world.chance(f.world.self, &id, sizeof id);
        entry_id_make(seqs[i], &id);
        assert_int_equal(entry_id_seq(&id), seqs[i]);
        entry_id_text(&id, text);
        assert_int_equal(strlen(text), ENTRY_ID_TEXT - 1);
        assert_true(entry_id_read(str_of(text), &back)); /* which also says: version 4 */
        assert_memory_equal(&back, &id, sizeof id);
    }
}

/* Of a header that is cut off nothing could be told but its beginning. */
static void R_002_003_a_header_without_room_has_no_leaf_and_takes_none_from_others(void **state)
{
    struct entry entries[4] = { example(), example(), example(), example() };
    _buf_ struct buf header = { .max = 1 << 16 }, scratch = { 0 };
    struct digest leaves[4], alone;
    char name[1000];

    (void)state;
    memset(name, 'x', sizeof name);
    entries[1].subject = (struct str){ name, sizeof name };
    alone = leaf_of(&entries[1]);
    entry_header(&entries[1], &header);
    scratch.max = 1 + header.len; /* and the mark of a leaf */
    assert_int_equal(entry_leaves(entries, 4, &scratch, leaves), 4);
    assert_memory_equal(&leaves[1], &alone, sizeof alone);
    scratch.max = header.len;
    buf_free(&scratch);
    assert_int_equal(entry_leaves(entries, 4, &scratch, leaves), 1);
    assert_int_equal(entry_leaves(entries + 1, 3, &scratch, leaves), 0);
    assert_int_equal(entry_leaves(entries + 2, 2, &scratch, leaves), 2);
}

static void ids_of_neighbours_look_unrelated(void **state)
{
    struct fake_world f;
    struct uuid last = { { 0 } };

    (void)state;
    fake_world_init(&f, 0);
    for (int64_t seq = 0; seq < 1000; seq++) {
        struct uuid id;

        f.world.chance(f.world.self, &id, sizeof id);
        entry_id_make(seq, &id);
        assert_memory_not_equal(id.b, last.b, 4);
        last = id;
    }
}

static void what_is_no_id_is_refused(void **state)
{
    static const char *const no[] = { "",
                                      "led-",
                                      "led-100",
                                      "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
                                      "LED-6ba7b810-9dad-41d1-80b4-00c04fd430c8",
                                      "led-6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                                      "led-6ba7b810-9dad-41d1-80b4-00c04fd430c8 " };
    struct uuid id;

    (void)state;
    for (size_t i = 0; i < COUNT(no); i++)
        assert_false(entry_id_read(str_of(no[i]), &id));
}

static void the_header_is_canonical(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf header = { .max = 1 << 16 }, canon = { .max = 1 << 16 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct entry entry = example();
    struct error e;

    (void)state;
    entry_header(&entry, &header);
    assert_true(json_read("header", buf_str(&header), &max, &a, &document, &e));
    json_canon(&document->root, &a, &canon);
    assert_string_equal(header.s, canon.s);
}

/* Whatever the ledger shows of an entry is under its leaf. */
static void every_field_is_under_the_leaf(void **state)
{
    struct entry entry = example(), changed[13];
    _buf_ struct buf header = { .max = 1 << 16 };
    struct digest leaf = leaf_of(&entry), other;

    (void)state;
    for (size_t i = 0; i < COUNT(changed); i++)
        changed[i] = entry;
    entry_header(&entry, &header);
    other = tree_leaf(buf_str(&header));
    assert_memory_equal(&other, &leaf, sizeof leaf);
    changed[0].seq++;
    changed[1].id.b[0] ^= 1;
    changed[2].kind = ENTRY_NOTE;
    changed[3].subject = str_of("exec-2");
    changed[4].tenant = str_of("t-002");
    changed[5].robot = str_of("r-002");
    changed[6].place++;
    changed[7].traits.snapshot_ms++;
    changed[8].traits.retryable = false;
    changed[9].created_ms++;
    changed[10].recorded_ms++;
    changed[11].content.b[31] ^= 1;
    changed[12].body_digest.b[0] ^= 1;
    for (size_t i = 0; i < COUNT(changed); i++) {
        other = leaf_of(&changed[i]);
        assert_memory_not_equal(&other, &leaf, sizeof leaf);
    }
}

static void traits_survive_packing(void **state)
{
    (void)state;
    for (int64_t bits = 0; bits < 64; bits++) {
        struct traits t = { .snapshot_sub = 999999 + SNAPSHOT_LEAP }, back = { 0 };

        t.coherence = (enum coherence)(bits % 3);
        t.policy = (enum policy)(bits / 3 % 2);
        t.dry_run = bits & 8;
        t.retryable = bits & 16;
        traits_unpack(traits_pack(&t), &back);
        assert_int_equal(back.coherence, t.coherence);
        assert_int_equal(back.policy, t.policy);
        assert_int_equal(back.dry_run, t.dry_run);
        assert_int_equal(back.retryable, t.retryable);
        assert_int_equal(back.snapshot_sub, t.snapshot_sub);
    }
}

static void a_filter_never_misses_a_name(void **state)
{
    static struct names names;
    char text[32];
    int wrong = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof text, "name-%d", i);
        names_add(&names, NAME_SUBJECT, str_of(text));
    }
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(text, sizeof text, "name-%d", i);
        assert_true(names_may_have(&names, NAME_SUBJECT, str_of(text)));
        (void)snprintf(text, sizeof text, "other-%d", i);
        wrong += names_may_have(&names, NAME_SUBJECT, str_of(text));
        wrong += names_may_have(&names, NAME_TENANT, str_of(text));
    }
    assert_in_range(wrong, 0, 20); /* of 2000; this many names fill a block */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_002_003_an_id_leads_to_its_entry),
        cmocka_unit_test(R_002_003_a_header_without_room_has_no_leaf_and_takes_none_from_others),
        cmocka_unit_test(ids_of_neighbours_look_unrelated),
        cmocka_unit_test(what_is_no_id_is_refused),
        cmocka_unit_test(the_header_is_canonical),
        cmocka_unit_test(every_field_is_under_the_leaf),
        cmocka_unit_test(traits_survive_packing),
        cmocka_unit_test(a_filter_never_misses_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
