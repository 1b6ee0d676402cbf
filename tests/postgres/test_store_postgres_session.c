/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_postgres_session.c: a ledger in PostgreSQL whose sessions are not its own for long. */
#include "case.h"
#include "ledger/store/postgres.h"

static const char *checked(void)
{
    const char *finding = NULL;

    looked(kind->check(store, NULL, &arena, &finding, &e));
    return finding;
}

/* ---- a pooler in between ---- */

/* In the session that the store has just now, which a pooler may have from somebody else. */
static void in_session(const char *sql)
{
    good(pg_script(store->pg, sql, &e));
}

static void a_session_is_left_as_it_was_found(void **state)
{
    struct digest digest = digest_of("body", 4);
    struct tip tip;

    (void)state;
    append(300);
    assert_null(checked());
    good(kind->begin(store, &tip, &e));
    good(kind->erase(store, 1, &digest, &e));
    good(kind->commit(store, true, &e));
    in_session("DO $$ DECLARE changed text := (SELECT string_agg(name, ', ') FROM pg_settings"
               " WHERE source = 'session'); BEGIN"
               " IF changed IS NOT NULL THEN RAISE '%', changed; END IF; END $$");
}

static void a_session_that_was_somebody_elses_reaches_the_same_ledger(void **state)
{
    struct digest digest = digest_of("body", 4);
    char name[UUID_TEXT];
    struct tip tip;

    (void)state;
    append(2);
    in_session("SET search_path TO pg_temp; SET default_transaction_read_only TO on");
    append(300);
    assert_int_equal(read_one(301).seq, 301);
    assert_null(checked());
    good(kind->ledger_name(store, name, &e));
    good(kind->begin(store, &tip, &e));
    good(kind->erase(store, 1, &digest, &e));
    good(kind->commit(store, true, &e));
    assert_true(read_one(1).erased);
}

static void a_pooler_without_our_statements_is_told_of(void **state)
{
    struct tip tip;

    (void)state;
    append(1);
    in_session("DEALLOCATE ALL");
    assert_false(kind->begin(store, &tip, &e));
    assert_non_null(strstr(e.msg, "a pooler is between"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_session_is_left_as_it_was_found),
        with_store(a_session_that_was_somebody_elses_reaches_the_same_ledger),
        with_store(a_pooler_without_our_statements_is_told_of),
    };

    return run_with_server(tests);
}
