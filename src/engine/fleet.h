/* SPDX-License-Identifier: Apache-2.0 */
/* fleet.h: the settings that hold for a run or a plan, and its workers: each is reached once.
 *
 * For any thread.
 */
#pragma once

#include <pthread.h>

#include "base/world.h"
#include "engine/config.h"
#include "engine/lane_home.h"
#include "route/channel.h"

struct fleet_worker;

struct fleet {
    const char *const *environment; /* the caller's */
    const struct world *world;
    struct arena a;
    const char *writ; /* the program that serves on this machine */
    pthread_mutex_t lock;
    const char *root; /* the top of the caller's repository; NULL: nothing was read yet */
    struct settings settings;
    const struct report *wrong; /* how the settings are; NULL: they are right, or were not read */
    struct fleet_worker *first;
    struct lane_log log; /* of the lanes of a plan */
};

void fleet_open(struct fleet *f, const char *const *environment, const struct world *world);

/* Ends the workers and everything they run. No errand may be under way. */
void fleet_close(struct fleet *f);

#define _fleet_ _cleanup_(fleet_close)

/* What holds in the caller's directory, read once. False: a document is wrong, and the report says
 * how. */
bool fleet_settings(struct fleet *f, const char *here, const struct settings **out,
                    struct report *r) NODISCARD;

/* The top of the caller's repository; after fleet_settings(). */
const char *fleet_root(const struct fleet *f);

/* The transcript of all lanes of a plan, opened once. */
bool fleet_log(struct fleet *f, struct str plan, const struct lane_log **out,
               struct error *e) NODISCARD;

/* Can the worker be had? Found out once, unless nobody waited for it: `cancel` is readable then. */
bool fleet_available(struct fleet *f, const struct config_worker *worker, int cancel,
                     struct error *e) NODISCARD;

/* The open channel to it that has room for such a run, to be given back; where there is none
 * another is opened. */
bool fleet_channel(struct fleet *f, const struct config_worker *worker,
                   const struct worker_need *need, int cancel, struct channel **out,
                   struct error *e) NODISCARD;

/* Gives it back for good: nobody else wants it. What could not be ended is told in *left. */
void fleet_finish(struct fleet *f, const struct config_worker *worker,
                  const struct channel *channel, struct error *left);

/* Gives it back: one that has closed is not kept longer than somebody has it. */
void fleet_leave(struct fleet *f, const struct config_worker *worker,
                 const struct channel *channel);
