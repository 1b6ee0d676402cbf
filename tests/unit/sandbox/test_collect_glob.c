/* SPDX-License-Identifier: Apache-2.0 */
/* test_collect_glob.c: the files a pattern names, in order, in trees of any form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/sandbox/box.h"

enum { NOBODY = 65534, DEEP = 100000 };

static void check_glob(struct box *b, const char *pattern, const char *want)
{
    b->list = (struct collected_list){ 0 };
    b->job.total = 0;
    b->job.entries = 0;
    box_glob(b, pattern);
    assert_string_equal(box_said(b), want);
}

/* ---- patterns ---- */

/* Made in no order at all. */
static void make_tree(struct box *b)
{
    static const char *const folders[] = { "out", "out/b", "out/b/c", "a", "empty", ".hide" };
    static const char *const files[] = { "out/b/c/z.txt", "a0",  "a.b",     "a/x",
                                         "out/b/1.txt",   "a-",  "out/2.o", "out/1.txt",
                                         "out/10.txt",    "top", ".hide/h", "out/.dot" };

    for (size_t i = 0; i < COUNT(folders); i++)
        box_folder(b, folders[i]);
    for (size_t i = 0; i < COUNT(files); i++)
        box_file(b, files[i], "x");
}

/* clang-format off */
static const struct { const char *pattern, *files; } globs[] = {
    { "*",                "a- a.b a0 top" },
    { "**",               ".hide/h a- a.b a/x a0 out/.dot out/1.txt out/10.txt out/2.o out/b/1.txt out/b/c/z.txt top" },
    { "**/*",             ".hide/h a- a.b a/x a0 out/.dot out/1.txt out/10.txt out/2.o out/b/1.txt out/b/c/z.txt top" },
    { "**/**/**",         ".hide/h a- a.b a/x a0 out/.dot out/1.txt out/10.txt out/2.o out/b/1.txt out/b/c/z.txt top" },
    { "*/*",              ".hide/h a/x out/.dot out/1.txt out/10.txt out/2.o" },
    { "out/*",            "out/.dot out/1.txt out/10.txt out/2.o" },
    { "./out//*.txt",     "out/1.txt out/10.txt" },
    { "out/?.txt",        "out/1.txt" },
    { "out/??.txt",       "out/10.txt" },
    { "out/**",           "out/.dot out/1.txt out/10.txt out/2.o out/b/1.txt out/b/c/z.txt" },
    { "**/*.txt",         "out/1.txt out/10.txt out/b/1.txt out/b/c/z.txt" },
    { "out/**/1.txt",     "out/1.txt out/b/1.txt" },
    { "**/b/**",          "out/b/1.txt out/b/c/z.txt" },
    { "**/b/*",           "out/b/1.txt" },
    { "**/c/**/z.*",      "out/b/c/z.txt" },
    { "*/b/c/z.txt",      "out/b/c/z.txt" },
    { "o*t/*/*",          "out/b/1.txt" },
    { "a*",               "a- a.b a0" },
    { "a**",              "a- a.b a0" },
    { "*.*",              "a.b" },
    { "*1*x*",            NULL },
    { "out/*1*t*t",       "out/1.txt out/10.txt" },
    { "top",              "top" },
    { "out/b/1.txt",      "out/b/1.txt" },
    { "[at]*",            NULL },
    { "empty/**",         NULL },
    { "none/*",           NULL },
    { "top/*",            NULL },
    { "out/*/",           "out/.dot out/1.txt out/10.txt out/2.o" },
    { "?",                NULL },
    { "**/x/*",           NULL },
};
/* clang-format on */

static const char *files_said(struct box *b)
{
    const char *all = "";

    for (size_t i = 0; i < b->list.n; i++) {
        assert_int_equal(b->list.v[i].state, COLLECT_DONE);
        all = arena_printf(&b->a, "%s%s%s", all, i ? " " : "", b->list.v[i].path.s);
    }
    return all;
}

static void R_001_073_R_001_151_a_pattern_names_files_in_the_order_of_their_bytes(void **state)
{
    struct box *b = *state;

    make_tree(b);
    for (size_t i = 0; i < COUNT(globs); i++) {
        b->list = (struct collected_list){ 0 };
        box_glob(b, globs[i].pattern);
        if (globs[i].files)
            assert_string_equal(files_said(b), globs[i].files);
        else
            assert_string_equal(box_said(b), arena_printf(&b->a, "%s missing 0", globs[i].pattern));
    }
    assert_false(b->job.truncated);
}

/* A large tree beside what is meant costs nothing. */
static void R_001_073_only_directories_that_may_match_are_read(void **state)
{
    struct box *b = *state;

    make_tree(b);
    check_glob(b, "a*/x", "a/x collected 1");
    assert_int_equal(b->job.entries, 8 + 1);
    check_glob(b, "out/b/*.txt", "out/b/1.txt collected 1");
    assert_int_equal(b->job.entries, 2);
}

