/* SPDX-License-Identifier: Apache-2.0 */
/* go.c: functions in Go: a main package is put beside theirs, in a copy of their module.
 *
 * There it may use what is internal to the module, and what the module vendored. Nothing is
 * fetched. The compiler's own cache is thrown away with the run: a build is kept as a whole.
 * -trimpath is left out: with it the standard library that comes compiled is compiled again.
 */
#include "adapter/sdk/parts.h"

#include "contract/codes.h"

extern const char sdk_go_text[];

#define OURS "writ_call_main"

static bool is_word(struct str text, const char *others)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            !(c >= '0' && c <= '9' && i > 0) && !is_one_of(c, others))
            return false;
    }
    return text.n > 0;
}

/* What becomes part of a program must be a name, and nothing else. */
static bool names_fit(const struct sdk_function *f, struct arena *a, struct error *e)
{
    struct items functions = sdk_functions(f, a);
    const struct str *v = functions.v;

    if (!is_word(str_of(f->module), "._-~/"))
        return error_set(e, CODE_VALIDATION_ERROR, "import_path %s is no import path of Go",
                         said(str_of(f->module), a));
    for (size_t i = 0; i < functions.n; i++)
        if (!is_word(v[i], "_") || v[i].s[0] < 'A' || v[i].s[0] > 'Z')
            return error_set(e, CODE_VALIDATION_ERROR, "%s is no exported function of Go",
                             said(v[i], a));
    return true;
}

static const char *main_text(const struct sdk_function *f, struct arena *a)
{
    struct items functions = sdk_functions(f, a);
    const struct str *v = functions.v;
    _buf_ struct buf text = { .max = 1 << 20 };

    buf_addf(&text, "package main\n\nimport target \"%s\"\n\nfunc main() {\n", f->module);
    buf_adds(&text, "\tserve(map[string]interface{}{\n");
    for (size_t i = 0; i < functions.n; i++)
        buf_addf(&text, "\t\t\"%.*s\": target.%.*s,\n", STR_ARG(v[i]), STR_ARG(v[i]));
    buf_adds(&text, "\t})\n}\n");
    return arena_text(a, buf_str(&text));
}

static void add_ours(const struct sdk_function *f, struct sdk_sources *to, struct arena *a)
{
    const char *module = f->base ? f->module : "writ.local/call";

    if (!sdk_source(to, "go.mod"))
        sdk_add_source(to, "go.mod", arena_printf(a, "module %s\n\ngo 1.16\n", module), a);
    sdk_add_source(to, OURS "/call.go", sdk_go_text, a);
    sdk_add_source(to, OURS "/main.go", main_text(f, a), a);
}

bool sdk_bind_go(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                 struct error *e)
{
    static const char *const words[] = { "build",   "-buildvcs=false",  "-o",
                                         "program", "./writ_call_main", NULL };
    static const char *const variables[] = {
        "CGO_ENABLED", "0",           "GOCACHE", "/tmp/go-cache", "GOPATH", "/tmp/go", "GOPROXY",
        "off",         "GOTELEMETRY", "off",     "GOTOOLCHAIN",   "local",  NULL,
    };
    struct sdk_plan plan = { .product = "program", .words = words, .variables = variables };
    struct sdk_sources sources = { 0 };

    if (!names_fit(f, a, e) || (f->base && !sdk_read_sources(f, a, &sources, e)) ||
        !sdk_has_room(&sources, OURS, e))
        return false;
    plan.tool = sdk_tool(f->ask, "go", a);
    if (!plan.tool)
        return error_set(e, CODE_PEER_UNAVAILABLE, "go is not installed, or not in PATH");
    plan.root = sdk_root(plan.tool, "src/runtime", a);
    add_ours(f, &sources, a);
    sdk_bind_built(f, &plan, &sources, a, out);
    return true;
}
