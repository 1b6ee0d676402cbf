/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_graph.c: the order of steps, with one or several at a time, and of a thousand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/plan/scene.h"

/* ---- the order ---- */

/* "2 0 1": the order in which attempts began. */
static void expect_begun(const struct scene *s, const char *wanted)
{
    _buf_ struct buf found = { .max = 1 << 16 };

    for (const char *at = s->log.s; (at = strstr(at, "\nbegin ")); at++) {
        const char *dot = strchr(at, '.');

        buf_addf(&found, "%s%.*s", found.len ? " " : "", (int)(dot - at - 7), at + 7);
    }
    assert_string_equal(found.s, wanted);
}

static void R_004_025_R_004_159_R_004_182_the_smallest_place_whose_turn_it_is(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 6);
    scene_after(&s, 0, 5);
    scene_after(&s, 1, 0);
    scene_after(&s, 3, 1);
    scene_after(&s, 3, 2);
    PLAY(&s, { .step = 0 });
    expect_begun(&s, "2 4 5 0 1 3");
}

/* No dependency that is not written down: steps of one list may run beside each other. */
static void R_004_159_what_is_not_written_down_is_no_dependency(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    s.jobs = 4;
    PLAY(&s, { .step = 0, .ms = 10 }, { .step = 1, .ms = 10 }, { .step = 2, .ms = 10 },
         { .step = 3, .ms = 10 });
    assert_int_equal(s.most_flights, 4);
    assert_int_equal(s.end.result.duration_ms, 10);
}

/* Ids are the same in either case, and to name one twice is to name it. */
static void R_004_025_dependencies_are_found_in_either_case_and_twice(void **state)
{
    struct str again[] = { str_of("0D9C8A50-7D2B-4C4E-8F4A-000000000001"), str_of(ID1) };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].depends_on = (struct items){ again, 2 };
    PLAY(&s, { .step = 0 });
    expect_begun(&s, "1 0");
    expect_end(&s, PLAN_SUCCESS, 2);
}

/* ---- any plan ---- */

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % sides;
}

/* Steps depend on steps that come before them in a random order, so there is no circle. */
static void random_plan(struct scene *s, size_t n, uint32_t *seed)
{
    size_t order[64];

    scene_set(s, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = dice(seed, (uint32_t)i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 1; i < n; i++)
        for (uint32_t edges = dice(seed, 4); edges > 0; edges--)
            scene_after(s, order[i], order[dice(seed, (uint32_t)i)]);
}

static bool met(const struct scene *s, size_t step, const bool *done)
{
    const struct str *on = s->steps[step].depends_on.v;

    for (size_t i = 0; i < s->steps[step].depends_on.n; i++)
        for (size_t j = 0; j < s->plan.steps.n; j++)
            if (str_eq(on[i], s->steps[j].id) && !done[j])
                return false;
    return true;
}

/* As slow as the definition. */
static void plain_order(const struct scene *s, size_t *out)
{
    bool done[64] = { 0 };

    for (size_t n = 0; n < s->plan.steps.n; n++) {
        size_t step = 0;

        while (done[step] || !met(s, step, done))
            step++;
        done[step] = true;
        out[n] = step;
    }
}

static void R_004_159_R_004_182_the_order_is_the_stable_topological_one(void **state)
{
    uint32_t seed = 4;

    (void)state;
    for (int round = 0; round < 300; round++) {
        _buf_ struct buf text = { .max = 1 << 16 };
        size_t n = 1 + dice(&seed, 40), wanted[64], found[64];
        _scene_ struct scene s;

        random_plan(&s, n, &seed);
        plain_order(&s, wanted);
        plan_order(&s.plan, &s.a, found);
        assert_memory_equal(found, wanted, n * sizeof *wanted);
        for (size_t i = 0; i < n; i++)
            buf_addf(&text, "%s%zu", i ? " " : "", wanted[i]);
        PLAY(&s, { .step = 0 });
        expect_begun(&s, text.s);
    }
}

/* What must hold at each beginning: all it depends on is completed, and nobody before it in the
 * list could have begun instead. */
static bool done[64], begun[64];

static void watches(struct scene *s, const struct telling *t)
{
    if (t->news == NEWS_STEP_COMPLETED)
        done[t->step] = true;
    if (t->news != NEWS_STEP_STARTED)
        return;
    assert_true(met(s, t->step, done));
    for (size_t i = 0; i < t->step; i++)
        assert_true(begun[i] || !met(s, i, done));
    begun[t->step] = true;
}

static void R_004_182_R_004_202_several_at_a_time_begin_in_the_same_order(void **state)
{
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct act acts[64] = { 0 };
        size_t n = 1 + dice(&seed, 40);
        _scene_ struct scene s;

        random_plan(&s, n, &seed);
        for (size_t i = 0; i < n; i++)
            acts[i] = (struct act){ .step = i, .ms = dice(&seed, 50) };
        memset(done, 0, sizeof done);
        memset(begun, 0, sizeof begun);
        s.on_tell = watches;
        s.jobs = 1 + round % 4;
        scene_play(&s, acts, n);
        expect_end(&s, PLAN_SUCCESS, (int64_t)n);
        assert_true(s.most_flights <= (size_t)s.jobs);
    }
}

