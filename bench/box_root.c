/* SPDX-License-Identifier: Apache-2.0 */
/* box_root.c: the file system of a box, by the new mount calls and by mount(2). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box_parts.h"

enum { AT_TREE = 0x8000 }; /* AT_RECURSIVE */

struct bind {
    char path[200]; /* outside and inside alike */
    bool is_file;
    unsigned attributes;
};

enum { SHUT = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

static struct bind binds[BOX_BINDS] = {
    { "/usr", false, SHUT },
    { "", false, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV }, /* the working directory */
    { "/etc", false, SHUT },
    { "", false, SHUT }, /* its .git/hooks */
    { "", true, SHUT },  /* its .git/config */
    { "/dev/null", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
    { "/dev/zero", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
    { "/dev/full", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
    { "/dev/random", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
    { "/dev/urandom", true, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC },
};
static const char *const tmpfs[BOX_TMPFS] = { "tmp", "dev/shm", "run" };
static char place[200]; /* where the new root is mounted before it becomes the root */

void root_prepare(const char *work)
{
    (void)snprintf(place, sizeof place, "%s.root", work);
    (void)snprintf(binds[1].path, sizeof binds[1].path, "%s", work);
    (void)snprintf(binds[3].path, sizeof binds[3].path, "%s/.git/hooks", work);
    (void)snprintf(binds[4].path, sizeof binds[4].path, "%s/.git/config", work);
    if (mkdir(place, 0755) < 0 && errno != EEXIST)
        must(-1, place);
}

void root_forget(void)
{
    (void)rmdir(place);
}

static void skeleton(int root)
{
    static const char *const directories[] = {
        "usr", "etc", "proc", "dev", "dev/shm", "tmp", "run"
    };
    static const char *const links[][2] = {
        { "bin", "usr/bin" },
        { "lib", "usr/lib" },
        { "sbin", "usr/sbin" },
        { "lib64", "usr/lib64" },
    };

    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        must(mkdirat(root, directories[i], 0755), directories[i]);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        must(symlinkat(links[i][1], root, links[i][0]), links[i][0]);
}

/* The directories that lead to a path, and the thing itself, to be mounted upon. */
static void make_path(int root, const struct bind *b)
{
    char path[200];

    (void)snprintf(path, sizeof path, "%s/", b->path + 1);
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        bool last = slash[1] == '\0';

        *slash = '\0';
        if (last && b->is_file)
            (void)mknodat(root, path, S_IFREG | 0444, 0);
        else
            (void)mkdirat(root, path, 0755);
        *slash = '/';
    }
}

/* ---- the new calls ---- */

static int mount_new(const char *type, const char *const options[][2], unsigned attributes)
{
    int fs = fsopen(type, FSOPEN_CLOEXEC), mount;

    must(fs, type);
    for (int i = 0; options && options[i][0]; i++)
        must(fsconfig(fs, FSCONFIG_SET_STRING, options[i][0], options[i][1], 0), options[i][0]);
    must(fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0), type);
    mount = fsmount(fs, FSMOUNT_CLOEXEC, attributes);
    must(mount, type);
    close(fs);
    return mount;
}

static void attach(int mount, int root, const char *path)
{
    must(move_mount(mount, "", root, path, MOVE_MOUNT_F_EMPTY_PATH), path);
    close(mount);
}

static void bind_new(int root, const struct bind *b, bool make)
{
    struct mount_attr attributes = { .attr_set = b->attributes };
    unsigned tree = b->is_file ? 0 : AT_TREE;
    int mount = open_tree(AT_FDCWD, b->path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | tree);

    must(mount, b->path);
    must(mount_setattr(mount, "", AT_EMPTY_PATH | tree, &attributes, sizeof attributes), b->path);
    if (make)
        make_path(root, b);
    attach(mount, root, b->path + 1);
}

/* A directory of the root, which itself becomes read-only, as a place to write. */
static void bind_own(int root, const char *path)
{
    int mount = open_tree(root, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

    must(mount, path);
    attach(mount, root, path);
}

/* One tmpfs carries all that is written; paths are made once. */
static void root_lean(const struct box *b)
{
    static const char *const own[][2] = { { "hidepid", "invisible" }, { "subset", "pid" }, { 0 } };
    static const char *const files[] = { "null", "zero", "full", "random", "urandom" };
    struct mount_attr shut = { .attr_set = MOUNT_ATTR_RDONLY };
    struct mount_attr private = { .propagation = MS_PRIVATE };
    int root, dev;

    must(mount_setattr(AT_FDCWD, "/", AT_TREE, &private, sizeof private), "private");
    root = mount_new("tmpfs", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    must(move_mount(root, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH), place);
    skeleton(root);
    bind_own(root, "tmp");
    bind_own(root, "dev/shm");
    for (int i = 0; i < 3; i++)
        bind_new(root, &binds[i], i == 1);
    for (int i = 3; i < 5; i++)
        bind_new(root, &binds[i], false);
    dev = openat(root, "dev", O_PATH | O_CLOEXEC);
    for (int i = 0; i < 5; i++) {
        must(mknodat(dev, files[i], S_IFREG | 0444, 0), files[i]);
        bind_new(root, &binds[5 + i], false);
    }
    close(dev);
    if (b->proc)
        attach(mount_new("proc", b->subset ? own : NULL, 14), root, "proc");
    must(mount_setattr(root, "", AT_EMPTY_PATH, &shut, sizeof shut), "root");
    must(fchdir(root), "fchdir");
    close(root);
}

void root_new(const struct box *b)
{
    static const char *const small[][2] = { { "size", "1m" }, { "nr_inodes", "4096" }, { 0 } };
    static const char *const own[][2] = { { "hidepid", "invisible" }, { "subset", "pid" }, { 0 } };
    struct mount_attr private = { .propagation = MS_PRIVATE };
    const unsigned plain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    int root;

    if (b->lean) {
        root_lean(b);
        return;
    }
    must(mount_setattr(AT_FDCWD, "/", AT_TREE, &private, sizeof private), "private");
    root = mount_new("tmpfs", small, plain);
    must(move_mount(root, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH), place);
    skeleton(root);
    for (int i = 0; i < b->tmpfs; i++)
        attach(mount_new("tmpfs", small, plain), root, tmpfs[i]);
    for (int i = 0; i < b->binds; i++)
        bind_new(root, &binds[i], true);
    if (b->proc)
        attach(mount_new("proc", b->subset ? own : NULL, plain | MOUNT_ATTR_NOEXEC), root, "proc");
    must(fchdir(root), "fchdir");
    close(root);
}

/* ---- mount(2) ---- */

static void bind_old(int root, const struct bind *b)
{
    unsigned long flags = MS_BIND | MS_REMOUNT;

    flags |= b->attributes & MOUNT_ATTR_RDONLY ? MS_RDONLY : 0;
    flags |= b->attributes & MOUNT_ATTR_NODEV ? MS_NODEV : 0;
    flags |= b->attributes & MOUNT_ATTR_NOSUID ? MS_NOSUID : 0;
    flags |= b->attributes & MOUNT_ATTR_NOEXEC ? MS_NOEXEC : 0;
    make_path(root, b);
    must(mount(b->path, b->path + 1, NULL, MS_BIND | (b->is_file ? 0 : MS_REC), NULL), b->path);
    must(mount(NULL, b->path + 1, NULL, flags, NULL), b->path);
}

void root_old(const struct box *b)
{
    const char *own = b->subset ? "hidepid=invisible,subset=pid" : NULL;
    unsigned long plain = MS_NOSUID | MS_NODEV;

    must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private");
    must(mount("tmpfs", place, "tmpfs", plain, "size=1m,nr_inodes=4096"), "tmpfs");
    must(chdir(place), place);
    skeleton(AT_FDCWD);
    for (int i = 0; i < b->tmpfs; i++)
        must(mount("tmpfs", tmpfs[i], "tmpfs", plain, "size=1m,nr_inodes=4096"), tmpfs[i]);
    for (int i = 0; i < b->binds; i++)
        bind_old(AT_FDCWD, &binds[i]);
    if (b->proc)
        must(mount("proc", "proc", "proc", plain | MS_NOEXEC, own), "proc");
}

void root_pivot(bool moved)
{
    if (moved) {
        must(mount(".", "/", NULL, MS_MOVE, NULL), "move");
        must(chroot("."), "chroot");
        must(chdir("/"), "chdir");
        return;
    }
    must(syscall(SYS_pivot_root, ".", "."), "pivot_root");
    must(umount2(".", MNT_DETACH), "umount");
    must(chdir("/"), "chdir");
}
