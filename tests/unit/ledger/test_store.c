/* SPDX-License-Identifier: Apache-2.0 */
/* test_store.c: every store keeps entries as they came, and appends them whole or not at all. */
#include "unit/ledger/stores.h"

/* ---- entries ---- */

struct seen {
    struct arena a;
    size_t n, most;
    bool break_off;
    struct entry entries[64];
};

static bool see(void *self, const struct entry *entry, struct error *e)
{
    struct seen *seen = self;
    struct entry *copy = &seen->entries[seen->n++];

    *copy = *entry;
    copy->subject.s = arena_text(&seen->a, entry->subject);
    copy->tenant.s = arena_text(&seen->a, entry->tenant);
    copy->robot.s = arena_text(&seen->a, entry->robot);
    copy->body.s = arena_text(&seen->a, entry->body);
    if (seen->n == seen->most && seen->break_off)
        return error_set(e, 7, "seen enough of it");
    return seen->n != seen->most;
}

static void every_field_of_an_entry_comes_back(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct entry in[5];
    struct seen seen = { 0 };
    struct error e = { 0 };
    struct tip tip;
    char *large = arena_alloc(&a, 300001);

    (void)state;
    memset(large, 'x', 300000);
    in[0] = some_entry(0, ENTRY_INPUT, &a);
    in[1] = some_event(1, 1, nth_place(3), &a);
    in[2] = some_entry(2, ENTRY_NOTE, &a);
    in[3] = some_event(3, 1, event_place(INT64_MAX / 16, EVENT_CANCELLED), &a);
    in[4] = some_event(4, 9, nth_place(0), &a);
    in[0].subject = str_of("\xc3\xbc\xe2\x82\xac \xf0\x9f\x93\x9c '\"\\;--");
    in[2].tenant = in[2].subject = in[2].body = (struct str){ "", 0 };
    in[2].created_ms = -62135596800000;
    in[3].body = (struct str){ large, 300000 };
    in[3].traits = (struct traits){ .coherence = COHERENCE_STALE,
                                    .policy = POLICY_DRAFT_ONLY,
                                    .dry_run = true,
                                    .retryable = true,
                                    .snapshot_ms = -1,
                                    .snapshot_sub = SNAPSHOT_LEAP + 999999 };
    ok(kind->begin(s, &tip, &e));
    assert_int_equal(tip.size, 0);
    assert_int_equal(tip.recorded_ms, 0);
    ok(kind->add_entries(s, in, COUNT(in), &e));
    ok(kind->commit(s, true, &e));
    ok(kind->look(s, &tip, &e));
    assert_int_equal(tip.size, 5);
    assert_int_equal(tip.recorded_ms, in[4].recorded_ms);
    ok(kind->read_entries(s, &(struct entry_range){ 0, 5, .bodies = true }, see, &seen, &e));
    assert_int_equal(seen.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_entry(&seen.entries[i], &in[i], true);
    seen.n = 0;
    ok(kind->read_entries(s, &(struct entry_range){ 0, 5 }, see, &seen, &e));
    for (size_t i = 0; i < 5; i++)
        assert_entry(&seen.entries[i], &in[i], false);
    kind->look_end(s);
    kind->close(s);
    arena_free(&seen.a);
}

/* clang-format off */
static const struct { int64_t from, to; bool backwards; size_t most; int64_t first, last; size_t n; } ranges[] = {
    {  0, 50, false, 0,  0, 19, 20 },
    {  0, 50, true,  0, 19,  0, 20 },
    {  5,  8, false, 0,  5,  7,  3 },
    {  5,  8, true,  0,  7,  5,  3 },
    {  5, 20, false, 4,  5,  8,  4 },
    {  0, 15, true,  2, 14, 13,  2 },
    { 19, 20, false, 0, 19, 19,  1 },
    { 20, 99, false, 0,  0,  0,  0 },
    {  8,  8, false, 0,  0,  0,  0 },
};
/* clang-format on */

static void ranges_are_read_in_both_directions(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 20, false);
    ok(kind->look(s, &tip, &e));
    for (size_t i = 0; i < COUNT(ranges); i++) {
        struct entry_range range = { ranges[i].from, ranges[i].to, ranges[i].backwards, i % 2 };
        struct seen seen = { .most = ranges[i].most };

        ok(kind->read_entries(s, &range, see, &seen, &e));
        assert_int_equal(e.code, 0);
        assert_int_equal(seen.n, ranges[i].n);
        if (seen.n > 0) {
            assert_int_equal(seen.entries[0].seq, ranges[i].first);
            assert_int_equal(seen.entries[seen.n - 1].seq, ranges[i].last);
        }
        arena_free(&seen.a);
    }
    kind->look_end(s);
    kind->close(s);
}

