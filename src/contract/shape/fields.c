/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c: the fields of a shape as rows for people, sub-shapes included. */
#include "contract/shape.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "contract/range.h"

enum { DEEP = 6, TEXT = 512 };

/* "a UUID v4" without its article. */
static const char *bare_name(enum form form)
{
    const char *name = forms[form].name, *blank = strchr(name, ' ');
    bool article = strncmp(name, "a ", 2) == 0 || strncmp(name, "an ", 3) == 0;

    return article ? blank + 1 : name;
}

static void say_type(const struct field *f, struct buf *to)
{
    static const char *const names[] = { [F_TEXT] = "text",     [F_INT] = "whole number",
                                         [F_NUMBER] = "number", [F_BOOL] = "true or false",
                                         [F_CHOICE] = "choice", [F_SHAPE] = "map",
                                         [F_MAP] = "map",       [F_ANY] = "any value" };

    if (f->many == LIST)
        buf_adds(to, "list of ");
    if (f->many == DICT)
        buf_adds(to, "map of ");
    buf_adds(to, f->kind == F_TEXT && f->form ? bare_name(f->form) : names[f->kind]);
}

static void say_bounds(int64_t min, int64_t max, const char *unit, struct buf *to)
{
    say_range(min, max, to);
    buf_adds(to, unit);
}

static void say_allowed(const struct field *f, struct buf *to)
{
    int64_t min = field_min(f), max = field_max(f);

    if (f->kind == F_CHOICE)
        for (size_t i = 0; f->choices[i]; i++)
            buf_addf(to, "%s%s", i ? ", " : "", f->choices[i]);
    else if (f->many != ONE && (f->least || f->most))
        say_bounds(f->least, f->most, " entries", to);
    else if (min || max)
        say_bounds(min, max, f->kind == F_TEXT ? " characters" : "", to);
}

static void say_default(const struct field *f, struct buf *to)
{
    int64_t fallback = f->limit ? f->limit->fallback : f->fallback;

    if (f->need != OPTIONAL || f->bare)
        return;
    if (f->many != ONE) {
        buf_adds(to, f->many == LIST ? "[]" : "{}");
        return;
    }
    if (f->kind == F_INT || f->kind == F_NUMBER)
        buf_addf(to, "%" PRId64, fallback);
    else if (f->kind == F_BOOL)
        buf_adds(to, fallback ? "true" : "false");
    else if (f->kind == F_CHOICE)
        buf_adds(to, f->choices[fallback]);
    else if (f->kind == F_MAP && f->filled)
        buf_adds(to, "{}");
}

static void put_cell(struct buf *to, const char *key, const struct field *f,
                     void (*say)(const struct field *, struct buf *))
{
    _buf_ struct buf text = { .max = TEXT };

    say(f, &text);
    json_put_text(to, key, buf_str(&text));
}

static void put_fields(const struct shape *shape, const char *path, int depth, struct buf *to)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        _buf_ struct buf name = { .max = TEXT };

        buf_addf(&name, "%s%s%s%s", path, *path ? "." : "", f->name, f->many == LIST ? "[]" : "");
        json_open(to, '{');
        json_put_text(to, "field", buf_str(&name));
        put_cell(to, "type", f, say_type);
        json_key(to, "needed");
        json_bool(to, field_needed(f));
        put_cell(to, "default", f, say_default);
        put_cell(to, "allowed", f, say_allowed);
        json_put(to, "meaning", f->help ? f->help : "");
        json_close(to, '}');
        buf_adds(&name, f->kind == F_MAP ? ".*" : "");
        if (f->sub && f->sub != shape && depth > 0)
            put_fields(f->sub, name.s, depth - 1, to);
    }
}

void shape_fields(const struct shape *shape, struct buf *to)
{
    json_open(to, '[');
    put_fields(shape, "", DEEP, to);
    json_close(to, ']');
}

/* ---- one part of it ---- */

struct search {
    struct str name;
    struct arena *a;
    struct shape_part *told;
    size_t n, most;
};

/* "transform" is also the name of a "transform of input". */
static bool is_called(const struct field *f, struct str name)
{
    const char *shape = f->sub->name;

    return str_is(name, f->name) ||
           (strncmp(shape, name.s, name.n) == 0 && (shape[name.n] == '\0' || shape[name.n] == ' '));
}

static void keep_part(struct search *s, const struct shape *shape, const char *path)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->told[i].shape == shape)
            return;
    if (s->n < s->most)
        s->told[s->n++] = (struct shape_part){ shape, path };
}

static void look(struct search *s, const struct shape *shape, const char *path, int depth)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        const char *inside;

        if (!f->sub || f->sub == shape || depth == 0)
            continue;
        inside = arena_printf(s->a, "%s%s%s%s", path, *path ? "." : "", f->name,
                              f->many == LIST    ? "[]"
                              : f->kind == F_MAP ? ".*"
                                                 : "");
        if (is_called(f, s->name))
            keep_part(s, f->sub, inside);
        look(s, f->sub, inside, depth - 1);
    }
}

size_t shape_parts(const struct shape *shape, struct str name, struct arena *a,
                   struct shape_part told[], size_t n, size_t most)
{
    struct search s = { .name = name, .a = a, .told = told, .n = n, .most = most };

    if (name.n)
        look(&s, shape, "", DEEP);
    return s.n;
}
