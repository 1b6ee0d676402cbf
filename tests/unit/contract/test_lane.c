/* SPDX-License-Identifier: Apache-2.0 */
/* test_lane.c: a command to be routed, and its manifest (contract 000). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/lane_text.h"

static const char lane[] = "command_class: cargo_test\n"
                           "command_id: cmd-1\n"
                           "correlation_id: nightly:2026/7\n"
                           "prefer_remote: true\n"
                           "raw_command: cargo  test --all\n";

/* ---- the request ---- */

static void R_000_011_R_000_012_R_000_013_R_000_014_R_000_015_a_request_has_its_five_fields(
    void **state)
{
    static const struct refusal rows[] = {
        { "command_class: cargo_test\n", "", "", CODE_CONTRACT_INVALID,
          "a lane request needs 'command_class'" },
        { "command_id: cmd-1\n", "", "", CODE_CONTRACT_INVALID,
          "a lane request needs 'command_id'" },
        { "correlation_id: nightly:2026/7\n", "", "", CODE_CONTRACT_INVALID,
          "a lane request needs 'correlation_id'" },
        { "prefer_remote: true\n", "", "", CODE_CONTRACT_INVALID,
          "a lane request needs 'prefer_remote'" },
        { "raw_command: cargo  test --all\n", "", "", CODE_CONTRACT_INVALID,
          "a lane request needs 'raw_command'" },
    };
    _checked_ struct checked c = { 0 };
    const struct lane_doc *doc = check_text(&c, &lane_shape, lane);

    (void)state;
    check_clean(&c);
    check_is(doc->command_class, "cargo_test");
    check_is(doc->raw_command, "cargo  test --all");
    assert_true(doc->prefer_remote);
    assert_int_equal(doc->argv.n, 0);
    assert_null(doc->scenario_id.s);
    check_refusals(&lane_shape, lane, rows, COUNT(rows));
}

static void R_000_011_R_000_012_R_000_013_R_000_014_R_000_015_they_are_not_empty_and_of_their_type(
    void **state)
{
    static const struct refusal rows[] = {
        { "cargo_test", "''", "/command_class", CODE_CONTRACT_INVALID,
          "'' is not a slug such as run:2026/nightly-1" },
        { "cmd-1", "''", "/command_id", CODE_CONTRACT_INVALID,
          "command_id has 0 characters, allowed 1 or more" },
        { "nightly:2026/7", "Nightly 7", "/correlation_id", CODE_CONTRACT_INVALID,
          "'Nightly 7' is not a slug such as run:2026/nightly-1" },
        { "prefer_remote: true", "prefer_remote: 'true'", "/prefer_remote", CODE_CONTRACT_INVALID,
          "prefer_remote is 'true', must be true or false" },
        { "prefer_remote: true", "prefer_remote: 1", "/prefer_remote", CODE_CONTRACT_INVALID,
          "prefer_remote is 1, must be true or false" },
        { "cargo  test --all", "''", "/raw_command", CODE_CONTRACT_INVALID,
          "raw_command has 0 characters, allowed 1 or more" },
        { "cargo  test --all", "\" \\t\\n \"", "/raw_command", CODE_CONTRACT_INVALID,
          "raw_command holds nothing but white space" },
        { "raw_command", "rawcommand: x\nraw_command", "/rawcommand", CODE_CONTRACT_INVALID,
          "a lane request has no field 'rawcommand' (did you mean 'raw_command'?)" },
    };

    (void)state;
    check_refusals(&lane_shape, lane, rows, COUNT(rows));
}

/* A00-6, A00-12 */
static void a_request_may_have_an_argv_and_a_scenario(void **state)
{
    static const struct refusal rows[] = {
        { "prefer_remote", "argv: []\nprefer_remote", "/argv", CODE_CONTRACT_INVALID,
          "argv has 0 entries, allowed 1 or more" },
        { "prefer_remote", "argv: ['', x]\nprefer_remote", "/argv/0", CODE_CONTRACT_INVALID,
          "argv begins with an empty text, must begin with the command" },
        { "prefer_remote", "argv: [cargo, 7]\nprefer_remote", "/argv/1", CODE_CONTRACT_INVALID,
          "argv is 7, must be text" },
        { "prefer_remote", "argv: cargo\nprefer_remote", "/argv", CODE_CONTRACT_INVALID,
          "argv is 'cargo', must be a list of texts, as [\"cargo\"]" },
        { "cargo  test --all", "cargo test 'a b'; rm -rf /", "/raw_command", CODE_CONTRACT_INVALID,
          "raw_command holds characters a shell would read; pass the command as argv" },
        { "cargo  test --all", "\"cargo\\ntest\"", "/raw_command", CODE_CONTRACT_INVALID,
          "raw_command holds characters a shell would read; pass the command as argv" },
        { "cargo  test --all", "\"cargo\\0 test\"", "/raw_command", CODE_CONTRACT_INVALID,
          "raw_command holds a NUL, at which a word of a command would end" },
        { "prefer_remote", "argv: [cargo, \"te\\0st\"]\nprefer_remote", "/argv/1",
          CODE_CONTRACT_INVALID, "argv holds a NUL, at which a word of a command would end" },
        { "prefer_remote", "scenario_id: A B\nprefer_remote", "/scenario_id", CODE_CONTRACT_INVALID,
          "'A B' is not a slug such as run:2026/nightly-1" },
    };
    _checked_ struct checked c = { 0 };
    const struct lane_doc *doc =
        check_text(&c, &lane_shape,
                   check_swap(&c.a, lane, "prefer_remote",
                              "argv: [cargo, test, 'a b', '']\nscenario_id: smoke\nprefer_remote"));

    (void)state;
    check_clean(&c);
    check_texts(&doc->argv, (const char *const[]){ "cargo", "test", "a b", "" }, 4);
    check_is(doc->scenario_id, "smoke");
    check_refusals(&lane_shape, lane, rows, COUNT(rows));
}

