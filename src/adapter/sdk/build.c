/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: what has to be built before it can be called, and where it is kept. */
#include "adapter/sdk/parts.h"
#include "adapter/sdk_bind.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/uuid.h"
#include "contract/codes.h"

/* A first build may have a whole standard library to compile. */
enum { BUILD_MS = 600000, BUILD_MB = 2048, BUILD_CHILDREN = 100 };

/* A directory that was begun longer ago than any build takes was left by one that was killed. */
enum { LEFT_MS = 6 * BUILD_MS };

static const char usual_places[] = "/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin";

/* ---- tools ---- */

const char *sdk_tool(const struct sdk_ask *ask, const char *name, struct arena *a)
{
    const char *at = ask->path && ask->path[0] ? ask->path : usual_places;

    while (*at) {
        size_t n = strcspn(at, ":");
        const char *path = arena_printf(a, "%.*s/%s", (int)n, at, name);
        _free_ char *real = at[0] == '/' && access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;

        if (real)
            return arena_text(a, str_of(real));
        at += n + (at[n] == ':');
    }
    return NULL;
}

const char *sdk_root(const char *tool, const char *has, struct arena *a)
{
    char *root = arena_text(a, str_of(tool));

    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(root, '/');

        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return access(arena_printf(a, "%s/%s", root, has), F_OK) == 0 ? root : NULL;
}

/* ---- functions ---- */

static bool is_there(const struct str *v, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(v[i], name))
            return true;
    return false;
}

struct items sdk_functions(const struct sdk_function *f, struct arena *a)
{
    const struct pair *mapping = f->sdk->function_mapping.v;
    size_t count = f->sdk->function_mapping.n;
    struct str *v = arena_alloc(a, count * sizeof *v);
    struct items list = { .v = v };

    for (size_t i = 0; i < count; i++)
        if (!is_there(v, list.n, mapping[i].text))
            v[list.n++] = mapping[i].text;
    return list;
}

/* ---- what it is kept by ---- */

static void add(struct sha256 *sum, struct str text)
{
    uint64_t n = text.n;

    sha256_add(sum, &n, sizeof n);
    sha256_add(sum, text.s, text.n);
}

static void add_texts(struct sha256 *sum, const char *const *texts)
{
    for (; *texts; texts++)
        add(sum, str_of(*texts));
    add(sum, str_of(""));
}

/* A tool that was replaced has another file, or another time. */
static void add_tool(struct sha256 *sum, const char *path)
{
    struct stat s = { 0 };
    int64_t numbers[4];

    (void)stat(path, &s);
    numbers[0] = (int64_t)s.st_ino;
    numbers[1] = s.st_size;
    numbers[2] = s.st_mtim.tv_sec;
    numbers[3] = s.st_mtim.tv_nsec;
    add(sum, str_of(path));
    sha256_add(sum, numbers, sizeof numbers);
}

static const char *directory_of(const struct sdk_function *f, const struct sdk_plan *plan,
                                const struct sdk_sources *sources, struct arena *a)
{
    char text[DIGEST_TEXT];
    struct digest digest;
    struct sha256 sum;

    sha256_begin(&sum);
    add_tool(&sum, plan->tool);
    add_texts(&sum, plan->words);
    add_texts(&sum, plan->variables);
    for (size_t i = 0; i < sources->n; i++) {
        add(&sum, sources->v[i].key);
        add(&sum, sources->v[i].text);
    }
    digest = sha256_end(&sum);
    digest_text(&digest, text);
    return arena_printf(a, "%s/%s", f->ask->cache, text + sizeof "sha256:" - 1);
}

