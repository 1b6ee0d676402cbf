/* SPDX-License-Identifier: Apache-2.0 */
/* denied.c: remembers files by number, and finds them wherever they went. */
#include "sandbox/denied.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/way.h"

enum { KNOWN_MAX = 64, MEMORY_MAX = 8192, WALK_MAX = 1 << 20 }; /* known: of one name */

/* A file. Its number may be given to another one later; its birth tells them apart. */
struct number {
    dev_t dev;
    ino_t ino;
    int64_t born; /* in nanoseconds; 0 where the file system does not know */
};

/* Files that are looked for. */
struct wanted {
    struct arena *a;
    struct number *v;
    size_t n, room;
};

static bool is_same(struct number a, struct number b)
{
    return a.dev == b.dev && a.ino == b.ino && a.born == b.born;
}

static bool has(const struct wanted *w, struct number file)
{
    for (size_t i = 0; i < w->n; i++)
        if (is_same(w->v[i], file))
            return true;
    return false;
}

static void add(struct wanted *w, struct number file)
{
    if (has(w, file))
        return;
    w->v = arena_more(w->a, w->v, w->n, &w->room, sizeof *w->v);
    w->v[w->n++] = file;
}

/* `flags`: 0, or AT_SYMLINK_NOFOLLOW. */
static bool number_of(int in, const char *path, int flags, struct number *out, bool *is_dir)
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

/* ---- memory: one small file for a name, "dev ino born" a line ---- */

static const char *memory_file(const char *state, const char *name, struct arena *a)
{
    struct digest d = digest_of(name, strlen(name));
    char text[DIGEST_TEXT];

    digest_text(&d, text);
    return arena_printf(a, "%s/denied/%s", state, text + strlen("sha256:"));
}

static void recall(const char *state, const char *name, struct arena *a, struct wanted *out)
{
    struct str text;
    struct error e;

    if (!fs_read_file(memory_file(state, name, a), MEMORY_MAX, a, &text, &e))
        return;
    for (const char *line = text.s; line && *line;) {
        char *end;
        struct number file = { .dev = strtoull(line, &end, 10) };

        file.ino = strtoull(end, &end, 10);
        file.born = strtoll(end, &end, 10);
        if (*end != '\n')
            return;
        add(out, file);
        line = end + 1;
    }
}

static bool remember(const char *state, const char *name, const struct wanted *w, struct arena *a,
                     struct error *e)
{
    _buf_ struct buf text = { .max = MEMORY_MAX };
    size_t forgotten = w->n > KNOWN_MAX ? w->n - KNOWN_MAX : 0; /* the oldest */

    for (size_t i = forgotten; i < w->n; i++)
        buf_addf(&text, "%ju %ju %jd\n", (uintmax_t)w->v[i].dev, (uintmax_t)w->v[i].ino,
                 (intmax_t)w->v[i].born);
    return fs_make_dirs(arena_printf(a, "%s/denied", state), e) &&
           fs_write(memory_file(state, name, a), buf_str(&text), e);
}

/* ---- looking for them ---- */

struct walk {
    struct grants *g;
    const struct wanted *wanted;
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
    struct grant mask = { .access = ACCESS_DENIED, .why = GRANT_DENIED_ELSEWHERE };
    struct number file;
    bool is_dir, found = number_of(in, d->d_name, AT_SYMLINK_NOFOLLOW, &file, &is_dir);
    const char *path;

    if (found && !is_dir && !has(w->wanted, file))
        return; /* most are: nothing is kept of their names */
    path = arena_printf(w->g->a, "%s/%s", dir, d->d_name);
    if (!found)
        w->hidden = is_out_of_reach(dir) ? w->hidden : path;
    else if (!has(w->wanted, file))
        push(w, path);
    else if (!grants_open(w->g, mask, "/", path, w->e) && !grant_is_missing(w->e))
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

static bool look_everywhere(struct grants *g, const struct wanted *wanted, struct error *e)
{
    struct walk w = { .g = g, .wanted = wanted, .e = e };

    for (size_t i = 0, n = g->n; i < n; i++)
        if (g->v[i].is_dir && g->v[i].access <= ACCESS_WRITE && !g->v[i].implied)
            push(&w, g->v[i].path);
    while (w.n > 0 && w.seen < WALK_MAX && !w.hidden && !w.failed)
        look_in(&w, w.dirs[--w.n]);
    if (w.failed)
        return error_wrap(e, "something denied has another name");
    if (w.hidden)
        return error_set(e, CODE_PATH_REFUSED,
                         "something denied has another name, and %s cannot be looked at, where it "
                         "may be; chmod u+rx what is around it, or grant less",
                         w.hidden);
    if (w.seen < WALK_MAX)
        return true;
    return error_set(e, CODE_PATH_REFUSED,
                     "something denied has another name, and there are more than %d files in which "
                     "to look for it; grant less, or move it out of what is granted",
                     WALK_MAX);
}

/* ---- the two together ---- */

static bool may_move(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access == ACCESS_WRITE && path_is_in(path, g->v[i].path))
            return true;
    return false;
}

