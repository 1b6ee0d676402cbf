/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h: a plan on a stage: fake hands, a fake office and a sink that write down what they are
 * asked, in order, on clocks that stand still until somebody waits. Include after cmocka.h.
 *
 * A line of the log is one call through a seam: "begin 0.1" (step 0, attempt 1), "stop 0",
 * "persist success", "complete", "incomplete 1 2", "release", "alarm CODE", and of the sink
 * "step_started 0.1", "step_completed 0.1", "step_failed 0.1 CODE severity", "step_retries 0.2
 * +100", "plan_execution_success".
 */
#pragma once

#include <inttypes.h>
#include <string.h>

#include "plan/plan.h"
#include "unit/contract/check.h"

enum { SCENE_START = 1766000000, SCENE_STEPS = 1024 };
#define NEVER    INT64_MAX
#define PLAN_ID  "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"
#define RUN_ID   "3b241101-e2bb-4255-8caf-4136c566a962"
#define ID(step) "0d9c8a50-7d2b-4c4e-8f4a-" step

/* The first ids, for expected texts. */
#define ID0 ID("000000000000")
#define ID1 ID("000000000001")
#define ID2 ID("000000000002")
#define ID3 ID("000000000003")

/* What an attempt comes to. An attempt that no act is about completes at once with {}. */
struct act {
    size_t step;
    int64_t attempt; /* 0: every attempt */
    enum code code;
    int64_t ms;       /* how long it takes; NEVER: until it is stopped */
    int64_t hands_ms; /* how long hands are busy with beginning it */
    int64_t told_ms;  /* hands know when it ended, and tell so much later; 0: at once, nothing */
    bool ends_itself; /* before a stop has come through */
    bool final;       /* it is not tried again */
    const char *message;
    const struct doc *output, *context;
};

/* An attempt in flight. */
struct flight {
    size_t step;
    int64_t attempt, ends_ms;
    bool stopped;
    int64_t ended_ms; /* that is told; 0: nothing is */
};

struct scene {
    struct fake_world clock; /* first: who asks the world asks the scene */
    struct arena a;
    int64_t wall_jump;          /* the wall clock is ahead of the other by so much */
    int64_t jumps_at, jumps_by; /* when it jumps once more, and how far */
    struct plan_doc plan;
    struct retry_doc retry;
    struct step_doc steps[SCENE_STEPS];
    struct context_doc context;
    int jobs;
    bool cascade;

    const struct act *acts;
    size_t act_count;
    struct flight flights[SCENE_STEPS];
    size_t flight_count, most_flights;
    int64_t forced_at; /* NEVER: not */
    int64_t stop_ms;   /* how long a stop takes */
    int64_t longest_wait;
    int64_t last_budget;
    bool stutters, repeats; /* each ending is told twice; the last one is still to be told again */
    struct ending said;
    bool no_record; /* persist says no */
    bool no_alarm;
    void (*on_tell)(struct scene *s, const struct telling *telling);
    size_t released;
    const char *told; /* for who listens */
    struct buf log;

    struct plan_end end;
    struct error e;
    struct checked result; /* the text, read again */
    const struct result_doc *decoded;
};

static inline void scene_free(struct scene *s)
{
    buf_free(&s->log);
    checked_free(&s->result);
    arena_free(&s->a);
}

/* ---- the world ---- */

static inline int64_t scene_wall(void *self)
{
    const struct scene *s = self;
    int64_t now = s->clock.now_ms;

    return now + s->wall_jump + (now >= s->jumps_at ? s->jumps_by : 0);
}

/* ---- hands ---- */

static inline const struct act *scene_act(const struct scene *s, size_t step, int64_t attempt)
{
    static const struct act well = { 0 };

    for (size_t i = 0; i < s->act_count; i++)
        if (s->acts[i].step == step && (s->acts[i].attempt == 0 || s->acts[i].attempt == attempt))
            return &s->acts[i];
    return &well;
}

