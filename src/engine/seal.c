/* SPDX-License-Identifier: Apache-2.0 */
/* seal.c: makes checkpoints and keeps them. */
#include "engine/seal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "engine/formerly.h"
#include "engine/home.h"

const char *seal_file(const struct writ_ledger *w, const char *folder, const char *name,
                      struct arena *a)
{
    const char *part = home_part(str_of(name), a);

    return w->state ? arena_printf(a, "%s/%s/%s", w->state, folder, part) : NULL;
}

static bool name_of(struct writ_ledger *w, char out[UUID_TEXT], struct error *e)
{
    return w->l.keep.kind->ledger_name(w->l.keep.store, out, e);
}

struct str seal_origin(const char *name, struct arena *a)
{
    return str_of(arena_printf(a, "writ/%s", name));
}

/* ---- the last checkpoint ---- */

/* The last one that the ledger has; empty: none was made yet. */
static bool newest_note(struct writ_ledger *w, struct arena *a, struct str *out, struct error *e)
{
    bool ok;

    if (!ledger_look(&w->l, e))
        return false;
    ok = w->l.keep.kind->last_checkpoint(w->l.keep.store, a, out, e);
    ledger_look_end(&w->l);
    return ok;
}

/* ---- the key ---- */

bool seal_verifier_of(const struct writ_ledger *w, const char *name, struct arena *a,
                      struct verifier *out, bool *known, struct error *e)
{
    const char *file = seal_file(w, "keys", arena_printf(a, "%s.pub", name), a);
    struct str text;

    *known = false;
    if (!file)
        return true;
    if (!fs_read_file(file, CHECKPOINT_MAX, a, &text, e))
        return e->sys == ENOENT || e->sys == ENOTDIR || error_wrap(e, "the key '%.200s'", file);
    while (text.n && text.s[text.n - 1] == '\n')
        text.n--;
    *known = true;
    return verifier_read(text, a, out, e);
}

bool seal_verifier(struct writ_ledger *w, struct arena *a, struct verifier *out, bool *known,
                   struct error *e)
{
    char name[UUID_TEXT];

    return name_of(w, name, e) && seal_verifier_of(w, name, a, out, known, e);
}

/* With another key than before, all older checkpoints would not hold any more. */
static bool refuse_key(const char *file, const char *why, struct error *e)
{
    return error_set(e, CODE_IO,
                     "nothing was signed: the key of the checkpoints that the ledger has is not in "
                     "'%.150s' (%.150s); bring that key back, from a copy of it or from the state "
                     "directory that signed, or begin a new ledger with --ledger",
                     file, why);
}

static bool signed_before(const char *file, struct str note, const struct verifier *by,
                          struct error *e)
{
    struct error why;

    return note.n == 0 || checkpoint_signed(note, by, &why) || refuse_key(file, why.msg, e);
}

/* Since load_key() looked, somebody with another state directory, and another key, may have made
 * the first one. Between begin and commit, so that nobody else does: the note is the last one. */
static bool still_ours(struct writ_ledger *w, const char *name, const struct verifier *by,
                       struct arena *a, struct str *note, struct error *e)
{
    return w->l.keep.kind->last_checkpoint(w->l.keep.store, a, note, e) &&
           signed_before(seal_file(w, "keys", name, a), *note, by, e);
}

/* A key is made for the first checkpoint alone. */
static bool load_key(struct writ_ledger *w, const char *name, struct arena *a, struct sign_key *key,
                     struct verifier *by, struct error *e)
{
    const char *file = seal_file(w, "keys", name, a);
    uint8_t seed[SIGN_SEED];
    struct str last;
    bool loaded;

    if (!file)
        return error_set(e, CODE_IO, "there is no state directory to keep a key in");
    if (!newest_note(w, a, &last, e))
        return false;
    if (last.n && access(file, F_OK) != 0 && errno == ENOENT)
        return refuse_key(file, "there is no such file", e);
    if (!fs_make_dirs(arena_printf(a, "%s/keys", w->state), e))
        return false;
    w->l.world->chance(w->l.world->self, seed, sizeof seed);
    by->name = seal_origin(name, a);
    loaded = key_load(file, by->name, true, seed, key, e);
    explicit_bzero(seed, sizeof seed);
    if (!loaded)
        return false;
    memcpy(by->public, key->public, sizeof by->public);
    return signed_before(file, last, by, e);
}

