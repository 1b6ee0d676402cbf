/* SPDX-License-Identifier: Apache-2.0 */
/* postgres.c: the only file that knows libpq. */
#include "ledger/postgres.h"

#include <assert.h>
#include <errno.h>
#include <libpq-fe.h>
#include <malloc.h>
#include <poll.h>

#include "base/world.h"
#include "contract/codes.h"
#include "ledger/postgres_address.h"

struct queued {
    int statement;
    bool prepares; /* it is to be prepared; else to be run */
};

struct postgres {
    PGconn *conn;
    const char *shown;
    const struct pg_book *book;
    bool prepared[PG_STATEMENTS];
    struct queued queue[2 * PG_QUEUE];
    int queued;
    bool lost;                 /* whatever libpq says */
    const struct world *world; /* which counts answer_ms; NULL: an answer may take any time */
    int64_t answer_ms;
    bool flooded;         /* an answer had no end, and the connection was given up */
    bool silent;          /* an answer took longer, and the connection was given up */
    struct error warning; /* the last one; its code is 0 where there was none */
};

/* What is asked for is pages of some megabytes. An answer that has begun is given more time than
 * one that has not, and not for ever: messages beside it may go on without end. */
enum {
    ANSWER_MOST = 256 << 20, /* bytes of memory that one may take */
    ANSWER_TIMES = 4,        /* as long as the first byte may take */
    LOOK_EACH = 64,          /* pieces that come between two looks at the memory */
};

/* ---- what goes wrong ---- */

/* libpq's messages have a first line that says it, and more that guesses why. */
static bool fail(const struct postgres *pg, const char *message, struct error *e)
{
    size_t n = message ? strcspn(message, "\n") : 0;

    if (pg->silent)
        return error_set(e, CODE_IO,
                         "%s: the server has not answered for %lld s; answer_timeout=SECONDS in "
                         "the address lets it take longer",
                         pg->shown, (long long)(pg->answer_ms / 1000));
    if (pg->flooded)
        return error_set(e, CODE_IO,
                         "%s: the server's answer takes more than %d MiB of memory, which none of "
                         "a ledger's does; see what listens there",
                         pg->shown, ANSWER_MOST >> 20);
    if (n == 0)
        return error_set(e, CODE_IO, "%s: the connection was lost", pg->shown);
    return error_set(e, CODE_IO, "%s: %.*s", pg->shown, (int)n, message);
}

static bool fail_by_connection(const struct postgres *pg, struct error *e)
{
    return fail(pg, PQerrorMessage(pg->conn), e);
}

static bool is_state(const PGresult *result, const char *state)
{
    const char *found = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    return found && strcmp(found, state) == 0;
}

/* No such table, column or operator: the statements are right, so the tables are not those that
 * they were written for. */
static bool misses_something(const PGresult *result)
{
    return is_state(result, "42P01") || is_state(result, "42703") || is_state(result, "42883");
}

/* What to do about a sentence of the server's that does not say so. */
static const char *mend_of(const PGresult *result)
{
    if (is_state(result, "42501"))
        return "its owner can grant that";
    if (is_state(result, "57014"))
        return "its role may have a statement_timeout; without one it can be done";
    return is_state(result, "42P07") || is_state(result, "42723")
               ? "the schema has things of somebody else's; name another with ?schema=NAME"
               : NULL;
}

/* A statement that was not prepared here is there, or one that was is not: the session is another.
 */
static bool is_another_session(const PGresult *result)
{
    return is_state(result, "42P05") || is_state(result, "26000");
}

/* The server's own sentence alone: details may quote what somebody else entered. */
static bool fail_by_result(const struct postgres *pg, const PGresult *result, struct error *e)
{
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (message && misses_something(result))
        return error_set(e, CODE_LEDGER_DAMAGED, "%s is damaged: %.*s", pg->shown,
                         (int)strcspn(message, "\n"), message);
    if (is_another_session(result))
        return error_set(e, CODE_IO,
                         "%s: a pooler is between that gives each transaction another session; let "
                         "it pool by session, or have it pass on prepared statements",
                         pg->shown);
    if (message && mend_of(result))
        return error_set(e, CODE_IO, "%s: %.*s; %s", pg->shown, (int)strcspn(message, "\n"),
                         message, mend_of(result));
    return fail(pg, message ? message : PQresultErrorMessage(result), e);
}

