/* SPDX-License-Identifier: Apache-2.0 */
/* channel.h: our end of the worker protocol: one worker, many errands, each in a thread of its own.
 *
 * Never a false success: what comes back is a result of the worker, a refusal, or the word that it
 * was not sent, or that nobody knows. All time limits are held on this side; the worker has them,
 * too, in case we are gone.
 */
#pragma once

#include "base/digest.h"
#include "base/world.h"
#include "contract/config_doc.h"
#include "contract/exits.h"
#include "route/slurm.h"
#include "sandbox/outcome.h"
#include "sandbox/sandbox.h"

struct channel;

enum errand_end {
    ERRAND_RESULT,  /* `record` */
    ERRAND_REFUSED, /* nothing ran: `record` is the refusal */
    ERRAND_UNSENT,  /* nothing ran: the worker went away before it was told to go */
    ERRAND_LOST,    /* it was told to go, and went away: nobody knows */
};

struct errand {
    struct str request; /* JSON, a request document */
    struct str input;   /* on standard input */
    const char *cwd;    /* there */
    bool person;
    int attempt;
    int64_t timeout_ms;
    bool at_once; /* when it is stopped nobody waits for its grace, but see pace */
    struct pace pace;
    const char *const *weak; /* ended by NULL, or NULL */
    int live[2];             /* where output is passed on to; -1: nowhere */
    int cancel; /* readable when it should be stopped; a second time: at once. -1: never */
    int store;  /* where files are kept by their digest; -1: none are */
    const struct world *world;

    /* Asked when the worker is ready: may it go? Not NULL. */
    bool (*permit)(void *self, struct error *e);
    void *permit_self;

    /* what came of it */
    enum errand_end end;
    struct error why;        /* it was refused a permit, unsent or lost */
    bool forbidden;          /* permit said no: nothing ran (ERRAND_UNSENT) */
    struct str admitted;     /* JSON, in the arena: what the worker knew before it ran it */
    struct str record;       /* JSON, in the arena */
    struct printed out, err; /* as of struct outcome */
    enum cause stopped_for;  /* CAUSE_EXITED: nobody stopped it */
    bool forced;             /* it did not end in its grace */
    int64_t ran_ms;          /* since it was told to go; 0: it was not */
    struct error unkept;     /* why files that came could not be kept; no code: all were */
};

struct channel_ask {
    const struct config_worker *worker;
    char *const *environment;       /* the caller's, ended by NULL */
    const char *writ;               /* the path of this program, for a pipe */
    int cancel;                     /* readable when nobody wants to wait any longer; -1: never */
    const struct worker_need *need; /* of the run it is opened for; NULL: not known */
    const struct world *world;
};

/* Starts what carries it and waits for its hello, at most the worker's patience, or until `cancel`
 * is readable. A job that waits in Slurm's queue is waited for as long as the worker's queue_secs
 * or the run's own time. False: it is not available; the message says why, with the last it said on
 * stderr. *e has CODE_COMMAND_TIMEOUT where that time has passed in the queue.
 */
bool channel_open(const struct channel_ask *ask, struct channel **out, struct error *e) NODISCARD;

bool channel_is_open(const struct channel *c);

/* Has what carries it room and time for such a run? A job in Slurm has them for one at a time. */
bool channel_fits(const struct channel *c, const struct worker_need *need);
bool channel_is_for_one(const struct channel *c);

/* To its end, from when the worker has a slot for it: no more are under way than it said it takes.
 * Any thread; what it keeps is in the arena. */
void channel_run(struct channel *c, struct errand *errand, struct arena *a);

/* Ends the worker and everything it runs. No errand may be under way. Accepts NULL. What could not
 * be ended is told in *left, or NULL. */
void channel_close(struct channel *c, struct error *left);
