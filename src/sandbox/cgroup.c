/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.c: the groups of one run, made on whatever hierarchies there are. */
#include "sandbox/cgroup.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/codes.h"
#include "sandbox/cgroup/file.h"
#include "sandbox/cgroup/lend.h"
#include "sandbox/cgroup/scope.h"
#include "sandbox/cgroup/seat.h"
#include "sandbox/cgroup/version.h"
#include "sandbox/cgroup_owner.h"
#include "sandbox/cgroup_place.h"

static const struct cgroup_version *version_of(const struct cgroup_seat *seat)
{
    return seat->v2 ? &cgroup_v2 : &cgroup_v1;
}

/* ---- removing ---- */

enum { PATIENCE_US = 2000000, SWEEP_PATIENCE_US = 20000, LONGEST_US = 20000 };

/* Mostly the group is empty, and this is one system call. Waits grow from a moment upwards. */
static bool remove_group(const struct cgroup_version *v, int parent, const char *name, int patience)
{
    _fd_ int dir = -1;

    for (int us = 50; unlinkat(parent, name, AT_REMOVEDIR) != 0;
         us = us < LONGEST_US ? us * 2 : us) {
        if (errno == ENOENT)
            return true;
        if (errno != EBUSY || patience <= 0)
            return false;
        if (dir < 0)
            dir = openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        v->kill(dir, us);
        patience -= us;
    }
    return true;
}

static void close_dir(struct cgroup_dir *d)
{
    for (int i = 0; i < CGROUP_OPEN; i++)
        own_close(&d->open[i]);
    own_close(&d->tasks);
    own_close(&d->dir);
    own_close(&d->parent);
}

bool cgroup_drop(const struct cgroup *c)
{
    for (int i = c->count - 1; i >= 0; i--)
        if (unlinkat(c->dirs[i].parent, c->name, AT_REMOVEDIR) != 0)
            return false; /* who is still in one is in all of them */
    return true;
}

void cgroup_close(struct cgroup *c)
{
    while (c->count > 0)
        close_dir(&c->dirs[--c->count]);
    *c = (struct cgroup){ 0 };
}

bool cgroup_remove(struct cgroup *c, struct error *e)
{
    bool ok = true;

    while (c->count > 0) {
        struct cgroup_dir *d = &c->dirs[--c->count];

        if (!remove_group(d->version, d->parent, c->name, PATIENCE_US))
            ok = error_sys(e, CODE_IO, "the group '%s' cannot be removed", c->name);
        close_dir(d);
    }
    *c = (struct cgroup){ 0 };
    return ok;
}

/* ---- making ---- */

/* Writes the limits of the directory's controllers. */
static bool limit(const struct cgroup_dir *d, const struct cgroup_limits *limits, struct error *e)
{
    if (d->controllers & 1 << CONTROLLER_MEMORY &&
        !d->version->limit_memory(d->dir, limits->memory_bytes, e))
        return false;
    if (d->controllers & 1 << CONTROLLER_PIDS &&
        !cgroup_limit(d->dir, "pids.max", limits->tasks, e))
        return false;
    return !(d->controllers & 1 << CONTROLLER_CPU) ||
           d->version->limit_cpu(d->dir, limits->cores, e);
}

