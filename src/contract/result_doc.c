/* SPDX-License-Identifier: Apache-2.0 */
/* result_doc.c: the shape of a plan's result and of its errors (contract 004, section 3). */
#include "contract/result_doc.h"

#include <inttypes.h>

const char *const plan_status_names[] = { "success", "partial", "failure", NULL };
static const char *const severity_names[] = { "warn", "error", "fatal", NULL };

/* A number that was left out or wrong decodes to zero, which is a value too, so the rules ask the
 * document whether it is there. */
static bool has_kind(const struct doc *d, const char *key, enum doc_kind kind)
{
    const struct doc *member = doc_get(d, key);

    return member && member->kind == kind;
}

/* Both counts are there and fit each other. */
static bool counts(const struct doc *d, const struct result_doc *result)
{
    return has_kind(d, "steps_executed", DOC_INT) && has_kind(d, "steps_total", DOC_INT) &&
           result->steps_executed >= 0 && result->steps_executed <= result->steps_total;
}

/* ---- the error ---- */

static void recoverable_by_severity(const struct doc *d, const void *decoded, struct report *r)
{
    const struct error_doc *error = decoded;
    const struct severity_row *severity;

    if (error->severity == CHOICE_NONE || !has_kind(d, "recoverable", DOC_BOOL))
        return;
    severity = &severities[error->severity];
    if (error->recoverable != severity->recoverable)
        report_add(r, ABOUT_VALUE, doc_get(d, "recoverable"), CODE_INVALID_PAYLOAD,
                   "recoverable is %s, must be %s where severity is %s",
                   error->recoverable ? "true" : "false", severity->recoverable ? "true" : "false",
                   severity->name);
}

/* clang-format off */
#define AT(member) offsetof(struct error_doc, member)
static const struct field error_fields[] = {
    { "error_code",  F_TEXT,   ONE, NEEDED,   .at = AT(error_code), .min = 1, .max = ERROR_CODE_CHARS, .req = "R-004-055", .help = "What kind of error it is." },
    { "message",     F_TEXT,   ONE, NEEDED,   .at = AT(message), .max = ERROR_MESSAGE_CHARS,           .req = "R-004-056", .help = "The error in words." },
    { "step_id",     F_TEXT,   ONE, NULLABLE, .at = AT(step_id), .form = FORM_UUID, .nil = true,       .req = "R-004-057", .help = "The step it happened in; null for the plan as a whole." },
    { "severity",    F_CHOICE, ONE, NEEDED,   .at = AT(severity), .choices = severity_names,           .req = "R-004-058", .help = "How bad it is." },
    { "recoverable", F_BOOL,   ONE, NEEDED,   .at = AT(recoverable),                                   .req = "R-004-059", .help = "true for warn and error, false for fatal." },
    { "cause",       F_SHAPE,  ONE, NULLABLE, .at = AT(cause), .sub = &plan_error_shape, .nil = true,  .req = "R-004-060", .help = "The error that led to this one." },
    { "context",     F_MAP,    ONE, OPTIONAL, .at = AT(context), .filled = true,                       .req = "R-004-061", .help = "What helps to find out why." },
};
#undef AT

static const struct rule error_rules[] = {
    { "R-004-059", "recoverable is true for warn and error, false for fatal.", recoverable_by_severity },
};
/* clang-format on */

const struct shape plan_error_shape = { .name = "plan error",
                                        .size = sizeof(struct error_doc),
                                        FIELDS(error_fields),
                                        RULES(error_rules),
                                        .code = CODE_INVALID_PAYLOAD };

/* ---- the result ---- */

static void success_has_no_error(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;

    if (result->status == PLAN_SUCCESS && result->error)
        report_add(r, ABOUT_VALUE, doc_get(d, "error"), CODE_INVALID_PAYLOAD,
                   "a success must not have an error");
}

static void others_have_an_error(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;
    const struct doc *error = doc_get(d, "error");

    if (result->status == PLAN_SUCCESS || result->status == CHOICE_NONE)
        return;
    if (!error || error->kind == DOC_NULL)
        report_add(r, ABOUT_VALUE, doc_place(d, "error"), CODE_INVALID_PAYLOAD,
                   "a %s needs an error", plan_status_names[result->status]);
}

static void executed_within_total(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;

    if (has_kind(d, "steps_executed", DOC_INT) && has_kind(d, "steps_total", DOC_INT) &&
        result->steps_executed > result->steps_total)
        report_add(r, ABOUT_VALUE, doc_get(d, "steps_executed"), CODE_INVALID_PAYLOAD,
                   "steps_executed is %" PRId64 ", must not be above steps_total, %" PRId64,
                   result->steps_executed, result->steps_total);
}

static void success_is_complete(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;

    if (result->status != PLAN_SUCCESS || !counts(d, result))
        return;
    if (result->steps_executed != result->steps_total)
        report_add(r, ABOUT_VALUE, doc_get(d, "steps_executed"), CODE_INVALID_PAYLOAD,
                   "steps_executed is %" PRId64 ", must be %" PRId64 " (all) in a success",
                   result->steps_executed, result->steps_total);
}

static void partial_is_between(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;

    if (result->status != PLAN_PARTIAL || !counts(d, result))
        return;
    if (result->steps_executed < 1 || result->steps_executed == result->steps_total)
        report_add(r, ABOUT_VALUE, doc_get(d, "steps_executed"), CODE_INVALID_PAYLOAD,
                   "steps_executed is %" PRId64 " of %" PRId64
                   ", must be some but not all in a partial",
                   result->steps_executed, result->steps_total);
}

