/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: holds a ledger against itself and against what was promised about it.
 *
 * The first entry that does not fit is named. A history that somebody computed again altogether is
 * found only by a checkpoint, best by one that was kept elsewhere.
 */
#include "ledger/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contract/codes.h"
#include "ledger/note.h"
#include "ledger/tree.h"

/* ---- promises ---- */

struct gathering {
    struct audit *t;
    size_t room;
};

static bool take_promise(void *self, const struct kept_checkpoint *c, struct error *e)
{
    struct gathering *g = self;
    struct verification *v = g->t->v;

    (void)e;
    v->promises = arena_more(g->t->a, v->promises, v->promise_count, &g->room, sizeof *v->promises);
    v->promises[v->promise_count++] =
        (struct promise){ .note = { arena_text(g->t->a, c->note), c->note.n },
                          .kept = "ledger",
                          .size = c->size,
                          .made_ms = c->made_ms };
    return true;
}

static void read_promise(const struct audit *t, struct promise *p)
{
    bool given = strcmp(p->kept, "given") == 0, former = p->origin.n > 0;
    struct str origin = former ? p->origin : t->v->origin;
    const struct verifier *by = former ? p->by : t->v->by;
    struct error e;

    p->c.size = -1;
    if (p->why) /* there was nothing to read */
        return;
    if (!checkpoint_read(p->note, t->a, &p->c, &e)) {
        p->why = arena_text(t->a, str_of(e.msg));
        return;
    }
    if (!str_eq(p->c.origin, origin)) { /* and by another key, which would say less */
        p->why = arena_printf(t->a, "it is of another ledger, %s, and not of %s",
                              note_name_said(p->c.origin, t->a), note_name_said(origin, t->a));
        return;
    }
    if (by && !checkpoint_signed(p->note, by, &e)) {
        p->why = arena_text(t->a, str_of(e.msg));
        return;
    }
    p->is_signed = by;
    if (strcmp(p->kept, "ledger") == 0 && (p->size != p->c.size || p->made_ms != p->c.made_ms))
        p->why = "the ledger says something else about it than it says itself";
    else if (given && !p->is_signed) {
        p->unjudged = true;
        p->why = "its signature cannot be checked: no key of this ledger is known here";
    }
}

static int by_size(const void *a, const void *b)
{
    const struct promise *x = a, *y = b;

    return x->c.size < y->c.size ? -1 : x->c.size > y->c.size;
}

static bool gather(struct ledger *l, struct audit *t, struct error *e)
{
    struct verification *v = t->v;
    struct gathering g = { t, v->promise_count };

    if (!l->keep.kind->read_checkpoints(l->keep.store, take_promise, &g, e))
        return false;
    for (size_t i = 0; i < v->promise_count; i++)
        read_promise(t, &v->promises[i]);
    if (v->promise_count)
        qsort(v->promises, v->promise_count, sizeof *v->promises, by_size);
    return true;
}

/* Those about more entries than there are; false: there is one. */
static bool break_promises(struct audit *t)
{
    bool none = true;

    for (; t->next < t->v->promise_count; t->next++) {
        struct promise *p = &t->v->promises[t->next];

        none &= p->why != NULL;
        if (!p->why)
            p->why = arena_printf(t->a,
                                  "it was made for %" PRId64 " entries, and there are only %" PRId64
                                  ": the end is missing",
                                  p->c.size, t->v->entries);
    }
    return none;
}

/* Those about more entries than were read before one did not fit: nothing is known of them. */
static void leave_promises(struct audit *t)
{
    for (; t->next < t->v->promise_count; t->next++) {
        struct promise *p = &t->v->promises[t->next];

        if (p->why)
            continue;
        p->unjudged = true;
        p->why = "what it was made for was not read to its end";
    }
}

/* "the checkpoint of size 12", or, where it cannot be read, how it is kept. */
static const char *which(const struct promise *p, struct arena *a)
{
    if (p->c.size >= 0)
        return arena_printf(a, "the checkpoint of size %" PRId64, p->c.size);
    if (strcmp(p->kept, "ledger") == 0)
        return arena_printf(a, "the checkpoint that the ledger has as one of size %" PRId64,
                            p->size);
    return "the checkpoint that is kept beside the ledger";
}

