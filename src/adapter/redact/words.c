/* SPDX-License-Identifier: Apache-2.0 */
/* words.c: the automaton of all words, as a tree whose nodes know where to go on.
 *
 * Words have little in common but their first bytes, so a node has a short list of children, and
 * the root an array. Each byte that is read goes one node down at most, and every other step goes
 * up: the whole is linear.
 */
#include "adapter/redact_words.h"

#include "adapter/redact/json.h"
#include "base/base64.h"
#include "base/buf.h"

/* A longer secret is not looked for in base64 of JSON: each hand makes eight words of it. */
enum { JSON_MOST = 8192 };

struct node {
    uint32_t child, sibling; /* 0: none */
    uint32_t fail;           /* the longest end of this that begins a word */
    uint32_t found;          /* this node, or the nearest on the way of `fail`, that ends a word */
    struct word_end end;     /* length 0: none ends here */
    uint32_t depth;          /* how many bytes lead here */
    unsigned char byte;
};

struct words {
    struct node *v; /* 0 is the root */
    size_t n, room;
    uint32_t first[256]; /* the root's children */
    size_t longest;
    struct arena *a;
};

struct words *words_new(struct arena *a)
{
    struct words *w = arena_new(a, struct words);

    w->a = a;
    w->v = arena_more(a, NULL, 0, &w->room, sizeof *w->v);
    w->v[0] = (struct node){ 0 };
    w->n = 1;
    return w;
}

static uint32_t child_of(const struct words *w, uint32_t node, unsigned char byte)
{
    uint32_t c;

    if (node == 0)
        return w->first[byte];
    for (c = w->v[node].child; c && w->v[c].byte != byte; c = w->v[c].sibling)
        ;
    return c;
}

static uint32_t grow(struct words *w, uint32_t node, unsigned char byte)
{
    uint32_t made = (uint32_t)w->n;

    w->v = arena_more(w->a, w->v, w->n, &w->room, sizeof *w->v);
    w->v[w->n++] =
        (struct node){ .byte = byte, .depth = w->v[node].depth + 1, .sibling = w->v[node].child };
    w->v[node].child = made;
    if (node == 0)
        w->first[byte] = made;
    return made;
}

static void add_word(struct words *w, struct str word, bool before, bool after)
{
    uint32_t node = 0;

    if (word.n < REDACT_LEAST)
        return;
    for (size_t i = 0; i < word.n; i++) {
        uint32_t next = child_of(w, node, (unsigned char)word.s[i]);

        node = next ? next : grow(w, node, (unsigned char)word.s[i]);
    }
    w->v[node].end = (struct word_end){ (uint32_t)word.n, before, after };
    w->longest = word.n > w->longest ? word.n : w->longest;
}

/* A copy in the alphabet for URLs, where that differs. */
static void add_url_word(struct words *w, struct str word, bool before, bool after)
{
    char *other = arena_text(w->a, word);
    bool differs = false;

    for (size_t i = 0; i < word.n; i++) {
        if (!is_one_of(other[i], "+/"))
            continue;
        other[i] = other[i] == '+' ? '-' : '_';
        differs = true;
    }
    if (differs)
        add_word(w, (struct str){ other, word.n }, before, after);
    explicit_bzero(other, word.n);
}

/* The characters that depend on the secret alone when `lead` bytes stand before it in its group of
 * three. The characters at the ends share their bits with whatever stands there. */
static void add_base64(struct words *w, struct str secret, size_t lead)
{
    static const size_t skipped[] = { 0, 2, 3 }; /* characters with bits of the bytes before */
    size_t bits = 8 * (lead + secret.n), whole = bits / 6, from = skipped[lead];
    char *bytes = arena_alloc(w->a, lead + secret.n);
    _buf_ struct buf text = { .max = 4 * (lead + secret.n) };
    struct str word;

    memcpy(bytes + lead, secret.s, secret.n);
    base64_add(&text, (struct str){ bytes, lead + secret.n });
    word = (struct str){ text.s + from, whole - from };
    add_word(w, word, lead != 0, bits % 6 != 0);
    add_url_word(w, word, lead != 0, bits % 6 != 0);
    explicit_bzero(bytes, lead + secret.n);
    explicit_bzero(text.s, text.len);
}

