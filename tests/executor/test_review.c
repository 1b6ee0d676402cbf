/* SPDX-License-Identifier: Apache-2.0 */
/* test_review.c: the gate and the pipeline, before an executor that is not what it should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "executor/review.h"

static const char *worker;

static struct executor candidate(void)
{
    return (struct executor){ .id = str_of("fickle"),
                              .version = str_of("1.0.0"),
                              .limits = { 5000, 1000, 4, 4 },
                              .kind = EXECUTOR_WASM,
                              .program = worker };
}

static const struct doc *payload(const char *text, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    assert_true(json_read("payload", str_of(text), &max, a, &document, &e));
    return &document->root;
}

/* What the gate says of an executor with these fixtures. */
static struct review review_of(const char *const *payloads, size_t n, struct arena *a)
{
    struct fixture_doc *fixtures = arena_alloc(a, n * sizeof *fixtures);
    struct executor *x = arena_new(a, struct executor);
    struct review r = { .candidate = x,
                        .fixtures = fixtures,
                        .fixture_count = n,
                        .worker = worker,
                        .world = world_real() };
    struct error e;

    *x = candidate();
    for (size_t i = 0; i < n; i++)
        fixtures[i].payload = payload(payloads[i], a);
    if (!review_run(&r, a, &e))
        fail_msg("%s", e.msg);
    return r;
}

static void R_003_066_two_workers_that_differ_are_refused(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *const fixtures[] = { "\"same\"", "\"place\"" };
    struct review r = review_of(fixtures, COUNT(fixtures), &a);

    (void)state;
    assert_false(r.accepted);
    assert_int_equal(r.checked, REVIEW_SAME + 1);
    assert_string_equal(r.detail[REVIEW_SAME], "fixture 1 gave two different outputs");
}

/* Each worker counts from one: only the opposite order shows that it remembers, or a second time.
 */
static void R_003_066_R_003_039_a_worker_that_remembers_is_refused(void **state)
{
    const char *const fixtures[] = { "\"count\"", "\"count\"" };

    (void)state;
    for (size_t n = 1; n <= COUNT(fixtures); n++) {
        _arena_ struct arena a = { 0 };
        struct review r = review_of(fixtures, n, &a);

        assert_false(r.accepted);
        assert_int_equal(r.checked, REVIEW_SAME + 1);
    }
}

static void R_003_066_the_same_twice_is_accepted(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *const fixtures[] = { "\"same\"", "1" };
    struct review r = review_of(fixtures, COUNT(fixtures), &a);

    (void)state;
    assert_true(r.accepted);
    assert_null(r.tried[1].output_digest.s);
}

/* ---- the pipeline ---- */

static bool heard(void *self, const struct audit_doc *records, size_t n, struct error *e)
{
    (void)self, (void)records, (void)n, (void)e;
    return true;
}

static struct action apply(const char *text, struct arena *a)
{
    static const struct auditor auditor = { heard, NULL };
    struct executor x = candidate();
    struct pipeline p = {
        .executor = &x, .auditor = &auditor, .world = world_real(), .worker = worker
    };
    struct action action = { .payload = str_of(text) };
    struct error e;

    assert_true(pipeline_open(&p, &e));
    assert_true(pipeline_apply(&p, &action, 1, a, &e));
    pipeline_close(&p);
    return action;
}

static void R_003_055_R_003_015_what_is_no_json_has_no_digest(void **state)
{
    _arena_ struct arena a = { 0 };
    struct action action = apply("\"garbage\"", &a);
    const struct str *reasons = action.result.reason_codes.v;

    (void)state;
    assert_int_equal(action.result.status, ACTION_FAILED);
    assert_int_equal(action.result.reason_codes.n, 2);
    assert_string_equal(reasons[0].s, "EXECUTOR_EXCEPTION");
    assert_string_equal(reasons[1].s, "OUTPUT_NOT_JSON");
    assert_null(action.result.output_digest.s);
}

static void R_003_044_an_output_that_is_too_deep_is_above_the_limit(void **state)
{
    _arena_ struct arena a = { 0 };
    struct action action = apply("\"deep\"", &a);
    const struct str *reasons = action.result.reason_codes.v;

    (void)state;
    assert_int_equal(action.result.status, ACTION_BLOCKED);
    assert_string_equal(reasons[0].s, "LIMIT_EXCEEDED");
}

/* sha256 of "[1]": what an executor writes is made canonical first. */
static void R_003_055_a_digest_is_over_canonical_json(void **state)
{
    _arena_ struct arena a = { 0 };
    struct action action = apply("\"same\"", &a);
    struct digest digest = digest_of("[1]", 3);
    char text[DIGEST_TEXT];

    (void)state;
    digest_text(&digest, text);
    assert_int_equal(action.result.status, ACTION_SUCCESS);
    assert_string_equal(action.result.output_digest.s, text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_066_two_workers_that_differ_are_refused),
        cmocka_unit_test(R_003_066_R_003_039_a_worker_that_remembers_is_refused),
        cmocka_unit_test(R_003_066_the_same_twice_is_accepted),
        cmocka_unit_test(R_003_055_R_003_015_what_is_no_json_has_no_digest),
        cmocka_unit_test(R_003_044_an_output_that_is_too_deep_is_above_the_limit),
        cmocka_unit_test(R_003_055_a_digest_is_over_canonical_json),
    };

    if (argc < 2)
        return 1;
    worker = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
