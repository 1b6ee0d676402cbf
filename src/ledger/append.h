/* SPDX-License-Identifier: Apache-2.0 */
/* append.h: events into the ledger, by the rules of contract 002. */
#pragma once

#include "ledger/ledger.h"

/* Judges events in their order, appends those that may, and enters those that may not as
 * refusals. Each draft has its verdict afterwards, which is true once ledger_commit() is. Between
 * begin and commit. */
bool ledger_append(struct ledger *l, struct draft *drafts, size_t n, struct arena *a,
                   struct error *e) NODISCARD;

/* What was refused before it came to an event. */
struct refusal {
    enum code code;
    const char *message;
    struct str tenant, subject;
    struct str text; /* what was asked for */
};

/* Enters it as a refusal. Between begin and commit. */
bool ledger_reject(struct ledger *l, const struct refusal *refusal, struct error *e) NODISCARD;
