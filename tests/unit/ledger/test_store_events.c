/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_events.c: every store finds the events of executions as a plain list would. */
#include "unit/ledger/stores.h"

enum { EXECUTIONS = 4000, EVENTS_MOST = 40 };

/* The plain list: the events of each execution, by seq. */
struct model {
    struct {
        size_t n;
        int64_t seqs[EVENTS_MOST], places[EVENTS_MOST];
    } executions[EXECUTIONS];
    int64_t size;
};

static struct entry next_entry(struct model *m, struct arena *a)
{
    int64_t seq = m->size++, x = (int64_t)lot(lot(2) ? EXECUTIONS : 30), last;
    size_t n = m->executions[x].n;

    if (n == EVENTS_MOST || lot(9) == 0)
        return some_entry(seq, lot(2) ? ENTRY_INPUT : ENTRY_AUDIT, a);
    last = n ? m->executions[x].places[n - 1] : -1;
    do
        last++;
    while (last % 8 >= EVENT_STATE_COUNT || lot(3) == 0);
    m->executions[x].seqs[n] = seq;
    m->executions[x].places[n] = last;
    m->executions[x].n++;
    return some_event(seq, x, last, a);
}

static void append_model(struct store *s, struct model *m, size_t n)
{
    _arena_ struct arena a = { 0 };
    struct entry *entries = arena_alloc(&a, n * sizeof *entries);
    struct error e = { 0 };
    struct tip tip;

    ok(kind->begin(s, &tip, &e));
    assert_int_equal(tip.size, m->size);
    for (size_t i = 0; i < n; i++)
        entries[i] = next_entry(m, &a);
    ok(kind->add_entries(s, entries, n, &e));
    add_blocks(s, tip.size, m->size);
    ok(kind->commit(s, false, &e));
}

static void assert_mark(const struct event_mark *got, int64_t seq, int64_t x, int64_t place)
{
    _arena_ struct arena a = { 0 };
    struct entry want = some_event(seq, x, place, &a);

    assert_int_equal(got->seq, seq);
    assert_int_equal(got->place, place);
    assert_memory_equal(got->id.b, want.id.b, UUID_BYTES);
    assert_memory_equal(got->content.b, want.content.b, DIGEST_BYTES);
    assert_true(same_traits(&got->traits, &want.traits));
}

static void assert_answer(const struct model *m, const struct asked_event *asked, int64_t x)
{
    size_t n = m->executions[x].n, twin = n;

    for (size_t i = 0; i < n; i++)
        twin = m->executions[x].places[i] == asked->place ? i : twin;
    assert_int_equal(asked->has_last, n > 0);
    assert_int_equal(asked->has_twin, twin < n);
    if (n > 0)
        assert_mark(&asked->last, m->executions[x].seqs[n - 1], x, m->executions[x].places[n - 1]);
    if (twin < n)
        assert_mark(&asked->twin, m->executions[x].seqs[twin], x, asked->place);
}

/* The first entry that is an event of it; the ledger's size, where there is none. */
static int64_t begun(const struct model *m, int64_t x)
{
    return m->executions[x].n > 0 ? m->executions[x].seqs[0] : m->size;
}

/* One that began a few entries ago, or not at all; if there is none, any. */
static int64_t late_one(const struct model *m)
{
    int64_t x = 0;

    for (int i = 0; i < 200; i++) {
        x = (int64_t)lot(EXECUTIONS);
        if (m->size - begun(m, x) < 300)
            break;
    }
    return x;
}

/* Asks for so many at once, some of them twice, some of them unknown to the ledger; at times with
 * the word that they began late. */
