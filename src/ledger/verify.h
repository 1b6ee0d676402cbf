/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h: is every entry what it was when it was appended? */
#pragma once

#include "ledger/audit.h"

/* Reads the whole ledger. False: it could not be read; that it is not intact is an answer. Between
 * look and look_end. */
bool ledger_verify(struct ledger *l, struct verification *v, struct arena *a,
                   struct error *e) NODISCARD;
