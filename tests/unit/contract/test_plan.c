/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan.c: plans (contract 004, section 1 and appendix). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/plan_text.h"

/* ---- the plan ---- */

static void R_004_002_R_004_216_plan_id_is_a_uuid_v4(void **state)
{
    static const struct refusal rows[] = {
        { "id: " PLAN, "id: ''", "/id", CODE_INVALID_PAYLOAD, NOT_UUID("") },
        { "id: " PLAN, "id: nightly", "/id", CODE_INVALID_PAYLOAD, NOT_UUID("nightly") },
        { "id: " PLAN, "id: " V1, "/id", CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
        { "id: " PLAN, "id: 7", "/id", CODE_INVALID_PAYLOAD, "id is 7, must be text" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    check_is(accept(&c, "x", "x")->id, PLAN);
}

static void R_004_003_R_004_190_R_004_193_R_004_212_version_is_one_and_is_not_translated(
    void **state)
{
    static const struct refusal rows[] = {
        { "version: 1", "version: 0", "/version", CODE_INVALID_PAYLOAD,
          "version is 0, allowed only 1" },
        { "version: 1", "version: 2", "/version", CODE_INVALID_PAYLOAD,
          "version is 2, allowed only 1" },
        { "version: 1", "version: '1'", "/version", CODE_INVALID_PAYLOAD,
          "version is '1', must be a whole number" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_004_004_R_004_221_created_at_is_positive_milliseconds(void **state)
{
    static const struct refusal rows[] = {
        { "1766000000000", "0", "/created_at", CODE_INVALID_PAYLOAD,
          "created_at is 0, allowed 1 or more" },
        { "1766000000000", "-1", "/created_at", CODE_INVALID_PAYLOAD,
          "created_at is -1, allowed 1 or more" },
        { "1766000000000", "1.5", "/created_at", CODE_INVALID_PAYLOAD,
          "created_at is 1.5, must be a whole number" },
        { "1766000000000", "'2025-12-18T00:00:00Z'", "/created_at", CODE_INVALID_PAYLOAD,
          "created_at is '2025-12-18T00:00:00Z', must be a whole number" },
    };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    assert_int_equal(accept(&c, "1766000000000", "1")->created_at, 1);
    assert_int_equal(accept(&c2, "x", "x")->created_at, 1766000000000);
}

static void R_004_005_R_004_217_steps_are_a_list_that_is_not_empty(void **state)
{
    static const char none[] = "id: " PLAN "\nversion: 1\ncreated_at: 1\nname: n\n"
                               "context_requirements: [region]\nsteps: []\n";
    static const struct refusal rows[] = {
        { "[]", "[]", "/steps", CODE_INVALID_PAYLOAD, "steps has 0 entries, allowed 1..1024" },
        { "[]", "none", "/steps", CODE_INVALID_PAYLOAD, "steps is 'none', must be a list of maps" },
        { "[]", "[7]", "/steps/0", CODE_INVALID_PAYLOAD, "steps is 7, must be a map" },
    };

    (void)state;
    check_refusals(&plan_shape, none, rows, COUNT(rows));
}

/* Each step waits for the one after it, so that the walk is as deep as it can be. */
static void add_steps(struct buf *text, int count)
{
    buf_adds(text, "id: " PLAN "\nversion: 1\ncreated_at: 1\nname: n\ncontext_requirements: [r]\n"
                   "steps:\n");
    for (int i = 0; i < count; i++) {
        buf_addf(text,
                 "- {id: 0d9c8a50-7d2b-4c4e-8f4a-%012d, action: a, payload: {}, "
                 "on_failure: halt",
                 i);
        if (i + 1 < count)
            buf_addf(text, ", depends_on: [0d9c8a50-7d2b-4c4e-8f4a-%012d]", i + 1);
        buf_adds(text, "}\n");
    }
}

static void R_004_006_steps_1024_accepted_1025_refused(void **state)
{
    static const struct refusal row = { .pointer = "/steps",
                                        .code = CODE_INVALID_PAYLOAD,
                                        .msg = "steps has 1025 entries, allowed 1..1024" };
    _buf_ struct buf most = { .max = 1 << 20 }, more = { .max = 1 << 20 };
    _checked_ struct checked c = { 0 }, c2 = { 0 };
    const struct plan_doc *doc;

    (void)state;
    add_steps(&most, 1024);
    add_steps(&more, 1025);
    doc = check_text(&c, &plan_shape, most.s);
    check_clean(&c);
    assert_int_equal(doc->steps.n, 1024);
    (void)check_text(&c2, &plan_shape, more.s);
    check_problems(&c2, &row, 1);
    assert_false(c2.good);
}

static void R_004_007_R_004_008_name_has_1_to_255_characters(void **state)
{
    static const struct refusal rows[] = {
        { "nightly", "''", "/name", CODE_INVALID_PAYLOAD, "name has 0 characters, allowed 1..255" },
        { "nightly", "[a]", "/name", CODE_INVALID_PAYLOAD, "name is a list of 1, must be text" },
    };
    static const struct refusal row = { .pointer = "/name",
                                        .code = CODE_INVALID_PAYLOAD,
                                        .msg = "name has 256 characters, allowed 1..255" };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    (void)check_text(&c, &plan_shape, long_text(&c.a, "name: nightly", "name", PLAN_NAME_MAX));
    check_clean(&c);
    (void)check_text(&c2, &plan_shape,
                     long_text(&c2.a, "name: nightly", "name", PLAN_NAME_MAX + 1));
    check_problems(&c2, &row, 1);
}

static void R_004_009_R_004_218_context_requirements_are_not_empty(void **state)
{
    static const struct refusal rows[] = {
        { "[region]", "[]", "/context_requirements", CODE_INVALID_PAYLOAD,
          "context_requirements has 0 entries, allowed 1 or more" },
        { "[region]", "['']", "/context_requirements/0", CODE_INVALID_PAYLOAD,
          "context_requirements has 0 characters, allowed 1 or more" },
        { "[region]", "[region, 7]", "/context_requirements/1", CODE_INVALID_PAYLOAD,
          "context_requirements is 7, must be text" },
        { "[region]", "region", "/context_requirements", CODE_INVALID_PAYLOAD,
          "context_requirements is 'region', must be a list of texts, as [\"region\"]" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void
R_004_010_R_004_011_R_004_012_R_004_013_R_004_014_R_004_015_what_is_left_out_has_its_default(
    void **state)
{
    _checked_ struct checked c = { 0 };
    const struct plan_doc *doc = check_text(&c, &plan_shape, plan);

    (void)state;
    check_clean(&c);
    assert_int_equal(doc->priority, 0);
    assert_int_equal(doc->timeout_ms, 300000);
    assert_non_null(doc->retry_policy);
    assert_int_equal(doc->metadata->kind, DOC_MAP);
    assert_int_equal(doc->metadata->count, 0);
    assert_int_equal(doc->tags.n, 0);
    assert_int_equal(doc->estimated_duration_ms, -1);
}

static void R_004_010_R_004_011_R_004_012_R_004_013_R_004_014_R_004_015_what_is_given_is_taken(
    void **state)
{
    static const char given[] = "priority: -7\ntimeout_ms: 1\nestimated_duration_ms: 900\n"
                                "metadata: {owner: {name: x}}\ntags: [ci, '']\nsteps:";
    static const struct refusal rows[] = {
        { "steps:", "priority: high\nsteps:", "/priority", CODE_INVALID_PAYLOAD,
          "priority is 'high', must be a whole number" },
        { "steps:", "timeout_ms: 0\nsteps:", "/timeout_ms", CODE_INVALID_PAYLOAD,
          "timeout_ms is 0, allowed 1 or more" },
        { "steps:", "timeout_ms: null\nsteps:", "/timeout_ms", CODE_INVALID_PAYLOAD,
          "timeout_ms is null, must be a whole number" },
        { "steps:", "metadata: []\nsteps:", "/metadata", CODE_INVALID_PAYLOAD,
          "metadata is a list of 0, must be a map" },
        { "steps:", "tags: [1]\nsteps:", "/tags/0", CODE_INVALID_PAYLOAD,
          "tags is 1, must be text" },
        { "steps:", "estimated_duration_ms: -1\nsteps:", "/estimated_duration_ms",
          CODE_INVALID_PAYLOAD, "estimated_duration_ms is -1, allowed 0 or more" },
        { "steps:", "retry_policy: 3\nsteps:", "/retry_policy", CODE_INVALID_PAYLOAD,
          "retry_policy is 3, must be a map" },
        { "steps:", "prioritty: 1\nsteps:", "/prioritty", CODE_INVALID_PAYLOAD,
          "a plan has no field 'prioritty' (did you mean 'priority'?)" },
    };
    _checked_ struct checked c = { 0 };
    const struct plan_doc *doc = accept(&c, "steps:", given);

    (void)state;
    assert_int_equal(doc->priority, -7);
    assert_int_equal(doc->timeout_ms, 1);
    assert_int_equal(doc->estimated_duration_ms, 900);
    assert_non_null(doc_get(doc->metadata, "owner"));
    check_texts(&doc->tags, (const char *const[]){ "ci", "" }, 2);
    refuse(rows, COUNT(rows));
    check_accepts(&plan_shape, plan, "steps:", "estimated_duration_ms: null\nsteps:");
}

/* ---- all of it ---- */

static void R_004_215_what_is_needed_must_be_there(void **state)
{
    static const struct refusal rows[] = {
        { "id: " PLAN, "tags: []", "", CODE_INVALID_PAYLOAD, "a plan needs 'id'" },
        { "version: 1\n", "", "", CODE_INVALID_PAYLOAD, "a plan needs 'version'" },
        { "created_at: 1766000000000\n", "", "", CODE_INVALID_PAYLOAD,
          "a plan needs 'created_at'" },
        { "name: nightly\n", "", "", CODE_INVALID_PAYLOAD, "a plan needs 'name'" },
        { "context_requirements: [region]\n", "", "", CODE_INVALID_PAYLOAD,
          "a plan needs 'context_requirements'" },
        { "id: " FETCH ", ", "", "/steps/0", CODE_INVALID_PAYLOAD, "a step needs 'id'" },
        { "action: execute, ", "", "/steps/0", CODE_INVALID_PAYLOAD, "a step needs 'action'" },
        { "payload: {}, ", "", "/steps/0", CODE_INVALID_PAYLOAD, "a step needs 'payload'" },
        { ", on_failure: halt", "", "/steps/0", CODE_INVALID_PAYLOAD, "a step needs 'on_failure'" },
    };
    static const char no_steps[] = "id: " PLAN "\nversion: 1\ncreated_at: 1\nname: n\n"
                                   "context_requirements: [region]\n";
    static const struct refusal row = { "n", "n", "", CODE_INVALID_PAYLOAD,
                                        "a plan needs 'steps'" };

    (void)state;
    refuse(rows, COUNT(rows));
    check_refusal(&plan_shape, no_steps, &row);
}

static void a_plan_is_written_as_it_was_read(void **state)
{
    _buf_ struct buf once = { .max = 1 << 16 }, twice = { .max = 1 << 16 };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    shape_json(&plan_shape, accept(&c, "halt", "halt, timeout_ms: 5"), &once);
    shape_json(&plan_shape, check_text(&c2, &plan_shape, once.s), &twice);
    check_clean(&c2);
    assert_string_equal(once.s, twice.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_002_R_004_216_plan_id_is_a_uuid_v4),
        cmocka_unit_test(
            R_004_003_R_004_190_R_004_193_R_004_212_version_is_one_and_is_not_translated),
        cmocka_unit_test(R_004_004_R_004_221_created_at_is_positive_milliseconds),
        cmocka_unit_test(R_004_005_R_004_217_steps_are_a_list_that_is_not_empty),
        cmocka_unit_test(R_004_006_steps_1024_accepted_1025_refused),
        cmocka_unit_test(R_004_007_R_004_008_name_has_1_to_255_characters),
        cmocka_unit_test(R_004_009_R_004_218_context_requirements_are_not_empty),
        cmocka_unit_test(
            R_004_010_R_004_011_R_004_012_R_004_013_R_004_014_R_004_015_what_is_left_out_has_its_default),
        cmocka_unit_test(
            R_004_010_R_004_011_R_004_012_R_004_013_R_004_014_R_004_015_what_is_given_is_taken),
        cmocka_unit_test(R_004_215_what_is_needed_must_be_there),
        cmocka_unit_test(a_plan_is_written_as_it_was_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
