/* SPDX-License-Identifier: Apache-2.0 */
/* look.c: is each chosen path as the run found it, and are the bytes there that it needs? */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "contract/codes.h"
#include "engine/commit.h"
#include "sandbox/collect_store.h"

const char *commit_beside(const struct commit *c, size_t row)
{
    return arena_printf(c->a, ".writ-%s-%zu", c->name, row);
}

int commit_around(const struct commit *c, size_t row, const char **name)
{
    const char *below = NULL, *root = changes_root(c->set, c->set->changes.v[row].path.s, &below);
    _fd_ int top = root ? changes_open_root(c->set, root) : -1;

    return top < 0 ? -1 : place_around(top, below, name, c->a);
}

static bool is_link_to(const struct change_side *s, struct str target)
{
    return s->there && s->kind == CHANGE_LINK && str_eq(s->target, target);
}

bool commit_is_own_link(const struct commit *c, size_t row)
{
    char *path = arena_text(c->a, c->set->changes.v[row].path), target[PATH_MAX];

    for (char *slash = strrchr(path, '/'); slash && slash != path; slash = strrchr(path, '/')) {
        _fd_ int around = -1;
        const char *name = NULL;
        ssize_t n;
        long up;

        *slash = '\0';
        up = commit_row(c->set, path);
        if (up >= 0)
            around = commit_around(c, (size_t)up, &name);
        if (around < 0) /* it lies behind the link, or did not change: look further up */
            continue;
        n = readlinkat(around, name, target, sizeof target);
        return n >= 0 && c->paths[up].chosen &&
               (is_link_to(commit_from(c, (size_t)up), (struct str){ target, (size_t)n }) ||
                is_link_to(commit_to(c, (size_t)up), (struct str){ target, (size_t)n }));
    }
    return false;
}

