/* SPDX-License-Identifier: Apache-2.0 */
/* exits.h: why a command ended, what its exit code means, and the exit codes of writ itself. */
#pragma once

#include "base/table.h"

/* Why a run ended. This is evidence: a command can choose its exit code, but not its cause. */
enum cause {
    CAUSE_EXITED,
    CAUSE_SIGNALED,
    CAUSE_TIMEOUT,
    CAUSE_OOM,
    CAUSE_EXEC_FAILED,
    CAUSE_SANDBOX_ERROR,
    CAUSE_CANCELLED,
    CAUSE_LOST,
    CAUSE_VIOLATION,
    CAUSE_UNMET,
    CAUSE_UNDELIVERED,
    CAUSE_COUNT,
};

struct cause_row {
    enum cause cause;
    const char *meaning;
};

struct exit_row {
    const char *codes; /* as contract 001 writes it */
    int from, to;
    enum cause evidence; /* the row holds only with this cause; CAUSE_COUNT: with any */
    const char *meaning, *action;
};

enum {
    EXIT_ROWS = 15,
    EXIT_OOM = 137,        /* what is reported when the kernel killed it for its memory */
    EXIT_VIOLATION = 137,  /* and when init did, because a wall or a bound did not hold */
    EXIT_TIMEOUT = 143,    /* and when our timer ran out, whatever signal it took */
    EXIT_CANCELLED = 130,  /* and when it ended with 0 because it was asked to */
    EXIT_UNMET = 76,       /* and when an expectation of the request was not met */
    EXIT_UNDELIVERED = 73, /* and when an output file was not delivered */
    EXIT_LOST = 69,        /* and when nobody knows how it ended */
};

/* The exit codes of writ itself, where it does not pass on the command's. */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,
    STATUS_PARTIAL = 3,
    STATUS_USAGE = 64,
    STATUS_WRONG = 65,
    STATUS_UNAVAILABLE = 69,
    STATUS_BUG = 70,
    STATUS_UNRECORDED = 74,
    STATUS_REFUSED = 77,
    STATUS_SANDBOX = 125,
};

enum { STATUS_ROWS = 10 };

struct status_row {
    enum status status;
    const char *meaning, *action;
};

extern const char *const cause_names[];
extern const struct cause_row causes[CAUSE_COUNT];
extern const struct exit_row exits[EXIT_ROWS];
extern const struct status_row statuses[STATUS_ROWS];
extern const struct table causes_table, exits_table, statuses_table, exit_answers_table;

/* What a program, by the name it is called, says with an exit code that is no error; or NULL. */
const char *exit_answer(struct str program, int code);

/* What the exit code means, given why the run ended; NULL when it is not 0..255. */
const struct exit_row *exit_meaning(int code, enum cause cause);
