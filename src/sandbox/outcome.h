/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.h: what became of a command: how it ended and why, what it printed and used. */
#pragma once

#include "base/digest.h"
#include "base/mem.h"
#include "contract/exits.h"
#include "sandbox/cow.h"
#include "sandbox/gate.h"
#include "sandbox/supervise.h"

/* What is kept of what a command writes to its descriptor 3. */
enum { RESULT_BYTES = 1 << 20 };

struct printed {
    struct str head; /* in the arena */
    struct str tail; /* the last bytes of all, where more came than the head has; else none */
    int64_t bytes;
    struct digest digest;
    int lost;           /* errno, where it was captured and could not be passed on; 0: it was */
    bool redacted, cut; /* the head is not what came, by its length; then: was that cut off? */
};

/* Did more come than the head has? */
bool printed_cut(const struct printed *p);

/* The end of what came, and no more than LAST_BYTES of it, from where a character begins: why a
 * command failed is said there. "" where nothing is known of the end. *whole: it is all that came.
 */
struct str printed_end(const struct printed *p, bool *whole);

struct outcome {
    enum cause cause;
    int exit_code; /* -1: there is none */
    int signal;    /* that ended it; 0: none */
    bool core;
    bool unseen;        /* the kernel did not end it: it ran, and nothing else is known of it */
    bool forced;        /* it was stopped, and did not end when it was asked to */
    bool unheld;        /* a program of it was killed that cannot be held (held_tracer.h) */
    bool page_open;     /* and one began that can read the real time (held_page.h) */
    const char *excess; /* what it was killed for, in words: too much of something, or a denied
                           name; else NULL */
    int error;          /* errno of a command that could not be started */
    struct printed out, err;
    struct printed
        result; /* what was written to descriptor 3; .head.s is NULL where there was none */
    struct digest program; /* of the file that was started */
    bool program_read;     /* else nobody knows its digest */
    bool program_changed;  /* while it was read: there is no digest */
    int64_t ended_ms;      /* on the monotonic clock; 0: nobody knows */
    int64_t cpu_ms;        /* -1: no group counts it */
    int64_t duration_ms, memory_peak_bytes, oom_events, pids_hits, thread_hits;
    int64_t filter_hits;
    unsigned layers;       /* that held it */
    bool hosted;           /* by lists alone, in the host's namespaces (process.h) */
    unsigned missing;      /* that should have; the caller said it may do without */
    const char *left;      /* what could not be removed, in words; NULL: nothing is left */
    const char *cgroup;    /* "v1", "v2", "hybrid" or "none" */
    int landlock;          /* its version */
    struct gate_log gate;  /* what was decided about hosts */
    struct cow_layers cow; /* what it wrote beside the disk; open, to be closed by cow_close() */
};

/* Outcomes without a run: of a command that is not there (ENOENT) or cannot be started (EACCES); of
 * one whose standard input did not come to an end in time, or before somebody stopped it. */
struct outcome outcome_not_started(int why);
struct outcome outcome_waited(enum cause cause, int64_t ms);

/* What was printed, out of the capture, which has come to its end. */
struct printed outcome_printed(struct capture *c, struct arena *a);
/* Of one that was run by nobody, or by somebody who did not come back. */
struct outcome outcome_unrun(enum cause cause, int exit_code);

/* Of one whose end was not seen. False: *e says so. */
bool outcome_unseen(const struct supervision *s, struct outcome *out, struct error *e);

/* Of one that ended by CAUSE_VIOLATION: what it was killed for, in words. */
const char *outcome_violation(const struct outcome *o);

/* How it ended, by what the supervisor saw and the kernel counted. */
void outcome_judge(const struct supervision *s, const struct cgroup_usage *usage,
                   struct outcome *out);
