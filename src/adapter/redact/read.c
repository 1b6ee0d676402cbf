/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: reads a text in one way, and what comes of it in every other, all at once.
 *
 * The first reading goes over all of the text. A second one differs from it only where its own
 * signs stand in what the first one gave: it sleeps until there is one, goes on from where the
 * first one is, and sleeps again when both have come to the same. So a byte costs little more than
 * one step for each way that is read first, and at most one for each pair of ways.
 */
#include "adapter/redact/read.h"

#include <assert.h>

#include "adapter/redact/ways.h"

enum {
    WINDOW = 2048,  /* bytes of the first reading that the second ones see at a time */
    AHEAD = 512,    /* of them, those that one escape or one fold may need */
    SLEEP_MOST = 64 /* bytes of a word begun: to wake up copies as many */
};

/* Where each of the last bytes that were read began: a word's beginning is looked up in it. */
struct trail {
    size_t *v, mask, n;
};

struct reader {
    struct words_state state;
    struct trail trail;
    size_t at; /* of a second one: the next byte of the window */
};

/* What the first reading gives. Of a text that is read as it stands, the text. */
struct window {
    struct str seen;
    size_t *from, *to; /* of each byte, where in the text; NULL: just there */
    size_t next;       /* byte of the text that has not been read */
    size_t whole;      /* bytes of the window before an escape that the text's end cut off */
    bool over;         /* there is no more behind it */
};

struct reading {
    const struct words *words;
    unsigned char signs[256]; /* by byte: the ways that have it as a sign, a bit for each */
    bool dull[256];           /* no sign, and no word begins with it */
    struct reader first, *seconds;
    unsigned seconds_on, awake; /* of the ways, a bit for each */
    char *bytes;                /* WINDOW of each */
    size_t *from, *to;

    /* Of the text that is read now: */
    struct str text;
    const struct redact_way *way; /* of the first reader */
    struct window window;
    struct cuts *cuts;
    size_t begun;
};

static struct trail new_trail(size_t room, struct arena *a)
{
    return (struct trail){ .v = arena_raw(a, room * sizeof(size_t)), .mask = room - 1 };
}

struct reading *reading_new(const struct words *words, size_t longest, struct arena *a)
{
    struct reading *r = arena_new(a, struct reading);
    size_t room = 1;

    assert(redact_way_count <= 8 * sizeof r->signs[0]);
    while (room < longest)
        room *= 2;
    r->words = words;
    r->first.trail = new_trail(room, a);
    r->seconds = arena_alloc(a, redact_way_count * sizeof *r->seconds);
    for (size_t i = 0; i < redact_way_count; i++) {
        r->seconds[i].trail = new_trail(room, a);
        for (const char *sign = redact_ways[i].signs; *sign; sign++)
            r->signs[(unsigned char)*sign] |= (unsigned char)(1u << i);
    }
    for (int byte = 0; byte < 256; byte++)
        r->dull[byte] = !r->signs[byte] && !words_begin_with(words, (char)byte);
    r->bytes = arena_raw(a, WINDOW);
    r->from = arena_raw(a, WINDOW * sizeof *r->from);
    r->to = arena_raw(a, WINDOW * sizeof *r->to);
    return r;
}

/* ---- the window ---- */

static size_t text_from(const struct window *w, size_t at)
{
    return w->from ? w->from[at] : at;
}

static size_t text_to(const struct window *w, size_t at)
{
    return w->to ? w->to[at] : at + 1;
}

static bool is_broken(const struct redact_way *way, struct str t, size_t at)
{
    return t.n - at < REDACT_LONGEST && way->is_begun && way->is_begun(t, at);
}

static void window_open(struct reading *r)
{
    struct window *w = &r->window;

    *w = (struct window){ .whole = SIZE_MAX };
    if (*r->way->signs == '\0') {
        w->seen = r->text;
        w->over = true;
        return;
    }
    w->seen.s = r->bytes;
    w->from = r->from;
    w->to = r->to;
}

