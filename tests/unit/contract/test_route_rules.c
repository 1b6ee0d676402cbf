/* SPDX-License-Identifier: Apache-2.0 */
/* test_route_rules.c: the other invariants of a route contract, each broken (contract 000). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/route_text.h"

/* A list that was left out or is none is reported as such, and nothing is said about its rows. */
static void what_is_left_out_is_reported_once(void **state)
{
    static const char none[] = "{\"contract_version\":\"doctor-exec-adapter-v1\","
                               "\"logging_contract_version\":\"doctor-logging-v1\","
                               "\"state_transitions\":7,\"failure_taxonomy\":{},"
                               "\"command_classes\":[7],\"timeout_profiles\":[null]}";
    static const struct refusal rows[] = {
        { .pointer = "",
          .code = CODE_CONTRACT_INVALID,
          .msg = "a route contract needs 'required_request_fields'" },
        { .pointer = "",
          .code = CODE_CONTRACT_INVALID,
          .msg = "a route contract needs 'required_result_fields'" },
        { .pointer = "",
          .code = CODE_CONTRACT_INVALID,
          .msg = "a route contract needs 'route_policies'" },
        { .pointer = "",
          .code = CODE_CONTRACT_INVALID,
          .msg = "a route contract needs 'artifact_manifest_fields'" },
        { .pointer = "/state_transitions",
          .code = CODE_CONTRACT_INVALID,
          .msg = "state_transitions is 7, must be a list of maps" },
        { .pointer = "/failure_taxonomy",
          .code = CODE_CONTRACT_INVALID,
          .msg = "failure_taxonomy is a map of 0, must be a list of maps" },
        { .pointer = "/command_classes/0",
          .code = CODE_CONTRACT_INVALID,
          .msg = "command_classes is 7, must be a map" },
        { .pointer = "/timeout_profiles/0",
          .code = CODE_CONTRACT_INVALID,
          .msg = "timeout_profiles is null, must be a map" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &route_shape, none);
    check_problems(&c, rows, COUNT(rows));
}

/* ---- invariant 3 ---- */

static void R_000_043_forced_classes_allow_cargo_only(void **state)
{
    static const struct refusal rows[] = {
        { "[\"cargo build\"]", "[\"cargo build\",\"make\"]",
          "/command_classes/0/allowed_prefixes/1", CODE_CONTRACT_INVALID,
          "'make' is not a cargo command, as force_rch asks" },
        { "[\"cargo build\"]", "[\"cargobuild\"]", "/command_classes/0/allowed_prefixes/0",
          CODE_CONTRACT_INVALID, "'cargobuild' is not a cargo command, as force_rch asks" },
        { "[\"*\"],\"force_rch\":false", "[\"*\"],\"force_rch\":true",
          "/command_classes/5/allowed_prefixes/0", CODE_CONTRACT_INVALID,
          "'*' is not a cargo command, as force_rch asks" },
    };
    struct arena a = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&route_shape, shipped(&a), "[\"cargo build\"]", "[\"cargo\"]");
    check_accepts(&route_shape, shipped(&a), "[\"cargo build\"],\"force_rch\":true",
                  "[\"cargo build\",\"make\"],\"force_rch\":false");
    arena_free(&a);
}

/* ---- invariant 4 ---- */

