/* SPDX-License-Identifier: Apache-2.0 */
/* test_lane_result.c: what a routed command came to (contract 000). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/states.h"
#include "unit/contract/lane_text.h"

static const char result[] = "artifact_manifest:\n" MANIFEST "command_id: cmd-1\n"
                             "exit_code: 101\n"
                             "outcome_class: failed\n"
                             "route: remote_rch\n"
                             "routed_command: rch exec -- cargo test --all\n"
                             "state: failed\n"
                             "failure_code: command_failed\n"
                             "route_reason: force_rch\n";

static void
R_000_017_R_000_018_R_000_019_R_000_020_R_000_021_R_000_022_R_000_023_a_result_has_its_seven_fields(
    void **state)
{
    static const struct refusal rows[] = {
        { "artifact_manifest:\n" MANIFEST, "", "", CODE_CONTRACT_INVALID,
          "a lane result needs 'artifact_manifest'" },
        { "command_id: cmd-1\n", "", "", CODE_CONTRACT_INVALID,
          "a lane result needs 'command_id'" },
        { "exit_code: 101\n", "", "", CODE_CONTRACT_INVALID, "a lane result needs 'exit_code'" },
        { "\noutcome_class: failed\n", "\n", "", CODE_CONTRACT_INVALID,
          "a lane result needs 'outcome_class'" },
        { "\nroute: remote_rch\n", "\n", "", CODE_CONTRACT_INVALID, "a lane result needs 'route'" },
        { "routed_command: rch exec -- cargo test --all\n", "", "", CODE_CONTRACT_INVALID,
          "a lane result needs 'routed_command'" },
        { "state: failed\n", "", "", CODE_CONTRACT_INVALID, "a lane result needs 'state'" },
    };
    _checked_ struct checked c = { 0 };
    const struct lane_result_doc *doc = check_text(&c, &lane_result_shape, result);

    (void)state;
    check_clean(&c);
    check_is(doc->artifact_manifest->scenario_id, "cargo_test");
    check_is(doc->command_id, "cmd-1");
    assert_int_equal(doc->exit_code, 101);
    assert_int_equal(doc->outcome_class, OUTCOME_FAILED);
    assert_int_equal(doc->route, ROUTE_REMOTE_RCH);
    check_is(doc->routed_command, "rch exec -- cargo test --all");
    assert_int_equal(doc->state, ROUTE_FAILED);
    check_is(doc->failure_code, "command_failed");
    assert_int_equal(doc->route_reason, REASON_FORCE_RCH);
    check_refusals(&lane_result_shape, result, rows, COUNT(rows));
}

static void fields_have_their_types(void **state)
{
    static const struct refusal rows[] = {
        { "command_id: cmd-1", "command_id: ''", "/command_id", CODE_CONTRACT_INVALID,
          "command_id has 0 characters, allowed 1 or more" },
        { "exit_code: 101", "exit_code: 256", "/exit_code", CODE_CONTRACT_INVALID,
          "exit_code is 256, allowed 0..255" },
        { "exit_code: 101", "exit_code: -1", "/exit_code", CODE_CONTRACT_INVALID,
          "exit_code is -1, allowed 0..255" },
        { "\noutcome_class: failed", "\noutcome_class: broken", "/outcome_class",
          CODE_CONTRACT_INVALID, "'broken' is not one of success, failed, cancelled" },
        { "\nroute: remote_rch", "\nroute: remote", "/route", CODE_CONTRACT_INVALID,
          "'remote' is not one of local_direct, remote_rch, none, local_worker, remote_slurm, remote_ssh (did you mean 'remote_rch'?)" },
        { "rch exec -- cargo test --all", "''", "/routed_command", CODE_CONTRACT_INVALID,
          "routed_command has 0 characters, allowed 1 or more" },
        { "state: failed", "state: done", "/state", CODE_CONTRACT_INVALID,
          "'done' is not one of planned, queued, running, cancel_requested, succeeded, failed, "
          "cancelled" },
        { "failure_code: command_failed", "failure_code: ''", "/failure_code",
          CODE_CONTRACT_INVALID, "failure_code has 0 characters, allowed 1 or more" },
        { "route_reason", "owner: me\nroute_reason", "/owner", CODE_CONTRACT_INVALID,
          "a lane result has no field 'owner'; it has artifact_manifest, command_id, exit_code, outcome_class, route, routed_command, state, failure_code, route_reason" },
        { "route_reason: force_rch", "route_reason: mood", "/route_reason", CODE_CONTRACT_INVALID,
          "'mood' is not one of force_rch, prefer_remote, caller_local, rch_unavailable" },
    };

    (void)state;
    check_refusals(&lane_result_shape, result, rows, COUNT(rows));
}

static void what_writ_adds_may_be_left_out(void **state)
{
    _buf_ struct buf json = { .max = 1 << 16 };
    _checked_ struct checked c = { 0 };
    const struct lane_result_doc *doc =
        check_text(&c, &lane_result_shape,
                   check_swap(&c.a, result, "failure_code: command_failed\nroute_reason: force_rch",
                              "failure_code: null"));

    (void)state;
    check_clean(&c);
    assert_null(doc->failure_code.s);
    assert_int_equal(doc->route_reason, CHOICE_NONE);
    shape_json(&lane_result_shape, doc, &json);
    assert_null(strstr(json.s, "route_reason"));
    assert_null(strstr(json.s, "failure_code"));
    check_accepts(&lane_result_shape, result, "route_reason: force_rch", "route_reason: null");
}

#define STATE(state, outcome) \
    "outcome_class: " outcome "\nroute: remote_rch\nrouted_command: c\nstate: " state "\n"
#define LANE_RESULT(state, outcome, code)                                  \
    "artifact_manifest: {command_provenance: c, outcome_class: " outcome   \
    ", run_id: run-3b241101-e2bb-4255-8caf-4136c566a962, scenario_id: s, " \
    "trace_id: trace-t, transcript_path: p, worker_route: remote_rch}\n"   \
    "command_id: c\nexit_code: 0\n" STATE(state, outcome) "failure_code: " code "\n"

static void the_state_is_the_end_the_outcome_says(void **state)
{
    static const char *const good[] = {
        LANE_RESULT("succeeded", "success", "null"),
        LANE_RESULT("failed", "failed", "command_timeout"),
        LANE_RESULT("cancelled", "cancelled", "null"),
        LANE_RESULT("queued", "failed", "invalid_transition"), /* A00-10 */
    };
    static const struct refusal rows[] = {
        { "state: succeeded", "state: failed", "/state", CODE_CONTRACT_INVALID,
          "state is failed, which is not how a lane of outcome_class success ends" },
        { "state: succeeded", "state: running", "/state", CODE_CONTRACT_INVALID,
          "state is running, which is not how a lane of outcome_class success ends" },
        { "state: succeeded", "state: planned", "/state", CODE_CONTRACT_INVALID,
          "state is planned, which is not how a lane of outcome_class success ends" },
        { "failure_code: null", "failure_code: command_failed", "/failure_code",
          CODE_CONTRACT_INVALID, "failure_code is 'command_failed', must be null in a success" },
        { "exit_code: 0", "exit_code: 1", "/exit_code", CODE_CONTRACT_INVALID,
          "exit_code is 1, must be 0 in a success" },
    };
    /* A00-10: it is closed with a failure, whatever state it was in. */
    static const struct refusal aborted = {
        "failure_code: c", "failure_code: invalid_transition", "/outcome_class",
        CODE_CONTRACT_INVALID, "outcome_class is cancelled, must be failed after invalid_transition"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        check_accepts(&lane_result_shape, good[i], "c", "c");
    check_refusals(&lane_result_shape, good[0], rows, COUNT(rows));
    check_refusal(&lane_result_shape, LANE_RESULT("cancelled", "cancelled", "c"), &aborted);
}

static void R_000_077_the_manifest_says_what_the_result_says(void **state)
{
    static const struct refusal rows[] = {
        { "  outcome_class: failed", "  outcome_class: success", "/artifact_manifest/outcome_class",
          CODE_CONTRACT_INVALID, "outcome_class is success, must be failed as in the result" },
        { "worker_route: remote_rch", "worker_route: local_direct",
          "/artifact_manifest/worker_route", CODE_CONTRACT_INVALID,
          "worker_route is local_direct, must be remote_rch, the route of the result" },
        { "  outcome_class: failed", "  outcome_class: lost", "/artifact_manifest/outcome_class",
          CODE_CONTRACT_INVALID, "'lost' is not one of success, failed, cancelled" },
    };

    (void)state;
    check_refusals(&lane_result_shape, result, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_000_017_R_000_018_R_000_019_R_000_020_R_000_021_R_000_022_R_000_023_a_result_has_its_seven_fields),
        cmocka_unit_test(fields_have_their_types),
        cmocka_unit_test(what_writ_adds_may_be_left_out),
        cmocka_unit_test(the_state_is_the_end_the_outcome_says),
        cmocka_unit_test(R_000_077_the_manifest_says_what_the_result_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
