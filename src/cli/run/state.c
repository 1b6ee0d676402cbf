/* SPDX-License-Identifier: Apache-2.0 */
/* state.c: moves steps from state to state as the lines of progress tell. */
#include "cli/run_state.h"

#include "base/doc_make.h"
#include "cli/entry_line.h"

enum { NAME_MOST = 24, ABOUT_MOST = 40, ID_SHORT = 8, STEPS_MAX = UINT16_MAX };

static const int64_t FIGURE_MOST = (int64_t)1 << 53;

static size_t wider(size_t width, struct str text, size_t most)
{
    size_t n = print_columns(text);

    n = n < most ? n : most;
    return n > width ? n : width;
}

/* ---- from the plan ---- */

static struct str keep(struct arena *a, struct str text)
{
    return (struct str){ arena_text(a, text), text.n };
}

static struct str about_of(struct arena *a, const struct doc *step)
{
    _buf_ struct buf about = { .max = 1 << 20 }, words = { .max = 1 << 20 };
    const struct doc *payload = doc_get(step, "payload");
    struct str action = doc_text(step, "action");

    buf_add(&about, action.s, action.n);
    if (str_is(action, "execute") && payload && payload->kind == DOC_MAP)
        line_command(payload, &words);
    if (words.len)
        buf_addf(&about, " %.*s", STR_ARG(buf_str(&words)));
    return keep(a, buf_str(&about));
}

/* Is it told that this command reaches the network? */
static bool reaches_out(const struct doc *step)
{
    const struct doc *sandbox = line_member(doc_get(step, "payload"), "sandbox");
    const struct doc *enabled = line_member(line_member(sandbox, "network"), "enabled");

    return enabled && enabled->kind == DOC_BOOL && enabled->truth;
}

/* Names are kept in the order of the steps; *hint is where the last one was found. The id is ours.
 */
static struct str name_of(const struct doc *names, const struct doc **hint, struct str id,
                          struct arena *a)
{
    const struct doc *name = *hint && str_eq((*hint)->key, id) ? *hint : NULL;

    if (!name && names)
        name = doc_get(names, id.s);
    if (!name || name->kind != DOC_TEXT || name->text.n == 0)
        return (struct str){ id.s, id.n < ID_SHORT ? id.n : ID_SHORT };
    *hint = name->next;
    return keep(a, name->text);
}

static int by_id(const void *a, const void *b)
{
    return str_cmp((*(const struct run_step *const *)a)->id,
                   (*(const struct run_step *const *)b)->id);
}

const struct run_step *run_state_find(const struct run_state *s, struct str id)
{
    struct run_step wanted = { .id = id };
    const struct run_step *key = &wanted, *const * found;

    if (s->count == 0)
        return NULL;
    found = bsearch(&key, s->by_id, s->count, sizeof *s->by_id, by_id);
    return found ? *found : NULL;
}

static void read_after(struct run_state *s, struct run_step *step, const struct doc *list)
{
    uint16_t *after;

    if (!doc_first(list, DOC_LIST))
        return;
    after = arena_alloc(&s->arena, list->count * sizeof *after);
    for (const struct doc *d = list->first; d; d = d->next) {
        const struct run_step *on = d->kind == DOC_TEXT ? run_state_find(s, d->text) : NULL;

        if (on)
            after[step->after_count++] = (uint16_t)(on - s->steps);
    }
    step->after = after;
}

static void read_steps(struct run_state *s, const struct doc *first, const struct doc *names)
{
    const struct doc *hint = doc_first(names, DOC_MAP);
    bool runs = false, out = false;
    size_t i = 0;

    for (const struct doc *d = first; d && i < s->count; d = d->next, i++) {
        struct run_step *step = &s->steps[i];

        step->id = keep(&s->arena, doc_text(d, "id"));
        step->name = name_of(hint ? names : NULL, &hint, step->id, &s->arena);
        step->about = about_of(&s->arena, d);
        runs = runs || str_is(doc_text(d, "action"), "execute");
        out = out || reaches_out(d);
        s->by_id[i] = step;
        s->name_width = wider(s->name_width, step->name, NAME_MOST);
        s->about_width = wider(s->about_width, step->about, ABOUT_MOST);
    }
    s->offline = runs && !out;
}

