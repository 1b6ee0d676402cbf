/* SPDX-License-Identifier: Apache-2.0 */
/* erasure.h: the note that an entry's body was erased, as the ledger keeps it. */
#pragma once

#include "ledger/entry.h"

struct erasure {
    int64_t seq; /* of what was erased */
    struct uuid id;
    struct digest body_digest; /* what its body had */
    struct str reason;
};

/* The body of the note, canonical. */
void erasure_write(const struct erasure *erasure, struct buf *to);

/* False: this entry is no such note. */
bool erasure_read(const struct entry *entry, struct arena *a, struct erasure *out) NODISCARD;
