/* SPDX-License-Identifier: Apache-2.0 */
/* plan_shape.c: the shape of a plan, its steps and its retry policy (contract 004, section 1). */
#include "contract/plan_doc.h"

#include "contract/plan_graph.h"

const char *const on_failure_names[] = { "halt", "skip", "retry", NULL };

/* clang-format off */
#define AT(member) offsetof(struct retry_doc, member)
static const struct field retry_fields[] = {
    { "max_attempts",          F_INT,    .at = AT(max_attempts),       .min = 1, .max = WHOLE_MAX, .fallback = 1,     .req = "R-004-016", .help = "Attempts at a step altogether; 1 means no retry." },
    { "backoff_ms",            F_INT,    .at = AT(backoff_ms),         .min = 0, .max = WHOLE_MAX, .fallback = 0,     .req = "R-004-017", .help = "Wait before the first retry." },
    { "backoff_multiplier",    F_NUMBER, .at = AT(backoff_multiplier), .min = 1, .max = WHOLE_MAX, .fallback = 1,     .req = "R-004-018", .help = "Each further wait is this much longer." },
    { "max_backoff_ms",        F_INT,    .at = AT(max_backoff_ms),     .min = 0, .max = WHOLE_MAX, .fallback = 60000, .req = "R-004-019", .help = "No wait is longer." },
    { "retryable_error_codes", F_TEXT, LIST, .at = AT(retryable_error_codes), .min = 1,            .req = "R-004-020", .help = "Only these codes are tried again." },
};
#undef AT

#define AT(member) offsetof(struct step_doc, member)
static const struct field step_fields[] = {
    { "id",         F_TEXT,   ONE,  NEEDED,   .at = AT(id), .form = FORM_UUID,                       .req = "R-004-021", .help = "Names the step; unique within the plan." },
    { "action",     F_TEXT,   ONE,  NEEDED,   .at = AT(action), .min = 1, .max = STEP_ACTION_MAX,    .req = "R-004-023", .help = "What to do: execute, validate, notify, execute_plan, ADAPTER.OPERATION or the id of an executor." },
    { "payload",    F_MAP,    ONE,  NEEDED,   .at = AT(payload),                                     .req = "R-004-024", .help = "The action's parameters; may be {}." },
    { "depends_on", F_TEXT,   LIST, OPTIONAL, .at = AT(depends_on), .form = FORM_UUID,               .req = "R-004-025", .help = "Ids of the steps that must be completed first." },
    { "on_failure", F_CHOICE, ONE,  NEEDED,   .at = AT(on_failure), .choices = on_failure_names,     .req = "R-004-026", .help = "What a failure of this step means for the plan." },
    { "timeout_ms", F_INT,    ONE,  NULLABLE, .at = AT(timeout_ms), .min = 1, .max = WHOLE_MAX,      .req = "R-004-027", .help = "Longest time for one attempt; the plan's when left out." },
};
#undef AT
/* clang-format on */

const struct shape retry_shape = { .name = "retry policy",
                                   .size = sizeof(struct retry_doc),
                                   FIELDS(retry_fields),
                                   .code = CODE_INVALID_PAYLOAD };
static const struct shape step_shape = { .name = "step",
                                         .size = sizeof(struct step_doc),
                                         FIELDS(step_fields),
                                         .code = CODE_INVALID_PAYLOAD };

/* clang-format off */
#define AT(member) offsetof(struct plan_doc, member)
static const struct field plan_fields[] = {
    { "id",                    F_TEXT,  ONE,  NEEDED,   .at = AT(id), .form = FORM_UUID,                                  .req = "R-004-002", .help = "Names this plan; a plan is used once." },
    { "version",               F_INT,   ONE,  NEEDED,   .at = AT(version), .min = 1, .max = 1,                            .req = "R-004-003", .help = "Version of the plan schema." },
    { "created_at",            F_INT,   ONE,  NEEDED,   .at = AT(created_at), .min = 1, .max = WHOLE_MAX,                 .req = "R-004-004", .help = "When the plan was made, Unix milliseconds." },
    { "name",                  F_TEXT,  ONE,  NEEDED,   .at = AT(name), .min = 1, .max = PLAN_NAME_MAX,                   .req = "R-004-008", .help = "Names the plan for people." },
    { "context_requirements",  F_TEXT,  LIST, NEEDED,   .at = AT(context_requirements), .least = 1, .min = 1,             .req = "R-004-009", .help = "Keys the environment must have." },
    { "steps",                 F_SHAPE, LIST, NEEDED,   .at = AT(steps), .least = 1, .most = PLAN_STEPS_MAX, .sub = &step_shape, .req = "R-004-006", .help = "What to do, in order." },
    { "priority",              F_INT,   ONE,  OPTIONAL, .at = AT(priority),                                               .req = "R-004-010", .help = "For the caller's queue; higher first." },
    { "timeout_ms",            F_INT,   ONE,  OPTIONAL, .at = AT(timeout_ms), .min = 1, .max = WHOLE_MAX, .fallback = 300000, .req = "R-004-011", .help = "Longest time for the whole plan." },
    { "retry_policy",          F_SHAPE, ONE,  OPTIONAL, .at = AT(retry_policy), .sub = &retry_shape, .filled = true,      .req = "R-004-012", .help = "When and how often a failed step is tried again." },
    { "metadata",              F_MAP,   ONE,  OPTIONAL, .at = AT(metadata), .filled = true,                               .req = "R-004-013", .help = "The author's own data; not interpreted." },
    { "tags",                  F_TEXT,  LIST, OPTIONAL, .at = AT(tags),                                                   .req = "R-004-014", .help = "Labels for filtering and audit." },
    { "estimated_duration_ms", F_INT,   ONE,  NULLABLE, .at = AT(estimated_duration_ms), .min = 0, .max = WHOLE_MAX, .fallback = -1, .req = "R-004-015", .help = "A guess, for people." },
};
#undef AT

static const struct rule plan_rules[] = {
    { "R-004-021", "Step ids are unique within the plan.",          plan_ids_unique },
    { "R-004-219", "Every dependency is a step of the plan.",       plan_dependencies_known },
    { "R-004-217", "No step waits for itself, through others too.", plan_acyclic },
    { "A04-35",    "Only STEP_TIMEOUT among the fatal codes can be retried.", plan_retry_codes },
};
/* clang-format on */

const struct shape plan_shape = { .name = "plan",
                                  .size = sizeof(struct plan_doc),
                                  FIELDS(plan_fields),
                                  RULES(plan_rules),
                                  .code = CODE_INVALID_PAYLOAD };
