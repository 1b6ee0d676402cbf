/* SPDX-License-Identifier: Apache-2.0 */
/* template_doc.c: the shape of a plan as people write it. */
#include "contract/template_doc.h"

#include "contract/plan_graph.h"
#include "contract/whole.h"

/* ---- rules of a step ---- */

static bool is_run(const struct doc *d)
{
    return doc_get(d, "run");
}

static void one_of_two(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *action = doc_get(d, "action"), *run = doc_get(d, "run");

    (void)decoded;
    if (action && run)
        report_add(r, ABOUT_KEY, run, CODE_INVALID_PAYLOAD,
                   "a step has an action or a command to run, not both");
    if (!action && !run)
        report_add(r, ABOUT_VALUE, d, CODE_INVALID_PAYLOAD,
                   "a step needs 'run', a command and its arguments, or 'action'");
}

/* What stands beside an action or a command and would be without effect. */
static void said_in_vain(const struct doc *d, const void *decoded, struct report *r)
{
    static const char *const of_run[] = { "tool",    "inputs",   "sandbox",
                                          "outputs", "approval", "route" };
    const struct doc *payload = doc_get(d, "payload");

    (void)decoded;
    if (is_run(d) && payload)
        report_add(r, ABOUT_KEY, payload, CODE_INVALID_PAYLOAD,
                   "a payload goes with an action; 'run' makes its own");
    for (size_t i = 0; !is_run(d) && i < COUNT(of_run); i++) {
        const struct doc *member = doc_get(d, of_run[i]);

        if (member)
            report_add(r, ABOUT_KEY, member, CODE_INVALID_PAYLOAD,
                       "%s goes with 'run'; of an action it stands in its payload", of_run[i]);
    }
}

/* What holds of a request holds of a command that is written shorter. */
static void run_is_a_request(const struct doc *d, const void *decoded, struct report *r)
{
    const struct template_step *step = decoded;
    struct request_doc request = { .sandbox = step->sandbox, .approval = step->approval };
    const struct str *command = step->run.v;

    if (!is_run(d))
        return;
    if (step->run.n > 0 && command->s && command->n == 0)
        report_add(r, ABOUT_VALUE, doc_get(d, "run")->first, CODE_INVALID_PAYLOAD,
                   "the command has 0 characters, allowed 1 or more");
    request_levels_approved(d, &request, r);
    whole_texts(d, decoded, r);
}

/* ---- rules of a template ---- */

static const struct graph_words words = {
    .document = "template",
    .id = "name",
    .edges = "after",
    .by_name = true,
    .step_size = sizeof(struct template_step),
    .id_at = offsetof(struct template_step, name),
    .edges_at = offsetof(struct template_step, after),
};

static void names_unique(const struct doc *d, const void *decoded, struct report *r)
{
    graph_unique(&words, d, &((const struct template_doc *)decoded)->steps, r);
}

static void after_known(const struct doc *d, const void *decoded, struct report *r)
{
    graph_known(&words, d, &((const struct template_doc *)decoded)->steps, r);
}

static void acyclic(const struct doc *d, const void *decoded, struct report *r)
{
    graph_acyclic(&words, d, &((const struct template_doc *)decoded)->steps, r);
}

static void codes_retried(const struct doc *d, const void *decoded, struct report *r)
{
    retry_codes(doc_get(d, "retry"), ((const struct template_doc *)decoded)->retry, r);
}

/* There the plan keeps the names of its steps. */
static void metadata_free(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *metadata = doc_get(d, "metadata");
    const struct doc *taken = metadata ? doc_get(metadata, "writ") : NULL;

    (void)decoded;
    if (taken)
        report_add(r, ABOUT_KEY, taken, CODE_INVALID_PAYLOAD,
                   "metadata.writ is where the plan keeps the names of its steps");
}

