/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c: the table of document kinds. The first row whose marks are there wins; one that may have
 * any members beside its own goes before the others. */
#include "contract/kinds.h"

#include "contract/adapter_doc.h"
#include "contract/config_doc.h"
#include "contract/context_doc.h"
#include "contract/event_doc.h"
#include "contract/executor_doc.h"
#include "contract/lane_doc.h"
#include "contract/plan_doc.h"
#include "contract/registry_doc.h"
#include "contract/request_doc.h"
#include "contract/result_doc.h"
#include "contract/route_doc.h"
#include "contract/template_doc.h"

/* clang-format off */
const struct kind_row kinds[] = {
    { "plan",          "004", "Steps in order, and what a failure of each means.",      { "steps", "context_requirements", "id", "created_at" },             &plan_shape, .least = 2 },
    { "template",      "004", "A plan as people write it: names for ids, defaults left out.", { "steps" },                             &template_shape },
    { "context",       "004", "What a plan is run with: time, deadline, environment.",  { "plan", "execution_id" },                        &context_shape },
    { "result",        "004", "How a plan ended.",                                      { "plan_id", "steps_total" },                      &result_shape },
    { "request",       "001", "One command under limits (the execution contract).",     { "inputs" },                                      &request_shape },
    { "adapter",       "001", "A tool described for writ: cli, api, sdk or mcp.",       { "adapter_id", "interface" },                     &adapter_shape },
    { "registry",      "001", "The tools that are allowed, and to do what.",            { "tools" },                                       &registry_shape },
    { "event",         "002", "One entry about one execution in the ledger; other members are kept as the first writer has them.", { "tenantId", "payload" },                         &event_shape },
    { "executor",      "003", "The manifest of a pure function.",                       { "executor_id", "limits" },                       &executor_shape },
    { "action",        "003", "A call of an executor.",                                 { "executor_id", "payload" },                      &action_shape },
    { "audit",         "003", "What the pipeline records of a call, by digest.",        { "event_type", "executor_id" },                   &audit_shape },
    { "action_result", "003", "What a call of an executor came to.",                    { "executor_id", "reason_codes" },                 &action_result_shape },
    { "route",         "000", "Classes, policies, timeouts and states of command lanes (ExecutionAdapterContract).", { "contract_version" }, &route_shape },
    { "lane",          "000", "A command to be routed.",                                { "command_class", "raw_command" },                &lane_shape },
    { "lane_result",   "000", "What a routed command came to.",                         { "routed_command", "artifact_manifest" },         &lane_result_shape },
    { "manifest",      "000", "The pointers kept for replay and audit of a lane.",      { "run_id", "transcript_path" },                   &manifest_shape },
    { "config",        "000", "Classes of commands, workers, MCP servers, hosts of registries, and what to do without a worker: .writ/config.yaml and the user's own.", { "classes", "workers", "remote", "fallback", "servers", "secrets", "network", "dependency_skip" }, &config_shape, .least = 1 },
};
const size_t kind_count = COUNT(kinds);
_Static_assert(COUNT(kinds) <= KINDS_MAX, "lists of all kinds have KINDS_MAX places");

static const struct column kind_columns[] = {
    { "kind",     COLUMN_TEXT, offsetof(struct kind_row, name) },
    { "contract", COLUMN_TEXT, offsetof(struct kind_row, contract) },
    { "meaning",  COLUMN_TEXT, offsetof(struct kind_row, meaning) },
};
/* clang-format on */

const struct table kinds_table = { .name = "kinds",
                                   .about = "The kinds of document writ knows.",
                                   COLUMNS(kind_columns),
                                   .keys = 1,
                                   ROWS(kinds) };

const struct kind_row *kind_named(struct str name)
{
    for (size_t i = 0; i < kind_count; i++)
        if (str_is(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static bool has_marks(const struct doc *d, const struct kind_row *kind)
{
    size_t marks = 0, there = 0;

    for (; marks < KIND_MARKS && kind->marks[marks]; marks++)
        there += doc_get(d, kind->marks[marks]) != NULL;
    return there >= (kind->least ? kind->least : marks);
}

const struct kind_row *kind_of(const struct doc *d)
{
    const struct kind_row *found = NULL;

    for (size_t i = 0; i < kind_count; i++) {
        if (has_marks(d, &kinds[i]) && kinds[i].shape->open)
            return &kinds[i];
        if (!found && has_marks(d, &kinds[i]))
            found = &kinds[i];
    }
    return found;
}

bool kind_check(const struct kind_row *kind, const struct doc *d, struct report *r)
{
    return shape_decode(kind->shape, d, r, arena_alloc(r->a, kind->shape->size));
}
