/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.c: a directory of a run's own where it cannot have a disk of its own.
 *
 * It carries the name of its supervisor, as the run's groups do (cgroup_owner.h): what somebody who
 * was killed has left is removed by the next run.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/cgroup_owner.h"
#include "sandbox/process.h"

static const char *const parts[] = { "home", "tmp" };

/* Root's state is closed to others; who runs root's commands has to get there. */
static const char *const open_places[] = { "/var/tmp", "/tmp" };

static const char *place_for(const char *state, uid_t uid, struct arena *a, struct error *e)
{
    char real[PATH_MAX];
    const char *place;

    for (size_t i = 0; uid != geteuid() && i < COUNT(open_places); i++)
        if (access(open_places[i], W_OK | X_OK) == 0)
            return open_places[i];
    if (uid != geteuid() || !state) {
        error_set(e, CODE_IO,
                  "there is no place for the HOME of a command; name one with WRIT_STATE");
        return NULL;
    }
    place = arena_printf(a, "%s/scratch", state);
    if (!fs_make_dirs(place, e))
        return NULL;
    if (realpath(place, real))
        return arena_text(a, str_of(real)); /* by which its files are known later */
    error_sys(e, CODE_IO, "%s cannot be found", place);
    return NULL;
}

/* ---- what the dead have left ---- */

static void sweep_one(const char *path, const char *name, int64_t ns)
{
    struct cgroup_owner owner;
    struct stat s;
    struct error unused;

    if (cgroup_owner_named(str_of(name), &owner) && owner.ns == ns && cgroup_owner_dead(&owner) &&
        lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid())
        (void)!fs_remove(path, &unused);
}

static void sweep(const char *place, int64_t ns, struct arena *a)
{
    DIR *in = opendir(place);

    if (!in)
        return;
    for (const struct dirent *d = readdir(in); d; d = readdir(in))
        sweep_one(arena_printf(a, "%s/%s", place, d->d_name), d->d_name, ns);
    (void)closedir(in);
}

/* ---- making and removing ---- */

static bool make_part(const char *path, uid_t uid, gid_t gid, struct jail_rule *rule,
                      struct error *e)
{
    struct stat s;

    if (mkdir(path, 0700) != 0 || (uid != geteuid() && chown(path, uid, gid) != 0) ||
        lstat(path, &s) != 0)
        return error_sys(e, CODE_IO, "%s cannot be made", path);
    *rule = (struct jail_rule){ path, true, s.st_dev, s.st_ino };
    return true;
}

bool scratch_make(const char *state, uid_t uid, gid_t gid, struct arena *a, struct scratch *out,
                  struct error *e)
{
    const char *place = place_for(state, uid, a, e);
    struct cgroup_owner self;
    char name[CGROUP_NAME];
    bool foreign;

    if (!place || !cgroup_owner_self(&self, &foreign, e))
        return false;
    cgroup_owner_name(&self, name);
    if (!foreign)
        sweep(place, self.ns, a);
    out->dir = arena_printf(a, "%s/%s", place, name);
    if (mkdir(out->dir, 0700) != 0 || (uid != geteuid() && chmod(out->dir, 0711) != 0)) {
        error_sys(e, CODE_IO, "%s cannot be made", out->dir);
        out->dir = errno == EEXIST ? NULL : out->dir;
        return false;
    }
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!make_part(arena_printf(a, "%s/%s", out->dir, parts[i]), uid, gid, &out->rules[i], e))
            return false;
    return true;
}

bool scratch_remove(const struct scratch *s, struct error *e)
{
    return !s->dir || fs_remove(s->dir, e);
}
