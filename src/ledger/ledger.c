/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c: opens a ledger, enters what is no event, and reads entries back. */
#include "ledger/ledger.h"

#include <string.h>

#include "ledger/erasure.h"
#include "ledger/reject.h"

enum { WORD_SAID = 32 };

/* ---- opening ---- */

/* A file's name may have a colon; behind these words it is an address that lacks its slashes. */
static bool is_word(struct str word)
{
    return str_is(word, "postgres") || str_is(word, "postgresql") || str_is(word, "file");
}

/* The word of an address, word://rest (RFC 3986, 3.1); of a file's name nothing. */
static struct str word_of(const char *where)
{
    static const char signs[] = "0123456789+-."
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t n = is_one_of(*where, "0123456789+-.") ? 0 : strspn(where, signs);
    struct str word = { where, n };

    if (strncmp(where + n, "://", 3) == 0 || (where[n] == ':' && is_word(word)))
        return word;
    return (struct str){ where, 0 };
}

bool ledger_is_file(const char *where)
{
    return word_of(where).n == 0;
}

bool ledger_is_known(const char *where, struct error *e)
{
    struct str word = word_of(where);
    const char *slashes = strncmp(where + word.n, "://", 3) == 0 ? "//" : "";

    if (word.n == 0 || (*slashes && is_word(word) && !str_is(word, "file")))
        return true;
    return error_set(e, CODE_USAGE,
                     "there is no ledger at '%.*s:%s..'; a ledger is a file, which is named by its "
                     "path alone, or is at postgres://.. or postgresql://..",
                     (int)(word.n < WORD_SAID ? word.n : WORD_SAID), word.s, slashes);
}

static const struct store_kind *kind_of(const char *where)
{
    return ledger_is_file(where) ? &store_sqlite : &store_postgres;
}

bool ledger_can_open(const char *where)
{
    return kind_of(where);
}

bool ledger_open(const struct store_open *how, struct arena *a, struct ledger *out, struct error *e)
{
    const struct store_kind *kind = kind_of(how->where);

    if (!ledger_is_known(how->where, e))
        return false;
    if (!kind)
        return error_set(e, ERROR_IO,
                         "PostgreSQL is in the program writ-postgres, not in this one");
    *out = (struct ledger){ .keep = { .kind = kind },
                            .world = how->world,
                            .scratch = { .max = HEADER_MAX } };
    return kind->open(how, a, &out->keep.store, e);
}

void ledger_close(struct ledger *l)
{
    if (l->keep.store)
        l->keep.kind->close(l->keep.store);
    l->keep.store = NULL;
    buf_free(&l->scratch);
}

/* ---- ledgers of version 1 ---- */

/* Enters their refusals, which are in no tree there, and makes them ledgers of this version. */
struct former {
    const struct world *world;
    struct arena a;
    struct entry *v;
    size_t n, room;
};

/* When it was refused stands in the entry as its createdAt. */
static bool take_former(void *self, const struct reject *r, struct error *e)
{
    struct former *f = self;
    struct entry entry;

    (void)e;
    entry = reject_entry(r, f->world, &f->a);
    entry.created_ms = r->recorded_ms;
    f->v = arena_more(&f->a, f->v, f->n, &f->room, sizeof *f->v);
    f->v[f->n++] = entry_copy(&entry, &f->a);
    return true;
}

static bool renew(struct ledger *l, struct error *e)
{
    struct former f = { .world = l->world };
    const struct store_kind *kind = l->keep.kind;
    bool ok = kind->read_former_rejects(l->keep.store, take_former, &f, e) &&
              kind->renew(l->keep.store, e) && (f.n == 0 || ledger_enter(l, f.v, f.n, e));

    arena_free(&f.a);
    return ok;
}

/* ---- appending ---- */

bool ledger_begin(struct ledger *l, struct error *e)
{
    if (!l->keep.kind->begin(l->keep.store, &l->tip, e))
        return false;
    if (l->tip.anew)
        l->tail.size = -1;
    l->now_ms = l->world->wall_ms(l->world->self);
    if (l->now_ms < l->tip.recorded_ms)
        l->now_ms = l->tip.recorded_ms; /* A02-10: it never decreases */
    if (!l->keep.kind->is_former(l->keep.store) || renew(l, e))
        return true;
    ledger_rollback(l);
    return false;
}

bool ledger_commit(struct ledger *l, bool durable, struct error *e)
{
    return l->keep.kind->commit(l->keep.store, durable, e);
}

void ledger_rollback(struct ledger *l)
{
    l->tail.size = -1;
    l->keep.kind->rollback(l->keep.store);
}

