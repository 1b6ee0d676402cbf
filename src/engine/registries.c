/* SPDX-License-Identifier: Apache-2.0 */
/* registries.c: finds and reads registries, and keeps those that were read. */
#include "engine/registries.h"

#include <string.h>

#include "contract/inputs.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/written.h"

static const char registry_path[] = ".writ/tools.yaml";

struct registry_kept {
    const char *from;
    const struct registry_doc *registry;
    bool right;
    struct report report; /* it is not */
    struct registry_kept *next;
};

void registries_open(struct registries *all)
{
    *all = (struct registries){ 0 };
    (void)pthread_mutex_init(&all->lock, NULL);
}

void registries_close(struct registries *all)
{
    arena_free(&all->a);
    (void)pthread_mutex_destroy(&all->lock);
}

/* The directory that has .writ. */
static const char *project_of(const char *file, struct arena *a)
{
    size_t n = strlen(file) - strlen(registry_path);

    return n > 1 ? arena_text(a, (struct str){ file, n - 1 }) : "/";
}

/* What is listed by a path from the top of the project is that file, wherever somebody asks. */
static void find_commands(const struct registry_doc *registry, const char *top, struct arena *a)
{
    struct tool_doc *tools = registry->tools.v;

    for (size_t i = 0; i < registry->tools.n; i++) {
        struct tool_scope *scope = arena_new(a, struct tool_scope);
        const struct str *listed = tools[i].scope->commands.v;
        struct str *commands = arena_alloc(a, tools[i].scope->commands.n * sizeof *commands);

        *scope = *tools[i].scope;
        for (size_t k = 0; k < scope->commands.n; k++)
            commands[k] = inputs_of_project(listed[k], top, a);
        scope->commands.v = commands;
        tools[i].scope = scope;
    }
}

static bool read_above(const char *from, const char *const *environment, struct arena *a,
                       const struct registry_doc **out, struct report *r)
{
    const char *file = home_above(from, registry_path, a);
    const struct document *document;
    struct registry_doc *registry;
    struct error e;

    *out = NULL;
    if (!file)
        return true;
    if (!input_read_file(file, a, &document, r))
        return false;
    if (!written_trusts(environment, file, a, &e)) {
        report_error(r, &e);
        return false;
    }
    registry = arena_new(a, struct registry_doc);
    *out = registry;
    if (!shape_decode(&registry_shape, &document->root, r, registry))
        return false;
    find_commands(registry, project_of(file, a), a);
    registry->file = file;
    return true;
}

/* One that is wrong is not read again either. */
static bool read_once(struct registries *all, const char *from, const char *const *environment,
                      struct arena *a, const struct registry_doc **out, struct report *r)
{
    struct registry_kept *kept = all->first;

    while (kept && strcmp(kept->from, from) != 0)
        kept = kept->next;
    if (!kept) {
        kept = arena_new(&all->a, struct registry_kept);
        kept->from = arena_text(&all->a, str_of(from));
        kept->right = read_above(from, environment, &all->a, &kept->registry, &kept->report);
        if (!kept->right)
            report_finish(&kept->report);
        kept->next = all->first;
        all->first = kept;
    }
    *out = kept->registry;
    if (!kept->right)
        *r = report_copy(&kept->report, a);
    return kept->right;
}

bool registry_above(struct registries *all, const char *from, const char *const *environment,
                    struct arena *a, const struct registry_doc **out, struct report *r)
{
    bool ok;

    if (!all)
        return read_above(from, environment, a, out, r);
    (void)pthread_mutex_lock(&all->lock);
    ok = read_once(all, from, environment, a, out, r);
    (void)pthread_mutex_unlock(&all->lock);
    return ok;
}
