/* SPDX-License-Identifier: Apache-2.0 */
/* parse_lines.c: output that is lines, and lines that are keys with values. */
#include "adapter/transform_parts.h"

bool parse_lines(const struct making *m, const void *options, struct str text,
                 const struct doc **out)
{
    struct doc *list = doc_root(m->a, DOC_LIST);

    (void)options;
    while (text.n > 0) {
        struct str line = line_next(&text);

        if (!work_do(m->w, work_text(line)))
            return making_over(m);
        if (!made_text(m, list, (struct str){ 0 }, line))
            return false;
    }
    *out = list;
    return true;
}

/* ---- key=value ---- */

static struct str trimmed(struct str t)
{
    return str_trim_end(str_trim_start(t, " \t"), " \t\r");
}

/* Where the separator stands: that of the spec, else the first '=', or the first ':' that a blank
 * or nothing follows. line.n: nowhere. */
static size_t separator_at(struct str line, struct str wanted, size_t *bytes)
{
    *bytes = wanted.n ? wanted.n : 1;
    for (size_t i = 0; i < line.n; i++) {
        if (wanted.n) {
            if (line.n - i >= wanted.n && memcmp(line.s + i, wanted.s, wanted.n) == 0)
                return i;
        } else if (line.s[i] == '=' ||
                   (line.s[i] == ':' && (i + 1 == line.n || is_one_of(line.s[i + 1], " \t")))) {
            return i;
        }
    }
    return line.n;
}

/* In "" a backslash stands before what a shell would take for its own; in '' nothing is special. */
static bool is_escape(struct str t, size_t i)
{
    return t.s[0] == '"' && t.s[i] == '\\' && i + 2 < t.n && is_one_of(t.s[i + 1], "\"\\$`");
}

/* Quotes count only where they stand around all of a value. */
static bool is_quoted(struct str t)
{
    if (t.n < 2 || (t.s[0] != '"' && t.s[0] != '\'') || t.s[t.n - 1] != t.s[0])
        return false;
    for (size_t i = 1; i < t.n - 1; i++) {
        if (is_escape(t, i))
            i++;
        else if (t.s[i] == t.s[0])
            return false;
    }
    /* The last quote must not be one that was escaped. */
    if (t.s[0] == '"') {
        size_t slashes = 0;

        while (slashes < t.n - 2 && t.s[t.n - 2 - slashes] == '\\')
            slashes++;
        return slashes % 2 == 0;
    }
    return true;
}

static struct str unquoted(struct str t, struct arena *a)
{
    char *text;
    size_t n = 0;

    if (!is_quoted(t))
        return t;
    text = arena_raw(a, t.n);
    for (size_t i = 1; i < t.n - 1; i++) {
        i += is_escape(t, i);
        text[n++] = t.s[i];
    }
    return (struct str){ text, n };
}

static bool add_line(const struct making *m, struct doc *map, struct str line, struct str separator)
{
    size_t bytes, at = separator_at(line, separator, &bytes);
    struct str key = trimmed((struct str){ line.s, at });

    if (at == line.n)
        return error_set(m->e, CODE_TRANSFORM_FAILED, "%s has no separator", said(line, m->a));
    if (key.n == 0)
        return error_set(m->e, CODE_TRANSFORM_FAILED, "%s has no key", said(line, m->a));
    line = trimmed((struct str){ line.s + at + bytes, line.n - at - bytes });
    return made_text(m, map, key, unquoted(line, m->a));
}

bool parse_kv(const struct making *m, const void *options, struct str text, const struct doc **out)
{
    const struct kv_options *o = options;
    struct doc *map = doc_root(m->a, DOC_MAP);
    const struct doc *twice;

    for (uint32_t number = 1; text.n > 0; number++) {
        struct str line = line_next(&text), bare = trimmed(line);

        if (!work_do(m->w, work_text(line)))
            return making_over(m);
        if (bare.n == 0 || bare.s[0] == '#')
            continue;
        if (!add_line(m, map, line, o->separator))
            return error_wrap(m->e, "line %u", number);
        map->last->key_at = number;
    }
    twice = doc_twice(map, m->a);
    if (twice)
        return error_set(m->e, CODE_TRANSFORM_FAILED, "line %u: the key %s was there before",
                         twice->key_at, said(twice->key, m->a));
    *out = map;
    return true;
}
