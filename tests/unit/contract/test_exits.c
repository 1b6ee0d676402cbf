/* SPDX-License-Identifier: Apache-2.0 */
/* test_exits.c: what exit codes mean, with and without evidence; writ's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "contract/exits.h"

static void check_exit(int code, enum cause cause, const char *meaning, const char *action)
{
    const struct exit_row *row = exit_meaning(code, cause);

    assert_non_null(row);
    assert_string_equal(row->meaning, meaning);
    assert_string_equal(row->action, action);
}

static void R_001_074_R_001_075_exit_codes_up_to_125(void **state)
{
    (void)state;
    check_exit(0, CAUSE_EXITED, "success", "continue workflow");
    for (int code = 1; code <= 125; code++)
        check_exit(code, CAUSE_EXITED, "tool-specific error", "log and handle");
}

static void R_001_076_R_001_077_exit_codes_126_and_127(void **state)
{
    (void)state;
    check_exit(126, CAUSE_EXEC_FAILED, "permission denied", "escalate");
    check_exit(127, CAUSE_EXEC_FAILED, "command not found", "check allowlist");
}

/* A01-1: 137 and 143 too, where nothing shows that memory or time ran out. */
static void R_001_078_exit_codes_from_128_are_signals(void **state)
{
    (void)state;
    for (int code = 128; code <= 255; code++) {
        for (int cause = 0; cause < CAUSE_COUNT; cause++) {
            if ((code == EXIT_OOM && cause == CAUSE_OOM) ||
                (code == EXIT_TIMEOUT && cause == CAUSE_TIMEOUT) ||
                (code == EXIT_VIOLATION && cause == CAUSE_VIOLATION) ||
                (code == 128 + SIGSYS && cause == CAUSE_SIGNALED) || cause == CAUSE_CANCELLED)
                continue;
            check_exit(code, (enum cause)cause, "signal termination", "log signal number");
        }
    }
}

static void R_001_079_R_001_080_oom_and_timeout_with_evidence(void **state)
{
    (void)state;
    check_exit(137, CAUSE_OOM, "OOM killed", "increase memory or fail");
    check_exit(143, CAUSE_TIMEOUT, "SIGTERM (timeout)", "extend timeout or fail");
}

/* The number is the same wherever writ runs, and the row is written with it. */
static void a_call_that_is_not_of_64_bits_is_told_from_159(void **state)
{
    const char *action =
        "log signal number; see whether it is a 32-bit program, which does not run inside";

    (void)state;
    check_exit(128 + SIGSYS, CAUSE_SIGNALED, "SIGSYS (bad system call)", action);
    check_exit(128 + SIGSYS, CAUSE_EXITED, "signal termination", "log signal number");
}

/* 69 is an ordinary exit code, unless nobody knows how the command ended. */
static void a_lost_worker_is_told_from_a_command_that_returns_69(void **state)
{
    (void)state;
    check_exit(EXIT_LOST, CAUSE_LOST, "worker lost", "look at what it did before running it again");
    check_exit(EXIT_LOST, CAUSE_EXITED, "tool-specific error", "log and handle");
    assert_int_equal(EXIT_LOST, STATUS_UNAVAILABLE);
}

static void a_wall_that_is_gone_is_told_from_memory_that_ran_out(void **state)
{
    (void)state;
    check_exit(EXIT_VIOLATION, CAUSE_VIOLATION, "a wall or a limit did not hold",
               "look at what it did before running it again");
    check_exit(EXIT_VIOLATION, CAUSE_OOM, "OOM killed", "increase memory or fail");
    check_exit(EXIT_VIOLATION, CAUSE_SIGNALED, "signal termination", "log signal number");
}

/* proves R-001-022, R-001-024, R-001-025 */
static void what_was_asked_for_and_did_not_come_is_told_from_a_commands_own_code(void **state)
{
    (void)state;
    check_exit(EXIT_UNMET, CAUSE_UNMET, "an expectation was not met",
               "compare what it printed with what the request expects");
    check_exit(EXIT_UNMET, CAUSE_EXITED, "tool-specific error", "log and handle");
    check_exit(EXIT_UNDELIVERED, CAUSE_UNDELIVERED, "an output file was not delivered",
               "see the states of output_files in the record");
    check_exit(EXIT_UNDELIVERED, CAUSE_EXITED, "tool-specific error", "log and handle");
}

