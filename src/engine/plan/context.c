/* SPDX-License-Identifier: Apache-2.0 */
/* context.c: what a plan is run with, from a file and from keys that were set.
 *
 * A map with a member `environment` is a context; its plan, where it has one, is the one that is
 * run, and started_at is the time it is run at where it has none. Any other map is the environment
 * itself. Its values are data, and nobody here reads them (A04-11, X-11).
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/doc_make.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "contract/names.h"
#include "engine/exec.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/plan.h"
#include "engine/record.h"
#include "plan/deadline.h"
#include "plan/template.h"

enum { COPY_STEPS = 1 << 28 };

/* A deadline that nobody gave is this much later than the plan's own time, which begins when the
 * plan has been entered: what ends it then is its timeout, and is said to be. */
enum { DEADLINE_ROOM_MS = 60000 };

static bool has(const struct doc *map, struct str key)
{
    for (const struct doc *m = doc_first(map, DOC_MAP); m; m = m->next)
        if (str_eq(m->key, key))
            return true;
    return false;
}

static void copy_member(const struct doc *m, struct doc *to, struct arena *a)
{
    struct work work = { .left = COPY_STEPS };
    struct doc *copy = doc_add_kind(a, to, arena_text(a, m->key), DOC_NULL);

    if (!doc_copy(m, copy, &work, a)) /* what could be read is within the steps */
        copy->kind = DOC_NULL;
}

/* What was set one by one goes before what a file says, and the last word before the first. */
static void set_keys(const char *const *set, struct doc *to, struct arena *a)
{
    size_t n = 0;

    while (set && set[n])
        n++;
    while (n-- > 0) {
        const char *equals = strchr(set[n], '=');
        struct str key = { set[n], (size_t)(equals - set[n]) };

        if (!has(to, key))
            doc_add_text(a, to, arena_text(a, key), str_of(equals + 1));
    }
}

/* Keys are recorded, and values are passed on in documents. */
static bool are_texts(const char *const *set, struct report *report, struct arena *a)
{
    struct error e = { 0 };

    for (; set && *set; set++) {
        if (utf8_valid(str_of(*set)) == strlen(*set))
            continue;
        *report = report_new(a, "context", (struct str){ "", 0 });
        (void)error_set(&e, CODE_ENCODING, "what is set, '%s', is not UTF-8", *set);
        report_error(report, &e);
        return false;
    }
    return true;
}

static bool is_sayable(const struct writ_plan *ask, struct error *e)
{
    _arena_ struct arena a = { 0 };
    enum policy policy = POLICY_BLOCK;
    unsigned weak;

    while (ask->policy && policy < POLICY_COUNT && strcmp(ask->policy, policy_names[policy]) != 0)
        policy++;
    if (policy == POLICY_COUNT)
        return error_set(e, CODE_USAGE, "the policy is block or draft_only, not '%.100s'",
                         ask->policy);
    if (ask->jobs < 0 || ask->jobs > WRIT_JOBS_MAX)
        return error_set(e, CODE_USAGE, "jobs are 1 to %d, not %d", WRIT_JOBS_MAX, ask->jobs);
    if (ask->rerun_of && !*ask->rerun_of)
        return error_set(e, CODE_USAGE, "rerun_of is '', which is the id of no execution");
    if (ask->dependency_skip &&
        name_at(dependency_skip_names, str_of(ask->dependency_skip)) == CHOICE_NONE)
        return error_set(e, CODE_USAGE, "dependency_skip is fail or cascade, not '%.100s'",
                         ask->dependency_skip);
    for (const char *const *set = ask->set; set && *set; set++)
        if (**set == '=' || !strchr(*set, '='))
            return error_set(e, CODE_USAGE, "what is set is key=value; '%.100s' is not", *set);
    return exec_weak(ask->weak, &a, &weak, e);
}

