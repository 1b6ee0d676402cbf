/* SPDX-License-Identifier: Apache-2.0 */
/* event_shape.c: the shape of an execution event (contract 002, section 6). */
#include "contract/event_doc.h"

#include "contract/event_rules.h"

static const char *const builder[] = { "agent-builder", NULL };
static const char *const event_type[] = { "execution_event", NULL };
static const char *const contract_v1[] = { "v1", NULL };

/* clang-format off */
#define AT(member) offsetof(struct event_error, member)
static const struct field error_fields[] = {
    { "code",      F_TEXT, ONE, NEEDED, .at = AT(code), .min = 1,  .req = "R-002-056", .help = "What kind of failure; any non-empty code." },
    { "message",   F_TEXT, ONE, NEEDED, .at = AT(message),         .req = "R-002-056", .help = "The failure in words." },
    { "retryable", F_BOOL, ONE, NEEDED, .at = AT(retryable),       .req = "R-002-056", .help = "May another attempt follow." },
};
#undef AT

#define AT(member) offsetof(struct event_lineage, member)
static const struct field lineage_fields[] = {
    { "dependsOnLedgerIds", F_TEXT, LIST, NEEDED,   .at = AT(dependsOnLedgerIds), .least = 1, .min = 1, .req = "R-002-061", .help = "Ledger entries that justify the output." },
    { "rerunOfExecutionId", F_TEXT, ONE,  OPTIONAL, .at = AT(rerunOfExecutionId),                       .req = "R-002-062", .help = "The execution this one repeats." },
};
#undef AT
/* clang-format on */

static const struct shape error_shape = { .name = "payload error",
                                          .size = sizeof(struct event_error),
                                          FIELDS(error_fields),
                                          .code = CODE_VALIDATION_ERROR,
                                          .open = true };
static const struct shape lineage_shape = { .name = "lineage",
                                            .size = sizeof(struct event_lineage),
                                            FIELDS(lineage_fields),
                                            .code = CODE_VALIDATION_ERROR,
                                            .open = true };

/* clang-format off */
#define AT(member) offsetof(struct event_payload, member)
static const struct field payload_fields[] = {
    { "executionId",              F_TEXT,   ONE, NEEDED,   .at = AT(executionId), .min = 1, .later = true,                          .req = "R-002-045", .help = "Names the execution." },
    { "workflowVersion",          F_TEXT,   ONE, NEEDED,   .at = AT(workflowVersion), .min = 1,                      .req = "R-002-046", .help = "Version of the workflow." },
    { "agentVersion",             F_TEXT,   ONE, NEEDED,   .at = AT(agentVersion), .min = 1,                         .req = "R-002-047", .help = "Version of the execution engine." },
    { "executionContractVersion", F_CHOICE, ONE, NEEDED,   .at = AT(executionContractVersion), .choices = contract_v1, .req = "R-002-048", .help = "Version of this contract." },
    { "attempt",                  F_INT,    ONE, NEEDED,   .at = AT(attempt), .min = 1, .max = WHOLE_MAX,            .req = "R-002-049", .help = "Which attempt this is, from 1." },
    { "target",                   F_TEXT,   ONE, NEEDED,   .at = AT(target), .min = 1,                               .req = "R-002-050", .help = "What the execution works on." },
    { "action",                   F_TEXT,   ONE, NEEDED,   .at = AT(action), .min = 1,                               .req = "R-002-051", .help = "What it does." },
    { "snapshotAt",               F_TEXT,   ONE, NEEDED,   .at = AT(snapshotAt), .form = FORM_STAMP, .later = true,                 .req = "R-002-052", .help = "The moment the lineage is taken from; not after createdAt." },
    { "coherenceStatus",          F_CHOICE, ONE, NEEDED,   .at = AT(coherenceStatus), .choices = coherence_names, .later = true,    .req = "R-002-053", .help = "Do the inputs fit together." },
    { "dryRun",                   F_BOOL,   ONE, NEEDED,   .at = AT(dryRun),                                         .req = "R-002-054", .help = "true: nothing is published outside." },
    { "result",                   F_MAP,    ONE, OPTIONAL, .at = AT(result),                                         .req = "R-002-055", .help = "What came out; not for failed or cancelled." },
    { "error",                    F_SHAPE,  ONE, OPTIONAL, .at = AT(error), .sub = &error_shape,                     .req = "R-002-056", .help = "Why it failed." },
    { "cancelReason",             F_TEXT,   ONE, OPTIONAL, .at = AT(cancelReason),                                   .req = "R-002-057", .help = "Why it was cancelled." },
    { "externalRefs",             F_MAP,    ONE, OPTIONAL, .at = AT(externalRefs),                                   .req = "R-002-058", .help = "Names of things kept elsewhere." },
    { "durationMs",               F_NUMBER, ONE, OPTIONAL, .at = AT(durationMs), .bare = true, .fallback = -1,                .req = "R-002-059", .help = "How long it took." },
};
#undef AT
/* clang-format on */

