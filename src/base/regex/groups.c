/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c: which part of a text matched which part of a pattern.
 *
 * The text is gone through twice. Backwards, to learn at each place from which steps of the program
 * a match can still be reached: such a set of steps is a state, and where a state goes with a
 * character is mostly known from before. Then forwards: whoever takes only steps that still lead to
 * a match never has to come back, so that the preferred match is found at once. Both are linear,
 * whatever the pattern is and however many matches there are.
 */
#include "base/regex.h"
#include "base/regex/parts.h"

enum {
    WALK_BYTES = 64 << 20, /* of all states together */
    KNOWN_MOVES = 1 << 12,
    STEPS_AT_ONCE = 8, /* steps of the program that are looked at in one step of work */
};

/* What is beside a place, as far as assertions ask. */
enum beside { BESIDE_NOTHING, BESIDE_LINE, BESIDE_WORD, BESIDE_OTHER, BESIDE_COUNT };

struct regex_groups {
    struct regex program;
    bool lines;
    struct str *names;
    uint32_t name_count;
    uint32_t *from;   /* of each step: where those that lead to it without a character begin */
    uint32_t *before; /* in here */
    uint64_t *led_to; /* a bit for each step that others lead to so */
};

struct move {
    uint32_t state, with, to; /* state 0: free; states are counted from 1 */
};

/* What is left to try at one place: a step, or a slot that gets its old value back. */
struct turn {
    uint32_t step; /* or the program's length and more: a slot */
    size_t old;
};

struct regex_walk {
    const struct regex_groups *g;
    struct str text;
    struct work *w;
    struct arena *a;
    size_t words;   /* of one state */
    uint64_t *bits; /* by state less 1 */
    size_t states, room;
    uint32_t *slots; /* states by their hash */
    size_t slot_count;
    struct move *known;
    uint32_t *at; /* of each place the state */
    uint64_t *made;
    uint64_t **takes; /* by symbol: the steps that take it; NULL: not asked for yet */
    uint32_t *stack;

    size_t next; /* where the next match may begin; beyond the text: nowhere */
    uint32_t *seen, turn;
    struct turn *turns;
    size_t save[2 * REGEX_GROUPS];
};

/* --- a pattern --- */

/* Where a step leads without a character. */
static uint32_t leads_to(const struct step *s, uint32_t i, uint32_t to[2])
{
    to[0] = s->op == OP_SPLIT || s->op == OP_JUMP ? s->x : i + 1;
    to[1] = s->y;
    switch (s->op) {
    case OP_SPLIT: return 2;
    case OP_JUMP:
    case OP_ASSERT:
    case OP_SAVE: return 1;
    case OP_SET:
    case OP_MATCH: return 0;
    }
    return 0;
}

static void turn_round(struct regex_groups *g, struct arena *a)
{
    const struct regex *r = &g->program;
    uint32_t to[2];

    g->from = arena_alloc(a, (r->count + 2) * sizeof *g->from);
    g->before = arena_alloc(a, 2 * (size_t)r->count * sizeof *g->before);
    g->led_to = arena_alloc(a, (r->count / 64 + 1) * sizeof *g->led_to);
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t k = leads_to(&r->steps[i], i, to); k-- > 0;) {
            g->from[to[k] + 2]++;
            g->led_to[to[k] / 64] |= UINT64_C(1) << (to[k] % 64);
        }
    for (uint32_t i = 2; i < r->count + 2; i++)
        g->from[i] += g->from[i - 1];
    /* from[t + 1] is where t's begin, and ends as where they end. */
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t k = leads_to(&r->steps[i], i, to); k-- > 0;)
            g->before[g->from[to[k] + 1]++] = i;
}

bool regex_groups_read(struct str pattern, bool lines, struct arena *a,
                       const struct regex_groups **out, struct error *e)
{
    struct pattern p = { .text = pattern, .dialect = REGEX_ECMA, .a = a, .grouped = true, .e = e };
    struct regex_groups *g = arena_new(a, struct regex_groups);

    if (!regex_program(&p, &g->program))
        return false;
    g->lines = lines;
    g->name_count = p.name_count;
    g->names = arena_alloc(a, p.name_count * sizeof *g->names);
    memcpy(g->names, p.names, p.name_count * sizeof *g->names);
    turn_round(g, a);
    *out = g;
    return true;
}

