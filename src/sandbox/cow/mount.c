/* SPDX-License-Identifier: Apache-2.0 */
/* mount.c: a layer in memory over each tree that may be written. */
#include "sandbox/cow_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>

#include "base/pass.h"
#include "sandbox/kernel.h"
#include "sandbox/trees.h"
#include "sandbox/words.h"

/* Where layers lie: a directory of the root that /proc will cover. */
static const char workshop[] = "proc";

/* What holds a name: nobody can make, read or remove anything there, and git passes it over. */
static const char holder[] = ".barred";

/* "u" and a letter; one for each layer. */
struct short_name {
    char text[3];
};

static struct short_name name_of(char what, size_t i)
{
    return (struct short_name){ { what, (char)('a' + i), '\0' } };
}

static int make_dir(int at, struct short_name name)
{
    if (mkdirat(at, name.text, 0700) != 0)
        return -1;
    return openat(at, name.text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Who may write there on the disk may write there in the layer, and nobody else. An owner whom this
 * namespace does not know cannot be given: what others may, we may. */
static int make_alike(int upper, int lower)
{
    struct stat s, mine;
    mode_t mode;

    if (fstat(lower, &s) != 0 || fstat(upper, &mine) != 0)
        return -1;
    mode = s.st_mode & 07777;
    if ((s.st_uid != mine.st_uid || s.st_gid != mine.st_gid) &&
        fchown(upper, s.st_uid, s.st_gid) != 0) {
        if (s.st_uid != mine.st_uid)
            mode = (mode & ~(mode_t)0700) | (mode & 7) << 6;
    }
    return fchmod(upper, mode);
}

/* An option that names a directory: by where we are, for its path may hold anything. */
static int set_dir(int fs, const char *option, int dir)
{
    if (fchdir(dir) != 0)
        return -1;
    return kernel_fsconfig(fs, FSCONFIG_SET_STRING, option, ".");
}

/* No redirection and no index: what is in the layer is what was written, under its name. */
static int lay_over(int lower, int upper, int work)
{
    int fs = kernel_fsopen("overlay"), mounted = -1;

    if (fs < 0)
        return -1;
    if (kernel_fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL) == 0 &&
        kernel_fsconfig(fs, FSCONFIG_SET_STRING, "xino", "off") == 0 &&
        set_dir(fs, "lowerdir", lower) == 0 && set_dir(fs, "upperdir", upper) == 0 &&
        set_dir(fs, "workdir", work) == 0 &&
        kernel_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) == 0)
        mounted = kernel_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    (void)close(fs);
    return mounted;
}

/* Older kernels take no tree that is mounted nowhere, and none takes that of a caller with more
 * rights: it is mounted beside the layer. */
static int lay_over_mounted(int tree, int at, size_t i, const int dirs[2])
{
    struct short_name name = name_of('l', i);
    int lower, mounted;

    if (mkdirat(at, name.text, 0700) != 0 || kernel_move_mount(tree, at, name.text, 0) != 0)
        return -1;
    lower = openat(at, name.text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lower < 0)
        return -1;
    mounted = lay_over(lower, dirs[0], dirs[1]);
    (void)close(lower);
    return mounted;
}

static int cover_one(struct jail_cover *cover, size_t i, int at)
{
    struct jail_mount *m = cover->over;
    int tree = m->tree >= 0 ? m->tree : trees_take(m);
    int dirs[2] = { make_dir(at, name_of('u', i)), make_dir(at, name_of('w', i)) };
    bool taken;

    if (tree < 0 || dirs[0] < 0 || dirs[1] < 0 || make_alike(dirs[0], tree) != 0)
        return -1;
    taken = m->tree < 0;
    m->tree = taken ? lay_over(tree, dirs[0], dirs[1]) : -1;
    if (m->tree < 0 && (!taken || errno == EINVAL))
        m->tree = lay_over_mounted(tree, at, i, dirs);
    cover->upper = dirs[0];
    cover->merged = m->tree; /* it stays open when it is mounted */
    (void)close(tree);
    (void)close(dirs[1]);
    return m->tree < 0 ? -1 : 0;
}

