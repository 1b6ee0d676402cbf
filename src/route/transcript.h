/* SPDX-License-Identifier: Apache-2.0 */
/* transcript.h: what happened in a lane, as JSON lines in a file that is there from the first line
 * on.
 *
 * Each line is one object: "ts" (RFC 3339), "event" (a row of transcript_events), "run_id",
 * "trace_id", then the event's own members. A line is written whole or not at all.
 */
#pragma once

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/table.h"
#include "base/world.h"

enum transcript_event {
    SAID_PLANNED,     /* the plan */
    SAID_STATE,       /* from, trigger, to, attempt */
    SAID_UNAVAILABLE, /* worker, message, attempt */
    SAID_DOWNGRADE,   /* from, to, policy_id, message */
    SAID_RETRY,       /* code, attempt, delay_ms */
    SAID_LATE,        /* the soft timeout passed: after_secs, hard_timeout_secs */
    SAID_ASKED,       /* to end: why ("operator" or "timeout"), reason */
    SAID_KILLED,      /* it did not end in its grace */
    SAID_ABORTED,     /* invalid_transition: state, trigger, allowed */
    SAID_PRINTED,     /* stream, text or base64, bytes, truncated */
    SAID_ENDED,       /* state, outcome_class, exit_code, failure_code */
    TRANSCRIPT_EVENTS,
};

extern const char *const transcript_event_names[];
extern const struct table transcript_events_table;

/* Somebody may look on: each line without its end. NULL: nobody. */
struct listener {
    void (*line)(void *self, enum transcript_event event, struct str line);
    void *self;
};

struct transcript {
    const struct world *world;
    int fd;           /* -1: it is kept nowhere, only told */
    const char *path; /* as it is known to others */
    const char *run_id, *trace_id;
    struct listener listener;
    struct buf line; /* that is being written */
    struct sha256 sum;
    bool failed; /* a line could not be written */
};

/* Makes the file, which must not be there yet. */
bool transcript_open(struct transcript *t, const char *path, struct error *e) NODISCARD;

/* A line: begin, members by json_put() and its like on what it returns, end. */
struct buf *transcript_begin(struct transcript *t, enum transcript_event event);
void transcript_end(struct transcript *t);

/* Durable, and its digest; false: a line is missing. */
bool transcript_close(struct transcript *t, struct digest *out, struct error *e) NODISCARD;
