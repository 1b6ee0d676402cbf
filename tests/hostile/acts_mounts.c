/* SPDX-License-Identifier: Apache-2.0 */
/* acts_mounts.c: climbing out of the root, and building another one. */
#include "acts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REMOUNT = 32, BIND = 4096, RDONLY = 1, DETACH = 2 }; /* of mount(2) and umount2(2) */

static long mount_it(const char *what, const char *where, const char *type, unsigned long flags)
{
    return syscall(SYS_mount, what, where, type, flags, NULL);
}

/* ---- F13: by /proc ---- */

static void climb_from(const char *start, const char *path)
{
    int fd = open(text("%s%s", start, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (refused(NULL, fd, "open %s%s", start, path))
        spill(fd);
}

static void climb_by_process(const char *pid, const char *path)
{
    char start[PATH_MAX];
    struct dirent *entry;
    DIR *dir;

    climb_from(text("/proc/%.20s/root", pid), path);
    climb_from(text("/proc/%.20s/cwd/../../../../../../../../../..", pid), path);
    climb_from(text("/proc/%.20s/cwd", pid), path);
    snprintf(start, sizeof start, "/proc/%.20s/fd", pid);
    dir = opendir(start);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(dir))
            continue;
        climb_from(text("%s/%.20s", start, entry->d_name), path);
        climb_from(text("%s/%.20s/..", start, entry->d_name), path);
    }
    if (dir)
        closedir(dir);
}

static int climb(int argc, char **argv)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    if (!argc || !holds(dir, "/proc is there"))
        return 99;
    climb_by_process("1", argv[0]);
    climb_by_process("thread-self", argv[0]);
    while ((entry = readdir(dir))) {
        if (strcmp(entry->d_name, "self") == 0 || atoi(entry->d_name) > 0)
            climb_by_process(entry->d_name, argv[0]);
    }
    closedir(dir);
    return verdict();
}

/* ---- F15: by a handle ---- */

static int handles(int argc, char **argv)
{
    struct {
        struct file_handle head;
        uint32_t id[2];
    } handle = { { .handle_bytes = 8, .handle_type = 1 }, { 2, 0 } };
    int where[3] = { AT_FDCWD, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                     open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
    int id = 0;

    for (int i = 0; i < 3; i++) {
        for (uint32_t inode = 2; inode < 14; inode += 11) {
            handle.id[0] = inode; /* the roots of ext4 and of others */
            refused("EPERM", syscall(SYS_open_by_handle_at, where[i], &handle, O_RDONLY),
                    "open_by_handle_at, inode %u", inode);
        }
    }
    handle.head.handle_bytes = 8;
    refused("EPERM", syscall(SYS_name_to_handle_at, AT_FDCWD, ".", &handle, &id, 0),
            "name_to_handle_at");
    return argc && argv ? 99 : verdict();
}

/* ---- F16, F18: mounts ---- */

/* FILE, DIR..: a file that may only be read, and mounts to make writable. */
static int remount(int argc, char **argv)
{
    struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV };
    int fs;

    for (int i = 1; i < argc; i++) {
        const char *dir = argv[i];

        refused("EPERM", mount_it(NULL, dir, NULL, REMOUNT | BIND), "remount %s", dir);
        refused("EPERM", mount_it(NULL, dir, NULL, REMOUNT), "remount the file system of %s", dir);
        refused("EPERM", syscall(SYS_mount_setattr, AT_FDCWD, dir, 0, &attr, sizeof attr),
                "mount_setattr %s", dir);
        refused(
            "EPERM",
            syscall(SYS_mount_setattr, AT_FDCWD, dir, 0x8000 /* recursive */, &attr, sizeof attr),
            "mount_setattr below %s", dir);
        fs = (int)syscall(SYS_fspick, AT_FDCWD, dir, 0);
        refused("EPERM", fs, "fspick %s", dir);
        refused("EPERM", syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, "rw", NULL, 0), "fsconfig");
        refused("EPERM", syscall(SYS_umount2, dir, DETACH), "umount %s", dir);
    }
    refused("EROFS EACCES", open(argc ? argv[0] : "", O_WRONLY | O_CLOEXEC), "open to write");
    return verdict();
}

static int mounts(int argc, char **argv)
{
    static const char *const types[] = { "tmpfs",   "proc",    "sysfs", "devpts", "overlay",
                                         "fuse",    "cgroup2", "ramfs", "ext4",   "devtmpfs",
                                         "debugfs", "bpf",     "mqueue" };

    mkdir("here", 0700);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        refused("EPERM", mount_it(types[i], "here", types[i], 0), "mount %s", types[i]);
        refused("EPERM", syscall(SYS_fsopen, types[i], 0), "fsopen %s", types[i]);
    }
    refused("EPERM", mount_it("/", "here", NULL, BIND), "bind /");
    refused("EPERM", mount_it("/proc", "here", NULL, BIND), "bind /proc");
    refused("EPERM", syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* clone */), "open_tree");
    refused("EPERM", syscall(SYS_fsmount, -1, 0, 0), "fsmount");
    refused("EPERM", syscall(SYS_move_mount, AT_FDCWD, "/usr", AT_FDCWD, "here", 0), "move_mount");
    refused("EPERM ENOSYS", syscall(467, AT_FDCWD, "/", 1, NULL, 0), "open_tree_attr");
    rmdir("here");
    return argc && argv ? 99 : verdict();
}

/* ---- F17, P13: namespaces of its own ---- */

