/* SPDX-License-Identifier: Apache-2.0 */
/* test_half_read.c: a directory that cannot be read to its end is not taken for a short one. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "emulated.h"
#include "sandbox/cow_walk.h"
#include "sandbox/denied.h"

static bool broken; /* the disk gives no more names */

const struct dirent *__real_fs_next(DIR *in);
const struct dirent *__wrap_fs_next(DIR *in);

const struct dirent *__wrap_fs_next(DIR *in)
{
    if (!broken)
        return __real_fs_next(in);
    errno = EIO;
    return NULL;
}

static struct arena a;
static char dir[64];

static char *at(const char *name)
{
    return arena_printf(&a, "%s/%s", dir, name);
}

static void make_dir(const char *name)
{
    assert_int_equal(mkdir(at(name), 0755), 0);
}

static void make_file(const char *name)
{
    struct error e = { 0 };

    assert_true(fs_write(at(name), str_of("x\n"), &e));
}

static int make(void **state)
{
    (void)state;
    broken = false;
    (void)snprintf(dir, sizeof dir, "/tmp/writ-half-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    struct error e = { 0 };

    (void)state;
    broken = false;
    assert_true(fs_remove(dir, &e));
    arena_free(&a);
    return 0;
}

static void an_error_is_not_the_end(void **state)
{
    DIR *in = opendir(dir);
    int file;

    (void)state;
    make_file("one");
    assert_non_null(in);
    assert_string_equal(fs_next(in)->d_name, "one");
    assert_null(fs_next(in));
    assert_int_equal(errno, 0);
    rewinddir(in);
    file = open(at("one"), O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0 && dup2(file, dirfd(in)) >= 0); /* which has no entries */
    assert_null(fs_next(in));
    assert_int_equal(errno, ENOTDIR);
    (void)close(file);
    (void)closedir(in);
}

/* An emulated kernel may lack what a directory is opened with. */
static void skip_where_none_is_opened(void)
{
    if (!opens_directories())
        skip();
}

static void grant(struct grants *g, enum access access, const char *path)
{
    struct error e = { 0 };

    if (!grants_open(g, (struct grant){ .access = access }, "/", path, &e))
        fail_msg("%s", e.msg);
}

static enum access access_of(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->v[i].path, path) == 0)
            return g->v[i].access;
    return ACCESS_READ;
}

static void another_name_of_what_is_denied_may_be_there(void **state)
{
    (void)state;
    skip_where_none_is_opened();
    make_dir("sub");
    make_file("secret");
    assert_int_equal(link(at("secret"), at("sub/other")), 0);
    for (int i = 0; i < 2; i++) {
        struct grants g = { .a = &a };
        struct absents absent = { .a = &a };
        struct aliases aliases = { 0 };
        struct error e = { 0 };

        broken = i == 1;
        grant(&g, ACCESS_READ, dir);
        grant(&g, ACCESS_DENIED, at("secret"));
        assert_int_equal(denied_follow(&g, &absent, &aliases, NULL, &e), !broken);
        if (broken)
            assert_non_null(strstr(e.msg, "cannot be looked at"));
        else
            assert_int_equal(access_of(&g, at("sub/other")), ACCESS_DENIED);
    }
}

static void hooks_may_be_there(void **state)
{
    (void)state;
    skip_where_none_is_opened();
    make_dir(".git");
    make_dir(".git/refs");
    make_file(".git/HEAD");
    make_dir(".git/modules");
    for (int i = 0; i < 2; i++) {
        struct grants g = { .a = &a };
        struct absents absent = { .a = &a };
        struct error e = { 0 };

        broken = i == 1;
        grant(&g, ACCESS_WRITE, dir);
        assert_true(protect(&g, &(struct protect_ask){ 0 }, &absent, &e));
        assert_int_equal(access_of(&g, at(".git/modules")),
                         broken ? ACCESS_PROTECTED : ACCESS_READ);
    }
}

static void changes_may_be_there(void **state)
{
    (void)state;
    skip_where_none_is_opened();
    make_dir("disk");
    make_dir("upper");
    make_file("upper/new");
    for (int i = 0; i < 2; i++) {
        struct cow_layer layer = { .root = at("disk"),
                                   .disk = open(at("disk"), O_PATH | O_CLOEXEC),
                                   .upper = open(at("upper"), O_RDONLY | O_CLOEXEC) };
        struct cow_sides sides = cow_sides_of(&layer);
        struct changes changes = { 0 };
        struct error e = { 0 };

        broken = i == 1;
        assert_true(cow_walk(&sides, &a, &changes, &e));
        assert_int_equal(changes.n, broken ? 0 : 1);
        assert_ptr_equal(changes.cut, broken ? cow_cut_unreadable : NULL);
        (void)close(layer.disk);
        (void)close(layer.upper);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_error_is_not_the_end, make, end),
        cmocka_unit_test_setup_teardown(another_name_of_what_is_denied_may_be_there, make, end),
        cmocka_unit_test_setup_teardown(hooks_may_be_there, make, end),
        cmocka_unit_test_setup_teardown(changes_may_be_there, make, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
