/* SPDX-License-Identifier: Apache-2.0 */
/* play.c: runs plans with hands and clocks that are not real, and says all that happened.
 *
 * usage: play < SCENARIOS        one JSON object a line, one line of answer each
 *
 *     {"context":{..},"wall":ms,"jobs":N,"cascade":bool,"forced":ms|-1,"persists":bool,
 *      "holds":bool,"script":[[[ms|-1,"CODE"|""],..],..]}
 *
 * wall: what the clock on the wall says when the plan begins. script: of each step, how long each
 * attempt takes (-1: for ever) and what it fails with; the last one stands for all that follow.
 * forced: when, after the beginning, the caller wants no more of it. holds: the hands stop an
 * attempt themselves when its budget is over.
 *
 *     {"result":{..}|null,"did":[[..],..],"news":[[..],..],"wrong":[text,..]}
 *
 * did: every call through the seams with its time since the beginning. wrong: what can be seen from
 * here alone, such as a result that is not one, or a second run that was not the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/doc_make.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "plan/plan.h"

enum { BEGUN_MAX = 100000, TEXT_MAX = 1 << 26, MONO_START = 5000 };

struct running {
    struct ending ending;
    int64_t ends_at; /* INT64_MAX: never */
    bool there;
};

struct stage {
    struct world world;
    struct arena *a;
    const struct doc *script;
    int64_t now, wall_ahead, forced_at;
    struct running *of; /* by order of begin */
    size_t begun, room, waits;
    bool persists, holds;
    struct str persisted; /* what was persisted */
    struct buf did, news, wrong;
};

static void wrong(struct stage *s, const char *what)
{
    json_text(&s->wrong, str_of(what));
}

/* ---- the world ---- */

static int64_t mono(void *self)
{
    return ((struct stage *)self)->now;
}

static int64_t wall(void *self)
{
    struct stage *s = self;

    return s->now + s->wall_ahead;
}

static struct uuid new_id(void *self)
{
    wrong(self, "an id was asked for");
    return (struct uuid){ 0 };
}

static void chance(void *self, void *bytes, size_t n)
{
    wrong(self, "chance was asked for");
    memset(bytes, 0, n);
}

/* ---- what happened ---- */

static struct buf *did(struct stage *s, const char *what)
{
    json_open(&s->did, '[');
    json_text(&s->did, str_of(what));
    json_int(&s->did, s->now - MONO_START);
    return &s->did;
}

static void tell(void *self, const struct telling *t)
{
    struct stage *s = self;
    struct buf *to = &s->news;

    if (t->news >= NEWS_SUCCESS) {
        json_close(did(s, news_names[t->news]), ']');
        if (!str_eq(t->result, s->persisted))
            wrong(s, "the news has another result than the one that was persisted");
        return;
    }
    json_open(to, '[');
    json_text(to, str_of(news_names[t->news]));
    json_int(to, s->now - MONO_START);
    json_int(to, (int64_t)t->step);
    json_int(to, t->attempt);
    if (t->news == NEWS_STEP_RETRIES)
        json_int(to, t->wait_ms);
    if (t->news == NEWS_STEP_COMPLETED || t->news == NEWS_STEP_FAILED)
        json_int(to, t->took_ms);
    if (t->news == NEWS_STEP_FAILED) {
        json_text(to, str_of(codes[t->ending->code].name));
        json_text(to, str_of(severities[t->severity].name));
    }
    json_close(to, ']');
}

static size_t still_running(const struct stage *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->begun; i++)
        n += s->of[i].there;
    return n;
}

static bool persist(void *self, const struct result_doc *result, struct str text, struct error *e)
{
    struct stage *s = self;

    json_int(did(s, "persist"), result->status);
    json_close(&s->did, ']');
    if (still_running(s))
        wrong(s, "persisted while a step is running");
    s->persisted = text;
    return s->persists || error_set(e, CODE_IO, "the disk is full");
}

static void complete(void *self)
{
    json_close(did(self, "complete"), ']');
}

static void incomplete(void *self, const size_t *steps, size_t n)
{
    struct buf *to = did(self, "incomplete");

    for (size_t i = 0; i < n; i++)
        json_int(to, (int64_t)steps[i]);
    json_close(to, ']');
}

static void release(void *self)
{
    json_close(did(self, "release"), ']');
}

static void alarm_rings(void *self, const struct error_doc *error)
{
    struct buf *to = did(self, "alarm");

    json_text(to, error->error_code);
    json_text(to, str_of(severities[error->severity].name));
    json_close(to, ']');
}

