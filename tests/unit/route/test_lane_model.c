/* SPDX-License-Identifier: Apache-2.0 */
/* test_lane_model.c: random calls to a lane, held against a model that was written from the
 * contract and its decisions (A00-2, 3, 8, 10) alone, and against the transcript.
 *
 * The model has no edges. It knows the part of its life a lane is in, what people and clocks have
 * asked of it, and what is true of each end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/route/lane_scene.h"

enum { ROUNDS = 20000, CALLS_MOST = 14 };

enum part { WAITS, RUNS, STOPS, SUCCEEDED, FAILED, CANCELLED };

struct model {
    enum part part;
    bool broken;       /* somebody asked for what there is no edge for */
    const char *first; /* who asked first in this attempt, or NULL */
    bool person;       /* one asked, ever */
    bool killed, missed;
    const char *code; /* NULL: none */
    int exit_code, attempt, tried;
    int64_t retries;
};

static const struct model fresh = { .part = WAITS, .exit_code = 1, .attempt = 1, .retries = 2 };

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice >> 33) % sides;
}

/* ---- the model ---- */

static void breaks(struct model *m)
{
    m->broken = true;
    m->code = "invalid_transition";
    m->exit_code = m->exit_code ? m->exit_code : 1;
}

static void model_start(struct model *m)
{
    if (m->broken)
        return;
    if (m->part != WAITS) {
        breaks(m);
        return;
    }
    m->part = m->first ? STOPS : RUNS;
    m->code = NULL;
    m->missed = false;
}

static void model_asked(struct model *m, bool person)
{
    m->person |= person;
    m->first = m->first ? m->first : person ? "person" : "clock";
    if (m->broken)
        return;
    if (m->part == RUNS)
        m->part = STOPS;
    else if (m->part >= SUCCEEDED)
        breaks(m);
}

static void model_missed(struct model *m)
{
    if (m->part != WAITS || m->broken)
        return;
    m->missed = true;
    m->code = "rch_unavailable";
}

static bool model_may_retry(const struct model *m)
{
    bool over =
        m->part == FAILED && m->code &&
        (strcmp(m->code, "command_timeout") == 0 || strcmp(m->code, "rch_unavailable") == 0);
    bool waits = m->part == WAITS && m->missed && !m->first;

    return !m->broken && !m->person && (over || waits) && m->tried < m->retries;
}

static void model_anew(struct model *m)
{
    *m = (struct model){ .part = WAITS,
                         .exit_code = 1,
                         .person = m->person,
                         .attempt = m->attempt + 1,
                         .tried = m->tried,
                         .retries = m->retries };
}

static void model_retry(struct model *m)
{
    if (m->broken)
        return;
    if (!model_may_retry(m)) {
        breaks(m);
        return;
    }
    m->tried++;
    if (m->part == WAITS) {
        m->missed = false;
        m->code = NULL;
    } else {
        model_anew(m);
    }
}

static void model_downgrade(struct model *m)
{
    bool refused = m->part == FAILED && m->code && strcmp(m->code, "rch_unavailable") == 0;

    if (m->broken)
        return;
    if (m->part != WAITS && !refused) {
        breaks(m);
        return;
    }
    m->tried = 0;
    m->missed = false;
    m->code = NULL;
    if (refused)
        model_anew(m);
}

struct verdict {
    enum part part;
    const char *code;
    int exit_code;
    bool needs_start; /* cannot be true of a command that was never started */
};

static int its_own(const struct lane_end *end, int otherwise)
{
    return end->exit_code >= 1 && end->exit_code <= 255 ? end->exit_code : otherwise;
}

static struct verdict judge(const struct model *m, const struct lane_end *end)
{
    bool clock = end->cause == CAUSE_TIMEOUT || (m->first && strcmp(m->first, "clock") == 0);
    bool person = end->cause == CAUSE_CANCELLED || (m->first && strcmp(m->first, "person") == 0);
    bool unstarted = end->cause == CAUSE_EXEC_FAILED || end->cause == CAUSE_SANDBOX_ERROR;

