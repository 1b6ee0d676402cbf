/* SPDX-License-Identifier: Apache-2.0 */
/* test_lane_moves.c: what happens on the way of a lane: warnings, requests to end, and edges that
 * are not declared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/route/lane_scene.h"

static const struct lane_end good = { CAUSE_EXITED, 0 };
static const struct lane_end late = { CAUSE_TIMEOUT, 143 };

static void a_lane_begins_in_the_queue_and_has_not_succeeded(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    const struct doc *line;
    size_t at = 0;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_RCH);
    assert_int_equal(s.lane.attempt, 1);
    scene_check(&s, ROUTE_QUEUED, OUTCOME_FAILED, CODE_NONE, STATUS_FAILED);
    line = scene_next(&s, &at);
    assert_true(scene_is(line, SAID_PLANNED));
    check_is(doc_text(line, "run_id"), "run-" SCENE_RUN);
    check_is(doc_text(line, "command_id"), "cmd-1");
    check_is(doc_text(line, "command_class"), "cargo_test");
    check_is(doc_text(line, "route"), "remote_rch");
    check_is(doc_text(line, "route_reason"), "force_rch");
    check_is(doc_text(line, "policy_id"), "remote_rch_default");
    check_is(doc_text(line, "worker"), "rch");
    check_is(doc_text(line, "routed_command"), "rch exec -- cargo test -p 'a b'");
    assert_int_equal(doc_whole(doc_get(line, "timeouts"), "soft_timeout_secs"), 1500);
    assert_int_equal(doc_whole(doc_get(line, "timeouts"), "hard_timeout_secs"), 1800);
    assert_int_equal(doc_whole(doc_get(line, "timeouts"), "cancel_grace_secs"), 30);
    assert_int_equal(doc_whole(line, "max_retries"), 2);
    line = scene_next(&s, &at);
    assert_true(scene_is(line, SAID_STATE));
    check_is(doc_text(line, "from"), "planned");
    check_is(doc_text(line, "to"), "queued");
    assert_null(scene_next(&s, &at));
}

/* A00-3: a warning, and nothing else. */
static void the_soft_timeout_moves_nothing(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    const struct doc *line;

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    lane_start(&s.lane);
    lane_late(&s.lane);
    assert_int_equal(s.lane.state, ROUTE_RUNNING);
    line = scene_last(&s, SAID_LATE);
    assert_int_equal(doc_whole(line, "after_secs"), 1500);
    assert_int_equal(doc_whole(line, "hard_timeout_secs"), 1800);
    lane_ended(&s.lane, &good);
    scene_check(&s, ROUTE_SUCCEEDED, OUTCOME_SUCCESS, CODE_NONE, 0);
}

static void R_000_004_who_asked_and_why_is_written_down(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    const struct doc *line;

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    lane_start(&s.lane);
    lane_asked(&s.lane, CAUSE_CANCELLED, "not needed \xff");
    assert_int_equal(s.lane.state, ROUTE_CANCEL_REQUESTED);
    line = scene_last(&s, SAID_ASKED);
    check_is(doc_text(line, "why"), "operator");
    check_is(doc_text(line, "reason"), "not needed \xef\xbf\xbd");
    lane_asked(&s.lane, CAUSE_TIMEOUT, NULL); /* once more: noted, and no edge is taken */
    assert_int_equal(s.lane.state, ROUTE_CANCEL_REQUESTED);
    assert_int_equal(s.lane.failure, CODE_NONE);
    check_is(doc_text(scene_last(&s, SAID_ASKED), "why"), "timeout");
    lane_killed(&s.lane, CAUSE_TIMEOUT);
    assert_int_equal(doc_whole(scene_last(&s, SAID_KILLED), "cancel_grace_secs"), 30);
    check_is(doc_text(scene_last(&s, SAID_KILLED), "why"), "grace");
    lane_ended(&s.lane, &(struct lane_end){ CAUSE_CANCELLED, 137 });
    scene_check(&s, ROUTE_FAILED, OUTCOME_FAILED, CODE_COMMAND_FAILED, 137);
    assert_string_equal(scene_way(&s), "enqueue start cancel cancel_timeout");
}

