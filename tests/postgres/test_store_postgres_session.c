/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_postgres_session.c: a ledger in PostgreSQL whose sessions are not its own for long. */
#include <signal.h>
#include <time.h>

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

static void no_time_of_a_role_ends_a_transaction(void **state)
{
    struct tip tip;

    (void)state;
    in_session("SET statement_timeout TO '5s'");
    good(kind->begin(store, &tip, &e));
    in_session("DO $$ BEGIN IF current_setting('statement_timeout') <> '0' THEN RAISE 'it has one';"
               " END IF; END $$");
    kind->rollback(store);
}

/* ---- a server that is started again ---- */

/* To another database of the same server: the ledger's may be shut. */
static void at_server(const char *sql)
{
    static const struct pg_book none = { NULL, 0 };
    struct postgres *pg;
    const char *rest = strchr(here(), '?');

    good(pg_open(arena_printf(&arena, "postgres:///postgres%s", rest), &none, &arena, &pg, &e));
    good(pg_script(pg, sql, &e));
    pg_close(pg);
}

static void shut_down(void)
{
    at_server("ALTER DATABASE ledger ALLOW_CONNECTIONS false;"
              "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
              " WHERE datname = 'ledger'");
}

static void open_up(void)
{
    at_server("ALTER DATABASE ledger ALLOW_CONNECTIONS true");
}

/* One of its processes dies, as for want of memory: all others end with it, and it starts anew. */
static void crash(void)
{
    static const struct pg_book none = { NULL, 0 };
    const char *where = arena_printf(&arena, "postgres:///postgres%s", strchr(here(), '?'));
    struct postgres *pg, *other;
    const char *pid;

    good(pg_open(where, &none, &arena, &pg, &e));
    good(pg_open(where, &none, &arena, &other, &e));
    assert_false(pg_script(pg, "DO $$ BEGIN RAISE 'it is %', pg_backend_pid(); END $$", &e));
    pid = strstr(e.msg, "it is ");
    assert_non_null(pid);
    assert_int_equal(kill(atoi(pid + strlen("it is ")), SIGKILL), 0);
    pg_close(pg);
    while (pg_script(other, "SELECT 1", &e))
        continue;
    pg_close(other);
    while (!pg_open(where, &none, &arena, &pg, &e))
        continue;
    pg_close(pg);
}

/* In place of the C library's: the time passes at once, and after so many sleeps all is well. */
static int sleeps, enough;

int nanosleep(const struct timespec *requested_time, struct timespec *remaining)
{
    (void)remaining;
    fake_world_tick(&world, requested_time->tv_sec * 1000 + requested_time->tv_nsec / 1000000);
    if (++sleeps == enough)
        open_up();
    return 0;
}

static void a_server_that_is_started_again_is_waited_for(void **state)
{
    struct tip tip;

    (void)state;
    append(2);
    sleeps = 0;
    enough = 5;
    shut_down();
    good(kind->begin(store, &tip, &e));
    assert_true(tip.anew && tip.size == 2 && sleeps == 5);
    kind->rollback(store);
}

static void a_server_that_crashed_is_reached_anew(void **state)
{
    struct tip tip;

    (void)state;
    append(2);
    crash();
    good(kind->begin(store, &tip, &e));
    assert_true(tip.anew && tip.size == 2);
    kind->rollback(store);
}

static void it_is_waited_for_half_a_minute_and_by_who_appends(void **state)
{
    struct store_open how = { address, STORE_APPEND, &world.world };
    struct store *reader = open_as(STORE_READ), *out;
    struct tip tip;
    int64_t begun;

    (void)state;
    sleeps = enough = 0;
    shut_down();
    assert_false(kind->open(&how, &arena, &out, &e));
    assert_false(kind->look(reader, &tip, &e));
    assert_int_equal(sleeps, 0);
    begun = world.now_ms;
    assert_false(kind->begin(store, &tip, &e));
    assert_in_range(world.now_ms - begun, 30000, 31000);
    open_up();
    kind->close(reader);
    append(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_session_is_left_as_it_was_found),
        with_store(a_session_that_was_somebody_elses_reaches_the_same_ledger),
        with_store(a_pooler_without_our_statements_is_told_of),
        with_store(no_time_of_a_role_ends_a_transaction),
        with_store(a_server_that_is_started_again_is_waited_for),
        with_store(a_server_that_crashed_is_reached_anew),
        with_store(it_is_waited_for_half_a_minute_and_by_who_appends),
    };

    return run_with_server(tests);
}
