/* SPDX-License-Identifier: Apache-2.0 */
/* test_command.c: commands as lines and as words, and which class they may be of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "route/command.h"
#include "unit/contract/route_text.h"

static void R_000_056_white_space_is_collapsed_and_trimmed(void **state)
{
    static const char *const rows[][2] = {
        { "cargo test", "cargo test" },
        { "  cargo   test  ", "cargo test" },
        { "\tcargo\t\ttest\v-p\fx ", "cargo test -p x" },
        { "cargo", "cargo" },
        { "   ", "" },
        { "", "" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str line = command_collapse(str_of(rows[i][0]), &a);

        check_is(line, rows[i][1]);
        check_is(command_collapse(line, &a), rows[i][1]); /* once is enough */
    }
}

static void a_line_and_its_words_say_the_same(void **state)
{
    _arena_ struct arena a = { 0 };
    struct words words = command_split(str_of("cargo test -p x"), &a);

    (void)state;
    assert_int_equal(words.n, 4);
    check_is(words.v[0], "cargo");
    check_is(words.v[3], "x");
    check_is(command_join(words, &a), "cargo test -p x");
    assert_int_equal(command_split(str_of(""), &a).n, 0);
}

static void A00_6_words_that_a_shell_would_read_are_quoted(void **state)
{
    static const struct {
        const char *word, *line;
    } rows[] = {
        { "plain-1.2:x/y=z,%+@_", "plain-1.2:x/y=z,%+@_" },
        { "", "''" },
        { "a b", "'a b'" },
        { "it's", "'it'\\''s'" },
        { "$HOME", "'$HOME'" },
        { "a\nb", "'a\nb'" },
        { "~", "'~'" },
        { "\xc3\xa4", "'\xc3\xa4'" },
        { "rm;", "'rm;'" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str word = str_of(rows[i].word);

        check_is(command_join((struct words){ &word, 1 }, &a), rows[i].line);
    }
}

static void A00_7_one_wrapper_is_taken_off(void **state)
{
    static const char *const rows[][2] = {
        { "rch exec -- cargo test", "cargo test" },
        { "rch exec -- rch exec -- cargo test", "rch exec -- cargo test" },
        { "rch exec --", "rch exec --" }, /* nothing is wrapped in it */
        { "rch exec cargo test", "rch exec cargo test" },
        { "xrch exec -- cargo test", "xrch exec -- cargo test" },
        { "cargo rch exec -- test", "cargo rch exec -- test" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_is(command_join(command_unwrap(command_split(str_of(rows[i][0]), &a)), &a),
                 rows[i][1]);
}

static void A00_5_a_prefix_ends_with_a_word(void **state)
{
    static const struct {
        const char *line, *prefix;
        bool has;
    } rows[] = {
        { "cargo test", "cargo test", true },
        { "cargo test -p x", "cargo test", true },
        { "cargo testify", "cargo test", false },
        { "cargo test-all", "cargo test", false },
        { "cargo", "cargo test", false },
        { "xcargo test", "cargo test", false },
        { "Cargo test", "cargo test", false },
        { "bv --robot-triage", "bv --robot-", true },
        { "bv --robo", "bv --robot-", false },
        { "anything at all", "*", true },
        { "anything", "", false },
        { "make", "make", true },
        { "makefile", "make", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (command_has_prefix(str_of(rows[i].line), str_of(rows[i].prefix)) != rows[i].has)
            fail_msg("'%s' and '%s'", rows[i].line, rows[i].prefix);
}

static void R_000_057_a_command_of_another_class_is_refused_with_what_is_allowed(void **state)
{
    _arena_ struct arena a = { 0 };
    struct route_doc contract;
    const struct class_doc *class;
    struct error e = { 0 };

    (void)state;
    route_shipped(&a, &contract);
    class = contract.command_classes.v;
    assert_true(command_allowed(str_of("cargo test -p x"), &class[4], &e));
    assert_false(command_allowed(str_of("cargo testify"), &class[4], &e));
    assert_string_equal(e.msg,
                        "'cargo testify' is no command of the class cargo_test; these begin with "
                        "'cargo test'");
    assert_true(command_allowed(str_of("python3 -m pytest -q"), &class[9], &e));
    assert_false(command_allowed(str_of("python3 -m unittest"), &class[9], &e));
    assert_string_equal(e.msg,
                        "'python3 -m unittest' is no command of the class pytest; these begin with "
                        "'pytest', 'python -m pytest', 'python3 -m pytest'");
    assert_true(command_allowed(str_of("whatever"), &class[5], &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_056_white_space_is_collapsed_and_trimmed),
        cmocka_unit_test(a_line_and_its_words_say_the_same),
        cmocka_unit_test(A00_6_words_that_a_shell_would_read_are_quoted),
        cmocka_unit_test(A00_7_one_wrapper_is_taken_off),
        cmocka_unit_test(A00_5_a_prefix_ends_with_a_word),
        cmocka_unit_test(R_000_057_a_command_of_another_class_is_refused_with_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
