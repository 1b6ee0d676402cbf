/* SPDX-License-Identifier: Apache-2.0 */
/* lineage.c: walks from entry to entry along the ids they depend on. */
#include "ledger/lineage.h"

#include <string.h>

void entries_add(struct entries *list, const struct entry *entry, struct arena *a)
{
    list->v = arena_more(a, list->v, list->n, &list->room, sizeof *list->v);
    list->v[list->n++] = entry_copy(entry, a);
}

static bool entries_have(const struct entries *list, const struct uuid *id)
{
    for (size_t i = 0; i < list->n; i++)
        if (memcmp(&list->v[i].id, id, sizeof *id) == 0)
            return true;
    return false;
}

/* ---- back ---- */

static bool follow(struct ledger *l, const struct entry *entry, struct arena *a,
                   struct entries *out, struct error *e)
{
    struct links links = links_of(entry, a);
    struct entry below;
    bool there;

    for (size_t i = 0; i < links.count; i++) {
        if (entries_have(out, &links.depends[i]))
            continue;
        if (out->n == LINEAGE_MAX) {
            out->more = true;
            return true;
        }
        if (!ledger_find(l, &links.depends[i], a, &below, &there, e))
            return false;
        if (there)
            entries_add(out, &below, a);
    }
    return true;
}

bool lineage_back(struct ledger *l, const struct entries *of, struct arena *a, struct entries *out,
                  struct error *e)
{
    for (size_t i = 0; i < of->n; i++)
        if (!follow(l, &of->v[i], a, out, e))
            return false;
    for (size_t i = 0; i < out->n; i++) {
        struct entry entry = out->v[i]; /* the list may move */

        if (!follow(l, &entry, a, out, e))
            return false;
    }
    return true;
}

/* ---- forwards ---- */

struct forward {
    const struct entries *of;
    const struct entry *run; /* of the execution that others repeat, or NULL */
    struct arena *a;
    struct entries *used_by, *reruns;
};

/* An execution is its tenant's and its robot's (R-002-013), and so is what repeats it: others have
 * executions of the same name. */
static bool repeats(const struct entry *run, const struct entry *entry, const struct links *links)
{
    return run && str_eq(links->rerun_of, run->subject) && str_eq(entry->tenant, run->tenant) &&
           str_eq(entry->robot, run->robot);
}

static bool rests_on(const struct links *links, const struct entries *of)
{
    for (size_t i = 0; i < links->count; i++)
        if (entries_have(of, &links->depends[i]))
            return true;
    return false;
}

static bool knows_subject(const struct entries *list, struct str subject)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i].subject, subject))
            return true;
    return false;
}

static void add_rerun(struct forward *f, const struct entry *entry)
{
    if (knows_subject(f->reruns, entry->subject))
        return;
    if (f->reruns->n < LINEAGE_MAX)
        entries_add(f->reruns, entry, f->a);
    else
        f->reruns->more = true;
}

static bool meet(void *self, const struct entry *entry, struct error *e)
{
    struct forward *f = self;
    _arena_ struct arena a = { 0 };
    struct links links = links_of(entry, &a);

    (void)e;
    if (repeats(f->run, entry, &links)) {
        add_rerun(f, entry);
        return true;
    }
    if (!rests_on(&links, f->of) || entries_have(f->of, &entry->id))
        return true;
    if (f->used_by->n == LINEAGE_MAX) {
        f->used_by->more = true;
        return false;
    }
    entries_add(f->used_by, entry, f->a);
    return true;
}

bool lineage_forwards(struct ledger *l, const struct entries *of, const struct entry *run,
                      struct arena *a, struct entries out[2], struct error *e)
{
    struct query q = query_all();
    struct forward f = { of, run, a, &out[0], &out[1] };
    struct uuid *ids = arena_alloc(a, of->n * sizeof *ids);

    for (size_t i = 0; i < of->n; i++)
        ids[i] = of->v[i].id;
    q.kind = ENTRY_EVENT;
    q.from = of->n ? of->v[0].seq : 0; /* nothing before it can know of it */
    q.depends = ids;
    q.depend_count = of->n;
    if (run)
        q.rerun_of = run->subject;
    return search(l, &q, meet, &f, e);
}
