/* SPDX-License-Identifier: Apache-2.0 */
/* event.h: writ's own executions as events of contract 002.
 *
 * They have the same literals and are held to the same rules as anybody else's. They publish
 * nothing, so each is a dry run in the words of that contract (A02-16).
 */
#pragma once

#include "base/caller.h"
#include "ledger/append.h"

#define EVENT_TENANT "local"
#define EVENT_ROBOT  "writ"

struct event_head {
    struct str execution;        /* its id */
    const char *workflow;        /* "exec/1" */
    const char *target, *action; /* what is done, for people */
    int attempt;                 /* 0: the first */
    struct str rerun_of;         /* the execution that this one repeats; no text: none */
    int64_t since;               /* it has no event before this entry; 0: that is not known */
    int64_t snapshot_ms;         /* when what it rests on was entered */
    const struct uuid *depends;  /* entries it rests on */
    size_t depend_count;
    enum policy policy;
    const struct caller *caller; /* who asked; NULL: whoever runs this process */
    struct str claimed;          /* who asked as the request says; or empty */
};

/* The event up to its payload's end: more members of the payload may follow. */
void event_open(const struct event_head *head, enum event_state state, const struct world *world,
                struct buf *to);

/* Ends it and makes a draft of it. */
struct draft event_close(const struct event_head *head, struct buf *text, const struct world *world,
                         struct arena *a);

/* The canonical form of what we wrote, to be entered as the body of an entry; it lives in `a`.
 * False: it is no JSON, or has more than an entry holds. */
bool body_canonical(struct str text, struct arena *a, struct str *out, struct error *e) NODISCARD;

/* What a buffer of ours holds is whole, and may be entered as it is. */
bool body_whole(const struct buf *body, struct error *e) NODISCARD;

/* Appends events that must be new, and gives their ids. An id is used once: whatever the ledger
 * says of one that it can take, but "appended", is CODE_EXECUTION_USED. Between begin and commit.
 */
bool event_enter(struct ledger *l, struct draft *drafts, size_t n, struct uuid *ids,
                 struct arena *a, struct error *e) NODISCARD;
