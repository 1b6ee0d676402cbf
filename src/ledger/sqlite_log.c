/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_log.c: what is beside an SQLite file: the log, which SQLite writes and a ledger waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "contract/codes.h"
#include "ledger/sqlite.h"

/* A file that grows takes longer to sync than one that has its length. For who commits little and
 * often, the log is therefore made longer by many frames at once. A frame is a page behind its
 * header; how far the log is used is only reckoned with it. */
enum { LOG_HEAD = 32, LOG_FRAME = 24 + 8192, LOG_MORE = 1 << 20 };

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

/* A file system that knows no nameless files is not asked. */
bool sqlite_can_make_beside(const struct sqlite *db, struct error *e)
{
    const char *log = sqlite_log_path(db), *slash = log ? strrchr(log, '/') : NULL;
    char directory[PATH_MAX];
    _fd_ int fd = -1;
    bool logged;

    if (!slash || access(db->path, R_OK) != 0 || (access(log, R_OK) != 0 && errno != ENOENT))
        return true;
    logged = has_bytes(log);
    (void)snprintf(directory, sizeof directory, "%.*s", (int)(slash - log) + 1, log);
    fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0 || errno == EOPNOTSUPP || errno == EISDIR)
        return true;
    if (errno == ENOSPC || errno == EDQUOT || (errno == EROFS && !logged) ||
        ((errno == EMFILE || errno == ENFILE) && logged))
        return error_sys(e, CODE_IO, "'%s' cannot be opened, as no file can be made beside it",
                         db->path);
    return !logged ||
           error_sys(e, CODE_IO,
                     "'%s' has a log, '%s', which can be read only where a file can be made beside "
                     "it; copy both to a directory of your own",
                     db->path, slash + 1);
}

static bool hold_log(struct sqlite *db)
{
    if (db->log <= 0)
        db->log = open(sqlite_log_path(db), O_RDWR | O_CLOEXEC);
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

/* Its times are not asked for: who has asked for them is owed another time after the next write,
 * and the disk then has to take that as well. */
static bool look(int at, const char *path, struct statx *out)
{
    return statx(at, path, AT_EMPTY_PATH, STATX_INO | STATX_SIZE, out) == 0;
}

/* Is the log where the next one to open the ledger looks for it? SQLite itself goes on to write to
 * one that has no name any more. */
static bool log_stands(const struct sqlite *db)
{
    struct statx held, there;

    return look(db->log, "", &held) && look(AT_FDCWD, sqlite_log_path(db), &there) &&
           held.stx_ino == there.stx_ino && held.stx_dev_major == there.stx_dev_major &&
           held.stx_dev_minor == there.stx_dev_minor;
}

bool sqlite_log_is_long(const struct sqlite *db)
{
    struct statx held;

    return db->log > 0 && look(db->log, "", &held) && held.stx_size > SQLITE_LOG_KEPT;
}

/* SQLite takes zeros for what is left of a log of before. Who fails to make the log longer has lost
 * nothing: SQLite does it by itself, and says so where it cannot. Written in small pieces, because
 * the kernel keeps as one what came as one, and looks at all of it when a part is written again. */
void sqlite_log_prolong(struct sqlite *db)
{
    static const char nothing[8192];
    uint64_t soon = LOG_HEAD + (uint64_t)(db->frames + SQLITE_FEW) * LOG_FRAME;
    struct statx held;

    if (db->small < SQLITE_FEW || db->log <= 0 || !look(db->log, "", &held) ||
        held.stx_size >= soon)
        return;
    for (uint64_t at = held.stx_size, end = at + LOG_MORE; at < end; at += sizeof nothing)
        if (pwrite(db->log, nothing, sizeof nothing, (off_t)at) < 0)
            return;
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
