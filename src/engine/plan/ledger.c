/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c: enters a plan in the ledger: before it starts, and when it has ended. */
#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "engine/event.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/plan.h"
#include "engine/toolbox.h"

/* It depends on the plan and on its context, and as a step on the plan that has it. */
static struct event_head head_of(const struct running *r)
{
    struct uuid *depends = arena_alloc(r->a, 3 * sizeof *depends);
    /* A plan that is refused for want of a name is entered, too. */
    const char *name = r->plan.plan.name.s ? arena_text(r->a, r->plan.plan.name) : "";
    bool drafts = r->ask->policy && str_is(str_of(policy_names[POLICY_DRAFT_ONLY]), r->ask->policy);

    memcpy(depends, r->entries, 2 * sizeof *depends);
    if (r->parent)
        depends[2] = r->parent->entries[0];
    return (struct event_head){ .execution = r->context.execution_id,
                                .workflow = "plan/1",
                                .rerun_of = r->rerun_of,
                                .target = "plan",
                                .action = *name ? name : "plan",
                                .snapshot_ms = r->snapshot_ms,
                                .depends = depends,
                                .depend_count = r->parent ? 3 : 2,
                                .claimed = r->context.user_id,
                                .policy = drafts ? POLICY_DRAFT_ONLY : POLICY_BLOCK };
}

static bool enter(struct running *r, enum entry_kind kind, struct str subject, struct str body,
                  struct error *e)
{
    struct entry entry;

    entry_of(kind, str_of(EVENT_TENANT), subject, body, r->world, &entry);
    if (!ledger_enter(&r->keeping->ledger, &entry, 1, e))
        return false;
    r->entries[r->entry_count++] = entry.id;
    if (!r->claimed)
        r->snapshot_ms = entry.created_ms;
    return true;
}

/* ---- before ---- */

static const struct step_doc *steps_of(const struct running *r)
{
    return r->plan.plan.steps.v;
}

/* Whose keys it had, and not what they held: an environment may have secrets. */
static void put_context(const struct running *r, struct buf *to)
{
    const struct context_doc *c = &r->context;
    _buf_ struct buf canon = { .max = ANSWER_MAX };
    struct digest digest;
    char text[DIGEST_TEXT];
    const struct doc **keys = doc_sorted(c->environment, r->a);

    json_canon(c->environment, r->a, &canon);
    digest = digest_of(canon.s, canon.len);
    digest_text(&digest, text);
    json_open(to, '{');
    for (size_t i = 0; i < c->correlation_context.n; i++) {
        const struct pair *pair = (const struct pair *)c->correlation_context.v + i;

        if (i == 0) {
            json_key(to, "correlation_context");
            json_open(to, '{');
        }
        json_put_text(to, arena_text(r->a, pair->key), pair->text);
    }
    if (c->correlation_context.n)
        json_close(to, '}');
    json_put_int(to, "deadline_ms", c->deadline_ms);
    json_put(to, "dependency_skip",
             dependency_skip_names[r->cascade ? DEPENDENCY_SKIP_CASCADE : DEPENDENCY_SKIP_FAIL]);
    json_put(to, "environment_digest", text);
    json_key(to, "environment_keys");
    json_open(to, '[');
    for (size_t i = 0; i < c->environment->count; i++)
        json_text(to, keys[i]->key);
    json_close(to, ']');
    json_put_text(to, "execution_id", c->execution_id);
    if (c->parent_execution_id.s)
        json_put_text(to, "parent_execution_id", c->parent_execution_id);
    if (r->parent)
        json_put_text(to, "parent_step_id", steps_of(r->parent)[r->step].id);
    if (c->request_id.s)
        json_put_text(to, "request_id", c->request_id);
    json_put_int(to, "started_at", c->started_at);
    if (c->user_id.s)
        json_put_text(to, "user_id", c->user_id);
    json_close(to, '}');
}

