/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: collects the problems of one document and puts them in order. */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

struct report report_new(struct arena *a, const char *file, struct str text)
{
    return (struct report){
        .a = a, .file = file, .text = text, .most = ceiling_rows[CEILING_PROBLEMS].value
    };
}

/* The warning that was listed last gives its place away, so that no warning hides an error. */
static struct problem *take_warning(struct report *r)
{
    struct problem **p = &r->first, *found;

    while (*p && !(*p)->warning)
        p = &(*p)->next;
    found = *p;
    if (found) {
        *p = found->next;
        *found = (struct problem){ .found = r->errors + r->warnings };
        found->next = r->first;
        r->first = found;
    }
    return found;
}

static struct problem *add(struct report *r, bool warning)
{
    struct problem *p;

    if (warning)
        r->warnings++;
    else
        r->errors++;
    if (r->listed == r->most)
        return warning ? NULL : take_warning(r);
    p = arena_new(r->a, struct problem);
    p->warning = warning;
    p->found = r->listed++;
    p->next = r->first;
    r->first = p;
    return p;
}

void report_add(struct report *r, enum about about, const struct doc *d, int code, const char *fmt,
                ...)
{
    _buf_ struct buf pointer = { .max = 1 << 16 };
    struct problem *p = add(r, about == ABOUT_ODD);
    char msg[1024];
    va_list ap;

    if (!p)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    doc_pointer(d, &pointer);
    p->code = code;
    p->at = about == ABOUT_KEY ? d->key_at : d->at;
    p->msg = arena_text(r->a, str_of(msg));
    p->pointer = arena_text(r->a, buf_str(&pointer));
}

void report_error(struct report *r, const struct error *e)
{
    struct problem *p = add(r, false);

    if (!p)
        return;
    p->code = e->code;
    p->msg = arena_text(r->a, str_of(e->msg));
    p->pointer = arena_text(r->a, str_of(e->at.ptr));
    p->line = e->at.line;
    p->col = e->at.col;
}

static int by_place(const void *a, const void *b)
{
    const struct problem *x = *(struct problem *const *)a, *y = *(struct problem *const *)b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->found < y->found ? -1 : x->found > y->found; /* of two in one place, in order */
}

static void sort(struct report *r)
{
    struct problem **sorted = arena_alloc(r->a, (r->listed + 1) * sizeof *sorted);
    size_t n = 0;

    for (struct problem *p = r->first; p; p = p->next)
        sorted[n++] = p;
    qsort(sorted, n, sizeof *sorted, by_place);
    for (size_t i = 0; i < n; i++)
        sorted[i]->next = sorted[i + 1];
    r->first = sorted[0];
}

void report_finish(struct report *r)
{
    size_t from = 0;
    int line = 1, col = 1;

    sort(r);
    for (struct problem *p = r->first; p; p = p->next) {
        if (p->line > 0 || !r->text.s)
            continue;
        /* What stands before `from` is counted already: places only grow. */
        struct str rest = { r->text.s + from, r->text.n - from };
        int lines, chars;

        text_place(rest, p->at - from, &lines, &chars);
        col = lines == 1 ? col + chars - 1 : chars;
        line += lines - 1;
        from = p->at;
        p->line = line;
        p->col = col;
    }
}

const struct problem *report_wrong(const struct report *r)
{
    const struct problem *p = r->first;

    while (p && p->warning)
        p = p->next;
    return p;
}

struct report report_copy(const struct report *r, struct arena *a)
{
    struct report copy = *r;
    struct problem **to = &copy.first;

    for (const struct problem *p = r->first; p; p = p->next) {
        *to = memcpy(arena_new(a, struct problem), p, sizeof *p);
        to = &(*to)->next;
    }
    copy.a = a;
    return copy;
}
