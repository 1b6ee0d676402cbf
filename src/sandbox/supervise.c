/* SPDX-License-Identifier: Apache-2.0 */
/* supervise.c: one poll loop for one run. Nothing in it waits for anything but in poll. */
#include "sandbox/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/pass.h"
#include "sandbox/cow_plan.h"
#include "sandbox/init_clock.h"

enum watched {
    WATCH_LINE,
    WATCH_INIT,
    WATCH_CANCEL,
    WATCH_THREADS,
    WATCH_GATE,
    WATCH_DENIED,
    WATCH_OUT,
    WATCH_ERR,
    WATCH_RESULT,
    WATCHES
};

enum { CAPTURES = WATCHES - WATCH_OUT };

enum { NEVER = -1 };

/* A supervisor that looks this much too late was stopped itself, and not only slow. */
enum { UNSURE_MS = 2000 };

struct loop {
    struct supervision *s;
    struct pollfd fds[WATCHES];
    struct capture *captures[CAPTURES]; /* in the order in which they are watched; NULL: none */
    int64_t act_at;                     /* stop it, or kill it */
    int64_t late_at;                    /* tell that it is late */
    size_t stops;                       /* how often it was stopped */
    bool at_once;                       /* it is stopped, and nobody asks it before */
    bool dead;
    bool called;        /* somebody wanted it to end, whatever ended it */
    int64_t leave_at;   /* it is dead: leave its readers alone */
    int64_t give_up_at; /* it should be dead: wait no longer */
    int64_t look_at;    /* at the threads */
    int64_t count_at;   /* what no group counts */
    struct cancel_calls calls;
    struct uncounted uncounted;
};

/* First it is asked to end, then init is told to end it, which counts what it used; at last init
 * itself is ended, and the kernel ends the rest. A run that is stopped at once is not asked, and
 * init is given no longer than the count takes. Behind somebody else's init no kernel ends the
 * rest: it is given the time it needs. */
enum { STOPS = 3 };

static const struct stop_step {
    int signal;
    int64_t patience_ms;
} stops[STOPS] = {
    { SIGTERM, GRACE_MS },
    { SIGQUIT, 1000 },
    { SIGKILL, INT64_MAX / 2 },
}, stops_at_once[STOPS] = {
    { SIGQUIT, 10 },
    { SIGKILL, INT64_MAX / 2 },
    { SIGKILL, INT64_MAX / 2 },
}, stops_of_others[STOPS] = {
    { SIGTERM, GRACE_MS },
    { SIGQUIT, 10000 },
    { SIGKILL, INT64_MAX / 2 },
};

static void tell(const struct loop *l, enum pace_news news, enum cause cause)
{
    if (l->s->pace.news)
        l->s->pace.news(l->s->pace.self, news, cause);
}

static int64_t patience(const struct loop *l, const struct stop_step *step)
{
    return step->signal == SIGTERM && l->s->pace.grace_ms ? l->s->pace.grace_ms : step->patience_ms;
}

/* The cause is set before the signal goes out. */
static void begin_to_stop(struct loop *l, enum cause cause)
{
    l->s->stopped_for = cause;
    l->at_once =
        cause == CAUSE_VIOLATION || (l->s->at_once && (cause != CAUSE_TIMEOUT || !l->s->pace.asks));
    l->stops = l->s->send && l->at_once;
    if (cause != CAUSE_VIOLATION)
        tell(l, PACE_ASKED, cause);
}

/* From now on the kernel alone ends it. */
static void expect_end(struct loop *l)
{
    int64_t at = l->s->world->mono_ms(l->s->world->self) + END_MS;

    l->give_up_at = at < l->give_up_at ? at : l->give_up_at;
}

static void stop(struct loop *l, enum cause cause)
{
    const struct stop_step *step;

    if (l->s->stopped_for == CAUSE_EXITED)
        begin_to_stop(l, cause);
    step = l->s->send   ? &stops_of_others[l->stops]
           : l->at_once ? &stops_at_once[l->stops]
                        : &stops[l->stops];
    if (step->signal != SIGTERM && !l->s->forced) {
        l->s->forced = true;
        if (cause != CAUSE_VIOLATION)
            tell(l, PACE_KILLED, cause);
    }
    l->act_at = l->s->world->mono_ms(l->s->world->self) + patience(l, step);
    if (step->signal == SIGKILL && !l->s->send)
        expect_end(l);
    if (l->s->send)
        l->s->send(l->s->send_self, step->signal);
    else
        (void)syscall(SYS_pidfd_send_signal, l->s->init,
                      l->s->plain_init && step->signal == SIGKILL ? SIGQUIT : step->signal, NULL,
                      0);
    l->stops += l->stops + 1 < STOPS;
}