size_t regex_groups_names(const struct regex_groups *g, const struct str **names)
{
    *names = g->names;
    return g->name_count;
}

/* --- places --- */

static bool bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static enum beside beside_of(uint32_t c)
{
    static const struct set word = { (struct range *)regex_word, COUNT(regex_word), 0 };

    if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029)
        return BESIDE_LINE;
    return regex_set_has(&word, c) ? BESIDE_WORD : BESIDE_OTHER;
}

static bool ends(const struct regex_groups *g, enum beside side)
{
    return side == BESIDE_NOTHING || (g->lines && side == BESIDE_LINE);
}

static bool holds(const struct regex_groups *g, enum assert_kind kind, uint32_t place)
{
    enum beside before = (enum beside)(place / BESIDE_COUNT);
    enum beside after = (enum beside)(place % BESIDE_COUNT);
    bool edge = (before == BESIDE_WORD) != (after == BESIDE_WORD);

    switch (kind) {
    case ASSERT_BEGIN: return ends(g, before);
    case ASSERT_END: return ends(g, after);
    case ASSERT_EDGE: return edge;
    case ASSERT_NO_EDGE: return !edge;
    }
    return false;
}

/* The character before or behind a place; the text is UTF-8. */
static size_t char_begin(const struct regex_walk *k, size_t at)
{
    do
        at--;
    while (((unsigned char)k->text.s[at] & 0xc0) == 0x80);
    return at;
}

static size_t char_end(const struct regex_walk *k, size_t at)
{
    return at + utf8_step(k->text.s + at, k->text.s + k->text.n);
}

static enum beside beside_at(const struct regex_walk *k, size_t from, size_t to)
{
    return from == to ? BESIDE_NOTHING : beside_of(utf8_get(k->text.s + from, to - from));
}

/* What is on both sides of a place, as one number; 0 where nothing asks. */
static uint32_t place_of(const struct regex_walk *k, size_t at)
{
    size_t n = k->text.n;

    if (!k->g->program.places)
        return 0;
    return (uint32_t)beside_at(k, at > 0 ? char_begin(k, at) : at, at) * BESIDE_COUNT +
           (uint32_t)beside_at(k, at, at < n ? char_end(k, at) : at);
}

/* --- states --- */

