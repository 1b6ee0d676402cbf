/* SPDX-License-Identifier: Apache-2.0 */
/* keeping.h: the caller's ledger, open, for any thread and one transaction at a time. */
#pragma once

#include <pthread.h>

#include "executor/executor.h"
#include "ledger/ledger.h"

/* A ledger that could not be opened refuses every record, and with it every call. For any thread.
 */
struct keeping {
    struct ledger ledger;
    bool open;
    struct error why; /* it is not open */
    int cancel; /* readable when nobody wants to wait for the ledger any more; -1: everybody does,
                   as is so once something was entered: what follows belongs to it */
    bool swift; /* does not wait for the disk: a process may end at any time, the power may not */
    struct arena a;
    pthread_mutex_t lock; /* one transaction at a time */
};

/* Opens the caller's ledger; that it could not be is in *k. `cancel`: see above. */
void keeping_open(struct keeping *k, const char *ledger, const char *const *environment,
                  const struct world *world, int cancel);
void keeping_close(struct keeping *k);

#define _keeping_ _cleanup_(keeping_close)

/* A transaction of the ledger, one thread at a time: to its end nobody else appends. keeping_end()
 * commits, or takes everything back where `ok` is false, which it then returns. */
bool keeping_begin(struct keeping *k, struct error *e) NODISCARD;
bool keeping_end(struct keeping *k, bool ok, struct error *e) NODISCARD;

/* Of a struct auditor; self is a struct keeping. One record is an entry about its trace id, many
 * are one entry about their executor. */
bool keeping_write(void *self, const struct audit_doc *records, size_t n, struct error *e);

/* Appends an entry that is no event. */
bool keeping_enter(struct keeping *k, struct entry *entry, struct error *e) NODISCARD;
