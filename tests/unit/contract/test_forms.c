/* SPDX-License-Identifier: Apache-2.0 */
/* test_forms.c: texts that have a form and texts that only look like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <string.h>

#include "contract/forms.h"

/* Two lists for each form, ended by NULL. */
struct texts {
    const char *fit[12], *unfit[24];
};

/* clang-format off */
static const struct texts texts[FORM_COUNT] = {
    [FORM_UUID] = {
        { "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11", "6F1C1F6E-3C1E-4B0A-BD3E-2F6F0C0A7B11" },
        { "", "6f1c1f6e-3c1e-1b0a-9d3e-2f6f0c0a7b11", "6f1c1f6e-3c1e-4b0a-cd3e-2f6f0c0a7b11", "6f1c1f6e3c1e4b0a9d3e2f6f0c0a7b11",
          "{6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11}", "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b1", "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11 ", "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b1g" } },
    [FORM_STAMP] = {
        { "2026-01-16T10:15:30Z", "2026-01-16T10:15:30.123Z", "2026-01-16T10:15:30+02:00", "2024-02-29T00:00:00Z" },
        { "", "2026-01-16", "2026-01-16T10:15:30", "2026-02-30T10:15:30Z", "2025-02-29T00:00:00Z", "2026-01-16T25:00:00Z", "yesterday" } },
    [FORM_DAY] = {
        { "2026-01-16", "2024-02-29", "2026-01-16T10:15:30Z" },
        { "", "2026-1-16", "2026-13-01", "2025-02-29", "2026-01-16T10:15:30", "16.01.2026", "2026-01-16 " } },
    [FORM_VERSION] = {
        { "0.0.0", "1.0.0", "10.20.30" },
        { "", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-rc1", "1.0.0+b", "1.0.x", "1..0", " 1.0.0", "-1.0.0", "1.0.0 " } },
    [FORM_SNAKE] = {
        { "a", "text_digest", "json_select2", "a1_b2_3" },
        { "", "_a", "a_", "a__b", "Text", "text-digest", "1a", "text digest", "täxt", "a." } },
    [FORM_SLUG] = {
        { "a", "run:2026/nightly-1", "a.b_c", "-", "9" },
        { "", "Run", "a b", "a\tb", "ä", "a@b", "a\\b" } },
    [FORM_DIGEST] = {
        { "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "", "sha256:", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "sha256:E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85" } },
    [FORM_URL] = {
        { "https://api.example.com/v1", "http://localhost", "http://127.0.0.1:8080/", "https://[::1]:443/x?y=1#z", "https://h?q", "https://h:65535", "http://[FE80::1.2.3.4]/", "https://a_b.example" },
        { "", "https://", "ftp://x", "api.example.com", "https:///x", "https://u:p@h/", "https://h:/", "https://h:123456", "https://h/a b",
          "https://h/ä", "https://[::1", "https://:80", "https://h\\x", "HTTPS://h", "https://h:80x", "https://[]/" } },
    [FORM_ENV_NAME] = {
        { "A", "_", "HTTP_PROXY", "path2" },
        { "", "2A", "A-B", "A=B", "A B", "Ä", "A." } },
    [FORM_STEP_NAME] = {
        { "a", "7", "find-todos", "Count_2.all", "-", "." },
        { "", "find todos", "a/b", "a:b", "ä", "a\tb", "a'b", "a\"b" } },
    [FORM_TOOL_VERSION] = {
        { "13+", "13", "1.2", "1.2+", "1.2.3", "1.2.3+", "22.04" },
        { "", "+", "1.", ".1", "1..2", "1.2.3.4", "v13", "13++", ">=13", "13 +", "1.2.x", "1+.2" } },
    [FORM_CLASS_ID] = {
        { "a", "go_test", "zig-build", "_9", "9" },
        { "", "-", "-a", "../x", "a.b", "a:b", "a/b", "Go", "go test", "ä" } },
};
/* clang-format on */

static bool fits(int form, struct str text)
{
    const char *why = NULL;

    return forms[form].fits(text, &why);
}

/* The pattern in the schema must not disagree with the program; POSIX reads these patterns too. */
static bool matches(int form, const char *text)
{
    regex_t re;
    bool found;

    assert_int_equal(regcomp(&re, forms[form].pattern, REG_EXTENDED | REG_NOSUB), 0);
    found = regexec(&re, text, 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}

static void check_fit(int form, const char *text)
{
    if (!fits(form, str_of(text)))
        fail_msg("'%s' is %s", text, forms[form].name);
    if (forms[form].pattern && !matches(form, text))
        fail_msg("'%s' does not match the pattern of %s", text, forms[form].name);
}

/* A date that is on no calendar matches its pattern: that is as far as a pattern can see. */
static void check_unfit(int form, const char *text)
{
    if (fits(form, str_of(text)))
        fail_msg("'%s' is not %s", text, forms[form].name);
    if (forms[form].pattern && form != FORM_DAY && matches(form, text))
        fail_msg("'%s' matches the pattern of %s", text, forms[form].name);
}

static void texts_fit_or_do_not_as_their_pattern_says(void **state)
{
    (void)state;
    for (int form = FORM_ANY + 1; form < FORM_COUNT; form++) {
        assert_non_null(texts[form].fit[0]);
        for (size_t i = 0; texts[form].fit[i]; i++)
            check_fit(form, texts[form].fit[i]);
        for (size_t i = 0; texts[form].unfit[i]; i++)
            check_unfit(form, texts[form].unfit[i]);
    }
}

/* What fits must not fit with a NUL or a newline in it, nor with bytes that lie behind it. */
static void texts_are_as_long_as_they_say(void **state)
{
    (void)state;
    for (int form = FORM_ANY + 1; form < FORM_COUNT; form++) {
        const char *example = forms[form].example;
        size_t n = strlen(example);
        char text[128];

        assert_true(n + 1 < sizeof text);
        memcpy(text, example, n);
        text[n] = '\0';
        assert_false(fits(form, (struct str){ text, n + 1 }));
        text[n] = '\n';
        assert_false(fits(form, (struct str){ text, n + 1 }));
        assert_false(fits(form, (struct str){ NULL, 0 }));
        text[n] = 'x';
        assert_true(fits(form, (struct str){ text, n }));
    }
}

static void examples_fit_their_own_form(void **state)
{
    (void)state;
    for (int form = FORM_ANY + 1; form < FORM_COUNT; form++) {
        check_fit(form, forms[form].example);
        assert_true(strncmp(forms[form].name, "a ", 2) == 0);
        assert_true(forms[form].pattern || forms[form].format);
    }
    assert_null(forms[FORM_ANY].fits);
    assert_string_equal(forms[FORM_UUID].format, "uuid");
    assert_string_equal(forms[FORM_STAMP].format, "date-time");
}

static void the_reason_says_more_than_the_example(void **state)
{
    const char *why = NULL;

    (void)state;
    assert_false(forms[FORM_URL].fits(str_of("ftp://x"), &why));
    assert_string_equal(why, "it must begin with https:// or http://");
    why = NULL;
    assert_false(forms[FORM_ENV_NAME].fits(str_of("2A"), &why));
    assert_string_equal(why, "it may not begin with a digit");
    why = NULL;
    assert_false(forms[FORM_STAMP].fits(str_of("2026-01-16T10:15:30"), &why));
    assert_non_null(why);
    why = NULL;
    assert_false(forms[FORM_SLUG].fits(str_of("A"), &why));
    assert_null(why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_fit_or_do_not_as_their_pattern_says),
        cmocka_unit_test(texts_are_as_long_as_they_say),
        cmocka_unit_test(examples_fit_their_own_form),
        cmocka_unit_test(the_reason_says_more_than_the_example),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
