/* SPDX-License-Identifier: Apache-2.0 */
/* doc.c: walks documents and names the places in them. */
#include "base/doc.h"

#include <inttypes.h>

#include "base/shortest.h"

enum { SAY_MAX = 40, FEW = 24 };

struct doc *doc_add(struct arena *a, struct doc *up, struct str key)
{
    struct doc *d = arena_new(a, struct doc);

    d->up = up;
    d->key = key;
    if (up->last)
        up->last->next = d;
    else
        up->first = d;
    up->last = d;
    up->count++;
    return d;
}

const struct doc *doc_get(const struct doc *map, const char *key)
{
    struct str wanted = str_of(key);

    if (map->kind != DOC_MAP)
        return NULL;
    for (const struct doc *d = map->first; d; d = d->next)
        if (str_eq(d->key, wanted))
            return d;
    return NULL;
}

const struct doc *doc_place(const struct doc *map, const char *key)
{
    const struct doc *member = doc_get(map, key);

    return member ? member : map;
}

const struct doc *doc_first(const struct doc *d, enum doc_kind kind)
{
    return d && d->kind == kind ? d->first : NULL;
}

struct str doc_text(const struct doc *map, const char *key)
{
    const struct doc *member = doc_get(map, key);

    return member && member->kind == DOC_TEXT ? member->text : str_of("");
}

int64_t doc_whole(const struct doc *map, const char *key)
{
    const struct doc *member = doc_get(map, key);

    return member && member->kind == DOC_INT && member->whole > 0 ? member->whole : 0;
}

static const struct document *home(const struct doc *d)
{
    while (d->up)
        d = d->up;
    return (const struct document *)d;
}

/* The letter that a control character is shown by; 0: it has none, and is shown by its number. */
static char letter_of(char c)
{
    return c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : 0;
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* How many characters it is shown by. */
static size_t width_of(char c)
{
    return !is_control(c) ? 1 : letter_of(c) ? 2 : 4;
}

/* Control characters are seen: 'a b' is not what is wrong with 'a\nb'. */
static void say_text(struct str t, struct buf *to)
{
    size_t n = 0;

    for (size_t width = 0; n < t.n && (width += width_of(t.s[n])) <= SAY_MAX;)
        n++;
    while (n < t.n && ((unsigned char)t.s[n] & 0xc0) == 0x80)
        n--; /* never cut a character in two */
    buf_addc(to, '\'');
    for (size_t i = 0; i < n; i++) {
        if (!is_control(t.s[i]))
            buf_addc(to, t.s[i]);
        else if (letter_of(t.s[i]))
            buf_addf(to, "\\%c", letter_of(t.s[i]));
        else
            buf_addf(to, "\\x%02x", (unsigned)t.s[i]);
    }
    buf_adds(to, n < t.n ? "…'" : "'");
}

/* A number as the user wrote it; false where the text is not there to look at. */
static bool say_written(const struct doc *d, struct buf *to)
{
    struct str text = home(d)->text, rest;
    size_t n;

    if (!text.s || d->at >= text.n || !strchr("+-.0123456789", text.s[d->at]))
        return false;
    rest = (struct str){ text.s + d->at, text.n - d->at };
    for (n = 0; n < rest.n && n < SAY_MAX && is_one_of(rest.s[n], "+-.0123456789eExo");)
        n++;
    buf_add(to, rest.s, n);
    return true;
}

static void say_number(const struct doc *d, struct buf *to)
{
    char number[SHORTEST_MAX];

    if (d->written)
        buf_addf(to, "%.*s", SAY_MAX, d->written);
    else if (!d->up || !say_written(d, to))
        buf_add(to, number, shortest_double(d->number, number));
}

void doc_say(const struct doc *d, struct buf *to)
{
    switch (d->kind) {
    case DOC_NULL: buf_adds(to, "null"); return;
    case DOC_BOOL: buf_adds(to, d->truth ? "true" : "false"); return;
    case DOC_INT: buf_addf(to, "%" PRId64, d->whole); return;
    case DOC_NUMBER: say_number(d, to); return;
    case DOC_TEXT: say_text(d->text, to); return;
    case DOC_LIST: buf_addf(to, "a list of %u", d->count); return;
    case DOC_MAP: buf_addf(to, "a map of %u", d->count); return;
    }
}

const char *said(struct str text, struct arena *a)
{
    _buf_ struct buf quoted = { .max = 4 * SAY_MAX };

    say_text(text, &quoted);
    return arena_text(a, buf_str(&quoted));
}

void doc_pointer_name(struct str name, struct buf *to)
{
    buf_addc(to, '/');
    for (size_t i = 0; i < name.n; i++) {
        if (name.s[i] == '~')
            buf_adds(to, "~0");
        else if (name.s[i] == '/')
            buf_adds(to, "~1");
        else
            buf_addc(to, name.s[i]);
    }
}

static void add_step(const struct doc *d, struct buf *to)
{
    if (!d->key.s) {
        uint32_t index = 0;

        for (const struct doc *c = d->up->first; c != d; c = c->next)
            index++;
        buf_addf(to, "/%u", index);
        return;
    }
    doc_pointer_name(d->key, to);
}

static bool is_group(const struct doc *d)
{
    return d->kind == DOC_LIST || d->kind == DOC_MAP;
}

void doc_pointer(const struct doc *d, struct buf *to)
{
    while (d->up && !is_group(d->up))
        d = d->up;
    if (!d->up)
        return;
    doc_pointer(d->up, to);
    add_step(d, to);
}

void text_place(struct str text, size_t offset, int *line, int *col)
{
    size_t begin = 0;

    *line = *col = 1;
    if (!text.n) /* its .s may be NULL */
        return;
    if (offset > text.n)
        offset = text.n;
    for (const char *nl; (nl = memchr(text.s + begin, '\n', offset - begin)); (*line)++)
        begin = (size_t)(nl - text.s) + 1;
    *col = (int)str_chars((struct str){ text.s + begin, offset - begin }) + 1;
}

struct at document_at(const struct document *document, const struct doc *inside, size_t offset)
{
    _buf_ struct buf pointer = { .max = ERROR_PTR - 1 };
    struct at at = { .file = document->file };

    text_place(document->text, offset, &at.line, &at.col);
    if (inside)
        doc_pointer(inside, &pointer);
    if (pointer.s)
        memcpy(at.ptr, pointer.s, pointer.len + 1);
    return at;
}

struct at doc_at(const struct doc *d)
{
    return document_at(home(d), d, d->at);
}

/* Bytes of UTF-8 sort as code points do. UTF-16 differs in one way only: what lies above U+FFFF
 * is written with surrogates (D800..DFFF) and so comes before U+E000..U+FFFF. */
int key_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;

    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a.s[i], y = (unsigned char)b.s[i];

        if (x == y)
            continue;
        if (x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0))
            return x >= 0xf0 ? -1 : 1;
        return x < y ? -1 : 1;
    }
    return a.n < b.n ? -1 : a.n > b.n;
}

