/* SPDX-License-Identifier: Apache-2.0 */
/* box_locks.c: identity, powers, Landlock and seccomp of a box. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box_parts.h"
#include "filter.h"

/* Of <linux/landlock.h>, whose copy in Debian 12 is older than ports and scopes. */
struct landlock_ruleset {
    uint64_t fs, net, scoped;
};
struct landlock_path {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
enum { LANDLOCK_PATH = 1, LANDLOCK_ALL = (1 << 16) - 1, LANDLOCK_READ = 1 | 4 | 8 };

static struct filter filter;
static char work[200];
static char uid_line[40], gid_line[40];

void must(long r, const char *what)
{
    char line[300];
    int n;

    if (r >= 0)
        return;
    n = snprintf(line, sizeof line, "box: %s: %s\n", what, strerror(errno));
    (void)!write(2, line, (size_t)n);
    _exit(99);
}

void locks_prepare(const char *directory)
{
    filter_build(&filter);
    (void)snprintf(work, sizeof work, "%s", directory);
    (void)snprintf(uid_line, sizeof uid_line, "%d %d 1", (int)getuid(), (int)getuid());
    (void)snprintf(gid_line, sizeof gid_line, "%d %d 1", (int)getgid(), (int)getgid());
}

static void write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    must(fd, path);
    must(write(fd, text, strlen(text)), path);
    close(fd);
}

void map_ids(void)
{
    write_to("/proc/self/setgroups", "deny");
    write_to("/proc/self/uid_map", uid_line);
    write_to("/proc/self/gid_map", gid_line);
}

void lock_powers(bool lean)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { 0 };
    struct rlimit no_core = { 0, 0 }, files = { 1024, 1024 };

    must(setrlimit(RLIMIT_CORE, &no_core), "rlimit");
    must(setrlimit(RLIMIT_NOFILE, &files), "rlimit");
    if (lean)
        must(prctl(PR_SET_SECUREBITS, SECURE_ALL_BITS | SECURE_ALL_LOCKS, 0, 0, 0), "securebits");
    for (int power = 0; power <= CAP_LAST_CAP && !lean; power++)
        (void)prctl(PR_CAPBSET_DROP, power, 0, 0, 0);
    must(syscall(SYS_capset, &head, none), "capset");
}

void lock_paths(void)
{
    const struct {
        const char *path;
        uint64_t allowed;
    } rules[] = {
        { "/usr", LANDLOCK_READ },     { "/etc", LANDLOCK_READ },
        { "/proc", LANDLOCK_READ },    { "/dev", LANDLOCK_READ | 2 | 1 << 15 },
        { "/tmp", LANDLOCK_ALL >> 1 }, { work, LANDLOCK_ALL >> 1 },
    };
    struct landlock_ruleset all = { LANDLOCK_ALL, 3, 3 };
    int set = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);

    must(chdir(work), work);
    must(set, "landlock_create_ruleset");
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct landlock_path path = { rules[i].allowed, open(rules[i].path, O_PATH | O_CLOEXEC) };

        if (path.parent < 0)
            continue;
        must(syscall(SYS_landlock_add_rule, set, LANDLOCK_PATH, &path, 0), rules[i].path);
        close(path.parent);
    }
    must(syscall(SYS_landlock_restrict_self, set, 0), "landlock_restrict_self");
    close(set);
}

void lock_filter(bool one)
{
    static struct sock_filter pass = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
    struct sock_fprog program = { one ? 1 : filter.n, one ? &pass : filter.code };

    must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), "seccomp");
}
