/* SPDX-License-Identifier: Apache-2.0 */
/* lane_ends.c: how an attempt ended, and the edges, code and exit code that go with it. */
#include "route/lane_ends.h"

#include <signal.h>

/* clang-format off */
static const char *const ending_names[] = {
    [ENDING_LOST]         = "lost",
    [ENDING_TIMEOUT]      = "timeout",
    [ENDING_KILLED]       = "killed",
    [ENDING_CANCELLED]    = "cancelled",
    [ENDING_UNAVAILABLE]  = "unavailable",
    [ENDING_NOT_STARTED]  = "not_started",
    [ENDING_EXIT_ZERO]    = "exit_zero",
    [ENDING_EXIT_NONZERO] = "exit_nonzero",
};

/*                             unstarted stopped  by                        failure                own    else */
const struct ending_row lane_endings[LANE_ENDINGS] = {
    [ENDING_LOST]         = { ENDING_LOST,         false, false, TRIGGER_EXIT_NONZERO,     CODE_WORKER_LOST,     false, EXIT_LOST,          "Its worker went away, or is not believed: worker_lost, whatever it was asked before. Never tried again." },
    [ENDING_TIMEOUT]      = { ENDING_TIMEOUT,      true,  true,  TRIGGER_CANCEL_TIMEOUT,   CODE_COMMAND_TIMEOUT, false, EXIT_TIMEOUT,       "It was stopped for its time: command_timeout, also when it ended in its grace." },
    [ENDING_KILLED]       = { ENDING_KILLED,       true,  true,  TRIGGER_CANCEL_TIMEOUT,   CODE_COMMAND_FAILED,  true,  128 + SIGKILL,      "A person asked, and it did not end in its grace: command_failed." },
    [ENDING_CANCELLED]    = { ENDING_CANCELLED,    true,  true,  TRIGGER_CANCEL_COMPLETED, CODE_NONE,            true,  EXIT_CANCELLED,     "A person asked, and it ended in its grace." },
    [ENDING_UNAVAILABLE]  = { ENDING_UNAVAILABLE,  true,  false, TRIGGER_EXIT_NONZERO,     CODE_RCH_UNAVAILABLE, false, STATUS_UNAVAILABLE, "No worker took it; nothing ran: rch_unavailable." },
    [ENDING_NOT_STARTED]  = { ENDING_NOT_STARTED,  true,  false, TRIGGER_EXIT_NONZERO,     CODE_COMMAND_FAILED,  true,  STATUS_SANDBOX,     "The program or its sandbox could not be started: command_failed." },
    [ENDING_EXIT_ZERO]    = { ENDING_EXIT_ZERO,    false, false, TRIGGER_EXIT_ZERO,        CODE_NONE,            false, STATUS_OK,          "It ended by itself with 0, and what came out is what was expected." },
    [ENDING_EXIT_NONZERO] = { ENDING_EXIT_NONZERO, false, false, TRIGGER_EXIT_NONZERO,     CODE_COMMAND_FAILED,  true,  STATUS_FAILED,      "It ended in any other way: command_failed." },
};

static const struct column ending_columns[] = {
    { "ending",    COLUMN_NAME, offsetof(struct ending_row, ending), ending_names },
    { "trigger",   COLUMN_NAME, offsetof(struct ending_row, by), route_trigger_names },
    { "own_code",  COLUMN_BOOL, offsetof(struct ending_row, own_code) },
    { "exit_code", COLUMN_INT,  offsetof(struct ending_row, exit_code) },
    { "meaning",   COLUMN_TEXT, offsetof(struct ending_row, meaning) },
};
/* clang-format on */

const struct table lane_endings_table = {
    .name = "lane_ends",
    .about = "What a lane ends as: the last edge, and the exit code where the command's own is 0 "
             "or does not count.",
    COLUMNS(ending_columns),
    .keys = 1,
    ROWS(lane_endings),
};

/* Timeouts before cancellations: when both were asked for, the lane has failed. Once it was asked,
 * only two edges are left, so that how it ended by itself does not matter any more. */
static enum lane_ending ending_of(const struct lane_end *end, enum cause asked_for, bool killed)
{
    if (end->lost || end->cause == CAUSE_LOST)
        return ENDING_LOST;
    if (end->cause == CAUSE_TIMEOUT || asked_for == CAUSE_TIMEOUT)
        return ENDING_TIMEOUT;
    if (end->cause == CAUSE_CANCELLED || asked_for == CAUSE_CANCELLED)
        return killed ? ENDING_KILLED : ENDING_CANCELLED;
    if (end->unavailable)
        return ENDING_UNAVAILABLE;
    if (end->cause == CAUSE_EXEC_FAILED || end->cause == CAUSE_SANDBOX_ERROR)
        return ENDING_NOT_STARTED;
    if (end->cause == CAUSE_EXITED && end->exit_code == 0 && !killed && asked_for == CAUSE_EXITED)
        return ENDING_EXIT_ZERO;
    return ENDING_EXIT_NONZERO;
}

const struct ending_row *lane_ending(const struct lane_end *end, enum cause asked_for, bool killed)
{
    return &lane_endings[ending_of(end, asked_for, killed || end->forced)];
}

int lane_exit_code(const struct ending_row *row, const struct lane_end *end)
{
    bool own = row->own_code && end->exit_code > 0 && end->exit_code <= 255;

    return own ? end->exit_code : row->exit_code;
}
