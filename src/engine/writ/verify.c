/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: the public functions that prove: verify, checkpoint, prove. */
#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/formerly.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/meant.h"
#include "engine/seal.h"
#include "ledger/verify.h"

static void put_hex(struct buf *to, const char *key, const struct digest *d)
{
    char text[DIGEST_TEXT];

    digest_text(d, text);
    json_put(to, key, strchr(text, ':') + 1);
}

static void put_stamp(struct buf *to, const char *key, int64_t ms)
{
    char text[STAMP_TEXT];

    stamp_text(ms, text);
    json_put(to, key, ms ? text : NULL);
}

static void put_key(struct buf *to, const struct verifier *key)
{
    _buf_ struct buf text = { .max = CHECKPOINT_MAX };

    verifier_text(key, &text);
    json_put(to, "key", text.s);
}

/* The text of a checkpoint or proof that a caller handed over. */
static bool read_text(const struct writ_input *input, struct arena *a, struct str *out,
                      struct error *e)
{
    return input_bytes(input, CHECKPOINT_MAX, a, out, e) || error_wrap(e, "'%s'", input->name);
}

/* A checkpoint that was handed over: what cannot be one says nothing about a ledger. */
static bool read_checkpoint(const struct writ_input *input, struct arena *a,
                            struct signed_size *out, struct error *e)
{
    struct error why;

    if (!read_text(input, a, &out->note, e))
        return false;
    if (checkpoint_read(out->note, a, &out->c, &why))
        return true;
    return error_set(e, why.code,
                     "'%.200s' is no checkpoint (%.200s): give what writ checkpoint printed",
                     input->name, why.msg);
}

static int wrong(const struct error *e, char **answer)
{
    *answer = record_failure(e->code, e->msg);
    return WRIT_WRONG;
}

/* ---- verify ---- */

