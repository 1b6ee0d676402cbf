/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h: functions of packages, called in the sandbox by a test. */
#pragma once

#include "sandbox/runs.h"

#include "adapter/sdk_bind.h"
#include "base/json_read.h"
#include "base/json_write.h"

/* What is called, and what must come of it. */
struct function_row {
    const char *function, *params;
    const char *value; /* as JSON; NULL: it fails */
    const char *error; /* how its message begins */
    int exit_code;
};

/* A package in the working directory of *r. */
struct package {
    struct runs *r;
    int language;
    const char *package, *module;
    const struct function_row *others; /* functions it has besides; or none */
    size_t other_count;
};

/* One that was called. */
struct called {
    struct outcome out;
    struct value value;
    struct error e;
    bool ok;
};

static inline const struct doc *function_params(struct arena *a, const char *text)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };

    if (!json_read("params", str_of(text), &max, a, &document, &e))
        fail_msg("%s", e.msg);
    return &document->root;
}

static inline bool function_bind(const struct package *p, const char *function, const char *params,
                                 struct sdk_call *out, struct error *e)
{
    struct arena *a = &p->r->a;
    struct pair *operations = arena_alloc(a, (1 + p->other_count) * sizeof *operations);
    struct sdk_interface *sdk = arena_new(a, struct sdk_interface);
    struct adapter_interface *interface = arena_new(a, struct adapter_interface);
    struct adapter adapter = { .doc = { .name = str_of("functions"), .interface = interface },
                               .directory = p->r->dir };
    struct sdk_ask ask = { .adapter = &adapter,
                           .operation = str_of("call"),
                           .params = function_params(a, params),
                           .cache = arena_printf(a, "%s/cache", p->r->dir),
                           .path = getenv("PATH"),
                           .home = getenv("HOME") };

    for (size_t i = 0; i < p->other_count; i++)
        operations[i] = (struct pair){ str_of("other"), str_of(p->others[i].function) };
    operations[p->other_count] = (struct pair){ str_of("call"), str_of(function) };
    *sdk = (struct sdk_interface){ .language = p->language,
                                   .package = str_of(p->package),
                                   .import_path = str_of(p->module),
                                   .function_mapping = { operations, 1 + p->other_count } };
    interface->sdk = sdk;
    return sdk_bind(&ask, a, out, e);
}

static inline struct outcome function_run(struct runs *r, const struct cli_call *call,
                                          struct items read, const char *cwd)
{
    const struct str *words = call->arguments.v;
    char **argv = arena_alloc(&r->a, (call->arguments.n + 2) * sizeof *argv);
    struct outcome out;

    argv[0] = arena_text(&r->a, call->command);
    for (size_t i = 0; i < call->arguments.n; i++)
        argv[i + 1] = arena_text(&r->a, words[i]);
    r->argv = argv;
    r->variables = call->environment.v;
    r->variable_count = call->environment.n;
    r->filesystem.read = read;
    r->run.input = call->input;
    r->run.result = true;
    r->cwd = cwd;
    out = runs_do(r, world_real(), "");
    r->argv = NULL;
    r->cwd = NULL;
    return out;
}

static inline void function_build(struct runs *r, const struct sdk_build *build)
{
    struct request_sandbox before = r->limits;
    struct outcome out;
    struct error e = { 0 };

    if (!sdk_lay_out(build, &e))
        fail_msg("%s", e.msg);
    r->limits.timeout_ms = build->timeout_ms;
    r->limits.memory_mb = build->memory_mb;
    r->processes.max_children = build->max_children;
    out = function_run(r, &build->call, build->read, build->directory);
    if (out.exit_code != 0 || access(build->product, X_OK) != 0)
        fail_msg("%d: %.*s", out.exit_code, STR_ARG(out.err.head));
    r->limits = before;
}

static inline struct called function_call(const struct package *p, const char *function,
                                          const char *params)
{
    struct called c = { 0 };
    struct sdk_call bound;

    if (!function_bind(p, function, params, &bound, &c.e))
        fail_msg("%s", c.e.msg);
    if (bound.build && access(bound.build->product, X_OK) != 0)
        function_build(p->r, bound.build);
    c.out = function_run(p->r, &bound.call, bound.read, NULL);
    c.ok = sdk_value(c.out.result.head, &p->r->a, &c.value, &c.e);
    return c;
}

static inline void function_check(const struct package *p, const struct function_row *row)
{
    struct called c = function_call(p, row->function, row->params);
    _buf_ struct buf text = { .max = 4 << 20 };

    if (c.ok)
        json_doc(&text, c.value.doc);
    if (c.ok != (row->value != NULL) ||
        (c.ok ? !str_is(buf_str(&text), row->value) : !str_begins(str_of(c.e.msg), row->error)) ||
        c.out.exit_code != row->exit_code)
        fail_msg("%s: %d: %.200s\n%.*s", row->function, c.out.exit_code,
                 c.ok ? buf_str(&text).s : c.e.msg, STR_ARG(c.out.err.head));
}

static inline void functions_check(const struct package *p, const struct function_row *rows,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        function_check(p, &rows[i]);
}

/* Called twice, it gives the same bytes; the first of the two. */
static inline struct called function_same(const struct package *p, const char *function)
{
    struct called a = function_call(p, function, "{}"), b = function_call(p, function, "{}");

    assert_true(a.ok && b.ok);
    assert_memory_equal(&a.out.result.digest, &b.out.result.digest, sizeof a.out.result.digest);
    return a;
}

/* ---- a test ---- */

static struct runs r;

static inline int make(void **state)
{
    (void)state;
    runs_make(&r);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    runs_free(&r);
    return 0;
}

/* Below the working directory. */
static inline void make_dir(const char *name)
{
    assert_int_equal(mkdir(arena_printf(&r.a, "%s/%s", r.dir, name), 0755), 0);
}
