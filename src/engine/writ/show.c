/* SPDX-License-Identifier: Apache-2.0 */
/* show.c: the public function that shows one entry or one execution. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/alive.h"
#include "engine/event.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/meant.h"
#include "engine/unended.h"
#include "ledger/erasure.h"
#include "ledger/lineage.h"

struct gathered {
    const struct entry *run;
    struct arena *a;
    struct entries events, others, all;
};

/* What was asked for is among what an execution rests on; the rest is about it. */
static bool take_about_run(void *self, const struct entry *entry, struct error *e)
{
    struct gathered *g = self;
    bool event = entry->kind == ENTRY_EVENT;
    struct entries *list = event ? &g->events : &g->others;

    (void)e;
    if (entry->kind == ENTRY_INPUT || (event && !str_eq(entry->robot, g->run->robot)))
        return true;
    entries_add(list, entry, g->a);
    g->all.v = arena_more(g->a, g->all.v, g->all.n, &g->all.room, sizeof *g->all.v);
    g->all.v[g->all.n++] = list->v[list->n - 1];
    return true;
}

static bool gather(struct meant *s, const struct entry *run, struct gathered *g)
{
    struct query q = query_all();

    q.tenant = run->tenant;
    q.subject = run->subject;
    return search(&s->w->l, &q, take_about_run, g, &s->e) &&
           (g->events.n > 0 ||
            error_set(&s->e, CODE_LEDGER_DAMAGED, "an execution has lost its events"));
}

static void put_list(const char *key, const struct entries *list, bool bodies, struct buf *to)
{
    record_list(key, list->v, list->n, bodies, to);
}

static void put_reruns(const struct entries *reruns, struct buf *to)
{
    json_key(to, "reruns");
    json_open(to, '[');
    for (size_t i = 0; i < reruns->n; i++)
        json_outside(to, reruns->v[i].subject);
    json_close(to, ']');
}

static void put_text(struct buf *to, const char *key, struct str text)
{
    json_key(to, key);
    if (text.n)
        json_outside(to, text);
    else
        json_nil(to);
}

/* ---- what was erased, and why ---- */

struct erasing {
    struct arena *a;
    const struct entry *of;
    struct buf *to;
};

static bool put_erasure(void *self, const struct entry *note, struct error *e)
{
    struct erasing *x = self;
    struct erasure erasure;
    char erased[ENTRY_ID_TEXT], id[ENTRY_ID_TEXT], at[STAMP_TEXT];

    (void)e;
    if (!erasure_read(note, x->a, &erasure) || erasure.seq != x->of->seq)
        return true;
    entry_id_text(&x->of->id, erased);
    entry_id_text(&note->id, id);
    stamp_text(note->recorded_ms, at);
    json_open(x->to, '{');
    json_put(x->to, "erases", erased);
    json_put(x->to, "recordedAt", at);
    json_put(x->to, "ledger_id", id);
    json_put_outside(x->to, "reason", erasure.reason);
    json_close(x->to, '}');
    return true;
}

/* The note about an erased body is named after it. */
static bool put_erasures(struct meant *s, const struct entries *list, struct buf *to)
{
    json_key(to, "erasures");
    json_open(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        struct erasing x = { s->a, &list->v[i], to };
        struct query q = query_all();
        char id[ENTRY_ID_TEXT];

        if (!list->v[i].erased)
            continue;
        entry_id_text(&list->v[i].id, id);
        q.subject = str_of(id);
        q.kind = ENTRY_NOTE;
        q.from = list->v[i].seq;
        if (!search(&s->w->l, &q, put_erasure, &x, &s->e))
            return false;
    }
    json_close(to, ']');
    return true;
}

/* ---- all of it ---- */

static bool rests_on(const struct links *links, const struct entry *entry)
{
    for (size_t i = 0; i < links->count; i++)
        if (memcmp(&links->depends[i], &entry->id, sizeof entry->id) == 0)
            return true;
    return false;
}

/* Of what has no end on record: does who runs it still live? A step lives with its plan, on which
 * it rests. */
static enum living look(const struct meant *s, const struct entry *last, const struct entries *back)
{
    enum living living = alive_look(s->w->state, last->subject, s->a);
    struct links links = links_of(last, s->a);

    for (size_t i = 0; i < back->n && living == LIVING_UNKNOWN; i++)
        if (rests_on(&links, &back->v[i]) && back->v[i].kind == ENTRY_INPUT)
            living = alive_look(s->w->state, back->v[i].subject, s->a);
    return living;
}

static void put_living(enum living living, struct buf *to)
{
    json_key(to, "alive");
    if (living == LIVING_UNKNOWN)
        json_nil(to);
    else
        json_bool(to, living == LIVING);
}

/* Where the bytes are that are kept by their digests. */
static void put_evidence(const char *state, struct arena *a, struct buf *to)
{
    json_key(to, "evidence");
    json_open(to, '{');
    put_text(to, "directory", str_of(state ? arena_printf(a, "%s/evidence", state) : ""));
    json_close(to, '}');
}

/* Has the transcript of a lane still the bytes that the ledger has the digest of? Those of steps
 * are in one file with others', and are not compared. */
static const char *transcript_state(const char *path, struct str digest)
{
    static const char own[] = "/transcript.jsonl";
    _fd_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char bytes[1 << 14], found[DIGEST_TEXT];
    struct digest d;
    struct sha256 sum;
    ssize_t n;

    if (strlen(path) < strlen(own) || strcmp(path + strlen(path) - strlen(own), own) != 0)
        return NULL;
    if (fd < 0)
        return "missing";
    sha256_begin(&sum);
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        sha256_add(&sum, bytes, (size_t)n);
    d = sha256_end(&sum);
    digest_text(&d, found);
    return n == 0 && str_is(digest, found) ? "intact" : "changed";
}

