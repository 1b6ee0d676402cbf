/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_rules.c: what must hold between the fields of an event (contract 002, section 7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/event_text.h"

static void R_002_011_R_002_066_the_snapshot_is_not_after_the_event(void **state)
{
    static const struct refusal rows[] = {
        { "2025-01-19T10:00:00.000Z", "2025-01-19T10:15:30.001Z", "/payload/snapshotAt",
          CODE_VALIDATION_ERROR,
          "snapshotAt 2025-01-19T10:15:30.001Z is later than createdAt 2025-01-19T10:15:30.000Z; "
          "it must not be" },
        /* As texts it is earlier; as instants it is later. */
        { "2025-01-19T10:00:00.000Z", "2025-01-19T05:00:00-06:00", "/payload/snapshotAt",
          CODE_VALIDATION_ERROR,
          "snapshotAt 2025-01-19T05:00:00-06:00 is later than createdAt "
          "2025-01-19T10:15:30.000Z; it must not be" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
    check_accepts(&event_shape, valid(), "2025-01-19T10:00:00.000Z", "2025-01-19T10:15:30.000Z");
    check_accepts(&event_shape, valid(), "2025-01-19T10:00:00.000Z", "2025-01-19T12:15:30+02:00");
    check_accepts(&event_shape, valid(), "2025-01-19T10:00:00.000Z", "2025-01-19T15:00:00+05:30");
    check_accepts(&event_shape, valid(), "2025-01-19T10:00:00.000Z", "2025-01-19T10:15:30Z");
}

static void R_002_069_failed_needs_an_error(void **state)
{
    static const char failed[] = PAYLOAD("failed", "coherent", ERROR("MINE", "true"));
    static const struct refusal row = { ERROR("MINE", "true"), "", "/payload",
                                        CODE_VALIDATION_ERROR,
                                        "a failed event needs payload.error" };

    (void)state;
    check_refusal(&event_shape, failed, &row);
}

static void R_002_070_cancelled_needs_a_reason(void **state)
{
    static const char cancelled[] =
        PAYLOAD("cancelled", "partial", ",\"cancelReason\":\"PARTIAL_REQUIRES_REVIEW\"");
    static const struct refusal rows[] = {
        { ",\"cancelReason\":\"PARTIAL_REQUIRES_REVIEW\"", "", "/payload", CODE_VALIDATION_ERROR,
          "a cancelled event needs payload.cancelReason" },
        { "\"PARTIAL_REQUIRES_REVIEW\"", "7", "/payload/cancelReason", CODE_VALIDATION_ERROR,
          "cancelReason is 7, must be text" },
    };

    (void)state;
    refuse(cancelled, rows, COUNT(rows));
    check_accepts(&event_shape, cancelled, "t", "t");
}

/* A02-7 */
static void R_002_071_succeeded_without_a_result_is_only_warned_of(void **state)
{
    static const char succeeded[] = PAYLOAD("succeeded", "coherent", ",\"result\":{}");
    static const struct refusal row = { ",\"result\":{}", "", "/payload", CODE_RESULT_MISSING,
                                        "a succeeded event should have payload.result" };

    (void)state;
    check_refusal(&event_shape, succeeded, &row); /* it asserts good == warning */
    check_accepts(&event_shape, succeeded, "t", "t");
}

static void R_002_072_failed_and_cancelled_have_no_result(void **state)
{
    static const char failed[] = PAYLOAD("failed", "coherent", ERROR("MINE", "true"));
    static const char cancelled[] = PAYLOAD("cancelled", "coherent", ",\"cancelReason\":\"c\"");
    static const struct refusal rows[] = {
        { "\"dryRun\":true", "\"dryRun\":true,\"result\":{}", "/payload/result",
          CODE_VALIDATION_ERROR, "a failed event must not have payload.result" },
        { "\"dryRun\":true", "\"dryRun\":true,\"result\":{}", "/payload/result",
          CODE_VALIDATION_ERROR, "a cancelled event must not have payload.result" },
    };

    (void)state;
    check_refusal(&event_shape, failed, &rows[0]);
    check_refusal(&event_shape, cancelled, &rows[1]);
}

static void R_002_073_stale_is_failed(void **state)
{
    static const struct refusal rows[] = {
        { "planned", "planned", "/state", CODE_VALIDATION_ERROR,
          "a stale event must be failed, not planned" },
        { "planned", "running", "/state", CODE_VALIDATION_ERROR,
          "a stale event must be failed, not running" },
        { "planned", "stale", "/state", CODE_VALIDATION_ERROR,
          "'stale' is not one of planned, running, succeeded, failed, cancelled" },
    };
    static const char stale[] = PAYLOAD("failed", "stale", ERROR("COHERENCE_BLOCKED", "false"));

    (void)state;
    refuse(PAYLOAD("planned", "stale", ""), rows, COUNT(rows));
    check_accepts(&event_shape, stale, "t", "t");
}

static void R_002_074_R_002_075_stale_is_blocked_and_not_retryable(void **state)
{
    static const char stale[] = PAYLOAD("failed", "stale", ERROR("COHERENCE_BLOCKED", "false"));
    static const struct refusal rows[] = {
        { "COHERENCE_BLOCKED", "VALIDATION_ERROR", "/payload/error/code", CODE_VALIDATION_ERROR,
          "a stale event has error.code COHERENCE_BLOCKED, not 'VALIDATION_ERROR'" },
        { "\"retryable\":false", "\"retryable\":true", "/payload/error/retryable",
          CODE_VALIDATION_ERROR, "a stale event has error.retryable false, not true" },
        { ERROR("COHERENCE_BLOCKED", "false"), "", "/payload", CODE_VALIDATION_ERROR,
          "a failed event needs payload.error" },
    };

    (void)state;
    refuse(stale, rows, COUNT(rows));
}

/* What is not JSON is refused before it is an event. */
static void R_002_076_an_event_is_json_safe(void **state)
{
    static const struct {
        const char *to;
        int code;
    } rows[] = {
        { "NaN", CODE_SYNTAX },
        { "Infinity", CODE_SYNTAX },
        { "-Infinity", CODE_SYNTAX },
        { "undefined", CODE_SYNTAX },
        { "function () {}", CODE_SYNTAX },
        { "1e999", CODE_NUMBER },
        { "\"\xff\"", CODE_ENCODING },
        { "\"\xed\xa0\x80\"", CODE_ENCODING },
        { "\"\\ud800\"", CODE_ENCODING },
        { "1, \"attempt\": 1", CODE_DUPLICATE_KEY },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ceilings max = ceilings_default();
        _checked_ struct checked c = { 0 };
        struct error e = { 0 };
        const char *text = check_swap(&c.a, valid(), "\"attempt\": 1",
                                      arena_printf(&c.a, "\"attempt\": %s", rows[i].to));

        assert_false(doc_read("e.json", str_of(text), &max, &c.a, &c.document, &e));
        assert_string_equal(codes[e.code].name, codes[rows[i].code].name);
        assert_int_equal(e.at.line, 14);
    }
}

/* A state that is no state is reported once, and no rule guesses what it might have been. */
static void a_wrong_state_is_reported_once(void **state)
{
    static const struct refusal rows[] = {
        { "\"failed\"", "\"fail\"", "/state", CODE_VALIDATION_ERROR,
          "'fail' is not one of planned, running, succeeded, failed, cancelled (did you mean "
          "'failed'?)" },
        { "\"state\":\"failed\",", "", "", CODE_VALIDATION_ERROR, "a ledger event needs 'state'" },
    };
    static const char stale[] = PAYLOAD("failed", "stale", ERROR("COHERENCE_BLOCKED", "false"));

    (void)state;
    refuse(stale, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_002_011_R_002_066_the_snapshot_is_not_after_the_event),
        cmocka_unit_test(R_002_069_failed_needs_an_error),
        cmocka_unit_test(R_002_070_cancelled_needs_a_reason),
        cmocka_unit_test(R_002_071_succeeded_without_a_result_is_only_warned_of),
        cmocka_unit_test(R_002_072_failed_and_cancelled_have_no_result),
        cmocka_unit_test(R_002_073_stale_is_failed),
        cmocka_unit_test(R_002_074_R_002_075_stale_is_blocked_and_not_retryable),
        cmocka_unit_test(R_002_076_an_event_is_json_safe),
        cmocka_unit_test(a_wrong_state_is_reported_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