static void what_a_reader_says_is_passed_on(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct seen seen = { .most = 2, .break_off = true };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 9, false);
    ok(kind->look(s, &tip, &e));
    assert_false(kind->read_entries(s, &(struct entry_range){ 0, 9 }, see, &seen, &e));
    assert_int_equal(e.code, 7);
    assert_string_equal(e.msg, "seen enough of it");
    kind->look_end(s);
    kind->close(s);
    arena_free(&seen.a);
}

static bool see_within(void *self, const struct entry *entry, struct error *why)
{
    struct store *s = self;
    struct seen seen = { 0 };
    struct error e = { 0 };

    (void)why;
    ok(kind->read_entries(s, &(struct entry_range){ 0, 3 }, see, &seen, &e));
    assert_int_equal(seen.n, 3);
    assert_true(entry->seq < 4);
    arena_free(&seen.a);
    return true;
}

static void a_reader_may_read(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 4, false);
    ok(kind->look(s, &tip, &e));
    ok(kind->read_entries(s, &(struct entry_range){ 0, 4 }, see_within, s, &e));
    kind->look_end(s);
    kind->close(s);
}

static void an_entry_is_found_by_its_seq(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct asked_entry asked[] = { { .seq = 3 }, { .seq = 20 }, { .seq = 14 }, { .seq = -1 } };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 20, false);
    ok(kind->look(s, &tip, &e));
    ok(kind->ask_entries(s, asked, COUNT(asked), &a, &e));
    for (size_t i = 0; i < COUNT(asked); i++) {
        struct entry want = entry_at(asked[i].seq > 0 ? asked[i].seq : 0, &a);

        assert_int_equal(asked[i].there, i == 0 || i == 2);
        if (!asked[i].there)
            continue;
        assert_memory_equal(asked[i].id.b, want.id.b, UUID_BYTES);
        assert_int_equal(asked[i].kind, want.kind);
        assert_int_equal(asked[i].created_ms, want.created_ms);
        assert_text(asked[i].tenant, want.tenant);
        assert_text(asked[i].subject, want.subject);
    }
    kind->look_end(s);
    kind->close(s);
}

/* clang-format off */
static const struct { const char *tenant, *subject; enum entry_kind kind; int64_t created; } inputs[] = {
    { "a", "plan",  ENTRY_INPUT, 500 },
    { "a", "plan",  ENTRY_INPUT, 900 }, /* 1: the newest */
    { "a", "plan",  ENTRY_INPUT, 700 },
    { "b", "plan",  ENTRY_INPUT, 999 },
    { "a", "plan2", ENTRY_INPUT, 999 },
    { "a", "plan",  ENTRY_NOTE,  999 },
    { "b", "twice", ENTRY_INPUT, 100 },
    { "b", "twice", ENTRY_INPUT, 100 }, /* 7: of two as new, the later */
};
/* clang-format on */

static void the_newest_input_is_by_time_then_by_seq(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct entry in[COUNT(inputs)];
    struct asked_entry out;
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    for (size_t i = 0; i < COUNT(inputs); i++) {
        in[i] = some_entry((int64_t)i, inputs[i].kind, &a);
        in[i].tenant = str_of(inputs[i].tenant);
        in[i].subject = str_of(inputs[i].subject);
        in[i].created_ms = inputs[i].created;
    }
    ok(kind->begin(s, &tip, &e));
    ok(kind->add_entries(s, in, COUNT(in), &e));
    ok(kind->newest_input(s, str_of("a"), str_of("plan"), &out, &a, &e));
    assert_true(out.there);
    assert_int_equal(out.seq, 1);
    assert_int_equal(out.created_ms, 900);
    ok(kind->newest_input(s, str_of("b"), str_of("twice"), &out, &a, &e));
    assert_int_equal(out.seq, 7);
    assert_text(out.subject, str_of("twice"));
    ok(kind->newest_input(s, str_of("b"), str_of("plan2"), &out, &a, &e));
    assert_false(out.there);
    ok(kind->commit(s, false, &e));
    kind->close(s);
}

/* ---- transactions ---- */

