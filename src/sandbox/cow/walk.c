/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c: goes through a layer, directory by directory, and looks at the disk beside it.
 *
 * What the layer holds was made by a stranger: names are bytes, directories may be as deep and as
 * many as the layer is large. Directories still to be seen are a list, each is opened from the root
 * by its path, and a path that is longer than the kernel takes is where it ends.
 */
#include "sandbox/cow_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/kernel.h"

struct cow_most cow_most = { COW_ROWS, COW_ENTRIES, COW_PATH, COW_KEEP, COW_LOOK, COW_NAMES };

const char cow_cut_rows[] = "there are more changes than are listed";
const char cow_cut_entries[] = "there are more names than are looked at";
const char cow_cut_path[] = "some paths are longer than the kernel takes";
const char cow_cut_bytes[] = "the files are larger than what is kept";
const char cow_cut_unreadable[] = "a directory on the disk cannot be read";

static const uint64_t no_way_out = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

/* A directory that is still to be gone through. */
struct todo {
    const char *below; /* the root; "" is that itself */
    bool gone;         /* it is on the disk alone, and all in it was removed */
    bool opaque;       /* nothing that is on the disk shows through */
};

struct walk {
    const struct cow_sides *s;
    struct arena *a;
    struct changes *out;
    struct todo *todo;
    size_t n, room, seen;
    size_t bytes; /* of the paths seen: each of them stays in memory */
};

/* ---- when ---- */

enum { NSEC = 1000000000 };

/* How coarse the stamps of a file system may be that gives such ones: FAT has every second second,
 * some have whole ones, some hundredths or thousandths. */
static const struct {
    long multiple_of;
    struct timespec granule;
} granules[] = {
    { NSEC, { 2, 0 } },
    { NSEC / 100, { 0, NSEC / 100 } },
    { NSEC / 1000, { 0, NSEC / 1000 } },
};

bool cow_is_newer(const struct cow_sides *s, const struct stat *disk)
{
    struct timespec at = disk->st_ctim; /* nobody can set it; it stands for all that follows */

    for (size_t i = 0; i < COUNT(granules); i++)
        if (at.tv_nsec % granules[i].multiple_of == 0) {
            at.tv_sec += granules[i].granule.tv_sec;
            at.tv_nsec += granules[i].granule.tv_nsec;
            break;
        }
    at.tv_sec += at.tv_nsec / NSEC;
    at.tv_nsec %= NSEC;
    return at.tv_sec > s->since.tv_sec ||
           (at.tv_sec == s->since.tv_sec && at.tv_nsec > s->since.tv_nsec);
}

/* ---- opening ---- */

struct cow_sides cow_sides_of(const struct cow_layer *layer)
{
    return (struct cow_sides){ .layer = layer, .since = cow_born(layer->upper) };
}

static int open_below(int root, const char *below, int flags, uint64_t resolve)
{
    return kernel_openat2(root, *below ? below : ".",
                          (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) &
                              ~(uint64_t)(flags & O_PATH ? O_NOCTTY | O_NONBLOCK : 0),
                          resolve);
}

int cow_open_disk_below(const struct cow_sides *s, const char *below, int flags)
{
    return open_below(s->layer->disk, below, flags, no_way_out | RESOLVE_NO_XDEV);
}

/* Everybody who could write there is dead; what an owner may not read, he may let himself read. The
 * way there was gone before, and is open. */
