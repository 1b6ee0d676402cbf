/* SPDX-License-Identifier: Apache-2.0 */
/* pointer.c: reads JSON Pointers and follows them. */
#include "base/pointer.h"

#include "base/doc_make.h"
#include "base/num.h"

/* Undoes ~1 and ~0; false where a ~ is followed by something else. */
static bool plain_name(struct str raw, struct arena *a, struct str *out)
{
    char *name;
    size_t n = 0;

    if (raw.n == 0 || !memchr(raw.s, '~', raw.n)) {
        *out = raw;
        return true;
    }
    name = arena_alloc(a, raw.n);
    for (size_t i = 0; i < raw.n; i++) {
        if (raw.s[i] != '~') {
            name[n++] = raw.s[i];
            continue;
        }
        i++;
        if (i == raw.n || (raw.s[i] != '0' && raw.s[i] != '1'))
            return false;
        name[n++] = raw.s[i] == '0' ? '~' : '/';
    }
    *out = (struct str){ name, n };
    return true;
}

bool pointer_read(struct str text, struct arena *a, struct pointer *out, struct error *e)
{
    struct str *names;
    size_t n = 0, at = 0;

    if (text.n > 0 && text.s[0] != '/')
        return error_set(e, ERROR_SYNTAX, "%s is no JSON pointer: it must begin with '/'",
                         said(text, a));
    for (size_t i = 0; i < text.n; i++)
        n += text.s[i] == '/';
    names = arena_alloc(a, n * sizeof *names);
    for (size_t i = 0; i < n; i++) {
        const char *begin = text.s + at + 1;
        size_t rest = text.n - at - 1;
        const char *slash = rest ? memchr(begin, '/', rest) : NULL;
        struct str raw = { begin, slash ? (size_t)(slash - begin) : rest };

        if (!plain_name(raw, a, &names[i]))
            return error_set(e, ERROR_SYNTAX, "%s is no JSON pointer: '~' must be '~0' or '~1'",
                             said(text, a));
        at += 1 + raw.n;
    }
    *out = (struct pointer){ names, n };
    return true;
}

bool pointer_index(struct str name, uint32_t *out)
{
    int64_t v;

    if (!num_int(name, &v) || v < 0 || v > INT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

static struct doc *step_list(const struct doc *d, struct str name, struct doc **before,
                             struct work *w)
{
    struct doc *c = d->first;
    uint32_t index;

    *before = d->last;
    if (!pointer_index(name, &index) || index >= d->count || !work_do(w, 1 + index))
        return NULL;
    *before = NULL;
    for (; index > 0; index--) {
        *before = c;
        c = c->next;
    }
    return c;
}

static struct doc *step_map(const struct doc *d, struct str name, struct doc **before,
                            struct work *w)
{
    uint32_t hops = 0;
    bool found = false;

    *before = NULL;
    for (struct doc *c = d->first; c && !found; c = c->next, hops++) {
        found = str_eq(c->key, name);
        if (!found)
            *before = c;
    }
    if (!work_do(w, work_text(name) + hops) || !found)
        return NULL;
    return *before ? (*before)->next : d->first;
}

struct doc *pointer_step(const struct doc *d, struct str name, struct doc **before, struct work *w)
{
    *before = NULL;
    if (d->kind == DOC_LIST)
        return step_list(d, name, before, w);
    return d->kind == DOC_MAP ? step_map(d, name, before, w) : NULL;
}

const struct doc *pointer_find(const struct pointer *p, const struct doc *d, struct work *w)
{
    struct doc *before;

    for (size_t i = 0; i < p->n && d; i++)
        d = pointer_step(d, p->names[i], &before, w);
    return d;
}
