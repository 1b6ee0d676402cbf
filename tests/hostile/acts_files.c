/* SPDX-License-Identifier: Apache-2.0 */
/* acts_files.c: reading, changing and linking files that were not granted. */
#include "acts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define HIDDEN "ENOENT EACCES ENOTDIR ELOOP"
#define LOCKED "EROFS EACCES EPERM"

static void read_it(const char *wanted, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (refused(wanted, fd, "open %.200s", path))
        spill(fd);
}

/* ---- F01: a path outside, in every spelling ---- */

static void by_directory(const char *path)
{
    char copy[PATH_MAX];
    int dir, fd;

    snprintf(copy, sizeof copy, "%s", path);
    if (!strchr(path, '/'))
        return;
    dir = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return;
    fd = openat(dir, strrchr(path, '/') + 1, O_RDONLY | O_CLOEXEC);
    if (refused(HIDDEN, fd, "openat %s", path))
        spill(fd);
    close(dir);
}

static int outside(int argc, char **argv)
{
    char climb[8 * 3 * 8 + PATH_MAX], slow[PATH_MAX];
    struct stat found;

    for (int i = 0; i < argc; i++) {
        const char *path = argv[i];
        size_t fill = 0;

        read_it(HIDDEN, path);
        read_it(HIDDEN, text("//%s", path));
        read_it(HIDDEN, text("/./usr/..%s", path));
        snprintf(climb, sizeof climb, "../../../../../../../../../../../../../../../..%s", path);
        read_it(HIDDEN, climb);
        for (; fill + 2 + strlen(path) < sizeof slow - 1; fill += 2)
            memcpy(slow + fill, "/.", 2);
        snprintf(slow + fill, sizeof slow - fill, "%s", path);
        read_it(HIDDEN, slow);
        read_it(HIDDEN " ENAMETOOLONG", text("%s%s", slow, path));
        refused(HIDDEN, stat(path, &found), "stat %s", path);
        refused(HIDDEN, access(path, F_OK), "access %s", path);
        refused(HIDDEN, open(path, O_PATH | O_CLOEXEC), "open as a path %s", path);
        by_directory(path);
    }
    return verdict();
}

/* ---- F02 to F08: a denied path inside what was granted ---- */

static int denied(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        read_it("EACCES", argv[i]);
    return verdict();
}

/* Any refusal will do: the place may have moved, or the whole run may be refused. */
static int unreadable(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        read_it(NULL, argv[i]);
    return verdict();
}

static int denied_write(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *dir = argv[i];

        refused(LOCKED, open(text("%s/new", dir), O_CREAT | O_WRONLY | O_CLOEXEC, 0600),
                "create %s/new", dir);
        refused(LOCKED, mkdir(text("%s/dir", dir), 0700), "mkdir %s/dir", dir);
        refused(LOCKED, symlink("x", text("%s/link", dir)), "symlink %s/link", dir);
        refused(LOCKED, open(text("%s/secret", dir), O_WRONLY | O_TRUNC | O_CLOEXEC),
                "truncate %s/secret", dir);
        refused(LOCKED, unlink(text("%s/secret", dir)), "unlink %s/secret", dir);
        refused(LOCKED " EOPNOTSUPP EISDIR", open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600),
                "tmpfile in %s", dir);
        refused(LOCKED " EOPNOTSUPP", chmod(dir, 0777), "chmod %s", dir);
    }
    return verdict();
}

/* DIR, FILE: a denied directory and a denied file. */
static int denied_move(int argc, char **argv)
{
    const char *held = "EBUSY EACCES EPERM EROFS";

    if (argc < 2)
        return 99;
    for (int i = 0; i < 2; i++) {
        refused(held, rename(argv[i], "moved"), "rename %s", argv[i]);
        refused(held, syscall(SYS_renameat2, AT_FDCWD, argv[i], AT_FDCWD, argv[1 - i], 2),
                "exchange %s", argv[i]);
    }
    refused(held, rename(text("%s/secret", argv[0]), "moved"), "rename %s/secret", argv[0]);
    refused(held, rmdir(argv[0]), "rmdir %s", argv[0]);
    refused(held, unlink(argv[1]), "unlink %s", argv[1]);
    read_it("EACCES", text("%s/secret", argv[0]));
    read_it("EACCES", argv[1]);
    return verdict();
}

