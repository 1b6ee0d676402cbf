/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: the contracts' tables, and behind them those of the sandbox. */
#include "engine/tables.h"

#include "contract/tables.h"
#include "sandbox/calls.h"
#include "sandbox/environment.h"
#include "sandbox/program.h"
#include "sandbox/protect.h"

/* clang-format off */
static const struct table *const sandbox_tables[] = {
    &environment_table,
    &system_table,
    &protected_table,
    &calls_table,
    &call_rules_table,
    &call_verdicts_table,
};
/* clang-format on */

size_t tables_count(void)
{
    return contract_table_count + COUNT(sandbox_tables);
}

const struct table *tables_at(size_t i)
{
    return i < contract_table_count ? contract_tables[i] : sandbox_tables[i - contract_table_count];
}
