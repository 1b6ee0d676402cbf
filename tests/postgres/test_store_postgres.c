/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_postgres.c: a ledger in PostgreSQL keeps and finds, and its writers take turns. */
#include "case.h"

#include <pthread.h>

static void every_field_comes_back(void **state)
{
    struct entry one = made_entry(0, &arena), back;
    size_t large = 3 << 20;
    char *text = arena_alloc(&arena, large);

    (void)state;
    add_one(&one);
    back = read_one(0);
    assert_true(made_same(&one, &back));

    /* Texts of any length and with any character, also where an index holds them. */
    one = made_entry(1, &arena);
    memset(text, 'x', large);
    one.body = (struct str){ text, large };
    one.subject = (struct str){ text, 100000 };
    one.tenant = (struct str){ "a\0b", 3 };
    one.robot = (struct str){ "\xc3\xa4\0", 3 };
    one.place = event_place(((int64_t)1 << 52), EVENT_CANCELLED);
    one.traits =
        (struct traits){ COHERENCE_STALE, POLICY_BLOCK, false, false, -5, 7 + SNAPSHOT_LEAP };
    one.created_ms = -62135596800000;
    add_one(&one);
    back = read_one(1);
    assert_true(made_same(&one, &back));

    one = made_entry(2, &arena);
    one.subject = one.tenant = one.robot = str_of("");
    add_one(&one);
    back = read_one(2);
    assert_true(made_same(&one, &back));
}

static void a_range_is_read_either_way_and_up_to_enough(void **state)
{
    struct seen s;

    (void)state;
    append(1500);
    s = read_range((struct entry_range){ 0, 1500, false, false }, 0);
    assert_true(s.n == 1500 && s.first == 0 && s.last == 1499 && s.entry.body.n == 0);
    s = read_range((struct entry_range){ 3, 1400, true, true }, 0);
    assert_true(s.n == 1397 && s.first == 1399 && s.last == 3 && s.entry.body.n == 7);
    s = read_range((struct entry_range){ 1490, 99999, false, true }, 0);
    assert_true(s.n == 10 && s.last == 1499);
    s = read_range((struct entry_range){ 0, 1500, false, true }, 300);
    assert_true(s.n == 300 && s.last == 299);
    s = read_range((struct entry_range){ 5, 5, false, true }, 0);
    assert_int_equal(s.n, 0);
}

static bool ask_from_within(void *self, const struct entry *entry, struct error *why)
{
    struct asked_entry asked = { .seq = entry->seq };

    good(kind->ask_entries(store, &asked, 1, &arena, why));
    *(size_t *)self += asked.there;
    return true;
}

static bool refuse(void *self, const struct entry *entry, struct error *why)
{
    (void)self;
    return error_set(why, CODE_CEILING, "not %d", (int)entry->seq);
}

static void a_reader_may_ask_and_may_fail(void **state)
{
    struct entry_range all = { 0, 300, false, true };
    size_t there = 0;

    (void)state;
    append(300);
    looked(kind->read_entries(store, &all, ask_from_within, &there, &e));
    assert_int_equal(there, 300);
    looked(!kind->read_entries(store, &all, refuse, NULL, &e));
    assert_true(e.code == CODE_CEILING && strcmp(e.msg, "not 0") == 0);
}

/* ---- asking ---- */

static struct asked_event about(const char *run, int64_t place)
{
    return (struct asked_event){ .tenant = str_of("tenant"),
                                 .robot = str_of("robot"),
                                 .execution = str_of(run),
                                 .place = place };
}