static bool judge_promises(struct audit *t)
{
    for (size_t i = 0; i < t->v->promise_count; i++) {
        const struct promise *p = &t->v->promises[i];

        if (!p->holds && !p->unjudged)
            return audit_found(t, -1, NULL,
                               arena_printf(t->a, "%s does not hold: %s", which(p, t->a), p->why));
    }
    return true;
}

/* ---- blocks of blocks ---- */

struct upper {
    struct audit *t;
    const struct digest *below;
    int64_t expected, seen;
    bool differs;
};

static bool compare_block(void *self, const struct block *block, struct error *e)
{
    struct upper *u = self;
    struct digest root;

    (void)e;
    if (block->n != u->seen || u->seen >= u->expected) {
        u->differs = true;
        return true;
    }
    root = tree_root(u->below + block->n * BLOCK, BLOCK);
    u->differs |= memcmp(&root, &block->root, sizeof root) != 0;
    u->seen++;
    return true;
}

static bool check_upper(struct ledger *l, struct audit *t, struct error *e)
{
    const struct digest *below = t->roots;
    int64_t count = (int64_t)t->root_count;

    for (int level = 1; count >= BLOCK; level++) {
        struct upper u = { .t = t, .below = below, .expected = count / BLOCK };
        struct block_range range = { .level = level, .to = INT64_MAX };
        struct digest *roots;

        if (!l->keep.kind->read_blocks(l->keep.store, &range, compare_block, &u, e))
            return false;
        if (u.differs || u.seen != u.expected) {
            (void)audit_found(t, -1, NULL, "the hashes of its blocks differ");
            return true;
        }
        roots = arena_alloc(t->a, (size_t)u.expected * sizeof *roots);
        for (int64_t i = 0; i < u.expected; i++)
            roots[i] = tree_root(below + i * BLOCK, BLOCK);
        below = roots;
        count = u.expected;
    }
    return true;
}

/* ---- all of it ---- */

static bool check_rest(struct ledger *l, struct audit *t, struct error *e)
{
    const char *finding = NULL;
    bool whole;

    audit_promises(t);
    whole = break_promises(t);
    t->v->root = audit_root(t);
    if (t->v->entries != l->tip.size)
        return !audit_found(t, t->v->entries, NULL, "the entry is missing");
    if (!whole && !t->v->replaced && !judge_promises(t)) /* notes of erasures may be missing, too */
        return true;
    if (!audit_gaps(t))
        return true;
    if (t->v->replaced)
        return !audit_found(t, -1, NULL, t->v->replaced);
    if (!judge_promises(t))
        return true;
    if (!check_upper(l, t, e) || !l->keep.kind->check(l->keep.store, &t->sum, t->a, &finding, e))
        return false;
    if (finding && !t->v->why)
        (void)audit_found(t, -1, NULL, finding);
    return true;
}

bool ledger_verify(struct ledger *l, struct verification *v, struct arena *a, struct error *e)
{
    struct audit t = {
        .v = v, .a = a, .sum_keys = l->keep.kind->sum_keys, .sum = { .size = l->tip.size }
    };
    struct chunk_reader reader = { audit_apart, audit_chunk, &t };
    bool ok;

    l->world->chance(l->world->self, t.sum.salt, sizeof t.sum.salt);
    ok = gather(l, &t, e) && ledger_walk(l, &reader, e);
    if (ok && !v->why)
        ok = check_rest(l, &t, e);
    if (!ok && !v->why && e->code == CODE_LEDGER_DAMAGED) /* which is what was asked */
        (void)audit_found(&t, v->entries, NULL, arena_text(a, str_of(e->msg)));
    if (v->why)
        leave_promises(&t);
    ok |= v->why != NULL; /* what could not be read comes after it */
    v->intact = ok && !v->why;
    return ok;
}
