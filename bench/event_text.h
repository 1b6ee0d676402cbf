/* SPDX-License-Identifier: Apache-2.0 */
/* event_text.h: an execution event as a run of writ leaves it. */
#pragma once

static const char event_text[] =
    "{\"tenantId\":\"t-001\",\"robotId\":\"r-001\",\"module\":\"agent-builder\","
    "\"source\":\"agent-builder\",\"type\":\"execution_event\",\"state\":\"succeeded\","
    "\"createdAt\":\"2025-01-19T10:15:30.000Z\",\"payload\":{"
    "\"executionId\":\"8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11\",\"workflowVersion\":\"v1\","
    "\"agentVersion\":\"writ 0.1.0\",\"executionContractVersion\":\"v1\",\"attempt\":1,"
    "\"target\":\"site_builder\",\"action\":\"plan_site_plan\","
    "\"snapshotAt\":\"2025-01-19T10:00:00.000Z\",\"coherenceStatus\":\"coherent\","
    "\"dryRun\":true,\"result\":{\"exit_code\":0,\"cause\":\"exited\","
    "\"stdout\":{\"bytes\":12,\"digest\":"
    "\"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"}},"
    "\"durationMs\":12.5},\"lineage\":{\"dependsOnLedgerIds\":["
    "\"led-3f0c6a52-3c1e-4b0a-9d3e-2f6f0c0a7b11\","
    "\"led-4f0c6a52-3c1e-4b0a-9d3e-2f6f0c0a7b12\"]}}";
