/* SPDX-License-Identifier: Apache-2.0 */
/* test_context.c: the context a plan is run in (contract 004, section 2 and appendix). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/context_doc.h"
#include "unit/contract/check.h"

#define RUN            "3b241101-e2bb-4255-8caf-4136c566a962"
#define PARENT         "3b241101-e2bb-4255-8caf-4136c566a963"
#define V1             "0d9c8a50-7d2b-1c4e-8f4a-0a5b1c2d3e01"

#define NOT_UUID(text) "'" text "' is not a UUID v4 such as 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"

/* From start to deadline it is exactly the plan's timeout. */
static const char context[] =
    "plan:\n"
    "  id: 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11\n"
    "  version: 1\n"
    "  created_at: 1766000000000\n"
    "  name: nightly\n"
    "  context_requirements: [region, quiet]\n"
    "  timeout_ms: 60000\n"
    "  steps:\n"
    "  - {id: 0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e01, action: a, payload: {}, on_failure: halt}\n"
    "execution_id: " RUN "\n"
    "started_at: 1766000000000\n"
    "deadline_ms: 1766000060000\n"
    "environment: {region: eu-1, quiet: null}\n";

static void refuse(const struct refusal *rows, size_t count)
{
    check_refusals(&context_shape, context, rows, count);
}

static void R_004_028_R_004_222_what_is_needed_must_be_there(void **state)
{
    static const struct refusal rows[] = {
        { "execution_id: " RUN "\n", "", "", CODE_INVALID_PAYLOAD,
          "a context needs 'execution_id'" },
        { "started_at: 1766000000000\n", "", "", CODE_INVALID_PAYLOAD,
          "a context needs 'started_at'" },
        { "deadline_ms: 1766000060000\n", "", "", CODE_INVALID_PAYLOAD,
          "a context needs 'deadline_ms'" },
        { "environment: {region: eu-1, quiet: null}\n", "", "", CODE_INVALID_PAYLOAD,
          "a context needs 'environment'" },
        { "name: nightly", "priority: 1", "/plan", CODE_INVALID_PAYLOAD, "a plan needs 'name'" },
    };
    static const char no_plan[] = "execution_id: " RUN "\nstarted_at: 1\ndeadline_ms: 2\n"
                                  "environment: {}\n";
    static const struct refusal row = { "{}", "{}", "", CODE_INVALID_PAYLOAD,
                                        "a context needs 'plan'" };

    (void)state;
    refuse(rows, COUNT(rows));
    check_refusal(&context_shape, no_plan, &row);
}

static void R_004_028_the_plan_is_checked_as_a_plan(void **state)
{
    static const struct refusal rows[] = {
        { "on_failure: halt", "on_failure: now", "/plan/steps/0/on_failure", CODE_INVALID_PAYLOAD,
          "'now' is not one of halt, skip, retry" },
    };
    static const char scalar[] = "plan: nightly.yaml\nexecution_id: " RUN "\nstarted_at: 1\n"
                                 "deadline_ms: 2\nenvironment: {}\n";
    static const struct refusal row = { "{}", "{}", "/plan", CODE_INVALID_PAYLOAD,
                                        "plan is 'nightly.yaml', must be a map" };
    _checked_ struct checked c = { 0 };
    const struct context_doc *doc = check_text(&c, &context_shape, context);

    (void)state;
    check_clean(&c);
    check_is(doc->plan->name, "nightly");
    assert_int_equal(doc->plan->steps.n, 1);
    refuse(rows, COUNT(rows));
    check_refusal(&context_shape, scalar, &row);
}