/* What a name has meant before goes to `wanted`; what it means now is remembered. NULL: nothing. */
static bool follow_name(struct grants *g, const char *name, const struct number *now,
                        const char *state, struct wanted *wanted, struct error *e)
{
    struct wanted known = { .a = g->a };

    if (state)
        recall(state, name, g->a, &known);
    for (size_t i = 0; i < known.n; i++)
        if (!now || !is_same(known.v[i], *now))
            add(wanted, known.v[i]);
    if (!now || has(&known, *now) || !may_move(g, name))
        return true;
    if (!state)
        return error_set(e, CODE_PATH_REFUSED,
                         "that %s is denied must be remembered, and there is no place for it; name "
                         "one with WRIT_STATE",
                         name);
    add(&known, *now);
    if (remember(state, name, &known, g->a, e))
        return true;
    return error_wrap(e, "that %s is denied cannot be remembered", name);
}

static bool follow_one(struct grants *g, const struct grant *now, const char *state,
                       struct wanted *wanted, struct error *e)
{
    struct number file = { 0 };
    bool is_dir, there = number_of(AT_FDCWD, now->path, AT_SYMLINK_NOFOLLOW, &file, &is_dir);

    if (there && !now->is_dir && now->links > 1)
        add(wanted, file);
    return follow_name(g, now->path, there ? &file : NULL, state, wanted, e);
}

static bool follow_alias(struct grants *g, const struct alias *alias, const char *state,
                         struct wanted *wanted, struct error *e)
{
    struct number file = { 0 };
    bool is_dir, there = number_of(AT_FDCWD, alias->path, 0, &file, &is_dir);

    return follow_name(g, alias->name, there ? &file : NULL, state, wanted, e);
}

bool denied_hold_links(struct grants *g, const char *base, const char *given, const char *path,
                       struct aliases *out, struct error *e)
{
    struct way way;

    if (!way_find(base, given, g->a, &way, e))
        return error_wrap(e, "'%s', which is denied", given);
    for (size_t i = 0; i < way.n; i++) {
        const struct way_link *link = &way.v[i];
        const char *slash = link->rest[0] ? "/" : "";

        if (may_move(g, link->path))
            grants_add(g, &(struct grant){ .path = link->path,
                                           .access = ACCESS_PROTECTED,
                                           .why = GRANT_LEADS_TO_DENIED,
                                           .is_link = true,
                                           .dev = link->dev,
                                           .ino = link->ino });
        out->v = arena_more(g->a, out->v, out->n, &out->room, sizeof *out->v);
        out->v[out->n++] =
            (struct alias){ arena_printf(g->a, "%s%s%s", link->path, slash, link->rest), path };
    }
    return true;
}

bool denied_follow(struct grants *g, const struct absents *absent, const struct aliases *aliases,
                   const char *state, struct error *e)
{
    struct wanted wanted = { .a = g->a };

    for (size_t i = 0; i < g->n; i++) {
        struct grant now = g->v[i];

        if (now.access == ACCESS_DENIED && !now.is_link && !follow_one(g, &now, state, &wanted, e))
            return false;
    }
    for (size_t i = 0; i < absent->n; i++)
        if (absent->v[i].denied && !follow_name(g, absent->v[i].path, NULL, state, &wanted, e))
            return false;
    for (size_t i = 0; i < aliases->n; i++)
        if (!follow_alias(g, &aliases->v[i], state, &wanted, e))
            return false;
    return wanted.n == 0 || look_everywhere(g, &wanted, e);
}
