/* SPDX-License-Identifier: Apache-2.0 */
/* kind.h: what a kind of executor must do: start, answer calls, stop.
 *
 * The pipeline (executor.h) bounds, digests and records; a kind only computes. Whatever an
 * executor does, a kind comes back with one of five ends, and the next call is not concerned.
 */
#pragma once

#include "base/doc.h"
#include "base/world.h"

enum call_end {
    CALL_OUTPUT,    /* it returned a value */
    CALL_NO_OUTPUT, /* it returned, without a value */
    CALL_EXCEPTION, /* it raised, trapped, crashed, or answered with what is no JSON */
    CALL_TIMEOUT,   /* the pipeline's own timer ended it */
    CALL_LIMIT,     /* more output or depth than a call may have */
};

/* One call. */
struct call {
    struct str payload;      /* canonical JSON */
    const struct doc *value; /* the same as a tree */

    /* the answer */
    enum call_end end;
    struct str text; /* of CALL_OUTPUT without a tree: bytes that should be one JSON text */
    const struct doc *output; /* of CALL_OUTPUT: the tree, when the kind has one */
    const char *detail;       /* of the other ends: why, never in the executor's own words */
    struct str words;         /* its own words about an exception: for who asked for the output */
    int64_t took_ms;
};

/* What all calls of one executor may use. */
struct call_bounds {
    int64_t timeout_ms;  /* of each call: CPU time first, wall clock as a backstop */
    size_t output_bytes; /* of each call */
    size_t memory_bytes; /* of a worker */
};

/* The registered program of an executor. */
struct call_program {
    const char *id;            /* executor_id */
    const char *file;          /* jq: the program; wasm: what it was compiled to; builtin: NULL */
    const char *worker;        /* the executable that runs jailed programs */
    const struct world *world; /* time */
    const int *cancel;         /* readable when calls have to end at once; NULL: never */
    struct call_bounds bounds;
};

struct kind {
    const char *name;
    NODISCARD bool (*start)(const struct call_program *program, struct arena *a, void **self,
                            struct error *e);
    /* Answers each call, in order; texts and trees live in the arena. */
    void (*calls)(void *self, struct call *calls, size_t n, struct arena *a);
    void (*stop)(void *self);
};

extern const struct kind builtin_kind, jq_kind, wasm_kind;
