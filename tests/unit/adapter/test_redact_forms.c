/* SPDX-License-Identifier: Apache-2.0 */
/* test_redact_forms.c: what other programs made of a secret that had been written before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapter/secret.h"

enum { EDGES = 24 }; /* bytes around it: padding, and what was encoded with it */

static const char mark[] = "[redacted]";

static struct secrets one_secret(struct secret *s, struct str text)
{
    *s = (struct secret){ .name = str_of("t"), .value = text };
    return (struct secrets){ .v = s, .n = 1 };
}

static void check_redacted(struct str text, const struct secrets *all)
{
    _arena_ struct arena a = { 0 };
    struct str got = redact(text, all, &a);

    if (!memmem(got.s, got.n, mark, sizeof mark - 1) || got.n > sizeof mark + EDGES)
        fail_msg("'%.*s' became '%.*s'", STR_ARG(text), STR_ARG(got));
}

/* clang-format off */
static const char *const inside[] = {
    /* percent-encoding in base64 and in digits */
    "czNjciUyNnQlMkZUb2slMjJuJTNDJUMzJUE5JTNFJTJCayUyMDk=",
    "eHMzY3IlMjZ0JTJGVG9rJTIybiUzQyVDMyVBOSUzRSUyQmslMjA5",
    "eHhzM2NyJTI2dCUyRlRvayUyMm4lM0MlQzMlQTklM0UlMkJrJTIwOQ==",
    "czNjciUyNnQlMkZUb2slMjJuJTNDJUMzJUE5JTNFJTJCayUyMDk=",
    "7333637225323674253246546f6b2532326e2533432543332541392533452532426b25323039",
    "7333637225323674253246546F6B2532326E2533432543332541392533452532426B25323039",
    "czNjciUyNnQvVG9rJTIybiUzQyVDMyVBOSUzRSUyQmslMjA5",
    "73336372253236742f546f6b2532326e2533432543332541392533452532426b25323039",
    "czNjciUyNnQlMkZUb2slMjJuJTNDJUMzJUE5JTNFJTJCays5",
    "7333637225323674253246546f6b2532326e2533432543332541392533452532426b2b39",
    "czNjciUyNnQlMkZUb2slMjJuJTNDJUMzJUE5JTNFJTJCayUyMDk=",
    "7333637225323674253246546f6b2532326e2533432543332541392533452532426b25323039",
    /* markup in base64 and in digits */
    "czNjciZhbXA7dC9Ub2smcXVvdDtuJmx0O8OpJmd0OytrIDk=",
    "eHMzY3ImYW1wO3QvVG9rJnF1b3Q7biZsdDvDqSZndDsrayA5",
    "eHhzM2NyJmFtcDt0L1RvayZxdW90O24mbHQ7w6kmZ3Q7K2sgOQ==",
    "czNjciZhbXA7dC9Ub2smcXVvdDtuJmx0O8OpJmd0OytrIDk=",
    "7333637226616d703b742f546f6b2671756f743b6e266c743bc3a92667743b2b6b2039",
    "7333637226616D703B742F546F6B2671756F743B6E266C743BC3A92667743B2B6B2039",
    "czNjciZhbXA7dC9Ub2sibiZsdDvDqSZndDsrayA5",
    "7333637226616d703b742f546f6b226e266c743bc3a92667743b2b6b2039",
    "czNjciZhbXA7dC9Ub2smIzM0O24mbHQ7w6kmZ3Q7K2sgOQ==",
    "7333637226616d703b742f546f6b262333343b6e266c743bc3a92667743b2b6b2039",
    /* base64 in base64 and in digits */
    "Y3pOamNpWjBMMVJ2YXlKdVBNT3BQaXRySURrPQ==",
    "eGN6TmpjaVowTDFSdmF5SnVQTU9wUGl0cklEaz0=",
    "eHhjek5qY2laMEwxUnZheUp1UE1PcFBpdHJJRGs9",
    "Y3pOamNpWjBMMVJ2YXlKdVBNT3BQaXRySURrPQ==",
    "637a4e6a63695a304c31527661794a75504d4f705069747249446b3d",
    "637A4E6A63695A304C31527661794A75504D4F705069747249446B3D",
    "Y3pOamNpWjBMMVJ2YXlKdVBNT3BQaXRySURrPQ==",
    "637a4e6a63695a304c31527661794a75504d4f705069747249446b3d",
    "ZFRwek0yTnlKblF2Vkc5ckltNDh3NmsrSzJzZ09RPT0=",
    "6454707a4d324e794a6e517656473972496d343877366b2b4b3273674f513d3d",
    "ZFhObGNqcHpNMk55Sm5RdlZHOXJJbTQ4dzZrK0syc2dPU0U9",
    "64584e6c636a707a4d324e794a6e517656473972496d343877366b2b4b3273674f53453d",
    /* digits in base64 and in digits */
    "NzMzMzYzNzIyNjc0MmY1NDZmNmIyMjZlM2NjM2E5M2UyYjZiMjAzOQ==",
    "eDczMzM2MzcyMjY3NDJmNTQ2ZjZiMjI2ZTNjYzNhOTNlMmI2YjIwMzk=",
    "eHg3MzMzNjM3MjI2NzQyZjU0NmY2YjIyNmUzY2MzYTkzZTJiNmIyMDM5",
    "NzMzMzYzNzIyNjc0MmY1NDZmNmIyMjZlM2NjM2E5M2UyYjZiMjAzOQ==",
    "37333333363337323236373432663534366636623232366533636333613933653262366232303339",
    "37333333363337323236373432663534366636623232366533636333613933653262366232303339",
    "NzMzMzYzNzIyNjc0MkY1NDZGNkIyMjZFM0NDM0E5M0UyQjZCMjAzOQ==",
    "37333333363337323236373432463534364636423232364533434333413933453242364232303339",
    /* JSON in base64 and in digits */
    "czNjciZ0L1Rva1wibjxcdTAwZTk+K2sgOQ==",
    "eHMzY3ImdC9Ub2tcIm48XHUwMGU5PitrIDk=",
    "eHhzM2NyJnQvVG9rXCJuPFx1MDBlOT4rayA5",
    "czNjciZ0L1Rva1wibjxcdTAwZTk-K2sgOQ==",
    "7333637226742f546f6b5c226e3c5c75303065393e2b6b2039",
    "7333637226742F546F6B5C226E3C5C75303065393E2B6B2039",
    "czNjciZ0L1Rva1wibjzDqT4rayA5",
    "7333637226742f546f6b5c226e3cc3a93e2b6b2039",
    /* digits as people write them in programs */
    "0x73, 0x33, 0x63, 0x72, 0x26, 0x74, 0x2f, 0x54, 0x6f, 0x6b, 0x22, 0x6e, 0x3c, 0xc3, 0xa9, 0x3e, 0x2b, 0x6b, 0x20, 0x39",
    "0X73,0X33,0X63,0X72,0X26,0X74,0X2F,0X54,0X6F,0X6B,0X22,0X6E,0X3C,0XC3,0XA9,0X3E,0X2B,0X6B,0X20,0X39",
    "\\x73\\x33\\x63\\x72\\x26\\x74\\x2f\\x54\\x6f\\x6b\\x22\\x6e\\x3c\\xc3\\xa9\\x3e\\x2b\\x6b\\x20\\x39",
    "\\\\x73\\\\x33\\\\x63\\\\x72\\\\x26\\\\x74\\\\x2f\\\\x54\\\\x6f\\\\x6b\\\\x22\\\\x6e\\\\x3c\\\\xc3\\\\xa9\\\\x3e\\\\x2b\\\\x6b\\\\x20\\\\x39",
    "0x73, 0x33, 0x63, 0x72, 0x26, 0x74, 0x2f, 0x54,\n  0x6f, 0x6b, 0x22, 0x6e, 0x3c, 0xc3, 0xa9, 0x3e,\n  0x2b, 0x6b, 0x20, 0x39,",
};
/* clang-format on */