/* ---- checkpoints ---- */

/* The one beside the ledger; empty: there is none. */
static bool note_beside(const struct writ_ledger *w, const char *name, struct arena *a,
                        struct str *out, struct error *e)
{
    const char *file = seal_file(w, "checkpoints", name, a);

    *out = (struct str){ 0 };
    if (!file || fs_read_file(file, CHECKPOINT_MAX, a, out, e) || e->sys == ENOENT ||
        e->sys == ENOTDIR)
        return true;
    return error_wrap(e, "nothing was signed: '%.200s', kept beside the ledger", file);
}

/* Who looked at the ledger earlier may sign it later: what is kept beside it never goes back. */
static bool goes_back(struct str beside, const struct checkpoint *c, struct arena *a)
{
    struct checkpoint kept;
    struct error why;

    return beside.n && checkpoint_read(beside, a, &kept, &why) && str_eq(kept.origin, c->origin) &&
           kept.size > c->size;
}

/* Between begin and commit, so that nobody else does. */
static bool keep_beside(const struct writ_ledger *w, const char *name, const struct signed_size *s,
                        struct arena *a, struct error *e)
{
    struct str beside;

    if (!note_beside(w, name, a, &beside, e))
        return false;
    if (goes_back(beside, &s->c, a))
        return true;
    return fs_make_dirs(arena_printf(a, "%s/checkpoints", w->state), e) &&
           fs_write(seal_file(w, "checkpoints", name, a), s->note, e) &&
           formerly_keep(w, name, a, e);
}

/* size: -1 where it cannot be read. */
static bool not_as_promised(const char *kept, int64_t size, const char *why, struct error *e)
{
    _arena_ struct arena a = { 0 };

    return error_set(e, CODE_LEDGER_DAMAGED,
                     "nothing was signed: the checkpoint %sthat is kept %s the ledger does not "
                     "hold: %.200s; keep that checkpoint, and see writ verify",
                     size < 0 ? "" : arena_printf(&a, "of size %" PRId64 " ", size), kept, why);
}

/* Is the ledger, as it is looked at, still what an earlier checkpoint says of it? To sign one that
 * is not would make a second history of it, and cover the only trace of the first. */
static bool as_promised(struct ledger *l, struct str note, const char *kept, struct str origin,
                        struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct hashes hashes;
    struct tree_source source = hashes_of(&hashes, l);
    struct checkpoint c;
    struct digest root;
    struct error why;

    if (note.n == 0)
        return true;
    if (!checkpoint_read(note, &a, &c, &why))
        return not_as_promised(kept, -1, why.msg, e);
    if (!str_eq(c.origin, origin))
        return not_as_promised(kept, c.size, "it is of another ledger", e);
    if (c.size > l->tip.size)
        return not_as_promised(kept, c.size,
                               arena_printf(&a,
                                            "there are only %" PRId64 " entries: the end is "
                                            "missing",
                                            l->tip.size),
                               e);
    if (!tree_root_at(c.size, &source, &root, e))
        return false;
    return memcmp(&root, &c.root, sizeof root) == 0 ||
           not_as_promised(kept, c.size, "the entries are not those it was made for", e);
}

static bool look_at(struct writ_ledger *w, struct str beside, struct arena *a,
                    struct signed_size *out, struct error *e)
{
    struct str inside;
    struct ledger *l = &w->l;
    struct hashes hashes;
    struct tree_source source = hashes_of(&hashes, l);

    out->c.size = l->tip.size;
    if (!l->keep.kind->last_checkpoint(l->keep.store, a, &inside, e) ||
        !as_promised(l, beside, "beside", out->c.origin, e) ||
        !as_promised(l, inside, "in", out->c.origin, e) ||
        !tree_root_at(out->c.size, &source, &out->c.root, e))
        return false;
    out->note = inside;
    return true;
}

