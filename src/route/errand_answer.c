/* SPDX-License-Identifier: Apache-2.0 */
/* errand_answer.c: believes an answer only if it is about this very run. */
#include "route/errand_answer.h"

#include "base/json_read.h"
#include "contract/codes.h"

static bool read_object(struct str text, const char *what, struct arena *a,
                        const struct document **out, struct error *e)
{
    struct ceilings max = ceilings_default();

    if (!json_read(what, text, &max, a, out, e))
        return false;
    if ((*out)->root.kind != DOC_MAP)
        return error_set(e, CODE_SYNTAX, "it is not an object");
    return true;
}

/* A command that was never told to go can only have been cancelled. */
static bool result_fits(const struct errand *errand, bool went, struct str record, struct arena *a,
                        struct error *e)
{
    const struct document *request = NULL, *result = NULL;
    struct str asked, told;

    if (!read_object(errand->request, "the request", a, &request, e) ||
        !read_object(record, "the result", a, &result, e))
        return false;
    asked = doc_text(&request->root, "execution_id");
    told = doc_text(&result->root, "execution_id");
    if (asked.n == 0 || !str_eq(asked, told))
        return error_set(e, CODE_SYNTAX, "it is of another run, %s", said(told, a));
    if (!went && !str_is(doc_text(&result->root, "cause"), cause_names[CAUSE_CANCELLED]))
        return error_set(e, CODE_SYNTAX, "it is of a run that was not told to go");
    return true;
}

/* Who tells what is not so is not asked again. */
static void disbelieve(struct channel *c, struct errand *errand, const char *what, struct error *e)
{
    struct error *why = &errand->why;

    (void)error_set(why, CODE_RCH_UNAVAILABLE, "%s sent a %s that cannot be believed: %s", c->who,
                    what, e->msg);
    (void)pthread_mutex_lock(&c->lock);
    wire_fail(c, "%s", why->msg);
    (void)pthread_mutex_unlock(&c->lock);
    errand->end = ERRAND_LOST;
}

static void judge_result(struct channel *c, const struct underway *u, struct errand *errand,
                         struct arena *a)
{
    struct error e = { 0 };

    if (result_fits(errand, u->go_end != 0, errand->record, a, &e))
        errand->end = ERRAND_RESULT;
    else
        disbelieve(c, errand, "result", &e);
}

static void judge_refusal(struct channel *c, struct errand *errand, struct arena *a)
{
    const struct document *refusal;
    struct error e = { 0 };

    if (read_object(errand->record, "the refusal", a, &refusal, &e))
        errand->end = ERRAND_REFUSED;
    else
        disbelieve(c, errand, "refusal", &e);
}

/* Was it told to go, as far as anybody can know? Who answers before is not to be believed. */
static bool may_have_run(const struct channel *c, const struct underway *u)
{
    return (u->go_end && c->written >= u->go_end) || u->lied;
}

static void judge_silence(struct channel *c, const struct underway *u, struct errand *errand)
{
    (void)pthread_mutex_lock(&c->lock);
    errand->end = may_have_run(c, u) ? ERRAND_LOST : ERRAND_UNSENT;
    if (!errand->why.msg[0])
        errand->why = c->why;
    (void)pthread_mutex_unlock(&c->lock);
}

static void take_printed(struct underway *u, struct errand *errand, struct arena *a)
{
    struct printed *printed[STREAMS] = { &errand->out, &errand->err };

    for (int i = 0; i < STREAMS; i++) {
        struct stream *s = &u->streams[i];

        printed[i]->head = (struct str){ arena_text(a, buf_str(&s->head)), s->head.len };
        printed[i]->tail = last_text(printed[i]->head, &s->tail, a);
        printed[i]->bytes = s->bytes;
        printed[i]->digest = sha256_end(&s->sum);
    }
}

/* It was ours not to let it go, and the worker agrees that nothing ran. */
static bool is_unwanted(const struct underway *u, const struct errand *errand)
{
    return errand->forbidden || (u->stopped && !u->go_end);
}

void answer_judge(struct channel *c, struct underway *u, struct errand *errand, struct arena *a)
{
    take_printed(u, errand, a);
    errand->unkept = u->filing.unkept;
    errand->admitted = (struct str){ arena_text(a, buf_str(&u->admitted)), u->admitted.len };
    errand->record = (struct str){ arena_text(a, buf_str(&u->record)), u->record.len };
    if (u->answer == ANSWER_NONE)
        judge_silence(c, u, errand);
    else if (u->answer == ANSWER_RESULT)
        judge_result(c, u, errand, a);
    else
        judge_refusal(c, errand, a);
    if (is_unwanted(u, errand) && errand->end != ERRAND_LOST)
        errand->end = ERRAND_UNSENT;
}
