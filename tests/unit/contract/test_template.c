/* SPDX-License-Identifier: Apache-2.0 */
/* test_template.c: a plan as people write it: what it may say, and what is said about the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/kinds.h"
#include "unit/contract/template_text.h"

#define BAD CODE_INVALID_PAYLOAD

static void refuse(const struct refusal *rows, size_t count)
{
    check_refusals(&template_shape, template, rows, count);
}

static void what_is_left_out_has_its_default(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct template_doc *t = accept(&c, "x", "x");
    const struct template_step *steps = t->steps.v;

    (void)state;
    check_is(t->name, "nightly");
    assert_int_equal(t->steps.n, 3);
    assert_int_equal(t->needs.n, 0);
    assert_int_equal(t->timeout_ms, 300000);
    assert_int_equal(t->priority, 0);
    assert_int_equal(t->estimated_duration_ms, -1);
    assert_int_equal(t->retry->max_attempts, 1);
    assert_int_equal(t->metadata->count, 0);
    check_texts(&steps[0].run, (const char *const[]){ "git", "fetch" }, 2);
    assert_null(steps[0].action.s);
    assert_null(steps[0].tool.s);
    assert_null(steps[0].sandbox);
    assert_int_equal(steps[0].on_failure, ON_FAILURE_HALT);
    assert_int_equal(steps[0].timeout_ms, 0);
    check_texts(&steps[1].after, (const char *const[]){ "fetch" }, 1);
    assert_int_equal(steps[1].on_failure, ON_FAILURE_RETRY);
    check_is(steps[2].action, "notify");
    assert_int_equal(steps[2].run.n, 0);
    assert_int_equal(steps[2].payload->count, 1);
}

static void all_of_it_is_decoded(void **state)
{
    static const char text[] =
        "name: all\nneeds: [region]\ntimeout_ms: 9\npriority: 2\nestimated_duration_ms: 7\n"
        "tags: [a]\nmetadata: {who: me}\nretry: {max_attempts: 4}\n"
        "steps:\n"
        "- name: one\n  run: [rg, x]\n  tool: TL-1\n  timeout_ms: 5\n  on_failure: skip\n"
        "  inputs: {stdin: abc}\n  sandbox: {memory_mb: 64, filesystem: {level: elevated}}\n"
        "  outputs: {exit_code: 1}\n  approval: {reason: asked for}\n";
    _checked_ struct checked c = { 0 };
    const struct template_doc *t = check_text(&c, &template_shape, text);
    const struct template_step *step = t->steps.v;

    (void)state;
    check_clean(&c);
    check_texts(&t->needs, (const char *const[]){ "region" }, 1);
    check_texts(&t->tags, (const char *const[]){ "a" }, 1);
    assert_int_equal(t->timeout_ms, 9);
    assert_int_equal(t->priority, 2);
    assert_int_equal(t->estimated_duration_ms, 7);
    assert_int_equal(t->retry->max_attempts, 4);
    check_is(step->tool, "TL-1");
    assert_int_equal(step->timeout_ms, 5);
    assert_int_equal(step->on_failure, ON_FAILURE_SKIP);
    check_is(step->inputs->stdin_text, "abc");
    assert_int_equal(step->sandbox->memory_mb, 64);
    assert_int_equal(step->outputs->exit_code, 1);
    check_is(step->approval->reason, "asked for");
}

static void names_are_unique_and_case_counts(void **state)
{
    static const struct refusal rows[] = {
        { "report", "fetch", "/steps/2/name", BAD,
          "'fetch' is the name of step 0 already; names are unique within a template" },
        { "fetch", "x y", "/steps/0/name", BAD, "'x y' is not a name such as find-todos" },
        { "report", "''", "/steps/2/name", BAD, "name has 0 characters, allowed 1..100" },
        { "name: report, ", "", "/steps/2", BAD, "a step needs 'name'" },
    };

    (void)state;
    refuse(&rows[0], 1);
    check_refusal(&template_shape,
                  "name: n\nsteps:\n- {name: fetch, run: [x]}\n- {name: b, run: [x]}\n", &rows[1]);
    refuse(&rows[2], 2);
    check_accepts(&template_shape, template, "report", "Build");
}

static void a_name_has_at_most_100_characters(void **state)
{
    char name[STEP_NAME_MAX + 2] = { 0 };
    struct refusal row = { "report", name, "/steps/2/name", BAD,
                           "name has 101 characters, allowed 1..100" };

    (void)state;
    memset(name, 'n', STEP_NAME_MAX);
    check_accepts(&template_shape, template, "report", name);
    name[STEP_NAME_MAX] = 'n';
    refuse(&row, 1);
}

static void what_a_step_comes_after_is_known(void **state)
{
    static const struct refusal rows[] = {
        { "[fetch]", "[fetc]", "/steps/1/after/0", CODE_DEPENDENCY_UNRESOLVED,
          "no step has the name 'fetc' (did you mean 'fetch'?)" },
        { "[fetch]", "[fetch, Fetch]", "/steps/1/after/1", CODE_DEPENDENCY_UNRESOLVED,
          "no step has the name 'Fetch' (did you mean 'fetch'?)" },
        { "[fetch]", "[somewhere]", "/steps/1/after/0", CODE_DEPENDENCY_UNRESOLVED,
          "no step has the name 'somewhere'" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&template_shape, template, "[fetch]", "[report]");
}

static void no_step_waits_for_itself(void **state)
{
    static const struct refusal rows[] = {
        { "[fetch]", "[build]", "/steps/1/after/0", BAD,
          "step build waits for itself: build -> build" },
        { "run: [git, fetch]", "run: [git], after: [build]", "/steps/1/after/0", BAD,
          "step fetch waits for itself: fetch -> build -> fetch" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void a_step_has_an_action_or_a_command(void **state)
{
    static const struct refusal rows[] = {
        { "action: notify, payload: {text: done}", "after: []", "/steps/2", BAD,
          "a step needs 'run', a command and its arguments, or 'action'" },
        { "run: [make]", "run: [make], action: execute", "/steps/1/run", BAD,
          "a step has an action or a command to run, not both" },
        { "run: [make]", "run: [make], payload: {}", "/steps/1/payload", BAD,
          "a payload goes with an action; 'run' makes its own" },
        { "action: notify", "action: notify, tool: x", "/steps/2/tool", BAD,
          "tool goes with 'run'; of an action it stands in its payload" },
        { "action: notify", "action: notify, sandbox: {}", "/steps/2/sandbox", BAD,
          "sandbox goes with 'run'; of an action it stands in its payload" },
        { "run: [make]", "run: []", "/steps/1/run", BAD, "run has 0 entries, allowed 1 or more" },
        { "run: [make]", "run: sleep  1", "/steps/1/run", BAD,
          "run is 'sleep  1', must be a list of texts, as [\"sleep\",\"1\"]" },
        { "run: [make]", "run: sh -c 'a'", "/steps/1/run", BAD,
          "run is 'sh -c 'a'', must be a list of texts" },
        { "run: [make]", "run: make", "/steps/1/run", BAD,
          "run is 'make', must be a list of texts, as [\"make\"]" },
        { "run: [make]", "run: [make, 5]", "/steps/1/run/1", BAD, "run is 5, must be text" },
        { "run: [make]", "run: ['']", "/steps/1/run/0", BAD,
          "the command has 0 characters, allowed 1 or more" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
    check_accepts(&template_shape, template, "run: [make]", "run: [make, '']");
    check_accepts(&template_shape, template, ", payload: {text: done}", "");
}

static void what_stands_beside_run_is_held_to_a_request(void **state)
{
    static const struct refusal rows[] = {
        { "run: [make]", "run: [make], sandbox: {memory_mb: 1}", "/steps/1/sandbox/memory_mb",
          CODE_LIMIT_RANGE, "memory_mb is 1, allowed 64..4096" },
        { "run: [make]", "run: [make], inputs: {command: make}", "/steps/1/inputs/command",
          CODE_VALIDATION_ERROR,
          "a list of inputs beside 'run' has no field 'command'; it has environment, secrets, working_directory, input_files, stdin, on_oversize" },
        { "run: [make]", "run: [make], inputs: {arguments: []}", "/steps/1/inputs/arguments",
          CODE_VALIDATION_ERROR,
          "a list of inputs beside 'run' has no field 'arguments'; it has environment, secrets, working_directory, input_files, stdin, on_oversize" },
        { "run: [make]", "run: [make], outputs: {artifacts: [1]}", "/steps/1/outputs/artifacts/0",
          CODE_VALIDATION_ERROR, "an artifact must be a path, or a map with a 'path'" },
        { "run: [make]", "run: [make, \"a\\0b\"]", "/steps/1/run/1", CODE_VALIDATION_ERROR,
          "a NUL byte cannot be handed to a program or stand in a path" },
    };
    static const struct refusal level = { .pointer = "/steps/1/sandbox/filesystem/level",
                                          .code = CODE_APPROVAL_MISSING };
    _checked_ struct checked c = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    (void)check_text(&c, &template_shape,
                     check_swap(&c.a, template, "run: [make]",
                                "run: [make], sandbox: {filesystem: {level: elevated}}"));
    assert_int_equal(c.report.errors, 1);
    assert_string_equal(c.report.first->pointer, level.pointer);
    assert_int_equal(c.report.first->code, level.code);
}

static void steps_are_1_to_1024(void **state)
{
    static const struct refusal none = { .pointer = "/steps",
                                         .code = BAD,
                                         .msg = "steps has 0 entries, allowed 1..1024" };
    static const struct refusal more = { .pointer = "/steps",
                                         .code = BAD,
                                         .msg = "steps has 1025 entries, allowed 1..1024" };
    _checked_ struct checked c = { 0 }, c2 = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    (void)check_text(&c, &template_shape, "name: x\nsteps: []\n");
    check_problems(&c, &none, 1);
    buf_adds(&text, "name: x\nsteps:\n");
    for (int i = 0; i <= PLAN_STEPS_MAX; i++)
        buf_addf(&text, "- {name: s%d, run: [x]}\n", i);
    (void)check_text(&c2, &template_shape, text.s);
    check_problems(&c2, &more, 1);
}

static void metadata_leaves_writ_its_member(void **state)
{
    static const struct refusal rows[] = {
        { "name: nightly", "name: nightly\nmetadata: {writ: 1}", "/metadata/writ", BAD,
          "metadata.writ is where the plan keeps the names of its steps" },
        { "name: nightly", "name: nightly\nretry: {retryable_error_codes: [PLAN_TIMEOUT]}",
          "/retry/retryable_error_codes/0", CODE_RETRY_WITHOUT_EFFECT,
          "PLAN_TIMEOUT is fatal and is never tried again" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

/* One member too many is told as that. */
static void steps_with_one_member_of_a_plan_are_a_template(void **state)
{
    static const char *const texts[] = { template, "steps: []\n", "steps: []\nversion: 1\n" };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        _checked_ struct checked c = { 0 };

        (void)check_text(&c, &template_shape, texts[i]);
        assert_string_equal(kind_of(&c.document->root)->name, "template");
    }
}

