/* SPDX-License-Identifier: Apache-2.0 */
/* request_text.h: the least a request may say, and more that is said in it. Include after cmocka.h.
 */
#pragma once

#include "contract/request_doc.h"
#include "unit/contract/check.h"

/* No more than is needed. */
static const char least[] = "execution_id: r1\n"
                            "tool_id: TL-003\n"
                            "adapter_id: ADP-001\n"
                            "inputs: {command: rg}\n"
                            "metadata: {requested_by: me, requested_at: '2026-01-16T10:15:30Z'}\n";

/* The two sides of a swap that add a line. */
#define MORE(more) "inputs: {command: rg}\n", "inputs: {command: rg}\n" more "\n"

static inline void refused(const struct refusal *rows, size_t count)
{
    check_refusals(&request_shape, least, rows, count);
}

static inline void accepted(const char *from, const char *to)
{
    check_accepts(&request_shape, least, from, to);
}
