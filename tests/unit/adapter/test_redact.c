/* SPDX-License-Identifier: Apache-2.0 */
/* test_redact.c: secrets are taken out of texts and documents, however they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapter/secret.h"
#include "base/base64.h"
#include "base/json_read.h"
#include "base/json_write.h"

static const char secret[] = "s3cr3t/+\"\\ \xc3\xa4&=?x";

static struct secrets of(struct secret *v, size_t n)
{
    return (struct secrets){ .v = v, .n = n };
}

static struct secrets one_secret(struct secret *s, const char *text)
{
    *s = (struct secret){ .name = str_of("t"), .value = str_of(text) };
    return of(s, 1);
}

static void check_redacted(struct str text, const struct secrets *all, const char *want)
{
    _arena_ struct arena a = { 0 };
    struct str got = redact(text, all, &a);

    if (!str_is(got, want))
        fail_msg("'%.*s' became '%.*s', not '%s'", STR_ARG(text), STR_ARG(got), want);
}

static void secrets_are_taken_out_wherever_they_stand(void **state)
{
    static const struct {
        const char *secret, *text, *want;
    } rows[] = {
        { "hunter22", "hunter22", "[redacted]" },
        { "hunter22", "a hunter22 b", "a [redacted] b" },
        { "hunter22", "hunter22hunter22", "[redacted]" },
        { "hunter22", "hunter22 hunter22", "[redacted] [redacted]" },
        { "hunter22", "huntehunter22", "hunte[redacted]" },
        { "hunter22", "hunter2", "hunter2" },
        { "hunter22", "HUNTER22", "HUNTER22" },
        { "abab", "xabababx", "x[redacted]x" },
        { "aaaa", "aaaaaaaaaaaaaaaab", "[redacted]b" },
        { "abc", "abc", "abc" }, /* fewer than four bytes */
        { "hunter22", "h%75nter2%32!", "[redacted]!" },
        { "hunter22", "%68%75%6E%74%65%72%32%32", "[redacted]" },
        { "hunter22", "%68%75%6e%74%65%72%32%3", "%68%75%6e%74%65%72%32%3" },
        { "hunter22", "%68unter22 kept hunter22", "[redacted] kept [redacted]" },
        { "two words", "a=two+words&b", "a=[redacted]&b" },
        { "two words", "a=two%20words&b", "a=[redacted]&b" },
        { "one+two=3", "a=one+two%3D3", "a=[redacted]" },
        { "hunter22", "\"\\u0068unter2\\u0032\"", "\"[redacted]\"" },
        { "a\"b\\c/d", "{\"x\":\"a\\\"b\\\\c\\/d\"}", "{\"x\":\"[redacted]\"}" },
        { "line1\nline2", "\"line1\\nline2\"", "\"[redacted]\"" },
        { "\xf0\x9f\x94\x91key", "\"\\ud83d\\udd11key\"", "\"[redacted]\"" },
        { "hunter22", "68756e7465723232", "[redacted]" },
        { "key-\x7e", "0x6b65792D7E 6b65792d7", "[redacted] 6b65792d7" },
        { "key-\x7e", "6B:65:79:2d:7e!", "[redacted]!" },
        { "key-\x7e", "x 6b 65 79 2D 7e x", "x [redacted] x" },
        { "key-\x7e", "6b65 792d 7e, 6b-65-79", "[redacted], 6b-65-79" },
        { "key-\x7e", "[6b, 65, 79, 2d,\n 7e]", "[[redacted]]" },
        { "key-\x7e", "\"6B:65\\n79:2D:7E\"", "\"6B:65\\n79:2D:7E\"" },
        { "key-\x7e", "6b 65   79 2d 7e", "6b 65   79 2d 7e" },
        { "key-\x7e", "0x6B65792D7E, 6B6579", "[redacted], 6B6579" },
        { "a<b&c>\"d'", "<i>a&lt;b&amp;c&gt;&quot;d&#39;</i>", "<i>[redacted]</i>" },
        { "a<b&c>\"d'", "a&#60;b&#x26;c&#X3e;&#34;d&apos;", "[redacted]" },
        { "a<b&c>\"d'", "a&ltb&ampc&gt&quotd&#39", "[redacted]" },
        { "a<b&c>\"d'", "a&#60b&amp;c&#x3e&quot;d&#39;!", "[redacted]!" },
        { "k\xc3\xa9y4", "k&#233y4 &#; &#x", "[redacted] &#; &#x" },
        { "k\xc3\xa9y4", "k&#99999999999233y4", "k&#99999999999233y4" },
        { "k\xc3\xa9y4", "k&#233;y4", "[redacted]" },
        { "hunter22", "hunter&#50;&#xx50;", "hunter&#50;&#xx50;" },
        { "hunter22", "&#104;unter22; &", "[redacted]; &" },
        { "hunter22", "x aHVu\n  dGVyMjI= y", "x [redacted]= y" },
        { "hunter22", "aHVu\r\ndGVyMjI=", "[redacted]=" },
        { "hunter22", "\"aHVu\\ndGVyMjI=\"", "\"[redacted]=\"" },
        { "hunter22", "\"aHVu\\n    dGVyMjI=\"", "\"[redacted]=\"" },
        { "hunter22", "hunt\ner22", "[redacted]" },
        { "two\nlines\r\n  here", "two\r\n    lines\nhere", "[redacted]" },
        { "two\nlines", "<twolines>", "<[redacted]>" },
        { "hunter22", "&#000000104;unter22", "[redacted]" },
        { "hunter22", "hunt er\n22", "hunt er\n22" },
        { "hunter22", "\\u006", "\\u006" },
        { "hunter22", "\\", "\\" },
        { "hunter22", "%", "%" },
        { "hunter22", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct secret s;
        struct secrets all = one_secret(&s, rows[i].secret);

        check_redacted(str_of(rows[i].text), &all, rows[i].want);
    }
}

