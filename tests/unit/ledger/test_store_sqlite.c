/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_sqlite.c: a ledger in a file: what is no ledger, and hands on the past. */
#include "unit/ledger/by_hand.h"

#include <sys/eventfd.h>
#include <time.h>

#include "contract/codes.h"

static struct store *cannot_open(const char *where, enum store_access access, const char *says)
{
    _arena_ struct arena a = { 0 };
    struct store_open how = { where, access, world_real() };
    struct store *s = NULL;
    struct error e = { 0 };

    assert_false(kind->open(&how, &a, &s, &e));
    assert_int_equal(e.code, strstr(says, "there is no ledger") ? CODE_LEDGER_MISSING
                             : strstr(says, "is not a ledger")  ? CODE_LEDGER_DAMAGED
                                                                : CODE_IO);
    if (!strstr(e.msg, says))
        fail_msg("'%s' does not say '%s'", e.msg, says);
    return s;
}

static void write_text(const char *path, const char *text)
{
    struct error e;

    assert_true(fs_write(path, str_of(text), &e));
}

/* ---- opening ---- */

static void what_is_no_ledger_is_said_plainly(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *none = fresh_place(&a), *text = made_place(0, &a), *empty = made_place(0, &a);
    const char *other = made_place(0, &a), *newer = made_place(0, &a);
    struct error e = { 0 };

    (void)state;
    cannot_open(none, STORE_READ, arena_printf(&a, "there is no ledger at '%s'", none));
    assert_int_not_equal(access(none, F_OK), 0);
    cannot_open(place_dir, STORE_READ, "Is a directory");
    write_text(text, "This is a text and no database; SQLite wants to see 100 bytes of it before "
                     "it says anything about them.");
    cannot_open(text, STORE_READ, arena_printf(&a, "'%s' is not a ledger", text));
    cannot_open(text, STORE_APPEND, arena_printf(&a, "'%s' is not a ledger", text));
    assert_int_equal(truncate(empty, 0), 0);
    cannot_open(empty, STORE_READ, "is not a ledger");
    cannot_open(empty, STORE_APPEND, "is not a ledger");
    ok(by_hand(other, "DROP TABLE ledger", &e));
    cannot_open(other, STORE_APPEND, "is not a ledger");
    ok(by_hand(newer, "UPDATE ledger SET version = 3", &e));
    cannot_open(newer, STORE_READ, "was made by a newer writ (version 3, known is 2)");
}

/* In place of the C library's: where what is waited for does not come, nobody waits for it. */
static bool in_vain;
static int64_t slept_us;

int nanosleep(const struct timespec *requested_time, struct timespec *remaining)
{
    if (!in_vain)
        return clock_nanosleep(CLOCK_MONOTONIC, 0, requested_time, remaining);
    slept_us += requested_time->tv_sec * 1000000 + requested_time->tv_nsec / 1000;
    return 0;
}

static void whoever_appends_is_waited_for_a_minute(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *holder = open_at(where, STORE_APPEND, &a), *s = open_at(where, STORE_APPEND, &a);
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    ok(kind->begin(holder, &tip, &e));
    in_vain = true;
    assert_false(kind->begin(s, &tip, &e));
    in_vain = false;
    assert_in_range(slept_us, 60000000, 61000000);
    assert_int_equal(e.code, CODE_IO);
    assert_non_null(strstr(e.msg, arena_printf(&a,
                                               "'%s' is busy: others have kept it for 60 "
                                               "seconds; fuser or lsof names who",
                                               where)));
    kind->rollback(holder);
    ok(kind->begin(s, &tip, &e));
    kind->rollback(s);
    kind->close(s);
    kind->close(holder);
}

static void who_calls_off_waits_no_longer(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *holder = open_at(where, STORE_APPEND, &a), *s;
    int cancel = eventfd(1, EFD_CLOEXEC), nobody = -1;
    const int *const calls[] = { &cancel, &nobody };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    ok(kind->begin(holder, &tip, &e));
    slept_us = 0;
    in_vain = true;
    for (size_t i = 0; i < COUNT(calls); i++) {
        struct store_open how = {
            .where = where, .access = STORE_APPEND, .world = world_real(), .cancel = calls[i]
        };

        ok(kind->open(&how, &a, &s, &e));
        assert_false(kind->begin(s, &tip, &e));
        assert_int_equal(e.code, i ? CODE_IO : CODE_EXECUTION_HALTED);
        assert_int_equal(slept_us != 0, i);
        kind->close(s);
    }
    in_vain = false;
    kind->rollback(holder);
    kind->close(holder);
    (void)close(cancel);
}

