/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.h: the ledger that --ledger names, and what is said when it has no answer. */
#pragma once

#include <writ/writ.h>

#include "base/doc.h"
#include "cli/args.h"

/* To read it; to add to one that is there; to add to one that is made when there is none. */
enum opening { KEEP_READ, KEEP_WRITE, KEEP_BEGIN };

/* Opens it; NULL where it cannot be had: that was said, and *status is the exit status. */
struct writ_ledger *keeper_open(const struct args *args, enum opening how, int *status);

/* The same in two steps, for who has more to say about one that cannot be had: opens it; else
 * *answer says why, and is told by keeper_refuse(), which returns the status. */
struct writ_ledger *keeper_try(const struct args *args, bool append, int *status, char **answer);
int keeper_refuse(char *answer, int status, bool json);

/* Does the answer have this code? */
bool keeper_is(const char *answer, const char *code);

void keeper_close(struct writ_ledger **ledger);

#define _ledger_ _cleanup_(keeper_close)

/* Tells an answer that is not laid out for people, and gives it back: as JSON on stdout where that
 * is asked for, else why there is none, on stderr. Returns the status. */
int keeper_tell(char *answer, int status, bool json);

/* The same for a line among others: {"code":..,"message":..}. False when it is an ordinary one. */
bool keeper_trouble(const struct doc *line);
