/* SPDX-License-Identifier: Apache-2.0 */
/* adapters.c: the public function that lists adapters, each as a level shows it. */
#include <writ/adapters.h>

#include "base/json_write.h"
#include "contract/disclose.h"
#include "engine/adapters_here.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/toolbox.h"

static const char *const level_names[] = { "L0", "L1", "L2", "L3" };

enum { FEW = 32 };

struct listing {
    struct adapters_here here;
    struct catalog catalog;
    struct toolbox box; /* of the registry; above L0 */
    enum level level;
    writ_line line;
    void *self;
    struct buf out;
    struct arena *a;
    bool wrong, over;
};

static void tell(struct listing *l)
{
    l->over = !l->line(l->self, buf_str(&l->out).s, l->out.len);
    buf_reset(&l->out);
}

/* `problems`: how many `writ check` finds in it; 0: it would find none. */
static void tell_fault(struct listing *l, const char *path, const char *why, size_t problems)
{
    json_open(&l->out, '{');
    json_put(&l->out, "file", adapters_shown(&l->here, path));
    json_put(&l->out, "fault", why);
    if (problems)
        json_put_int(&l->out, "problems", (int64_t)problems);
    json_close(&l->out, '}');
    tell(l);
    l->wrong = true;
}

/* The first thing that is wrong with it. */
static void tell_problem(struct listing *l, const struct catalog_entry *entry, struct report *r)
{
    const struct problem *first = NULL;
    size_t n = 0;

    report_finish(r);
    for (const struct problem *p = r->first; p; p = p->next) {
        n += !p->warning;
        if (!first && !p->warning)
            first = p;
    }
    if (!first)
        tell_fault(l, entry->path, "cannot be loaded", 0);
    else
        tell_fault(l, entry->path,
                   first->line
                       ? arena_printf(r->a, "%d:%d: %s", first->line, first->col, first->msg)
                       : first->msg,
                   n);
}

/* Is it text that JSON has as it is? */
static bool is_plain(struct str text)
{
    return str_visible(text) && !memchr(text.s, '"', text.n) && !memchr(text.s, '\\', text.n);
}

/* As json_outside() does with a key before it; ten thousand lines are mostly plain text. */
static void put_text(struct buf *to, struct str key, struct str text)
{
    char *at;

    if (!is_plain(text)) {
        buf_add(to, key.s, key.n - 1);
        json_outside(to, text);
        return;
    }
    if (!buf_reserve(to, key.n + text.n + 1))
        return;
    at = to->s + to->len;
    memcpy(at, key.s, key.n);
    memcpy(at + key.n, text.s, text.n);
    memcpy(at + key.n + text.n, "\"", 2); /* and its NUL */
    to->len += key.n + text.n + 1;
}

static void put_entry(struct listing *l, const struct catalog_entry *entry)
{
#define KEY(text) ((struct str){ (text), sizeof(text) - 1 })
    struct buf *to = &l->out;

    put_text(to, KEY("{\"adapter_id\":\""), entry->adapter_id);
    put_text(to, KEY(",\"name\":\""), entry->name);
    put_text(to, KEY(",\"tool_id\":\""), entry->tool_id);
    put_text(to, KEY(",\"type\":\""), str_of(adapter_types[entry->type]));
    put_text(to, KEY(",\"origin\":\""), str_of(origin_names[entry->origin]));
    put_text(to, KEY(",\"file\":\""), str_of(adapters_shown(&l->here, entry->path)));
#undef KEY
    if (entry->shadowed)
        json_put_bool(to, "shadowed", true);
    if (entry->twice)
        json_put_bool(to, "twice", true);
}

/* What can be called, whoever names it. */
static void put_operations(struct listing *l, const struct adapter *adapter, struct arena *a)
{
    struct report r = report_new(a, "", (struct str){ 0 });
    const struct settings *settings;
    const struct registry_doc *registry;
    const struct tool_doc *tool = NULL;
    struct items names;
    struct error e;

    if (!toolbox_settings(&l->box, &settings, &r) ||
        !toolbox_tool(&l->box, adapter, &registry, &tool, &r, &e))
        tool = NULL;
    names = toolbox_operations(adapter, tool, a);
    json_key(&l->out, "operations");
    json_open(&l->out, '[');
    for (size_t i = 0; i < names.n; i++)
        json_text(&l->out, ((const struct str *)names.v)[i]);
    json_close(&l->out, ']');
}

/* Is it read as a whole? At L0 those of the user's own, where there are few: one that is wrong is
 * told before somebody calls it. Of ten thousand no more is read than is shown. */
static bool looks(const struct listing *l, const struct catalog_entry *entry)
{
    return l->level > L0 || (entry->origin != ORIGIN_SHIPPED && l->catalog.n <= FEW);
}

static void tell_entry(struct listing *l, const struct catalog_entry *entry)
{
    _arena_ struct arena a = { 0 }; /* costs nothing until it is used */
    struct adapter adapter = { 0 };
    struct report r;
    bool right = !looks(l, entry) || catalog_load(&l->here.ask, entry, &a, &adapter, &r);

    if (right || l->level == L0)
        put_entry(l, entry);
    if (right && l->level > L0) {
        json_key(&l->out, "adapter");
        adapter_disclose(adapter.tree, l->level, &l->out);
        put_operations(l, &adapter, &a);
    }
    if (right || l->level == L0) {
        json_close(&l->out, '}');
        tell(l);
    }
    if (!right)
        tell_problem(l, entry, &r);
}

static int tell_all(struct listing *l, const char *tool)
{
    const struct catalog *c = &l->catalog;

    for (size_t i = 0; i < c->n && !l->over; i++)
        if (!tool || str_is(c->v[i].tool_id, tool))
            tell_entry(l, &c->v[i]);
    for (size_t i = 0; i < c->fault_count && !l->over; i++)
        tell_fault(l, c->faults[i].path, c->faults[i].why, 0);
    return WRIT_OK;
}

static int tell_one(struct listing *l, const char *name)
{
    const struct catalog_entry *entry;
    struct error e;

    if (!catalog_find(&l->catalog, str_of(name), l->a, &entry, &e))
        return record_fail(&e, WRIT_USAGE, l->line, l->self);
    tell_entry(l, entry);
    return l->wrong ? WRIT_WRONG : WRIT_OK;
}

static bool read_level(const char *text, enum level *out)
{
    for (enum level i = L0; i <= L3; i++)
        if (strcmp(text, level_names[i]) == 0) {
            *out = i;
            return true;
        }
    return false;
}

int writ_adapters(const char *name, const char *tool, const char *level,
                  const char *const *environment, writ_line line, void *self)
{
    _arena_ struct arena a = { 0 };
    struct listing l = { .line = line, .self = self, .out = { .max = ANSWER_MAX }, .a = &a };
    struct error e = { 0 };
    int status;

    if (!line)
        return WRIT_USAGE;
    if (level && !read_level(level, &l.level)) {
        (void)error_set(&e, CODE_USAGE, "'%s' is no level; there are L0, L1, L2 and L3", level);
        return record_fail(&e, WRIT_USAGE, line, self);
    }
    if (!adapters_here(environment, &a, &l.here, &e) ||
        !catalog_list(&l.here.ask, &a, &l.catalog, &e))
        return record_fail(&e, WRIT_UNAVAILABLE, line, self);
    if (l.level > L0)
        toolbox_open(&l.box, environment, world_real());
    status = name ? tell_one(&l, name) : tell_all(&l, tool);
    if (l.level > L0)
        toolbox_close(&l.box);
    buf_free(&l.out);
    return status;
}
