/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c: whether a run is held by lists alone, and what they cannot express. */
#include <linux/seccomp.h>
#include <string.h>
#include <unistd.h>

#include "contract/codes.h"
#include "sandbox/kernel.h"
#include "sandbox/landlock.h"
#include "sandbox/process.h"
#include "sandbox/trial.h"

enum { LANDLOCK_LEAST = 6 }; /* signals stay within */

/* clang-format off */
const struct process_gap process_gaps[PROCESS_GAPS] = {
    { "children",  "Without a cgroup children are counted 20 times a second, and the youngest are ended where there are too many; until then up to 512 tasks more can be there.", .by_group = true },
    { "end",       "Who kills writ and the first process of the run at the same time leaves the rest to the next run." },
    { "groups",    "The command is in the caller's groups." },
    { "home",      "HOME and TMPDIR have another name in each run; /tmp, /dev/shm and /run are out of reach." },
    { "hostname",  "The name of the machine is the host's." },
    { "metadata",  "The command can find out that files outside exist, their sizes, owners and times, and where links lead; never their bytes or what a directory lists." },
    { "processes", "Process ids are the host's, and the command can find out which are in use; it can do nothing to other processes." },
    { "scratch",   "What is in HOME and TMPDIR lies on the disk: each file has its limit, all together have none." },
    { "users",     "There is no /etc/passwd: the user has a number and no name." },
};

static const struct column gap_columns[] = {
    { "gap",  COLUMN_TEXT, offsetof(struct process_gap, name) },
    { "what", COLUMN_TEXT, offsetof(struct process_gap, what) },
};
/* clang-format on */

const struct table process_table = {
    .name = "process",
    .about = "What a run without namespaces (isolation: process) does not hold.",
    COLUMNS(gap_columns),
    .keys = 1,
    ROWS(process_gaps),
};

/* ---- whether ---- */

/* Some systems give the namespace and none of the rights that come with it. */
static int use_rights(const void *self)
{
    (void)self;
    return sethostname("writ", 4);
}

bool process_is_needed(unsigned weak)
{
    return (weak & (1U << LAYER_USER)) &&
           (trial_lacking(NAMESPACES_FIRST | CLONE_NEWNET) ||
            trial(CLONE_NEWUSER | CLONE_NEWUTS, use_rights, NULL) != 0);
}

/* ---- what the lists cannot express ---- */

static bool layers_are_there(struct error *e)
{
    int version = landlock_version();
    uint32_t action = SECCOMP_RET_USER_NOTIF;

    if (version < LANDLOCK_LEAST)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:landlock: without namespaces signals have to be held by "
                         "Landlock ABI %d, and there is ABI %d; use Linux 6.12 or newer, with "
                         "landlock in the list of lsm=",
                         LANDLOCK_LEAST, version);
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
        return error_sys(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:seccomp: without namespaces no run goes without a filter");
    return true;
}

static bool modes_fit(const struct request_sandbox *asked, struct error *e)
{
    enum net_level net = request_net_level(asked->network);

    if (net != NET_OFFLINE)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:net: network level %s needs a network of the run's own; "
                         "without namespaces there is none: use level offline",
                         net_level_names[net]);
    if (asked->filesystem->write_mode == WRITE_COW)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:mount: write mode cow needs mounts of the run's own; "
                         "without namespaces use write mode direct, and grant less");
    if (asked->deterministic == DETERMINISM_FIXED)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:user: deterministic fixed cannot be held without "
                         "namespaces; use stable");
    return true;
}

/* The nearest entry above v[i]; the list is sorted and settled. */
static const struct grant *around(const struct grants *g, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (path_is_in(g->v[i].path, g->v[k].path))
            return &g->v[k];
    return NULL;
}

static const char *hole_in(const struct grant *in, const struct grant *grant)
{
    if (grant->access == ACCESS_DENIED)
        return "is denied";
    if (in->access != ACCESS_WRITE)
        return NULL;
    if (grant->access == ACCESS_PROTECTED)
        return "is protected from being written";
    if (grant->access == ACCESS_READ)
        return "is only to be read";
    return grant->pinned ? "has to stay where it is" : NULL;
}

static bool refuse_hole(const char *path, const char *what, const struct grant *in, struct error *e)
{
    return error_set(
        e, CODE_LAYER_MISSING,
        "LAYER_MISSING:mount: %s %s, and %s around it is granted to be %s: without namespaces there is "
        "nothing to hold that; grant less, as by --fs minimal --write out, in a document by sandbox: "
        "{filesystem: {level: minimal, write: [out]}}",
        path, what, in->path, in->access == ACCESS_WRITE ? "written" : "read");
}

static bool has_no_holes(const struct process_ask *ask, struct error *e)
{
    const struct grants *g = ask->grants;

    for (size_t i = 0; i < g->n; i++) {
        const struct grant *in = around(g, i);
        const char *hole = in ? hole_in(in, &g->v[i]) : NULL;

        if (g->v[i].instead)
            return error_set(e, CODE_LAYER_MISSING,
                             "LAYER_MISSING:mount: %s is cut by a mount, and there are none here; "
                             "give less",
                             g->v[i].path);
        if (hole)
            return refuse_hole(g->v[i].path, hole, in, e);
    }
    for (size_t i = 0; ask->absent && i < ask->absent->n; i++) {
        const struct grant *in = grants_decide(g, ask->absent->v[i].path);

        if (ask->absent->v[i].denied && in && in->access == ACCESS_WRITE)
            return refuse_hole(ask->absent->v[i].path, "is denied", in, e);
    }
    return true;
}

/* Root gives its rights up and is the owner of the working directory; never root itself. */
static bool user_fits(const struct process_ask *ask, struct error *e)
{
    if (geteuid() != 0 || ask->owner != 0)
        return true;
    return error_set(e, CODE_LAYER_MISSING,
                     "LAYER_MISSING:user: without namespaces root's commands run as the owner of "
                     "the working directory, and %s is root's own; give it to the user who should "
                     "run them (chown), or run writ as that user",
                     ask->cwd);
}

bool process_admits(const struct process_ask *ask, struct error *e)
{
    return layers_are_there(e) && modes_fit(ask->limits, e) && user_fits(ask, e) &&
           has_no_holes(ask, e);
}