static void window_fill(struct reading *r)
{
    struct window *w = &r->window;
    struct str t = r->text;
    unsigned bit = 1u << (r->way - redact_ways);

    if (!w->from)
        return;
    while (w->next < t.n && w->seen.n < WINDOW - GLYPH_MOST) {
        struct glyph g;

        if (!(r->signs[(unsigned char)t.s[w->next]] & bit)) {
            r->bytes[w->seen.n] = t.s[w->next];
            w->from[w->seen.n] = w->next++;
            w->to[w->seen.n++] = w->next;
            continue;
        }
        g = r->way->next(t, w->next);
        if (w->whole == SIZE_MAX && is_broken(r->way, t, w->next))
            w->whole = w->seen.n;
        for (size_t i = 0; i < g.n; i++, w->seen.n++) {
            r->bytes[w->seen.n] = g.bytes[i];
            w->from[w->seen.n] = w->next;
            w->to[w->seen.n] = w->next + g.taken;
        }
        w->next += g.taken;
    }
    w->over = w->next == t.n;
}

static void window_drop(struct reading *r, size_t n)
{
    struct window *w = &r->window;

    w->seen.n -= n;
    w->whole -= w->whole == SIZE_MAX ? 0 : n;
    memmove(r->bytes, r->bytes + n, w->seen.n);
    memmove(w->from, w->from + n, w->seen.n * sizeof *w->from);
    memmove(w->to, w->to + n, w->seen.n * sizeof *w->to);
    for (size_t i = 0; i < redact_way_count; i++)
        if (r->awake & 1u << i)
            r->seconds[i].at -= n;
}

/* ---- one step ---- */

static bool is_base64(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           is_one_of(c, "+/-_");
}

/* A word of base64 leaves out the characters it shares with its neighbours, on the line before or
 * after, too; they have some of the secret's bits. */
static void cut_word(struct cuts *c, struct str t, const struct word_end *word, struct cut cut)
{
    size_t from = cut.from, to = cut.to;

    while (from && is_one_of(t.s[from - 1], "\r\n"))
        from--;
    while (to < t.n && is_one_of(t.s[to], "\r\n"))
        to++;
    if (word->before && from && is_base64(t.s[from - 1]))
        cut.from = from - 1;
    if (word->after && to < t.n && is_base64(t.s[to]))
        cut.to = to + 1;
    cuts_add(c, cut.from, cut.to);
}

/* The byte stands in the text from there to there. */
static void take(struct reading *r, struct reader *reader, char byte, struct cut at)
{
    const struct word_end *end = words_step(r->words, &reader->state, byte);
    struct trail *trail = &reader->trail;

    trail->v[trail->n++ & trail->mask] = at.from;
    if (end) {
        at.from = trail->v[(trail->n - end->length) & trail->mask];
        cut_word(r->cuts, r->text, end, at);
    }
}

/* Where the last bytes that begin a word begin; behind the text, where none do. */
static size_t begun_at(const struct reading *r, const struct reader *reader)
{
    size_t n = words_begun(r->words, &reader->state);

    return n ? reader->trail.v[(reader->trail.n - n) & reader->trail.mask] : r->text.n;
}

/* Were the text to go on behind what the reader has read: it would begin there. */
static void may_begin(struct reading *r, const struct reader *reader)
{
    size_t begun = begun_at(r, reader);

    r->begun = begun < r->begun ? begun : r->begun;
}

/* ---- the second readers ---- */

/* Does what stands there mean something else in that way? Near the end, it may be the beginning of
 * what does. */
static bool differs(const struct window *w, const struct redact_way *way, size_t at)
{
    struct glyph g;

    if (w->over && w->seen.n - at < 2 * (size_t)REDACT_LONGEST)
        return true;
    g = way->next(w->seen, at);
    return g.taken != 1 || g.n != 1 || g.bytes[0] != w->seen.s[at];
}

static void wake(struct reading *r, int i, size_t at)
{
    struct reader *reader = &r->seconds[i];
    const struct trail *from = &r->first.trail;
    size_t n = words_begun(r->words, &r->first.state);

    if (!differs(&r->window, &redact_ways[i], at))
        return;
    reader->state = r->first.state;
    reader->at = at;
    reader->trail.n = from->n;
    for (size_t k = from->n - n; k != from->n; k++)
        reader->trail.v[k & from->mask] = from->v[k & from->mask];
    r->awake |= 1u << i;
}