static void failure_is_incomplete(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;

    if (result->status != PLAN_FAILURE || !counts(d, result))
        return;
    if (result->steps_executed > 0 && result->steps_executed == result->steps_total)
        report_add(r, ABOUT_VALUE, doc_get(d, "steps_executed"), CODE_INVALID_PAYLOAD,
                   "steps_executed is %" PRId64 " of %" PRId64 ", must not be all in a failure",
                   result->steps_executed, result->steps_total);
}

/* Only a fatal error fails a plan, and a fatal error always does. */
static void fatal_is_failure(const struct doc *d, const void *decoded, struct report *r)
{
    const struct result_doc *result = decoded;
    const struct doc *error = doc_get(d, "error");
    bool fatal, failure = result->status == PLAN_FAILURE;

    if (!result->error || result->error->severity == CHOICE_NONE)
        return;
    fatal = result->error->severity == SEVERITY_FATAL;
    if (failure && !fatal)
        report_add(r, ABOUT_VALUE, doc_get(error, "severity"), CODE_INVALID_PAYLOAD,
                   "severity is %s, must be fatal in a failure",
                   severity_names[result->error->severity]);
    if (fatal && result->status == PLAN_PARTIAL)
        report_add(r, ABOUT_VALUE, doc_get(error, "severity"), CODE_INVALID_PAYLOAD,
                   "severity is fatal, must be warn or error in a partial");
}

/* clang-format off */
#define AT(member) offsetof(struct result_doc, member)
static const struct field result_fields[] = {
    { "plan_id",        F_TEXT,   ONE, NEEDED,   .at = AT(plan_id), .form = FORM_UUID,                 .req = "R-004-043", .help = "The plan that was run." },
    { "execution_id",   F_TEXT,   ONE, NEEDED,   .at = AT(execution_id), .form = FORM_UUID,            .req = "R-004-044", .help = "The execution that ended." },
    { "status",         F_CHOICE, ONE, NEEDED,   .at = AT(status), .choices = plan_status_names,       .req = "R-004-045", .help = "How it ended." },
    { "completed_at",   F_INT,    ONE, NEEDED,   .at = AT(completed_at), .min = 1, .max = WHOLE_MAX,   .req = "R-004-046", .help = "When it ended, Unix milliseconds." },
    { "duration_ms",    F_INT,    ONE, NEEDED,   .at = AT(duration_ms), .min = 0, .max = WHOLE_MAX,    .req = "R-004-047", .help = "How long it took." },
    { "steps_executed", F_INT,    ONE, NEEDED,   .at = AT(steps_executed), .min = 0, .max = WHOLE_MAX, .req = "R-004-048", .help = "How many steps were completed." },
    { "steps_total",    F_INT,    ONE, NEEDED,   .at = AT(steps_total), .min = 0, .max = WHOLE_MAX,    .req = "R-004-049", .help = "How many steps the plan has." },
    { "result_payload", F_MAP,    ONE, NEEDED,   .at = AT(result_payload),                             .req = "R-004-050", .help = "What the completed steps gave." },
    { "error",          F_SHAPE,  ONE, NULLABLE, .at = AT(error), .sub = &plan_error_shape, .nil = true, .req = "R-004-051", .help = "Why it did not succeed; null when it did." },
};
#undef AT

static const struct rule result_rules[] = {
    { "R-004-228", "A success has no error.",                                     success_has_no_error },
    { "R-004-229", "A partial and a failure have an error.",                      others_have_an_error },
    { "R-004-230", "steps_executed is not above steps_total.",                    executed_within_total },
    { "R-004-092", "In a success all steps were executed.",                       success_is_complete },
    { "R-004-112", "In a partial at least one step was executed, but not all.",   partial_is_between },
    { "R-004-136", "In a failure not all steps were executed.",                   failure_is_incomplete },
    { "R-004-137", "The error of a failure is fatal, that of a partial is not.",  fatal_is_failure },
};
/* clang-format on */

const struct shape result_shape = { .name = "result",
                                    .size = sizeof(struct result_doc),
                                    FIELDS(result_fields),
                                    RULES(result_rules),
                                    .code = CODE_INVALID_PAYLOAD };

/* ---- the result and its context ---- */

static void same_text(const struct doc *at, const char *key, struct str found, struct str wanted,
                      struct report *r)
{
    if (found.s && wanted.s && str_cmp_letters(found, wanted) != 0)
        report_add(r, ABOUT_VALUE, doc_get(at, key), CODE_INVALID_PAYLOAD,
                   "%s is '%.*s', must be '%.*s' as in the context", key, STR_ARG(found),
                   STR_ARG(wanted));
}

void result_fits_context(const struct result_doc *result, const struct context_doc *context,
                         const struct doc *at, struct report *r)
{
    const struct plan_doc *plan = context->plan;

    if (plan)
        same_text(at, "plan_id", result->plan_id, plan->id, r);
    same_text(at, "execution_id", result->execution_id, context->execution_id, r);
    if (plan && has_kind(at, "steps_total", DOC_INT) &&
        result->steps_total != (int64_t)plan->steps.n)
        report_add(r, ABOUT_VALUE, doc_get(at, "steps_total"), CODE_INVALID_PAYLOAD,
                   "steps_total is %" PRId64 ", must be %zu, the steps of the plan",
                   result->steps_total, plan->steps.n);
    if (has_kind(at, "completed_at", DOC_INT) && result->completed_at < context->started_at)
        report_add(r, ABOUT_VALUE, doc_get(at, "completed_at"), CODE_INVALID_PAYLOAD,
                   "completed_at is %" PRId64 ", must not be before started_at, %" PRId64,
                   result->completed_at, context->started_at);
}