static void who_was_called_off_has_not_succeeded(void **state)
{
    (void)state;
    for (int code = 1; code <= 255; code++)
        if (code != 128 + SIGKILL)
            check_exit(code, CAUSE_CANCELLED, "cancelled", "run it again if it is still wanted");
    check_exit(128 + SIGKILL, CAUSE_CANCELLED, "killed before its end",
               "look at what it did, which may not be whole, before running it again");
    check_exit(EXIT_CANCELLED, CAUSE_EXITED, "signal termination", "log signal number");
}

static void rows_are_written_as_in_the_contract(void **state)
{
    static const char *const want[EXIT_ROWS] = { "0",   "1-125", "126", "127",   "128+",
                                                 "137", "143",   "159", "1-255", "130",
                                                 "137", "137",   "76",  "73",    "69" };

    (void)state;
    for (size_t i = 0; i < EXIT_ROWS; i++)
        assert_string_equal(exits[i].codes, want[i]);
}

static void exit_codes_out_of_range_have_no_meaning(void **state)
{
    (void)state;
    assert_null(exit_meaning(-1, CAUSE_SANDBOX_ERROR));
    assert_null(exit_meaning(256, CAUSE_EXITED));
}

static void causes_and_statuses_are_the_documented_ones(void **state)
{
    static const char *const names[] = { "exited",      "signaled",      "timeout",    "oom",
                                         "exec_failed", "sandbox_error", "cancelled",  "lost",
                                         "violation",   "unmet",         "undelivered" };
    static const int want[STATUS_ROWS] = { 0, 1, 3, 64, 65, 69, 70, 74, 77, 125 };

    (void)state;
    assert_int_equal(COUNT(names), CAUSE_COUNT);
    for (int i = 0; i < CAUSE_COUNT; i++) {
        assert_string_equal(cause_names[i], names[i]);
        assert_int_equal(causes[i].cause, i);
    }
    assert_null(cause_names[CAUSE_COUNT]);
    for (size_t i = 0; i < STATUS_ROWS; i++) {
        assert_int_equal(statuses[i].status, want[i]);
        if (statuses[i].status == STATUS_UNRECORDED) /* main() returns it for both */
            assert_true(strstr(statuses[i].meaning, "not be recorded") &&
                        strstr(statuses[i].meaning, "not printed"));
    }
}

static void a_program_may_answer_with_its_exit_code(void **state)
{
    (void)state;
    assert_string_equal(exit_answer(str_of("rg"), 1), "nothing matched");
    assert_string_equal(exit_answer(str_of("diff"), 1), "there are differences");
    assert_null(exit_answer(str_of("rg"), 2));
    assert_null(exit_answer(str_of("rgx"), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_074_R_001_075_exit_codes_up_to_125),
        cmocka_unit_test(R_001_076_R_001_077_exit_codes_126_and_127),
        cmocka_unit_test(R_001_078_exit_codes_from_128_are_signals),
        cmocka_unit_test(R_001_079_R_001_080_oom_and_timeout_with_evidence),
        cmocka_unit_test(a_call_that_is_not_of_64_bits_is_told_from_159),
        cmocka_unit_test(a_lost_worker_is_told_from_a_command_that_returns_69),
        cmocka_unit_test(a_wall_that_is_gone_is_told_from_memory_that_ran_out),
        cmocka_unit_test(what_was_asked_for_and_did_not_come_is_told_from_a_commands_own_code),
        cmocka_unit_test(who_was_called_off_has_not_succeeded),
        cmocka_unit_test(rows_are_written_as_in_the_contract),
        cmocka_unit_test(exit_codes_out_of_range_have_no_meaning),
        cmocka_unit_test(a_program_may_answer_with_its_exit_code),
        cmocka_unit_test(causes_and_statuses_are_the_documented_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
