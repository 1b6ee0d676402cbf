/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c: writes the id maps of a new process. */
#include "sandbox/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contract/codes.h"
#include "sandbox/ids.h"
#include "sandbox/trees.h"

static bool write_proc(pid_t pid, const char *name, const char *text, struct error *e)
{
    char path[64];
    _fd_ int fd = -1;
    size_t n = strlen(text);

    (void)snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, n) != (ssize_t)n)
        return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:user: %s cannot be written", name);
    return true;
}

/* Owners have to be mapped where the number outside is not the one inside. */
static bool map_owners(const struct jail *jail, pid_t pid, struct error *e)
{
    char path[64];
    _fd_ int userns = -1;

    if (!jail->privileged || jail->uid == jail->outside)
        return true;
    (void)snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
    userns = open(path, O_RDONLY | O_CLOEXEC);
    if (userns < 0)
        return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:user: %s cannot be opened", path);
    return trees_map(jail, userns, e);
}

/* Root of a namespace can give a command none of the numbers that are not the namespace's. */
static bool write_ids(const struct jail *jail, pid_t pid, const char *uids, const char *gids,
                      struct error *e)
{
    _arena_ struct arena scratch = { 0 };

    if (write_proc(pid, "uid_map", uids, e) && write_proc(pid, "gid_map", gids, e))
        return true;
    if (!jail->privileged || e->sys != EPERM || !ids_has_one_only(&scratch))
        return false;
    errno = EPERM;
    return error_sys(e, CODE_LAYER_MISSING,
                     "LAYER_MISSING:user: this user namespace maps no second id, which a command "
                     "of its root could have");
}

bool identity_write(const struct jail *jail, pid_t pid, struct error *e)
{
    char uids[48], gids[48];

    (void)snprintf(uids, sizeof uids, "%u %u 1", jail->uid, jail->outside);
    (void)snprintf(gids, sizeof gids, "%u %u 1", jail->gid, jail->outside_group);
    if (!jail->privileged && !write_proc(pid, "setgroups", "deny", e))
        return false;
    return write_ids(jail, pid, uids, gids, e) && map_owners(jail, pid, e);
}
