/* SPDX-License-Identifier: Apache-2.0 */
/* place.h: the memory that the supervisor and a berth share: what is to be run, and the stacks that
 * init of a run and its command have until they have memory of their own.
 *
 * A berth has two: while a run is in one, the slot for the next is made in the other.
 */
#pragma once

#include <stdatomic.h>

#include "sandbox/jail.h"

enum {
    PLACES = 2,
    PLACE_BYTES = 512 << 10, /* who has more to say runs without a berth */
    PLACE_STACK = 64 << 10,
};

/* A slot is taken, or gives up, and never both. */
enum place_state { PLACE_WAITS, PLACE_TAKEN, PLACE_GIVEN_UP };

/* What a slot is told: the groups come first, then the streams. */
struct place_job {
    int groups, streams;
};

struct place {
    struct jail jail;
    int owner;        /* as the berth knows it (jail.h) */
    bool ahead;       /* a slot: made before it is known what is to be run */
    int cpu;          /* of a slot: the first that it may run on */
    int patience_ms;  /* of a slot */
    atomic_int state; /* of a slot: enum place_state */
    char *rest;       /* of the text, for what is to be run */
    _Alignas(16) char text[PLACE_BYTES];
    _Alignas(16) char init_stack[PLACE_STACK];
    _Alignas(16) char command_stack[PLACE_STACK];
};

/* Memory for both; NULL: there is none. */
struct place *places_map(void);
void places_unmap(struct place *places);

/* Writes down what init builds: all that does not depend on what is run. False: it does not fit. */
bool place_walls(struct place *place, const struct jail *jail) NODISCARD;

/* And what is run. */
bool place_command(struct place *place, const struct jail *jail) NODISCARD;

/* Whether what was built by place_walls() is what this jail asks for; both have the same key of a
 * berth (berth.h). */
bool place_has_walls_of(const struct place *place, const struct jail *jail);
