/* SPDX-License-Identifier: Apache-2.0 */
/* v1.c: control groups of version 1, where each controller may have its own hierarchy. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cgroup/file.h"
#include "sandbox/cgroup/version.h"

enum {
    CHARGED_MOST = 512 << 10, /* the kernel charges ahead, 256 KiB for each processor */
    SOCKETS_PART = 8,
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

/* One of the limits that are absent where the kernel does not count such memory. */
static bool limit_if_there(int dir, const char *file, int64_t bytes, struct error *e)
{
    struct error why;

    if (cgroup_limit(dir, file, bytes, &why) || why.sys == ENOENT)
        return true;
    *e = why;
    return false;
}

/* The second limit is on memory and swap together: without it, what is above the first is swapped
 * out. What TCP and UDP hold in their buffers the first two do not count: it comes on top, and so
 * gets a small part of what the run may have. Who is above that sends and receives less at once. */
static bool limit_memory(int dir, int64_t bytes, struct error *e)
{
    return cgroup_limit(dir, "memory.limit_in_bytes", bytes, e) &&
           limit_if_there(dir, "memory.memsw.limit_in_bytes", bytes, e) &&
           limit_if_there(dir, "memory.kmem.tcp.limit_in_bytes", bytes / SOCKETS_PART, e);
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

/* What is looked at for every run. */
enum file { PEAK, SOCKETS_PEAK, OOM, CHARGED, HITS, TASKS, CPU_TIME, FILES };
_Static_assert((int)FILES == (int)CGROUP_OPEN, "each has its place");

static const struct {
    const char *name;
    unsigned controller;
    int how;
} files[FILES] = {
    [PEAK] = { "memory.max_usage_in_bytes", CONTROLLER_MEMORY, O_RDWR },
    [SOCKETS_PEAK] = { "memory.kmem.tcp.max_usage_in_bytes", CONTROLLER_MEMORY, O_RDONLY },
    [OOM] = { "memory.oom_control", CONTROLLER_MEMORY, O_RDONLY },
    [CHARGED] = { "memory.usage_in_bytes", CONTROLLER_MEMORY, O_RDONLY },
    [HITS] = { "pids.events", CONTROLLER_PIDS, O_RDONLY },
    [TASKS] = { "pids.current", CONTROLLER_PIDS, O_RDONLY },
    [CPU_TIME] = { "cpuacct.usage", CONTROLLER_TIME, O_RDONLY },
};

/* A group that has carried one run will carry others: its files stay open. */
static void keep_open(struct cgroup_dir *d)
{
    for (int i = 0; i < FILES; i++)
        if (d->open[i] < 0 && d->controllers & 1 << files[i].controller)
            d->open[i] = openat(d->dir, files[i].name, files[i].how | O_CLOEXEC);
}

static int64_t number(const struct cgroup_dir *d, enum file file, const char *key)
{
    return d->open[file] >= 0 ? cgroup_number_of(d->open[file], key)
                              : cgroup_number(d->dir, files[file].name, key);
}

static int64_t tasks(const struct cgroup_dir *d)
{
    return number(d, TASKS, NULL);
}

static void usage(const struct cgroup_dir *d, struct cgroup_usage *out)
{
    int64_t n;

    if (d->controllers & 1 << CONTROLLER_MEMORY) {
        out->memory_peak_bytes = number(d, PEAK, NULL);
        n = number(d, SOCKETS_PEAK, NULL);
        if (out->memory_peak_bytes >= 0 && n > 0)
            out->memory_peak_bytes += n; /* not at the same moment, perhaps: it was no more */
        n = number(d, OOM, "oom_kill");
        out->oom_kills = n > 0 ? n : 0;
    }
    if (d->controllers & 1 << CONTROLLER_PIDS) {
        n = number(d, HITS, "max");
        out->task_hits = n > 0 ? n : 0;
    }
    if (d->controllers & 1 << CONTROLLER_TIME) {
        n = number(d, CPU_TIME, NULL);
        out->cpu_ms = n < 0 ? -1 : n / 1000000;
    }
}

/* Most runs have no sockets, and leave nothing to set back. */
static bool sockets_rest(const struct cgroup_dir *d)
{
    return number(d, SOCKETS_PEAK, NULL) <= 0 ||
           (cgroup_number(d->dir, "memory.kmem.tcp.usage_in_bytes", NULL) == 0 &&
            cgroup_write(d->dir, files[SOCKETS_PEAK].name, "0"));
}

/* Who is in one group of a run is in all of them: the one that counts tasks speaks for all. What is
 * still charged would be told as the next one's memory. */
static bool rests(struct cgroup_dir *d)
{
    int64_t charged;

    keep_open(d);
    if (d->controllers & 1 << CONTROLLER_PIDS && number(d, TASKS, NULL) != 0)
        return false;
    if (!(d->controllers & 1 << CONTROLLER_MEMORY))
        return true;
    charged = number(d, CHARGED, NULL);
    return charged >= 0 && charged <= CHARGED_MOST && sockets_rest(d);
}

/* A directory that somebody has removed has no files any more. */
static bool wake(const struct cgroup_dir *d)
{
    struct stat there;

    if (d->open[PEAK] >= 0)
        return pwrite(d->open[PEAK], "0", 1, 0) == 1;
    if (d->controllers & 1 << CONTROLLER_MEMORY)
        return cgroup_write(d->dir, files[PEAK].name, "0");
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
    .limit_memory = limit_memory,
    .limit_cpu = limit_cpu,
    .usage = usage,
    .tasks = tasks,
    .rests = rests,
    .wake = wake,
    .kill = kill_left,
};
