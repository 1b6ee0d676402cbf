/* SPDX-License-Identifier: Apache-2.0 */
/* sdk_go.c: functions in Go: a main package is put beside theirs, in a copy of their module.
 *
 * There it may use what is internal to the module, and what the module vendored. Nothing is
 * fetched. The compiler's own cache is thrown away with the run: a build is kept as a whole.
 * -trimpath is left out: with it the standard library that comes compiled is compiled again.
 */
#include "adapter/sdk_parts.h"

#include "contract/codes.h"

extern const char sdk_go_text[];

#define OURS "writ_call_main"

static bool is_word(const char *text, const char *others)
{
    for (const char *at = text; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') &&
            !(*at >= '0' && *at <= '9' && at > text) && !is_one_of(*at, others))
            return false;
    return text[0] != '\0';
}

/* What becomes part of a program must be a name, and nothing else. */
static bool names_fit(const struct sdk_function *f, struct arena *a, struct error *e)
{
    if (!is_word(f->module, "._-~/"))
        return error_set(e, CODE_VALIDATION_ERROR, "import_path %s is no import path of Go",
                         said(str_of(f->module), a));
    if (!is_word(f->name, "_") || f->name[0] < 'A' || f->name[0] > 'Z')
        return error_set(e, CODE_VALIDATION_ERROR, "%s is no exported function of Go",
                         said(str_of(f->name), a));
    return true;
}

static void add_ours(const struct sdk_function *f, struct sdk_sources *to, struct arena *a)
{
    if (!sdk_source(to, "go.mod"))
        sdk_add_source(
            to, "go.mod",
            arena_printf(a, "module %s\n\ngo 1.16\n", f->base ? f->module : "writ.local/call"), a);
    sdk_add_source(to, OURS "/call.go", sdk_go_text, a);
    sdk_add_source(to, OURS "/main.go",
                   arena_printf(a,
                                "package main\n\nimport target \"%s\"\n\nfunc main() { "
                                "serve(target.%s) }\n",
                                f->module, f->name),
                   a);
}

bool sdk_bind_go(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                 struct error *e)
{
    static const char *const words[] = { "build",   "-buildvcs=false", "-o",
                                         "program", "./" OURS,         NULL };
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
