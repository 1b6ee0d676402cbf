/* SPDX-License-Identifier: Apache-2.0 */
/* berth.c: the process that keeps what runs have in common, and how it is asked for one. */
#include "sandbox/berth.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "base/own.h"
#include "base/pass.h"
#include "sandbox/child.h"
#include "sandbox/identity.h"
#include "sandbox/kernel.h"
#include "sandbox/net.h"
#include "sandbox/place.h"
#include "sandbox/quiet_clone.h"
#include "sandbox/trees.h"

/* A sanitizer takes notes on a stack, and does not forget those of a process that has ended. */
#if defined(__SANITIZE_ADDRESS__)
#define BORROW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BORROW 0
#endif
#endif
#ifndef BORROW
#define BORROW CLONE_VM
#endif

/* A cgroup namespace is the berth's, but the run's where that begins in a group of version 2: as
 * systemd mounts these, nobody in another namespace may put a process into a group outside of it.
 */
enum {
    BERTH_NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS,
    RUN_NAMESPACES = CLONE_NEWPID | CLONE_NEWNS,
};

/* What a berth is told, and what it says. */
struct ask {
    int at;                /* the place that says what is to be made */
    struct berth_use anew; /* what is made anew before */
    bool result;           /* a descriptor 3 comes with it */
    bool grouped;          /* a group comes with it */
};

struct answer {
    pid_t pid; /* or -1; a pidfd comes with it */
};

/* ---- in the berth: only system calls ---- */

/* Init's parent is ours: the supervisor waits for it, and lives as long as it likes. It borrows our
 * memory for good: what it does there is done by the time the next one comes, and nobody whom it
 * starts ever sees it. */
static int init_main(void *jail)
{
    child_main_in_berth(jail);
}

static long clone_init(struct jail *jail, int *init)
{
    return clone(init_main, jail->place->init_stack + PLACE_STACK,
                 RUN_NAMESPACES | CLONE_PARENT | CLONE_PIDFD | BORROW, jail, init);
}

/* Only the newer call puts it into a group. There its memory is its own: it would be ended when the
 * group runs out of memory, and whoever shares it. */
static long clone_init_into(struct jail *jail, int group, int *init)
{
    struct clone_args args = { .flags = RUN_NAMESPACES | CLONE_NEWCGROUP | CLONE_PARENT |
                                        CLONE_PIDFD | CLONE_INTO_CGROUP,
                               .pidfd = (uintptr_t)init,
                               .cgroup = (uint64_t)group };
    long pid = syscall(SYS_clone3, &args, sizeof args);

    if (pid == 0)
        child_main_in_berth(jail);
    return pid;
}

/* Of a slot only the line is there. */
static void make_init(const struct jail *berth, struct place *place, const struct ask *ask,
                      int fds[PASS_MOST])
{
    struct jail *jail = &place->jail;
    struct answer answer = { .pid = -1 };
    int line = berth->line, init = -1, n = 0;

    for (int i = 0; i < STREAM_COUNT && !place->ahead; i++)
        jail->streams[i] = i < STREAM_RESULT || ask->result ? fds[n++] : -1;
    jail->line = fds[n++];
    if ((!ask->anew.net || net_enter(berth->sysctls) == 0) &&
        (!ask->anew.ipc || unshare(CLONE_NEWIPC) == 0))
        answer.pid =
            (pid_t)(ask->grouped ? clone_init_into(jail, fds[n], &init) : clone_init(jail, &init));
    if (!pass_send(line, &answer, sizeof answer, &init, answer.pid > 0))
        (void)!pass_send(line, &answer, sizeof answer, NULL, 0); /* somebody waits for the word */
    for (int i = 0; i < PASS_MOST; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    if (init >= 0)
        (void)close(init);
}

struct service {
    const struct jail *jail; /* the berth's own */
    struct place *places;
    int patience_ms;
};

/* A request has to come in time: a berth that was left behind by a fork of its caller ends, too. */
static bool is_asked(const struct service *s)
{
    struct pollfd asked[] = { { .fd = s->jail->line, .events = POLLIN },
                              { .fd = s->jail->owner, .events = POLLIN } };
    int n;

    do {
        n = poll(asked, COUNT(asked), s->patience_ms);
    } while (n < 0 && errno == EINTR);
    return n > 0 && !asked[1].revents;
}

/* The streams of the process that made us are not ours to keep open. */
static void drop_streams(void)
{
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i < STREAM_RESULT && none >= 0; i++)
        if (none != i)
            (void)dup2(none, i);
    if (none >= STREAM_RESULT)
        (void)close(none);
}

static void serve(void *self)
{
    const struct service *s = self;
    struct word ready = { .kind = WORD_READY };
    struct ask ask = { 0 };
    int fds[PASS_MOST];

    drop_streams();
    if (send(s->jail->line, &ready, sizeof ready, MSG_NOSIGNAL) < 0)
        return;
    while (is_asked(s) && pass_take(s->jail->line, &ask, sizeof ask, fds))
        make_init(s->jail, &s->places[ask.at], &ask, fds);
}

