/* SPDX-License-Identifier: Apache-2.0 */
/* note.h: C2SP signed notes, and the keys that sign them. Knows nothing of what a note says.
 *
 * A note is text, a blank line, and one line for each signature:
 *
 *     — <name of the key> <base64 of the key's id and the signature>
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "ledger/sign.h"

enum {
    NOTE_ID = 4,           /* bytes */
    NOTE_SIGNATURES = 100, /* signed-note asks for 16 at least */
};

struct note_signature {
    struct str name;
    uint8_t id[NOTE_ID];
    struct str base64; /* of id and signature */
};

struct note {
    struct str text; /* with the line end before the blank line: what is signed */
    size_t count;
    struct note_signature signatures[NOTE_SIGNATURES];
};

/* Parts a note; nothing in it is trusted yet. The parts point into it. */
bool note_read(struct str bytes, struct note *out, struct error *e) NODISCARD;

/* The first line of what is left, without its end; *rest begins after it. */
struct str note_line(struct str *rest);

/* A signature line for the text, which may stand in `to`. The name is one that fits. */
void note_sign(struct str name, const struct sign_key *key, struct str text, struct buf *to);

/* May a key have this name? Not empty, UTF-8 without spaces, controls and '+'. */
bool note_name_fits(struct str name) NODISCARD;

/* The name between '', for messages: whole where said() would cut it, as it would cut a UUID. */
const char *note_name_said(struct str name, struct arena *a) __attribute__((returns_nonnull));

/* The id of an Ed25519 key. */
void note_key_id(struct str name, const uint8_t public[SIGN_PUBLIC], uint8_t out[NOTE_ID]);

/* "<name>+<id, 8 hex digits>+<base64 of 0x01 and 32 bytes>": of a verifier key the bytes are the
 * public key, of a signer key (after PRIVATE+KEY+) the seed. Reading does not hold the id against
 * them, and no message repeats a part of the text, which may be secret. */
struct note_key {
    struct str name;
    uint8_t id[NOTE_ID];
    uint8_t bytes[SIGN_PUBLIC];
};

bool note_key_read(struct str text, struct note_key *out, struct error *e) NODISCARD;
void note_key_add(const struct note_key *key, struct buf *to);