/* Each written as a program writes it that is handed what another one wrote. */
static void secrets_that_were_written_twice_are_taken_out(void **state)
{
    static const struct {
        const char *secret, *text, *want;
    } rows[] = {
        /* JSON in a text of JSON */
        { "a\"b\\c/d", "{\"x\":\"{\\\"y\\\":\\\"a\\\\\\\"b\\\\\\\\c/d\\\"}\"}",
          "{\"x\":\"{\\\"y\\\":\\\"[redacted]\\\"}\"}" },
        { "a\"b\\c/d", "\"\\\"a\\\\\\\"b\\\\\\\\c\\\\\\/d\\\"\"", "\"\\\"[redacted]\\\"\"" },
        { "line1\nline2", "\"\\\"line1\\\\nline2\\\"\"", "\"\\\"[redacted]\\\"\"" },
        { "k\xc3\xa9y4", "\"\\\"k\\\\u00e9y4\\\"\"", "\"\\\"[redacted]\\\"\"" },
        { "\xf0\x9f\x94\x91key", "\"\\\"\\\\ud83d\\\\udd11key\\\"\"", "\"\\\"[redacted]\\\"\"" },
        /* JSON in a form, in markup, and percent-encoding in JSON */
        { "a\"b\\c", "x=%7B%22y%22%3A%22a%5C%22b%5C%5Cc%22%7D",
          "x=%7B%22y%22%3A%22[redacted]%22%7D" },
        { "a \"b\\c", "x=%22a+%5C%22b%5C%5Cc%22", "x=%22[redacted]%22" },
        { "a\"b\\c", "<p x=\"&quot;a\\&quot;b\\\\c&quot;\">", "<p x=\"&quot;[redacted]&quot;\">" },
        { "a<b&c", "\"a\\u0026lt;b\\u0026amp;c\"", "\"[redacted]\"" },
        { "a/b?c&", "\"a\\u00252Fb\\u00253Fc\\u002526\"", "\"[redacted]\"" },
        /* The same twice */
        { "a b/c", "a%2520b%252Fc", "[redacted]" },
        { "a b/c", "x=a%2Bb%252Fc", "x=[redacted]" },
        { "a<b&c", "a&amp;lt;b&amp;amp;c", "[redacted]" },
        /* Lines */
        { "hunter22", "%68%75%6\n  e%74%65%72%32%32", "[redacted]" },
        { "hunter22", "aHVu%0D%0AdGVyMjI%3D", "[redacted]%3D" },
        { "hunter22", "\"\\\"aHVu\\\\ndGVyMjI=\\\"\"",
          "\"\\\"aHVu\\\\ndGVyMjI=\\\"\"" }, /* thrice */
        { "a\"b\\c", "a\\\\\\\"b\\\\ c", "a\\\\\\\"b\\\\ c" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct secret s;
        struct secrets all = one_secret(&s, rows[i].secret);

        check_redacted(str_of(rows[i].text), &all, rows[i].want);
    }
}

/* What is read first comes in windows: a secret may lie across where two of them meet. */
static void secrets_that_were_written_twice_are_found_at_every_place(void **state)
{
    static const char twice[] = "a\\\\\\\"b\\\\\\\\c\\\\u00e9", around[] = "x\\n",
                      mark[] = "[redacted]";
    enum { PLACES = 3300 };
    struct secret s;
    struct secrets all = one_secret(&s, "a\"b\\c\xc3\xa9");

    (void)state;
    for (size_t before = 0; before < PLACES; before++) {
        char text[PLACES + sizeof twice], want[PLACES + sizeof mark];

        for (size_t i = 0; i < before; i++)
            text[i] = want[i] = around[i % 3];
        memcpy(text + before, twice, sizeof twice);
        memcpy(want + before, mark, sizeof mark);
        check_redacted(str_of(text), &all, want);
    }
}

static void the_beginning_of_a_secret_is_left_out_where_a_text_was_cut(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "a hunter2", "a " },
        { "a h", "a " },
        { "a hunter22 x", "a [redacted] x" },
        { "a hunter22 b", "a " }, /* may go on as digits */
        { "hunter22 hun", "[redacted] " },
        { "x%68unte", "x" },
        { "x%68unter2%3", "x" },
        { "x%68unter2%", "x" },
        { "x\\u0068unter2\\u00", "x" },
        { "x\\u0068unter2\\", "x" },
        { "x+aHVudGVy", "x+" },
        { "x&#104;unter2&#5", "x" },
        { "x&#104;unter2&", "x" },
        { "x aHVu\ndGVy", "x " },
        { "x\\\\u0068unter2", "x" },
        { "x\\\\u0068unter2\\\\u00", "x" },
        { "x\\\\u0068unter2\\\\", "x" },
        { "x\\\\u0068unter2\\", "x" },
        { "x%5Cu0068unter2%5", "x" },
        { "x%5Cu0068unter2%5Cu003%3", "x" },
        { "x%2568unter%25", "x" },
        { "x 68:75:6E:74:6", "x " },
        { "x 68:75:6E:74:", "x " },
        { "x 68, 75, 6E, ", "x " },
        { "x hunter2 y", "x hunter2 y" },
        { "50%", "50%" },
        { "x hunter_", "x hunter_" },
        { "", "" },
    };
    struct secret s;
    struct secrets all = one_secret(&s, "hunter22");

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct str got = redact_cut(str_of(rows[i].text), &all, &a);

        if (!str_is(got, rows[i].want))
            fail_msg("'%s' became '%.*s', not '%s'", rows[i].text, STR_ARG(got), rows[i].want);
    }
}