static void put_promises(const struct verification *v, struct buf *to)
{
    json_key(to, "checkpoints");
    json_open(to, '[');
    for (size_t i = 0; i < v->promise_count; i++) {
        const struct promise *p = &v->promises[i];

        json_open(to, '{');
        json_key(to, "size");
        if (p->c.size < 0)
            json_nil(to);
        else
            json_int(to, p->c.size);
        put_stamp(to, "made", p->c.made_ms);
        json_key(to, "holds");
        if (p->unjudged)
            json_nil(to);
        else
            json_bool(to, p->holds);
        json_put_bool(to, "signed", p->is_signed);
        json_put(to, "kept", p->kept);
        json_put(to, "file", p->file);
        json_put(to, "why", p->why);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_problem(const struct verification *v, struct buf *to)
{
    static const struct uuid none;
    char id[ENTRY_ID_TEXT];

    json_key(to, "problem");
    if (v->intact) {
        json_nil(to);
        return;
    }
    entry_id_text(&v->id, id);
    json_open(to, '{');
    json_key(to, "seq");
    if (v->seq < 0)
        json_nil(to);
    else
        json_int(to, v->seq);
    json_put(to, "ledger_id", memcmp(&v->id, &none, sizeof none) == 0 ? NULL : id);
    json_put(to, "message", v->why);
    json_close(to, '}');
}

/* Of how many entries the newest checkpoint that holds is. */
static int64_t covered(const struct verification *v)
{
    int64_t most = 0;

    for (size_t i = 0; i < v->promise_count; i++)
        if (v->promises[i].holds && v->promises[i].c.size > most)
            most = v->promises[i].c.size;
    return most;
}

static void put_verification(const struct writ_ledger *w, const struct verification *v,
                             struct buf *to)
{
    json_open(to, '{');
    json_put_bool(to, "intact", v->intact);
    json_put(to, "ledger", w->where);
    json_put_int(to, "entries", v->entries);
    json_put_int(to, "erased", v->erased);
    json_put_int(to, "covered", covered(v));
    put_hex(to, "root", &v->root);
    put_stamp(to, "newest", w->l.tip.recorded_ms);
    put_promises(v, to);
    put_problem(v, to);
    json_close(to, '}');
}

static bool unjudged(const struct verification *v)
{
    for (size_t i = 0; i < v->promise_count; i++)
        if (v->promises[i].unjudged)
            return true;
    return false;
}

/* Nothing speaks against the ledger, and what was to speak for it is not heard without a key. */
static int not_judged(char **answer)
{
    *answer = record_failure(
        CODE_KEY_UNKNOWN,
        "whether the checkpoint holds is not known: its signature was not checked, for no key of "
        "this ledger is here; give the one that writ checkpoint showed with --key (by its own "
        "hashes the ledger is intact)");
    return WRIT_UNAVAILABLE;
}

/* The one that is kept beside the ledger, when there is one. What lies there instead of it is a
 * promise that does not hold; what cannot be read is not known, and is not nothing. */
static bool add_beside(struct writ_ledger *w, const char *name, struct verification *v,
                       struct arena *a, struct error *e)
{
    const char *file = seal_file(w, "checkpoints", name, a);
    struct promise beside = { .kept = "file", .file = file };

    if (!file)
        return true;
    if (!fs_read_file(file, CHECKPOINT_MAX, a, &beside.note, e)) {
        if (e->sys == ENOENT || e->sys == ENOTDIR)
            return true;
        (void)error_wrap(e, "'%.200s', kept beside the ledger", file);
        if (e->sys)
            return false;
        beside.why = arena_text(a, str_of(e->msg));
    }
    v->promises[v->promise_count++] = beside;
    return true;
}

/* Another ledger was signed where this one is: that is told, and its checkpoint, which this one
 * does not own up to, is held against the entries all the same. */
static bool add_former(struct writ_ledger *w, const char *name, struct verification *v,
                       struct arena *a, struct error *e)
{
    struct verifier *by = arena_new(a, struct verifier);
    size_t before = v->promise_count;
    struct formerly f;
    bool known;

    if (!formerly_known(w, name, a, &f, e))
        return false;
    if (!f.name)
        return true;
    v->replaced = formerly_said(&f, name, a);
    if (!seal_verifier_of(w, f.name, a, by, &known, e) || !add_beside(w, f.name, v, a, e))
        return false;
    if (v->promise_count > before) {
        v->promises[before].origin = seal_origin(f.name, a);
        v->promises[before].by = known ? by : NULL;
    }
    return true;
}

int writ_verify(struct writ_ledger *ledger, const struct writ_input *checkpoint, const char *key,
                char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct promise outside[3];
    struct signed_size given;
    struct verification v = { .promises = outside, .seq = -1 };
    struct verifier by;
    char name[UUID_TEXT];
    struct error e = { 0 };
    bool ok = false, known = key;

    if (checkpoint && !given_input(checkpoint, "checkpoint", answer))
        return WRIT_USAGE;
    if (key ? !verifier_read(str_of(key), &a, &by, &e)
            : !seal_verifier(ledger, &a, &by, &known, &e))
        return e.sys ? record_unread(&e, answer) : wrong(&e, answer);
    if (checkpoint) {
        if (!read_checkpoint(checkpoint, &a, &given, &e))
            return wrong(&e, answer);
        outside[0] = (struct promise){ .note = given.note, .kept = "given" };
        v.promise_count = 1;
    }
    if (!ledger->l.keep.kind->ledger_name(ledger->l.keep.store, name, &e))
        return record_unread(&e, answer);
    v.origin = seal_origin(name, &a);
    if (!add_beside(ledger, name, &v, &a, &e) || !add_former(ledger, name, &v, &a, &e))
        return record_unread(&e, answer);
    v.by = known ? &by : NULL;
    if (ledger_look(&ledger->l, &e)) {
        ok = ledger_verify(&ledger->l, &v, &a, &e);
        ledger_look_end(&ledger->l);
    } else if (e.code == CODE_LEDGER_DAMAGED) { /* which is what was asked */
        v.promise_count = 0;
        v.why = e.msg;
        ok = true;
    }
    if (!ok)
        return record_unread(&e, answer);
    if (v.intact && unjudged(&v))
        return not_judged(answer);
    put_verification(ledger, &v, &out);
    return take_answer(&out, v.intact ? WRIT_OK : WRIT_NO, answer);
}

/* ---- checkpoint ---- */

/* What is not signed because it is not what it was is not intact, as verify says it. */
static int unsigned_for(const struct error *e, char **answer)
{
    int status = record_unwritten(e, answer);

    if (e->code == CODE_USAGE)
        return WRIT_USAGE;
    return e->code == CODE_LEDGER_DAMAGED ? WRIT_NO : status;
}

int writ_checkpoint(struct writ_ledger *ledger, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct signed_size now;
    struct verifier by;
    struct error e;

    if (!seal_now(ledger, &a, &now, &by, &e))
        return unsigned_for(&e, answer);
    json_open(&out, '{');
    json_put(&out, "checkpoint", now.note.s);
    json_put_int(&out, "size", now.c.size);
    put_hex(&out, "root", &now.c.root);
    put_key(&out, &by);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}

/* ---- prove ---- */

/* A proof has a whole body in it: it is larger and deeper than any document that may be entered.
 * Of values, each of which takes more memory than its text, it has as many as two of them. */
static struct ceilings ceilings_proof(void)
{
    struct ceilings c = ceilings_none();

    c.v[CEILING_VALUES] = 2 * ceilings_default().v[CEILING_VALUES];
    return c;
}

/* What is handed out as a proof holds: it is checked as its reader will check it, by our key. */
static bool proof_holds(const struct buf *proof, const struct verifier *by, struct arena *a,
                        struct error *e)
{
    struct ceilings max = ceilings_proof();
    const struct document *document;
    struct proof_finding f;

    if (!json_read("proof", buf_str(proof), &max, a, &document, e))
        return error_wrap(e, "it cannot be proved");
    proof_check(&document->root, by, a, &f);
    return f.holds ||
           error_set(e, CODE_LEDGER_DAMAGED,
                     "it cannot be proved: %.300s; writ verify tells what became of the ledger",
                     f.why);
}

/* The proof, or why there is none. */
static int hand_out(struct buf *proof, const struct verifier *by, struct arena *a, char **answer)
{
    struct error e;

    if (proof_holds(proof, by, a, &e)) {
        return take_answer(proof, WRIT_OK, answer);
    }
    *answer = record_failure(e.code, e.msg);
    return WRIT_NO;
}

static int prove_entry(struct writ_ledger *w, const char *id, struct arena *a, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct meant m = { .w = w, .a = a, .asked = str_of(id) };
    struct signed_size now;
    struct verifier by;
    struct entry entry;
    struct error e = { 0 };
    bool there = false, ok;

    if (!ledger_look(&w->l, &e))
        return record_unread(&e, answer);
    ok = meant_entry(&m, &entry, &there);
    ledger_look_end(&w->l);
    if (!ok)
        return record_unread(&m.e, answer);
    if (!there) {
        meant_candidates(&m, &out);
        return take_answer(&out, WRIT_NO, answer);
    }
    if (!seal_over(w, entry.seq, a, &now, &by, &e))
        return unsigned_for(&e, answer);
    if (!ledger_look(&w->l, &e))
        return record_unread(&e, answer);
    ok = proof_of_entry(&w->l, &entry, &now, &by, &out, &e);
    ledger_look_end(&w->l);
    return ok ? hand_out(&out, &by, a, answer) : record_unread(&e, answer);
}

/* May this ledger be held against it? One that nobody signed, or that was changed, says nothing
 * against the ledger. */
static bool is_ours(const char *name, const struct signed_size *old, const struct signed_size *now,
                    const struct verifier *by, struct error *e)
{
    struct error why;

    if (!str_eq(old->c.origin, now->c.origin))
        return error_set(e, CODE_ENTRY_UNKNOWN, "'%.200s' is of another ledger, %.*s; this is %.*s",
                         name, STR_ARG(old->c.origin), STR_ARG(now->c.origin));
    if (!checkpoint_signed(old->note, by, &why))
        return error_set(e, why.code, "'%.100s' is not as this ledger signed it: %.300s", name,
                         why.msg);
    return old->c.size <= now->c.size ||
           error_set(e, CODE_ENTRY_UNKNOWN, "the ledger is shorter than it was at this checkpoint");
}

static int prove_since(struct writ_ledger *w, const struct writ_input *since, struct arena *a,
                       char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct signed_size old, now;
    struct verifier by;
    struct error e = { 0 };
    bool ok;

    if (!read_checkpoint(since, a, &old, &e))
        return wrong(&e, answer);
    if (!seal_over(w, INT64_MAX, a, &now, &by, &e))
        return unsigned_for(&e, answer);
    if (!is_ours(since->name, &old, &now, &by, &e)) {
        *answer = record_failure(e.code, e.msg);
        return WRIT_NO;
    }
    if (!ledger_look(&w->l, &e))
        return record_unread(&e, answer);
    ok = proof_since(&w->l, &old, &now, &by, &out, &e);
    ledger_look_end(&w->l);
    return ok ? hand_out(&out, &by, a, answer) : record_unread(&e, answer);
}

int writ_prove(struct writ_ledger *ledger, const char *id, const struct writ_input *since,
               char **answer)
{
    _arena_ struct arena a = { 0 };

    if (!id && !given_input(since, "since", answer))
        return WRIT_USAGE;
    return id ? prove_entry(ledger, id, &a, answer) : prove_since(ledger, since, &a, answer);
}

static void put_finding(const struct proof_finding *f, struct buf *to)
{
    json_open(to, '{');
    json_put_bool(to, "holds", f->holds);
    json_put(to, "proof", f->proof);
    json_put_int(to, "index", f->index);
    json_put_bool(to, "body", f->body);
    json_put_int(to, "size", f->c.size);
    json_put_outside(to, "origin", f->c.origin);
    put_stamp(to, "made", f->c.made_ms);
    put_key(to, &f->key);
    json_put_bool(to, "trusted", f->trusted);
    json_put(to, "message", f->why);
    json_close(to, '}');
}

/* As it was checked when it was handed out, which was as JSON. What is none is a document like any
 * other, and so is what is wrong with it told; what is too much is not read once more. */
static bool read_proof(const struct writ_input *proof, struct arena *a, const struct document **out,
                       struct report *r)
{
    struct ceilings max = ceilings_proof();
    struct writ_input text = { .name = proof->name };
    struct str bytes;
    struct error e;

    if (input_bytes(proof, ANSWER_MAX, a, &bytes, &e)) {
        if (json_read(proof->name, bytes, &max, a, out, &e))
            return true;
        text.text = bytes.s;
        text.len = bytes.n;
        if (e.code != CODE_CEILING)
            return input_read(&text, a, out, r);
    }
    *r = report_new(a, proof->name, (struct str){ 0 });
    report_error(r, &e);
    return false;
}

/* Anybody can sign a proof of a ledger of his own: that somebody did is no answer. */
static int found(const struct proof_finding *f)
{
    return !f->holds ? WRIT_NO : f->trusted ? WRIT_OK : WRIT_UNAVAILABLE;
}

int writ_verify_proof(const struct writ_input *proof, const char *key, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct document *document;
    struct proof_finding f;
    struct verifier trust;
    struct report r;
    struct error e;

    if (!given_input(proof, "proof", answer))
        return WRIT_USAGE;
    if (key && !verifier_read(str_of(key), &a, &trust, &e))
        return wrong(&e, answer);
    if (!read_proof(proof, &a, &document, &r)) {
        report_finish(&r);
        input_answer(&r, NULL, &out);
        return take_answer(&out, WRIT_WRONG, answer);
    }
    proof_check(&document->root, key ? &trust : NULL, &a, &f);
    if (!f.proof) {
        (void)error_set(&e, CODE_SYNTAX, "'%.200s' is no proof: give what writ prove printed",
                        proof->name);
        return wrong(&e, answer);
    }
    put_finding(&f, &out);
    return take_answer(&out, found(&f), answer);
}
