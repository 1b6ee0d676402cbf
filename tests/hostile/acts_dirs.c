/* SPDX-License-Identifier: Apache-2.0 */
/* acts_dirs.c: filling directories, and leaving in them what makes a collector stumble. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static int create(const char *path, const char *content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (fd >= 0 && content)
        (void)!write(fd, content, strlen(content));
    return fd;
}

/* ---- F20: devices ---- */

static int devices(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; mode_t type; unsigned major, minor; } rows[] = {
        { "mem", S_IFCHR, 1, 1 }, { "null", S_IFCHR, 1, 3 }, { "kmsg", S_IFCHR, 1, 11 },
        { "sda", S_IFBLK, 8, 0 }, { "vda", S_IFBLK, 254, 0 }, { "fuse", S_IFCHR, 10, 229 },
    };
    /* clang-format on */
    for (int i = 0; i < argc; i++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const char *path = text("%s/%s", argv[i], rows[k].name);

            if (refused("EPERM EACCES EROFS",
                        mknod(path, rows[k].type | 0666, makedev(rows[k].major, rows[k].minor)),
                        "mknod %s", path))
                refused("EACCES EPERM", open(path, O_RDWR | O_CLOEXEC), "open %s", path);
        }
    }
    return verdict();
}

/* ---- F27 to F29: private places, and their size ---- */

/* `HOME` is whatever the home is. */
static const char *place(const char *dir)
{
    const char *home = getenv("HOME");

    return strcmp(dir, "HOME") == 0 ? (home ? home : "no home") : dir;
}

/* NAME, DIR..: leaves a file of that name in each; each must be memory, and small. */
static int leave(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *dir = place(argv[i]);
        struct statfs fs = { 0 };

        works(create(text("%s/%s", dir, argv[0]), "left behind\n"), "leave in %s", dir);
        works(statfs(dir, &fs), "statfs %s", dir);
        holds(fs.f_type == 0x01021994, "%s is a tmpfs", dir);
        holds(fs.f_blocks > 0 && (long long)fs.f_blocks * fs.f_bsize <= 4LL << 30,
              "%s has a size: %lld bytes", dir, (long long)fs.f_blocks * fs.f_bsize);
        holds(fs.f_files > 0 && fs.f_files < 10000000, "%s has a number of files: %lld", dir,
              (long long)fs.f_files);
    }
    return verdict();
}

static int absent(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        refused("ENOENT", access(text("%s/%s", place(argv[i]), argv[0]), F_OK), "find in %s",
                argv[i]);
    return verdict();
}

/* FILE: writes until it is refused. */
static int fill(int argc, char **argv)
{
    static char block[1 << 16];
    int fd = create(argc ? argv[0] : "", NULL);
    long long total = 0;
    ssize_t n;

    signal(SIGXFSZ, SIG_IGN);
    memset(block, 'x', sizeof block);
    while ((n = write(fd, block, sizeof block)) > 0)
        total += n;
    refused("ENOSPC EFBIG EDQUOT", n, "fill %s", argv[0]);
    note("%lld bytes", total);
    return verdict();
}

/* FILE: sizes that no disk has. */
static int sparse(int argc, char **argv)
{
    const char *wanted = "EFBIG ENOSPC EINVAL EDQUOT";
    int fd = create(argc ? argv[0] : "", NULL);

    signal(SIGXFSZ, SIG_IGN);
    refused(wanted, ftruncate(fd, 0x7fffffffffffffff), "8 EB");
    refused(wanted, ftruncate(fd, 1LL << 50), "1 PB");
    refused(wanted, pwrite(fd, "x", 1, 100LL << 30), "a byte at 100 GB");
    refused(wanted, fallocate(fd, 0, 0, 100LL << 30), "100 GB");
    return verdict();
}

