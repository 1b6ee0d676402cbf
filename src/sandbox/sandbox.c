/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c: makes the walls, starts the command in them, and reads what became of it. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/own.h"
#include "base/quiet.h"
#include "contract/codes.h"
#include "sandbox/cgroup_place.h"
#include "sandbox/cow_plan.h"
#include "sandbox/doors.h"
#include "sandbox/hashing.h"
#include "sandbox/init.h"
#include "sandbox/landlock.h"
#include "sandbox/mend.h"
#include "sandbox/process.h"
#include "sandbox/streams.h"
#include "sandbox/supervise.h"
#include "sandbox/trees.h"
#include "sandbox/trial.h"

/* ---- what went past the doors ---- */

enum { COUNTERS_MOST = 16 << 10 };

/* The kernel's counters of a network, which stay open when all who were in it are dead. */
struct net_counters {
    int four, six; /* -1: not open */
};

static int open_counters(pid_t pid, const char *name)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/net/%s", pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Of the network that this process is in. */
static struct net_counters net_counters_open(pid_t pid)
{
    return (struct net_counters){ open_counters(pid, "snmp"), open_counters(pid, "snmp6") };
}

/* They are as they are when they are read. */
static bool read_counters(int *fd, char text[COUNTERS_MOST])
{
    size_t n = 0;
    ssize_t got;

    while (*fd >= 0 && n < COUNTERS_MOST - 1 &&
           (got = read(*fd, text + n, COUNTERS_MOST - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    own_close(fd);
    return n > 0;
}

/* The same column of a line of names and the line of numbers behind it. */
static int64_t counter_four(const char *text)
{
    const char *names = strstr(text, "Ip: "), *numbers = names ? strstr(names + 1, "\nIp: ") : NULL;
    const char *column = names ? strstr(names, " OutNoRoutes") : NULL;

    if (!column || !numbers || column > numbers)
        return -1;
    numbers++;
    for (const char *at = names; at < column; at++)
        if (*at == ' ')
            numbers += strcspn(numbers, " ") + 1;
    numbers += strcspn(numbers, " ");
    return strtoll(numbers, NULL, 10);
}

static int64_t counter_six(const char *text)
{
    static const char name[] = "Ip6OutNoRoutes";
    const char *at = strstr(text, name);

    return at ? strtoll(at + strlen(name), NULL, 10) : 0; /* a kernel without it */
}

/* How often something was sent where no way leads; -1: not known. Closes them. */
static int64_t net_led_nowhere(struct net_counters *c)
{
    char text[COUNTERS_MOST];
    int64_t four = read_counters(&c->four, text) ? counter_four(text) : -1;
    int64_t six = read_counters(&c->six, text) ? counter_six(text) : 0;

    return four < 0 ? -1 : four + six;
}

/* What a run holds open; all of it is let go of by close_all(). */
struct holding {
    const struct world *world;
    struct jail jail;
    struct streams_ask asked;
    struct streams streams;
    struct init init;
    struct threads threads;
    struct gate *gate;            /* that the run reaches hosts through, or NULL */
    struct net_counters counters; /* of its network */
    struct door doors[DOORS_MAX];
    struct cgroup_usage usage;
    struct cow_layers layers;
    struct scratch scratch;
    bool measured;    /* the usage is final; groups that are not kept are gone */
    int64_t began_ms; /* when it was let go */
    bool abandoned;   /* some of its processes are still there, and cannot be ended */
    bool keeps_group; /* it is measured when all are dead, and may carry another run */
};

static void close_all(struct holding *h)
{
    streams_let_go(&h->jail);
    streams_close(&h->streams);
    own_close(&h->jail.line);
    init_close(&h->init);
    own_close(&h->threads.listener);
    filters_close(&h->threads.filters);
    trees_close(&h->jail);
}

/* ---- limits ---- */

static int64_t children_of(const struct request_processes *processes)
{
    return processes->allow_fork ? processes->max_children : 0;
}

/* Processes that may be in the group. Where the filter lets none be made, there is room for
 * threads; without the filter nobody tells them apart, and a thread counts as a child. */
static int64_t tasks_of(const struct request_processes *processes, unsigned built)
{
    int64_t children = children_of(processes);
    bool only_threads = children == 0 && (built & (1U << LAYER_SECCOMP));

    return 1 + (only_threads ? THREAD_ROOM : children);
}

static struct cgroup_limits limits_of(const struct run *run, const struct holding *h)
{
    return (struct cgroup_limits){ .memory_bytes = run->limits->memory_mb << 20,
                                   .cores = run->limits->cpu_cores,
                                   .tasks = tasks_of(run->limits->processes, h->jail.layers) };
}

static int64_t mono_ms(const struct holding *h)
{
    return h->world->mono_ms(h->world->self);
}

/* The groups are there, whoever has made them. */
static bool use_group(const struct run *run, struct holding *h, struct error *e)
{
    h->keeps_group = run->kept && cgroup_may_rest(&h->jail.cgroup);
    h->threads.most = limits_of(run, h).tasks + cgroup_counts_init(&h->jail.cgroup);
    return !cgroup_counts_init(&h->jail.cgroup) ||
           cgroup_set_tasks(&h->jail.cgroup, h->threads.most) ||
           error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:cgroup: pids.max");
}

static bool make_group(const struct run *run, struct holding *h, struct error *e)
{
    struct cgroup_limits most = limits_of(run, h);
    struct error why; /* told only where it matters */

    h->threads.most = most.tasks;
    if (run->kept ? kept_group(run->kept, &most, mono_ms(h), &h->jail.cgroup, &why)
                  : cgroup_make(&most, &h->jail.cgroup, &why))
        return use_group(run, h, e);
    if (!(run->weak & (1U << LAYER_CGROUP))) {
        *e = why;
        return error_wrap(e, "LAYER_MISSING:%s", layers[LAYER_CGROUP].name);
    }
    h->jail.layers &= ~(1U << LAYER_CGROUP);
    return true;
}

/* Where the caller may do without groups, it has to be known before anything is laid out whether
 * there are any. */
static bool may_lack_groups(const struct run *run)
{
    return run->weak & (1U << LAYER_CGROUP);
}

/* A process can be cloned into a group of version 2 only, and that has to be there before. Others
 * are made while the new process builds its root. */
static bool groups_come_first(const struct run *run)
{
    return run->kept ? kept_groups_first(run->kept) : cgroup_place_first(NULL);
}

static bool lay_layers(const struct run *run, struct arena *a, struct holding *h, struct error *e)
{
    struct cow_ask ask = { run->grants, run->absent, run->program };

    if (run->limits->filesystem->write_mode != WRITE_COW)
        return true;
    if (!(h->jail.layers & (1U << LAYER_MOUNT)))
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:mount: write mode cow needs mounts of its own");
    if (!cow_plan(&ask, a, &h->jail, e))
        return false;
    return cow_expect(&h->jail, a, &h->layers, e);
}

static struct process_ask lists_of(const struct run *run)
{
    return (struct process_ask){ .grants = run->grants,
                                 .absent = run->absent,
                                 .limits = run->limits,
                                 .cwd = run->cwd,
                                 .state = run->state,
                                 .owner = run->owner,
                                 .group = run->group };
}

static bool build(const struct run *run, struct arena *a, struct holding *h, struct error *e)
{
    const struct request_processes *processes = run->limits->processes;
    struct jail_ask ask = {
        .program = run->program,
        .grants = run->grants,
        .cwd = run->cwd,
        .owner = run->owner,
        .group = run->group,
        .memory_mb = run->limits->memory_mb,
        .cpu_cores = run->limits->cpu_cores,
        .allow_fork = children_of(processes) > 0,
        .host_network = run->limits->network->raw,
        .hosts = run->gate ? run->gate->hosts : NULL,
        .ask_use = run->kept && !run->gate,
        .held = run->held,
        .layers = trial_layers(run->weak),
        .argv = run->argv,
        .env = run->env,
    };
    struct process_ask lists = lists_of(run);
    bool unsure = may_lack_groups(run), hosted = process_is_needed(run->weak);
    bool first = groups_come_first(run);
    struct cgroup group;

    if (hosted && !process_admits(&lists, e))
        return false;
    if (hosted)
        ask.layers = PROCESS_LAYERS;
    if (run->held && !(ask.layers & (1U << LAYER_SECCOMP)))
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:seccomp: without the filter on system calls no clock can "
                         "be held");
    h->jail.layers = ask.layers;
    if (run->gate && !gate_open(run->gate, h->world, &h->gate, e))
        return false;
    if (unsure && !make_group(run, h, e))
        return false;
    group = h->jail.cgroup;
    ask.layers = h->jail.layers;
    ask.count_threads = (!unsure || group.count > 0) && (ask.layers & (1U << LAYER_SECCOMP));
    jail_build(&ask, a, &h->jail);
    h->jail.cgroup = group;
    h->jail.late_groups = !unsure && !first;
    h->jail.has_group = cgroup_into(&group) >= 0;
    h->jail.into_group = h->jail.has_group || (first && !unsure);
    if (hosted && !process_lay(&lists, a, &h->jail, &h->scratch, e))
        return false;
    h->threads.hosted = hosted ? &h->jail : NULL;
    if (unsure && group.count == 0) {
        h->jail.process_most = tasks_of(processes, ask.layers) + 1; /* and init */
        h->jail.process_most += hosted ? process_tasks_of(h->jail.outside) + PROCESS_ROOM : 0;
        h->jail.memory_most = run->limits->memory_mb << 20;
    }
    return lay_layers(run, a, h, e) && streams_make(&h->asked, &h->streams, &h->jail, e);
}

/* The doors have somebody behind them before the command is there to knock. */
static bool serve_doors(struct holding *h, struct error *e)
{
    size_t n = h->jail.door_count;
    struct word word = { 0 };

    if (!n)
        return true;
    memcpy(h->doors, h->jail.doors, n * sizeof *h->doors);
    if (doors_take(h->doors, n, h->init.line, h->init.fd, &word)) {
        bool served = gate_serve(h->gate, h->doors, n, e);

        h->counters = net_counters_open(h->init.pid); /* it is in that network by now */
        doors_close(h->doors, n);                     /* those that it did not take */
        return served;
    }
    doors_close(h->doors, n);
    return word.kind == WORD_FAILED
               ? child_failure(&word, e)
               : error_set(e, CODE_LAYER_MISSING, "LAYER_MISSING:net: the new process is gone");
}

/* Our copies of what the new process has now. */
static void let_go(struct holding *h)
{
    streams_let_go(&h->jail);
    own_close(&h->jail.line);
}

/* ---- what became of it ---- */

static void measure(const struct holding *h, const struct rusage *used,
                    const struct cgroup_usage *usage, struct outcome *out)
{
    out->cpu_ms = usage->cpu_ms; /* rusage lacks whoever was not waited for */
    out->memory_peak_bytes =
        usage->memory_peak_bytes >= 0 ? usage->memory_peak_bytes : used->ru_maxrss * 1024LL;
    out->oom_events = usage->oom_kills;
    out->pids_hits = usage->task_hits + h->threads.ended;
    out->thread_hits = h->threads.refused;
    out->filter_hits = h->threads.filters.refused;
    out->layers = h->jail.layers & ~(h->jail.host_network ? 1U << LAYER_NET : 0);
    out->hosted = h->jail.hosted;
    out->missing = LAYER_ALL & ~h->jail.layers;
    out->cgroup = cgroup_kind(&h->jail.cgroup);
    out->landlock = out->layers & (1U << LAYER_LANDLOCK) ? landlock_version() : 0;
}

/* Where the caller may do without it, he is told what would help. */
static bool refuse(const struct word *failure, const struct jail *jail, struct arena *a,
                   struct error *e)
{
    struct ailment ill = { .sys = failure->sys };
    struct surroundings around;
    const char *changed;

    ill.where = child_stage(failure, &ill.layer);
    changed = ill.layer == LAYER_MOUNT ? trees_changed(jail, ill.sys) : NULL;
    if (changed)
        return trees_refuse(changed, e);
    (void)child_failure(failure, e);
    if (!child_failed_at_choice(failure))
        return false;
    around = surroundings_now();
    return error_set(e, CODE_LAYER_MISSING, "%s. %s", arena_text(a, str_of(e->msg)),
                     mend_for(&ill, &around, a));
}

static bool finish(struct supervision *s, struct holding *h, struct arena *a, struct outcome *out,
                   struct error *e)
{
    struct rusage used = { 0 };
    int status;

    if (s->unseen) {
        h->abandoned = true;
        return outcome_unseen(s, out, e);
    }
    while (wait4(h->init.pid, &status, __WALL, &used) < 0 && errno == EINTR)
        ;
    if (!h->measured)
        cgroup_usage(&h->jail.cgroup, &h->usage);
    if (s->failed && !child_failed_at_exec(&s->failure))
        return refuse(&s->failure, &h->jail, a, e);
    if (!s->ready && !s->failed && s->stopped_for != CAUSE_CANCELLED)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:pid: the new process vanished while its walls were built");
    measure(h, &used, &h->usage, out);
    outcome_judge(s, &h->usage, out);
    out->out = outcome_printed(&h->streams.out, a);
    out->err = outcome_printed(&h->streams.err, a);
    if (s->result)
        out->result = outcome_printed(s->result, a);
    out->cow = h->layers;
    return true;
}

/* Groups that are empty when the command has ended are measured and removed at once, while the tree
 * is torn down. */
static void take_usage(void *self)
{
    struct holding *h = self;

    if (h->keeps_group) {
        h->measured = cgroup_tasks(&h->jail.cgroup) == 0;
        if (h->measured)
            cgroup_usage(&h->jail.cgroup, &h->usage);
        return;
    }
    cgroup_usage(&h->jail.cgroup, &h->usage);
    h->measured = cgroup_drop(&h->jail.cgroup);
}

static bool permit(const struct run *run, const struct hashing *hashing, struct holding *h,
                   struct error *e)
{
    if (run->permit && !run->permit(run->permit_self, e))
        return false;
    hash_settle(hashing, h->world);
    h->began_ms = mono_ms(h);
    return init_release(&h->init, &h->jail, run->kept, e);
}

/* While the command begins, what the next one needs is made. The group that one begins in counts
 * its init, too. */
static void make_next(const struct run *run, struct holding *h)
{
    struct cgroup_limits most = limits_of(run, h), with_init = most;
    struct cgroup group = { 0 };
    struct error unused;

    with_init.tasks++;
    if (init_may_slot(&h->init) &&
        (!h->jail.into_group ||
         (!h->jail.has_group &&
          kept_new_group(run->kept, &with_init, mono_ms(h), &group, &unused))))
        init_make_next(&h->init, &h->jail, &group);
    (void)!cgroup_remove(&group, &unused); /* that nobody has taken */
    if (h->init.slotted && h->keeps_group)
        kept_ready_group(run->kept, &most, mono_ms(h));
}

/* Somebody who was made ahead and brings his group, or the groups and then who begins in them. */
static bool have_init(const struct run *run, struct holding *h, struct error *e)
{
    struct slot_group group = { .limits = limits_of(run, h) };

    if (run->kept && h->jail.into_group)
        group.age = kept_groups_age(run->kept, mono_ms(h));
    if (init_take(&h->init, &h->jail, run->kept, &group))
        return !h->jail.into_group || use_group(run, h, e);
    if (!h->jail.late_groups && !may_lack_groups(run) && !make_group(run, h, e))
        return false;
    return init_start(&h->init, &h->jail, run->kept, e);
}

static bool run_built(const struct run *run, const struct world *world, struct arena *a,
                      struct holding *h, struct outcome *out, struct error *e)
{
    struct supervision s = { .world = world,
                             .group = &h->jail.cgroup,
                             .cancel = run->cancel,
                             .timeout_ms = run->limits->timeout_ms,
                             .plain_init = h->jail.hosted,
                             .patient = run->patient,
                             .at_once = run->at_once,
                             .pace = run->pace,
                             .out = &h->streams.out,
                             .err = &h->streams.err,
                             .result = run->result ? &h->streams.result : NULL,
                             .threads = &h->threads,
                             .cow = &h->layers,
                             .gate = h->gate,
                             .absent = run->absent,
                             .own_net = !h->jail.host_network && !h->jail.hosted,
                             .idle = hash_some,
                             .ended_hook = take_usage,
                             .ended_self = h,
                             .stopped_for = CAUSE_EXITED };
    struct hashing *hashing = hash_new(a);
    _fd_ int program = open(run->program->real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int64_t begin = world->mono_ms(world->self);

    h->jail.most_ms = supervise_most_ms(run->limits->timeout_ms, run->at_once, &run->pace);
    s.idle_self = hashing;
    hashing->fd = program;
    hash_begin(hashing, run->program, run->kept);
    if (hashing->known || hashing->unread)
        s.idle = NULL;
    if (!have_init(run, h, e)) {
        init_kill(&h->init);
        return false;
    }
    if (h->jail.hosted && h->jail.process_most > 0 && children_of(run->limits->processes) > 0) {
        h->threads.init = h->init.pid;
        h->threads.room = PROCESS_ROOM;
    }
    if ((h->jail.late_groups && !make_group(run, h, e)) ||
        !init_enter_groups(&h->init, &h->jail, e) || !serve_doors(h, e) ||
        !permit(run, hashing, h, e)) {
        init_kill(&h->init);
        return false;
    }
    make_next(run, h);
    let_go(h);
    streams_listen(&h->streams, &h->asked);
    if (!run->kept || kept_sweeps(run->kept))
        cgroup_sweep(&h->jail.cgroup);
    s.line = h->init.line;
    s.init = h->init.fd;
    s.counted = h->init.pid;
    s.began_ms = h->began_ms;
    supervise(&s);
    out->ended_ms = s.over_ms;
    out->duration_ms = out->ended_ms - begin;
    while (s.idle && hash_some(hashing))
        ;
    hash_end(hashing, run->kept, world, out);
    return finish(&s, h, a, out, e);
}

/* What a run had in its /tmp is charged to its groups for as long as the mounts are there. */
static bool rests(struct kept *kept, struct holding *h)
{
    if (!h->keeps_group)
        return false;
    if (kept_give_group(kept, &h->jail.cgroup, &h->usage))
        return true;
    if (h->init.mounts < 0)
        return false;
    own_close(&h->init.mounts);
    return kept_give_group(kept, &h->jail.cgroup, &h->usage);
}

bool sandbox_run(const struct run *run, const struct world *world, struct arena *a,
                 struct outcome *out, struct error *e)
{
    struct holding *h = arena_new(a, struct holding);
    sigset_t before;
    struct error left;
    bool ok;

    *h = (struct holding){
        .world = world,
        .asked = { .input = run->input,
                   .live = { run->live[0], run->live[1] },
                   .result = run->result,
                   .wired = run->wired,
                   .wires = { run->wires[0], run->wires[1] } },
        .streams = { .ours = { -1, -1, -1 } },
        .init = { .fd = -1, .line = -1, .mounts = -1 },
        .jail = { .streams = { -1, -1, -1, -1 }, .line = -1, .layers = LAYER_ALL },
        .counters = { -1, -1 },
        .threads = { .listener = -1, .filters = { .state = run->state, .file = -1 } }
    };
    *out = (struct outcome){ .cause = CAUSE_SANDBOX_ERROR, .exit_code = -1, .cgroup = "none" };
    before = quiet_begin();
    ok = build(run, a, h, e) && run_built(run, world, a, h, out, e);
    if (h->gate)
        gate_close(h->gate, a, &out->gate);
    out->gate.led_nowhere = net_led_nowhere(&h->counters);
    if (ok && out->gate.incomplete) { /* nobody can say what was reached */
        out->layers &= ~(1U << LAYER_NET);
        out->missing |= 1U << LAYER_NET;
    }
    if (h->abandoned)
        cgroup_close(&h->jail.cgroup); /* swept by a run to come */
    else if ((!ok || !rests(run->kept, h)) && !cgroup_remove(&h->jail.cgroup, &left))
        out->left = arena_text(a, str_of(left.msg));
    if (!scratch_remove(&h->scratch, &left))
        out->left = arena_text(a, str_of(left.msg));
    init_leave(&h->init, run->kept,
               (struct berth_use){ .net = h->threads.sockets,
                                   .ipc = h->threads.ipc,
                                   .all = !ok || h->threads.pairs });
    if (!ok)
        cow_close(&h->layers);
    close_all(h);
    quiet_end(&before);
    return ok;
}
