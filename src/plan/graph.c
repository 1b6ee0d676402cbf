/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: dependency counts and the set of steps whose turn it is.
 *
 * Ids are found by a hash of their bytes, for a plan may have a million dependencies.
 */
#include "plan/graph.h"

#include "base/uuid.h"

enum { WORD = 64, ID_CHARS = UUID_TEXT - 1 };

/* The text of an id, capitals made small: hex digits and dashes keep apart when that bit is set. */
struct key {
    uint64_t w[5];
};

#define SMALL UINT64_C(0x2020202020202020)

struct ids {
    struct key *of;   /* by the step's place */
    uint32_t *places; /* by hash: a place plus one, or 0 */
    size_t mask;
};

static bool key_of(struct str id, struct key *out)
{
    if (!id.s || id.n != ID_CHARS)
        return false;
    *out = (struct key){ 0 };
    memcpy(out, id.s, ID_CHARS);
    for (size_t i = 0; i < COUNT(out->w); i++)
        out->w[i] |= SMALL;
    return true;
}

static size_t hash_of(const struct key *key)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < COUNT(key->w); i++)
        hash = (hash ^ key->w[i] ^ hash >> 29) * 0x9e3779b97f4a7c15;
    return (size_t)(hash >> 32);
}

/* Where the id is, or where it would be. */
static uint32_t *find(const struct ids *ids, const struct key *key)
{
    size_t at = hash_of(key) & ids->mask;

    while (ids->places[at] && memcmp(&ids->of[ids->places[at] - 1], key, sizeof *key) != 0)
        at = (at + 1) & ids->mask;
    return &ids->places[at];
}

static struct ids index_ids(const struct plan_doc *plan, struct arena *a)
{
    const struct step_doc *steps = plan->steps.v;
    struct ids ids = { arena_alloc(a, plan->steps.n * sizeof *ids.of), NULL, 1 };

    while (ids.mask < 2 * plan->steps.n)
        ids.mask = 2 * ids.mask + 1;
    ids.places = arena_alloc(a, (ids.mask + 1) * sizeof *ids.places);
    for (size_t i = 0; i < plan->steps.n; i++) {
        uint32_t *place;

        if (!key_of(steps[i].id, &ids.of[i]))
            continue;
        place = find(&ids, &ids.of[i]);
        if (!*place)
            *place = (uint32_t)i + 1;
    }
    return ids;
}

static void set_ready(struct graph *g, size_t step)
{
    g->ready[step / WORD] |= UINT64_C(1) << step % WORD;
    if (step / WORD < g->low)
        g->low = step / WORD;
}

/* The steps that a step depends on, written to *to; what is no step of the plan is unmet from the
 * start. */
static void read_edges(struct graph *g, const struct ids *ids, const struct step_doc *steps,
                       size_t step, uint32_t *to)
{
    const struct str *wanted = steps[step].depends_on.v;

    for (size_t i = 0; i < steps[step].depends_on.n; i++) {
        struct key key;
        uint32_t place = key_of(wanted[i], &key) ? *find(ids, &key) : 0;

        if (place == 0) {
            g->unmet[step] = GRAPH_UNKNOWN;
            continue;
        }
        to[g->waits[step]++] = place - 1;
        g->begin[place]++;
    }
}

/* `begin` has the number of edges of the step before; makes places of them and fills `after`. */
static void turn_edges(struct graph *g, uint32_t **to, struct arena *a)
{
    uint32_t *fill = arena_alloc(a, (g->steps + 1) * sizeof *fill);

    for (size_t i = 0; i < g->steps; i++)
        g->begin[i + 1] += g->begin[i];
    memcpy(fill, g->begin, (g->steps + 1) * sizeof *fill);
    for (size_t i = 0; i < g->steps; i++)
        for (size_t j = 0; j < g->waits[i]; j++)
            g->after[fill[to[i][j]]++] = (uint32_t)i;
}

struct graph graph_build(const struct plan_doc *plan, struct arena *a)
{
    const struct step_doc *steps = plan->steps.v;
    size_t n = plan->steps.n, words = n / WORD + 1, edges = 0;
    struct ids ids = index_ids(plan, a);
    struct graph g = { .steps = n,
                       .waits = arena_alloc(a, n * sizeof *g.waits),
                       .unmet = arena_alloc(a, n * sizeof *g.unmet),
                       .begin = arena_alloc(a, (n + 1) * sizeof *g.begin),
                       .ready = arena_alloc(a, words * sizeof *g.ready),
                       .low = words };
    uint32_t **to = arena_alloc(a, n * sizeof *to);

    for (size_t i = 0; i < n; i++) {
        to[i] = arena_raw(a, steps[i].depends_on.n * sizeof **to);
        edges += steps[i].depends_on.n;
        g.unmet[i] = GRAPH_ALL_MET;
        read_edges(&g, &ids, steps, i, to[i]);
        if (g.waits[i] == 0)
            set_ready(&g, i);
    }
    g.after = arena_raw(a, edges * sizeof *g.after);
    turn_edges(&g, to, a);
    return g;
}

bool graph_next(struct graph *g, size_t *step)
{
    size_t words = g->steps / WORD + 1;

    while (g->low < words && !g->ready[g->low])
        g->low++;
    if (g->low == words)
        return false;
    *step = g->low * WORD + (size_t)__builtin_ctzll(g->ready[g->low]);
    g->ready[g->low] &= g->ready[g->low] - 1;
    return true;
}

void graph_end(struct graph *g, size_t step, bool completed)
{
    for (size_t i = g->begin[step]; i < g->begin[step + 1]; i++) {
        uint32_t next = g->after[i];

        if (!completed && g->unmet[next] == GRAPH_ALL_MET)
            g->unmet[next] = (uint32_t)step;
        if (--g->waits[next] == 0)
            set_ready(g, next);
    }
}
