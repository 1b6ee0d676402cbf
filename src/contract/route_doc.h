/* SPDX-License-Identifier: Apache-2.0 */
/* route_doc.h: the contract of the execution adapter: classes, policies, timeouts and states of
 * command lanes (contract 000). */
#pragma once

#include "contract/shape.h"

struct class_doc {
    struct str class_id, label;
    struct items allowed_prefixes; /* of struct str */
    bool force_rch;
    int64_t default_timeout_secs;
};

struct policy_doc {
    struct str policy_id;
    int condition, route, retry_strategy; /* enum condition, route, retry_strategy */
    int64_t max_retries;
};

struct timeout_doc {
    struct str class_id;
    int64_t soft_timeout_secs, hard_timeout_secs, cancel_grace_secs;
};

struct transition_doc {
    struct str from_state, trigger, to_state;
};

struct failure_doc {
    struct str code, operator_action;
    int severity; /* index of risk_names */
    bool retryable;
};

struct route_doc {
    int contract_version, logging_contract_version;
    struct items required_request_fields;  /* of struct str */
    struct items required_result_fields;   /* of struct str */
    struct items command_classes;          /* of struct class_doc */
    struct items route_policies;           /* of struct policy_doc */
    struct items timeout_profiles;         /* of struct timeout_doc */
    struct items state_transitions;        /* of struct transition_doc */
    struct items failure_taxonomy;         /* of struct failure_doc */
    struct items artifact_manifest_fields; /* of struct str */
};

extern const struct shape route_shape;
extern const char *const route_contract_versions[]; /* that are understood; ended by NULL */

/* The contract writ ships, from the tables of classes.h, states.h and codes.h. */
void route_shipped(struct arena *a, struct route_doc *out);