/* Adds the directory of one seat, with its limits. What it has made is in *c also on false. */
static bool add_dir(struct cgroup *c, const struct cgroup_seats *s, struct cgroup_seat *seat,
                    const struct cgroup_limits *limits, struct error *e)
{
    struct cgroup_dir *d = &c->dirs[c->count];

    *d = (struct cgroup_dir){ version_of(seat), seat->controllers, -1, -1, -1, { 0 } };
    for (int i = 0; i < CGROUP_OPEN; i++)
        d->open[i] = -1;
    if (!d->version->place(seat, true, &d->parent, e))
        return false;
    if (mkdirat(d->parent, c->name, 0755) != 0) {
        (void)cgroup_refuse(s, seat, e);
        close_dir(d);
        return false;
    }
    c->count++;
    d->dir = openat(d->parent, c->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (d->dir < 0)
        return error_sys(e, CODE_LAYER_MISSING, "the new group cannot be opened");
    if (!limit(d, limits, e))
        return false;
    if (!seat->v2)
        d->tasks = openat(d->dir, "tasks", O_WRONLY | O_CLOEXEC);
    return seat->v2 || d->tasks >= 0 || error_sys(e, CODE_LAYER_MISSING, "tasks cannot be opened");
}

static bool none_missing(unsigned missing, struct error *e)
{
    char names[CONTROLLERS_TEXT];

    controllers_text(missing, names);
    return !missing || error_set(e, CODE_LAYER_MISSING,
                                 "%s: this kernel does not have it; see cgroup_disable= "
                                 "among the words it was booted with",
                                 names);
}

/* Makes the groups for these controllers only. */
static bool make(struct cgroup_seats *s, unsigned wanted, const struct cgroup_limits *limits,
                 struct cgroup *out, struct error *e)
{
    const unsigned time = 1U << CONTROLLER_TIME;
    struct cgroup c = { .limits = *limits };
    struct cgroup_owner self;
    struct error unused;
    bool foreign;

    if (!none_missing(s->missing & wanted, e) || !cgroup_owner_self(&self, &foreign, e))
        return false;
    cgroup_owner_name(&self, c.name);
    for (int i = 0; i < s->count; i++)
        s->seats[i].controllers &= wanted | time;
    for (int i = 0; i < s->count; i++) {
        if (s->seats[i].controllers && !add_dir(&c, s, &s->seats[i], limits, e) &&
            s->seats[i].controllers != time) {
            (void)!cgroup_remove(&c, &unused);
            return false;
        }
    }
    *out = c;
    return true;
}

struct making {
    struct cgroup_place *place;
    const struct cgroup_limits *limits;
    bool v2, in_scope; /* what was found */
};

/* `near`: in the group that this process is in, or not at all. */
static bool find_and_make(struct making *m, bool near, struct cgroup *out, struct error *e)
{
    static const char scope[] = ".scope";
    _seats_ struct cgroup_seats s = { 0 };
    struct str dir;

    if (!cgroup_place_find(m->place, &s, e))
        return false;
    m->v2 = s.count == 1 && s.seats[0].v2;
    dir = str_of(m->v2 ? s.seats[0].dir : "");
    m->in_scope = dir.n > strlen(scope) && strcmp(dir.s + dir.n - strlen(scope), scope) == 0;
    s.seats[0].near = near && m->v2;
    return make(&s, CONTROLLERS_ALL, m->limits, out, e);
}

/* A process in a group that is not its own asks for one once, for all that it will run. */
static bool have_own_group(struct error *e)
{
    static bool asked;
    char manager[SCOPE_PATH], name[CGROUP_NAME];
    struct cgroup_owner self;
    struct error why;
    bool foreign;

    scope_manager(manager);
    if (geteuid() == 0 || access(manager, F_OK) != 0 || asked ||
        !cgroup_owner_self(&self, &foreign, &why))
        return false;
    asked = true;
    cgroup_owner_name(&self, name);
    if (scope_enter(manager, name, &why))
        return true;
    (void)error_wrap(e, "the user's systemd was asked for a group (%s)", why.msg);
    return false;
}

/* A group further up belongs to somebody who may take its controllers back at any time: on a
 * desktop to the user's systemd. A process in a scope of systemd's asks for one of its own first.
 * A service does not: the end of the service would not be the end of its commands any more. */
static bool make_first(struct making *m, struct cgroup *out, struct error *e)
{
    return find_and_make(m, true, out, e) ||
           (m->in_scope && have_own_group(e) && find_and_make(m, true, out, e)) ||
           find_and_make(m, false, out, e) ||
           (m->v2 && have_own_group(e) && find_and_make(m, false, out, e));
}

/* The first one of this process may have to be moved, or to move itself, before it has a place. A
 * thread that comes meanwhile waits, and finds it there. */
bool cgroup_make_at(struct cgroup_place *place, const struct cgroup_limits *limits,
                    struct cgroup *out, struct error *e)
{
    static pthread_mutex_t placing = PTHREAD_MUTEX_INITIALIZER;
    static atomic_bool placed;
    struct making m = { .place = place, .limits = limits };
    bool ok;

    assert(limits->memory_bytes > 0 && limits->cores > 0 && limits->tasks > 0);
    if (placed && find_and_make(&m, false, out, e))
        return true;
    (void)pthread_mutex_lock(&placing);
    ok = make_first(&m, out, e);
    placed = placed || ok;
    (void)pthread_mutex_unlock(&placing);
    return ok;
}

bool cgroup_make(const struct cgroup_limits *limits, struct cgroup *out, struct error *e)
{
    return cgroup_make_at(NULL, limits, out, e);
}

/* ---- asking ---- */

const char *cgroup_kind(const struct cgroup *c)
{
    for (int i = 1; i < c->count; i++)
        if (c->dirs[i].version != c->dirs[0].version)
            return "hybrid";
    return c->count > 0 ? c->dirs[0].version->name : "none";
}

int cgroup_into(const struct cgroup *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->dirs[i].version == &cgroup_v2)
            return c->dirs[i].dir;
    return -1;
}

