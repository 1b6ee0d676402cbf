/* SPDX-License-Identifier: Apache-2.0 */
/* v2.c: control groups of version 2, one hierarchy for all controllers.
 *
 * A group hands controllers down to groups below it (cgroup.subtree_control) only while it holds no
 * process itself. So the group this process is in mostly cannot carry a run: either the process is
 * alone there and moves into a leaf, or a group further up that hands down already is taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>

#include "contract/codes.h"
#include "sandbox/cgroup/file.h"
#include "sandbox/cgroup/version.h"

#define LEAF "writ-supervisor"

/* ---- where ---- */

static unsigned controllers_of(int dir, const char *file)
{
    char text[1024];

    return controllers_in(cgroup_read(dir, file, text, sizeof text), " ");
}

/* To clone into a group one must be allowed to write cgroup.procs of the group above both. */
static bool may_make(int dir)
{
    return faccessat(dir, ".", W_OK | X_OK, AT_EACCESS) == 0 &&
           faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) == 0;
}

static bool alone_in(int dir)
{
    char text[64], own[24];

    (void)snprintf(own, sizeof own, "%d", (int)getpid());
    return str_is(cgroup_read(dir, "cgroup.procs", text, sizeof text), own);
}

static bool hand_down(int dir, unsigned wanted)
{
    char text[3 * CONTROLLERS_TEXT] = "";
    size_t n = 0;

    for (int i = 0; i < CONTROLLERS; i++)
        if (wanted & 1U << i)
            n += (size_t)snprintf(text + n, sizeof text - n, "+%s ", controller_names[i]);
    return cgroup_write(dir, "cgroup.subtree_control", text);
}

/* Moves this process into a leaf, so that its group may hand down. Should that be refused, all is
 * as it was. */
static bool move_and_hand_down(int dir, unsigned wanted)
{
    bool made = mkdirat(dir, LEAF, 0755) == 0;
    bool moved = (made || errno == EEXIST) && cgroup_write(dir, LEAF "/cgroup.procs", "0");

    if (moved && hand_down(dir, wanted))
        return true;
    if (moved && !cgroup_write(dir, "cgroup.procs", "0"))
        return false;
    if (made)
        (void)unlinkat(dir, LEAF, AT_REMOVEDIR);
    return false;
}

/* Why `dir`, in which this process is, cannot carry a run. */
static const char *obstacle(int dir, unsigned wanted)
{
    if (wanted & ~controllers_of(dir, "cgroup.controllers"))
        return "its group does not get this controller";
    if (!may_make(dir))
        return errno == EROFS ? "cgroups are mounted read-only"
                              : "its group is not this user's own";
    return "its group holds other processes, too";
}

static bool refuse(const struct cgroup_seat *seat, struct error *e)
{
    unsigned lacking = seat->controllers & ~controllers_of(seat->fd, "cgroup.controllers");
    char names[CONTROLLERS_TEXT];

    controllers_text(lacking ? lacking : seat->controllers, names);
    return error_set(e, CODE_LAYER_MISSING,
                     "%s: writ cannot make a group below %s: %s; start it by: systemd-run "
                     "%s--scope -p Delegate=yes writ ...",
                     names, seat->dir, obstacle(seat->fd, seat->controllers),
                     geteuid() == 0 ? "" : "--user ");
}

/* An earlier run has moved this process into the leaf: its group is the one above. */
static bool in_leaf(const struct cgroup_seat *seat)
{
    size_t n = strlen(seat->dir), leaf = strlen("/" LEAF);

    return seat->levels > 0 && n > leaf && strcmp(seat->dir + n - leaf, "/" LEAF) == 0;
}

/* Is this one it? `up`: how far above this process's group it is. */
static bool fits(const struct cgroup_seat *seat, int dir, size_t up, bool prepare)
{
    unsigned lacking = seat->controllers & ~controllers_of(dir, "cgroup.subtree_control");

    if (!lacking)
        return may_make(dir);
    if (!prepare || lacking & ~controllers_of(dir, "cgroup.controllers") || !may_make(dir))
        return false;
    if (in_leaf(seat))
        return up == 1 && hand_down(dir, lacking);
    return up == 0 && alone_in(dir) && move_and_hand_down(dir, lacking);
}

static bool place(struct cgroup_seat *seat, bool prepare, int *fd, struct error *e)
{
    int dir;

    if (!cgroup_seat_seen(seat, e))
        return false;
    dir = openat(seat->fd, in_leaf(seat) ? ".." : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t up = in_leaf(seat); dir >= 0; up++) {
        int above;

        if (fits(seat, dir, up, prepare)) {
            *fd = dir;
            return true;
        }
        above = up < seat->levels && !seat->near
                    ? openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC)
                    : -1;
        (void)close(dir);
        dir = above;
    }
    return refuse(seat, e);
}

/* ---- limits and usage ---- */

static bool limit_memory(int dir, int64_t bytes, struct error *e)
{
    if (!cgroup_limit(dir, "memory.max", bytes, e) || !cgroup_limit(dir, "memory.oom.group", 1, e))
        return false;
    /* Absent where the kernel does not count swap. */
    return cgroup_write(dir, "memory.swap.max", "0") || errno == ENOENT ||
           error_sys(e, CODE_LAYER_MISSING, "memory.swap.max cannot be set to 0");
}

static bool limit_cpu(int dir, int64_t cores, struct error *e)
{
    char text[48];

    (void)snprintf(text, sizeof text, "%" PRId64 " %d", cores * PERIOD_US, PERIOD_US);
    return cgroup_write(dir, "cpu.max", text) ||
           error_sys(e, CODE_LAYER_MISSING, "cpu.max cannot be set to '%s'", text);
}

/* CPU time is counted in every group, memory's peak since Linux 5.19. */
static void usage(const struct cgroup_dir *d, struct cgroup_usage *out)
{
    int64_t n = cgroup_number(d->dir, "cpu.stat", "usage_usec");

    out->cpu_ms = n < 0 ? -1 : n / 1000;
    if (d->controllers & 1 << CONTROLLER_MEMORY) {
        out->memory_peak_bytes = cgroup_number(d->dir, "memory.peak", NULL);
        n = cgroup_number(d->dir, "memory.events", "oom_kill");
        out->oom_kills = n > 0 ? n : 0;
    }
    if (d->controllers & 1 << CONTROLLER_PIDS) {
        n = cgroup_number(d->dir, "pids.events", "max");
        out->task_hits = n > 0 ? n : 0;
    }
}

/* ---- the end ---- */

/* The kernel kills them all at once (Linux 5.14), and wakes us when the last one is gone. */
static void kill_all(int dir, int us)
{
    struct pollfd events = { .fd = openat(dir, "cgroup.events", O_RDONLY | O_CLOEXEC),
                             .events = POLLPRI };
    char text[256];

    if (!cgroup_write(dir, "cgroup.kill", "1"))
        cgroup_kill_each(dir);
    /* Reading arms the poll. */
    if (events.fd < 0 || read(events.fd, text, sizeof text) <= 0 ||
        cgroup_number(dir, "cgroup.events", "populated") == 0)
        cgroup_wait_us(us);
    else
        (void)poll(&events, 1, us / 1000 + 1);
    own_close(&events.fd);
}

const struct cgroup_version cgroup_v2 = {
    .name = "v2",
    .place = place,
    .limit_memory = limit_memory,
    .limit_cpu = limit_cpu,
    .usage = usage,
    .kill = kill_all,
};