/* Behind what may be its end all is as ever. That may be far where something is escaped: what was
 * written in two ways at once takes many bytes. */
static void the_end_of_a_secret_at_the_beginning_of_a_tail_is_left_out(void **state)
{
    static const char rest[] = "and this is what it said at last, which is long enough to be told";
    static const char *const rows[] = {
        "unter22 ",      "2 ",          "0068unter22 ",
        "%75nter22 ",    "VudGVyMjI= ", "VudG\n  VyMjI= ",
        "#104;unter22 ", "hunter22 ",   "hunter22hunter22hunter22hunter22",
    };
    struct secret s;
    struct secrets all = one_secret(&s, "hunter22");

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        const char *text = arena_printf(&a, "%s%1000s%s hunter22.", rows[i], "", rest);
        struct str got = redact_tail(str_of(text), &all, &a);

        if (!memmem(got.s, got.n, "long enough to be told [redacted].", 34) ||
            memmem(got.s, got.n, "unter22", 7) || memmem(got.s, got.n, "VyMjI", 5) ||
            (got.n && got.s[0] == '2'))
            fail_msg("'%s' became '%.*s'", text, STR_ARG(got));
    }
}

static void a_tail_that_is_no_longer_than_a_secret_is_left_out(void **state)
{
    _arena_ struct arena a = { 0 };
    struct secret s;
    struct secrets all = one_secret(&s, "hunter22");

    (void)state;
    assert_int_equal(redact_tail(str_of("er22"), &all, &a).n, 0);
    assert_int_equal(redact_tail(str_of(""), &all, &a).n, 0);
    all.headers_too = true;
    assert_true(str_is(
        redact_tail(str_of("of a cookie; and more of it, and more of it, and all\nlast"), &all, &a),
        "last"));
    /* A value that does not end has no end to be left out before. */
    assert_int_equal(redact_tail(str_of(arena_printf(&a, "%500s", "of a cookie")), &all, &a).n, 0);
}

