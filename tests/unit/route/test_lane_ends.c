/* SPDX-License-Identifier: Apache-2.0 */
/* test_lane_ends.c: every way in which a lane can end, and the documents that are left of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/route/lane_scene.h"

/* ---- A00-2, A00-3, row by row ---- */

struct case_row {
    const char *says;
    bool started;
    enum cause asked; /* CAUSE_EXITED: it was not */
    struct lane_end end;
    const char *way;
    enum route_state state;
    enum code failure;
    int exit_code;
};

/* clang-format off */
static const struct case_row rows[] = {
    { "it succeeds",         true,  CAUSE_EXITED,    { CAUSE_EXITED, 0 },                        "enqueue start exit_zero",               ROUTE_SUCCEEDED, CODE_NONE,            0 },
    { "it fails",            true,  CAUSE_EXITED,    { CAUSE_EXITED, 3 },                        "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  3 },
    { "a signal",            true,  CAUSE_EXITED,    { CAUSE_SIGNALED, 139 },                    "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  139 },
    { "no memory",           true,  CAUSE_EXITED,    { CAUSE_OOM, 137 },                         "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  137 },
    { "not what it should",  true,  CAUSE_EXITED,    { CAUSE_UNMET, 76 },                        "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  76 },
    { "no such program",     true,  CAUSE_EXITED,    { CAUSE_EXEC_FAILED, 127 },                 "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  127 },
    { "found out early",     false, CAUSE_EXITED,    { CAUSE_EXEC_FAILED, 126 },                 "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  126 },
    { "no walls",            false, CAUSE_EXITED,    { CAUSE_SANDBOX_ERROR, -1 },                "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_COMMAND_FAILED,  125 },
    { "its time is up",      true,  CAUSE_TIMEOUT,   { CAUSE_TIMEOUT, 143, .forced = true },     "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_TIMEOUT, 143 },
    { "it obeys, too late",  true,  CAUSE_TIMEOUT,   { CAUSE_TIMEOUT, 143 },                     "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_TIMEOUT, 143 },
    { "and exits 0",         true,  CAUSE_TIMEOUT,   { CAUSE_EXITED, 0 },                        "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_TIMEOUT, 143 },
    { "nobody told",         true,  CAUSE_EXITED,    { CAUSE_TIMEOUT, 137 },                     "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_TIMEOUT, 143 },
    { "in the queue",        false, CAUSE_EXITED,    { CAUSE_TIMEOUT, 143 },                     "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_TIMEOUT, 143 },
    { "a person asked",      true,  CAUSE_CANCELLED, { CAUSE_CANCELLED, 143 },                   "enqueue start cancel cancel_completed", ROUTE_CANCELLED, CODE_NONE,            143 },
    { "and it exits 0",      true,  CAUSE_CANCELLED, { CAUSE_CANCELLED, 0 },                     "enqueue start cancel cancel_completed", ROUTE_CANCELLED, CODE_NONE,            130 },
    { "by itself just then", true,  CAUSE_CANCELLED, { CAUSE_EXITED, 0 },                        "enqueue start cancel cancel_completed", ROUTE_CANCELLED, CODE_NONE,            130 },
    { "it does not listen",  true,  CAUSE_CANCELLED, { CAUSE_CANCELLED, 137, .forced = true },   "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_FAILED,  137 },
    { "its children do not", true,  CAUSE_CANCELLED, { CAUSE_CANCELLED, 0, .forced = true },     "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_FAILED,  137 },
    { "A04-13: at once",     true,  CAUSE_EXITED,    { CAUSE_CANCELLED, 137, .forced = true },   "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_FAILED,  137 },
    { "while it waits",      false, CAUSE_CANCELLED, { CAUSE_CANCELLED, 130 },                   "enqueue start cancel cancel_completed", ROUTE_CANCELLED, CODE_NONE,            130 },
    { "for its worker",      false, CAUSE_CANCELLED, { CAUSE_EXITED, 0, .unavailable = true },   "enqueue start cancel cancel_completed", ROUTE_CANCELLED, CODE_NONE,            130 },
    { "both",                true,  CAUSE_CANCELLED, { CAUSE_TIMEOUT, 143 },                     "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_COMMAND_TIMEOUT, 143 },
    { "the worker is lost",  true,  CAUSE_EXITED,    { CAUSE_LOST, 0, .lost = true },            "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_WORKER_LOST,     69 },
    { "whatever it said",    true,  CAUSE_EXITED,    { CAUSE_EXITED, 0, .lost = true },          "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_WORKER_LOST,     69 },
    { "when it was asked",   true,  CAUSE_CANCELLED, { CAUSE_EXITED, 0, .lost = true },          "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_WORKER_LOST,     69 },
    { "for its time",        true,  CAUSE_TIMEOUT,   { CAUSE_LOST, 0 },                          "enqueue start cancel cancel_timeout",   ROUTE_FAILED,    CODE_WORKER_LOST,     69 },
    { "nobody took it",      false, CAUSE_EXITED,    { CAUSE_EXITED, 0, .unavailable = true },   "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_RCH_UNAVAILABLE, 69 },
    { "a wrapper refused",   true,  CAUSE_EXITED,    { CAUSE_EXITED, 0, .unavailable = true },   "enqueue start exit_nonzero",            ROUTE_FAILED,    CODE_RCH_UNAVAILABLE, 69 },
};
/* clang-format on */

static enum outcome_class outcome_of(enum route_state state)
{
    return state == ROUTE_SUCCEEDED   ? OUTCOME_SUCCESS
           : state == ROUTE_CANCELLED ? OUTCOME_CANCELLED
                                      : OUTCOME_FAILED;
}

static void end_it(struct lane_scene *s, bool started, enum cause asked, const struct lane_end *end)
{
    if (started)
        lane_start(&s->lane);
    if (asked != CAUSE_EXITED)
        lane_asked(&s->lane, asked, "somebody said so");
    if (end->forced)
        lane_killed(&s->lane, CAUSE_TIMEOUT);
    lane_ended(&s->lane, end);
}

static void R_000_004_R_000_063_a_lane_ends_by_declared_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct case_row *row = &rows[i];
        _scene_ struct lane_scene s = { 0 };
        const struct doc *line;

        scene_begin(&s, ROUTE_REMOTE_SSH);
        end_it(&s, row->started, row->asked, &row->end);
        if (strcmp(scene_way(&s), row->way) != 0)
            fail_msg("%s: %s", row->says, scene_way(&s));
        scene_check(&s, row->state, outcome_of(row->state), row->failure, row->exit_code);
        line = scene_last(&s, SAID_ENDED);
        check_is(doc_text(line, "state"), route_state_names[row->state]);
        check_is(doc_text(line, "outcome_class"), outcome_class_names[outcome_of(row->state)]);
        assert_int_equal(doc_get(line, "exit_code")->whole, row->exit_code);
        check_is(doc_text(line, "failure_code"), codes[row->failure].name);
        assert_int_equal(doc_get(line, "failure_code")->kind, row->failure ? DOC_TEXT : DOC_NULL);
    }
}

/* What cannot have happened before it was started is no end: nobody invents the start. */
static void R_000_064_a_command_that_was_never_started_does_not_succeed(void **state)
{
    static const struct lane_end ends[] = { { CAUSE_EXITED, 0 },
                                            { CAUSE_EXITED, 1 },
                                            { CAUSE_SIGNALED, 137 },
                                            { CAUSE_LOST, 0, .lost = true } };
    static const int exit_codes[] = { 1, 1, 137, 69 };

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        _scene_ struct lane_scene s = { 0 };

        scene_begin(&s, ROUTE_REMOTE_SSH);
        lane_ended(&s.lane, &ends[i]);
        scene_check(&s, ROUTE_QUEUED, OUTCOME_FAILED, CODE_INVALID_TRANSITION, exit_codes[i]);
        assert_string_equal(scene_way(&s), "enqueue");
    }
}

/* ---- the documents ---- */

static const void *again(struct checked *c, const struct shape *shape, const void *doc,
                         struct buf *text)
{
    shape_json(shape, doc, text);
    assert_true(buf_ok(text));
    return check_str(c, shape, buf_str(text));
}

/* Writes both and reads them again: nothing is wrong with them. */
static void check_documents(struct lane_scene *s)
{
    struct manifest_doc manifest;
    struct lane_result_doc result;
    _checked_ struct checked c = { 0 }, m = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 }, small = { .max = 1 << 20 };
    const struct lane_result_doc *found;
    const struct manifest_doc *kept;

    lane_result(&s->lane, str_of(SCENE_RUN), &s->a, &manifest, &result);
    assert_ptr_equal(result.artifact_manifest, &manifest);
    kept = again(&m, &manifest_shape, &manifest, &small);
    check_clean(&m);
    found = again(&c, &lane_result_shape, &result, &text);
    check_clean(&c);

    check_is(kept->run_id, "run-" SCENE_RUN);
    check_is(kept->trace_id, "trace-nightly:2026/7");
    check_is(kept->scenario_id, "cargo_test");
    check_is(kept->transcript_path, s->transcript.path);
    assert_int_equal(kept->outcome_class, s->lane.outcome);
    assert_int_equal(found->exit_code, s->lane.exit_code);
    assert_int_equal(found->state, s->lane.state);
    assert_int_equal(found->route_reason, REASON_FORCE_RCH);
    assert_int_equal(found->route, kept->worker_route);
    check_is(found->command_id, "cmd-1");
    check_is(found->routed_command, "rch exec -- cargo test -p 'a b'");
    check_is(found->failure_code, codes[s->lane.failure].name);
    assert_int_equal(found->failure_code.s != NULL, s->lane.failure != CODE_NONE);
}

/* One of all the ways there are; what must be true of every one of them. */
static void check_one(enum route route, bool started, enum cause asked, const struct lane_end *end)
{
    bool stopped = asked != CAUSE_EXITED, lost = end->lost || end->cause == CAUSE_LOST;
    bool late = end->cause == CAUSE_TIMEOUT || asked == CAUSE_TIMEOUT;
    bool good = started && !stopped && end->cause == CAUSE_EXITED && end->exit_code == 0 &&
                !end->forced && !lost && !end->unavailable;
    _scene_ struct lane_scene s = { 0 };
    const struct lane *l = &s.lane;
    int64_t delay;

    scene_begin(&s, route);
    end_it(&s, started, asked, end);
    check_documents(&s);
    assert_int_equal(l->state == ROUTE_SUCCEEDED, good);
    assert_int_equal(l->outcome == OUTCOME_SUCCESS, good);
    assert_int_equal(l->exit_code == 0, good);
    if (l->state == ROUTE_CANCELLED) {
        assert_true(end->cause == CAUSE_CANCELLED || asked == CAUSE_CANCELLED);
        assert_false(late || lost || end->forced);
        assert_int_equal(l->failure, CODE_NONE);
    }
    if (late && !lost)
        assert_int_equal(l->failure, CODE_COMMAND_TIMEOUT);
    if (lost)
        assert_true(l->exit_code == EXIT_LOST && l->outcome == OUTCOME_FAILED);
    if (lost || l->failure == CODE_COMMAND_FAILED || end->cause == CAUSE_CANCELLED ||
        asked == CAUSE_CANCELLED)
        assert_false(lane_again(l, &delay));
    if (end->unavailable && l->failure == CODE_RCH_UNAVAILABLE)
        assert_true(l->nowhere);
    if (l->failure == CODE_INVALID_TRANSITION)
        assert_true(!started && l->state == ROUTE_QUEUED);
}

static void check_flags(enum route route, bool started, enum cause asked, enum cause cause)
{
    static const int exit_codes[] = { -1, 0, 3, 256 };

    for (unsigned flags = 0; flags < 8; flags++) {
        for (size_t i = 0; i < COUNT(exit_codes); i++) {
            struct lane_end end = { cause, exit_codes[i], .forced = flags & 1, .lost = flags & 2,
                                    .unavailable = flags & 4 };

            check_one(route, started, asked, &end);
        }
    }
}

static void
R_000_006_R_000_017_R_000_018_R_000_019_R_000_020_R_000_021_R_000_022_R_000_023_every_lane_has_a_result(
    void **state)
{
    static const enum cause asked[] = { CAUSE_EXITED, CAUSE_TIMEOUT, CAUSE_CANCELLED };

    (void)state;
    for (int route = 0; route_names[route]; route++)
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            for (size_t i = 0; i < 2 * COUNT(asked); i++)
                check_flags((enum route)route, i % 2, asked[i / 2], (enum cause)cause);
}

static struct manifest_doc manifest_of(struct lane_scene *s, struct str run,
                                       struct lane_result_doc *result)
{
    struct manifest_doc manifest;

    lane_result(&s->lane, run, &s->a, &manifest, result);
    return manifest;
}

/* A00-12, X-7 */
static void
R_000_070_R_000_071_R_000_072_R_000_073_R_000_074_R_000_075_R_000_076_R_000_077_the_manifest(
    void **state)
{
    _scene_ struct lane_scene s = { 0 };
    struct lane_result_doc result;
    struct manifest_doc m;

    (void)state;
    scene_begin(&s, ROUTE_REMOTE_SLURM);
    lane_start(&s.lane);
    lane_ended(&s.lane, &(struct lane_end){ CAUSE_EXITED, 0 });
    m = manifest_of(&s, str_of("3B241101-E2BB-4255-8CAF-4136C566A962"), &result);
    check_is(m.run_id, "run-" SCENE_RUN);
    check_is(m.trace_id, "trace-nightly:2026/7");
    check_is(m.scenario_id, "cargo_test");
    check_is(m.transcript_path, s.transcript.path);
    assert_int_equal(m.worker_route, ROUTE_REMOTE_SLURM);
    assert_int_equal(m.outcome_class, OUTCOME_SUCCESS);
    s.plan.scenario_id = str_of("smoke");
    check_is(manifest_of(&s, str_of(SCENE_RUN), &result).scenario_id, "smoke");
}

/* The route that was taken, not the one that was wanted. */
static void R_000_021_R_000_074_a_lane_that_went_nowhere_says_so(void **state)
{
    static const struct lane_end ends[] = { { CAUSE_EXITED, 0, .unavailable = true },
                                            { CAUSE_CANCELLED, 130 },
                                            { CAUSE_TIMEOUT, 143 },
                                            { CAUSE_EXEC_FAILED, 127 } };
    static const enum route routes[] = { ROUTE_NOWHERE, ROUTE_NOWHERE, ROUTE_NOWHERE,
                                         ROUTE_REMOTE_SSH };

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        _scene_ struct lane_scene s = { 0 };
        struct lane_result_doc result;

        scene_begin(&s, ROUTE_REMOTE_SSH);
        lane_ended(&s.lane, &ends[i]);
        assert_int_equal(manifest_of(&s, str_of(SCENE_RUN), &result).worker_route, routes[i]);
        assert_int_equal(result.route, routes[i]);
    }
}

/* sha256 of "cargo\0test\0-p\0a b\0" */
static void R_000_073_provenance_names_the_words(void **state)
{
    static const struct str other[] = {
        { "cargo", 5 }, { "test", 4 }, { "-p", 2 }, { "a", 1 }, { "b", 1 }
    };
    static const char words[] = "cargo\0test\0-p\0a b";
    struct digest digest = digest_of(words, sizeof words);
    _scene_ struct lane_scene s = { 0 };
    char text[DIGEST_TEXT];
    struct str one, two;

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    digest_text(&digest, text);
    one = lane_provenance(&s.plan, &s.a);
    check_is(one, arena_printf(&s.a, "cargo_test %s cargo test -p 'a b'", text));
    s.plan.words = (struct words){ other, COUNT(other) };
    two = lane_provenance(&s.plan, &s.a);
    assert_false(str_eq(one, two));
}

static void a_long_command_has_a_short_provenance(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    char *line = arena_alloc(&s.a, 4096);
    struct str text;

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    for (size_t i = 0; i < 4096; i += 2)
        memcpy(line + i, "\xc3\xbc", 2);
    s.plan.normalized_command = (struct str){ line, 4096 };
    text = lane_provenance(&s.plan, &s.a);
    assert_int_equal(str_chars(text), strlen("cargo_test ") + DIGEST_TEXT + 200 + strlen(" ..."));
    s.plan.normalized_command.n = 400; /* two hundred of them: nothing is left out */
    text = lane_provenance(&s.plan, &s.a);
    assert_int_equal(str_chars(text), strlen("cargo_test ") + DIGEST_TEXT + 200);
}

/* A word may be any bytes, a document may not. */
static void a_command_that_is_not_utf8_has_documents_that_are(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    struct lane_result_doc result;
    struct manifest_doc manifest;
    _checked_ struct checked c = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    scene_open(&s, ROUTE_LOCAL_DIRECT);
    s.plan.normalized_command = s.plan.routed_command = str_of("cargo test 'a\xff\xc3'");
    s.transcript.path = "/tmp/\xfe/t";
    lane_begin(&s.lane, &s.plan, &s.transcript);
    lane_start(&s.lane);
    lane_ended(&s.lane, &(struct lane_end){ CAUSE_EXITED, 0 });
    check_is(doc_text(scene_last(&s, SAID_PLANNED), "routed_command"),
             "cargo test 'a\xef\xbf\xbd\xef\xbf\xbd'");
    lane_result(&s.lane, str_of(SCENE_RUN), &s.a, &manifest, &result);
    (void)again(&c, &lane_result_shape, &result, &text);
    check_clean(&c);
    check_is(result.routed_command, "cargo test 'a\xef\xbf\xbd\xef\xbf\xbd'");
    check_is(manifest.transcript_path, "/tmp/\xef\xbf\xbd/t");
}

static void a_manifest_can_be_had_before_the_end_and_claims_no_success(void **state)
{
    _scene_ struct lane_scene s = { 0 };
    struct lane_result_doc result;
    struct manifest_doc m;
    _checked_ struct checked c = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    scene_begin(&s, ROUTE_LOCAL_DIRECT);
    s.transcript.path = NULL;
    lane_start(&s.lane);
    m = manifest_of(&s, str_of(SCENE_RUN), &result);
    (void)again(&c, &manifest_shape, &m, &text);
    check_clean(&c);
    assert_int_equal(m.outcome_class, OUTCOME_FAILED);
    assert_int_not_equal(result.exit_code, 0);
}

static void every_ending_is_explained(void **state)
{
    (void)state;
    assert_string_equal(lane_endings_table.name, "lane_ends");
    for (int i = 0; i < LANE_ENDINGS; i++) {
        const struct ending_row *row = &lane_endings[i];

        assert_int_equal(row->ending, i);
        assert_int_equal(row->meaning[strlen(row->meaning) - 1], '.');
        assert_int_equal(row->exit_code == 0, i == ENDING_EXIT_ZERO);
        if (row->failure)
            assert_non_null(strstr(row->meaning, codes[row->failure].name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_004_R_000_063_a_lane_ends_by_declared_edges),
        cmocka_unit_test(R_000_064_a_command_that_was_never_started_does_not_succeed),
        cmocka_unit_test(
            R_000_006_R_000_017_R_000_018_R_000_019_R_000_020_R_000_021_R_000_022_R_000_023_every_lane_has_a_result),
        cmocka_unit_test(
            R_000_070_R_000_071_R_000_072_R_000_073_R_000_074_R_000_075_R_000_076_R_000_077_the_manifest),
        cmocka_unit_test(R_000_021_R_000_074_a_lane_that_went_nowhere_says_so),
        cmocka_unit_test(R_000_073_provenance_names_the_words),
        cmocka_unit_test(a_long_command_has_a_short_provenance),
        cmocka_unit_test(a_command_that_is_not_utf8_has_documents_that_are),
        cmocka_unit_test(a_manifest_can_be_had_before_the_end_and_claims_no_success),
        cmocka_unit_test(every_ending_is_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
