/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c: detached trees of mounts, opened without following a link. */
#include "sandbox/trees.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "contract/codes.h"
#include "sandbox/kernel.h"

int trees_take(const struct jail_mount *m)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                             (m->writable && !m->covered ? 0 : MOUNT_ATTR_RDONLY),
                                      .propagation = MS_PRIVATE };
    _fd_ int fd = kernel_openat2(AT_FDCWD, m->from, O_PATH | O_CLOEXEC | O_NOFOLLOW,
                                 RESOLVE_NO_MAGICLINKS | (m->is_link ? 0 : RESOLVE_NO_SYMLINKS));
    struct stat s;
    int tree;

    if (fd < 0 || fstat(fd, &s) != 0)
        return -1;
    if (s.st_dev != m->dev || s.st_ino != m->ino) {
        errno = ESTALE;
        return -1;
    }
    tree = kernel_open_tree(fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE | O_CLOEXEC);
    if (tree >= 0 && kernel_mount_setattr(tree, AT_EMPTY_PATH | AT_RECURSIVE, &attr) != 0) {
        (void)close(tree);
        return -1;
    }
    return tree;
}

bool trees_gone(int sys)
{
    return sys == ENOENT || sys == ENOTDIR || sys == ELOOP || sys == ESTALE;
}

/* git replaces its own files whenever it changes them, also while a run is prepared. What is to be
 * mounted on a file that is a directory now, or the other way, fails with EINVAL. */
const char *trees_changed(const struct jail *jail, int sys)
{
    if (!trees_gone(sys) && sys != EINVAL)
        return NULL;
    for (size_t i = 0; i < jail->mount_count; i++) {
        const struct jail_mount *m = &jail->mounts[i];
        struct stat s;

        if (m->inner)
            continue;
        if (lstat(m->from, &s) != 0 ? errno == ENOENT || errno == ENOTDIR
                                    : s.st_dev != m->dev || s.st_ino != m->ino)
            return m->from;
    }
    return NULL;
}

bool trees_refuse(const char *changed, struct error *e)
{
    return error_set(e, CODE_PATH_CHANGED,
                     "somebody replaced or removed %s while the run was prepared: run it again",
                     changed);
}

void trees_close(struct jail *jail)
{
    for (size_t i = 0; i < jail->mount_count; i++)
        own_close(&jail->mounts[i].tree);
}

bool trees_open(struct jail *jail, struct error *e)
{
    for (size_t i = 0; i < jail->mount_count; i++) {
        struct jail_mount *m = &jail->mounts[i];

        if (m->kind != MOUNT_TREE || m->inner)
            continue;
        m->tree = trees_take(m);
        if (m->tree < 0) {
            const char *changed;

            (void)error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:mount: %s cannot be mounted",
                            m->from);
            changed = trees_changed(jail, e->sys);
            trees_close(jail);
            return changed && trees_refuse(changed, e);
        }
    }
    return true;
}

bool trees_map(const struct jail *jail, int userns, struct error *e)
{
    struct kernel_mount_attr attr = { .set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)userns };

    for (size_t i = 0; i < jail->mount_count; i++) {
        const struct jail_mount *m = &jail->mounts[i];

        if (!m->owned || m->tree < 0)
            continue;
        if (kernel_mount_setattr(m->tree, AT_EMPTY_PATH | AT_RECURSIVE, &attr) != 0 && m->writable)
            return error_sys(e, CODE_LAYER_MISSING,
                             "LAYER_MISSING:user: the file system of %s cannot map owners; give "
                             "the directory to the user who should run the command (chown), or "
                             "run writ as that user",
                             m->from);
    }
    return true;
}
