/* SPDX-License-Identifier: Apache-2.0 */
/* test_collect.c: one file of a run: what it is, its size, its digest, and where it is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

#include "unit/sandbox/box.h"

enum { NOBODY = 65534 };

static void check_one(struct box *b, const char *path, const char *want)
{
    b->list = (struct collected_list){ 0 };
    box_collect(b, path);
    assert_int_equal(b->list.n, 1);
    assert_string_equal(box_said(b), want);
}

/* ---- what a path is ---- */

static void R_001_072_a_file_is_collected_with_its_digest(void **state)
{
    struct box *b = *state;
    char digest[DIGEST_TEXT];

    box_file(b, "a", "abc");
    box_file(b, "empty", "");
    box_collect(b, "a");
    box_collect(b, "empty");
    assert_string_equal(box_said(b), "a collected 3; empty collected 0");
    digest_text(&b->list.v[0].digest, digest);
    assert_string_equal(digest,
                        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_text(&b->list.v[1].digest, digest);
    assert_string_equal(digest,
                        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_int_equal(b->job.total, 3);
    assert_false(b->job.truncated);
}

/* F32 */
static void R_001_072_what_is_no_file_is_not_waited_for(void **state)
{
    struct box *b = *state;

    box_folder(b, "folder");
    assert_int_equal(mkfifoat(b->job.root, "fifo", 0644), 0);
    assert_int_equal(mknodat(b->job.root, "socket", S_IFSOCK | 0644, 0), 0);
    check_one(b, "folder", "folder not_regular 0");
    check_one(b, ".", ". not_regular 0");
    check_one(b, "fifo", "fifo not_regular 0");
    check_one(b, "socket", "socket not_regular 0");
    assert_int_equal(b->job.total, 0);
}

/* F33, F34 */
static void R_001_072_links_are_not_followed(void **state)
{
    struct box *b = *state;

    box_folder(b, "real");
    box_file(b, "real/file", "secret");
    assert_int_equal(symlinkat("real/file", b->job.root, "inside"), 0);
    assert_int_equal(symlinkat("/etc/passwd", b->job.root, "host"), 0);
    assert_int_equal(symlinkat("/proc/self/environ", b->job.root, "environ"), 0);
    assert_int_equal(symlinkat("nothing", b->job.root, "dangling"), 0);
    assert_int_equal(symlinkat("loop", b->job.root, "loop"), 0);
    assert_int_equal(symlinkat("real", b->job.root, "way"), 0);
    assert_int_equal(symlinkat("/", b->job.root, "top"), 0);
    check_one(b, "inside", "inside symlink_refused 0");
    check_one(b, "host", "host symlink_refused 0");
    check_one(b, "environ", "environ symlink_refused 0");
    check_one(b, "dangling", "dangling symlink_refused 0");
    check_one(b, "loop", "loop symlink_refused 0");
    check_one(b, "way/file", "way/file symlink_refused 0");
    check_one(b, "top/etc/passwd", "top/etc/passwd symlink_refused 0");
    check_one(b, "real/file", "real/file collected 6");
}

static void R_001_072_what_is_not_there_is_missing(void **state)
{
    struct box *b = *state;

    box_file(b, "file", "x");
    check_one(b, "nothing", "nothing missing 0");
    check_one(b, "no/thing", "no/thing missing 0");
    check_one(b, "file/x", "file/x missing 0");
    check_one(b, "file/", "file/ missing 0");
    check_one(b, "", " missing 0");
    assert_true(collect_file(&b->job, (struct str){ "file\0x", 6 }, &b->a, &b->list, &b->e));
    assert_int_equal(b->list.v[1].state, COLLECT_MISSING);
    assert_int_equal(b->list.v[1].path.n, 6);
}

static void R_001_072_nothing_outside_the_root_is_collected(void **state)
{
    struct box *b = *state;
    int root = b->job.root;

    box_folder(b, "in");
    box_file(b, "in/file", "x");
    check_one(b, "../x", "../x outside 0");
    check_one(b, "in/../../x", "in/../../x outside 0");
    check_one(b, "/etc/passwd", "/etc/passwd outside 0");
    check_one(b, "in/../in/file", "in/../in/file collected 1");
    b->job.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* /proc is another mount */
    check_one(b, "proc/version", "proc/version outside 0");
    (void)close(b->job.root);
    b->job.root = root;
}

static void R_001_072_a_file_with_other_names_is_taken_only_where_they_are_the_runs_own(
    void **state)
{
    struct box *b = *state;

    box_file(b, "one", "abc");
    assert_int_equal(linkat(b->job.root, "one", b->job.root, "two", 0), 0);
    check_one(b, "one", "one linked 3");
    check_one(b, "two", "two linked 3");
    assert_int_equal(b->job.total, 0);
    b->job.linked = true;
    check_one(b, "two", "two collected 3");
}

/* F30 */
static void R_001_072_names_may_be_any_bytes(void **state)
{
    static const char *const names[] = { "new\nline", "-rf", "bad\xff\xfeutf8", " ",
                                         "\x1b[2J",   "*",   "a'b\"c\\d" };
    struct box *b = *state;
    char longest[NAME_MAX + 2];

    for (size_t i = 0; i < COUNT(names); i++) {
        box_file(b, names[i], "x");
        check_one(b, names[i], arena_printf(&b->a, "%s collected 1", names[i]));
    }
    memset(longest, 'n', sizeof longest);
    longest[NAME_MAX] = '\0';
    box_file(b, longest, "x");
    check_one(b, longest, arena_printf(&b->a, "%s collected 1", longest));
    longest[NAME_MAX] = 'n';
    longest[NAME_MAX + 1] = '\0';
    check_one(b, longest, arena_printf(&b->a, "%s unreadable 0", longest));
}

/* F31. Root reads everything, so that it has to be somebody else. */
static void R_001_072_what_cannot_be_read_is_said(void **state)
{
    struct box *b = *state;
    bool root = geteuid() == 0;

    box_folder(b, "closed");
    box_file(b, "closed/file", "x");
    box_file(b, "none", "x");
    assert_int_equal(fchmodat(b->job.root, "none", 0, 0), 0);
    assert_int_equal(fchmodat(b->job.root, "closed", 0, 0), 0);
    if (root)
        assert_int_equal(seteuid(NOBODY), 0);
    check_one(b, "none", "none unreadable 0");
    check_one(b, "closed/file", "closed/file unreadable 0");
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(fchmodat(b->job.root, "closed", 0755, 0), 0);
}

/* ---- how much ---- */

/* F37, A01-7 */
static void R_001_072_R_001_073_ten_mebibytes_are_taken_and_not_one_more(void **state)
{
    struct box *b = *state;

    box_sparse(b, "exact", 10485760);
    box_sparse(b, "over", 10485761);
    check_one(b, "over", "over too_large 10485761");
    assert_true(b->job.truncated);
    assert_int_equal(b->job.total, 0);
    b->job.truncated = false;
    check_one(b, "exact", "exact collected 10485760");
    assert_false(b->job.truncated);
    assert_int_equal(b->job.total, 10485760);
}

static void R_001_072_R_001_073_the_ceiling_is_for_all_files_together(void **state)
{
    struct box *b = *state;

    b->job.ceiling = 10;
    box_file(b, "a", "123456");
    box_file(b, "b", "12345");
    box_file(b, "c", "1234");
    box_file(b, "d", "");
    box_file(b, "e", "1");
    box_sparse(b, "huge", (off_t)1 << 40);
    box_collect(b, "huge");
    box_collect(b, "a");
    box_collect(b, "b");
    box_collect(b, "c");
    box_collect(b, "d");
    box_collect(b, "e");
    assert_string_equal(box_said(b), "huge too_large 1099511627776; a collected 6; b too_large 5; "
                                     "c collected 4; d collected 0; e too_large 1");
    assert_int_equal(b->job.total, 10);
    assert_true(b->job.truncated);
}

/* ---- where it is kept ---- */

static const char abc[] =
    "sha256/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void open_store(struct box *b)
{
    box_folder(b, "store");
    b->job.store = openat(b->job.root, "store", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(b->job.store >= 0);
}

static void check_stored(const struct box *b, const char *path, const char *want)
{
    char bytes[64] = { 0 };
    _fd_ int fd = openat(b->job.store, path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, bytes, sizeof bytes - 1), strlen(want));
    assert_string_equal(bytes, want);
}

/* Nothing but the contents: no half of one, under any name. */
static void check_nothing_else(const struct box *b, size_t entries)
{
    DIR *directory = fdopendir(openat(b->job.store, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const struct dirent *entry;
    size_t n = 0;

    assert_non_null(directory);
    while ((entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_string_equal(entry->d_name, "sha256");
        n++;
    }
    (void)closedir(directory);
    assert_int_equal(n, entries);
}

static ino_t stored_inode(const struct box *b)
{
    struct stat st;

    assert_int_equal(fstatat(b->job.store, abc, &st, 0), 0);
    return st.st_ino;
}

static void R_001_072_R_001_170_a_content_is_kept_once_under_its_digest(void **state)
{
    struct box *b = *state;
    ino_t first;

    open_store(b);
    box_file(b, "one", "abc");
    box_file(b, "two", "abc");
    box_collect(b, "one");
    check_stored(b, abc, "abc");
    check_nothing_else(b, 1);
    first = stored_inode(b);
    box_collect(b, "two");
    assert_int_equal(stored_inode(b), first);
    check_nothing_else(b, 1);
    assert_string_equal(box_said(b), "one collected 3; two collected 3");
    assert_int_equal(b->job.total, 6);
}

static void R_001_170_a_large_content_is_kept_whole(void **state)
{
    struct box *b = *state;
    char digest[DIGEST_TEXT], path[100];
    struct stat st;

    open_store(b);
    box_sparse(b, "large", 1000003);
    box_collect(b, "large");
    digest_text(&b->list.v[0].digest, digest);
    (void)snprintf(path, sizeof path, "sha256/%.2s/%s", digest + 7, digest + 9);
    assert_int_equal(fstatat(b->job.store, path, &st, 0), 0);
    assert_int_equal(st.st_size, 1000003);
}

static void R_001_170_what_is_not_collected_is_not_kept(void **state)
{
    struct box *b = *state;

    open_store(b);
    b->job.ceiling = 2;
    box_file(b, "one", "abc");
    box_collect(b, "one");
    box_collect(b, "none");
    check_nothing_else(b, 0);
}

/* As a loss of power may leave it: shorter, or as long and of zeroes. */
static void replaces(struct box *b, const char *content, size_t n)
{
    int fd;

    box_collect(b, "one");
    assert_int_equal(unlinkat(b->job.store, abc, 0), 0);
    fd = openat(b->job.store, abc, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    assert_int_equal(write(fd, content, n), n);
    assert_int_equal(close(fd), 0);
    box_collect(b, "one");
    check_stored(b, abc, "abc");
    check_nothing_else(b, 1);
}

static void R_001_170_a_content_that_power_was_lost_under_is_replaced(void **state)
{
    struct box *b = *state;

    open_store(b);
    box_file(b, "one", "abc");
    replaces(b, "", 0);
    replaces(b, "ab", 2);
    replaces(b, "\0\0\0", 3);
}

static void R_001_170_what_a_killed_process_left_is_not_in_the_way(void **state)
{
    struct box *b = *state;
    const char *left = arena_printf(&b->a, "store/new.%d.0", (int)getpid());

    open_store(b);
    box_file(b, left, "half");
    box_file(b, "one", "abc");
    box_collect(b, "one");
    check_stored(b, abc, "abc");
    assert_int_equal(unlinkat(b->job.root, left, 0), 0);
    check_nothing_else(b, 1);
}

static void R_001_170_a_store_that_cannot_be_written_is_an_error(void **state)
{
    struct box *b = *state;

    open_store(b);
    box_file(b, "one", "abc");
    assert_int_equal(unlinkat(b->job.root, "store", AT_REMOVEDIR), 0);
    assert_false(collect_file(&b->job, str_of("one"), &b->a, &b->list, &b->e));
    assert_int_equal(b->e.code, CODE_IO);
    assert_int_equal(b->list.n, 0);
    assert_int_equal(b->job.total, 0);
    assert_false(collect_glob(&b->job, str_of("o*"), &b->a, &b->list, &b->e));
}

static void R_001_170_a_content_that_finds_no_place_leaves_nothing(void **state)
{
    struct box *b = *state;

    open_store(b);
    box_file(b, "one", "abc");
    box_file(b, "store/sha256", "in the way");
    assert_false(collect_file(&b->job, str_of("one"), &b->a, &b->list, &b->e));
    assert_int_equal(b->e.code, CODE_IO);
    assert_int_equal(b->list.n, 0);
    check_nothing_else(b, 1);
}

/* The root must be a directory that is open: a mistake of writ, not of the run. */
static void R_001_072_a_root_that_is_not_open_is_an_error(void **state)
{
    struct box *b = *state;
    int root = b->job.root;

    b->job.root = 1 << 20;
    assert_false(collect_file(&b->job, str_of("one"), &b->a, &b->list, &b->e));
    assert_int_equal(b->e.code, CODE_IO);
    assert_false(collect_glob(&b->job, str_of("*"), &b->a, &b->list, &b->e));
    assert_int_equal(b->list.n, 0);
    b->job.root = root;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(R_001_072_a_file_is_collected_with_its_digest, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_what_is_no_file_is_not_waited_for, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_links_are_not_followed, box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_what_is_not_there_is_missing, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_nothing_outside_the_root_is_collected, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(
            R_001_072_a_file_with_other_names_is_taken_only_where_they_are_the_runs_own, box_setup,
            box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_names_may_be_any_bytes, box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_what_cannot_be_read_is_said, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(
            R_001_072_R_001_073_ten_mebibytes_are_taken_and_not_one_more, box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_R_001_073_the_ceiling_is_for_all_files_together,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_R_001_170_a_content_is_kept_once_under_its_digest,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_170_a_large_content_is_kept_whole, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_170_what_is_not_collected_is_not_kept, box_setup,
                                        box_teardown),
        cmocka_unit_test_setup_teardown(R_001_170_a_content_that_power_was_lost_under_is_replaced,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_170_what_a_killed_process_left_is_not_in_the_way,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_170_a_store_that_cannot_be_written_is_an_error,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_170_a_content_that_finds_no_place_leaves_nothing,
                                        box_setup, box_teardown),
        cmocka_unit_test_setup_teardown(R_001_072_a_root_that_is_not_open_is_an_error, box_setup,
                                        box_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
