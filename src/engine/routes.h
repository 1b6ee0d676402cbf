/* SPDX-License-Identifier: Apache-2.0 */
/* routes.h: which routes are open on this machine, for those who ask what it can do. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"

/* The member "routes" of writ_doctor(): here, each worker there is, and each kind of worker that
 * nobody has named one of. */
void routes_put(const char *const *environment, struct arena *a, struct buf *to);
