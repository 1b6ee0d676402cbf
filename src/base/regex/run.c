/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: a text through a program, one symbol at a time.
 *
 * All places the program may be at are one state (a set of steps); where a state goes with a symbol
 * is found once and kept. The room for states is fixed: when it is full all are forgotten, so that
 * the worst text costs its length times the length of the program, and no more.
 */
#include "base/regex.h"
#include "base/regex/parts.h"
#include "base/utf8.h"

/* Room for states; tests make it smaller. */
#ifndef CACHE_BYTES
#define CACHE_BYTES (64 << 10)
#endif

enum {
    CACHE_STATES = 256, /* and at least: */
    CACHE_FEWEST = 4,
    UNKNOWN = 0, /* of a move: not found yet */
    DEAD,        /* nothing can match any more */
    MATCHED,
    STATES, /* the first of the others */
};

/* What was before, or comes next, as far as assertions ask. */
enum beside { BESIDE_NOTHING, BESIDE_OTHER, BESIDE_WORD };

struct state {
    uint64_t hash;
    uint8_t search; /* may a match begin anywhere? */
    uint8_t before; /* enum beside */
};

struct cache {
    size_t room, n;
    size_t words;        /* of 64 bits, that hold one bit for each step */
    size_t moves;        /* of one state: each symbol, and the end */
    struct state *state; /* by number less STATES, as are the next two */
    uint64_t *at;        /* the steps that a state is at */
    uint16_t *move;
    uint64_t *seen, *to; /* while a move is found */
    uint32_t *stack;
};

void regex_cache(struct regex *r, struct arena *a)
{
    struct cache *c = arena_new(a, struct cache);
    size_t bytes;

    c->words = (r->count + 63) / 64;
    c->moves = r->symbols.count + 1u;
    bytes = sizeof *c->state + c->words * sizeof *c->at + c->moves * sizeof *c->move;
    c->room = CACHE_BYTES / bytes;
    if (c->room > CACHE_STATES)
        c->room = CACHE_STATES;
    if (c->room < CACHE_FEWEST)
        c->room = CACHE_FEWEST;
    c->state = arena_alloc(a, c->room * sizeof *c->state);
    c->at = arena_alloc(a, c->room * c->words * sizeof *c->at);
    c->move = arena_alloc(a, c->room * c->moves * sizeof *c->move);
    c->seen = arena_alloc(a, c->words * sizeof *c->seen);
    c->to = arena_alloc(a, c->words * sizeof *c->to);
    c->stack = arena_alloc(a, r->count * sizeof *c->stack);
    r->cache = c;
}

/* --- states --- */

