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
    NET_ALL = 3,                       /* 4: listening and connecting by TCP */
    SCOPE_SIGNALS = 1 << 1,            /* 6: signals stay within, .. */
    SCOPE_ALL = 1 << 0 | SCOPE_SIGNALS /* .. and so do abstract sockets */
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
static const struct fixed_rule {
    const char *path;
    uint64_t fs;
} always[] = {
    { "/",     FS_READ_DIR },
    { "/dev",  FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE },
    { "/etc",  FS_READ_FILE | FS_READ_DIR },
    { "/proc", FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE },
}, hosted[] = { /* where the disk is the host's, nothing of its /proc and of /dev only these */
    { "/dev/full",    FS_READ_FILE | FS_WRITE_FILE },
    { "/dev/null",    FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE },
    { "/dev/random",  FS_READ_FILE },
    { "/dev/urandom", FS_READ_FILE },
    { "/dev/zero",    FS_READ_FILE | FS_WRITE_FILE },
};
/* clang-format on */

int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

    return version < 0 ? 0 : (int)version;
}

/* A path on the host's own disk may lead elsewhere by now: then it is not what was granted. */
static bool is_it(const struct jail_rule *rule, const struct stat *found)
{
    errno = EACCES;
    return rule->ino == 0 || (found->st_ino == rule->ino && found->st_dev == rule->dev);
}

static int allow(int ruleset, const struct jail_rule *rule, uint64_t fs)
{
    struct beneath beneath = { .allowed = fs, .parent = open(rule->path, O_PATH | O_CLOEXEC) };
    struct stat s;
    long done = -1;

    if (beneath.parent < 0)
        return -1;
    if (fstat(beneath.parent, &s) == 0 && is_it(rule, &s)) {
        if (!S_ISDIR(s.st_mode))
            beneath.allowed &= FS_OF_FILES;
        done = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &beneath, 0);
    }
    (void)close(beneath.parent);
    return (int)done;
}

static int allow_each(int ruleset, const struct fixed_rule *rows, size_t n, uint64_t handled)
{
    for (size_t i = 0; i < n; i++)
        if (allow(ruleset, &(struct jail_rule){ .path = rows[i].path }, rows[i].fs & handled) != 0)
            return -1;
    return 0;
}

static int allow_all(const struct jail *jail, int ruleset, uint64_t handled)
{
    int done = jail->hosted ? allow_each(ruleset, hosted, COUNT(hosted), handled)
                            : allow_each(ruleset, always, COUNT(always), handled);

    for (size_t i = 0; done == 0 && i < jail->rule_count; i++) {
        uint64_t fs = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;

        if (jail->rules[i].writable)
            fs = handled & ~(uint64_t)FS_IOCTL_DEV;
        done = allow(ruleset, &jail->rules[i], fs);
    }
    return done;
}

static int restrict_self(int ruleset)
{
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

int landlock_hold_signals(void)
{
    struct ruleset scope = { .scoped = SCOPE_SIGNALS };
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &scope, sizeof scope, 0), done;

    if (ruleset < 0)
        return -1;
    done = restrict_self(ruleset);
    (void)close(ruleset);
    return done;
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
    if (version >= 4 && jail->hosted)
        all.net = NET_ALL;
    ruleset = (int)syscall(SYS_landlock_create_ruleset, &all,
                           version >= 6 ? sizeof all : sizeof all.fs, 0);
    if (ruleset < 0)
        return -1;
    done = allow_all(jail, ruleset, all.fs);
    if (done == 0)
        done = restrict_self(ruleset);
    (void)close(ruleset);
    return done;
}