static inline void scene_begin(void *self, const struct attempt *attempt)
{
    struct scene *s = self;
    const struct act *act = scene_act(s, attempt->step, attempt->number);
    int64_t now = s->clock.now_ms;

    buf_addf(&s->log, "begin %zu.%" PRId64 "\n", attempt->step, attempt->number);
    s->last_budget = attempt->budget_ms;
    s->flights[s->flight_count++] =
        (struct flight){ attempt->step, attempt->number,
                         act->ms == NEVER ? NEVER : now + act->ms + act->told_ms, false,
                         act->told_ms ? now + act->ms : 0 };
    if (s->flight_count > s->most_flights)
        s->most_flights = s->flight_count;
    fake_world_tick(&s->clock, act->hands_ms);
}

static inline void scene_stop(void *self, size_t step)
{
    struct scene *s = self;

    buf_addf(&s->log, "stop %zu\n", step);
    for (size_t i = 0; i < s->flight_count; i++) {
        if (s->flights[i].step != step)
            continue;
        if (scene_act(s, step, s->flights[i].attempt)->ends_itself ||
            (s->flights[i].ended_ms && s->flights[i].ended_ms <= s->clock.now_ms))
            return; /* it is only not told yet */
        s->flights[i].stopped = true;
        s->flights[i].ended_ms = 0;
        s->flights[i].ends_ms = s->clock.now_ms + s->stop_ms;
        return;
    }
    fail_msg("step %zu is stopped but does not run", step);
}

/* Who ends first; of two at the same time, who was begun first. */
static inline size_t scene_first(const struct scene *s)
{
    size_t first = 0;

    for (size_t i = 1; i < s->flight_count; i++)
        if (s->flights[i].ends_ms < s->flights[first].ends_ms)
            first = i;
    return first;
}

static inline void scene_end(struct scene *s, size_t at, struct ending *out)
{
    struct flight flight = s->flights[at];
    const struct act *act = scene_act(s, flight.step, flight.attempt);

    memmove(&s->flights[at], &s->flights[at + 1], (--s->flight_count - at) * sizeof flight);
    if (flight.ends_ms > s->clock.now_ms)
        fake_world_tick(&s->clock, flight.ends_ms - s->clock.now_ms);
    *out = (struct ending){ .step = flight.step,
                            .ended_ms = flight.ended_ms,
                            .code = act->code,
                            .message = act->message,
                            .final = act->final,
                            .output = act->output,
                            .context = act->context };
    if (flight.stopped)
        out->last_words = "stopped";
    s->said = *out;
    s->repeats = s->stutters;
}

static inline enum hands_news scene_wait(void *self, int64_t until, struct ending *out)
{
    struct scene *s = self;
    int64_t now = s->clock.now_ms, stop = until > now ? until : now;
    size_t first = scene_first(s);

    if (s->repeats) {
        *out = s->said;
        s->repeats = false;
        return HANDS_ENDED;
    }
    if (stop - now > s->longest_wait)
        s->longest_wait = stop - now;
    if (s->flight_count > 0 && s->flights[first].ends_ms <= stop &&
        s->flights[first].ends_ms <= s->forced_at) {
        scene_end(s, first, out);
        return HANDS_ENDED;
    }
    if (s->forced_at <= stop) {
        if (s->forced_at > now)
            fake_world_tick(&s->clock, s->forced_at - now);
        s->forced_at = NEVER;
        return HANDS_FORCED;
    }
    fake_world_tick(&s->clock, stop - now);
    return HANDS_TIME;
}

/* ---- the office and the sink ---- */

static inline bool scene_persist(void *self, const struct result_doc *result, struct str text,
                                 struct error *e)
{
    static const char *const names[] = { "success", "partial", "failure" };
    struct scene *s = self;

    assert_int_equal(text.s[text.n], '\0');
    assert_non_null(strstr(text.s, names[result->status]));
    buf_addf(&s->log, "persist %s\n", names[result->status]);
    return !s->no_record || error_set(e, CODE_IO, "the disk is full");
}

static inline void scene_complete(void *self)
{
    buf_adds(&((struct scene *)self)->log, "complete\n");
}

static inline void scene_incomplete(void *self, const size_t *steps, size_t n)
{
    struct scene *s = self;

    buf_adds(&s->log, "incomplete");
    for (size_t i = 0; i < n; i++)
        buf_addf(&s->log, " %zu", steps[i]);
    buf_adds(&s->log, "\n");
}

static inline void scene_release(void *self)
{
    struct scene *s = self;

    s->released++;
    buf_adds(&s->log, "release\n");
}

