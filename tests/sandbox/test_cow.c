/* SPDX-License-Identifier: Apache-2.0 */
/* test_cow.c: commands that write beside the disk, and what is read of it afterwards.
 *
 * usage: test_cow [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "beside.h"
#include "contract/codes.h"
#include "sandbox/collect_store.h"
#include "sandbox/cow_plan.h"
#include "sandbox/cow_walk.h"

/* ---- what is read ---- */

static const struct {
    const char *what, *before, *script, *expected;
} cases[] = {
    { "nothing", "echo one > a", "cat a; ls -la > /dev/null", "" },
    { "a file is added", ":", "echo new > n", "added /n - file:644:4\n" },
    { "a file is changed", "echo one > a", "echo more >> a", "changed /a file:644:4 file:644:9\n" },
    { "a file is truncated", "echo one > a", ": > a", "changed /a file:644:4 file:644:0\n" },
    { "a file is deleted", "echo one > a", "rm a", "deleted /a file:644:4 -\n" },
    { "a file is moved", "echo one > a", "mv a b",
      "deleted /a file:644:4 -\nadded /b - file:644:4\n" },
    { "a mode is changed", "echo one > a", "chmod 755 a", "changed /a file:644:4 file:755:4\n" },
    { "and changed back", "echo one > a", "chmod 755 a; chmod 644 a; touch a", "" },
    { "written as it was", "echo one > a", "echo one > a", "" },
    { "deleted, and made again as it was", "echo one > a; mkdir d; echo x > d/x",
      "rm -r a d; echo one > a; mkdir d; echo x > d/x", "" },
    { "a link is added", ":", "ln -s /etc/passwd l", "added /l - link:777:/etc/passwd\n" },
    { "a link is changed", "ln -s a l", "ln -sf b l", "changed /l link:777:a link:777:b\n" },
    { "a file becomes a link", "echo one > a", "rm a; ln -s b a",
      "changed /a file:644:4 link:777:b\n" },
    { "a hard link is added", "echo one > a", "ln a b", "added /b - file:644:4\n" },
    { "two names of a new file", ":", "echo new > a; ln a b",
      "added /a - file:644:4\nadded /b - file:644:4\n" },
    { "a directory is added", ":", "mkdir -p d/e; echo x > d/e/x",
      "added /d - directory:755\nadded /d/e - directory:755\nadded /d/e/x - file:644:2\n" },
    { "a directory is deleted", "mkdir -p d/e; echo x > d/e/x; echo y > d/y", "rm -r d",
      "deleted /d directory:755 -\ndeleted /d/e directory:755 -\ndeleted /d/e/x file:644:2 -\n"
      "deleted /d/y file:644:2 -\n" },
    { "a directory is deleted, and made anew", "mkdir -p d/e; echo x > d/e/x; echo y > d/y",
      "rm -r d; mkdir d; echo z > d/z; mkdir d/e",
      "deleted /d/e/x file:644:2 -\ndeleted /d/y file:644:2 -\nadded /d/z - file:644:2\n" },
    { "a directory is moved", "mkdir -p d/e; echo x > d/e/x", "mv d f",
      "deleted /d directory:755 -\ndeleted /d/e directory:755 -\ndeleted /d/e/x file:644:2 -\n"
      "added /f - directory:755\nadded /f/e - directory:755\nadded /f/e/x - file:644:2\n" },
    { "a directory becomes a file", "mkdir d; echo x > d/x", "rm -r d; echo file > d",
      "changed /d directory:755 file:644:5\ndeleted /d/x file:644:2 -\n" },
    { "a file becomes a directory", "echo one > a", "rm a; mkdir a; echo x > a/x",
      "changed /a file:644:4 directory:755\nadded /a/x - file:644:2\n" },
    { "the mode of a directory", "mkdir d; echo x > d/x", "chmod 700 d",
      "changed /d directory:755 directory:700\n" },
    { "the mode of the root", ":", "chmod 711 .", "changed  directory:700 directory:711\n" },
    { "deep inside", "mkdir -p a/b/c/d; echo x > a/b/c/d/x", "echo y >> a/b/c/d/x",
      "changed /a/b/c/d/x file:644:2 file:644:4\n" },
    { "others", ":", "mkfifo p", "added /p - other:644\n" },
    { "what nobody may read", "echo one > a",
      "echo two > b; chmod 0 b; mkdir d; echo x > d/x; chmod 0 d; mkdir e; echo y > e/y; "
      "chmod 600 e; chmod 0 a",
      "changed /a file:644:4 file:0:4\nadded /b - file:0:4\nadded /d - directory:0\n"
      "added /d/x - file:644:2\nadded /e - directory:600\nadded /e/y - file:644:2\n" },
    { "in order of bytes", ":", "mkdir a; touch a/b a-b a.b aa",
      "added /a - directory:755\nadded /a-b - file:644:0\nadded /a.b - file:644:0\n"
      "added /a/b - file:644:0\nadded /aa - file:644:0\n" },
    { "a name of any bytes", ":", "touch -- \"$(printf 'a\\nb\\377')\" -rf",
      "added /-rf - file:644:0\nadded /a\nb\377 - file:644:0\n" },
    { "a sparse file", ":", "truncate -s 100M s", "added /s - file:644:104857600\n" },
};

