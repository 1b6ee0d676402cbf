/* SPDX-License-Identifier: Apache-2.0 */
/* route_shape.c: the shape of the execution adapter's contract (contract 000, output schema). */
#include "contract/route_doc.h"

#include "contract/classes.h"
#include "contract/route_lists.h"
#include "contract/route_rules.h"

const char *const route_contract_versions[] = { "doctor-exec-adapter-v1", NULL };
static const char *const logging_version[] = { "doctor-logging-v1", NULL };

/* Seconds that are still a whole number as milliseconds. */
#define SECS_MAX (WHOLE_MAX / 1000)

enum { RETRIES_MAX = 100 };

/* clang-format off */
#define AT(member) offsetof(struct class_doc, member)
static const struct field class_fields[] = {
    { "class_id",             F_TEXT, ONE,  NEEDED, .at = AT(class_id), .form = FORM_SLUG,                        .req = "R-000-024", .help = "Names the class; it is the scenario where none is given." },
    { "label",                F_TEXT, ONE,  NEEDED, .at = AT(label), .min = 1,                                    .req = "R-000-024", .help = "Names the class for people." },
    { "allowed_prefixes",     F_TEXT, LIST, NEEDED, .at = AT(allowed_prefixes), .least = 1, .min = 1,             .req = "R-000-040", .help = "A command of the class begins with one of them; * takes any." },
    { "force_rch",            F_BOOL, ONE,  NEEDED, .at = AT(force_rch),                                          .req = "R-000-024", .help = "Remote whatever the caller prefers; for cargo only." },
    { "default_timeout_secs", F_INT,  ONE,  NEEDED, .at = AT(default_timeout_secs), .min = 1, .max = SECS_MAX,    .req = "R-000-024", .help = "Told, and no more: what ends a command is its hard timeout." },
};
#undef AT

#define AT(member) offsetof(struct policy_doc, member)
static const struct field policy_fields[] = {
    { "policy_id",      F_TEXT,   ONE, NEEDED, .at = AT(policy_id), .min = 1,                              .req = "R-000-026", .help = "Names the policy." },
    { "condition",      F_CHOICE, ONE, NEEDED, .at = AT(condition), .choices = condition_names,            .req = "R-000-026", .help = "When it holds." },
    { "route",          F_CHOICE, ONE, NEEDED, .at = AT(route), .choices = route_names,                    .req = "R-000-026", .help = "Where the command then runs." },
    { "retry_strategy", F_CHOICE, ONE, NEEDED, .at = AT(retry_strategy), .choices = retry_strategy_names,  .req = "R-000-026", .help = "How it is tried again." },
    { "max_retries",    F_INT,    ONE, NEEDED, .at = AT(max_retries), .min = 0, .max = RETRIES_MAX,        .req = "R-000-026", .help = "Attempts after the first." },
};
#undef AT

#define AT(member) offsetof(struct timeout_doc, member)
static const struct field timeout_fields[] = {
    { "class_id",          F_TEXT, ONE, NEEDED, .at = AT(class_id), .form = FORM_SLUG,                     .req = "R-000-028", .help = "The class it is for." },
    { "soft_timeout_secs", F_INT,  ONE, NEEDED, .at = AT(soft_timeout_secs), .min = 1, .max = SECS_MAX,    .req = "R-000-028", .help = "After this time a warning is recorded." },
    { "hard_timeout_secs", F_INT,  ONE, NEEDED, .at = AT(hard_timeout_secs), .min = 1, .max = SECS_MAX,    .req = "R-000-028", .help = "After this time the command is cancelled." },
    { "cancel_grace_secs", F_INT,  ONE, NEEDED, .at = AT(cancel_grace_secs), .min = 1, .max = SECS_MAX,    .req = "R-000-047", .help = "Time to end after a cancel, before it is killed." },
};
#undef AT

#define AT(member) offsetof(struct transition_doc, member)
static const struct field transition_fields[] = {
    { "from_state", F_TEXT, ONE, NEEDED, .at = AT(from_state), .min = 1, .req = "R-000-030", .help = "The state it leads away from." },
    { "trigger",    F_TEXT, ONE, NEEDED, .at = AT(trigger), .min = 1,    .req = "R-000-030", .help = "What happened." },
    { "to_state",   F_TEXT, ONE, NEEDED, .at = AT(to_state), .min = 1,   .req = "R-000-030", .help = "The state it leads to." },
};
#undef AT

#define AT(member) offsetof(struct failure_doc, member)
static const struct field failure_fields[] = {
    { "code",            F_TEXT,   ONE, NEEDED, .at = AT(code), .min = 1,                    .req = "R-000-035", .help = "Names the failure." },
    { "severity",        F_CHOICE, ONE, NEEDED, .at = AT(severity), .choices = risk_names,   .req = "R-000-035", .help = "How bad it is." },
    { "retryable",       F_BOOL,   ONE, NEEDED, .at = AT(retryable),                         .req = "R-000-035", .help = "May the command be tried again." },
    { "operator_action", F_TEXT,   ONE, NEEDED, .at = AT(operator_action), .min = 1,         .req = "R-000-035", .help = "What the operator does next." },
};
#undef AT

/* clang-format on */

static const struct shape class_shape = { .name = "command class",
                                          .size = sizeof(struct class_doc),
                                          FIELDS(class_fields),
                                          .code = CODE_CONTRACT_INVALID };
