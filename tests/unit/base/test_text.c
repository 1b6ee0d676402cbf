/* SPDX-License-Identifier: Apache-2.0 */
/* test_text.c: buffers, arenas, errors and words: what everything above stands on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/buf.h"
#include "base/doc.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/utf8.h"
#include "base/variable.h"

static void a_buffer_holds_exactly_its_ceiling(void **state)
{
    _buf_ struct buf b = { .max = 300 };

    (void)state;
    for (int i = 0; i < 300; i++)
        buf_addc(&b, 'x');
    assert_true(buf_ok(&b));
    assert_int_equal(b.len, 300);
    buf_addc(&b, 'x');
    assert_false(buf_ok(&b));
    assert_int_equal(b.len, 300);
}

static void a_fault_stays_until_the_reset(void **state)
{
    _buf_ struct buf b = { .max = 4 };

    (void)state;
    buf_adds(&b, "abc");
    buf_adds(&b, "de");
    buf_adds(&b, "f"); /* would fit, but comes too late */
    assert_false(buf_ok(&b));
    assert_string_equal(b.s, "abc");
    buf_reset(&b);
    buf_adds(&b, "wxyz");
    assert_true(buf_ok(&b));
    assert_string_equal(b.s, "wxyz");
}

static void an_empty_buffer_is_an_empty_text(void **state)
{
    _buf_ struct buf b = { .max = 4 };

    (void)state;
    assert_int_equal(buf_str(&b).n, 0);
    assert_non_null(buf_str(&b).s);
}

static void an_arena_gives_zeroed_memory_again_and_again(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t size = 1; size < 40000; size *= 3) {
            char *p = arena_alloc(&a, size);

            assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(p[i], 0);
            memset(p, 0xaa, size);
        }
        arena_reset(&a);
    }
    assert_string_equal(arena_printf(&a, "%s %d", "x", 7), "x 7");
}

static void errors_wrap_outward_and_keep_errno(void **state)
{
    struct error e;

    (void)state;
    errno = ENOENT;
    assert_false(error_sys(&e, ERROR_IO, "cannot be opened"));
    assert_int_equal(e.sys, ENOENT);
    assert_false(error_wrap(&e, "plan '%s'", "nightly"));
    assert_string_equal(e.msg, "plan 'nightly': cannot be opened: No such file or directory");
    assert_int_equal(e.code, ERROR_IO);
}

static void each_error_number_has_words(void **state)
{
    struct error e;

    (void)state;
    for (int sys = 0; sys < 600; sys++) {
        errno = sys;
        assert_false(error_sys(&e, ERROR_IO, "seccomp"));
        assert_null(strstr(e.msg, "null"));
        assert_true(strlen(e.msg) > strlen("seccomp: "));
    }
    assert_non_null(strstr(error_words(524), "bpf_jit_limit"));
}

/* Does it end with a sign that more was to come, and is it UTF-8 up to there? */
static void assert_cut(const char *msg)
{
    size_t n = strlen(msg);

    assert_in_range(n, ERROR_MSG - 4, ERROR_MSG - 1);
    assert_string_equal(msg + n - strlen("…"), "…");
    assert_int_equal(utf8_valid(str_of(msg)), n);
}

static void a_message_that_is_cut_says_so(void **state)
{
    static const char *const letters[] = { "x", "ä", "€", "😀" };
    struct error e;

    (void)state;
    for (size_t i = 0; i < COUNT(letters); i++) {
        for (int shift = 0; shift < 4; shift++) {
            _buf_ struct buf text = { .max = 1 << 12 };

            while (text.len < ERROR_MSG + 4)
                buf_adds(&text, letters[i]);
            assert_false(error_set(&e, ERROR_IO, "%.*s%s", shift, "...", text.s));
            assert_cut(e.msg);
            assert_false(error_wrap(&e, "%.*s", shift + 1, "----"));
            assert_cut(e.msg);
            assert_false(error_sys(&e, ERROR_IO, "%.*s%s", shift, "...", text.s));
            assert_cut(e.msg);
        }
    }
    assert_false(error_set(&e, ERROR_IO, "%*s", ERROR_MSG - 1, "x")); /* it fits just so */
    assert_string_equal(e.msg + ERROR_MSG - 3, " x");
    assert_false(error_wrap(&e, "y"));
    assert_cut(e.msg);
}