/* Who reads what was there before is in the way of who empties the log. */
static void who_calls_off_does_not_wait_until_the_log_is_empty(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = made_place(1, &a);
    struct store *writer = open_at(where, STORE_APPEND, &a);
    struct store *reader = open_at(where, STORE_READ, &a);
    int cancel = eventfd(1, EFD_CLOEXEC), nobody = -1;
    const int *const calls[] = { &cancel, &nobody };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    ok(kind->look(reader, &tip, &e));
    append_some(writer, 1, true);
    slept_us = 0;
    in_vain = true;
    (void)alarm(20); /* one that went on would not end */
    for (size_t i = 0; i < COUNT(calls); i++) {
        struct sqlite_open how = {
            .path = where, .write = true, .world = world_real(), .cancel = calls[i]
        };
        struct sqlite db;

        assert_true(sqlite_open(&db, &how, &e));
        assert_false(sqlite_checkpoint_empty(&db, &e));
        assert_int_equal(e.code, i ? CODE_IO : CODE_EXECUTION_HALTED);
        assert_int_equal(slept_us != 0, i);
        sqlite_close(&db);
    }
    (void)alarm(0);
    in_vain = false;
    kind->look_end(reader);
    kind->close(reader);
    kind->close(writer);
    (void)close(cancel);
}

static void a_ledger_belongs_to_its_owner_alone(void **state)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    _arena_ struct arena a = { 0 };
    const char *where = arena_printf(&a, "%s/some/where/new/file:%%20?#.db", place_dir);
    struct store *s = open_at(where, STORE_APPEND, &a);
    struct stat st;

    (void)state;
    append_some(s, 3, true);
    for (size_t i = 0; i < COUNT(ends); i++) {
        assert_int_equal(stat(arena_printf(&a, "%s%s", where, ends[i]), &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
    }
    assert_int_equal(stat(arena_printf(&a, "%s/some/where", place_dir), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    kind->close(s);
}

static void what_is_left_of_a_ledger_is_not_taken_for_another(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = made_place(10, &a);
    const char *away = arena_printf(&a, "%s.away", where);
    struct store *s;

    (void)state;
    assert_int_equal(rename(where, away), 0);
    cannot_open(where, STORE_APPEND, "is left of one");
    assert_int_equal(rename(away, where), 0);
    s = open_at(where, STORE_APPEND, &a);
    assert_all_there(s, 10);
    kind->close(s);
}

static void a_ledger_that_was_removed_takes_nothing_more(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *s = open_at(where, STORE_APPEND, &a);
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 10, true);
    assert_int_equal(unlink(where), 0);
    assert_false(kind->begin(s, &tip, &e));
    assert_int_equal(e.code, CODE_IO);
    assert_non_null(strstr(e.msg, "was removed or replaced while it was open"));
    kind->close(s);
}

/* ---- the past ---- */

/* clang-format off */
static const char *const tampering[] = {
    "UPDATE entries SET body = '{}' WHERE seq = 5",
    "UPDATE entries SET body = NULL WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', leaf = x'00' WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', id = x'00' WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', kind = 6 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', subject = 's' WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', tenant = 's' WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', robot = 's' WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', place = 9 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', traits = 9 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', snapshot = 9 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', created = 9 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', recorded = 9 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', content = x'00' WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00', seq = 9999 WHERE seq = 5",
    "UPDATE entries SET body = NULL, salt = NULL, erased = x'00' WHERE seq = 7", /* it was already */
    "DELETE FROM entries WHERE seq = 5",
    "DELETE FROM entries",
    "UPDATE blocks SET root = x'00'",
    "DELETE FROM blocks",
    "UPDATE checkpoints SET size = 1",
    "DELETE FROM checkpoints",
};
/* clang-format on */

static void the_past_cannot_be_changed_by_plain_sql(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a);
    struct store *s = open_at(where, STORE_APPEND, &a);
    struct kept_checkpoint c = { 5, 5, str_of("note") };
    struct digest digest = { { 0 } };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    append_some(s, 300, true);
    ok(kind->begin(s, &tip, &e));
    ok(kind->add_checkpoint(s, &c, &e));
    ok(kind->erase(s, 7, &digest, &e));
    ok(kind->commit(s, true, &e));
    for (size_t i = 0; i < COUNT(tampering); i++) {
        e = (struct error){ 0 };
        if (by_hand(where, tampering[i], &e))
            fail_msg("%s", tampering[i]);
        if (!strstr(e.msg, "what a ledger has it keeps"))
            fail_msg("%s: %s", tampering[i], e.msg);
    }
    assert_sound(s);
    kind->close(s);
}

/* clang-format off */
static const struct { const char *sql, *finding; } damage[] = {
    { "DELETE FROM runs WHERE rowid = (SELECT min(rowid) FROM runs)", "keys," },
    { "UPDATE runs SET run = run + 100", "complete blocks do not have" },
    { "UPDATE runs SET keys = substr(keys, 1, 25)", "is cut or names another first key" },
    { "UPDATE runs SET first = zeroblob(24)", "is cut or names another first key" },
    { "UPDATE runs SET keys = CAST(substr(keys, 1, 24) || substr(keys, 49) AS BLOB)", "events need one" },
    { "UPDATE runs SET keys = CAST(substr(keys, 1, 24) || substr(keys, 49, 24) || substr(keys, 25, 24) || substr(keys, 73) AS BLOB)", "not in order" },
    { "UPDATE runs SET keys = CAST(x'00' || substr(keys, 2) AS BLOB), first = CAST(x'00' || substr(first, 2) AS BLOB)", "other keys than the events" },
    { "UPDATE runs SET keys = CAST(substr(keys, 1, 22) || x'fff0' || substr(keys, 25) AS BLOB), first = CAST(substr(first, 1, 22) || x'fff0' AS BLOB)", "not in its range" },
    { "DROP TRIGGER blocks_stay; DELETE FROM blocks WHERE n = 3", "have gaps" },
    { "DROP TRIGGER blocks_stay; DELETE FROM blocks WHERE n = 4", "there are 4 blocks of level 0, 1300 entries need 5" },
    { "INSERT INTO blocks VALUES (1, 0, zeroblob(32), NULL)", "there are 1 blocks of level 1" },
    { "DROP TRIGGER entries_fixed; UPDATE entries SET robot = 'none' WHERE seq = 9", "other keys than the events" },
};
/* clang-format on */

static void a_check_finds_what_does_not_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(damage); i++) {
        _arena_ struct arena a = { 0 };
        const char *where = made_place(1300, &a), *finding;
        struct error e = { 0 };
        struct store *s;

        ok(by_hand(where, damage[i].sql, &e));
        s = open_at(where, STORE_READ, &a);
        finding = checked(s, &a);
        if (!finding || !strstr(finding, damage[i].finding))
            fail_msg("%s: %s", damage[i].sql, finding ? finding : "nothing");
        kind->close(s);
    }
}