/* An escape that was cut off: by the end of the window, or where the first reading's was. */
static bool is_broken_here(const struct window *w, const struct redact_way *way, size_t at)
{
    struct str seen = w->seen;

    if (!w->over)
        return false;
    if (is_broken(way, seen, at))
        return true;
    seen.n = w->whole;
    return w->whole <= w->seen.n && at < w->whole && is_broken(way, seen, at);
}

static void read_glyph(struct reading *r, struct reader *reader, const struct redact_way *way)
{
    const struct window *w = &r->window;
    struct glyph g = way->next(w->seen, reader->at);
    struct cut at = { text_from(w, reader->at), text_to(w, reader->at + g.taken - 1) };

    if (is_broken_here(w, way, reader->at))
        may_begin(r, reader);
    for (size_t i = 0; i < g.n; i++)
        take(r, reader, g.bytes[i], at);
    reader->at += g.taken;
}

/* Both would go on alike. */
static bool is_same(const struct reading *r, const struct reader *reader, size_t at)
{
    if (reader->at != at || reader->state.node != r->first.state.node)
        return false;
    return reader->state.node == 0 || (words_begun(r->words, &reader->state) <= SLEEP_MOST &&
                                       begun_at(r, reader) == begun_at(r, &r->first));
}

static void read_seconds(struct reading *r, size_t at)
{
    for (unsigned left = r->awake; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        struct reader *reader = &r->seconds[i];

        if (reader->at == at)
            read_glyph(r, reader, &redact_ways[i]);
        if (is_same(r, reader, at + 1))
            r->awake &= ~(1u << i);
    }
}

/* ---- a text ---- */

static void all_may_begin(struct reading *r)
{
    may_begin(r, &r->first);
    for (size_t i = 0; i < redact_way_count; i++)
        if (r->awake & 1u << i)
            may_begin(r, &r->seconds[i]);
}

static void read_byte(struct reading *r, size_t at)
{
    struct window *w = &r->window;
    char byte = w->seen.s[at];
    unsigned called = r->signs[(unsigned char)byte] & r->seconds_on & ~r->awake;
    struct cut here = { text_from(w, at), text_to(w, at) };

    for (; called; called &= called - 1)
        wake(r, __builtin_ctz(called), at);
    if (is_broken(r->way, r->text, here.from))
        all_may_begin(r);
    take(r, &r->first, byte, here);
    if (r->awake)
        read_seconds(r, at);
}

static void read_through(struct reading *r)
{
    struct window *w = &r->window;

    r->first.state = (struct words_state){ 0 };
    r->first.trail.n = 0;
    r->awake = 0;
    window_open(r);
    for (;;) {
        size_t stop;

        window_fill(r);
        stop = w->over ? w->seen.n : w->seen.n - AHEAD;
        for (size_t at = 0; at < stop; at++)
            if (r->awake || r->first.state.node || !r->dull[(unsigned char)w->seen.s[at]])
                read_byte(r, at);
        if (w->over)
            break;
        window_drop(r, stop);
    }
    all_may_begin(r);
}

/* A text as it stands is read in the other ways when they come first. */
static unsigned seconds_of(const struct redact_way *first)
{
    unsigned on = 0;

    for (size_t i = 0; i < redact_way_count; i++)
        if (*first->signs || redact_ways[i].only_second)
            on |= 1u << i;
    return on;
}

size_t reading_cuts(struct reading *r, struct str text, struct cuts *c)
{
    r->text = text;
    r->cuts = c;
    r->begun = text.n;
    for (size_t i = 0; text.n && i < redact_way_count; i++) {
        const struct redact_way *way = &redact_ways[i];

        if (way->only_second || (*way->signs && !memchr(text.s, *way->signs, text.n)))
            continue;
        r->way = way;
        r->seconds_on = seconds_of(way);
        read_through(r);
    }
    return r->begun;
}
