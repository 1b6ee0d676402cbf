/* SPDX-License-Identifier: Apache-2.0 */
/* postgres.h: a connection to PostgreSQL: numbered statements, binary values, whole answers.
 *
 * Statements are queued by pg_send() and travel together: pg_wait() sends them, waits once and
 * tells of the first that failed. Each is prepared the first time it is used, in the same round
 * trip. A message names the address as pg_shown() does, which leaves the password out. A
 * connection that was lost stays lost: all that is asked of it from then on fails, until
 * pg_open_again().
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

struct postgres;
struct world;

/* The numbers PostgreSQL gives its types, for all time. */
enum pg_type {
    PG_BYTES = 17,
    PG_INT = 20,
    PG_TEXT = 25,
    PG_UUID = 2950,
    PG_BYTES_LIST = 1001,
    PG_TEXT_LIST = 1009,
    PG_INT_LIST = 1016,
    PG_UUID_LIST = 2951,
};

/* A value in PostgreSQL's binary form. */
struct pg_value {
    enum pg_type type;
    struct str bytes;
};

/* The texts of all statements, and how many there are, at most PG_STATEMENTS. */
struct pg_book {
    const char *const *sql;
    int count;
};

enum { PG_STATEMENTS = 64, PG_QUEUE = 8, PG_VALUES = 10, PG_BUFFER_MAX = 1 << 30 };

/* Connects. The address is libpq's (postgres://..). The book is lent for the connection's life. */
bool pg_open(const char *address, const struct pg_book *book, struct arena *a,
             struct postgres **out, struct error *e) NODISCARD;
void pg_close(struct postgres *pg);

/* From now on the server may take so long for an answer; then the connection is lost. Before that,
 * and after pg_unbound(), it may take any time. */
void pg_bound(struct postgres *pg, const struct world *world, int64_t answer_ms);
void pg_unbound(struct postgres *pg);

/* Was it lost, or given up by pg_lose()? */
bool pg_is_lost(const struct postgres *pg);
void pg_lose(struct postgres *pg);

/* A new connection in the place of one that was lost. It has nothing of the old one's: no settings,
 * no statements, no transaction, no locks. */
bool pg_open_again(struct postgres *pg, struct error *e) NODISCARD;
const char *pg_shown(const struct postgres *pg);

/* From now on it is shown with the schema in which it works. */
void pg_show_schema(struct postgres *pg, const char *schema, struct arena *a);

/* Is there a transaction; is there one in which nothing has failed that the next wait would not
 * tell of? */
bool pg_must_end(const struct postgres *pg);
bool pg_goes_well(const struct postgres *pg);

/* What came back. */
struct pg_rows {
    void *result; /* libpq's */
    int count;    /* of rows, or of rows that were changed */
};

void pg_rows_free(struct pg_rows *rows);
#define _rows_ _cleanup_(pg_rows_free)

bool pg_null(const struct pg_rows *rows, int row, int column);
int64_t pg_int(const struct pg_rows *rows, int row, int column);      /* 1, 2, 4 or 8 bytes */
struct str pg_bytes(const struct pg_rows *rows, int row, int column); /* lent by the rows */

/* Copies exactly n bytes; zeroes, where the value has another length. */
void pg_copy(const struct pg_rows *rows, int row, int column, void *to, size_t n);

/* rows: of the last statement that was queued; NULL: not of interest. */
bool pg_send(struct postgres *pg, int statement, const struct pg_value *values, int n,
             struct error *e) NODISCARD;
bool pg_wait(struct postgres *pg, struct pg_rows *rows, struct error *e) NODISCARD;

/* Waits for what is queued, if anything is. */
bool pg_settle(struct postgres *pg, struct error *e) NODISCARD;

/* Queues it and waits. */
bool pg_ask(struct postgres *pg, int statement, const struct pg_value *values, int n,
            struct pg_rows *rows, struct error *e) NODISCARD;

/* SQL without values, alone: several statements, none of which answers with rows. */
bool pg_script(struct postgres *pg, const char *sql, struct error *e) NODISCARD;

/* The same, where the server may leave it undone with a mere warning: that fails, too. */
bool pg_order(struct postgres *pg, const char *sql, struct error *e) NODISCARD;

/* COPY .. FROM STDIN (FORMAT binary). add() sends what `rows` holds and empties it; end() tells how
 * many rows were taken. */
bool pg_stream_begin(struct postgres *pg, const char *sql, struct buf *rows,
                     struct error *e) NODISCARD;
bool pg_stream_add(struct postgres *pg, struct buf *rows, struct error *e) NODISCARD;
bool pg_stream_end(struct postgres *pg, struct buf *rows, int64_t *taken,
                   struct error *e) NODISCARD;

/* ---- writing binary values ---- */

/* The type of a list of such items. */
enum pg_type pg_list_of(enum pg_type item);

/* A list's head; its items, or a row's fields, then follow by put_int() and put_bytes(). */
void pg_put_list(struct buf *to, enum pg_type of, size_t n);
void pg_put_row(struct buf *to, int fields);
void pg_put_int(struct buf *to, int64_t v);   /* of a bigint */
void pg_put_small(struct buf *to, int16_t v); /* of a smallint */
void pg_put_bytes(struct buf *to, const void *bytes, size_t n);
void pg_put_null(struct buf *to);

/* A single value; `room` has to live as long as it is used. */
struct pg_value pg_number(int64_t v, uint8_t room[8]);
