/* SPDX-License-Identifier: Apache-2.0 */
/* states.h: the state machines of a routed command (contract 000) and of the ledger (002).
 *
 * Both are edges in a table; whatever is not there is refused. The names are lists that NULL ends.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/table.h"
#include "contract/codes.h"

enum route_state {
    ROUTE_PLANNED,
    ROUTE_QUEUED,
    ROUTE_RUNNING,
    ROUTE_CANCEL_REQUESTED,
    ROUTE_SUCCEEDED,
    ROUTE_FAILED,
    ROUTE_CANCELLED,
    ROUTE_STATE_COUNT,
};

enum route_trigger {
    TRIGGER_ENQUEUE,
    TRIGGER_START,
    TRIGGER_CANCEL,
    TRIGGER_CANCEL_COMPLETED,
    TRIGGER_CANCEL_TIMEOUT,
    TRIGGER_EXIT_ZERO,
    TRIGGER_EXIT_NONZERO,
    ROUTE_TRIGGER_COUNT,
};

struct route_edge {
    enum route_state from;
    enum route_trigger by;
    enum route_state to;
};

enum event_state {
    EVENT_PLANNED,
    EVENT_RUNNING,
    EVENT_SUCCEEDED,
    EVENT_FAILED,
    EVENT_CANCELLED,
    EVENT_STATE_COUNT,
};

/* Events of one attempt come in the order of their rank. Terminal: no event follows, ever. */
struct event_state_row {
    enum event_state state;
    int rank;
    bool terminal;
    const char *meaning;
};

/* What the words of the contracts are in the ledger. EVENT_STATE_COUNT: no event is written. */
struct word_row {
    const char *word, *contract;
    enum event_state event;
    const char *note;
};

enum { ROUTE_EDGES = 7, WORD_ROWS = 13 };

extern const char *const route_state_names[];
extern const char *const route_trigger_names[];
extern const char *const event_state_names[];
extern const struct route_edge route_edges[ROUTE_EDGES]; /* lexical, as contract 000 lists are */
extern const struct event_state_row event_states[EVENT_STATE_COUNT];
extern const struct word_row state_words[WORD_ROWS];
extern const struct table route_edges_table, event_states_table, event_edges_table,
    state_words_table;

/* Where the trigger leads. False for a pair that is not declared: the message depends on the pair
 * alone and lists the triggers that are allowed. */
bool route_advance(enum route_state from, enum route_trigger by, enum route_state *to,
                   struct error *e) NODISCARD;

/* May this event be the first of its execution? why: its error code or cancel reason, if any. */
bool ledger_first(enum event_state to, int64_t attempt, enum code why, struct error *e) NODISCARD;

/* May this event follow the last one of its execution? A repeated event is not asked here: it is
 * the same event or a conflict. */
bool ledger_step(enum event_state from, int64_t from_attempt, enum event_state to,
                 int64_t to_attempt, struct error *e) NODISCARD;
