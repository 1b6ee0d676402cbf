/* SPDX-License-Identifier: Apache-2.0 */
/* classes.h: the route contract writ ships, as tables (contract 000).
 *
 * A row of `classes` is a command class and its timeout profile in one, so that the two cannot
 * name different classes. What is stated elsewhere is not repeated here: the edges are those of
 * states.h, the severity, retry and runbook line of a failure are those of codes.h.
 */
#pragma once

#include <stdint.h>

#include "base/table.h"
#include "contract/codes.h"

enum { CLASS_PREFIXES = 4, CLASS_COUNT = 10, ROUTE_POLICIES = 3, TAXONOMY_COUNT = 4 };

/* This prefix alone lets a class take any command. */
#define PREFIX_ANY "*"

struct class_row {
    const char *class_id, *label;
    const char *prefixes[CLASS_PREFIXES]; /* lexical; ended by NULL */
    bool force_rch;
    int64_t default_timeout_secs;
    int64_t soft_timeout_secs, hard_timeout_secs, cancel_grace_secs;
};

enum condition {
    CONDITION_RCH_AVAILABLE,   /* remote is wanted and can be had */
    CONDITION_RCH_UNAVAILABLE, /* remote is wanted and cannot be had */
    CONDITION_RCH_REQUIRED,    /* remote cannot be had, and the caller takes nothing else */
};

/* The first three are the contract's; the others are workers that writ reaches by itself. */
enum route {
    ROUTE_LOCAL_DIRECT,
    ROUTE_REMOTE_RCH,
    ROUTE_NOWHERE,
    ROUTE_LOCAL_WORKER,
    ROUTE_REMOTE_SLURM,
    ROUTE_REMOTE_SSH,
};
enum retry_strategy { RETRY_BOUNDED_BACKOFF, RETRY_NONE };

struct policy_row {
    const char *policy_id;
    enum condition condition;
    enum route route;
    enum retry_strategy retry_strategy;
    int64_t max_retries; /* attempts after the first (A00-8) */
};

/* A00-4: why a command went where it went. */
enum route_reason {
    REASON_FORCE_RCH,
    REASON_PREFER_REMOTE,
    REASON_CALLER_LOCAL,
    REASON_RCH_UNAVAILABLE,
};

/* What is done where the worker that was wanted cannot be had. */
enum fallback { FALLBACK_LOCAL, FALLBACK_FAIL_CLOSED };

/* How a lane ended, in the words of doctor-logging-v1. */
enum outcome_class { OUTCOME_SUCCESS, OUTCOME_FAILED, OUTCOME_CANCELLED };

extern const struct class_row classes[CLASS_COUNT];      /* lexical by class_id */
extern const struct policy_row policies[ROUTE_POLICIES]; /* lexical by policy_id */
extern const enum code taxonomy[TAXONOMY_COUNT];         /* lexical by name */
extern const struct table classes_table, timeouts_table, policies_table;

/* All ended by NULL. */
extern const char *const condition_names[], *const route_names[], *const retry_strategy_names[];
extern const char *const route_reason_names[], *const outcome_class_names[];
extern const char *const fallback_names[];
extern const char *const risk_names[]; /* the severities of contract 000 */
extern const char *const lane_request_fields[], *const lane_result_fields[];
extern const char *const lane_manifest_fields[];

/* The class of that id, or NULL. */
const struct class_row *class_named(struct str class_id);