/* The text of base64 with the alphabet for URLs, padding left out. */
static void for_urls(char *text)
{
    for (char *c = text; *c; c++) {
        if (*c == '+' || *c == '/')
            *c = *c == '+' ? '-' : '_';
        if (*c == '=')
            *c = '\0';
    }
}

static void base64_of_a_secret_at_every_place_is_taken_out(void **state)
{
    static const char *const around[] = { "", "a", "ab", "abc", "user:", "\xff\xfe" };
    struct secret s;
    struct secrets all = one_secret(&s, secret);

    (void)state;
    for (size_t before = 0; before < COUNT(around); before++) {
        for (size_t after = 0; after < COUNT(around); after++) {
            _arena_ struct arena a = { 0 };
            _buf_ struct buf b = { .max = 1000 };
            char *text = arena_printf(&a, "%s%s%s", around[before], secret, around[after]);
            struct str left;

            base64_add(&b, str_of(text));
            for (int urls = 0; urls < 2; urls++) {
                if (urls)
                    for_urls(b.s);
                left = redact(str_of(b.s), &all, &a);
                /* What is left are the neighbours, two characters of a byte at most each. */
                assert_non_null(strstr(arena_text(&a, left), "[redacted]"));
                assert_true(left.n <= strlen("[redacted]") + 2 * 4 + 8);
            }
        }
    }
}

static void base64_of_json_that_has_a_secret_is_taken_out(void **state)
{
    static const struct {
        const char *secret, *json;
    } rows[] = {
        { "a\"b\\c/d<\n", "a\\\"b\\\\c/d<\\n" },
        { "k\xc3\xa9y/\xf0\x9f\x94\x91", "k\\u00e9y/\\ud83d\\udd11" },
        { "k\xc3\xa9y/\xf0\x9f\x94\x91", "k\\u00e9y\\/\\ud83d\\udd11" },
        { "k\xc3\xa9y/\x01x", "k\xc3\xa9y\\/\\u0001x" },
        { "a<b>&'=\"\xff", "a\\u003cb\\u003e\\u0026'=\\\"\xff" },
        { "a<b>&'=\"\x7f", "a\\u003cb\\u003e\\u0026\\u0027\\u003d\\\"\x7f" },
        { "k\xc3\xa9y+\"", "k\\u00E9y\\u002B\\u0022" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int lead = 0; lead < 3; lead++) {
            _arena_ struct arena a = { 0 };
            _buf_ struct buf b = { .max = 1000 };
            struct secret s;
            struct secrets all = one_secret(&s, rows[i].secret);
            const char *text = arena_printf(&a, "%.*s{\"token\":\"%s\"}", lead, "  ", rows[i].json);
            struct str left;

            base64_add(&b, str_of(text));
            left = redact(buf_str(&b), &all, &a);
            if (!memmem(left.s, left.n, "[redacted]", 10) || left.n > 10 + 2 * 4 + 20)
                fail_msg("base64 of '%s' became '%.*s'", text, STR_ARG(left));
        }
    }
}

static void nothing_to_take_out_is_the_same_text(void **state)
{
    static const char text[] = "nothing in here % + \\ at all";
    _arena_ struct arena a = { 0 };
    struct secret s;
    struct secrets all = one_secret(&s, "hunter22"), none = { 0 };

    (void)state;
    assert_ptr_equal(redact(str_of(text), &all, &a).s, text);
    assert_ptr_equal(redact(str_of(text), &none, &a).s, text);
}