/* Size and root of the ledger, which has to have all that was ever signed, and the note that was
 * signed last. What is beside it is read first: a ledger only grows meanwhile. */
static bool root_now(struct writ_ledger *w, const char *name, struct arena *a,
                     struct signed_size *out, struct error *e)
{
    struct str beside;
    bool ok;

    out->c.origin = seal_origin(name, a);
    if (!note_beside(w, name, a, &beside, e) || !ledger_look(&w->l, e))
        return false;
    ok = look_at(w, beside, a, out, e);
    ledger_look_end(&w->l);
    return ok;
}

/* Where another ledger was signed at this place, its checkpoint is the only trace of it: what is
 * here now is not signed before somebody has said that this is meant. */
static bool is_the_one(const struct writ_ledger *w, const char *name, struct arena *a,
                       struct error *e)
{
    struct formerly f;

    if (!formerly_known(w, name, a, &f, e))
        return error_wrap(e, "nothing was signed");
    return !f.name ||
           error_set(e, CODE_LEDGER_DAMAGED, "nothing was signed: %s", formerly_said(&f, name, a));
}

/* Nothing came since the last checkpoint, which holds: it says what a new one would. */
static bool says_it(struct signed_size *s, struct arena *a)
{
    struct checkpoint last;
    struct error why;

    if (s->note.n == 0 || !checkpoint_read(s->note, a, &last, &why) || last.size != s->c.size)
        return false;
    s->c = last;
    return true;
}

static bool add(struct writ_ledger *w, const struct sign_key *key, struct arena *a,
                struct signed_size *s, struct error *e)
{
    _buf_ struct buf note = { .max = CHECKPOINT_MAX };
    struct kept_checkpoint c;

    s->c.made_ms = w->l.world->wall_ms(w->l.world->self);
    checkpoint_write(&s->c, key, &note);
    s->note = (struct str){ arena_text(a, buf_str(&note)), note.len };
    c = (struct kept_checkpoint){ s->c.size, s->c.made_ms, s->note };
    return w->l.keep.kind->add_checkpoint(w->l.keep.store, &c, e);
}

/* Steps of plans do not wait for the disk. What a checkpoint promises is there before the note is
 * kept: it would say for good that the end is missing, should the power fail in between. */
static bool settle(struct writ_ledger *w, struct error *e)
{
    if (!ledger_begin(&w->l, e))
        return false;
    if (ledger_commit(&w->l, true, e))
        return true;
    ledger_rollback(&w->l);
    return false;
}

bool seal_now(struct writ_ledger *w, struct arena *a, struct signed_size *out, struct verifier *by,
              struct error *e)
{
    _cleanup_(sign_key_wipe) struct sign_key key = { 0 };
    char name[UUID_TEXT];

    if (!record_writable(w, e) || !name_of(w, name, e) || !is_the_one(w, name, a, e) ||
        !root_now(w, name, a, out, e) || !load_key(w, name, a, &key, by, e) || !settle(w, e))
        return false;
    if (!ledger_begin(&w->l, e))
        return false;
    if (still_ours(w, name, by, a, &out->note, e) && (says_it(out, a) || add(w, &key, a, out, e)) &&
        keep_beside(w, name, out, a, e) && ledger_commit(&w->l, true, e))
        return key_publish(seal_file(w, "keys", name, a), by->name, &key, e) ||
               error_wrap(e, "the checkpoint was made, but not its public key");
    ledger_rollback(&w->l);
    return false;
}

bool seal_over(struct writ_ledger *w, int64_t seq, struct arena *a, struct signed_size *out,
               struct verifier *by, struct error *e)
{
    struct str newest;
    bool known;

    if (!newest_note(w, a, &newest, e) || !seal_verifier(w, a, by, &known, e))
        return false;
    out->note = newest;
    if (known && newest.n && checkpoint_signed(newest, by, e) &&
        checkpoint_read(newest, a, &out->c, e) && out->c.size > seq)
        return true;
    return seal_now(w, a, out, by, e);
}
