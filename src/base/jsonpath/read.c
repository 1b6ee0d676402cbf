/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: the text of a path to segments and selectors (RFC 9535, 2.1 to 2.5). */
#include "base/jsonpath.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/jsonpath/parts.h"
#include "base/utf8.h"

bool jsonpath_wrong(struct path *p, size_t at, const char *fmt, ...)
{
    size_t character = str_chars((struct str){ p->text.s, at }) + 1;
    struct at place = { .line = 1, .col = (int)character };
    char what[ERROR_MSG / 2];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return error_at(p->e, ERROR_SYNTAX, &place, "%s, at character %zu", what, character);
}

bool jsonpath_expected(struct path *p, const char *what)
{
    size_t n = utf8_step(p->text.s + p->at, p->text.s + p->text.n);

    if (p->at == p->text.n)
        return jsonpath_wrong(p, p->at, "the path ends, expected %s", what);
    if ((unsigned char)jsonpath_peek(p) <= ' ' || jsonpath_peek(p) == 0x7f)
        return jsonpath_wrong(p, p->at, "found %s, expected %s",
                              jsonpath_peek(p) == ' ' ? "a blank" : "a control character", what);
    return jsonpath_wrong(p, p->at, "found '%.*s', expected %s", (int)n, p->text.s + p->at, what);
}

bool jsonpath_eat(struct path *p, const char *text)
{
    if (!str_begins((struct str){ p->text.s + p->at, p->text.n - p->at }, text))
        return false;
    p->at += strlen(text);
    return true;
}

void jsonpath_blanks(struct path *p)
{
    while (is_one_of(jsonpath_peek(p), " \t\n\r"))
        p->at++;
}

bool jsonpath_deeper(struct path *p)
{
    return ++p->depth <= PATH_DEPTH ||
           jsonpath_wrong(p, p->at, "filters and brackets inside each other, more than %d deep",
                          PATH_DEPTH);
}

/* --- selectors --- */

static bool at_bound(const struct path *p)
{
    return jsonpath_peek(p) == '-' || (jsonpath_peek(p) >= '0' && jsonpath_peek(p) <= '9');
}

/* What follows the first ':' of a slice. */
static bool slice(struct path *p, struct selector *s)
{
    s->kind = SELECT_SLICE;
    jsonpath_blanks(p);
    if (at_bound(p) && !jsonpath_whole(p, &s->to))
        return false;
    jsonpath_blanks(p);
    if (!jsonpath_eat(p, ":"))
        return true;
    jsonpath_blanks(p);
    return !at_bound(p) || jsonpath_whole(p, &s->step);
}

static bool index_or_slice(struct path *p, struct selector *s)
{
    size_t behind;

    s->kind = SELECT_INDEX;
    s->from = s->to = SLICE_NONE;
    s->step = 1;
    if (at_bound(p) && !jsonpath_whole(p, &s->from))
        return false;
    behind = p->at;
    jsonpath_blanks(p);
    if (jsonpath_eat(p, ":"))
        return slice(p, s);
    p->at = behind;
    return s->from != SLICE_NONE ||
           jsonpath_expected(p, "a name in quotes, an index, a slice, * or a filter");
}

static bool selector(struct path *p, struct selector *s)
{
    if (jsonpath_peek(p) == '\'' || jsonpath_peek(p) == '"') {
        s->kind = SELECT_NAME;
        return jsonpath_text(p, &s->name);
    }
    if (jsonpath_eat(p, "*")) {
        s->kind = SELECT_ALL;
        return true;
    }
    if (jsonpath_eat(p, "?")) {
        s->kind = SELECT_FILTER;
        jsonpath_blanks(p);
        return jsonpath_filter(p, &s->filter);
    }
    return index_or_slice(p, s);
}

static struct selector *selector_add(struct path *p, struct segment *to, struct selector *last)
{
    struct selector *s = arena_new(p->a, struct selector);

    if (last)
        last->next = s;
    else
        to->first = s;
    return s;
}

/* What follows a '['. */
static bool bracket(struct path *p, struct segment *to)
{
    struct selector *last = NULL;

    if (!jsonpath_deeper(p))
        return false;
    do {
        last = selector_add(p, to, last);
        jsonpath_blanks(p);
        if (!selector(p, last))
            return false;
        jsonpath_blanks(p);
    } while (jsonpath_eat(p, ","));
    p->depth--;
    return jsonpath_eat(p, "]") || jsonpath_expected(p, "',' or ']'");
}

/* --- segments --- */

static bool name_begins(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* What follows a '.'. */
static bool short_name(struct path *p, struct segment *to)
{
    struct selector *s = selector_add(p, to, NULL);
    size_t from = p->at;

    if (jsonpath_eat(p, "*")) {
        s->kind = SELECT_ALL;
        return true;
    }
    if (!name_begins(jsonpath_peek(p)))
        return jsonpath_expected(p,
                                 to->deep ? "a name, * or [ after '..'" : "a name or * after '.'");
    while (name_begins(jsonpath_peek(p)) || (jsonpath_peek(p) >= '0' && jsonpath_peek(p) <= '9'))
        p->at++;
    s->kind = SELECT_NAME;
    s->name = (struct str){ p->text.s + from, p->at - from };
    return true;
}

static bool segment(struct path *p, struct segment *to)
{
    if (++p->segments > PATH_SEGMENTS)
        return jsonpath_wrong(p, p->at, "more than %d segments", PATH_SEGMENTS);
    if (jsonpath_eat(p, "["))
        return bracket(p, to);
    to->deep = jsonpath_eat(p, "..");
    if (to->deep && jsonpath_eat(p, "["))
        return bracket(p, to);
    if (!to->deep)
        (void)jsonpath_eat(p, ".");
    return short_name(p, to);
}

static bool is_singular(const struct segment *s)
{
    return !s->deep && !s->first->next &&
           (s->first->kind == SELECT_NAME || s->first->kind == SELECT_INDEX);
}

bool jsonpath_query(struct path *p, struct query *out)
{
    struct segment *last = NULL;

    out->singular = true;
    for (;;) {
        size_t behind = p->at;
        struct segment *s;

        jsonpath_blanks(p);
        if (!is_one_of(jsonpath_peek(p), ".[")) {
            p->at = behind; /* the blanks belong to what comes next */
            return true;
        }
        s = arena_new(p->a, struct segment);
        if (!segment(p, s))
            return false;
        if (last)
            last->next = s;
        else
            out->first = s;
        last = s;
        out->singular &= is_singular(s);
    }
}

bool jsonpath_read(struct str text, struct arena *a, const struct jsonpath **out, struct error *e)
{
    struct path p = { .text = text, .a = a, .e = e };
    struct jsonpath *path = arena_new(a, struct jsonpath);

    if (text.n > PATH_BYTES)
        return error_set(e, ERROR_CEILING, "the path has %zu bytes, allowed are %d", text.n,
                         PATH_BYTES);
    if (utf8_valid(text) != text.n)
        return error_set(e, ERROR_ENCODING, "the path is not UTF-8");
    path->query.absolute = true;
    if (!jsonpath_eat(&p, "$"))
        return jsonpath_expected(&p, "'$', with which each path begins");
    if (!jsonpath_query(&p, &path->query))
        return false;
    if (p.at < text.n)
        return jsonpath_expected(&p, "'.', '..' or '['");
    *out = path;
    return true;
}

bool jsonpath_singular(const struct jsonpath *p)
{
    return p->query.singular;
}
