/* SPDX-License-Identifier: Apache-2.0 */
/* test_lane_attempts.c: what is tried again, and what goes elsewhere (A00-8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/route/lane_scene.h"

static const struct lane_end good = { CAUSE_EXITED, 0 };
static const struct lane_end late = { CAUSE_TIMEOUT, 143 };
static const struct lane_end nobody = { CAUSE_EXITED, 0, .unavailable = true };

/* ---- another attempt ---- */

static void R_000_067_a_timeout_is_tried_again_by_a_bounded_policy(void **state)
{
    static const int64_t delays[] = { 1000, 2000 };
    _scene_ struct lane_scene s = { 0 };
    int64_t delay = -1;

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    for (int i = 0; i < 2; i++) {
        lane_start(&s.lane);
        lane_asked(&s.lane, CAUSE_TIMEOUT, NULL);
        lane_ended(&s.lane, &late);
        scene_check(&s, ROUTE_FAILED, OUTCOME_FAILED, CODE_COMMAND_TIMEOUT, 143);
        assert_true(lane_again(&s.lane, &delay));
        assert_int_equal(delay, delays[i]);
        lane_retry(&s.lane, delay);
        assert_int_equal(s.lane.attempt, i + 2);
        scene_check(&s, ROUTE_QUEUED, OUTCOME_FAILED, CODE_NONE, STATUS_FAILED);
        check_is(doc_text(scene_last(&s, SAID_RETRY), "code"), "command_timeout");
        assert_int_equal(doc_whole(scene_last(&s, SAID_RETRY), "attempt"), i + 2);
        assert_int_equal(doc_whole(scene_last(&s, SAID_RETRY), "retry"), i + 1);
        assert_int_equal(doc_whole(scene_last(&s, SAID_RETRY), "delay_ms"), delay);
    }
    lane_start(&s.lane);
    lane_ended(&s.lane, &late);
    delay = 7;
    assert_false(lane_again(&s.lane, &delay));
    assert_int_equal(delay, 7);
    assert_string_equal(scene_way(&s), "enqueue start cancel cancel_timeout "
                                       "enqueue start cancel cancel_timeout "
                                       "enqueue start cancel cancel_timeout");
}

static void another_attempt_may_succeed(void **state)
{
    _scene_ struct lane_scene s = { 0 };

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    lane_start(&s.lane);
    lane_asked(&s.lane, CAUSE_TIMEOUT, NULL);
    lane_killed(&s.lane, CAUSE_TIMEOUT);
    lane_ended(&s.lane, &late);
    lane_retry(&s.lane, 1000);
    lane_start(&s.lane);
    lane_ended(&s.lane, &good);
    scene_check(&s, ROUTE_SUCCEEDED, OUTCOME_SUCCESS, CODE_NONE, 0);
    assert_int_equal(s.lane.attempt, 2);
}

static void what_may_not_be_tried_again(void **state)
{
    static const struct {
        enum cause asked[2]; /* CAUSE_EXITED: not */
        struct lane_end end;
        int64_t retries;
    } rows[] = {
        { { CAUSE_EXITED }, { CAUSE_EXITED, 1 }, 2 },              /* command_failed */
        { { CAUSE_EXITED }, { CAUSE_EXITED, 0 }, 2 },              /* nothing failed */
        { { CAUSE_EXITED }, { CAUSE_LOST, 0, .lost = true }, 2 },  /* who knows */
        { { CAUSE_TIMEOUT }, { CAUSE_LOST, 0, .lost = true }, 2 }, /* who knows */
        { { CAUSE_CANCELLED }, { CAUSE_CANCELLED, 143 }, 2 },      /* a person asked */
        { { CAUSE_CANCELLED }, { CAUSE_CANCELLED, 137, .forced = true }, 2 },
        { { CAUSE_TIMEOUT, CAUSE_CANCELLED }, { CAUSE_TIMEOUT, 143 }, 2 }, /* as well */
        { { CAUSE_TIMEOUT }, { CAUSE_TIMEOUT, 143 }, 0 },                  /* the policy */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _scene_ struct lane_scene s = { 0 };
        int64_t delay = 0;

        scene_begin(&s, ROUTE_REMOTE_SSH);
        s.plan.max_retries = rows[i].retries;
        lane_start(&s.lane);
        for (size_t k = 0; k < 2 && rows[i].asked[k] != CAUSE_EXITED; k++)
            lane_asked(&s.lane, rows[i].asked[k], NULL);
        lane_ended(&s.lane, &rows[i].end);
        assert_false(lane_again(&s.lane, &delay));
        lane_retry(&s.lane, 0); /* whoever does it all the same is stopped */
        assert_int_equal(s.lane.failure, CODE_INVALID_TRANSITION);
        assert_int_equal(s.lane.attempt, 1);
        assert_int_not_equal(s.lane.exit_code, 0);
    }
}

static void a_running_lane_is_not_tried_again(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    int64_t delay;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SSH);
    assert_false(lane_again(&s.lane, &delay));
    lane_start(&s.lane);
    lane_unavailable(&s.lane, "it says so");
    assert_false(lane_again(&s.lane, &delay));
}

/* ---- no worker ---- */

