/* SPDX-License-Identifier: Apache-2.0 */
/* context_doc.c: the shape of an execution context (contract 004, section 2). */
#include "contract/context_doc.h"

#include <inttypes.h>

/* Times are compared only when both are there: what is wrong with one is reported by its row. */
static bool has_times(const struct context_doc *context)
{
    return context->started_at > 0 && context->deadline_ms > 0;
}

static void deadline_after_start(const struct doc *d, const void *decoded, struct report *r)
{
    const struct context_doc *context = decoded;

    if (has_times(context) && context->deadline_ms <= context->started_at)
        report_add(r, ABOUT_VALUE, doc_get(d, "deadline_ms"), CODE_INVALID_PAYLOAD,
                   "deadline_ms is %" PRId64 ", must be later than started_at, %" PRId64,
                   context->deadline_ms, context->started_at);
}

static void time_for_the_plan(const struct doc *d, const void *decoded, struct report *r)
{
    const struct context_doc *context = decoded;
    int64_t time_ms = context->deadline_ms - context->started_at;

    if (!has_times(context) || time_ms <= 0 || !context->plan)
        return;
    if (time_ms < context->plan->timeout_ms)
        report_add(r, ABOUT_VALUE, doc_get(d, "deadline_ms"), CODE_INVALID_PAYLOAD,
                   "deadline_ms - started_at is %" PRId64 ", must be %" PRId64
                   " or more, the timeout_ms of the plan",
                   time_ms, context->plan->timeout_ms);
}

static int key_is(const void *key, const void *member)
{
    return key_cmp(*(const struct str *)key, (*(const struct doc *const *)member)->key);
}

/* Presence only (A04-11): what a key of the environment holds is none of our business. */
static void requirements_met(const struct doc *d, const void *decoded, struct report *r)
{
    const struct context_doc *context = decoded;
    const struct doc *environment = context->environment, **keys;
    const struct str *wanted;

    (void)d;
    if (!environment || !context->plan)
        return;
    keys = doc_sorted(environment, r->a);
    wanted = context->plan->context_requirements.v;
    for (size_t i = 0; i < context->plan->context_requirements.n; i++) {
        if (wanted[i].s && !bsearch(&wanted[i], keys, environment->count, sizeof *keys, key_is))
            report_add(r, ABOUT_VALUE, environment, CODE_CONTEXT_MISSING,
                       "environment has no key %s, which /plan/context_requirements/%zu asks for",
                       said(wanted[i], r->a), i);
    }
}

/* clang-format off */
#define AT(member) offsetof(struct context_doc, member)
static const struct field context_fields[] = {
    { "plan",                F_SHAPE, ONE,  NEEDED,   .at = AT(plan), .sub = &plan_shape,                   .req = "R-004-028", .help = "The plan to run." },
    { "execution_id",        F_TEXT,  ONE,  NEEDED,   .at = AT(execution_id), .form = FORM_UUID,            .req = "R-004-029", .help = "Names this execution; it is used once." },
    { "started_at",          F_INT,   ONE,  NEEDED,   .at = AT(started_at), .min = 1, .max = WHOLE_MAX,     .req = "R-004-030", .help = "When it starts, Unix milliseconds." },
    { "deadline_ms",         F_INT,   ONE,  NEEDED,   .at = AT(deadline_ms), .min = 1, .max = WHOLE_MAX,    .req = "R-004-031", .help = "When it must have ended, Unix milliseconds." },
    { "environment",         F_MAP,   ONE,  NEEDED,   .at = AT(environment),                                .req = "R-004-032", .help = "Variables and configuration; passed on unread." },
    { "parent_execution_id", F_TEXT,  ONE,  OPTIONAL, .at = AT(parent_execution_id), .form = FORM_UUID,     .req = "R-004-033", .help = "The execution this one is nested in." },
    { "user_id",             F_TEXT,  ONE,  OPTIONAL, .at = AT(user_id),                                    .req = "R-004-034", .help = "Who or what started it." },
    { "request_id",          F_TEXT,  ONE,  OPTIONAL, .at = AT(request_id),                                 .req = "R-004-035", .help = "The request it belongs to, for tracing." },
    { "correlation_context", F_TEXT,  DICT, OPTIONAL, .at = AT(correlation_context),                        .req = "R-004-036", .help = "Names and texts that tie it to other systems." },
};
#undef AT

static const struct rule context_rules[] = {
    { "R-004-223", "deadline_ms is later than started_at.",                              deadline_after_start },
    { "R-004-224", "From started_at to deadline_ms there is time for plan.timeout_ms.",  time_for_the_plan },
    { "R-004-225", "Every context requirement of the plan is a key of environment.",     requirements_met },
};
/* clang-format on */

const struct shape context_shape = { .name = "context",
                                     .size = sizeof(struct context_doc),
                                     FIELDS(context_fields),
                                     RULES(context_rules),
                                     .code = CODE_INVALID_PAYLOAD };

/* ---- what a caller says of a context ---- */

/* clang-format off */
#define AT(member) offsetof(struct setting_doc, context.member)
static const struct field setting_fields[] = {
    { "environment",         F_MAP,  ONE,  NEEDED,   .at = AT(environment),                              .req = "R-004-032", .help = "Variables and configuration; passed on unread." },
    { "plan",                F_MAP,  ONE,  OPTIONAL, .at = offsetof(struct setting_doc, plan),           .req = "R-004-028", .help = "The plan, where the context has it: the one that is run." },
    { "started_at",          F_INT,  ONE,  OPTIONAL, .at = AT(started_at), .min = 1, .max = WHOLE_MAX,   .req = "R-004-030", .help = "When it starts, Unix milliseconds; when it is run, when left out." },
    { "execution_id",        F_TEXT, ONE,  OPTIONAL, .at = AT(execution_id), .form = FORM_UUID,          .req = "R-004-029", .help = "Names this execution; a new one when left out." },
    { "deadline_ms",         F_INT,  ONE,  OPTIONAL, .at = AT(deadline_ms), .min = 1, .max = WHOLE_MAX,  .req = "R-004-031", .help = "When it must have ended, Unix milliseconds; the plan's timeout_ms from its start when left out." },
    { "parent_execution_id", F_TEXT, ONE,  OPTIONAL, .at = AT(parent_execution_id), .form = FORM_UUID,   .req = "R-004-033", .help = "The execution this one is nested in." },
    { "user_id",             F_TEXT, ONE,  OPTIONAL, .at = AT(user_id),                                  .req = "R-004-034", .help = "Who or what started it." },
    { "request_id",          F_TEXT, ONE,  OPTIONAL, .at = AT(request_id),                               .req = "R-004-035", .help = "The request it belongs to, for tracing." },
    { "correlation_context", F_TEXT, DICT, OPTIONAL, .at = AT(correlation_context),                      .req = "R-004-036", .help = "Names and texts that tie it to other systems." },
};
#undef AT
/* clang-format on */

const struct shape setting_shape = { .name = "context",
                                     .size = sizeof(struct setting_doc),
                                     FIELDS(setting_fields),
                                     .code = CODE_INVALID_PAYLOAD };