bool plan_given(const struct writ_plan *ask, char **answer)
{
    struct error e;

    if (!given_input(ask->plan, "plan", answer) ||
        (ask->context && !given_input(ask->context, "context", answer)) ||
        !given_ledger(ask->ledger, ask->environment, answer))
        return false;
    if (is_sayable(ask, &e))
        return true;
    *answer = record_failure(e.code, e.msg);
    return false;
}

/* An environment that was given is left as it is (contract 004, 2): only one that nobody gave has
 * the key of templates that need nothing. */
static const struct doc *make_environment(const struct running *r, const struct doc *given)
{
    struct doc *set = doc_root(r->a, DOC_MAP), *made = doc_root(r->a, DOC_MAP);
    char here[PATH_MAX];

    set_keys(r->ask->set, set, r->a);
    for (const struct doc *m = doc_first(set, DOC_MAP); m; m = m->next)
        copy_member(m, made, r->a);
    for (const struct doc *m = doc_first(given, DOC_MAP); m; m = m->next)
        if (!has(set, m->key)) /* a file has each key once: only what was set is looked through */
            copy_member(m, made, r->a);
    if (!given && !has(made, str_of(TEMPLATE_KEY)))
        doc_add_text(r->a, made, TEMPLATE_KEY,
                     str_of(getcwd(here, sizeof here) ? arena_text(r->a, str_of(here)) : "."));
    return made;
}

/* What the caller left out. */
static void complete(struct running *r)
{
    struct context_doc *c = &r->context;

    c->plan = &r->plan.plan;
    if (!c->started_at)
        c->started_at = r->world->wall_ms(r->world->self);
    if (!c->execution_id.s) {
        struct uuid id = r->world->new_id(r->world->self);
        char text[UUID_TEXT];

        uuid_text(&id, text);
        c->execution_id = str_of(arena_text(r->a, str_of(text)));
    }
    if (!c->deadline_ms)
        c->deadline_ms =
            min_ms(c->started_at + r->plan.plan.timeout_ms + DEADLINE_ROOM_MS, WHOLE_MAX);
    if (r->parent) {
        c->environment = r->parent->context.environment;
        c->parent_execution_id = r->parent->context.execution_id;
    }
}

static bool is_plan_of(const struct running *r, const struct doc *plan, struct report *report)
{
    _arena_ struct arena scratch = { 0 };
    _buf_ struct buf text = { .max = ANSWER_MAX };

    json_canon(plan, &scratch, &text);
    if (buf_ok(&text) && str_eq(buf_str(&text), r->plan.text))
        return true;
    report_add(report, ABOUT_VALUE, plan, CODE_INVALID_PAYLOAD,
               "this is another plan than the one that is run; give the context with its own plan");
    return false;
}

bool context_make(struct running *r, struct report *report)
{
    const struct document *document = NULL;
    const struct doc *given = NULL;
    struct setting_doc setting;

    if (!r->parent && !are_texts(r->ask->set, report, r->a))
        return false;
    if (r->ask->context && !r->parent) {
        if (!input_read(r->ask->context, r->a, &document, report))
            return false;
        given = &document->root;
        if (given->kind != DOC_MAP) {
            report_add(report, ABOUT_VALUE, given, CODE_INVALID_PAYLOAD,
                       "a context must be a map: its environment, or 'environment' and more");
            return false;
        }
        if (doc_get(given, "environment")) {
            if (!shape_decode(&setting_shape, given, report, &setting) ||
                (setting.plan && !is_plan_of(r, setting.plan, report)))
                return false;
            r->context = setting.context;
            given = r->context.environment;
            r->context.execution_id = id_text(r->context.execution_id, r->a);
            r->context.parent_execution_id = id_text(r->context.parent_execution_id, r->a);
        }
    }
    if (!r->parent)
        r->context.environment = make_environment(r, given);
    complete(r);
    return true;
}

/* ---- is all in order? ---- */

static bool refuse(struct refused *why, enum code code, const char *message)
{
    *why = (struct refused){ .code = code, .message = message };
    return false;
}

