/* SPDX-License-Identifier: Apache-2.0 */
/* deeds.c: what steps can do: the rows of plan's actions, and the executors. */
#include "engine/deeds.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/approval.h"
#include "engine/call.h"
#include "engine/home.h"
#include "engine/plan.h"
#include "executor/shelf.h"

/* clang-format off */
static const struct deed deeds[] = {
    { { "execute",      "A command in the sandbox: the payload is a request without its name.",  check_execute },  false, act_execute },
    { { "validate",     "Is `document` what `schema`, a JSON Schema, asks for?",                 check_validate }, true,  act_validate },
    { { "notify",       "Tells whoever follows the plan; the payload is the message.",       NULL },           true,  act_notify },
    { { "execute_plan", "Another plan, from `file` or as `plan`; in the time of this one.",      check_plan },     false, act_plan },
};

static const struct column deed_columns[] = {
    { "action",  COLUMN_TEXT, offsetof(struct deed, handler.action) },
    { "meaning", COLUMN_TEXT, offsetof(struct deed, handler.about) },
};
/* clang-format on */

const struct table deeds_table = {
    .name = "actions",
    .about =
        "What a step of a plan can do, besides calling an executor by its id, and an adapter by ADAPTER.OPERATION.",
    COLUMNS(deed_columns),
    .keys = 1,
    ROWS(deeds),
};

/* An executor is found once, when the plan is checked; what was approved then is what is called. */
static const struct deed *of_executor(struct running *r, const struct executor *x)
{
    struct deed *deed = arena_new(r->a, struct deed);

    *deed = (struct deed){ .handler = { .action = arena_text(r->a, x->id),
                                        .about = x->about ? x->about : "A reviewed executor." },
                           .quick = x->kind == EXECUTOR_BUILTIN,
                           .act = act_apply,
                           .executor = x };
    return deed;
}

static bool is_approved(struct running *r, const struct executor *x, struct arena *a,
                        struct error *e)
{
    bool ok;

    if (!r->keeping) /* it is only asked what would be done */
        return true;
    if (!r->keeping->open) {
        *e = r->keeping->why;
        return false;
    }
    (void)pthread_mutex_lock(&r->keeping->lock);
    ok = approval_holds(&r->keeping->ledger, x, a, e);
    (void)pthread_mutex_unlock(&r->keeping->lock);
    return ok;
}

/* NULL: there is none. False: it is there, and is not called. */
static bool look_for_executor(struct running *r, struct str action, struct arena *a,
                              const struct executor **out, struct error *e)
{
    const char *shelf = home_executors(r->ask->environment, a);

    return shelf_find(shelf, action, (struct str){ 0 }, a, out, e) &&
           (!*out || !(*out)->approval.s || is_approved(r, *out, a, e));
}

static const struct absence *absence_of(const struct absence *first, struct str action)
{
    while (first && !str_eq(first->action, action))
        first = first->next;
    return first;
}

static const struct absence *add_absence(const struct absence *next, struct str action,
                                         const char *why, struct arena *a)
{
    struct absence *one = arena_new(a, struct absence);

    *one = (struct absence){ str_of(arena_text(a, action)), why ? arena_text(a, str_of(why)) : NULL,
                             next };
    return one;
}

/* What was read of one that is not called goes at once: a damaged program may be long. Nor is it
 * read for another of the plans in each other. */
static const struct deed *find_executor(struct running *r, struct str action, const char **why)
{
    _arena_ struct arena own = { 0 };
    struct inner *inner = r->inner;
    const struct absence *known = absence_of(inner->uncalled, action);
    const struct executor *x;
    struct error e;

    if (known) {
        *why = known->why;
        return NULL;
    }
    if (!look_for_executor(r, action, &own, &x, &e)) {
        *why = arena_text(r->a, str_of(e.msg));
        if (!inner->settled)
            inner->uncalled = add_absence(inner->uncalled, action, *why, inner->a);
        return NULL;
    }
    if (!x)
        return NULL;
    arena_join(r->a, &own);
    return of_executor(r, x);
}

bool deeds_split(struct str action, struct str *adapter, struct str *operation)
{
    *operation = (struct str){ action.s + action.n, 0 };
    while (operation->n < action.n && operation->s[-1] != '.')
        *operation = (struct str){ operation->s - 1, operation->n + 1 };
    if (!operation->n || operation->n + 1 >= action.n)
        return false;
    *adapter = (struct str){ action.s, action.n - operation->n - 1 };
    return true;
}

/* Both of which are there and may be called. */
static const struct deed *find_call(struct running *r, struct str action, const char **why)
{
    struct str adapter, operation;
    struct deed *deed;

    if (!deeds_split(action, &adapter, &operation))
        return NULL;
    *why = call_why_none(r->toolbox, adapter, operation, r->a);
    if (*why)
        return NULL;
    deed = arena_new(r->a, struct deed);
    *deed = (struct deed){ .handler = { .action = arena_text(r->a, action),
                                        .about = "An operation of an adapter.",
                                        .check = check_call,
                                        .self = r },
                           .act = act_call,
                           .adapter = adapter,
                           .operation = operation };
    return deed;
}

static const struct deed *find_deed(struct running *r, struct str action, const char **why)
{
    *why = NULL;
    for (size_t i = 0; i < COUNT(deeds); i++) {
        struct deed *own;

        if (!str_is(action, deeds[i].handler.action))
            continue;
        own = arena_new(r->a, struct deed);
        *own = deeds[i];
        own->handler.self = r;
        return own;
    }
    return r->toolbox && memchr(action.s, '.', action.n) ? find_call(r, action, why)
                                                         : find_executor(r, action, why);
}

/* Steps that do the same share what was found for the first of them, and that nothing was. */
const struct handler *deeds_find(void *self, struct str action)
{
    struct running *r = self;
    const struct deed *deed;
    const char *why;

    for (const struct found *f = r->found; f; f = f->next)
        if (str_eq(action, str_of(f->deed->handler.action)))
            return &f->deed->handler;
    if (absence_of(r->absences, action))
        return NULL;
    deed = find_deed(r, action, &why);
    if (!deed) {
        r->absences = add_absence(r->absences, action, why, r->a);
        return NULL;
    }
    r->found = memcpy(arena_new(r->a, struct found), &(struct found){ deed, r->found },
                      sizeof(struct found));
    return &deed->handler;
}

const char *deeds_why(void *self, struct str action)
{
    const struct running *r = self;
    const struct absence *one = absence_of(r->absences, action);

    return one ? one->why : NULL;
}

/* All that is on the shelf is read for this, once. */
static void list_names(const struct running *r, struct inner *to)
{
    _arena_ struct arena scratch = { 0 };
    struct executors all = { 0 };
    struct error e;

    if (!shelf_list(home_executors(r->ask->environment, &scratch), &scratch, &all, &e))
        all.n = 0;
    to->actions = arena_alloc(to->a, (COUNT(deeds) + all.n) * sizeof *to->actions);
    for (size_t i = 0; i < COUNT(deeds); i++)
        to->actions[to->action_count++] = deeds[i].handler.action;
    for (size_t i = 0; i < all.n; i++)
        to->actions[to->action_count++] = arena_text(to->a, all.v[i].id);
}

const char *deeds_near(void *self, struct str action)
{
    const struct running *r = self;

    if (!r->inner->actions && !r->inner->settled)
        list_names(r, r->inner);
    return str_nearest(action, r->inner->actions, r->inner->action_count);
}

void job_failed(struct job *job, struct ending *out, enum code code, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    out->code = code;
    out->message = arena_text(job->kept, str_of(text));
}
