/* SPDX-License-Identifier: Apache-2.0 */
/* root.c: builds the private root and moves into it. */
#include "sandbox/root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "sandbox/held_chance.h"
#include "sandbox/kernel.h"
#include "sandbox/trees.h"

static const char root_inodes[] = "65536", layer_inodes[] = "262144";

/* What belongs to nobody in particular. */
static const struct system_link dev_links[] = {
    { "dev/fd", "/proc/self/fd" },
    { "dev/stdin", "/proc/self/fd/0" },
    { "dev/stdout", "/proc/self/fd/1" },
    { "dev/stderr", "/proc/self/fd/2" },
};

static const struct {
    const char *from, *to;
} devices[] = {
    { "/dev/null", "dev/null" },     { "/dev/zero", "dev/zero" },       { "/dev/full", "dev/full" },
    { "/dev/random", "dev/random" }, { "/dev/urandom", "dev/urandom" },
};

static int put_file(int root, const char *path, const char *text)
{
    int fd = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    size_t n = strlen(text);
    int ok;

    if (fd < 0)
        return -1;
    ok = n == 0 || write(fd, text, n) == (ssize_t)n ? 0 : -1;
    (void)close(fd);
    return ok;
}

static int put_links(int root, const struct system_link *links, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (symlinkat(links[i].to, root, links[i].name) != 0)
            return -1;
    return 0;
}

/* A disk in memory. */
static int make_disk(const struct jail *jail, int at, const char *to)
{
    int fs = kernel_fsopen("tmpfs"), root;

    if (fs < 0)
        return -1;
    if (kernel_fsconfig(fs, FSCONFIG_SET_STRING, "size", jail->scratch_size) != 0 ||
        kernel_fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes",
                        jail->cover_count ? layer_inodes : root_inodes) != 0 ||
        kernel_fsconfig(fs, FSCONFIG_SET_STRING, "mode", "755") != 0 ||
        kernel_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) != 0) {
        (void)close(fs);
        return -1;
    }
    root = kernel_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    (void)close(fs);
    if (root >= 0 && kernel_move_mount(root, at, to, 0) != 0) {
        (void)close(root);
        return -1;
    }
    return root;
}

int root_make(const struct jail *jail, int *root)
{
    int fd = make_disk(jail, AT_FDCWD, "/"); /* over the host's root, which it replaces later */

    if (fd < 0)
        return -1;
    for (size_t i = 0; i < jail->dir_count; i++)
        if (mkdirat(fd, jail->dirs[i], 0755) != 0)
            return -1;
    for (size_t i = 0; i < jail->file_count; i++)
        if (put_file(fd, jail->files[i].path, jail->files[i].text) != 0)
            return -1;
    *root = fd;
    return put_links(fd, jail->links, jail->link_count);
}

/* A place in a tree of the host: nothing on the way may be a link. */
static int open_place(const struct jail_mount *m, int root)
{
    return kernel_openat2(root, m->to, O_PATH | O_CLOEXEC | O_NOFOLLOW,
                          RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS |
                              (m->is_link ? 0 : RESOLVE_NO_SYMLINKS));
}

static int mount_at(int tree, int root, const struct jail_mount *m)
{
    int at, moved;

    if (!m->shown)
        return kernel_move_mount(tree, root, m->to, 0);
    at = open_place(m, root);
    if (at < 0)
        return -1;
    moved = kernel_move_mount(tree, at, "", MOVE_MOUNT_T_EMPTY_PATH);
    (void)close(at);
    return moved;
}

/* A directory of a tree that is covered, to be mounted on itself. */
static int take_part(const struct jail_mount *m, int root)
{
    int at = open_place(m, root), tree;

    if (at < 0)
        return -1;
    tree = kernel_open_tree(at, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | O_CLOEXEC);
    (void)close(at);
    return tree;
}

static int mount_tree(const struct jail_mount *m, int root)
{
    int tree = m->tree >= 0 ? m->tree : m->inner ? take_part(m, root) : trees_take(m), done;

    if (tree < 0)
        return -1;
    done = mount_at(tree, root, m);
    if (m->tree < 0)
        (void)close(tree);
    return done;
}

