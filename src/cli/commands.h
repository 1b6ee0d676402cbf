/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: one row for each verb; each lives in the file of its name. */
#pragma once

#include "cli/args.h"

extern const struct command cmd_run, cmd_exec, cmd_diff, cmd_commit, cmd_discard, cmd_call,
    cmd_cancel, cmd_apply, cmd_executors, cmd_executors_add, cmd_tools, cmd_adapters,
    cmd_adapters_import, cmd_plan, cmd_plan_show, cmd_plan_graph, cmd_route, cmd_route_contract,
    cmd_route_plan, cmd_route_advance, cmd_route_remediation, cmd_check, cmd_canon, cmd_digest,
    cmd_query, cmd_log, cmd_show, cmd_verify, cmd_checkpoint, cmd_prove, cmd_export, cmd_ledger,
    cmd_ledger_append, cmd_ledger_input, cmd_ledger_erase, cmd_ledger_rejects, cmd_golden,
    cmd_golden_record, cmd_golden_check, cmd_golden_diff, cmd_cache, cmd_cache_list,
    cmd_cache_clear, cmd_mcp, cmd_mcp_probe, cmd_worker, cmd_explain, cmd_init, cmd_adopt,
    cmd_doctor;
