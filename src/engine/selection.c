/* SPDX-License-Identifier: Apache-2.0 */
/* selection.c: the members of a query as rows. */
#include "engine/selection.h"

#include "base/json_read.h"
#include "base/stamp.h"
#include "contract/codes.h"

static bool read_name(struct str text, const char *const *names, const char *what, int *out,
                      struct error *e)
{
    for (int i = 0; names[i]; i++) {
        if (!str_is(text, names[i]))
            continue;
        *out = i;
        return true;
    }
    return error_set(e, CODE_USAGE, "there is no %s '%.*s'; `writ explain %s` lists them", what,
                     STR_ARG(text), names == event_state_names ? "event_states" : "entries");
}

static bool read_kind(const struct doc *m, struct selection *s, struct error *e)
{
    return read_name(m->text, entry_kind_names, "kind", &s->query.kind, e);
}

static bool read_state(const struct doc *m, struct selection *s, struct error *e)
{
    return read_name(m->text, event_state_names, "state", &s->query.state, e);
}

static bool read_moment(const struct doc *m, int64_t *out, struct error *e)
{
    struct stamp at;
    const char *why;

    if (!stamp_read(m->text, &at, &why))
        return error_set(e, CODE_USAGE, "'%.*s' %s; a time is 2026-01-31T14:00:00Z",
                         STR_ARG(m->text), why);
    *out = stamp_ms(&at);
    return true;
}

static bool read_since(const struct doc *m, struct selection *s, struct error *e)
{
    return read_moment(m, &s->query.since_ms, e);
}

static bool read_until(const struct doc *m, struct selection *s, struct error *e)
{
    return read_moment(m, &s->query.until_ms, e);
}

static bool read_tenant(const struct doc *m, struct selection *s, struct error *e)
{
    (void)e;
    s->query.tenant = m->text;
    return true;
}

static bool read_robot(const struct doc *m, struct selection *s, struct error *e)
{
    (void)e;
    s->query.robot = m->text;
    return true;
}

static bool read_execution(const struct doc *m, struct selection *s, struct error *e)
{
    (void)e;
    s->execution = m->text;
    return true;
}

static bool read_limit(const struct doc *m, struct selection *s, struct error *e)
{
    s->limit = m->whole;
    return m->whole > 0 || error_set(e, CODE_USAGE, "a limit is 1 or more");
}

static bool read_live(const struct doc *m, struct selection *s, struct error *e)
{
    (void)e;
    s->live = m->truth;
    return true;
}

static const struct {
    const char *name;
    enum doc_kind kind;
    bool (*read)(const struct doc *m, struct selection *s, struct error *e);
} members[] = {
    { "execution", DOC_TEXT, read_execution }, { "tenant", DOC_TEXT, read_tenant },
    { "robot", DOC_TEXT, read_robot },         { "kind", DOC_TEXT, read_kind },
    { "state", DOC_TEXT, read_state },         { "since", DOC_TEXT, read_since },
    { "until", DOC_TEXT, read_until },         { "limit", DOC_INT, read_limit },
    { "live", DOC_BOOL, read_live },
};

static bool read_member(const struct doc *m, struct selection *s, struct error *e)
{
    if (m->kind == DOC_TEXT && m->text.n == 0)
        return error_set(e, CODE_USAGE, "%.*s is empty: name one, or leave it out for all",
                         STR_ARG(m->key));
    for (size_t i = 0; i < COUNT(members); i++)
        if (str_is(m->key, members[i].name) && m->kind == members[i].kind)
            return members[i].read(m, s, e);
    return error_set(e, CODE_USAGE, "a query has no member '%.*s' like this", STR_ARG(m->key));
}

bool selection_read(const char *json, struct arena *a, struct selection *out, struct error *e)
{
    struct ceilings max = ceilings_default();
    const struct document *document;

    *out = (struct selection){ .query = query_all() };
    if (!json)
        return true;
    if (!json_read("query", str_of(json), &max, a, &document, e))
        return false;
    if (document->root.kind != DOC_MAP)
        return error_set(e, CODE_USAGE, "a query is a map of what it narrows to");
    for (const struct doc *m = doc_first(&document->root, DOC_MAP); m; m = m->next)
        if (!read_member(m, out, e))
            return false;
    return true;
}

static bool take_one(void *self, const struct entry *entry, struct error *e)
{
    (void)entry;
    (void)e;
    *(bool *)self = true;
    return false;
}

bool selection_settle(struct selection *s, struct ledger *l, struct error *e)
{
    struct query whole = query_all();
    bool there = s->execution.n < NAME_START;

    whole.subject = s->execution;
    whole.tenant = s->query.tenant;
    if (!there && !search(l, &whole, take_one, &there, e))
        return false;
    *(there ? &s->query.subject : &s->query.subject_start) = s->execution;
    return true;
}