/* Who does not know the salt cannot choose keys of the same sum. */
static void a_sum_of_keys_depends_on_its_salt(void **state)
{
    _arena_ struct arena a = { 0 };
    struct index_sum sums[3] = { { .size = 2 * BLOCK, .salt = "one" },
                                 { .size = 2 * BLOCK, .salt = "other" },
                                 { .size = 2 * BLOCK, .salt = "one" } };
    struct entry entries[2 * BLOCK];

    (void)state;
    for (int64_t i = 0; i < 2 * BLOCK; i++)
        entries[i] = entry_at(i, &a);
    for (size_t i = 0; i < COUNT(sums); i++)
        kind->sum_keys(&sums[i], entries, COUNT(entries));
    assert_true(sums[0].events.keys > 0 && sums[0].inputs.keys > 0);
    assert_int_not_equal(sums[0].events.low, sums[1].events.low);
    assert_int_not_equal(sums[0].inputs.low, sums[1].inputs.low);
    assert_memory_equal(&sums[0].events, &sums[2].events, sizeof sums[0].events);
    assert_memory_equal(&sums[0].inputs, &sums[2].inputs, sizeof sums[0].inputs);
}

static bool file_has(const char *path, const char *needle)
{
    _arena_ struct arena a = { 0 };
    struct str text;
    struct error e = { 0 };

    ok(fs_read(path, 64 << 20, &a, &text, &e));
    return memmem(text.s, text.n, needle, strlen(needle)) != NULL;
}

