/* SPDX-License-Identifier: Apache-2.0 */
/* append.c: the public functions that write to a ledger: append, input. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "base/elsewhere.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "contract/codes.h"
#include "engine/event.h"
#include "engine/feed.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/record.h"
#include "ledger/append.h"

/* ---- answers ---- */

static void put_reason(const struct draft *d, struct buf *to)
{
    json_put(to, "code", codes[d->code].name);
    json_put(to, "pointer", d->pointer);
    json_put(to, "message", d->message);
}

/* What a rule of the ledger says is no problem of the document's, and the one reason. */
static void put_problems(const struct draft *d, bool warnings, struct buf *to)
{
    bool wrong = false;

    json_key(to, warnings ? "warnings" : "problems");
    json_open(to, '[');
    for (const struct problem *p = d->report.first; p; p = p->next) {
        if (p->warning != warnings)
            continue;
        wrong = true;
        json_open(to, '{');
        json_put(to, "code", codes[p->code].name);
        json_put(to, "pointer", p->pointer);
        json_put(to, "message", p->msg);
        json_close(to, '}');
    }
    if (!warnings && !wrong) {
        json_open(to, '{');
        put_reason(d, to);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_id(const struct uuid *id, struct buf *to)
{
    char text[ENTRY_ID_TEXT];

    entry_id_text(id, text);
    json_put(to, "ledger_id", text);
}

static void put_accepted(const struct draft *d, struct buf *to)
{
    const struct traits *t = &d->entry.traits;
    bool draft = gate_for(t->coherence, t->policy, t->dry_run)->draft;

    put_id(&d->id, to);
    json_put_int(to, "seq", d->seq);
    json_put_text(to, "execution", d->entry.subject);
    json_put_int(to, "attempt", place_attempt(d->entry.place));
    json_put(to, "state", event_state_names[place_state(d->entry.place)]);
    if (draft)
        json_put_bool(to, "draft", true); /* A02-13: its artifacts stay drafts */
    put_problems(d, true, to);
}

static void put_refused(const struct draft *d, struct buf *to)
{
    json_put(to, "ledger_id", NULL);
    put_reason(d, to);
    put_problems(d, false, to);
}

static void put_verdict(struct draft *d, int64_t line, struct buf *to)
{
    static const char *const words[] = { [VERDICT_NONE] = "refused",
                                         [VERDICT_APPENDED] = "appended",
                                         [VERDICT_DUPLICATE] = "duplicate",
                                         [VERDICT_REFUSED] = "refused" };

    report_finish(&d->report);
    json_open(to, '{');
    json_put_int(to, "line", line);
    json_put(to, "status", words[d->verdict]);
    if (d->verdict == VERDICT_REFUSED)
        put_refused(d, to);
    else
        put_accepted(d, to);
    json_close(to, '}');
}

/* ---- append ---- */

struct appending {
    struct writ_ledger *w;
    struct feed feed;
    enum policy policy;
    writ_line line;
    void *self;
    bool refused, unheard; /* unheard: nobody wants the answers any more */
    bool unread;           /* what follows could not be read */
    struct batch *next;    /* being answered and read in a thread of its own */
    bool owed;             /* it was committed, and nobody has been told */
    sem_t answered;
    atomic_bool read;
};

static bool commit(struct appending *p, struct batch *b, struct error *e)
{
    struct ledger *l = &p->w->l;

    if (!ledger_begin(l, e))
        return false;
    if (ledger_append(l, b->drafts, b->n, &b->a, e) && ledger_commit(l, true, e))
        return true;
    ledger_rollback(l);
    return false;
}

static void answer(struct appending *p, struct batch *b)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };

    for (size_t i = 0; i < b->n; i++) {
        p->refused |= b->drafts[i].verdict == VERDICT_REFUSED;
        if (p->unheard)
            continue;
        buf_reset(&out);
        put_verdict(&b->drafts[i], b->lines[i], &out);
        p->unheard = !p->line(p->self, out.s, out.len);
    }
}

/* Answers what is owed, then reads the next batch in its place. */
static void *read_next(void *self)
{
    struct appending *p = self;

    if (p->owed)
        answer(p, p->next);
    (void)sem_post(&p->answered);
    feed_batch(&p->feed, p->policy, p->w->l.world, p->next);
    atomic_store(&p->read, true);
    return NULL;
}

/* Commits a batch while the other one is answered and read anew. Who has sent more already can wait
 * for the answers until then; who waits for them is answered at once. */
static bool take_turn(struct appending *p, struct batch *b, struct error *e)
{
    pthread_t thread;
    bool beside, ok, later;

    atomic_store(&p->read, false);
    beside = !p->feed.ended && elsewhere_thread(&thread, read_next, p) == 0;
    if (!beside && p->owed)
        answer(p, p->next);
    ok = commit(p, b, e);
    later = beside && ok && atomic_load(&p->read);
    if (!ok)
        feed_stop(&p->feed); /* whoever waits for an answer sends nothing more */
    while (beside && sem_wait(&p->answered) != 0)
        ; /* a signal came */
    if (ok && !later)
        answer(p, b);
    if (beside)
        (void)pthread_join(thread, NULL);
    else
        feed_batch(&p->feed, p->policy, p->w->l.world, p->next);
    p->owed = later;
    return ok;
}

static bool run(struct appending *p, struct batch batches[2], struct error *e)
{
    bool ok = true;
    int turn = 0;

    feed_batch(&p->feed, p->policy, p->w->l.world, &batches[0]);
    for (; ok && batches[turn].n > 0; turn = !turn) {
        p->next = &batches[!turn];
        ok = take_turn(p, &batches[turn], e);
    }
    if (p->owed)
        answer(p, &batches[!turn]);
    if (ok && p->feed.error.code) {
        *e = p->feed.error;
        p->unread = true;
        return false;
    }
    return ok;
}

