/* SPDX-License-Identifier: Apache-2.0 */
/* test_remove.c: nothing but a tree is removed with it, whoever moves its parts meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

static char top[] = "/tmp/writ-remove-XXXXXX";
static struct arena a;

/* Moved when the file of this name has been removed. */
static const char *until, *moved, *moved_to;

int __real_unlinkat(int at, const char *name, int flags);
int __wrap_unlinkat(int at, const char *name, int flags);

int __wrap_unlinkat(int at, const char *name, int flags)
{
    int done = __real_unlinkat(at, name, flags);

    if (done == 0 && until && strcmp(name, until) == 0) {
        until = NULL;
        assert_int_equal(rename(moved, moved_to), 0);
    }
    return done;
}

/* So far below the top that a removal which climbs too high, by as many levels as a tree here has,
 * is still in a directory of this test. */
static const char *below(const char *name)
{
    return arena_printf(&a, "%s/1/2/3/4/5/6/7/8/%s", top, name);
}

static void make_file(const char *dir, const char *name)
{
    struct error e;

    assert_true(fs_make_dirs(below(dir), &e));
    assert_true(fs_write(below(arena_printf(&a, "%s/%s", dir, name)), str_of("x"), &e));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct error e;
    bool gone = fs_remove(top, &e);

    (void)state;
    arena_free(&a);
    return gone ? 0 : -1;
}

static void what_is_moved_out_leads_to_nothing_else(void **state)
{
    struct error e = { 0 };

    (void)state;
    make_file("tree/a/b", "last");
    make_file("others", "kept");
    make_file("beside", "kept");
    until = "last";
    moved = below("tree/a/b");
    moved_to = below("others/b");
    assert_false(fs_remove(below("tree"), &e));
    assert_int_equal(e.sys, EBUSY);
    assert_int_equal(access(below("others/kept"), F_OK), 0);
    assert_int_equal(access(below("beside/kept"), F_OK), 0);
    assert_true(fs_remove(below("tree"), &e)); /* what is left of it, when nobody is in the way */
    assert_int_not_equal(access(below("tree"), F_OK), 0);
}

/* Deeper than any path is long, with few descriptors. */
static void a_deep_tree_is_removed(void **state)
{
    enum { DEPTH = 3000, FEW = 16 };
    struct rlimit before;
    struct error e = { 0 };
    int at;
    bool gone;

    (void)state;
    make_file("deep", "file");
    at = open(below("deep"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < DEPTH; i++) {
        int next;

        assert_int_equal(mkdirat(at, "deep", 0700), 0);
        next = openat(at, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        (void)close(at);
        at = next;
    }
    (void)close(at);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ FEW, before.rlim_max }), 0);
    gone = fs_remove(below("deep"), &e);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(gone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_moved_out_leads_to_nothing_else),
        cmocka_unit_test(a_deep_tree_is_removed),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
