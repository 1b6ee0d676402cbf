/* SPDX-License-Identifier: Apache-2.0 */
/* words.c: the automaton of all words, as a tree whose nodes know where to go on.
 *
 * Words have little in common but their first bytes, so a node has a short list of children, and
 * the root an array. Each byte that is read goes one node down at most, and every other step goes
 * up: the whole is linear.
 */
#include "adapter/redact_words.h"

#include "adapter/redact/forms.h"

enum { BESIDES = 8 }; /* bytes of a form besides those of its text */

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
    size_t longest, most;
    struct arena *a;
};

struct words *words_new(size_t most, struct arena *a)
{
    struct words *w = arena_new(a, struct words);

    w->a = a;
    w->most = most;
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

    if (word.n < REDACT_LEAST || word.n > w->most)
        return;
    for (size_t i = 0; i < word.n; i++) {
        uint32_t next = child_of(w, node, (unsigned char)word.s[i]);

        node = next ? next : grow(w, node, (unsigned char)word.s[i]);
    }
    w->v[node].end = (struct word_end){ (uint32_t)word.n, before, after };
    w->longest = word.n > w->longest ? word.n : w->longest;
}

static void add_base64_everywhere(struct words *w, struct str text)
{
    for (size_t lead = 0; lead < 3; lead++) {
        _buf_ struct buf word = { .max = 2 * text.n + BESIDES };
        bool after = 8 * (lead + text.n) % 6 != 0;

        if (!buf_reserve(&word, word.max)) /* at once: what grows leaves copies behind */
            continue;
        base64_inside(lead, text, &word);
        add_word(w, buf_str(&word), lead != 0, after);
        if (base64_for_urls(word.s, word.len))
            add_word(w, buf_str(&word), lead != 0, after);
        explicit_bzero(word.s, word.len);
    }
}

/* In small digits: so the others are read, too. */
static void add_hex(struct words *w, struct str text)
{
    char *digits = arena_raw(w->a, 2 * text.n);

    for (size_t i = 0; i < text.n; i++) {
        digits[2 * i] = "0123456789abcdef"[(unsigned char)text.s[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[(unsigned char)text.s[i] & 15];
    }
    add_word(w, (struct str){ digits, 2 * text.n }, false, false);
    explicit_bzero(digits, 2 * text.n);
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

/* What base64 and digits were made of has no escapes that could be read in them: they are looked
 * for as those of how the secret was written. */
static void add_form(struct words *w, const struct redact_form *form, struct str secret)
{
    for (size_t hand = 0; secret.n <= form->most && hand < form->hands; hand++) {
        _buf_ struct buf text = { .max = form->growth * secret.n + BESIDES };

        if (!buf_reserve(&text, text.max))
            continue;
        if (form->write(hand, secret, &text)) {
            add_hex(w, buf_str(&text));
            add_base64_everywhere(w, buf_str(&text));
        }
        explicit_bzero(text.s, text.len);
    }
}

void words_add_secret(struct words *w, struct str secret)
{
    add_word(w, secret, false, false);
    add_unfolded(w, secret);
    add_hex(w, secret);
    add_base64_everywhere(w, secret);
    for (size_t i = 0; i < redact_form_count; i++)
        add_form(w, &redact_forms[i], secret);
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
