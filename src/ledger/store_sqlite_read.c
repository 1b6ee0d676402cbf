/* SPDX-License-Identifier: Apache-2.0 */
/* store_sqlite_read.c: rows of the SQLite store, handed to readers. */
#include <string.h>

#include "ledger/store_sqlite.h"

/* What one row came to for its reader. */
enum told { TOLD_MORE, TOLD_ENOUGH, TOLD_WRONG };

static enum told told(bool more, const struct error *e)
{
    if (more)
        return TOLD_MORE;
    return e->code == 0 ? TOLD_ENOUGH : TOLD_WRONG;
}

/* Steps through the rows; each is read and told by one function. A reader says why it stops in an
 * error of its own, since code 0 there means that it has seen enough. */
typedef enum told (*row_teller)(struct store *s, struct query *q, void *to, struct error *e);

static bool each_row(struct store *s, struct query *q, row_teller tell, void *to, struct error *e)
{
    struct error why = { 0 };
    enum told was = TOLD_MORE;
    bool row = true;

    while (was == TOLD_MORE) {
        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        was = tell(s, q, to, &why);
    }
    query_done(q);
    if (was == TOLD_WRONG)
        *e = why;
    return was != TOLD_WRONG;
}

/* ---- entries ---- */

/* Kept values that no entry can have are a damaged row's: they would lead past the ends of tables.
 */
static bool read_entry(struct store *s, struct query *q, struct entry *out, struct error *e)
{
    int64_t kind = column_int(q, 2), traits = column_int(q, 7);

    *out = (struct entry){
        .seq = column_int(q, 0),
        .kind = (enum entry_kind)kind,
        .subject = column_text(q, 3),
        .tenant = column_text(q, 4),
        .robot = column_text(q, 5),
        .place = column_int(q, 6),
        .created_ms = column_int(q, 9),
        .recorded_ms = column_int(q, 10),
        .erased = !column_is_null(q, 14),
    };
    traits_unpack(traits, &out->traits);
    out->traits.snapshot_ms = column_int(q, 8);
    if (kind < 0 || kind >= ENTRY_KIND_COUNT || !entry_stands(out) ||
        traits_pack(&out->traits) != traits || !column_bytes(q, 1, out->id.b, UUID_BYTES) ||
        !column_bytes(q, 11, out->content.b, DIGEST_BYTES) ||
        !column_bytes(q, 12, out->leaf.b, DIGEST_BYTES))
        return store_damaged(s, "entry", out->seq, e);
    if (out->erased
            ? !column_bytes(q, 14, out->body_digest.b, DIGEST_BYTES) || !column_is_null(q, 13)
            : !column_bytes(q, 13, out->salt, SALT_BYTES))
        return store_damaged(s, "entry", out->seq, e);
    return true;
}

struct entry_teller {
    entry_reader reader;
    void *self;
    bool bodies;
};

static enum told tell_entry(struct store *s, struct query *q, void *to, struct error *e)
{
    const struct entry_teller *t = to;
    struct entry entry;

    if (!read_entry(s, q, &entry, e))
        return TOLD_WRONG;
    if (t->bodies && entry.erased != column_is_null(q, 15)) {
        (void)store_damaged(s, "entry", entry.seq, e);
        return TOLD_WRONG;
    }
    entry.body = t->bodies ? column_text(q, 15) : (struct str){ "", 0 };
    return told(t->reader(t->self, &entry, e), e);
}

bool sqlite_read_entries(struct store *s, const struct entry_range *range, entry_reader reader,
                         void *self, struct error *e)
{
    int up = range->bodies ? Q_ENTRIES_UP : Q_LIGHT_UP;
    int down = range->bodies ? Q_ENTRIES_DOWN : Q_LIGHT_DOWN;
    struct entry_teller to = { reader, self, range->bodies };
    struct query *q;

    if (!sqlite_query(&s->db, range->backwards ? down : up, &q, e))
        return false;
    query_int(q, 1, range->from);
    query_int(q, 2, range->to);
    return each_row(s, q, tell_entry, &to, e);
}

/* ---- what is asked ---- */

static bool read_asked(struct store *s, struct query *q, struct asked_entry *out, struct arena *a,
                       struct error *e)
{
    struct str tenant = column_text(q, 4), subject = column_text(q, 5);
    int64_t kind = column_int(q, 2);

