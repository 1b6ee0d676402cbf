/* SPDX-License-Identifier: Apache-2.0 */
/* supervise.c: one poll loop for one run. Nothing in it waits for anything but in poll. */
#include "sandbox/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum slot { SLOT_LINE, SLOT_INIT, SLOT_CANCEL, SLOT_FORKS, SLOT_OUT, SLOT_ERR, SLOTS };

/* When something has to be done even if nothing happens. */
enum { FORK_RETRY_MS = 1, NEVER = -1 };

struct loop {
    struct supervision *s;
    struct pollfd fds[SLOTS];
    int64_t act_at; /* stop it, or kill it */
    bool asked;     /* it was asked to end */
    bool dead;
    bool fork_waits;
};

static void signal_init(const struct loop *l, int signal)
{
    (void)syscall(SYS_pidfd_send_signal, l->s->init, signal, NULL, 0);
}

/* First it is asked, then it is made to. The cause is set before the signal goes out. */
static void stop(struct loop *l, enum cause cause)
{
    if (l->s->stopped_for == CAUSE_EXITED)
        l->s->stopped_for = cause;
    if (!l->asked) {
        l->asked = true;
        l->act_at = l->s->world->mono_ms(l->s->world->self) + GRACE_MS;
        signal_init(l, SIGTERM);
    } else {
        l->act_at = INT64_MAX;
        signal_init(l, SIGKILL);
    }
}

static void take_descriptor(struct msghdr *message, struct forks *forks)
{
    const struct cmsghdr *head = CMSG_FIRSTHDR(message);

    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(&forks->listener, CMSG_DATA(head), sizeof forks->listener);
}

/* Hears what init has to say; all of it, for it may be its last. */
static void listen_to_init(struct loop *l)
{
    for (;;) {
        union {
            char bytes[CMSG_SPACE(sizeof(int))];
            struct cmsghdr head;
        } control = { 0 };
        struct word word;
        struct iovec part = { &word, sizeof word };
        struct msghdr message = { .msg_iov = &part,
                                  .msg_iovlen = 1,
                                  .msg_control = &control,
                                  .msg_controllen = sizeof control };
        ssize_t n = recvmsg(l->s->line, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

        if (n != (ssize_t)sizeof word) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR))
                l->fds[SLOT_LINE].fd = -1;
            return;
        }
        if (word.kind == WORD_LISTENER) {
            take_descriptor(&message, l->s->forks);
        } else if (word.kind == WORD_READY) {
            l->s->ready = true;
        } else if (word.kind == WORD_ENDED) {
            l->s->ended = true;
            l->s->status = word.status;
        } else if (!l->s->failed) {
            l->s->failed = true;
            l->s->failure = word;
        }
    }
}

static void set_slot(struct loop *l, enum slot slot, int fd, short events)
{
    l->fds[slot].fd = fd;
    l->fds[slot].events = events;
    l->fds[slot].revents = 0;
}

static void set_capture(struct loop *l, enum slot slot, const struct capture *c)
{
    short events = 0;
    int fd = capture_waits(c, &events);

    set_slot(l, slot, fd, events);
}

static int time_left(const struct loop *l)
{
    int64_t left;

    if (l->s->idle)
        return 0;
    if (l->fork_waits)
        return FORK_RETRY_MS;
    if (l->dead || l->act_at == INT64_MAX)
        return NEVER;
    left = l->act_at - l->s->world->mono_ms(l->s->world->self);
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void take_cancel(struct loop *l)
{
    char bytes[512]; /* an eventfd's number, a signalfd's description or a pipe's byte */

    ssize_t n = read(l->s->cancel, bytes, sizeof bytes);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        l->s->cancel = -1;
    if (n <= 0)
        return;
    if (!l->dead) {
        stop(l, CAUSE_CANCELLED);
        return;
    }
    capture_end(l->s->out); /* somebody does not read what is left, and somebody else is waiting */
    capture_end(l->s->err);
}

static void answer_forks(struct loop *l)
{
    struct forks *forks = l->s->forks;
    short events = l->fds[SLOT_FORKS].revents;

    if (forks->listener < 0 || !(l->fork_waits || events))
        return;
    if (events && !(events & POLLIN)) { /* nobody is left who could ask */
        (void)close(forks->listener);
        forks->listener = -1;
        l->fork_waits = false;
        return;
    }
    l->fork_waits = !forks_step(forks, l->s->group, events & POLLIN);
}

/* In this order: what the command did counts before what the clock says. */
static void handle(struct loop *l)
{
    struct supervision *s = l->s;

    if (l->fds[SLOT_LINE].revents)
        listen_to_init(l);
    if (l->fds[SLOT_OUT].revents)
        capture_step(s->out);
    if (l->fds[SLOT_ERR].revents)
        capture_step(s->err);
    answer_forks(l);
    if (l->fds[SLOT_CANCEL].revents)
        take_cancel(l);
    if (l->fds[SLOT_INIT].revents) {
        l->dead = true;
        l->fork_waits = false;
        listen_to_init(l);
    }
    if (!l->dead && !s->ended && s->world->mono_ms(s->world->self) >= l->act_at)
        stop(l, CAUSE_TIMEOUT);
}

static void wait_and_handle(struct loop *l)
{
    struct supervision *s = l->s;
    int ready = poll(l->fds, SLOTS, time_left(l));

    if (ready >= 0 || errno == EINTR)
        handle(l);
    if (ready == 0 && s->idle && !s->idle(s->idle_self))
        s->idle = NULL;
}

void supervise(struct supervision *s)
{
    struct loop l = { .s = s };

    l.act_at = s->world->mono_ms(s->world->self) + s->timeout_ms;
    set_slot(&l, SLOT_LINE, s->line, POLLIN);
    while (!l.dead || capture_is_open(s->out) || capture_is_open(s->err)) {
        set_slot(&l, SLOT_INIT, l.dead ? -1 : s->init, POLLIN);
        set_slot(&l, SLOT_CANCEL, s->cancel, POLLIN);
        set_slot(&l, SLOT_FORKS, l.dead || l.fork_waits ? -1 : s->forks->listener, POLLIN);
        set_capture(&l, SLOT_OUT, s->out);
        set_capture(&l, SLOT_ERR, s->err);
        wait_and_handle(&l);
    }
}
