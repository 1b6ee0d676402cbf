/* SPDX-License-Identifier: Apache-2.0 */
/* by_hand.h: ledgers in files, which a test makes and changes without asking the store. */
#pragma once

#include "unit/ledger/stores.h"

#include "ledger/sqlite.h"

/* A connection that knows nothing of ledgers. */
static inline bool by_hand(const char *where, const char *sql, struct error *e)
{
    struct sqlite_open how = { .path = where, .write = true, .world = world_real() };
    struct sqlite db;
    bool done;

    if (!sqlite_open(&db, &how, e))
        return false;
    done = sqlite_run(&db, sql, e);
    sqlite_close(&db);
    return done;
}

/* A ledger with so many entries. */
static inline const char *made_place(int64_t entries, struct arena *a)
{
    const char *where = fresh_place(a);
    struct store *s = open_at(where, STORE_APPEND, a);

    if (entries > 0)
        append_some(s, (size_t)entries, true);
    kind->close(s);
    return where;
}
