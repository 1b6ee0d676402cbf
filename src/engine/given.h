/* SPDX-License-Identifier: Apache-2.0 */
/* given.h: what a caller of the library has to hand over; what is missing is his answer. */
#pragma once

#include <writ/writ.h>

#include "base/own.h"

/* False where it is NULL: the answer names it, and the status is WRIT_USAGE. */
bool given(const void *it, const char *name, char **answer) NODISCARD;

/* The same of a document, which has to have a name of its own. */
bool given_input(const struct writ_input *input, const char *name, char **answer) NODISCARD;

/* False where the ledger has an address that no store knows. */
bool given_ledger(const char *ledger, const char *const *environment, char **answer) NODISCARD;

/* The same where answers come line by line: to nobody where there is nobody to take a line. */
bool given_to(const void *it, const char *name, writ_line line, void *self) NODISCARD;

/* False where the current directory has no name, by which what is typed and what holds here would
 * be found: the answer says so, and the status is WRIT_UNAVAILABLE. */
bool given_here(char **answer) NODISCARD;