static const struct shape policy_shape = { .name = "route policy",
                                           .size = sizeof(struct policy_doc),
                                           FIELDS(policy_fields),
                                           .code = CODE_CONTRACT_INVALID };
static const struct shape timeout_shape = { .name = "timeout profile",
                                            .size = sizeof(struct timeout_doc),
                                            FIELDS(timeout_fields),
                                            .code = CODE_CONTRACT_INVALID };
static const struct shape transition_shape = { .name = "transition",
                                               .size = sizeof(struct transition_doc),
                                               FIELDS(transition_fields),
                                               .code = CODE_CONTRACT_INVALID };
static const struct shape failure_shape = { .name = "failure",
                                            .size = sizeof(struct failure_doc),
                                            FIELDS(failure_fields),
                                            .code = CODE_CONTRACT_INVALID };

/* clang-format off */
#define AT(member) offsetof(struct route_doc, member)
static const struct field route_fields[] = {
    { "contract_version",         F_CHOICE, ONE,  NEEDED, .at = AT(contract_version), .choices = route_contract_versions,         .req = "R-000-007", .help = "Fixed by the contract." },
    { "logging_contract_version", F_CHOICE, ONE,  NEEDED, .at = AT(logging_contract_version), .choices = logging_version,  .req = "R-000-008", .help = "The logging contract it depends on." },
    { "required_request_fields",  F_TEXT,   LIST, NEEDED, .at = AT(required_request_fields), .least = 1, .min = 1,         .req = "R-000-010", .help = "What every request has." },
    { "required_result_fields",   F_TEXT,   LIST, NEEDED, .at = AT(required_result_fields), .least = 1, .min = 1,          .req = "R-000-016", .help = "What every result has." },
    { "command_classes",          F_SHAPE,  LIST, NEEDED, .at = AT(command_classes), .least = 1, .sub = &class_shape,      .req = "R-000-024", .help = "Kinds of command, and how each is told." },
    { "route_policies",           F_SHAPE,  LIST, NEEDED, .at = AT(route_policies), .sub = &policy_shape,                  .req = "R-000-026", .help = "Where a command runs, and when." },
    { "timeout_profiles",         F_SHAPE,  LIST, NEEDED, .at = AT(timeout_profiles), .sub = &timeout_shape,               .req = "R-000-028", .help = "The times of each class." },
    { "state_transitions",        F_SHAPE,  LIST, NEEDED, .at = AT(state_transitions), .sub = &transition_shape,           .req = "R-000-030", .help = "The only moves a command can make." },
    { "failure_taxonomy",         F_SHAPE,  LIST, NEEDED, .at = AT(failure_taxonomy), .sub = &failure_shape,               .req = "R-000-035", .help = "How a command fails, and what to do then." },
    { "artifact_manifest_fields", F_TEXT,   LIST, NEEDED, .at = AT(artifact_manifest_fields), .least = 1, .min = 1,        .req = "R-000-037", .help = "What the manifest of every command has." },
};
#undef AT

static const struct rule route_rules[] = {
    { "R-000-010", "required_request_fields are exactly those of the contract.",          route_request_fields },
    { "R-000-016", "required_result_fields are exactly those of the contract.",           route_result_fields },
    { "R-000-037", "artifact_manifest_fields are exactly those of the contract.",         route_manifest_fields },
    { "R-000-038", "Lists of texts are in lexical order.",                                route_texts_lexical },
    { "R-000-039", "Lists of texts hold nothing twice.",                                  route_texts_unique },
    { "R-000-041", "Command classes are in lexical order of class_id, each once.",        route_classes_lexical },
    { "R-000-042", "Every class has one timeout profile, and every profile a class.",     route_profiles_match },
    { "R-000-043", "A class with force_rch allows cargo commands only.",                  route_force_is_cargo },
    { "R-000-044", "There is a policy remote_rch_default.",                               route_policy_remote },
    { "R-000-045", "There is a policy local_fallback_on_rch_unavailable.",                route_policy_fallback },
    { "R-000-026", "Every policy_id is there once.",                                      route_policies_unique },
    { "R-000-046", "soft_timeout_secs is not above hard_timeout_secs.",                   route_soft_within_hard },
    { "A00-9",     "default_timeout_secs is not above hard_timeout_secs.",                route_default_within_hard },
    { "R-000-048", "A state and a trigger lead to one state.",                            route_edges_unique },
    { "R-000-049", "running --cancel--> cancel_requested is declared.",                   route_edge_cancel },
    { "R-000-050", "cancel_requested --cancel_completed--> cancelled is declared.",       route_edge_cancel_completed },
    { "R-000-051", "cancel_requested --cancel_timeout--> failed is declared.",            route_edge_cancel_timeout },
    { "R-000-052", "There is a failure command_failed.",                                  route_code_command_failed },
    { "R-000-053", "There is a failure command_timeout.",                                 route_code_command_timeout },
    { "R-000-054", "There is a failure invalid_transition.",                              route_code_invalid_transition },
    { "R-000-055", "There is a failure rch_unavailable.",                                 route_code_rch_unavailable },
    { "R-000-035", "Every code of the failures is there once.",                           route_codes_unique },
};
/* clang-format on */

const struct shape route_shape = { .name = "route contract",
                                   .size = sizeof(struct route_doc),
                                   FIELDS(route_fields),
                                   RULES(route_rules),
                                   .code = CODE_CONTRACT_INVALID };
