/* SPDX-License-Identifier: Apache-2.0 */
/* test_digest.c: SHA-256 against FIPS vectors and OpenSSL, for each way this CPU can do it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

enum { LONGEST = 300 };

static const char *const names[] = { "plain", "arm", "avx2", "avx512", "x86" };

struct vector {
    const char *part;
    size_t times;
    const char *digest;
};

/* clang-format off */
static const struct vector vectors[] = {
    { "", 1, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", 1, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
      "lmnopqrsmnopqrstnopqrstu", 1,
      "sha256:cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
    { "a", 1000000, "sha256:cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};
/* clang-format on */

static void check_text(const struct digest *d, const char *want)
{
    char text[DIGEST_TEXT];

    digest_text(d, text);
    assert_string_equal(text, want);
}

static void check_vector(const struct vector *v)
{
    struct sha256 s;

    sha256_begin(&s);
    for (size_t i = 0; i < v->times; i++)
        sha256_add(&s, v->part, strlen(v->part));
    struct digest d = sha256_end(&s);
    check_text(&d, v->digest);
}

static void fips_vectors_hold_for_every_way(void **state)
{
    int ways = 0;

    (void)state;
    for (size_t n = 0; n < COUNT(names); n++) {
        if (!digest_use(names[n]))
            continue;
        ways++;
        for (size_t i = 0; i < COUNT(vectors); i++)
            check_vector(&vectors[i]);
    }
    print_message("# %d ways\n", ways);
    assert_true(ways >= 1);
}

/* Wherever the message is cut in two, and cut into single bytes. */
static void check_cuts(const uint8_t *bytes, size_t n, const uint8_t *want)
{
    struct sha256 s;
    struct digest d;

    for (size_t cut = 0; cut <= n; cut++) {
        sha256_begin(&s);
        sha256_add(&s, bytes, cut);
        sha256_add(&s, bytes + cut, n - cut);
        d = sha256_end(&s);
        assert_memory_equal(d.b, want, DIGEST_BYTES);
    }
    sha256_begin(&s);
    for (size_t i = 0; i < n; i++)
        sha256_add(&s, bytes + i, 1);
    d = sha256_end(&s);
    assert_memory_equal(d.b, want, DIGEST_BYTES);
    d = digest_of(bytes, n);
    assert_memory_equal(d.b, want, DIGEST_BYTES);
}

static void every_length_and_cut_gives_what_openssl_gives(void **state)
{
    uint8_t bytes[LONGEST + 1], want[DIGEST_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    for (size_t n = 0; n < COUNT(names); n++) {
        if (!digest_use(names[n]))
            continue;
        for (size_t len = 0; len <= LONGEST; len++) {
            /* From an odd address: the block functions must not expect alignment. */
            assert_true(EVP_Digest(bytes + 1, len, want, NULL, EVP_sha256(), NULL));
            check_cuts(bytes + 1, len, want);
        }
    }
}

enum { MANY = 70 };

/* Texts of many lengths, none and whole blocks among them: lanes end at different times, and the
 * last ones alone. */
static void many_at_once_are_what_each_is_alone(void **state)
{
    static uint8_t bytes[MANY * LONGEST];
    struct str texts[MANY];
    struct digest got[MANY];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 89 + 7);
    for (size_t n = 0; n < COUNT(names); n++) {
        if (!digest_use(names[n]))
            continue;
        for (size_t len = 0; len <= LONGEST; len++) {
            size_t count = len % MANY;

            for (size_t i = 0; i < count; i++)
                texts[i] = (struct str){ (char *)bytes + i * 61, (len + i * 53) % LONGEST };
            digest_many(texts, got, count);
            for (size_t i = 0; i < count; i++) {
                struct digest one = digest_of(texts[i].s, texts[i].n);

                assert_memory_equal(&got[i], &one, sizeof one);
            }
        }
    }
}

/* NIST's vector of 2^32 bits: the first length that needs the upper half of the length field. */
static void half_a_gigabyte_counts_its_bits_right(void **state)
{
    static uint8_t part[1 << 20];
    struct sha256 s;

    (void)state;
    for (size_t n = 0; n < COUNT(names); n++)
        (void)!digest_use(names[n]); /* the last accepted is the fastest */
    memset(part, 0x5a, sizeof part);
    sha256_begin(&s);
    for (int i = 0; i < 512; i++)
        sha256_add(&s, part, sizeof part);
    struct digest d = sha256_end(&s);
    check_text(&d, "sha256:15a1868c12cc53951e182344277447cd0979536badcc512ad24c67e9b2d4f3dd");
}

static void text_is_read_back(void **state)
{
    struct digest d, back = { { 0 } };
    char text[DIGEST_TEXT];

    (void)state;
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        d.b[i] = (uint8_t)(i * 37 + 0x0a);
    digest_text(&d, text);
    assert_int_equal(strlen(text), DIGEST_TEXT - 1);
    assert_true(digest_parse(str_of(text), &back));
    assert_memory_equal(&back, &d, sizeof d);
}

static void check_refused(const char *s, size_t n)
{
    struct digest out, before;

    memset(&out, 0x77, sizeof out);
    before = out;
    assert_false(digest_parse((struct str){ s, n }, &out));
    assert_memory_equal(&out, &before, sizeof out);
}

static void anything_but_its_own_text_is_refused(void **state)
{
    static const char bad[] = "gA/:`@ \n";
    struct digest d = { { 0xab, 0xcd } };
    char text[DIGEST_TEXT + 1] = { 0 };

    (void)state;
    check_refused(NULL, 0);
    digest_text(&d, text);
    for (size_t n = 0; n <= DIGEST_TEXT; n++) {
        if (n != DIGEST_TEXT - 1)
            check_refused(text, n);
    }
    for (size_t at = 0; at < DIGEST_TEXT - 1; at++) {
        for (size_t i = 0; i < sizeof bad; i++) { /* the NUL too */
            char kept = text[at];

            if (kept == bad[i])
                continue;
            text[at] = bad[i];
            check_refused(text, DIGEST_TEXT - 1);
            text[at] = kept;
        }
    }
}

static void unknown_ways_are_refused(void **state)
{
    (void)state;
    assert_true(digest_use("plain"));
    assert_false(digest_use("fast"));
    assert_false(digest_use(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fips_vectors_hold_for_every_way),
        cmocka_unit_test(every_length_and_cut_gives_what_openssl_gives),
        cmocka_unit_test(many_at_once_are_what_each_is_alone),
        cmocka_unit_test(half_a_gigabyte_counts_its_bits_right),
        cmocka_unit_test(text_is_read_back),
        cmocka_unit_test(anything_but_its_own_text_is_refused),
        cmocka_unit_test(unknown_ways_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
