/* SPDX-License-Identifier: Apache-2.0 */
/* meant.c: finds what an id or its beginning means, and says so when that is not one thing. */
#include "engine/meant.h"

#include "base/json_write.h"
#include "contract/codes.h"
#include "ledger/search.h"

enum { CANDIDATES = 16 };

/* What is shown is read again: many may fit, and each may be large. */
static void add_light(struct entries *list, const struct entry *entry, struct arena *a)
{
    struct entry light = *entry;

    light.body = str_of("");
    entries_add(list, &light, a);
}

/* One event of each execution that may be meant, and some of what is none. */
static bool take_run(void *self, const struct entry *entry, struct error *e)
{
    struct meant *m = self;

    (void)e;
    if (entry->kind != ENTRY_EVENT && m->about.n < CANDIDATES)
        add_light(&m->about, entry, m->a);
    if (entry->kind != ENTRY_EVENT || (m->robot.n && !str_eq(entry->robot, m->robot)))
        return true;
    for (size_t i = 0; i < m->runs.n; i++)
        if (entry_same_execution(&m->runs.v[i], entry))
            return true;
    add_light(&m->runs, entry, m->a);
    return m->runs.n < CANDIDATES;
}

static bool take_entry(void *self, const struct entry *entry, struct error *e)
{
    struct meant *m = self;

    (void)e;
    add_light(&m->entries, entry, m->a);
    return m->entries.n < CANDIDATES;
}

/* A whole name wins over one that only begins with it, whatever it names. With a robot it names
 * executions alone. */
static bool find_runs(struct meant *m)
{
    struct query q = query_all();

    q.tenant = m->tenant;
    q.subject = m->asked;
    if (!search(&m->w->l, &q, take_run, m, &m->e))
        return false;
    m->whole = m->runs.n > 0 || (m->about.n > 0 && !m->robot.n);
    if (m->whole || m->asked.n < NAME_START)
        return true;
    m->about = (struct entries){ 0 };
    q.subject = str_of("");
    q.subject_start = m->asked;
    return search(&m->w->l, &q, take_run, m, &m->e);
}

/* The digits of a UUID may be written in capitals: a whole one is read so, and so is its beginning.
 */
static struct str lower(struct str text, struct arena *a)
{
    char *copy = arena_text(a, text);

    for (size_t i = 0; i < text.n; i++)
        if (copy[i] >= 'A' && copy[i] <= 'F')
            copy[i] = (char)(copy[i] - 'A' + 'a');
    return (struct str){ copy, text.n };
}

/* The id after "led-", or all of it: people copy what they see. */
static bool find_entries(struct meant *m)
{
    struct query q = query_all();
    struct uuid id;
    struct entry entry;
    bool there, prefixed = str_begins(m->asked, "led-");

    if (entry_id_read(m->asked, &id)) {
        if (!ledger_find(&m->w->l, &id, m->a, &entry, &there, &m->e))
            return false;
        if (there && (!m->tenant.n || str_eq(entry.tenant, m->tenant)) &&
            (!m->robot.n || str_eq(entry.robot, m->robot)))
            add_light(&m->entries, &entry, m->a);
        return true;
    }
    q.tenant = m->tenant;
    q.robot = m->robot;
    q.id_start = lower(str_from(m->asked, prefixed ? 4 : 0), m->a);
    return q.id_start.n < NAME_START || search(&m->w->l, &q, take_entry, m, &m->e);
}

/* What has no events is no execution, such as a plan: entries about it are all there is. */
static void take_about(struct meant *m)
{
    for (size_t i = 0; i < m->about.n && m->entries.n < CANDIDATES; i++)
        if (!m->robot.n || str_eq(m->about.v[i].robot, m->robot))
            entries_add(&m->entries, &m->about.v[i], m->a);
    m->by_subject = m->entries.n > 0;
}

/* An empty id is nobody's; for a search it would be everybody's. What begins like an id may be the
 * name of an execution: it is taken for one where it is no entry's. */