/* It has ended, and nobody had stopped it; but that was after its time, while we were stopped
 * ourselves. It counts as every other that did. */
static void end_late(struct loop *l)
{
    if (l->s->stopped_for != CAUSE_EXITED)
        return;
    l->s->stopped_for = CAUSE_TIMEOUT;
    tell(l, PACE_ASKED, CAUSE_TIMEOUT);
    if (!l->s->ended || !WIFSIGNALED(l->s->status) || WTERMSIG(l->s->status) != SIGKILL)
        return;
    l->s->forced = true; /* init did it */
    tell(l, PACE_KILLED, CAUSE_TIMEOUT);
}

/* What was said may have been said long ago. */
static void hear_of_the_end(struct loop *l, const struct word *word)
{
    int64_t ago = init_clock_now() - word->at_ms;

    l->s->ended = true;
    l->s->status = word->status;
    l->s->over_ms = l->s->world->mono_ms(l->s->world->self) - ago;
    if (l->s->over_ms > l->act_at)
        end_late(l);
    if (!l->s->send)
        expect_end(l);
    l->s->ended_hook(l->s->ended_self);
}

static size_t count_of(const int fds[PASS_MOST])
{
    size_t n = 0;

    while (n < PASS_MOST && fds[n] >= 0)
        n++;
    return n;
}

/* Hears what init has to say; all of it, for it may be its last. */
static void listen_to_init(struct loop *l)
{
    for (;;) {
        int fds[PASS_MOST];
        struct word word;
        ssize_t n = pass_hear(l->s->line, &word, sizeof word, MSG_DONTWAIT, fds);

        if (n != (ssize_t)sizeof word) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR))
                l->fds[WATCH_LINE].fd = -1;
            return;
        }
        if (word.kind == WORD_LISTENER) {
            l->s->threads->listener = fds[0];
            fds[0] = -1;
        } else if (word.kind == WORD_LAYERS) {
            cow_take(fds, count_of(fds), l->s->cow);
            continue;
        } else if (word.kind == WORD_READY) {
            l->s->ready = true;
        } else if (word.kind == WORD_BREACHED) {
            l->s->breached = true;
        } else if (word.kind == WORD_UNHELD) {
            l->s->unheld = true;
        } else if (word.kind == WORD_PAGE) {
            l->s->page_open = true;
        } else if (word.kind == WORD_ENDED) {
            hear_of_the_end(l, &word);
        } else if (!l->s->failed) {
            l->s->failed = true;
            l->s->failure = word;
        }
        pass_drop(fds, 0);
    }
}

static void set_watched(struct loop *l, enum watched which, int fd, short events)
{
    l->fds[which].fd = fd;
    l->fds[which].events = events;
    l->fds[which].revents = 0;
}

/* ---- what it prints ---- */

static void set_captures(struct loop *l)
{
    for (int i = 0; i < CAPTURES; i++) {
        short events = 0;
        int fd = l->captures[i] ? capture_waits(l->captures[i], &events) : -1;

        set_watched(l, WATCH_OUT + i, fd, events);
    }
}

static void step_captures(const struct loop *l)
{
    for (int i = 0; i < CAPTURES; i++)
        if (l->captures[i] && l->fds[WATCH_OUT + i].revents)
            capture_step(l->captures[i]);
}

static void each_capture(const struct loop *l, void (*does)(struct capture *c))
{
    for (int i = 0; i < CAPTURES; i++)
        if (l->captures[i])
            does(l->captures[i]);
}

static bool prints(const struct loop *l)
{
    for (int i = 0; i < CAPTURES; i++)
        if (l->captures[i] && capture_is_open(l->captures[i]))
            return true;
    return false;
}

/* ---- time, and who wants it to end ---- */

