/* SPDX-License-Identifier: Apache-2.0 */
/* channel_open.c: opens and closes a channel to a worker. */
#include "route/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "base/json_read.h"
#include "contract/codes.h"
#include "route/channel_parts.h"
#include "route/workers.h"

enum {
    LEAVE_MS = 3000, /* for a worker to end what it runs, when its input has ended */
    TERM_MS = 1000,  /* and for its carrier, when it was asked to */
};

/* ---- hello ---- */

static bool read_hello(struct channel *c, struct str body, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *hello;
    struct str protocol;
    int64_t slots;

    if (!json_read("hello", body, &max, &a, &hello, e))
        return error_set(e, CODE_RCH_UNAVAILABLE, "%s did not speak " FRAME_PROTOCOL, c->who);
    protocol = doc_text(&hello->root, "protocol");
    if (!str_is(protocol, FRAME_PROTOCOL))
        return error_set(e, CODE_RCH_UNAVAILABLE,
                         "%s speaks %s, and this writ speaks " FRAME_PROTOCOL
                         "; install the same writ on both",
                         c->who, said(protocol, &a));
    slots = doc_whole(&hello->root, "slots");
    if (slots <= 0)
        return error_set(e, CODE_RCH_UNAVAILABLE, "%s takes no errands", c->who);
    return turn_open_for(&c->slots, slots < INT_MAX ? (unsigned)slots : INT_MAX) ||
           error_sys(e, CODE_RCH_UNAVAILABLE, "%s cannot be waited for", c->who);
}

/* Something else spoke first: a greeting of the shell, a message of the scheduler. */
static bool not_ours(struct channel *c, const struct error *why, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct pollfd dead = { .fd = c->carrier.pidfd, .events = POLLIN };
    struct str came = { c->reader.bytes.s, c->reader.bytes.len };
    const char *words =
        why->code == CODE_NONE ? "" : arena_printf(&a, ": it began with %s", said(came, &a));

    if (why->code == CODE_NONE)
        (void)poll(&dead, 1, TERM_MS); /* what it has to say comes on stderr */
    (void)wire_listen(c);
    return error_set(e, CODE_RCH_UNAVAILABLE, "%s did not speak " FRAME_PROTOCOL "%s%s", c->who,
                     words, wire_said(c, &a));
}

static bool take_hello(struct channel *c, bool *done, struct error *e)
{
    struct error why = { 0 };
    struct frame f;

    if (!frame_take(&c->reader, &f, done, &why))
        return not_ours(c, &why, e);
    if (!*done)
        return true;
    if (f.kind == FRAME_HELLO)
        return read_hello(c, f.body, e);
    return error_set(e, CODE_RCH_UNAVAILABLE,
                     "%s did not speak " FRAME_PROTOCOL ": it began with a frame '%s'", c->who,
                     frames[f.kind].name);
}

/* Its job in Slurm, which has not answered in time. */
struct queueing {
    enum slurm_state was;
    char words[SLURM_WORD];
};

/* A job that is queued is not unavailable: there is more time. One that has just left the queue has
 * its patience, too. */
static bool waits_in_queue(const struct channel *c, struct queueing *q)
{
    enum slurm_state was = q->was;

    if (!c->job.name)
        return false;
    q->was = slurm_look(&c->job, q->words);
    return q->was == SLURM_QUEUED || (was == SLURM_QUEUED && q->was == SLURM_THERE);
}

/* It has not answered until now: *until is moved, or *e says what came of it. */
static bool wait_longer(const struct channel *c, const struct channel_ask *ask, struct queueing *q,
                        int64_t *until, struct error *e)
{
    _arena_ struct arena a = { 0 };
    int64_t most = ask->worker->queue_secs * 1000, at = c->world->mono_ms(c->world->self);
    bool own = most == 0;

    if (!waits_in_queue(c, q))
        return error_set(e, CODE_RCH_UNAVAILABLE, "%s did not answer within %lld s%s", c->who,
                         (long long)(c->patience_ms / 1000), wire_said(c, &a));
    if (own)
        most = ask->need ? ask->need->time_ms : c->patience_ms;
    if (at - c->opened_ms < most) {
        int64_t left = c->opened_ms + most - at;

        *until = at + (left < c->patience_ms ? left : c->patience_ms);
        return true;
    }
    return error_set(e, CODE_COMMAND_TIMEOUT,
                     "%s: its job was %s after %lld s in the queue, which is %s", c->who, q->words,
                     (long long)((at - c->opened_ms) / 1000),
                     own ? "as long as the run may take; wait longer with a larger timeout, or set "
                           "the worker's queue_secs"
                         : "as long as its queue_secs allows");
}

static bool wait_for_hello(struct channel *c, const struct channel_ask *ask, struct error *e)
{
    const struct world *world = ask->world;
    int64_t until = world->mono_ms(world->self) + c->patience_ms;
    struct queueing q = { .was = SLURM_UNKNOWN };
    struct pollfd fds[] = { { .fd = c->carrier.from, .events = POLLIN },
                            { .fd = c->carrier.err, .events = POLLIN },
                            { .fd = ask->cancel, .events = POLLIN } };
    bool done = false;

    while (!done) {
        int64_t left = until - world->mono_ms(world->self);

        if (left <= 0) {
            if (!wait_longer(c, ask, &q, &until, e))
                return false;
            continue;
        }
        if (poll(fds, COUNT(fds), poll_ms(left)) < 0 && errno != EINTR)
            return error_sys(e, CODE_RCH_UNAVAILABLE, "%s cannot be waited for", c->who);
        if (fds[2].revents)
            return error_set(e, CODE_RCH_UNAVAILABLE, "%s was not waited for: cancelled", c->who);
        if (fds[1].revents && !wire_listen(c))
            fds[1].fd = -1;
        if (fds[0].revents && !take_hello(c, &done, e))
            return false;
    }
    return true;
}

