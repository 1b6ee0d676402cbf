/* SPDX-License-Identifier: Apache-2.0 */
/* golden.c: the public function about golden outputs: records calls, and makes them again. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <writ/adapters.h>

#include "adapter/golden.h"
#include "base/json_write.h"
#include "engine/call.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/record.h"
#include "sandbox/grants.h"

struct goldening {
    struct toolbox box;
    const struct writ_call *ask;
    const char *project;
    const char *here;
    bool diffs; /* what differs is told */
    writ_line line;
    void *self;
};

/* ---- one line ---- */

struct told {
    const struct golden *golden;
    const char *file;
    bool same, recorded;
    struct str diff;           /* .s is NULL: none is told */
    const struct error *error; /* NULL: none */
    const struct tool_call *call;
    const char *changed; /* how its adapter is another than when it was recorded; or NULL */
};

static void put_error(const struct error *error, struct buf *to)
{
    json_put(to, "code", codes[error->code].name);
    json_put(to, "message", error->msg);
}

static void put_known(const char *key, struct str text, struct buf *to)
{
    if (text.s)
        json_put_outside(to, key, text);
    else
        json_put(to, key, NULL);
}

static bool tell(const struct goldening *g, const struct told *t)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };

    json_open(&out, '{');
    if (t->error)
        put_error(t->error, &out);
    json_put_outside(&out, "name", t->golden->name);
    put_known("adapter_id", t->golden->adapter, &out);
    put_known("operation", t->golden->operation, &out);
    json_put(&out, "file", t->file);
    json_put_bool(&out, "same", t->same);
    json_put_bool(&out, "recorded", t->recorded);
    put_known("diff", t->diff, &out);
    json_put(&out, "adapter_changed", t->changed);
    json_key(&out, "warnings");
    json_open(&out, '[');
    for (size_t i = 0; i < t->call->warning_count; i++)
        if (t->call->warnings[i] != t->call->cut) /* which is the error */
            json_outside(&out, str_of(t->call->warnings[i]));
    json_close(&out, ']');
    json_key(&out, "error");
    if (t->error) {
        json_open(&out, '{');
        put_error(t->error, &out);
        json_close(&out, '}');
    } else {
        json_nil(&out);
    }
    json_close(&out, '}');
    return g->line(g->self, out.s, out.len);
}

/* ---- a call ---- */

/* Golden outputs are held against what is done, never against what is remembered of it. */
static struct writ_call anew(const struct writ_call *ask)
{
    struct writ_call call = *ask;

    call.fresh = true;
    return call;
}

/* False: it did not come to an output, and *e says why. */
static bool make_call(struct tool_call *c, int *status, struct error *e)
{
    *status = call_run(c);
    if (*status == WRIT_OK && c->cut) {
        *status = WRIT_NO;
        return error_set(e, CODE_CEILING,
                         "%s; what a golden output holds is all of it: call it so "
                         "that it prints less",
                         c->cut);
    }
    if (*status == WRIT_OK)
        return true;
    if (*status == WRIT_WRONG && c->kind) {
        const struct problem *wrong;

        report_finish(&c->report);
        wrong = report_wrong(&c->report);
        if (wrong)
            return error_set(e, wrong->code, "%s:%d:%d: %s", c->report.file, wrong->line,
                             wrong->col, wrong->msg);
    }
    return error_set(e, c->error.code ? c->error.code : CODE_COMMAND_FAILED, "%s",
                     c->error.code ? c->error.msg : "it could not be called");
}

/* ---- where ---- */

/* What depends on the directory is held against the same one, wherever it is asked. */
static struct str below(const struct goldening *g)
{
    size_t n = strlen(g->project);

    return str_of(strlen(g->here) > n ? g->here + n + 1 : "");
}

