/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_v1.c: control groups of version 1, where each controller may have its own hierarchy. */
#include <errno.h>
#include <sys/stat.h>

#include "sandbox/cgroup_file.h"
#include "sandbox/cgroup_version.h"

enum {
    PERIOD_US = 100000,
    CHARGED_MOST = 512 << 10 /* the kernel charges ahead, 256 KiB for each processor */
};

/* Below its own group, whatever that holds. Whether it may, making the group will tell. */
static bool place(struct cgroup_seat *seat, bool prepare, int *fd, struct error *e)
{
    (void)prepare;
    if (!cgroup_seat_seen(seat, e))
        return false;
    *fd = seat->fd;
    seat->fd = -1;
    return true;
}

/* The second limit is on memory and swap together: without it, what is above the first is swapped
 * out. It is absent where the kernel does not count swap. */
static bool limit_memory(int dir, int64_t bytes, struct error *e)
{
    struct error swap;

    if (!cgroup_limit(dir, "memory.limit_in_bytes", bytes, e))
        return false;
    if (cgroup_limit(dir, "memory.memsw.limit_in_bytes", bytes, &swap) || swap.sys == ENOENT)
        return true;
    *e = swap;
    return false;
}

/* Version 1 refuses a quota above the one of a group further up, which then is the limit. */
static bool limit_cpu(int dir, int64_t cores, struct error *e)
{
    struct error quota;

    if (!cgroup_limit(dir, "cpu.cfs_period_us", PERIOD_US, e))
        return false;
    if (cgroup_limit(dir, "cpu.cfs_quota_us", cores * PERIOD_US, &quota) || quota.sys == EINVAL)
        return true;
    *e = quota;
    return false;
}

static bool limit(const struct cgroup_dir *d, const struct cgroup_limits *limits, struct error *e)
{
    if (d->controllers & 1 << CONTROLLER_MEMORY && !limit_memory(d->dir, limits->memory_bytes, e))
        return false;
    if (d->controllers & 1 << CONTROLLER_PIDS &&
        !cgroup_limit(d->dir, "pids.max", limits->tasks, e))
        return false;
    return !(d->controllers & 1 << CONTROLLER_CPU) || limit_cpu(d->dir, limits->cores, e);
}

static void usage(const struct cgroup_dir *d, struct cgroup_usage *out)
{
    int64_t n;

    if (d->controllers & 1 << CONTROLLER_MEMORY) {
        out->memory_peak_bytes = cgroup_number(d->dir, "memory.max_usage_in_bytes", NULL);
        n = cgroup_number(d->dir, "memory.oom_control", "oom_kill");
        out->oom_kills = n > 0 ? n : 0;
    }
    if (d->controllers & 1 << CONTROLLER_PIDS) {
        n = cgroup_number(d->dir, "pids.events", "max");
        out->task_hits = n > 0 ? n : 0;
    }
    if (d->controllers & 1 << CONTROLLER_CPU && d->cpuacct) {
        n = cgroup_number(d->dir, "cpuacct.usage", NULL);
        out->cpu_ms = n < 0 ? -1 : n / 1000000;
    }
}

/* Who is in one group of a run is in all of them: the one that counts tasks speaks for all. What is
 * still charged would be told as the next one's memory. */
static bool rests(const struct cgroup_dir *d)
{
    int64_t charged;

    if (d->controllers & 1 << CONTROLLER_PIDS && cgroup_number(d->dir, "pids.current", NULL) != 0)
        return false;
    if (!(d->controllers & 1 << CONTROLLER_MEMORY))
        return true;
    charged = cgroup_number(d->dir, "memory.usage_in_bytes", NULL);
    return charged >= 0 && charged <= CHARGED_MOST;
}

/* A directory that somebody has removed has no files any more. */
static bool wake(const struct cgroup_dir *d)
{
    struct stat there;

    if (d->controllers & 1 << CONTROLLER_MEMORY)
        return cgroup_write(d->dir, "memory.max_usage_in_bytes", "0");
    return fstatat(d->dir, "tasks", &there, 0) == 0;
}

/* The pid namespace has killed them already: mostly they are only about to be gone. */
static void kill_left(int dir, int us)
{
    cgroup_kill_each(dir);
    cgroup_wait_us(us);
}

const struct cgroup_version cgroup_v1 = {
    .name = "v1",
    .place = place,
    .limit = limit,
    .usage = usage,
    .rests = rests,
    .wake = wake,
    .kill = kill_left,
};
