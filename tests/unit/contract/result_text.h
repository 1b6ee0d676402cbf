/* SPDX-License-Identifier: Apache-2.0 */
/* result_text.h: one result of each status. Include after cmocka.h. */
#pragma once

#include "contract/result_doc.h"
#include "unit/contract/check.h"

#define PLAN           "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"
#define RUN            "3b241101-e2bb-4255-8caf-4136c566a962"
#define STEP           "0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e01"
#define V1             "0d9c8a50-7d2b-1c4e-8f4a-0a5b1c2d3e01"

#define NOT_UUID(text) "'" text "' is not a UUID v4 such as 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"

#define RESULT(status, executed, error)                                                           \
    "plan_id: " PLAN "\nexecution_id: " RUN "\nstatus: " status "\ncompleted_at: 1766000000500\n" \
    "duration_ms: 500\nsteps_executed: " executed                                                 \
    "\nsteps_total: 3\nresult_payload: {a: 1}\n" error

#define ERROR(severity, recoverable)                                                           \
    "error: {error_code: STEP_FAILED, message: exit 2, step_id: " STEP ", severity: " severity \
    ", recoverable: " recoverable ", cause: null, context: {exit_code: 2}}\n"

static const char success[] = RESULT("success", "3", "error: null\n");
static const char partial[] = RESULT("partial", "2", ERROR("error", "true"));
static const char failure[] = RESULT("failure", "1", ERROR("fatal", "false"));

static inline void refuse(const char *text, const struct refusal *rows, size_t count)
{
    check_refusals(&result_shape, text, rows, count);
}

static inline const struct result_doc *accept(struct checked *c, const char *text)
{
    const struct result_doc *doc = check_text(c, &result_shape, text);

    check_clean(c);
    return doc;
}