int writ_ledger_append(struct writ_ledger *ledger, const struct writ_input *input,
                       const char *policy, writ_line line, void *self)
{
    struct appending p = { .w = ledger, .line = line, .self = self };
    struct batch batches[2] = { 0 };
    struct error e = { 0 };
    bool ok;

    if (!given_to(ledger, "ledger", line, self) || !given_to(input, "input", line, self) ||
        !given_to(input->name, "input's name", line, self))
        return WRIT_USAGE;
    while (policy && p.policy < POLICY_COUNT && strcmp(policy, policy_names[p.policy]) != 0)
        p.policy++;
    if (p.policy == POLICY_COUNT) {
        (void)error_set(&e, CODE_USAGE, "the policy is block or draft_only, not '%s'", policy);
        return record_fail(&e, WRIT_USAGE, line, self);
    }
    if (!record_writable(ledger, &e))
        return record_fail(&e, WRIT_USAGE, line, self);
    if (!feed_open(&p.feed, input, &e))
        return record_fail(&e, WRIT_WRONG, line, self);
    (void)sem_init(&p.answered, 0, 0);
    ok = run(&p, batches, &e);
    (void)sem_destroy(&p.answered);
    feed_close(&p.feed);
    arena_free(&batches[0].a);
    arena_free(&batches[1].a);
    if (!ok)
        return record_fail(&e, p.unread ? WRIT_WRONG : WRIT_UNRECORDED, line, self);
    return p.refused ? WRIT_NO : WRIT_OK;
}

/* ---- input ---- */

enum { NAME_SAID = 100 }; /* bytes of a name that is refused */

static void put_input(const struct entry *entry, bool fresh, struct buf *to)
{
    char digest[DIGEST_TEXT];

    digest_text(&entry->content, digest);
    json_open(to, '{');
    json_put(to, "status", fresh ? "appended" : "duplicate");
    put_id(&entry->id, to);
    json_put_int(to, "seq", entry->seq);
    json_put_outside(to, "subject", entry->subject);
    json_put(to, "digest", digest);
    json_close(to, '}');
}

/* The newest input about the subject, when it is the same document. What was erased is there no
 * more: who enters it again wants it kept again. Another document is the newer one, also where the
 * clock was set back since: by its time it would count as superseded before it was entered. */
static bool is_there(struct ledger *l, struct entry *entry, struct arena *a, bool *yes,
                     struct error *e)
{
    struct asked_entry newest = { 0 };
    struct entry kept;
    bool there;

    *yes = false;
    if (!l->keep.kind->newest_input(l->keep.store, entry->tenant, entry->subject, &newest, a, e))
        return false;
    if (!newest.there)
        return true;
    if (!ledger_find(l, &newest.id, a, &kept, &there, e))
        return false;
    *yes =
        there && !kept.erased && memcmp(&kept.content, &entry->content, sizeof kept.content) == 0;
    if (*yes)
        *entry = kept;
    else if (entry->created_ms < newest.created_ms)
        entry->created_ms = newest.created_ms;
    return true;
}

static bool enter(struct ledger *l, struct entry *entry, bool *fresh, struct arena *a,
                  struct error *e)
{
    bool there;

    if (!ledger_begin(l, e))
        return false;
    if (is_there(l, entry, a, &there, e) && (there || ledger_enter(l, entry, 1, e)) &&
        ledger_commit(l, true, e)) {
        *fresh = !there;
        return true;
    }
    ledger_rollback(l);
    return false;
}

/* The header of an entry is JSON: a name that is not UTF-8 would stand in no proof, and one without
 * a character would be found by nobody who looks for it. */
static bool is_name(struct str name, const char *option, struct error *e)
{
    if (name.n > 0 && utf8_valid(name) == name.n)
        return true;
    return error_set(e, CODE_USAGE, "'%.*s' is %s: give another name with --%s",
                     (int)(name.n < NAME_SAID ? name.n : NAME_SAID), name.s,
                     name.n ? "not UTF-8" : "empty", option);
}

int writ_ledger_input(struct writ_ledger *ledger, const struct writ_input *input,
                      const char *subject, const char *tenant, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX }, body = { .max = ANSWER_MAX };
    const struct document *document;
    struct str whose = str_of(tenant ? tenant : "local"), about;
    struct entry entry;
    struct report r;
    struct error e;
    bool fresh;

    if (!given(ledger, "ledger", answer) || !given_input(input, "input", answer))
        return WRIT_USAGE;
    about = str_of(subject ? subject : input->name);
    if (!record_writable(ledger, &e) || !is_name(about, "subject", &e) ||
        !is_name(whose, "tenant", &e)) {
        *answer = record_failure(e.code, e.msg);
        return WRIT_USAGE;
    }
    if (!input_read(input, &a, &document, &r))
        return input_wrong(&r, NULL, answer);
    json_canon(&document->root, &a, &body);
    if (!body_whole(&body, &e)) {
        report_error(&r, &e);
        return input_wrong(&r, NULL, answer);
    }
    entry_of(ENTRY_INPUT, whose, about, buf_str(&body), ledger->l.world, &entry);
    if (!enter(&ledger->l, &entry, &fresh, &a, &e))
        return record_unwritten(&e, answer);
    put_input(&entry, fresh, &out);
    return take_answer(&out, WRIT_OK, answer);
}