/* Short bodies, and one that takes many pages. */
static void an_erased_body_is_in_no_file(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a), *log = arena_printf(&a, "%s-wal", where);
    struct store *s = open_at(where, STORE_APPEND, &a);
    struct entry entries[40];
    struct digest digest = { { 0 } };
    struct error e = { 0 };
    struct tip tip;

    (void)state;
    ok(kind->begin(s, &tip, &e));
    for (int64_t i = 0; i < 40; i++) {
        entries[i] = entry_at(i, &a);
        if (i % 3 == 0)
            entries[i].body =
                str_of(arena_printf(&a, "%*ssecret-%" PRId64 "-secret", (int)i * 900, "", i));
    }
    ok(kind->add_entries(s, entries, 40, &e));
    ok(kind->commit(s, true, &e));
    assert_true(file_has(log, "secret-9-secret"));
    for (int64_t i = 0; i < 40; i += 3) {
        const char *secret = arena_printf(&a, "secret-%" PRId64 "-secret", i);

        ok(kind->begin(s, &tip, &e));
        ok(kind->erase(s, i, &digest, &e));
        ok(kind->commit(s, true, &e));
        assert_false(file_has(where, secret));
        assert_false(file_has(log, secret));
    }
    assert_false(file_has(where, "-secret"));
    assert_sound(s);
    kind->close(s);
}

/* All of it is in the file already when the writer leaves; the log is as long as it was. */
static void a_log_that_has_grown_is_given_back(void **state)
{
    enum { EACH = 1 << 20, COUNT_OF = 40, KEPT = 8 << 20 };
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a), *log = arena_printf(&a, "%s-wal", where);
    struct store *s = open_at(where, STORE_APPEND, &a);
    struct entry entries[COUNT_OF];
    struct error e = { 0 };
    struct stat there;
    struct tip tip;

    (void)state;
    ok(kind->begin(s, &tip, &e));
    for (int64_t i = 0; i < COUNT_OF; i++) {
        entries[i] = entry_at(i, &a);
        entries[i].body = str_of(arena_printf(&a, "%*s", EACH, ""));
    }
    ok(kind->add_entries(s, entries, COUNT_OF, &e));
    ok(kind->commit(s, true, &e));
    assert_int_equal(stat(log, &there), 0);
    assert_true(there.st_size > (off_t)COUNT_OF * EACH);
    kind->close(s);
    assert_int_equal(stat(log, &there), 0);
    assert_in_range(there.st_size, 0, KEPT);
    s = open_at(where, STORE_READ, &a);
    assert_int_equal(size_of(s), COUNT_OF);
    kind->close(s);
}

static off_t length_of(const char *path)
{
    struct stat there;

    assert_int_equal(stat(path, &there), 0);
    return there.st_size;
}

/* Two of them, by turns: neither writes where the other has written. */
static void for_who_appends_often_the_log_is_long_before_it_has_to_be(void **state)
{
    enum { FEW = 10, MANY = 200 };
    _arena_ struct arena a = { 0 };
    const char *where = fresh_place(&a), *log = arena_printf(&a, "%s-wal", where);
    struct store *two[] = { open_at(where, STORE_APPEND, &a), open_at(where, STORE_APPEND, &a) };
    struct store *third;
    int grown = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        off_t before = length_of(log);

        (void)append_some(two[i % 2], 1, true);
        if (i < FEW)
            assert_in_range(length_of(log), 1, 512 << 10);
        else
            grown += length_of(log) != before;
    }
    assert_in_range(grown, 1, 50);
    third = open_at(where, STORE_READ, &a);
    assert_all_there(third, MANY);
    kind->close(third);
    kind->close(two[0]);
    kind->close(two[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_ledger_is_said_plainly),
        cmocka_unit_test(whoever_appends_is_waited_for_a_minute),
        cmocka_unit_test(who_calls_off_waits_no_longer),
        cmocka_unit_test(who_calls_off_does_not_wait_until_the_log_is_empty),
        cmocka_unit_test(a_ledger_belongs_to_its_owner_alone),
        cmocka_unit_test(a_log_that_has_grown_is_given_back),
        cmocka_unit_test(for_who_appends_often_the_log_is_long_before_it_has_to_be),
        cmocka_unit_test(what_is_left_of_a_ledger_is_not_taken_for_another),
        cmocka_unit_test(a_ledger_that_was_removed_takes_nothing_more),
        cmocka_unit_test(the_past_cannot_be_changed_by_plain_sql),
        cmocka_unit_test(a_check_finds_what_does_not_fit),
        cmocka_unit_test(a_sum_of_keys_depends_on_its_salt),
        cmocka_unit_test(an_erased_body_is_in_no_file),
    };

    kind = &store_sqlite;
    return cmocka_run_group_tests(tests, use_directory, leave_directory);
}