static void R_000_005_R_000_044_R_000_045_both_policies_are_there(void **state)
{
    static const struct refusal rows[] = {
        { "remote_rch_default", "remote_default", "/route_policies", CODE_CONTRACT_INVALID,
          "missing policy 'remote_rch_default'" },
        { "local_fallback_on_rch_unavailable", "local_fallback", "/route_policies",
          CODE_CONTRACT_INVALID, "missing policy 'local_fallback_on_rch_unavailable'" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

/* ---- invariant 5 ---- */

static void R_000_046_soft_is_not_above_hard(void **state)
{
    static const struct refusal rows[] = {
        { "\"soft_timeout_secs\":1500", "\"soft_timeout_secs\":1801",
          "/timeout_profiles/0/soft_timeout_secs", CODE_CONTRACT_INVALID,
          "soft_timeout_secs is 1801, must not be above hard_timeout_secs, 1800" },
        { "\"soft_timeout_secs\":1500", "\"soft_timeout_secs\":0",
          "/timeout_profiles/0/soft_timeout_secs", CODE_CONTRACT_INVALID,
          "soft_timeout_secs is 0, allowed 1..9007199254740" },
    };
    struct arena a = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&route_shape, shipped(&a), "\"soft_timeout_secs\":1500",
                  "\"soft_timeout_secs\":1800");
    arena_free(&a);
}

/* A00-9 */
static void the_default_is_above_zero_and_not_above_hard(void **state)
{
    static const struct refusal rows[] = {
        { "\"default_timeout_secs\":1800", "\"default_timeout_secs\":1801",
          "/command_classes/0/default_timeout_secs", CODE_CONTRACT_INVALID,
          "default_timeout_secs is 1801, must not be above hard_timeout_secs, 1800" },
        { "\"default_timeout_secs\":1800", "\"default_timeout_secs\":0",
          "/command_classes/0/default_timeout_secs", CODE_CONTRACT_INVALID,
          "default_timeout_secs is 0, allowed 1..9007199254740" },
    };
    struct arena a = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&route_shape, shipped(&a), "\"default_timeout_secs\":1800",
                  "\"default_timeout_secs\":1");
    arena_free(&a);
}

static void R_000_047_there_is_a_grace(void **state)
{
    static const struct refusal row = { "\"cancel_grace_secs\":30", "\"cancel_grace_secs\":0",
                                        "/timeout_profiles/0/cancel_grace_secs",
                                        CODE_CONTRACT_INVALID,
                                        "cancel_grace_secs is 0, allowed 1..9007199254740" };

    (void)state;
    refuse(&row, 1);
}

/* ---- invariant 6 ---- */

#define EDGE(from, by, to) \
    "{\"from_state\":\"" from "\",\"trigger\":\"" by "\",\"to_state\":\"" to "\"}"

static void R_000_048_a_state_and_a_trigger_lead_to_one_state(void **state)
{
    static const struct refusal rows[] = {
        { EDGE("planned", "enqueue", "queued"),
          EDGE("planned", "enqueue", "queued") "," EDGE("planned", "enqueue", "failed"),
          "/state_transitions/3", CODE_CONTRACT_INVALID,
          "'planned' --'enqueue'--> is there already, allowed once" },
        { EDGE("planned", "enqueue", "queued"),
          EDGE("planned", "enqueue", "queued") "," EDGE("planned", "enqueue", "queued"),
          "/state_transitions/3", CODE_CONTRACT_INVALID,
          "'planned' --'enqueue'--> is there already, allowed once" },
        /* With other triggers of the same state between the two. */
        { EDGE("running", "exit_zero", "succeeded"),
          EDGE("running", "exit_zero", "succeeded") "," EDGE("running", "cancel", "failed"),
          "/state_transitions/7", CODE_CONTRACT_INVALID,
          "'running' --'cancel'--> is there already, allowed once" },
    };
    struct arena a = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    /* A00-11: transitions need not be sorted. */
    check_accepts(&route_shape, shipped(&a),
                  EDGE("planned", "enqueue", "queued") "," EDGE("queued", "start", "running"),
                  EDGE("queued", "start", "running") "," EDGE("planned", "enqueue", "queued"));
    arena_free(&a);
}

static void R_000_049_R_000_050_R_000_051_the_cancel_edges_are_there(void **state)
{
    static const struct refusal rows[] = {
        { EDGE("running", "cancel", "cancel_requested") ",", "", "/state_transitions",
          CODE_CONTRACT_INVALID, "missing transition running --cancel--> cancel_requested" },
        { EDGE("running", "cancel", "cancel_requested"), EDGE("running", "cancel", "cancelled"),
          "/state_transitions", CODE_CONTRACT_INVALID,
          "missing transition running --cancel--> cancel_requested" },
        { EDGE("cancel_requested", "cancel_completed", "cancelled") ",", "", "/state_transitions",
          CODE_CONTRACT_INVALID,
          "missing transition cancel_requested --cancel_completed--> cancelled" },
        { EDGE("cancel_requested", "cancel_timeout", "failed") ",", "", "/state_transitions",
          CODE_CONTRACT_INVALID, "missing transition cancel_requested --cancel_timeout--> failed" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

/* ---- invariant 7 ---- */

static void R_000_005_R_000_052_R_000_053_R_000_054_R_000_055_the_four_codes_are_there(void **state)
{
    static const struct refusal rows[] = {
        { "command_failed", "command_fell", "/failure_taxonomy", CODE_CONTRACT_INVALID,
          "missing code 'command_failed'" },
        { "command_timeout", "command_late", "/failure_taxonomy", CODE_CONTRACT_INVALID,
          "missing code 'command_timeout'" },
        { "invalid_transition", "bad_transition", "/failure_taxonomy", CODE_CONTRACT_INVALID,
          "missing code 'invalid_transition'" },
        { "\"code\":\"rch_unavailable\"", "\"code\":\"rch_away\"", "/failure_taxonomy",
          CODE_CONTRACT_INVALID, "missing code 'rch_unavailable'" },
    };
    struct arena a = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&route_shape, shipped(&a), "\"failure_taxonomy\":[",
                  "\"failure_taxonomy\":[{\"code\":\"worker_lost\",\"severity\":\"low\","
                  "\"retryable\":true,\"operator_action\":\"Wait.\"},");
    arena_free(&a);
}

/* A00-1: the sample is abbreviated; taken literally it lacks five things and nothing else. */
static void R_000_045_R_000_051_R_000_052_R_000_053_R_000_054_the_sample_lacks_five(void **state)
{
    static const struct refusal rows[] = {
        { .pointer = "/route_policies",
          .code = CODE_CONTRACT_INVALID,
          .msg = "missing policy 'local_fallback_on_rch_unavailable'" },
        { .pointer = "/state_transitions",
          .code = CODE_CONTRACT_INVALID,
          .msg = "missing transition cancel_requested --cancel_timeout--> failed" },
        { .pointer = "/failure_taxonomy",
          .code = CODE_CONTRACT_INVALID,
          .msg = "missing code 'command_failed'" },
        { .pointer = "/failure_taxonomy",
          .code = CODE_CONTRACT_INVALID,
          .msg = "missing code 'command_timeout'" },
        { .pointer = "/failure_taxonomy",
          .code = CODE_CONTRACT_INVALID,
          .msg = "missing code 'invalid_transition'" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &route_shape, data_text(&c.a, "contract-000/sample.json"));
    check_problems(&c, rows, COUNT(rows));
    assert_false(c.good);
}

static void policies_and_codes_are_there_once(void **state)
{
    static const struct refusal rows[] = {
        { "\"policy_id\":\"fail_closed\"", "\"policy_id\":\"remote_rch_default\"",
          "/route_policies/2/policy_id", CODE_CONTRACT_INVALID,
          "policy 'remote_rch_default' is there already, allowed once" },
        { "{\"code\":\"rch_unavailable\"",
          "{\"code\":\"command_failed\",\"severity\":\"low\",\"retryable\":true,"
          "\"operator_action\":\"Go on.\"},{\"code\":\"rch_unavailable\"",
          "/failure_taxonomy/3/code", CODE_CONTRACT_INVALID,
          "code 'command_failed' is there already, allowed once" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    check_refusals(&route_shape, shipped(&a), rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_reported_once),
        cmocka_unit_test(R_000_043_forced_classes_allow_cargo_only),
        cmocka_unit_test(R_000_005_R_000_044_R_000_045_both_policies_are_there),
        cmocka_unit_test(R_000_046_soft_is_not_above_hard),
        cmocka_unit_test(the_default_is_above_zero_and_not_above_hard),
        cmocka_unit_test(R_000_047_there_is_a_grace),
        cmocka_unit_test(R_000_048_a_state_and_a_trigger_lead_to_one_state),
        cmocka_unit_test(R_000_049_R_000_050_R_000_051_the_cancel_edges_are_there),
        cmocka_unit_test(
            R_000_005_R_000_052_R_000_053_R_000_054_R_000_055_the_four_codes_are_there),
        cmocka_unit_test(R_000_045_R_000_051_R_000_052_R_000_053_R_000_054_the_sample_lacks_five),
        cmocka_unit_test(policies_and_codes_are_there_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
