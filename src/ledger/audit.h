/* SPDX-License-Identifier: Apache-2.0 */
/* audit.h: computes the hashes of a ledger again, entry by entry, and compares. */
#pragma once

#include "ledger/checkpoint.h"
#include "ledger/walk.h"

/* A checkpoint to hold the ledger against. */
struct promise {
    struct str note;
    const char *kept;  /* where it was: "ledger", "file" or "given" */
    const char *file;  /* then which file; NULL: it is in the ledger, or was given */
    struct str origin; /* it is of a ledger that was here under this name; empty: of this one */
    const struct verifier *by; /* then whose signature it must bear; NULL: unknown, not asked */
    int64_t size, made_ms;     /* what the ledger says beside it */
    struct checkpoint c;       /* out, as what follows; its size is -1 where it cannot be read */
    bool holds;
    bool is_signed; /* by the key that is known */
    bool unjudged;  /* it speaks neither for nor against: given, and no key is known; not reached */
    const char *why; /* it does not hold, or was not judged */
};

struct verification {
    struct promise *promises; /* in: those from outside; out: and the ledger's own, by size */
    size_t promise_count;
    struct str origin;         /* of the ledger */
    const struct verifier *by; /* whose signature they must bear; NULL: unknown, not asked */
    const char *replaced;      /* it is not the ledger that was here, and why; NULL: it is */

    bool intact; /* out, as what follows */
    int64_t entries, erased;
    struct digest root;
    int64_t seq;     /* of the first entry that does not fit, or -1: it is about no entry */
    struct uuid id;  /* of it */
    const char *why; /* NULL: intact */
};

enum { AUDIT_PEAKS = 64 };

/* An erased entry, or the note that says so. */
struct gap {
    int64_t seq;
    struct digest digest;
    bool note;
};

struct audit {
    struct verification *v;
    struct arena *a;
    size_t next;    /* promise */
    int64_t erased; /* entries of this block */
    int64_t recorded_ms;
    struct digest peaks[AUDIT_PEAKS]; /* roots of complete subtrees of blocks, the widest first */
    size_t peak_count;
    struct digest leaves[BLOCK]; /* of the block that is not complete */
    struct names names;          /* of it */
    struct digest *roots;        /* of the blocks */
    size_t root_count, root_room;
    void (*sum_keys)(struct index_sum *sum, const struct entry *entries, size_t n); /* or NULL */
    struct index_sum sum;
    struct gap *gaps;
    size_t gap_count, gap_room;
};

/* Of a chunk_reader: computes leaves, roots, names and keys. */
void audit_apart(void *audit, struct chunk *chunk);

/* Of a chunk_reader: false when an entry does not fit, which *v then names. */
bool audit_chunk(void *audit, const struct chunk *chunk);

/* After the last chunk: does all that was erased say so, and nothing else? */
bool audit_gaps(struct audit *t);

/* The root over the entries so far; holds the promises about this size against it. */
struct digest audit_root(const struct audit *t);
void audit_promises(struct audit *t);

/* Names what does not fit, and returns false. */
bool audit_found(struct audit *t, int64_t seq, const struct uuid *id, const char *why);
