/* SPDX-License-Identifier: Apache-2.0 */
/* cuts.c: pieces of a text, merged, and the text with a mark in place of each. */
#include "adapter/redact/cuts.h"

static const char mark[] = "[redacted]";

void cuts_add(struct cuts *c, size_t from, size_t to)
{
    while (c->n && c->v[c->n - 1].to >= from && c->v[c->n - 1].from <= to) {
        struct cut last = c->v[--c->n];

        from = last.from < from ? last.from : from;
        to = last.to > to ? last.to : to;
    }
    c->v = arena_more(c->a, c->v, c->n, &c->room, sizeof *c->v);
    c->v[c->n++] = (struct cut){ from, to };
}

static int by_beginning(const void *x, const void *y)
{
    const struct cut *a = x, *b = y;

    return (a->from > b->from) - (a->from < b->from);
}

void cuts_merge(struct cuts *c)
{
    size_t n = c->n;
    struct cut *v = c->v;

    if (n < 2)
        return;
    qsort(v, n, sizeof *v, by_beginning);
    c->n = 0;
    for (size_t i = 0; i < n; i++) {
        struct cut one = v[i];

        if (c->n && v[c->n - 1].to >= one.from)
            v[c->n - 1].to = v[c->n - 1].to > one.to ? v[c->n - 1].to : one.to;
        else
            v[c->n++] = one;
    }
}

void cuts_end(struct cuts *c, size_t end)
{
    while (c->n && c->v[c->n - 1].from >= end)
        c->n--;
    if (c->n && c->v[c->n - 1].to > end)
        c->v[c->n - 1].to = end;
}

struct str cuts_begin(struct cuts *c, struct str t, size_t front)
{
    size_t gone = 0;

    while (gone < c->n && c->v[gone].from < front) {
        front = c->v[gone].to > front ? c->v[gone].to : front;
        gone++;
    }
    for (size_t i = gone; i < c->n; i++)
        c->v[i - gone] = (struct cut){ c->v[i].from - front, c->v[i].to - front };
    c->n -= gone;
    return str_from(t, front);
}

struct str cuts_made(const struct cuts *c, struct str t)
{
    size_t n = t.n, at = 0, put = 0;
    char *out;

    for (size_t i = 0; i < c->n; i++)
        n += sizeof mark; /* at least what it can grow by */
    out = arena_alloc(c->a, n + 1);
    for (size_t i = 0; i < c->n; i++) {
        memcpy(out + put, t.s + at, c->v[i].from - at);
        put += c->v[i].from - at;
        memcpy(out + put, mark, sizeof mark - 1);
        put += sizeof mark - 1;
        at = c->v[i].to;
    }
    memcpy(out + put, t.s + at, t.n - at);
    return (struct str){ out, put + t.n - at };
}
