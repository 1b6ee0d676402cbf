/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_postgres_held.c: what a ledger in PostgreSQL refuses, and what it says then. */
#include <time.h>

#include "case.h"

/* ---- erasing, and what nobody may do ---- */

static void an_erased_body_is_gone_and_its_digest_stays(void **state)
{
    struct digest digest = digest_of("body", 4);
    static const uint8_t zero[SALT_BYTES];
    struct entry back, before;
    struct tip tip;

    (void)state;
    append(3);
    before = read_one(1);
    good(kind->begin(store, &tip, &e));
    good(kind->erase(store, 1, &digest, &e));
    good(kind->commit(store, true, &e));
    back = read_one(1);
    assert_true(back.erased && back.body.n == 0 && str_eq(back.subject, before.subject));
    assert_memory_equal(&back.body_digest, &digest, sizeof digest);
    assert_memory_equal(&back.leaf, &before.leaf, sizeof back.leaf);
    assert_memory_equal(back.salt, zero, sizeof zero);
    assert_false(read_one(2).erased);
    good(kind->begin(store, &tip, &e));
    assert_false(kind->erase(store, 1, &digest, &e));
    kind->rollback(store);
    good(kind->begin(store, &tip, &e));
    assert_false(kind->erase(store, 99, &digest, &e));
    kind->rollback(store);
}

/* In place of the C library's: where what is waited for does not come, nobody waits for it. */
static bool in_vain;
static int64_t slept_ms;

int nanosleep(const struct timespec *requested_time, struct timespec *remaining)
{
    if (!in_vain)
        return clock_nanosleep(CLOCK_MONOTONIC, 0, requested_time, remaining);
    slept_ms += requested_time->tv_sec * 1000 + requested_time->tv_nsec / 1000000;
    return 0;
}

static void whoever_looks_on_is_waited_for_a_minute(void **state)
{
    struct digest digest = digest_of("body", 4);
    struct store *reader;
    struct tip tip;

    (void)state;
    append(3);
    reader = open_as(STORE_READ);
    good(kind->look(reader, &tip, &e));
    good(kind->begin(store, &tip, &e));
    good(kind->erase(store, 1, &digest, &e));
    in_vain = true;
    assert_false(kind->commit(store, true, &e));
    in_vain = false;
    assert_in_range(slept_ms, 60000, 61000);
    assert_int_equal(e.code, CODE_IO);
    assert_non_null(strstr(e.msg, "until the owner of "));
    assert_non_null(strstr(e.msg, "others have kept its old rows for 60 seconds"));
    assert_true(read_one(1).erased);
    kind->look_end(reader);
    kind->close(reader);
    good(kind->sweep(store, &e));
}

static void nothing_is_changed_or_removed(void **state)
{
    static const char *const refused[] = {
        "UPDATE entries SET body = '{}' WHERE seq = 1",
        "UPDATE entries SET body = NULL, salt = NULL WHERE seq = 1",
        "UPDATE entries SET body = NULL, salt = NULL, erased = sha256(''), created = 1 WHERE seq = 1",
        "UPDATE entries SET body = NULL, salt = NULL, erased = sha256(''), key = id WHERE seq = 1",
        "UPDATE entries SET body = NULL, salt = NULL, erased = '\\x00' WHERE seq = 1",
        "UPDATE entries SET erased = sha256('') WHERE seq = 1",
        "DELETE FROM entries",
        "TRUNCATE entries",
        "UPDATE blocks SET root = ''",
        "DELETE FROM blocks",
        "TRUNCATE blocks",
        "UPDATE checkpoints SET note = ''",
        "DELETE FROM checkpoints",
        "TRUNCATE checkpoints",
        "UPDATE ledger SET version = 2",
        "DELETE FROM ledger",
        "TRUNCATE ledger",
    };

    (void)state;
    append(3);
    for (size_t i = 0; i < COUNT(refused); i++) {
        const char *said = by_hand(refused[i]);

        if (!said || !strstr(said, "a ledger only grows"))
            fail_msg("%s: %s", refused[i], said ? said : "done");
    }
    assert_null(
        by_hand("UPDATE entries SET body = NULL, salt = NULL, erased = sha256('') WHERE seq = 1"));
    assert_non_null(by_hand("UPDATE entries SET erased = sha256('x') WHERE seq = 1"));
}

