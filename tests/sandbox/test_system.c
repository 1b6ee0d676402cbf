/* SPDX-License-Identifier: Apache-2.0 */
/* test_system.c: what is known of the system's paths is what lies there now.
 *
 * usage: test_system [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "runs.h"

enum { LATER_MS = 60000 };

static struct kept *kept;
static struct arena a;

static int make(void **state)
{
    (void)state;
    kept = kept_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    kept_free(kept);
    arena_free(&a);
    return 0;
}

struct found {
    struct program program;
    struct grants grants;
};

/* A minute from now all that is there has not changed for long. */
static struct found find(struct kept *with)
{
    struct program_ask ask = { .command = "/bin/sh", .cwd = "/", .network = true };
    struct found found = { .grants = { .a = &a } };

    if (with)
        ask.system = kept_system(with, world_real()->wall_ms(NULL) + LATER_MS);
    program_find(&ask, &a, &found.program);
    program_grant(&ask, &found.program, &found.grants);
    return found;
}

/* Until what is changed next gets another time than /etc has: we only say that it is later. */
static void let_the_clock_tick(void)
{
    int fd = memfd_create("clock", MFD_CLOEXEC);
    struct stat etc, now;

    assert_true(fd >= 0);
    assert_int_equal(lstat("/etc", &etc), 0);
    do {
        assert_int_equal(pwrite(fd, "x", 1, 0), 1);
        assert_int_equal(fstat(fd, &now), 0);
    } while (now.st_mtim.tv_sec == etc.st_ctim.tv_sec &&
             now.st_mtim.tv_nsec <= etc.st_ctim.tv_nsec);
    (void)close(fd);
}

/* What is known tells the same as a look at it, the first time and the next. */
static void agrees(void)
{
    struct found want = find(NULL);

    for (int i = 0; i < 3; i++) {
        struct found got = find(kept);

        assert_int_equal(got.program.links.n, want.program.links.n);
        for (size_t k = 0; k < want.program.links.n; k++) {
            assert_string_equal(got.program.links.v[k].name, want.program.links.v[k].name);
            assert_string_equal(got.program.links.v[k].to, want.program.links.v[k].to);
        }
        assert_int_equal(got.grants.n, want.grants.n);
        for (size_t k = 0; k < want.grants.n; k++) {
            assert_string_equal(got.grants.v[k].path, want.grants.v[k].path);
            assert_int_equal(got.grants.v[k].ino, want.grants.v[k].ino);
            assert_int_equal(got.grants.v[k].dev, want.grants.v[k].dev);
            assert_int_equal(got.grants.v[k].is_dir, want.grants.v[k].is_dir);
            assert_int_equal(got.grants.v[k].access, want.grants.v[k].access);
        }
    }
    let_the_clock_tick();
}

static void what_is_known_is_what_is_found(void **state)
{
    (void)state;
    agrees();
}

/* An /etc that can be changed, below a root that is the host's. */
static void have_own_etc(void)
{
    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    assert_int_equal(mount("none", "/etc", "tmpfs", 0, NULL), 0);
}

static bool is_read(const struct found *found, const char *path)
{
    const struct grant *decides = grants_decide(&found->grants, path);

    return decides && decides->access == ACCESS_READ;
}

/* A shell may start them as well as we. What else Maven has there may be somebody's password. */
static void every_program_has_the_settings_of_java_and_maven(void **state)
{
    struct found found;

    (void)state;
    have_own_etc();
    assert_int_equal(mkdir("/etc/java-17-openjdk", 0755), 0);
    assert_int_equal(mkdir("/etc/maven", 0755), 0);
    assert_int_equal(mkdir("/etc/maven/logging", 0755), 0);
    assert_int_equal(mknod("/etc/maven/m2.conf", S_IFREG | 0644, 0), 0);
    assert_int_equal(mknod("/etc/maven/settings.xml", S_IFREG | 0644, 0), 0);
    found = find(NULL);
    assert_true(is_read(&found, "/etc/java-17-openjdk/net.properties"));
    assert_true(is_read(&found, "/etc/maven/m2.conf"));
    assert_true(is_read(&found, "/etc/maven/logging"));
    assert_false(is_read(&found, "/etc/maven/settings.xml"));
    agrees();
}

static void what_changes_is_found_anew(void **state)
{
    (void)state;
    have_own_etc();
    kept_free(kept);
    kept = kept_new();
    agrees();
    assert_int_equal(mkdir("/etc/alternatives", 0755), 0);
    agrees();
    assert_int_equal(rename("/etc/alternatives", "/etc/other"), 0);
    assert_int_equal(mkdir("/etc/alternatives", 0755), 0);
    agrees();
    assert_int_equal(rmdir("/etc/alternatives"), 0);
    assert_int_equal(symlink("/usr/lib", "/etc/alternatives"), 0);
    agrees();
    assert_int_equal(unlink("/etc/alternatives"), 0);
    assert_int_equal(symlink("/usr/share", "/etc/alternatives"), 0);
    agrees();
    assert_int_equal(unlink("/etc/alternatives"), 0);
    agrees();
    assert_int_equal(mkdir("/etc/alternatives", 0755), 0);
    agrees();
    assert_int_equal(mount("none", "/etc/alternatives", "tmpfs", 0, NULL), 0);
    agrees();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, end)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(what_is_known_is_what_is_found),
        TEST(every_program_has_the_settings_of_java_and_maven),
        TEST(what_changes_is_found_anew),
    };

    /* The last two mount something. */
    return _cmocka_run_group_tests("system", list, COUNT(list) - (geteuid() == 0 ? 0 : 2), NULL,
                                   NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