int cow_open_upper(const struct cow_sides *s, const char *below, int flags)
{
    int fd = open_below(s->layer->upper, below, flags, no_way_out);
    struct stat at;

    if (fd >= 0 || errno != EACCES ||
        fstatat(s->layer->upper, *below ? below : ".", &at, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISLNK(at.st_mode) ||
        fchmodat(s->layer->upper, *below ? below : ".", (at.st_mode & 07777) | 0700, 0) != 0)
        return fd;
    return open_below(s->layer->upper, below, flags, no_way_out);
}

/* ---- what is at a place ---- */

static enum change_kind kind_of(mode_t mode)
{
    return S_ISREG(mode)   ? CHANGE_FILE
           : S_ISDIR(mode) ? CHANGE_DIRECTORY
           : S_ISLNK(mode) ? CHANGE_LINK
                           : CHANGE_OTHER;
}

static struct str link_target(int dir, const char *name, struct arena *a)
{
    char text[PATH_MAX];
    ssize_t n = readlinkat(dir, name, text, sizeof text);

    return n < 0 ? (struct str){ "", 0 }
                 : (struct str){ arena_text(a, (struct str){ text, (size_t)n }), (size_t)n };
}

static struct change_side side_of(const struct walk *w, int dir, const char *name,
                                  const struct stat *s)
{
    struct change_side side = { .there = true,
                                .kind = kind_of(s->st_mode),
                                .mode = s->st_mode & 07777 };

    if (side.kind == CHANGE_FILE)
        side.bytes = s->st_size;
    if (side.kind == CHANGE_LINK)
        side.target = link_target(dir, name, w->a);
    return side;
}

/* What the disk has. */
struct found {
    struct change_side side;
    bool newer; /* than the layer */
};

/* The time is taken when all else was: who changes it meanwhile is found out. */
static struct found found_on_disk(const struct walk *w, int disk, const char *name)
{
    struct found f = { 0 };
    struct stat s;

    if (disk < 0 || fstatat(disk, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return f;
    f.side = side_of(w, disk, name, &s);
    f.newer = (f.side.kind == CHANGE_LINK && fstatat(disk, name, &s, AT_SYMLINK_NOFOLLOW) != 0) ||
              cow_is_newer(w->s, &s);
    return f;
}

/* As far as it can be told without reading files. */
static bool is_same(const struct change_side *x, const struct change_side *y)
{
    if (!x->there || !y->there || x->kind != y->kind)
        return false;
    if (x->kind == CHANGE_LINK)
        return str_eq(x->target, y->target);
    return x->kind != CHANGE_FILE && x->mode == y->mode;
}

static bool is_whiteout(const struct stat *s)
{
    return S_ISCHR(s->st_mode) && s->st_rdev == makedev(0, 0);
}

/* ---- the lists ---- */

static int by_path(const void *a, const void *b)
{
    const struct change_row *x = a, *y = b;
    size_t n = x->path.n < y->path.n ? x->path.n : y->path.n;
    int order = memcmp(x->path.s, y->path.s, n);

    return order ? order : (x->path.n > y->path.n) - (x->path.n < y->path.n);
}

void cow_sort(struct changes *rows)
{
    if (rows->n)
        qsort(rows->v, rows->n, sizeof *rows->v, by_path);
    if (rows->n > cow_most.rows) {
        rows->n = cow_most.rows;
        rows->cut = cow_cut_rows;
    }
}

/* The first in order are kept, whatever the order in which they are found. */
static void add_row(struct walk *w, const char *below, struct found before,
                    struct change_side after)
{
    const char *root = w->s->layer->root;
    const char *path = *below ? arena_printf(w->a, "%s/%s", root, below) : root;

    if (w->out->n >= 2 * cow_most.rows)
        cow_sort(w->out);
    w->out->v = arena_more(w->a, w->out->v, w->out->n, &w->out->room, sizeof *w->out->v);
    w->out->v[w->out->n++] = (struct change_row){ .path = str_of(path),
                                                  .change = !before.side.there ? CHANGE_ADDED
                                                            : !after.there     ? CHANGE_DELETED
                                                                               : CHANGE_CHANGED,
                                                  .before = before.side,
                                                  .after = after,
                                                  .meanwhile = before.newer };
}

static void push(struct walk *w, struct todo todo)
{
    w->todo = arena_more(w->a, w->todo, w->n, &w->room, sizeof *w->todo);
    w->todo[w->n++] = todo;
}

static bool is_no_change(const struct cow_layer *layer, const char *below)
{
    for (size_t i = 0; i < layer->barred_count; i++)
        if (strcmp(layer->barred[i], below) == 0)
            return true;
    for (size_t i = 0; i < layer->left_out_count; i++)
        if (strcmp(layer->left_out[i], below) == 0)
            return true;
    return false;
}

/* The next name of a directory, and its path below the root; NULL: there is no other. */
static const char *next_name(struct walk *w, DIR *in, const struct todo *dir, const char **below)
{
    const struct dirent *d;

    while ((d = fs_next(in)) != NULL) {
        w->bytes += strlen(dir->below) + 1 + strlen(d->d_name);
        if (w->seen++ >= cow_most.entries || w->bytes > cow_most.names) {
            w->out->cut = cow_cut_entries;
            return NULL;
        }
        if (strlen(dir->below) + 1 + strlen(d->d_name) > cow_most.path) {
            w->out->cut = cow_cut_path;
            continue;
        }
        *below = *dir->below ? arena_printf(w->a, "%s/%s", dir->below, d->d_name)
                             : arena_text(w->a, str_of(d->d_name));
        return d->d_name;
    }
    if (errno != 0)
        w->out->cut = cow_cut_unreadable;
    return NULL;
}

/* ---- a directory ---- */

/* Something that was on the disk, and is not in the tree that the command left. */
static void remove_one(struct walk *w, int disk, const char *name, const char *below)
{
    const struct change_side none = { 0 };
    const struct found was = found_on_disk(w, disk, name);

    if (!was.side.there)
        return;
    add_row(w, below, was, none);
    if (was.side.kind == CHANGE_DIRECTORY)
        push(w, (struct todo){ .below = below, .gone = true });
}

static DIR *list(int fd)
{
    DIR *in = fd >= 0 ? fdopendir(fd) : NULL;

    if (!in && fd >= 0)
        (void)close(fd);
    return in;
}

/* All that lies in a directory of the disk and is not in `upper`, which may be -1. */
static void remove_rest(struct walk *w, const struct todo *dir, int upper)
{
    DIR *in = list(cow_open_disk_below(w->s, dir->below, O_RDONLY | O_DIRECTORY));
    const char *name, *below;
    struct stat s;

    if (!in) {
        if (errno != ENOENT && errno != ENOTDIR)
            w->out->cut = cow_cut_unreadable;
        return;
    }
    while ((name = next_name(w, in, dir, &below)) != NULL)
        if (upper < 0 || fstatat(upper, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            remove_one(w, dirfd(in), name, below);
    (void)closedir(in);
}

/* The disk does not have it: did somebody take it away meanwhile? The kernel marks what it copied
 * from the disk, also under a new name: so the directory must have changed, too. */
static bool was_taken_away(const struct cow_sides *s, int disk, const char *below,
                           enum change_kind kind)
{
    _fd_ int fd = -1;
    struct stat around;

    if (disk < 0 || fstat(disk, &around) != 0 || !cow_is_newer(s, &around) ||
        (kind != CHANGE_FILE && kind != CHANGE_DIRECTORY))
        return false;
    fd = cow_open_upper(s, below, O_RDONLY);
    return fd >= 0 && fgetxattr(fd, "user.overlay.origin", NULL, 0) >= 0;
}

static void look_at(struct walk *w, const struct todo *dir, int upper, int disk,
                    const char *const names[2])
{
    const char *name = names[0], *below = names[1];
    struct change_side after;
    struct found before;
    struct stat now;

    if (is_no_change(w->s->layer, below) || fstatat(upper, name, &now, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (is_whiteout(&now)) {
        remove_one(w, disk, name, below);
        return;
    }
    before = found_on_disk(w, disk, name);
    after = side_of(w, upper, name, &now);
    before.newer |= !before.side.there && was_taken_away(w->s, disk, below, after.kind);
    if (!is_same(&before.side, &after))
        add_row(w, below, before, after);
    if (after.kind == CHANGE_DIRECTORY)
        push(w, (struct todo){ .below = below, .opaque = dir->opaque });
    else if (before.side.there && before.side.kind == CHANGE_DIRECTORY)
        push(w, (struct todo){ .below = below, .gone = true });
}

/* What its owner may read but not enter. */
static void let_in(int fd)
{
    struct stat s;

    if (fstat(fd, &s) == 0 && (s.st_mode & 0500) != 0500)
        (void)fchmod(fd, (s.st_mode & 07777) | 0700);
}

static bool is_opaque(int fd)
{
    char value = 0;

    return fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static bool visit(struct walk *w, struct todo dir, struct error *e)
{
    DIR *in = list(cow_open_upper(w->s, dir.below, O_RDONLY | O_DIRECTORY));
    _fd_ int disk = cow_open_disk_below(w->s, dir.below, O_PATH | O_DIRECTORY);
    const char *names[2];

    if (disk < 0 && errno == EACCES)
        w->out->cut = cow_cut_unreadable;
    if (!in)
        return error_sys(e, CODE_IO, "what the run wrote cannot be read");
    let_in(dirfd(in));
    dir.opaque |= is_opaque(dirfd(in));
    while ((names[0] = next_name(w, in, &dir, &names[1])) != NULL)
        look_at(w, &dir, dirfd(in), disk, names);
    if (dir.opaque && disk >= 0)
        remove_rest(w, &dir, dirfd(in));
    (void)closedir(in);
    return true;
}

/* The root is there on both sides. Where it is not ours on the disk, it could not be made alike. */
static void look_at_root(struct walk *w)
{
    struct change_side after;
    struct found before;
    struct stat was, now;

    if (!w->s->layer->ours || fstat(w->s->layer->disk, &was) != 0 ||
        fstat(w->s->layer->upper, &now) != 0)
        return;
    before = (struct found){ side_of(w, -1, "", &was), cow_is_newer(w->s, &was) };
    after = side_of(w, -1, "", &now);
    if (!is_same(&before.side, &after))
        add_row(w, "", before, after);
}

bool cow_walk(const struct cow_sides *s, struct arena *a, struct changes *out, struct error *e)
{
    struct walk w = { .s = s, .a = a, .out = out };

    look_at_root(&w);
    let_in(s->layer->upper); /* a way through it begins with it */
    push(&w, (struct todo){ .below = "" });
    while (w.n > 0 && out->cut != cow_cut_entries) {
        struct todo next = w.todo[--w.n];

        if (next.gone)
            remove_rest(&w, &next, -1);
        else if (!visit(&w, next, e))
            return false;
    }
    return true;
}