/* A04-26: a plan is used once. Nobody else can append before this is committed. */
static bool is_new(struct running *r, struct error *e)
{
    const struct keep *keep = &r->keeping->ledger.keep;
    struct asked_entry before;

    if (!keep->kind->newest_input(keep->store, str_of(EVENT_TENANT), r->plan.plan.id, &before, r->a,
                                  e))
        return false;
    return !before.there ||
           error_set(e, CODE_EXECUTION_USED,
                     "the plan %.*s was run before; a plan is used once, make a new one",
                     STR_ARG(r->plan.plan.id));
}

/* What is repeated is an execution that the ledger has. */
static bool repeats_one(struct running *r, struct error *e)
{
    const struct keep *keep = &r->keeping->ledger.keep;
    struct asked_event before = { .tenant = str_of(EVENT_TENANT),
                                  .robot = str_of(EVENT_ROBOT),
                                  .execution = r->rerun_of };

    if (!r->rerun_of.n)
        return true;
    if (!keep->kind->ask_events(keep->store, &before, 1, r->a, e))
        return false;
    return before.has_last ||
           error_set(e, CODE_USAGE,
                     "the ledger has no execution %s that this could be a rerun of; `writ log` "
                     "lists those it has",
                     said(r->rerun_of, r->a));
}

static bool enter_start(struct running *r, struct error *e)
{
    static const enum event_state states[] = { EVENT_PLANNED, EVENT_RUNNING };
    struct draft drafts[COUNT(states)];
    _buf_ struct buf context = { .max = ANSWER_MAX };
    struct event_head head;
    struct str with;

    put_context(r, &context);
    if (!is_new(r, e) || !repeats_one(r, e) || !body_whole(&context, e) ||
        !body_canonical(buf_str(&context), r->a, &with, e) ||
        !enter(r, ENTRY_INPUT, r->plan.plan.id, r->plan.text, e) ||
        !enter(r, ENTRY_INPUT, r->context.execution_id, with, e))
        return false;
    head = head_of(r);
    for (size_t i = 0; i < COUNT(states); i++) {
        _buf_ struct buf text = { .max = ANSWER_MAX };

        event_open(&head, states[i], r->world, &text);
        drafts[i] = event_close(&head, &text, r->world, r->a);
    }
    if (!event_enter(&r->keeping->ledger, drafts, COUNT(states), &r->entries[r->entry_count], r->a,
                     e))
        return false;
    r->entry_count += COUNT(states);
    return true;
}

bool running_claim(struct running *r, struct error *e)
{
    const char *state = home_state(r->ask->environment, r->a);

    r->alive[0] = alive_begin(state, r->context.execution_id, r->a);
    r->alive[1] = alive_begin(state, r->plan.plan.id, r->a);
    r->claimed = keeping_begin(r->keeping, e) && keeping_end(r->keeping, enter_start(r, e), e);
    r->owes = r->claimed;
    return r->claimed;
}

void running_leave(struct running *r)
{
    for (size_t i = 0; i < COUNT(r->alive); i++)
        if (r->owes)
            alive_leave(&r->alive[i]);
        else
            alive_end(&r->alive[i]);
}

/* ---- afterwards ---- */

/* a partial success is a failure in the ledger, with a code of its own. */
static void put_failure(const struct result_doc *result, struct arena *a, struct buf *to)
{
    bool partial = result->status == PLAN_PARTIAL;

    json_key(to, "error");
    json_open(to, '{');
    if (partial)
        json_put(to, "code", codes[CODE_PLAN_PARTIAL].name);
    else
        json_put(to, "code", arena_text(a, result->error->error_code));
    json_put(to, "message",
             arena_printf(a, "%" PRId64 " of %" PRId64 " steps%s%.*s", result->steps_executed,
                          result->steps_total, ": ", STR_ARG(result->error->message)));
    json_put_bool(to, "retryable", false);
    json_close(to, '}');
}

