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

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_protected_name_that_changes_is_named),
        cmocka_unit_test(a_denied_name_that_goes_is_named),
    };

    return _cmocka_run_group_tests("changed", list, COUNT(list), NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