static int time_left(const struct loop *l)
{
    int64_t left, next = INT64_MAX;

    if (l->s->idle)
        return 0;
    if (l->dead)
        next = l->leave_at;
    else if (!l->s->ended)
        next = l->act_at < l->late_at ? l->act_at : l->late_at;
    if (!l->dead && l->give_up_at < next)
        next = l->give_up_at;
    if (!l->dead && threads_look_in(l->s->threads) && l->look_at < next)
        next = l->look_at;
    if (!l->dead && l->s->counted && l->count_at < next)
        next = l->count_at;
    if (next == INT64_MAX)
        return NEVER;
    left = next - l->s->world->mono_ms(l->s->world->self);
    return poll_ms(left);
}

/* Somebody else's init ends it as fast as anybody could, and alone knows all that is to be ended.
 */
static bool is_being_ended_by_others(const struct loop *l)
{
    return l->s->send && l->stops + 1 == STOPS;
}

static void take_cancel(struct loop *l)
{
    if (!cancel_heard(&l->s->cancel, &l->calls, l->s->world))
        return;
    l->called = true;
    if (!l->dead) {
        if (!is_being_ended_by_others(l))
            stop(l, CAUSE_CANCELLED);
        return;
    }
    /* Somebody does not read what is left, and somebody else is waiting. */
    if (!l->s->patient)
        each_capture(l, capture_alone);
}

/* A run that had too many processes twice is not asked to end. */
static void end_overrun(struct loop *l)
{
    if (l->dead || l->s->ended || l->s->stopped_for != CAUSE_EXITED ||
        !threads_overran(l->s->threads))
        return;
    l->s->excess = "it had more processes than max_children again and again";
    stop(l, CAUSE_VIOLATION);
}

static void look_at_threads(struct loop *l, int64_t now)
{
    threads_look(l->s->threads, l->s->group);
    l->look_at = now + threads_look_in(l->s->threads);
    end_overrun(l);
}

/* What a question has begun is looked after sooner than what was there before. */
static void look_at_threads_soon(struct loop *l)
{
    int64_t at = l->s->world->mono_ms(l->s->world->self) + threads_look_in(l->s->threads);

    if (at < l->look_at || l->look_at == 0)
        l->look_at = at;
    end_overrun(l);
}

static void answer_threads(struct loop *l)
{
    struct threads *threads = l->s->threads;
    short events = l->fds[WATCH_THREADS].revents;

    if (threads->listener < 0 || !events)
        return;
    if (events & POLLIN) {
        threads_answer(threads, l->s->group);
        look_at_threads_soon(l);
        return;
    }
    (void)close(threads->listener); /* nobody is left who could ask */
    threads->listener = -1;
}

/* What it has printed is taken, and whoever else holds its pipes is not waited for. */
static void give_up(struct loop *l)
{
    l->s->unseen = l->dead = true;
    l->s->over_ms = l->s->world->mono_ms(l->s->world->self);
    each_capture(l, capture_last);
    each_capture(l, capture_alone);
}

/* It takes memory that no limit is on: each moment more of it costs the machine. */
static void count(struct loop *l)
{
    if (!l->s->excess)
        l->s->excess = uncounted_look(&l->uncounted);
    if (l->s->excess && l->s->stopped_for == CAUSE_EXITED && !l->s->ended)
        stop(l, CAUSE_VIOLATION);
    l->count_at = l->s->world->mono_ms(l->s->world->self) + UNCOUNTED_TICK_MS;
}

/* The time has come to look at something. */
static void look(struct loop *l)
{
    int64_t now = l->s->world->mono_ms(l->s->world->self);

    if (!l->dead && !l->s->ended && now >= l->late_at) {
        l->late_at = INT64_MAX;
        tell(l, PACE_LATE, CAUSE_EXITED);
    }
    if (!l->dead && !l->s->ended && now >= l->act_at && l->s->line >= 0)
        listen_to_init(l); /* it may have ended while we were stopped ourselves */
    if (!l->dead && !l->s->ended && now >= l->act_at)
        stop(l, CAUSE_TIMEOUT);
    if (!l->dead && now >= l->give_up_at)
        give_up(l);
    if (l->dead && now >= l->leave_at)
        each_capture(l, capture_alone);
    if (!l->dead && threads_look_in(l->s->threads) && now >= l->look_at)
        look_at_threads(l, now);
    if (!l->dead && l->s->counted && now >= l->count_at)
        count(l);
}