/* ---- the hands ---- */

static const struct doc *nth(const struct doc *list, size_t n)
{
    const struct doc *d = doc_first(list, DOC_LIST);

    while (d && n-- && d->next)
        d = d->next;
    return d;
}

/* A map that tells which attempt it came from; every third is not there, which means {}. */
static const struct doc *mark(struct stage *s, const struct attempt *attempt)
{
    struct doc *map;

    if ((attempt->step + (size_t)attempt->number) % 3 == 0)
        return NULL;
    map = doc_root(s->a, DOC_MAP);
    doc_add_int(s->a, map, "attempt", attempt->number);
    return map;
}

static struct ending ending_of(struct stage *s, const struct attempt *attempt, struct str code)
{
    struct ending ending = { .step = attempt->step };

    if (code.n) {
        ending.code = code_named(code);
        ending.message = arena_printf(s->a, "attempt %d failed", (int)attempt->number);
        ending.context = mark(s, attempt);
        ending.last_words = "oh";
    } else {
        ending.output = mark(s, attempt);
        ending.note = "fine";
    }
    return ending;
}

static void begin(void *self, const struct attempt *attempt)
{
    struct stage *s = self;
    const struct doc *script = nth(s->script, attempt->step);
    const struct doc *line = nth(script, (size_t)attempt->number - 1);
    const struct doc *ms = doc_first(line, DOC_LIST);
    struct buf *to = did(s, "begin");

    json_int(to, (int64_t)attempt->step);
    json_int(to, attempt->number);
    json_int(to, attempt->budget_ms);
    json_close(to, ']');
    for (size_t i = 0; i < s->begun; i++) {
        if (s->of[i].there && s->of[i].ending.step == attempt->step)
            wrong(s, "a step was begun that is running");
    }
    s->of = arena_more(s->a, s->of, s->begun, &s->room, sizeof *s->of);
    s->of[s->begun++] = (struct running){
        .ending = ending_of(s, attempt, ms->next->text),
        .ends_at = ms->whole < 0 ? INT64_MAX : s->now + ms->whole,
        .there = true,
    };
    if (s->holds && s->of[s->begun - 1].ends_at - s->now > attempt->budget_ms) {
        s->of[s->begun - 1].ends_at = s->now + attempt->budget_ms;
        s->of[s->begun - 1].ending = ending_of(s, attempt, str_of("STEP_TIMEOUT"));
    }
}

/* Endings at the same time come in the order of their begin. */
static struct running *next_ending(struct stage *s)
{
    struct running *first = NULL;

    for (size_t i = 0; i < s->begun; i++) {
        struct running *r = &s->of[i];

        if (r->there && r->ends_at < INT64_MAX && (!first || r->ends_at < first->ends_at))
            first = r;
    }
    return first;
}

static void move_to(struct stage *s, int64_t moment)
{
    if (moment > s->now)
        s->now = moment;
}

/* At the same time: what has ended, then the caller's wish, then the clock. */
static enum hands_news wait_for(void *self, int64_t until, struct ending *out)
{
    struct stage *s = self;
    struct running *r = next_ending(s);

    if (until < s->now)
        until = s->now;
    if (s->waits++ > BEGUN_MAX) {
        (void)fputs("play: it waits for ever\n", stderr);
        exit(3);
    }
    if (r && r->ends_at <= until && r->ends_at <= s->forced_at) {
        move_to(s, r->ends_at);
        r->there = false;
        *out = r->ending;
        return HANDS_ENDED;
    }
    if (s->forced_at <= until && s->forced_at < INT64_MAX) {
        move_to(s, s->forced_at);
        s->forced_at = INT64_MAX;
        return HANDS_FORCED;
    }
    if (until == INT64_MAX) {
        (void)fputs("play: it waits for nothing\n", stderr);
        exit(3);
    }
    move_to(s, until);
    return HANDS_TIME;
}

static void stop(void *self, size_t step)
{
    struct stage *s = self;

    json_int(did(s, "stop"), (int64_t)step);
    json_close(&s->did, ']');
    for (size_t i = 0; i < s->begun; i++) {
        struct running *r = &s->of[i];

        if (!r->there || r->ending.step != step)
            continue;
        if (r->ends_at <= s->now)
            return;
        r->ends_at = s->now;
        r->ending = (struct ending){ .step = step,
                                     .code = CODE_COMMAND_FAILED,
                                     .message = "it was killed",
                                     .context = mark(s, &(struct attempt){ .step = step }) };
        return;
    }
    wrong(s, "a step was stopped that does not run");
}

/* ---- one scenario ---- */

