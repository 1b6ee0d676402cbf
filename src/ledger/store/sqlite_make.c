/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_make.c: the tables of a ledger, the statements on them, and making a new one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "ledger/store/sqlite.h"

/* entries  one row an entry; body and salt are NULL once erased, and `erased` is then the digest
 *          that the body had. traits: traits_pack(). Only inputs have an index: any other would
 *          cost more than the rows themselves, for each of its keys dirties a page of its own.
 * blocks   a complete tile of the tree: its root and, at level 0, the names its entries have.
 * runs     where the events of an execution are: sorted keys in parts, each of which fits a page.
 *          See store/sqlite_runs.c.
 *
 * Triggers keep accidents and casual hands from the past; who drops them is found out by the tree.
 * A trigger that is none of them is found: it could change what writ enters.
 */
#define KEPT(table)                                         \
    "CREATE TRIGGER " table "_stay BEFORE DELETE ON " table \
    " BEGIN SELECT RAISE(ABORT, 'what a ledger has it keeps'); END;"
#define FIXED(table)                                         \
    "CREATE TRIGGER " table "_fixed BEFORE UPDATE ON " table \
    " BEGIN SELECT RAISE(ABORT, 'what a ledger has it keeps'); END;"

#define LEDGER "CREATE TABLE ledger (name TEXT NOT NULL, version INTEGER NOT NULL) STRICT"

const char *const store_sqlite_schema[SCHEMA_ROWS] = {
    LEDGER,
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, id BLOB NOT NULL, kind INTEGER NOT NULL,"
    " subject TEXT NOT NULL, tenant TEXT NOT NULL, robot TEXT NOT NULL, place INTEGER NOT NULL,"
    " traits INTEGER NOT NULL, snapshot INTEGER NOT NULL, created INTEGER NOT NULL,"
    " recorded INTEGER NOT NULL, content BLOB NOT NULL, leaf BLOB NOT NULL, salt BLOB,"
    " erased BLOB, body TEXT) STRICT",
    "CREATE INDEX inputs ON entries (tenant, subject, created) WHERE kind = 0",
    "CREATE TABLE blocks (level INTEGER NOT NULL, n INTEGER NOT NULL, root BLOB NOT NULL,"
    " names BLOB, PRIMARY KEY (level, n)) STRICT, WITHOUT ROWID",
    "CREATE TABLE runs (run INTEGER NOT NULL, first BLOB NOT NULL, keys BLOB NOT NULL,"
    " PRIMARY KEY (run, first)) STRICT",
    "CREATE TABLE checkpoints (n INTEGER PRIMARY KEY, size INTEGER NOT NULL,"
    " made INTEGER NOT NULL, note TEXT NOT NULL) STRICT",
};

const char store_sqlite_triggers[] =
    "CREATE TRIGGER entries_fixed BEFORE UPDATE ON entries WHEN NOT (NEW.seq IS OLD.seq"
    " AND NEW.id IS OLD.id AND NEW.kind IS OLD.kind AND NEW.subject IS OLD.subject"
    " AND NEW.tenant IS OLD.tenant AND NEW.robot IS OLD.robot AND NEW.place IS OLD.place"
    " AND NEW.traits IS OLD.traits AND NEW.snapshot IS OLD.snapshot"
    " AND NEW.created IS OLD.created AND NEW.recorded IS OLD.recorded"
    " AND NEW.content IS OLD.content AND NEW.leaf IS OLD.leaf AND NEW.salt IS NULL"
    " AND NEW.body IS NULL AND OLD.erased IS NULL AND NEW.erased IS NOT NULL)"
    " BEGIN SELECT RAISE(ABORT, 'what a ledger has it keeps'); END;"
    /* clang-format off */
    KEPT("entries") KEPT("blocks") KEPT("checkpoints")
    FIXED("blocks") FIXED("checkpoints");
/* clang-format on */

/* Version 1 had refusals in a table that no tree covered, and the time when it was made. */
const char store_sqlite_renew[] = "DROP TABLE rejects; DROP TABLE ledger; " LEDGER;
#undef LEDGER
#undef KEPT
#undef FIXED

#define LIGHT                                                                                   \
    "SELECT seq, id, kind, subject, tenant, robot, place, traits, snapshot, created, recorded," \
    " content, leaf, salt, erased"
#define WALK                                                                                   \
    "SELECT a.seq, a.id, a.kind, a.subject, a.tenant, a.robot, a.place, a.traits, a.snapshot," \
    " a.created, a.recorded, a.content, a.leaf, a.salt, a.erased, a.body"
#define ASK  "SELECT seq, id, kind, created, tenant, subject FROM entries"
#define ROW  "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define MARK "SELECT seq, kind, subject, tenant, robot, place, traits, snapshot, id, content"

