/* SPDX-License-Identifier: Apache-2.0 */
/* lane_text.h: the manifest of a lane. Include after cmocka.h. */
#pragma once

#include "contract/classes.h"
#include "contract/lane_doc.h"
#include "unit/contract/check.h"

#define MANIFEST                                           \
    "  command_provenance: cargo test --all\n"             \
    "  outcome_class: failed\n"                            \
    "  run_id: run-3b241101-e2bb-4255-8caf-4136c566a962\n" \
    "  scenario_id: cargo_test\n"                          \
    "  trace_id: trace-nightly:2026/7\n"                   \
    "  transcript_path: evidence/transcript.txt\n"         \
    "  worker_route: remote_rch\n"