static void judge(struct stage *s, const struct context_doc *context, struct str text)
{
    const struct document *document;
    struct ceilings max = ceilings_default();
    struct report r = report_new(s->a, "result", text);
    struct result_doc result = { 0 };
    struct error e;

    if (!str_eq(text, s->persisted))
        wrong(s, "the result is not the one that was persisted");
    if (!json_read("result", text, &max, s->a, &document, &e)) {
        wrong(s, e.msg);
        return;
    }
    if (shape_decode(&result_shape, &document->root, &r, &result))
        result_fits_context(&result, context, &document->root, &r);
    for (struct problem *p = r.first; p; p = p->next)
        wrong(s, p->msg);
}

static void run(struct stage *s, const struct context_doc *context, const struct doc *scene)
{
    struct hands hands = { begin, wait_for, stop, s };
    struct office office = { persist, complete, incomplete, release, alarm_rings, s };
    struct sink sink = { tell, s };
    struct plan_ask ask = {
        .context = context,
        .world = &s->world,
        .hands = &hands,
        .office = &office,
        .sink = &sink,
        .jobs = (int)doc_whole(scene, "jobs"),
        .cascade = doc_get(scene, "cascade")->truth,
    };
    struct plan_end end;
    struct error e = { 0 };
    int64_t forced = doc_get(scene, "forced")->whole;

    s->world = (struct world){ wall, mono, new_id, chance, s };
    s->now = MONO_START;
    s->wall_ahead = doc_whole(scene, "wall") - MONO_START;
    s->forced_at = forced < 0 ? INT64_MAX : MONO_START + forced;
    s->script = doc_get(scene, "script");
    s->persists = doc_get(scene, "persists")->truth;
    s->holds = doc_get(scene, "holds")->truth;
    json_open(&s->did, '[');
    json_open(&s->news, '[');
    json_open(&s->wrong, '[');
    if (plan_run(&ask, s->a, &end, &e)) {
        judge(s, context, end.text);
    } else {
        if (s->persists)
            wrong(s, "there is no result though it was persisted");
        s->persisted = str_of("null");
    }
    json_close(&s->did, ']');
    json_close(&s->news, ']');
    json_close(&s->wrong, ']');
}

static bool same(const struct stage *a, const struct stage *b)
{
    return str_eq(a->persisted, b->persisted) && str_eq(buf_str(&a->did), buf_str(&b->did)) &&
           str_eq(buf_str(&a->news), buf_str(&b->news));
}

static bool play(struct str line, struct stage *first, struct stage *again)
{
    const struct document *document;
    struct ceilings max = ceilings_default();
    struct report r = report_new(first->a, "scenario", line);
    struct context_doc context = { 0 };
    struct error e;

    if (!json_read("scenario", line, &max, first->a, &document, &e)) {
        (void)fprintf(stderr, "play: %s\n", e.msg);
        return false;
    }
    if (!shape_decode(&context_shape, doc_get(&document->root, "context"), &r, &context)) {
        (void)fprintf(stderr, "play: %s\n", r.first->msg);
        return false;
    }
    run(first, &context, &document->root);
    run(again, &context, &document->root);
    if (!same(first, again)) {
        first->wrong.len--; /* the bracket */
        wrong(first, "the second run was not the same");
        json_close(&first->wrong, ']');
    }
    return true;
}

static void clear(struct stage *s, struct arena *a)
{
    struct buf did = s->did, news = s->news, wrong = s->wrong;

    *s = (struct stage){ .a = a, .did = did, .news = news, .wrong = wrong };
    s->did.max = s->news.max = s->wrong.max = TEXT_MAX;
    buf_reset(&s->did);
    buf_reset(&s->news);
    buf_reset(&s->wrong);
}

static void clear_away(struct stage *s)
{
    buf_free(&s->did);
    buf_free(&s->news);
    buf_free(&s->wrong);
}

int main(void)
{
    _cleanup_(clear_away) struct stage first = { 0 }, again = { 0 };
    _arena_ struct arena a = { 0 };
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool good = true;

    while (good && (n = getline(&line, &room, stdin)) > 0) {
        clear(&first, &a);
        clear(&again, &a);
        good = play((struct str){ line, (size_t)n }, &first, &again);
        if (good)
            (void)printf("{\"result\":%.*s,\"did\":%s,\"news\":%s,\"wrong\":%s}\n",
                         STR_ARG(first.persisted), first.did.s, first.news.s, first.wrong.s);
        arena_reset(&a);
    }
    free(line);
    return good ? 0 : 1;
}
