/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c: SQLite behind a few plain functions, and its errors in words. */
#include "ledger/sqlite.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "contract/codes.h"
#include "ledger/sqlite_fork.h"

/* ---- errors ---- */

static bool fail_system(struct sqlite *db, const char *what, struct error *e)
{
    int sys = sqlite3_system_errno(db->db);

    if (sys == 0)
        return error_set(e, CODE_IO, "'%s' %s: %s", db->path, what, sqlite3_errmsg(db->db));
    errno = sys;
    return error_sys(e, CODE_IO, "'%s' %s", db->path, what);
}

/* Of a write that was cut short SQLite does not know why. */
static bool fail_transfer(struct sqlite *db, struct error *e)
{
    int sys = sqlite3_system_errno(db->db);
    struct rlimit size = { .rlim_cur = RLIM_INFINITY };

    if (sys == 0 || sys == EFBIG)
        (void)getrlimit(RLIMIT_FSIZE, &size);
    if (size.rlim_cur == RLIM_INFINITY)
        return fail_system(db, "cannot be read or written", e);
    return error_set(
        e, CODE_IO,
        "'%s' cannot be written: no file may be longer than %llu bytes here (ulimit -f)", db->path,
        (unsigned long long)size.rlim_cur);
}

static bool fail(struct sqlite *db, int rc, struct error *e)
{
    if (rc == SQLITE_IOERR_SHORT_READ)
        return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is damaged: its end is missing", db->path);
    switch (rc & 0xff) {
    case SQLITE_FULL: return error_set(e, CODE_IO, "'%s' cannot grow: the disk is full", db->path);
    case SQLITE_READONLY:
        return error_set(e, CODE_IO, "'%s' cannot be written: it or its directory is read-only",
                         db->path);
    case SQLITE_BUSY:
        if (db->called_off)
            return error_set(e, CODE_EXECUTION_HALTED,
                             "'%s' is busy, and was waited for until that was called off; fuser or "
                             "lsof names who has it open",
                             db->path);
        return error_set(e, CODE_IO,
                         "'%s' is busy: others have kept it for %d seconds; fuser or lsof names "
                         "who has it open: wait until they are done, or end them",
                         db->path, SQLITE_BUSY_SECONDS);
    case SQLITE_NOTADB: return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is not a ledger", db->path);
    case SQLITE_CORRUPT:
        return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is damaged: %s", db->path,
                         sqlite3_errmsg(db->db));
    case SQLITE_CANTOPEN:
        return sqlite_can_make_beside(db, e) && fail_system(db, "cannot be opened", e);
    case SQLITE_IOERR: return fail_transfer(db, e);
    case SQLITE_NOMEM: mem_end();
    default: return error_set(e, CODE_IO, "'%s': %s", db->path, sqlite3_errmsg(db->db));
    }
}

bool sqlite_is_foreign(const struct sqlite *db)
{
    int rc = sqlite3_errcode(db->db);

    return rc == SQLITE_NOTADB || rc == SQLITE_ERROR;
}

bool sqlite_is_shut(const struct sqlite *db)
{
    int rc = sqlite3_errcode(db->db) & 0xff;

    return rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY;
}

/* ---- the process ---- */

/* They guard what SQLite has for all of it. */
static const int guards[] = { SQLITE_MUTEX_STATIC_OPEN, SQLITE_MUTEX_STATIC_VFS1,
                              SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MAIN,
                              SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_PMEM,
                              SQLITE_MUTEX_STATIC_MEM };

static void begin(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* counting costs; refused when too late */
    (void)sqlite3_initialize();
}

static bool take(size_t guard)
{
    return sqlite3_mutex_try(sqlite3_mutex_alloc(guards[guard])) == SQLITE_OK;
}

static void give(size_t guard)
{
    sqlite3_mutex_leave(sqlite3_mutex_alloc(guards[guard]));
}

static void know(int (*fstat)(int fd, struct stat *s))
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");

    if (vfs && vfs->iVersion >= 3 && vfs->xSetSystemCall)
        (void)vfs->xSetSystemCall(vfs, "fstat", (sqlite3_syscall_ptr)fstat);
}

static const struct sqlite_hands hands = { COUNT(guards), begin, take, give, know };