/* A00-2: there is no cancel in the queue. What was asked there holds as soon as it is started. */
static void a_lane_that_was_asked_in_the_queue_is_cancelled_when_it_starts(void **state)
{
    _scene_ struct lane_scene s = { 0 };

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SSH);
    lane_asked(&s.lane, CAUSE_CANCELLED, "Ctrl-C");
    assert_int_equal(s.lane.state, ROUTE_QUEUED);
    lane_start(&s.lane);
    assert_int_equal(s.lane.state, ROUTE_CANCEL_REQUESTED);
    lane_ended(&s.lane, &good);
    scene_check(&s, ROUTE_CANCELLED, OUTCOME_CANCELLED, CODE_NONE, 130);
}

/* ---- A00-10 ---- */

static void start(struct lane_scene *s)
{
    lane_start(&s->lane);
}

static void ask(struct lane_scene *s)
{
    lane_asked(&s->lane, CAUSE_CANCELLED, NULL);
}

static void end(struct lane_scene *s)
{
    lane_ended(&s->lane, &good);
}

static void downgrade(struct lane_scene *s)
{
    lane_downgrade(&s->lane, &s->local);
}

static const struct {
    void (*calls[4])(struct lane_scene *s);
    enum route_state state;
    const char *trigger, *message;
    size_t allowed;
    int exit_code;
} undeclared[] = {
    { { end },
      ROUTE_QUEUED,
      "exit_zero",
      "'exit_zero' does not lead anywhere from 'queued', allowed start",
      1,
      1 },
    { { start, start },
      ROUTE_RUNNING,
      "start",
      "'start' does not lead anywhere from 'running', allowed cancel, exit_nonzero, exit_zero",
      3,
      1 },
    { { start, downgrade },
      ROUTE_RUNNING,
      "enqueue",
      "'enqueue' does not lead anywhere from 'running', allowed cancel, exit_nonzero, exit_zero",
      3,
      1 },
    { { start, ask, start },
      ROUTE_CANCEL_REQUESTED,
      "start",
      "'start' does not lead anywhere from 'cancel_requested', "
      "allowed cancel_completed, cancel_timeout",
      2,
      1 },
    { { start, end, ask },
      ROUTE_SUCCEEDED,
      "cancel",
      "'cancel' does not lead anywhere from 'succeeded', allowed nothing: it is an end",
      0,
      1 },
    { { start, end, end },
      ROUTE_SUCCEEDED,
      "exit_zero",
      "'exit_zero' does not lead anywhere from 'succeeded', allowed nothing: it is an end",
      0,
      1 },
    { { start, ask, end, end },
      ROUTE_CANCELLED,
      "cancel_completed",
      "'cancel_completed' does not lead anywhere from 'cancelled', "
      "allowed nothing: it is an end",
      0,
      130 },
};

static void R_000_064_R_000_068_an_undeclared_edge_aborts_the_lane_where_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(undeclared); i++) {
        _scene_ struct lane_scene s = { 0 };
        const struct doc *line;

        scene_begin(&s, ROUTE_LOCAL_DIRECT);
        for (size_t k = 0; k < 4 && undeclared[i].calls[k]; k++)
            undeclared[i].calls[k](&s);
        scene_check(&s, undeclared[i].state, OUTCOME_FAILED, CODE_INVALID_TRANSITION,
                    undeclared[i].exit_code);
        assert_string_equal(s.lane.aborted.msg, undeclared[i].message);
        line = scene_last(&s, SAID_ABORTED);
        check_is(doc_text(line, "state"), route_state_names[undeclared[i].state]);
        check_is(doc_text(line, "trigger"), undeclared[i].trigger);
        check_is(doc_text(line, "message"), undeclared[i].message);
        assert_int_equal(doc_get(line, "allowed")->count, undeclared[i].allowed);
    }
}

