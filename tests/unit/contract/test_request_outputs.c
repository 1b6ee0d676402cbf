/* SPDX-License-Identifier: Apache-2.0 */
/* test_request_outputs.c: what a request expects, what it keeps, and who asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/request_text.h"

static void check_stream(const struct doc *stream, const char *wanted)
{
    struct str content = { 0 };

    assert_int_equal(request_expects(stream, &content), wanted != NULL);
    check_is(content, wanted ? wanted : "");
}

/* NULL: only captured. */
static void expects(const char *from, const char *to, const char *out, const char *err)
{
    _checked_ struct checked c = { 0 };
    const struct request_doc *request =
        check_text(&c, &request_shape, check_swap(&c.a, least, from, to));

    check_clean(&c);
    check_stream(request->outputs->out, out);
    check_stream(request->outputs->err, err);
}

static void R_001_022_R_001_023_a_stream_is_captured_or_has_expected_content(void **state)
{
    static const struct refusal rows[] = {
        { MORE("outputs: {stdout: 5}"), "/outputs/stdout", CODE_VALIDATION_ERROR,
          "stdout must be 'captured', the expected text, or {expected: text}" },
        { MORE("outputs: {stderr: {}}"), "/outputs/stderr", CODE_VALIDATION_ERROR,
          "stderr must be 'captured', the expected text, or {expected: text}" },
        { MORE("outputs: {stderr: {expected: 1}}"), "/outputs/stderr", CODE_VALIDATION_ERROR,
          "stderr must be 'captured', the expected text, or {expected: text}" },
        { MORE("outputs: {stdout: {expected: a, b: c}}"), "/outputs/stdout", CODE_VALIDATION_ERROR,
          "stdout must be 'captured', the expected text, or {expected: text}" },
    };

    (void)state;
    expects(MORE("outputs: {stdout: captured}"), NULL, NULL);
    expects(MORE("outputs: {stdout: done}"), "done", NULL);
    expects(MORE("outputs: {stdout: captured, stderr: late}"), NULL, "late");
    expects(MORE("outputs: {stdout: a, stderr: {expected: captured}}"), "a", "captured");
    expects(MORE("outputs: {stdout: {expected: captured}}"), "captured", NULL);
    expects(MORE("outputs: {stdout: ''}"), "", NULL);
    refused(rows, COUNT(rows));
}

static void R_001_025_R_001_026_files_are_paths_and_artifacts_paths_or_maps(void **state)
{
    static const struct refusal rows[] = {
        { MORE("outputs: {output_files: out}"), "/outputs/output_files", CODE_VALIDATION_ERROR,
          "output_files is 'out', must be a list of texts, as [\"out\"]" },
        { MORE("outputs: {output_files: [{path: a}]}"), "/outputs/output_files/0",
          CODE_VALIDATION_ERROR, "output_files is a map of 1, must be text" },
        { MORE("outputs: {output_files: ['']}"), "/outputs/output_files/0", CODE_VALIDATION_ERROR,
          "output_files has 0 characters, allowed 1 or more" },
        { MORE("outputs: {artifacts: [a, 5]}"), "/outputs/artifacts/1", CODE_VALIDATION_ERROR,
          "an artifact must be a path, or a map with a 'path'" },
        { MORE("outputs: {artifacts: ['']}"), "/outputs/artifacts/0", CODE_VALIDATION_ERROR,
          "an artifact must be a path, or a map with a 'path'" },
        { MORE("outputs: {artifacts: [{name: x}]}"), "/outputs/artifacts/0", CODE_VALIDATION_ERROR,
          "an artifact must be a path, or a map with a 'path'" },
        { MORE("outputs: {artifacts: {path: a}}"), "/outputs/artifacts", CODE_VALIDATION_ERROR,
          "artifacts is a map of 1, must be a list of values" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("outputs: {output_files: [out/a, b], artifacts: [out/log, {path: x}]}"));
}

static void R_001_024_an_expected_exit_code_is_0_to_255(void **state)
{
    static const struct refusal rows[] = {
        { MORE("outputs: {exit_code: -1}"), "/outputs/exit_code", CODE_VALIDATION_ERROR,
          "exit_code is -1, allowed 0..255" },
        { MORE("outputs: {exit_code: 256}"), "/outputs/exit_code", CODE_VALIDATION_ERROR,
          "exit_code is 256, allowed 0..255" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(MORE("outputs: {exit_code: 0}"));
    accepted(MORE("outputs: {exit_code: 255}"));
}

/* A01-18: a date will do in an adapter's metadata, not here. */
static void R_001_028_requested_at_needs_a_time(void **state)
{
    static const struct refusal row = {
        "'2026-01-16T10:15:30Z'", "'2026-01-16'", "/metadata/requested_at", CODE_VALIDATION_ERROR,
        "'2026-01-16' is not a timestamp such as 2026-01-16T10:15:30.000Z: the time must look like T10:15:30"
    };

    (void)state;
    refused(&row, 1);
}

static void every_problem_is_listed_in_the_order_of_the_text(void **state)
{
    static const char text[] = "execution_id: r1\n"
                               "tool_id: TL-003\n"
                               "adapter_id: ADP-001\n"
                               "inputs: {command: ''}\n"
                               "sandbox: {timeout_ms: 1, memory_mb: 1}\n"
                               "metadata: 5\n";
    _checked_ struct checked c = { 0 };
    const struct problem *p;

    (void)state;
    (void)check_text(&c, &request_shape, text);
    assert_int_equal(c.report.errors, 4);
    p = c.report.first;
    assert_string_equal(p->pointer, "/inputs/command");
    p = p->next;
    assert_string_equal(p->pointer, "/sandbox/timeout_ms");
    assert_int_equal(p->line, 5);
    assert_int_equal(p->col, 23);
    p = p->next;
    assert_string_equal(p->pointer, "/sandbox/memory_mb");
    p = p->next;
    assert_string_equal(p->pointer, "/metadata");
    assert_string_equal(p->msg, "metadata is 5, must be a map");
}

/* Each text is read, written as JSON and read again: nothing is lost, nothing comes of itself. */
static void a_request_survives_being_written(void **state)
{
    static const char *const lines[] = { "", "outputs: {exit_code: 0, stdout: done}\n",
                                         "outputs: {exit_code: null}\n",
                                         "sandbox: {timeout_ms: 1000, network: {enabled: true}}\n",
                                         "approval: {reason: x}\n" };

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        _checked_ struct checked c = { 0 }, again = { 0 };
        _buf_ struct buf once = { .max = 1 << 16 }, twice = { .max = 1 << 16 };

        shape_json(
            &request_shape,
            check_str(&c, &request_shape, str_of(arena_printf(&c.a, "%s%s", least, lines[i]))),
            &once);
        check_clean(&c);
        shape_json(&request_shape, check_str(&again, &request_shape, buf_str(&once)), &twice);
        check_clean(&again);
        assert_string_equal(once.s, twice.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_022_R_001_023_a_stream_is_captured_or_has_expected_content),
        cmocka_unit_test(R_001_025_R_001_026_files_are_paths_and_artifacts_paths_or_maps),
        cmocka_unit_test(R_001_024_an_expected_exit_code_is_0_to_255),
        cmocka_unit_test(R_001_028_requested_at_needs_a_time),
        cmocka_unit_test(every_problem_is_listed_in_the_order_of_the_text),
        cmocka_unit_test(a_request_survives_being_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
