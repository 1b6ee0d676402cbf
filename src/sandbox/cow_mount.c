/* SPDX-License-Identifier: Apache-2.0 */
/* cow_mount.c: a layer in memory over each tree that may be written. */
#include "sandbox/cow_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include "sandbox/kernel.h"
#include "sandbox/root.h"
#include "sandbox/trees.h"
#include "sandbox/words.h"

static const char layer_inodes[] = "1048576";

/* A directory of the root that nothing else is mounted on yet, and /proc will be. */
static const char workshop[] = "proc";

/* What a held name is: nobody can make, read or remove anything there, and git passes it over. */
static const char holder[] = ".held";

int cow_disk(const struct jail *jail)
{
    return root_disk(jail->scratch_size, layer_inodes);
}

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

/* Names directly below the root are held before anybody looks; there is no other way to them. */
static int hold_at_top(struct jail *jail, size_t cover, int upper)
{
    for (size_t i = 0; i < jail->held_count; i++) {
        struct jail_held *h = &jail->held[i];

        if (h->cover != cover || strchr(h->below, '/'))
            continue;
        if (mkdirat(upper, h->name, 0555) != 0)
            return -1;
        h->made = true;
    }
    return 0;
}

/* The tree is mounted beside the layer while that is made: older kernels take no other. */
static int cover_one(struct jail *jail, size_t i, int disk)
{
    struct jail_cover *cover = &jail->covers[i];
    struct jail_mount *m = cover->over;
    int tree = m->tree >= 0 ? m->tree : trees_take(m);
    int lower, work, upper;

    if (tree < 0 || mkdirat(disk, name_of('l', i).text, 0700) != 0 ||
        kernel_move_mount(tree, disk, name_of('l', i).text, 0) != 0)
        return -1;
    lower = openat(disk, name_of('l', i).text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    upper = make_dir(disk, name_of('u', i));
    work = make_dir(disk, name_of('w', i));
    if (lower < 0 || upper < 0 || work < 0 || make_alike(upper, lower) != 0 ||
        hold_at_top(jail, i, upper) != 0)
        return -1;
    m->tree = lay_over(lower, upper, work);
    if (m->tree < 0)
        return -1;
    cover->upper = upper;
    cover->merged = openat(m->tree, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    (void)close(tree);
    (void)close(lower);
    (void)close(work);
    return cover->merged < 0 ? -1 : 0;
}

int cow_make(struct jail *jail, int root)
{
    int disk = jail->cover_disk >= 0 ? jail->cover_disk : cow_disk(jail);

    if (disk < 0 || kernel_move_mount(disk, root, workshop, 0) != 0)
        return -1;
    for (size_t i = 0; i < jail->cover_count; i++)
        if (cover_one(jail, i, disk) != 0)
            return -1;
    (void)close(disk);
    if (fchdir(root) != 0)
        return -1;
    return umount2(workshop, MNT_DETACH | UMOUNT_NOFOLLOW);
}

/* ---- names that are held ---- */

static int open_dir(const struct jail_held *h, int root)
{
    return kernel_openat2(root, h->dir, O_PATH | O_DIRECTORY | O_CLOEXEC,
                          RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
}

/* Where we cannot make it, with more rights than the command, it cannot either. */
static bool nobody_could(int sys)
{
    return sys == EACCES || sys == EPERM || sys == EOVERFLOW || sys == EROFS;
}

static int hold_one(struct jail_held *h, int root)
{
    int dir = open_dir(h, root), at, tree, done;

    if (dir < 0)
        return nobody_could(errno) ? 0 : -1;
    if (!h->made && mkdirat(dir, h->name, 0555) != 0) {
        done = errno;
        (void)close(dir);
        errno = done;
        return nobody_could(done) ? 0 : -1;
    }
    at = openat(dir, h->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    tree = kernel_open_tree(root, holder, OPEN_TREE_CLONE | O_CLOEXEC);
    done = at < 0 || tree < 0 ? -1 : kernel_move_mount(tree, at, "", MOVE_MOUNT_T_EMPTY_PATH);
    (void)close(dir);
    (void)close(at);
    (void)close(tree);
    return done;
}

/* Mounted on itself and locked once, it is copied for each name. */
static int make_holder(int root)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                             MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
    int tree, done;

    if (mkdirat(root, holder, 0555) != 0)
        return -1;
    tree = kernel_open_tree(root, holder, OPEN_TREE_CLONE | O_CLOEXEC);
    if (tree < 0)
        return -1;
    done = kernel_mount_setattr(tree, AT_EMPTY_PATH, &attr) == 0
               ? kernel_move_mount(tree, root, holder, 0)
               : -1;
    (void)close(tree);
    return done;
}

static int hold_all(struct jail *jail, int root)
{
    if (jail->held_count == 0)
        return 0;
    if (make_holder(root) != 0)
        return -1;
    for (size_t i = 0; i < jail->held_count; i++)
        if (hold_one(&jail->held[i], root) != 0)
            return -1;
    if (fchdir(root) != 0 || umount2(holder, MNT_DETACH | UMOUNT_NOFOLLOW) != 0)
        return -1;
    return unlinkat(root, holder, AT_REMOVEDIR);
}

/* ---- handing over ---- */

static int send_layers(const struct jail *jail)
{
    union {
        char bytes[CMSG_SPACE(2 * COW_MAX * sizeof(int))];
        struct cmsghdr head;
    } control = { 0 };
    struct word word = { .kind = WORD_LAYERS };
    struct iovec part = { &word, sizeof word };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control };
    int fds[2 * COW_MAX];
    size_t n = 0;

    for (size_t i = 0; i < jail->cover_count; i++) {
        fds[n++] = jail->covers[i].upper;
        fds[n++] = jail->covers[i].merged;
    }
    control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
                                     .cmsg_type = SCM_RIGHTS,
                                     .cmsg_len = CMSG_LEN(n * sizeof(int)) };
    message.msg_controllen = CMSG_SPACE(n * sizeof(int));
    memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
    if (sendmsg(jail->line, &message, MSG_NOSIGNAL) != (ssize_t)sizeof word)
        return -1;
    for (size_t i = 0; i < n; i++) /* the command must not find them: init closes them, too */
        (void)close(fds[i]);
    return 0;
}

int cow_hold(struct jail *jail, int root)
{
    return hold_all(jail, root) == 0 ? send_layers(jail) : -1;
}