/* Nothing can be made in it or read from it, and once it is mounted it has no other name. */
static int make_mask(int root, bool is_dir)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                             MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
    int fd, tree;

    if (is_dir) {
        if (mkdirat(root, ".mask", 0) != 0)
            return -1;
    } else {
        fd = openat(root, ".mask", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
        if (fd < 0)
            return -1;
        (void)close(fd);
    }
    tree = kernel_open_tree(root, ".mask", OPEN_TREE_CLONE | O_CLOEXEC);
    if (tree < 0)
        return -1;
    return kernel_mount_setattr(tree, AT_EMPTY_PATH, &attr) == 0 ? tree : -1;
}

/* We are who the command will be, with more rights: where we may not go, it may not either, and it
 * owns none of the directories that stop us. */
static bool is_out_of_reach(const struct jail_mount *m, int root)
{
    int at = m->shown ? open_place(m, root) : -1;

    if (at >= 0)
        (void)close(at);
    return m->shown && at < 0 && errno == EACCES;
}

static int mount_mask(const struct jail_mount *m, int root)
{
    bool is_dir = m->kind == MOUNT_MASK_DIR;
    int tree, done;

    if (is_out_of_reach(m, root))
        return 0;
    tree = make_mask(root, is_dir);
    if (tree < 0)
        return -1;
    done = mount_at(tree, root, m);
    (void)close(tree);
    if (unlinkat(root, ".mask", is_dir ? AT_REMOVEDIR : 0) != 0)
        return -1;
    return done;
}

int root_mount(const struct jail *jail, int root)
{
    for (size_t i = 0; i < jail->mount_count; i++) {
        const struct jail_mount *m = &jail->mounts[i];

        if ((m->kind == MOUNT_TREE ? mount_tree(m, root) : mount_mask(m, root)) != 0)
            return -1;
    }
    return 0;
}

/* ---- /dev ---- */

/* A file that all read alike: the one that is there already, which cannot be written above itself.
 */
static int fill_chance(const struct jail *jail, int root, const char *to)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                             MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
    int fd = openat(root, to, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), tree = -1;

    if (fd < 0)
        return -1;
    if (held_chance_fill(&jail->held, fd) == 0)
        tree = kernel_open_tree(root, to, OPEN_TREE_CLONE | O_CLOEXEC);
    (void)close(fd);
    return tree >= 0 && kernel_mount_setattr(tree, AT_EMPTY_PATH, &attr) == 0 ? tree : -1;
}

/* Where chance is held, both are one file of ours. Which of the two it is, the record tells by
 * whether the device could be opened: one that then cannot be mounted is no run. */
static int chance_tree(const struct jail *jail, int root, const char *to)
{
    if (strcmp(to, "dev/urandom") == 0)
        return kernel_open_tree(root, "dev/random", OPEN_TREE_CLONE | O_CLOEXEC);
    return jail->chance >= 0 ? held_chance_mount(jail->chance) : fill_chance(jail, root, to);
}

static bool is_chance(const char *to)
{
    return strcmp(to, "dev/random") == 0 || strcmp(to, "dev/urandom") == 0;
}

int root_devices(const struct jail *jail, int root)
{
    for (size_t i = 0; i < COUNT(devices); i++) {
        const char *to = devices[i].to;
        int tree;

        if (put_file(root, to, "") != 0)
            return -1;
        if (jail->held.on && is_chance(to))
            tree = chance_tree(jail, root, to);
        else
            tree = kernel_open_tree(AT_FDCWD, devices[i].from, OPEN_TREE_CLONE | O_CLOEXEC);
        if (tree < 0 || kernel_move_mount(tree, root, to, 0) != 0)
            return -1;
        (void)close(tree);
    }
    return put_links(root, dev_links, COUNT(dev_links));
}

int root_proc(int root)
{
    int fs = kernel_fsopen("proc"), mounted = -1, done;

    if (fs < 0)
        return -1;
    if (kernel_fsconfig(fs, FSCONFIG_SET_STRING, "hidepid", "invisible") == 0 &&
        kernel_fsconfig(fs, FSCONFIG_SET_STRING, "subset", "pid") == 0 &&
        kernel_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) == 0)
        mounted = kernel_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    (void)close(fs);
    if (mounted < 0)
        return -1;
    done = kernel_move_mount(mounted, root, "proc", 0);
    (void)close(mounted);
    return done;
}

