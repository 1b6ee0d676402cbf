/* SPDX-License-Identifier: Apache-2.0 */
/* bench_append.c: events into the ledger, against bare SQLite that keeps the same bytes.
 *
 * Bare means: a table of body and hash, no index, nothing checked, nothing hashed. Both commit as
 * durably (WAL, synchronous FULL), in one directory, by turns. The goals: one event at a time at
 * least 0.8 x its rate, batches of 1,000 at least 0.6 x. A file that grows is slower to sync, and
 * bare SQLite's log grows until it begins anew, after 1,000 pages: so there are two figures.
 */
#include <assert.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include <writ/writ.h>

#include "events.h"
#include "race.h"

enum { BATCH = 1000, BATCHES = 8, TURNS = 21, ONES = 20, LAP = 1200 };

static sqlite3 *bare;
static sqlite3_stmt *begin, *insert, *commit;
static struct writ_ledger *ledger;
static char input_id[64];
static struct buf texts = { .max = (size_t)1 << 30 };
static uint64_t made;

static void bare_open(const char *path)
{
    int ok = sqlite3_open(path, &bare);

    assert(ok == SQLITE_OK);
    ok = sqlite3_exec(bare,
                      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                      "CREATE TABLE t(seq INTEGER PRIMARY KEY, body BLOB, hash BLOB)",
                      NULL, NULL, NULL);
    assert(ok == SQLITE_OK);
    ok = sqlite3_prepare_v2(bare, "BEGIN IMMEDIATE", -1, &begin, NULL);
    ok |= sqlite3_prepare_v2(bare, "INSERT INTO t(body, hash) VALUES(?, ?)", -1, &insert, NULL);
    ok |= sqlite3_prepare_v2(bare, "COMMIT", -1, &commit, NULL);
    assert(ok == SQLITE_OK);
}

static void step(sqlite3_stmt *s)
{
    int ok = sqlite3_step(s);

    assert(ok == SQLITE_DONE);
    (void)sqlite3_reset(s);
}

static void make(size_t n)
{
    buf_reset(&texts);
    for (size_t i = 0; i < n; i++)
        event_add(&texts, made++, input_id);
    assert(buf_ok(&texts));
}

static void bare_events(size_t batch)
{
    static const uint8_t hash[32];
    size_t n = 0;

    for (const char *p = texts.s, *end; p < texts.s + texts.len; p = end + 1) {
        end = strchr(p, '\n');
        if (n % batch == 0)
            step(begin);
        (void)sqlite3_bind_blob(insert, 1, p, (int)(end - p), SQLITE_STATIC);
        (void)sqlite3_bind_blob(insert, 2, hash, sizeof hash, SQLITE_STATIC);
        step(insert);
        if (++n % batch == 0)
            step(commit);
    }
}

static bool count_appended(void *self, const char *line, size_t len)
{
    (void)len;
    *(size_t *)self += strstr(line, "\"appended\"") != NULL;
    return true;
}

static void writ_events(const char *text, size_t len, size_t expected)
{
    struct writ_input input = { .name = "events", .text = text, .len = len };
    size_t appended = 0;
    int status = writ_ledger_append(ledger, &input, NULL, count_appended, &appended);

    assert(status == WRIT_OK && appended == expected);
}

static void run_bare_batches(void)
{
    bare_events(BATCH);
}

static void run_writ_batches(void)
{
    writ_events(texts.s, texts.len, (size_t)BATCH * BATCHES);
}

static void run_bare_ones(void)
{
    bare_events(1);
}

static void run_writ_ones(void)
{
    for (const char *p = texts.s, *end; p < texts.s + texts.len; p = end + 1) {
        end = strchr(p, '\n');
        writ_events(p, (size_t)(end - p), 1);
    }
}

/* Each event is new to both: the texts are made between the turns, outside of the clock. */
static void measure(const char *title, struct runner two[2], size_t n, double goal)
{
    double ns[2];

    for (int turn = -1; turn < TURNS; turn++) {
        make(n);
        for (int k = 0; k < 2; k++) {
            int i = (turn + k) & 1;
            double took = race_turn(&two[i], 1) / (double)n;

            if (turn >= 0)
                two[i].ns[turn] = took;
            two[i].turns = TURNS;
        }
    }
    printf("%s\n", title);
    for (int i = 0; i < 2; i++) {
        ns[i] = race_median(&two[i]);
        printf("  %-34s %9.2f us an event %9.0f/s\n", two[i].name, ns[i] / 1e3, 1e9 / ns[i]);
    }
    printf("  %.2f x the rate of bare SQLite (goal %.1f)\n", ns[0] / ns[1], goal);
}

static void open_both(const char *dir)
{
    struct writ_input input = { .name = "input", .text = "{\"plan\":1}", .len = 10 };
    char path[256], *answer = NULL;
    int status;

    (void)snprintf(path, sizeof path, "%s/bare.db", dir);
    bare_open(path);
    (void)snprintf(path, sizeof path, "%s/ledger.db", dir);
    status = writ_ledger_open(path, NULL, true, &ledger, &answer);
    assert(status == WRIT_OK);
    status = writ_ledger_input(ledger, &input, NULL, NULL, &answer);
    assert(status == WRIT_OK);
    (void)snprintf(input_id, sizeof input_id, "%.40s", strstr(answer, "led-"));
    writ_free(answer);
}

static void remove_all(const char *dir)
{
    static const char *const names[] = { "bare.db",   "bare.db-wal",   "bare.db-shm",
                                         "ledger.db", "ledger.db-wal", "ledger.db-shm" };
    char path[256];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(dir);
}

int main(void)
{
    struct runner batches[2] = { { "bare SQLite", run_bare_batches },
                                 { "writ", run_writ_batches } };
    struct runner ones[2] = { { "bare SQLite", run_bare_ones }, { "writ", run_writ_ones } };
    char dir[] = "./bench-append-XXXXXX";

    if (!mkdtemp(dir))
        return 1;
    open_both(dir);
    measure("one durable event at a time, in a new log", ones, ONES, 0.8);
    make(LAP);
    run_bare_ones();
    run_writ_ones();
    measure("one durable event at a time, in a log that has begun anew", ones, ONES, 0.8);
    measure("durable batches of 1,000 events", batches, (size_t)BATCH * BATCHES, 0.6);
    printf("  the ledger had %" PRIu64 " events at the end\n", made);
    writ_ledger_close(ledger);
    (void)sqlite3_finalize(begin);
    (void)sqlite3_finalize(insert);
    (void)sqlite3_finalize(commit);
    (void)sqlite3_close(bare);
    remove_all(dir);
    buf_free(&texts);
    return 0;
}