static void ask_model(struct store *s, const struct model *m, size_t n)
{
    bool late = n < 4 && lot(2);
    _arena_ struct arena a = { 0 };
    struct asked_event *asked = arena_alloc(&a, n * sizeof *asked);
    int64_t *x = arena_alloc(&a, n * sizeof *x);
    struct error e = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct entry event;

        x[i] = i > 0 && lot(4) == 0 ? x[i - 1] : late ? late_one(m) : (int64_t)lot(EXECUTIONS);
        event = some_event(0, x[i], 0, &a);
        asked[i] = (struct asked_event){ .tenant = event.tenant,
                                         .robot = event.robot,
                                         .execution = event.subject,
                                         .place = (int64_t)lot(24),
                                         .since = late ? begun(m, x[i]) : 0,
                                         .has_twin = true,
                                         .has_last = true };
        if (m->executions[x[i]].n > 0 && lot(2))
            asked[i].place = m->executions[x[i]].places[lot(m->executions[x[i]].n)];
    }
    ok(kind->ask_events(s, asked, n, &a, &e));
    for (size_t i = 0; i < n; i++)
        assert_answer(m, &asked[i], x[i]);
}

static void ask_looking(struct store *s, const struct model *m, size_t n)
{
    struct error e = { 0 };
    struct tip tip;

    ok(kind->look(s, &tip, &e));
    assert_int_equal(tip.size, m->size);
    ask_model(s, m, n);
    kind->look_end(s);
}

static void events_are_found_as_in_a_plain_list(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *s = open_at(where, STORE_APPEND, &a), *other = open_at(where, STORE_APPEND, &a);
    struct model *m = arena_new(&a, struct model);

    (void)state;
    while (m->size < 20000) {
        size_t n = lot(4) ? 1 + lot(20) : 1 + lot(900);

        append_model(lot(5) ? s : other, m, n);
        ask_looking(lot(3) ? s : other, m, 1 + lot(lot(4) ? 3 : 300));
        if (lot(40) == 0) {
            kind->close(s);
            s = open_at(where, STORE_APPEND, &a);
        }
    }
    for (size_t i = 0; i < 20; i++)
        ask_looking(s, m, 500);
    assert_sound(s);
    kind->close(other);
    kind->close(s);
}

static void one_transaction_may_be_large(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct model *m = arena_new(&a, struct model);

    (void)state;
    append_model(s, m, 1);
    append_model(s, m, 30000);
    ask_looking(s, m, 2000);
    append_model(s, m, 255);
    append_model(s, m, 256);
    append_model(s, m, 257);
    ask_looking(s, m, 2000);
    assert_sound(s);
    kind->close(s);
}

/* Whoever says since when an execution is there is believed: what came before is not looked at. */
static void what_is_older_than_an_execution_is_not_read(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct entry first = some_event(1, 7, 8, &a);
    struct asked_event asked = { first.tenant, first.robot, first.subject, 8 };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    ok(kind->begin(s, &tip, &e));
    ok(kind->add_entries(s, (struct entry[]){ some_entry(0, ENTRY_INPUT, &a), first }, 2, &e));
    for (asked.since = 0; asked.since <= 2; asked.since++) {
        ok(kind->ask_events(s, &asked, 1, &a, &e));
        if (asked.since < 2)
            assert_int_equal(asked.last.seq, 1);
        assert_int_equal(asked.has_last, asked.since < 2 || kind != &store_sqlite);
    }
    kind->rollback(s);
    kind->close(s);
}

