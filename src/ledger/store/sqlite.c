/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c: a ledger in one SQLite file: opening it, and appending to it.
 *
 * The file is in WAL mode. A commit writes without waiting for the disk and lets the next writer
 * in; who asked for a durable one then waits for the disk alone, and what the others have written
 * meanwhile is on the disk as well. A short process neither empties the WAL nor removes it: the
 * next one would only have to make it again.
 */
#include "ledger/store/sqlite.h"

#include <assert.h>
#include <errno.h>

#include "contract/codes.h"

/* Frames in the WAL that are worth a checkpoint: while appending, where each waits for the disk
 * twice, and on leaving. The first opener has to read them all. */
enum { FRAMES_MOST = 4000, FRAMES_LEFT = 64 };

bool store_damaged(struct store *s, const char *what, int64_t n, struct error *e)
{
    return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is damaged: %s %lld is not what was written",
                     s->how.where, what, (long long)n);
}

/* ---- opening ---- */

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0 || errno != ENOENT;
}

/* Whose file is it? A newer writ keeps this table, so that an older one can tell. */
static bool know(struct store *s, struct error *e)
{
    struct query *q;
    bool row = false;
    int64_t version;

    if (!sqlite_query(&s->db, Q_LEDGER, &q, e)) {
        if (sqlite_is_foreign(&s->db))
            return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is not a ledger", s->how.where);
        return false;
    }
    if (!query_step(q, &row, e))
        return false;
    version = row ? column_int(q, 1) : 0;
    if (row && column_text(q, 0).n == UUID_TEXT - 1)
        memcpy(s->name, column_text(q, 0).s, UUID_TEXT);
    if (row && !query_step(q, &row, e))
        return false;
    query_done(q);
    if (row)
        return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is damaged: it has the names of two ledgers",
                         s->how.where);
    if (version > SCHEMA_VERSION)
        return error_set(e, CODE_IO, "'%s' was made by a newer writ (version %lld, known is %d)",
                         s->how.where, (long long)version, SCHEMA_VERSION);
    if ((version != SCHEMA_VERSION && version != FORMER_VERSION) || !s->name[0])
        return error_set(e, CODE_LEDGER_DAMAGED, "'%s' is not a ledger", s->how.where);
    s->version = version;
    return true;
}

/* An entry alone touches few tables: that one is missing is to be known before, not by the entry
 * that completes a block. */
static bool has_tables(struct store *s, struct error *e)
{
    struct query *q;

    if (!sqlite_query(&s->db, Q_TABLES, &q, e))
        return false;
    query_done(q);
    return true;
}

/* SQLite tries a file first to write and then to read: one that was made in between it has open to
 * read alone. Then it is as if it had not been there. */
static bool refuse_read_only(struct sqlite *db, struct error *e)
{
    bool came = access(db->path, W_OK) == 0;

    (void)error_set(e, CODE_IO, "'%s' cannot be written: it is read-only", db->path);
    e->sys = came ? ENOENT : EACCES;
    return false;
}

static bool try_open(struct store *s, bool still, struct error *e)
{
    struct sqlite_open how = {
        .path = s->how.where,
        .write = s->how.access == STORE_APPEND,
        .few = s->how.few,
        .still = still,
        .world = s->how.world,
        .cancel = s->how.cancel,
        .texts = store_sqlite_texts,
    };
    bool ok;

    s->still = still;
    s->alone = false;
    if (!sqlite_open(&s->db, &how, e))
        return false;
    ok = know(s, e);
    if (ok && how.write && !sqlite_can_write(&s->db))
        ok = refuse_read_only(&s->db, e);
    if (ok && how.write)
        ok = has_tables(s, e) && sqlite_keep_log(&s->db, e);
    if (ok && s->db.new_log) /* its name has to last as long as what it holds */
        store_sqlite_sync_directory(sqlite_log_path(&s->db));
    if (ok)
        return true;
    s->alone = sqlite_is_shut(&s->db) && !sqlite_has_more(&s->db);
    sqlite_close(&s->db);
    return false;
}

/* Who may not write to the directory cannot lock: then only a file that has nothing beside it can
 * be read, as one that does not change. Where a lock can be asked for, it is heeded. */
static bool open_read(struct store *s, struct error *e)
{
    if (try_open(s, false, e))
        return true;
    if (!is_there(s->how.where))
        return error_set(e, CODE_LEDGER_MISSING, "there is no ledger at '%s'", s->how.where);
    return s->alone && try_open(s, true, e);
}

static bool open_append(struct store *s, struct error *e)
{
    if (try_open(s, false, e))
        return true;
    if (is_there(s->how.where)) /* by now: another process may have made it */
        return e->sys == ENOENT && try_open(s, false, e);
    return store_sqlite_make(&s->how, e) && try_open(s, false, e);
}

static bool sqlite_store_open(const struct store_open *how, struct arena *a, struct store **out,
                              struct error *e)
{
    struct store *s = arena_new(a, struct store);

