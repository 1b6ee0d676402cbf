/* SPDX-License-Identifier: Apache-2.0 */
/* links.h: what an entry points at: the entries it depends on, the execution it repeats. */
#pragma once

#include "ledger/entry.h"

struct links {
    const struct uuid *depends;
    size_t count;
    struct str rerun_of; /* or without bytes */
    struct str lineage;  /* the text they were read from, in the entry's body */
};

/* Of an event that was read back; of anything else, and of what was erased: nothing. */
struct links links_of(const struct entry *entry, struct arena *a);

/* The same, for an entry that often has the lineage of another one, whose links are known. */
struct links links_like(const struct entry *entry, const struct links *other, struct arena *a);