    out->seq = column_int(q, 0);
    if (!column_bytes(q, 1, out->id.b, UUID_BYTES) || kind < 0 || kind >= ENTRY_KIND_COUNT)
        return store_damaged(s, "entry", out->seq, e);
    out->kind = (enum entry_kind)kind;
    out->created_ms = column_int(q, 3);
    out->tenant = (struct str){ arena_text(a, tenant), tenant.n };
    out->subject = (struct str){ arena_text(a, subject), subject.n };
    out->there = true;
    return true;
}

static bool ask_row(struct store *s, struct query *q, struct asked_entry *out, struct arena *a,
                    struct error *e)
{
    bool row = false, ok;

    if (!query_step(q, &row, e))
        return false;
    out->there = false;
    ok = !row || read_asked(s, q, out, a, e);
    query_done(q);
    return ok;
}

bool sqlite_ask_entries(struct store *s, struct asked_entry *asked, size_t n, struct arena *a,
                        struct error *e)
{
    for (size_t i = 0; i < n; i++) {
        struct query *q;

        if (!sqlite_query(&s->db, Q_ENTRY_ASK, &q, e))
            return false;
        query_int(q, 1, asked[i].seq);
        if (!ask_row(s, q, &asked[i], a, e))
            return false;
    }
    return true;
}

bool sqlite_newest_input(struct store *s, struct str tenant, struct str subject,
                         struct asked_entry *out, struct arena *a, struct error *e)
{
    struct query *q;

    if (!sqlite_query(&s->db, Q_INPUT_NEWEST, &q, e))
        return false;
    query_text(q, 1, tenant);
    query_text(q, 2, subject);
    return ask_row(s, q, out, a, e);
}

/* ---- blocks, rejects, checkpoints ---- */

struct block_teller {
    block_reader reader;
    void *self;
};

static enum told tell_block(struct store *s, struct query *q, void *to, struct error *e)
{
    const struct block_teller *t = to;
    struct block block = { .level = (int)column_int(q, 0), .n = column_int(q, 1) };

    if (!column_bytes(q, 2, block.root.b, DIGEST_BYTES) ||
        (block.level == 0 && !column_bytes(q, 3, block.names.bits, NAMES_BYTES))) {
        (void)store_damaged(s, "block", block.n, e);
        return TOLD_WRONG;
    }
    return told(t->reader(t->self, &block, e), e);
}

bool sqlite_read_blocks(struct store *s, const struct block_range *range, block_reader reader,
                        void *self, struct error *e)
{
    struct block_teller teller = { reader, self };
    struct query *q;

    if (!sqlite_query(&s->db, Q_BLOCKS, &q, e))
        return false;
    query_int(q, 1, range->level);
    query_int(q, 2, range->from);
    query_int(q, 3, range->to);
    return each_row(s, q, tell_block, &teller, e);
}

struct reject_teller {
    reject_reader reader;
    void *self;
};

static enum told tell_reject(struct store *s, struct query *q, void *to, struct error *e)
{
    const struct reject_teller *t = to;
    struct reject reject = {
        .n = column_int(q, 0),
        .recorded_ms = column_int(q, 1),
        .code = column_text(q, 2).s,
        .pointer = column_text(q, 3).s,
        .message = column_text(q, 4).s,
        .tenant = column_text(q, 5),
        .subject = column_text(q, 6),
        .event = column_blob(q, 7),
        .bytes = column_int(q, 9),
    };

    if (!column_bytes(q, 8, reject.digest.b, DIGEST_BYTES)) {
        (void)store_damaged(s, "reject", reject.n, e);
        return TOLD_WRONG;
    }
    return told(t->reader(t->self, &reject, e), e);
}

bool sqlite_read_rejects(struct store *s, int64_t newest, reject_reader reader, void *self,
                         struct error *e)
{
    struct reject_teller to = { reader, self };
    struct query *q;

    if (!sqlite_query(&s->db, Q_REJECTS, &q, e))
        return false;
    query_int(q, 1, newest);
    return each_row(s, q, tell_reject, &to, e);
}

struct checkpoint_teller {
    checkpoint_reader reader;
    void *self;
};

static enum told tell_checkpoint(struct store *s, struct query *q, void *to, struct error *e)
{
    const struct checkpoint_teller *t = to;
    struct kept_checkpoint c = { column_int(q, 0), column_int(q, 1), column_text(q, 2) };

    (void)s;
    return told(t->reader(t->self, &c, e), e);
}

bool sqlite_read_checkpoints(struct store *s, checkpoint_reader reader, void *self, struct error *e)
{
    struct checkpoint_teller to = { reader, self };
    struct query *q;

    if (!sqlite_query(&s->db, Q_CHECKPOINTS, &q, e))
        return false;
    return each_row(s, q, tell_checkpoint, &to, e);
}