    s->how = *how;
    s->how.where = arena_text(a, str_of(how->where));
    if (!(how->access == STORE_APPEND ? open_append(s, e) : open_read(s, e)))
        return false;
    *out = s;
    return true;
}

static void sqlite_store_close(struct store *s)
{
    sqlite_leave(&s->db);
    if (s->db.frames > FRAMES_LEFT || sqlite_log_is_long(&s->db))
        sqlite_checkpoint_leave(&s->db, store_sqlite_touch);
    filters_forget(s);
    sqlite_close(&s->db);
}

static bool sqlite_ledger_name(struct store *s, char out[UUID_TEXT], struct error *e)
{
    (void)e;
    memcpy(out, s->name, UUID_TEXT);
    return true;
}

/* ---- transactions ---- */

static bool read_tip(struct store *s, struct error *e)
{
    struct query *q;
    bool row = false;

    if (!sqlite_query(&s->db, Q_TIP, &q, e) || !query_step(q, &row, e))
        return false;
    s->tip = (struct tip){ 0 };
    if (row && !tip_behind(column_int(q, 0), column_int(q, 1), &s->tip))
        (void)store_damaged(s, "entry", column_int(q, 0), e);
    else
        row = false;
    query_done(q);
    return !row;
}

static void sqlite_rollback(struct store *s)
{
    sqlite_walk_end(s);
    sqlite_leave(&s->db);
    if (s->erases)
        sqlite_wipe(&s->db, false);
    s->erases = false;
    s->recent.loaded = false;
    filters_forget(s); /* a run may come again with other keys */
}

static bool run(struct store *s, enum statement what, struct error *e)
{
    struct query *q;

    return sqlite_query(&s->db, what, &q, e) && query_run(q, e);
}

static bool start(struct store *s, enum statement how, struct tip *tip, struct error *e)
{
    assert(!sqlite_in_transaction(&s->db));
    if (!run(s, how, e))
        return false;
    if (!read_tip(s, e)) {
        sqlite_rollback(s);
        return false;
    }
    *tip = s->tip;
    return true;
}

static bool sqlite_begin(struct store *s, struct tip *tip, struct error *e)
{
    assert(s->how.access == STORE_APPEND);
    if (sqlite_moved(&s->db))
        return error_set(e, CODE_IO, "'%s' was removed or replaced while it was open",
                         s->how.where);
    if (!start(s, Q_BEGIN, tip, e))
        return false;
    if (s->version != SCHEMA_VERSION && !know(s, e)) { /* another process may have renewed it */
        sqlite_rollback(s);
        return false;
    }
    sqlite_log_prolong(&s->db);
    return true;
}

/* The bytes of an erased body are also in the log, until it is emptied. */
static bool sqlite_sweep(struct store *s, struct error *e)
{
    if (sqlite_checkpoint_empty(&s->db, e))
        return true;
    return error_wrap(e, "erased, but the bytes are still in '%s' until it is erased again",
                      sqlite_log_path(&s->db));
}

static bool sqlite_commit(struct store *s, bool durable, struct error *e)
{
    if (!run(s, Q_COMMIT, e))
        return false;
    if (durable && !sqlite_sync(&s->db, e))
        return false;
    if (s->erases) {
        sqlite_wipe(&s->db, false);
        s->erases = false;
        return sqlite_sweep(s, e);
    }
    if (s->db.frames >= FRAMES_MOST)
        sqlite_checkpoint(&s->db);
    return true;
}

/* What is open stays open until the other is. */
static bool open_moving(struct store *s, struct error *e)
{
    struct sqlite still = s->db;

    if (!try_open(s, false, e)) {
        s->db = still;
        s->still = true;
        return false;
    }
    sqlite_close(&still);
    s->recent.loaded = false;
    return true;
}

/* What has come beside it since tells that somebody writes after all. */
static bool sqlite_look(struct store *s, struct tip *tip, struct error *e)
{
    if (s->still && sqlite_has_more(&s->db) && !open_moving(s, e))
        return false;
    return start(s, Q_LOOK, tip, e);
}

static void sqlite_look_end(struct store *s)
{
    sqlite_walk_end(s);
    sqlite_leave(&s->db);
}

/* ---- adding ---- */

static void bind_entry(struct query *q, int at, const struct entry *entry)
{
    query_int(q, ++at, entry->seq);
    query_blob(q, ++at, entry->id.b, UUID_BYTES);
    query_int(q, ++at, entry->kind);
    query_text(q, ++at, entry->subject);
    query_text(q, ++at, entry->tenant);
    query_text(q, ++at, entry->robot);
    query_int(q, ++at, entry->place);
    query_int(q, ++at, traits_pack(&entry->traits));
    query_int(q, ++at, entry->traits.snapshot_ms);
    query_int(q, ++at, entry->created_ms);
    query_int(q, ++at, entry->recorded_ms);
    query_blob(q, ++at, entry->content.b, DIGEST_BYTES);
    query_blob(q, ++at, entry->leaf.b, DIGEST_BYTES);
    if (entry->erased) {
        query_null(q, ++at);
        query_blob(q, ++at, entry->body_digest.b, DIGEST_BYTES);
        query_null(q, ++at);
        return;
    }
    query_blob(q, ++at, entry->salt, SALT_BYTES);
    query_null(q, ++at);
    query_text(q, ++at, entry->body);
}