/* In digits of either case. */
static void add_hex(struct words *w, struct str secret)
{
    static const char *const cases[] = { "0123456789abcdef", "0123456789ABCDEF" };
    char *text = arena_raw(w->a, 2 * secret.n);

    for (size_t c = 0; c < COUNT(cases); c++) {
        for (size_t i = 0; i < secret.n; i++) {
            text[2 * i] = cases[c][(unsigned char)secret.s[i] >> 4];
            text[2 * i + 1] = cases[c][(unsigned char)secret.s[i] & 15];
        }
        add_word(w, (struct str){ text, 2 * secret.n }, false, false);
    }
    explicit_bzero(text, 2 * secret.n);
}

/* One of several lines, as it is read where lines do not count. */
static void add_unfolded(struct words *w, struct str secret)
{
    char *text = arena_text(w->a, secret);
    size_t n = 0;
    bool begins = false; /* a line */

    for (size_t i = 0; i < secret.n; i++) {
        begins = is_one_of(text[i], "\r\n") || (begins && is_one_of(text[i], " \t"));
        if (!begins)
            text[n++] = text[i];
    }
    if (n < secret.n)
        add_word(w, (struct str){ text, n }, false, false);
    explicit_bzero(text, secret.n);
}

static void add_base64_everywhere(struct words *w, struct str text)
{
    for (size_t lead = 0; lead < 3; lead++)
        add_base64(w, text, lead);
}

/* Where JSON was encoded as a whole there are no escapes to be read: its base64 is that of how the
 * secret was written. */
static void add_base64_of_json(struct words *w, struct str secret)
{
    for (size_t i = 0; secret.n <= JSON_MOST && i < json_hand_count; i++) {
        _buf_ struct buf text = { .max = JSON_GROWTH * secret.n };

        if (!buf_reserve(&text, text.max)) /* at once: what grows leaves copies behind */
            continue;
        if (json_by_hand(i, secret, &text))
            add_base64_everywhere(w, buf_str(&text));
        explicit_bzero(text.s, text.len);
    }
}

void words_add_secret(struct words *w, struct str secret)
{
    add_word(w, secret, false, false);
    add_unfolded(w, secret);
    add_hex(w, secret);
    add_base64_everywhere(w, secret);
    add_base64_of_json(w, secret);
}

static uint32_t step(const struct words *w, uint32_t node, unsigned char byte)
{
    uint32_t next;

    while ((next = child_of(w, node, byte)) == 0 && node != 0)
        node = w->v[node].fail;
    return next;
}

/* Level by level: who is above has been there before. */
size_t words_finish(struct words *w)
{
    uint32_t *queue = arena_raw(w->a, w->n * sizeof *queue);
    size_t from = 0, to = 0;

    queue[to++] = 0;
    while (from < to) {
        uint32_t node = queue[from++];
        struct node *v = w->v;

        for (uint32_t c = v[node].child; c; c = v[c].sibling) {
            v[c].fail = node ? step(w, v[node].fail, v[c].byte) : 0;
            v[c].found = v[c].end.length ? c : v[v[c].fail].found;
            queue[to++] = c;
        }
    }
    return w->longest;
}

bool words_begin_with(const struct words *w, char byte)
{
    return w->first[(unsigned char)byte] != 0;
}

size_t words_begun(const struct words *w, const struct words_state *s)
{
    return w->v[s->node].depth;
}

const struct word_end *words_step(const struct words *w, struct words_state *s, char byte)
{
    uint32_t found;

    s->node = step(w, s->node, (unsigned char)byte);
    found = w->v[s->node].found;
    return found ? &w->v[found].end : NULL;
}
