/* SPDX-License-Identifier: Apache-2.0 */
/* mirrors.c: finds by the list of mounts where else a path is seen. */
#include "sandbox/mirrors.h"

#include <string.h>

#include "contract/codes.h"
#include "sandbox/system.h"

/* What is left of a path below one that it lies in: "" or "/name". */
static const char *below(const char *path, const char *dir)
{
    return strcmp(dir, "/") == 0 ? path : path + strlen(dir);
}

static const char *joined(const char *dir, const char *rest, struct arena *a)
{
    return !*rest || strcmp(rest, "/") == 0 ? dir
           : strcmp(dir, "/") == 0          ? rest
                                            : arena_printf(a, "%s%s", dir, rest);
}

/* The mount that shows a path: the deepest one around it, and of two at one place the later. */
static const struct disk *disk_of(const struct submounts *all, const char *path)
{
    const struct disk *found = NULL;

    for (size_t i = 0; i < all->disk_count; i++)
        if (path_is_in(path, all->disks[i].point) &&
            (!found || strlen(all->disks[i].point) >= strlen(found->point)))
            found = &all->disks[i];
    return found;
}

/* Where `d` shows what its file system calls `inside`, or a part of that; NULL: nowhere. */
static const char *seen_at(const struct disk *d, const char *inside, struct arena *a)
{
    if (path_is_in(inside, d->root))
        return joined(d->point, below(inside, d->root), a);
    return path_is_in(d->root, inside) ? d->point : NULL;
}

struct mirrors mirrors_of(const struct submounts *all, const char *path, struct arena *a)
{
    const struct disk *own = disk_of(all, path);
    struct mirrors found = { 0 };
    const char *inside = NULL;

    for (size_t i = 0; own && i < all->disk_count; i++) {
        const struct disk *d = &all->disks[i];
        const char *other;

        if (d == own || strcmp(d->device, own->device) != 0)
            continue;
        inside = inside ? inside : joined(own->root, below(path, own->point), a);
        other = seen_at(d, inside, a);
        if (!other || strcmp(other, path) == 0 || disk_of(all, other) != d)
            continue; /* it shows another part, or is covered itself */
        found.v = arena_more(a, found.v, found.n, &found.room, sizeof *found.v);
        found.v[found.n++] = other;
    }
    return found;
}

struct mirrors mirrors_inside(const struct submounts *all, const char *dir, struct arena *a)
{
    struct mirrors found = { 0 };

    for (size_t i = 0; i < all->disk_count; i++) {
        const char *point = all->disks[i].point;
        struct mirrors others = { 0 };

        if (strcmp(point, dir) != 0 && path_is_in(point, dir) &&
            disk_of(all, point) == &all->disks[i])
            others = mirrors_of(all, point, a);
        for (size_t k = 0; k < others.n; k++) {
            if (path_is_in(others.v[k], dir))
                continue;
            found.v = arena_more(a, found.v, found.n, &found.room, sizeof *found.v);
            found.v[found.n++] = others.v[k];
        }
    }
    return found;
}

static bool is_needed_to_start(const struct grants *g, const char *path)
{
    if (system_has(path))
        return true;
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].why == GRANT_SYSTEM && path_is_in(path, g->v[i].path))
            return true;
    return false;
}

/* Is there something at the path that must be held there? It is shown, or a part of it is, by an
 * entry below. What was asked for by name and is denied is refused: nobody sees by the name why it
 * would not be there. */
static bool has_part(const struct grants *g, const struct grant *held, const char *path, bool *part,
                     struct error *e)
{
    bool denied = held->access == ACCESS_DENIED;

    *part = grants_show(g, path);
    for (size_t i = 0; i < g->n; i++) {
        const struct grant *in = &g->v[i];

        if (in->access > ACCESS_WRITE || !path_is_in(in->path, path))
            continue;
        if (denied && in->why == GRANT_ASKED)
            return error_set(e, CODE_PATH_REFUSED, "%s cannot be granted: it is denied", in->path);
        *part |= denied || in->access == ACCESS_WRITE;
    }
    return true;
}

static bool hold_again(struct grants *g, const struct grant *held, const char *path,
                       struct error *e)
{
    struct grant again = { .access = held->access, .why = held->why };
    bool part;

    if (!has_part(g, held, path, &part, e))
        return false;
    if (!part)
        return true;
    if (held->is_link) { /* a name, which the other place has, too */
        again = *held;
        again.path = path;
        grants_add(g, &again);
        return true;
    }
    if (held->access == ACCESS_DENIED && held->why != GRANT_STATE)
        again.why = GRANT_DENIED_ELSEWHERE;
    return grants_open(g, again, "/", path, e) || grant_is_missing(e);
}

/* As well what is mounted in it, and so is no part of its own file system. But the root of another
 * system, as a directory for chroot, may have our /usr in it: that one is no secret. */
static bool hold_everywhere(const struct submounts *all, struct grants *g, struct grant held,
                            struct error *e)
{
    struct mirrors others = mirrors_of(all, held.path, g->a), inside = { 0 };

    for (size_t i = 0; i < others.n; i++)
        if (!hold_again(g, &held, others.v[i], e))
            return error_wrap(e, "%s is seen at %s, too", held.path, others.v[i]);
    if (held.is_dir)
        inside = mirrors_inside(all, held.path, g->a);
    for (size_t i = 0; i < inside.n; i++)
        if (!is_needed_to_start(g, inside.v[i]) && !hold_again(g, &held, inside.v[i], e))
            return error_wrap(e, "what is mounted in %s is seen at %s, too", held.path,
                              inside.v[i]);
    return true;
}

/* The entry by which a name could come into being; NULL: it could not. The list is not sorted yet.
 */
static const struct grant *written_by(const struct grants *g, const char *path)
{
    const struct grant *found = NULL;

    for (const struct grant *in = g->v; in < g->v + g->n; in++) {
        size_t n = strlen(in->path), most = found ? strlen(found->path) : 0;

        if (!path_is_in(path, in->path))
            continue;
        if (in->access >= ACCESS_PROTECTED)
            return NULL;
        if (!found || n > most || (n == most && in->access > found->access))
            found = in;
    }
    return found && found->access == ACCESS_WRITE ? found : NULL;
}

/* All of them are one name in one directory: of those in one entry the first is enough. A layer of
 * write mode cow has its own files for each entry. */
static void add_absent(const struct submounts *all, const struct grants *g, struct absent name,
                       struct absents *to)
{
    struct mirrors others = mirrors_of(all, name.path, g->a);
    bool *has = arena_alloc(g->a, (g->n + 1) * sizeof *has);

    for (size_t i = 0; i < others.n; i++) {
        const struct grant *decides = written_by(g, others.v[i]);

        if (!decides || has[decides - g->v])
            continue;
        has[decides - g->v] = true;
        name.path = others.v[i];
        absents_add(to, name);
    }
}

bool mirrors_hold(const struct submounts *all, struct grants *g, struct absents *absent,
                  struct error *e)
{
    for (size_t i = 0, n = g->n; i < n; i++) {
        struct grant held = g->v[i];

        if (held.access >= ACCESS_PROTECTED && held.why != GRANT_KERNEL &&
            !hold_everywhere(all, g, held, e))
            return false;
    }
    for (size_t i = 0, n = absent->n; i < n; i++) {
        add_absent(all, g, absent->v[i], absent);
    }
    return true;
}
