/* SPDX-License-Identifier: Apache-2.0 */
/* event_doc.h: one execution event of the ledger, with its lineage (contract 002). */
#pragma once

#include "contract/gate.h"
#include "contract/shape.h"
#include "contract/states.h"

struct event_error {
    struct str code, message;
    bool retryable;
};

struct event_payload {
    struct str executionId, workflowVersion, agentVersion, target, action, snapshotAt, cancelReason;
    int executionContractVersion;
    int64_t attempt;
    int coherenceStatus; /* enum coherence */
    bool dryRun;
    const struct doc *result, *externalRefs;
    const struct event_error *error;
    double durationMs; /* -1: left out */
};

struct event_lineage {
    struct items dependsOnLedgerIds; /* of struct str */
    struct str rerunOfExecutionId;
};

struct event_doc {
    struct str tenantId, robotId, createdAt;
    int module, source, type;
    int state; /* enum event_state */
    const struct event_payload *payload;
    const struct event_lineage *lineage;
};

extern const struct shape event_shape;
