/* SPDX-License-Identifier: Apache-2.0 */
/* grounds.h: what commands stand on besides the sandbox: the directory, the ledger, the
 * state directory, the project. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"

/* The member "grounds" of writ_doctor(). `refused`: why commands may not run in this directory;
 * NULL: they may. False: for want of one of them writ exec refuses every command here. */
bool grounds_put(const char *refused, const char *const *environment, struct arena *a,
                 struct buf *to);
