/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.h: what a ledger was at some size, signed: C2SP tlog-checkpoint in a signed note.
 *
 *     writ/8d2f61aa-...             the origin, which is also the key's name
 *     128                           entries
 *     nB0...=                       the root, base64
 *     made 2026-11-15T14:00:00.000Z
 *
 *     — writ/8d2f61aa-... <base64 of key hash and signature>
 */
#pragma once

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"
#include "ledger/sign.h"

enum { CHECKPOINT_MAX = 128 << 10 }; /* room for 16 signatures of 5 kB, as signed-note asks */

struct checkpoint {
    struct str origin;
    int64_t size;
    struct digest root;
    int64_t made_ms; /* 0: it does not say */
};

/* Who may have signed: the name of a key and its public half, as a C2SP verifier key
 * "<name>+<8 hex digits>+<base64>". */
struct verifier {
    struct str name;
    uint8_t public[SIGN_PUBLIC];
};

bool verifier_read(struct str text, struct arena *a, struct verifier *out,
                   struct error *e) NODISCARD;
void verifier_text(const struct verifier *v, struct buf *to);

/* The note, signed by a key of the origin's name. */
void checkpoint_write(const struct checkpoint *c, const struct sign_key *key, struct buf *to);

/* Reads a note without trusting it; then: did one of the signatures come from this key? Unknown
 * signatures beside it are allowed (witnesses may have added theirs). */
bool checkpoint_read(struct str note, struct arena *a, struct checkpoint *out,
                     struct error *e) NODISCARD;
bool checkpoint_signed(struct str note, const struct verifier *by, struct error *e) NODISCARD;

/* The ledger's own key: a file that its owner alone can read, made when there is none and `make`
 * is asked for. Fails when others can read the file, or when the public half that is there is that
 * of another key. */
bool key_load(const char *path, struct str name, bool make, const uint8_t fresh_seed[SIGN_SEED],
              struct sign_key *out, struct error *e) NODISCARD;

/* Puts the verifier key, for others, in `<path>.pub`, where it is not there yet. Whoever finds it
 * there expects it to have signed the ledger: this is for when it has. */
bool key_publish(const char *path, struct str name, const struct sign_key *key,
                 struct error *e) NODISCARD;
