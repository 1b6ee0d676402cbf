/* SPDX-License-Identifier: Apache-2.0 */
/* change.c: modes and times of files, changed by the supervisor on behalf of a command.
 *
 * Landlock has no rule for them, and a filter does not see what a path leads to. So the filter asks
 * here; the path is looked up once, where the command stands, and what was found is what is judged
 * and changed. A command that swaps names meanwhile changes nothing about that.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "sandbox/kernel.h"
#include "sandbox/process.h"

enum { FCHMODAT2 = 452, PAGE = 4096, MILLION = 1000000, MODE_BITS = 0777 | S_ISVTX };

/* How a call says its two times. */
enum said {
    SAID_NONE,
    SAID_TIMESPEC,
    SAID_TIMEVAL, /* seconds and millionths */
    SAID_UTIMBUF, /* seconds alone */
};

/* Which argument is what; -1: the call has none. */
struct change_call {
    int nr, dir, path, flags, mode, times;
    enum said said;
};

/* clang-format off */
static const struct change_call change_calls[] = {
    { SYS_fchmod,    0, -1, -1,  1, -1 },
    { SYS_fchmodat,  0,  1, -1,  2, -1 },
    { FCHMODAT2,     0,  1,  3,  2, -1 },
    { SYS_utimensat, 0,  1,  3, -1,  2, SAID_TIMESPEC },
#ifdef __x86_64__ /* their elders, which old libraries and some runtimes still call */
    { SYS_chmod,    -1,  0, -1,  1, -1 },
    { SYS_utime,    -1,  0, -1, -1,  1, SAID_UTIMBUF },
    { SYS_utimes,   -1,  0, -1, -1,  1, SAID_TIMEVAL },
    { SYS_futimesat, 0,  1, -1, -1,  2, SAID_TIMEVAL },
#endif
};
/* clang-format on */

/* One question. */
struct asked {
    const struct seccomp_notif *question;
    const struct change_call *call;
    int listener;
};

static uint64_t argument(const struct asked *c, int which)
{
    return which < 0 ? 0 : c->question->data.args[which];
}

