/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c: whose a run's group is, told by its name: writ-PIDNS-PID-START-RUN. */
#include "sandbox/cgroup_owner.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/process.h"
#include "contract/codes.h"

bool cgroup_owner_self(struct cgroup_owner *out, bool *foreign, struct error *e)
{
    static atomic_uint runs;
    struct process self;
    struct stat ns;

    if (stat("/proc/self/ns/pid", &ns) != 0 || !process_self(&self))
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

    if (kill((pid_t)o->pid, 0) != 0 && errno == ESRCH)
        return true;
    if (!process_look(o->pid, &p))
        return false;
    /* One that nobody has waited for is dead, too, unless threads of it go on. */
    return p.start != o->start || (p.state == 'Z' && p.threads <= 1);
}
