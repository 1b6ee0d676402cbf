/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.h: what happened, in order: append, and read back. The door of this folder.
 *
 *     ledger_begin(l, &e);  ledger_append(l, drafts, n, &a, &e);  ledger_commit(l, true, &e);
 *
 * Between begin and commit nobody else appends; after a false, ledger_rollback() and nothing was
 * appended. One thread at a time.
 */
#pragma once

#include "ledger/draft.h"
#include "ledger/tail.h"

struct ledger {
    struct keep keep;
    const struct world *world;
    struct tip tip; /* since begin or look: how far it goes */
    struct tail tail;
    int64_t now_ms; /* of this transaction; never before the last entry's */
    struct buf scratch;
};

/* A file, or an address that one of the stores knows. *out is the caller's to close. */
bool ledger_open(const struct store_open *how, struct arena *a, struct ledger *out,
                 struct error *e) NODISCARD;
void ledger_close(struct ledger *l);

/* Is there a store for this address in this program? */
bool ledger_can_open(const char *where);

/* Is it the name of a file, and not word://.., postgres:.., postgresql:.. or file:..? */
bool ledger_is_file(const char *where);

/* CODE_USAGE for an address of a word that no store has: a slip is not to become a file. What comes
 * behind the word may be a password, and is not said. */
bool ledger_is_known(const char *where, struct error *e) NODISCARD;

bool ledger_begin(struct ledger *l, struct error *e) NODISCARD;
bool ledger_commit(struct ledger *l, bool durable, struct error *e) NODISCARD;
void ledger_rollback(struct ledger *l);

/* Gives an entry its place and its id (random bytes on entry): the order of calls is the order of
 * the ledger. */
void ledger_place(struct ledger *l, struct entry *entry);

/* Gives entries that have their places their leaves. */
bool ledger_leaves(struct ledger *l, struct entry *entries, size_t n, struct arena *a,
                   struct error *e) NODISCARD;

/* Appends entries that are no events; they get their seq, id and leaf. */
bool ledger_enter(struct ledger *l, struct entry *entries, size_t n, struct error *e) NODISCARD;

/* Between these everything is read as of one moment. */
bool ledger_look(struct ledger *l, struct error *e) NODISCARD;
void ledger_look_end(struct ledger *l);

/* The entry of that id with its body, copied into the arena. *there tells whether there is one. */
bool ledger_find(struct ledger *l, const struct uuid *id, struct arena *a, struct entry *out,
                 bool *there, struct error *e) NODISCARD;

/* Takes a body away, whose digest is given in the entry, and enters a note about it. Between begin
 * and commit. */
bool ledger_erase(struct ledger *l, const struct entry *entry, struct str reason,
                  struct entry *note, struct arena *a, struct error *e) NODISCARD;

/* Finishes erasures that were stopped before the last copy of a body was gone. Not between begin
 * and commit. */
bool ledger_sweep(struct ledger *l, struct error *e) NODISCARD;

/* A copy of an entry that outlives the callback it came to. */
struct entry entry_copy(const struct entry *entry, struct arena *a);
