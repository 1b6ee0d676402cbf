/* SPDX-License-Identifier: Apache-2.0 */
/* box.c: a sandbox made of chosen parts, started and taken down. */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box_parts.h"

enum { STACK = 64 * 1024 };

static char stacks[3][STACK] __attribute__((aligned(16))); /* child, helper, command */
static int kept_net = -1, own_net = -1;
static int out[2], err[2]; /* what the command writes, when it is captured */
static int go[2];          /* over it the parent sends the groups it has made meanwhile */

static int fill_root(void *it)
{
    const struct box *b = it;

    (b->root == ROOT_NEW ? root_new : root_old)(b);
    return 0;
}

/* The network is made by this process while another one, in the same mount namespace and with the
 * same working directory, fills the new root. */
static void fill_root_and_net(const struct box *b)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, status = -1;
    pid_t helper = clone(fill_root, stacks[1] + STACK, flags, (void *)b);

    must(helper, "clone of the helper");
    must(unshare(CLONE_NEWNET), "unshare net");
    must(waitpid(helper, &status, 0), "wait for the helper");
    must(status == 0 ? 0 : -1, "helper");
}

/* ---- the command ---- */

static void lock_up(const struct box *b)
{
    if (b->powerless)
        lock_powers(b->lean);
    if (b->landlock || b->filter || b->filter_one)
        must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
}

static int start_command(void *it)
{
    const struct box *b = it;
    const char *program = b->program ? b->program : "/bin/true";
    char *argv[] = { (char *)program, NULL };

    if (b->capture)
        must(dup2(out[1], 1) + dup2(err[1], 2), "dup2");
    if ((b->filter || b->filter_one) && !b->early)
        lock_filter(b->filter_one);
    (void)execve(program, argv, environ);
    must(-1, program);
    return 0;
}

static void lock_paths_of(const struct box *b)
{
    if (b->landlock)
        lock_paths();
}

static atomic_int root_is_there;

/* Locks itself up while its parent fills the root, and starts when that is done. */
static int start_early(void *it)
{
    const struct box *b = it;

    if (b->net == NET_COMMAND)
        must(unshare(CLONE_NEWNET), "unshare net");
    lock_up(b);
    if (b->filter)
        lock_filter(false);
    while (!root_is_there)
        (void)syscall(SYS_futex, &root_is_there, FUTEX_WAIT, 0, NULL, NULL, 0);
    if (b->groups == GROUPS_LATE) {
        groups_receive(go[0]);
        groups_enter();
    }
    lock_paths_of(b);
    return start_command(it);
}

static pid_t start_process(const struct box *b, int (*how)(void *), int flags)
{
    pid_t pid = clone(how, stacks[2] + STACK, CLONE_VM | SIGCHLD | flags, (void *)b);

    must(pid, "clone of the command");
    return pid;
}

static void be_init(pid_t command)
{
    int status = 0;

    must(waitpid(command, &status, 0), "wait for the command");
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

static int child(void *it)
{
    const struct box *b = it;
    pid_t command = -1;

    if (b->groups == GROUPS_TASKS)
        groups_enter();
    if (b->namespaces & CLONE_NEWUSER)
        map_ids();
    if (b->early) {
        root_is_there = 0;
        command = start_process(b, start_early, 0);
    }
    if (b->net == NET_PARALLEL)
        fill_root_and_net(b);
    else if (b->root != ROOT_SAME)
        (void)fill_root(it);
    if (b->net == NET_UNSHARE)
        must(unshare(CLONE_NEWNET), "unshare net");
    if (b->root != ROOT_SAME)
        root_pivot(b->moved);
    if (b->groups == GROUPS_LATE && !b->early) {
        groups_receive(go[0]);
        groups_enter();
    }
    if (b->early) {
        root_is_there = 1;
        (void)syscall(SYS_futex, &root_is_there, FUTEX_WAKE, 1, NULL, NULL, 0);
        be_init(command);
    }
    lock_up(b);
    lock_paths_of(b);
    if (b->init)
        be_init(start_process(b, start_command, CLONE_VFORK));
    return start_command(it);
}

/* ---- the parent's side ---- */

static pid_t start_unified(const struct box *b)
{
    struct clone_args args = {
        .flags = (uint64_t)b->namespaces | CLONE_INTO_CGROUP,
        .exit_signal = SIGCHLD,
        .cgroup = (uint64_t)groups_unified(),
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);

    if (pid == 0)
        _exit(child((void *)b));
    return pid;
}

static pid_t start(const struct box *b)
{
    int flags = b->namespaces | SIGCHLD;

    if (b->net != NET_CLONE)
        flags &= ~CLONE_NEWNET;
    if (b->groups == GROUPS_UNIFIED)
        return start_unified(b);
    if (b->birth == BIRTH_VFORK && b->groups != GROUPS_LATE)
        flags |= CLONE_VFORK;
    if (b->birth != BIRTH_FORK)
        flags |= CLONE_VM;
    return clone(child, stacks[0] + STACK, flags, (void *)b);
}

static void read_both(const int from[2])
{
    struct pollfd wait[2] = { { from[0], POLLIN, 0 }, { from[1], POLLIN, 0 } };
    char bytes[4096];

    while (wait[0].fd >= 0 || wait[1].fd >= 0) {
        must(poll(wait, 2, -1), "poll");
        for (int i = 0; i < 2; i++) {
            if (wait[i].revents == 0 || read(wait[i].fd, bytes, sizeof bytes) > 0)
                continue;
            close(wait[i].fd);
            wait[i].fd = -1;
        }
    }
}

int box_run(const struct box *b)
{
    int status = -1;
    pid_t pid;

    if (b->capture)
        must(pipe2(out, O_CLOEXEC) + pipe2(err, O_CLOEXEC), "pipe");
    if (b->groups != GROUPS_LATE && b->groups != GROUPS_NONE)
        groups_make(b->groups);
    if (b->groups == GROUPS_LATE)
        must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, go), "socketpair");
    if (b->net == NET_KEPT)
        must(setns(kept_net, CLONE_NEWNET), "setns net");
    pid = start(b);
    must(pid, "clone");
    if (b->net == NET_KEPT)
        must(setns(own_net, CLONE_NEWNET), "setns net");
    if (b->groups == GROUPS_LATE) {
        groups_make(b->groups);
        groups_send(go[1]);
        close(go[0]);
        close(go[1]);
    }
    if (b->capture) {
        close(out[1]);
        close(err[1]);
        read_both((int[]){ out[0], err[0] });
    }
    must(waitpid(pid, &status, 0), "wait");
    groups_remove(b->groups);
    return status;
}

void box_prepare(const char *work)
{
    root_prepare(work);
    locks_prepare(work);
    groups_prepare();
}

void box_forget(void)
{
    root_forget();
}

bool box_possible(const struct box *b)
{
    return groups_possible(b->groups) && (b->net != NET_KEPT || kept_net >= 0);
}

static int keep_net(void *unused)
{
    (void)unused;
    must(unshare(CLONE_NEWNET), "unshare net");
    kept_net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    return 0;
}

int box_keep_net(void)
{
    pid_t pid = clone(keep_net, stacks[0] + STACK, CLONE_VM | CLONE_FILES | SIGCHLD, NULL);

    must(pid, "clone");
    must(waitpid(pid, NULL, 0), "wait");
    box_use_net(kept_net);
    return kept_net;
}

void box_use_net(int net)
{
    kept_net = net;
    own_net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}