/* Of the last attempt: it has all of them. */
static void put_transcript(struct meant *s, const struct entries *manifests, struct buf *to)
{
    struct ceilings max = ceilings_none();
    const struct doc *found = NULL;

    for (size_t i = manifests->n; i-- > 0 && !found;) {
        const struct document *document;
        struct error ignored;

        if (!manifests->v[i].erased &&
            json_read("manifest", manifests->v[i].body, &max, s->a, &document, &ignored))
            found = doc_get(&document->root, "transcript");
    }
    json_key(to, "transcript");
    if (!found || found->kind != DOC_MAP) {
        json_nil(to);
        return;
    }
    json_open(to, '{');
    put_text(to, "path", doc_text(found, "path"));
    put_text(to, "digest", doc_text(found, "digest"));
    json_put(
        to, "state",
        transcript_state(arena_text(s->a, doc_text(found, "path")), doc_text(found, "digest")));
    json_close(to, '}');
}

static bool show_run(struct meant *s, const struct entry *run, struct buf *to)
{
    struct gathered g = { .run = run, .a = s->a };
    struct entries back = { 0 }, forwards[2] = { 0 };
    const struct entry *last;
    bool runs;

    if (!gather(s, run, &g) || !lineage_back(&s->w->l, &g.events, s->a, &back, &s->e) ||
        !lineage_forwards(&s->w->l, &g.all, run, s->a, forwards, &s->e))
        return false;
    last = &g.events.v[g.events.n - 1];
    json_open(to, '{');
    json_put(to, "what", "execution");
    put_text(to, "execution", run->subject);
    put_text(to, "tenant", run->tenant);
    put_text(to, "robot", run->robot);
    json_put(to, "state", event_state_names[place_state(last->place)]);
    runs = place_state(last->place) == EVENT_RUNNING && str_is(last->tenant, EVENT_TENANT);
    put_living(runs ? look(s, last, &back) : LIVING_UNKNOWN, to);
    json_put_int(to, "attempt", place_attempt(last->place));
    put_text(to, "rerun_of", links_of(last, s->a).rerun_of);
    put_reruns(&forwards[1], to);
    put_list("events", &g.events, true, to);
    put_list("manifests", &g.others, true, to);
    put_list("rests_on", &back, false, to);
    put_list("used_by", &forwards[0], false, to);
    json_put_bool(to, "lineage_cut", back.more || forwards[0].more || forwards[1].more);
    put_evidence(s->w->state, s->a, to);
    put_transcript(s, &g.others, to);
    if (!put_erasures(s, &g.all, to) ||
        (runs &&
         !unended_put(s->w, &(struct unended_run){ last, &back, &g.others }, s->a, to, &s->e)))
        return false;
    json_close(to, '}');
    return true;
}

static bool show_entry(struct meant *s, const struct uuid *id, struct buf *to)
{
    struct entries one = { 0 }, back = { 0 }, forwards[2] = { 0 };
    struct entry entry;
    bool there;

    if (!ledger_find(&s->w->l, id, s->a, &entry, &there, &s->e))
        return false;
    if (!there)
        return error_set(&s->e, CODE_LEDGER_DAMAGED, "an entry has another place than its id says");
    entries_add(&one, &entry, s->a);
    if (!lineage_back(&s->w->l, &one, s->a, &back, &s->e) ||
        !lineage_forwards(&s->w->l, &one, NULL, s->a, forwards, &s->e))
        return false;
    json_open(to, '{');
    json_put(to, "what", "entry");
    json_key(to, "entry");
    record_entry(&entry, true, to);
    put_list("rests_on", &back, false, to);
    put_list("used_by", &forwards[0], false, to);
    json_put_bool(to, "lineage_cut", back.more || forwards[0].more);
    if (!put_erasures(s, &one, to))
        return false;
    json_close(to, '}');
    return true;
}

static int show(struct meant *s, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    int status = WRIT_OK;
    bool ok = meant_find(s);

    if (ok && s->runs.n == 1 && s->entries.n == 0)
        ok = show_run(s, &s->runs.v[0], &out);
    else if (ok && s->entries.n == 1 && s->runs.n == 0)
        ok = show_entry(s, &s->entries.v[0].id, &out);
    else if (ok) {
        meant_candidates(s, &out);
        status = WRIT_NO;
    }
    if (!ok)
        return record_unread(&s->e, answer);
    return take_answer(&out, status, answer);
}

/* NULL is any; empty is what a script gives whose variable is not set. */
static bool is_whose(const char *name, const char *option, struct error *e)
{
    return !name || *name ||
           error_set(e, CODE_USAGE, "%s is empty: name one, or leave it out for any", option);
}

int writ_show(struct writ_ledger *ledger, const char *id, char **answer)
{
    return writ_show_of(ledger, id, NULL, NULL, answer);
}

int writ_show_of(struct writ_ledger *ledger, const char *id, const char *tenant, const char *robot,
                 char **answer)
{
    _arena_ struct arena a = { 0 };
    struct meant s = { .w = ledger,
                       .a = &a,
                       .asked = str_of(id ? id : ""),
                       .tenant = str_of(tenant ? tenant : ""),
                       .robot = str_of(robot ? robot : "") };
    int status;

    if (!given(id, "id", answer))
        return WRIT_USAGE;
    if (!is_whose(tenant, "tenant", &s.e) || !is_whose(robot, "robot", &s.e)) {
        *answer = record_failure(s.e.code, s.e.msg);
        return WRIT_USAGE;
    }
    if (!ledger_look(&ledger->l, &s.e))
        return record_unread(&s.e, answer);
    status = show(&s, answer);
    ledger_look_end(&ledger->l);
    return status;
}
