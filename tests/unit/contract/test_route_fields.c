/* SPDX-License-Identifier: Apache-2.0 */
/* test_route_fields.c: the rows of a route contract and their fields (contract 000, output schema).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/route_text.h"

/* Among other problems, the one of the row is there. */
static void check_says(const struct checked *c, const struct refusal *row)
{
    const struct problem *p = c->report.first;

    while (p && strcmp(p->pointer, row->pointer) != 0)
        p = p->next;
    assert_non_null(p);
    assert_string_equal(p->msg, row->msg);
    assert_int_equal(p->code, row->code);
}

static void R_000_024_R_000_026_R_000_028_R_000_030_R_000_035_rows_have_their_fields(void **state)
{
    static const struct refusal rows[] = {
        { "\"label\":\"cargo build\",", "", "/command_classes/0", CODE_CONTRACT_INVALID,
          "a command class needs 'label'" },
        { "\"force_rch\":true,", "", "/command_classes/0", CODE_CONTRACT_INVALID,
          "a command class needs 'force_rch'" },
        { "\"force_rch\":true", "\"force_rch\":\"yes\"", "/command_classes/0/force_rch",
          CODE_CONTRACT_INVALID, "force_rch is 'yes', must be true or false" },
        { ",\"default_timeout_secs\":1800", "", "/command_classes/0", CODE_CONTRACT_INVALID,
          "a command class needs 'default_timeout_secs'" },
        { "\"policy_id\":\"fail_closed\",", "", "/route_policies/0", CODE_CONTRACT_INVALID,
          "a route policy needs 'policy_id'" },
        { "prefer_remote_and_rch_available", "prefer_remote_and_rch_avaliable",
          "/route_policies/2/condition", CODE_CONTRACT_INVALID,
          "'prefer_remote_and_rch_avaliable' is not one of prefer_remote_and_rch_available, "
          "prefer_remote_and_rch_unavailable, rch_unavailable_and_fallback_refused (did you mean "
          "'prefer_remote_and_rch_available'?)" },
        { "\"route\":\"remote_rch\"", "\"route\":\"moon\"", "/route_policies/2/route",
          CODE_CONTRACT_INVALID,
          "'moon' is not one of local_direct, remote_rch, none, local_worker, remote_slurm, remote_ssh" },
        { "\"max_retries\":0", "\"max_retries\":-1", "/route_policies/0/max_retries",
          CODE_CONTRACT_INVALID, "max_retries is -1, allowed 0..100" },
        { "\"max_retries\":0", "\"max_retries\":1000000000000", "/route_policies/0/max_retries",
          CODE_CONTRACT_INVALID, "max_retries is 1000000000000, allowed 0..100" },
        { "\"soft_timeout_secs\":1500,", "", "/timeout_profiles/0", CODE_CONTRACT_INVALID,
          "a timeout profile needs 'soft_timeout_secs'" },
        { "\"hard_timeout_secs\":1800,", "", "/timeout_profiles/0", CODE_CONTRACT_INVALID,
          "a timeout profile needs 'hard_timeout_secs'" },
        { "\"trigger\":\"enqueue\",", "", "/state_transitions/2", CODE_CONTRACT_INVALID,
          "a transition needs 'trigger'" },
        { ",\"to_state\":\"queued\"", "", "/state_transitions/2", CODE_CONTRACT_INVALID,
          "a transition needs 'to_state'" },
        { "\"severity\":\"medium\"", "\"severity\":\"bad\"", "/failure_taxonomy/3/severity",
          CODE_CONTRACT_INVALID, "'bad' is not one of low, medium, high, critical" },
        { "\"retryable\":false,", "", "/failure_taxonomy/0", CODE_CONTRACT_INVALID,
          "a failure needs 'retryable'" },
        { "\"label\":\"cargo build\"", "\"label\":\"cargo build\",\"color\":\"red\"",
          "/command_classes/0/color", CODE_CONTRACT_INVALID,
          "a command class has no field 'color'; it has class_id, label, allowed_prefixes, force_rch, default_timeout_secs" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

/* None of them is open: a name that is misspelled is a stranger, not an addition. */
static void strangers_are_refused_everywhere(void **state)
{
    static const struct refusal rows[] = {
        { "\"contract_version\"", "\"owner\":7,\"contract_version\"", "/owner",
          CODE_CONTRACT_INVALID,
          "a route contract has no field 'owner'; it has contract_version, logging_contract_version, required_request_fields, required_result_fields, command_classes, route_policies, timeout_profiles, state_transitions, failure_taxonomy, artifact_manifest_fields" },
        { "\"label\"", "\"owner\":7,\"label\"", "/command_classes/0/owner", CODE_CONTRACT_INVALID,
          "a command class has no field 'owner'; it has class_id, label, allowed_prefixes, force_rch, default_timeout_secs" },
        { "\"policy_id\"", "\"owner\":7,\"policy_id\"", "/route_policies/0/owner",
          CODE_CONTRACT_INVALID,
          "a route policy has no field 'owner'; it has policy_id, condition, route, retry_strategy, max_retries" },
        { "\"soft_timeout_secs\"", "\"owner\":7,\"soft_timeout_secs\"", "/timeout_profiles/0/owner",
          CODE_CONTRACT_INVALID,
          "a timeout profile has no field 'owner'; it has class_id, soft_timeout_secs, hard_timeout_secs, cancel_grace_secs" },
        { "\"trigger\"", "\"owner\":7,\"trigger\"", "/state_transitions/0/owner",
          CODE_CONTRACT_INVALID,
          "a transition has no field 'owner'; it has from_state, trigger, to_state" },
        { "\"severity\"", "\"owner\":7,\"severity\"", "/failure_taxonomy/0/owner",
          CODE_CONTRACT_INVALID,
          "a failure has no field 'owner'; it has code, severity, retryable, operator_action" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

/* What each row of a list needs, when it says nothing. */
static void R_000_009_R_000_024_R_000_026_R_000_028_R_000_030_R_000_035_all_is_needed(void **state)
{
    static const struct {
        const char *text;
        const char *pointer, *name;
        const char *needs[11];
    } rows[] = {
        { "{}",
          "",
          "route contract",
          { "contract_version", "logging_contract_version", "required_request_fields",
            "required_result_fields", "command_classes", "route_policies", "timeout_profiles",
            "state_transitions", "failure_taxonomy", "artifact_manifest_fields" } },
        { "{\"command_classes\":[{}]}",
          "/command_classes/0",
          "command class",
          { "class_id", "label", "allowed_prefixes", "force_rch", "default_timeout_secs" } },
        { "{\"route_policies\":[{}]}",
          "/route_policies/0",
          "route policy",
          { "policy_id", "condition", "route", "retry_strategy", "max_retries" } },
        { "{\"timeout_profiles\":[{}]}",
          "/timeout_profiles/0",
          "timeout profile",
          { "class_id", "soft_timeout_secs", "hard_timeout_secs", "cancel_grace_secs" } },
        { "{\"state_transitions\":[{}]}",
          "/state_transitions/0",
          "transition",
          { "from_state", "trigger", "to_state" } },
        { "{\"failure_taxonomy\":[{}]}",
          "/failure_taxonomy/0",
          "failure",
          { "code", "severity", "retryable", "operator_action" } },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _checked_ struct checked c = { 0 };
        size_t n = 0;

        (void)check_text(&c, &route_shape, rows[i].text);
        for (const struct problem *p = c.report.first; p; p = p->next) {
            if (strcmp(p->pointer, rows[i].pointer) != 0)
                continue;
            assert_non_null(rows[i].needs[n]);
            assert_string_equal(
                p->msg, arena_printf(&c.a, "a %s needs '%s'", rows[i].name, rows[i].needs[n]));
            n++;
        }
        assert_null(rows[i].needs[n]);
    }
}

#define EMPTY(member, pointer)                                                   \
    {                                                                            \
        "\"" member "\":\"", "\"" member "\":\"\",\"x\":\"", pointer "/" member, \
            CODE_CONTRACT_INVALID, member " has 0 characters, allowed 1 or more" \
    }

/* The member is emptied and what it held goes to a stranger, who is reported, too. */
static void R_000_024_R_000_026_R_000_030_R_000_035_texts_are_not_empty(void **state)
{
    static const struct refusal rows[] = {
        EMPTY("label", "/command_classes/0"),
        EMPTY("policy_id", "/route_policies/0"),
        EMPTY("from_state", "/state_transitions/0"),
        EMPTY("trigger", "/state_transitions/0"),
        EMPTY("to_state", "/state_transitions/0"),
        EMPTY("code", "/failure_taxonomy/0"),
        EMPTY("operator_action", "/failure_taxonomy/0"),
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _checked_ struct checked c = { 0 };

        (void)check_text(&c, &route_shape,
                         check_swap(&c.a, shipped(&c.a), rows[i].from, rows[i].to));
        check_says(&c, &rows[i]);
    }
}

static void lists_and_ids_have_their_form(void **state)
{
    static const struct refusal rows[] = {
        { "\"class_id\":\"pytest\",\"soft", "\"class_id\":\"\",\"soft",
          "/timeout_profiles/9/class_id", CODE_CONTRACT_INVALID,
          "'' is not a slug such as run:2026/nightly-1" },
        { "\"class_id\":\"pytest\",\"label", "\"class_id\":\"Py Test\",\"label",
          "/command_classes/9/class_id", CODE_CONTRACT_INVALID,
          "'Py Test' is not a slug such as run:2026/nightly-1" },
        { "\"hard_timeout_secs\":1800", "\"hard_timeout_secs\":0",
          "/timeout_profiles/0/hard_timeout_secs", CODE_CONTRACT_INVALID,
          "hard_timeout_secs is 0, allowed 1..9007199254740" },
        { "[\"command_class\"", "[\"\",\"command_class\"", "/required_request_fields/0",
          CODE_CONTRACT_INVALID, "required_request_fields has 0 characters, allowed 1 or more" },
        { "[\"artifact_manifest\"", "[\"\",\"artifact_manifest\"", "/required_result_fields/0",
          CODE_CONTRACT_INVALID, "required_result_fields has 0 characters, allowed 1 or more" },
        { "[\"command_provenance\"", "[\"\",\"command_provenance\"", "/artifact_manifest_fields/0",
          CODE_CONTRACT_INVALID, "artifact_manifest_fields has 0 characters, allowed 1 or more" },
        { "\"required_result_fields\":[", "\"required_result_fields\":[],\"x\":[",
          "/required_result_fields", CODE_CONTRACT_INVALID,
          "required_result_fields has 0 entries, allowed 1 or more" },
        { "\"artifact_manifest_fields\":[", "\"artifact_manifest_fields\":[],\"x\":[",
          "/artifact_manifest_fields", CODE_CONTRACT_INVALID,
          "artifact_manifest_fields has 0 entries, allowed 1 or more" },
        { "\"command_classes\":[", "\"command_classes\":[],\"x\":[", "/command_classes",
          CODE_CONTRACT_INVALID, "command_classes has 0 entries, allowed 1 or more" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _checked_ struct checked c = { 0 };

        (void)check_text(&c, &route_shape,
                         check_swap(&c.a, shipped(&c.a), rows[i].from, rows[i].to));
        check_says(&c, &rows[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_024_R_000_026_R_000_028_R_000_030_R_000_035_rows_have_their_fields),
        cmocka_unit_test(strangers_are_refused_everywhere),
        cmocka_unit_test(R_000_009_R_000_024_R_000_026_R_000_028_R_000_030_R_000_035_all_is_needed),
        cmocka_unit_test(R_000_024_R_000_026_R_000_030_R_000_035_texts_are_not_empty),
        cmocka_unit_test(lists_and_ids_have_their_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
