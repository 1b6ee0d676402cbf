/* SPDX-License-Identifier: Apache-2.0 */
/* test_gitdir.c: files by which git finds its state, where a command changes one for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "emulated.h"
#include "sandbox/gitdir.h"

static const char *swapped; /* a file of this name is a pipe as soon as it was looked at */

static int look(const char *path, struct stat *s)
{
    const char *slash = strrchr(path, '/');
    int looked = fstatat(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW);

    if (swapped && slash && strcmp(slash + 1, swapped) == 0) {
        (void)unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
    }
    return looked;
}

/* The C library has it under a name of its own where files may be large. */
int __wrap_lstat(const char *path, struct stat *s);
int __wrap_lstat64(const char *path, struct stat *s);

int __wrap_lstat(const char *path, struct stat *s)
{
    return look(path, s);
}

int __wrap_lstat64(const char *path, struct stat *s)
{
    return look(path, s);
}

static struct arena a;
static char dir[64];

static char *at(const char *name)
{
    return arena_printf(&a, "%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
    struct error e = { 0 };

    assert_true(fs_write(at(name), str_of(text), &e));
}

static int make(void **state)
{
    (void)state;
    swapped = NULL;
    (void)snprintf(dir, sizeof dir, "/tmp/writ-gitdir-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    struct error e = { 0 };

    (void)state;
    swapped = NULL;
    assert_true(fs_remove(dir, &e));
    arena_free(&a);
    return 0;
}

static const char settings[] = "[core]\n\trepositoryformatversion = 0\n\tworktree = /\n";

static void R_001_015_settings_are_read_as_what_was_opened(void **state)
{
    (void)state;
    if (!opens_directories())
        skip();
    put("config", settings);
    swapped = "config";
    (void)alarm(30); /* who waits for a pipe is killed */
    assert_true(gitdir_is_state(dir, &a));
    assert_string_equal(gitdir_tree(dir, &a), "/");
    (void)alarm(0);
}

static void R_001_015_a_pointer_is_read_as_what_was_opened(void **state)
{
    (void)state;
    put("pointer", "gitdir: /\n");
    swapped = "pointer";
    (void)alarm(30);
    assert_string_equal(gitdir_pointer(at("pointer"), "gitdir: ", "/", &a), "/");
    (void)alarm(0);
}

static void R_001_015_a_pipe_and_a_link_hold_nothing(void **state)
{
    (void)state;
    put("there", settings);
    (void)alarm(30);
    assert_int_equal(mkfifo(at("config"), 0600), 0);
    assert_false(gitdir_is_state(dir, &a));
    assert_null(gitdir_pointer(at("config"), "", "/", &a));
    assert_int_equal(unlink(at("config")), 0);
    assert_int_equal(symlink("there", at("config")), 0);
    assert_false(gitdir_is_state(dir, &a));
    assert_null(gitdir_tree(dir, &a));
    assert_null(gitdir_pointer(at("config"), "", "/", &a));
    (void)alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(R_001_015_settings_are_read_as_what_was_opened, make, end),
        cmocka_unit_test_setup_teardown(R_001_015_a_pointer_is_read_as_what_was_opened, make, end),
        cmocka_unit_test_setup_teardown(R_001_015_a_pipe_and_a_link_hold_nothing, make, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
