/* SPDX-License-Identifier: Apache-2.0 */
/* mend.c: the table of advice; the first row that fits is given. */
#include "sandbox/mend.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/num.h"

enum { SETTING_MAX = 4096, NAMESPACES_ENOUGH = 10000 };

static const char open_container[] =
    "Something around writ filters its system calls, as containers do. There: docker run "
    "--security-opt seccomp=unconfined --security-opt systempaths=unconfined";

struct advice {
    enum layer layer;
    const char *where;           /* NULL: anywhere */
    int sys;                     /* 0: whatever the kernel said */
    const char *setting, *value; /* one that stands in the way; NULL: none is asked for */
    bool users;                  /* it does so for ordinary users only */
    const char *mend;
};

/* clang-format off */
static const struct advice settings[] = {
    { LAYER_USER, NULL,   0, "kernel/apparmor_restrict_unprivileged_userns", "1", true, "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give writ an AppArmor profile with the line: userns," },
    { LAYER_USER, "user", 0, "kernel/unprivileged_userns_clone",             "0", true, "sysctl kernel.unprivileged_userns_clone=1" },
    { LAYER_SECCOMP, "trace", 0, "kernel/yama/ptrace_scope", "2", true, "sysctl kernel.yama.ptrace_scope=1: a clock is held by tracing what is run" },
    { LAYER_SECCOMP, "trace", 0, "kernel/yama/ptrace_scope", "3", false, "Boot with kernel.yama.ptrace_scope=1: a clock is held by tracing what is run, and 3 forbids that until the next boot." },
};

static const struct advice failures[] = {
    { LAYER_USER,     "user",    EPERM,      .mend = "Run writ where user namespaces are allowed: not in a chroot, nor in a container that forbids them." },
    { LAYER_USER,     "identity", EPERM,     .mend = "Give this user namespace more than one id (newuidmap and newgidmap, by /etc/subuid and /etc/subgid), or run writ there as an ordinary user." },
    { LAYER_USER,     "owners",  0,          .mend = "Give the directory to the user who should run the command (chown), or run writ as that user." },
    { LAYER_MOUNT,    "proc",    EPERM,      .mend = "A container hides parts of /proc. There: docker run --security-opt systempaths=unconfined, or podman run --security-opt unmask=ALL" },
    { LAYER_MOUNT,    "layers",  EINVAL,     .mend = "Write mode cow needs Linux 6.6 or newer with overlayfs, and no other file system mounted below a directory that is written." },
    { LAYER_MOUNT,    "layers",  ENODEV,     .mend = "Write mode cow needs a kernel with overlayfs: modprobe overlay" },
    { LAYER_MOUNT,    "layers",  0,          .mend = "Use --write-mode direct, which writes to the disk itself." },
    { LAYER_MOUNT,    "trees",   EPERM,      .mend = "Root of a user namespace needs mounts of its own too: unshare -m writ .., or run writ there as an ordinary user." },
    { LAYER_SECCOMP,  NULL,      EBUSY,      .mend = "Another supervisor listens to the system calls of this tree already: run writ outside of it." },
    { LAYER_LANDLOCK, NULL,      ENOSYS,     .mend = "Use Linux 5.13 or newer, built with CONFIG_SECURITY_LANDLOCK." },
};
/* clang-format on */

struct surroundings surroundings_now(void)
{
    return (struct surroundings){ .settings = "/proc/sys",
                                  .lsm = "/sys/kernel/security/lsm",
                                  .root = geteuid() == 0,
                                  .filtered = prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER };
}

/* The text of a setting without its line end; empty where it cannot be read. */
static struct str setting(const char *path, struct arena *a)
{
    struct str text;
    struct error e;

    if (!fs_read(path, SETTING_MAX, a, &text, &e))
        return (struct str){ "", 0 };
    while (text.n && text.s[text.n - 1] == '\n')
        text.n--;
    return text;
}

static bool fits(const struct advice *row, const struct ailment *ill, const struct surroundings *s,
                 struct arena *a)
{
    if (row->layer != ill->layer || (row->sys && row->sys != ill->sys) || (row->users && s->root) ||
        (row->where && strcmp(row->where, ill->where) != 0))
        return false;
    return !row->setting ||
           str_is(setting(arena_printf(a, "%s/%s", s->settings, row->setting), a), row->value);
}

static const char *find(const struct advice *rows, size_t n, const struct ailment *ill,
                        const struct surroundings *s, struct arena *a)
{
    for (size_t i = 0; i < n; i++)
        if (fits(&rows[i], ill, s, a))
            return rows[i].mend;
    return NULL;
}

/* Each kind of namespace has a number of its own; ENOSPC says that all of them are in use. */
static const char *more_namespaces(const struct ailment *ill, const struct surroundings *s,
                                   struct arena *a)
{
    int64_t most;
    struct str text =
        setting(arena_printf(a, "%s/user/max_%s_namespaces", s->settings, ill->where), a);

    if (!num_int(text, &most) || (most > 0 && ill->sys != ENOSPC))
        return NULL;
    most = most < NAMESPACES_ENOUGH ? NAMESPACES_ENOUGH : 2 * most;
    return arena_printf(a, "sysctl user.max_%s_namespaces=%" PRId64, ill->where, most);
}

/* The kernel has it, and was booted without it. */
static const char *boot_landlock(const struct surroundings *s, struct arena *a)
{
    struct str now = setting(s->lsm, a);

    return arena_printf(a, "Boot the kernel with: lsm=landlock%s%.*s", now.n ? "," : "",
                        STR_ARG(now));
}

const char *mend_for(const struct ailment *ill, const struct surroundings *s, struct arena *a)
{
    const char *mend = find(settings, COUNT(settings), ill, s, a);

    if (!mend)
        mend = more_namespaces(ill, s, a);
    if (!mend && s->filtered)
        mend = open_container;
    if (!mend && ill->layer == LAYER_LANDLOCK && ill->sys == EOPNOTSUPP)
        mend = boot_landlock(s, a);
    if (!mend)
        mend = find(failures, COUNT(failures), ill, s, a);
    return mend ? mend : layers[ill->layer].mend;
}

const char *mend_where(size_t i, enum layer *layer)
{
    const struct advice *row = i < COUNT(settings) ? &settings[i]
                               : i < COUNT(settings) + COUNT(failures)
                                   ? &failures[i - COUNT(settings)]
                                   : NULL;

    if (!row)
        return NULL;
    *layer = row->layer;
    return row->where ? row->where : "";
}
