/* SPDX-License-Identifier: Apache-2.0 */
/* probe_stages.c: walks the stages of a launch as far as they go, with a command that does nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "sandbox/child.h"
#include "sandbox/cow_plan.h"
#include "sandbox/identity.h"
#include "sandbox/kernel.h"
#include "sandbox/prober.h"
#include "sandbox/trees.h"
#include "sandbox/trial.h"

enum { PATIENCE_S = 10 }; /* for a command that does nothing */

/* ---- owners ---- */

static bool writes_own_files(const struct jail *jail)
{
    for (size_t i = 0; i < jail->mount_count; i++)
        if (jail->mounts[i].owned && jail->mounts[i].writable)
            return true;
    return false;
}

/* A privileged caller's command is somebody else outside, and yet owns what it should. */
static void try_owners(struct prober *p, const struct jail *jail, pid_t pid)
{
    char path[64];
    struct ailment ill = { LAYER_USER, "owners", 0 };
    _fd_ int userns = -1;
    struct error e;

    if (!jail->privileged || p->out[FINDING_OWNERS].state != FINDING_NONE)
        return;
    if (!writes_own_files(jail)) {
        p->out[FINDING_OWNERS] =
            (struct finding){ .state = FINDING_WEAK,
                              .detail = "not tried: the current directory is not for commands" };
        return;
    }
    if (jail->uid == jail->outside) {
        prober_passes(p, FINDING_OWNERS,
                      arena_printf(p->a, "commands here run as user %u, who owns %s", jail->uid,
                                   p->ask->cwd));
        return;
    }
    (void)snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
    userns = open(path, O_RDONLY | O_CLOEXEC);
    if (userns >= 0 && trees_map(jail, userns, &e)) {
        prober_passes(p, FINDING_OWNERS, arena_printf(p->a, "mapped in %s", p->ask->cwd));
        return;
    }
    ill.sys = userns < 0 ? errno : e.sys;
    prober_fails(p, FINDING_OWNERS, &ill,
                 arena_printf(p->a, "the file system of %s cannot map them: %s", p->ask->cwd,
                              error_words(ill.sys)));
}

/* ---- the stages of a launch ---- */

/* One walk through them. */
struct walk {
    struct jail jail;
    int line; /* our end */
    int init; /* a pidfd */
    pid_t pid;
};

static bool stage_fails(struct prober *p, struct ailment ill, const char *detail)
{
    prober_fails(p, prober_finding(ill.layer), &ill,
                 arena_printf(p->a, "%s: %s", detail, error_words(ill.sys)));
    return false;
}

static bool begin_walk(struct prober *p, struct walk *w)
{
    struct timeval patience = { .tv_sec = PATIENCE_S };
    struct clone_args args = { .flags = NAMESPACES_FIRST | CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
                               .pidfd = (uintptr_t)&w->init };
    int pair[2];
    long pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return stage_fails(p, (struct ailment){ LAYER_PID, "line", errno }, "no socket");
    w->line = w->jail.far_end = pair[0];
    w->jail.line = pair[1];
    (void)setsockopt(w->line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    for (size_t i = 0; i < NAMESPACES; i++)
        if (prober_lacks(p, namespaces[i].layer))
            args.flags &= ~(uint64_t)namespaces[i].flag;
    pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0)
        child_main(&w->jail);
    w->pid = (pid_t)pid;
    return pid > 0 || stage_fails(p, (struct ailment){ LAYER_USER, "namespaces", errno },
                                  "the namespaces cannot be made together");
}

static bool set_going(struct prober *p, const struct walk *w)
{
    struct jail without_trees = w->jail;
    char go = WORD_GO, run = WORD_RUN;
    struct error e;

    without_trees.mount_count = 0;
    if (!identity_write(&without_trees, w->pid, &e))
        return stage_fails(p, (struct ailment){ LAYER_USER, "identity", e.sys },
                           "its user cannot be mapped");
    try_owners(p, &w->jail, w->pid);
    return (send(w->line, &go, 1, MSG_NOSIGNAL) == 1 &&
            send(w->line, &run, 1, MSG_NOSIGNAL) == 1) ||
           stage_fails(p, (struct ailment){ LAYER_PID, "go", errno }, "the new process is gone");
}