/* Its keys fill many parts of many runs. */
static void an_execution_may_have_many_attempts(void **state)
{
    enum { ATTEMPTS = 30000, BATCH = 500 };
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    for (int64_t seq = 0; seq < ATTEMPTS;) {
        _arena_ struct arena some = { 0 };
        struct entry entries[BATCH];

        ok(kind->begin(s, &tip, &e));
        for (size_t i = 0; i < BATCH; i++, seq++)
            entries[i] =
                some_event(seq, seq % 3 ? 1 : seq, event_place(1 + seq, EVENT_FAILED), &some);
        ok(kind->add_entries(s, entries, BATCH, &e));
        add_blocks(s, tip.size, seq);
        ok(kind->commit(s, false, &e));
    }
    ok(kind->look(s, &tip, &e));
    for (size_t i = 0; i < 3000; i++) {
        _arena_ struct arena some = { 0 };
        int64_t seq = (int64_t)lot(ATTEMPTS);
        struct asked_event asked = { str_of("tenant"), str_of("robot-a"), str_of("execution-0"),
                                     event_place(1 + seq, EVENT_FAILED) };

        ok(kind->ask_events(s, &asked, 1, &some, &e));
        assert_true(asked.has_last);
        assert_int_equal(asked.last.seq, ATTEMPTS - 1);
        assert_int_equal(asked.has_twin, seq % 3 != 0);
        if (asked.has_twin)
            assert_int_equal(asked.twin.seq, seq);
    }
    kind->look_end(s);
    assert_sound(s);
    kind->close(s);
}

/* The parts of a name do not run into each other. */
static void executions_are_told_apart(void **state)
{
    static const char *const names[][3] = {
        { "a", "b", "c" }, { "ab", "", "c" }, { "a", "bc", "" }, { "", "ab", "c" }, { "", "", "" },
    };
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct asked_event asked[COUNT(names)];
    struct entry entries[COUNT(names)];
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        entries[i] = some_event((int64_t)i, 0, 8, &a);
        entries[i].tenant = str_of(names[i][0]);
        entries[i].robot = str_of(names[i][1]);
        entries[i].subject = str_of(names[i][2]);
        asked[i] =
            (struct asked_event){ entries[i].tenant, entries[i].robot, entries[i].subject, 8 };
    }
    ok(kind->begin(s, &tip, &e));
    ok(kind->ask_events(s, asked, COUNT(asked), &a, &e));
    for (size_t i = 0; i < COUNT(names); i++)
        assert_false(asked[i].has_last || asked[i].has_twin);
    ok(kind->add_entries(s, entries, COUNT(entries), &e));
    ok(kind->ask_events(s, asked, COUNT(asked), &a, &e));
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(asked[i].has_last && asked[i].has_twin);
        assert_int_equal(asked[i].last.seq, i);
        assert_int_equal(asked[i].twin.seq, i);
    }
    ok(kind->commit(s, false, &e));
    kind->close(s);
}

/* In whatever order they were appended, and wherever the keys have got to. */
static void the_last_event_has_the_highest_place(void **state)
{
    _arena_ struct arena a = { 0 };
    struct store *s = open_at(fresh_place(&a), STORE_APPEND, &a);
    struct entry entries[700];
    struct asked_event asked = { str_of("tenant"), str_of("robot-a"), str_of("execution-0"),
                                 nth_place(3) };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    for (size_t i = 0; i < COUNT(entries); i++)
        entries[i] = i % 100 ? some_entry((int64_t)i, ENTRY_NOTE, &a)
                             : some_event((int64_t)i, 1, nth_place(9 - (int64_t)i / 100), &a);
    ok(kind->begin(s, &tip, &e));
    ok(kind->add_entries(s, entries, COUNT(entries), &e));
    ok(kind->ask_events(s, &asked, 1, &a, &e));
    assert_true(asked.has_last && asked.has_twin);
    assert_int_equal(asked.last.seq, 0);
    assert_int_equal(asked.twin.seq, 600);
    ok(kind->commit(s, false, &e));
    kind->close(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_found_as_in_a_plain_list),
        cmocka_unit_test(one_transaction_may_be_large),
        cmocka_unit_test(what_is_older_than_an_execution_is_not_read),
        cmocka_unit_test(an_execution_may_have_many_attempts),
        cmocka_unit_test(executions_are_told_apart),
        cmocka_unit_test(the_last_event_has_the_highest_place),
    };

    choose_store(argc, argv);
    return cmocka_run_group_tests(tests, use_directory, leave_directory);
}
