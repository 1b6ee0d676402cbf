/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h: runs one command inside its walls and says what happened.
 *
 * The one door of this folder. An outcome is data: that the command failed, was stopped or could
 * not be started is what was asked. False means that the walls could not be built, and that
 * nothing ran.
 */
#pragma once

#include "base/world.h"
#include "contract/exits.h"
#include "contract/request_doc.h"
#include "sandbox/capture.h"
#include "sandbox/grants.h"
#include "sandbox/program.h"

struct run {
    const struct program *program;
    const struct grants *grants; /* settled */
    const char *cwd;
    uid_t owner; /* of the working directory */
    gid_t group;
    char *const *argv;
    char *const *env; /* sorted */
    struct str input; /* on standard input */
    const struct request_sandbox *limits;
    unsigned weak; /* layers the caller does without, when they cannot be had */
    int live[2];   /* where stdout and stderr are passed on to as they come; -1: nowhere */
    int cancel;    /* readable when it should be stopped; a second time: at once. -1: never */
};

struct printed {
    struct str head; /* in the arena */
    int64_t bytes;
    struct digest digest;
};

struct outcome {
    enum cause cause;
    int exit_code; /* -1: there is none */
    int signal;    /* that ended it; 0: none */
    bool core;
    int error; /* errno of a command that could not be started */
    struct printed out, err;
    struct digest program; /* of the file that was started */
    int64_t duration_ms, cpu_ms, memory_peak_bytes, oom_events, pids_hits;
    unsigned layers;    /* that held it */
    unsigned missing;   /* that should have; the caller said it may do without */
    const char *left;   /* what could not be removed, in words; NULL: nothing is left */
    const char *cgroup; /* "v1", "v2", "hybrid" or "none" */
    int landlock;       /* its version */
};

/* Outcomes without a run: of a command that is not there (ENOENT) or cannot be started (EACCES); of
 * one whose standard input did not come to an end in time, or before somebody stopped it. */
struct outcome outcome_not_started(int why);
struct outcome outcome_waited(enum cause cause, int64_t ms);

bool sandbox_run(const struct run *run, const struct world *world, struct arena *a,
                 struct outcome *out, struct error *e) NODISCARD;