/* ---- opening ---- */

static int count_frames(void *self, sqlite3 *connection, const char *name, int frames)
{
    struct sqlite *db = self;

    (void)connection, (void)name;
    db->small = frames - db->frames <= SQLITE_FEW ? db->small + 1 : 0;
    db->frames = frames;
    return SQLITE_OK;
}

/* A path that SQLite takes for a path, whatever it looks like. */
static void plain_path(const char *path, bool still, struct buf *to)
{
    if (still)
        buf_adds(to, "file:");
    if (path[0] != '/')
        buf_adds(to, "./");
    for (const char *p = path; *p; p++) {
        if (still && is_one_of(*p, "%?#"))
            buf_addf(to, "%%%02x", (unsigned)*p);
        else
            buf_addc(to, *p);
    }
    if (still)
        buf_adds(to, "?immutable=1");
}

/* synchronous=NORMAL writes without waiting for the disk; sqlite_sync() waits. FAST: rows that move
 * leave no copy of themselves, but a page that is freed is not written for that alone. */
static const char writing[] = "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST;";
static const char *const pages[] = { "PRAGMA cache_size = -16384", "PRAGMA cache_size = -1024" };

static bool settle(struct sqlite *db, const struct sqlite_open *how, struct error *e)
{
    (void)sqlite3_extended_result_codes(db->db, 1);
    (void)sqlite3_busy_handler(db->db, sqlite_wait_turn, db);
    (void)sqlite3_wal_hook(db->db, count_frames, db);
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return !how->write || (sqlite_run(db, writing, e) && sqlite_run(db, pages[how->few], e));
}

const char *sqlite_log_path(const struct sqlite *db)
{
    return sqlite3_filename_wal(sqlite3_db_filename(db->db, "main"));
}

const char *sqlite_journal_path(const struct sqlite *db)
{
    return sqlite3_filename_journal(sqlite3_db_filename(db->db, "main"));
}

/* Nobody can wait at a pipe for a ledger; SQLite would, for somebody to open its other end. And it
 * names the log after the file: a file of two names would have two logs, and two histories. */
static bool suits(const struct sqlite_open *how, struct error *e)
{
    struct stat s;

    if (stat(how->path, &s) != 0)
        return true; /* SQLite tells */
    if (S_ISFIFO(s.st_mode))
        return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is not a ledger", how->path);
    if (how->write && S_ISREG(s.st_mode) && s.st_nlink > 1)
        return error_set(e, CODE_IO,
                         "'%s' has %lu names (hard links), and what is written by one of them "
                         "would be lost to the others: leave it one, or link to it by ln -s",
                         how->path, (unsigned long)s.st_nlink);
    return true;
}