/* The codes of a retry policy, as a list of our own. */
static const struct doc *keep_codes(const struct doc *policy, struct arena *a)
{
    const struct doc *d = doc_first(line_member(policy, "retryable_error_codes"), DOC_LIST);
    struct doc *codes = doc_root(a, DOC_LIST);

    for (; d; d = d->next)
        if (d->kind == DOC_TEXT)
            doc_add_text(a, codes, NULL, keep(a, d->text));
    return codes;
}

void run_state_plan(struct run_state *s, const struct doc *plan, int64_t jobs, int64_t now_ms)
{
    const struct doc *steps = doc_get(plan, "steps"), *first = doc_first(steps, DOC_LIST);
    const struct doc *names = line_member(line_member(doc_get(plan, "metadata"), "writ"), "names");
    size_t i = 0;

    *s = (struct run_state){ .timeout_ms = doc_whole(plan, "timeout_ms"),
                             .began_ms = now_ms,
                             .jobs = jobs };
    s->name = keep(&s->arena, doc_text(plan, "name"));
    s->retryable = keep_codes(doc_get(plan, "retry_policy"), &s->arena);
    s->count = first ? steps->count : 0;
    s->count = s->count < STEPS_MAX ? s->count : STEPS_MAX;
    s->steps = arena_alloc(&s->arena, s->count * sizeof *s->steps);
    s->by_id = arena_alloc(&s->arena, s->count * sizeof *s->by_id);
    s->states[STEP_WAITS] = s->count;
    read_steps(s, first, names);
    qsort(s->by_id, s->count, sizeof *s->by_id, by_id);
    for (const struct doc *d = first; d && i < s->count; d = d->next, i++)
        read_after(s, &s->steps[i], doc_get(d, "depends_on"));
}

/* A plan that was refused was never shown: of its steps only the names are known. */
static void learn_names(struct run_state *s, const struct doc *names)
{
    size_t i = 0;

    s->count = names && names->count < STEPS_MAX ? names->count : 0;
    s->steps = arena_alloc(&s->arena, s->count * sizeof *s->steps);
    s->by_id = arena_alloc(&s->arena, s->count * sizeof *s->by_id);
    for (const struct doc *d = doc_first(names, DOC_MAP); d && i < s->count; d = d->next, i++) {
        s->steps[i] = (struct run_step){ .name = { arena_text(&s->arena, d->text), d->text.n } };
        s->by_id[i] = &s->steps[i];
    }
}

void run_state_names(struct run_state *s, const struct doc *names)
{
    size_t i = 0;

    if (s->count == 0)
        learn_names(s, names);
    for (const struct doc *d = doc_first(names, DOC_MAP); d && i < s->count; d = d->next)
        s->steps[i++].id = d->key;
    qsort(s->by_id, s->count, sizeof *s->by_id, by_id);
}

void run_state_free(struct run_state *s)
{
    arena_free(&s->arena);
}

/* ---- from its lines ---- */

/* A number of a line, no larger than that sums of some fit. */
static int64_t figure(const struct doc *line, const char *key)
{
    int64_t n = doc_whole(line, key);

    return n < FIGURE_MOST ? n : FIGURE_MOST;
}

static void move(struct run_state *s, struct run_step *step, enum step_state to)
{
    s->states[step->state]--;
    s->states[to]++;
    step->state = to;
}