void sdk_bind_built(const struct sdk_function *f, const struct sdk_plan *plan,
                    const struct sdk_sources *sources, struct arena *a, struct sdk_call *out)
{
    struct sdk_build *build = arena_new(a, struct sdk_build);
    const char *read[] = { plan->root, NULL }, *needed[] = { NULL, NULL };
    const char *const which[] = { f->name, NULL };

    *build = (struct sdk_build){ .directory = directory_of(f, plan, sources, a),
                                 .files = sources->v,
                                 .file_count = sources->n,
                                 .call = { .command = str_of(plan->tool),
                                           .arguments = sdk_words(a, plan->words),
                                           .environment = sdk_variables(a, plan->variables) },
                                 .read = sdk_words(a, read),
                                 .timeout_ms = BUILD_MS,
                                 .memory_mb = BUILD_MB,
                                 .max_children = BUILD_CHILDREN };
    build->product = arena_printf(a, "%s/%s", build->directory, plan->product);
    needed[0] = build->directory;
    out->call.command = str_of(build->product);
    out->call.arguments = sdk_words(a, which);
    out->read = sdk_words(a, needed);
    out->build = build;
}

/* ---- its directory ---- */

static bool write_source(const struct sdk_build *build, const struct pair *file, struct arena *a,
                         struct error *e)
{
    char *path = arena_printf(a, "%s/%.*s", build->directory, STR_ARG(file->key));
    char *slash = strrchr(path, '/');

    *slash = '\0';
    if (!fs_make_dirs(path, e))
        return false;
    *slash = '/';
    return fs_write(path, file->text, e) || error_wrap(e, "'%s'", path);
}

bool sdk_lay_out(const struct sdk_build *build, struct error *e)
{
    _arena_ struct arena a = { 0 };

    if (access(build->directory, F_OK) == 0 && !fs_remove(build->directory, e))
        return error_wrap(e, "'%s'", build->directory);
    if (!fs_make_dirs(build->directory, e))
        return false;
    for (size_t i = 0; i < build->file_count; i++)
        if (!write_source(build, &build->files[i], &a, e))
            return false;
    return true;
}

struct sdk_build sdk_beside(const struct sdk_build *build, const char *id, struct arena *a)
{
    struct sdk_build beside = *build;

    beside.directory = arena_printf(a, "%s.%s", build->directory, id);
    beside.product =
        arena_printf(a, "%s%s", beside.directory, build->product + strlen(build->directory));
    return beside;
}

/* Is this the name of a directory beside the build's, as sdk_beside() gives it? */
static bool is_beside(const char *name, const char *build)
{
    size_t n = strlen(build);

    return strncmp(name, build, n) == 0 && name[n] == '.' && strlen(name) == n + UUID_TEXT;
}

void sdk_sweep(const struct sdk_build *build, int64_t now_ms)
{
    _arena_ struct arena a = { 0 };
    const char *slash = strrchr(build->directory, '/');
    const char *cache =
        arena_text(&a, (struct str){ build->directory, (size_t)(slash - build->directory) });
    DIR *in = opendir(cache);

    for (const struct dirent *d = in ? readdir(in) : NULL; d; d = readdir(in)) {
        const char *path = arena_printf(&a, "%s/%s", cache, d->d_name);
        struct error left;
        struct stat s;

        if (is_beside(d->d_name, slash + 1) && lstat(path, &s) == 0 &&
            now_ms - (int64_t)s.st_mtim.tv_sec * 1000 > LEFT_MS)
            (void)!fs_remove(path, &left);
    }
    if (in)
        (void)closedir(in);
}

/* One without a product is what nobody finished: the two change places, so that there is always
 * one. */
bool sdk_settle(const struct sdk_build *beside, const struct sdk_build *build, struct error *e)
{
    struct error left;

    if (rename(beside->directory, build->directory) == 0)
        return true;
    if (errno != EEXIST && errno != ENOTEMPTY)
        return error_sys(e, CODE_IO, "'%s' cannot be made", build->directory);
    if (access(build->product, X_OK) != 0 &&
        renameat2(AT_FDCWD, beside->directory, AT_FDCWD, build->directory, RENAME_EXCHANGE) != 0)
        return error_sys(e, CODE_IO, "'%s' cannot be made", build->directory);
    (void)!fs_remove(beside->directory, &left);
    return true;
}