/* A warning tells that something was left undone; what else the server has to say is not heard, nor
 * that a lock was not waited for, which was asked for. */
static void hear(void *self, const PGresult *result)
{
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    struct postgres *pg = self;

    if (severity && message && strcmp(severity, "WARNING") == 0 && !is_state(result, "55P03"))
        (void)fail(pg, message, &pg->warning);
}

/* ---- opening ---- */

static const char *option(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, name) == 0)
            return options->val;
    return NULL;
}

/* libpq quotes what it cannot read, and that may be a password: its messages about an address are
 * not passed on. */
static bool read_address(const char *address, struct arena *a, const char **shown, struct error *e)
{
    PQconninfoOption *options = PQconninfoParse(address, NULL);
    struct pg_address read = { .text = address };
    bool good;

    if (options)
        read = (struct pg_address){ address,
                                    option(options, "user"),
                                    option(options, "password"),
                                    option(options, "host"),
                                    option(options, "port"),
                                    option(options, "dbname") };
    good = options && pg_address_is_clear(&read);
    if (good)
        *shown = pg_address_shown(&read, a);
    PQconninfoFree(options);
    return good || error_set(e, CODE_IO,
                             "the ledger's address cannot be read, allowed "
                             "postgres://user:password@host:port/database?option=value, with "
                             "%%40, %%3A and %%2F for @, : and / in a password or a name");
}

bool pg_open(const char *address, const struct pg_book *book, struct arena *a,
             struct postgres **out, struct error *e)
{
    /* Before dbname: what the address may say otherwise. After it: what it may not. */
    static const char *const names[] = { "fallback_application_name",
                                         "connect_timeout",
                                         "keepalives_idle",
                                         "keepalives_interval",
                                         "keepalives_count",
                                         "tcp_user_timeout",
                                         "dbname",
                                         "client_encoding",
                                         NULL };
    const char *const values[] = { "writ", "10", "30", "10", "3", "60000", address, "UTF8", NULL };
    struct postgres *pg = arena_new(a, struct postgres);

    assert(book->count <= PG_STATEMENTS);
    if (!read_address(address, a, &pg->shown, e))
        return false;
    pg->book = book;
    pg->conn = PQconnectdbParams(names, values, 1);
    if (PQstatus(pg->conn) != CONNECTION_OK) {
        (void)fail_by_connection(pg, e);
        pg_close(pg);
        return false;
    }
    (void)PQsetNoticeReceiver(pg->conn, hear, pg);
    (void)PQsetnonblocking(pg->conn, 1);
    *out = pg;
    return true;
}

void pg_bound(struct postgres *pg, const struct world *world, int64_t answer_ms)
{
    pg->world = world;
    pg->answer_ms = answer_ms;
}

void pg_unbound(struct postgres *pg)
{
    pg->world = NULL;
}

void pg_close(struct postgres *pg)
{
    PQfinish(pg->conn);
    pg->conn = NULL;
}

bool pg_is_lost(const struct postgres *pg)
{
    return pg->lost || PQstatus(pg->conn) != CONNECTION_OK;
}

void pg_lose(struct postgres *pg)
{
    pg->lost = true;
}

bool pg_open_again(struct postgres *pg, struct error *e)
{
    memset(pg->prepared, 0, sizeof pg->prepared);
    pg->queued = 0;
    pg->lost = pg->silent = pg->flooded = false;
    PQreset(pg->conn);
    (void)PQsetnonblocking(pg->conn, 1);
    return !pg_is_lost(pg) || fail_by_connection(pg, e);
}

const char *pg_shown(const struct postgres *pg)
{
    return pg->shown;
}