void ledger_place(struct ledger *l, struct entry *entry)
{
    entry->seq = l->tip.size++;
    entry_id_make(entry->seq, &entry->id);
    entry->recorded_ms = l->tip.recorded_ms = l->now_ms;
}

bool ledger_leaves(struct ledger *l, struct entry *entries, size_t n, struct arena *a,
                   struct error *e)
{
    struct digest *leaves = arena_raw(a, n * sizeof *leaves);

    if (entry_leaves(entries, n, &l->scratch, leaves) != n)
        return error_set(e, ERROR_CEILING, "the names of an entry have more than 32 MiB as JSON");
    for (size_t i = 0; i < n; i++)
        entries[i].leaf = leaves[i];
    return true;
}

bool ledger_enter(struct ledger *l, struct entry *entries, size_t n, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct links none = { .rerun_of = { "", 0 } };

    for (size_t i = 0; i < n; i++)
        if (!entry_header_fits(&entries[i]))
            return error_set(e, ERROR_CEILING,
                             "subject and tenant make a header of more than %d bytes: give the "
                             "entry shorter ones",
                             HEADER_ENTERED);
    if (!tail_ready(&l->tail, l->tip.size, n, &l->keep, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        l->world->chance(l->world->self, &entries[i].id, sizeof entries[i].id);
        ledger_place(l, &entries[i]);
    }
    if (!ledger_leaves(l, entries, n, &a, e) ||
        !l->keep.kind->add_entries(l->keep.store, entries, n, e))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!tail_take(&l->tail, &entries[i], &none, &l->keep, e))
            return false;
    return true;
}

/* ---- reading ---- */

bool ledger_look(struct ledger *l, struct error *e)
{
    if (!l->keep.kind->look(l->keep.store, &l->tip, e))
        return false;
    if (l->tip.anew)
        l->tail.size = -1;
    return true;
}

void ledger_look_end(struct ledger *l)
{
    l->keep.kind->look_end(l->keep.store);
}

static struct str copy_text(struct str text, struct arena *a)
{
    return (struct str){ arena_text(a, text), text.n };
}

struct entry entry_copy(const struct entry *entry, struct arena *a)
{
    struct entry copy = *entry;

    copy.subject = copy_text(entry->subject, a);
    copy.tenant = copy_text(entry->tenant, a);
    copy.robot = copy_text(entry->robot, a);
    copy.body = copy_text(entry->body, a);
    return copy;
}

struct find {
    const struct uuid *id;
    struct arena *a;
    struct entry *out;
    bool there;
};

static bool found(void *self, const struct entry *entry, struct error *e)
{
    struct find *f = self;

    (void)e;
    f->there = memcmp(&entry->id, f->id, sizeof *f->id) == 0;
    if (f->there)
        *f->out = entry_copy(entry, f->a);
    return true;
}

bool ledger_find(struct ledger *l, const struct uuid *id, struct arena *a, struct entry *out,
                 bool *there, struct error *e)
{
    int64_t seq = entry_id_seq(id);
    struct entry_range range = { .from = seq, .to = seq + 1, .bodies = true };
    struct find f = { id, a, out, false };

    *there = false;
    if (seq >= l->tip.size)
        return true;
    if (!l->keep.kind->read_entries(l->keep.store, &range, found, &f, e))
        return false;
    *there = f.there;
    return true;
}

/* ---- erasing ---- */

/* A note that cannot be read again would leave a body that is gone for no known reason. */
enum { REASON_MAX = 1 << 20 };

bool ledger_erase(struct ledger *l, const struct entry *entry, struct str reason,
                  struct entry *note, struct arena *a, struct error *e)
{
    _buf_ struct buf body = { .max = HEADER_MAX };
    struct erasure erasure = {
        .seq = entry->seq, .id = entry->id, .body_digest = entry->body_digest, .reason = reason
    };
    char id[ENTRY_ID_TEXT];

    if (reason.n > REASON_MAX)
        return error_set(e, ERROR_CEILING, "the reason has %zu bytes, at most %d are kept",
                         reason.n, REASON_MAX);
    entry_id_text(&entry->id, id);
    erasure_write(&erasure, &body);
    entry_of(ENTRY_NOTE, entry->tenant, copy_text(str_of(id), a), copy_text(buf_str(&body), a),
             l->world, note);
    return l->keep.kind->erase(l->keep.store, entry->seq, &erasure.body_digest, e) &&
           ledger_enter(l, note, 1, e);
}

bool ledger_sweep(struct ledger *l, struct error *e)
{
    return l->keep.kind->sweep(l->keep.store, e);
}