/* ---- opening ---- */

static bool hear_ready(int line)
{
    struct word word;
    ssize_t n;

    do {
        n = recv(line, &word, sizeof word, 0);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof word && word.kind == WORD_READY;
}

static bool start(struct berth *l, struct jail *jail)
{
    struct clone_args args = { .flags = BERTH_NAMESPACES | CLONE_CLEAR_SIGHAND |
                                        (jail->into_group ? 0 : CLONE_NEWCGROUP) };
    char path[48], go = WORD_GO;
    struct error e;
    long pid = quiet_clone(&args);

    if (pid == 0)
        child_berth(jail, serve, &(struct service){ jail, l->places, l->patience_ms * 2 });
    l->pid = (pid_t)pid;
    if (pid < 0)
        return false;
    own_close(&jail->line);
    (void)snprintf(path, sizeof path, "/proc/%d/mountinfo", l->pid);
    l->mounts = open(path, O_RDONLY | O_CLOEXEC);
    if (l->mounts < 0 || !identity_write(jail, l->pid, &e) ||
        send(l->line, &go, 1, MSG_NOSIGNAL) != 1 || !hear_ready(l->line))
        return false;
    (void)berth_is_whole(l); /* what was mounted until now is what it is */
    return true;
}

/* A caller that has forked without an exec has left copies of our ends of all lines behind: only
 * this descriptor tells then that we are dead. It is out of the way of the streams. */
static bool open_owner(struct berth *l, struct jail *jail)
{
    _fd_ int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int owner = self < 0 ? -1 : fcntl(self, F_DUPFD_CLOEXEC, STREAM_COUNT);

    if (owner < 0)
        return false;
    jail->owner = owner;
    for (int i = 0; i < PLACES; i++)
        l->places[i].owner = owner;
    return true;
}

struct berth *berth_open(const struct jail *jail, int patience_ms)
{
    struct berth *l = mem_zeroed(sizeof *l);
    struct jail ours = *jail;
    int pair[2] = { -1, -1 };
    struct error e;
    bool ok;

    *l = (struct berth){
        .line = -1, .mounts = -1, .pid = -1, .left = -1, .slot = { .line = -1, .fd = -1 }
    };
    l->patience_ms = patience_ms;
    l->places = places_map();
    ok = l->places && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0;
    l->line = ours.far_end = pair[0];
    ours.line = pair[1];
    ours.in_berth = true;
    ours.cgroup = (struct cgroup){ 0 };
    for (int i = 0; i < STREAM_COUNT; i++)
        ours.streams[i] = -1;
    ok = ok && open_owner(l, &ours) && (!ours.privileged || trees_open(&ours, &e)) &&
         start(l, &ours);
    trees_close(&ours);
    own_close(&ours.line);
    own_close(&ours.owner);
    if (ok)
        return l;
    berth_close(l);
    return NULL;
}

void berth_abandon(struct berth *berth)
{
    own_close(&berth->slot.line);
    own_close(&berth->slot.fd);
    cgroup_close(&berth->slot.group);
    own_close(&berth->left);
    own_close(&berth->line);
    own_close(&berth->mounts);
    places_unmap(berth->places);
    free(berth);
}

void berth_close(struct berth *berth)
{
    berth_drop_slot(berth);
    own_close(&berth->line);
    if (berth->pid > 0)
        (void)kill(berth->pid, SIGKILL); /* somebody may have a copy of our end of the line */
    while (berth->pid > 0 && waitpid(berth->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    berth_abandon(berth);
}

bool berth_is_whole(const struct berth *berth)
{
    struct pollfd changed[] = { { .fd = berth->mounts, .events = POLLPRI }, { .fd = berth->line } };

    return poll(changed, COUNT(changed), 0) == 0;
}

/* ---- what is built in it ---- */

static void add(struct sha256 *sum, const char *text)
{
    sha256_add(sum, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_mount(struct sha256 *sum, const struct jail_mount *m)
{
    const uint64_t numbers[] = { m->kind,  m->writable, m->shown, m->is_link,
                                 m->owned, m->dev,      m->ino };

    add(sum, m->from);
    add(sum, m->to);
    sha256_add(sum, numbers, sizeof numbers);
}

/* What a process hands on to those whom it makes, and may change between two runs. */
static void add_inherited(struct sha256 *sum, const struct jail *j)
{
    struct rlimit limits[RLIM_NLIMITS] = { 0 };
    cpu_set_t cpus;
    struct stat net = { 0 };
    int64_t numbers[] = { getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), 0, 0 };

    CPU_ZERO(&cpus);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        (void)getrlimit((__rlimit_resource_t)i, &limits[i]);
    (void)sched_getaffinity(0, sizeof cpus, &cpus);
    if (j->host_network && stat("/proc/thread-self/ns/net", &net) == 0) {
        numbers[2] = (int64_t)net.st_dev;
        numbers[3] = (int64_t)net.st_ino;
    }
    sha256_add(sum, limits, sizeof limits);
    sha256_add(sum, &cpus, sizeof cpus);
    sha256_add(sum, numbers, sizeof numbers);
}

struct digest berth_key(const struct jail *j)
{
    const uint64_t numbers[] = { j->privileged,    j->uid,         j->gid,          j->outside,
                                 j->outside_group, j->layers,      j->host_network, j->dir_count,
                                 j->mount_count,   j->file_count,  j->link_count,   j->file_bytes,
                                 j->process_most,  j->memory_most, j->into_group };
    struct sha256 sum;

    sha256_begin(&sum);
    sha256_add(&sum, numbers, sizeof numbers);
    add_inherited(&sum, j);
    for (size_t i = 0; i < j->dir_count; i++)
        add(&sum, j->dirs[i]);
    for (size_t i = 0; i < j->mount_count; i++)
        add_mount(&sum, &j->mounts[i]);
    for (size_t i = 0; i < j->file_count; i++) {
        add(&sum, j->files[i].path);
        add(&sum, j->files[i].text);
    }
    for (size_t i = 0; i < j->link_count; i++) {
        add(&sum, j->links[i].name);
        add(&sum, j->links[i].to);
    }
    return sha256_end(&sum);
}

/* ---- a run in it ---- */

/* Its pidfd was lost on the way: who has no descriptor left gets the word alone. It is our child,
 * and nobody else waits for it: the number is its own until we have. */
static void end_lost(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

/* What the berth was asked to make. */
static bool hear_made(const struct berth *berth, pid_t *pid, int *init)
{
    struct answer answer = { .pid = -1 };
    int got[PASS_MOST];

    if (!pass_take(berth->line, &answer, sizeof answer, got) || answer.pid <= 0)
        return false;
    if (got[0] < 0) {
        end_lost(answer.pid);
        return false;
    }
    *pid = answer.pid;
    *init = got[0];
    return true;
}

bool berth_start(struct berth *berth, const struct jail *jail, int into, pid_t *pid, int *init)
{
    struct place *place = &berth->places[berth->at];
    bool like_the_last = berth->runs++ > 0 && place_has_walls_of(place, jail);
    struct ask ask = { .at = berth->at,
                       .anew = { .net = berth->used.net && !jail->host_network,
                                 .ipc = berth->used.ipc },
                       .result = jail->streams[STREAM_RESULT] >= 0,
                       .grouped = into >= 0 };
    int fds[PASS_MOST];
    size_t n = 0;

    for (int i = 0; i < STREAM_COUNT; i++)
        if (i < STREAM_RESULT || ask.result)
            fds[n++] = jail->streams[i];
    fds[n++] = jail->line;
    if (ask.grouped)
        fds[n++] = into;
    berth->may_slot &= like_the_last && !ask.anew.net && !ask.anew.ipc;
    place->ahead = false;
    if (!place_walls(place, jail) || !place_command(place, jail) ||
        !pass_send(berth->line, &ask, sizeof ask, fds, n))
        return false;
    if (!hear_made(berth, pid, init))
        return false;
    berth->used = (struct berth_use){ 0 };
    return true;
}

bool berth_ask_slot(struct berth *berth, int at, int line, int into)
{
    struct ask ask = { .at = at, .grouped = into >= 0 };
    int fds[3] = { line };
    size_t n = 1;
    bool ok;

    if (ask.grouped)
        fds[n++] = into;
    if (berth->left >= 0)
        fds[n++] = berth->left;
    ok = pass_send(berth->line, &ask, sizeof ask, fds, n);
    own_close(&berth->left);
    return ok;
}

static void forget_slot(struct slot *s)
{
    struct error unused; /* what cannot be removed now is swept once this process is gone */

    own_close(&s->line);
    own_close(&s->fd);
    (void)!cgroup_remove(&s->group, &unused);
    *s = (struct slot){ .line = -1, .fd = -1 };
}

/* The berth answers once: what it could not make is not asked about again. */
bool berth_has_slot(struct berth *berth)
{
    struct slot *s = &berth->slot;

    if (s->asked && s->pid <= 0 && !hear_made(berth, &s->pid, &s->fd))
        forget_slot(s);
    return s->asked;
}

void berth_drop_slot(struct berth *berth)
{
    struct slot *s = &berth->slot;

    if (!s->asked)
        return;
    own_close(&s->line);
    if (berth_has_slot(berth)) {
        (void)syscall(SYS_pidfd_send_signal, s->fd, SIGKILL, NULL, 0);
        while (waitpid(s->pid, NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
    forget_slot(s);
}