bool print_of(int around, const char *name, struct print *out)
{
    struct stat st;

    *out = (struct print){ 0 };
    if (fstatat(around, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    *out = (struct print){ .there = true,
                           .dev = st.st_dev,
                           .ino = st.st_ino,
                           .size = st.st_size,
                           .mode = st.st_mode,
                           .owner = st.st_uid,
                           .group = st.st_gid,
                           .links = st.st_nlink,
                           .written = st.st_mtim,
                           .changed = st.st_ctim };
    return true;
}

/* ---- how it stands ---- */

/* While a directory is filled, its owner may do everything in it. */
static bool is_open_directory(const struct change_side *now, const struct change_side *side)
{
    return now->there && side->there && now->kind == CHANGE_DIRECTORY &&
           side->kind == CHANGE_DIRECTORY && now->mode == (side->mode | 0700);
}

/* A side as a commit or undo before left it, where that could not give it all. */
static struct change_side as_made(const struct commit *c, size_t row, struct change_side side)
{
    if (side.there && side.kind != CHANGE_LINK && c->paths[row].was.there &&
        c->paths[row].print.there)
        side.mode = owner_mode(c, row, side.mode, &c->paths[row].print);
    return side;
}

static enum standing standing_of(const struct commit *c, size_t row, const struct change_side *now)
{
    const struct change_side from = as_made(c, row, *commit_from(c, row));
    const struct change_side to = as_made(c, row, *commit_to(c, row));

    if (sides_same(now, &to))
        return STANDS_DONE;
    return sides_same(now, &from) || is_open_directory(now, &from) || is_open_directory(now, &to)
               ? STANDS_DUE
               : STANDS_OUT;
}

static const char *say_conflict(const struct commit *c, size_t row, const struct change_side *now)
{
    const struct change_side *from = commit_from(c, row);
    const char *when = c->undo ? "it was committed" : "the run";

    if (!now->there)
        return arena_printf(c->a, "somebody removed it since %s", when);
    if (!from->there)
        return arena_printf(c->a, "somebody made it since %s", when);
    return arena_printf(c->a, "somebody changed it since %s", when);
}

static bool becomes_directory(const struct commit *c, size_t row)
{
    const struct change_side *to = commit_to(c, row);

    return to->there && to->kind == CHANGE_DIRECTORY;
}

/* The row of the directory around it; -1: that did not change. */
static long row_around(const struct commit *c, size_t row)
{
    char *path = arena_text(c->a, c->set->changes.v[row].path);

    *strrchr(path, '/') = '\0';
    return commit_row(c->set, path);
}

/* The directory around it is not there: it may be about to be. */
static bool comes_with_another(const struct commit *c, size_t row)
{
    long up = row_around(c, row);

    return up >= 0 && c->paths[up].chosen && becomes_directory(c, (size_t)up);
}

/* A commit or undo that was cut short is always taken back, as far as nobody else had his hand in
 * it: what is neither old nor new is somebody's work, and stays. */
static void leave_or_refuse(struct commit *c, size_t row, enum code code, const char *why)
{
    if (!c->undo || (c->stage != COMMIT_BEGUN && c->stage != COMMIT_UNDOING)) {
        commit_refuse(c, row, code, why);
        return;
    }
    c->paths[row].chosen = false;
    c->paths[row].left = why;
}

static void conflict(struct commit *c, size_t row, const char *why)
{
    leave_or_refuse(c, row, CODE_CHANGE_CONFLICT, why);
}

static void look_around(struct commit *c, size_t row, int error)
{
    const struct change_side none = { 0 };

    if (error == EXDEV || (error == ELOOP && !commit_is_own_link(c, row))) {
        leave_or_refuse(c, row, CODE_CHANGE_REFUSED, "a link is on the way to it");
        return;
    }
    if (error == ESTALE) {
        leave_or_refuse(c, row, CODE_CHANGE_CONFLICT,
                        "there is another directory in the place of the tree it lies in");
        return;
    }
    if (error != ENOENT && error != ENOTDIR && error != ELOOP) {
        commit_refuse(c, row, CODE_CHANGE_REFUSED,
                      arena_printf(c->a, "its directory cannot be opened: %s", error_words(error)));
        return;
    }
    c->paths[row].stands = standing_of(c, row, &none);
    if (c->paths[row].stands == STANDS_OUT)
        conflict(c, row, say_conflict(c, row, &none));
    else if (c->paths[row].stands == STANDS_DUE && !comes_with_another(c, row))
        conflict(c, row, "the directory it belongs to is gone");
}

/* ---- directories that go ---- */

/* All that is in it goes, too, by this commit. */
static bool is_emptied(const struct commit *c, size_t row, int around, const char *name)
{
    int fd = openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *in = fd < 0 ? NULL : fdopendir(fd);
    const char *own = arena_printf(c->a, ".writ-%s-", c->name);
    bool empty = in != NULL;

    if (!in && fd >= 0)
        (void)close(fd);
    for (const struct dirent *d = in ? readdir(in) : NULL; d && empty; d = readdir(in)) {
        long other;

        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            strncmp(d->d_name, own, strlen(own)) == 0)
            continue;
        other = commit_row(c->set,
                           arena_printf(c->a, "%s/%s", c->set->changes.v[row].path.s, d->d_name));
        empty = other >= 0 && c->paths[other].chosen && !commit_to(c, (size_t)other)->there;
    }
    if (in)
        (void)closedir(in);
    return empty;
}

/* ---- all of it ---- */

/* What is kept of what goes is needed by who takes it back: it is on the disk before. */
static bool keep_old(struct commit *c, size_t row, const struct change_side *now, struct error *e)
{
    if (c->dry || !now->there || now->kind != CHANGE_FILE)
        return true;
    if (!keep_holds(c->store, &now->digest)) /* somebody has changed it since */
        commit_refuse(
            c, row, CODE_CHANGE_REFUSED,
            "what is kept of it as it is now has other bytes: it could not be taken back");
    return keep_sync(c->store, &now->digest, e);
}

/* Only its permissions, or those of a directory, are set where it is. */
static bool stays_in_place(const struct change_side *from, const struct change_side *to)
{
    return from->there && to->there && from->kind == to->kind &&
           (from->kind == CHANGE_DIRECTORY ||
            (from->kind == CHANGE_FILE && from->bytes == to->bytes &&
             memcmp(&from->digest, &to->digest, sizeof to->digest) == 0));
}

/* A directory that this commit leads somewhere is opened by it; every other is as it is now. */
static bool can_be_put(const struct commit *c, size_t row, int around)
{
    long up = row_around(c, row);

    return stays_in_place(commit_from(c, row), commit_to(c, row)) ||
           (up >= 0 && c->paths[up].chosen && c->paths[up].stands == STANDS_DUE) ||
           faccessat(around, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

static bool look_one(struct commit *c, size_t row, struct error *e)
{
    const struct change_side *to = commit_to(c, row);
    struct commit_path *path = &c->paths[row];
    struct place_ask ask = { .store = c->dry ? -1 : c->store };
    _fd_ int around = commit_around(c, row, &ask.name);
    struct change_side now;

    if (around < 0) {
        look_around(c, row, errno);
        return true;
    }
    ask.around = around;
    if (!print_of(around, ask.name, &path->print) ||
        !print_access(around, ask.name, &path->print, c->a) || !place_look(&ask, c->a, &now, e)) {
        commit_refuse(c, row, CODE_CHANGE_REFUSED, "it cannot be read");
        return true;
    }
    path->stands = standing_of(c, row, &now);
    if (path->stands == STANDS_OUT)
        conflict(c, row, say_conflict(c, row, &now));
    if (path->stands != STANDS_DUE)
        return true;
    if (!c->undo && !path->was.there)
        path->was = path->print;
    if (!c->undo && c->set->changes.v[row].meanwhile)
        conflict(c, row, "somebody changed it while the run lasted, and the run did not see that");
    if (now.there && now.kind == CHANGE_DIRECTORY && !becomes_directory(c, row) &&
        !is_emptied(c, row, around, ask.name))
        conflict(c, row, "the directory is not empty");
    if (!path->chosen)
        return true;
    if (!can_be_put(c, row, around))
        commit_refuse(c, row, CODE_CHANGE_REFUSED,
                      "its directory cannot be written in: open it first");
    if ((c->undo || path->begun) && to->there && to->kind == CHANGE_OTHER) /* else: choose.c */
        commit_refuse(c, row, CODE_CHANGE_REFUSED, "it is no file, directory or link");
    if (to->there && to->kind == CHANGE_FILE && !keep_holds(c->store, &to->digest))
        commit_refuse(c, row, CODE_CHANGE_REFUSED,
                      "its bytes are not among the evidence any more, or are others");
    return keep_old(c, row, &now, e);
}

/* A directory stays where something in it does. */
static void leave_around(struct commit *c, size_t row)
{
    long up = row_around(c, row);

    if (up >= 0 && c->paths[up].chosen && !becomes_directory(c, (size_t)up))
        conflict(c, (size_t)up, "something in it is left");
}

bool commit_look(struct commit *c, struct error *e)
{
    for (size_t i = 0; i < c->set->changes.n; i++)
        if (c->paths[i].chosen && !look_one(c, i, e))
            return false;
    for (size_t i = c->set->changes.n; i-- > 0;)
        if (c->paths[i].left)
            leave_around(c, i);
    return true;
}
