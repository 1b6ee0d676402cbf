/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.h: SQLite, as far as a ledger needs it. The only file behind it knows the library.
 *
 * A connection has a table of texts; each is prepared when it is first asked for and kept. Binding
 * never fails on its own: what went wrong is told by the next step. Every message names the file.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/world.h"

struct sqlite3;
struct sqlite3_stmt;
struct sqlite;

enum { SQLITE_TEXTS = 48, SQLITE_SPARES = 8, SQLITE_BUSY_SECONDS = 60 };

/* Of a log that has grown longer, the rest is cut off when it begins anew. */
enum { SQLITE_LOG_KEPT = 8 << 20 };

/* Frames of a commit that is small, and small commits after which more are expected. */
enum { SQLITE_FEW = 16 };

/* A statement, ready to be bound and stepped. */
struct query {
    struct sqlite *db;
    struct sqlite3_stmt *stmt;
    int bad;   /* what a bind came to */
    bool busy; /* somebody steps through it */
    bool once; /* a spare one: not kept when done */
};

struct sqlite {
    struct sqlite3 *db;
    const char *path;          /* as the user calls it */
    const struct world *world; /* for the chance in waiting */
    const int *cancel;         /* nobody wants to wait any more; or NULL */
    bool called_off;           /* so it was */
    int64_t waited_us;
    int frames;   /* in the WAL, as far as this connection knows */
    int small;    /* commits of few frames, one after the other */
    int log;      /* the WAL, for syncing; 0: not opened yet */
    bool new_log; /* opened to write, it found no WAL */
    const char *const *texts;
    struct query query[SQLITE_TEXTS], spare[SQLITE_SPARES];
};

struct sqlite_open {
    const char *path;
    bool write;
    bool few;   /* 1 MB of pages is enough; else 16 */
    bool still; /* nobody writes to it: needs neither locks nor files beside it */
    const struct world *world;
    const int *cancel;
    const char *const *texts;
};

/* Opens a file that is there; e->sys is ENOENT when there is none. Nothing is read yet. */
bool sqlite_open(struct sqlite *db, const struct sqlite_open *how, struct error *e) NODISCARD;
void sqlite_close(struct sqlite *db);

/* What is bad about a file, told apart: its library's own words are for its programmers. */
bool sqlite_is_foreign(const struct sqlite *db); /* the last error: no database, or not ours */

/* The last error: its files can neither be made nor locked here. */
bool sqlite_is_shut(const struct sqlite *db);

/* Statements without rows and without values. */
bool sqlite_run(struct sqlite *db, const char *sql, struct error *e) NODISCARD;

bool sqlite_can_write(const struct sqlite *db);
bool sqlite_in_transaction(const struct sqlite *db);
void sqlite_leave(struct sqlite *db); /* takes back what it did, if there is one */

/* The log that is held for syncing has grown longer than what is kept of one. */
bool sqlite_log_is_long(const struct sqlite *db);

/* Makes the log longer before it has to be, if commits are many and small. Only for who holds the
 * writer's lock: nobody else writes to the log meanwhile. */
void sqlite_log_prolong(struct sqlite *db);

/* The file is not any more where it was opened. */
bool sqlite_moved(struct sqlite *db);

/* Not all is in the file: there is a log that is not empty, or a journal that somebody left. */
bool sqlite_has_more(const struct sqlite *db);

/* What SQLite asks where others have locked the file, the struct sqlite as `self`: 0 is no more
 * patience. */
int sqlite_wait_turn(void *self, int tries);

/* Can the files be made that SQLite needs beside it? Of those it says no more than that they are
 * not there. True as well where that is not what keeps it from being opened. */
bool sqlite_can_make_beside(const struct sqlite *db, struct error *e) NODISCARD;

/* Where SQLite has the WAL: beside the file itself, wherever a link to it is. */
const char *sqlite_log_path(const struct sqlite *db);
const char *sqlite_journal_path(const struct sqlite *db); /* what it has in other modes */

/* Remembers which file the WAL is, once something was read. A file that was taken out of WAL mode
 * is brought back to it. */
bool sqlite_keep_log(struct sqlite *db, struct error *e) NODISCARD;

/* Until the disk has what was committed. Others may go on meanwhile: it needs no lock. Fails where
 * the WAL is not any more where it was opened. */
bool sqlite_sync(struct sqlite *db, struct error *e) NODISCARD;

/* Pages that are freed are overwritten from now on, or no longer. */
void sqlite_wipe(struct sqlite *db, bool on);

/* Moves what is in the WAL into the file, as far as nobody is in the way. */
void sqlite_checkpoint(struct sqlite *db);

/* Rows that the last statement has added, changed or removed itself. */
int64_t sqlite_changed(const struct sqlite *db);

/* The same, and begins the WAL anew with a statement that changes nothing, so that the next process
 * to open it finds it short. Does nothing where somebody is in the way. */
void sqlite_checkpoint_leave(struct sqlite *db, const char *touch);

/* The same, waits until nobody is in the way, and leaves no byte in the WAL. */
bool sqlite_checkpoint_empty(struct sqlite *db, struct error *e) NODISCARD;

/* The statement of a text, by its number. A statement that is being stepped through is lent a
 * second time as a copy. query_done() when no more rows are wanted; after a false it was done. */
bool sqlite_query(struct sqlite *db, int text, struct query **out, struct error *e) NODISCARD;
void query_int(struct query *q, int at, int64_t v); /* counted from 1 */
void query_text(struct query *q, int at, struct str text);
void query_blob(struct query *q, int at, const void *bytes, size_t n);
void query_null(struct query *q, int at);
bool query_step(struct query *q, bool *row, struct error *e) NODISCARD;
bool query_run(struct query *q, struct error *e) NODISCARD; /* to its end, and done */
void query_done(struct query *q);

/* Columns, counted from 0; they live until the next step. Text ends with a NUL. */
int64_t column_int(struct query *q, int at);
struct str column_text(struct query *q, int at);
struct str column_blob(struct query *q, int at);
bool column_is_null(struct query *q, int at);

/* Where a column goes: i integer (int64_t), t text, b blob (struct str); T and B: or NULL, which
 * has s NULL. */
struct column_place {
    char type;
    size_t at; /* offset */
};

/* Reads the first n columns. False when one is of another type: what could be read of it then is a
 * conversion, and comparisons in SQL see something else. */
bool columns_read(struct query *q, const struct column_place *places, size_t n,
                  void *out) NODISCARD;

/* Copies n bytes; false when the blob has another length. */
bool column_bytes(struct query *q, int at, void *out, size_t n) NODISCARD;
