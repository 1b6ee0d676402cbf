/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_read.c: reads a ledger in PostgreSQL, a chunk at a time.
 *
 * While a callback runs no answer is under way: it may ask the store for more. What was read stays
 * small, however much there is to read, because a body of some size is fetched on its own.
 */
#include <string.h>

#include "contract/codes.h"
#include "ledger/store/postgres.h"

enum { CHUNK = 256, BODY_WITH_ENTRY = 16 << 10 };

/* ---- callbacks ---- */

enum told { TOLD_MORE, TOLD_ENOUGH, TOLD_FAULT };

/* What a callback's answer means: without a code it has seen enough. */
static enum told told(bool more, const struct error *why, struct error *e)
{
    if (more)
        return TOLD_MORE;
    if (why->code == CODE_NONE)
        return TOLD_ENOUGH;
    *e = *why;
    return TOLD_FAULT;
}

/* Rows come in their order, each once, and none that was not asked for: else a server could keep
 * its reader for ever. */
static bool strays(struct store *store, struct error *e)
{
    return error_set(e, CODE_IO, "%s: the server's answer does not belong to the question",
                     pg_shown(store->pg));
}

/* ---- entries ---- */

/* The columns of SQL_READ_UP and SQL_READ_DOWN. */
enum {
    ROW_SEQ,
    ROW_PLACE,
    ROW_TRAITS,
    ROW_SNAPSHOT,
    ROW_CREATED,
    ROW_RECORDED,
    ROW_ID,
    ROW_KIND,
    ROW_SUBJECT,
    ROW_TENANT,
    ROW_ROBOT,
    ROW_CONTENT,
    ROW_LEAF,
    ROW_SALT,
    ROW_ERASED,
    ROW_BODY,
    ROW_BODY_APART,
};

static bool entry_of_row(struct store *store, const struct pg_rows *rows, int row,
                         struct entry *out, struct error *e)
{
    int64_t kind = pg_int(rows, row, ROW_KIND), traits = pg_int(rows, row, ROW_TRAITS);
    bool stands;

    *out = (struct entry){ .seq = pg_int(rows, row, ROW_SEQ),
                           .kind = (enum entry_kind)kind,
                           .subject = pg_bytes(rows, row, ROW_SUBJECT),
                           .tenant = pg_bytes(rows, row, ROW_TENANT),
                           .robot = pg_bytes(rows, row, ROW_ROBOT),
                           .place = pg_int(rows, row, ROW_PLACE),
                           .created_ms = pg_int(rows, row, ROW_CREATED),
                           .recorded_ms = pg_int(rows, row, ROW_RECORDED),
                           .body = pg_bytes(rows, row, ROW_BODY),
                           .erased = !pg_null(rows, row, ROW_ERASED) };
    traits_unpack(traits, &out->traits);
    out->traits.snapshot_ms = pg_int(rows, row, ROW_SNAPSHOT);
    stands = kind >= 0 && kind < ENTRY_KIND_COUNT && entry_stands(out) &&
             traits_pack(&out->traits) == traits &&
             (!out->erased || (pg_null(rows, row, ROW_SALT) && out->body.n == 0));
    if (!stands)
        return error_set(e, CODE_LEDGER_DAMAGED,
                         "%s is damaged: entry %lld is not what was written", pg_shown(store->pg),
                         (long long)out->seq);
    pg_copy(rows, row, ROW_ID, &out->id, sizeof out->id);
    pg_copy(rows, row, ROW_CONTENT, &out->content, sizeof out->content);
    pg_copy(rows, row, ROW_LEAF, &out->leaf, sizeof out->leaf);
    pg_copy(rows, row, ROW_SALT, out->salt, sizeof out->salt);
    pg_copy(rows, row, ROW_ERASED, &out->body_digest, sizeof out->body_digest);
    return true;
}

static enum told tell_entry(struct store *store, const struct pg_rows *rows, int row,
                            entry_reader reader, void *self, struct error *e)
{
    struct error why;
    struct entry entry = { 0 };
    _rows_ struct pg_rows body = { 0 };

    if (!entry_of_row(store, rows, row, &entry, e))
        return TOLD_FAULT;
    if (pg_int(rows, row, ROW_BODY_APART)) {
        uint8_t room[8];
        struct pg_value seq = pg_number(entry.seq, room);

        if (!pg_ask(store->pg, SQL_READ_BODY, &seq, 1, &body, e))
            return TOLD_FAULT;
        if (body.count == 1)
            entry.body = pg_bytes(&body, 0, 0);
    }
    why.code = CODE_NONE;
    return told(reader(self, &entry, &why), &why, e);
}

bool store_postgres_read_entries(struct store *store, const struct entry_range *range,
                                 entry_reader reader, void *self, struct error *e)
{
    enum sql statement = range->backwards ? SQL_READ_DOWN : SQL_READ_UP;
    int64_t from = range->from, to = range->to;
    enum told said = TOLD_MORE;
    int count = CHUNK;

    while (said == TOLD_MORE && count == CHUNK && from < to) {
        uint8_t room[5][8];
        struct pg_value values[] = { pg_number(from, room[0]), pg_number(to, room[1]),
                                     pg_number(range->bodies, room[2]),
                                     pg_number(BODY_WITH_ENTRY, room[3]),
                                     pg_number(CHUNK, room[4]) };
        _rows_ struct pg_rows rows = { 0 };

        if (!pg_ask(store->pg, statement, values, COUNT(values), &rows, e))
            return false;
        count = rows.count;
        for (int row = 0; row < count && said == TOLD_MORE; row++) {
            int64_t seq = pg_int(&rows, row, ROW_SEQ);

            if (seq < from || seq >= to)
                return strays(store, e);
            said = tell_entry(store, &rows, row, reader, self, e);
            *(range->backwards ? &to : &from) = seq + !range->backwards;
        }
    }
    return said != TOLD_FAULT;
}