static void several_secrets_that_share_bytes_are_all_taken_out(void **state)
{
    struct secret v[] = { { .value = str_of("abcd") },
                          { .value = str_of("bcdefg") },
                          { .value = str_of("abcdefgh") },
                          { .value = str_of("zzzz") } };
    struct secrets all = of(v, COUNT(v));

    (void)state;
    check_redacted(str_of("-abcdefgh-"), &all, "-[redacted]-");
    check_redacted(str_of("-abcdefg-"), &all, "-[redacted]-");
    check_redacted(str_of("-abcd-bcdef-"), &all, "-[redacted]-bcdef-");
    check_redacted(str_of("zzzz%61bcd\\u0061bcd"), &all, "[redacted]");
}

static void documents_lose_secrets_in_texts_names_and_numbers(void **state)
{
    static const char text[] = "{\"a\":[\"x hunter22\",{\"hunter22\":true,\"b hunter22\":null}],"
                               "\"n\":123456789,\"f\":1.5,\"k\":\"ok\",\"w\":98765432109876543210}";
    struct secret v[] = { { .value = str_of("hunter22") },
                          { .value = str_of("123456789") },
                          { .value = str_of("98765432109876543210") } };
    struct secrets all = of(v, COUNT(v));
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = 1000 };
    struct ceilings max = ceilings_answer();
    const struct document *d;
    struct error e = { 0 };

    (void)state;
    assert_true(json_read("x", str_of(text), &max, &a, &d, &e));
    json_doc(&out, redact_doc(&d->root, &all, &a));
    assert_string_equal(out.s, "{\"a\":[\"x [redacted]\",{\"[redacted]\":true,"
                               "\"b [redacted] 2\":null}],\"n\":\"[redacted]\",\"f\":1.5,"
                               "\"k\":\"ok\",\"w\":\"[redacted]\"}");
}

/* Steps are not counted, so a large one stands for all: what took time by lengths multiplied would
 * not come back from this. */
static void a_mebibyte_with_twenty_secrets_is_read_once_for_each_way(void **state)
{
    enum { SIZE = 1 << 20, SECRETS = 20, LONG = 60000 };
    struct secret v[SECRETS];
    struct secrets all = of(v, SECRETS);
    _arena_ struct arena a = { 0 };
    char *text = arena_alloc(&a, SIZE + 1), *worst = arena_alloc(&a, LONG + 1);

    (void)state;
    memset(worst, 'a', LONG);
    worst[LONG - 1] = 'b';
    v[0] = (struct secret){ .value = { worst, LONG } };
    for (int i = 1; i < SECRETS; i++)
        v[i] = (struct secret){ .value = str_of(arena_printf(&a, "token-%d-0123456789abcdef", i)) };
    memset(text, 'a', SIZE);
    memcpy(text + SIZE - 20, "%5C\\u0061+%", 11);
    assert_ptr_equal(redact((struct str){ text, SIZE }, &all, &a).s, text);
    memcpy(text + 500000, "token-7-0123456789abcdef", 24);
    assert_int_equal(redact((struct str){ text, SIZE }, &all, &a).n, SIZE - 24 + 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_taken_out_wherever_they_stand),
        cmocka_unit_test(secrets_that_were_written_twice_are_taken_out),
        cmocka_unit_test(secrets_that_were_written_twice_are_found_at_every_place),
        cmocka_unit_test(the_beginning_of_a_secret_is_left_out_where_a_text_was_cut),
        cmocka_unit_test(the_end_of_a_secret_at_the_beginning_of_a_tail_is_left_out),
        cmocka_unit_test(a_tail_that_is_no_longer_than_a_secret_is_left_out),
        cmocka_unit_test(base64_of_a_secret_at_every_place_is_taken_out),
        cmocka_unit_test(base64_of_json_that_has_a_secret_is_taken_out),
        cmocka_unit_test(nothing_to_take_out_is_the_same_text),
        cmocka_unit_test(several_secrets_that_share_bytes_are_all_taken_out),
        cmocka_unit_test(documents_lose_secrets_in_texts_names_and_numbers),
        cmocka_unit_test(a_mebibyte_with_twenty_secrets_is_read_once_for_each_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
