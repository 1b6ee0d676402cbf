/* SPDX-License-Identifier: Apache-2.0 */
/* search.h: finds entries by what they say, a block at a time, through the filters of the blocks.
 */
#pragma once

#include "ledger/ledger.h"

/* What is not given does not narrow. Given texts must be equal; `*_start` is a beginning of 8
 * bytes or more. */
struct query {
    struct str tenant, robot, subject;
    struct str subject_start;   /* of the subject */
    struct str id_start;        /* of the id's UUID */
    int kind, state;            /* enum, or -1 */
    int64_t since_ms, until_ms; /* of recordedAt, both included */
    const struct uuid *depends; /* events that depend on one of these */
    size_t depend_count;
    struct str rerun_of; /* events of executions that repeat this one */
    int64_t from;        /* seq: nothing before it */
    int64_t to;          /* seq: nothing from it on; 0: all */
    bool backwards;      /* the newest first */
    bool refusals;       /* those, too; else only by their kind or id */
};

static inline struct query query_all(void)
{
    return (struct query){ .kind = -1, .state = -1, .since_ms = INT64_MIN, .until_ms = INT64_MAX };
}

/* Calls back for every entry that fits, with its body, in the order of the ledger or backwards.
 * Between look and look_end. */
bool search(struct ledger *l, const struct query *q, entry_reader reader, void *self,
            struct error *e) NODISCARD;