static void R_001_073_a_pattern_stays_below_the_root(void **state)
{
    struct box *b = *state;
    struct str nul = { "out\0/*", 6 };

    make_tree(b);
    check_glob(b, "/etc/*", "/etc/* outside 0");
    check_glob(b, "../*", "../* outside 0");
    check_glob(b, "out/../*", "out/../* outside 0");
    check_glob(b, "**/../*", "**/../* outside 0");
    check_glob(b, "", " missing 0");
    assert_true(collect_glob(&b->job, nul, &b->a, &b->list, &b->e));
    assert_int_equal(b->list.n, 2);
    assert_int_equal(b->list.v[1].state, COLLECT_MISSING);
}

static void R_001_073_a_pattern_has_at_most_63_parts(void **state)
{
    struct box *b = *state;
    char pattern[200] = "";

    make_tree(b);
    for (int i = 0; i < 62; i++)
        strcat(pattern, "**/");
    strcat(pattern, "top");
    check_glob(b, pattern, "top collected 1");
    memmove(pattern + 3, pattern, strlen(pattern) + 1);
    check_glob(b, pattern, arena_printf(&b->a, "%s missing 0", pattern));
}

static void R_001_073_a_plain_beginning_may_be_too_long(void **state)
{
    struct box *b = *state;
    char *pattern = arena_alloc(&b->a, 10000);

    for (int i = 0; i < 4096; i++)
        pattern[i] = 'n';
    strcat(pattern, "/*");
    check_glob(b, pattern, arena_printf(&b->a, "%s missing 0", pattern));
}

static void R_001_073_what_is_listed_already_is_not_listed_twice(void **state)
{
    struct box *b = *state;

    make_tree(b);
    box_collect(b, "out/10.txt");
    box_glob(b, "out/*.txt");
    box_glob(b, "out/1*");
    box_glob(b, "out/1.txt");
    assert_string_equal(box_said(b), "out/10.txt collected 1; out/1.txt collected 1");
    assert_int_equal(b->job.total, 2);
}

/* ---- what lies in the way ---- */

/* F32, F33 */
static void R_001_073_links_and_pipes_are_listed_and_not_followed(void **state)
{
    struct box *b = *state;

    box_folder(b, "real");
    box_file(b, "real/file", "x");
    box_file(b, "one", "x");
    assert_int_equal(linkat(b->job.root, "one", b->job.root, "two", 0), 0);
    assert_int_equal(symlinkat("..", b->job.root, "real/up"), 0);
    assert_int_equal(symlinkat("/etc", b->job.root, "host"), 0);
    assert_int_equal(mkfifoat(b->job.root, "pipe", 0644), 0);
    assert_int_equal(mknodat(b->job.root, "socket", S_IFSOCK | 0644, 0), 0);
    check_glob(b, "**",
               "host symlink_refused 0; one linked 1; pipe not_regular 0; real/file collected 1; "
               "real/up symlink_refused 0; socket not_regular 0; two linked 1");
    check_glob(b, "*/passwd", "*/passwd missing 0");
}

/* F34 */
static void R_001_073_the_way_to_a_pattern_is_no_link(void **state)
{
    struct box *b = *state;

    assert_int_equal(symlinkat("/etc", b->job.root, "host"), 0);
    check_glob(b, "host/*", "host/* symlink_refused 0");
}

/* F31 */
static void R_001_073_a_directory_that_cannot_be_read_is_listed(void **state)
{
    struct box *b = *state;
    bool root = geteuid() == 0;

    box_folder(b, "closed");
    box_file(b, "closed/file", "x");
    box_file(b, "open", "x");
    assert_int_equal(fchmodat(b->job.root, "closed", 0, 0), 0);
    if (root)
        assert_int_equal(seteuid(NOBODY), 0);
    check_glob(b, "**", "closed unreadable 0; open collected 1");
    check_glob(b, "**/file", "closed unreadable 0; **/file missing 0");
    check_glob(b, "closed/*", "closed/* unreadable 0");
    b->job.count_max = 0;
    check_glob(b, "**/file", "**/file missing 0");
    assert_true(b->job.truncated);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(fchmodat(b->job.root, "closed", 0755, 0), 0);
}

/* F30 */
static void R_001_073_R_001_151_names_may_be_any_bytes(void **state)
{
    struct box *b = *state;

    box_folder(b, "d\n");
    box_file(b, "d\n/-rf", "x");
    box_file(b, "\xff\xfe", "x");
    box_file(b, "\x01", "x");
    box_file(b, "\xc3\xa9", "x");
    check_glob(b, "**",
               "\x01 collected 1; d\n/-rf collected 1; \xc3\xa9 collected 1; \xff\xfe collected 1");
    check_glob(b, "?", "\x01 collected 1");
}

/* ---- ceilings ---- */

/* The child is moved up and its parent removed, one by one: nothing here knows the depth. */
static void flatten(int root)
{
    while (renameat(root, "d/d", root, "up") == 0) {
        assert_int_equal(unlinkat(root, "d", AT_REMOVEDIR), 0);
        assert_int_equal(renameat(root, "up", root, "d"), 0);
    }
}

