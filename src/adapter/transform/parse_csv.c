/* SPDX-License-Identifier: Apache-2.0 */
/* parse_csv.c: rows of fields, by RFC 4180: quotes, lines that end in LF or CRLF, rows of one
 * width.
 */
#include "adapter/transform_parts.h"

struct csv {
    const struct making *m;
    const char *p, *end;
    size_t line; /* from 1 */
    char delimiter;
    bool quotes;
    struct str *fields; /* of the row that was read last */
    size_t n, room;
};

void delimiter_fits(const struct doc *d, const void *decoded, struct report *r)
{
    const struct csv_options *o = decoded;

    if (o->delimiter.n > 1 || (o->delimiter.n == 1 && is_one_of(o->delimiter.s[0], "\"\r\n")))
        report_add(r, ABOUT_VALUE, doc_place(d, "delimiter"), CODE_VALIDATION_ERROR,
                   "a delimiter is one character of ASCII that is no quote and ends no line");
}

static bool wrong(const struct csv *c, size_t line, const char *what)
{
    return error_set(c->m->e, CODE_TRANSFORM_FAILED, "line %zu: %s", line, what);
}

static bool at_line_end(const struct csv *c)
{
    return c->p == c->end || *c->p == '\n' ||
           (*c->p == '\r' && c->end - c->p > 1 && c->p[1] == '\n');
}

static struct str undoubled(struct str raw, struct arena *a)
{
    char *text = arena_raw(a, raw.n);
    size_t n = 0;

    for (size_t i = 0; i < raw.n; i++) {
        text[n++] = raw.s[i];
        i += raw.s[i] == '"';
    }
    return (struct str){ text, n };
}

static bool read_quoted(struct csv *c, struct str *out)
{
    const char *from = ++c->p, *quote;
    size_t line = c->line;
    bool doubled = false;

    for (;;) {
        quote = memchr(c->p, '"', (size_t)(c->end - c->p));
        if (!quote)
            return wrong(c, line, "a quote that no other ends");
        c->p = quote + 1;
        if (c->p == c->end || *c->p != '"')
            break;
        c->p++;
        doubled = true;
    }
    *out = (struct str){ from, (size_t)(quote - from) };
    for (const char *p = from; (p = memchr(p, '\n', (size_t)(quote - p))); p++)
        c->line++;
    if (doubled)
        *out = undoubled(*out, c->m->a);
    return at_line_end(c) || *c->p == c->delimiter ||
           wrong(c, c->line, "something behind the quote that ends a field");
}

static bool read_plain(struct csv *c, struct str *out)
{
    const char *from = c->p;

    for (; c->p < c->end && *c->p != c->delimiter && *c->p != '\n'; c->p++) {
        if (*c->p == '"' && c->quotes)
            return wrong(c, c->line, "a quote in a field that does not begin with one");
        if (*c->p == '\r' && at_line_end(c))
            break;
        if (*c->p == '\r')
            return wrong(c, c->line, "a carriage return that no line feed follows");
    }
    *out = (struct str){ from, (size_t)(c->p - from) };
    return true;
}

/* Goes past the end of a line, if it is there. */
static bool line_ends(struct csv *c)
{
    if (!at_line_end(c))
        return false;
    if (c->p < c->end)
        c->p += *c->p == '\r' ? 2 : 1;
    c->line++;
    return true;
}

static bool read_row(struct csv *c)
{
    c->n = 0;
    for (;;) {
        struct str *field;

        c->fields = arena_more(c->m->a, c->fields, c->n, &c->room, sizeof *c->fields);
        field = &c->fields[c->n++];
        if (c->quotes && c->p < c->end && *c->p == '"' ? !read_quoted(c, field)
                                                       : !read_plain(c, field))
            return false;
        if (!work_do(c->m->w, work_text(*field)) || !may_make(c->m, c->n))
            return making_over(c->m);
        if (line_ends(c))
            return true;
        c->p++; /* the delimiter */
    }
}

/* The names of the first row, as a map of nulls. */
static bool read_header(struct csv *c, size_t line, struct doc *names)
{
    const struct doc *twice;

    for (size_t i = 0; i < c->n; i++) {
        struct doc *name = made(c->m, names, c->fields[i], DOC_NULL);

        if (!name)
            return making_over(c->m);
        name->key_at = (uint32_t)i;
    }
    twice = doc_twice(names, c->m->a);
    return !twice || error_set(c->m->e, CODE_TRANSFORM_FAILED, "line %zu: two columns are named %s",
                               line, said(twice->key, c->m->a));
}

static bool add_row(struct csv *c, const struct doc *names, struct doc *list)
{
    const struct doc *name = names ? names->first : NULL;
    struct doc *row = made(c->m, list, (struct str){ 0 }, names ? DOC_MAP : DOC_LIST);

    if (!row)
        return making_over(c->m);
    for (size_t i = 0; i < c->n; i++) {
        if (!made_text(c->m, row, name ? name->key : (struct str){ 0 }, c->fields[i]))
            return false;
        name = name ? name->next : NULL;
    }
    return true;
}

static bool read_rows(struct csv *c, bool header, struct doc *list)
{
    struct doc *names = header ? doc_root(c->m->a, DOC_MAP) : NULL;
    size_t width = 0;

    while (c->p < c->end) {
        size_t line = c->line;

        if (line_ends(c))
            continue; /* a blank line is no row */
        if (!read_row(c))
            return false;
        if (width && c->n != width)
            return error_set(c->m->e, CODE_TRANSFORM_FAILED,
                             "line %zu has %zu fields, the first row has %zu", line, c->n, width);
        if (!width && header ? !read_header(c, line, names) : !add_row(c, names, list))
            return false;
        width = c->n;
    }
    return true;
}

static bool parse(const struct making *m, const struct csv_options *o, char delimiter,
                  struct str text, const struct doc **out)
{
    struct csv c = { .m = m, .p = text.s, .end = text.s + text.n, .line = 1, .quotes = o->quotes };
    struct doc *list = doc_root(m->a, DOC_LIST);

    c.delimiter = o->delimiter.n ? o->delimiter.s[0] : delimiter;
    if (!read_rows(&c, o->header, list))
        return false;
    *out = list;
    return true;
}

bool parse_csv(const struct making *m, const void *options, struct str text, const struct doc **out)
{
    return parse(m, options, ',', text, out);
}

bool parse_tsv(const struct making *m, const void *options, struct str text, const struct doc **out)
{
    return parse(m, options, '\t', text, out);
}
