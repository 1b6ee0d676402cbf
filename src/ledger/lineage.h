/* SPDX-License-Identifier: Apache-2.0 */
/* lineage.h: what entries rest on, and what rests on them. Between look and look_end. */
#pragma once

#include "ledger/search.h"

enum { LINEAGE_MAX = 256 };

/* Entries in the arena, in the order they were met, each once. */
struct entries {
    struct entry *v;
    size_t n, room;
    bool more; /* there are more than fit */
};

void entries_add(struct entries *list, const struct entry *entry, struct arena *a);

/* All that these entries depend on, and so on back to the inputs. */
bool lineage_back(struct ledger *l, const struct entries *of, struct arena *a, struct entries *out,
                  struct error *e) NODISCARD;

/* The events that depend on one of these; and the first events of executions that repeat the one
 * of which `run` is an event (NULL: none). At most LINEAGE_MAX of each. */
bool lineage_forwards(struct ledger *l, const struct entries *of, const struct entry *run,
                      struct arena *a, struct entries out[2], struct error *e) NODISCARD;
