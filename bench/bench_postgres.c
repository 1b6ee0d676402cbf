/* SPDX-License-Identifier: Apache-2.0 */
/* bench_postgres.c: eight writers at once into a ledger in PostgreSQL, against bare rows.
 *
 * Bare means: a table of body and hash with one key, filled by INSERT .. SELECT from unnest, and
 * nothing checked, hashed or kept in order. Both commit as durably, batches of 1,000 events, on one
 * server, by turns. The goal: at least 0.7 x its rate. A server is started by tests/postgres;
 * where there is none installed, nothing is measured.
 */
#include <assert.h>
#include <endian.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <writ/writ.h>

#include "events.h"
#include "race.h"

enum { WRITERS = 8, BATCH = 1000, BATCHES = 4, TURNS = 9, BYTEA = 17, HASH = 32 };

static char input_id[64];
static uint64_t made;

struct writer {
    pthread_t thread;
    struct writ_ledger *ledger;
    PGconn *bare;
    struct buf texts[BATCHES];
    bool bare_turn;
};

static struct writer writers[WRITERS];

/* ---- bare ---- */

static void run_sql(PGconn *c, const char *sql)
{
    PGresult *r = PQexec(c, sql);

    assert(PQresultStatus(r) == PGRES_COMMAND_OK);
    PQclear(r);
}

static void put32(struct buf *to, uint32_t v)
{
    v = htobe32(v);
    buf_add(to, &v, sizeof v);
}

/* bytea[] in its binary form. */
static void begin_list(struct buf *to)
{
    const uint32_t head[] = { 1, 0, BYTEA, BATCH, 1 };

    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        put32(to, head[i]);
}

static void bare_batch(PGconn *c, const struct buf *text)
{
    static const char insert[] =
        "INSERT INTO bare (body, hash) SELECT * FROM unnest($1::bytea[], $2::bytea[])";
    static const uint8_t hash[HASH];
    struct buf lists[2] = { { .max = 1 << 30 }, { .max = 1 << 30 } };
    const int binary[] = { 1, 1 };
    PGresult *r;

    begin_list(&lists[0]);
    begin_list(&lists[1]);
    for (const char *p = text->s, *end; p < text->s + text->len; p = end + 1) {
        end = strchr(p, '\n');
        put32(&lists[0], (uint32_t)(end - p));
        buf_add(&lists[0], p, (size_t)(end - p));
        put32(&lists[1], HASH);
        buf_add(&lists[1], hash, HASH);
    }
    const char *values[] = { lists[0].s, lists[1].s };
    const int lengths[] = { (int)lists[0].len, (int)lists[1].len };
    r = PQexecParams(c, insert, 2, NULL, values, lengths, binary, 1);
    assert(PQresultStatus(r) == PGRES_COMMAND_OK);
    PQclear(r);
    buf_free(&lists[0]);
    buf_free(&lists[1]);
}

/* ---- writ ---- */

static bool count_appended(void *self, const char *line, size_t len)
{
    (void)len;
    *(size_t *)self += strstr(line, "\"appended\"") != NULL;
    return true;
}

static void writ_batch(struct writ_ledger *ledger, const struct buf *text)
{
    struct writ_input input = { .name = "events", .text = text->s, .len = text->len };
    size_t appended = 0;
    int status = writ_ledger_append(ledger, &input, NULL, count_appended, &appended);

    assert(status == WRIT_OK && appended == BATCH);
}

/* ---- both ---- */

static void *work(void *self)
{
    const struct writer *w = self;

    for (int i = 0; i < BATCHES; i++) {
        if (w->bare_turn)
            bare_batch(w->bare, &w->texts[i]);
        else
            writ_batch(w->ledger, &w->texts[i]);
    }
    return NULL;
}

static void run_all(const void *bare_turn)
{
    for (int i = 0; i < WRITERS; i++) {
        int failed;

        writers[i].bare_turn = bare_turn;
        failed = pthread_create(&writers[i].thread, NULL, work, &writers[i]);
        assert(!failed);
    }
    for (int i = 0; i < WRITERS; i++)
        (void)pthread_join(writers[i].thread, NULL);
}

/* Executions of a writer are its own; the events of one come in order. */
static void make(void)
{
    for (int i = 0; i < WRITERS; i++) {
        for (int k = 0; k < BATCHES; k++) {
            struct buf *text = &writers[i].texts[k];

            buf_reset(text);
            for (int n = 0; n < BATCH; n++)
                event_add(text, made++, input_id);
            assert(buf_ok(text));
        }
        made += (3 - made % 3) % 3; /* no execution is of two writers */
    }
}

static void open_all(const char *address)
{
    struct writ_input input = { .name = "input", .text = "{\"plan\":1}", .len = 10 };
    char *answer = NULL;
    int status;

    for (int i = 0; i < WRITERS; i++) {
        status = writ_ledger_open(address, NULL, true, &writers[i].ledger, &answer);
        assert(status == WRIT_OK);
        writers[i].bare = PQconnectdb(address);
        assert(PQstatus(writers[i].bare) == CONNECTION_OK);
        for (int k = 0; k < BATCHES; k++)
            writers[i].texts[k].max = 1 << 30;
    }
    run_sql(writers[0].bare,
            "CREATE TABLE bare (seq bigserial PRIMARY KEY, body bytea, hash bytea);"
            "ALTER TABLE bare ALTER body SET STORAGE EXTERNAL");
    status = writ_ledger_input(writers[0].ledger, &input, NULL, NULL, &answer);
    assert(status == WRIT_OK);
    (void)snprintf(input_id, sizeof input_id, "%.40s", strstr(answer, "led-"));
    writ_free(answer);
}

static void measure(void)
{
    struct runner two[2] = { { "bare rows", .run_with = run_all, .with = "" },
                             { "writ", .run_with = run_all } };
    const double n = (double)WRITERS * BATCHES * BATCH;
    double ns[2];

    for (int turn = -1; turn < TURNS; turn++) {
        make();
        for (int k = 0; k < 2; k++) {
            int i = (turn + k) & 1;
            double took = race_turn(&two[i], 1) / n;

            if (turn >= 0)
                two[i].ns[turn] = took;
            two[i].turns = TURNS;
        }
    }
    printf("PostgreSQL: durable batches of 1,000 events, %d writers\n", WRITERS);
    for (int i = 0; i < 2; i++) {
        ns[i] = race_median(&two[i]);
        printf("  %-34s %9.2f us an event %9.0f/s\n", two[i].name, ns[i] / 1e3, 1e9 / ns[i]);
    }
    printf("  %.2f x the rate of bare rows (goal 0.7)\n", ns[0] / ns[1]);
}

int main(int argc, char **argv)
{
    const char *address = getenv("WRIT_TEST_STORE");

    (void)argc;
    if (!address) {
        (void)execlp("python3", "python3", SERVER, argv[0], (char *)NULL);
        return 1;
    }
    open_all(address);
    measure();
    for (int i = 0; i < WRITERS; i++) {
        writ_ledger_close(writers[i].ledger);
        PQfinish(writers[i].bare);
        for (int k = 0; k < BATCHES; k++)
            buf_free(&writers[i].texts[k]);
    }
    return 0;
}
