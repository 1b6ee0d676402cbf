/* SPDX-License-Identifier: Apache-2.0 */
/* states.c: the allowed edges; nothing else moves a state. */
#include "contract/states.h"

#include <inttypes.h>

/* clang-format off */
const char *const route_state_names[] = {
    [ROUTE_PLANNED]          = "planned",
    [ROUTE_QUEUED]           = "queued",
    [ROUTE_RUNNING]          = "running",
    [ROUTE_CANCEL_REQUESTED] = "cancel_requested",
    [ROUTE_SUCCEEDED]        = "succeeded",
    [ROUTE_FAILED]           = "failed",
    [ROUTE_CANCELLED]        = "cancelled",
    [ROUTE_STATE_COUNT]      = NULL,
};

const char *const route_trigger_names[] = {
    [TRIGGER_ENQUEUE]          = "enqueue",
    [TRIGGER_START]            = "start",
    [TRIGGER_CANCEL]           = "cancel",
    [TRIGGER_CANCEL_COMPLETED] = "cancel_completed",
    [TRIGGER_CANCEL_TIMEOUT]   = "cancel_timeout",
    [TRIGGER_EXIT_ZERO]        = "exit_zero",
    [TRIGGER_EXIT_NONZERO]     = "exit_nonzero",
    [ROUTE_TRIGGER_COUNT]      = NULL,
};

/* A00-2: the two exit edges are ours; without them no command could succeed. */
const struct route_edge route_edges[ROUTE_EDGES] = {
    { ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_COMPLETED, ROUTE_CANCELLED },
    { ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_TIMEOUT,   ROUTE_FAILED },
    { ROUTE_PLANNED,          TRIGGER_ENQUEUE,          ROUTE_QUEUED },
    { ROUTE_QUEUED,           TRIGGER_START,            ROUTE_RUNNING },
    { ROUTE_RUNNING,          TRIGGER_CANCEL,           ROUTE_CANCEL_REQUESTED },
    { ROUTE_RUNNING,          TRIGGER_EXIT_NONZERO,     ROUTE_FAILED },
    { ROUTE_RUNNING,          TRIGGER_EXIT_ZERO,        ROUTE_SUCCEEDED },
};

static const struct column route_edge_columns[] = {
    { "from_state", COLUMN_NAME, offsetof(struct route_edge, from), route_state_names },
    { "trigger",    COLUMN_NAME, offsetof(struct route_edge, by),   route_trigger_names },
    { "to_state",   COLUMN_NAME, offsetof(struct route_edge, to),   route_state_names },
};

const char *const event_state_names[] = {
    [EVENT_PLANNED]     = "planned",
    [EVENT_RUNNING]     = "running",
    [EVENT_SUCCEEDED]   = "succeeded",
    [EVENT_FAILED]      = "failed",
    [EVENT_CANCELLED]   = "cancelled",
    [EVENT_STATE_COUNT] = NULL,
};

const struct event_state_row event_states[EVENT_STATE_COUNT] = {
    [EVENT_PLANNED]   = { EVENT_PLANNED,   0, false, "It is meant to run." },
    [EVENT_RUNNING]   = { EVENT_RUNNING,   1, false, "It was started." },
    [EVENT_SUCCEEDED] = { EVENT_SUCCEEDED, 2, true,  "It did what it should; nothing follows." },
    [EVENT_FAILED]    = { EVENT_FAILED,    2, false, "It did not; a higher attempt may follow." },
    [EVENT_CANCELLED] = { EVENT_CANCELLED, 2, true,  "It was called off; nothing follows." },
};

static const struct column event_state_columns[] = {
    { "state",    COLUMN_NAME, offsetof(struct event_state_row, state), event_state_names },
    { "rank",     COLUMN_INT,  offsetof(struct event_state_row, rank) },
    { "terminal", COLUMN_BOOL, offsetof(struct event_state_row, terminal) },
    { "meaning",  COLUMN_TEXT, offsetof(struct event_state_row, meaning) },
};