static uint64_t hash_of(const uint64_t *at, size_t words)
{
    uint64_t h = 0;

    for (size_t i = 0; i < words; i++)
        h = (h ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ (h >> 29);
    return h;
}

/* The number of the state that is at c->to; a new one where it was not known. */
static uint16_t state_at(struct cache *c, uint8_t search, uint8_t before)
{
    struct state s = { hash_of(c->to, c->words), search, before };
    size_t bytes = c->words * sizeof *c->to;

    for (size_t i = 0; i < c->n; i++) {
        const struct state *known = &c->state[i];

        if (known->hash == s.hash && known->search == search && known->before == before &&
            memcmp(c->at + i * c->words, c->to, bytes) == 0)
            return (uint16_t)(STATES + i);
    }
    if (c->n == c->room)
        c->n = 0;
    c->state[c->n] = s;
    memcpy(c->at + c->n * c->words, c->to, bytes);
    memset(c->move + c->n * c->moves, 0, c->moves * sizeof *c->move);
    return (uint16_t)(STATES + c->n++);
}

/* --- moves --- */

static bool bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static void bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static void visit(struct cache *c, uint32_t *depth, uint32_t step)
{
    if (bit(c->seen, step))
        return;
    bit_set(c->seen, step);
    c->stack[(*depth)++] = step;
}

static enum beside beside_of(const struct regex *r, uint32_t symbol)
{
    static const struct set word = { (struct range *)regex_word, COUNT(regex_word), 0 };

    if (symbol == r->symbols.count)
        return BESIDE_NOTHING;
    return r->edges && regex_set_has(&word, r->symbols.sample[symbol]) ? BESIDE_WORD : BESIDE_OTHER;
}

static bool holds(enum assert_kind kind, enum beside before, enum beside after)
{
    bool edge = (before == BESIDE_WORD) != (after == BESIDE_WORD);

    switch (kind) {
    case ASSERT_BEGIN: return before == BESIDE_NOTHING;
    case ASSERT_END: return after == BESIDE_NOTHING;
    case ASSERT_EDGE: return edge;
    case ASSERT_NO_EDGE: return !edge;
    }
    return false;
}

/* One look at a step; true where it is the end of a match. */
static bool look(const struct regex *r, uint32_t at, uint32_t symbol, enum beside before,
                 uint32_t *depth)
{
    struct cache *c = r->cache;
    const struct step *s = &r->steps[at];
    bool end = symbol == r->symbols.count;

    switch (s->op) {
    case OP_SET:
        if (!end && regex_set_has(&r->sets[s->x], r->symbols.sample[symbol]))
            bit_set(c->to, at + 1);
        return false;
    case OP_SPLIT:
        visit(c, depth, s->x);
        visit(c, depth, s->y);
        return false;
    case OP_JUMP: visit(c, depth, s->x); return false;
    case OP_SAVE: visit(c, depth, at + 1); return false;
    case OP_ASSERT:
        if (holds(s->x, before, beside_of(r, symbol)))
            visit(c, depth, at + 1);
        return false;
    case OP_MATCH: return true;
    }
    return false;
}

/* Where a state goes with a symbol; the symbol behind the last is the end of the text. */
static uint16_t find_move(const struct regex *r, uint16_t from, uint32_t symbol)
{
    struct cache *c = r->cache;
    const struct state s = c->state[from - STATES];
    const uint64_t *at = c->at + (size_t)(from - STATES) * c->words;
    bool end = symbol == r->symbols.count, some = false;
    uint32_t depth = 0;

    memset(c->seen, 0, c->words * sizeof *c->seen);
    memset(c->to, 0, c->words * sizeof *c->to);
    for (uint32_t i = 0; i < r->count; i++)
        if (bit(at, i) || (s.search && i == 0))
            visit(c, &depth, i);
    while (depth > 0)
        if (look(r, c->stack[--depth], symbol, s.before, &depth) && (end || s.search))
            return MATCHED;
    for (size_t i = 0; i < c->words; i++)
        some |= c->to[i] != 0;
    if (end || (!some && !s.search))
        return DEAD;
    return state_at(c, s.search, r->places ? (uint8_t)beside_of(r, symbol) : BESIDE_NOTHING);
}

static uint16_t next(const struct regex *r, uint16_t from, uint32_t symbol, struct work *w)
{
    struct cache *c = r->cache;
    uint16_t *kept = c->move + (size_t)(from - STATES) * c->moves + symbol, to;
    size_t before = c->n;

    if (*kept != UNKNOWN)
        return *kept;
    if (!work_do(w, r->count))
        return DEAD;
    to = find_move(r, from, symbol);
    if (c->n >= before) /* else all were forgotten, and `from` with them */
        *kept = to;
    return to;
}

static bool run(const struct regex *r, struct str text, uint8_t search, struct work *w)
{
    const char *p = text.s, *end = text.s + text.n;
    struct cache *c = r->cache;
    uint16_t state;

    memset(c->to, 0, c->words * sizeof *c->to);
    bit_set(c->to, 0);
    state = state_at(c, search, BESIDE_NOTHING);
    while (p < end && state >= STATES) {
        if (!work_do(w, 1))
            return false;
        state = next(r, state, regex_symbol(&r->symbols, &p, end), w);
    }
    if (state >= STATES)
        state = next(r, state, r->symbols.count, w);
    return state == MATCHED;
}

bool regex_whole(const struct regex *r, struct str text, struct work *w, struct arena *a)
{
    (void)a;
    return run(r, text, false, w);
}

bool regex_search(const struct regex *r, struct str text, struct work *w, struct arena *a)
{
    (void)a;
    return run(r, text, true, w);
}
