/* SPDX-License-Identifier: Apache-2.0 */
/* executor_doc.h: a pure function, a call of it, what came of it and what is recorded of it
 * (contract 003). */
#pragma once

#include "contract/shape.h"

enum executor_kind { EXECUTOR_BUILTIN, EXECUTOR_WASM, EXECUTOR_JQ };

/* Pending is for the audit record alone: written before the call, so that none goes unrecorded. */
enum action_status { ACTION_SUCCESS, ACTION_FAILED, ACTION_BLOCKED, ACTION_PENDING };

/* How the bytes were made that a digest covers (A03-6, A03-7). */
enum digest_alg { DIGEST_JCS, DIGEST_RAW };

struct executor_limits {
    int64_t timeout_ms, max_payload_bytes, max_depth, max_list_items;
};

/* A call the review gate tries, and what should come of it. */
struct fixture_doc {
    const struct doc *payload;
    const struct doc *output; /* NULL: any */
    bool nothing;             /* no output at all */
    int status;               /* enum action_status */
};

struct executor_doc {
    struct str executor_id, version;
    struct items capabilities; /* of struct str, as written; see capabilities_normal() */
    const struct executor_limits *limits;
    int kind;              /* enum executor_kind */
    struct str source;     /* .s is NULL: none */
    struct items fixtures; /* of struct fixture_doc */
};

struct action_doc {
    struct str executor_id;
    struct str executor_version; /* .s is NULL: the newest */
    struct str trace_id;         /* .s is NULL: a new one */
    const struct doc *payload;
};

struct action_result_doc {
    struct str executor_id, executor_version, input_digest, trace_id, ts_utc;
    struct str output_digest;  /* .s is NULL: no output */
    int status;                /* enum action_status */
    struct items reason_codes; /* of struct str */
    int64_t duration_ms;
};

struct audit_doc {
    struct str executor_id, executor_version, trace_id, input_digest, ts_utc;
    struct str output_digest;  /* .s is NULL: no output */
    int event_type;            /* always 0: action_audit */
    int status;                /* enum action_status */
    int digest_alg;            /* enum digest_alg */
    struct items reason_codes; /* of struct str */
    int64_t duration_ms;
    bool delivered; /* the output was also handed to the caller */
};

/* By enum executor_kind and enum action_status; ended by NULL. */
extern const char *const executor_kind_names[], *const action_status_names[];

extern const struct shape executor_shape, action_shape, action_result_shape, audit_shape;

/* Capabilities as a registered executor has them: trimmed, upper case, each once, sorted. What is
 * blank is dropped. The texts are new ones in the arena. */
void capabilities_normal(const struct items *declared, struct arena *a, struct items *out);
