/* SPDX-License-Identifier: Apache-2.0 */
/* fleet.c: reads settings once and keeps workers open. */
#include "engine/fleet.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/turn.h"
#include "contract/codes.h"
#include "engine/home.h"
#include "route/workers.h"
#include "sandbox/repository.h"

/* A channel that has closed may still be in somebody's hands: who is last lets go of it. */
struct fleet_channel {
    struct channel *channel;
    size_t hands;
    struct fleet_channel *next;
};

struct fleet_worker {
    const struct config_worker *worker;
    pthread_mutex_t lock; /* guards what follows, up to why */
    bool asked, available;
    struct error why;               /* it is not available */
    struct turn turn;               /* one reaches for it, others wait for what comes of it */
    struct fleet_channel *channels; /* the newest first; with the fleet's lock */
    struct fleet_worker *next;
};

void fleet_open(struct fleet *f, const char *const *environment, const struct world *world)
{
    *f = (struct fleet){ .environment = environment, .world = world, .log = { .fd = -1 } };
    (void)pthread_mutex_init(&f->lock, NULL);
}

void fleet_close(struct fleet *f)
{
    for (struct fleet_worker *w = f->first; w; w = w->next) {
        for (struct fleet_channel *c = w->channels; c; c = c->next)
            channel_close(c->channel, NULL);
        (void)pthread_mutex_destroy(&w->lock);
        turn_close(&w->turn);
    }
    own_close(&f->log.fd);
    arena_free(&f->a);
    (void)pthread_mutex_destroy(&f->lock);
}

bool fleet_log(struct fleet *f, struct str plan, const struct lane_log **out, struct error *e)
{
    const char *state;
    bool ok;

    (void)pthread_mutex_lock(&f->lock);
    state = f->log.fd < 0 ? home_state(f->environment, &f->a) : NULL;
    ok = f->log.fd >= 0 || (state ? lane_log_open(&f->log, state, plan, &f->a, e)
                                  : error_set(e, CODE_IO,
                                              "there is no place for a transcript; name one with "
                                              "WRIT_STATE"));
    (void)pthread_mutex_unlock(&f->lock);
    *out = &f->log;
    return ok;
}

static const char *root_of(struct fleet *f, const char *here)
{
    struct repository_ask ask = { .dir = here,
                                  .home = home_variable(f->environment, "HOME"),
                                  .caller = geteuid() };
    struct repository found;
    struct stat s;

    ask.owner = stat(here, &s) == 0 ? s.st_uid : ask.caller;
    repository_find(&ask, &f->a, &found);
    return arena_text(&f->a, str_of(found.root)); /* outside of a repository it is `here` itself */
}

const char *fleet_root(const struct fleet *f)
{
    return f->root;
}

/* What is wrong is not read again either. */
static void keep_wrong(struct fleet *f, struct report *r)
{
    struct report *kept = arena_new(&f->a, struct report);

    report_finish(r);
    *kept = report_copy(r, &f->a);
    f->wrong = kept;
}

bool fleet_settings(struct fleet *f, const char *here, const struct settings **out,
                    struct report *r)
{
    bool ok;

    (void)pthread_mutex_lock(&f->lock);
    if (f->wrong) {
        *r = report_copy(f->wrong, &f->a);
    } else if (!f->root) {
        const char *root = root_of(f, here);

        f->writ = home_writ(f->environment, &f->a);
        if (settings_read(root, f->environment, &f->a, &f->settings, r))
            f->root = root;
        else
            keep_wrong(f, r);
    }
    ok = !f->wrong;
    *out = &f->settings;
    (void)pthread_mutex_unlock(&f->lock);
    return ok;
}

static struct fleet_worker *find(struct fleet *f, const struct config_worker *worker)
{
    struct fleet_worker *w;

    (void)pthread_mutex_lock(&f->lock);
    for (w = f->first; w && w->worker != worker; w = w->next)
        ;
    if (!w) {
        w = arena_new(&f->a, struct fleet_worker);
        *w = (struct fleet_worker){ .worker = worker, .next = f->first };
        (void)pthread_mutex_init(&w->lock, NULL);
        (void)!turn_open(&w->turn);
        f->first = w;
    }
    (void)pthread_mutex_unlock(&f->lock);
    return w;
}