/* clang-format off */
static const struct { const char *name; int flag; } spaces[] = {
    { "user", CLONE_NEWUSER }, { "mnt", CLONE_NEWNS }, { "pid", CLONE_NEWPID }, { "net", CLONE_NEWNET },
    { "ipc", CLONE_NEWIPC }, { "uts", CLONE_NEWUTS }, { "cgroup", CLONE_NEWCGROUP }, { "time", 0x80 },
};
/* clang-format on */

static long clone_with(unsigned long flags)
{
    long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waited((int)pid);
    return pid;
}

/* DIR..: the masks to take off. */
static int userns(int argc, char **argv)
{
    refused("EPERM", clone_with(CLONE_NEWUSER | CLONE_NEWNS), "clone, user and mount");
    refused("EPERM", clone_with(CLONE_NEWUSER), "clone, user");
    refused("EPERM", unshare(CLONE_NEWUSER), "unshare, user");
    refused("EPERM", unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare, user and mount");
    for (int i = 0; i < argc; i++) {
        refused("EPERM EINVAL", syscall(SYS_umount2, argv[i], DETACH), "umount %s", argv[i]);
        refused("EPERM EINVAL", mount_it(NULL, argv[i], NULL, REMOUNT | BIND), "remount %s",
                argv[i]);
    }
    return verdict();
}

static int namespaces(int argc, char **argv)
{
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, more[6];
    } args = { .exit_signal = SIGCHLD };
    long pid;

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        int fd = open(text("/proc/self/ns/%s", spaces[i].name), O_RDONLY | O_CLOEXEC);

        refused("EPERM", unshare(spaces[i].flag), "unshare %s", spaces[i].name);
        if (spaces[i].flag != 0x80)
            refused("EPERM", clone_with((unsigned long)spaces[i].flag), "clone %s", spaces[i].name);
        refused("EPERM", syscall(SYS_setns, fd, 0), "setns %s", spaces[i].name);
        args.flags = (uint64_t)spaces[i].flag;
        pid = syscall(SYS_clone3, &args, sizeof args);
        if (pid == 0)
            _exit(0);
        refused("ENOSYS", pid, "clone3 %s", spaces[i].name);
        close(fd);
    }
    refused("EPERM", unshare(CLONE_FILES | CLONE_NEWNET), "unshare files and net");
    return argc && argv ? 99 : verdict();
}

/* ---- F19: another root ---- */

static int chroots(int argc, char **argv)
{
    int up = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat found;

    mkdir("root", 0700);
    if (refused("EPERM", chroot("root"), "chroot") && fchdir(up) == 0) {
        for (int i = 0; i < 100; i++)
            (void)!chdir("..");
        note("climbed: %s", chroot(".") ? strerror(errno) : "done");
    }
    refused("EPERM", syscall(SYS_pivot_root, ".", "root"), "pivot_root");
    for (int fd = 3; fd < 1024; fd++) {
        if (fd != up && fstat(fd, &found) == 0)
            holds(!S_ISDIR(found.st_mode), "descriptor %d is no directory", fd);
    }
    rmdir("root");
    return argc && argv ? 99 : verdict();
}

/* ---- F44, R21: the kernel's own files ---- */

static int kernel_files(int argc, char **argv)
{
    static const char *const paths[] = {
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches",
        "/proc/sys/fs/binfmt_misc/register",
        "/proc/sysrq-trigger",
        "/proc/kcore",
        "/proc/kmsg",
        "/proc/kallsyms",
        "/proc/keys",
        "/proc/timer_list",
        "/proc/scsi/scsi",
        "/proc/bus/pci",
        "/proc/acpi/wakeup",
        "/proc/irq/default_smp_affinity",
        "/sys/kernel/uevent_helper",
        "/sys/power/state",
        "/sys/fs/cgroup/cgroup.procs",
        "/sys/kernel/security/lockdown",
        "/sys/firmware",
        "/dev/mem",
        "/dev/kmsg",
        "/dev/port",
        "/dev/vda",
        "/dev/sda",
        "/dev/fuse",
        "/dev/kvm",
        "/dev/net/tun",
        "/dev/loop-control",
        "/dev/ptmx",
    };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        refused("ENOENT EROFS EACCES EISDIR", open(paths[i], O_WRONLY | O_CLOEXEC), "write %s",
                paths[i]);
        refused("ENOENT EACCES", open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK), "read %s",
                paths[i]);
    }
    return argc && argv ? 99 : verdict();
}

static int cgroups(int argc, char **argv)
{
    static const char *const homes[] = { "", "/memory", "/pids", "/cpu", "/unified", "/systemd" };
    static const char *const files[] = { "cgroup.procs", "tasks",    "memory.limit_in_bytes",
                                         "memory.max",   "pids.max", "release_agent" };
    FILE *own = fopen("/proc/self/cgroup", "re");
    char row[512];

    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            refused("ENOENT EACCES EROFS",
                    open(text("/sys/fs/cgroup%s/%s", homes[i], files[k]), O_WRONLY | O_CLOEXEC),
                    "write %s/%s", homes[i], files[k]);
    }
    while (own && fgets(row, sizeof row, own)) {
        row[strcspn(row, "\n")] = 0;
        note("own group: %s", row); /* the runner knows which names may not be here */
    }
    if (own)
        fclose(own);
    return argc && argv ? 99 : verdict();
}

/* clang-format off */
const struct act acts_mounts[] = {
    { "F13", "climb",        climb },
    { "F15", "handles",      handles },
    { "F16", "remount",      remount },
    { "F17", "userns",       userns },
    { "F18", "mounts",       mounts },
    { "F19", "chroot",       chroots },
    { "F44", "kernel_files", kernel_files },
    { "P13", "namespaces",   namespaces },
    { "R21", "cgroups",      cgroups },
    { 0 },
};
/* clang-format on */