static void a_form_inside_of_another_is_taken_out(void **state)
{
    struct secret s;
    struct secrets all = one_secret(&s, str_of("s3cr&t/Tok\"n<\xc3\xa9>+k 9"));

    (void)state;
    for (size_t i = 0; i < COUNT(inside); i++)
        check_redacted(str_of(inside[i]), &all);
}

static void what_only_looks_like_digits_stays(void **state)
{
    static const char *const rows[] = { "0x", "\\x", "0x68, 0x75, 0x6e", "0x, \\x 0",
                                        "C:\\x68\\0" };
    struct secret s;
    struct secrets all = one_secret(&s, str_of("hunter22"));

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };

        assert_true(str_is(redact(str_of(rows[i]), &all, &a), rows[i]));
    }
}

static void digits_that_were_cut_are_left_out(void **state)
{
    static const char *const rows[] = { "x 0x68, 0x75, 0x6", "x 0x68, 0x75, 0x", "x 0x68, 0x75, 0",
                                        "x 0x68, 0x75,",     "x \\x68\\x7",      "x \\x68\\x",
                                        "x \\x68\\" };
    struct secret s;
    struct secrets all = one_secret(&s, str_of("hunter22"));

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct str got = redact_cut(str_of(rows[i]), &all, &a);

        if (got.n > sizeof "x 0x" - 1)
            fail_msg("'%s' became '%.*s'", rows[i], STR_ARG(got));
    }
}

/* However much of it there is: what may be the beginning of a secret is left out. */
static void an_escape_that_was_cut_is_left_out_at_every_length(void **state)
{
    static const struct {
        const char *secret, *text;
    } rows[] = {
        { "k\xf0\x9f\x94\x91y-4711", "x k\\ud83d\\udd11y-4711" },
        { "hunter22", "x h&#00000000000117;nter22" },
        { "hunter22", "x h&#x0000000000075;nter22" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct secret s;
        struct secrets all = one_secret(&s, str_of(rows[i].secret));

        for (size_t n = 2; n < strlen(rows[i].text); n++) {
            _arena_ struct arena a = { 0 };
            struct str cut = { rows[i].text, n }, got = redact_cut(cut, &all, &a);

            if (!str_is(got, "x "))
                fail_msg("'%.*s' became '%.*s'", STR_ARG(cut), STR_ARG(got));
        }
    }
}

static void a_secret_in_which_another_one_begins_that_was_cut_is_left_out(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "x correct-horse", "x " },
        { "x correct-horse-bat", "x [redacted]" },
        { "x correct-horse-battery.", "x [redacted]." },
        { "x correct-horse correct-ho", "x [redacted] " },
    };
    struct secret both[] = {
        { .name = str_of("a"), .value = str_of("correct-horse") },
        { .name = str_of("b"), .value = str_of("horse-battery") },
    };
    struct secrets all = { .v = both, .n = COUNT(both) };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct str got = redact_cut(str_of(rows[i].text), &all, &a);

        if (!str_is(got, rows[i].want))
            fail_msg("'%s' became '%.*s'", rows[i].text, STR_ARG(got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_inside_of_another_is_taken_out),
        cmocka_unit_test(what_only_looks_like_digits_stays),
        cmocka_unit_test(digits_that_were_cut_are_left_out),
        cmocka_unit_test(an_escape_that_was_cut_is_left_out_at_every_length),
        cmocka_unit_test(a_secret_in_which_another_one_begins_that_was_cut_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
