/* SPDX-License-Identifier: Apache-2.0 */
/* book.h: what the ledger knows about the events of one batch, while the batch goes in.
 *
 * The store is asked once for everything; events of the batch that came before are entered by
 * book_add(), so that each draft is judged as if those before it were in the ledger already.
 */
#pragma once

#include "ledger/judge.h"
#include "ledger/ledger.h"

/* An execution that the batch speaks of. */
struct book_run {
    struct book_run *next; /* in its bucket */
    const struct draft *first;
    struct event_mark last;
    bool has_last;
    bool events_kept;          /* the store has some of it */
    struct book_event *events; /* those of the batch, the newest first */
};

struct book_event {
    struct book_event *before;
    struct event_mark mark;
};

struct book {
    struct arena *a;
    struct draft *drafts;
    size_t count;
    int64_t size;                /* of the ledger before the batch */
    uint64_t salt;               /* of the two tables below */
    struct asked_event **events; /* one a draft; NULL: nothing is there */
    struct asked_entry *entries; /* that drafts depend on, each once */
    size_t entry_count;
    struct asked_entry **slots;   /* these, by seq */
    struct asked_entry **depends; /* of all drafts, one behind the other */
    size_t slot_count, depend_count;
    size_t *first;             /* of each draft, among depends */
    struct book_run **buckets; /* by execution */
    struct book_run **runs;    /* of each draft */
    size_t bucket_count;
    const struct draft **added; /* by seq - size */
    size_t added_count;
};

/* Asks the store. */
bool book_open(struct book *b, struct ledger *l, struct draft *drafts, size_t n, struct arena *a,
               struct error *e) NODISCARD;
struct known book_known(struct book *b, size_t draft);
void book_add(struct book *b, size_t draft);
