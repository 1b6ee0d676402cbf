/* SPDX-License-Identifier: Apache-2.0 */
/* test_request.c: the execution contract filled in, its defaults and its inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/request_text.h"

/* The schema of contract 001, filled in from top to bottom. */
static const char full[] = "execution_id: run-2026-01-16-7\n"
                           "tool_id: TL-003\n"
                           "adapter_id: ADP-001\n"
                           "inputs:\n"
                           "  command: rg\n"
                           "  arguments: [TODO, src]\n"
                           "  environment:\n"
                           "    LC_ALL: C\n"
                           "    TERM: dumb\n"
                           "  working_directory: /work/repo\n"
                           "  input_files: [a.txt, ../b.txt]\n"
                           "  stdin: hello\n"
                           "sandbox:\n"
                           "  timeout_ms: 60000\n"
                           "  memory_mb: 256\n"
                           "  cpu_cores: 2\n"
                           "  filesystem:\n"
                           "    read: [/work/repo]\n"
                           "    write: [/work/repo/out]\n"
                           "    deny: [/work/repo/.git]\n"
                           "  network:\n"
                           "    enabled: true\n"
                           "    allow: [api.example.com]\n"
                           "    deny: [evil.example.com]\n"
                           "  processes:\n"
                           "    max_children: 3\n"
                           "    allow_fork: false\n"
                           "outputs:\n"
                           "  stdout: captured\n"
                           "  stderr: 'nothing'\n"
                           "  exit_code: 1\n"
                           "  output_files: [out/report.txt]\n"
                           "  artifacts: [out/log, {path: out/junit.xml}]\n"
                           "metadata:\n"
                           "  requested_by: agent-7\n"
                           "  requested_at: '2026-01-16T10:15:30Z'\n"
                           "  purpose: find what is left to do\n"
                           "  evidence_ref: evidence/7\n";

static void
R_001_002_R_001_003_R_001_004_R_001_008_R_001_009_R_001_010_R_001_011_R_001_012_R_001_013_R_001_014_R_001_015_R_001_016_R_001_017_R_001_018_R_001_019_R_001_020_R_001_021_the_schema_filled_in_is_accepted(
    void **state)
{
    static const char *const arguments[] = { "TODO", "src" };
    static const char *const input_files[] = { "a.txt", "../b.txt" };
    static const char *const read[] = { "/work/repo" }, *const write[] = { "/work/repo/out" };
    static const char *const deny[] = { "/work/repo/.git" };
    static const char *const allow[] = { "api.example.com" }, *const block[] = {
        "evil.example.com"
    };
    static const char *const output_files[] = { "out/report.txt" };
    const struct pair environment[] = { { str_of("LC_ALL"), str_of("C") },
                                        { str_of("TERM"), str_of("dumb") } };
    _checked_ struct checked c = { 0 };
    const struct request_doc *request = check_text(&c, &request_shape, full);

    (void)state;
    check_clean(&c);
    check_is(request->execution_id, "run-2026-01-16-7");
    check_is(request->tool_id, "TL-003");
    check_is(request->adapter_id, "ADP-001");
    check_is(request->inputs->command, "rg");
    check_texts(&request->inputs->arguments, arguments, COUNT(arguments));
    check_pairs(&request->inputs->environment, environment, COUNT(environment));
    check_is(request->inputs->working_directory, "/work/repo");
    check_texts(&request->inputs->input_files, input_files, COUNT(input_files));
    check_is(request->inputs->stdin_text, "hello");
    assert_int_equal(request->sandbox->timeout_ms, 60000);
    assert_int_equal(request->sandbox->memory_mb, 256);
    assert_int_equal(request->sandbox->cpu_cores, 2);
    check_texts(&request->sandbox->filesystem->read, read, COUNT(read));
    check_texts(&request->sandbox->filesystem->write, write, COUNT(write));
    check_texts(&request->sandbox->filesystem->deny, deny, COUNT(deny));
    assert_true(request->sandbox->network->enabled);
    assert_int_equal(request_net_level(request->sandbox->network), NET_API);
    check_texts(&request->sandbox->network->allow, allow, COUNT(allow));
    check_texts(&request->sandbox->network->deny, block, COUNT(block));
    assert_int_equal(request->sandbox->processes->max_children, 3);
    assert_false(request->sandbox->processes->allow_fork);
    assert_int_equal(request->outputs->exit_code, 1);
    check_texts(&request->outputs->output_files, output_files, COUNT(output_files));
    assert_int_equal(request->outputs->artifacts.n, 2);
    assert_null(request->approval);
}