int cgroup_enter(const struct cgroup *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->dirs[i].tasks >= 0 && write(c->dirs[i].tasks, "0", 1) != 1)
            return -1;
    return 0;
}

/* The directory that counts tasks, or NULL. */
static const struct cgroup_dir *pids_of(const struct cgroup *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->dirs[i].controllers & 1 << CONTROLLER_PIDS)
            return &c->dirs[i];
    return NULL;
}

int cgroup_processes(const struct cgroup *c)
{
    const struct cgroup_dir *d = pids_of(c);

    return d ? cgroup_each_process(d->dir, NULL, NULL) : -1;
}

int64_t cgroup_tasks(const struct cgroup *c)
{
    const struct cgroup_dir *d = pids_of(c);

    if (d && d->version->tasks)
        return d->version->tasks(d);
    return d ? cgroup_number(d->dir, "pids.current", NULL) : -1;
}

bool cgroup_each_task(const struct cgroup *c, void (*each)(pid_t task, void *self), void *self)
{
    const struct cgroup_dir *d = pids_of(c);

    return d && cgroup_each(d->dir, d->version == &cgroup_v2 ? "cgroup.threads" : "tasks", each,
                            self) >= 0;
}

bool cgroup_set_tasks(const struct cgroup *c, int64_t tasks)
{
    const struct cgroup_dir *d = pids_of(c);

    return d && cgroup_write_number(d->dir, "pids.max", tasks);
}

bool cgroup_counts_init(const struct cgroup *c)
{
    const struct cgroup_dir *d = pids_of(c);

    return d && d->version == &cgroup_v2;
}

/* The highest numbers of all, in order. */
struct youngest {
    pid_t v[64];
    size_t n, most;
};

static void keep_youngest(pid_t pid, void *self)
{
    struct youngest *y = self;
    size_t at = y->n;

    while (at > 0 && y->v[at - 1] < pid)
        at--;
    if (at == y->most)
        return;
    y->n += y->n < y->most;
    memmove(&y->v[at + 1], &y->v[at], (y->n - at - 1) * sizeof y->v[0]);
    y->v[at] = pid;
}

void cgroup_end_youngest(const struct cgroup *c, int64_t n)
{
    const struct cgroup_dir *d = pids_of(c);
    struct youngest y = { .most = n < (int64_t)COUNT(y.v) ? (size_t)n : COUNT(y.v) };

    if (d)
        (void)cgroup_each_process(d->dir, keep_youngest, &y);
    for (size_t i = 0; i < y.n; i++)
        if (y.v[i] > 1) /* one of another namespace is shown as 0 */
            (void)kill(y.v[i], SIGKILL);
}

void cgroup_end(const struct cgroup *c)
{
    const struct cgroup_dir *d = pids_of(c);
    int patience = PATIENCE_US;

    for (int us = 50; d && patience > 0 && cgroup_each_process(d->dir, NULL, NULL) > 0;
         us = us < LONGEST_US ? us * 2 : us) {
        d->version->kill(d->dir, us);
        patience -= us;
    }
}

void cgroup_usage(const struct cgroup *c, struct cgroup_usage *out)
{
    *out = (struct cgroup_usage){ .memory_peak_bytes = -1, .cpu_ms = -1 };
    for (int i = 0; i < c->count; i++)
        c->dirs[i].version->usage(&c->dirs[i], out);
    if (out->cpu_ms >= 0)
        out->cpu_ms -= c->before.cpu_ms;
    out->oom_kills -= c->before.oom_kills;
    out->task_hits -= c->before.task_hits;
}

