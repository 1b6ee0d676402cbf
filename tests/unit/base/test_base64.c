/* SPDX-License-Identifier: Apache-2.0 */
/* test_base64.c: one sequence of bytes has one text, and only that text is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/base64.h"

enum { LONGEST = 100 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* RFC 4648, 10, and both letters that are neither letter nor digit. */
static const struct {
    const char *bytes, *text;
} vectors[] = {
    { "", "" },
    { "f", "Zg==" },
    { "fo", "Zm8=" },
    { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" },
    { "fooba", "Zm9vYmE=" },
    { "foobar", "Zm9vYmFy" },
    { "\xfb\xff\xbf", "+/+/" },
};

static void the_vectors_of_rfc_4648_hold_both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        _buf_ struct buf text = { .max = LONGEST };
        char bytes[LONGEST];
        size_t n = 99;

        base64_add(&text, str_of(vectors[i].bytes));
        assert_true(str_is(buf_str(&text), vectors[i].text));
        assert_true(base64_read(str_of(vectors[i].text), bytes, sizeof bytes, &n));
        assert_int_equal(n, strlen(vectors[i].bytes));
        assert_memory_equal(bytes, vectors[i].bytes, n);
    }
}

/* In memory of exactly its size, so that a sanitizer sees a step too far. */
static void check_round(const uint8_t *bytes, size_t n)
{
    _buf_ struct buf text = { .max = 2 * LONGEST };
    _free_ uint8_t *back = malloc(n + 1);
    _free_ char *copy = NULL;
    size_t got = 0, counted = 0;

    base64_add(&text, (struct str){ (const char *)bytes, n });
    copy = malloc(text.len + 1);
    assert_non_null(back);
    assert_non_null(copy);
    memcpy(copy, buf_str(&text).s, text.len);
    assert_true(base64_read((struct str){ copy, text.len }, back, n, &got));
    assert_int_equal(got, n);
    assert_memory_equal(back, bytes, n);
    assert_true(base64_read((struct str){ copy, text.len }, NULL, 0, &counted));
    assert_int_equal(counted, n);
    if (n > 0)
        assert_false(base64_read((struct str){ copy, text.len }, back, n - 1, &got));
}

static void what_is_written_is_read_again(void **state)
{
    uint8_t bytes[LONGEST];
    uint32_t x = 1;

    (void)state;
    for (size_t n = 0; n < LONGEST; n++) {
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525 + 1013904223;
            bytes[i] = (uint8_t)(x >> 24);
        }
        check_round(bytes, n);
    }
}

/* clang-format off */
static const char *const refused[] = {
    "A", "AA", "AAA", "AAAAA", "AA=", "=", "==", "===", "====", "A===", "AAA==", "AA==A",
    "AA==AAAA", "AA=A", "A=AA", "=AAA", "Zg==\n", "Zg= =", " Zg==", "Zg==  ", "Zm9v\nZm9v", "Zm9v====",
    "Zm9vYg", "Zm9vYmE", "Zm-v", "Zm_v", "Zm9.", "Zm9\x80", "\xff\xff\xff\xff",
    "Zh==", "Zj==", "Zv==", "Zm9=", "Zm+=", "//==", "///=", /* bits left over */
};
/* clang-format on */

static void everything_else_is_refused_and_changes_nothing(void **state)
{
    uint8_t out[LONGEST];
    size_t n = 77;

    (void)state;
    memset(out, 0xaa, sizeof out);
    for (size_t i = 0; i < COUNT(refused); i++)
        if (base64_read(str_of(refused[i]), out, sizeof out, &n))
            fail_msg("'%s' was read", refused[i]);
    assert_false(base64_read((struct str){ "AA\0A", 4 }, out, sizeof out, &n));
    for (size_t cut = 1; cut < 8; cut += cut == 3 ? 2 : 1) /* whatever stands behind it */
        assert_false(base64_read((struct str){ "AAAAAAAA", cut }, out, sizeof out, &n));
    assert_int_equal(n, 77);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], 0xaa);
}

/* Every byte in every place of four: 64 letters, and '=' where it may be. */
static void the_alphabet_is_exactly_the_64_letters(void **state)
{
    (void)state;
    for (int place = 0; place < 4; place++)
        for (int c = 0; c < 256; c++) {
            char text[4] = { 'A', 'A', 'A', 'A' };
            uint8_t out[3];
            size_t n = 0;
            bool fits = (c && strchr(letters, c)) || (place == 3 && c == '=');

            text[place] = (char)c;
            assert_int_equal(base64_read((struct str){ text, 4 }, out, 3, &n), fits);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_rfc_4648_hold_both_ways),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(everything_else_is_refused_and_changes_nothing),
        cmocka_unit_test(the_alphabet_is_exactly_the_64_letters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
