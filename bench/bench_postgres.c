/* SPDX-License-Identifier: Apache-2.0 */
/* bench_postgres.c: eight writers at once into a ledger in PostgreSQL, against bare rows.
 *
 * Bare means: a table of key, body and hash, filled by INSERT .. SELECT from unnest, in which a key
 * stands once whoever comes first; nothing is read, checked, hashed or kept in order. Rows without
 * a key are shown beside it: they may stand there twice. All commit as durably, batches of 1,000
 * events, on one server, by turns. The goal: at least 0.7 x the rate of rows with a key. A server
 * is started by tests/postgres; where there is none installed, nothing is measured.
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

enum way { PLAIN, KEYED, WRIT, WAYS };

enum { WRITERS = 8, BATCH = 1000, BATCHES = 4, TURNS = 9, BYTEA = 17, HASH = 32 };

static char input_id[64];
static uint64_t made;

struct writer {
    pthread_t thread;
    struct writ_ledger *ledger;
    PGconn *bare;
    struct buf texts[BATCHES];
    enum way way;
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

static void add_item(struct buf *to, const void *bytes, size_t n)
{
    put32(to, (uint32_t)n);
    buf_add(to, bytes, n);
}

/* The key of an event: whose it is, and which. */
static void add_key(struct buf *to, const char *event)
{
    const char *execution = strstr(event, "executionId") + sizeof "executionId\":";
    const char *robot = strstr(execution, "robotId") + sizeof "robotId\":";
    const char *state = strstr(robot, "state") + sizeof "state\":";
    const char *tenant = strstr(state, "tenantId") + sizeof "tenantId\":";
    char key[128];

    (void)snprintf(key, sizeof key, "%.5s/%.5s/%.36s/1/%.9s", tenant, robot, execution, state);
    add_item(to, key, strlen(key));
}

static void bare_batch(PGconn *c, const struct buf *text, bool keyed)
{
    static const char *const inserts[] = {
        "INSERT INTO plain (body, hash) SELECT * FROM unnest($1::bytea[], $2::bytea[])",
        "INSERT INTO keyed (body, hash, key) SELECT * FROM unnest($1::bytea[], $2::bytea[],"
        " $3::bytea[]) ON CONFLICT DO NOTHING",
    };
    static const uint8_t hash[HASH];
    static const int binary[] = { 1, 1, 1 };
    struct buf lists[3] = { { .max = 1 << 30 }, { .max = 1 << 30 }, { .max = 1 << 30 } };
    const char *values[3];
    int lengths[3], n = keyed ? 3 : 2;
    PGresult *r;

    for (int i = 0; i < n; i++)
        begin_list(&lists[i]);
    for (const char *p = text->s, *end; p < text->s + text->len; p = end + 1) {
        end = strchr(p, '\n');
        add_item(&lists[0], p, (size_t)(end - p));
        add_item(&lists[1], hash, HASH);
        if (keyed)
            add_key(&lists[2], p);
    }
    for (int i = 0; i < n; i++) {
        values[i] = lists[i].s;
        lengths[i] = (int)lists[i].len;
    }
    r = PQexecParams(c, inserts[keyed], n, NULL, values, lengths, binary, 1);
    assert(PQresultStatus(r) == PGRES_COMMAND_OK && strcmp(PQcmdTuples(r), "1000") == 0);
    PQclear(r);
    for (int i = 0; i < n; i++)
        buf_free(&lists[i]);
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
        if (w->way == WRIT)
            writ_batch(w->ledger, &w->texts[i]);
        else
            bare_batch(w->bare, &w->texts[i], w->way == KEYED);
    }
    return NULL;
}

static void run_all(const void *way)
{
    for (int i = 0; i < WRITERS; i++) {
        int failed;

        writers[i].way = *(const enum way *)way;
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
            "CREATE TABLE plain (seq bigserial PRIMARY KEY, body bytea, hash bytea);"
            "CREATE TABLE keyed (seq bigserial PRIMARY KEY, key bytea UNIQUE, body bytea,"
            " hash bytea);"
            "ALTER TABLE plain ALTER body SET STORAGE EXTERNAL;"
            "ALTER TABLE keyed ALTER body SET STORAGE EXTERNAL");
    status = writ_ledger_input(writers[0].ledger, &input, NULL, NULL, &answer);
    assert(status == WRIT_OK);
    (void)snprintf(input_id, sizeof input_id, "%.40s", strstr(answer, "led-"));
    writ_free(answer);
}

static void measure(void)
{
    static const enum way ways[WAYS] = { PLAIN, KEYED, WRIT };
    struct runner all[WAYS] = { { "rows without a key", .run_with = run_all, .with = &ways[PLAIN] },
                                { "rows with a key", .run_with = run_all, .with = &ways[KEYED] },
                                { "writ", .run_with = run_all, .with = &ways[WRIT] } };
    const double n = (double)WRITERS * BATCHES * BATCH;
    double ns[WAYS];

    for (int turn = -1; turn < TURNS; turn++) {
        make();
        for (int k = 0; k < WAYS; k++) {
            int i = (turn + 1 + k) % WAYS;
            double took = race_turn(&all[i], 1) / n;

            if (turn >= 0)
                all[i].ns[turn] = took;
            all[i].turns = TURNS;
        }
    }
    printf("PostgreSQL: durable batches of 1,000 events, %d writers\n", WRITERS);
    for (int i = 0; i < WAYS; i++) {
        ns[i] = race_median(&all[i]);
        printf("  %-34s %9.2f us an event %9.0f/s\n", all[i].name, ns[i] / 1e3, 1e9 / ns[i]);
    }
    printf("  %.2f x the rate of rows with a key (goal 0.7), %.2f x that of rows without\n",
           ns[KEYED] / ns[WRIT], ns[PLAIN] / ns[WRIT]);
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
