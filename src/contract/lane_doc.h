/* SPDX-License-Identifier: Apache-2.0 */
/* lane_doc.h: a command to be routed, what it came to, and the manifest kept of it (contract 000).
 */
#pragma once

#include "contract/shape.h"

struct lane_doc {
    struct str command_class, command_id, correlation_id, raw_command;
    bool prefer_remote;
    struct items argv;      /* of struct str; the command where text cannot hold it (A00-6) */
    struct str scenario_id; /* no text: the class */
};

struct manifest_doc {
    struct str command_provenance, run_id, scenario_id, trace_id, transcript_path;
    int outcome_class; /* enum outcome_class */
    int worker_route;  /* enum route */
};

struct lane_result_doc {
    const struct manifest_doc *artifact_manifest;
    struct str command_id, routed_command;
    int64_t exit_code;
    int outcome_class;       /* enum outcome_class */
    int route;               /* enum route */
    int state;               /* enum route_state */
    struct str failure_code; /* no text: nothing failed */
    int route_reason;        /* enum route_reason */
};

extern const struct shape lane_shape, lane_result_shape, manifest_shape;