enum attempt_rule { ATTEMPT_SAME, ATTEMPT_HIGHER };

static const char *const attempt_names[] = { [ATTEMPT_SAME] = "same", [ATTEMPT_HIGHER] = "higher" };

/* A02-4: the attempt never falls, and rises only where a failed execution is tried again. */
static const struct event_edge {
    enum event_state from, to;
    enum attempt_rule attempt;
} event_edges[] = {
    { EVENT_PLANNED, EVENT_RUNNING,   ATTEMPT_SAME },
    { EVENT_RUNNING, EVENT_SUCCEEDED, ATTEMPT_SAME },
    { EVENT_RUNNING, EVENT_FAILED,    ATTEMPT_SAME },
    { EVENT_RUNNING, EVENT_CANCELLED, ATTEMPT_SAME },
    { EVENT_FAILED,  EVENT_PLANNED,   ATTEMPT_HIGHER },
    { EVENT_FAILED,  EVENT_RUNNING,   ATTEMPT_HIGHER },
};

static const struct column event_edge_columns[] = {
    { "from",    COLUMN_NAME, offsetof(struct event_edge, from),    event_state_names },
    { "to",      COLUMN_NAME, offsetof(struct event_edge, to),      event_state_names },
    { "attempt", COLUMN_NAME, offsetof(struct event_edge, attempt), attempt_names },
};

/* A02-2: an execution begins as planned, or with the one event the coherence gate writes. */
static const struct { enum event_state state; enum code why; } firsts[] = {
    { EVENT_PLANNED,   CODE_NONE },
    { EVENT_FAILED,    CODE_COHERENCE_BLOCKED },
    { EVENT_CANCELLED, CODE_PARTIAL_REQUIRES_REVIEW },
};

/* */
const struct word_row state_words[WORD_ROWS] = {
    { "planned",          "000", EVENT_PLANNED,     "" },
    { "queued",           "000", EVENT_STATE_COUNT, "writes no event" },
    { "running",          "000", EVENT_RUNNING,     "" },
    { "cancel_requested", "000", EVENT_STATE_COUNT, "writes no event" },
    { "succeeded",        "000", EVENT_SUCCEEDED,   "" },
    { "failed",           "000", EVENT_FAILED,      "with the failure code" },
    { "cancelled",        "000", EVENT_CANCELLED,   "" },
    { "SUCCESS",          "003", EVENT_SUCCEEDED,   "" },
    { "FAILED",           "003", EVENT_FAILED,      "with the reason code" },
    { "BLOCKED",          "003", EVENT_FAILED,      "with the reason code" },
    { "success",          "004", EVENT_SUCCEEDED,   "" },
    { "partial",          "004", EVENT_FAILED,      "with code PLAN_PARTIAL, the result by reference in externalRefs" },
    { "failure",          "004", EVENT_FAILED,      "with the plan's error code" },
};

static const struct column word_columns[] = {
    { "word",     COLUMN_TEXT, offsetof(struct word_row, word) },
    { "contract", COLUMN_TEXT, offsetof(struct word_row, contract) },
    { "event",    COLUMN_NAME, offsetof(struct word_row, event), event_state_names },
    { "note",     COLUMN_TEXT, offsetof(struct word_row, note) },
};
/* clang-format on */

const struct table route_edges_table = {
    .name = "route_states",
    .about = "How a routed command goes from state to state, from contract 000.",
    COLUMNS(route_edge_columns),
    .keys = 2,
    ROWS(route_edges),
};

const struct table event_states_table = {
    .name = "event_states",
    .about = "The states of an execution in the ledger, from contract 002.",
    COLUMNS(event_state_columns),
    .keys = 1,
    ROWS(event_states),
};

