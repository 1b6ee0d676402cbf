/* SPDX-License-Identifier: Apache-2.0 */
/* redact.c: takes secrets out of texts and documents, in one pass for each way of writing them.
 *
 * All secrets, and what base64 and hexadecimal digits make of them, are the words of one automaton
 * (redact_words.h). It reads the text in each way there is (redact_ways.h): so it does not matter
 * which characters somebody chose to escape. Each reading takes time in proportion to the text,
 * whatever is in it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "adapter/redact_cuts.h"
#include "adapter/redact_ways.h"
#include "adapter/redact_words.h"
#include "adapter/secret.h"
#include "base/doc_make.h"

/* ---- reading ---- */

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

/* Where each of the last bytes that were read began: a word's beginning is looked up in it. */
struct trail {
    size_t *v, mask, n;
};

/* Where the last bytes that begin a word begin; `end`, where none do. */
static size_t begun_at(const struct words *words, const struct words_state *state,
                       const struct trail *trail, size_t end)
{
    size_t n = words_begun(words, state);

    return n ? trail->v[(trail->n - n) & trail->mask] : end;
}

/* Gives back where the end that may begin a secret begins. */
static size_t read_way(struct words *words, const struct redact_way *way, struct str t,
                       struct trail *trail, struct cuts *c)
{
    struct words_state state = { 0 };
    size_t begun = t.n;

    trail->n = 0;
    for (size_t at = 0; at < t.n;) {
        struct glyph g = way->next(t, at);

        if (t.n - at < REDACT_LONGEST && begun == t.n && way->is_begun && way->is_begun(t, at))
            begun = begun_at(words, &state, trail, t.n);
        for (size_t i = 0; i < g.n; i++) {
            const struct word_end *end = words_step(words, &state, g.bytes[i]);

            trail->v[trail->n++ & trail->mask] = at;
            if (end)
                cut_word(
                    c, t, end,
                    (struct cut){ trail->v[(trail->n - end->length) & trail->mask], at + g.taken });
        }
        at += g.taken;
    }
    return begun < t.n ? begun : begun_at(words, &state, trail, t.n);
}

/* ---- a text ---- */

struct redactor {
    struct words *words; /* NULL: there are none */
    struct trail trail;
    bool headers;
    bool cut;         /* the text is the beginning of one */
    struct arena *a;  /* for what is given back */
    struct arena own; /* has the secrets once more, and is wiped */
};

static void redactor_close(struct redactor *r)
{
    arena_wipe(&r->own);
    arena_free(&r->own);
}

#define _redactor_ _cleanup_(redactor_close)

static void redactor_open(struct redactor *r, const struct secrets *all, struct arena *a)
{
    size_t longest, room = 1;

    *r = (struct redactor){ .headers = all->headers_too, .a = a };
    for (size_t i = 0; i < all->n; i++) {
        if (all->v[i].value.n < REDACT_LEAST)
            continue;
        if (!r->words)
            r->words = words_new(&r->own);
        words_add_secret(r->words, all->v[i].value);
    }
    if (!r->words)
        return;
    longest = words_finish(r->words);
    while (room < longest)
        room *= 2;
    r->trail.v = arena_alloc(&r->own, room * sizeof *r->trail.v);
    r->trail.mask = room - 1;
}

static struct str redact_with(struct redactor *r, struct str t)
{
    struct cuts c = { .a = r->a };
    size_t end = t.n;

    for (size_t i = 0; r->words && t.n && i < redact_way_count; i++) {
        const struct redact_way *way = &redact_ways[i];

        if (!way->sign || memchr(t.s, way->sign, t.n)) {
            size_t begun = read_way(r->words, way, t, &r->trail, &c);

            end = begun < end ? begun : end;
        }
    }
    if (r->headers)
        cuts_add_headers(&c, t);
    cuts_merge(&c);
    if (r->cut) {
        t.n = end;
        cuts_end(&c, end);
    }
    return c.n ? cuts_made(&c, t) : t;
}

struct str redact(struct str text, const struct secrets *all, struct arena *a)
{
    _redactor_ struct redactor r = { 0 };

    redactor_open(&r, all, a);
    return redact_with(&r, text);
}

struct str redact_cut(struct str text, const struct secrets *all, struct arena *a)
{
    _redactor_ struct redactor r = { 0 };

    redactor_open(&r, all, a);
    r.cut = true;
    return redact_with(&r, text);
}

/* ---- a document ---- */

/* What a value is in characters: whole numbers can be secrets, too. */
static struct str in_characters(const struct doc *d, char room[32])
{
    if (d->kind == DOC_TEXT)
        return d->text;
    if (d->kind == DOC_NUMBER && d->written)
        return str_of(d->written);
    if (d->kind != DOC_INT)
        return (struct str){ 0 };
    return (struct str){ room, (size_t)snprintf(room, 32, "%" PRId64, d->whole) };
}

/* Two names that were secrets must not become one. */
static struct str new_name(struct redactor *r, struct str name, size_t *names)
{
    struct str out = redact_with(r, name);

    if (out.s == name.s || ++*names == 1)
        return out;
    return str_of(arena_printf(r->a, "%.*s %zu", STR_ARG(out), *names));
}

/* As deep as the readers let a document be. */
static void redact_copy(struct redactor *r, const struct doc *from, struct doc *to, size_t *names)
{
    char room[32];
    struct str said = in_characters(from, room), out = redact_with(r, said);

    to->kind = from->kind;
    if (from->kind == DOC_LIST || from->kind == DOC_MAP) {
        for (const struct doc *c = from->first; c; c = c->next) {
            struct str key = c->key.s ? new_name(r, c->key, names) : c->key;

            redact_copy(r, c, doc_add(r->a, to, key), names);
        }
    } else if (out.s != said.s) {
        to->kind = DOC_TEXT;
        to->text = out;
    } else if (from->kind == DOC_TEXT) {
        to->text = from->text;
    } else if (from->kind == DOC_INT) {
        to->whole = from->whole;
    } else if (from->kind == DOC_NUMBER) {
        to->number = from->number;
        to->written = from->written;
    } else if (from->kind == DOC_BOOL) {
        to->truth = from->truth;
    }
}

const struct doc *redact_doc(const struct doc *d, const struct secrets *all, struct arena *a)
{
    struct doc *out = doc_root(a, DOC_NULL);
    _redactor_ struct redactor r = { 0 };
    size_t names = 0;

    redactor_open(&r, all, a);
    r.headers = false; /* a header's name and value are two texts here; its value is a secret */
    redact_copy(&r, d, out, &names);
    return out;
}

static bool holds(struct redactor *r, const struct doc *d)
{
    char room[32];
    struct str said = in_characters(d, room);

    if (redact_with(r, said).s != said.s || (d->key.s && redact_with(r, d->key).s != d->key.s))
        return true;
    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return false;
    for (const struct doc *c = d->first; c; c = c->next)
        if (holds(r, c))
            return true;
    return false;
}

const struct doc *secret_held(const struct doc *map, const struct secrets *all)
{
    _redactor_ struct redactor r = { 0 };
    const struct doc *c = doc_first(map, DOC_MAP);

    redactor_open(&r, all, &r.own);
    r.headers = false;
    while (c && r.words && !holds(&r, c))
        c = c->next;
    return r.words ? c : NULL;
}