/* The command goes on, for nobody stopped it; its exit code is kept. */
static void R_000_068_an_aborted_lane_moves_no_more(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    const char *way;
    int64_t delay;

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    lane_start(&s.lane);
    lane_start(&s.lane);
    way = scene_way(&s);
    lane_asked(&s.lane, CAUSE_CANCELLED, NULL);
    lane_unavailable(&s.lane, "no");
    lane_downgrade(&s.lane, &s.local);
    lane_retry(&s.lane, 0);
    assert_false(lane_again(&s.lane, &delay));
    lane_start(&s.lane);
    lane_ended(&s.lane, &(struct lane_end){ CAUSE_SIGNALED, 139 });
    scene_check(&s, ROUTE_RUNNING, OUTCOME_FAILED, CODE_INVALID_TRANSITION, 139);
    assert_string_equal(scene_way(&s), way);
    assert_ptr_equal(s.lane.plan, &s.plan);
    check_is(doc_text(scene_last(&s, SAID_ENDED), "failure_code"), "invalid_transition");
}

static void R_000_068_an_aborted_lane_whose_command_returns_0_has_failed(void **state)
{
    _scene_ struct lane_scene s = { 0 };

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    lane_start(&s.lane);
    lane_start(&s.lane);
    lane_ended(&s.lane, &good);
    scene_check(&s, ROUTE_RUNNING, OUTCOME_FAILED, CODE_INVALID_TRANSITION, STATUS_FAILED);
}

static void a_plan_that_is_not_planned_is_not_begun(void **state)
{
    _scene_ struct lane_scene s = { 0 };

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    s.plan.state = ROUTE_RUNNING;
    lane_begin(&s.lane, &s.plan, &s.transcript);
    scene_check(&s, ROUTE_RUNNING, OUTCOME_FAILED, CODE_INVALID_TRANSITION, STATUS_FAILED);
}

/* ---- R-000-078 ---- */

static void play(struct lane_scene *s, struct buf *documents)
{
    struct manifest_doc manifest;
    struct lane_result_doc result;

    scene_begin(s, ROUTE_REMOTE_SSH);
    fake_world_tick(&s->clock, 20);
    lane_unavailable(&s->lane, "gone");
    lane_retry(&s->lane, 1000);
    fake_world_tick(&s->clock, 1000);
    lane_downgrade(&s->lane, &s->local);
    lane_start(&s->lane);
    lane_late(&s->lane);
    lane_asked(&s->lane, CAUSE_TIMEOUT, NULL);
    fake_world_tick(&s->clock, 30000);
    lane_killed(&s->lane, CAUSE_TIMEOUT);
    lane_ended(&s->lane, &late);
    lane_retry(&s->lane, 1000);
    lane_start(&s->lane);
    lane_ended(&s->lane, &good);
    lane_result(&s->lane, str_of(SCENE_RUN), &s->a, &manifest, &result);
    shape_json(&lane_result_shape, &result, documents);
}

static void R_000_078_the_same_lane_gives_the_same_bytes(void **state)
{
    _scene_ struct lane_scene one = { 0 }, two = { 0 };
    _buf_ struct buf first = { .max = 1 << 20 }, second = { .max = 1 << 20 };

    (void)state;
    play(&one, &first);
    play(&two, &second);
    assert_int_equal(one.told.len, two.told.len);
    assert_memory_equal(one.told.s, two.told.s, one.told.len);
    assert_true(str_eq(buf_str(&first), buf_str(&second)));
    assert_int_equal(one.lane.state, ROUTE_SUCCEEDED);
    assert_non_null(strstr(one.told.s, "\"ts\":\"2025-12-17T19:33:51.020Z\",\"event\":\"ended\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_begins_in_the_queue_and_has_not_succeeded),
        cmocka_unit_test(the_soft_timeout_moves_nothing),
        cmocka_unit_test(R_000_004_who_asked_and_why_is_written_down),
        cmocka_unit_test(a_lane_that_was_asked_in_the_queue_is_cancelled_when_it_starts),
        cmocka_unit_test(R_000_064_R_000_068_an_undeclared_edge_aborts_the_lane_where_it_is),
        cmocka_unit_test(R_000_068_an_aborted_lane_moves_no_more),
        cmocka_unit_test(R_000_068_an_aborted_lane_whose_command_returns_0_has_failed),
        cmocka_unit_test(a_plan_that_is_not_planned_is_not_begun),
        cmocka_unit_test(R_000_078_the_same_lane_gives_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
