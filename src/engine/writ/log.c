/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: the public functions that list: log, rejects, export. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/intoto.h"
#include "engine/record.h"
#include "engine/runners.h"
#include "engine/selection.h"
#include "ledger/reject.h"

/* Entries that go out as they are found. */
struct listing {
    writ_line line;
    void *self;
    void (*write)(const struct entry *entry, struct buf *to); /* NULL: as statements */
    struct buf out;
    const struct runners *runners; /* NULL: nobody asks who lives */
};

static void write_entry(const struct entry *entry, struct buf *to)
{
    record_entry(entry, true, to);
}

/* Of a run whose end nobody will record. It is not the entry's own, and no export has it. */
static void add_living(const struct listing *l, const struct entry *entry, struct buf *to)
{
    if (!l->runners || !to->len || runners_look(l->runners, entry->seq) != LIVING_NO)
        return;
    to->s[--to->len] = '\0'; /* the brace */
    json_put_bool(to, "alive", false);
    json_close(to, '}');
}

static bool list_entry(void *self, const struct entry *entry, struct error *e)
{
    struct listing *l = self;

    (void)e;
    buf_reset(&l->out);
    l->write(entry, &l->out);
    add_living(l, entry, &l->out);
    return l->line(l->self, l->out.s, l->out.len);
}

/* ---- which entries ---- */

struct reader {
    entry_reader read;
    void *self;
    bool enough;
};

static bool read_on(void *self, const struct entry *entry, struct error *e)
{
    struct reader *r = self;

    r->enough = !r->read(r->self, entry, e);
    return !r->enough;
}

/* Of what runs now the ledger has the places. Who cannot see the runners does not say there are
 * none. */
static bool find_live(struct ledger *l, const struct query *asked, const struct runners *runners,
                      struct reader *r, struct error *e)
{
    struct query q = *asked;

    errno = runners->shut;
    if (runners->shut)
        return error_sys(e, CODE_IO,
                         "what runs now is not known, as 'running' in the state directory cannot "
                         "be read (writ doctor says more)");
    for (size_t i = 0; i < runners->n && !r->enough; i++) {
        const struct runner *one = &runners->v[q.backwards ? runners->n - 1 - i : i];

        q.from = one->seq;
        q.to = one->seq + 1;
        if (one->lives && !search(l, &q, read_on, r, e))
            return false;
    }
    return true;
}

static bool find(struct ledger *l, const struct selection *s, const struct runners *runners,
                 struct reader r, struct error *e)
{
    return s->live ? find_live(l, &s->query, runners, &r, e)
                   : search(l, &s->query, r.read, r.self, e);
}

/* So many, to be written when the search is over. */
struct held {
    struct arena *a;
    struct entry *v;
    size_t n, room;
    int64_t most;
    bool statements; /* only what can be one */
};

static bool keep_entry(void *self, const struct entry *entry, struct error *e)
{
    struct held *k = self;

    (void)e;
    if (k->statements && !intoto_can(entry))
        return true;
    k->v = arena_more(k->a, k->v, k->n, &k->room, sizeof *k->v);
    k->v[k->n++] = entry_copy(entry, k->a);
    return (int64_t)k->n < k->most;
}

/* Found backwards, shown forwards. */
static bool list_newest(struct ledger *l, struct selection *s, const struct runners *runners,
                        struct listing *to, struct arena *a, struct error *e)
{
    struct held k = { .a = a, .most = s->limit };

    s->query.backwards = true;
    if (!find(l, s, runners, (struct reader){ .read = keep_entry, .self = &k }, e))
        return false;
    for (size_t i = k.n; i-- > 0;)
        if (!list_entry(to, &k.v[i], e))
            return true;
    return true;
}

/* For a statement the ledger is asked for more than the entry: not while a search is under way. */
static bool list_held(struct ledger *l, const struct held *k, bool backwards, struct listing *to,
                      bool *more, struct error *e)
{
    for (size_t i = 0; i < k->n && *more; i++) {
        _arena_ struct arena a = { 0 };

        buf_reset(&to->out);
        if (!intoto_write(l, &k->v[backwards ? k->n - 1 - i : i], &a, &to->out, e))
            return false;
        *more = to->line(to->self, to->out.s, to->out.len);
    }
    return true;
}

enum { HELD_AT_ONCE = 32 }; /* a body has up to 16 MiB */

static bool list_statements(struct ledger *l, struct selection *s, const struct runners *runners,
                            struct listing *to, struct error *e)
{
    bool more = true;

