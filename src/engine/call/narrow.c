/* SPDX-License-Identifier: Apache-2.0 */
/* narrow.c: reads the limits that a caller puts on his call beside the adapter's.
 *
 * They only narrow. What would not, or would mean nothing here, is refused: whoever says a limit
 * has to be held to it.
 */
#include "base/doc_read.h"
#include "contract/codes.h"
#include "contract/levels.h"
#include "contract/limits.h"
#include "contract/network_doc.h"
#include "engine/call.h"

/* clang-format off */
static const struct narrow_row {
    const char *map, *key; /* map is NULL for a member of the sandbox itself */
    enum doc_kind kind;
    const struct limit_row *limit; /* of a number */
    const char *const *choices; /* of a text */
} rows[] = {
    { NULL,         "timeout_ms",   DOC_INT,  .limit = &limits[LIMIT_TIMEOUT_MS] },
    { NULL,         "memory_mb",    DOC_INT,  .limit = &limits[LIMIT_MEMORY_MB] },
    { NULL,         "cpu_cores",    DOC_INT,  .limit = &limits[LIMIT_CPU_CORES] },
    { "filesystem", "level",        DOC_TEXT, .choices = fs_level_names },
    { "filesystem", "deny",         DOC_LIST },
    { "network",    "enabled",      DOC_BOOL },
    { "network",    "level",        DOC_TEXT, .choices = net_level_names },
    { "network",    "allow",        DOC_LIST },
    { "network",    "deny",         DOC_LIST },
    { "processes",  "max_children", DOC_INT,  .limit = &limits[LIMIT_MAX_CHILDREN] },
    { "processes",  "allow_fork",   DOC_BOOL },
};
/* clang-format on */

static bool is_in(const struct narrow_row *row, const char *map)
{
    return row->map && map ? strcmp(row->map, map) == 0 : !row->map && !map;
}

static const struct narrow_row *row_of(const char *map, struct str key)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (is_in(&rows[i], map) && str_is(key, rows[i].key))
            return &rows[i];
    return NULL;
}

static bool is_choice(const struct narrow_row *row, struct str text)
{
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        if (str_is(text, row->choices[i]))
            return true;
    return !row->choices;
}

static const char *joined(const char *const *names, struct arena *a)
{
    _buf_ struct buf all = { .max = 1 << 10 };

    for (size_t i = 0; names[i]; i++)
        buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
    return arena_text(a, buf_str(&all));
}

/* The value of a limit that there is. */
static void check_value(const struct narrow_row *row, const struct doc *d, struct arena *a,
                        struct report *r)
{
    static const char *const kinds_of_it[] = { [DOC_INT] = "a whole number",
                                               [DOC_TEXT] = "a text",
                                               [DOC_LIST] = "a list of texts",
                                               [DOC_BOOL] = "true or false" };

    if (d->kind != row->kind)
        report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR, "'%s' must be %s", row->key,
                   kinds_of_it[row->kind]);
    else if (d->kind == DOC_INT && (d->whole < row->limit->min || d->whole > row->limit->max))
        report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR, "%s is %lld, allowed %lld..%lld",
                   row->key, (long long)d->whole, (long long)row->limit->min,
                   (long long)row->limit->max);
    else if (d->kind == DOC_TEXT && !is_choice(row, d->text))
        report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR, "'%.*s' is no %s; there are: %s",
                   STR_ARG(d->text), row->key, joined(row->choices, a));
    for (const struct doc *item = doc_first(d, DOC_LIST); item; item = item->next)
        if (item->kind != DOC_TEXT)
            report_add(r, ABOUT_VALUE, item, CODE_VALIDATION_ERROR, "this must be a text");
}

/* Those that a call can be held to, for people: members of the map, and the maps themselves. */
static const char *allowed(const char *map, struct arena *a)
{
    const char *names[2 * COUNT(rows) + 1] = { 0 }, *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (is_in(&rows[i], map))
            names[n++] = rows[i].key;
        else if (!map && (!last || strcmp(last, rows[i].map) != 0))
            names[n++] = last = rows[i].map;
    }
    return joined(names, a);
}

static bool is_map(struct str key)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].map && str_is(key, rows[i].map))
            return true;
    return false;
}

/* The members of the sandbox, or of one of its maps. */
static void check_members(const struct doc *d, const char *map, struct arena *a, struct report *r)
{
    if (d->kind != DOC_MAP)
        report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR, "limits are a map");
    for (const struct doc *m = doc_first(d, DOC_MAP); m; m = m->next) {
        const struct narrow_row *row = row_of(map, m->key);

        if (row)
            check_value(row, m, a, r);
        else if (!map && is_map(m->key))
            check_members(m, arena_text(a, m->key), a, r);
        else
            report_add(r, ABOUT_KEY, m, CODE_VALIDATION_ERROR,
                       "a caller cannot narrow '%.*s' of a call; there are: %s", STR_ARG(m->key),
                       allowed(map, a));
    }
}

/* Nothing but the sandbox is the caller's to say. */
static const struct doc *sandbox_of(const struct doc *root, struct report *r)
{
    if (root->kind != DOC_MAP)
        report_add(r, ABOUT_VALUE, root, CODE_VALIDATION_ERROR, "options are a map");
    for (const struct doc *m = doc_first(root, DOC_MAP); m; m = m->next)
        if (!str_is(m->key, "sandbox"))
            report_add(r, ABOUT_KEY, m, CODE_VALIDATION_ERROR,
                       "'%.*s' is no option of a call; there is: sandbox", STR_ARG(m->key));
    return root->kind == DOC_MAP ? doc_get(root, "sandbox") : NULL;
}

bool call_narrow(struct tool_call *c, int *status)
{
    struct ceilings max = ceilings_default();
    const struct document *document;

    if (!c->ask->options || c->narrow)
        return true;
    *status = WRIT_WRONG;
    c->report = report_new(c->a, "options", str_of(c->ask->options));
    c->kind = "options";
    if (!doc_read("options", str_of(c->ask->options), &max, c->a, &document, &c->error)) {
        report_error(&c->report, &c->error);
        return false;
    }
    c->narrow = sandbox_of(&document->root, &c->report);
    if (c->narrow)
        check_members(c->narrow, NULL, c->a, &c->report);
    if (!c->report.errors && call_asked(c, "network", NULL))
        network_entries(call_asked(c, "network", NULL), NULL, &c->report);
    if (c->report.errors)
        return false;
    c->kind = NULL;
    return true;
}
