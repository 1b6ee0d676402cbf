/* SPDX-License-Identifier: Apache-2.0 */
/* event_text.h: the valid event of contract 002, and events of other states. Include after
 * cmocka.h. */
#pragma once

#include "contract/event_doc.h"
#include "unit/contract/data.h"

#define NOT_STAMP(text) "'" text "' is not a timestamp such as 2026-01-16T10:15:30.000Z"

static inline void refuse(const char *text, const struct refusal *rows, size_t count)
{
    check_refusals(&event_shape, text, rows, count);
}

/* The valid example of the contract: it is what every test here starts from. */
static inline const char *valid(void)
{
    static struct arena a;
    static const char *text;

    if (!text)
        text = data_text(&a, "contract-002/valid.json");
    return text;
}

#define PAYLOAD(state, status, more)                                                          \
    "{\"tenantId\":\"t\",\"robotId\":\"r\",\"module\":\"agent-builder\","                     \
    "\"source\":\"agent-builder\",\"type\":\"execution_event\",\"state\":\"" state "\","      \
    "\"createdAt\":\"2025-01-19T10:15:30.000Z\",\"payload\":{\"executionId\":\"e\","          \
    "\"workflowVersion\":\"v1\",\"agentVersion\":\"v1\",\"executionContractVersion\":\"v1\"," \
    "\"attempt\":1,\"target\":\"t\",\"action\":\"a\","                                        \
    "\"snapshotAt\":\"2025-01-19T10:00:00.000Z\",\"coherenceStatus\":\"" status "\","         \
    "\"dryRun\":true" more "},\"lineage\":{\"dependsOnLedgerIds\":[\"led-1\"]}}"

#define ERROR(code, retryable) \
    ",\"error\":{\"code\":\"" code "\",\"message\":\"m\",\"retryable\":" retryable "}"