static void what_else_is_left_out_has_its_default(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct request_doc *request = check_text(&c, &request_shape, least);
    struct str content;

    (void)state;
    check_clean(&c);
    assert_int_equal(request->inputs->arguments.n, 0);
    assert_int_equal(request->inputs->environment.n, 0);
    assert_null(request->inputs->stdin_text.s);
    assert_int_equal(request->inputs->on_oversize, OVERSIZE_REJECT);
    assert_int_equal(request->sandbox->filesystem->level, FS_STANDARD);
    assert_int_equal(request_net_level(request->sandbox->network), NET_OFFLINE);
    assert_false(request->sandbox->network->enabled);
    assert_true(request->sandbox->processes->allow_fork);
    assert_int_equal(request->outputs->exit_code, EXIT_CODE_ANY);
    assert_false(request_expects(request->outputs->out, &content));
    assert_false(request_expects(request->outputs->err, &content));
    assert_null(request->metadata->purpose.s);
}

static void what_is_needed_must_be_there(void **state)
{
    static const struct refusal rows[] = {
        { "execution_id: r1\n", "", "", CODE_VALIDATION_ERROR, "a request needs 'execution_id'" },
        { "execution_id: r1", "execution_id: ''", "/execution_id", CODE_VALIDATION_ERROR,
          "execution_id has 0 characters, allowed 1 or more" },
        { "tool_id: TL-003\n", "", "", CODE_VALIDATION_ERROR, "a request needs 'tool_id'" },
        { "adapter_id: ADP-001\n", "", "", CODE_VALIDATION_ERROR, "a request needs 'adapter_id'" },
        { "tool_id: TL-003", "tool_id: ''", "/tool_id", CODE_VALIDATION_ERROR,
          "tool_id has 0 characters, allowed 1 or more" },
        { "adapter_id: ADP-001", "adapter_id: ''", "/adapter_id", CODE_VALIDATION_ERROR,
          "adapter_id has 0 characters, allowed 1 or more" },
        { "metadata: {requested_by: me, requested_at: '2026-01-16T10:15:30Z'}\n", "", "",
          CODE_VALIDATION_ERROR, "a request needs 'metadata'" },
        { "inputs: {command: rg}\n", "", "", CODE_VALIDATION_ERROR, "a request needs 'inputs'" },
        { "requested_by: me, ", "", "/metadata", CODE_VALIDATION_ERROR,
          "a request's metadata needs 'requested_by'" },
        { ", requested_at: '2026-01-16T10:15:30Z'", "", "/metadata", CODE_VALIDATION_ERROR,
          "a request's metadata needs 'requested_at'" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void every_section_is_closed(void **state)
{
    static const struct refusal rows[] = {
        { MORE("input: {}"), "/input", CODE_VALIDATION_ERROR,
          "a request has no field 'input' (did you mean 'inputs'?)" },
        { "command: rg", "command: rg, args: []", "/inputs/args", CODE_VALIDATION_ERROR,
          "a request's input has no field 'args'; it has command, arguments, environment, secrets, working_directory, input_files, stdin, on_oversize" },
        { MORE("sandbox: {timeout: 5}"), "/sandbox/timeout", CODE_VALIDATION_ERROR,
          "a request's sandbox has no field 'timeout' (did you mean 'timeout_ms'?)" },
        { MORE("sandbox: {filesystem: {denied: []}}"), "/sandbox/filesystem/denied",
          CODE_VALIDATION_ERROR,
          "a request's filesystem has no field 'denied' (did you mean 'deny'?)" },
        { MORE("sandbox: {network: {hosts: []}}"), "/sandbox/network/hosts", CODE_VALIDATION_ERROR,
          "a request's network has no field 'hosts'; it has enabled, level, allow, deny, raw, sni, inject" },
        { MORE("sandbox: {processes: {max: 1}}"), "/sandbox/processes/max", CODE_VALIDATION_ERROR,
          "a request's process limit has no field 'max' (did you mean 'max_children'?)" },
        { MORE("outputs: {exitcode: 0}"), "/outputs/exitcode", CODE_VALIDATION_ERROR,
          "a request's output has no field 'exitcode' (did you mean 'exit_code'?)" },
        { "requested_by: me", "requested_by: me, why: x", "/metadata/why", CODE_VALIDATION_ERROR,
          "a request's metadata has no field 'why'; it has requested_by, requested_at, purpose, evidence_ref" },
        { MORE("approval: {reason: x, who: y}"), "/approval/who", CODE_VALIDATION_ERROR,
          "a request's approval has no field 'who'; it has reason" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void R_001_005_R_001_006_R_001_007_inputs_have_their_types(void **state)
{
    static const struct refusal rows[] = {
        { "{command: rg}", "{}", "/inputs", CODE_VALIDATION_ERROR,
          "a request's input needs 'command'" },
        { "{command: rg}", "{command: ''}", "/inputs/command", CODE_VALIDATION_ERROR,
          "command has 0 characters, allowed 1 or more" },
        { "{command: rg}", "{command: [rg]}", "/inputs/command", CODE_VALIDATION_ERROR,
          "command is a list of 1, must be text" },
        { "{command: rg}", "{command: rg, arguments: TODO}", "/inputs/arguments",
          CODE_VALIDATION_ERROR, "arguments is 'TODO', must be a list of texts, as [\"TODO\"]" },
        { "{command: rg}", "{command: rg, arguments: [-m, 5]}", "/inputs/arguments/1",
          CODE_VALIDATION_ERROR, "arguments is 5, must be text" },
        { "{command: rg}", "{command: rg, environment: [A]}", "/inputs/environment",
          CODE_VALIDATION_ERROR, "environment is a list of 1, must be a map of texts" },
        { "{command: rg}", "{command: rg, environment: {A: 1}}", "/inputs/environment/A",
          CODE_VALIDATION_ERROR, "environment is 1, must be text" },
        { "{command: rg}", "{command: rg, environment: {1A: x}}", "/inputs/environment/1A",
          CODE_VALIDATION_ERROR,
          "'1A' is not a variable name such as HTTP_PROXY: it may not begin with a digit" },
        { "{command: rg}", "{command: rg, environment: {A=B: x}}", "/inputs/environment/A=B",
          CODE_VALIDATION_ERROR, "'A=B' is not a variable name such as HTTP_PROXY" },
        { "{command: rg}", "{command: rg, on_oversize: cut}", "/inputs/on_oversize",
          CODE_VALIDATION_ERROR, "'cut' is not one of reject, truncate" },
        { "{command: rg}", "{command: rg, working_directory: ''}", "/inputs/working_directory",
          CODE_VALIDATION_ERROR, "working_directory has 0 characters, allowed 1 or more" },
        { "{command: rg}", "{command: rg, input_files: ['']}", "/inputs/input_files/0",
          CODE_VALIDATION_ERROR, "input_files has 0 characters, allowed 1 or more" },
        { "{command: rg}", "{command: rg, stdin: 5}", "/inputs/stdin", CODE_VALIDATION_ERROR,
          "stdin is 5, must be text" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted("{command: rg}",
             "{command: rg, arguments: [], environment: {}, on_oversize: truncate}");
}

static void a_nul_byte_is_refused_except_on_stdin(void **state)
{
    static const struct refusal rows[] = {
        { "{command: rg}", "{command: \"r\\0g\"}", "/inputs/command", CODE_VALIDATION_ERROR,
          "a NUL byte cannot be handed to a program or stand in a path" },
        { "{command: rg}", "{command: rg, arguments: [a, \"b\\0\"]}", "/inputs/arguments/1",
          CODE_VALIDATION_ERROR, "a NUL byte cannot be handed to a program or stand in a path" },
        { "{command: rg}", "{command: rg, environment: {A: \"\\0\"}}", "/inputs/environment/A",
          CODE_VALIDATION_ERROR, "a NUL byte cannot be handed to a program or stand in a path" },
        { "{command: rg}", "{command: rg, working_directory: \"a\\0\"}",
          "/inputs/working_directory", CODE_VALIDATION_ERROR,
          "a NUL byte cannot be handed to a program or stand in a path" },
        { "{command: rg}", "{command: rg, input_files: [\"a\\0\"]}", "/inputs/input_files/0",
          CODE_VALIDATION_ERROR, "a NUL byte cannot be handed to a program or stand in a path" },
        { "{command: rg}", "{command: rg}\nsandbox: {filesystem: {read: [\"/x\\0y\"]}}",
          "/sandbox/filesystem/read/0", CODE_VALIDATION_ERROR,
          "a NUL byte cannot be handed to a program or stand in a path" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted("{command: rg}", "{command: rg, stdin: \"a\\0b\"}");
}

static void an_empty_stdin_is_not_none(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct request_doc *request = check_text(
        &c, &request_shape, check_swap(&c.a, least, "{command: rg}", "{command: rg, stdin: ''}"));

    (void)state;
    check_clean(&c);
    assert_non_null(request->inputs->stdin_text.s);
    assert_int_equal(request->inputs->stdin_text.n, 0);
}

static void R_001_027_R_001_028_R_001_029_R_001_030_metadata_says_who_when_and_what_for(
    void **state)
{
    static const struct refusal rows[] = {
        { "requested_by: me", "requested_by: ''", "/metadata/requested_by", CODE_VALIDATION_ERROR,
          "requested_by has 0 characters, allowed 1 or more" },
        { "'2026-01-16T10:15:30Z'", "yesterday", "/metadata/requested_at", CODE_VALIDATION_ERROR,
          "'yesterday' is not a timestamp such as 2026-01-16T10:15:30.000Z: "
          "a date and time look like 2025-01-19T10:15:30Z" },
        { "'2026-01-16T10:15:30Z'", "1768558530", "/metadata/requested_at", CODE_VALIDATION_ERROR,
          "requested_at is 1768558530, must be text" },
        { "requested_by: me", "requested_by: me, purpose: [a]", "/metadata/purpose",
          CODE_VALIDATION_ERROR, "purpose is a list of 1, must be text" },
    };
    _checked_ struct checked c = { 0 };
    const struct request_doc *request = check_text(&c, &request_shape, full);

    (void)state;
    check_is(request->metadata->requested_by, "agent-7");
    check_is(request->metadata->requested_at, "2026-01-16T10:15:30Z");
    check_is(request->metadata->purpose, "find what is left to do");
    check_is(request->metadata->evidence_ref, "evidence/7");
    refused(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_001_002_R_001_003_R_001_004_R_001_008_R_001_009_R_001_010_R_001_011_R_001_012_R_001_013_R_001_014_R_001_015_R_001_016_R_001_017_R_001_018_R_001_019_R_001_020_R_001_021_the_schema_filled_in_is_accepted),
        cmocka_unit_test(what_else_is_left_out_has_its_default),
        cmocka_unit_test(what_is_needed_must_be_there),
        cmocka_unit_test(every_section_is_closed),
        cmocka_unit_test(R_001_005_R_001_006_R_001_007_inputs_have_their_types),
        cmocka_unit_test(a_nul_byte_is_refused_except_on_stdin),
        cmocka_unit_test(an_empty_stdin_is_not_none),
        cmocka_unit_test(
            R_001_027_R_001_028_R_001_029_R_001_030_metadata_says_who_when_and_what_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
