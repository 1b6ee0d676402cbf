/* SPDX-License-Identifier: Apache-2.0 */
/* fallback.h: when an adapter falls back to another one (contract 001, errors.fallback). */
#pragma once

#include "base/str.h"
#include "base/table.h"
#include "contract/codes.h"

/* How an attempt ended that did not succeed. */
struct attempt_failure {
    enum code code;
    int64_t number; /* its exit code, status or JSON-RPC code; 0: it has none */
};

extern const struct table conditions_table;

/* A condition is one or several of the table's words and numbers, between blanks and commas. NULL,
 * or what in it is neither. */
const char *fallback_wrong(struct str condition, struct str *word);

/* Of an attempt of which there is no record: was the call refused? Then the adapter has not failed,
 * and what was wrong with the call would be so with another one. */
bool fallback_refused(enum code code);

/* Does one of its words hold? */
bool fallback_holds(struct str condition, const struct attempt_failure *failure);