/* ---- blocks, checkpoints ---- */

static bool see_block(void *self, const struct block *block, struct error *why)
{
    struct block made = { .level = 0,
                          .n = block->n,
                          .root = digest_of(&block->n, sizeof block->n) };

    (void)why;
    memset(&made.names, (int)(block->n % 256), sizeof made.names);
    assert_int_equal(block->level, 0);
    assert_memory_equal(&block->root, &made.root, sizeof made.root);
    assert_memory_equal(&block->names, &made.names, sizeof made.names);
    *(int64_t *)self = *(int64_t *)self * 10 + block->n;
    return true;
}

static void blocks_come_back_upwards(void **state)
{
    int64_t numbers = 0;

    (void)state;
    append(256 * 5);
    looked(kind->read_blocks(store, &(struct block_range){ 0, 1, 4 }, see_block, &numbers, &e));
    assert_int_equal(numbers, 123);
    looked(kind->read_blocks(store, &(struct block_range){ 1, 0, 4 }, see_block, &numbers, &e));
    assert_int_equal(numbers, 123);
}

static bool see_checkpoint(void *self, const struct kept_checkpoint *c, struct error *why)
{
    (void)why;
    assert_int_equal(c->made_ms, c->size * 2);
    assert_true(str_eq(c->note, (struct str){ "note\n\xe2\x80\x94 x", 10 }));
    *(int64_t *)self = *(int64_t *)self * 10 + c->size;
    return true;
}

static void checkpoints_come_back_by_size(void **state)
{
    static const int64_t sizes[] = { 3, 1, 2, 2 };
    int64_t numbers = 0;
    struct tip tip;

    (void)state;
    good(kind->begin(store, &tip, &e));
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct kept_checkpoint c = { sizes[i], sizes[i] * 2, { "note\n\xe2\x80\x94 x", 10 } };

        good(kind->add_checkpoint(store, &c, &e));
    }
    good(kind->commit(store, true, &e));
    looked(kind->read_checkpoints(store, see_checkpoint, &numbers, &e));
    assert_int_equal(numbers, 1223);
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
    struct str note = { "?", 1 };
    struct tip tip;

    (void)state;
    good(kind->begin(store, &tip, &e));
    good(kind->last_checkpoint(store, &arena, &note, &e));
    assert_int_equal(note.n, 0);
    for (size_t i = 0; i < COUNT(made); i++) {
        good(kind->add_checkpoint(store, &made[i], &e));
        good(kind->last_checkpoint(store, &arena, &note, &e));
        assert_true(str_eq(note, (struct str){ last + i, 1 }));
    }
    good(kind->commit(store, true, &e));
}

/* ---- check ---- */

static const char *checked(void)
{
    const char *finding = NULL;
    struct tip tip;

    good(kind->look(store, &tip, &e));
    good(kind->check(store, NULL, &arena, &finding, &e));
    kind->look_end(store);
    return finding;
}

static void a_check_finds_what_was_done_round_the_store(void **state)
{
    (void)state;
    assert_null(checked());
    append(600);
    assert_null(checked());
    assert_null(by_hand("INSERT INTO blocks VALUES (2, 0, '', '')"));
    assert_string_equal(checked(), "there are 3 blocks of level 0, and 600 entries make 2");
    assert_null(by_hand("ALTER TABLE blocks DISABLE TRIGGER ALL; DELETE FROM blocks WHERE n = 2"));
    assert_null(checked());
    assert_null(by_hand("INSERT INTO blocks VALUES (0, 1, '', '')"));
    assert_string_equal(checked(), "there are 1 blocks of level 1, and 600 entries make 0");
    assert_null(by_hand("DELETE FROM blocks WHERE level = 1 OR n = 0"));
    assert_string_equal(checked(), "there are 1 blocks of level 0, and 600 entries make 2");
    assert_null(by_hand("INSERT INTO blocks VALUES (0, 0, '', '')"));
    assert_null(by_hand(
        "ALTER TABLE entries DISABLE TRIGGER ALL; UPDATE entries SET subject = 'x' WHERE seq = 7"));
    assert_string_equal(checked(), "entry 7 has the key of another");
    assert_null(by_hand("UPDATE entries SET salt = NULL WHERE seq = 5"));
    assert_string_equal(checked(), "entry 5 is erased in part");
    assert_null(by_hand("DELETE FROM entries WHERE seq = 100"));
    assert_string_equal(checked(), "there are 599 entries, numbered 0 to 599");
}

