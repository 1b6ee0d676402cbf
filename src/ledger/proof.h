/* SPDX-License-Identifier: Apache-2.0 */
/* proof.h: proofs that travel: that an entry is in the ledger, that nothing of it was lost since.
 *
 * A proof is one JSON object with all that is needed to check it but the key to trust.
 */
#pragma once

#include "base/doc.h"
#include "ledger/checkpoint.h"
#include "ledger/hashes.h"

/* A checkpoint's note, and what it says. */
struct signed_size {
    struct str note;
    struct checkpoint c;
};

/* What the entry's leaf and the digest of its body are hashed of, as members of an open map:
 * "header":{..}, byte for byte, and "salt":"<hex>", which is not there any more where the body was
 * erased. */
void proof_put_header(const struct entry *entry, struct buf *to);
void proof_put_salt(const struct entry *entry, struct buf *to);

/* Writes the proof. Between look and look_end; the entry's seq is below the checkpoint's size. */
bool proof_of_entry(struct ledger *l, const struct entry *entry, const struct signed_size *now,
                    const struct verifier *key, struct buf *to, struct error *e) NODISCARD;
bool proof_since(struct ledger *l, const struct signed_size *old, const struct signed_size *now,
                 const struct verifier *key, struct buf *to, struct error *e) NODISCARD;

struct proof_finding {
    bool holds;
    const char *why;   /* it does not, or NULL */
    const char *proof; /* "inclusion" or "consistency"; NULL: neither */
    int64_t index;     /* of the entry, or the size of old */
    bool body;         /* it has the entry's body, which is the one in the header */
    struct checkpoint c;
    struct verifier key; /* by which it is signed */
    bool trusted;        /* that is the key that was given */
};

/* Checks a proof, with nothing else. `trust` may be NULL: then the key in the proof is used, which
 * shows that it fits together and not who made it. */
void proof_check(const struct doc *proof, const struct verifier *trust, struct arena *a,
                 struct proof_finding *out);
