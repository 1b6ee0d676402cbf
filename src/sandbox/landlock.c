/* SPDX-License-Identifier: Apache-2.0 */
/* landlock.c: rules for the version of Landlock that the running kernel has.
 *
 * The rights and structures are given here: the headers of stable systems are older than their
 * kernels, and a version that is not known yet must not lose us those that are.
 */
#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RULE_PATH_BENEATH = 1, CREATE_VERSION = 1 };

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_V1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,     /* since version 2 */
    FS_TRUNCATE = 1 << 14,  /* 3 */
    FS_IOCTL_DEV = 1 << 15, /* 5 */
    FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
    SCOPE_ALL = 3, /* 6: abstract sockets and signals stay within */
};

struct ruleset {
    uint64_t fs, net, scoped;
};

struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/* clang-format off */
static const struct {
    int version;
    uint64_t fs;
} rights[] = {
    { 1, FS_V1 },
    { 2, FS_REFER },
    { 3, FS_TRUNCATE },
    { 5, FS_IOCTL_DEV },
};

/* What every run has besides its grants. */
static const struct {
    const char *path;
    uint64_t fs;
} always[] = {
    { "/",     FS_READ_DIR },
    { "/dev",  FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE },
    { "/etc",  FS_READ_FILE | FS_READ_DIR },
    { "/proc", FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE },
};
/* clang-format on */

int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

    return version < 0 ? 0 : (int)version;
}

static int allow(int ruleset, const char *path, uint64_t fs)
{
    struct beneath rule = { .allowed = fs, .parent = open(path, O_PATH | O_CLOEXEC) };
    struct stat s;
    long done;

    if (rule.parent < 0 || fstat(rule.parent, &s) != 0)
        return -1;
    if (!S_ISDIR(s.st_mode))
        rule.allowed &= FS_OF_FILES;
    done = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    (void)close(rule.parent);
    return (int)done;
}

static int allow_all(const struct jail *jail, int ruleset, uint64_t handled)
{
    for (size_t i = 0; i < COUNT(always); i++)
        if (allow(ruleset, always[i].path, always[i].fs & handled) != 0)
            return -1;
    for (size_t i = 0; i < jail->rule_count; i++) {
        uint64_t fs = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;

        if (jail->rules[i].writable)
            fs = handled & ~(uint64_t)FS_IOCTL_DEV;
        if (allow(ruleset, jail->rules[i].path, fs) != 0)
            return -1;
    }
    return 0;
}

int landlock_enter(const struct jail *jail)
{
    struct ruleset all = { 0 };
    int version = landlock_version(), ruleset, done;

    if (version == 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    for (size_t i = 0; i < COUNT(rights); i++)
        if (version >= rights[i].version)
            all.fs |= rights[i].fs;
    if (version >= 6)
        all.scoped = SCOPE_ALL;
    ruleset = (int)syscall(SYS_landlock_create_ruleset, &all,
                           version >= 6 ? sizeof all : sizeof all.fs, 0);
    if (ruleset < 0)
        return -1;
    done = allow_all(jail, ruleset, all.fs);
    if (done == 0)
        done = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    (void)close(ruleset);
    return done;
}