/* What a step waited for has completed, whether its line was read or lost. */
static void take_started(struct run_state *s, struct run_step *step, const struct doc *line)
{
    for (size_t i = 0; i < step->after_count; i++)
        if (s->steps[step->after[i]].state != STEP_DONE)
            move(s, &s->steps[step->after[i]], STEP_DONE);
    step->attempt = figure(line, "attempt");
    step->max_attempts = figure(line, "max_attempts");
    step->began_ms = figure(line, "at");
    move(s, step, STEP_RUNS);
}

static void take_completed(struct run_state *s, struct run_step *step, const struct doc *line)
{
    step->attempt = figure(line, "attempt");
    move(s, step, STEP_DONE);
}

/* Is it tried again? The next line tells, but may be late: the plan tells now. */
static bool is_retried(const struct run_state *s, const struct run_step *step,
                       const struct doc *line)
{
    struct str code = doc_text(line, "code");

    if (!str_is(doc_text(line, "on_failure"), "retry") ||
        str_is(doc_text(line, "severity"), "fatal") || step->attempt >= step->max_attempts)
        return false;
    for (const struct doc *d = doc_first(s->retryable, DOC_LIST); d; d = d->next)
        if (d->kind == DOC_TEXT && str_eq(d->text, code))
            return true;
    return false;
}

static void take_failed(struct run_state *s, struct run_step *step, const struct doc *line)
{
    step->attempt = figure(line, "attempt");
    step->next_ms = 0;
    move(s, step, is_retried(s, step, line) ? STEP_PAUSES : STEP_FAILED);
}

static void take_retries(struct run_state *s, struct run_step *step, const struct doc *line)
{
    step->next_ms = figure(line, "at") + figure(line, "wait_ms");
    move(s, step, STEP_PAUSES);
}

static const struct {
    const char *name;
    enum run_event event;
    void (*take)(struct run_state *s, struct run_step *step, const struct doc *line);
} lines[] = {
    { "step_started", RUN_STARTED, take_started },
    { "step_completed", RUN_COMPLETED, take_completed },
    { "step_failed", RUN_FAILED, take_failed },
    { "step_retries", RUN_RETRIES, take_retries },
    { "notify", RUN_NOTICE, NULL },
    { "step_lane", RUN_LANE, NULL },
    { "step_held", RUN_HELD, NULL },
};

static const char *const ends[] = { "plan_execution_success", "plan_execution_partial",
                                    "plan_execution_failure" };

static struct run_step *step_of(struct run_state *s, const struct doc *line)
{
    const struct doc *index = doc_get(line, "index");

    if (!index || index->kind != DOC_INT || index->whole < 0 || (uint64_t)index->whole >= s->count)
        return NULL;
    return &s->steps[index->whole];
}

static struct run_change take_step(struct run_state *s, const struct doc *line)
{
    struct str name = doc_text(line, "event");
    struct run_step *step = step_of(s, line);

    for (size_t i = 0; step && i < COUNT(lines); i++) {
        struct run_change change = { lines[i].event, step, line };

        if (!str_is(name, lines[i].name))
            continue;
        if (lines[i].take)
            lines[i].take(s, step, line);
        if (change.event == RUN_FAILED && step->state == STEP_PAUSES)
            change.event = RUN_STUMBLED;
        return change;
    }
    return (struct run_change){ RUN_NOTHING, NULL, line };
}

bool run_goes_on(const struct doc *line)
{
    return !str_is(doc_text(line, "severity"), "fatal") &&
           !str_is(doc_text(line, "on_failure"), "halt");
}

struct run_change run_state_take(struct run_state *s, const struct doc *line)
{
    struct str name;

    if (line->kind != DOC_MAP)
        return (struct run_change){ RUN_NOTHING, NULL, line };
    name = doc_text(line, "event");
    s->told = true;
    s->lost += figure(line, "lost");
    if (str_is(name, "plan_started") && figure(line, "at"))
        s->began_ms = figure(line, "at");
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (str_is(name, ends[i])) {
            s->ended = true;
            return (struct run_change){ RUN_ENDED, NULL, line };
        }
    }
    return take_step(s, line);
}
