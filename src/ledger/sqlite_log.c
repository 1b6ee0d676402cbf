/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_log.c: what is beside an SQLite file: the log, which SQLite writes and a ledger waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/codes.h"
#include "ledger/sqlite.h"

/* One that cannot be seen might have some. */
static bool has_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size > 0 : errno != ENOENT;
}

bool sqlite_has_more(const struct sqlite *db)
{
    return has_bytes(sqlite_log_path(db)) || has_bytes(sqlite_journal_path(db));
}

static bool hold_log(struct sqlite *db)
{
    if (db->log <= 0)
        db->log = open(sqlite_log_path(db), O_RDONLY | O_CLOEXEC);
    return db->log > 0;
}

/* Who has read in WAL mode has a log. Others, such as tools that make copies, may have chosen
 * another mode for the file, and then nothing that is committed could be waited for. */
bool sqlite_keep_log(struct sqlite *db, struct error *e)
{
    if (hold_log(db))
        return true;
    if (errno != ENOENT)
        return error_sys(e, CODE_IO, "'%s' cannot be opened", sqlite_log_path(db));
    if (!sqlite_run(db, "PRAGMA journal_mode = WAL; SELECT 1 FROM sqlite_schema", e))
        return error_wrap(e, "somebody has taken the ledger out of SQLite's WAL mode");
    return hold_log(db) || error_set(e, CODE_IO,
                                     "'%s' was taken out of SQLite's WAL mode by somebody, and "
                                     "cannot be brought back to it",
                                     db->path);
}

/* Is the log where the next one to open the ledger looks for it? SQLite itself goes on to write to
 * one that has no name any more. */
static bool log_stands(const struct sqlite *db)
{
    struct stat held, there;

    return fstat(db->log, &held) == 0 && stat(sqlite_log_path(db), &there) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

bool sqlite_log_is_long(const struct sqlite *db)
{
    struct stat held;

    return db->log > 0 && fstat(db->log, &held) == 0 && held.st_size > SQLITE_LOG_KEPT;
}

/* SQLite itself would sync the directory along with the WAL, in every process once more. */
bool sqlite_sync(struct sqlite *db, struct error *e)
{
    if (!log_stands(db))
        return error_set(e, CODE_IO,
                         "'%s': its log '%s' was removed or replaced while it was open, and what "
                         "was written last is lost with it",
                         db->path, sqlite_log_path(db));
    if (fdatasync(db->log) == 0)
        return true;
    return error_sys(e, CODE_IO, "'%s' is written, but the disk did not confirm it", db->path);
}