/* And nothing of it is left in the handle: another one brings the ledger to the same size. */
static void what_is_rolled_back_never_was(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *s = open_at(where, STORE_APPEND, &a), *other = open_at(where, STORE_APPEND, &a);
    struct asked_event asked[40];
    struct entry entries[600];
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 200, true);
    ok(kind->begin(s, &tip, &e));
    for (size_t i = 0; i < COUNT(entries); i++) /* other events than the ones that will stay */
        entries[i] = some_event(tip.size + (int64_t)i, 1, nth_place(500 + (int64_t)i), &a);
    ok(kind->add_entries(s, entries, COUNT(entries), &e));
    add_blocks(s, tip.size, tip.size + (int64_t)COUNT(entries));
    for (size_t i = 0; i < COUNT(asked); i++)
        asked[i] = (struct asked_event){ str_of("tenant"), str_of("robot-a"), str_of("execution-0"),
                                         nth_place((int64_t)i) };
    ok(kind->ask_events(s, asked, COUNT(asked), &a, &e));
    assert_int_equal(asked[0].last.seq, 799);
    kind->rollback(s);
    kind->rollback(s);
    assert_int_equal(size_of(s), 200);
    append_some(other, 600, true);
    assert_all_there(s, 800);
    append_some(s, 900, true);
    assert_all_there(other, 1700);
    assert_sound(s);
    kind->close(other);
    kind->close(s);
}

static void handles_take_turns(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *s[3];
    int64_t size = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(s); i++)
        s[i] = open_at(where, STORE_APPEND, &a);
    for (size_t i = 0; i < 120; i++) {
        struct store *it = s[lot(COUNT(s))];

        size = append_some(it, 1 + lot(90), false);
        assert_int_equal(size_of(s[lot(COUNT(s))]), size);
    }
    for (size_t i = 0; i < COUNT(s); i++)
        assert_all_there(s[i], size);
    assert_sound(s[0]);
    for (size_t i = 0; i < COUNT(s); i++)
        kind->close(s[i]);
}

static bool count(void *self, const struct entry *entry, struct error *e)
{
    (void)entry, (void)e;
    ++*(int64_t *)self;
    return true;
}

static void a_look_sees_one_moment(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *writer = open_at(where, STORE_APPEND, &a);
    struct asked_event asked = { str_of("tenant"), str_of("robot-a"), str_of("execution-0"), 0 };
    struct store *reader;
    struct error e = { 0 };
    struct tip tip;
    int64_t n = 0;

    (void)state;
    append_some(writer, 300, false);
    reader = open_at(where, STORE_READ, &a);
    ok(kind->look(reader, &tip, &e));
    assert_int_equal(tip.size, 300);
    append_some(writer, 3000, true);
    ok(kind->read_entries(reader, &(struct entry_range){ 0, INT64_MAX }, count, &n, &e));
    assert_int_equal(n, 300);
    ok(kind->ask_events(reader, &asked, 1, &a, &e));
    assert_int_equal(asked.last.seq, 251);
    kind->look_end(reader);
    ok(kind->look(reader, &tip, &e));
    assert_int_equal(tip.size, 3300);
    ok(kind->ask_events(reader, &asked, 1, &a, &e));
    assert_int_equal(asked.last.seq, 3251);
    kind->look_end(reader);
    kind->close(reader);
    kind->close(writer);
}

static void a_ledger_keeps_its_name(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *s = open_at(where, STORE_APPEND, &a);
    char first[UUID_TEXT], again[UUID_TEXT], other[UUID_TEXT];
    struct error e = { 0 };

    (void)state;
    ok(kind->ledger_name(s, first, &e));
    assert_true(uuid_v4(str_of(first), NULL));
    kind->close(s);
    s = open_at(where, STORE_READ, &a);
    ok(kind->ledger_name(s, again, &e));
    assert_string_equal(first, again);
    kind->close(s);
    s = open_at(fresh_place(&a), STORE_APPEND, &a);
    ok(kind->ledger_name(s, other, &e));
    assert_string_not_equal(first, other);
    kind->close(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_an_entry_comes_back),
        cmocka_unit_test(ranges_are_read_in_both_directions),
        cmocka_unit_test(what_a_reader_says_is_passed_on),
        cmocka_unit_test(a_reader_may_read),
        cmocka_unit_test(an_entry_is_found_by_its_seq),
        cmocka_unit_test(the_newest_input_is_by_time_then_by_seq),
        cmocka_unit_test(what_is_rolled_back_never_was),
        cmocka_unit_test(handles_take_turns),
        cmocka_unit_test(a_look_sees_one_moment),
        cmocka_unit_test(a_ledger_keeps_its_name),
    };

    choose_store(argc, argv);
    return cmocka_run_group_tests(tests, use_directory, leave_directory);
}