/* FROM, TO, REST: renames an ancestor; the denied path has a new name then. */
static int denied_ancestor(int argc, char **argv)
{
    if (argc < 3)
        return 99;
    note("rename %s: %s", argv[0], rename(argv[0], argv[1]) ? strerror(errno) : "done");
    read_it("EACCES ENOENT", text("%s/%s", argv[0], argv[2]));
    read_it("EACCES ENOENT", text("%s/%s", argv[1], argv[2]));
    return verdict();
}

/* LINK, OTHER: the link is denied; it is turned to another directory that has a `secret`, too. */
static int retarget(int argc, char **argv)
{
    if (argc < 2)
        return 99;
    read_it("EACCES ENOENT ENOTDIR", text("%s/secret", argv[0]));
    note("unlink %s: %s", argv[0], unlink(argv[0]) ? strerror(errno) : "done");
    note("rename %s: %s", argv[0], rename(argv[0], "elsewhere") ? strerror(errno) : "done");
    note("symlink %s: %s", argv[0], symlink(argv[1], argv[0]) ? strerror(errno) : "done");
    read_it(NULL, text("%s/secret", argv[0]));
    read_it("EACCES ENOENT ENOTDIR", "elsewhere/secret");
    return verdict();
}

/* ---- F10, F25, F26: what may only be read ---- */

static int hardlink(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        int fd = open(argv[i], O_PATH | O_CLOEXEC);

        refused("EXDEV EPERM EACCES EROFS", link(argv[i], "hardlink"), "link %s", argv[i]);
        if (fd < 0)
            continue;
        refused(
            "EXDEV EPERM EACCES EROFS ENOENT",
            linkat(AT_FDCWD, text("/proc/self/fd/%d", fd), AT_FDCWD, "hardlink", AT_SYMLINK_FOLLOW),
            "link by descriptor %s", argv[i]);
        close(fd);
    }
    return verdict();
}

static int truncated(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        int fd = open(argv[i], O_RDONLY | O_CLOEXEC);

        refused(LOCKED, truncate(argv[i], 0), "truncate %s", argv[i]);
        refused(LOCKED, open(argv[i], O_WRONLY | O_TRUNC | O_CLOEXEC), "open to truncate %s",
                argv[i]);
        refused(LOCKED, open(argv[i], O_RDONLY | O_TRUNC | O_CLOEXEC), "truncate by reading %s",
                argv[i]);
        if (!works(fd, "open %s", argv[i]))
            continue;
        refused("EINVAL EBADF", ftruncate(fd, 0), "truncate its descriptor");
        refused(LOCKED, open(text("/proc/self/fd/%d", fd), O_WRONLY | O_CLOEXEC),
                "open it again to write");
        close(fd);
    }
    return verdict();
}

/* FILE: may only be read, and so may its directory. */
static int readonly(int argc, char **argv)
{
    const char *path = argc ? argv[0] : "", *dir;
    struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
    char copy[PATH_MAX];

    snprintf(copy, sizeof copy, "%s", path);
    dir = dirname(copy);
    works(access(path, R_OK), "read %s", path);
    refused(LOCKED, open(path, O_RDWR | O_CLOEXEC), "open to write");
    refused(LOCKED, open(path, O_WRONLY | O_APPEND | O_CLOEXEC), "open to append");
    refused(LOCKED, unlink(path), "unlink");
    refused(LOCKED " EXDEV", rename(path, "mine"), "rename");
    refused(LOCKED " EXDEV", rename("mine", path), "rename over it");
    refused(LOCKED, chmod(path, 0777), "chmod");
    refused(LOCKED " EINVAL", chown(path, getuid(), getgid()), "chown");
    refused(LOCKED " EOPNOTSUPP ENOTSUP", setxattr(path, "user.x", "1", 1, 0), "setxattr");
    refused(LOCKED, utimensat(AT_FDCWD, path, times, 0), "utimes");
    refused(LOCKED, mkdir(text("%s/new", dir), 0700), "mkdir beside it");
    refused(LOCKED, symlink("x", text("%s/new", dir)), "symlink beside it");
    refused(LOCKED, mknod(text("%s/new", dir), S_IFIFO | 0600, 0), "FIFO beside it");
    refused(LOCKED, open(text("%s/new", dir), O_CREAT | O_WRONLY | O_CLOEXEC, 0600),
            "create beside it");
    refused(LOCKED " EOPNOTSUPP", open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), "tmpfile");
    return verdict();
}

/* ---- F07, F38 to F40: names that steer other programs ---- */