static void an_event_finds_its_twin_and_the_last_of_its_execution(void **state)
{
    struct asked_event q[] = { about("run-1", event_place(1, EVENT_PLANNED)),
                               about("run-1", event_place(1, EVENT_SUCCEEDED)),
                               about("run-1", event_place(2, EVENT_PLANNED)),
                               about("run-77", event_place(1, EVENT_PLANNED)),
                               about("run-2", event_place(1, EVENT_RUNNING)),
                               about("run-1", event_place(1, EVENT_RUNNING)) };
    struct entry first;

    (void)state;
    append(8); /* run-2 has planned and running */
    first = made_entry(3, &arena);
    looked(kind->ask_events(store, q, COUNT(q), &arena, &e));
    assert_true(q[0].has_twin && q[0].twin.seq == 3 && q[0].has_last && q[0].last.seq == 5);
    assert_memory_equal(&q[0].twin.id, &first.id, sizeof first.id);
    assert_memory_equal(&q[0].twin.content, &first.content, sizeof first.content);
    assert_true(q[0].twin.place == first.place);
    assert_true(traits_pack(&q[0].twin.traits) == traits_pack(&first.traits));
    assert_true(q[0].twin.traits.snapshot_ms == 21);
    assert_true(q[1].has_twin && q[1].twin.seq == 5 && q[1].last.seq == 5);
    assert_true(!q[2].has_twin && q[2].has_last && q[2].last.seq == 5);
    assert_true(!q[3].has_twin && !q[3].has_last);
    assert_true(q[4].has_twin && q[4].twin.seq == 7 && q[4].last.seq == 7);
    assert_true(q[5].has_twin && q[5].twin.seq == 4 && q[5].last.seq == 5);
    q[0].robot = str_of("another");
    looked(kind->ask_events(store, q, 1, &arena, &e));
    assert_true(!q[0].has_twin && !q[0].has_last);
    looked(kind->ask_events(store, q, 0, &arena, &e));
}

static void entries_are_found_by_seq(void **state)
{
    struct asked_entry q[] = {
        { .seq = 9 }, { .seq = 4 }, { .seq = 9 }, { .seq = 20 }, { .seq = -1 }
    };
    struct entry input = made_entry(9, &arena);

    (void)state;
    append(20);
    looked(kind->ask_entries(store, q, COUNT(q), &arena, &e));
    for (int i = 0; i < 3; i += 2) {
        assert_true(q[i].there && q[i].seq == 9 && q[i].kind == ENTRY_INPUT);
        assert_true(q[i].created_ms == 1009 && str_is(q[i].tenant, "tenant"));
        assert_true(str_is(q[i].subject, "run-3"));
        assert_memory_equal(&q[i].id, &input.id, sizeof input.id);
    }
    assert_true(q[1].there && q[1].kind == ENTRY_EVENT && q[1].seq == 4);
    assert_true(!q[3].there && !q[4].there && q[3].seq == 20);
}

static void the_newest_input_has_the_highest_time(void **state)
{
    static const int64_t created[] = { 5, 9, 9, 7 };
    struct asked_entry out = { 0 };

    (void)state;
    for (int64_t i = 0; i < 4; i++) {
        struct entry input = made_entry(9, &arena);

        input.seq = i;
        input.subject = str_of("plan.yaml");
        input.created_ms = created[i];
        add_one(&input);
    }
    looked(kind->newest_input(store, str_of("tenant"), str_of("plan.yaml"), &out, &arena, &e));
    assert_true(out.there && out.seq == 2 && out.created_ms == 9 && out.kind == ENTRY_INPUT);
    looked(kind->newest_input(store, str_of("other"), str_of("plan.yaml"), &out, &arena, &e));
    assert_false(out.there);
}

/* ---- transactions ---- */

static void what_is_rolled_back_was_never_there(void **state)
{
    struct tip tip;

    (void)state;
    append(3);
    good(kind->begin(store, &tip, &e));
    assert_true(tip.size == 3 && tip.recorded_ms == 2002);
    good(made_add(store, 3, 300, &e));
    kind->rollback(store);
    assert_int_equal(size_now(), 3);
    append(1);
    assert_int_equal(size_now(), 4);
}

