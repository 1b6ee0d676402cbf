/* SPDX-License-Identifier: Apache-2.0 */
/* executor.h: pure functions under their contract: bound, digest, record, run, digest, record.
 * The door of this folder.
 *
 * The pipeline alone makes results: an executor has no say in them but its output, of which only
 * the digest stays. Whatever goes wrong, every call has its result.
 */
#pragma once

#include "base/digest.h"
#include "contract/executor_doc.h"
#include "executor/kind.h"

/* What an executor may return, and what its worker may hold. */
enum { OUTPUT_BYTES = 16 << 20, WORKER_BYTES = 256 << 20 };

/* An executor as it was registered; nothing of it changes afterwards. */
struct executor {
    struct str id, version;
    struct items capabilities; /* of struct str: upper case, sorted, each once */
    struct executor_limits limits;
    enum executor_kind kind;
    const char *about; /* of a builtin, else NULL */

    /* Of one that a person had reviewed. */
    const char *program;    /* the file that a worker runs; else NULL */
    struct digest manifest; /* of all that was registered */
    struct str approval;    /* the ledger's entry that says so */
};

/* Where the records of calls go. They are durable when it returns true. */
struct auditor {
    bool (*write)(void *self, const struct audit_doc *records, size_t n, struct error *e);
    void *self;
};

/* One call, and what came of it. */
struct action {
    struct str payload;  /* bytes as they came */
    int64_t line;        /* where they began, among others; 0: they came alone */
    struct str trace_id; /* a UUID; .s is NULL: a new one */

    struct action_result_doc result;
    enum digest_alg alg; /* of its input_digest */
    const char *detail;  /* why it did not succeed: words of the pipeline, never of a payload */

    /* Only where the caller asked for delivery. */
    struct str output; /* canonical JSON; .s is NULL: none */
    struct str words;  /* of the executor about its exception */
};

struct pipeline {
    const struct executor *executor;
    const struct auditor *auditor;
    const struct world *world;
    const struct kind *kind;
    const char *worker; /* the executable for jailed programs */
    bool deliver;       /* outputs are handed to the caller */
    const int *cancel;  /* a descriptor: readable when calls have to end at once; NULL: none */
    void *running;
    struct arena held;   /* what the kind needs as long as it runs */
    struct arena values; /* what calls are given and give; wiped when they are answered */
};

/* Can it be called? executor, auditor, world, worker and deliver are set. It is started by its
 * first call, once that is on record. */
bool pipeline_open(struct pipeline *p, struct error *e) NODISCARD;
void pipeline_close(struct pipeline *p);

/* Calls the executor once for each action, in order. Results live in the arena. False: records
 * could not be written, *e says why; each result is then BLOCKED with AUDIT_LOG_FAILED. */
bool pipeline_apply(struct pipeline *p, struct action *actions, size_t n, struct arena *a,
                    struct error *e) NODISCARD;