/* It is told the one member that it lacks, and not all that a template would do otherwise. */
static void any_two_members_that_only_plans_have_make_a_plan(void **state)
{
    static const char *const texts[] = {
        "steps: []\nid: 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11\n",
        "steps: []\ncontext_requirements: []\n",
        "steps: []\nversion: 1\ncreated_at: 1768558530000\n",
        "context_requirements: []\nid: 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        _checked_ struct checked c = { 0 };

        (void)check_text(&c, &plan_shape, texts[i]);
        assert_string_equal(kind_of(&c.document->root)->name, "plan");
    }
}

/* An event keeps the members that it has beside its own, and many things have an id and a version.
 */
static void what_has_members_of_a_plan_besides_is_none(void **state)
{
    static const struct {
        const char *text, *kind; /* NULL: it is of none */
    } rows[] = {
        { "tenantId: a\npayload: {}\nid: x\nversion: 1\ncreated_at: 1\n", "event" },
        { "tenantId: a\npayload: {}\nsteps: []\ncontext_requirements: []\n", "event" },
        { "id: x\nversion: 1\n", NULL },
        { "executor_id: a\nlimits: {}\nid: x\nversion: 1.0.0\n", "executor" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _checked_ struct checked c = { 0 };
        const struct kind_row *kind;

        (void)check_text(&c, &plan_shape, rows[i].text);
        kind = kind_of(&c.document->root);
        assert_string_equal(kind ? kind->name : "none", rows[i].kind ? rows[i].kind : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_members_of_a_plan_besides_is_none),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(all_of_it_is_decoded),
        cmocka_unit_test(names_are_unique_and_case_counts),
        cmocka_unit_test(a_name_has_at_most_100_characters),
        cmocka_unit_test(what_a_step_comes_after_is_known),
        cmocka_unit_test(no_step_waits_for_itself),
        cmocka_unit_test(a_step_has_an_action_or_a_command),
        cmocka_unit_test(what_stands_beside_run_is_held_to_a_request),
        cmocka_unit_test(steps_are_1_to_1024),
        cmocka_unit_test(metadata_leaves_writ_its_member),
        cmocka_unit_test(steps_with_one_member_of_a_plan_are_a_template),
        cmocka_unit_test(any_two_members_that_only_plans_have_make_a_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