/* ---- the manifest ---- */

static void
R_000_070_R_000_071_R_000_072_R_000_073_R_000_074_R_000_075_R_000_076_a_manifest_has_its_seven_fields(
    void **state)
{
    static const char manifest[] = MANIFEST;
    static const struct refusal rows[] = {
        { "  command_provenance: cargo test --all\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'command_provenance'" },
        { "  outcome_class: failed\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'outcome_class'" },
        { "  run_id: run-3b241101-e2bb-4255-8caf-4136c566a962\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'run_id'" },
        { "  scenario_id: cargo_test\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'scenario_id'" },
        { "  trace_id: trace-nightly:2026/7\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'trace_id'" },
        { "  transcript_path: evidence/transcript.txt\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'transcript_path'" },
        { "  worker_route: remote_rch\n", "", "", CODE_CONTRACT_INVALID,
          "a manifest needs 'worker_route'" },
        { "cargo test --all", "''", "/command_provenance", CODE_CONTRACT_INVALID,
          "command_provenance has 0 characters, allowed 1 or more" },
        { "run-3b", "Run-3b", "/run_id", CODE_CONTRACT_INVALID,
          "'Run-3b241101-e2bb-4255-8caf-4136c566a962' is not a slug such as run:2026/nightly-1" },
        { "run-3b", "3b", "/run_id", CODE_CONTRACT_INVALID,
          "run_id is '3b241101-e2bb-4255-8caf-4136c566a962', must be 'run-' and a UUID v4" },
        { "run-3b241101-e2bb-4255-8caf-4136c566a962", "run-1", "/run_id", CODE_CONTRACT_INVALID,
          "run_id is 'run-1', must be 'run-' and a UUID v4" },
        { "trace-nightly:2026/7", "trace-", "/trace_id", CODE_CONTRACT_INVALID,
          "trace_id is 'trace-', must be 'trace-' and the correlation id" },
        { "trace-nightly", "nightly", "/trace_id", CODE_CONTRACT_INVALID,
          "trace_id is 'nightly:2026/7', must be 'trace-' and the correlation id" },
        { "  run_id", "  owner: me\n  run_id", "/owner", CODE_CONTRACT_INVALID,
          "a manifest has no field 'owner'; it has command_provenance, outcome_class, run_id, scenario_id, trace_id, transcript_path, worker_route" },
        { "cargo_test", "cargo test", "/scenario_id", CODE_CONTRACT_INVALID,
          "'cargo test' is not a slug such as run:2026/nightly-1" },
        { "trace-nightly", "trace nightly", "/trace_id", CODE_CONTRACT_INVALID,
          "'trace nightly:2026/7' is not a slug such as run:2026/nightly-1" },
        { "evidence/transcript.txt", "''", "/transcript_path", CODE_CONTRACT_INVALID,
          "transcript_path has 0 characters, allowed 1 or more" },
        { "remote_rch", "worker-7", "/worker_route", CODE_CONTRACT_INVALID,
          "'worker-7' is not one of local_direct, remote_rch, none, local_worker, remote_slurm, remote_ssh" },
    };

    (void)state;
    check_refusals(&manifest_shape, manifest, rows, COUNT(rows));
    for (size_t i = 0; lane_manifest_fields[i]; i++)
        assert_string_equal(manifest_shape.fields[i].name, lane_manifest_fields[i]);
    for (size_t i = 0; lane_result_fields[i]; i++)
        assert_string_equal(lane_result_shape.fields[i].name, lane_result_fields[i]);
    for (size_t i = 0; lane_request_fields[i]; i++)
        assert_string_equal(lane_shape.fields[i].name, lane_request_fields[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_000_011_R_000_012_R_000_013_R_000_014_R_000_015_a_request_has_its_five_fields),
        cmocka_unit_test(
            R_000_011_R_000_012_R_000_013_R_000_014_R_000_015_they_are_not_empty_and_of_their_type),
        cmocka_unit_test(a_request_may_have_an_argv_and_a_scenario),
        cmocka_unit_test(
            R_000_070_R_000_071_R_000_072_R_000_073_R_000_074_R_000_075_R_000_076_a_manifest_has_its_seven_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
