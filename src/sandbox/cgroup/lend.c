/* SPDX-License-Identifier: Apache-2.0 */
/* lend.c: what root can do for a user on version 1; version 2 is mended by systemd (v2.c). */
#include "sandbox/cgroup/lend.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "contract/codes.h"

enum { DIRS_MOST = 200 }; /* bytes of paths that a message has room for */

static bool is_closed(const struct cgroup_seat *seat)
{
    return seat->controllers && !seat->v2 && faccessat(AT_FDCWD, seat->dir, W_OK, AT_EACCESS) != 0;
}

/* Whoever lacks one mostly lacks them all, and would be sent back for each. */
static const char *closed_dirs(const struct cgroup_seats *s, const struct cgroup_seat *at,
                               bool *many, struct arena *a)
{
    const char *all = at->dir;

    *many = false;
    for (int i = 0; i < s->count; i++)
        if (&s->seats[i] != at && is_closed(&s->seats[i])) {
            all = arena_printf(a, "%s %s", all, s->seats[i].dir);
            *many = true;
        }
    return all;
}

static const char *lend(const struct cgroup_seats *s, const struct cgroup_seat *at, int sys,
                        struct arena *a)
{
    unsigned user = geteuid();
    const char *dirs;
    bool many;

    if (at->v2 || user == 0 || (sys != EACCES && sys != EPERM))
        return "run writ as root, or in a group that root has given to this user";
    dirs = closed_dirs(s, at, &many, a);
    if (strlen(dirs) > DIRS_MOST)
        return "writ doctor has for each controller what gives this user a group";
    return arena_printf(a,
                        "in the shell that runs writ: %s%s%sd=%s/writ-user-%u; sudo mkdir -p $d && "
                        "sudo chown -R %u $d && echo $$ | sudo tee $d/cgroup.procs%s",
                        many ? "for d in " : "", many ? dirs : "", many ? "; do " : "",
                        many ? "$d" : dirs, user, user, many ? "; done" : "");
}

bool cgroup_refuse(const struct cgroup_seats *s, const struct cgroup_seat *at, struct error *e)
{
    _arena_ struct arena a = { 0 };
    char names[CONTROLLERS_TEXT];
    int sys = errno;

    controllers_text(at->controllers, names);
    (void)error_set(e, CODE_LAYER_MISSING, "%s: no group can be made in %s: %s; %s", names, at->dir,
                    error_words(sys), lend(s, at, sys, &a));
    e->sys = sys;
    return false;
}
