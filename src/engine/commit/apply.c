/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: leads the chosen paths to where they are to be, each in one move.
 *
 * New directories come first, then every file is written beside its place, so that a full disk is
 * met before anything moved. Then what goes goes, the deepest first; then files and links take
 * their places, each by one rename; at last directories get their permissions. Whenever it is cut
 * short, each path is what it was or what it is to be; where it stops by itself, what was written
 * beside goes again.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "engine/commit.h"
#include "sandbox/collect_store.h"

enum { COPY_BYTES = 1 << 16 };

/* One path that is being worked on. */
struct place {
    struct commit *c;
    size_t row;
    const struct change_side *from, *to;
    int around;
    const char *name, *beside;
};

static bool failed(const struct place *p, struct error *e)
{
    return error_sys(e, CODE_IO, "%s cannot be written", p->c->set->changes.v[p->row].path.s);
}

static bool is_when(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Nobody touched it since it was looked at. */
static bool untouched(const struct place *p, struct error *e)
{
    const struct print *was = &p->c->paths[p->row].print;
    struct print is;

    if (print_of(p->around, p->name, &is) && was->there == is.there &&
        (!is.there || (was->dev == is.dev && was->ino == is.ino && was->size == is.size &&
                       is_when(&was->changed, &is.changed))))
        return true;
    return error_set(e, CODE_CHANGE_CONFLICT, "somebody changed %s meanwhile",
                     p->c->set->changes.v[p->row].path.s);
}

/* A name of a file was taken or its permissions set, by us: its other names have that time too.
 * Whoever wrote to it meanwhile is still found out. */
static void tell_other_names(const struct place *p, int file)
{
    const struct print was = p->c->paths[p->row].print;
    struct stat is;

    if (fstat(file, &is) != 0 || is.st_dev != was.dev || is.st_ino != was.ino ||
        is.st_size != was.size || !is_when(&is.st_mtim, &was.written))
        return;
    for (size_t i = 0; i < p->c->set->changes.n; i++) {
        struct print *other = &p->c->paths[i].print;

        if (other->there && other->dev == was.dev && other->ino == was.ino &&
            is_when(&other->changed, &was.changed))
            other->changed = is.st_ctim;
    }
}

/* Does to a path what nobody touched since it was looked at. */
static bool act(struct place *p, bool (*how)(const struct place *p), struct error *e)
{
    const struct print *was = &p->c->paths[p->row].print;
    _fd_ int file = was->there && was->links > 1
                        ? openat(p->around, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC)
                        : -1;

    if (!untouched(p, e))
        return false;
    p->c->moved = true;
    if (!how(p))
        return failed(p, e);
    if (file >= 0)
        tell_other_names(p, file);
    return true;
}

static bool is_directory(const struct change_side *s)
{
    return s->there && s->kind == CHANGE_DIRECTORY;
}

/* Only its permissions differ: they are set where it is. */
static bool is_mode_alone(const struct place *p)
{
    return p->from->there && p->to->there && p->from->kind == CHANGE_FILE &&
           p->to->kind == CHANGE_FILE && p->from->bytes == p->to->bytes &&
           memcmp(&p->from->digest, &p->to->digest, sizeof p->to->digest) == 0;
}

/* Permissions for what was made and given; fewer than meant where the old owner or group is not its
 * own. */
static mode_t mode_for(const struct place *p, const struct stat *made)
{
    const struct print is = { .mode = made->st_mode, .owner = made->st_uid, .group = made->st_gid };
    mode_t mode = owner_mode(p->c, p->row, p->to->mode, &is);

    if (mode != p->to->mode)
        p->c->paths[p->row].narrowed = true;
    return mode;
}

static bool put_permissions(const struct place *p, int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && fchmod(fd, mode_for(p, &st)) == 0;
}

/* For what cannot be opened as it is made: it is at least what it should be, and new. */
static bool give_beside(const struct place *p, int made, mode_t kind)
{
    struct stat st;

    if (made < 0 || fstat(made, &st) != 0)
        return false;
    errno = EBUSY;
    return (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
           owner_give(p->c, p->row, p->around, made);
}

static bool make_link(const struct place *p)
{
    _fd_ int made = symlinkat(p->to->target.s, p->around, p->beside) == 0
                        ? openat(p->around, p->beside, O_PATH | O_NOFOLLOW | O_CLOEXEC)
                        : -1;

    return give_beside(p, made, S_IFLNK);
}

/* What an earlier attempt left beside it. */
static bool clear(struct place *p, struct error *e)
{
    if (unlinkat(p->around, p->beside, 0) == 0 || errno == ENOENT)
        return true;
    return ((errno == EISDIR || errno == EPERM) &&
            unlinkat(p->around, p->beside, AT_REMOVEDIR) == 0) ||
           failed(p, e);
}

/* A name that is new must still be free. Where the file system cannot say so in one step, it was
 * looked at just before. */
static bool put_new(const struct place *p)
{
    if (renameat2(p->around, p->beside, p->around, p->name, RENAME_NOREPLACE) == 0)
        return true;
    return errno == EINVAL && renameat(p->around, p->beside, p->around, p->name) == 0;
}

/* ---- first: directories ---- */

static bool put_over(const struct place *p)
{
    return renameat2(p->around, p->beside, p->around, p->name, RENAME_EXCHANGE) == 0 &&
           unlinkat(p->around, p->beside, 0) == 0;
}

/* Beside its place, so that it has its permissions when it comes there. */
static bool make_directory(struct place *p, struct error *e)
{
    _fd_ int made =
        mkdirat(p->around, p->beside, 0700) == 0
            ? openat(p->around, p->beside, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            : -1;
    struct stat st;

    if (!give_beside(p, made, S_IFDIR) || fstat(made, &st) != 0 ||
        fchmod(made, mode_for(p, &st) | 0700) != 0)
        return failed(p, e);
    return act(p, p->from->there ? put_over : put_new, e);
}

/* While something is done in a directory, its owner may do everything in it. */
static bool open_directory(struct place *p, struct error *e)
{
    const struct change_side *now = is_directory(p->to) ? p->to : p->from;
    struct stat st;
    mode_t mode;

    if (!is_directory(now))
        return true;
    if (fstatat(p->around, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
        return make_directory(p, e);
    mode = (now == p->to ? mode_for(p, &st) : now->mode) | 0700;
    if ((st.st_mode & 07777) == mode)
        return true;
    p->c->moved = true;
    return fchmodat(p->around, p->name, mode, AT_SYMLINK_NOFOLLOW) == 0 || failed(p, e);
}

/* ---- second: files and links, beside their places ---- */

static bool copy(int from, int to, const struct digest *digest)
{
    char bytes[COPY_BYTES];
    struct sha256 hash;
    struct digest is;
    ssize_t n;

    sha256_begin(&hash);
    while ((n = read(from, bytes, sizeof bytes)) != 0) {
        if (n < 0 && errno != EINTR)
            return false;
        if (n < 0)
            continue;
        sha256_add(&hash, bytes, (size_t)n);
        if (!fd_write(to, (struct str){ bytes, (size_t)n }))
            return false;
    }
    is = sha256_end(&hash);
    errno = EIO;
    return memcmp(&is, digest, sizeof is) == 0;
}

static bool write_file(const struct place *p)
{
    _fd_ int from = keep_open(p->c->store, &p->to->digest);
    _fd_ int to = from < 0 ? -1
                           : openat(p->around, p->beside,
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    return to >= 0 && copy(from, to, &p->to->digest) && owner_give(p->c, p->row, p->around, to) &&
           put_permissions(p, to) && fsync(to) == 0;
}

static bool write_beside(struct place *p, struct error *e)
{
    if (!p->to->there || is_directory(p->to) || is_mode_alone(p))
        return true;
    if (p->to->kind == CHANGE_LINK)
        return make_link(p) || failed(p, e);
    return write_file(p) || failed(p, e);
}

/* ---- third: what goes ---- */

static bool unlink_it(const struct place *p)
{
    return unlinkat(p->around, p->name, 0) == 0;
}

static bool take_away(struct place *p, struct error *e)
{
    if (p->to->there)
        return true;
    if (!is_directory(p->from))
        return act(p, unlink_it, e);
    p->c->moved = true;
    return unlinkat(p->around, p->name, AT_REMOVEDIR) == 0 || failed(p, e);
}

/* ---- fourth: what comes ---- */

static bool put_instead(const struct place *p)
{
    int why;

    if (!is_directory(p->from))
        return renameat(p->around, p->beside, p->around, p->name) == 0;
    if (renameat2(p->around, p->beside, p->around, p->name, RENAME_EXCHANGE) != 0)
        return false;
    if (unlinkat(p->around, p->beside, AT_REMOVEDIR) == 0)
        return true;
    why = errno; /* somebody put something into it: that is not hidden beside */
    (void)!renameat2(p->around, p->beside, p->around, p->name, RENAME_EXCHANGE);
    errno = why;
    return false;
}

static bool put_mode(const struct place *p)
{
    _fd_ int fd = openat(p->around, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const struct print *was = &p->c->paths[p->row].print;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0)
        return false;
    errno = EBUSY;
    return st.st_dev == was->dev && st.st_ino == was->ino && put_permissions(p, fd) &&
           fsync(fd) == 0;
}

static bool put(struct place *p, struct error *e)
{
    if (!p->to->there || is_directory(p->to))
        return true;
    if (is_directory(p->from)) { /* it was emptied by us */
        p->c->moved = true;
        return put_instead(p) || failed(p, e);
    }
    if (is_mode_alone(p))
        return act(p, put_mode, e);
    return act(p, p->from->there ? put_instead : put_new, e);
}

/* ---- last ---- */

/* The row before lies in the same directory, and its turn comes yet. */
static bool is_followed(const struct place *p)
{
    const struct change_row *row = &p->c->set->changes.v[p->row];
    const char *slash = strrchr(row->path.s, '/');
    size_t n = (size_t)(slash - row->path.s) + 1;

    return p->row > 0 && p->c->paths[p->row - 1].chosen &&
           p->c->paths[p->row - 1].stands == STANDS_DUE && row[-1].path.n > n &&
           memcmp(row[-1].path.s, row->path.s, n) == 0 && !strchr(row[-1].path.s + n, '/');
}

static bool close_directory(struct place *p, struct error *e)
{
    struct stat st;

    p->c->moved = true;
    if (is_directory(p->to) &&
        (fstatat(p->around, p->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
         fchmodat(p->around, p->name, mode_for(p, &st), AT_SYMLINK_NOFOLLOW) != 0))
        return failed(p, e);
    return is_followed(p) || fsync(p->around) == 0 || failed(p, e);
}

/* ---- all of it ---- */

static const struct pass {
    bool (*work)(struct place *p, struct error *e);
    bool deepest; /* first; else directories before what is in them */
    bool every;   /* what is done already or left, too: something may be beside it */
} passes[] = {
    { clear, false, true },         { open_directory, false, false },
    { write_beside, false, false }, { take_away, true, false },
    { put, false, false },          { close_directory, true, false },
};

/* The directory around what went may be gone by then, or what came in its place is a link. */
static bool is_gone(const struct commit *c, size_t row, int error)
{
    return error == ENOENT || error == ENOTDIR || (error == ESTALE && c->paths[row].left) ||
           (error == ELOOP && (c->paths[row].left || commit_is_own_link(c, row)));
}

static bool work_on(struct commit *c, const struct pass *pass, size_t row, struct error *e)
{
    struct place p = { .c = c, .row = row, .from = commit_from(c, row), .to = commit_to(c, row) };
    _fd_ int around = commit_around(c, row, &p.name);
    int why = errno;

    if (around < 0 && (pass->every || !p.to->there) && is_gone(c, row, why))
        return true;
    errno = why;
    if (around < 0)
        return error_sys(e, CODE_CHANGE_REFUSED, "the way to %s is another now",
                         c->set->changes.v[row].path.s);
    p.around = around;
    p.beside = commit_beside(c, row);
    return pass->work(&p, e);
}

static bool is_worked_on(const struct pass *pass, const struct commit_path *path)
{
    return pass->every ? path->chosen || path->left : path->chosen && path->stands == STANDS_DUE;
}

/* As far as it can be; whoever goes on with it clears once more. */
static void clear_all(struct commit *c)
{
    struct error e;

    for (size_t i = 0; i < c->set->changes.n; i++)
        if (is_worked_on(&passes[0], &c->paths[i]))
            (void)!work_on(c, &passes[0], i, &e);
}

bool commit_apply(struct commit *c, struct error *e)
{
    size_t n = c->set->changes.n;

    for (size_t k = 0; k < COUNT(passes); k++)
        for (size_t i = 0; i < n; i++) {
            size_t row = passes[k].deepest ? n - 1 - i : i;

            if (is_worked_on(&passes[k], &c->paths[row]) && !work_on(c, &passes[k], row, e)) {
                clear_all(c);
                return false;
            }
        }
    return true;
}
