/* SPDX-License-Identifier: Apache-2.0 */
/* test_sign.c: Ed25519 against RFC 8032 and against OpenSSL, in both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <openssl/evp.h>

#include "base/num.h"
#include "base/world.h"
#include "ledger/sign.h"

enum { ROUNDS = 200, LONGEST = 1000 };

/* RFC 8032, 7.1: tests 1, 2, 3 and SHA(abc). */
/* clang-format off */
static const struct vector {
    const char *seed, *public, *text, *signature;
} vectors[] = {
    { "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
      "d25bf5f0595bbe24655141438e7a100b" },
    { "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
      "387b2eaeb4302aeeb00d291612bb0c00" },
    { "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
      "4a7c15e9716ed28dc027beceea1ec40a" },
    { "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
      "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
      "454d4423643ce80e2a9ac94fa54ca49f",
      "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
      "3dca179c138ac17ad9bef1177331a704" },
};
/* clang-format on */

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = strlen(hex) / 2;

    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(num_hex(hex[2 * i]) << 4 | num_hex(hex[2 * i + 1]));
    return n;
}

static void the_vectors_of_rfc_8032_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        uint8_t seed[SIGN_SEED], public[SIGN_PUBLIC], want[SIGN_BYTES], got[SIGN_BYTES], text[64];
        struct str message = { (const char *)text, from_hex(vectors[i].text, text) };
        struct sign_key key;

        assert_int_equal(from_hex(vectors[i].seed, seed), SIGN_SEED);
        assert_int_equal(from_hex(vectors[i].public, public), SIGN_PUBLIC);
        assert_int_equal(from_hex(vectors[i].signature, want), SIGN_BYTES);
        sign_key_from(seed, &key);
        assert_memory_equal(key.seed, seed, SIGN_SEED);
        assert_memory_equal(key.public, public, SIGN_PUBLIC);
        sign(&key, message, got);
        assert_memory_equal(got, want, SIGN_BYTES);
        assert_true(sign_holds(public, message, want));
    }
}

/* ---- OpenSSL ---- */

static void their_sign(const uint8_t *seed, struct str text, uint8_t out[SIGN_BYTES])
{
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, SIGN_SEED);
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    size_t n = SIGN_BYTES;

    assert_int_equal(EVP_DigestSignInit(c, NULL, NULL, NULL, key), 1);
    assert_int_equal(EVP_DigestSign(c, out, &n, (const uint8_t *)text.s, text.n), 1);
    assert_int_equal(n, SIGN_BYTES);
    EVP_MD_CTX_free(c);
    EVP_PKEY_free(key);
}

static bool their_holds(const uint8_t *public, struct str text, const uint8_t *signature)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public, SIGN_PUBLIC);
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    int ok;

    assert_int_equal(EVP_DigestVerifyInit(c, NULL, NULL, NULL, key), 1);
    ok = EVP_DigestVerify(c, signature, SIGN_BYTES, (const uint8_t *)text.s, text.n);
    EVP_MD_CTX_free(c);
    EVP_PKEY_free(key);
    return ok == 1;
}

static void openssl_and_writ_agree_on_random_messages(void **state)
{
    struct fake_world f;
    char bytes[LONGEST];

    (void)state;
    fake_world_init(&f, 0);
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t seed[SIGN_SEED], ours[SIGN_BYTES], theirs[SIGN_BYTES], at[2];
        struct str text = { bytes, (size_t)i * LONGEST / ROUNDS };
        struct sign_key key;

        f.world.chance(f.world.self, seed, sizeof seed);
        f.world.chance(f.world.self, bytes, sizeof bytes);
        f.world.chance(f.world.self, at, sizeof at);
        sign_key_from(seed, &key);
        sign(&key, text, ours);
        their_sign(seed, text, theirs);
        assert_memory_equal(ours, theirs, SIGN_BYTES);
        assert_true(their_holds(key.public, text, ours));
        assert_true(sign_holds(key.public, text, theirs));
        theirs[at[0] % SIGN_BYTES] ^= (uint8_t)(1 << at[1] % 8);
        assert_false(sign_holds(key.public, text, theirs));
        assert_false(their_holds(key.public, text, theirs));
    }
}

/* ---- what must not hold ---- */

static void a_change_of_any_bit_of_text_signature_or_key_is_seen(void **state)
{
    uint8_t signature[SIGN_BYTES], seed[SIGN_SEED] = { 7 };
    char bytes[] = "entries";
    struct str text = { bytes, sizeof bytes - 1 };
    struct sign_key key;

    (void)state;
    sign_key_from(seed, &key);
    sign(&key, text, signature);
    for (size_t bit = 0; bit < 8 * SIGN_BYTES; bit++) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(sign_holds(key.public, text, signature));
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * SIGN_PUBLIC; bit++) {
        key.public[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(sign_holds(key.public, text, signature));
        key.public[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * text.n; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        assert_false(sign_holds(key.public, text, signature));
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_false(sign_holds(key.public, (struct str){ bytes, text.n - 1 }, signature));
    assert_true(sign_holds(key.public, text, signature));
}

/* S + L is the same number to who forgets RFC 8032, 5.1.7: a second signature for the same text. */
static void a_signature_has_one_form(void **state)
{
    static const char order[] = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    uint8_t signature[SIGN_BYTES], seed[SIGN_SEED] = { 9 }, l[32];
    struct str text = str_of("entries");
    struct sign_key key;
    int carry = 0;

    (void)state;
    sign_key_from(seed, &key);
    sign(&key, text, signature);
    (void)from_hex(order, l);
    for (int i = 0; i < 32; i++) {
        carry += signature[32 + i] + l[i];
        signature[32 + i] = (uint8_t)carry;
        carry >>= 8;
    }
    assert_false(sign_holds(key.public, text, signature));
}

/* With the neutral point as key and as R, and S = 0, the equation holds for every text. */
static void a_key_that_would_sign_everything_is_refused(void **state)
{
    uint8_t public[SIGN_PUBLIC] = { 1 }, signature[SIGN_BYTES] = { 1 };

    (void)state;
    assert_false(sign_holds(public, str_of("any text"), signature));
}

static void a_key_may_be_made_where_its_seed_stands(void **state)
{
    struct sign_key one = { .seed = { 1, 2, 3 } }, other;

    (void)state;
    sign_key_from(one.seed, &other);
    sign_key_from(one.seed, &one);
    assert_memory_equal(&one, &other, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_rfc_8032_hold),
        cmocka_unit_test(openssl_and_writ_agree_on_random_messages),
        cmocka_unit_test(a_change_of_any_bit_of_text_signature_or_key_is_seen),
        cmocka_unit_test(a_signature_has_one_form),
        cmocka_unit_test(a_key_that_would_sign_everything_is_refused),
        cmocka_unit_test(a_key_may_be_made_where_its_seed_stands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