int cow_make(struct jail *jail, int root)
{
    int at = openat(root, workshop, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (at < 0)
        return -1;
    for (size_t i = 0; i < jail->cover_count; i++)
        if (cover_one(&jail->covers[i], i, at) != 0)
            return -1;
    return close(at);
}

/* ---- names that are barred ---- */

static int open_dir(const struct jail_barred *h, int root)
{
    return kernel_openat2(root, h->dir, O_PATH | O_DIRECTORY | O_CLOEXEC,
                          RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
}

/* Where we cannot make it, with more rights than the command, it cannot either. */
static bool nobody_could(int sys)
{
    return sys == EACCES || sys == EPERM || sys == EOVERFLOW || sys == EROFS;
}

/* An empty directory, read-only for good, at the first of the names. */
static int mount_holder(int root, int dir, const char *name)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                             MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
    int tree, done;

    tree = kernel_open_tree(root, holder, OPEN_TREE_CLONE | O_CLOEXEC);
    if (tree < 0)
        return -1;
    done = kernel_mount_setattr(tree, AT_EMPTY_PATH, &attr) == 0
               ? kernel_move_mount(tree, dir, name, 0)
               : -1;
    (void)close(tree);
    return done;
}

/* The names of one directory are barred together, from there. Each is one that we made, so that no
 * link can stand in its place. */
struct holding {
    const char *dir, *first; /* a name that is barred already; NULL: none */
    int fd;                  /* -1: nobody could make anything there */
};

static int enter_dir(struct holding *h, const struct jail_barred *barred, int root)
{
    if (h->dir && strcmp(h->dir, barred->dir) == 0)
        return 0;
    if (h->fd >= 0)
        (void)close(h->fd);
    *h = (struct holding){ .dir = barred->dir, .fd = open_dir(barred, root) };
    if (h->fd < 0)
        return nobody_could(errno) ? 0 : -1;
    return fchdir(h->fd);
}

static int hold_one(struct holding *h, const struct jail_barred *barred, int root)
{
    if (enter_dir(h, barred, root) != 0)
        return -1;
    if (h->fd < 0)
        return 0;
    if (mkdirat(h->fd, barred->name, 0555) != 0)
        return nobody_could(errno) ? 0 : -1;
    if (h->first)
        return mount(h->first, barred->name, NULL, MS_BIND, NULL);
    h->first = barred->name;
    return mount_holder(root, h->fd, barred->name);
}

static int hold_all(struct jail *jail, int root)
{
    struct holding h = { .fd = -1 };

    if (jail->barred_count == 0)
        return 0;
    if (mkdirat(root, holder, 0555) != 0)
        return -1;
    for (size_t i = 0; i < jail->barred_count; i++)
        if (hold_one(&h, &jail->barred[i], root) != 0)
            return -1;
    if (h.fd >= 0)
        (void)close(h.fd);
    return unlinkat(root, holder, AT_REMOVEDIR); /* it has no other name any more */
}

/* ---- handing over ---- */

_Static_assert(2 * COW_MAX <= PASS_MOST, "all go with one word");

static int send_layers(const struct jail *jail)
{
    const struct word word = { .kind = WORD_LAYERS };
    int fds[2 * COW_MAX] = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < jail->cover_count; i++) {
        fds[n++] = jail->covers[i].upper;
        fds[n++] = jail->covers[i].merged;
    }
    if (!pass_send(jail->line, &word, sizeof word, fds, n))
        return -1;
    for (size_t i = 0; i < n; i++) /* neither init nor the command has them from here on */
        (void)close(fds[i]);
    for (size_t i = 0; i < jail->cover_count; i++)
        jail->covers[i].over->tree = -1;
    return 0;
}

/* ---- what is later ---- */

/* What the kernel stamps a file with may be some milliseconds old. Before the command can read
 * anything, the stamps are later than those of the layers: so who changes a file on the disk from
 * here on is told from who changed it before. Where stamps are as fine as that, one that was looked
 * at is followed by a later one at once, for all files; else the next tick of the clock is awaited.
 */
static int let_time_pass(const struct jail *jail, int root)
{
    const struct timespec nap = { .tv_nsec = 500000 };
    const struct timespec since = cow_born(jail->covers[jail->cover_count - 1].upper);
    struct stat now;

    for (bool first = true;; first = false) {
        if (fstat(root, &now) != 0)
            return -1;
        if (now.st_ctim.tv_sec > since.tv_sec ||
            (now.st_ctim.tv_sec == since.tv_sec && now.st_ctim.tv_nsec > since.tv_nsec))
            return 0;
        if (!first)
            (void)nanosleep(&nap, NULL);
        if (mkdirat(root, holder, 0555) != 0 || unlinkat(root, holder, AT_REMOVEDIR) != 0)
            return -1;
    }
}

int cow_hold(struct jail *jail, int root)
{
    return hold_all(jail, root) == 0 && let_time_pass(jail, root) == 0 ? send_layers(jail) : -1;
}
