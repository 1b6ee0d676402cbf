/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_owner.c: whose a run's group is, told by its name: writ-PIDNS-PID-START-RUN. */
#include "sandbox/cgroup_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/num.h"
#include "contract/codes.h"
#include "sandbox/cgroup/file.h"

/* ---- what /proc says of a process ---- */

enum { STAT_STATE = 3, STAT_THREADS = 20, STAT_START = 22 }; /* words, counted from 1 */

struct process {
    int64_t pid; /* as the namespace of /proc counts */
    char state;
    int64_t threads;
    int64_t start;
};

/* `PID (name) state ...`; the name may hold anything, a ')' and spaces too. */
static bool read_process(const char *path, struct process *out)
{
    char text[1024];
    struct str stat = cgroup_read(AT_FDCWD, path, text, sizeof text), words[STAT_START + 1];
    const char *name_end = memrchr(stat.s, ')', stat.n);
    struct str rest;

    if (!name_end || !num_int(str_cut(&stat, " "), &out->pid))
        return false;
    rest = (struct str){ name_end + 1, (size_t)(stat.s + stat.n - name_end - 1) };
    (void)str_cut(&rest, " ");
    for (int i = STAT_STATE; i <= STAT_START; i++)
        words[i] = str_cut(&rest, " ");
    out->state = words[STAT_STATE].n ? words[STAT_STATE].s[0] : '?';
    return num_int(words[STAT_THREADS], &out->threads) && num_int(words[STAT_START], &out->start);
}

/* ---- owners ---- */

bool cgroup_owner_self(struct cgroup_owner *out, bool *foreign, struct error *e)
{
    static atomic_uint runs;
    struct process self;
    struct stat ns;

    if (stat("/proc/self/ns/pid", &ns) != 0 || !read_process("/proc/self/stat", &self))
        return error_set(e, CODE_LAYER_MISSING, "/proc does not tell who this process is");
    *out = (struct cgroup_owner){ .ns = (int64_t)ns.st_ino,
                                  .pid = getpid(),
                                  .start = self.start,
                                  .run = atomic_fetch_add(&runs, 1) };
    *foreign = self.pid != out->pid;
    return true;
}

void cgroup_owner_name(const struct cgroup_owner *o, char name[CGROUP_NAME])
{
    (void)snprintf(name, CGROUP_NAME, "writ-%" PRId64 "-%" PRId64 "-%" PRId64 "-%" PRId64, o->ns,
                   o->pid, o->start, o->run);
}

bool cgroup_owner_named(struct str name, struct cgroup_owner *out)
{
    return str_is(str_cut(&name, "-"), "writ") && num_int(str_cut(&name, "-"), &out->ns) &&
           num_int(str_cut(&name, "-"), &out->pid) && num_int(str_cut(&name, "-"), &out->start) &&
           num_int(name, &out->run);
}

bool cgroup_owner_dead(const struct cgroup_owner *o)
{
    struct process p;
    char path[48];

    if (kill((pid_t)o->pid, 0) != 0 && errno == ESRCH)
        return true;
    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", o->pid);
    if (!read_process(path, &p))
        return false;
    /* One that nobody has waited for is dead, too, unless threads of it go on. */
    return p.start != o->start || (p.state == 'Z' && p.threads <= 1);
}
