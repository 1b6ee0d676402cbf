/* SPDX-License-Identifier: Apache-2.0 */
/* events.h: execution events by the million: three of each execution, 750 bytes each. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

enum { EVENT_BYTES = 750 };

static inline uint64_t event_chance(uint64_t n)
{
    n *= 0x9e3779b97f4a7c15;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
    n = (n ^ n >> 27) * 0x94d049bb133111eb;
    return n ^ n >> 31;
}

/* The n-th event, depending on one input; ids of executions are random. */
static inline void event_add(struct buf *to, uint64_t n, const char *input)
{
    static const char *const states[] = { "planned", "running", "succeeded" };
    uint64_t a = event_chance(n / 3 * 2), b = event_chance(n / 3 * 2 + 1);
    size_t from = to->len;

    buf_addf(to,
             "{\"createdAt\":\"2030-01-19T10:15:30.000Z\",\"lineage\":{\"dependsOnLedgerIds\":["
             "\"%s\"]},\"module\":\"agent-builder\",\"payload\":{\"action\":\"plan_site_plan\","
             "\"agentVersion\":\"v1\",\"attempt\":1,\"coherenceStatus\":\"coherent\",\"dryRun\":"
             "true,\"executionContractVersion\":\"v1\",\"executionId\":\"%08x-%04x-4%03x-a%03x-"
             "%012llx\",\"snapshotAt\":\"2030-01-19T10:00:00.000Z\",\"target\":\"site_builder\","
             "\"workflowVersion\":\"v1\",\"result\":{\"text\":\"",
             input, (unsigned)(a >> 32), (unsigned)(a & 0xffff), (unsigned)(a >> 16 & 0xfff),
             (unsigned)(b & 0xfff), (unsigned long long)(b >> 16));
    while (to->len - from < EVENT_BYTES - 130)
        buf_addc(to, (char)('a' + to->len % 26));
    buf_addf(to,
             "\"}},\"robotId\":\"r-%03u\",\"source\":\"agent-builder\",\"state\":\"%s\","
             "\"tenantId\":\"t-%03u\",\"type\":\"execution_event\"}\n",
             (unsigned)(n / 3 % 7), states[n % 3], (unsigned)(n / 3 % 5));
}