/* F30 */
static void R_001_073_a_tree_100000_deep_is_walked_to_a_ceiling(void **state)
{
    struct box *b = *state;
    int at = dup(b->job.root);

    for (int i = 0; i < DEEP; i++) {
        int below;

        assert_int_equal(mkdirat(at, "d", 0755), 0);
        below = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(below >= 0);
        (void)close(at);
        at = below;
    }
    (void)close(at);
    box_file(b, "e", "x");
    box_file(b, "d/d/d/f", "x");
    check_glob(b, "**", "d/d/d/f collected 1; e collected 1");
    assert_true(b->job.truncated);
    assert_int_equal(b->job.entries, COLLECT_DEPTH + 2);
    b->job.depth_max = 3000; /* then the length of the path ends it */
    check_glob(b, "**", "d/d/d/f collected 1; e collected 1");
    assert_int_equal(unlinkat(b->job.root, "d/d/d/f", 0), 0);
    flatten(b->job.root);
}

static void R_001_073_the_ceiling_on_depth_counts_directories(void **state)
{
    struct box *b = *state;

    make_tree(b);
    b->job.depth_max = 4;
    check_glob(b, "**/z.txt", "out/b/c/z.txt collected 1");
    assert_false(b->job.truncated);
    b->job.depth_max = 3;
    check_glob(b, "**/z.txt", "**/z.txt missing 0");
    assert_true(b->job.truncated);
}

static void make_many(struct box *b, int count)
{
    for (int i = 0; i < count; i++) /* 7 and count have no common divisor */
        box_file(b, arena_printf(&b->a, "f%03d", i * 7 % count), "");
}

static const char *first_ten(struct box *b)
{
    const char *all = "f000 collected 0";

    for (int i = 1; i < 10; i++)
        all = arena_printf(&b->a, "%s; f%03d collected 0", all, i);
    return all;
}

/* F37 */
static void R_001_073_R_001_151_of_too_many_files_the_first_are_listed(void **state)
{
    struct box *b = *state;

    make_many(b, 100);
    b->job.count_max = 100;
    box_glob(b, "**");
    assert_int_equal(b->list.n, 100);
    assert_false(b->job.truncated);
    b->job.count_max = 10;
    check_glob(b, "**", first_ten(b));
    assert_true(b->job.truncated);
}

static void R_001_073_R_001_151_of_too_many_names_the_first_are_held(void **state)
{
    struct box *b = *state;

    make_many(b, 100);
    b->job.name_max = 100;
    box_glob(b, "*");
    assert_int_equal(b->list.n, 100);
    assert_false(b->job.truncated);
    b->job.name_max = 10;
    check_glob(b, "*", first_ten(b));
    assert_true(b->job.truncated);
}

static void R_001_073_R_001_151_a_directory_over_the_ceiling_is_left_out_whole(void **state)
{
    struct box *b = *state;

    box_folder(b, "a");
    box_file(b, "a/1", "x");
    box_folder(b, "b");
    box_file(b, "b/1", "x");
    box_file(b, "b/2", "x");
    b->job.entry_max = 5;
    check_glob(b, "**", "a/1 collected 1; b/1 collected 1; b/2 collected 1");
    assert_false(b->job.truncated);
    b->job.entry_max = 4;
    check_glob(b, "**", "a/1 collected 1");
    assert_true(b->job.truncated);
    box_file(b, "b/3", "x");
    b->job.entry_max = 1;
    check_glob(b, "b/*", "b/* missing 0");
    assert_int_equal(b->job.entries, 2);
}

/* F37 */
static void R_001_073_the_ceiling_on_bytes_holds_for_patterns(void **state)
{
    struct box *b = *state;

    box_file(b, "1", "1234");
    box_file(b, "2", "123456");
    box_file(b, "3", "1");
    b->job.ceiling = 5;
    check_glob(b, "*", "1 collected 4; 2 too_large 6; 3 collected 1");
    assert_true(b->job.truncated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            R_001_073_R_001_151_a_pattern_names_files_in_the_order_of_their_bytes, box_setup,
            box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_only_directories_that_may_match_are_read,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_a_pattern_stays_below_the_root, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_a_pattern_has_at_most_63_parts, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_a_plain_beginning_may_be_too_long, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_what_is_listed_already_is_not_listed_twice,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_links_and_pipes_are_listed_and_not_followed,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_the_way_to_a_pattern_is_no_link, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_a_directory_that_cannot_be_read_is_listed,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_R_001_151_names_may_be_any_bytes, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_a_tree_100000_deep_is_walked_to_a_ceiling,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_the_ceiling_on_depth_counts_directories,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_R_001_151_of_too_many_files_the_first_are_listed,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_R_001_151_of_too_many_names_the_first_are_held,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(
            R_001_073_R_001_151_a_directory_over_the_ceiling_is_left_out_whole, box_setup,
            box_teardown),
        cmocka_unit_test_setup_teardown(R_001_073_the_ceiling_on_bytes_holds_for_patterns,
                                        box_setup, box_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
