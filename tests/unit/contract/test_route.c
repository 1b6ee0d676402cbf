/* SPDX-License-Identifier: Apache-2.0 */
/* test_route.c: the route contract writ ships (contract 000, output schema). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_write.h"
#include "unit/contract/route_text.h"

static void R_000_009_the_contract_is_one_object_of_ten_members(void **state)
{
    static const char *const members[] = {
        "contract_version",         "logging_contract_version", "required_request_fields",
        "required_result_fields",   "command_classes",          "route_policies",
        "timeout_profiles",         "state_transitions",        "failure_taxonomy",
        "artifact_manifest_fields",
    };
    _checked_ struct checked c = { 0 };
    const struct doc *member;
    size_t i = 0;

    (void)state;
    (void)decode_shipped(&c);
    for (member = c.document->root.first; member; member = member->next)
        check_is(member->key, members[i++]);
    assert_int_equal(i, COUNT(members));
}

static void the_contract_is_the_same_bytes_every_time(void **state)
{
    _buf_ struct buf again = { .max = 1 << 20 };
    _checked_ struct checked c = { 0 };

    (void)state;
    shape_json(&route_shape, decode_shipped(&c), &again);
    assert_string_equal(shipped(&c.a), again.s);
    assert_string_equal(shipped(&c.a), shipped(&c.a));
}

/* So no row of a class, a policy or a timeout changes unseen. */
static void the_example_is_the_contract_writ_ships(void **state)
{
    _buf_ struct buf shipped_is = { .max = 1 << 20 }, example_is = { .max = 1 << 20 };
    _checked_ struct checked c = { 0 }, example = { 0 };

    (void)state;
    (void)decode_shipped(&c);
    (void)check_text(&example, &route_shape, data_text(&example.a, "../../examples/route.json"));
    json_canon(&c.document->root, &c.a, &shipped_is);
    json_canon(&example.document->root, &example.a, &example_is);
    assert_string_equal(shipped_is.s, example_is.s);
}