static inline void scene_alarm(void *self, const struct error_doc *error)
{
    buf_addf(&((struct scene *)self)->log, "alarm %.*s\n", STR_ARG(error->error_code));
}

static inline void scene_tell(void *self, const struct telling *t)
{
    struct scene *s = self;
    struct buf *log = &s->log;

    buf_adds(log, news_names[t->news]);
    if (t->news < NEWS_SUCCESS)
        buf_addf(log, " %zu.%" PRId64, t->step, t->attempt);
    if (t->news == NEWS_STEP_FAILED)
        buf_addf(log, " %s %s", codes[t->ending->code].name, severities[t->severity].name);
    if (t->news == NEWS_STEP_RETRIES)
        buf_addf(log, " +%" PRId64, t->wait_ms);
    buf_adds(log, "\n");
    if (s->on_tell)
        s->on_tell(s, t);
}

/* ---- the stage ---- */

static inline char *scene_id(struct arena *a, size_t step)
{
    return arena_printf(a, ID("%012zx"), step);
}

/* A plan of n steps that know nothing of each other, halt when they fail, and take no time. */
static inline void scene_set(struct scene *s, size_t n)
{
    static const struct document nothing = { .root = { .kind = DOC_MAP } };

    *s = (struct scene){ .forced_at = NEVER, .jumps_at = NEVER, .jobs = 1 };
    s->log.max = 1 << 20;
    fake_world_init(&s->clock, SCENE_START);
    s->clock.world.wall_ms = scene_wall;
    s->retry =
        (struct retry_doc){ .max_attempts = 1, .max_backoff_ms = 60000, .backoff_multiplier = 1 };
    s->plan = (struct plan_doc){ .id = str_of(PLAN_ID),
                                 .name = str_of("scene"),
                                 .version = 1,
                                 .created_at = 1,
                                 .timeout_ms = 300000,
                                 .estimated_duration_ms = -1,
                                 .steps = { s->steps, n },
                                 .retry_policy = &s->retry,
                                 .metadata = &nothing.root };
    s->context = (struct context_doc){ .plan = &s->plan,
                                       .execution_id = str_of(RUN_ID),
                                       .started_at = SCENE_START,
                                       .deadline_ms = SCENE_START + 300000,
                                       .environment = &nothing.root };
    for (size_t i = 0; i < n; i++)
        s->steps[i] = (struct step_doc){ .id = str_of(scene_id(&s->a, i)),
                                         .action = str_of("execute"),
                                         .payload = &nothing.root,
                                         .on_failure = ON_FAILURE_HALT };
}

/* One more dependency of a step. */
static inline void scene_after(struct scene *s, size_t step, size_t on)
{
    struct items *all = &s->steps[step].depends_on;
    struct str *more = arena_alloc(&s->a, (all->n + 1) * sizeof *more);

    if (all->n)
        memcpy(more, all->v, all->n * sizeof *more);
    more[all->n] = s->steps[on].id;
    *all = (struct items){ more, all->n + 1 };
}

static inline void scene_policies(struct scene *s, const int *on_failure)
{
    for (size_t i = 0; i < s->plan.steps.n; i++)
        s->steps[i].on_failure = on_failure[i];
}

/* Attempts at a step, and the codes that are tried again, ended by NULL. */
static inline void scene_retries(struct scene *s, int64_t attempts, const char *const *listed)
{
    static struct str names[CODE_COUNT];
    size_t n = 0;

    for (; listed[n]; n++)
        names[n] = str_of(listed[n]);
    s->retry.max_attempts = attempts;
    s->retry.retryable_error_codes = (struct items){ names, n };
}

/* Seams of the scene; the ask points to the scene's own. */
struct seams {
    struct hands hands;
    struct office office;
    struct sink sink;
    struct plan_ask ask;
};

static inline void scene_seams(struct scene *s, struct seams *seams)
{
    seams->hands = (struct hands){ scene_begin, scene_wait, scene_stop, s };
    seams->office = (struct office){ scene_persist,
                                     scene_complete,
                                     scene_incomplete,
                                     scene_release,
                                     s->no_alarm ? NULL : scene_alarm,
                                     s };
    seams->sink = (struct sink){ scene_tell, s };
    seams->ask = (struct plan_ask){ &s->context,  &s->clock.world, &seams->hands, &seams->office,
                                    &seams->sink, s->jobs,         s->cascade };
}

