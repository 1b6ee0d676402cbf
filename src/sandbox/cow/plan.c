/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: lays out the layers before anything is made, and takes them when they are. */
#include "sandbox/cow_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "contract/codes.h"
#include "sandbox/kernel.h"
#include "sandbox/program.h"
#include "sandbox/trees.h"

/* ---- trees ---- */

/* The nearest mount around the one at `i`, or NULL; those around it come before it. */
static const struct jail_mount *around(const struct jail *jail, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (path_is_in(jail->mounts[i].from, jail->mounts[k].from))
            return &jail->mounts[k];
    return NULL;
}

static bool cover(struct jail *jail, struct jail_mount *m, const struct grant *grant,
                  struct error *e)
{
    if (!grant->is_dir)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:mount: %s is a single file, and in write mode cow only "
                         "directories can be written; grant the directory that it is in",
                         m->from);
    if (jail->cover_count == COW_MAX)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:mount: in write mode cow at most %d directories can be "
                         "written; grant one that holds several",
                         COW_MAX);
    m->covered = true;
    jail->covers[jail->cover_count++] = (struct jail_cover){
        .over = m, .ours = grant->owner == jail->uid, .upper = -1, .merged = -1
    };
    return true;
}

static bool cover_all(const struct grants *grants, struct jail *jail, struct error *e)
{
    for (size_t i = 0; i < jail->mount_count; i++) {
        struct jail_mount *m = &jail->mounts[i];
        const struct jail_mount *up = around(jail, i);

        if (m->kind != MOUNT_TREE || !m->writable)
            continue;
        m->inner = up && (up->covered || up->inner);
        if (!m->inner && !cover(jail, m, &grants->v[i], e))
            return false;
    }
    return true;
}

/* ---- names ---- */

static size_t cover_around(const struct jail *jail, const char *path)
{
    size_t found = 0;

    for (size_t i = 0; i < jail->cover_count; i++)
        if (path_is_in(path, jail->covers[i].over->from))
            found = i; /* the deepest comes last */
    return found;
}

/* The first name on the way to a path that is not there; 0: something in the way is no directory,
 * or all of it is there. */
static size_t first_missing(const char *path, size_t from)
{
    char name[4096];
    struct stat s;

    for (size_t n = from + 1; n < sizeof name; n++) {
        if (path[n] != '/' && path[n] != '\0')
            continue;
        memcpy(name, path, n);
        name[n] = '\0';
        if (lstat(name, &s) != 0)
            return errno == ENOENT ? n : 0;
        if (!S_ISDIR(s.st_mode) || path[n] == '\0')
            return 0;
    }
    return 0;
}

static size_t held_part(const struct grants *grants, const struct absent *absent)
{
    const struct grant *in = grants_decide(grants, absent->path);

    if (!absent->denied || !in || in->access != ACCESS_WRITE || !in->is_dir)
        return 0;
    return first_missing(absent->path, strlen(in->path));
}

static bool is_held(const struct jail *jail, const char *dir, const char *name)
{
    for (size_t i = 0; i < jail->barred_count; i++)
        if (strcmp(jail->barred[i].dir, dir) == 0 && strcmp(jail->barred[i].name, name) == 0)
            return true;
    return false;
}

static void hold(const struct grants *grants, const struct absent *absent, struct arena *a,
                 struct jail *jail)
{
    size_t n = held_part(grants, absent);
    char *path = arena_text(a, (struct str){ absent->path, n }), *slash = strrchr(path, '/');
    size_t cover = cover_around(jail, absent->path);
    struct jail_barred *h = &jail->barred[jail->barred_count];

    if (n == 0 || !slash)
        return;
    *h = (struct jail_barred){
        .name = slash + 1,
        .below = arena_text(a, str_of(path + strlen(jail->covers[cover].over->from) + 1)),
        .cover = cover,
    };
    *slash = '\0';
    h->dir = path + 1;
    if (!is_held(jail, h->dir, h->name))
        jail->barred_count++;
}

/* What is seen through a layer has the number of its file, and of no disk. */
static bool is_covered(const struct jail *jail, const char *path)
{
    for (size_t i = 0; path && i < jail->cover_count; i++)
        if (path_is_in(path, jail->covers[i].over->from))
            return true;
    return false;
}

bool cow_plan(const struct cow_ask *ask, struct arena *a, struct jail *jail, struct error *e)
{
    size_t n = ask->absent ? ask->absent->n : 0;

    if (!cover_all(ask->grants, jail, e))
        return false;
    if (is_covered(jail, ask->program->real))
        jail->dev = 0;
    jail->barred = arena_alloc(a, n * sizeof *jail->barred);
    for (size_t i = 0; i < n && jail->cover_count; i++)
        hold(ask->grants, &ask->absent->v[i], a, jail);
    return true;
}

/* ---- afterwards ---- */

/* Held from before the run until its layer was read: whoever puts another directory in its place
 * meanwhile does not have that taken for what the command saw. */
static int hold_tree(const struct jail_mount *m, struct error *e)
{
    int fd = kernel_openat2(AT_FDCWD, m->from, O_PATH | O_DIRECTORY | O_CLOEXEC,
                            RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
    struct stat s;

    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_dev == m->dev && s.st_ino == m->ino)
        return fd;
    if (fd >= 0 || trees_gone(errno))
        (void)trees_refuse(m->from, e);
    else
        (void)error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:mount: %s cannot be opened", m->from);
    own_close(&fd);
    return -1;
}

bool cow_expect(const struct jail *jail, struct arena *a, struct cow_layers *out, struct error *e)
{
    *out = (struct cow_layers){ 0 };
    for (size_t i = 0; i < jail->cover_count; i++) {
        const char **barred = arena_alloc(a, jail->barred_count * sizeof *barred);
        size_t n = 0;

        for (size_t k = 0; k < jail->barred_count; k++)
            if (jail->barred[k].cover == i)
                barred[n++] = jail->barred[k].below;
        out->v[i] = (struct cow_layer){ .root = jail->covers[i].over->from,
                                        .disk = hold_tree(jail->covers[i].over, e),
                                        .upper = -1,
                                        .merged = -1,
                                        .ours = jail->covers[i].ours,
                                        .barred = barred,
                                        .barred_count = n };
        out->n++;
        if (out->v[i].disk < 0) {
            cow_close(out);
            return false;
        }
    }
    return true;
}

void cow_take(const int *fds, size_t n, struct cow_layers *to)
{
    bool wanted = to && n == 2 * to->n && to->n && to->v[0].upper < 0;

    for (size_t i = 0; i < n; i++) {
        if (!wanted)
            (void)close(fds[i]);
        else if (i % 2 == 0)
            to->v[i / 2].upper = fds[i];
        else
            to->v[i / 2].merged = fds[i];
    }
}

bool cow_holds(const struct cow_layers *to, const char *path)
{
    const struct cow_layer *layer = cow_around(to, path);
    size_t n = layer ? strlen(layer->root) + 1 : 0;

    for (size_t i = 0; layer && strlen(path) > n && i < layer->barred_count; i++)
        if (path_is_in(path + n, layer->barred[i]))
            return true;
    return false;
}