void pg_show_schema(struct postgres *pg, const char *schema, struct arena *a)
{
    pg->shown =
        arena_printf(a, "%s%cschema=%s", pg->shown, strchr(pg->shown, '?') ? '&' : '?', schema);
}

bool pg_must_end(const struct postgres *pg)
{
    PGTransactionStatusType status = PQtransactionStatus(pg->conn);

    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool pg_goes_well(const struct postgres *pg)
{
    /* What is queued after a fault fails, too: then nothing behind it is run. */
    return pg->queued > 0 || PQtransactionStatus(pg->conn) == PQTRANS_INTRANS;
}

/* ---- waiting ---- */

/* All that is allocated, by whomever: libpq keeps an answer until it is whole, and tells nobody. */
static int64_t memory_used(void)
{
    struct mallinfo2 m = mallinfo2();

    return (int64_t)(m.uordblks + m.hblkhd);
}

/* Sends what is queued and, where an answer is wanted, waits for one. False: the connection was
 * lost, or the server took too long, which loses it. */
static bool await(struct postgres *pg, bool answer)
{
    const struct world *w = pg->world;
    int64_t began = w ? w->mono_ms(w->self) : 0, until = began + pg->answer_ms;
    int64_t had = memory_used();
    unsigned pieces = 0;

    while (!pg_is_lost(pg)) {
        int unsent = PQflush(pg->conn), ready;
        short events = (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN);
        struct pollfd fd = { PQsocket(pg->conn), events, 0 };

        if (unsent <= 0 && (!answer || !PQisBusy(pg->conn)))
            return true;
        ready = poll(&fd, 1, w ? poll_ms(until - w->mono_ms(w->self)) : -1);
        if (ready < 0 && errno != EINTR)
            return false;
        pg->silent =
            ready == 0 || (w && w->mono_ms(w->self) - began > ANSWER_TIMES * pg->answer_ms);
        pg->flooded = ++pieces % LOOK_EACH == 0 && memory_used() - had > ANSWER_MOST;
        pg->lost = pg->lost || pg->silent || pg->flooded;
        if (pg->lost)
            return false;
        if (ready > 0 && fd.revents & ~POLLOUT && !PQconsumeInput(pg->conn))
            return true; /* libpq's next result tells why */
    }
    return false;
}

static bool is_copy(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

/* NULL: there is no further one, or the connection was lost. */
static PGresult *next_result(struct postgres *pg)
{
    return await(pg, true) ? PQgetResult(pg->conn) : NULL;
}

/* The last result of a text of SQL. Behind the beginning of a COPY libpq would tell of it for ever.
 */
static PGresult *execute(struct postgres *pg, const char *sql)
{
    PGresult *last = NULL, *result;

    if (pg_is_lost(pg) || !PQsendQuery(pg->conn, sql))
        return NULL;
    while (!is_copy(last) && (result = next_result(pg))) {
        PQclear(last);
        last = result;
    }
    return last;
}

/* A stream of rows that nothing asked for cannot be ended in good order. */
static bool strays(struct postgres *pg, const PGresult *result, struct error *e)
{
    if (!is_copy(result))
        return false;
    pg->lost = true;
    (void)error_set(e, CODE_IO, "%s: the server's answer does not belong to the question",
                    pg->shown);
    return true;
}

/* ---- rows ---- */

void pg_rows_free(struct pg_rows *rows)
{
    PQclear(rows->result);
    *rows = (struct pg_rows){ 0 };
}

bool pg_null(const struct pg_rows *rows, int row, int column)
{
    return PQgetisnull(rows->result, row, column);
}

int64_t pg_int(const struct pg_rows *rows, int row, int column)
{
    const uint8_t *at = (const uint8_t *)PQgetvalue(rows->result, row, column);
    int n = PQgetlength(rows->result, row, column);
    uint64_t v = n && at[0] & 0x80 ? UINT64_MAX : 0;

    for (int i = 0; i < n; i++)
        v = v << 8 | at[i];
    return (int64_t)v;
}

struct str pg_bytes(const struct pg_rows *rows, int row, int column)
{
    return (struct str){ PQgetvalue(rows->result, row, column),
                         (size_t)PQgetlength(rows->result, row, column) };
}

void pg_copy(const struct pg_rows *rows, int row, int column, void *to, size_t n)
{
    struct str bytes = pg_bytes(rows, row, column);

    if (bytes.n == n)
        memcpy(to, bytes.s, n);
    else
        memset(to, 0, n);
}

/* How many rows a statement touched; the server's word, so at most INT_MAX. */
static int touched(PGresult *result)
{
    int64_t count = 0;

    for (const char *c = PQcmdTuples(result); *c && count <= INT_MAX; c++)
        count = 10 * count + (*c - '0');
    return count > INT_MAX ? INT_MAX : (int)count;
}

static void keep(struct pg_rows *rows, PGresult *result)
{
    pg_rows_free(rows);
    rows->result = result;
    rows->count = PQntuples(result);
    if (PQresultStatus(result) == PGRES_COMMAND_OK)
        rows->count = touched(result);
}

/* ---- statements ---- */

static void enqueue(struct postgres *pg, int statement, bool prepares)
{
    assert(pg->queued < 2 * PG_QUEUE);
    pg->queue[pg->queued++] = (struct queued){ statement, prepares };
}

static const char *name_of(int statement, char name[2])
{
    name[0] = (char)('0' + statement);
    name[1] = '\0';
    return name;
}

static bool prepare(struct postgres *pg, int statement, const Oid *types, int n)
{
    char name[2];

    if (pg->prepared[statement])
        return true;
    for (int i = 0; i < pg->queued; i++)
        if (pg->queue[i].statement == statement)
            return true; /* on its way */
    if (!PQsendPrepare(pg->conn, name_of(statement, name), pg->book->sql[statement], n, types))
        return false;
    enqueue(pg, statement, true);
    return true;
}

bool pg_send(struct postgres *pg, int statement, const struct pg_value *values, int n,
             struct error *e)
{
    const char *bytes[PG_VALUES];
    int lengths[PG_VALUES], formats[PG_VALUES];
    Oid types[PG_VALUES];
    char name[2];

    assert(n <= PG_VALUES && statement < pg->book->count);
    for (int i = 0; i < n; i++) {
        if (values[i].bytes.n > PG_BUFFER_MAX)
            return error_set(e, CODE_IO, "%s: more at once than PostgreSQL takes", pg->shown);
        types[i] = values[i].type;
        bytes[i] = values[i].bytes.s ? values[i].bytes.s : "";
        lengths[i] = (int)values[i].bytes.n;
        formats[i] = 1;
    }
    if (pg_is_lost(pg))
        return fail(pg, NULL, e);
    if (pg->queued > PG_QUEUE && !pg_wait(pg, NULL, e))
        return false;
    if (pg->queued == 0 && !PQenterPipelineMode(pg->conn))
        return fail_by_connection(pg, e);
    if (!prepare(pg, statement, types, n) ||
        !PQsendQueryPrepared(pg->conn, name_of(statement, name), n, bytes, lengths, formats, 1))
        return fail_by_connection(pg, e);
    enqueue(pg, statement, false);
    return true;
}

static bool went_well(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* Reads up to the NULL that ends a result. */
static void drain(struct postgres *pg)
{
    struct error unheard;
    PGresult *result;

    while ((result = next_result(pg))) {
        (void)strays(pg, result, &unheard);
        PQclear(result);
    }
}

/* libpq's own word, and no server's: the connection has ended, though its status may not say so
 * yet. A server that went down in haste has left a warning to be read, and takes no more questions.
 */
static bool is_end(const PGresult *result)
{
    return PQresultStatus(result) == PGRES_FATAL_ERROR &&
           !PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/* One queued thing's result, and the NULL behind it. After a fault the server skips the rest. */
static bool receive(struct postgres *pg, const struct queued *of, struct pg_rows *rows,
                    struct error *e)
{
    PGresult *result = next_result(pg);
    bool good = went_well(result);

    if (!result)
        return fail_by_connection(pg, e);
    pg->lost = pg->lost || is_end(result);
    if (!good && !strays(pg, result, e))
        (void)fail_by_result(pg, result, e);
    else if (of->prepares)
        pg->prepared[of->statement] = true;
    if (good && rows && !of->prepares)
        keep(rows, result);
    else
        PQclear(result);
    drain(pg);
    return good;
}

bool pg_wait(struct postgres *pg, struct pg_rows *rows, struct error *e)
{
    struct error rest;
    bool good = PQpipelineSync(pg->conn) || fail_by_connection(pg, e);

    for (int i = 0; i < pg->queued; i++)
        good &= receive(pg, &pg->queue[i], rows, good ? e : &rest);
    pg->queued = 0;
    PQclear(next_result(pg)); /* of the sync */
    if (!pg_is_lost(pg) && PQexitPipelineMode(pg->conn))
        return good;
    return good ? fail_by_connection(pg, e) : false;
}

bool pg_settle(struct postgres *pg, struct error *e)
{
    return pg->queued == 0 || pg_wait(pg, NULL, e);
}

bool pg_ask(struct postgres *pg, int statement, const struct pg_value *values, int n,
            struct pg_rows *rows, struct error *e)
{
    return pg_send(pg, statement, values, n, e) && pg_wait(pg, rows, e);
}

bool pg_script(struct postgres *pg, const char *sql, struct error *e)
{
    PGresult *result;
    bool good;

    if (!pg_settle(pg, e))
        return false;
    result = execute(pg, sql);
    pg->lost = pg->lost || is_end(result);
    good = went_well(result) || (!strays(pg, result, e) && fail_by_result(pg, result, e));
    PQclear(result);
    return good;
}

bool pg_order(struct postgres *pg, const char *sql, struct error *e)
{
    pg->warning = (struct error){ 0 };
    if (!pg_script(pg, sql, e))
        return false;
    if (pg->warning.code)
        *e = pg->warning;
    return !pg->warning.code;
}

/* ---- streams ---- */

bool pg_stream_begin(struct postgres *pg, const char *sql, struct buf *rows, struct error *e)
{
    static const char head[19] = "PGCOPY\n\377\r\n"; /* and NULs: no flags, no extension */
    PGresult *result;
    bool good;

    if (!pg_settle(pg, e))
        return false;
    result = execute(pg, sql);
    good = PQresultStatus(result) == PGRES_COPY_IN ||
           (!strays(pg, result, e) && fail_by_result(pg, result, e));
    PQclear(result);
    buf_reset(rows);
    buf_add(rows, head, sizeof head);
    return good;
}

bool pg_stream_add(struct postgres *pg, struct buf *rows, struct error *e)
{
    if (!buf_ok(rows)) {
        (void)PQputCopyEnd(pg->conn, "too large");
        drain(pg);
        return error_set(e, CODE_IO, "%s: more at once than PostgreSQL takes", pg->shown);
    }
    if (PQputCopyData(pg->conn, rows->s, (int)rows->len) != 1 || !await(pg, false))
        return fail_by_connection(pg, e);
    buf_reset(rows);
    return true;
}

bool pg_stream_end(struct postgres *pg, struct buf *rows, int64_t *taken, struct error *e)
{
    PGresult *result;
    bool good;

    buf_add(rows, "\377\377", 2); /* no more rows */
    if (!pg_stream_add(pg, rows, e))
        return false;
    if (PQputCopyEnd(pg->conn, NULL) != 1)
        return fail_by_connection(pg, e);
    result = next_result(pg);
    good = went_well(result) || (!strays(pg, result, e) && fail_by_result(pg, result, e));
    *taken = good ? touched(result) : 0;
    PQclear(result);
    drain(pg);
    return good;
}