/* A caller who wants an end at once does not wait for a slow reader either. */
static void hurry(struct loop *l)
{
    if (l->at_once)
        each_capture(l, capture_alone);
}

/* Nothing keeps a command from making a name in a directory that it may write. It is ended at once,
 * whatever it was about to end with, and so is one that had ended already. */
static void look_for_denied(struct loop *l)
{
    if (l->s->made || !absents_came(l->s->absent))
        return;
    l->s->made = true;
    if (l->dead || l->s->ended || is_being_ended_by_others(l))
        return;
    l->at_once = true; /* also where it was asked to end before */
    stop(l, CAUSE_VIOLATION);
}

/* It is dead, and has said and printed what it had to. */
static void hear_the_last(struct loop *l)
{
    int64_t now = l->s->world->mono_ms(l->s->world->self);

    if (l->s->line >= 0)
        listen_to_init(l);
    look_for_denied(l);
    if (!l->s->ended)
        l->s->over_ms = now;
    if (l->called && !l->s->patient)
        l->leave_at = now + READER_MS;
    if (l->s->send && now > l->act_at + UNSURE_MS)
        end_late(l); /* nobody knows when it ended: that is no success */
    if (l->s->plain_init && !l->s->ended)
        cgroup_end(l->s->group);   /* somebody has killed init, which alone ends the rest */
    each_capture(l, capture_last); /* others who have the pipes, too, are not waited for */
}

/* In this order: what the command did counts before what the clock says. */
static void handle(struct loop *l)
{
    if (l->fds[WATCH_LINE].revents)
        listen_to_init(l);
    step_captures(l);
    answer_threads(l);
    if (l->fds[WATCH_GATE].revents)
        gate_hear(l->s->gate);
    if (l->fds[WATCH_DENIED].revents)
        look_for_denied(l);
    if (l->fds[WATCH_CANCEL].revents)
        take_cancel(l);
    if (l->fds[WATCH_INIT].revents) {
        l->dead = true;
        hear_the_last(l);
        hurry(l);
    }
    look(l);
}

static void wait_and_handle(struct loop *l)
{
    struct supervision *s = l->s;
    int ready = poll(l->fds, WATCHES, time_left(l));

    if (ready >= 0 || errno == EINTR)
        handle(l);
    if (ready == 0 && s->idle && !s->idle(s->idle_self))
        s->idle = NULL;
}

int64_t supervise_most_ms(int64_t timeout_ms, bool at_once, const struct pace *pace)
{
    const struct stop_step *steps = at_once && !pace->asks ? stops_at_once : stops;
    int64_t grace_ms = steps == stops && pace->grace_ms ? pace->grace_ms : steps[0].patience_ms;

    return timeout_ms + grace_ms + stops[1].patience_ms + UNSURE_MS;
}

/* Whoever wants to is told of what is printed. */
static void be_heard(const struct supervision *s)
{
    struct capture *const both[] = { s->out, s->err };

    for (int i = 0; i < 2 && both[i]; i++) {
        both[i]->seen = s->pace.printed;
        both[i]->seen_self = s->pace.self;
        both[i]->stream = i + 1;
    }
}

void supervise(struct supervision *s)
{
    struct loop l = { .s = s,
                      .captures = { s->out, s->err, s->result },
                      .uncounted = { s->counted, s->own_net } };

    be_heard(s);
    l.leave_at = l.give_up_at = INT64_MAX;
    l.act_at = s->began_ms + s->timeout_ms;
    l.late_at = s->pace.soft_ms ? l.act_at - s->timeout_ms + s->pace.soft_ms : INT64_MAX;
    set_watched(&l, WATCH_LINE, s->line, POLLIN);
    while (!l.dead || prints(&l)) {
        set_watched(&l, WATCH_INIT, l.dead ? -1 : s->init, POLLIN);
        set_watched(&l, WATCH_CANCEL, s->cancel, POLLIN);
        set_watched(&l, WATCH_THREADS,
                    !l.dead && threads_listen(s->threads) ? s->threads->listener : -1, POLLIN);
        set_watched(&l, WATCH_GATE, s->gate ? gate_waits(s->gate) : -1, POLLIN);
        set_watched(&l, WATCH_DENIED, s->made ? -1 : absents_watched(s->absent), POLLIN);
        set_captures(&l);
        wait_and_handle(&l);
    }
}