static void a_worker_is_reached_for_three_times_in_the_queue(void **state)
{
    static const int64_t delays[] = { 1000, 2000 };
    _scene_ struct lane_scene s = { 0 };
    int64_t delay;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SSH);
    for (int i = 0; i < 2; i++) {
        lane_unavailable(&s.lane, "no route to host");
        assert_true(lane_again(&s.lane, &delay));
        assert_int_equal(delay, delays[i]);
        lane_retry(&s.lane, delay);
        assert_int_equal(doc_whole(scene_last(&s, SAID_RETRY), "attempt"), 1);
        check_is(doc_text(scene_last(&s, SAID_RETRY), "code"), "rch_unavailable");
        assert_int_equal(s.lane.state, ROUTE_QUEUED);
        assert_int_equal(s.lane.attempt, 1);
    }
    lane_unavailable(&s.lane, "no route to host");
    check_is(doc_text(scene_last(&s, SAID_UNAVAILABLE), "worker"), "rch");
    check_is(doc_text(scene_last(&s, SAID_UNAVAILABLE), "message"), "no route to host");
    assert_false(lane_again(&s.lane, &delay));
    lane_ended(&s.lane, &nobody); /* fail_closed */
    scene_check(&s, ROUTE_FAILED, OUTCOME_FAILED, CODE_RCH_UNAVAILABLE, 69);
    assert_false(lane_again(&s.lane, &delay));
    assert_string_equal(scene_way(&s), "enqueue start exit_nonzero");
}

static void a_person_ends_the_reaching(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    int64_t delay;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SSH);
    lane_unavailable(&s.lane, "no route to host");
    lane_asked(&s.lane, CAUSE_CANCELLED, "Ctrl-C");
    assert_false(lane_again(&s.lane, &delay));
    lane_ended(&s.lane, &nobody);
    scene_check(&s, ROUTE_CANCELLED, OUTCOME_CANCELLED, CODE_NONE, 130);
}

static void a_worker_that_comes_back_is_no_failure(void **state)
{
    _scene_ struct lane_scene s = { 0 };

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SSH);
    lane_unavailable(&s.lane, "no route to host");
    lane_start(&s.lane);
    lane_ended(&s.lane, &good);
    scene_check(&s, ROUTE_SUCCEEDED, OUTCOME_SUCCESS, CODE_NONE, 0);
}

static void R_000_069_a_downgrade_is_written_down_and_the_lane_goes_on(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    struct lane_result_doc result;
    struct manifest_doc manifest;
    const struct doc *line;
    int64_t delay;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SSH);
    for (int i = 0; i < 2; i++) {
        lane_unavailable(&s.lane, "gone");
        lane_retry(&s.lane, 0);
    }
    lane_unavailable(&s.lane, "gone");
    lane_downgrade(&s.lane, &s.local);
    line = scene_last(&s, SAID_DOWNGRADE);
    check_is(doc_text(line, "from"), "remote_ssh");
    check_is(doc_text(line, "to"), "local_direct");
    check_is(doc_text(line, "policy_id"), "local_fallback_on_rch_unavailable");
    check_is(doc_text(line, "message"), "rch is not in PATH");
    scene_check(&s, ROUTE_QUEUED, OUTCOME_FAILED, CODE_NONE, STATUS_FAILED);
    lane_start(&s.lane);
    lane_ended(&s.lane, &late);
    assert_true(lane_again(&s.lane, &delay)); /* the other policy's retries */
    assert_int_equal(delay, 1000);
    lane_retry(&s.lane, delay);
    lane_start(&s.lane);
    lane_ended(&s.lane, &good);
    lane_result(&s.lane, str_of(SCENE_RUN), &s.a, &manifest, &result);
    assert_int_equal(result.route, ROUTE_LOCAL_DIRECT);
    assert_int_equal(result.route_reason, REASON_RCH_UNAVAILABLE);
    check_is(result.routed_command, "cargo test -p 'a b'");
}

static void R_000_069_a_plan_that_takes_the_place_of_the_first_is_a_downgrade_too(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    const struct doc *line;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SLURM);
    lane_unavailable(&s.lane, "gone");
    s.plan = s.local;
    lane_downgrade(&s.lane, &s.plan);
    line = scene_last(&s, SAID_DOWNGRADE);
    check_is(doc_text(line, "from"), "remote_slurm");
    check_is(doc_text(line, "to"), "local_direct");
}

/* A wrapper is started before it says that it did not run the command. */
static void R_000_069_a_wrapper_that_refused_is_another_attempt_elsewhere(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    int64_t delay;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_RCH);
    for (int i = 0; i < 3; i++) {
        lane_start(&s.lane);
        lane_unavailable(&s.lane, "rch: no worker");
        lane_ended(&s.lane, &nobody);
        scene_check(&s, ROUTE_FAILED, OUTCOME_FAILED, CODE_RCH_UNAVAILABLE, 69);
        assert_int_equal(lane_again(&s.lane, &delay), i < 2);
        if (i < 2)
            lane_retry(&s.lane, delay);
    }
    assert_true(s.lane.nowhere);
    lane_downgrade(&s.lane, &s.local);
    assert_false(s.lane.nowhere);
    assert_int_equal(s.lane.state, ROUTE_QUEUED);
    assert_int_equal(s.lane.attempt, 4);
    lane_start(&s.lane);
    lane_ended(&s.lane, &good);
    scene_check(&s, ROUTE_SUCCEEDED, OUTCOME_SUCCESS, CODE_NONE, 0);
    assert_false(s.lane.nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_067_a_timeout_is_tried_again_by_a_bounded_policy),
        cmocka_unit_test(another_attempt_may_succeed),
        cmocka_unit_test(what_may_not_be_tried_again),
        cmocka_unit_test(a_running_lane_is_not_tried_again),
        cmocka_unit_test(a_worker_is_reached_for_three_times_in_the_queue),
        cmocka_unit_test(a_person_ends_the_reaching),
        cmocka_unit_test(a_worker_that_comes_back_is_no_failure),
        cmocka_unit_test(R_000_069_a_downgrade_is_written_down_and_the_lane_goes_on),
        cmocka_unit_test(R_000_069_a_plan_that_takes_the_place_of_the_first_is_a_downgrade_too),
        cmocka_unit_test(R_000_069_a_wrapper_that_refused_is_another_attempt_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
