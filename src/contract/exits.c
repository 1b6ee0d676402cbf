/* SPDX-License-Identifier: Apache-2.0 */
/* exits.c: the tables of causes and exit codes. */
#include "contract/exits.h"

/* clang-format off */
const char *const cause_names[] = {
    [CAUSE_EXITED]        = "exited",
    [CAUSE_SIGNALED]      = "signaled",
    [CAUSE_TIMEOUT]       = "timeout",
    [CAUSE_OOM]           = "oom",
    [CAUSE_EXEC_FAILED]   = "exec_failed",
    [CAUSE_SANDBOX_ERROR] = "sandbox_error",
    [CAUSE_CANCELLED]     = "cancelled",
    [CAUSE_LOST]          = "lost",
    [CAUSE_VIOLATION]     = "violation",
    [CAUSE_UNMET]         = "unmet",
    [CAUSE_UNDELIVERED]   = "undelivered",
    [CAUSE_COUNT]         = NULL,
};

const struct cause_row causes[CAUSE_COUNT] = {
    [CAUSE_EXITED]        = { CAUSE_EXITED,        "It ended by itself and returned its exit code." },
    [CAUSE_SIGNALED]      = { CAUSE_SIGNALED,      "A signal ended it that writ did not send." },
    [CAUSE_TIMEOUT]       = { CAUSE_TIMEOUT,       "It was still running at the end of its time and was stopped." },
    [CAUSE_OOM]           = { CAUSE_OOM,           "The kernel killed it because its memory limit was reached." },
    [CAUSE_EXEC_FAILED]   = { CAUSE_EXEC_FAILED,   "The program could not be started." },
    [CAUSE_SANDBOX_ERROR] = { CAUSE_SANDBOX_ERROR, "The sandbox could not be built; nothing ran, and there is no exit code." },
    [CAUSE_CANCELLED]     = { CAUSE_CANCELLED,     "Somebody asked for it to be stopped." },
    [CAUSE_LOST]          = { CAUSE_LOST,          "Its worker went away after it had begun, or is not believed; nobody knows how it ended: `reason` says why." },
    [CAUSE_VIOLATION]     = { CAUSE_VIOLATION,     "It was killed because it had too much of something or a denied name came into being (`reason` says which), or because somebody outside replaced a file that it was kept from." },
    [CAUSE_UNMET]         = { CAUSE_UNMET,         "It ended by itself with a code that would mean success, and an expectation of the request was not met: `expected` says which; own_exit_code is the command's." },
    [CAUSE_UNDELIVERED]   = { CAUSE_UNDELIVERED,   "It ended by itself with a code that would mean success, and a file of output_files is missing, too large, or cannot be collected; own_exit_code is the command's." },
};

static const struct column cause_columns[] = {
    { "cause",   COLUMN_NAME, offsetof(struct cause_row, cause), cause_names },
    { "meaning", COLUMN_TEXT, offsetof(struct cause_row, meaning) },
};

/* A01-1: 137 and 143 are also 128+, and a program may return them itself. They mean memory and
 * time, or a wall that is gone, only with the evidence for it, 130 that somebody called it off, 159
 * signal 31, and 69 a lost worker. Who is called off may end with any code, and 130 stands for 0. So
 * do 76 and 73, for 0 or the code that was expected. A later row is the more exact one. */
const struct exit_row exits[EXIT_ROWS] = {
    { "0",     0,   0,   CAUSE_COUNT,   "success",             "continue workflow" },
    { "1-125", 1,   125, CAUSE_COUNT,   "tool-specific error", "log and handle" },
    { "126",   126, 126, CAUSE_COUNT,   "permission denied",   "escalate" },
    { "127",   127, 127, CAUSE_COUNT,   "command not found",   "check allowlist" },
    { "128+",  128, 255, CAUSE_COUNT,   "signal termination",  "log signal number" },
    { "137",   137, 137, CAUSE_OOM,     "OOM killed",          "increase memory or fail" },
    { "143",   143, 143, CAUSE_TIMEOUT, "SIGTERM (timeout)",   "extend timeout or fail" },
    { "159",   159, 159, CAUSE_SIGNALED, "SIGSYS (bad system call)", "log signal number; see whether it is a 32-bit program, which does not run inside" },
    { "1-255", 1,   255, CAUSE_CANCELLED, "cancelled",         "run it again if it is still wanted" },
    { "130",   130, 130, CAUSE_CANCELLED, "cancelled",         "run it again if it is still wanted" },
    { "137",   137, 137, CAUSE_CANCELLED, "killed before its end", "look at what it did, which may not be whole, before running it again" },
    { "137",   137, 137, CAUSE_VIOLATION, "a wall or a limit did not hold", "look at what it did before running it again" },
    { "76",    76,  76,  CAUSE_UNMET,   "an expectation was not met", "compare what it printed with what the request expects" },
    { "73",    73,  73,  CAUSE_UNDELIVERED, "an output file was not delivered", "see the states of output_files in the record" },
    { "69",    69,  69,  CAUSE_LOST,    "worker lost",         "look at what it did before running it again" },
};