/* clang-format off */
#define AT(member) offsetof(struct template_step, member)
static const struct field step_fields[] = {
    { "name",       F_TEXT,   ONE,  NEEDED,   .at = AT(name), .min = 1, .max = STEP_NAME_MAX, .form = FORM_STEP_NAME, .req = "R-004-021", .help = "Names the step; unique within the template." },
    { "run",        F_TEXT,   LIST, OPTIONAL, .at = AT(run), .least = 1,                             .req = "R-004-023", .help = "A command and its arguments: the action execute, written shorter." },
    { "action",     F_TEXT,   ONE,  OPTIONAL, .at = AT(action), .min = 1, .max = STEP_ACTION_MAX,    .req = "R-004-023", .help = "What to do, where it is not a command: ADAPTER.OPERATION, the id of an executor, validate, notify, execute_plan." },
    { "payload",    F_MAP,    ONE,  OPTIONAL, .at = AT(payload),                                     .req = "R-004-024", .help = "The action's parameters; {} when left out." },
    { "tool",       F_TEXT,   ONE,  OPTIONAL, .at = AT(tool), .min = 1,                              .req = "R-001-003", .help = "Of a command: the registry's tool that lets it run; when left out, the one that lists it." },
    { "inputs",       F_SHAPE,  ONE,  OPTIONAL, .at = AT(inputs), .sub = &request_beside_run_shape,                    .req = "R-001-005", .help = "Of a command: what else it is run with." },
    { "sandbox",      F_SHAPE,  ONE,  OPTIONAL, .at = AT(sandbox), .sub = &request_sandbox_shape,                      .req = "R-001-011", .help = "Of a command: the limits it runs under." },
    { "outputs",      F_SHAPE,  ONE,  OPTIONAL, .at = AT(outputs), .sub = &request_outputs_shape,                      .req = "R-001-022", .help = "Of a command: what is expected of it and what is kept." },
    { "approval",     F_SHAPE,  ONE,  OPTIONAL, .at = AT(approval), .sub = &request_approval_shape,                    .req = "R-001-049", .help = "Of a command: why a level that needs approval is used." },
    { "route",        F_SHAPE,  ONE,  OPTIONAL, .at = AT(route), .sub = &request_route_shape,                          .req = "R-000-002", .help = "Of a command: where it runs, as a lane of a class." },
    { "after",      F_TEXT,   LIST, OPTIONAL, .at = AT(after), .min = 1,                             .req = "R-004-025", .help = "Names of the steps that must be completed first." },
    { "on_failure", F_CHOICE, ONE,  OPTIONAL, .at = AT(on_failure), .choices = on_failure_names, .fallback = ON_FAILURE_HALT, .req = "R-004-026", .help = "What a failure of this step means for the plan." },
    { "timeout_ms", F_INT,    ONE,  NULLABLE, .at = AT(timeout_ms), .min = 1, .max = WHOLE_MAX,      .req = "R-004-027", .help = "Longest time for one attempt; the plan's when left out." },
};
#undef AT

static const struct rule step_rules[] = {
    { "R-004-023", "A step has either an action or a command to run.",          one_of_two },
    { "R-004-024", "A payload goes with an action, and a request with 'run'.",  said_in_vain },
    { "R-001-005", "What stands beside 'run' is right in a request, too.",      run_is_a_request },
};
/* clang-format on */

static const struct shape step_shape = { .name = "step",
                                         .size = sizeof(struct template_step),
                                         FIELDS(step_fields),
                                         RULES(step_rules),
                                         .code = CODE_INVALID_PAYLOAD };

/* clang-format off */
#define AT(member) offsetof(struct template_doc, member)
static const struct field template_fields[] = {
    { "name",                  F_TEXT,  ONE,  NEEDED,   .at = AT(name), .min = 1, .max = PLAN_NAME_MAX,            .req = "R-004-008", .help = "Names the plan for people." },
    { "needs",                 F_TEXT,  LIST, OPTIONAL, .at = AT(needs), .min = 1,                                 .req = "R-004-009", .help = "Keys the environment must have." },
    { "steps",                 F_SHAPE, LIST, NEEDED,   .at = AT(steps), .least = 1, .most = PLAN_STEPS_MAX, .sub = &step_shape, .req = "R-004-006", .help = "What to do, in order." },
    { "timeout_ms",            F_INT,   ONE,  OPTIONAL, .at = AT(timeout_ms), .min = 1, .max = WHOLE_MAX, .fallback = 300000, .req = "R-004-011", .help = "Longest time for the whole plan." },
    { "retry",                 F_SHAPE, ONE,  OPTIONAL, .at = AT(retry), .sub = &retry_shape, .filled = true,      .req = "R-004-012", .help = "When and how often a failed step is tried again." },
    { "priority",              F_INT,   ONE,  OPTIONAL, .at = AT(priority),                                        .req = "R-004-010", .help = "For the caller's queue; higher first." },
    { "metadata",              F_MAP,   ONE,  OPTIONAL, .at = AT(metadata), .filled = true,                        .req = "R-004-013", .help = "The author's own data; not interpreted, but for writ, which is writ's." },
    { "tags",                  F_TEXT,  LIST, OPTIONAL, .at = AT(tags),                                            .req = "R-004-014", .help = "Labels for filtering and audit." },
    { "estimated_duration_ms", F_INT,   ONE,  NULLABLE, .at = AT(estimated_duration_ms), .min = 0, .max = WHOLE_MAX, .fallback = -1, .req = "R-004-015", .help = "A guess, for people." },
};
#undef AT

static const struct rule template_rules[] = {
    { "R-004-021", "Names of steps are unique within the template.",                   names_unique },
    { "R-004-219", "Every name after which a step comes is a step of the template.",   after_known },
    { "R-004-217", "No step waits for itself, through others too.",                    acyclic },
    { "A04-35",    "Only STEP_TIMEOUT among the fatal codes can be retried.",          codes_retried },
    { "R-004-013", "metadata has no member writ.",                                     metadata_free },
};
/* clang-format on */

const struct shape template_shape = { .name = "template",
                                      .size = sizeof(struct template_doc),
                                      FIELDS(template_fields),
                                      RULES(template_rules),
                                      .code = CODE_INVALID_PAYLOAD };