static void R_001_015_what_a_run_wrote_beside_the_disk_is_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcome out;
        struct changes all;

        (void)make(NULL);
        before(cases[i].before);
        all = changes_of(cases[i].script, &out);
        if (strcmp(listed(&all), cases[i].expected) != 0)
            fail_msg("%s:\n%s", cases[i].what, listed(&all));
        assert_null(all.cut);
        cow_close(&out.cow);
        (void)end(NULL);
    }
}

/* The bytes of what was written are kept under their digest. */
static void R_001_015_bytes_of_what_was_written_are_kept(void **state)
{
    struct outcome out;
    struct changes all;
    struct digest one, was = digest_of("one\n", 4), is = digest_of("one\ntwo\n", 8);
    char bytes[16] = { 0 };
    _fd_ int fd = -1;

    (void)state;
    before("echo one > a");
    all = changes_of("echo two >> a", &out);
    assert_int_equal(all.n, 1);
    one = all.v[0].before.digest;
    assert_memory_equal(&one, &was, sizeof was);
    assert_memory_equal(&all.v[0].after.digest, &is, sizeof is);
    fd = keep_open(store, &is);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, bytes, sizeof bytes), 8);
    assert_memory_equal(bytes, "one\ntwo\n", 8);
    assert_int_equal(keep_open(store, &was), -1);
    cow_close(&out.cow);
}

/* What the disk has now is what a change is compared to. */
static void what_was_changed_meanwhile_is_seen(void **state)
{
    struct outcome out;
    struct changes all;

    (void)state;
    before("echo one > a; echo two > b");
    out = runs_do(&r, world_real(), "echo new > a; rm b");
    assert_int_equal(out.exit_code, 0);
    before("echo new > a; rm b");
    all = read_layers(&out);
    assert_string_equal(listed(&all), "");
    cow_close(&out.cow);
}

