/* SPDX-License-Identifier: Apache-2.0 */
/* transcript.h: what happened in a lane, as JSON lines in a file that is there from the first line
 * on.
 *
 * Each line is one object: "ts" (RFC 3339), "event" (a row of transcript_events), "run_id",
 * "trace_id", then the event's own members. A line is written whole or not at all, and none after
 * one that is missing: what is there is what happened, up to its end. In a file that lanes share, a
 * full disk may leave half a line, which is no JSON: who reads passes over it.
 */
#pragma once

#include <stdatomic.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/table.h"
#include "base/world.h"

struct printed; /* sandbox/outcome.h */

enum transcript_event {
    SAID_PLANNED,     /* the plan */
    SAID_STATE,       /* from, trigger, to, attempt */
    SAID_UNAVAILABLE, /* worker, attempt, message */
    SAID_DOWNGRADE,   /* from, to, policy_id, message */
    SAID_RETRY,       /* code, retry, attempt, delay_ms */
    SAID_LATE,        /* the soft timeout passed: after_secs, hard_timeout_secs */
    SAID_ASKED,       /* to end: why ("operator", "step" or "timeout"), reason */
    SAID_KILLED,      /* it did not end in its grace */
    SAID_ABORTED,     /* invalid_transition: state, trigger, allowed, message */
    SAID_OUTPUT,      /* stream, text or base64: a part of what was printed, as it came */
    SAID_PRINTED,     /* stream, bytes, truncated, digest; text or base64 where no part was told */
    SAID_ENDED,       /* attempt, state, outcome_class, exit_code, failure_code; or message */
    SAID_REFUSED,     /* nothing ran, and it is no lane: code, message */
    TRANSCRIPT_EVENTS,
};

struct transcript_row {
    enum transcript_event event;
    const char *members; /* of its own, in order */
    const char *meaning;
};

extern const char *const transcript_event_names[]; /* ended by NULL */
extern const struct transcript_row transcript_events[TRANSCRIPT_EVENTS];
extern const struct table transcript_events_table;

/* Somebody may look on: each line without its end. NULL: nobody. */
struct listener {
    void (*line)(void *self, enum transcript_event event, struct str line);
    void *self;
};

/* What came of a stream and is not written yet. */
struct transcript_part {
    struct buf held;
    bool told; /* some of it is written */
};

/* The caller fills in the first five; the others are zero to begin with. */
struct transcript {
    const struct world *world;
    int fd;           /* -1: it is kept nowhere, only told */
    const char *path; /* as it is known to others */
    const char *run_id, *trace_id;
    struct listener listener;
    struct buf line;           /* that is being written */
    enum transcript_event now; /* what it is about */
    struct sha256 sum;
    bool failed; /* a line could not be written */
    int why;     /* errno of that; 0: the line was too long */
    bool shared; /* other lanes write there, too: the file stays open, and nothing waits for the
                    disk */
    struct transcript_part parts[2]; /* of standard output and error */
    int parts_told;                  /* lines about them */
    int64_t part_ms;                 /* when the last of those was written */
    atomic_bool *torn; /* of a shared one: it ends in half a line; the next begins a fresh one */
};

/* Makes the file, which must not be there yet. Where no other path is set, it is known by this. */
bool transcript_open(struct transcript *t, const char *path, struct error *e) NODISCARD;

/* A line: begin, members by json_put() and its like on what it returns, end. */
struct buf *transcript_begin(struct transcript *t, enum transcript_event event);
void transcript_end(struct transcript *t);

/* A part of what a command prints on a stream (1 or 2), as it comes: written at once, or with what
 * follows where it is much. */
void transcript_output(struct transcript *t, int stream, const char *bytes, size_t n);

/* The line about all that it printed there: how much, and its digest; where no part was written,
 * also what was kept of it, up to a ceiling. */
void transcript_printed(struct transcript *t, int stream, const struct printed *p);

/* The digest of what is written so far. */
struct digest transcript_digest(const struct transcript *t);

/* Durable, and its digest; false: a line is missing. Nothing can be said afterwards. */
bool transcript_close(struct transcript *t, struct digest *out, struct error *e) NODISCARD;