bool sqlite_open(struct sqlite *db, const struct sqlite_open *how, struct error *e)
{
    int flags = SQLITE_OPEN_NOMUTEX | (how->still ? SQLITE_OPEN_URI : 0) |
                (how->write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    _buf_ struct buf path = { .max = 64 << 10 };
    int rc;

    *db = (struct sqlite){
        .path = how->path, .world = how->world, .cancel = how->cancel, .texts = how->texts
    };
    plain_path(how->path, how->still, &path);
    if (!buf_ok(&path))
        return error_set(e, CODE_IO, "a path of more than %zu bytes", path.max);
    if (!suits(how, e))
        return false;
    sqlite_fork_enter(&hands);
    rc = sqlite3_open_v2(path.s, &db->db, flags, NULL);
    sqlite_fork_leave(&hands);
    if (!db->db)
        mem_end();
    if (rc == SQLITE_OK && how->write)
        db->new_log = access(sqlite_log_path(db), F_OK) != 0; /* asked before settling makes one */
    if (rc == SQLITE_OK && settle(db, how, e))
        return true;
    if (rc != SQLITE_OK)
        (void)fail(db, rc, e);
    (void)sqlite3_close(db->db);
    db->db = NULL;
    return false;
}

void sqlite_close(struct sqlite *db)
{
    for (size_t i = 0; i < SQLITE_TEXTS; i++)
        (void)sqlite3_finalize(db->query[i].stmt);
    (void)sqlite3_close(db->db);
    if (db->log > 0)
        (void)close(db->log);
    *db = (struct sqlite){ 0 };
}

/* ---- the connection ---- */

bool sqlite_run(struct sqlite *db, const char *sql, struct error *e)
{
    int rc = sqlite3_exec(db->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK || fail(db, rc, e);
}

bool sqlite_can_write(const struct sqlite *db)
{
    return sqlite3_db_readonly(db->db, "main") == 0;
}

bool sqlite_in_transaction(const struct sqlite *db)
{
    return !sqlite3_get_autocommit(db->db);
}

void sqlite_leave(struct sqlite *db)
{
    if (sqlite_in_transaction(db))
        (void)sqlite3_exec(db->db, "ROLLBACK", NULL, NULL, NULL);
}

bool sqlite_moved(struct sqlite *db)
{
    int moved = 0;

    (void)sqlite3_file_control(db->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved;
}

void sqlite_wipe(struct sqlite *db, bool on)
{
    (void)sqlite3_exec(db->db, on ? "PRAGMA secure_delete = ON" : "PRAGMA secure_delete = FAST",
                       NULL, NULL, NULL);
}

void sqlite_checkpoint(struct sqlite *db)
{
    int all = 0, done = 0;

    (void)sqlite3_wal_checkpoint_v2(db->db, "main", SQLITE_CHECKPOINT_PASSIVE, &all, &done);
    db->frames = 0; /* counted again from the next commit on */
}

int64_t sqlite_changed(const struct sqlite *db)
{
    return sqlite3_changes64(db->db);
}

/* That a log begins anew is known to those who are there; for those who come when nobody is, it has
 * to be written. To truncate it would do that as well, but a file that grows again is slower to
 * sync than one that has its length; of one that has grown very long, the beginning is kept. */
void sqlite_checkpoint_leave(struct sqlite *db, const char *touch)
{
    char keep[64];

    (void)snprintf(keep, sizeof keep, "PRAGMA journal_size_limit = %d", SQLITE_LOG_KEPT);
    (void)sqlite3_busy_handler(db->db, NULL, NULL);
    (void)sqlite3_exec(db->db, keep, NULL, NULL, NULL);
    if (sqlite3_wal_checkpoint_v2(db->db, "main", SQLITE_CHECKPOINT_RESTART, NULL, NULL) ==
        SQLITE_OK)
        (void)sqlite3_exec(db->db, touch, NULL, NULL, NULL);
    (void)sqlite3_busy_handler(db->db, sqlite_wait_turn, db);
}

/* For another checkpoint SQLite itself does not wait, only for readers and writers. */
bool sqlite_checkpoint_empty(struct sqlite *db, struct error *e)
{
    int64_t waited_us = 0;
    int rc;

    for (int tries = 0;; tries++) {
        db->waited_us = 0;
        rc = sqlite3_wal_checkpoint_v2(db->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        waited_us += db->waited_us;
        if ((rc & 0xff) != SQLITE_BUSY || waited_us >= (int64_t)SQLITE_BUSY_SECONDS * 1000000)
            break;
        db->waited_us = 0;
        if (!sqlite_wait_turn(db, tries))
            break; /* it was called off */
        waited_us += db->waited_us;
    }
    db->frames = 0;
    return rc == SQLITE_OK || fail(db, rc, e);
}

/* ---- statements ---- */

/* The texts are right: where one does not fit, the tables are not those it was written for. */
static bool prepare(struct sqlite *db, int text, struct query *q, struct error *e)
{
    unsigned flags = q->once ? 0 : SQLITE_PREPARE_PERSISTENT;
    int rc = sqlite3_prepare_v3(db->db, db->texts[text], -1, flags, &q->stmt, NULL);

    q->db = db;
    return rc == SQLITE_OK || fail(db, rc == SQLITE_ERROR ? SQLITE_CORRUPT : rc, e);
}

static bool lend_copy(struct sqlite *db, int text, struct query **out, struct error *e)
{
    for (size_t i = 0; i < SQLITE_SPARES; i++) {
        struct query *q = &db->spare[i];

        if (q->stmt)
            continue;
        q->once = true;
        if (!prepare(db, text, q, e))
            return false;
        *out = q;
        return true;
    }
    return error_set(e, CODE_IO, "'%s' is read in %d ways at once", db->path, SQLITE_SPARES + 1);
}

bool sqlite_query(struct sqlite *db, int text, struct query **out, struct error *e)
{
    struct query *q = &db->query[text];

    if (q->busy)
        return lend_copy(db, text, out, e);
    if (!q->stmt && !prepare(db, text, q, e))
        return false;
    q->busy = true;
    *out = q;
    return true;
}

static void note(struct query *q, int rc)
{
    if (rc != SQLITE_OK && q->bad == SQLITE_OK)
        q->bad = rc;
}

void query_int(struct query *q, int at, int64_t v)
{
    note(q, sqlite3_bind_int64(q->stmt, at, v));
}

/* Bound bytes are the caller's until the query is done: nothing is copied. */
void query_text(struct query *q, int at, struct str text)
{
    note(q, sqlite3_bind_text64(q->stmt, at, text.s ? text.s : "", text.n, SQLITE_STATIC,
                                SQLITE_UTF8));
}

void query_blob(struct query *q, int at, const void *bytes, size_t n)
{
    note(q, sqlite3_bind_blob64(q->stmt, at, n ? bytes : "", n, SQLITE_STATIC));
}

void query_null(struct query *q, int at)
{
    note(q, sqlite3_bind_null(q->stmt, at));
}

bool query_step(struct query *q, bool *row, struct error *e)
{
    int rc = q->bad != SQLITE_OK ? q->bad : sqlite3_step(q->stmt);

    if (rc == SQLITE_ROW || rc == SQLITE_DONE) {
        *row = rc == SQLITE_ROW;
        return true;
    }
    (void)fail(q->db, rc, e);
    query_done(q);
    return false;
}

bool query_run(struct query *q, struct error *e)
{
    bool row = true;

    while (row)
        if (!query_step(q, &row, e))
            return false;
    query_done(q);
    return true;
}

void query_done(struct query *q)
{
    q->bad = SQLITE_OK;
    q->busy = false;
    if (!q->once) {
        (void)sqlite3_reset(q->stmt);
        return;
    }
    (void)sqlite3_finalize(q->stmt);
    q->stmt = NULL;
}

/* ---- columns ---- */

int64_t column_int(struct query *q, int at)
{
    return sqlite3_column_int64(q->stmt, at);
}

struct str column_text(struct query *q, int at)
{
    const char *s = (const char *)sqlite3_column_text(q->stmt, at);

    return s ? (struct str){ s, (size_t)sqlite3_column_bytes(q->stmt, at) } : (struct str){ "", 0 };
}

struct str column_blob(struct query *q, int at)
{
    const char *s = sqlite3_column_blob(q->stmt, at);

    return s ? (struct str){ s, (size_t)sqlite3_column_bytes(q->stmt, at) } : (struct str){ "", 0 };
}

bool column_is_null(struct query *q, int at)
{
    return sqlite3_column_type(q->stmt, at) == SQLITE_NULL;
}

/* One value after the other, so that each is looked up once. Of an empty blob SQLite says NULL. */
bool columns_read(struct query *q, const struct column_place *places, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++) {
        sqlite3_value *v = sqlite3_column_value(q->stmt, (int)i);
        void *to = (char *)out + places[i].at;
        int type = sqlite3_value_type(v);
        struct str bytes = { NULL, 0 };

        if (places[i].type == 'i') {
            if (type != SQLITE_INTEGER)
                return false;
            *(int64_t *)to = sqlite3_value_int64(v);
            continue;
        }
        if (type == ((places[i].type | 0x20) == 't' ? SQLITE_TEXT : SQLITE_BLOB)) {
            bytes.s = sqlite3_value_blob(v);
            bytes.n = (size_t)sqlite3_value_bytes(v);
            bytes.s = bytes.s ? bytes.s : "";
        } else if (type != SQLITE_NULL || places[i].type >= 'a') {
            return false;
        }
        *(struct str *)to = bytes;
    }
    return true;
}

bool column_bytes(struct query *q, int at, void *out, size_t n)
{
    struct str blob = column_blob(q, at);

    if (blob.n != n)
        return false;
    memcpy(out, blob.s, n);
    return true;
}
