/* SPDX-License-Identifier: Apache-2.0 */
/* crew.c: threads that take attempts and hand endings back; what is quick is done on the spot.
 *
 * The plan's own thread begins, waits and stops. A hand has one job at a time, and the plan never
 * begins more of them than there are hands.
 */
#include "engine/plan/crew.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "base/elsewhere.h"

struct done {
    struct ending ending;
    struct trail_row row;
};

struct hand {
    struct crew *crew;
    pthread_t thread;
    bool started, busy;
    pthread_cond_t called;
    struct job job;
    struct arena kept, scratch;
};

struct crew {
    struct running *r;
    struct hand *hands;
    size_t count;
    pthread_mutex_t lock;
    struct done *done; /* in the order they ended, from the first on; at most one for each hand */
    size_t done_count;
    bool leaving, forced;
    int bell, force; /* bell: a hand has something */
};

/* A hand's own clock goes off a little after the plan's thread should have stopped it: that thread
 * may wait for the ledger, and no attempt outlives its time for that. */
enum { SPARE_MS = 20 };

static void ring_in(const struct hand *h, int64_t ms)
{
    struct itimerspec at = { .it_value = { ms / 1000, ms % 1000 * 1000000 + 1 } };

    (void)timerfd_settime(h->job.cancel, 0, &at, NULL);
}

/* ---- doing ---- */

/* Contract 004, 6.2: a step that changed the file of its plan, or of one above, has failed, and
 * fatally. */
static void guard_plans(struct job *job, struct ending *out)
{
    const struct running *r = job->r;

    while (r && !(r->guarded && inner_modified(r->file, &r->written)))
        r = r->parent;
    if (!r)
        return;
    if (!out->context)
        out->context = out->output;
    job_failed(job, out, CODE_PLAN_MODIFIED,
               "the file of the plan, '%s', was changed while step %s ran; a plan is not changed "
               "while it runs",
               r->file, job->r->plan.names[job->index]);
}

static void act(struct job *job, struct done *out)
{
    const struct world *w = job->r->world;
    int64_t began = w->mono_ms(w->self);

    *out = (struct done){ .ending = { .step = job->index } };
    job->started_ms = w->wall_ms(w->self);
    job->execution[0] = '\0';
    job->deed->act(job, &out->ending);
    if (job->deed->quick)
        out->ending.ended_ms = w->mono_ms(w->self);
    else
        guard_plans(job, &out->ending);
    if (out->ending.code == CODE_EXECUTION_HALTED) /* nobody cancels a step (A04-13) */
        out->ending.code = CODE_STEP_TIMEOUT;
    out->row = (struct trail_row){ .index = job->index,
                                   .attempt = job->attempt.number,
                                   .started_ms = job->started_ms,
                                   .took_ms = w->mono_ms(w->self) - began };
    memcpy(out->row.execution, job->execution, sizeof job->execution);
}

/* Under the lock. */
static void put_done(struct crew *c, const struct done *done)
{
    c->done[c->done_count++] = *done;
}

static void *work(void *self)
{
    struct hand *h = self;
    struct crew *c = h->crew;
    struct done done;

    (void)pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!h->busy && !c->leaving)
            (void)pthread_cond_wait(&h->called, &c->lock);
        if (!h->busy)
            break;
        (void)pthread_mutex_unlock(&c->lock);
        act(&h->job, &done);
        arena_reset(&h->scratch);
        (void)pthread_mutex_lock(&c->lock);
        h->busy = false;
        put_done(c, &done);
        (void)eventfd_write(c->bell, 1);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- the seam ---- */

static struct job job_of(struct crew *c, struct hand *h, const struct attempt *attempt)
{
    struct running *r = c->r;
    struct job job = { .r = r,
                       .deed = r->deeds[attempt->step],
                       .step = (const struct step_doc *)r->plan.plan.steps.v + attempt->step,
                       .index = attempt->step,
                       .attempt = *attempt,
                       .cancel = h->job.cancel,
                       .kept = &h->kept,
                       .scratch = &h->scratch };

    if (attempt->number > 1)
        memcpy(job.before, r->rows[attempt->step].execution, sizeof job.before);
    return job;
}

static void do_here(struct crew *c, struct hand *h)
{
    struct done done;

    act(&h->job, &done);
    arena_reset(&h->scratch);
    (void)pthread_mutex_lock(&c->lock);
    put_done(c, &done);
    (void)pthread_mutex_unlock(&c->lock);
}

/* A thread that cannot be had leaves the work to us: it is done, and nothing runs beside it. */
static void call(struct crew *c, struct hand *h)
{
    if (!h->started)
        h->started = elsewhere_thread(&h->thread, work, h) == 0;
    if (h->started) {
        (void)pthread_mutex_lock(&c->lock);
        h->busy = true;
        (void)pthread_cond_signal(&h->called);
        (void)pthread_mutex_unlock(&c->lock);
        return;
    }
    do_here(c, h);
}

