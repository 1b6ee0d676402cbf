/* SPDX-License-Identifier: Apache-2.0 */
/* test_unopened.c: a mask that cannot be laid for want of a descriptor is no mask, and no run; and
 * that is what the run is refused for. */
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
#include "contract/codes.h"
#include "sandbox/cow_plan.h"
#include "sandbox/denied.h"

static char top[PATH_MAX];
static struct arena a;
static struct rlimit before;

static const char *below(const char *name)
{
    return arena_printf(&a, "%s/%s", top, name);
}

static void make_dirs(const char *name)
{
    struct error e;

    assert_true(fs_make_dirs(below(name), &e));
}

static int set_up(void **state)
{
    char name[] = "/tmp/writ-unopened-XXXXXX";

    (void)state;
    return mkdtemp(name) && realpath(name, top) && getrlimit(RLIMIT_NOFILE, &before) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    struct error e;
    bool gone = fs_remove(top, &e);

    (void)state;
    arena_free(&a);
    return gone ? 0 : -1;
}

/* From now on so many more can be opened. */
static void leave(rlim_t count)
{
    int next = dup(STDIN_FILENO);

    assert_true(next >= 0);
    (void)close(next);
    assert_int_equal(
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){ (rlim_t)next + count, before.rlim_max }), 0);
}

static void leave_all(void)
{
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void grant(struct grants *g, const char *path, enum access access)
{
    struct error e;

    assert_true(grants_open(g, (struct grant){ .access = access }, "/", path, &e));
}

static void protects(const char *dir, bool with, bool wanted)
{
    struct grants g = { .a = &a };
    struct absents absent = { .a = &a };
    struct error e = { 0 };
    bool done;

    grant(&g, dir, ACCESS_WRITE);
    if (!with)
        leave(0);
    done = protect(&g, &(struct protect_ask){ 0 }, &absent, &e);
    leave_all();
    assert_int_equal(done, wanted);
    if (!wanted)
        assert_int_equal(e.sys, EMFILE);
}

static void a_protected_name_is_protected_or_refused(void **state)
{
    (void)state;
    make_dirs("plain/kept");
    assert_int_equal(symlink("kept", below("plain/.vscode")), 0);
    make_dirs("empty");
    protects(below("plain"), true, true);
    protects(below("plain"), false, false);
    protects(below("empty"), false, true); /* there is nothing to be opened */
}

static void what_a_link_of_git_leads_to_is_protected_or_refused(void **state)
{
    (void)state;
    make_dirs("tree/.git");
    make_dirs("tree/kept");
    assert_int_equal(symlink("../kept", below("tree/.git/info")), 0);
    protects(below("tree"), true, true);
    protects(below("tree"), false, false);
}

static void a_way_is_pinned_or_refused(void **state)
{
    struct grants g = { .a = &a };
    struct error e = { 0 };
    bool done;

    (void)state;
    make_dirs("way/deep/shut");
    grant(&g, below("way"), ACCESS_WRITE);
    assert_true(grants_pin_way(&g, below("way/none/shut"), false, &e));
    grant(&g, below("way/deep/shut"), ACCESS_DENIED);
    leave(0);
    done = grants_pin(&g, &e);
    leave_all();
    assert_false(done);
    assert_int_equal(e.sys, EMFILE);
    assert_true(grants_pin(&g, &e));
}

static bool follows(rlim_t count, struct error *e)
{
    struct grants g = { .a = &a };
    struct absents absent = { .a = &a };
    bool done;

    grant(&g, below("names"), ACCESS_WRITE);
    grant(&g, below("names/secret"), ACCESS_DENIED);
    if (count)
        leave(count);
    done = denied_follow(&g, &absent, &(struct aliases){ 0 }, below("state"), e);
    leave_all();
    if (done)
        assert_int_equal(g.n, 4); /* the directory, the mask, and one for each of both names */
    return done;
}

static void another_name_is_masked_or_refused(void **state)
{
    struct error e = { 0 };

    (void)state;
    make_dirs("names");
    assert_true(fs_write(below("names/secret"), str_of("secret"), &e));
    assert_int_equal(link(below("names/secret"), below("names/other")), 0);
    assert_true(follows(0, &e));
    assert_false(follows(1, &e)); /* enough for the directory, and not for what is in it */
    assert_int_equal(e.sys, EMFILE);
}

/* ---- what is written beside the disk ---- */

static struct jail_mount looked_at(const char *name)
{
    struct stat s;

    make_dirs(name);
    assert_int_equal(stat(below(name), &s), 0);
    return (struct jail_mount){
        .kind = MOUNT_TREE, .from = below(name), .tree = -1, .dev = s.st_dev, .ino = s.st_ino
    };
}

static void expects(struct jail_mount *m, bool wanted, int code, int sys)
{
    struct jail jail = { .mounts = m, .mount_count = 1, .cover_count = 1 };
    struct cow_layers expected;
    struct error e = { 0 };

    jail.covers[0] = (struct jail_cover){ .over = m, .upper = -1, .merged = -1 };
    assert_int_equal(cow_expect(&jail, &a, &expected, &e), wanted);
    assert_int_equal(e.code, code);
    assert_int_equal(e.sys, sys);
    if (wanted)
        cow_close(&expected);
}

static void a_tree_is_called_changed_where_it_is_and_not_where_it_cannot_be_opened(void **state)
{
    struct jail_mount m = looked_at("covered");

    (void)state;
    expects(&m, true, CODE_NONE, 0);
    leave(0);
    expects(&m, false, CODE_LAYER_MISSING, EMFILE);
    leave_all();
    assert_int_equal(rename(m.from, below("moved")), 0);
    expects(&m, false, CODE_PATH_CHANGED, 0);
    assert_int_equal(symlink("moved", m.from), 0);
    expects(&m, false, CODE_PATH_CHANGED, 0);
    assert_int_equal(unlink(m.from), 0);
    assert_int_equal(mkdir(m.from, 0700), 0);
    expects(&m, false, CODE_PATH_CHANGED, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_protected_name_is_protected_or_refused),
        cmocka_unit_test(what_a_link_of_git_leads_to_is_protected_or_refused),
        cmocka_unit_test(a_way_is_pinned_or_refused),
        cmocka_unit_test(another_name_is_masked_or_refused),
        cmocka_unit_test(a_tree_is_called_changed_where_it_is_and_not_where_it_cannot_be_opened),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
