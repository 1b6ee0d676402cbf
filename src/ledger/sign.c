/* SPDX-License-Identifier: Apache-2.0 */
/* sign.c: Ed25519 by libsodium.
 *
 * sodium_init() is not called: it picks implementations of other algorithms by the CPU and opens
 * the source of random numbers. Its Ed25519 is plain arithmetic that has one implementation, draws
 * no random numbers and keeps nothing between calls, so there is nothing to make ready.
 */
#include "ledger/sign.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

static_assert(SIGN_SEED == crypto_sign_ed25519_SEEDBYTES, "the seed");
static_assert(SIGN_PUBLIC == crypto_sign_ed25519_PUBLICKEYBYTES, "the public key");
static_assert(SIGN_BYTES == crypto_sign_ed25519_BYTES, "the signature");
static_assert(SIGN_SEED + SIGN_PUBLIC == crypto_sign_ed25519_SECRETKEYBYTES, "the secret key");

void sign_key_from(const uint8_t seed[SIGN_SEED], struct sign_key *out)
{
    uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES];

    memmove(out->seed, seed, SIGN_SEED); /* which may be the same place */
    (void)crypto_sign_ed25519_seed_keypair(out->public, secret, out->seed);
    sodium_memzero(secret, sizeof secret);
}

void sign_key_wipe(struct sign_key *key)
{
    explicit_bzero(key, sizeof *key);
}

void sign(const struct sign_key *key, struct str text, uint8_t out[SIGN_BYTES])
{
    uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES];

    memcpy(secret, key->seed, SIGN_SEED);
    memcpy(secret + SIGN_SEED, key->public, SIGN_PUBLIC);
    (void)crypto_sign_ed25519_detached(out, NULL, (const uint8_t *)text.s, text.n, secret);
    sodium_memzero(secret, sizeof secret);
}

bool sign_holds(const uint8_t public[SIGN_PUBLIC], struct str text,
                const uint8_t signature[SIGN_BYTES])
{
    return crypto_sign_ed25519_verify_detached(signature, (const uint8_t *)text.s, text.n,
                                               public) == 0;
}