/* ---- opening ---- */

static void a_ledger_keeps_its_name(void **state)
{
    char first[UUID_TEXT], second[UUID_TEXT];
    struct store *other = open_as(STORE_READ);

    (void)state;
    good(kind->ledger_name(store, first, &e));
    good(kind->ledger_name(other, second, &e));
    assert_string_equal(first, second);
    assert_true(uuid_v4(str_of(first), NULL));
    kind->close(other);
}

static const struct {
    const char *where, *says;
} no_ledgers[] = {
    { "postgres://me:pass.word@127.0.0.1:1/db", "postgres://me@127.0.0.1:1/db: " },
    { "postgresql://me@127.0.0.1:1/db?password=pass.word", "postgres://me@127.0.0.1:1/db: " },
    { "postgres://me:pass.word@nowhere.invalid/db", "postgres://me@nowhere.invalid/db: " },
    { "postgres://me:pass.word/x@host/db", "the ledger's address cannot be read" },
    { "postgres://me:p@pass.word/x@host/db", "the ledger's address cannot be read" },
    { "postgres://me:p?x@pass.word@127.0.0.1:1/db", "the ledger's address cannot be read" },
    { "postgres://me:1234/pass.word@127.0.0.1:1/db", "the ledger's address cannot be read" },
    { "postgres://me:1234/pass.word@127.0.0.1:1/db?user=me",
      "the ledger's address cannot be read" },
    { "postgres://me:1/x?dbname=pass.word@127.0.0.1:1/db", "the ledger's address cannot be read" },
    { "postgres://me:pass.word@@127.0.0.1:1/db", "the ledger's address cannot be read" },
    { "postgres://me@127.0.0.1:1/d@b", "the ledger's address cannot be read" },
    { "postgres://me@here:1/pass.word@127.0.0.1/db", "the ledger's address cannot be read" },
    { "postgres://here?user=me&password=top@pass.word", "the ledger's address cannot be read" },
    { "postgres://here:1?password=top@pass.word", "the ledger's address cannot be read" },
    { "postgres://127.0.0.1:1?user=me", "postgres://me@127.0.0.1:1/: " },
    { "postgres://127.0.0.1:1/d%40b", "postgres://127.0.0.1:1/d@b: " },
    { "postgres://me:pass.word@127.0.0.1:1/d%40b", "postgres://me@127.0.0.1:1/d@b: " },
    { "postgres:///db?host=@writ-nobody", "postgres:///db?host=@writ-nobody: " },
    { "postgres://me:pass.word@%40writ-nobody/db", "postgres://me@/db?host=@writ-nobody: " },
    { "postgres://me:pass.word?x@127.0.0.1:1/db", "postgres://me@127.0.0.1:1/db: " },
    { "postgres://me:pass.word@host/db?nothing=1", "the ledger's address cannot be read" },
    { "postgres://me:pass.word@[::1/db", "the ledger's address cannot be read" },
    { "postgres://me:pass.word@host/db?schema=A", "the schema in the ledger's address is 'A'" },
    { "postgres://me:pass.word@host/db?schema=a;b", "the schema in the ledger's address is 'a;b'" },
    { "postgres://me:pass.word@host/db?schema=1a", "the schema in the ledger's address is '1a'" },
};

static void what_cannot_be_opened_is_named_without_its_password(void **state)
{
    struct store *out;

    (void)state;
    for (size_t i = 0; i < COUNT(no_ledgers); i++) {
        struct store_open how = { no_ledgers[i].where, STORE_APPEND, &world.world };

        assert_false(kind->open(&how, &arena, &out, &e));
        assert_int_equal(e.code, CODE_IO);
        assert_null(strstr(e.msg, "pass.word"));
        if (strncmp(e.msg, no_ledgers[i].says, strlen(no_ledgers[i].says)) != 0)
            fail_msg("%s: %s", no_ledgers[i].where, e.msg);
    }
}

static void who_reads_makes_nothing(void **state)
{
    char *where = arena_printf(&arena, "%s_none", address);
    struct store_open how = { where, STORE_READ, &world.world };
    struct store *out;

    (void)state;
    assert_false(kind->open(&how, &arena, &out, &e));
    assert_int_equal(e.code, CODE_LEDGER_MISSING);
    assert_non_null(strstr(e.msg, "there is no ledger in the schema"));
}

