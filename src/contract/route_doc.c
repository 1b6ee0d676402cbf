/* SPDX-License-Identifier: Apache-2.0 */
/* route_doc.c: the route contract writ ships, filled from its tables. */
#include "contract/route_doc.h"

#include "contract/classes.h"
#include "contract/names.h"
#include "contract/states.h"

/* A list of names, ended by NULL, as texts. */
static struct items texts(const char *const *names, struct arena *a)
{
    struct str *text;
    size_t n = 0;

    while (names[n])
        n++;
    text = arena_alloc(a, n * sizeof *text);
    for (size_t i = 0; i < n; i++)
        text[i] = str_of(names[i]);
    return (struct items){ text, n };
}

static struct items shipped_classes(struct arena *a)
{
    struct class_doc *class = arena_alloc(a, CLASS_COUNT * sizeof *class);

    for (size_t i = 0; i < CLASS_COUNT; i++)
        class[i] = (struct class_doc){ .class_id = str_of(classes[i].class_id),
                                       .label = str_of(classes[i].label),
                                       .allowed_prefixes = texts(classes[i].prefixes, a),
                                       .force_rch = classes[i].force_rch,
                                       .default_timeout_secs = classes[i].default_timeout_secs };
    return (struct items){ class, CLASS_COUNT };
}

static struct items shipped_timeouts(struct arena *a)
{
    struct timeout_doc *timeout = arena_alloc(a, CLASS_COUNT * sizeof *timeout);

    for (size_t i = 0; i < CLASS_COUNT; i++)
        timeout[i] = (struct timeout_doc){ .class_id = str_of(classes[i].class_id),
                                           .soft_timeout_secs = classes[i].soft_timeout_secs,
                                           .hard_timeout_secs = classes[i].hard_timeout_secs,
                                           .cancel_grace_secs = classes[i].cancel_grace_secs };
    return (struct items){ timeout, CLASS_COUNT };
}

static struct items shipped_policies(struct arena *a)
{
    struct policy_doc *policy = arena_alloc(a, ROUTE_POLICIES * sizeof *policy);

    for (size_t i = 0; i < ROUTE_POLICIES; i++)
        policy[i] = (struct policy_doc){ .policy_id = str_of(policies[i].policy_id),
                                         .condition = (int)policies[i].condition,
                                         .route = (int)policies[i].route,
                                         .retry_strategy = (int)policies[i].retry_strategy,
                                         .max_retries = policies[i].max_retries };
    return (struct items){ policy, ROUTE_POLICIES };
}

static struct items shipped_transitions(struct arena *a)
{
    struct transition_doc *edge = arena_alloc(a, ROUTE_EDGES * sizeof *edge);

    for (size_t i = 0; i < ROUTE_EDGES; i++)
        edge[i] = (struct transition_doc){
            .from_state = str_of(route_state_names[route_edges[i].from]),
            .trigger = str_of(route_trigger_names[route_edges[i].by]),
            .to_state = str_of(route_state_names[route_edges[i].to]),
        };
    return (struct items){ edge, ROUTE_EDGES };
}

static struct items shipped_failures(struct arena *a)
{
    struct failure_doc *failure = arena_alloc(a, TAXONOMY_COUNT * sizeof *failure);

    for (size_t i = 0; i < TAXONOMY_COUNT; i++) {
        const struct code_row *row = &codes[taxonomy[i]];

        failure[i] = (struct failure_doc){ .code = str_of(row->name),
                                           .severity = name_at(risk_names, str_of(row->severity)),
                                           .retryable = row->retryable,
                                           .operator_action = str_of(row->action) };
    }
    return (struct items){ failure, TAXONOMY_COUNT };
}

void route_shipped(struct arena *a, struct route_doc *out)
{
    *out = (struct route_doc){
        .required_request_fields = texts(lane_request_fields, a),
        .required_result_fields = texts(lane_result_fields, a),
        .command_classes = shipped_classes(a),
        .route_policies = shipped_policies(a),
        .timeout_profiles = shipped_timeouts(a),
        .state_transitions = shipped_transitions(a),
        .failure_taxonomy = shipped_failures(a),
        .artifact_manifest_fields = texts(lane_manifest_fields, a),
    };
}