/* Does x come after y? The first letters mostly tell. */
static inline bool comes_after(struct str x, struct str y)
{
    unsigned char first_x = x.n ? (unsigned char)x.s[0] : 0;
    unsigned char first_y = y.n ? (unsigned char)y.s[0] : 0;

    if (first_x != first_y && first_x < 0xee && first_y < 0xee)
        return first_x > first_y;
    return key_cmp(x, y) > 0;
}

static int by_key(const void *a, const void *b)
{
    const struct doc *x = *(const struct doc *const *)a, *y = *(const struct doc *const *)b;
    int order = key_cmp(x->key, y->key);

    return order != 0 ? order : (x->key_at > y->key_at) - (x->key_at < y->key_at);
}

const struct doc **doc_sorted(const struct doc *map, struct arena *a)
{
    const struct doc **sorted = arena_alloc(a, map->count * sizeof *sorted);
    size_t n = 0;

    for (const struct doc *d = map->first; d; d = d->next, n++) {
        size_t i = n;

        if (map->count <= FEW)
            for (; i > 0 && comes_after(sorted[i - 1]->key, d->key); i--)
                sorted[i] = sorted[i - 1];
        sorted[i] = d;
    }
    if (map->count > FEW)
        qsort(sorted, n, sizeof *sorted, by_key);
    return sorted;
}

const struct doc *doc_twice(const struct doc *map, struct arena *a)
{
    const struct doc **sorted, *twice = NULL;

    if (map->count <= FEW) {
        for (const struct doc *d = map->first; d; d = d->next)
            for (const struct doc *c = map->first; c != d; c = c->next)
                if (str_eq(c->key, d->key))
                    return d;
        return NULL;
    }
    sorted = doc_sorted(map, a);
    for (uint32_t i = 1; i < map->count; i++)
        if (str_eq(sorted[i - 1]->key, sorted[i]->key) &&
            (!twice || sorted[i]->key_at < twice->key_at))
            twice = sorted[i];
    return twice;
}