/* Programs that say with an exit code what is no error; by the name they are called. */
static const struct answer_row {
    const char *program;
    int code;
    const char *meaning;
} exit_answers[] = {
    { "rg",    1, "nothing matched" },
    { "grep",  1, "nothing matched" },
    { "diff",  1, "there are differences" },
    { "cmp",   1, "there are differences" },
    { "pgrep", 1, "nothing matched" },
};

static const struct column answer_columns[] = {
    { "program", COLUMN_TEXT, offsetof(struct answer_row, program) },
    { "code",    COLUMN_INT,  offsetof(struct answer_row, code) },
    { "meaning", COLUMN_TEXT, offsetof(struct answer_row, meaning) },
};

static const struct column exit_columns[] = {
    { "codes",    COLUMN_TEXT, offsetof(struct exit_row, codes) },
    { "evidence", COLUMN_NAME, offsetof(struct exit_row, evidence), cause_names },
    { "meaning",  COLUMN_TEXT, offsetof(struct exit_row, meaning) },
    { "action",   COLUMN_TEXT, offsetof(struct exit_row, action) },
};

const struct status_row statuses[STATUS_ROWS] = {
    { STATUS_OK,           "What was asked for was done; a plan succeeded, a ledger is intact.", "None." },
    { STATUS_FAILED,       "A plan failed, a ledger is not intact, an event was refused, or what was asked for is not there.",     "Read the messages; with --json each has its code." },
    { STATUS_PARTIAL,      "A plan completed some of its steps, not all.",                       "Look at the result's error." },
    { STATUS_USAGE,        "The command line is not one that writ knows.",                       "See `writ --help`." },
    { STATUS_WRONG,     "A document is wrong.",                                               "Correct it at the places named." },
    { STATUS_UNAVAILABLE,  "Something that is needed is not there or does not answer.",          "Start or install what the message names." },
    { STATUS_BUG,          "writ itself has a fault.",                                              "Report it with the message." },
    { STATUS_UNRECORDED,   "The result could not be recorded, so none is reported; or not printed.", "See `writ log` for what is recorded; make the ledger or the output writable." },
    { STATUS_REFUSED,      "The policy does not allow it; nothing ran.",                         "Ask for approval, or for less." },
    { STATUS_SANDBOX,      "The sandbox could not be built; nothing ran.",                       "Run `writ doctor` and do what it says." },
};

static const struct column status_columns[] = {
    { "status",  COLUMN_INT,  offsetof(struct status_row, status) },
    { "meaning", COLUMN_TEXT, offsetof(struct status_row, meaning) },
    { "action",  COLUMN_TEXT, offsetof(struct status_row, action) },
};
/* clang-format on */

const struct table causes_table = {
    .name = "causes",
    .about = "Why a command ended.",
    COLUMNS(cause_columns),
    .keys = 1,
    ROWS(causes),
};

const struct table exits_table = {
    .name = "exits",
    .about = "What a command's exit code means, from contract 001.",
    COLUMNS(exit_columns),
    .keys = 1,
    ROWS(exits),
};

const struct table statuses_table = {
    .name = "statuses",
    .about = "The exit codes of writ itself; `writ exec` passes on the command's.",
    COLUMNS(status_columns),
    .keys = 1,
    ROWS(statuses),
};

const struct table exit_answers_table = {
    .name = "exit_answers",
    .about = "Programs that answer with an exit code, where others have failed.",
    COLUMNS(answer_columns),
    .keys = 1,
    ROWS(exit_answers),
};

const char *exit_answer(struct str program, int code)
{
    for (size_t i = 0; i < COUNT(exit_answers); i++)
        if (exit_answers[i].code == code && str_is(program, exit_answers[i].program))
            return exit_answers[i].meaning;
    return NULL;
}

const struct exit_row *exit_meaning(int code, enum cause cause)
{
    const struct exit_row *found = NULL;

    for (size_t i = 0; i < EXIT_ROWS; i++) {
        const struct exit_row *row = &exits[i];

        if (code < row->from || code > row->to)
            continue;
        if (row->evidence == CAUSE_COUNT || row->evidence == cause)
            found = row;
    }
    return found;
}
