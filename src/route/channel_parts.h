/* SPDX-License-Identifier: Apache-2.0 */
/* channel_parts.h: a channel from inside: what its thread and those of its errands share.
 *
 * One thread (channel_wire.c) reads and dispatches what comes (channel_intake.c). The thread of an
 * errand (errand.c) sends, waits, and minds the time. Nobody holds the lock while waiting for
 * anything but the reader, for somebody to read what it has.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/turn.h"
#include "base/world.h"
#include "contract/limits.h"
#include "route/carrier.h"
#include "route/channel.h"
#include "route/frame.h"
#include "sandbox/collect_store.h"
#include "sandbox/last.h"

enum {
    WAITING_MAX = 1 << 20, /* bytes that wait for who looks on, before the reader waits, too */
    SAID_MAX = 240,        /* bytes of the last that a carrier said on its stderr */
    STREAMS = 2,           /* standard output and error */
};

enum answer { ANSWER_NONE, ANSWER_RESULT, ANSWER_REFUSED };

/* What came of one of the streams. */
struct stream {
    struct buf head; /* .max is what is kept */
    struct last tail;
    int64_t bytes;
    struct sha256 sum;
    bool live;          /* somebody looks on */
    size_t seen;        /* of the head: what the errand's thread was told of */
    struct buf waiting; /* for the errand's thread, to be passed on */
};

/* A file that is being kept. */
struct filing {
    bool open;
    struct storing keeping;
    struct sha256 sum;
    int64_t bytes, all;  /* of this one, of all of the errand */
    struct error unkept; /* the first that could not be; no code: there is none */
};

/* An errand as the channel knows it; it lives with the errand's thread. */
struct underway {
    struct underway *next;
    uint32_t number;
    int news;  /* an eventfd: look again */
    int store; /* -1: files are not kept */
    struct stream streams[STREAMS];
    struct filing filing;
    bool ready, stopped;
    bool told;       /* the errand's thread wants to know of output */
    bool lied;       /* the worker told of a run before it was told to go */
    uint64_t go_end; /* where GO ends in what was sent; 0: it was not */
    enum answer answer;
    struct buf admitted, record; /* the bodies of READY, and of the answer */
};

struct channel {
    const char *who; /* "the worker at HOST" */
    struct arena a;
    struct carrier carrier;
    struct slurm_job job;
    struct worker_need need; /* of the run it was opened for; only of a job of its own in Slurm */
    int64_t opened_ms;
    bool forced; /* what carries it was told to end by a signal of ours */
    int64_t patience_ms;
    const struct world *world;
    int64_t heard_ms, beat_ms; /* when something came last, and when we told that we are there */
    bool eager;                /* what is followed by more is answered */
    bool answered;             /* of the frame that is not whole yet: its first piece */
    struct frame_reader reader;
    pthread_t thread;
    int wake;          /* an eventfd: the thread is to look again */
    struct turn slots; /* of the worker: an errand waits until it has one */

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t room;  /* the reader may go on */
    struct underway *underway;
    uint32_t last; /* number that was given */
    struct buf outgoing;
    uint64_t queued, written; /* bytes, since the beginning */
    int hurrying;             /* errands that were told to stop: output waits for nobody */
    bool deaf;                /* nobody reads what is sent */
    bool closing;
    bool ended;       /* dead, and nothing of it is left: `why` is complete */
    atomic_bool dead; /* read by anybody */
    struct error why; /* it is dead */
    char said[SAID_MAX + 1];
    size_t said_n;
};

/* ---- channel_open.c ---- */

/* Another clause at the end of a message. */
void channel_add(struct error *why, const char *more);

/* Ends what carries it, and its job in Slurm; what is left of that is added to the message. */
void channel_end(struct channel *c, struct error *why);

/* ---- channel_wire.c ---- */

void *wire_main(void *channel);

/* Takes what the carrier says on its stderr, without waiting; false: that has ended. */
bool wire_listen(struct channel *c);

/* The last it said, as the end of a message: "; it said: ..", or "". */
const char *wire_said(const struct channel *c, struct arena *a);

/* Under the lock. Sends as much as goes without waiting; the thread sends the rest. */
void wire_send(struct channel *c, const struct frame *f);

/* Under the lock. We are there. */
void wire_beat(struct channel *c);

/* Under the lock. The channel is of no more use; all errands are told. Ends the worker. */
void wire_fail(struct channel *c, const char *fmt, ...) PRINTF(2, 3);

/* ---- channel_intake.c ---- */

/* Under the lock. False: the worker broke the rules. */
bool intake(struct channel *c, struct underway *u, const struct frame *f,
            struct error *e) NODISCARD;
void intake_begin(struct underway *u, const struct errand *errand);
void intake_end(struct underway *u);
