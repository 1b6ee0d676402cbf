/* SPDX-License-Identifier: Apache-2.0 */
/* test_route_lists.c: the names a route contract lists, each invariant broken (contract 000). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/route_text.h"

/* ---- the fixed lists ---- */

static void R_000_010_request_fields_are_exactly_five(void **state)
{
    static const char *const names[] = { "command_class", "command_id", "correlation_id",
                                         "prefer_remote", "raw_command" };
    static const struct refusal rows[] = {
        { "\"command_class\",", "", "/required_request_fields", CODE_CONTRACT_INVALID,
          "required_request_fields misses the name 'command_class'" },
        { "\"prefer_remote\",", "\"prefer_remote\",\"priority\",", "/required_request_fields/4",
          CODE_CONTRACT_INVALID, "required_request_fields has an extra name 'priority'" },
    };
    _checked_ struct checked whole = { 0 };

    (void)state;
    check_texts(&decode_shipped(&whole)->required_request_fields, names, COUNT(names));
    refuse(rows, COUNT(rows));
}

static void R_000_016_result_fields_are_exactly_seven(void **state)
{
    static const char *const names[] = {
        "artifact_manifest", "command_id", "exit_code", "outcome_class", "route",
        "routed_command",    "state"
    };
    static const struct refusal rows[] = {
        { "\"exit_code\",", "", "/required_result_fields", CODE_CONTRACT_INVALID,
          "required_result_fields misses the name 'exit_code'" },
        { "\"routed_command\",", "\"routed_command\",\"signal\",", "/required_result_fields/6",
          CODE_CONTRACT_INVALID, "required_result_fields has an extra name 'signal'" },
    };
    _checked_ struct checked whole = { 0 };

    (void)state;
    check_texts(&decode_shipped(&whole)->required_result_fields, names, COUNT(names));
    refuse(rows, COUNT(rows));
}

static void R_000_037_manifest_fields_are_exactly_seven(void **state)
{
    static const char *const names[] = { "command_provenance", "outcome_class", "run_id",
                                         "scenario_id",        "trace_id",      "transcript_path",
                                         "worker_route" };
    static const struct refusal rows[] = {
        { ",\"worker_route\"]", "]", "/artifact_manifest_fields", CODE_CONTRACT_INVALID,
          "artifact_manifest_fields misses the name 'worker_route'" },
        { ",\"worker_route\"]", ",\"worker_route\",\"zone\"]", "/artifact_manifest_fields/7",
          CODE_CONTRACT_INVALID, "artifact_manifest_fields has an extra name 'zone'" },
    };
    static const struct refusal both[] = {
        { .pointer = "/artifact_manifest_fields",
          .code = CODE_CONTRACT_INVALID,
          .msg = "artifact_manifest_fields misses the name 'run_id'" },
        { .pointer = "/artifact_manifest_fields/2",
          .code = CODE_CONTRACT_INVALID,
          .msg = "artifact_manifest_fields has an extra name 'run'" },
    };
    _checked_ struct checked c = { 0 }, whole = { 0 };

    (void)state;
    check_texts(&decode_shipped(&whole)->artifact_manifest_fields, names, COUNT(names));
    refuse(rows, COUNT(rows));
    (void)check_text(&c, &route_shape, check_swap(&c.a, shipped(&c.a), "\"run_id\"", "\"run\""));
    check_problems(&c, both, COUNT(both));
}

/* ---- invariant 1 ---- */