/* ---- once more ---- */

bool cgroup_may_rest(const struct cgroup *c)
{
    for (int i = 0; i < c->count; i++)
        if (!c->dirs[i].version->rests)
            return false;
    return c->count > 0;
}

bool cgroup_rest(struct cgroup *c, const struct cgroup_usage *last)
{
    if (!cgroup_may_rest(c))
        return false;
    for (int i = 0; i < c->count; i++)
        if (!c->dirs[i].version->rests(&c->dirs[i]))
            return false;
    c->awake = 0;
    if (last->cpu_ms >= 0)
        c->before.cpu_ms += last->cpu_ms;
    c->before.oom_kills += last->oom_kills;
    c->before.task_hits += last->task_hits;
    return true;
}

bool cgroup_wake(struct cgroup *c, int64_t tasks)
{
    if (c->awake == tasks)
        return true;
    for (int i = 0; i < c->count; i++)
        if (!c->dirs[i].version->wake(&c->dirs[i]))
            return false;
    c->awake = cgroup_set_tasks(c, tasks) ? tasks : 0;
    return c->awake != 0;
}

/* ---- doctor ---- */

/* False: it cannot be had; *v2 tells whether it is version 2 that does not give it. */
static bool probe_one(unsigned controller, struct cgroup_finding *out, bool *v2)
{
    static const struct cgroup_limits least = { .memory_bytes = 64 << 20, .cores = 1, .tasks = 16 };
    _seats_ struct cgroup_seats s = { 0 };
    struct cgroup c;
    struct error e;

    *out = (struct cgroup_finding){ .controller = controller_names[controller] };
    if (cgroup_seats_find(&s, &e) && make(&s, 1U << controller, &least, &c, &e)) {
        const char *kind = cgroup_kind(&c);

        if (cgroup_remove(&c, &e))
            out->kind = kind;
    }
    *v2 = s.count == 1 && s.seats[0].v2;
    if (!out->kind)
        memcpy(out->why, e.msg, sizeof out->why);
    return out->kind != NULL;
}

void cgroup_probe(struct cgroup_finding out[CGROUP_LIMITED])
{
    struct error e = { 0 };
    bool v2;

    for (unsigned i = 0; i < CONTROLLERS; i++)
        if (!probe_one(i, &out[i], &v2) && v2 && have_own_group(&e))
            (void)!probe_one(i, &out[i], &v2);
}

/* ---- sweeping ---- */

/* Each directory is swept by the names in it: the dead one may have shared some of its groups with
 * this process and not others. */
static void sweep_name(const struct cgroup_version *v, int parent, const char *name, int64_t ns)
{
    struct cgroup_owner owner;

    if (cgroup_owner_named(str_of(name), &owner) && owner.ns == ns && cgroup_owner_dead(&owner))
        (void)remove_group(v, parent, name, SWEEP_PATIENCE_US);
}

static void sweep_place(const struct cgroup_version *v, int parent, int64_t ns)
{
    _fd_ int list = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _Alignas(struct dirent64) char text[8192];
    ssize_t n;

    while (list >= 0 && (n = getdents64(list, text, sizeof text)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const void *)(text + at);

            if (entry->d_type == DT_DIR)
                sweep_name(v, parent, entry->d_name, ns);
            at += entry->d_reclen;
        }
}

/* A directory counts the directories in it: with ours alone there is nothing to sweep. */
static bool has_others(int parent)
{
    struct stat s;

    return fstat(parent, &s) != 0 || s.st_nlink > 3;
}

void cgroup_sweep(const struct cgroup *c)
{
    struct cgroup_owner self;
    struct error unused;
    bool foreign, known = false;

    for (int i = 0; i < c->count; i++) {
        if (!has_others(c->dirs[i].parent))
            continue;
        if (!known && (!cgroup_owner_self(&self, &foreign, &unused) || foreign))
            return;
        known = true;
        sweep_place(c->dirs[i].version, c->dirs[i].parent, self.ns);
    }
}
