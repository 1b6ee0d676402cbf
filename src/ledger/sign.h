/* SPDX-License-Identifier: Apache-2.0 */
/* sign.h: Ed25519 signatures. The only file behind it knows the library that makes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

enum { SIGN_SEED = 32, SIGN_PUBLIC = 32, SIGN_BYTES = 64 };

struct sign_key {
    uint8_t seed[SIGN_SEED];
    uint8_t public[SIGN_PUBLIC];
};

/* The key that a seed of random bytes makes. */
void sign_key_from(const uint8_t seed[SIGN_SEED], struct sign_key *out);

/* Whoever has had it leaves no copy behind. */
void sign_key_wipe(struct sign_key *key);

void sign(const struct sign_key *key, struct str text, uint8_t out[SIGN_BYTES]);
bool sign_holds(const uint8_t public[SIGN_PUBLIC], struct str text,
                const uint8_t signature[SIGN_BYTES]) NODISCARD;
