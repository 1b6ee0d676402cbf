/* SPDX-License-Identifier: Apache-2.0 */
/* sink.c: the names of the news of a plan. */
#include "plan/sink.h"

const char *const news_names[NEWS_COUNT] = {
    [NEWS_STEP_STARTED] = "step_started",      [NEWS_STEP_COMPLETED] = "step_completed",
    [NEWS_STEP_FAILED] = "step_failed",        [NEWS_STEP_RETRIES] = "step_retries",
    [NEWS_SUCCESS] = "plan_execution_success", [NEWS_PARTIAL] = "plan_execution_partial",
    [NEWS_FAILURE] = "plan_execution_failure",
};