/* Stamps as file systems give them, beside a layer of 100.5 s. */
static void what_may_be_newer_than_the_layer_is(void **state)
{
    const struct cow_sides sides = { .since = { 100, 500000001 } };
    static const struct {
        struct timespec at;
        bool newer;
    } rows[] = {
        { { 100, 500000001 }, false }, { { 100, 500000002 }, true },  { { 99, 999999999 }, false },
        { { 101, 1 }, true },          { { 100, 0 }, true }, /* whole seconds */
        { { 99, 0 }, true },                                 /* every second one */
        { { 98, 0 }, false },          { { 100, 490000000 }, false }, { { 100, 500000000 }, true },
        { { 100, 499000000 }, false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct stat s = { .st_ctim = rows[i].at };

        assert_int_equal(cow_is_newer(&sides, &s), rows[i].newer);
    }
}

/* ---- names that must not be ---- */

static void deny(const char *const *names, size_t n)
{
    struct str *list = arena_alloc(&r.a, n * sizeof *list);

    for (size_t i = 0; i < n; i++)
        list[i] = str_of(arena_printf(&r.a, "%s/%s", r.dir, names[i]));
    r.filesystem.deny = (struct items){ .v = list, .n = n };
}

static void F07_a_denied_name_that_is_not_there_cannot_be_made(void **state)
{
    static const char *const names[] = { "later", "later2", "d/later", "none/later", "d/e/f/g" };
    struct outcome out;
    struct changes all;

    (void)state;
    before("mkdir -p d/e");
    deny(names, COUNT(names));
    all = changes_of("for n in later later2 d/later none d/e/f; do "
                     "echo x > $n && exit 1; mkdir $n && exit 2; ln -s /etc $n && exit 3; "
                     "touch $n/x && exit 4; mv $n moved && exit 5; rm -rf $n && exit 6; "
                     "echo x > y; mv y $n && exit 7; done; mv d moved && exit 8; mv d/e moved && "
                     "exit 9; rm -rf y moved; exit 0",
                     &out);
    assert_string_equal(listed(&all), "");
    for (size_t i = 0; i < COUNT(names); i++)
        assert_true(cow_holds(&out.cow, arena_printf(&r.a, "%s/%s", r.dir, names[i])));
    assert_false(cow_holds(&out.cow, arena_printf(&r.a, "%s/d", r.dir)));
    cow_close(&out.cow);
}

static void F07_what_is_left_out_is_no_change(void **state)
{
    struct outcome out;
    struct changes all = changes_of("mkdir -p d/out/deep d/outer; touch d/out/deep/x", &out);
    struct error e;

    (void)state;
    assert_int_equal(all.n, 5);
    cow_leave_out(&out.cow, arena_printf(&r.a, "%s/d/out", r.dir), &r.a);
    all = (struct changes){ 0 };
    assert_true(cow_read(&out.cow, store, &r.a, &all, &e));
    assert_string_equal(listed(&all), "added /d - directory:755\nadded /d/outer - directory:755\n");
    cow_close(&out.cow);
}

static void F02_F03_F04_what_is_denied_is_covered_in_the_layer_too(void **state)
{
    static const char *const names[] = { "deny", "file" };
    struct outcome out;
    struct changes all;

    (void)state;
    before("mkdir deny; echo secret > deny/secret; echo secret > file; echo one > a");
    deny(names, COUNT(names));
    all = changes_of("cat deny/secret file && exit 1; echo x > deny/x && exit 2; mv deny d && exit "
                     "3; rm -rf deny && exit 4; ln file f && exit 5; mv file f && exit 6; "
                     "chmod 777 file && exit 7; echo two > a",
                     &out);
    assert_string_equal(listed(&all), "changed /a file:644:4 file:644:4\n");
    cow_close(&out.cow);
}

/* ---- several trees ---- */

static void trees_in_trees_are_as_they_are_without_a_layer(void **state)
{
    struct str read = str_of(arena_printf(&r.a, "%s/ro", r.dir));
    struct str write = str_of(arena_printf(&r.a, "%s/ro/rw", r.dir));
    struct outcome out;
    struct changes all;

    (void)state;
    before("mkdir -p ro/rw; echo one > ro/a; echo two > ro/rw/b");
    r.filesystem.read = (struct items){ .v = &read, .n = 1 };
    r.filesystem.write = (struct items){ .v = &write, .n = 1 };
    all = changes_of("echo x > ro/a && exit 1; rm ro/a && exit 2; echo new > ro/rw/n; rm ro/rw/b; "
                     "echo top > t",
                     &out);
    assert_int_equal(out.cow.n, 2);
    assert_string_equal(listed(&all), "deleted /ro/rw/b file:644:4 -\nadded /ro/rw/n - "
                                      "file:644:4\nadded /t - file:644:4\n");
    cow_close(&out.cow);
}

static void a_single_file_cannot_have_a_layer(void **state)
{
    struct str file = str_of(arena_printf(&r.a, "%s/ro/f", r.dir));
    struct str read = str_of(arena_printf(&r.a, "%s/ro", r.dir));
    struct outcome out;
    struct error e = { 0 };

    (void)state;
    before("mkdir ro; echo one > ro/f");
    r.filesystem.read = (struct items){ .v = &read, .n = 1 };
    r.filesystem.write = (struct items){ .v = &file, .n = 1 };
    assert_false(runs_try(&r, world_real(), "echo two > ro/f", &out, &e));
    assert_int_equal(e.code, CODE_LAYER_MISSING);
    assert_non_null(strstr(e.msg, "single file"));
}

/* ---- owners ---- */

static void put_owner(const char *name, uid_t owner, mode_t mode)
{
    const char *path = arena_printf(&r.a, "%s/%s", r.dir, name);

    assert_int_equal(chown(path, owner, owner), 0);
    assert_int_equal(chmod(path, mode), 0);
}

/* Only root can have a tree of several owners. Whose the directory is runs the command: he may
 * change his own, read others' as far as their mode lets him, and remove them from his directories.
 * What belongs to others cannot be copied into a layer, and so not be changed. */
static void files_of_other_owners_stay_as_they_are(void **state)
{
    static const uid_t runs_as[] = { 0, SOME_USER };

    (void)state;
    for (size_t i = 0; geteuid() == 0 && i < COUNT(runs_as); i++) {
        struct outcome out;
        struct changes all;

        (void)make(NULL);
        before("for f in mine root other open; do echo one > $f; done; mkdir d; echo x > d/x");
        put_owner("mine", runs_as[i], 0644);
        put_owner("root", 0, 0644);
        put_owner("other", 4711, 0644);
        put_owner("open", runs_as[i] ? 0 : 4711, 0666);
        put_owner("d", runs_as[i], 0755);
        put_owner("d/x", 4711, 0644);
        put_owner(".", runs_as[i], 0755);
        put_owner(".git", runs_as[i], 0755);
        all = changes_of(runs_as[i] ? "echo two >> mine; echo two >> root && exit 1; "
                                      "echo two >> other && exit 2; echo two >> open && exit 3; "
                                      "rm d/x other; exit 0"
                                    : "echo two >> mine; echo two >> root || exit 1; "
                                      "echo two >> other && exit 2; cat other open; exit 0",
                         &out);
        assert_string_equal(listed(&all), runs_as[i] ? "deleted /d/x file:644:2 -\n"
                                                       "changed /mine file:644:4 file:644:8\n"
                                                       "deleted /other file:644:4 -\n"
                                                     : "changed /mine file:644:4 file:644:8\n"
                                                       "changed /root file:644:4 file:644:8\n");
        cow_close(&out.cow);
        (void)end(NULL);
    }
}

/* ---- much ---- */

static void ten_thousand_files_are_listed(void **state)
{
    struct outcome out;
    struct changes all;

    (void)state;
    before("i=0; while [ $i -lt 100 ]; do mkdir d$i; echo x > d$i/x; i=$((i+1)); done");
    all = changes_of("i=0; while [ $i -lt 10000 ]; do echo $i > d$((i%100))/$i; i=$((i+1)); done; "
                     "rm -r d7",
                     &out);
    assert_null(all.cut);
    assert_int_equal(all.n, 9900 + 2);
    for (size_t i = 1; i < all.n; i++)
        assert_true(strcmp(all.v[i - 1].path.s, all.v[i].path.s) < 0);
    cow_close(&out.cow);
}

static void F41_a_full_layer_is_the_commands_own_trouble(void **state)
{
    struct outcome out;
    struct changes all;

    (void)state;
    all = changes_of("dd if=/dev/zero of=full bs=1M count=1000 2> /dev/null && exit 1; rm full; "
                     "echo small > s",
                     &out);
    assert_string_equal(listed(&all), "added /s - file:644:6\n");
    cow_close(&out.cow);
}

static void F30_what_is_too_much_is_cut_and_said(void **state)
{
    const struct cow_most usual = cow_most;
    struct outcome out;
    struct changes all;

    (void)state;
    out = runs_do(&r, world_real(),
                  "mkdir -p b/b/b/b/b/b; for n in a c d e f; do echo $n > $n; done; truncate -s 9M "
                  "g; echo h > h");
    assert_int_equal(out.exit_code, 0);
    cow_most.rows = 3;
    all = read_layers(&out);
    assert_string_equal(listed(&all), "added /a - file:644:2\nadded /b - directory:755\n"
                                      "added /b/b - directory:755\n");
    assert_ptr_equal(all.cut, cow_cut_rows);
    cow_most = usual;
    cow_most.entries = 4;
    all = read_layers(&out);
    assert_true(all.n <= 4);
    assert_ptr_equal(all.cut, cow_cut_entries);
    cow_most = usual;
    cow_most.names = 8; /* of those that are met first */
    all = read_layers(&out);
    assert_true(all.n <= 8);
    assert_ptr_equal(all.cut, cow_cut_entries);
    cow_most = usual;
    cow_most.path = 4;
    all = read_layers(&out);
    assert_int_equal(all.n, 9);
    assert_ptr_equal(all.cut, cow_cut_path);
    cow_most = usual;
    cow_most.keep = 1 << 20;
    all = read_layers(&out);
    assert_int_equal(all.n, 12);
    assert_ptr_equal(all.cut, cow_cut_bytes);
    cow_most = usual;
    cow_close(&out.cow);
}

/* ---- what is open ---- */

static size_t count_open(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

static bool refuse_to_start(void *self, struct error *e)
{
    (void)self;
    return error_set(e, CODE_IO, "no");
}

static void nothing_is_left_open(void **state)
{
    size_t open_before = count_open();
    struct outcome out = { 0 };
    struct error e = { 0 };

    (void)state;
    out = runs_do(&r, world_real(),
                  "i=3; while [ $i -lt 1100 ]; do [ -e /proc/$$/fd/$i ] && exit 1; i=$((i+1)); "
                  "done; exit 0");
    assert_int_equal(out.exit_code, 0);
    assert_int_equal(count_open(), open_before + 3); /* what is written, seen, and on the disk */
    cow_close(&out.cow);
    assert_int_equal(count_open(), open_before);
    r.run.permit = refuse_to_start;
    assert_false(runs_try(&r, world_real(), "exit 0", &out, &e));
    assert_int_equal(count_open(), open_before);
}

static int all_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_015_what_a_run_wrote_beside_the_disk_is_listed),
        cmocka_unit_test_setup_teardown(R_001_015_bytes_of_what_was_written_are_kept, make, end),
        cmocka_unit_test_setup_teardown(what_was_changed_meanwhile_is_seen, make, end),
        cmocka_unit_test(what_may_be_newer_than_the_layer_is),
        cmocka_unit_test_setup_teardown(F07_what_is_left_out_is_no_change, make, end),
        cmocka_unit_test_setup_teardown(F07_a_denied_name_that_is_not_there_cannot_be_made, make,
                                        end),
        cmocka_unit_test_setup_teardown(F02_F03_F04_what_is_denied_is_covered_in_the_layer_too,
                                        make, end),
        cmocka_unit_test_setup_teardown(trees_in_trees_are_as_they_are_without_a_layer, make, end),
        cmocka_unit_test_setup_teardown(a_single_file_cannot_have_a_layer, make, end),
        cmocka_unit_test(files_of_other_owners_stay_as_they_are),
        cmocka_unit_test_setup_teardown(ten_thousand_files_are_listed, make, end),
        cmocka_unit_test_setup_teardown(F41_a_full_layer_is_the_commands_own_trouble, make, end),
        cmocka_unit_test_setup_teardown(F30_what_is_too_much_is_cut_and_said, make, end),
        cmocka_unit_test_setup_teardown(nothing_is_left_open, make, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return home_run(all_tests, argc > 1 && strcmp(argv[1], "--user") == 0 ? SOME_USER : 0);
}