static void R_000_007_R_000_008_versions_are_literal(void **state)
{
    static const struct refusal rows[] = {
        { "doctor-exec-adapter-v1", "doctor-exec-adapter-v2", "/contract_version",
          CODE_CONTRACT_INVALID,
          "contract_version is 'doctor-exec-adapter-v2', must be 'doctor-exec-adapter-v1'" },
        { "\"doctor-exec-adapter-v1\"", "1", "/contract_version", CODE_CONTRACT_INVALID,
          "contract_version is 1, must be 'doctor-exec-adapter-v1'" },
        { "\"contract_version\":\"doctor-exec-adapter-v1\",", "", "", CODE_CONTRACT_INVALID,
          "a route contract needs 'contract_version'" },
        { "doctor-logging-v1", "doctor-logging-v0", "/logging_contract_version",
          CODE_CONTRACT_INVALID,
          "logging_contract_version is 'doctor-logging-v0', must be 'doctor-logging-v1'" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_000_024_R_000_025_classes_are_as_the_contract_says(void **state)
{
    static const char *const ids[] = { "cargo_build",     "cargo_check", "cargo_clippy",
                                       "cargo_fmt_check", "cargo_test",  "generic",
                                       "make_build",      "ninja_build", "npm_test",
                                       "pytest" };
    _checked_ struct checked c = { 0 };
    const struct route_doc *doc = decode_shipped(&c);
    const struct class_doc *class = doc->command_classes.v;

    (void)state;
    assert_int_equal(doc->command_classes.n, COUNT(ids));
    for (size_t i = 0; i < COUNT(ids); i++) {
        check_is(class[i].class_id, ids[i]);
        assert_int_equal(class[i].force_rch, strncmp(ids[i], "cargo", 5) == 0);
    }
    check_is(class[4].label, "cargo test");
    check_texts(&class[4].allowed_prefixes, (const char *const[]){ "cargo test" }, 1);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(class[i].default_timeout_secs, 1800);
    check_texts(&class[5].allowed_prefixes, (const char *const[]){ PREFIX_ANY }, 1);
    assert_ptr_equal(class_named(class[4].class_id), &classes[4]);
    assert_null(class_named(str_of("cargo_tes")));
}

static void R_000_026_R_000_027_policies_are_as_the_contract_says(void **state)
{
    static const char *const ids[] = { "fail_closed", "local_fallback_on_rch_unavailable",
                                       "remote_rch_default" };
    _checked_ struct checked c = { 0 };
    const struct route_doc *doc = decode_shipped(&c);
    const struct policy_doc *policy = doc->route_policies.v;

    (void)state;
    assert_int_equal(doc->route_policies.n, COUNT(ids));
    for (size_t i = 0; i < COUNT(ids); i++)
        check_is(policy[i].policy_id, ids[i]);
    assert_string_equal(condition_names[policy[2].condition], "prefer_remote_and_rch_available");
    assert_string_equal(route_names[policy[2].route], "remote_rch");
    assert_string_equal(retry_strategy_names[policy[2].retry_strategy], "bounded_backoff");
    assert_int_equal(policy[2].max_retries, 2);
    assert_string_equal(route_names[policy[1].route], "local_direct");
    assert_string_equal(route_names[policy[0].route], "none");
    assert_int_equal(policy[0].max_retries, 0);
}

static void R_000_028_R_000_029_timeouts_are_as_the_contract_says(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct route_doc *doc = decode_shipped(&c);
    const struct timeout_doc *timeout = doc->timeout_profiles.v;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(timeout[i].soft_timeout_secs, 1500);
        assert_int_equal(timeout[i].hard_timeout_secs, 1800);
        assert_int_equal(timeout[i].cancel_grace_secs, 30);
    }
    check_is(timeout[4].class_id, "cargo_test");
}

/* ---- transitions: those of states.h, sorted ---- */

static void R_000_030_R_000_031_R_000_032_R_000_033_R_000_034_transitions_are_declared_and_sorted(
    void **state)
{
    static const char *const edges[][3] = {
        { "cancel_requested", "cancel_completed", "cancelled" },
        { "cancel_requested", "cancel_timeout", "failed" },
        { "planned", "enqueue", "queued" },
        { "queued", "start", "running" },
        { "running", "cancel", "cancel_requested" },
        { "running", "exit_nonzero", "failed" },
        { "running", "exit_zero", "succeeded" },
    };
    _checked_ struct checked c = { 0 };
    const struct route_doc *doc = decode_shipped(&c);
    const struct transition_doc *edge = doc->state_transitions.v;

    (void)state;
    assert_int_equal(doc->state_transitions.n, COUNT(edges));
    for (size_t i = 0; i < COUNT(edges); i++) {
        check_is(edge[i].from_state, edges[i][0]);
        check_is(edge[i].trigger, edges[i][1]);
        check_is(edge[i].to_state, edges[i][2]);
    }
}

static void R_000_035_R_000_036_failures_are_those_of_the_code_table(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct route_doc *doc = decode_shipped(&c);
    const struct failure_doc *failure = doc->failure_taxonomy.v;

    (void)state;
    assert_int_equal(doc->failure_taxonomy.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct code_row *row = &codes[code_named(failure[i].code)];

        check_is(failure[i].operator_action, row->action);
        assert_string_equal(risk_names[failure[i].severity], row->severity);
        assert_int_equal(failure[i].retryable, row->retryable);
    }
    check_is(failure[3].code, "rch_unavailable");
    check_is(failure[3].operator_action, "Apply local fallback policy and log route downgrade.");
    assert_string_equal(risk_names[failure[3].severity], "medium");
    assert_true(failure[3].retryable);
}

static void the_tables_show_the_same_rows(void **state)
{
    static const struct table *const tables[] = { &classes_table, &timeouts_table,
                                                  &policies_table };

    (void)state;
    for (size_t i = 0; i < COUNT(tables); i++) {
        _buf_ struct buf json = { .max = 1 << 20 };
        struct ceilings max = ceilings_default();
        _checked_ struct checked c = { 0 };
        struct error e = { 0 };

        table_json(tables[i], &json);
        assert_true(doc_read("table", buf_str(&json), &max, &c.a, &c.document, &e));
        assert_int_equal(doc_get(&c.document->root, "rows")->count, tables[i]->row_count);
    }
    assert_true(table_row_is(&classes_table, 4, str_of("cargo_test")));
    assert_true(table_row_is(&timeouts_table, 4, str_of("cargo_test")));
    assert_true(table_row_is(&policies_table, 2, str_of("remote_rch_default")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_009_the_contract_is_one_object_of_ten_members),
        cmocka_unit_test(the_contract_is_the_same_bytes_every_time),
        cmocka_unit_test(the_example_is_the_contract_writ_ships),
        cmocka_unit_test(R_000_007_R_000_008_versions_are_literal),
        cmocka_unit_test(R_000_024_R_000_025_classes_are_as_the_contract_says),
        cmocka_unit_test(R_000_026_R_000_027_policies_are_as_the_contract_says),
        cmocka_unit_test(R_000_028_R_000_029_timeouts_are_as_the_contract_says),
        cmocka_unit_test(
            R_000_030_R_000_031_R_000_032_R_000_033_R_000_034_transitions_are_declared_and_sorted),
        cmocka_unit_test(R_000_035_R_000_036_failures_are_those_of_the_code_table),
        cmocka_unit_test(the_tables_show_the_same_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
