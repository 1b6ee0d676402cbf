/* SPDX-License-Identifier: Apache-2.0 */
/* test_changed.c: what somebody changes between the look at it and the mount is told as that.
 *
 * usage: test_changed [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "contract/codes.h"
#include "runs.h"

static const char name[] = ".git/config";

static const char *path_of(const struct runs *r, const char *file, char path[128])
{
    (void)snprintf(path, 128, "%s/%s", r->dir, file);
    return path;
}

static void remove_it(const struct runs *r)
{
    char path[128];

    assert_int_equal(unlink(path_of(r, name, path)), 0);
}

/* As git does, whatever it changes in it. */
static void replace_it(const struct runs *r)
{
    char path[128], lock[128];

    runs_write(r, ".git/config.lock", "new");
    assert_int_equal(rename(path_of(r, ".git/config.lock", lock), path_of(r, name, path)), 0);
}

static void change(void (*how)(const struct runs *r), int access)
{
    struct outcome out = { 0 };
    struct error e = { 0 };
    struct str denied = str_of(name);
    struct runs r;
    char path[128];

    runs_make(&r);
    runs_write(&r, name, "old");
    if (access == ACCESS_DENIED)
        r.filesystem.deny = (struct items){ .v = &denied, .n = 1 };
    r.admitted = how;
    assert_false(runs_try(&r, world_real(), "true", &out, &e));
    assert_int_equal(e.code, CODE_PATH_CHANGED);
    assert_non_null(strstr(e.msg, path_of(&r, name, path)));
    r.admitted = NULL;
    if (access != ACCESS_DENIED)
        assert_int_equal(runs_do(&r, world_real(), "true").exit_code, 0);
    runs_free(&r);
}

static void a_protected_name_that_changes_is_named(void **state)
{
    (void)state;
    change(remove_it, ACCESS_PROTECTED);
    change(replace_it, ACCESS_PROTECTED);
}

static void a_denied_name_that_goes_is_named(void **state)
{
    (void)state;
    change(remove_it, ACCESS_DENIED);
}

/* A mask for a directory is not mounted on a file. */
static void make_it_a_file(const struct runs *r)
{
    char path[128], from[128];

    runs_write(r, "public", "now"); /* first, or it may have the number of the directory */
    assert_int_equal(rmdir(path_of(r, "secret", path)), 0);
    assert_int_equal(rename(path_of(r, "public", from), path), 0);
}

static void a_denied_directory_that_becomes_a_file_is_named(void **state)
{
    struct outcome out = { 0 };
    struct error e = { 0 };
    struct str denied = str_of("secret");
    struct runs r;
    char path[128];

    (void)state;
    runs_make(&r);
    assert_int_equal(mkdir(path_of(&r, "secret", path), 0755), 0);
    r.filesystem.deny = (struct items){ .v = &denied, .n = 1 };
    r.admitted = make_it_a_file;
    assert_false(runs_try(&r, world_real(), "true", &out, &e));
    assert_int_equal(e.code, CODE_PATH_CHANGED);
    runs_free(&r);
}

/* ---- what fails for another reason ---- */

/* So the private root cannot be made, before a tree is mounted in it. */
static void let_no_file_grow(const struct runs *r)
{
    struct rlimit now;

    (void)r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static void let_files_grow(void)
{
    struct rlimit now;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = now.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static bool remove_meanwhile(void *runs, struct error *e)
{
    (void)e;
    remove_it(runs);
    return true;
}

static void what_failed_for_another_reason_is_told_as_that(void **state)
{
    struct outcome out = { 0 };
    struct error e = { 0 };
    struct runs r;
    bool ran;

    (void)state;
    runs_make(&r);
    runs_write(&r, name, "old");
    r.admitted = let_no_file_grow;
    r.run.permit = remove_meanwhile;
    r.run.permit_self = &r;
    ran = runs_try(&r, world_real(), "true", &out, &e);
    let_files_grow();
    assert_false(ran);
    assert_int_equal(e.code, CODE_LAYER_MISSING);
    assert_int_equal(e.sys, EFBIG);
    runs_free(&r);
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_protected_name_that_changes_is_named),
        cmocka_unit_test(a_denied_name_that_goes_is_named),
        cmocka_unit_test(a_denied_directory_that_becomes_a_file_is_named),
        cmocka_unit_test(what_failed_for_another_reason_is_told_as_that),
    };

    return _cmocka_run_group_tests("changed", list, COUNT(list), NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
