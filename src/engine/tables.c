/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: the contracts' tables, and behind them those of adapters, executors, ledger, plans,
 * routes and sandbox. */
#include "engine/tables.h"

#include "adapter/cache.h"
#include "adapter/callable.h"
#include "adapter/transform.h"
#include "contract/tables.h"
#include "engine/call.h"
#include "engine/deeds.h"
#include "executor/builtin.h"
#include "executor/review.h"
#include "ledger/entry.h"
#include "ledger/judge.h"
#include "plan/plan.h"
#include "route/frame.h"
#include "route/lane_ends.h"
#include "route/transcript.h"
#include "sandbox/calls.h"
#include "sandbox/environment.h"
#include "sandbox/held_open.h"
#include "sandbox/process.h"
#include "sandbox/protect.h"
#include "sandbox/system.h"

/* clang-format off */
static const struct table *const more_tables[] = {
    &deeds_table,
    &transforms_table,
    &parsers_table,
    &formats_table,
    &callable_table,
    &builtins_table,
    &review_table,
    &entry_kinds_table,
    &judge_table,
    &plan_success_table,
    &plan_partial_table,
    &plan_failure_table,
    &lane_endings_table,
    &transcript_events_table,
    &frames_table,
    &cache_sizes_table,
    &environment_table,
    &process_table,
    &held_open_table,
    &system_table,
    &protected_table,
    &calls_table,
    &call_rules_table,
    &call_verdicts_table,
};
/* clang-format on */

size_t tables_count(void)
{
    return contract_table_count + COUNT(more_tables);
}

const struct table *tables_at(size_t i)
{
    return i < contract_table_count ? contract_tables[i] : more_tables[i - contract_table_count];
}