/* The last word of the new process. */
static bool hear(int line, struct word *word)
{
    ssize_t n;

    do {
        n = recv(line, word, sizeof *word, 0); /* what comes with it is closed */
    } while ((n < 0 && errno == EINTR) || (n > 0 && word->kind == WORD_LAYERS));
    return n == (ssize_t)sizeof *word;
}

static bool judge(struct prober *p, const struct walk *w)
{
    struct word word;
    struct ailment ill = { LAYER_PID, "end", 0 };

    if (!hear(w->line, &word)) {
        prober_fails(p, FINDING_PID, &ill, "the new process said nothing");
        return false;
    }
    if (word.kind == WORD_FAILED) {
        ill.where = child_stage(&word, &ill.layer);
        ill.sys = word.sys;
        return stage_fails(p, ill, ill.where);
    }
    if (word.status != 0)
        prober_fails(p, FINDING_PID, &ill, "a command that should end well did not");
    return word.status == 0;
}

static void end_walk(struct walk *w)
{
    if (w->pid > 0) {
        (void)syscall(SYS_pidfd_send_signal, w->init, SIGKILL, NULL, 0);
        while (waitpid(w->pid, NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
    own_close(&w->init);
    own_close(&w->line);
    own_close(&w->jail.line);
    own_close(&w->jail.streams[0]);
    trees_close(&w->jail);
}

/* False: one of the layers failed, and is noted as absent. */
static bool walk_stages(struct prober *p)
{
    struct walk w = { .jail = *p->jail, .line = -1, .init = -1 };
    bool ok = true;
    struct error e;

    w.jail.layers = (1U << LAYER_USER | 1U << LAYER_MOUNT | 1U << LAYER_PID | 1U << LAYER_NET);
    w.jail.layers &= ~p->absent;
    w.jail.host_network = prober_lacks(p, LAYER_NET);
    w.jail.streams[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
    w.jail.streams[1] = w.jail.streams[2] = w.jail.streams[0];
    if (w.jail.privileged && !prober_lacks(p, LAYER_MOUNT) && !trees_open(&w.jail, &e))
        ok = stage_fails(p, (struct ailment){ LAYER_MOUNT, "trees", e.sys },
                         "a tree cannot be taken from the disk");
    ok = ok && begin_walk(p, &w) && set_going(p, &w) && judge(p, &w);
    end_walk(&w);
    return ok;
}

/* Once more, with layers over what is written. Who cannot have them does without write mode cow. */
static void try_layers(struct prober *p)
{
    struct cow_ask ask = { p->ask->grants, NULL, p->ask->program };
    struct finding found[FINDING_COUNT] = { 0 };
    struct prober again = *p;
    struct error e;

    again.out = found;
    if (prober_lacks(p, LAYER_MOUNT) || !cow_plan(&ask, p->a, p->jail, &e) ||
        p->jail->cover_count == 0 || walk_stages(&again) ||
        found[FINDING_MOUNT].state == FINDING_NONE)
        return;
    p->out[FINDING_MOUNT] = (struct finding){
        .state = FINDING_WEAK,
        .detail = arena_printf(p->a, "no write mode cow: %s", found[FINDING_MOUNT].detail),
        .mend = found[FINDING_MOUNT].mend,
    };
}

/* A layer whose stage fails is left out of the next walk, so that it does not hide another. */
void probe_stages(struct prober *p)
{
    bool ok = false;

    for (int i = 0; i < LAYER_COUNT && !ok; i++) {
        if (prober_lacks(p, LAYER_USER) || prober_lacks(p, LAYER_PID))
            return;
        ok = walk_stages(p);
    }
    for (enum finding_of i = FINDING_USER; ok && i <= FINDING_NET; i++)
        if (p->out[i].state == FINDING_NONE && i != FINDING_OWNERS)
            prober_passes(p, i, NULL);
    if (ok)
        try_layers(p);
}