static int plant(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        char copy[PATH_MAX];
        int fd;

        snprintf(copy, sizeof copy, "%s", argv[i]);
        if (mkdir(dirname(copy), 0700) == 0)
            note("mkdir %s: done", copy);
        unlink(argv[i]);
        fd = open(argv[i], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0755);
        if (refused(LOCKED " EBUSY ENOENT ENOTDIR EISDIR", fd, "plant %s", argv[i])) {
            (void)!write(fd, "#planted\n", 9);
            close(fd);
        }
        refused(LOCKED " EBUSY ENOENT ENOTDIR EXDEV EISDIR", rename("seed", argv[i]),
                "rename over %s", argv[i]);
    }
    return verdict();
}

/* DIR: a directory of protected things; it must not be moved away and replaced. */
static int replace(int argc, char **argv)
{
    const char *held = LOCKED " EBUSY EXDEV ENOTEMPTY";

    for (int i = 0; i < argc; i++) {
        if (refused(held, rename(argv[i], "replaced"), "rename %s", argv[i]))
            rename("replaced", argv[i]);
        refused(held, rmdir(argv[i]), "rmdir %s", argv[i]);
    }
    return verdict();
}

/* DIR, TARGET: moves a directory away and puts a link in its place. */
static int reroute(int argc, char **argv)
{
    if (argc < 2)
        return 99;
    note("rename %s: %s", argv[0],
         rename(argv[0], text("%s.old", argv[0])) ? strerrorname_np(errno) : "done");
    note("symlink %s: %s", argv[0], symlink(argv[1], argv[0]) ? strerrorname_np(errno) : "done");
    return 0;
}

/* DIR, NAME..: moves a directory away and makes one like it, with these files in it. */
static int supplant(int argc, char **argv)
{
    if (argc < 2)
        return 99;
    note("rename %s: %s", argv[0],
         rename(argv[0], text("%s.old", argv[0])) ? strerrorname_np(errno) : "done");
    mkdir(argv[0], 0755);
    for (int i = 1; i < argc; i++) {
        const char *path = text("%s/%s", argv[0], argv[i]);
        char copy[PATH_MAX];
        int fd;

        snprintf(copy, sizeof copy, "%s", path);
        mkdir(dirname(copy), 0755);
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
        note("plant %s: %s", path, fd < 0 ? strerrorname_np(errno) : "done");
        (void)!write(fd, "#planted\n", 9);
        close(fd);
    }
    return 0;
}

/* FILE, TEXT: in place of what is there. */
static int rewrite(int argc, char **argv)
{
    int fd;

    if (argc < 2)
        return 99;
    note("rename %s: %s", argv[0],
         rename(argv[0], text("%s.old", argv[0])) ? strerrorname_np(errno) : "done");
    fd = open(argv[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    note("write %s: %s", argv[0], fd < 0 ? strerrorname_np(errno) : "done");
    (void)!write(fd, argv[1], strlen(argv[1]));
    return 0;
}

/* ---- F43: watching ---- */

static int watch(int argc, char **argv)
{
    int fd = inotify_init1(IN_CLOEXEC);

    refused("EPERM", syscall(SYS_fanotify_init, 0, 0), "fanotify_init");
    refused("EPERM", syscall(SYS_fanotify_init, FAN_REPORT_FID | FAN_CLASS_NOTIF, 0),
            "fanotify_init for anybody");
    for (int i = 0; fd >= 0 && i < argc; i++)
        refused(HIDDEN, inotify_add_watch(fd, argv[i], IN_ALL_EVENTS), "watch %s", argv[i]);
    return verdict();
}

/* clang-format off */
const struct act acts_files[] = {
    { "F01", "outside",         outside },
    { "F02", "denied",          denied },
    { "F03", "denied_write",    denied_write },
    { "F04", "denied_move",     denied_move },
    { "F05", "denied_ancestor", denied_ancestor },
    { "F06", "unreadable",      unreadable },
    { "F07", "plant",           plant },
    { "F08", "retarget",        retarget },
    { "F10", "hardlink",        hardlink },
    { "F25", "truncate",        truncated },
    { "F26", "readonly",        readonly },
    { "F38", "replace",         replace },
    { "F07", "reroute",         reroute },
    { "F38", "supplant",        supplant },
    { "F40", "rewrite",         rewrite },
    { "F43", "watch",           watch },
    { 0 },
};
/* clang-format on */
