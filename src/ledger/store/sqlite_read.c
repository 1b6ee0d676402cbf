/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_read.c: rows of the SQLite store, handed to readers. */
#include <string.h>

#include "ledger/store/sqlite.h"

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

/* A row as it is kept, before it is an entry. */
struct entry_row {
    int64_t seq, kind, place, traits, snapshot_ms, created_ms, recorded_ms;
    struct str id, subject, tenant, robot, content, leaf, salt, erased, body;
};

/* clang-format off */
#define AT(member) offsetof(struct entry_row, member)
static const struct column_place entry_places[ENTRY_COLUMNS] = {
    { 'i', AT(seq) },      { 'b', AT(id) },         { 'i', AT(kind) },        { 't', AT(subject) },
    { 't', AT(tenant) },   { 't', AT(robot) },      { 'i', AT(place) },       { 'i', AT(traits) },
    { 'i', AT(snapshot_ms) }, { 'i', AT(created_ms) }, { 'i', AT(recorded_ms) }, { 'b', AT(content) },
    { 'b', AT(leaf) },     { 'B', AT(salt) },       { 'B', AT(erased) },      { 'T', AT(body) },
};
#undef AT
/* clang-format on */

static bool take_bytes(struct str from, void *to, size_t n)
{
    if (from.n != n)
        return false;
    memcpy(to, from.s, n);
    return true;
}

/* Kept values that no entry can have are a damaged row's: they would lead past the ends of tables.
 */
static bool make_entry(const struct entry_row *row, bool bodies, struct entry *out)
{
    *out = (struct entry){
        .seq = row->seq,
        .kind = (enum entry_kind)row->kind,
        .subject = row->subject,
        .tenant = row->tenant,
        .robot = row->robot,
        .place = row->place,
        .created_ms = row->created_ms,
        .recorded_ms = row->recorded_ms,
        .body = { "", 0 },
        .erased = row->erased.s,
    };
    traits_unpack(row->traits, &out->traits);
    out->traits.snapshot_ms = row->snapshot_ms;
    if (!entry_can_be(row->seq) || row->kind < 0 || row->kind >= ENTRY_KIND_COUNT ||
        !entry_stands(out) || traits_pack(&out->traits) != row->traits ||
        !take_bytes(row->id, out->id.b, UUID_BYTES) ||
        !take_bytes(row->content, out->content.b, DIGEST_BYTES) ||
        !take_bytes(row->leaf, out->leaf.b, DIGEST_BYTES))
        return false;
    if (bodies && !out->erased != !!row->body.s)
        return false;
    if (bodies && row->body.s)
        out->body = row->body;
    if (out->erased)
        return take_bytes(row->erased, out->body_digest.b, DIGEST_BYTES) && !row->salt.s;
    return take_bytes(row->salt, out->salt, SALT_BYTES);
}

struct entry_teller {
    entry_reader reader;
    void *self;
    bool bodies;
};

static enum told tell_entry(struct store *s, struct query *q, void *to, struct error *e)
{
    const struct entry_teller *t = to;
    struct entry_row row;
    struct entry entry;

    if (!columns_read(q, entry_places, t->bodies ? ENTRY_COLUMNS : ENTRY_COLUMNS - 1, &row) ||
        !make_entry(&row, t->bodies, &entry)) {
        (void)store_damaged(s, "entry", column_int(q, 0), e);
        return TOLD_WRONG;
    }
    return told(t->reader(t->self, &entry, e), e);
}

/* ---- the walk ---- */

void sqlite_walk_end(struct store *s)
{
    if (s->walk.q)
        query_done(s->walk.q);
    s->walk.q = NULL;
}

/* An entry can be met on the way and not be found by its number, when the pages above it lead
 * elsewhere. The last one may have none beside it. */
static void note_lost(struct store *s, struct query *q)
{
    int64_t beside = column_int(q, 0) ^ 1;

    if (column_is_null(q, ENTRY_COLUMNS) && beside < s->tip.size && s->walk.lost < 0)
        s->walk.lost = beside;
}

static bool walk_on(struct store *s, int64_t rows, entry_reader reader, void *self, struct error *e)
{
    struct entry_teller to = { reader, self, true };
    struct error why = { 0 };
    enum told was = TOLD_MORE;
    bool row = true;

    for (; rows > 0 && was == TOLD_MORE && s->walk.q; rows--) {
        if (!query_step(s->walk.q, &row, e)) {
            s->walk.q = NULL;
            return false;
        }
        if (!row) {
            sqlite_walk_end(s);
            break;
        }
        s->walk.rows++;
        note_lost(s, s->walk.q);
        was = tell_entry(s, s->walk.q, &to, &why);
    }
    if (was == TOLD_WRONG)
        *e = why;
    return was != TOLD_WRONG;
}

bool sqlite_read_entries(struct store *s, const struct entry_range *range, entry_reader reader,
                         void *self, struct error *e)
{
    int up = range->bodies ? Q_ENTRIES_UP : Q_LIGHT_UP;
    int down = range->bodies ? Q_ENTRIES_DOWN : Q_LIGHT_DOWN;
    struct entry_teller to = { reader, self, range->bodies };
    struct query *q;

    if (range->walk) {
        if (range->from == 0) {
            sqlite_walk_end(s);
            s->walk.rows = 0;
            s->walk.lost = -1;
            if (!sqlite_query(&s->db, Q_ENTRIES_WALK, &s->walk.q, e))
                return false;
        }
        return walk_on(s, range->to - range->from, reader, self, e);
    }
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
        .recorded_ms = column_int(q, 1),
        .code = column_text(q, 2).s,
        .pointer = column_text(q, 3).s,
        .message = column_text(q, 4).s,
        .tenant = column_text(q, 5),
        .subject = column_text(q, 6),
        .event = column_blob(q, 7),
        .bytes = column_int(q, 9),
    };

    reject.erased = reject.bytes > 0 && reject.event.n == 0;
    if (!column_bytes(q, 8, reject.digest.b, DIGEST_BYTES)) {
        (void)store_damaged(s, "refusal", column_int(q, 0), e);
        return TOLD_WRONG;
    }
    return told(t->reader(t->self, &reject, e), e);
}

bool sqlite_read_former_rejects(struct store *s, reject_reader reader, void *self, struct error *e)
{
    struct reject_teller to = { reader, self };
    struct query *q;

    return sqlite_query(&s->db, Q_FORMER_REJECTS, &q, e) && each_row(s, q, tell_reject, &to, e);
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

bool sqlite_last_checkpoint(struct store *s, struct arena *a, struct str *note, struct error *e)
{
    struct str text = { 0 };
    struct query *q;
    bool row = false;

    if (!sqlite_query(&s->db, Q_CHECKPOINT_LAST, &q, e) || !query_step(q, &row, e))
        return false;
    if (row)
        text = column_text(q, 0);
    *note = (struct str){ arena_text(a, text), text.n };
    query_done(q);
    return true;
}