/* DIR, N: so many empty files, by short names. */
static int many(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 0, made = 0;
    int dir, fd = 0;

    mkdir(argv[0], 0755);
    dir = open(argv[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (; fd >= 0 && made < count; made++) {
        fd = openat(dir, text("%07ld", made), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        if (fd >= 0)
            close(fd);
    }
    note("%ld files: %s", made - (fd < 0), fd < 0 ? strerrorname_np(errno) : "all");
    return 0;
}

/* DIR: until it is refused. */
static int inodes(int argc, char **argv)
{
    long made = 0;
    int fd;

    for (; (fd = open(text("%s/%ld", argv[0], made), O_CREAT | O_CLOEXEC, 0600)) >= 0; made++) {
        close(fd);
        if (made == 10000000)
            break;
    }
    refused("ENOSPC EDQUOT", fd, "the next file");
    note("%ld files", made);
    return argc == 1 ? verdict() : 99;
}

/* ---- F30, F31: trees ---- */

/* DIR, N: so deep, each with a name of 255 bytes if there is a third argument. */
static int deep(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 0, made = 0;
    char name[256] = "d";

    if (argc > 2)
        memset(name, 'd', 255);
    mkdir(argv[0], 0755);
    while (chdir(made ? name : argv[0]) == 0 && made < count && mkdir(name, 0755) == 0)
        made++;
    note("%ld directories: %s", made, made < count ? strerrorname_np(errno) : "all");
    return create("bottom", "bottom\n") < 0;
}

/* Every byte a name can have, and those a shell, a terminal or a JSON writer would stumble over. */
static int names(int argc, char **argv)
{
    static const char *const rows[] = {
        "-rf", "new\nline", "esc\033[31m", "bad\377\376",  "quote\"'\\",   " ",
        "~",   "{\"a\":1}", "\001\177",    "\302\233csi",  "nbsp\302\240", "*",
        "?",   "%n%s",      "a\tb",        "\340\200\257",
    };
    char full[256];

    memset(full, 'n', 255);
    full[255] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        works(create(rows[i], "x"), "a name with %zu bytes", strlen(rows[i]));
    works(create(full, "x"), "a name with 255 bytes");
    return argc && argv ? 99 : verdict();
}

static int locked(int argc, char **argv)
{
    int flags = FS_IMMUTABLE_FL, fd = create("immutable", "x");

    works(mkdir("shut", 0755), "mkdir");
    works(create("shut/file", "x"), "create");
    works(chmod("shut/file", 0), "file without a mode");
    works(chmod("shut", 0), "directory without a mode");
    refused(NULL, ioctl(fd, FS_IOC_SETFLAGS, &flags), "immutable");
    return argc && argv ? 99 : verdict();
}

/* ---- F32 to F37: where output is expected ---- */

static int fifo(int argc, char **argv)
{
    return argc == 1 && works(mkfifo(argv[0], 0644), "FIFO") ? 0 : 1;
}

static int socket_file(int argc, char **argv)
{
    return argc == 1 && works(mknod(argv[0], S_IFSOCK | 0666, 0), "socket") ? 0 : 1;
}

/* TARGET, NAME */
static int link_to(int argc, char **argv)
{
    return argc == 2 && works(symlink(argv[0], argv[1]), "symlink") ? 0 : 1;
}

/* DIR, LINK, NAME: DIR/NAME is a file, LINK leads to DIR. */
static int link_dir(int argc, char **argv)
{
    if (argc < 3)
        return 99;
    mkdir(argv[0], 0755);
    works(create(text("%s/%s", argv[0], argv[2]), "through a link\n"), "file");
    works(symlink(argv[0], argv[1]), "symlink");
    return verdict();
}

/* NAME, TARGET: a daemon turns NAME into a link and back, for ever; this process ends. */
static int flip(int argc, char **argv)
{
    if (argc < 2)
        return 99;
    close(create("file", "mine\n"));
    close(create(argv[0], "mine\n"));
    if (fork() != 0)
        return 0;
    setsid();
    for (;;) {
        (void)!symlink(argv[1], "flip");
        rename("flip", argv[0]);
        (void)!link("file", "flip");
        rename("flip", argv[0]);
    }
}

/* A, B: outside the sandbox; for ever. */
static int swap(int argc, char **argv)
{
    while (argc == 2)
        syscall(SYS_renameat2, AT_FDCWD, argv[0], AT_FDCWD, argv[1], 2 /* exchange */);
    return 99;
}

/* NAME, OTHER: one file, two names. */
static int link_twice(int argc, char **argv)
{
    if (argc < 2)
        return 99;
    close(create(argv[0], "two names\n"));
    works(link(argv[0], argv[1]), "link");
    return verdict();
}

/* FILE, BYTES */
static int big(int argc, char **argv)
{
    static char block[1 << 16];
    long long left = argc > 1 ? atoll(argv[1]) : 0;
    int fd = create(argv[0], NULL);

    for (; left > 0 && fd >= 0; left -= (long long)sizeof block) {
        size_t n = left < (long long)sizeof block ? (size_t)left : sizeof block;

        if (write(fd, block, n) != (ssize_t)n)
            return 1;
    }
    return fd < 0;
}

/* clang-format off */
const struct act acts_dirs[] = {
    { "F20", "devices",     devices },
    { "F27", "leave",       leave },
    { "F28", "absent",      absent },
    { "F29", "fill",        fill },
    { "F29", "sparse",      sparse },
    { "F29", "inodes",      inodes },
    { "F30", "deep",        deep },
    { "F30", "names",       names },
    { "F31", "locked",      locked },
    { "F12", "swap",        swap },
    { "F32", "fifo",        fifo },
    { "F32", "socket_file", socket_file },
    { "F33", "link_to",     link_to },
    { "F33", "link_twice",  link_twice },
    { "F34", "link_dir",    link_dir },
    { "F35", "flip",        flip },
    { "F37", "big",         big },
    { "F37", "many",        many },
    { 0 },
};
/* clang-format on */