    if (end->lost || end->cause == CAUSE_LOST)
        return (struct verdict){ FAILED, "worker_lost", 69, true };
    if (clock)
        return (struct verdict){ FAILED, "command_timeout", 143, false };
    if (person && (end->forced || m->killed))
        return (struct verdict){ FAILED, "command_failed", its_own(end, 137), false };
    if (person)
        return (struct verdict){ CANCELLED, NULL, its_own(end, 130), false };
    if (end->unavailable)
        return (struct verdict){ FAILED, "rch_unavailable", 69, false };
    if (unstarted)
        return (struct verdict){ FAILED, "command_failed", its_own(end, 125), false };
    if (end->cause == CAUSE_EXITED && end->exit_code == 0 && !end->forced && !m->killed)
        return (struct verdict){ SUCCEEDED, NULL, 0, true };
    return (struct verdict){ FAILED, "command_failed", its_own(end, 1), true };
}

static void model_ended(struct model *m, const struct lane_end *end)
{
    struct verdict v = judge(m, end);

    m->person |= end->cause == CAUSE_CANCELLED;
    if (m->part < SUCCEEDED)
        m->exit_code = v.exit_code;
    if (m->broken) {
        m->exit_code = m->exit_code ? m->exit_code : 1;
        return;
    }
    if (m->part >= SUCCEEDED || (m->part == WAITS && v.needs_start)) {
        breaks(m);
        return;
    }
    m->part = v.part;
    m->code = v.code;
}

/* ---- random calls ---- */

static struct lane_end random_end(void)
{
    static const int exit_codes[] = { 0, 0, 0, 1, 3, 137, 143, 255, -1, 256 };

    return (struct lane_end){
        .cause = roll(2) ? CAUSE_EXITED : (enum cause)roll(CAUSE_COUNT),
        .exit_code = exit_codes[roll(COUNT(exit_codes))],
        .forced = roll(6) == 0,
        .lost = roll(10) == 0,
        .unavailable = roll(10) == 0,
    };
}

static void call(struct lane_scene *s, struct model *m)
{
    struct lane_end end;
    bool person;

    fake_world_tick(&s->clock, roll(3));
    switch (roll(12)) {
    case 0:
    case 1:
    case 2:
        lane_start(&s->lane);
        model_start(m);
        return;
    case 3: lane_late(&s->lane); return;
    case 4:
        person = roll(2);
        lane_asked(&s->lane, person ? CAUSE_CANCELLED : CAUSE_TIMEOUT, "why not");
        model_asked(m, person);
        return;
    case 5:
        lane_killed(&s->lane, CAUSE_TIMEOUT);
        m->killed = true;
        return;
    case 6:
        lane_unavailable(&s->lane, "gone");
        model_missed(m);
        return;
    case 7:
        lane_downgrade(&s->lane, &s->local);
        model_downgrade(m);
        return;
    case 8:
    case 9:
        lane_retry(&s->lane, 1000);
        model_retry(m);
        return;
    default:
        end = random_end();
        lane_ended(&s->lane, &end);
        model_ended(m, &end);
    }
}

/* A call that makes sense just now: else most lanes would be broken before they are over. */
static void sensible(struct lane_scene *s, struct model *m)
{
    bool person = roll(2);
    struct lane_end end = random_end();
    int64_t delay;

    if (lane_again(&s->lane, &delay)) {
        lane_retry(&s->lane, delay);
        model_retry(m);
    } else if (m->part == WAITS && roll(4) == 0) {
        lane_unavailable(&s->lane, "gone");
        model_missed(m);
    } else if (m->part == WAITS && m->missed && roll(2)) {
        lane_downgrade(&s->lane, &s->local);
        model_downgrade(m);
    } else if (m->part == WAITS) {
        lane_start(&s->lane);
        model_start(m);
    } else if (m->part == RUNS && roll(2)) {
        lane_asked(&s->lane, person ? CAUSE_CANCELLED : CAUSE_TIMEOUT, "it is time");
        model_asked(m, person);
    } else if (m->part <= STOPS) {
        lane_ended(&s->lane, &end);
        model_ended(m, &end);
    }
}

/* ---- both held together ---- */