/* What every result must be: right by its own shape, and as its context says. */
static inline void scene_check(struct scene *s)
{
    s->decoded = check_str(&s->result, &result_shape, s->end.text);
    check_clean(&s->result);
    result_fits_context(s->decoded, &s->context, &s->result.document->root, &s->result.report);
    check_clean(&s->result);
    assert_int_equal(s->decoded->status, s->end.result.status);
    assert_int_equal(s->released, 1);
    assert_int_equal(s->flight_count, 0);
}

/* All that a plan is given, to see that it stays as it is. */
struct given {
    struct plan_doc plan;
    struct retry_doc retry;
    struct step_doc steps[SCENE_STEPS];
    struct context_doc context;
};

static inline void scene_given(const struct scene *s, struct given *g)
{
    memset(g, 0, sizeof *g);
    memcpy(&g->plan, &s->plan, sizeof g->plan);
    memcpy(&g->retry, &s->retry, sizeof g->retry);
    memcpy(g->steps, s->steps, sizeof g->steps);
    memcpy(&g->context, &s->context, sizeof g->context);
}

/* Runs it; false where it could not be recorded. Nothing of what was given has changed. */
static inline bool scene_run(struct scene *s, const struct act *acts, size_t n)
{
    struct given *before = arena_new(&s->a, struct given), *after = arena_new(&s->a, struct given);
    struct seams seams;
    bool done;

    s->acts = acts;
    s->act_count = n;
    scene_seams(s, &seams);
    scene_given(s, before);
    done = plan_run(&seams.ask, &s->a, &s->end, &s->e);
    scene_given(s, after);
    assert_memory_equal(before, after, sizeof *before);
    return done;
}

static inline void scene_play(struct scene *s, const struct act *acts, size_t n)
{
    if (!scene_run(s, acts, n))
        fail_msg("%s", s->e.msg);
    scene_check(s);
}

#define PLAY(s, ...)                                            \
    do {                                                        \
        static const struct act acts_[] = { __VA_ARGS__ };      \
        scene_play((s), acts_, sizeof acts_ / sizeof acts_[0]); \
    } while (0)

#define _scene_ _cleanup_(scene_free)

/* ---- what came of it ---- */

static inline void expect_log(const struct scene *s, const char *wanted)
{
    assert_string_equal(s->log.s, wanted);
}

static inline void expect_end(const struct scene *s, enum plan_status status, int64_t executed)
{
    assert_int_equal(s->end.result.status, status);
    assert_int_equal(s->end.result.steps_executed, executed);
}

static inline void expect_code(const struct error_doc *error, const char *code,
                               enum severity severity)
{
    assert_non_null(error);
    check_is(error->error_code, code);
    assert_int_equal(error->severity, severity);
    assert_int_equal(error->recoverable, severity != SEVERITY_FATAL);
}

/* The result has this text in it. */
static inline void expect_text(const struct scene *s, const char *wanted)
{
    if (!strstr(s->end.text.s, wanted))
        fail_msg("%s\nis not in\n%s", wanted, s->end.text.s);
}

/* "STEP_FAILED STEP_SKIPPED": the codes in error.context.errors. */
static inline void expect_trace(const struct scene *s, const char *wanted)
{
    const struct doc *errors = doc_get(s->decoded->error->context, "errors");
    _buf_ struct buf found = { .max = 1 << 20 };

    for (const struct doc *d = doc_first(errors, DOC_LIST); d; d = d->next)
        buf_addf(&found, "%s%.*s", found.len ? " " : "", STR_ARG(doc_text(d, "error_code")));
    assert_string_equal(found.s, wanted);
}

/* "1 2": the places of the steps in such a list of error.context. */
static inline void expect_steps(const struct scene *s, const char *list, const char *wanted)
{
    const struct doc *ids = doc_get(s->decoded->error->context, list);
    _buf_ struct buf found = { .max = 1 << 20 };

    buf_adds(&found, "");
    assert_non_null(ids);
    for (const struct doc *d = doc_first(ids, DOC_LIST); d; d = d->next)
        for (size_t i = 0; i < s->plan.steps.n; i++)
            if (str_eq(d->text, s->steps[i].id))
                buf_addf(&found, "%s%zu", found.len ? " " : "", i);
    assert_string_equal(found.s ? found.s : "", wanted);
}
