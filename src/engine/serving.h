/* SPDX-License-Identifier: Apache-2.0 */
/* serving.h: the worker's side of the protocol: what its files hand on to each other. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/world.h"
#include "engine/registries.h"
#include "route/frame.h"
#include "sandbox/kept.h"

struct served;

/* A worker: it is spoken to on one stream, and runs errands in threads. A thread that has run one
 * waits for the next. */
struct serving {
    const char *const *environment;
    const struct world *world;
    struct kept *kept;
    struct registries registries;
    int out;
    pthread_mutex_t out_lock; /* a frame is written whole */
    atomic_bool gone;         /* whom we serve */
    int stop;                 /* readable then: nobody waits any more until it reads */
    bool eager;               /* every piece is answered at once */

    pthread_mutex_t lock; /* of the list, and of what is heard of each errand */
    pthread_cond_t heard; /* something was, or an errand ended */
    struct served *first;
    size_t count;
    uint32_t refused;      /* the errand there was no room for; 0: none */
    pthread_cond_t called; /* an errand waits for a thread, or there will be none */
    size_t threads, idle;  /* idle: wait, and none of the errands that wait is for them */
    bool closing;
};

/* One errand, from its first frame on. */
struct served {
    struct serving *s;
    uint32_t number;
    struct served *next;
    struct buf input;
    struct str run; /* the body of RUN */
    bool running;   /* has a thread, */
    bool waits;     /* or will have one that was idle */
    bool go;
    int stops;  /* how often it was asked to end */
    int cancel; /* the same for the sandbox: an eventfd */
    struct arena a;
};

/* Says something about an errand; false: whom we serve is gone, or no frame of this kind is so
 * long: then nothing was said. */
bool serving_say(struct serving *s, uint32_t errand, enum frame_kind kind, struct str body);

/* Runs it to its result or refusal. */
void served_run(struct served *served);