static struct hand *idle(struct crew *c)
{
    struct hand *found = NULL;

    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->count && !found; i++)
        if (!c->hands[i].busy)
            found = &c->hands[i];
    (void)pthread_mutex_unlock(&c->lock);
    return found;
}

static void begin(void *self, const struct attempt *attempt)
{
    struct crew *c = self;
    const struct deed *deed = c->r->deeds[attempt->step];
    struct hand *h = deed->quick ? &c->hands[c->count] : idle(c);

    h->job = job_of(c, h, attempt);
    if (deed->quick) {
        do_here(c, h);
        return;
    }
    ring_in(h, attempt->budget_ms > 0 ? attempt->budget_ms + SPARE_MS : 0);
    call(c, h);
}

static bool take(struct crew *c, struct ending *out)
{
    struct done done;
    bool there;

    (void)pthread_mutex_lock(&c->lock);
    there = c->done_count > 0;
    if (there) {
        done = c->done[0];
        memmove(c->done, c->done + 1, --c->done_count * sizeof *c->done);
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (!there)
        return false;
    *out = done.ending;
    c->r->rows[out->step] = done.row;
    return true;
}

/* Rows that cannot be written now stay, and are written with the result or not at all. */
static void write_trail(struct crew *c)
{
    struct keeping *k = c->r->keeping;
    struct error e;

    if (keeping_begin(k, &e) && keeping_end(k, trail_enter(&c->r->trail, &k->ledger, &e), &e))
        trail_forget(&c->r->trail);
}

static int time_left(const struct crew *c, int64_t until_ms)
{
    const struct world *w = c->r->world;

    return poll_ms(until_ms - w->mono_ms(w->self));
}

/* How long nothing has to be looked at. What could not be written down waits for the next look. */
static int quiet_ms(const struct crew *c, int64_t until_ms)
{
    const struct world *w = c->r->world;
    int64_t now = w->wall_ms(w->self), due = trail_left_ms(&c->r->trail, now);
    int left = time_left(c, until_ms);

    return trail_due(&c->r->trail, now) || due > left ? left : (int)due;
}

static enum hands_news wait(void *self, int64_t until_ms, struct ending *out)
{
    struct crew *c = self;
    const struct world *w = c->r->world;

    for (;;) {
        struct pollfd fds[] = { { .fd = c->bell, .events = POLLIN },
                                { .fd = c->forced ? -1 : c->force, .events = POLLIN } };
        eventfd_t rung;

        if (take(c, out))
            return HANDS_ENDED;
        if (trail_due(&c->r->trail, w->wall_ms(w->self)))
            write_trail(c);
        (void)poll(fds, COUNT(fds), quiet_ms(c, until_ms));
        if (fds[0].revents)
            (void)eventfd_read(c->bell, &rung);
        if (take(c, out))
            return HANDS_ENDED;
        if (fds[1].revents) {
            c->forced = true;
            return HANDS_FORCED;
        }
        if (time_left(c, until_ms) == 0)
            return HANDS_TIME;
    }
}

static void stop(void *self, size_t step)
{
    struct crew *c = self;

    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->count; i++)
        if (c->hands[i].busy && c->hands[i].job.index == step)
            ring_in(&c->hands[i], 0);
    (void)pthread_mutex_unlock(&c->lock);
}

struct hands crew_hands(struct crew *c)
{
    return (struct hands){ .begin = begin, .wait = wait, .stop = stop, .self = c };
}

/* ---- coming and going ---- */

struct crew *crew_open(struct running *r, int jobs, int force)
{
    struct crew *c = mem_zeroed(sizeof *c);
    bool ok;

    c->r = r;
    c->count = (size_t)(jobs > 0 ? jobs : 1);
    c->force = force;
    c->hands =
        mem_zeroed((c->count + 1) * sizeof *c->hands); /* the last one is for what is quick */
    c->done = mem_zeroed((c->count + 1) * sizeof *c->done);
    c->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ok = c->bell >= 0;
    (void)pthread_mutex_init(&c->lock, NULL);
    for (size_t i = 0; i <= c->count; i++) {
        struct hand *h = &c->hands[i];

        h->crew = c;
        h->job.cancel =
            i < c->count ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK) : -1;
        ok = ok && (i == c->count || h->job.cancel >= 0);
        (void)pthread_cond_init(&h->called, NULL);
    }
    if (ok)
        return c;
    crew_close(c);
    return NULL;
}

void crew_close(struct crew *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->leaving = true;
    for (size_t i = 0; i < c->count; i++)
        (void)pthread_cond_signal(&c->hands[i].called);
    (void)pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i <= c->count; i++) {
        struct hand *h = &c->hands[i];

        if (h->started)
            (void)pthread_join(h->thread, NULL);
        own_close(&h->job.cancel);
        (void)pthread_cond_destroy(&h->called);
        arena_free(&h->kept);
        arena_free(&h->scratch);
    }
    own_close(&c->bell);
    (void)pthread_mutex_destroy(&c->lock);
    free(c->hands);
    free(c->done);
    free(c);
}
