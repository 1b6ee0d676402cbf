/* SPDX-License-Identifier: Apache-2.0 */
/* route_json.c: a plan of a route as JSON. */
#include "base/json_write.h"
#include "route/route.h"

static void put_text(struct buf *to, const char *key, struct str text)
{
    json_key(to, key);
    if (text.s)
        json_outside(to, text);
    else
        json_nil(to);
}

static void put_list(struct buf *to, const char *key, const struct str *texts, size_t n)
{
    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < n; i++)
        json_outside(to, texts[i]);
    json_close(to, ']');
}

static void put_timeouts(struct buf *to, const struct route_plan *plan)
{
    json_key(to, "timeouts");
    json_open(to, '{');
    json_put_int(to, "soft_timeout_secs", plan->soft_timeout_secs);
    json_put_int(to, "hard_timeout_secs", plan->hard_timeout_secs);
    json_put_int(to, "cancel_grace_secs", plan->cancel_grace_secs);
    json_close(to, '}');
}

void route_plan_json(const struct route_plan *plan, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "contract_version", route_contract_versions[0]);
    put_text(to, "command_id", plan->command_id);
    put_text(to, "command_class", plan->command_class);
    put_text(to, "correlation_id", plan->correlation_id);
    put_text(to, "scenario_id", plan->scenario_id);
    put_text(to, "normalized_command", plan->normalized_command);
    put_list(to, "argv", plan->words.v, plan->words.n);
    json_put(to, "route", route_names[plan->route]);
    json_put(to, "route_reason", route_reason_names[plan->reason]);
    put_text(to, "policy_id", plan->policy ? plan->policy->policy_id : (struct str){ 0 });
    put_text(to, "worker", plan->worker ? plan->worker->name : (struct str){ 0 });
    put_text(to, "routed_command", plan->routed_command);
    put_timeouts(to, plan);
    json_put_int(to, "max_retries", plan->max_retries);
    json_put_bool(to, "downgraded", plan->downgraded);
    json_put(to, "unavailable", plan->unavailable);
    json_put(to, "state", route_state_names[plan->state]);
    put_list(to, "artifact_manifest_fields", plan->manifest_fields->v, plan->manifest_fields->n);
    json_close(to, '}');
}