const char *const store_sqlite_texts[Q_COUNT] = {
    [Q_BEGIN] = "BEGIN IMMEDIATE",
    [Q_LOOK] = "BEGIN",
    [Q_COMMIT] = "COMMIT",
    [Q_LEDGER] = "SELECT name, version FROM ledger",
    [Q_TABLES] = "SELECT 1 FROM entries, blocks, runs, checkpoints",
    [Q_TIP] = "SELECT seq, recorded FROM entries ORDER BY seq DESC LIMIT 1",
    [Q_ENTRY_ADD] = "INSERT INTO entries VALUES " ROW,
    /* Many rows a statement cost a fifth less. With ROLLBACK, none has to be taken back alone. */
    [Q_ENTRIES_ADD] = "INSERT OR ROLLBACK INTO entries VALUES " ROW ", " ROW ", " ROW ", " ROW
                      ", " ROW ", " ROW ", " ROW ", " ROW,
    [Q_ENTRY_ERASE] = "UPDATE entries SET body = NULL, salt = NULL, erased = ?2 WHERE seq = ?1",
    [Q_ENTRY_ASK] = ASK " WHERE seq = ?",
    [Q_ENTRY_MARK] = MARK " FROM entries WHERE seq = ?",
    [Q_ENTRY_KEYS] = "SELECT seq, subject, tenant, robot, place FROM entries"
                     " WHERE seq >= ? AND seq < ? AND kind = 1",
    /* From row to row, and to each beside it by its number: 1, 0, 3, 2, .. so that SQLite does not
     * go from row to row there, too. */
    [Q_ENTRIES_WALK] = WALK ", b.seq FROM entries a LEFT JOIN entries b"
                            " ON b.seq = (a.seq | 1) - (a.seq & 1) ORDER BY a.seq",
    [Q_ENTRY_FIND] = MARK " FROM entries WHERE seq >= ? AND seq < ? AND kind = 1 AND subject = ?"
                          " AND tenant = ? AND robot = ?",
    [Q_ENTRIES_UP] = LIGHT ", body FROM entries WHERE seq >= ? AND seq < ? ORDER BY seq",
    [Q_ENTRIES_DOWN] = LIGHT ", body FROM entries WHERE seq >= ? AND seq < ? ORDER BY seq DESC",
    [Q_LIGHT_UP] = LIGHT " FROM entries WHERE seq >= ? AND seq < ? ORDER BY seq",
    [Q_LIGHT_DOWN] = LIGHT " FROM entries WHERE seq >= ? AND seq < ? ORDER BY seq DESC",
    [Q_INPUT_NEWEST] = ASK " WHERE kind = 0 AND tenant = ? AND subject = ?"
                           " ORDER BY created DESC, seq DESC LIMIT 1",
    [Q_INPUTS] = "SELECT tenant, subject, created, seq FROM entries INDEXED BY inputs"
                 " WHERE kind = 0 ORDER BY tenant, subject, created, seq",
    [Q_BLOCK_ADD] = "INSERT INTO blocks VALUES (?, ?, ?, ?)",
    [Q_BLOCKS] = "SELECT level, n, root, names FROM blocks WHERE level = ? AND n >= ? AND n < ?"
                 " ORDER BY n",
    [Q_BLOCK_COUNTS] = "SELECT level, count(*), min(n), max(n) FROM blocks GROUP BY level",
    [Q_FORMER_REJECTS] = "SELECT * FROM rejects ORDER BY n",
    [Q_CHECKPOINT_ADD] = "INSERT INTO checkpoints VALUES (NULL, ?, ?, ?)",
    [Q_CHECKPOINTS] = "SELECT size, made, note FROM checkpoints ORDER BY size, n",
    /* Who looked at the ledger earlier may sign it later: the last row need not be the one about
     * most entries, but that one is not far before it. */
    [Q_CHECKPOINT_LAST] = "SELECT note FROM (SELECT * FROM checkpoints ORDER BY n DESC LIMIT 64)"
                          " ORDER BY size DESC, n DESC LIMIT 1",
    [Q_RUN_ADD] = "INSERT INTO runs VALUES (?, ?, ?)",
    [Q_RUN_DROP] = "DELETE FROM runs WHERE run = ?",
    [Q_RUN_FIND] = "SELECT keys FROM runs WHERE run = ? AND first <= ? ORDER BY first DESC LIMIT 1",
    [Q_RUN_NEXT] = "SELECT keys FROM runs WHERE run = ? AND first > ? ORDER BY first LIMIT 1",
    [Q_RUNS] = "SELECT run, first, keys FROM runs ORDER BY run, first",
    [Q_SCHEMA] = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL",
    [Q_INTEGRITY] = "SELECT integrity_check FROM pragma_integrity_check(?)",
};
#undef LIGHT
#undef WALK
#undef ASK
#undef ROW
#undef MARK

