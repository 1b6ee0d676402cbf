/* SPDX-License-Identifier: Apache-2.0 */
/* redact.c: takes secrets out of texts and documents, in one pass for each way of writing them.
 *
 * All secrets, and what base64 and hexadecimal digits make of them, are the words of one automaton
 * (redact_words.h). It reads the text in each way there is (redact/ways.h), and what that gives in
 * each way again (redact/read.h): so it does not matter which characters somebody chose to escape.
 * Each reading takes time in proportion to the text, whatever is in it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "adapter/redact/read.h"
#include "adapter/redact/ways.h"
#include "adapter/secret.h"
#include "base/doc_make.h"

/* ---- a text ---- */

struct redactor {
    struct reading *reading; /* NULL: there are no secrets */
    bool headers;
    size_t longest;   /* of the words */
    bool cut;         /* the text is the beginning of one */
    bool tail;        /* it is the end of one */
    struct arena *a;  /* for what is given back */
    struct arena own; /* has the secrets once more, and is wiped */
};

static void redactor_close(struct redactor *r)
{
    arena_wipe(&r->own);
    arena_free(&r->own);
}

#define _redactor_ _cleanup_(redactor_close)

/* No word above `most` bytes is looked for: none is in a text that has no more. */
static void redactor_open(struct redactor *r, const struct secrets *all, size_t most,
                          struct arena *a)
{
    struct words *words = NULL;

    *r = (struct redactor){ .headers = all->headers_too, .a = a };
    for (size_t i = 0; i < all->n; i++) {
        if (all->v[i].value.n < REDACT_LEAST)
            continue;
        if (!words)
            words = words_new(most, &r->own);
        words_add_secret(words, all->v[i].value);
    }
    if (!words)
        return;
    r->longest = words_finish(words);
    r->reading = reading_new(words, r->longest, &r->own);
}

/* How much of the beginning gives so many bytes, read in this way. */
static size_t read_so_many(const struct redact_way *way, struct str t, size_t bytes)
{
    size_t read = 0, at = 0;

    while (at < t.n && read < bytes) {
        struct glyph g = way->next(t, at);

        read += g.n;
        at += g.taken;
    }
    return at;
}

/* How much of the beginning can be the rest of a word, and of the escape that the text may begin in
 * the middle of. What is escaped may be so inside of another way of writing: then each byte of the
 * word is as many as an escape has. */
static size_t rest_of_secret(const struct redactor *r, struct str t)
{
    size_t word = r->longest + REDACT_LONGEST, front = r->headers ? headers_rest(t) : 0;

    for (size_t i = 0; t.s && r->reading && i < redact_way_count; i++) {
        const struct redact_way *way = &redact_ways[i];
        bool is_signed = !*way->signs || memchr(t.s, *way->signs, t.n);
        bool holds_others = way->is_begun && !way->only_second;
        size_t bytes = holds_others ? word * REDACT_LONGEST : word;
        size_t rest = is_signed ? read_so_many(way, t, bytes) : 0;

        front = rest > front ? rest : front;
    }
    return front;
}

static struct str redact_with(struct redactor *r, struct str t)
{
    struct cuts c = { .a = r->a };
    size_t end = t.n;

    if (r->reading)
        end = reading_cuts(r->reading, t, &c);
    if (r->headers)
        cuts_add_headers(&c, t);
    cuts_merge(&c);
    if (r->cut) {
        t.n = end;
        cuts_end(&c, end);
    }
    if (r->tail && t.n)
        t = cuts_begin(&c, t, rest_of_secret(r, t));
    return c.n ? cuts_made(&c, t) : t;
}

struct str redact(struct str text, const struct secrets *all, struct arena *a)
{
    _redactor_ struct redactor r = { 0 };

    redactor_open(&r, all, text.n, a);
    return redact_with(&r, text);
}

struct str redact_cut(struct str text, const struct secrets *all, struct arena *a)
{
    _redactor_ struct redactor r = { 0 };

    redactor_open(&r, all, SIZE_MAX, a);
    r.cut = true;
    return redact_with(&r, text);
}

struct str redact_tail(struct str text, const struct secrets *all, struct arena *a)
{
    _redactor_ struct redactor r = { 0 };

    redactor_open(&r, all, SIZE_MAX, a);
    r.tail = true;
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

    redactor_open(&r, all, SIZE_MAX, a);
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

    redactor_open(&r, all, SIZE_MAX, &r.own);
    r.headers = false;
    while (c && r.reading && !holds(&r, c))
        c = c->next;
    return r.reading ? c : NULL;
}