bool fleet_available(struct fleet *f, const struct config_worker *worker, int cancel,
                     struct error *e)
{
    struct fleet_worker *w = find(f, worker);
    bool available;

    (void)pthread_mutex_lock(&w->lock);
    if (!w->asked)
        w->available =
            worker_available(worker, (char *const *)f->environment, f->writ, cancel, &w->why);
    w->asked = w->asked || w->available || !cancel_asked(cancel);
    available = w->available;
    *e = w->why;
    (void)pthread_mutex_unlock(&w->lock);
    return available;
}

/* With the fleet's lock. Those in nobody's hands that have closed or, where a need is given, do not
 * fit it: to be let go of. */
static struct fleet_channel *take_closed(struct fleet_worker *w, const struct worker_need *need)
{
    struct fleet_channel **at = &w->channels, *closed = NULL;

    while (*at) {
        struct fleet_channel *c = *at;

        if (c->hands > 0 ||
            (channel_is_open(c->channel) && (!need || channel_fits(c->channel, need)))) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        c->next = closed;
        closed = c;
    }
    return closed;
}

static void let_go(const struct fleet_channel *closed)
{
    for (; closed; closed = closed->next)
        channel_close(closed->channel, NULL);
}

/* One that is open and has room, in one more hand; NULL: there is none. */
static struct channel *take_open(struct fleet *f, struct fleet_worker *w,
                                 const struct worker_need *need)
{
    struct fleet_channel *closed, *c;
    struct channel *out = NULL;

    (void)pthread_mutex_lock(&f->lock);
    closed = take_closed(w, need);
    for (c = w->channels; c && !out; c = c->next) {
        if (!channel_is_open(c->channel) || (channel_is_for_one(c->channel) && c->hands > 0))
            continue;
        c->hands++;
        out = c->channel;
    }
    (void)pthread_mutex_unlock(&f->lock);
    let_go(closed);
    return out;
}

static struct channel *open_another(struct fleet *f, struct fleet_worker *w,
                                    const struct worker_need *need, int cancel, struct error *e)
{
    struct channel_ask ask = { .worker = w->worker,
                               .environment = (char *const *)f->environment,
                               .writ = f->writ,
                               .cancel = cancel,
                               .need = need,
                               .world = f->world };
    struct fleet_channel *c;
    struct channel *channel;

    if (!channel_open(&ask, &channel, e))
        return NULL;
    (void)pthread_mutex_lock(&f->lock);
    c = arena_new(&f->a, struct fleet_channel);
    *c = (struct fleet_channel){ channel, 1, w->channels };
    w->channels = c;
    (void)pthread_mutex_unlock(&f->lock);
    return channel;
}

bool fleet_channel(struct fleet *f, const struct config_worker *worker,
                   const struct worker_need *need, int cancel, struct channel **out,
                   struct error *e)
{
    struct fleet_worker *w = find(f, worker);

    if (!turn_take(&w->turn, cancel))
        return error_set(e, CODE_RCH_UNAVAILABLE, "%.*s was not waited for: cancelled",
                         STR_ARG(worker->name));
    *out = take_open(f, w, need);
    if (!*out)
        *out = open_another(f, w, need, cancel, e);
    turn_give(&w->turn);
    return *out != NULL;
}

void fleet_finish(struct fleet *f, const struct config_worker *worker,
                  const struct channel *channel, struct error *left)
{
    struct fleet_worker *w = find(f, worker);
    struct fleet_channel **at, *mine = NULL;

    (void)pthread_mutex_lock(&f->lock);
    for (at = &w->channels; (*at)->channel != channel; at = &(*at)->next)
        ;
    if (--(*at)->hands == 0) {
        mine = *at;
        *at = mine->next;
    }
    (void)pthread_mutex_unlock(&f->lock);
    if (mine)
        channel_close(mine->channel, left);
}

void fleet_leave(struct fleet *f, const struct config_worker *worker, const struct channel *channel)
{
    struct fleet_worker *w = find(f, worker);
    struct fleet_channel *c, *closed;

    (void)pthread_mutex_lock(&f->lock);
    for (c = w->channels; c->channel != channel; c = c->next)
        ;
    c->hands--;
    closed = take_closed(w, NULL);
    (void)pthread_mutex_unlock(&f->lock);
    let_go(closed);
}
