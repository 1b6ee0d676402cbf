/* SPDX-License-Identifier: Apache-2.0 */
/* way.c: follows a path by hand, and keeps each link that it met. */
#include "sandbox/way.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "contract/codes.h"

enum { LINKS_MAX = 40 }; /* as many as the kernel follows */

static bool is_dots(const char *name, size_t n)
{
    return n == 2 && memcmp(name, "..", 2) == 0;
}

/* The next name; 0: there is none. What stands for nothing, as `//` and `.`, is passed over. */
static size_t next_name(const char **rest)
{
    for (;;) {
        size_t n;

        *rest += strspn(*rest, "/");
        n = strcspn(*rest, "/");
        if (n != 1 || **rest != '.')
            return n;
        *rest += n;
    }
}

/* Takes the names of `path` off the front of `real`; NULL where they are others. */
static const char *behind(const char *real, const char *path)
{
    for (size_t n = next_name(&path); n > 0; n = next_name(&path)) {
        if (is_dots(path, n) || real[0] != '/' || strncmp(real + 1, path, n) != 0 ||
            (real[1 + n] != '/' && real[1 + n] != '\0'))
            return NULL;
        real += 1 + n;
        path += n;
    }
    return real;
}

bool way_is_straight(const char *base, const char *path, const char *real)
{
    const char *left = path[0] == '/' ? real : behind(real, base);

    if (left)
        left = behind(left, path);
    return left && (left[0] == '\0' || strcmp(real, "/") == 0);
}

/* Where we are: a path of which every name but the last is a directory; "" is the root. */
struct spot {
    char path[PATH_MAX];
    size_t n;
};

static bool go_down(struct spot *at, const char *name, size_t n)
{
    if (at->n + 1 + n >= sizeof at->path)
        return false;
    at->path[at->n] = '/';
    memcpy(at->path + at->n + 1, name, n);
    at->n += 1 + n;
    at->path[at->n] = '\0';
    return true;
}

static void go_up(struct spot *at)
{
    while (at->n > 0 && at->path[--at->n] != '/')
        ;
    at->path[at->n] = '\0';
}

static const char *spot_text(const struct spot *at, struct arena *a)
{
    return arena_text(a, (struct str){ at->path, at->n });
}

/* What a link says, with what followed it on the way. */
static const char *led_on(struct way *w, const char *link, const struct stat *s, const char *rest,
                          struct arena *a)
{
    char says[PATH_MAX];
    ssize_t n = readlink(link, says, sizeof says - 1);

    if (n < 0)
        return NULL;
    w->v = arena_more(a, w->v, w->n, &w->room, sizeof *w->v);
    w->v[w->n++] = (struct way_link){ link, rest + strspn(rest, "/"), s->st_dev, s->st_ino };
    return arena_printf(a, "%.*s/%s", (int)n, says, rest);
}

static void leave(struct way *w, const struct spot *at, struct arena *a)
{
    for (size_t i = 0; i < w->left_count; i++)
        if (strcmp(w->left[i], at->path) == 0)
            return;
    w->left = arena_more(a, w->left, w->left_count, &w->left_room, sizeof *w->left);
    w->left[w->left_count++] = spot_text(at, a);
}

/* At a name that is not there, with those that follow it; where one of them cannot be, nowhere. */
static void end_at(struct way *w, struct spot *at, const char *rest, struct arena *a)
{
    const char *missing = spot_text(at, a);

    for (size_t n = next_name(&rest); n > 0 && !w->cut; n = next_name(&rest)) {
        if (n > NAME_MAX)
            return;
        w->cut = is_dots(rest, n) || !go_down(at, rest, n);
        rest += n;
    }
    w->end = w->cut ? missing : spot_text(at, a);
}

/* The last name cannot be looked at; errno says why. False: nobody can know. */
static bool stop_at(struct way *w, struct spot *at, const char *rest, struct arena *a,
                    struct error *e)
{
    struct spot in = *at;

    w->there = false;
    if (errno == ENAMETOOLONG) /* nothing of that name can ever be there */
        return true;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
        return error_sys(e, CODE_PATH_REFUSED, "%s cannot be looked at", at->path);
    go_up(&in);
    if (errno == EACCES)
        w->hidden = in.n ? spot_text(&in, a) : "/";
    end_at(w, at, rest, a);
    return true;
}

bool way_find(const char *base, const char *path, struct arena *a, struct way *out, struct error *e)
{
    const char *rest = path[0] == '/' ? path : arena_printf(a, "%s/%s", base, path);
    struct way w = { .there = true };
    struct spot at = { .n = 0 };
    struct stat s;
    bool known = false; /* s is of `at` */

    for (size_t n = next_name(&rest); n > 0; n = next_name(&rest)) {
        const char *name = rest;

        rest += n;
        if (is_dots(name, n)) {
            leave(&w, &at, a);
            go_up(&at);
            known = false;
            continue;
        }
        if (!go_down(&at, name, n))
            return error_set(e, CODE_PATH_REFUSED, "%s leads too deep to be looked at", path);
        if (lstat(at.path, &s) != 0) {
            if (!stop_at(&w, &at, rest, a, e))
                return false;
            break;
        }
        known = !S_ISLNK(s.st_mode);
        if (known)
            continue;
        w.there = w.n < LINKS_MAX;
        if (!w.there)
            break;
        rest = led_on(&w, spot_text(&at, a), &s, rest, a);
        if (!rest)
            return error_sys(e, CODE_PATH_REFUSED, "%s cannot be followed", at.path);
        if (rest[0] == '/')
            at = (struct spot){ .n = 0 };
        else
            go_up(&at);
    }
    /* `..` may have led to it */
    w.there = w.there && (known || lstat(at.n ? at.path : "/", &s) == 0);
    if (w.there) {
        w.end = at.n ? spot_text(&at, a) : "/";
        w.dev = s.st_dev;
        w.ino = s.st_ino;
    }
    *out = w;
    return true;
}

/* The directory that a link lies in and leads out of; NULL: there is none. */
static const char *left_by(const struct way_ask *ask, const char *link, const char *target)
{
    for (size_t i = 0; i < ask->n; i++)
        if (strcmp(link, ask->dirs[i]) != 0 && path_is_in(link, ask->dirs[i]) &&
            !path_is_in(target, ask->dirs[i]))
            return ask->dirs[i];
    return NULL;
}

bool way_stays(const struct way_ask *ask, struct arena *a, struct error *e)
{
    const struct grant *found = ask->found;
    struct way way = { 0 };

    if (way_is_straight(ask->base, ask->given, found->path))
        return true;
    if (!way_find(ask->base, ask->given, a, &way, e))
        return false;
    for (size_t i = 0; i < way.n; i++) {
        struct grant target = { 0 };
        const char *left;

        if (!grant_find("/", way.v[i].path, a, &target, e))
            return false;
        left = left_by(ask, way.v[i].path, target.path);
        if (left)
            return error_set(e, CODE_PATH_REFUSED,
                             "'%s' is not taken: the link %s leads to %s, out of %s, and a command "
                             "may have put it there; if that is meant, say %s",
                             ask->given, way.v[i].path, target.path, left, found->path);
    }
    if (way.there && way.dev == found->dev && way.ino == found->ino)
        return true;
    return error_set(e, CODE_PATH_REFUSED, "'%s' has changed while it was looked at", ask->given);
}
