/* SPDX-License-Identifier: Apache-2.0 */
/* seal.h: the key of a ledger, and the checkpoints that are made with it. */
#pragma once

#include "engine/record.h"
#include "ledger/proof.h"

/* Files beside the ledger, in the state directory: keys/<ledger>, checkpoints/<ledger>. The name is
 * the ledger's own word, and no path. */
const char *seal_file(const struct writ_ledger *w, const char *folder, const char *name,
                      struct arena *a);

/* What checkpoints of the ledger of that name say they are from. */
struct str seal_origin(const char *name, struct arena *a);

/* The public half of the ledger's key; *known is false where no key was made yet, or it is not
 * here; what is there and cannot be read is an error. */
bool seal_verifier(struct writ_ledger *w, struct arena *a, struct verifier *out, bool *known,
                   struct error *e) NODISCARD;
bool seal_verifier_of(const struct writ_ledger *w, const char *name, struct arena *a,
                      struct verifier *out, bool *known, struct error *e) NODISCARD;

/* Signs the ledger as it is and keeps the checkpoint, in the ledger and beside it; where nothing
 * came since the last one, it is that one, and the ledger does not get another. The key is made
 * for the first one; then it is that key or none. CODE_LEDGER_DAMAGED, and nothing is written: the
 * ledger is not what the last checkpoint, in it or beside it, says of it, or not the ledger that
 * was signed at its place. */
bool seal_now(struct writ_ledger *w, struct arena *a, struct signed_size *out, struct verifier *by,
              struct error *e) NODISCARD;

/* The newest checkpoint about more than `seq` entries, or a new one. */
bool seal_over(struct writ_ledger *w, int64_t seq, struct arena *a, struct signed_size *out,
               struct verifier *by, struct error *e) NODISCARD;