static void check_model(const struct lane_scene *s, const struct model *m)
{
    static const enum route_state states[] = { ROUTE_QUEUED,           ROUTE_RUNNING,
                                               ROUTE_CANCEL_REQUESTED, ROUTE_SUCCEEDED,
                                               ROUTE_FAILED,           ROUTE_CANCELLED };
    const struct lane *l = &s->lane;
    enum outcome_class outcome = m->broken              ? OUTCOME_FAILED
                                 : m->part == SUCCEEDED ? OUTCOME_SUCCESS
                                 : m->part == CANCELLED ? OUTCOME_CANCELLED
                                                        : OUTCOME_FAILED;
    int64_t delay;

    assert_string_equal(route_state_names[l->state], route_state_names[states[m->part]]);
    assert_string_equal(outcome_class_names[l->outcome], outcome_class_names[outcome]);
    assert_string_equal(codes[l->failure].name, m->code ? m->code : "");
    assert_int_equal(l->exit_code, m->exit_code);
    assert_int_equal(l->attempt, m->attempt);
    assert_int_equal(lane_again(l, &delay), model_may_retry(m));
}

/* The edges of contract 000 and of A00-2, as they are written there. */
static bool is_declared(const struct doc *line)
{
    static const char *const edges[][3] = {
        { "planned", "enqueue", "queued" },
        { "queued", "start", "running" },
        { "running", "cancel", "cancel_requested" },
        { "cancel_requested", "cancel_completed", "cancelled" },
        { "cancel_requested", "cancel_timeout", "failed" },
        { "running", "exit_zero", "succeeded" },
        { "running", "exit_nonzero", "failed" },
    };

    for (size_t i = 0; i < COUNT(edges); i++) {
        if (str_is(doc_text(line, "from"), edges[i][0]) &&
            str_is(doc_text(line, "trigger"), edges[i][1]) &&
            str_is(doc_text(line, "to"), edges[i][2]))
            return true;
    }
    return false;
}

/* Each attempt goes from planned to where the next line says it is, without a gap. */
static void check_transcript(struct lane_scene *s)
{
    struct str at = { "", 0 };
    const struct doc *line;
    int64_t attempt = 0;
    bool aborted = false;
    size_t place = 0;

    while ((line = scene_next(s, &place))) {
        check_is(doc_text(line, "run_id"), "run-" SCENE_RUN);
        if (scene_is(line, SAID_ABORTED)) {
            assert_false(aborted);
            aborted = true;
            assert_true(str_eq(doc_text(line, "state"), at));
        }
        if (scene_is(line, SAID_ENDED))
            assert_true(str_eq(doc_text(line, "state"), at));
        if (!scene_is(line, SAID_STATE))
            continue;
        assert_false(aborted);
        assert_true(is_declared(line));
        if (doc_whole(line, "attempt") != attempt) {
            assert_int_equal(doc_whole(line, "attempt"), ++attempt);
            at = str_of("planned");
        }
        assert_true(str_eq(doc_text(line, "from"), at));
        at = doc_text(line, "to");
    }
    check_is(at, route_state_names[s->lane.state]);
    assert_int_equal(attempt, s->lane.attempt);
    assert_int_equal(aborted, s->lane.failure == CODE_INVALID_TRANSITION);
}

static void one_round(int round, unsigned ends[CANCELLED + 1], unsigned *broken)
{
    _scene_ struct lane_scene s = { 0 };
    struct model m = fresh;
    int calls = 1 + (int)roll(CALLS_MOST);

    scene_begin(&s, (enum route)roll(6));
    check_model(&s, &m);
    for (int i = 0; i < calls; i++) {
        if (roll(round % 4 ? 16 : 2) == 0)
            call(&s, &m);
        else
            sensible(&s, &m);
        check_model(&s, &m);
    }
    check_transcript(&s);
    ends[m.part] += !m.broken;
    *broken += m.broken;
}

static void R_000_004_R_000_063_R_000_064_R_000_068_random_lanes_are_as_the_model(void **state)
{
    unsigned ends[CANCELLED + 1] = { 0 }, broken = 0;

    (void)state;
    dice = 0x9e3779b97f4a7c15;
    for (int round = 0; round < ROUNDS; round++)
        one_round(round, ends, &broken);
    for (int part = WAITS; part <= CANCELLED; part++)
        assert_true(ends[part] > ROUNDS / 200); /* no part of it was left out */
    assert_true(broken > ROUNDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_004_R_000_063_R_000_064_R_000_068_random_lanes_are_as_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