/* The number of a process is given to another when it has died. */
static bool is_still_asked(const struct asked *c)
{
    uint64_t id = c->question->id;

    return ioctl(c->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* ---- what lies in its memory ---- */

static bool copy(const struct asked *c, uint64_t from, void *to, size_t n)
{
    struct iovec here = { to, n };
    struct iovec there = { .iov_len = n };

    memcpy(&there.iov_base, &from, sizeof there.iov_base);
    return process_vm_readv((pid_t)c->question->pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* Page by page: what lies behind the text may not be there. */
static bool copy_text(const struct asked *c, uint64_t from, char text[PATH_MAX])
{
    for (size_t n = 0; n < PATH_MAX;) {
        size_t part = PAGE - (from + n) % PAGE;

        part = part < PATH_MAX - n ? part : PATH_MAX - n;
        if (!copy(c, from + n, text + n, part)) {
            errno = EFAULT;
            return false;
        }
        if (memchr(text + n, '\0', part))
            return true;
        n += part;
    }
    errno = ENAMETOOLONG;
    return false;
}

/* ---- what the path leads to ---- */

static int dir_of(const struct asked *c)
{
    return c->call->dir < 0 ? AT_FDCWD : (int)argument(c, c->call->dir);
}

/* Is what is meant a descriptor? Times are also set without a path, modes are not. */
static bool is_without_path(const struct asked *c)
{
    return c->call->path < 0 ||
           (c->call->said != SAID_NONE && argument(c, c->call->path) == 0 && dir_of(c) != AT_FDCWD);
}

/* Where a relative path starts, or what is meant where there is none. */
static int open_start(const struct asked *c)
{
    int fd = dir_of(c);
    char path[64];

    if (fd == AT_FDCWD)
        (void)snprintf(path, sizeof path, "/proc/%u/cwd", c->question->pid);
    else
        (void)snprintf(path, sizeof path, "/proc/%u/fd/%d", c->question->pid, fd);
    fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        errno = errno == ENOENT ? EBADF : EPERM;
    return fd;
}

/* The writable tree that a path begins in. */
static const struct jail_rule *tree_of(const struct jail *jail, const char *path)
{
    for (size_t i = 0; i < jail->rule_count; i++)
        if (jail->rules[i].writable && path_is_in(path, jail->rules[i].path))
            return &jail->rules[i];
    errno = EACCES;
    return NULL;
}

/* Inside of a writable tree alone: what lies outside is not even looked up, and nobody can make us
 * wait for a disk that does not answer. */
static int open_below(const struct jail *jail, const char *path, uint64_t flags)
{
    const struct jail_rule *tree = tree_of(jail, path);
    _fd_ int top = tree ? open(tree->path, O_PATH | O_CLOEXEC) : -1;
    const char *rest = tree ? path + strlen(tree->path) : "";
    struct stat s;
    int fd;

    if (top < 0 || fstat(top, &s) != 0)
        return -1;
    errno = EACCES;
    if (s.st_dev != tree->dev || s.st_ino != tree->ino)
        return -1;
    rest += strspn(rest, "/");
    if (*rest == '\0')
        return fcntl(top, F_DUPFD_CLOEXEC, 0);
    fd = kernel_openat2(top, rest, O_PATH | O_CLOEXEC | flags,
                        RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    if (fd < 0 && errno == EXDEV)
        errno = EACCES;
    return fd;
}

/* The text lies where other threads may write: it is taken once. */
static int open_target(const struct jail *jail, const struct asked *c)
{
    bool bare = is_without_path(c);
    int flags = (int)argument(c, c->call->flags);
    char text[2 * PATH_MAX] = "";
    size_t before = 0;
    _fd_ int start = -1;

    if (!bare && !copy_text(c, argument(c, c->call->path), text + PATH_MAX))
        return -1;
    if (!bare && text[PATH_MAX] == '\0' && !(flags & AT_EMPTY_PATH)) {
        errno = ENOENT;
        return -1;
    }
    if (text[PATH_MAX] != '/') {
        start = open_start(c);
        if (start < 0 || !path_of_open(start, text))
            return -1;
        before = strlen(text);
    }
    if (!is_still_asked(c)) {
        errno = EPERM;
        return -1;
    }
    if (text[PATH_MAX] == '\0' && (bare || (flags & AT_EMPTY_PATH)))
        return fcntl(start, F_DUPFD_CLOEXEC, 0);
    if (before > 0)
        text[before++] = '/';
    memmove(text + before, text + PATH_MAX, strlen(text + PATH_MAX) + 1);
    return open_below(jail, text, flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
}

/* ---- whether and how ---- */

/* The kernel would ask whether it is the owner's; a supervisor that is root has to. */
static bool may_change(const struct jail *jail, int target, const struct stat *s)
{
    char real[PATH_MAX];

    errno = EPERM;
    return s->st_uid == jail->outside && path_of_open(target, real) && tree_of(jail, real);
}

static int set_mode(int target, const struct stat *s, mode_t mode)
{
    char name[64];

    errno = EOPNOTSUPP;
    if (S_ISLNK(s->st_mode))
        return -1;
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", target);
    return chmod(name, mode & MODE_BITS);
}

/* Reads the two times, in whichever form they are said: all are made of words of 64 bits. */
static bool copy_times(const struct asked *c, uint64_t from, struct timespec times[2])
{
    bool whole = c->call->said == SAID_UTIMBUF;
    int64_t words[4];

    /* What was read may be another's by now, who has its number. */
    errno = EFAULT;
    if (!copy(c, from, words, whole ? sizeof words / 2 : sizeof words) || !is_still_asked(c))
        return false;
    errno = EINVAL;
    for (size_t i = 0; i < 2; i++) {
        times[i].tv_sec = whole ? words[i] : words[2 * i];
        times[i].tv_nsec = whole ? 0 : words[2 * i + 1];
        if (c->call->said != SAID_TIMEVAL)
            continue;
        if (times[i].tv_nsec < 0 || times[i].tv_nsec >= MILLION)
            return false;
        times[i].tv_nsec *= 1000;
    }
    return true;
}

static int set_times(const struct asked *c, int target)
{
    struct timespec times[2];
    uint64_t at = argument(c, c->call->times);

    if (at != 0 && !copy_times(c, at, times))
        return -1;
    return utimensat(target, "", at ? times : NULL, AT_EMPTY_PATH);
}

static int change(const struct jail *jail, const struct asked *c)
{
    _fd_ int target = open_target(jail, c);
    struct stat s;

    if (target < 0 || fstat(target, &s) != 0 || !may_change(jail, target, &s))
        return -1;
    return c->call->mode >= 0 ? set_mode(target, &s, (mode_t)argument(c, c->call->mode))
                              : set_times(c, target);
}

bool process_answers(const struct jail *jail, int listener, const struct seccomp_notif *question,
                     struct seccomp_notif_resp *answer)
{
    for (size_t i = 0; i < COUNT(change_calls); i++) {
        struct asked c = { question, &change_calls[i], listener };

        if (change_calls[i].nr != question->data.nr)
            continue;
        answer->flags = 0;
        answer->error = change(jail, &c) == 0 ? 0 : -errno;
        return true;
    }
    return false;
}
