/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: an open ledger of a caller of the library, and how its entries look from outside. */
#pragma once

#include <writ/writ.h>

#include "ledger/ledger.h"

struct writ_ledger {
    struct arena a; /* lives as long as it is open */
    struct ledger l;
    const char *where;   /* as people may see it */
    const char *address; /* as it was given */
    const char *state;   /* the directory with its key; NULL: there is none */
    bool append;         /* it was opened to be written, too */
};

/* A ledger's place as people may see it: of an address neither the password nor the options, which
 * may have one, too. */
const char *record_place(const char *where, struct arena *a);

/* {"code":..,"message":..} */
char *record_failure(int code, const char *message);

/* The status and the answer for a ledger that could not be read, or not be written. */
int record_unread(const struct error *e, char **answer);
int record_unwritten(const struct error *e, char **answer);

/* The same as a line among others; returns the status. */
int record_fail(const struct error *e, int status, writ_line line, void *self);

/* May it be written? A caller who opened it to read is told so (CODE_USAGE). */
bool record_writable(const struct writ_ledger *w, struct error *e) NODISCARD;

/* One entry as writ_log() promises it. */
void record_entry(const struct entry *entry, bool body, struct buf *to);

/* The same with its body and all that it is hashed of, so that who has it can check it alone. */
void record_provable(const struct entry *entry, struct buf *to);

/* The key "ledger" and the ids of entries. */
void record_ids(const struct uuid *ids, size_t n, struct buf *to);

/* Key and a list of them. */
void record_list(const char *key, const struct entry *entries, size_t n, bool body, struct buf *to);
