/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h: the sandbox limits and the sizes of what is kept, with defaults and ranges. */
#pragma once

#include <stdint.h>

#include "base/table.h"

enum limit { LIMIT_TIMEOUT_MS, LIMIT_MEMORY_MB, LIMIT_CPU_CORES, LIMIT_MAX_CHILDREN, LIMIT_COUNT };

struct limit_row {
    const char *name;
    int64_t fallback, min, max;
    const char *meaning;
};

/* What is kept of a run, how much of it, and for how long (contract 001, output handling). */
enum output {
    OUTPUT_STDOUT,
    OUTPUT_STDERR,
    OUTPUT_EXIT_CODE,
    OUTPUT_FILES,
    OUTPUT_ARTIFACTS,
    OUTPUT_COUNT,
};

struct output_row {
    const char *name;
    const char *method;
    int64_t bytes; /* 0: no limit applies */
    const char *kept;
};

extern const struct limit_row limits[LIMIT_COUNT];
extern const struct output_row outputs[OUTPUT_COUNT];
extern const struct table limits_table, outputs_table;