static void the_same_event_twice_is_refused_and_nothing_stays(void **state)
{
    struct entry twin = made_entry(0, &arena), entries[2] = { made_entry(2, &arena), twin };
    struct tip tip;

    (void)state;
    append(2);
    entries[1].seq = 3;
    good(kind->begin(store, &tip, &e));
    assert_false(kind->add_entries(store, entries, 2, &e));
    assert_true(e.code == CODE_IO && strstr(e.msg, "entries_event"));
    assert_false(kind->commit(store, true, &e)); /* it would be a silent rollback */
    kind->rollback(store);
    assert_int_equal(size_now(), 2);
    append(1);
}

static void a_block_twice_fails_at_the_latest_when_it_is_committed(void **state)
{
    struct tip tip;

    (void)state;
    append(256);
    good(kind->begin(store, &tip, &e));
    assert_false(made_add(store, 256, 1, &e) && made_blocks(store, 0, 256, &e) &&
                 kind->commit(store, true, &e));
    kind->rollback(store);
    assert_int_equal(size_now(), 256);
    append(1);
}

static void a_look_sees_one_moment(void **state)
{
    struct entry_range all = { 0, 100, false, false };
    struct store *other = open_as(STORE_READ);
    struct seen s = { 0 };
    struct tip tip;

    (void)state;
    append(5);
    good(kind->look(other, &tip, &e));
    append(5);
    assert_int_equal(tip.size, 5);
    good(kind->read_entries(other, &all, see, &s, &e));
    assert_int_equal(s.n, 5);
    kind->look_end(other);
    good(kind->look(other, &tip, &e));
    assert_int_equal(tip.size, 10);
    kind->look_end(other);
    assert_false(made_append(other, 1, &tip, &e)); /* it may only read */
    kind->close(other);
}

enum { THREADS = 4, EACH = 50 };

static void *append_some(void *self)
{
    struct error why;
    struct tip tip;

    for (int i = 0; i < EACH; i++)
        if (!made_append(self, 7, &tip, &why))
            return self;
    return NULL;
}

static void writers_at_once_take_turns(void **state)
{
    const char *finding = "?";
    struct store *stores[THREADS];
    pthread_t threads[THREADS];
    struct tip tip;
    void *fault;

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        stores[i] = open_as(STORE_APPEND);
        assert_int_equal(pthread_create(&threads[i], NULL, append_some, stores[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &fault), 0);
        assert_null(fault);
        kind->close(stores[i]);
    }
    good(kind->look(store, &tip, &e));
    assert_int_equal(tip.size, THREADS * EACH * 7);
    good(kind->check(store, NULL, &arena, &finding, &e));
    assert_null(finding);
    kind->look_end(store);
}

static void *open_new(void *self)
{
    struct arena a = { 0 };
    struct store_open how = { self, STORE_APPEND, world_real() };
    struct store *out;
    struct error why;
    bool done = kind->open(&how, &a, &out, &why);

    if (done)
        kind->close(out);
    arena_free(&a);
    return done ? NULL : self;
}

static void two_that_make_it_at_once_make_one(void **state)
{
    char *fresh = arena_printf(&arena, "%s_twice", address);
    pthread_t threads[THREADS];
    void *fault;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_new, fresh), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &fault), 0);
        assert_null(fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(every_field_comes_back),
        with_store(a_range_is_read_either_way_and_up_to_enough),
        with_store(a_reader_may_ask_and_may_fail),
        with_store(an_event_finds_its_twin_and_the_last_of_its_execution),
        with_store(entries_are_found_by_seq),
        with_store(the_newest_input_has_the_highest_time),
        with_store(what_is_rolled_back_was_never_there),
        with_store(the_same_event_twice_is_refused_and_nothing_stays),
        with_store(a_block_twice_fails_at_the_latest_when_it_is_committed),
        with_store(a_look_sees_one_moment),
        with_store(writers_at_once_take_turns),
        with_store(two_that_make_it_at_once_make_one),
    };

    return run_with_server(tests);
}