static void a_slip_of_the_pen_is_understood(void **state)
{
    static const char *const words[] = { "check", "canon", "digest", "timeout_ms", "skip" };
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        { "chek", "check" },    { "hceck", "check" },
        { "cannon", "canon" },  { "timeout", "timeout_ms" },
        { "digset", "digest" }, { "skpi", "skip" },
        { "stop", NULL },       { "", NULL },
        { "unrelated", NULL },  { "c", NULL },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *near = str_nearest(str_of(cases[i].typed), words, COUNT(words));

        if (cases[i].meant && near)
            assert_string_equal(near, cases[i].meant);
        else if (near || cases[i].meant)
            fail_msg("'%s' gave '%s'", cases[i].typed, near ? near : "nothing");
    }
}

/* Not inline: gcc would take the NUL that ends it for one that does not. */
__attribute__((noinline)) static bool is(struct str a, const char *text)
{
    return str_is(a, text);
}

static void texts_compare_by_bytes_and_count_by_characters(void **state)
{
    (void)state;
    assert_true(str_cmp(str_of("a"), str_of("ab")) < 0);
    assert_true(str_cmp(str_of("b"), str_of("ab")) > 0);
    assert_int_equal(str_cmp(str_of(""), str_of("")), 0);
    assert_true(is((struct str){ "abc", 2 }, "ab"));
    assert_false(is((struct str){ "ab\0", 3 }, "ab"));
    assert_int_equal(str_chars(str_of("h\xc3\xa9\xf0\x9f\x98\x80")), 3);
}

