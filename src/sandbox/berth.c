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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "base/own.h"
#include "sandbox/child.h"
#include "sandbox/identity.h"
#include "sandbox/kernel.h"
#include "sandbox/net.h"
#include "sandbox/quiet.h"
#include "sandbox/root.h"
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

enum {
    SHARED_BYTES = 512 << 10, /* who has more to say runs without a berth */
    BERTH_NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
    RUN_NAMESPACES = CLONE_NEWPID | CLONE_NEWNS,
    FDS = STREAM_COUNT + 2, /* the streams, the line, and perhaps a group */
};

/* What a berth is told, and what it says. */
struct ask {
    struct berth_use anew; /* what is made anew before */
    bool result;           /* a descriptor 3 comes with it */
    bool grouped;          /* a group comes with it */
};

struct answer {
    pid_t pid; /* or -1; a pidfd comes with it */
};

/* ---- words with descriptors ---- */

static bool send_fds(int line, void *word, size_t size, const int *fds, size_t n)
{
    union {
        char bytes[CMSG_SPACE(FDS * sizeof(int))];
        struct cmsghdr head;
    } control = { .head = { .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS,
                            .cmsg_len = CMSG_LEN(n * sizeof(int)) } };
    struct iovec part = { word, size };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = n > 0 ? &control : NULL,
                              .msg_controllen = n > 0 ? CMSG_SPACE(n * sizeof(int)) : 0 };

    if (n > 0)
        memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
    return sendmsg(line, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Descriptors that do not come are -1. */
static bool take_fds(int line, void *word, size_t size, int fds[FDS])
{
    union {
        char bytes[CMSG_SPACE(FDS * sizeof(int))];
        struct cmsghdr head;
    } control = { 0 };
    struct iovec part = { word, size };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    ssize_t got;

    for (int i = 0; i < FDS; i++)
        fds[i] = -1;
    do {
        got = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (control.head.cmsg_len > CMSG_LEN(0))
        memcpy(fds, CMSG_DATA(&control.head), control.head.cmsg_len - CMSG_LEN(0));
    return got == (ssize_t)size;
}

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
    static char stack[64 << 10] __attribute__((aligned(16)));

    return clone(init_main, stack + sizeof stack,
                 RUN_NAMESPACES | CLONE_PARENT | CLONE_PIDFD | BORROW, jail, init);
}

/* Only the newer call puts it into a group. There its memory is its own: it would be ended when the
 * group runs out of memory, and whoever shares it. */
static long clone_init_into(struct jail *jail, int group, int *init)
{
    struct clone_args args = { .flags =
                                   RUN_NAMESPACES | CLONE_PARENT | CLONE_PIDFD | CLONE_INTO_CGROUP,
                               .pidfd = (uintptr_t)init,
                               .cgroup = (uint64_t)group };
    long pid = syscall(SYS_clone3, &args, sizeof args);

    if (pid == 0)
        child_main_in_berth(jail);
    return pid;
}

static void make_init(int line, struct jail *jail, const struct ask *ask, int fds[FDS])
{
    struct answer answer = { .pid = -1 };
    int init = -1, n = 0;

    for (int i = 0; i < STREAM_COUNT; i++)
        jail->streams[i] = i < STREAM_RESULT || ask->result ? fds[n++] : -1;
    jail->line = fds[n++];
    if ((!ask->anew.net || net_enter() == 0) && (!ask->anew.ipc || unshare(CLONE_NEWIPC) == 0))
        answer.pid =
            (pid_t)(ask->grouped ? clone_init_into(jail, fds[n], &init) : clone_init(jail, &init));
    (void)send_fds(line, &answer, sizeof answer, &init, answer.pid > 0);
    for (int i = 0; i < FDS; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    if (init >= 0)
        (void)close(init);
}

struct service {
    int line;
    struct jail *shared;
};

static void serve(void *self)
{
    const struct service *s = self;
    struct word ready = { .kind = WORD_READY };
    struct ask ask = { 0 };
    int fds[FDS];

    if (send(s->line, &ready, sizeof ready, MSG_NOSIGNAL) < 0)
        return;
    while (take_fds(s->line, &ask, sizeof ask, fds))
        make_init(s->line, s->shared, &ask, fds);
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
    struct clone_args args = { .flags = BERTH_NAMESPACES | CLONE_CLEAR_SIGHAND };
    char path[48], go = WORD_GO;
    struct error e;
    long pid = quiet_clone(&args);

    if (pid == 0)
        child_berth(jail, serve, &(struct service){ jail->line, l->shared });
    l->pid = (pid_t)pid;
    if (pid < 0)
        return false;
    (void)close(jail->line);
    jail->line = -1;
    (void)snprintf(path, sizeof path, "/proc/%d/mountinfo", l->pid);
    l->mounts = open(path, O_RDONLY | O_CLOEXEC);
    if (l->mounts < 0 || !identity_write(jail, l->pid, &e) ||
        send(l->line, &go, 1, MSG_NOSIGNAL) != 1 || !hear_ready(l->line))
        return false;
    (void)berth_is_whole(l); /* what was mounted until now is what it is */
    return true;
}

struct berth *berth_open(const struct jail *jail)
{
    struct berth *l = mem_zeroed(sizeof *l);
    struct jail ours = *jail;
    int pair[2] = { -1, -1 };
    struct error e;
    bool ok;

    *l = (struct berth){ .line = -1, .mounts = -1, .pid = -1 };
    /* cppcheck-suppress invalidFunctionArg ; memory of no file has no descriptor */
    l->shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ok =
        l->shared != MAP_FAILED && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0;
    l->line = ours.far_end = pair[0];
    ours.line = pair[1];
    ours.in_berth = true;
    ours.cgroup = (struct cgroup){ 0 };
    for (int i = 0; i < STREAM_COUNT; i++)
        ours.streams[i] = -1;
    ok = ok && (!ours.privileged || trees_open(&ours, &e)) && start(l, &ours);
    trees_close(&ours);
    own_close(&ours.line);
    if (ok)
        return l;
    berth_close(l);
    return NULL;
}

void berth_close(struct berth *berth)
{
    own_close(&berth->line);
    own_close(&berth->mounts);
    if (berth->pid > 0)
        (void)kill(berth->pid, SIGKILL); /* somebody may have a copy of our end of the line */
    while (berth->pid > 0 && waitpid(berth->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    if (berth->shared != MAP_FAILED)
        (void)munmap(berth->shared, SHARED_BYTES);
    free(berth);
}

bool berth_is_whole(const struct berth *berth)
{
    struct pollfd changed = { .fd = berth->mounts, .events = POLLPRI };

    return poll(&changed, 1, 0) == 0;
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

struct digest berth_key(const struct jail *j)
{
    const uint64_t numbers[] = { j->privileged,    j->uid,        j->gid,          j->outside,
                                 j->outside_group, j->layers,     j->host_network, j->dir_count,
                                 j->mount_count,   j->file_count, j->link_count,   j->file_bytes,
                                 j->process_most,  j->memory_most };
    struct sha256 sum;

    sha256_begin(&sum);
    sha256_add(&sum, numbers, sizeof numbers);
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

/* A copy that lies in the shared memory altogether. */
struct copy {
    char *at, *end;
};

static void *copy_bytes(struct copy *c, const void *bytes, size_t n)
{
    size_t room = (n + 15) & ~(size_t)15;
    void *to = c->at;

    if ((size_t)(c->end - c->at) < room) {
        c->at = c->end = NULL; /* nothing fits any more, and the caller asks once */
        return NULL;
    }
    c->at += room;
    return memcpy(to, bytes, n);
}

static char *copy_text(struct copy *c, const char *text)
{
    return c->at ? copy_bytes(c, text, strlen(text) + 1) : NULL;
}

static char *const *copy_texts(struct copy *c, char *const *texts)
{
    size_t n = 0;
    char **list;

    while (texts[n])
        n++;
    list = c->at ? copy_bytes(c, texts, (n + 1) * sizeof *texts) : NULL;
    for (size_t i = 0; list && i < n; i++)
        list[i] = copy_text(c, texts[i]);
    return list;
}

/* Of the root only what lies in directories that every run has for itself. */
static void copy_root(struct copy *c, const struct jail *from, struct jail *to)
{
    to->dirs = c->at ? copy_bytes(c, from->dirs, from->dir_count * sizeof *from->dirs) : NULL;
    to->mounts =
        c->at ? copy_bytes(c, from->mounts, from->mount_count * sizeof *from->mounts) : NULL;
    to->files = c->at ? copy_bytes(c, from->files, from->file_count * sizeof *from->files) : NULL;
    to->dir_count = to->mount_count = to->file_count = to->link_count = 0;
    for (size_t i = 0; c->at && i < from->dir_count; i++)
        if (root_is_in_scratch(from->dirs[i]))
            to->dirs[to->dir_count++] = copy_text(c, from->dirs[i]);
    for (size_t i = 0; c->at && i < from->mount_count; i++) {
        struct jail_mount m = from->mounts[i];

        if (m.shown || !root_is_scratch(m.to))
            continue;
        m.from = m.to = copy_text(c, m.to);
        to->mounts[to->mount_count++] = m;
    }
    for (size_t i = 0; c->at && i < from->file_count; i++)
        if (root_is_scratch(from->files[i].path))
            to->files[to->file_count++] = (struct jail_file){ copy_text(c, from->files[i].path),
                                                              copy_text(c, from->files[i].text) };
}

static bool copy_jail(struct berth *l, const struct jail *jail)
{
    struct jail *to = l->shared;
    struct copy c = { (char *)(to + 1), (char *)to + SHARED_BYTES };

    c.at += -(uintptr_t)c.at & 15;
    *to = *jail;
    to->in_berth = true;
    to->late_groups = true;
    to->far_end = -1;
    to->cgroup = (struct cgroup){ 0 };
    copy_root(&c, jail, to);
    to->path = copy_text(&c, jail->path);
    to->cwd = copy_text(&c, jail->cwd);
    to->scratch_size = copy_text(&c, jail->scratch_size);
    to->argv = copy_texts(&c, jail->argv);
    to->env = copy_texts(&c, jail->env);
    to->rules = c.at ? copy_bytes(&c, jail->rules, jail->rule_count * sizeof *jail->rules) : NULL;
    for (size_t i = 0; to->rules && i < jail->rule_count; i++)
        to->rules[i].path = copy_text(&c, jail->rules[i].path);
    return c.at != NULL;
}

bool berth_start(struct berth *berth, const struct jail *jail, int into, pid_t *pid, int *init)
{
    struct ask ask = { .anew = { .net = berth->used.net && !jail->host_network,
                                 .ipc = berth->used.ipc },
                       .result = jail->streams[STREAM_RESULT] >= 0,
                       .grouped = into >= 0 };
    struct answer answer = { .pid = -1 };
    int fds[FDS], got[FDS];
    size_t n = 0;

    for (int i = 0; i < STREAM_COUNT; i++)
        if (i < STREAM_RESULT || ask.result)
            fds[n++] = jail->streams[i];
    fds[n++] = jail->line;
    if (ask.grouped)
        fds[n++] = into;
    if (!copy_jail(berth, jail) || !send_fds(berth->line, &ask, sizeof ask, fds, n))
        return false;
    if (!take_fds(berth->line, &answer, sizeof answer, got) || answer.pid <= 0 || got[0] < 0)
        return false;
    berth->used = (struct berth_use){ 0 };
    *pid = answer.pid;
    *init = got[0];
    return true;
}