/* A04-7: where all goes well a result differs in its times alone. */
static void R_004_159_with_several_at_a_time_results_differ_in_times_alone(void **state)
{
    uint32_t seed = 9;

    (void)state;
    for (int round = 0; round < 50; round++) {
        _arena_ struct arena a = { 0 };
        const char *one = NULL;
        uint32_t again = seed + (uint32_t)round;

        for (int jobs = 1; jobs <= 4; jobs++) {
            uint32_t same = again;
            _scene_ struct scene s;
            const char *payload;

            random_plan(&s, 20, &same);
            s.jobs = jobs;
            PLAY(&s, { .step = 3, .ms = 10 }, { .step = 4, .ms = 20 }, { .step = 5, .ms = 5 });
            payload = strstr(s.end.text.s, "\"steps_executed\"");
            assert_non_null(payload);
            if (!one)
                one = arena_text(&a, str_of(payload));
            assert_string_equal(payload, one);
        }
    }
}

/* ---- the largest plans ---- */

static void chain(struct scene *s)
{
    for (size_t i = 0; i + 1 < SCENE_STEPS; i++)
        scene_after(s, i, i + 1);
}

/* 32 layers of 32, each step after all of the layer before. */
static void layers(struct scene *s)
{
    for (size_t i = 32; i < SCENE_STEPS; i++) {
        struct str *on = arena_alloc(&s->a, 32 * sizeof *on);

        for (size_t j = 0; j < 32; j++)
            on[j] = s->steps[i / 32 * 32 - 32 + j].id;
        s->steps[i].depends_on = (struct items){ on, 32 };
    }
}

static void all_after_all(struct scene *s)
{
    struct str *ids = arena_alloc(&s->a, SCENE_STEPS * sizeof *ids);

    for (size_t i = 0; i < SCENE_STEPS; i++) {
        ids[i] = s->steps[i].id;
        s->steps[i].depends_on = (struct items){ ids, i };
    }
}

static void nothing_after_nothing(struct scene *s)
{
    (void)s;
}

static void R_004_006_R_004_048_1024_steps_in_any_form(void **state)
{
    static void (*const shapes[])(struct scene *) = { chain, layers, all_after_all,
                                                      nothing_after_nothing };

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (int jobs = 1; jobs <= 2048; jobs = jobs < 4 ? jobs + 1 : jobs * 8) {
            _scene_ struct scene s;

            scene_set(&s, SCENE_STEPS);
            shapes[i](&s);
            s.jobs = jobs;
            PLAY(&s, { .step = 7, .ms = 1 });
            expect_end(&s, PLAN_SUCCESS, SCENE_STEPS);
        }
    }
}

/* Ids whose bytes differ little are told apart all the same: the scene's do. These differ in
 * halves that could cancel each other out. */
static void R_004_021_ids_that_look_alike_are_told_apart(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 256);
    for (unsigned i = 0; i < 256; i++)
        s.steps[i].id = str_of(
            arena_printf(&s.a, "%08x-0000-4000-8000-0000%08x", i * 0x01010101u, i * 0x01010101u));
    for (size_t i = 0; i + 1 < 256; i++)
        scene_after(&s, i, i + 1);
    PLAY(&s, { .step = 0 });
    expect_end(&s, PLAN_SUCCESS, 256);
}

/* Many failures at once: each has its error, in order. */
static void R_004_111_R_004_118_1023_errors_are_all_kept(void **state)
{
    static struct act acts[SCENE_STEPS];
    const struct doc *errors;
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, SCENE_STEPS);
    for (size_t i = 0; i < SCENE_STEPS; i++) {
        s.steps[i].on_failure = ON_FAILURE_SKIP;
        acts[i] = (struct act){ .step = i, .code = i ? CODE_STEP_FAILED : CODE_NONE };
    }
    s.jobs = 16;
    scene_play(&s, acts, COUNT(acts));
    expect_end(&s, PLAN_PARTIAL, 1);
    errors = doc_get(s.decoded->error->context, "errors");
    assert_int_equal(errors->count, 2 * 1023);
    assert_int_equal(doc_get(s.decoded->error->context, "incomplete_steps")->count, 1023);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_025_R_004_159_R_004_182_the_smallest_place_whose_turn_it_is),
        cmocka_unit_test(R_004_159_what_is_not_written_down_is_no_dependency),
        cmocka_unit_test(R_004_025_dependencies_are_found_in_either_case_and_twice),
        cmocka_unit_test(R_004_159_R_004_182_the_order_is_the_stable_topological_one),
        cmocka_unit_test(R_004_182_R_004_202_several_at_a_time_begin_in_the_same_order),
        cmocka_unit_test(R_004_159_with_several_at_a_time_results_differ_in_times_alone),
        cmocka_unit_test(R_004_006_R_004_048_1024_steps_in_any_form),
        cmocka_unit_test(R_004_021_ids_that_look_alike_are_told_apart),
        cmocka_unit_test(R_004_111_R_004_118_1023_errors_are_all_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