static const struct shape payload_shape = { .name = "payload",
                                            .size = sizeof(struct event_payload),
                                            FIELDS(payload_fields),
                                            .code = CODE_VALIDATION_ERROR,
                                            .open = true };

/* clang-format off */
#define AT(member) offsetof(struct event_doc, member)
static const struct field event_fields[] = {
    { "tenantId",  F_TEXT,   ONE, NEEDED, .at = AT(tenantId), .min = 1,                   .req = "R-002-037", .help = "Whose execution it is." },
    { "robotId",   F_TEXT,   ONE, NEEDED, .at = AT(robotId), .min = 1,                    .req = "R-002-038", .help = "Which robot ran it." },
    { "module",    F_CHOICE, ONE, NEEDED, .at = AT(module), .choices = builder,           .req = "R-002-039", .help = "Fixed by the contract." },
    { "source",    F_CHOICE, ONE, NEEDED, .at = AT(source), .choices = builder,           .req = "R-002-040", .help = "Fixed by the contract." },
    { "type",      F_CHOICE, ONE, NEEDED, .at = AT(type), .choices = event_type,          .req = "R-002-041", .help = "Fixed by the contract." },
    { "state",     F_CHOICE, ONE, NEEDED, .at = AT(state), .choices = event_state_names,  .req = "R-002-042", .help = "What the execution has come to." },
    { "createdAt", F_TEXT,   ONE, NEEDED, .at = AT(createdAt), .form = FORM_STAMP, .later = true,        .req = "R-002-043", .help = "When the event happened." },
    { "payload",   F_SHAPE,  ONE, NEEDED, .at = AT(payload), .sub = &payload_shape,       .req = "R-002-044", .help = "The execution and its outcome; with lineage it decides what is the same event." },
    { "lineage",   F_SHAPE,  ONE, NEEDED, .at = AT(lineage), .sub = &lineage_shape,       .req = "R-002-060", .help = "What it rests on." },
};
#undef AT

static const struct rule event_rules[] = {
    { "R-002-066", "payload.snapshotAt is not later than createdAt.",                        event_snapshot_order },
    { "R-002-009", "A rerun has another executionId than what it repeats.",                  event_repeats_another },
    { "R-002-069", "A failed event has payload.error.",                                      event_failed_has_error },
    { "R-002-070", "A cancelled event has payload.cancelReason.",                            event_cancelled_has_reason },
    { "R-002-071", "A succeeded event should have payload.result.",                          event_succeeded_has_result },
    { "R-002-072", "A failed or cancelled event has no payload.result.",                     event_ended_badly_has_no_result },
    { "R-002-073", "A stale event is failed with COHERENCE_BLOCKED and retryable false.",    event_stale_is_blocked },
    { "R-002-056", "Only a failed event should carry payload.error.",                        event_error_is_expected },
};
/* clang-format on */

const struct shape event_shape = { .name = "ledger event",
                                   .size = sizeof(struct event_doc),
                                   FIELDS(event_fields),
                                   RULES(event_rules),
                                   .code = CODE_VALIDATION_ERROR,
                                   .open = true };