int root_enter(int root)
{
    if (fchdir(root) != 0 || kernel_pivot_root(".", ".") != 0 || umount2(".", MNT_DETACH) != 0)
        return -1;
    return chdir("/");
}

/* ---- a root that runs share ---- */

/* Where the kernel has been seen to show a /proc, another may be mounted; the host's will be gone.
 * This one belongs to a namespace that ends here: there is nobody in it, ever. */
static int mount_dead_proc(void *root)
{
    return root_proc(*(int *)root) == 0 ? 0 : errno;
}

int root_no_proc(int root)
{
    static char stack[16 << 10] __attribute__((aligned(16)));
    int status = -1;
    pid_t pid = clone(mount_dead_proc, stack + sizeof stack,
                      CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD, &root);

    if (pid < 0)
        return -1;
    while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
    return status == 0 ? 0 : -1;
}

int root_lock(int root)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_RDONLY };

    return kernel_mount_setattr(root, AT_EMPTY_PATH, &attr);
}

/* What follows the scratch directory that the path begins with; NULL: it begins with none. */
static const char *behind_scratch(const char *to)
{
    for (size_t i = 0; i < OWN_DIRS; i++) {
        const char *own = own_dirs[i].path + 1;
        size_t n = strlen(own);

        if (own_dirs[i].use == OWN_SCRATCH && strncmp(to, own, n) == 0 &&
            (to[n] == '/' || to[n] == '\0'))
            return to + n;
    }
    return NULL;
}

bool root_is_scratch(const char *to)
{
    return behind_scratch(to) != NULL;
}

bool root_is_in_scratch(const char *to)
{
    const char *rest = behind_scratch(to);

    return rest && *rest;
}

/* Trees that lie in such a directory would be hidden: they are taken up before, and put on top
 * afterwards. The jail of a run in a berth lists no others. */
static int lift_trees(struct jail *jail, int root)
{
    for (size_t i = 0; i < jail->mount_count; i++) {
        struct jail_mount *m = &jail->mounts[i];

        m->tree = kernel_open_tree(root, m->to, OPEN_TREE_CLONE | AT_RECURSIVE | O_CLOEXEC);
        if (m->tree < 0)
            return -1;
    }
    return 0;
}

static int lay_trees(const struct jail *jail, int disk, int root)
{
    for (size_t i = 0; i < jail->dir_count; i++)
        if (mkdirat(disk, jail->dirs[i], 0755) != 0 && errno != EEXIST)
            return -1;
    for (size_t i = 0; i < jail->file_count; i++)
        if (put_file(disk, jail->files[i].path, jail->files[i].text) != 0)
            return -1;
    for (size_t i = 0; i < jail->mount_count; i++)
        if (kernel_move_mount(jail->mounts[i].tree, root, jail->mounts[i].to, 0) != 0)
            return -1;
    return 0;
}

static int lay_scratch(int disk, int root, const char *dir)
{
    int tree = kernel_open_tree(disk, dir, OPEN_TREE_CLONE | O_CLOEXEC);

    if (tree < 0 || kernel_move_mount(tree, root, dir, 0) != 0)
        return -1;
    return close(tree);
}

/* One disk, with the same names as in the root; it is mounted where /proc will cover it. */
int root_scratch(struct jail *jail, int root)
{
    int disk;

    if (lift_trees(jail, root) != 0)
        return -1;
    disk = make_disk(jail, root, "proc");
    if (disk < 0)
        return -1;
    for (size_t i = 0; i < OWN_DIRS; i++)
        if (own_dirs[i].use != OWN_ROOT && mkdirat(disk, own_dirs[i].path + 1, 0755) != 0)
            return -1;
    for (size_t i = 0; i < OWN_DIRS; i++)
        if (own_dirs[i].use == OWN_SCRATCH && lay_scratch(disk, root, own_dirs[i].path + 1) != 0)
            return -1;
    return lay_trees(jail, disk, root); /* what is open is closed with all others */
}
