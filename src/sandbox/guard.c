/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: holds a protected name, the links that it leads through, and what they end at. */
#include "sandbox/guard.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/way.h"

/* Names in a directory of hooks, and entries that are made of them. */
enum { HOOKS_MAX = 256, MADE_MAX = 1024 };

bool guard_is_missing(void)
{
    return errno == ENOENT || errno == ENOTDIR;
}

/* The first that nobody can pass over is kept. */
void guard_note(struct guard *w, const struct error *e)
{
    if (w->failed || grant_is_missing(e))
        return;
    *w->e = *e;
    w->failed = true;
}

static void hold_link(struct guard *w, const struct way_link *link)
{
    grants_add(w->g, &(struct grant){ .path = link->path,
                                      .access = ACCESS_PROTECTED,
                                      .why = GRANT_PROTECTED,
                                      .is_link = true,
                                      .dev = link->dev,
                                      .ino = link->ino });
}

void guard_link(struct guard *w, const char *path, const struct stat *s)
{
    w->walked++;
    hold_link(w, &(struct way_link){ .path = path, .dev = s->st_dev, .ino = s->st_ino });
}

/* Whoever puts another link in the place of one, or a link in the place of a directory that `..`
 * leads out of, leads the name elsewhere. */
static void hold_way(struct guard *w, const struct way *way)
{
    struct error e;

    w->walked += way->n + way->left_count;
    for (size_t i = 0; i < way->n; i++)
        hold_link(w, &way->v[i]);
    for (size_t i = 0; i < way->left_count; i++)
        if (!grants_pin_way(w->g, arena_printf(w->g->a, "%s/.", way->left[i]), true, &e))
            guard_note(w, &e);
}

const char *guard_lead(struct guard *w, const char *path)
{
    struct way way = { 0 };
    struct error e;

    if (!way_find("/", path, w->g->a, &way, &e)) {
        guard_note(w, &e);
        return NULL;
    }
    hold_way(w, &way);
    if (way.hidden)
        guard_whole(w, way.hidden);
    else if (way.cut)
        absents_add(w->absent, (struct absent){ .path = way.end });
    else
        return way.end;
    return NULL;
}

/* What a link leads to. True: it is there. */
static bool protect_end(struct guard *w, const char *path)
{
    struct grant grant = { .access = ACCESS_PROTECTED, .why = GRANT_PROTECTED };
    struct error e;

    if (grants_open(w->g, grant, "/", path, &e))
        return true;
    if (e.sys == ENOENT || e.sys == ENOTDIR)
        absents_add(w->absent, (struct absent){ .path = path });
    else
        guard_note(w, &e);
    return false;
}

/* A name whose directory is real, and which is no link. */
static void protect_real(struct guard *w, const char *path, const struct stat *s)
{
    grants_add(w->g, &(struct grant){ .path = path,
                                      .access = ACCESS_PROTECTED,
                                      .why = GRANT_PROTECTED,
                                      .is_dir = S_ISDIR(s->st_mode),
                                      .dev = s->st_dev,
                                      .ino = s->st_ino,
                                      .owner = s->st_uid,
                                      .group = s->st_gid,
                                      .links = w->made_up ? 1 : s->st_nlink });
}

/* A name without directories; what that is, in the end. NULL: it is not there. */
static const char *protect_plain(struct guard *w, const char *dir, const char *name)
{
    const char *path = arena_printf(w->g->a, "%s/%s", dir, name), *end;
    struct stat s;

    if (lstat(path, &s) != 0) {
        if (guard_is_missing())
            absents_add(w->absent, (struct absent){ .path = path });
        else
            guard_whole(w, dir);
        return NULL;
    }
    if (S_ISLNK(s.st_mode)) {
        end = guard_lead(w, path);
        return end && protect_end(w, end) ? end : NULL;
    }
    protect_real(w, path, &s);
    return path;
}

/* What is not there is looked for, and removed, without following a link: its directory has to be
 * real. NULL: nothing is left to be done. */
static const char *around(struct guard *w, const char *dir)
{
    struct stat s = { 0 };

    if (w->around.asked && strcmp(w->around.asked, dir) == 0)
        return w->around.real;
    w->around.asked = dir;
    w->around.missing = lstat(dir, &s) != 0 && guard_is_missing();
    w->around.real = S_ISLNK(s.st_mode) ? guard_lead(w, dir) : dir;
    return w->around.real;
}

static const char *protect_name(struct guard *w, const char *dir, const char *name)
{
    const char *slash = strrchr(name, '/');

    if (slash) {
        dir = around(w, arena_printf(w->g->a, "%s/%.*s", dir, (int)(slash - name), name));
        name = slash + 1;
    }
    if (!dir)
        return NULL;
    if (!slash || !w->around.missing)
        return protect_plain(w, dir, name);
    absents_add(w->absent, (struct absent){ .path = arena_printf(w->g->a, "%s/%s", dir, name) });
    return NULL;
}

void guard_name(struct guard *w, const char *dir, const char *name)
{
    (void)protect_name(w, dir, name);
}

/* ---- hooks ---- */

/* One that holds its own directory, by a link, is no program. */
static void protect_hook(struct guard *w, const char *dir, const char *name)
{
    const char *path = arena_printf(w->g->a, "%s/%s", dir, name), *end;
    struct stat s;

    if (lstat(path, &s) != 0)
        return;
    if (S_ISLNK(s.st_mode)) {
        end = guard_lead(w, path);
        if (end && !path_is_in(dir, end))
            (void)protect_end(w, end);
    } else if (S_ISREG(s.st_mode) && s.st_nlink > 1) {
        protect_real(w, path, &s);
    }
}

/* git makes them, and nobody runs them. */
static bool is_sample(const char *name)
{
    static const char ending[] = ".sample";
    size_t n = strlen(name);

    return n > strlen(ending) && strcmp(name + n - strlen(ending), ending) == 0;
}

void guard_hooks(struct guard *w, const char *dir, const char *name)
{
    const char *real = protect_name(w, dir, name);
    DIR *in = real ? opendir(real) : NULL;
    const struct dirent *d = NULL;
    struct error e;
    size_t n = 0, before = w->g->n;

    if (real && !in) {
        error_sys(&e, CODE_PATH_REFUSED, "%s cannot be read", real);
        guard_note(w, &e);
    }
    while (in && (d = fs_next(in)) != NULL && n++ < HOOKS_MAX && w->g->n - before < MADE_MAX)
        if (d->d_type != DT_DIR && !is_sample(d->d_name))
            protect_hook(w, real, d->d_name);
    if (in && (d || errno != 0) && !w->failed)
        w->failed = !error_set(
            w->e, CODE_PATH_REFUSED,
            "%s cannot be looked through: it has more than %d names or too many links, or "
            "cannot be read; remove what is no hook, or have it lead elsewhere",
            real, HOOKS_MAX);
    if (in)
        (void)closedir(in);
}

void guard_whole(struct guard *w, const char *dir)
{
    const char *slash = strrchr(dir, '/');

    (void)protect_plain(w, arena_text(w->g->a, (struct str){ dir, (size_t)(slash - dir) }),
                        slash + 1);
}