static bool sqlite_add_entries(struct store *s, const struct entry *entries, size_t n,
                               struct error *e)
{
    int64_t size = s->tip.size;

    for (size_t i = 0; i < n;) {
        size_t rows = n - i < ADD_ROWS ? 1 : ADD_ROWS;
        struct query *q;

        if (!sqlite_query(&s->db, rows == 1 ? Q_ENTRY_ADD : Q_ENTRIES_ADD, &q, e))
            return false;
        for (size_t k = 0; k < rows; k++, i++) {
            assert(entries[i].seq == size + (int64_t)i);
            bind_entry(q, (int)k * ENTRY_COLUMNS, &entries[i]);
        }
        if (!query_run(q, e))
            return false;
        if (sqlite_changed(&s->db) != (int64_t)rows)
            return error_set(e, CODE_LEDGER_DAMAGED,
                             "'%s' does not take what is entered: somebody has changed how it "
                             "keeps entries",
                             s->how.where);
    }
    if (n > 0)
        s->tip = (struct tip){ size + (int64_t)n, entries[n - 1].recorded_ms };
    return runs_add(s, size, entries, n, e);
}

static bool sqlite_add_blocks(struct store *s, const struct block *blocks, size_t n,
                              struct error *e)
{
    for (size_t i = 0; i < n; i++) {
        struct query *q;

        if (!sqlite_query(&s->db, Q_BLOCK_ADD, &q, e))
            return false;
        query_int(q, 1, blocks[i].level);
        query_int(q, 2, blocks[i].n);
        query_blob(q, 3, blocks[i].root.b, DIGEST_BYTES);
        if (blocks[i].level == 0)
            query_blob(q, 4, blocks[i].names.bits, NAMES_BYTES);
        else
            query_null(q, 4);
        if (!query_run(q, e))
            return false;
    }
    return true;
}

static bool sqlite_add_checkpoint(struct store *s, const struct kept_checkpoint *c, struct error *e)
{
    struct query *q;

    if (!sqlite_query(&s->db, Q_CHECKPOINT_ADD, &q, e))
        return false;
    query_int(q, 1, c->size);
    query_int(q, 2, c->made_ms);
    query_text(q, 3, c->note);
    return query_run(q, e);
}

static void begin_erasing(struct store *s)
{
    if (!s->erases)
        sqlite_wipe(&s->db, true);
    s->erases = true;
}

/* A row that shrinks stays on its page, so that no copy of it is left elsewhere. */
static bool sqlite_erase(struct store *s, int64_t seq, const struct digest *body_digest,
                         struct error *e)
{
    struct query *q;

    begin_erasing(s);
    if (!sqlite_query(&s->db, Q_ENTRY_ERASE, &q, e))
        return false;
    query_int(q, 1, seq);
    query_blob(q, 2, body_digest->b, DIGEST_BYTES);
    return query_run(q, e);
}

/* ---- version 1 ---- */

static bool sqlite_is_former(const struct store *s)
{
    return s->version == FORMER_VERSION;
}

static bool sqlite_renew(struct store *s, struct error *e)
{
    _arena_ struct arena a = { 0 };

    return sqlite_run(&s->db, store_sqlite_renew, e) &&
           sqlite_run(&s->db,
                      arena_printf(&a,
                                   "INSERT INTO ledger VALUES ('%s', %d); PRAGMA user_version = %d",
                                   s->name, SCHEMA_VERSION, SCHEMA_VERSION),
                      e);
}

const struct store_kind store_sqlite = {
    .name = "sqlite",
    .open = sqlite_store_open,
    .close = sqlite_store_close,
    .ledger_name = sqlite_ledger_name,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .ask_events = sqlite_ask_events,
    .ask_entries = sqlite_ask_entries,
    .add_entries = sqlite_add_entries,
    .add_blocks = sqlite_add_blocks,
    .add_checkpoint = sqlite_add_checkpoint,
    .erase = sqlite_erase,
    .sweep = sqlite_sweep,
    .is_former = sqlite_is_former,
    .read_former_rejects = sqlite_read_former_rejects,
    .renew = sqlite_renew,
    .look = sqlite_look,
    .look_end = sqlite_look_end,
    .read_entries = sqlite_read_entries,
    .read_blocks = sqlite_read_blocks,
    .read_checkpoints = sqlite_read_checkpoints,
    .last_checkpoint = sqlite_last_checkpoint,
    .newest_input = sqlite_newest_input,
    .sum_keys = sqlite_sum_keys,
    .check = sqlite_check,
};