/* ---- blocks ---- */

static struct block block_of_row(const struct pg_rows *rows, int row, int level)
{
    struct block block = { .level = level, .n = pg_int(rows, row, 0) };

    pg_copy(rows, row, 1, &block.root, sizeof block.root);
    pg_copy(rows, row, 2, &block.names, sizeof block.names);
    return block;
}

bool store_postgres_read_blocks(struct store *store, const struct block_range *range,
                                block_reader reader, void *self, struct error *e)
{
    enum told said = TOLD_MORE;
    int64_t from = range->from;
    int count = CHUNK;

    while (said == TOLD_MORE && count == CHUNK && from < range->to) {
        uint8_t room[4][8];
        struct pg_value values[] = { pg_number(range->level, room[0]), pg_number(from, room[1]),
                                     pg_number(range->to, room[2]), pg_number(CHUNK, room[3]) };
        _rows_ struct pg_rows rows = { 0 };

        if (!pg_ask(store->pg, SQL_READ_BLOCKS, values, COUNT(values), &rows, e))
            return false;
        count = rows.count;
        for (int row = 0; row < count && said == TOLD_MORE; row++) {
            struct block block = block_of_row(&rows, row, range->level);
            struct error why;

            if (block.n < from || block.n >= range->to)
                return strays(store, e);
            why.code = CODE_NONE;
            said = told(reader(self, &block, &why), &why, e);
            from = block.n + 1;
        }
    }
    return said != TOLD_FAULT;
}

/* ---- refusals of version 1 ---- */

static const char *text_of(const struct pg_rows *rows, int row, int column, struct arena *a)
{
    return arena_text(a, pg_bytes(rows, row, column));
}

static enum told tell_reject(const struct pg_rows *rows, int row, reject_reader reader, void *self,
                             struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct reject reject = { .recorded_ms = pg_int(rows, row, 1),
                             .bytes = pg_int(rows, row, 2),
                             .code = text_of(rows, row, 3, &a),
                             .pointer = text_of(rows, row, 4, &a),
                             .message = text_of(rows, row, 5, &a),
                             .tenant = pg_bytes(rows, row, 6),
                             .subject = pg_bytes(rows, row, 7),
                             .event = pg_bytes(rows, row, 9) };
    struct error why;

    reject.erased = reject.bytes > 0 && reject.event.n == 0;
    pg_copy(rows, row, 8, &reject.digest, sizeof reject.digest);
    why.code = CODE_NONE;
    return told(reader(self, &reject, &why), &why, e);
}

bool store_postgres_read_former_rejects(struct store *store, reject_reader reader, void *self,
                                        struct error *e)
{
    enum told said = TOLD_MORE;
    int64_t after = 0;
    int count = CHUNK;

    while (said == TOLD_MORE && count == CHUNK) {
        uint8_t room[2][8];
        struct pg_value values[] = { pg_number(after, room[0]), pg_number(CHUNK, room[1]) };
        _rows_ struct pg_rows rows = { 0 };

        if (!pg_ask(store->pg, SQL_READ_FORMER_REJECTS, values, COUNT(values), &rows, e))
            return false;
        count = rows.count;
        for (int row = 0; row < count && said == TOLD_MORE; row++) {
            if (pg_int(&rows, row, 0) <= after)
                return strays(store, e);
            said = tell_reject(&rows, row, reader, self, e);
            after = pg_int(&rows, row, 0);
        }
    }
    return said != TOLD_FAULT;
}

/* ---- checkpoints ---- */

bool store_postgres_read_checkpoints(struct store *store, checkpoint_reader reader, void *self,
                                     struct error *e)
{
    enum told said = TOLD_MORE;
    int count = CHUNK;

    for (int64_t done = 0; said == TOLD_MORE && count == CHUNK; done += count) {
        uint8_t room[2][8];
        struct pg_value values[] = { pg_number(done, room[0]), pg_number(CHUNK, room[1]) };
        _rows_ struct pg_rows rows = { 0 };

        if (!pg_ask(store->pg, SQL_READ_CHECKPOINTS, values, COUNT(values), &rows, e))
            return false;
        count = rows.count;
        for (int row = 0; row < count && said == TOLD_MORE; row++) {
            struct kept_checkpoint c = { pg_int(&rows, row, 0), pg_int(&rows, row, 1),
                                         pg_bytes(&rows, row, 2) };
            struct error why;

            why.code = CODE_NONE;
            said = told(reader(self, &c, &why), &why, e);
        }
    }
    return said != TOLD_FAULT;
}

bool store_postgres_last_checkpoint(struct store *store, struct arena *a, struct str *note,
                                    struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };
    struct str bytes = { 0 };

    if (!pg_ask(store->pg, SQL_LAST_CHECKPOINT, NULL, 0, &rows, e))
        return false;
    if (rows.count)
        bytes = pg_bytes(&rows, 0, 0);
    *note = (struct str){ arena_text(a, bytes), bytes.n };
    return true;
}