/* *out: NULL where that is here. */
static bool directory_of(const struct goldening *g, const struct golden *golden, struct arena *a,
                         const char **out, struct error *e)
{
    const char *path = golden->directory.n
                           ? arena_printf(a, "%s/%.*s", g->project, STR_ARG(golden->directory))
                           : g->project;
    _free_ char *real = realpath(path, NULL), *top = realpath(g->project, NULL);

    if (!real || !top)
        return error_sys(e, CODE_IO, "%s, where it was recorded, is not there", path);
    if (!path_is_in(real, top))
        return error_set(e, CODE_PATH_REFUSED, "%s, where it was recorded, leads out of %s", path,
                         g->project);
    *out = strcmp(real, g->here) == 0 ? NULL : arena_text(a, str_of(real));
    return true;
}

/* Who was asked has answered: what another says in its place is no golden output of it. */
static bool is_own(const struct tool_call *c, const char *then, struct error *e)
{
    if (!c->fell_back)
        return true;
    return error_set(e, CODE_GOLDEN_DIFFERS, "%.*s failed and %.*s was fallen back to; %s",
                     STR_ARG(c->attempts[0].adapter->doc.adapter_id),
                     STR_ARG(c->adapter->doc.adapter_id), then);
}

/* ---- record ---- */

static bool recorded_of(const struct tool_call *c, const char *name, struct golden *out,
                        struct error *e)
{
    const struct adapter *adapter = c->attempt_count ? c->attempts[0].adapter : c->adapter;
    char *digest = arena_alloc(c->a, DIGEST_TEXT);

    if (!is_own(c, "record that one, or when the first is well again", e))
        return false;
    digest_text(&adapter->digest, digest);
    *out = (struct golden){ .name = str_of(name),
                            .directory = out->directory,
                            .adapter = adapter->doc.adapter_id,
                            .operation = c->operation,
                            .params = c->given,
                            .output = c->output,
                            .adapter_version = adapter->doc.version,
                            .adapter_digest = str_of(digest),
                            .tool_version = adapter->doc.tool_version };
    return true;
}

static int record(struct goldening *g, const char *name, bool force)
{
    _arena_ struct arena a = { 0 };
    struct writ_call call = anew(g->ask);
    struct tool_call c = { .box = &g->box,
                           .ask = &call,
                           .world = world_real(),
                           .a = &a,
                           .purpose = arena_printf(&a, "golden output %s", name) };
    struct golden golden = { .name = str_of(name), .adapter = str_of(call.adapter) };
    const char *path = NULL;
    struct error e;
    int status = WRIT_USAGE;

    if (!golden_name(golden.name, &e))
        return record_fail(&e, WRIT_USAGE, g->line, g->self);
    golden.operation = str_of(call.operation ? call.operation : "");
    golden.directory = below(g);
    if (make_call(&c, &status, &e) && recorded_of(&c, name, &golden, &e) &&
        golden_save(g->project, &golden, force, &a, &path, &e)) {
        (void)tell(g, &(struct told){ &golden, path, true, true, { 0 }, NULL, &c, NULL });
        return WRIT_OK;
    }
    (void)tell(g, &(struct told){ &golden, NULL, false, false, { 0 }, &e, &c, NULL });
    return status == WRIT_OK ? WRIT_NO : status;
}

/* ---- check and diff ---- */

/* What was recorded holds for the adapter that it was recorded with (R-001-148). */
static const char *adapter_changed(const struct golden *golden, const struct tool_call *c)
{
    struct str was = golden->adapter_version, is = c->adapter->doc.version;
    char digest[DIGEST_TEXT];

    if (was.n && !str_eq(was, is))
        return arena_printf(c->a,
                            "it was recorded with version %.*s of the adapter, which is %.*s now",
                            STR_ARG(was), STR_ARG(is));
    digest_text(&c->adapter->digest, digest);
    if (golden->adapter_digest.n && !str_is(golden->adapter_digest, digest))
        return arena_printf(c->a,
                            "the adapter was changed since it was recorded, and is version %.*s "
                            "as before",
                            STR_ARG(is));
    return NULL;
}