static void a_version_of_another_day_is_refused(void **state)
{
    struct store_open how = { address, STORE_APPEND, &world.world };
    struct store *out;

    (void)state;
    assert_null(by_hand("ALTER TABLE ledger DISABLE TRIGGER ALL; UPDATE ledger SET version = 3"));
    assert_false(kind->open(&how, &arena, &out, &e));
    assert_non_null(strstr(e.msg, "the ledger has version 3, this writ knows 2; install"));
    assert_non_null(strstr(e.msg, strrchr(address, '&'))); /* which schema it is */
}

/* ---- a connection that was lost ---- */

static void lose_connection(void)
{
    assert_null(by_hand("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                        " WHERE pid <> pg_backend_pid() AND application_name = 'writ'"));
}

static void what_was_not_committed_is_lost_with_a_connection_and_no_more(void **state)
{
    struct tip tip;

    (void)state;
    append(2);
    good(kind->begin(store, &tip, &e));
    assert_false(tip.anew);
    good(made_add(store, 2, 10, &e));
    lose_connection();
    assert_false(kind->commit(store, true, &e));
    assert_int_equal(e.code, CODE_IO);
    kind->rollback(store);
    good(kind->begin(store, &tip, &e));
    assert_true(tip.anew && tip.size == 2);
    good(made_add(store, 2, 1, &e));
    good(kind->commit(store, true, &e));
    lose_connection();
    good(kind->look(store, &tip, &e));
    assert_true(tip.anew && tip.size == 3);
    kind->look_end(store);
    append(1);
    assert_int_equal(size_now(), 4);
}

static void a_new_connection_is_as_the_old_one_was(void **state)
{
    struct store *reader = open_as(STORE_READ);
    struct tip tip;

    (void)state;
    append(300);
    lose_connection();
    append(300);
    assert_int_equal(read_one(599).seq, 599);
    good(kind->look(reader, &tip, &e));
    assert_int_equal(tip.size, 600);
    kind->look_end(reader);
    kind->close(reader);
}

static void a_ledger_that_is_gone_meanwhile_is_not_made_again(void **state)
{
    struct tip tip;
    char drop[128];

    (void)state;
    append(2);
    lose_connection();
    (void)snprintf(drop, sizeof drop, "DROP SCHEMA %s CASCADE", strstr(address, "schema=") + 7);
    assert_null(by_hand(drop));
    assert_false(kind->begin(store, &tip, &e));
    assert_int_equal(e.code, CODE_LEDGER_MISSING);
    assert_false(kind->begin(store, &tip, &e));
}

static void what_was_not_waited_for_and_is_gone_is_told(void **state)
{
    struct tip tip;

    (void)state;
    append(2);
    good(kind->begin(store, &tip, &e));
    good(made_add(store, 2, 1, &e));
    good(kind->commit(store, false, &e));
    lose_connection();
    good(kind->begin(store, &tip, &e)); /* it is there */
    kind->rollback(store);
    lose_connection();
    assert_null(by_hand("ALTER TABLE entries DISABLE TRIGGER ALL;"
                        "DELETE FROM entries WHERE seq = 2"));
    for (int i = 0; i < 2; i++) {
        assert_false(kind->begin(store, &tip, &e));
        assert_non_null(strstr(e.msg, "what was written last"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(an_erased_body_is_gone_and_its_digest_stays),
        with_store(whoever_looks_on_is_waited_for_a_minute),
        with_store(nothing_is_changed_or_removed),
        with_store(blocks_come_back_upwards),
        with_store(checkpoints_come_back_by_size),
        with_store(the_last_checkpoint_is_the_one_about_most_entries),
        with_store(a_check_finds_what_was_done_round_the_store),
        with_store(a_ledger_keeps_its_name),
        with_store(what_cannot_be_opened_is_named_without_its_password),
        with_store(who_reads_makes_nothing),
        with_store(a_version_of_another_day_is_refused),
        with_store(what_was_not_committed_is_lost_with_a_connection_and_no_more),
        with_store(a_new_connection_is_as_the_old_one_was),
        with_store(a_ledger_that_is_gone_meanwhile_is_not_made_again),
        with_store(what_was_not_waited_for_and_is_gone_is_told),
    };

    return run_with_server(tests);
}