static void R_000_038_texts_are_in_lexical_order(void **state)
{
    static const struct refusal rows[] = {
        { "\"command_class\",\"command_id\"", "\"command_id\",\"command_class\"",
          "/required_request_fields/1", CODE_CONTRACT_INVALID,
          "'command_class' comes after 'command_id', must be in lexical order" },
        { "\"outcome_class\",\"route\"", "\"route\",\"outcome_class\"", "/required_result_fields/4",
          CODE_CONTRACT_INVALID, "'outcome_class' comes after 'route', must be in lexical order" },
        { "\"npm run test\",\"npm test\"", "\"npm test\",\"npm run test\"",
          "/command_classes/8/allowed_prefixes/1", CODE_CONTRACT_INVALID,
          "'npm run test' comes after 'npm test', must be in lexical order" },
        { "\"run_id\",\"scenario_id\"", "\"scenario_id\",\"run_id\"", "/artifact_manifest_fields/3",
          CODE_CONTRACT_INVALID, "'run_id' comes after 'scenario_id', must be in lexical order" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_000_039_texts_are_there_once(void **state)
{
    static const struct refusal rows[] = {
        { "\"command_class\",", "\"command_class\",\"command_class\",",
          "/required_request_fields/1", CODE_CONTRACT_INVALID,
          "'command_class' is there already, allowed once" },
        { "[\"make\"]", "[\"make\",\"make\"]", "/command_classes/6/allowed_prefixes/1",
          CODE_CONTRACT_INVALID, "'make' is there already, allowed once" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_000_040_lists_and_texts_are_not_empty(void **state)
{
    static const struct refusal rows[] = {
        { "[\"command_class\",\"command_id\",\"correlation_id\",\"prefer_remote\","
          "\"raw_command\"]",
          "[]", "/required_request_fields", CODE_CONTRACT_INVALID,
          "required_request_fields has 0 entries, allowed 1 or more" },
        { "[\"make\"]", "[]", "/command_classes/6/allowed_prefixes", CODE_CONTRACT_INVALID,
          "allowed_prefixes has 0 entries, allowed 1 or more" },
        { "[\"make\"]", "[\"\",\"make\"]", "/command_classes/6/allowed_prefixes/0",
          CODE_CONTRACT_INVALID, "allowed_prefixes has 0 characters, allowed 1 or more" },
        { "\"state\"]", "\"state\",7]", "/required_result_fields/7", CODE_CONTRACT_INVALID,
          "required_result_fields is 7, must be text" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

/* ---- invariant 2 ---- */

static void R_000_041_classes_are_in_lexical_order(void **state)
{
    static const struct refusal rows[] = {
        { .pointer = "/command_classes/7/class_id",
          .code = CODE_CONTRACT_INVALID,
          .msg = "class 'lint' comes after 'make_build', must be in lexical order" },
    };
    static const struct refusal twice[] = {
        { .pointer = "/command_classes/7/class_id",
          .code = CODE_CONTRACT_INVALID,
          .msg = "class 'make_build' is there already, allowed once" },
        { .pointer = "/timeout_profiles/7/class_id",
          .code = CODE_CONTRACT_INVALID,
          .msg = "timeout profile 'make_build' is there already, allowed once" },
    };
    _checked_ struct checked c = { 0 }, c2 = { 0 };
    const char *text;

    (void)state;
    text = check_swap(&c.a, shipped(&c.a), "\"ninja_build\",\"label", "\"lint\",\"label");
    text = check_swap(&c.a, text, "\"ninja_build\"", "\"lint\"");
    (void)check_text(&c, &route_shape, text);
    check_problems(&c, rows, COUNT(rows));
    text = check_swap(&c2.a, shipped(&c2.a), "\"ninja_build\",\"label", "\"make_build\",\"label");
    text = check_swap(&c2.a, text, "\"ninja_build\"", "\"make_build\"");
    (void)check_text(&c2, &route_shape, text);
    check_problems(&c2, twice, COUNT(twice));
}

static void R_000_042_profiles_are_exactly_those_of_the_classes(void **state)
{
    static const struct refusal rows[] = {
        { ",{\"class_id\":\"pytest\",\"soft_timeout_secs\":750,\"hard_timeout_secs\":900,"
          "\"cancel_grace_secs\":30}",
          "", "/command_classes/9/class_id", CODE_CONTRACT_INVALID,
          "class 'pytest' has no timeout profile" },
        { "\"timeout_profiles\":[",
          "\"timeout_profiles\":[{\"class_id\":\"ant\",\"soft_timeout_secs\":1,"
          "\"hard_timeout_secs\":1,\"cancel_grace_secs\":1},",
          "/timeout_profiles/0/class_id", CODE_CONTRACT_INVALID,
          "timeout profile 'ant' has no class" },
    };
    static const struct refusal both[] = {
        { .pointer = "/command_classes/9/class_id",
          .code = CODE_CONTRACT_INVALID,
          .msg = "class 'pytest3' has no timeout profile" },
        { .pointer = "/timeout_profiles/9/class_id",
          .code = CODE_CONTRACT_INVALID,
          .msg = "timeout profile 'pytest' has no class" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    (void)check_text(&c, &route_shape,
                     check_swap(&c.a, shipped(&c.a), "\"pytest\",\"label", "\"pytest3\",\"label"));
    check_problems(&c, both, COUNT(both));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_010_request_fields_are_exactly_five),
        cmocka_unit_test(R_000_016_result_fields_are_exactly_seven),
        cmocka_unit_test(R_000_037_manifest_fields_are_exactly_seven),
        cmocka_unit_test(R_000_038_texts_are_in_lexical_order),
        cmocka_unit_test(R_000_039_texts_are_there_once),
        cmocka_unit_test(R_000_040_lists_and_texts_are_not_empty),
        cmocka_unit_test(R_000_041_classes_are_in_lexical_order),
        cmocka_unit_test(R_000_042_profiles_are_exactly_those_of_the_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