    s->query.backwards = s->limit > 0;
    while (more) {
        _arena_ struct arena a = { 0 };
        struct held k = { .a = &a, .most = s->limit ? s->limit : HELD_AT_ONCE, .statements = true };

        if (!find(l, s, runners, (struct reader){ .read = keep_entry, .self = &k }, e) ||
            !list_held(l, &k, s->limit > 0, to, &more, e))
            return false;
        more = more && !s->limit && k.n == HELD_AT_ONCE;
        if (more)
            s->query.from = k.v[k.n - 1].seq + 1;
    }
    return true;
}

/* An export says the same whoever lives. */
static bool list_all(struct writ_ledger *w, struct selection *s, struct listing *to, bool marks,
                     struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct runners runners = { 0 };

    s->query.refusals = to->write == record_provable;
    if (!selection_settle(s, &w->l, e) || ((marks || s->live) && !runners_find(w, &a, &runners, e)))
        return false;
    to->runners = marks ? &runners : NULL;
    if (!to->write)
        return list_statements(&w->l, s, &runners, to, e);
    if (s->limit)
        return list_newest(&w->l, s, &runners, to, &a, e);
    return find(&w->l, s, &runners, (struct reader){ .read = list_entry, .self = to }, e);
}

static int list(struct writ_ledger *ledger, const char *query, struct listing *to, bool marks)
{
    _arena_ struct arena a = { 0 };
    struct selection s;
    struct error e;
    bool ok;

    if (!selection_read(query, &a, &s, &e))
        return record_fail(&e, WRIT_USAGE, to->line, to->self);
    if (!ledger_look(&ledger->l, &e))
        return record_fail(&e, WRIT_UNAVAILABLE, to->line, to->self);
    ok = list_all(ledger, &s, to, marks, &e);
    ledger_look_end(&ledger->l);
    buf_free(&to->out);
    return ok ? WRIT_OK : record_fail(&e, WRIT_UNAVAILABLE, to->line, to->self);
}

int writ_log(struct writ_ledger *ledger, const char *query, writ_line line, void *self)
{
    struct listing to = { line, self, write_entry, { .max = ANSWER_MAX }, NULL };

    if (!given_to(ledger, "ledger", line, self))
        return WRIT_USAGE;
    return list(ledger, query, &to, true);
}

/* ---- rejects ---- */

static void write_reject(const struct entry *entry, struct buf *to)
{
    _arena_ struct arena a = { 0 };
    struct reject r = reject_read(entry, &a);
    char id[ENTRY_ID_TEXT], at[STAMP_TEXT];

    entry_id_text(&entry->id, id);
    stamp_text(r.recorded_ms, at);
    json_open(to, '{');
    json_put_int(to, "seq", entry->seq);
    json_put(to, "ledger_id", id);
    json_put(to, "recordedAt", at);
    json_put(to, "code", r.code);
    json_put(to, "pointer", r.erased ? NULL : r.pointer);
    json_put(to, "message", r.erased ? NULL : r.message);
    json_put_outside(to, "tenant", r.tenant);
    json_put_outside(to, "subject", r.subject);
    json_put_int(to, "bytes", r.bytes);
    json_put_digest(to, "digest", &r.digest);
    json_put_bool(to, "erased", r.erased);
    json_key(to, "event");
    if (r.erased)
        json_nil(to);
    else
        json_outside(to, r.event);
    json_close(to, '}');
}

int writ_rejects(struct writ_ledger *ledger, long limit, writ_line line, void *self)
{
    struct listing to = { line, self, write_reject, { .max = ANSWER_MAX }, NULL };
    struct selection s = { .query = query_all(),
                           .limit = limit > 0 && limit < LONG_MAX ? limit : 0 };
    struct error e;
    bool ok;

    if (!given_to(ledger, "ledger", line, self))
        return WRIT_USAGE;
    s.query.kind = ENTRY_REFUSAL;
    if (!ledger_look(&ledger->l, &e))
        return record_fail(&e, WRIT_UNAVAILABLE, line, self);
    ok = list_all(ledger, &s, &to, false, &e);
    ledger_look_end(&ledger->l);
    buf_free(&to.out);
    return ok ? WRIT_OK : record_fail(&e, WRIT_UNAVAILABLE, line, self);
}

/* ---- export ---- */

int writ_export(struct writ_ledger *ledger, const char *query, const char *format, writ_line line,
                void *self)
{
    struct listing to = { line, self, record_provable, { .max = ANSWER_MAX }, NULL };
    struct error e;

    if (!given_to(ledger, "ledger", line, self))
        return WRIT_USAGE;
    if (!format || strcmp(format, "jsonl") == 0)
        return list(ledger, query, &to, false);
    to.write = NULL;
    if (strcmp(format, "in-toto") == 0)
        return list(ledger, query, &to, false);
    (void)error_set(&e, CODE_USAGE, "the format is jsonl or in-toto, not '%s'", format);
    return record_fail(&e, WRIT_USAGE, line, self);
}
