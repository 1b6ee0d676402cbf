/* SPDX-License-Identifier: Apache-2.0 */
/* absents.h: names that must not come into being in a run. */
#pragma once

#include "sandbox/grants.h"

/* A name that was not there when the run began. */
struct absent {
    const char *path;
    bool denied;     /* by the caller; else protected */
    bool links_only; /* as a directory it may come into being, as a file or a link not */
    bool bare;       /* it may, unless its directory becomes a repository of git's by it */
    bool led;        /* a link that leads nowhere stands on the way, and is held there */
};

struct absents {
    struct absent *v;
    size_t n, room;
    struct arena *a;
    struct absents_watch *watch; /* NULL: nothing is watched */
};

void absents_add(struct absents *list, struct absent absent);

/* Watches, from outside, for denied names that a command could make. False: it cannot be done. */
bool absents_watch(struct absents *list, const struct grants *g, struct error *e) NODISCARD;
void absents_unwatch(struct absents *list);

/* The descriptor that becomes readable; -1: nothing is watched. */
int absents_watched(const struct absents *list);

/* Has one of them come into being since? Also one that is gone again, as far as the kernel told. */
bool absents_came(const struct absents *list);

/* Pins the directories on the way to absent names, as far as they are there. */
bool absents_pin(const struct absents *list, struct grants *g, struct error *e) NODISCARD;