static uint64_t hash_of(const uint64_t *bits, size_t words)
{
    uint64_t h = 0;

    for (size_t i = 0; i < words; i++)
        h = (h ^ bits[i] ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static const uint64_t *state_bits(const struct regex_walk *k, uint32_t state)
{
    return k->bits + (size_t)(state - 1) * k->words;
}

static void slot_fill(struct regex_walk *k, uint32_t state)
{
    size_t i = hash_of(state_bits(k, state), k->words) & (k->slot_count - 1);

    while (k->slots[i])
        i = (i + 1) & (k->slot_count - 1);
    k->slots[i] = state;
}

static void slots_grow(struct regex_walk *k)
{
    k->slot_count = k->slot_count ? 2 * k->slot_count : 64;
    k->slots = arena_alloc(k->a, k->slot_count * sizeof *k->slots);
    for (uint32_t s = 1; s <= k->states; s++)
        slot_fill(k, s);
}

/* The number of the state that is k->made; 0 where there is no room for it. */
static uint32_t state_of(struct regex_walk *k)
{
    size_t bytes = k->words * sizeof *k->made, i;

    if (2 * k->states >= k->slot_count)
        slots_grow(k);
    i = hash_of(k->made, k->words) & (k->slot_count - 1);
    for (; k->slots[i]; i = (i + 1) & (k->slot_count - 1))
        if (memcmp(state_bits(k, k->slots[i]), k->made, bytes) == 0)
            return k->slots[i];
    if ((k->states + 1) * bytes > WALK_BYTES)
        return 0;
    k->bits = arena_more(k->a, k->bits, k->states, &k->room, bytes);
    memcpy(k->bits + k->states * k->words, k->made, bytes);
    k->slots[i] = (uint32_t)++k->states;
    return k->slots[i];
}

/* --- backwards --- */

static void reach(struct regex_walk *k, uint32_t *depth, uint32_t step)
{
    if (bit(k->made, step))
        return;
    k->made[step / 64] |= UINT64_C(1) << (step % 64);
    k->stack[(*depth)++] = step;
}

/* The steps that take a symbol. */
static const uint64_t *takes(struct regex_walk *k, uint32_t symbol)
{
    const struct regex *r = &k->g->program;
    uint64_t *bits = k->takes[symbol];

    if (bits)
        return bits;
    bits = arena_alloc(k->a, k->words * sizeof *bits);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->steps[i].op == OP_SET &&
            regex_set_has(&r->sets[r->steps[i].x], r->symbols.sample[symbol]))
            bits[i / 64] |= UINT64_C(1) << (i % 64);
    k->takes[symbol] = bits;
    return bits;
}

/* Makes the state of a place. symbol: of the character behind it; `then`: the state behind that.
 * NULL: the text ends here. 64 steps at once, but for those that others lead to. */
static void make(struct regex_walk *k, const uint64_t *then, uint32_t symbol, uint32_t place)
{
    const struct regex_groups *g = k->g;
    const struct regex *r = &g->program;
    const uint64_t *takers = then ? takes(k, symbol) : NULL;
    uint32_t depth = 0;

    memset(k->made, 0, k->words * sizeof *k->made);
    for (size_t i = 0; then && i < k->words; i++) {
        uint64_t next = then[i] >> 1 | (i + 1 < k->words ? then[i + 1] << 63 : 0);

        k->made[i] = takers[i] & next;
        for (uint64_t led = k->made[i] & g->led_to[i]; led; led &= led - 1)
            k->stack[depth++] = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(led);
    }
    reach(k, &depth, r->count - 1);
    while (depth > 0) {
        uint32_t step = k->stack[--depth];

        for (uint32_t i = g->from[step]; i < g->from[step + 1]; i++) {
            uint32_t before = g->before[i];

            if (r->steps[before].op != OP_ASSERT || holds(g, r->steps[before].x, place))
                reach(k, &depth, before);
        }
    }
}

/* The state before a character; 0 where the work is over or there is no room. */
static uint32_t move(struct regex_walk *k, uint32_t then, uint32_t symbol, uint32_t place)
{
    const struct regex *r = &k->g->program;
    uint32_t with = symbol * BESIDE_COUNT * BESIDE_COUNT + place;
    uint64_t h = ((uint64_t)then << 32 | with) * UINT64_C(0x9e3779b97f4a7c15);
    struct move *known = &k->known[h >> 40 & (KNOWN_MOVES - 1)];
    uint32_t to;

    if (known->state == then && known->with == with)
        return known->to;
    if (!work_do(k->w, 1 + r->count / STEPS_AT_ONCE))
        return 0;
    make(k, state_bits(k, then), symbol, place);
    to = state_of(k);
    *known = (struct move){ then, with, to };
    return to;
}

static bool look_back(struct regex_walk *k, struct error *e)
{
    const struct symbols *symbols = &k->g->program.symbols;
    size_t at = k->text.n;

    make(k, NULL, 0, place_of(k, at));
    k->at[at] = state_of(k);
    while (at > 0 && k->at[at] && work_do(k->w, 1)) {
        size_t begin = char_begin(k, at);
        const char *p = k->text.s + begin;
        uint32_t symbol = regex_symbol(symbols, &p, k->text.s + k->text.n);

        k->at[begin] = move(k, k->at[at], symbol, place_of(k, begin));
        at = begin;
    }
    if (k->w->over)
        return error_set(e, ERROR_CEILING, "the pattern takes too many steps for this text");
    return k->at[at] ||
           error_set(e, ERROR_CEILING, "the pattern needs more than %d bytes of room for this text",
                     WALK_BYTES);
}

bool regex_walk_begin(const struct regex_groups *g, struct str text, struct work *w,
                      struct arena *a, struct regex_walk **out, struct error *e)
{
    struct regex_walk *k = arena_new(a, struct regex_walk);
    size_t count = g->program.count;

    if (utf8_valid(text) != text.n)
        return error_set(e, ERROR_ENCODING, "the text is not UTF-8");
    *k = (struct regex_walk){ .g = g, .text = text.n ? text : str_of(""), .w = w, .a = a };
    k->words = (count + 63) / 64;
    k->made = arena_alloc(a, k->words * sizeof *k->made);
    k->stack = arena_alloc(a, count * sizeof *k->stack);
    k->takes = arena_alloc(a, g->program.symbols.count * sizeof *k->takes);
    k->known = arena_alloc(a, KNOWN_MOVES * sizeof *k->known);
    k->at = arena_raw(a, (text.n + 1) * sizeof *k->at);
    k->seen = arena_alloc(a, count * sizeof *k->seen);
    k->turns = arena_alloc(a, (2 * count + 1) * sizeof *k->turns);
    if (!look_back(k, e))
        return false;
    *out = k;
    return true;
}

/* --- forwards --- */

/* One step that needs no character: what is to be tried next, the best last. */
static size_t try_step(struct regex_walk *k, size_t n, uint32_t step, size_t at)
{
    const struct regex *r = &k->g->program;
    const struct step *s = &r->steps[step];

    switch (s->op) {
    case OP_SPLIT:
        k->turns[n++] = (struct turn){ s->y, 0 };
        k->turns[n++] = (struct turn){ s->x, 0 };
        return n;
    case OP_JUMP: k->turns[n++] = (struct turn){ s->x, 0 }; return n;
    case OP_ASSERT:
        if (holds(k->g, s->x, place_of(k, at)))
            k->turns[n++] = (struct turn){ step + 1, 0 };
        return n;
    case OP_SAVE:
        k->turns[n++] = (struct turn){ r->count + s->x, k->save[s->x] };
        k->turns[n++] = (struct turn){ step + 1, 0 };
        k->save[s->x] = at;
        return n;
    case OP_SET:
    case OP_MATCH: return n;
    }
    return n;
}

/* From a step on, the first that takes a character, or is the end. A step that was tried at this
 * place is not tried again: what repeats nothing would repeat it for ever. */
static uint32_t choose(struct regex_walk *k, uint32_t step, size_t at)
{
    const struct regex *r = &k->g->program;
    const uint64_t *alive = state_bits(k, k->at[at]);
    size_t n = 1;

    k->turn++;
    k->turns[0] = (struct turn){ step, 0 };
    while (n > 0) {
        struct turn t = k->turns[--n];

        if (t.step >= r->count) {
            k->save[t.step - r->count] = t.old;
            continue;
        }
        if (k->seen[t.step] == k->turn || !bit(alive, t.step))
            continue;
        k->seen[t.step] = k->turn;
        if (r->steps[t.step].op == OP_SET || r->steps[t.step].op == OP_MATCH)
            return t.step;
        n = try_step(k, n, t.step, at);
    }
    return r->count - 1; /* never: a step that is alive leads somewhere */
}

/* Where the match that begins at k->next ends. */
static size_t match(struct regex_walk *k)
{
    const struct regex *r = &k->g->program;
    size_t at = k->next;
    uint32_t step = 0;

    memset(k->save, 0xff, sizeof k->save);
    while (work_do(k->w, 2)) {
        step = choose(k, step, at);
        if (r->steps[step].op == OP_MATCH)
            break;
        at = char_end(k, at);
        step++;
    }
    return at;
}

bool regex_walk_next(struct regex_walk *k, struct str *whole, struct str *groups)
{
    size_t end;

    while (k->next < k->text.n && !bit(state_bits(k, k->at[k->next]), 0))
        k->next = char_end(k, k->next);
    if (k->next > k->text.n || !bit(state_bits(k, k->at[k->next]), 0))
        return false;
    end = match(k);
    if (k->w->over)
        return false;
    *whole = (struct str){ k->text.s + k->next, end - k->next };
    for (uint32_t i = 0; i < k->g->name_count; i++) {
        const size_t *save = &k->save[2 * i];

        groups[i] = (struct str){ 0 };
        if (save[1] != SIZE_MAX)
            groups[i] = (struct str){ k->text.s + save[0], save[1] - save[0] };
    }
    if (end > k->next)
        k->next = end;
    else
        k->next = end < k->text.n ? char_end(k, end) : end + 1;
    return true;
}
