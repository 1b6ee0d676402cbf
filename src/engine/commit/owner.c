/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c: whose a file is that a commit makes, and who may do what with it.
 *
 * A file that takes the place of another gets its owner, group and access list; so does one that an
 * undo brings back, for which the journal says whose it was. An ordinary user cannot give every
 * group: then the permissions that were meant for another group or owner are taken away.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/xattr.h>

#include "contract/codes.h"
#include "engine/commit.h"

#define ACCESS_LIST "system.posix_acl_access"

enum { ACCESS_LIST_MAX = 1 << 16, PROC_NAME = 40, RUNS_AS_OTHERS = 06000 };

/* By a name of the descriptor's: a file that may not be read has one, too. */
bool print_access(int around, const char *name, struct print *print, struct arena *a)
{
    _fd_ int file = openat(around, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    char list[ACCESS_LIST_MAX], path[PROC_NAME];
    ssize_t n;

    if (!print->there || S_ISLNK(print->mode))
        return true;
    if (file < 0)
        return false;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    n = getxattr(path, ACCESS_LIST, list, sizeof list);
    if (n < 0)
        return errno == ENODATA || errno == EOPNOTSUPP;
    print->access = (struct str){ arena_text(a, (struct str){ list, (size_t)n }), (size_t)n };
    return true;
}

/* What was at the path when the commit found it; else what is there. NULL: nothing was. */
static const struct print *old(const struct commit *c, size_t row)
{
    const struct commit_path *path = &c->paths[row];

    return path->was.there ? &path->was : path->print.there ? &path->print : NULL;
}

static bool is_same_kind(mode_t a, mode_t b)
{
    return (a & S_IFMT) == (b & S_IFMT);
}

/* One that the directory gives to all that is new in it is not the old file's. */
static bool give_access(const struct print *was, int made)
{
    if (was->access.n)
        return fsetxattr(made, ACCESS_LIST, was->access.s, was->access.n, 0) == 0;
    return fremovexattr(made, ACCESS_LIST) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
}

bool owner_give(const struct commit *c, size_t row, int around, int made)
{
    const struct print *was = old(c, row);
    struct stat st;

    if (geteuid() != 0) { /* where it cannot be given, owner_mode() sees that */
        if (was)
            (void)!fchownat(made, "", (uid_t)-1, was->group, AT_EMPTY_PATH);
    } else if (was) {
        if (fchownat(made, "", was->owner, was->group, AT_EMPTY_PATH) != 0)
            return false;
    } else if (fstat(around, &st) != 0 ||
               fchownat(made, "", st.st_uid, st.st_gid, AT_EMPTY_PATH) != 0) {
        return false;
    }
    if (fstat(made, &st) != 0)
        return false;
    return !was || S_ISLNK(st.st_mode) || !is_same_kind(st.st_mode, was->mode) ||
           give_access(was, made);
}

mode_t owner_mode(const struct commit *c, size_t row, mode_t mode, const struct print *is)
{
    const struct print *was = old(c, row);
    mode_t both = mode >> 3 & mode & 07;

    if (was && !is_same_kind(was->mode, is->mode))
        was = NULL;
    if (S_ISREG(is->mode) && (!was || was->owner != is->owner || was->group != is->group))
        mode &= ~(mode_t)RUNS_AS_OTHERS;
    if (was && was->group != is->group)
        mode = (mode & ~(mode_t)(S_ISGID | 077)) | both << 3 | both;
    return mode;
}