/* The first problem gives the code; all are in the context. */
static bool refuse_report(struct running *r, struct refused *why)
{
    struct doc *context = doc_root(r->a, DOC_MAP), *list;
    const struct problem *first = NULL;

    report_finish(&r->report);
    list = doc_add_kind(r->a, context, "problems", DOC_LIST);
    for (const struct problem *p = r->report.first; p; p = p->next) {
        struct doc *one;

        if (p->warning)
            continue;
        first = first ? first : p;
        one = doc_add_kind(r->a, list, NULL, DOC_MAP);
        doc_add_text(r->a, one, "code", str_of(codes[p->code].name));
        doc_add_text(r->a, one, "message", str_of(p->msg));
        doc_add_text(r->a, one, "pointer", str_of(p->pointer ? p->pointer : ""));
        doc_add_int(r->a, one, "line", p->line);
    }
    if (!first)
        return true;
    (void)refuse(why, (enum code)first->code,
                 first->pointer && first->pointer[0]
                     ? arena_printf(r->a, "%s: %s", first->pointer, first->msg)
                     : first->msg);
    if (code_severity(why->code, false) != SEVERITY_FATAL)
        why->code = CODE_INVALID_PAYLOAD;
    why->context = context;
    return false;
}

static struct items missing_keys(const struct running *r)
{
    const struct items *wanted = &r->plan.plan.context_requirements;
    const struct str *keys = wanted->v;
    struct str *out = arena_alloc(r->a, (wanted->n + 1) * sizeof *out);
    struct items missing = { .v = out };

    for (size_t i = 0; i < wanted->n && !r->inner->unset; i++)
        if (keys[i].s && !has(r->context.environment, keys[i])) /* else its row has said so */
            out[missing.n++] = keys[i];
    return missing;
}

struct refused context_refusal(const struct running *r, struct items *missing)
{
    const struct context_doc *c = &r->context;
    struct items keys = missing_keys(r);
    _buf_ struct buf names = { .max = 4096 };
    struct refused why = { 0 };

    for (size_t i = 0; i < keys.n; i++)
        buf_addf(&names, "%s%s", i ? ", " : "", said(((const struct str *)keys.v)[i], r->a));
    if (missing)
        *missing = keys;
    if (WHOLE_MAX - c->started_at < r->plan.plan.timeout_ms)
        (void)refuse(&why, CODE_INVALID_PAYLOAD,
                     arena_printf(r->a,
                                  "timeout_ms is %" PRId64 ", allowed up to %" PRId64
                                  " from now on: no later deadline_ms can be written",
                                  r->plan.plan.timeout_ms, WHOLE_MAX - c->started_at));
    else if (c->deadline_ms - c->started_at < r->plan.plan.timeout_ms)
        (void)refuse(&why, CODE_INVALID_PAYLOAD,
                     "deadline_ms - started_at is less than the timeout_ms of the plan");
    else if (keys.n)
        (void)refuse(&why, CODE_CONTEXT_MISSING,
                     arena_printf(r->a,
                                  "the context has no key%s %s; give %s with --set or --context",
                                  keys.n == 1 ? "" : "s", names.s, keys.n == 1 ? "it" : "them"));
    return why;
}

bool running_check(struct running *r, struct refused *why)
{
    const struct handlers handlers = { deeds_find, r, deeds_near, deeds_why };
    const struct step_doc *steps = r->plan.plan.steps.v;

    *why = context_refusal(r, NULL);
    handlers_check(&handlers, &r->plan.plan, &r->plan.document->root, &r->report);
    if (r->report.errors) {
        if (why->code)
            report_add(&r->report, ABOUT_VALUE, &r->plan.document->root, why->code, "%s",
                       why->message);
        return refuse_report(r, why);
    }
    if (why->code)
        return false;
    r->deeds = arena_alloc(r->a, r->plan.plan.steps.n * sizeof *r->deeds);
    for (size_t i = 0; i < r->plan.plan.steps.n; i++)
        r->deeds[i] = (const struct deed *)deeds_find(r, steps[i].action);
    if (!r->parent)
        r->inner->settled = true;
    return true;
}