static void utf8_is_what_rfc_3629_says(void **state)
{
    static const struct {
        const char *text;
        size_t good; /* bytes before the first that is not UTF-8 */
    } cases[] = {
        { "abc", 3 },
        { "\xc3\xa9", 2 },
        { "\xc0\x80", 0 },
        { "a\xe0\x80\x80", 1 },
        { "\xed\xa0\x80", 0 },
        { "\xef\xbf\xbf", 3 },
        { "\xf4\x8f\xbf\xbf", 4 },
        { "\xf4\x90\x80\x80", 0 },
        { "\xe2\x82", 0 },
        { "\x80", 0 },
        { "ab\xff", 2 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(utf8_valid(str_of(cases[i].text)), cases[i].good);
}

static void what_can_be_seen_is_told_wherever_it_stands(void **state)
{
    char text[20];

    (void)state;
    for (int c = 0; c < 256; c++)
        for (size_t at = 0; at < sizeof text; at++) {
            memset(text, 'x', sizeof text);
            text[at] = (char)c;
            if (str_visible((struct str){ text, sizeof text }) != (c >= ' ' && c <= '~'))
                fail_msg("byte %d at %zu", c, at);
        }
    assert_true(str_visible(str_of("")));
    assert_true(str_visible(str_of("~ !")));
}

static void ends_are_trimmed_of_what_is_named_and_of_nothing_else(void **state)
{
    static const struct {
        struct str text;
        const char *these, *start, *end, *both;
    } cases[] = {
        { { " \ta b\t ", 7 }, " \t", "a b\t ", " \ta b", "a b" },
        { { "\ra\r", 3 }, " \t", "\ra\r", "\ra\r", "\ra\r" },
        { { " \t", 2 }, " \t", "", "", "" },
        { { "ab", 2 }, "", "ab", "ab", "ab" },
        { { "", 0 }, " ", "", "", "" },
        { { NULL, 0 }, " ", "", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(is(str_trim_start(cases[i].text, cases[i].these), cases[i].start));
        assert_true(is(str_trim_end(cases[i].text, cases[i].these), cases[i].end));
        assert_true(is(str_trim(cases[i].text, cases[i].these), cases[i].both));
        assert_int_equal(str_only(cases[i].text, cases[i].these), !*cases[i].both);
    }
    assert_int_equal(str_trim((struct str){ "\0 ", 2 }, " ").n, 1);
    assert_false(str_only((struct str){ " \0", 2 }, " "));
    assert_true(is(str_from(str_of("abc"), 2), "c"));
    assert_int_equal(str_from(str_of("abc"), 3).n, 0);
}

static void words_stand_between_any_number_of_characters(void **state)
{
    struct str rest = str_of(" ,one,, two\tx "), none = { 0 };

    (void)state;
    assert_true(is(str_word(&rest, " ,"), "one"));
    assert_true(is(rest, ", two\tx "));
    assert_true(is(str_word(&rest, " ,"), "two\tx"));
    assert_int_equal(str_word(&rest, " ,").n, 0);
    assert_int_equal(rest.n, 0);
    assert_int_equal(str_word(&none, " ").n, 0);
    rest = (struct str){ "a\0b c", 5 };
    assert_int_equal(str_word(&rest, " ").n, 3);
}

static void a_cut_is_at_the_first_character_and_takes_it_away(void **state)
{
    struct str rest = str_of("one  two:x"), none = { 0 };

    (void)state;
    assert_true(is(str_cut(&rest, " :"), "one"));
    assert_int_equal(str_cut(&rest, " :").n, 0);
    assert_true(is(str_cut(&rest, " :"), "two"));
    assert_true(is(str_cut(&rest, " :"), "x"));
    assert_int_equal(rest.n, 0);
    assert_int_equal(str_cut(&none, " ").n, 0);
}

static void a_variable_is_found_by_its_whole_name(void **state)
{
    static const char *const set[] = { "HOMES=a", "HOME=b", "HOME=c", "NO", "E=", NULL };
    const struct str with_nul = { "NO\0X", 4 };

    (void)state;
    assert_string_equal(variable_of(set, str_of("HOME")), "b");
    assert_string_equal(variable_of(set, str_of("E")), "");
    assert_null(variable_of(set, str_of("HOM")));
    assert_null(variable_of(set, str_of("NO")));
    assert_null(variable_of(set, with_nul));
    assert_null(variable_of(set, str_of("")));
    assert_null(variable_of(NULL, str_of("HOME")));
}

/* proc(5): 3 is the state, 20 the number of threads, 22 when it began. */
static void a_process_is_told_whatever_it_calls_itself(void **state)
{
    static const char behind[] = " Z 1 7 7 0 -1 4194304 9 0 0 0 1 2 0 0 20 0 3 0 987654 1 2\n";
    static const char *const names[] = { "(sh)", "(a b)", "(x) R 1 2 3)", "()", "(\n)" };
    _arena_ struct arena a = { 0 };
    struct process p = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(process_read(str_of(arena_printf(&a, "42 %s%s", names[i], behind)), &p));
        assert_int_equal(p.pid, 42);
        assert_int_equal(p.parent, 1);
        assert_int_equal(p.state, 'Z');
        assert_int_equal(p.threads, 3);
        assert_int_equal(p.start, 987654);
    }
    assert_false(process_read(str_of("42 sh Z 1"), &p));
    assert_false(process_read(str_of("42 (sh) Z 1 7 7 0 -1 4194304 9 0 0 0 1 2 0 0 20 0 3 0"), &p));
    assert_false(process_read((struct str){ 0 }, &p));
    assert_int_equal(p.start, 987654);
}

/* "must be 'a b', this is 'a b'" helps nobody. */
static void what_cannot_be_seen_is_shown_in_messages(void **state)
{
    static const struct {
        struct str text;
        const char *says;
    } rows[] = {
        { { "a b", 3 }, "'a b'" },
        { { "a\nb\t\r", 5 }, "'a\\nb\\t\\r'" },
        { { "\0\x1b[1m\x7f", 6 }, "'\\x00\\x1b[1m\\x7f'" },
        { { "\xc3\xa9", 2 }, "'\xc3\xa9'" },
        /* 40 that are shown */
        { { "0123456789012345678901234567890123456789", 40 },
          "'0123456789012345678901234567890123456789'" },
        { { "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", 20 },
          "'\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n'" },
        { { "012345678901234567890123456789012345678\n", 40 },
          "'012345678901234567890123456789012345678\xe2\x80\xa6'" },
        { { "012345678901234567890123456789012345678\xc3\xa9", 41 },
          "'012345678901234567890123456789012345678\xe2\x80\xa6'" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(said(rows[i].text, &a), rows[i].says);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_seen_is_shown_in_messages),
        cmocka_unit_test(ends_are_trimmed_of_what_is_named_and_of_nothing_else),
        cmocka_unit_test(a_cut_is_at_the_first_character_and_takes_it_away),
        cmocka_unit_test(a_process_is_told_whatever_it_calls_itself),
        cmocka_unit_test(a_variable_is_found_by_its_whole_name),
        cmocka_unit_test(words_stand_between_any_number_of_characters),
        cmocka_unit_test(what_can_be_seen_is_told_wherever_it_stands),
        cmocka_unit_test(a_buffer_holds_exactly_its_ceiling),
        cmocka_unit_test(a_fault_stays_until_the_reset),
        cmocka_unit_test(an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(an_arena_gives_zeroed_memory_again_and_again),
        cmocka_unit_test(errors_wrap_outward_and_keep_errno),
        cmocka_unit_test(each_error_number_has_words),
        cmocka_unit_test(a_message_that_is_cut_says_so),
        cmocka_unit_test(a_slip_of_the_pen_is_understood),
        cmocka_unit_test(texts_compare_by_bytes_and_count_by_characters),
        cmocka_unit_test(utf8_is_what_rfc_3629_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
