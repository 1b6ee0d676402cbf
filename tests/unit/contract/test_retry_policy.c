/* SPDX-License-Identifier: Apache-2.0 */
/* test_retry_policy.c: the retry policy of a plan (contract 004, section 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/plan_text.h"

static void R_004_012_R_004_016_R_004_017_R_004_018_R_004_019_R_004_020_retry_policy_has_defaults(
    void **state)
{
    static const char *const policies[] = { "steps:", "retry_policy: {}\nsteps:" };

    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        _checked_ struct checked c = { 0 };
        const struct retry_doc *policy = accept(&c, "steps:", policies[i])->retry_policy;

        assert_int_equal(policy->max_attempts, 1);
        assert_int_equal(policy->backoff_ms, 0);
        assert_true(policy->backoff_multiplier == 1.0);
        assert_int_equal(policy->max_backoff_ms, 60000);
        assert_int_equal(policy->retryable_error_codes.n, 0);
    }
}

#define POLICY(field) "retry_policy: {" field "}\nsteps:"

static void R_004_016_R_004_017_R_004_018_R_004_019_R_004_020_retry_policy_is_bounded(void **state)
{
    static const struct refusal rows[] = {
        { "steps:", POLICY("max_attempts: 0"), "/retry_policy/max_attempts", CODE_INVALID_PAYLOAD,
          "max_attempts is 0, allowed 1 or more" },
        { "steps:", POLICY("backoff_ms: -1"), "/retry_policy/backoff_ms", CODE_INVALID_PAYLOAD,
          "backoff_ms is -1, allowed 0 or more" },
        { "steps:", POLICY("backoff_multiplier: 0.99"), "/retry_policy/backoff_multiplier",
          CODE_INVALID_PAYLOAD, "backoff_multiplier is 0.99, allowed 1 or more" },
        { "steps:", POLICY("backoff_multiplier: 1e+300"), "/retry_policy/backoff_multiplier",
          CODE_INVALID_PAYLOAD, "backoff_multiplier is 1e+300, allowed 1..9007199254740991" },
        { "steps:", POLICY("max_backoff_ms: -5"), "/retry_policy/max_backoff_ms",
          CODE_INVALID_PAYLOAD, "max_backoff_ms is -5, allowed 0 or more" },
        { "steps:", POLICY("retryable_error_codes: STEP_FAILED"),
          "/retry_policy/retryable_error_codes", CODE_INVALID_PAYLOAD,
          "retryable_error_codes is 'STEP_FAILED', must be a list of texts, as [\"STEP_FAILED\"]" },
        { "steps:", POLICY("retryable_error_codes: ['']"), "/retry_policy/retryable_error_codes/0",
          CODE_INVALID_PAYLOAD, "retryable_error_codes has 0 characters, allowed 1 or more" },
        { "steps:", POLICY("jitter: true"), "/retry_policy/jitter", CODE_INVALID_PAYLOAD,
          "a retry policy has no field 'jitter'; it has max_attempts, backoff_ms, backoff_multiplier, max_backoff_ms, retryable_error_codes" },
    };
    _checked_ struct checked c = { 0 };
    const struct retry_doc *policy =
        accept(&c, "steps:",
               POLICY("max_attempts: 3, backoff_ms: 10, backoff_multiplier: 1.5, "
                      "max_backoff_ms: 99, retryable_error_codes: [STEP_TIMEOUT, MINE]"))
            ->retry_policy;

    (void)state;
    assert_int_equal(policy->max_attempts, 3);
    assert_int_equal(policy->backoff_ms, 10);
    assert_true(policy->backoff_multiplier == 1.5);
    assert_int_equal(policy->max_backoff_ms, 99);
    check_texts(&policy->retryable_error_codes, (const char *const[]){ "STEP_TIMEOUT", "MINE" }, 2);
    refuse(rows, COUNT(rows));
    check_accepts(&plan_shape, plan, "steps:", POLICY("backoff_multiplier: 1"));
    check_accepts(&plan_shape, plan, "steps:", POLICY("backoff_multiplier: 1.0"));
}

/* A04-35 */
static void a_fatal_code_that_cannot_be_retried_is_warned_of(void **state)
{
    static const struct refusal row = {
        "steps:",
        POLICY("retryable_error_codes: [STEP_TIMEOUT, PLAN_TIMEOUT]"),
        "/retry_policy/retryable_error_codes/1",
        CODE_RETRY_WITHOUT_EFFECT,
        "PLAN_TIMEOUT is fatal and is never tried again",
    };

    (void)state;
    refuse(&row, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_004_012_R_004_016_R_004_017_R_004_018_R_004_019_R_004_020_retry_policy_has_defaults),
        cmocka_unit_test(R_004_016_R_004_017_R_004_018_R_004_019_R_004_020_retry_policy_is_bounded),
        cmocka_unit_test(a_fatal_code_that_cannot_be_retried_is_warned_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
