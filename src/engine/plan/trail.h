/* SPDX-License-Identifier: Apache-2.0 */
/* trail.h: what the steps of a plan did, on its way into the ledger a few at a time. */
#pragma once

#include "engine/keeping.h"
#include "plan/hands.h"

struct trail_row {
    size_t index;
    int64_t attempt;
    bool failed;
    enum severity severity; /* of the failure */
    enum code code;
    const char *message;
    int64_t started_ms, took_ms; /* -1: it was not run */
    char execution[UUID_TEXT];
};

struct trail {
    struct str execution; /* the plan's */
    const struct plan_doc *plan;
    const char **names; /* of the steps */
    struct trail_row *v;
    size_t n, room;
    int64_t since_ms; /* when the first of these was added */
    struct buf text;
};

void trail_close(struct trail *t);
void trail_add(struct trail *t, const struct trail_row *row);

/* Is it time to write them down? */
bool trail_due(const struct trail *t, int64_t now_ms);

/* For how long it is not, if nothing is added: of no rows, for ever. */
int64_t trail_left_ms(const struct trail *t, int64_t now_ms);

/* Enters the rows as one entry, between begin and end; they are forgotten by trail_forget(). */
bool trail_enter(struct trail *t, struct ledger *l, struct error *e) NODISCARD;
void trail_forget(struct trail *t);