const struct table event_edges_table = {
    .name = "event_steps",
    .about = "Which event may follow which, and with which attempt, from contract 002.",
    COLUMNS(event_edge_columns),
    .keys = 2,
    ROWS(event_edges),
};

const struct table state_words_table = {
    .name = "state_words",
    .about = "What the states of contracts 000, 003 and 004 are in the ledger's words (002).",
    COLUMNS(word_columns),
    .keys = 1,
    ROWS(state_words),
};

/* ---- contract 000 ---- */

static bool refuse_trigger(enum route_state from, enum route_trigger by, struct error *e)
{
    _buf_ struct buf allowed = { .max = ERROR_MSG };

    for (size_t i = 0; i < ROUTE_EDGES; i++) {
        if (route_edges[i].from == from)
            buf_addf(&allowed, "%s%s", allowed.len ? ", " : "",
                     route_trigger_names[route_edges[i].by]);
    }
    return error_set(e, CODE_INVALID_TRANSITION,
                     "'%s' does not lead anywhere from '%s', allowed %s", route_trigger_names[by],
                     route_state_names[from], allowed.len ? allowed.s : "nothing: it is an end");
}

bool route_advance(enum route_state from, enum route_trigger by, enum route_state *to,
                   struct error *e)
{
    for (size_t i = 0; i < ROUTE_EDGES; i++) {
        if (route_edges[i].from == from && route_edges[i].by == by) {
            *to = route_edges[i].to;
            return true;
        }
    }
    return refuse_trigger(from, by, e);
}

/* ---- contract 002 ---- */

bool ledger_first(enum event_state to, int64_t attempt, enum code why, struct error *e)
{
    if (attempt != 1)
        return error_set(e, CODE_EVENT_TRANSITION, "the first attempt is %" PRId64 ", must be 1",
                         attempt);
    for (size_t i = 0; i < COUNT(firsts); i++) {
        if (firsts[i].state == to && (firsts[i].why == CODE_NONE || firsts[i].why == why))
            return true;
    }
    return error_set(e, CODE_EVENT_TRANSITION,
                     "the first event is '%s', must be 'planned' (or what the coherence gate says: "
                     "'failed' with %s, 'cancelled' with %s)",
                     event_state_names[to], codes[CODE_COHERENCE_BLOCKED].name,
                     codes[CODE_PARTIAL_REQUIRES_REVIEW].name);
}

static bool refuse_event(enum event_state from, enum event_state to, struct error *e)
{
    _buf_ struct buf allowed = { .max = ERROR_MSG };

    for (size_t i = 0; i < COUNT(event_edges); i++) {
        if (event_edges[i].from == from)
            buf_addf(&allowed, "%s'%s'%s", allowed.len ? ", " : "",
                     event_state_names[event_edges[i].to],
                     event_edges[i].attempt == ATTEMPT_HIGHER ? " with a higher attempt" : "");
    }
    return error_set(e, CODE_EVENT_TRANSITION, "'%s' cannot follow '%s', allowed %s",
                     event_state_names[to], event_state_names[from],
                     allowed.len ? allowed.s : "nothing: it is an end");
}

bool ledger_step(enum event_state from, int64_t from_attempt, enum event_state to,
                 int64_t to_attempt, struct error *e)
{
    for (size_t i = 0; i < COUNT(event_edges); i++) {
        const struct event_edge *edge = &event_edges[i];

        if (edge->from != from || edge->to != to)
            continue;
        if (edge->attempt == ATTEMPT_HIGHER ? to_attempt > from_attempt
                                            : to_attempt == from_attempt)
            return true;
        return error_set(e, CODE_EVENT_TRANSITION,
                         "'%s' after '%s' of attempt %" PRId64 " is attempt %" PRId64
                         ", must be %s",
                         event_state_names[to], event_state_names[from], from_attempt, to_attempt,
                         edge->attempt == ATTEMPT_HIGHER ? "higher" : "the same");
    }
    return refuse_event(from, to, e);
}
