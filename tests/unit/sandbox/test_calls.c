/* SPDX-License-Identifier: Apache-2.0 */
/* test_calls.c: the tables of system calls are whole, and their numbers are the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#ifdef WITH_LIBSECCOMP
#include <seccomp.h>
#endif

#include "sandbox/calls.h"

static void P15_each_call_has_one_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < call_count; i++) {
        assert_in_range(calls[i].number, 0, CALL_NUMBERS - 1);
        assert_true(calls[i].group && calls[i].group[0]);
        assert_in_range(calls[i].verdict, 0, CALL_VERDICT_COUNT - 1);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(calls[i].name, calls[j].name);
            assert_int_not_equal(calls[i].number, calls[j].number);
        }
    }
}

/* The builder trusts this: the rows of a rule stand together, look at one half of one argument,
 * end with `else`, and lead to verdicts that are written before the rule. */
static void P13_P19_P20_rules_are_whole(void **state)
{
    size_t rows[CALL_VERDICT_COUNT] = { 0 };

    (void)state;
    for (size_t i = 0; i < call_rule_count; i++) {
        const struct call_rule_row *row = &call_rules[i];
        bool last = i + 1 == call_rule_count || row[1].rule != row->rule;

        assert_in_range(row->rule, CALL_RULES, CALL_VERDICT_COUNT - 1);
        assert_true(row->then < row->rule);
        assert_in_range(row->arg, 0, 5);
        assert_int_equal(row->test == CALL_ELSE, last);
        assert_int_equal(row->value & ~row->mask, 0);
        assert_true(rows[row->rule] == 0 || row[-1].rule == row->rule);
        assert_true(
            last || rows[row->rule] == 0 ||
            (row[-1].arg == row->arg && row[-1].mask == row->mask && row[-1].high == row->high));
        rows[row->rule]++;
    }
    for (size_t v = CALL_RULES; v < CALL_VERDICT_COUNT; v++)
        assert_true(rows[v] >= 2);
}

static void the_tables_can_be_shown(void **state)
{
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    for (int v = 0; v < CALL_VERDICT_COUNT; v++) {
        assert_int_equal(call_verdicts[v].verdict, v);
        assert_true(call_verdict_names[v] && call_verdicts[v].meaning);
    }
    assert_null(call_verdict_names[CALL_VERDICT_COUNT]);
    table_json(&calls_table, &text);
    table_json(&call_rules_table, &text);
    table_json(&call_verdicts_table, &text);
    assert_true(buf_ok(&text));
    assert_non_null(
        strstr(text.s, "{\"call\":\"mount\",\"group\":\"mount\",\"verdict\":\"EPERM\"}"));
    assert_non_null(
        strstr(text.s, "{\"call\":\"clone3\",\"group\":\"process\",\"verdict\":\"ENOSYS\"}"));
}

#ifdef WITH_LIBSECCOMP
/* What somebody else's table says. It is older than ours, so it need not know every name. */
static void P15_P18_numbers_are_those_of_libseccomp(void **state)
{
    size_t known = 0;

    (void)state;
    for (size_t i = 0; i < call_count; i++) {
        int number = seccomp_syscall_resolve_name(calls[i].name);

        if (number == __NR_SCMP_ERROR)
            continue;
        if (number != calls[i].number)
            fail_msg("%s is %d here, %d there", calls[i].name, calls[i].number, number);
        known++;
    }
    assert_true(known > call_count - 20);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(P15_each_call_has_one_row),
        cmocka_unit_test(P13_P19_P20_rules_are_whole),
        cmocka_unit_test(the_tables_can_be_shown),
#ifdef WITH_LIBSECCOMP
        cmocka_unit_test(P15_P18_numbers_are_those_of_libseccomp),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
