/* SPDX-License-Identifier: Apache-2.0 */
/* skim.c: reads the top of an adapter's text, and gives up at the first thing out of the ordinary.
 */
#include "adapter/catalog_skim.h"

#include "base/yaml_scalar.h"
#include "contract/adapter_doc.h"

enum member { ADAPTER_ID, NAME, TOOL_ID, TYPE, MEMBERS };

static const char *const names[MEMBERS] = { "adapter_id", "name", "tool_id", "type" };

struct found {
    struct str v[MEMBERS]; /* .s is NULL: not yet */
    unsigned count;
};

/* False: it was there before, or says nothing. Members that are none of the four may be anything.
 */
static bool keep(struct found *f, struct str key, struct str value, bool text)
{
    for (enum member i = 0; i < MEMBERS; i++) {
        if (!str_is(key, names[i]))
            continue;
        if (f->v[i].s || !text || !value.n)
            return false;
        f->v[i] = value;
        f->count++;
    }
    return true;
}

static bool finish(const struct found *f, struct skimmed *out)
{
    for (int i = 0; i < ADAPTER_TYPE_COUNT; i++) {
        if (!str_is(f->v[TYPE], adapter_types[i]))
            continue;
        *out = (struct skimmed){ f->v[ADAPTER_ID], f->v[NAME], f->v[TOOL_ID], i };
        return true;
    }
    return false;
}

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Characters that mean themselves between quotes of either kind, and in JSON. */
static bool is_quiet(char c, char quote)
{
    return c >= ' ' && c <= '~' && c != quote && c != '\\';
}

/* ---- YAML ---- */

/* What may stand behind a value: nothing, or a comment with a blank before it. */
static bool is_tail(struct str s)
{
    size_t i = 0;

    while (i < s.n && s.s[i] == ' ')
        i++;
    return i == s.n || (i > 0 && s.s[i] == '#');
}

static bool take_quoted(struct str s, struct str *value)
{
    size_t i = 1;

    while (i < s.n && is_quiet(s.s[i], *s.s))
        i++;
    if (i == s.n || s.s[i] != *s.s)
        return false;
    *value = (struct str){ s.s + 1, i - 1 };
    return is_tail((struct str){ s.s + i + 1, s.n - i - 1 });
}

static bool take_plain(struct str s, struct str *value, bool *text)
{
    struct doc d = { 0 };
    const char *why;
    size_t i = 0, end = 0;

    while (i < s.n && (is_alnum(s.s[i]) || is_one_of(s.s[i], " _-./+@"))) {
        end = s.s[i] == ' ' ? end : i + 1;
        i++;
    }
    if (!end || !is_alnum(*s.s) || !is_tail((struct str){ s.s + end, s.n - end }))
        return false;
    *value = (struct str){ s.s, end };
    *text = yaml_scalar(*value, &d, &why) && d.kind == DOC_TEXT;
    return true;
}

static bool take_value(struct str s, struct str *value, bool *text)
{
    *text = true;
    return *s.s == '"' || *s.s == '\'' ? take_quoted(s, value) : take_plain(s, value, text);
}

/* The key at the beginning of a line; *rest is what follows its colon and blanks. */
static bool take_key(struct str line, struct str *key, struct str *rest)
{
    size_t n = 0;

    while (n < line.n && (is_alnum(line.s[n]) || line.s[n] == '_'))
        n++;
    if (!n || n == line.n || line.s[n] != ':' || (n + 1 < line.n && line.s[n + 1] != ' '))
        return false;
    *key = (struct str){ line.s, n };
    *rest = str_trim_start(str_from(line, n + 1), " ");
    return true;
}

/* A value ends for certain where the next key begins: a line that stands deeper would go on. */
bool skim_yaml(struct str text, bool whole, struct skimmed *out)
{
    struct found f = { 0 };
    bool first = true;

    while (text.n) {
        const char *end = memchr(text.s, '\n', text.n);
        struct str line = { text.s, end ? (size_t)(end - text.s) : text.n }, key, rest, value;
        bool is_text, start = first && str_is(line, "---");

        if (!end && !whole)
            return false;
        text = (struct str){ text.s + line.n + (end != NULL), text.n - line.n - (end != NULL) };
        if (str_only(line, " ") || *line.s == '#')
            continue;
        first = false;
        if (start)
            continue;
        if (!take_key(line, &key, &rest))
            return false;
        if (f.count == MEMBERS)
            return finish(&f, out);
        if (!rest.n || !take_value(rest, &value, &is_text) || !keep(&f, key, value, is_text))
            return false;
    }
    return whole && f.count == MEMBERS && finish(&f, out);
}

/* ---- JSON ---- */

static void skip_space(struct str *s)
{
    *s = str_trim_start(*s, " \t\r\n");
}

static bool take_sign(struct str *s, char sign)
{
    skip_space(s);
    if (!s->n || *s->s != sign)
        return false;
    *s = (struct str){ s->s + 1, s->n - 1 };
    return true;
}

static bool take_string(struct str *s, struct str *out)
{
    size_t n = 0;

    if (!take_sign(s, '"'))
        return false;
    while (n < s->n && is_quiet(s->s[n], '"'))
        n++;
    if (n == s->n || s->s[n] != '"')
        return false;
    *out = (struct str){ s->s, n };
    *s = (struct str){ s->s + n + 1, s->n - n - 1 };
    return true;
}

bool skim_json(struct str text, struct skimmed *out)
{
    struct found f = { 0 };
    struct str key, value;

    if (!take_sign(&text, '{'))
        return false;
    while (f.count < MEMBERS) {
        if (!take_string(&text, &key) || !take_sign(&text, ':') || !take_string(&text, &value) ||
            !keep(&f, key, value, true))
            return false;
        if (f.count < MEMBERS && !take_sign(&text, ','))
            return false;
    }
    return finish(&f, out);
}
