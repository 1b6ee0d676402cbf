/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c: the tables of sandbox limits and of what is kept of a run. */
#include "contract/limits.h"

/* clang-format off */
const struct limit_row limits[LIMIT_COUNT] = {
    [LIMIT_TIMEOUT_MS]   = { "timeout_ms",   30000, 1000, 600000, "Wall-clock time of the run, in milliseconds." },
    [LIMIT_MEMORY_MB]    = { "memory_mb",      512,   64,   4096, "Memory of all its processes together, in MiB." },
    [LIMIT_CPU_CORES]    = { "cpu_cores",        1,    1,      4, "Logical cores it may keep busy." },
    [LIMIT_MAX_CHILDREN] = { "max_children",    10,    0,    100, "Processes it may start besides itself; 0 means none." },
};

static const struct column limit_columns[] = {
    { "name",    COLUMN_TEXT,  offsetof(struct limit_row, name) },
    { "default", COLUMN_INT64, offsetof(struct limit_row, fallback) },
    { "min",     COLUMN_INT64, offsetof(struct limit_row, min) },
    { "max",     COLUMN_INT64, offsetof(struct limit_row, max) },
    { "meaning", COLUMN_TEXT,  offsetof(struct limit_row, meaning) },
};

/* A01-7: 1MB is 1 MiB; what lies above is counted, not kept, and never a reason to kill. */
const struct output_row outputs[OUTPUT_COUNT] = {
    [OUTPUT_STDOUT]    = { "stdout",       "stream capture",      1048576, "session" },
    [OUTPUT_STDERR]    = { "stderr",       "stream capture",       262144, "session" },
    [OUTPUT_EXIT_CODE] = { "exit_code",    "process return",            0, "session" },
    [OUTPUT_FILES]     = { "output_files", "file collection",    10485760, "evidence" },
    [OUTPUT_ARTIFACTS] = { "artifacts",    "structured capture", 10485760, "evidence" },
};

static const struct column output_columns[] = {
    { "name",   COLUMN_TEXT,  offsetof(struct output_row, name) },
    { "method", COLUMN_TEXT,  offsetof(struct output_row, method) },
    { "bytes",  COLUMN_INT64, offsetof(struct output_row, bytes) },
    { "kept",   COLUMN_TEXT,  offsetof(struct output_row, kept) },
};
/* clang-format on */

const struct table limits_table = {
    .name = "limits",
    .about = "What a run may use at most, from contract 001.",
    COLUMNS(limit_columns),
    .keys = 1,
    ROWS(limits),
};

const struct table outputs_table = {
    .name = "outputs",
    .about =
        "What is kept of a run, how many bytes of it (0: no limit), and for how long: session, until the caller has it; evidence, as files by their digests.",
    COLUMNS(output_columns),
    .keys = 1,
    ROWS(outputs),
};
