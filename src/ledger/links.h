/* SPDX-License-Identifier: Apache-2.0 */
/* links.h: what an entry points at: the entries it depends on, the execution it repeats. */
#pragma once

#include "ledger/entry.h"

struct links {
    const struct uuid *depends;
    size_t count;
    struct str rerun_of; /* or without bytes */
};

/* Of an event that was read back; of anything else, and of what was erased: nothing. */
struct links links_of(const struct entry *entry, struct arena *a);
