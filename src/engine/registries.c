/* SPDX-License-Identifier: Apache-2.0 */
/* registries.c: finds and reads registries, and keeps those that were read. */
#include "engine/registries.h"

#include <string.h>

#include "engine/home.h"
#include "engine/input.h"

static const char registry_path[] = ".writ/tools.yaml";

struct registry_kept {
    const char *from;
    const struct registry_doc *registry;
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

static bool read_above(const char *from, struct arena *a, const struct registry_doc **out,
                       struct report *r)
{
    struct writ_input input = { .name = home_above(from, registry_path, a) };
    const struct document *document;
    struct registry_doc *registry;

    *out = NULL;
    if (!input.name)
        return true;
    if (!input_read(&input, a, &document, r))
        return false;
    registry = arena_new(a, struct registry_doc);
    *out = registry;
    return shape_decode(&registry_shape, &document->root, r, registry);
}

static bool read_once(struct registries *all, const char *from, const struct registry_doc **out,
                      struct report *r)
{
    struct registry_kept *kept = all->first;

    while (kept && strcmp(kept->from, from) != 0)
        kept = kept->next;
    if (!kept) {
        const struct registry_doc *registry;

        if (!read_above(from, &all->a, &registry, r))
            return false;
        kept = arena_new(&all->a, struct registry_kept);
        *kept = (struct registry_kept){ arena_text(&all->a, str_of(from)), registry, all->first };
        all->first = kept;
    }
    *out = kept->registry;
    return true;
}

bool registry_above(struct registries *all, const char *from, struct arena *a,
                    const struct registry_doc **out, struct report *r)
{
    bool ok;

    if (!all)
        return read_above(from, a, out, r);
    (void)pthread_mutex_lock(&all->lock);
    ok = read_once(all, from, out, r);
    (void)pthread_mutex_unlock(&all->lock);
    return ok;
}
