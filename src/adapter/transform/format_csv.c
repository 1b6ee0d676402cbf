/* SPDX-License-Identifier: Apache-2.0 */
/* format_csv.c: rows of fields, by RFC 4180: what parse_csv.c reads as the same. */
#include "adapter/transform_parts.h"

struct csv {
    const struct making *m;
    struct buf *to;
    char delimiter;
    const char *line_end;
    size_t fields; /* of the row that is written */
    const struct str *names;
    size_t n;
};

static bool needs_quotes(const struct csv *c, struct str t)
{
    for (size_t i = 0; i < t.n; i++)
        if (t.s[i] == c->delimiter || is_one_of(t.s[i], "\"\r\n"))
            return true;
    return false;
}

static void put_field(struct csv *c, struct str t, bool alone)
{
    if (c->fields++ > 0)
        buf_addc(c->to, c->delimiter);
    /* A row of one empty field would be a blank line, which is no row; a byte order mark at the
     * very beginning would be taken for one. */
    if (!needs_quotes(c, t) && !(alone && t.n == 0) &&
        !(c->to->len == 0 && str_begins(t, "\xef\xbb\xbf"))) {
        buf_add(c->to, t.s, t.n);
        return;
    }
    buf_addc(c->to, '"');
    for (size_t i = 0; i < t.n; i++) {
        if (t.s[i] == '"')
            buf_addc(c->to, '"');
        buf_addc(c->to, t.s[i]);
    }
    buf_addc(c->to, '"');
}

static bool put_value(struct csv *c, const struct doc *d, bool alone)
{
    _buf_ struct buf text = { .max = BYTES_MOST };

    if (!work_do(c->m->w, 1))
        return making_over(c->m);
    if (d->kind == DOC_TEXT && d->text.n && memchr(d->text.s, '\0', d->text.n))
        return unfit(c->m, d, "a text without NUL");
    if (d->kind == DOC_TEXT) {
        put_field(c, d->text, alone);
        return true;
    }
    if (d->kind != DOC_NULL && !scalar_text(d, &text))
        return unfit(c->m, d, "a text, a number, true, false or null");
    put_field(c, buf_str(&text), alone);
    return true;
}

static void end_row(struct csv *c)
{
    buf_adds(c->to, c->line_end);
    c->fields = 0;
}

static bool put_list(struct csv *c, const struct doc *row)
{
    if (row->kind != DOC_LIST || row->count == 0)
        return unfit(c->m, row, "a list with fields, as the first row is");
    if (row->count != row->up->first->count)
        return unfit(c->m, row, "as long as the first row");
    for (const struct doc *field = row->first; field; field = field->next)
        if (!put_value(c, field, row->count == 1))
            return false;
    end_row(c);
    return true;
}

/* The members of a map by name; rows mostly have them in the order of the first, so that the next
 * one is looked at first. */
static const struct doc *member(struct csv *c, const struct doc *map, struct str name,
                                const struct doc *guess)
{
    if (guess && str_eq(guess->key, name))
        return guess;
    for (const struct doc *d = map->first; d; d = d->next)
        if (!work_do(c->m->w, 1) || str_eq(d->key, name))
            return c->m->w->over ? NULL : d;
    return NULL;
}

static bool put_map(struct csv *c, const struct doc *row, bool chosen)
{
    static const struct doc nothing = { .kind = DOC_NULL };
    const struct doc *guess = row->kind == DOC_MAP ? row->first : NULL;

    if (row->kind != DOC_MAP)
        return unfit(c->m, row, "a map, as the first row is");
    if (!chosen && row->count != c->n)
        return unfit(c->m, row, "a map with the names of the first row; or name them in columns");
    for (size_t i = 0; i < c->n; i++) {
        const struct doc *d = member(c, row, c->names[i], guess);

        if (c->m->w->over)
            return making_over(c->m);
        if (!d && !chosen)
            return unfit(c->m, row,
                         "a map with the names of the first row; or name them in columns");
        if (!put_value(c, d ? d : &nothing, c->n == 1))
            return false;
        guess = d ? d->next : guess;
    }
    end_row(c);
    return true;
}

/* The names that are chosen, or those of the first row. */
static void take_names(struct csv *c, const struct csv_options *o, const struct doc *first)
{
    struct str *names;

    c->names = o->columns.v;
    c->n = o->columns.n;
    if (c->n || first->kind != DOC_MAP)
        return;
    names = arena_alloc(c->m->a, first->count * sizeof *names);
    for (const struct doc *d = first->first; d; d = d->next)
        names[c->n++] = d->key;
    c->names = names;
}

static bool put_names(struct csv *c, const struct doc *list)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->names[i].n && memchr(c->names[i].s, '\0', c->names[i].n))
            return unfit(c->m, list, "a list of maps whose names have no NUL");
        put_field(c, c->names[i], c->n == 1);
    }
    end_row(c);
    return true;
}

static bool format(const struct making *m, const struct csv_options *o, char delimiter,
                   const struct doc *d, struct buf *to)
{
    struct csv c = { .m = m, .to = to, .line_end = o->crlf ? "\r\n" : "\n" };

    c.delimiter = o->delimiter.n ? o->delimiter.s[0] : delimiter;
    if (d->kind != DOC_LIST)
        return unfit(m, d, "a list of maps or of lists");
    if (!d->first)
        return true;
    if (d->first->kind == DOC_LIST) {
        for (const struct doc *row = d->first; row; row = row->next)
            if (!put_list(&c, row))
                return false;
        return true;
    }
    if (d->first->kind != DOC_MAP || (d->first->count == 0 && !o->columns.n))
        return unfit(m, d->first, "a list or a map with fields");
    take_names(&c, o, d->first);
    if (o->header && !put_names(&c, d))
        return false;
    for (const struct doc *row = d->first; row; row = row->next)
        if (!put_map(&c, row, o->columns.n > 0))
            return false;
    return true;
}

bool format_csv(const struct making *m, const void *options, const struct doc *d, struct buf *to)
{
    return format(m, options, ',', d, to);
}

bool format_tsv(const struct making *m, const void *options, const struct doc *d, struct buf *to)
{
    return format(m, options, '\t', d, to);
}