/* ---- opening ---- */

static const char *name_of(const struct config_worker *worker, struct arena *a)
{
    if (worker->kind == WORKER_SSH)
        return arena_printf(a, "the worker at %.*s", STR_ARG(worker->host));
    return arena_printf(a, "the worker '%.*s'", STR_ARG(worker->name));
}

/* An srun that is killed leaves its step behind: whatever carries it is given time to leave, first
 * by the end of its input. */
static void dismiss(struct channel *c, int patience_ms)
{
    struct pollfd dead = { .fd = c->carrier.pidfd, .events = POLLIN };

    if (c->carrier.pidfd < 0)
        return;
    own_close(&c->carrier.to);
    own_close(&c->carrier.from);
    if (poll(&dead, 1, patience_ms) <= 0) {
        c->forced = true;
        carrier_signal(&c->carrier, SIGTERM);
        (void)poll(&dead, 1, TERM_MS);
    }
}

/* An srun that ends by itself has ended its job. Where it failed and squeue does not tell, there
 * was no job, as far as anybody knows. */
static bool may_be_left(const struct channel *c, int status)
{
    char words[SLURM_WORD];
    enum slurm_state state;

    if (!c->job.name || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return false;
    if (c->forced || !WIFEXITED(status))
        return true;
    state = slurm_look(&c->job, words);
    return state != SLURM_GONE && state != SLURM_UNKNOWN;
}

void channel_add(struct error *why, const char *more)
{
    size_t n = strlen(why->msg);

    (void)snprintf(why->msg + n, sizeof why->msg - n, "%s%s", n ? "; " : "", more);
}

void channel_end(struct channel *c, struct error *why)
{
    struct error left;
    int status;

    if (c->carrier.pidfd < 0)
        return;
    status = carrier_end(&c->carrier);
    if (may_be_left(c, status) && !slurm_end(&c->job, &left))
        channel_add(why, left.msg);
}

static void channel_free(struct channel *c)
{
    frame_reader_close(&c->reader);
    buf_free(&c->outgoing);
    own_close(&c->wake);
    turn_close(&c->slots);
    (void)pthread_mutex_destroy(&c->lock);
    (void)pthread_cond_destroy(&c->room);
    arena_free(&c->a);
    free(c);
}

static bool begin(struct channel *c, const struct channel_ask *ask, struct error *e)
{
    (void)fcntl(c->carrier.to, F_SETFL, O_NONBLOCK);
    frame_reader_open(&c->reader, c->carrier.from, SIDE_WORKER);
    if (!wait_for_hello(c, ask, e))
        return false;
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->wake < 0 || (errno = pthread_create(&c->thread, NULL, wire_main, c)) != 0)
        return error_sys(e, CODE_RCH_UNAVAILABLE, "%s cannot be listened to", c->who);
    return true;
}

bool channel_open(const struct channel_ask *ask, struct channel **out, struct error *e)
{
    struct channel *c = mem_zeroed(sizeof *c);
    struct carrier_ask start = { .environment = ask->environment, .errors = true };

    c->wake = c->slots.fd = -1;
    c->carrier = (struct carrier){ .pidfd = -1, .to = -1, .from = -1, .err = -1 };
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->room, NULL);
    c->who = name_of(ask->worker, &c->a);
    c->patience_ms = ask->worker->patience_secs * 1000;
    c->world = ask->world;
    c->opened_ms = ask->world->mono_ms(ask->world->self);
    c->job = slurm_job_new(ask->worker, ask->environment, ask->world, &c->a);
    if (ask->need && c->job.name && !c->job.step)
        c->need = *ask->need;
    c->eager = ask->worker->kind == WORKER_SLURM;
    start.argv =
        worker_carrier(ask->worker, ask->writ, c->job.name ? &c->job : NULL, ask->need, &c->a);
    start.last = slurm_last(&c->job, &c->a);
    if (carrier_start(&start, &c->a, &c->carrier, e) && begin(c, ask, e)) {
        *out = c;
        return true;
    }
    dismiss(c, 0);
    channel_end(c, e);
    channel_free(c);
    return false;
}

bool channel_is_open(const struct channel *c)
{
    return !c->dead;
}

bool channel_is_for_one(const struct channel *c)
{
    return c->need.time_ms > 0;
}

bool channel_fits(const struct channel *c, const struct worker_need *need)
{
    int64_t gone = c->world->mono_ms(c->world->self) - c->opened_ms;

    return !channel_is_for_one(c) ||
           (need->memory_mb <= c->need.memory_mb && need->cpu_cores <= c->need.cpu_cores &&
            need->time_ms + gone <= c->need.time_ms + SLURM_SPARE_MS);
}

void channel_close(struct channel *c, struct error *left)
{
    struct error ignored = { 0 };

    if (!c)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->closing = true;
    (void)pthread_mutex_unlock(&c->lock);
    (void)eventfd_write(c->wake, 1);
    (void)pthread_join(c->thread, NULL);
    dismiss(c, LEAVE_MS);
    channel_end(c, left ? left : &ignored);
    channel_free(c);
}