static void R_004_029_R_004_030_R_004_031_R_004_032_fields_have_their_types(void **state)
{
    static const struct refusal rows[] = {
        { RUN, "run-1", "/execution_id", CODE_INVALID_PAYLOAD, NOT_UUID("run-1") },
        { RUN, V1, "/execution_id", CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
        { "started_at: 1766000000000", "started_at: 0", "/started_at", CODE_INVALID_PAYLOAD,
          "started_at is 0, allowed 1 or more" },
        { "started_at: 1766000000000", "started_at: now", "/started_at", CODE_INVALID_PAYLOAD,
          "started_at is 'now', must be a whole number" },
        { "1766000060000", "-1", "/deadline_ms", CODE_INVALID_PAYLOAD,
          "deadline_ms is -1, allowed 1 or more" },
        { "{region: eu-1, quiet: null}", "[region, quiet]", "/environment", CODE_INVALID_PAYLOAD,
          "environment is a list of 2, must be a map" },
        { "environment:", "enviroment: {}\nenvironment:", "/enviroment", CODE_INVALID_PAYLOAD,
          "a context has no field 'enviroment' (did you mean 'environment'?)" },
    };
    _checked_ struct checked c = { 0 };
    const struct context_doc *doc = check_text(&c, &context_shape, context);

    (void)state;
    check_is(doc->execution_id, RUN);
    assert_int_equal(doc->started_at, 1766000000000);
    assert_int_equal(doc->deadline_ms, 1766000060000);
    assert_int_equal(doc->environment->count, 2);
    refuse(rows, COUNT(rows));
}

static void R_004_033_R_004_034_R_004_035_R_004_036_the_rest_may_be_given(void **state)
{
    static const char more[] = "parent_execution_id: " PARENT "\nuser_id: ops\nrequest_id: q-7\n"
                               "correlation_context: {ticket: T-1, build: '7'}\nenvironment:";
    static const struct refusal rows[] = {
        { "environment:", "parent_execution_id: " V1 "\nenvironment:", "/parent_execution_id",
          CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
        { "environment:", "user_id: 7\nenvironment:", "/user_id", CODE_INVALID_PAYLOAD,
          "user_id is 7, must be text" },
        { "environment:", "request_id: [q]\nenvironment:", "/request_id", CODE_INVALID_PAYLOAD,
          "request_id is a list of 1, must be text" },
        { "environment:", "correlation_context: {build: 7}\nenvironment:",
          "/correlation_context/build", CODE_INVALID_PAYLOAD,
          "correlation_context is 7, must be text" },
        { "environment:", "correlation_context: T-1\nenvironment:", "/correlation_context",
          CODE_INVALID_PAYLOAD, "correlation_context is 'T-1', must be a map of texts" },
    };
    static const struct pair pairs[] = { { { "ticket", 6 }, { "T-1", 3 } },
                                         { { "build", 5 }, { "7", 1 } } };
    _checked_ struct checked c = { 0 }, bare = { 0 };
    const struct context_doc *doc =
        check_text(&c, &context_shape, check_swap(&c.a, context, "environment:", more));

    (void)state;
    check_clean(&c);
    check_is(doc->parent_execution_id, PARENT);
    check_is(doc->user_id, "ops");
    check_is(doc->request_id, "q-7");
    check_pairs(&doc->correlation_context, pairs, COUNT(pairs));
    doc = check_text(&bare, &context_shape, context);
    assert_null(doc->parent_execution_id.s);
    assert_int_equal(doc->correlation_context.n, 0);
    refuse(rows, COUNT(rows));
}

static void R_004_223_the_deadline_is_later_than_the_start(void **state)
{
    static const struct refusal rows[] = {
        { "1766000060000", "1766000000000", "/deadline_ms", CODE_INVALID_PAYLOAD,
          "deadline_ms is 1766000000000, must be later than started_at, 1766000000000" },
        { "1766000060000", "1", "/deadline_ms", CODE_INVALID_PAYLOAD,
          "deadline_ms is 1, must be later than started_at, 1766000000000" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_004_038_R_004_224_there_is_time_for_the_plan(void **state)
{
    static const struct refusal rows[] = {
        { "1766000060000", "1766000059999", "/deadline_ms", CODE_INVALID_PAYLOAD,
          "deadline_ms - started_at is 59999, must be 60000 or more, the timeout_ms of the plan" },
        { "  timeout_ms: 60000\n", "", "/deadline_ms", CODE_INVALID_PAYLOAD,
          "deadline_ms - started_at is 60000, must be 300000 or more, the timeout_ms of the plan" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&context_shape, context, "1766000060000", "1766000060000");
    check_accepts(&context_shape, context, "1766000060000", "1766000060001");
    check_accepts(&context_shape, context, "timeout_ms: 60000", "timeout_ms: 1");
}

static void R_004_225_requirements_are_keys_of_the_environment(void **state)
{
    static const struct refusal rows[] = {
        { "{region: eu-1, quiet: null}", "{quiet: 1}", "/environment", CODE_CONTEXT_MISSING,
          "environment has no key 'region', which /plan/context_requirements/0 asks for" },
        { "{region: eu-1, quiet: null}", "{region: 1, Quiet: 1}", "/environment",
          CODE_CONTEXT_MISSING,
          "environment has no key 'quiet', which /plan/context_requirements/1 asks for" },
    };
    static const struct refusal both[] = {
        { .pointer = "/environment",
          .code = CODE_CONTEXT_MISSING,
          .msg = "environment has no key 'region', which /plan/context_requirements/0 asks for" },
        { .pointer = "/environment",
          .code = CODE_CONTEXT_MISSING,
          .msg = "environment has no key 'quiet', which /plan/context_requirements/1 asks for" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    (void)check_text(&c, &context_shape,
                     check_swap(&c.a, context, "{region: eu-1, quiet: null}", "{}"));
    check_problems(&c, both, COUNT(both));
    /* Only that it is there counts, not what it holds. */
    check_accepts(&context_shape, context, "eu-1", "{any: [thing]}");
    check_accepts(&context_shape, context, "eu-1", "null");
    check_accepts(&context_shape, context, "eu-1", "''");
    check_accepts(&context_shape, context, "eu-1", "eu-1, more: 1");
}

static void a_context_is_written_as_it_was_read(void **state)
{
    _buf_ struct buf once = { .max = 1 << 16 }, twice = { .max = 1 << 16 };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    shape_json(&context_shape, check_text(&c, &context_shape, context), &once);
    shape_json(&context_shape, check_text(&c2, &context_shape, once.s), &twice);
    check_clean(&c2);
    assert_string_equal(once.s, twice.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_028_R_004_222_what_is_needed_must_be_there),
        cmocka_unit_test(R_004_028_the_plan_is_checked_as_a_plan),
        cmocka_unit_test(R_004_029_R_004_030_R_004_031_R_004_032_fields_have_their_types),
        cmocka_unit_test(R_004_033_R_004_034_R_004_035_R_004_036_the_rest_may_be_given),
        cmocka_unit_test(R_004_223_the_deadline_is_later_than_the_start),
        cmocka_unit_test(R_004_038_R_004_224_there_is_time_for_the_plan),
        cmocka_unit_test(R_004_225_requirements_are_keys_of_the_environment),
        cmocka_unit_test(a_context_is_written_as_it_was_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
