/* SPDX-License-Identifier: Apache-2.0 */
/* function.c: finds the function an operation means, and where its package is. */
#include "adapter/sdk/parts.h"
#include "adapter/sdk_bind.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/json_write.h"
#include "contract/codes.h"

enum { INPUT_MAX = 16 << 20 };

static bool (*const binders[])(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                               struct error *e) = {
    [SDK_PYTHON] = sdk_bind_script,
    [SDK_NODE] = sdk_bind_script,
    [SDK_GO] = sdk_bind_go,
    [SDK_RUST] = sdk_bind_rust,
};

/* ---- lists ---- */

struct items sdk_words(struct arena *a, const char *const *words)
{
    struct items list = { 0 };
    struct str *v;

    while (words[list.n])
        list.n++;
    v = list.v = arena_alloc(a, list.n * sizeof *v);
    for (size_t i = 0; i < list.n; i++)
        v[i] = str_of(words[i]);
    return list;
}

struct items sdk_variables(struct arena *a, const char *const *words)
{
    struct items list = { 0 };
    struct pair *v;

    while (words[2 * list.n])
        list.n++;
    v = list.v = arena_alloc(a, list.n * sizeof *v);
    for (size_t i = 0; i < list.n; i++)
        v[i] = (struct pair){ str_of(words[2 * i]), str_of(words[2 * i + 1]) };
    return list;
}

/* ---- the function ---- */

static bool find_function(struct sdk_function *f, struct arena *a, struct error *e)
{
    const struct pair *v = f->sdk->function_mapping.v;

    for (size_t i = 0; i < f->sdk->function_mapping.n; i++) {
        if (!str_eq(v[i].key, f->ask->operation))
            continue;
        f->name = arena_text(a, v[i].text);
        f->module = arena_text(a, f->sdk->import_path);
        return true;
    }
    return error_set(e, CODE_OPERATION_UNKNOWN, "%s has no operation %s",
                     said(f->ask->adapter->doc.name, a), said(f->ask->operation, a));
}

/* ---- the package ---- */

/* Names of packages have slashes in them, but Python's. */
static bool is_path(const struct sdk_interface *sdk)
{
    struct str package = sdk->package;

    return str_begins(package, "/") || str_begins(package, "./") || str_begins(package, "../") ||
           str_is(package, ".") || str_is(package, "..") ||
           (sdk->language == SDK_PYTHON && memchr(package.s, '/', package.n));
}

static bool take_place(struct sdk_function *f, char *path, struct error *e)
{
    struct stat s;
    char *slash = strrchr(path, '/');

    if (stat(path, &s) != 0)
        return error_sys(e, CODE_IO, "package '%s' cannot be looked at", path);
    if (S_ISREG(s.st_mode) && slash > path) {
        *slash = '\0';
        f->file = slash + 1;
    } else if (!S_ISDIR(s.st_mode)) {
        return error_set(e, CODE_IO, "package '%s' is neither a directory nor a file in one", path);
    }
    f->base = path;
    return true;
}

bool sdk_is_near(const struct adapter *adapter, const char *path)
{
    _free_ char *real = NULL, *project = NULL;
    size_t n;

    if (adapter->origin != ORIGIN_PROJECT)
        return true;
    real = realpath(path, NULL);
    project = adapter->directory ? realpath(adapter->directory, NULL) : NULL;
    n = project ? strlen(project) : 0;
    return real && project && strncmp(real, project, n) == 0 && (real[n] == '/' || !real[n]);
}

static bool find_package(struct sdk_function *f, struct arena *a, struct error *e)
{
    struct str package = f->sdk->package;
    const char *directory = f->ask->adapter->directory, *path;
    _free_ char *real = NULL;

    if (!is_path(f->sdk))
        return true;
    if (package.s[0] != '/' && !directory)
        return error_set(e, CODE_IO, "package %s is beside the adapter, which has no directory",
                         said(package, a));
    path = package.s[0] == '/' ? arena_text(a, package)
                               : arena_printf(a, "%s/%.*s", directory, STR_ARG(package));
    real = realpath(path, NULL);
    if (!real)
        return error_sys(e, CODE_IO, "package %s cannot be found", said(package, a));
    if (!sdk_is_near(f->ask->adapter, real))
        return error_set(e, CODE_PATH_REFUSED,
                         "the package %s is %s, which lies outside of the project; only an adapter "
                         "of your own, below ~/.config/writ/adapters, may name it",
                         said(package, a), real);
    return take_place(f, arena_text(a, str_of(real)), e);
}

/* ---- the parameters ---- */

static bool write_input(struct sdk_function *f, struct arena *a, struct error *e)
{
    const struct doc *params = f->ask->params;
    _buf_ struct buf text = { .max = INPUT_MAX };

    if (params && params->kind != DOC_MAP)
        return error_set(e, CODE_PARAMETER_REFUSED, "the parameters must be a map");
    if (params)
        json_canon(params, a, &text);
    else
        buf_adds(&text, "{}");
    if (!buf_ok(&text))
        return error_set(e, CODE_PARAMETER_REFUSED, "the parameters have more than %d bytes",
                         INPUT_MAX);
    f->input = (struct str){ arena_text(a, buf_str(&text)), text.len };
    return true;
}

bool sdk_bind(const struct sdk_ask *ask, struct arena *a, struct sdk_call *out, struct error *e)
{
    struct sdk_function f = { .ask = ask, .sdk = ask->adapter->doc.interface->sdk };
    struct sdk_call call = { 0 };

    if (!find_function(&f, a, e) || !find_package(&f, a, e) || !write_input(&f, a, e) ||
        !binders[f.sdk->language](&f, a, &call, e))
        return false;
    call.call.input = f.input;
    *out = call;
    return true;
}