/* Makes the call again; false: it did not come to the same. *more: the caller wants to go on. */
static bool check_one(struct goldening *g, const struct golden *golden, bool *more)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf diff = { .max = ANSWER_MAX / 4 };
    struct writ_call call = anew(g->ask);
    struct tool_call c = { .box = &g->box,
                           .ask = &call,
                           .world = world_real(),
                           .a = &a,
                           .purpose = arena_printf(&a, "golden output %.*s", STR_ARG(golden->name)),
                           .given = golden->params };
    struct told told = { .golden = golden, .file = golden->path, .call = &c };
    struct error e;
    int status;

    if (golden->wrong) {
        told.error = golden->wrong;
        *more = tell(g, &told);
        return false;
    }
    call.adapter = arena_text(&a, golden->adapter);
    call.operation = arena_text(&a, golden->operation);
    if (directory_of(g, golden, &a, &c.directory, &e) && make_call(&c, &status, &e) &&
        is_own(&c, "check it when the first is well again", &e)) {
        told.same = golden_same(golden, &c.output, &a);
        if (!told.same && g->diffs) {
            golden_diff(golden, &c.output, &a, &diff);
            told.diff = buf_str(&diff);
        }
        told.changed = adapter_changed(golden, &c);
        if (!told.same)
            (void)error_set(&e, CODE_GOLDEN_DIFFERS, "it differs%s%s", told.changed ? "; " : "",
                            told.changed ? told.changed : "");
    }
    told.error = told.same ? NULL : &e;
    *more = tell(g, &told);
    return told.same;
}

static int none_of_that_name(const struct goldening *g, const char *name, struct arena *a)
{
    const char **names = NULL, *near = NULL;
    struct error e;
    size_t n;

    if (golden_names(g->project, a, &names, &n, &e))
        near = str_nearest(str_of(name), names, n);
    (void)error_set(&e, CODE_USAGE, "there is no golden output %s%s%s%s", said(str_of(name), a),
                    near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return record_fail(&e, WRIT_USAGE, g->line, g->self);
}

/* What is wrong with one is no reason not to check another. */
static int check(struct goldening *g, const char *name)
{
    _arena_ struct arena a = { 0 };
    struct goldens all;
    size_t done = 0, same = 0;
    bool more = true;
    struct error e;

    if (!golden_list(g->project, name, &a, &all, &e))
        return record_fail(&e, WRIT_WRONG, g->line, g->self);
    if (name && !all.n)
        return none_of_that_name(g, name, &a);
    for (; done < all.n && more; done++)
        same += check_one(g, &all.v[done], &more);
    return same == done ? WRIT_OK : WRIT_NO;
}

/* ---- all of it ---- */

int writ_golden(const char *verb, const char *name, bool force, const struct writ_call *call,
                writ_line line, void *self)
{
    _arena_ struct arena a = { 0 };
    char here[PATH_MAX];
    struct goldening g = {
        .ask = call, .project = home_project(&a), .here = here, .line = line, .self = self
    };
    struct error e;
    bool records;
    int status;

    if (!given_to(verb, "verb", line, self) || !given_to(call, "call", line, self))
        return WRIT_USAGE;
    records = strcmp(verb, "record") == 0;
    g.diffs = strcmp(verb, "diff") == 0;
    if (!records && !g.diffs && strcmp(verb, "check") != 0) {
        (void)error_set(&e, CODE_USAGE, "%s is none of record, check and diff",
                        said(str_of(verb), &a));
        return record_fail(&e, WRIT_USAGE, line, self);
    }
    if (records &&
        (!given_to(name, "name", line, self) || !given_to(call->adapter, "adapter", line, self)))
        return WRIT_USAGE;
    if (!home_here(here, NULL, &e)) /* which project's they would be, nobody can tell */
        return record_fail(&e, WRIT_UNAVAILABLE, line, self);
    toolbox_open(&g.box, call->environment, world_real());
    status = records ? record(&g, name, force) : check(&g, name);
    toolbox_close(&g.box);
    return status;
}
