/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_diff.c: a unified diff is short, and leads from one text to the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/line_diff.h"
#include "fuzz/apply_hunks.h"

enum { PLENTY = 1 << 30 };

/* Lines that changed. */
static size_t differ(struct str before, struct str after, uint64_t steps)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf diff = { .max = 1 << 26 }, out = { .max = 1 << 26 };
    struct work w = { .left = steps };
    size_t changed;

    line_diff(before, after, &w, &a, &diff);
    assert_true(hunks_apply(before, buf_str(&diff), &out, &changed));
    assert_true(str_eq(buf_str(&out), after));
    return changed;
}

static void what_it_says_is_what_patch_reads(void **state)
{
    static const struct {
        const char *before, *after, *diff;
    } rows[] = {
        { "a\nb\n", "a\nb\n", "" },
        { "", "", "" },
        { "a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n" },
        { "", "a\n", "@@ -0,0 +1,1 @@\n+a\n" },
        { "a\n", "", "@@ -1,1 +0,0 @@\n-a\n" },
        { "a\n", "a", "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n" },
        { "a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n" },
        { "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
          "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n" },
        { "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
          "@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n" },
        { "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n",
          "@@ -1,7 +1,6 @@\n-a\n+c\n b\n-c\n a\n b\n-b\n a\n+c\n" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf diff = { .max = 4096 };
        struct work w = { .left = PLENTY };

        line_diff(str_of(rows[i].before), str_of(rows[i].after), &w, &a, &diff);
        assert_string_equal(diff.s ? diff.s : "", rows[i].diff);
        (void)differ(str_of(rows[i].before), str_of(rows[i].after), PLENTY);
    }
}

/* The next of a row of numbers that look like chance. */
static uint32_t roll(uint64_t *at, uint32_t below)
{
    *at = *at * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*at >> 33) % below;
}

/* Lines of few letters: many are the same. */
static void make_text(struct buf *to, uint64_t *chance, uint32_t lines, uint32_t letters)
{
    buf_reset(to);
    for (uint32_t i = 0; i < lines; i++)
        buf_addf(to, "%u\n", roll(chance, letters));
    if (to->len && roll(chance, 4) == 0)
        to->s[--to->len] = '\0';
}

/* Lines of both texts less twice the longest common subsequence, found the slow way. */
static size_t least(struct str x, struct str y)
{
    size_t best[64][64] = { 0 }, n = 0, m = 0;
    struct str a[64], b[64];

    while (x.n)
        a[n++] = hunks_line(&x);
    while (y.n)
        b[m++] = hunks_line(&y);
    for (size_t i = 1; i <= n; i++)
        for (size_t k = 1; k <= m; k++) {
            size_t without = best[i - 1][k] > best[i][k - 1] ? best[i - 1][k] : best[i][k - 1];

            best[i][k] = str_eq(a[i - 1], b[k - 1]) ? best[i - 1][k - 1] + 1 : without;
        }
    return n + m - 2 * best[n][m];
}

static void as_few_lines_change_as_can(void **state)
{
    uint64_t chance = 1;

    (void)state;
    for (int i = 0; i < 4000; i++) {
        _buf_ struct buf x = { .max = 4096 }, y = { .max = 4096 };
        uint32_t letters = 1 + roll(&chance, 12);

        make_text(&x, &chance, roll(&chance, 40), letters);
        make_text(&y, &chance, roll(&chance, 40), letters);
        assert_int_equal(differ(buf_str(&x), buf_str(&y), PLENTY), least(buf_str(&x), buf_str(&y)));
    }
}

static void work_may_end_at_any_step(void **state)
{
    _buf_ struct buf x = { .max = 4096 }, y = { .max = 4096 };
    uint64_t chance = 7;

    (void)state;
    make_text(&x, &chance, 50, 6);
    make_text(&y, &chance, 50, 6);
    for (uint64_t steps = 0; steps < 3000; steps++)
        assert_true(differ(buf_str(&x), buf_str(&y), steps) >= least(buf_str(&x), buf_str(&y)));
}

/* A mebibyte of each, with everything in another order: the work has its ceiling. */
static void large_texts_that_differ_much_come_to_an_end(void **state)
{
    _buf_ struct buf x = { .max = 1 << 21 }, y = { .max = 1 << 21 };
    uint64_t chance = 3;

    (void)state;
    make_text(&x, &chance, 1 << 18, 1000);
    make_text(&y, &chance, 1 << 18, 1000);
    assert_true(differ(buf_str(&x), buf_str(&y), 1 << 22) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_says_is_what_patch_reads),
        cmocka_unit_test(as_few_lines_change_as_can),
        cmocka_unit_test(work_may_end_at_any_step),
        cmocka_unit_test(large_texts_that_differ_much_come_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
