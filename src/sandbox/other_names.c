/* SPDX-License-Identifier: Apache-2.0 */
/* other_names.c: looks through what is granted for files that are known by their number. */
#include "sandbox/other_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fs.h"
#include "contract/codes.h"

enum { WALK_MAX = 1 << 20 };

bool number_is_same(struct number a, struct number b)
{
    return a.dev == b.dev && a.ino == b.ino && a.born == b.born;
}

bool numbers_have(const struct numbers *w, struct number file)
{
    for (size_t i = 0; i < w->n; i++)
        if (number_is_same(w->v[i], file))
            return true;
    return false;
}

void numbers_add(struct numbers *w, struct number file)
{
    if (numbers_have(w, file))
        return;
    w->v = arena_more(w->a, w->v, w->n, &w->room, sizeof *w->v);
    w->v[w->n++] = file;
}

bool number_of(int in, const char *path, int flags, struct number *out, bool *is_dir)
{
    struct statx s;

    if (statx(in, path, flags, STATX_BASIC_STATS | STATX_BTIME, &s) != 0)
        return false;
    *out = (struct number){ makedev(s.stx_dev_major, s.stx_dev_minor), s.stx_ino, 0 };
    if (s.stx_mask & STATX_BTIME)
        out->born = s.stx_btime.tv_sec * 1000000000LL + s.stx_btime.tv_nsec;
    *is_dir = S_ISDIR(s.stx_mode);
    return true;
}

struct walk {
    struct grants *g;
    const struct numbers *wanted;
    struct grant like; /* what each name becomes */
    const char **dirs; /* still to be looked through */
    size_t n, room, seen;
    const char *hidden; /* that cannot be looked at, though the command may get there */
    struct error *e;
    bool failed; /* e says why */
};

static void push(struct walk *w, const char *dir)
{
    w->dirs = arena_more(w->g->a, w->dirs, w->n, &w->room, sizeof *w->dirs);
    w->dirs[w->n++] = dir;
}

/* Nothing is there, or nobody gets there: the command, which is who we are, neither searches the
 * directory nor may change its mode. */
static bool is_out_of_reach(const char *dir)
{
    int sys = errno;
    struct stat s;

    return sys == ENOENT || (sys == EACCES && stat(dir, &s) == 0 && s.st_uid != geteuid() &&
                             faccessat(AT_FDCWD, dir, X_OK, AT_EACCESS) != 0);
}

static void look_at(struct walk *w, int in, const char *dir, const struct dirent *d)
{
    struct number file;
    bool is_dir, found = number_of(in, d->d_name, AT_SYMLINK_NOFOLLOW, &file, &is_dir);
    const char *path;

    if (found && !is_dir && !numbers_have(w->wanted, file))
        return; /* most are: nothing is kept of their names */
    path = arena_printf(w->g->a, "%s/%s", dir, d->d_name);
    if (!found)
        w->hidden = is_out_of_reach(dir) ? w->hidden : path;
    else if (!numbers_have(w->wanted, file))
        push(w, path);
    else if (!grants_open(w->g, w->like, "/", path, w->e) && !grant_is_missing(w->e))
        w->failed = true;
}

static void look_in(struct walk *w, const char *dir)
{
    DIR *in = opendir(dir);
    const struct dirent *d;

    if (!in) {
        w->hidden = is_out_of_reach(dir) ? w->hidden : dir;
        return;
    }
    for (d = fs_next(in); d && w->seen < WALK_MAX && !w->failed; d = fs_next(in), w->seen++)
        look_at(w, dirfd(in), dir, d);
    if (!d && errno != 0)
        w->hidden = dir;
    (void)closedir(in);
}

/* What is only read need not be protected; a file that is granted for itself has no directory. */
static void begin(struct walk *w, const struct grant *at)
{
    struct number file;
    bool is_dir;

    if (at->access > ACCESS_WRITE || at->implied ||
        (w->like.access == ACCESS_PROTECTED && at->access != ACCESS_WRITE))
        return;
    if (at->is_dir)
        push(w, at->path);
    else if (number_of(AT_FDCWD, at->path, AT_SYMLINK_NOFOLLOW, &file, &is_dir) &&
             numbers_have(w->wanted, file) && !grants_open(w->g, w->like, "/", at->path, w->e) &&
             !grant_is_missing(w->e))
        w->failed = true;
}

bool other_names_hold(struct grants *g, const struct numbers *wanted, struct grant like,
                      struct error *e)
{
    struct walk w = { .g = g, .wanted = wanted, .like = like, .e = e };
    const char *what = access_names[like.access];

    for (size_t i = 0, n = g->n; wanted->n > 0 && i < n; i++) {
        struct grant at = g->v[i];

        begin(&w, &at);
    }
    while (w.n > 0 && w.seen < WALK_MAX && !w.hidden && !w.failed)
        look_in(&w, w.dirs[--w.n]);
    if (w.failed)
        return error_wrap(e, "something %s has another name", what);
    if (w.hidden)
        return error_set(e, CODE_PATH_REFUSED,
                         "something %s has another name, and %s cannot be looked at, where it "
                         "may be; chmod u+rx what is around it, or grant less",
                         what, w.hidden);
    if (w.seen < WALK_MAX)
        return true;
    return error_set(e, CODE_PATH_REFUSED,
                     "something %s has another name, and there are more than %d files in which "
                     "to look for it; grant less, or move it out of what is granted",
                     what, WALK_MAX);
}

bool protected_follow(struct grants *g, struct error *e)
{
    const struct grant like = { .access = ACCESS_PROTECTED, .why = GRANT_PROTECTED };
    struct numbers wanted = { .a = g->a };

    for (size_t i = 0; i < g->n; i++) {
        const struct grant *now = &g->v[i];
        struct number file;
        bool is_dir;

        if (now->access == ACCESS_PROTECTED && !now->is_dir && !now->is_link && now->links > 1 &&
            number_of(AT_FDCWD, now->path, AT_SYMLINK_NOFOLLOW, &file, &is_dir))
            numbers_add(&wanted, file);
    }
    return other_names_hold(g, &wanted, like, e);
}