/* Pages of 8192 bytes: against 4096, batches of 1,000 take a seventh less, and an entry alone
 * as long. */
enum { APPLICATION_ID = 0x77726974, PAGE_BYTES = 8192 };

const char store_sqlite_touch[] = "PRAGMA user_version = 2";
_Static_assert(SCHEMA_VERSION == 2, "as above");

/* ---- making ---- */

/* In a file that nobody else knows yet, a journal would only cost time: it is thrown away when
 * anything fails, and synced when all is done. */
static bool fill(struct sqlite *db, const struct world *world, struct arena *a, struct error *e)
{
    struct uuid id = world->new_id(world->self);
    char name[UUID_TEXT];

    uuid_text(&id, name);
    if (!sqlite_run(db,
                    arena_printf(a,
                                 "PRAGMA page_size = %d; PRAGMA journal_mode = OFF;"
                                 "PRAGMA synchronous = OFF; PRAGMA application_id = %d;"
                                 "PRAGMA user_version = %d; BEGIN",
                                 PAGE_BYTES, APPLICATION_ID, SCHEMA_VERSION),
                    e))
        return false;
    for (size_t i = 0; i < SCHEMA_ROWS; i++)
        if (!sqlite_run(db, store_sqlite_schema[i], e))
            return false;
    return sqlite_run(db, store_sqlite_triggers, e) &&
           sqlite_run(db,
                      arena_printf(a, "INSERT INTO ledger VALUES ('%s', %d); COMMIT", name,
                                   SCHEMA_VERSION),
                      e) &&
           sqlite_run(db, "PRAGMA journal_mode = WAL", e);
}

static bool fill_file(const char *path, const struct world *world, struct arena *a, struct error *e)
{
    struct sqlite_open how = { .path = path, .write = true, .world = world };
    struct sqlite db;
    bool ok;

    if (!sqlite_open(&db, &how, e))
        return false;
    ok = fill(&db, world, a, e);
    sqlite_close(&db);
    return ok;
}

/* The log of a ledger that is gone would be taken for the new one's. It may hold the last that is
 * left of the old one, so it is not ours to remove. */
static bool no_leftovers(const char *path, struct arena *a, struct error *e)
{
    static const char *const beside[] = { "-wal", "-journal" };
    struct stat st;

    for (size_t i = 0; i < COUNT(beside); i++) {
        const char *left = arena_printf(a, "%s%s", path, beside[i]);

        if (stat(left, &st) == 0 && st.st_size > 0 && access(path, F_OK) != 0)
            return error_set(e, CODE_IO,
                             "there is no ledger at '%s', but '%s' is left of one: "
                             "bring the ledger back, or remove what is left",
                             path, left);
    }
    return true;
}

/* Gives the finished file its name, unless there is one of that name. It is moved, because a file
 * of two names is not written to; where the file system cannot move it so, it has two names for a
 * moment. */
static bool publish(const char *from, const char *to, struct error *e)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 || errno == EEXIST)
        return true;
    if (link(from, to) == 0 || errno == EEXIST)
        return true;
    return error_sys(e, CODE_IO, "'%s' cannot be made", to);
}

static const char *directory_of(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return ".";
    return slash == path ? "/" : arena_text(a, (struct str){ path, (size_t)(slash - path) });
}

void store_sqlite_sync_directory(const char *path)
{
    _arena_ struct arena a = { 0 };
    _fd_ int fd = open(directory_of(path, &a), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        (void)fsync(fd);
}

bool store_sqlite_make(const struct store_open *how, struct error *e)
{
    _arena_ struct arena a = { 0 };
    static const char *const beside[] = { "", "-wal", "-shm", "-journal" };
    char *fresh = arena_printf(&a, "%s.XXXXXX", how->where);
    _fd_ int fd = -1;
    bool ok;

    if (!fs_make_dirs(directory_of(how->where, &a), e) || !no_leftovers(how->where, &a, e))
        return false;
    fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0)
        return error_sys(e, CODE_IO, "'%s' cannot be made", how->where);
    ok = fill_file(fresh, how->world, &a, e);
    if (ok && fsync(fd) != 0)
        ok = error_sys(e, CODE_IO, "'%s' cannot be made", how->where);
    ok = ok && publish(fresh, how->where, e);
    for (size_t i = 0; i < COUNT(beside); i++)
        (void)unlink(arena_printf(&a, "%s%s", fresh, beside[i]));
    if (ok)
        store_sqlite_sync_directory(how->where);
    return ok;
}