static bool enter_event(struct running *r, const struct result_doc *result, struct error *e)
{
    bool success = result->status == PLAN_SUCCESS;
    struct event_head head = head_of(r);
    _buf_ struct buf text = { .max = ANSWER_MAX };
    char id[ENTRY_ID_TEXT];
    struct draft draft;

    entry_id_text(&r->entries[r->entry_count - 1], id);
    event_open(&head, success ? EVENT_SUCCEEDED : EVENT_FAILED, r->world, &text);
    if (!success)
        put_failure(result, r->a, &text);
    if (success) {
        json_key(&text, "result");
        json_open(&text, '{');
        json_put_int(&text, "steps_executed", result->steps_executed);
        json_put_int(&text, "steps_total", result->steps_total);
        json_close(&text, '}');
    }
    json_key(&text, "externalRefs");
    json_open(&text, '{');
    json_put(&text, "plan_result", id);
    json_close(&text, '}');
    json_put_int(&text, "durationMs", result->duration_ms);
    draft = event_close(&head, &text, r->world, r->a);
    if (!event_enter(&r->keeping->ledger, &draft, 1, &r->entries[r->entry_count], r->a, e))
        return false;
    r->entry_count++;
    return true;
}

/* Steps that never began are part of the picture. One may have ended the plan by that: it says
 * why. */
static void add_not_run(struct running *r, const struct result_doc *result)
{
    const struct step_doc *steps = r->plan.plan.steps.v;
    const struct error_doc *error = result->error;

    for (size_t i = 0; i < r->plan.plan.steps.n; i++) {
        struct trail_row row = { .index = i, .started_ms = -1, .took_ms = -1 };

        if (r->begun[i])
            continue;
        if (error && error->step_id.s && str_eq(error->step_id, steps[i].id)) {
            row.code = code_named(error->error_code);
            row.message = arena_text(r->a, error->message);
        }
        trail_add(&r->trail, &row);
    }
}

static bool enter_end(struct running *r, const struct result_doc *result, struct str text,
                      struct error *e)
{
    size_t before = r->entry_count;
    struct str body;

    if (body_canonical(text, r->a, &body, e) && trail_enter(&r->trail, &r->keeping->ledger, e) &&
        enter(r, ENTRY_RESULT, r->context.execution_id, body, e) && enter_event(r, result, e))
        return true;
    r->entry_count = before;
    return false;
}

static bool persist(void *self, const struct result_doc *result, struct str text, struct error *e)
{
    struct running *r = self;

    if (r->begun)
        add_not_run(r, result);
    if (!r->parent && r->toolbox)
        toolbox_rest(r->toolbox); /* what servers did is on record before the plan ends */
    if (!r->parent)
        r->keeping->swift = false; /* now it waits for the disk, and with it all that was before */
    if (!keeping_begin(r->keeping, e) || !keeping_end(r->keeping, enter_end(r, result, text, e), e))
        return false;
    r->owes = false;
    trail_forget(&r->trail);
    return true;
}

/* The registry of plans is the ledger: what is noted about a plan's id. That it could not be noted
 * changes no result (A04-10). */
static void note(struct running *r, const char *key, const char *state, const size_t *steps,
                 size_t n)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };
    const struct step_doc *all = r->plan.plan.steps.v;
    struct entry entry;
    struct error e;

    json_open(&text, '{');
    json_put_text(&text, "execution_id", r->context.execution_id);
    if (n) {
        json_key(&text, "incomplete_steps");
        json_open(&text, '[');
        for (size_t i = 0; i < n; i++)
            json_text(&text, all[steps[i]].id);
        json_close(&text, ']');
    }
    json_put(&text, key, state);
    json_close(&text, '}');
    entry_of(ENTRY_NOTE, str_of(EVENT_TENANT), r->plan.plan.id, buf_str(&text), r->world, &entry);
    if (!body_whole(&text, &e) || !keeping_enter(r->keeping, &entry, &e))
        return;
}

static void complete(void *self)
{
    note(self, "plan_state", "completed", NULL, 0);
}

static void incomplete(void *self, const size_t *steps, size_t n)
{
    note(self, "plan_state", "incomplete", steps, n);
}

static void release(void *self)
{
    trail_close(&((struct running *)self)->trail);
    ((struct running *)self)->trail = (struct trail){ 0 };
}

const struct office running_office = {
    .persist = persist, .complete = complete, .incomplete = incomplete, .release = release
};