bool meant_find(struct meant *m)
{
    bool prefixed = str_begins(m->asked, "led-");

    if (m->asked.n == 0)
        return true;
    if (prefixed && !find_entries(m))
        return false;
    if (m->entries.n > 0)
        return true;
    if (!find_runs(m) || (m->runs.n == 0 && !m->whole && !prefixed && !find_entries(m)))
        return false;
    if (m->runs.n == 0 && m->entries.n == 0)
        take_about(m);
    return true;
}

static bool keep_first(void *self, const struct entry *entry, struct error *e)
{
    struct uuid *id = self;

    (void)e;
    *id = entry->id;
    return false;
}

bool meant_entry(struct meant *m, struct entry *out, bool *there)
{
    struct query q = query_all();
    const struct entry *one;
    struct uuid id;

    if (!meant_find(m))
        return false;
    *there = m->entries.n + m->runs.n == 1;
    if (!*there)
        return true;
    one = m->entries.n ? m->entries.v : m->runs.v;
    id = one->id;
    q.tenant = one->tenant;
    q.robot = one->robot;
    q.subject = one->subject;
    q.kind = ENTRY_EVENT;
    q.backwards = true;
    return (m->entries.n || search(&m->w->l, &q, keep_first, &id, &m->e)) &&
           ledger_find(&m->w->l, &id, m->a, out, there, &m->e);
}

/* Shorter than that it would have to be the whole name. */
static const char *not_found(const struct meant *m)
{
    size_t n = m->asked.n - (str_begins(m->asked, "led-") ? 4 : 0);
    const char *whose = "";

    if (m->tenant.n)
        whose = arena_printf(m->a, " of tenant %s", said(m->tenant, m->a));
    if (m->robot.n)
        whose = arena_printf(m->a, "%s of robot %s", whose, said(m->robot, m->a));
    if (n >= NAME_START)
        return arena_printf(m->a, "nothing%s in the ledger is called %s", whose,
                            said(m->asked, m->a));
    return arena_printf(m->a,
                        "nothing%s in the ledger is called just %s; the beginning of an id needs "
                        "%d characters%s",
                        whose, said(m->asked, m->a), NAME_START,
                        n < m->asked.n ? " after led-" : "");
}

/* Why there is more than one, and what tells them apart. */
static const char *ambiguous(const struct meant *m)
{
    const char *asked = said(m->asked, m->a);
    bool one_id = m->entries.n == 0, one_tenant = true;

    if (m->by_subject)
        return arena_printf(m->a,
                            "%s is no execution, and more than one entry is about it: "
                            "show one of them by its own id",
                            asked);
    for (size_t i = 1; i < m->runs.n; i++) {
        one_id &= str_eq(m->runs.v[i].subject, m->runs.v[0].subject);
        one_tenant &= str_eq(m->runs.v[i].tenant, m->runs.v[0].tenant);
    }
    if (!one_id)
        return arena_printf(m->a, "%s can mean more than one: give more of its id", asked);
    if (!one_tenant)
        return arena_printf(
            m->a, "%s is an execution of more than one tenant: say which with --tenant", asked);
    return arena_printf(
        m->a, "%s is an execution of more than one robot of tenant %s: say which with --robot",
        asked, said(m->runs.v[0].tenant, m->a));
}

void meant_candidates(const struct meant *m, struct buf *to)
{
    size_t n = m->entries.n + m->runs.n;
    enum code code = n ? CODE_ENTRY_AMBIGUOUS : CODE_ENTRY_UNKNOWN;

    json_open(to, '{');
    json_put(to, "code", codes[code].name);
    json_put(to, "message", n ? ambiguous(m) : not_found(m));
    json_key(to, "candidates");
    json_open(to, '[');
    for (size_t i = 0; i < m->runs.n; i++) {
        const struct entry *run = &m->runs.v[i];

        json_text(to,
                  str_of(arena_printf(m->a, "%.*s (tenant %.*s, robot %.*s)", STR_ARG(run->subject),
                                      STR_ARG(run->tenant), STR_ARG(run->robot))));
    }
    for (size_t i = 0; i < m->entries.n; i++) {
        char id[ENTRY_ID_TEXT];

        entry_id_text(&m->entries.v[i].id, id);
        json_text(to, str_of(id));
    }
    json_close(to, ']');
    json_close(to, '}');
}
