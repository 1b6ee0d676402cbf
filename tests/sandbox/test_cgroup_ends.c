/* SPDX-License-Identifier: Apache-2.0 */
/* test_cgroup_ends.c: control groups are refused with a reason, and never left behind.
 *
 * usage: test_cgroup_ends [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "contract/codes.h"
#include "groups.h"

/* As a run does it: beside its own groups. */
static void sweep(void)
{
    struct cgroup c;
    struct error e;

    if (!cgroup_make(&few, &c, &e))
        return;
    cgroup_sweep(&c);
    (void)!cgroup_remove(&c, &e);
}

/* Processes that do something to themselves which cannot be taken back; 77: it was not allowed. */
enum { NOT_ALLOWED = 77 };

static int in_child(int (*work)(void))
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(work());
    assert_true(pid > 0);
    return finish(pid);
}

/* ---- removing ---- */

static void what_is_removed_is_gone_everywhere(void **state)
{
    struct cgroup c = made(&few), again;
    char name[CGROUP_NAME];

    (void)state;
    memcpy(name, c.name, sizeof name);
    for (int i = 0; i < HOME_DIRS; i++)
        assert_true(exists(i, name));
    removed(&c);
    for (int i = 0; i < HOME_DIRS; i++)
        assert_false(exists(i, name));
    again = made(&few);
    assert_string_not_equal(again.name, name); /* a killed group of version 2 kills who enters it */
    removed(&again);
    removed(&again);
    assert_int_equal(groups_left(), 0);
}

static void removing_ends_who_is_still_inside(void **state)
{
    struct cgroup c = made(&few);

    (void)state;
    (void)start(&c, wait_for_the_end);
    (void)start(&c, wait_for_the_end);
    removed(&c);
    assert_true(reaped(2));
    assert_int_equal(groups_left(), 0);
}

static void a_thousand_runs_leave_nothing(void **state)
{
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct cgroup c = made(&few);

        removed(&c);
    }
    after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(after, before + 1);
    assert_int_equal(groups_left(), 0);
    (void)close(before);
    (void)close(after);
}

static void a_limit_that_cannot_be_written_leaves_nothing(void **state)
{
    struct cgroup_limits wrong = few;
    struct cgroup c = { .count = -7 };
    struct error e = { 0 };

    (void)state;
    wrong.tasks = INT64_MAX;
    assert_false(cgroup_make(&wrong, &c, &e));
    assert_int_equal(e.code, CODE_LAYER_MISSING);
    assert_int_equal(e.sys, EINVAL);
    assert_non_null(strstr(e.msg, "pids.max"));
    assert_int_equal(c.count, -7);
    assert_int_equal(groups_left(), 0);
}

/* ---- sweeping ---- */

static int told[2], go_on[2];

/* A supervisor: makes a group, tells its name, and is told when to go on. */
static int supervise(void)
{
    struct cgroup c;
    struct error e;
    char x;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!cgroup_make(&few, &c, &e) || write(told[1], c.name, sizeof c.name) != sizeof c.name)
        return 1;
    (void)start(&c, wait_for_the_end);
    if (write(told[1], "x", 1) != 1 || read(go_on[0], &x, 1) != 1)
        return 2;
    return cgroup_remove(&c, &e) ? 0 : 3;
}

static pid_t supervisor(char name[CGROUP_NAME])
{
    pid_t pid = fork();
    char x;

    if (pid == 0)
        _exit(supervise());
    assert_true(pid > 0);
    assert_int_equal(read(told[0], name, CGROUP_NAME), CGROUP_NAME);
    assert_int_equal(read(told[0], &x, 1), 1);
    return pid;
}

static void a_sweep_removes_the_groups_of_the_dead_and_of_nobody_else(void **state)
{
    char dead[CGROUP_NAME], alive[CGROUP_NAME];
    pid_t a, b;

    (void)state;
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(go_on), 0);
    a = supervisor(dead);
    b = supervisor(alive);
    sweep();
    for (int i = 0; i < HOME_DIRS; i++)
        assert_true(exists(i, dead) && exists(i, alive));

    assert_int_equal(kill(a, SIGKILL), 0);
    assert_int_equal(finish(a), SIGKILL);
    sweep();
    for (int i = 0; i < HOME_DIRS; i++) {
        assert_false(exists(i, dead));
        assert_true(exists(i, alive));
    }
    assert_true(reaped(1)); /* whom the dead one had left inside */

    assert_int_equal(write(go_on[1], "x", 1), 1);
    assert_int_equal(finish(b), 0);
    assert_true(reaped(1)); /* whom it ended itself */
    assert_int_equal(groups_left(), 0);
    for (int i = 0; i < 2; i++)
        (void)(close(told[i]) + close(go_on[i]));
}

/* A pid comes round again, a pid with a time does not. */
static void a_sweep_tells_a_process_from_an_earlier_one_with_its_pid(void **state)
{
    struct cgroup c = made(&few);
    char name[2][CGROUP_NAME], ns[24] = "";

    (void)state;
    assert_int_equal(sscanf(c.name, "writ-%23[0-9]", ns), 1);
    (void)snprintf(name[0], CGROUP_NAME, "writ-%s-%d-1-0", ns, (int)getpid());
    (void)snprintf(name[1], CGROUP_NAME, "writ-1-%d-1-0", (int)getpid()); /* another namespace */
    for (int i = 0; i < HOME_DIRS; i++)
        for (int k = 0; k < 2; k++)
            assert_true(mkdir(dir_of(i, name[k]), 0755) == 0 || errno == EEXIST);
    sweep();
    for (int i = 0; i < HOME_DIRS; i++) {
        assert_true(exists(i, c.name));
        assert_false(exists(i, name[0]));
        assert_true(exists(i, name[1]));
    }
    for (int i = 0; i < HOME_DIRS; i++)
        assert_true(rmdir(dir_of(i, name[1])) == 0 || errno == ENOENT);
    removed(&c);
}

/* The dead one was in other groups than we are, but for one hierarchy. */
static void a_sweep_finds_what_is_left_in_one_hierarchy_alone(void **state)
{
    struct cgroup c = made(&few);
    char name[CGROUP_NAME], ns[24] = "";

    (void)state;
    assert_int_equal(sscanf(c.name, "writ-%23[0-9]", ns), 1);
    removed(&c);
    (void)snprintf(name, sizeof name, "writ-%s-%d-1-0", ns, (int)getpid());
    for (int i = 0; i < HOME_DIRS; i++) {
        assert_int_equal(mkdir(dir_of(i, name), 0755), 0);
        sweep();
        assert_false(exists(i, name));
    }
}

/* ---- refusing ---- */

/* New mounts, for this process alone. */
static bool own_mounts(void)
{
    int more = geteuid() == 0 ? 0 : CLONE_NEWUSER;

    return unshare(CLONE_NEWNS | more) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static int refused_when_hidden(void)
{
    struct cgroup_finding found[CGROUP_LIMITED];
    struct cgroup c;
    struct error e = { 0 };

    if (!own_mounts() || mount("none", "/sys/fs/cgroup", "tmpfs", 0, NULL) != 0)
        return NOT_ALLOWED;
    if (cgroup_make(&few, &c, &e))
        return 1;
    if (e.code != CODE_LAYER_MISSING || !strstr(e.msg, "/sys/fs/cgroup"))
        return 2;
    sweep();
    cgroup_probe(found);
    for (int i = 0; i < CGROUP_LIMITED; i++)
        if (found[i].kind || !strstr(found[i].why, home_names[i]))
            return 3;
    return 0;
}

static void hidden_hierarchies_are_refused_by_name(void **state)
{
    int status = in_child(refused_when_hidden);

    (void)state;
    assert_int_equal(status, 0);
    assert_int_equal(groups_left(), 0);
}

/* Its namespace begins at its own group, but the mounts show what is above. */
static int refused_outside_the_namespace(void)
{
    struct cgroup c;
    struct error e = { 0 };

    if (unshare(CLONE_NEWCGROUP | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0)
        return NOT_ALLOWED;
    if (cgroup_make(&few, &c, &e))
        return 1;
    return e.code == CODE_LAYER_MISSING && strstr(e.msg, "no mount shows") ? 0 : 2;
}

static void nothing_is_made_above_the_root_of_the_namespace(void **state)
{
    int status = in_child(refused_outside_the_namespace);

    (void)state;
    assert_int_equal(status, 0);
    assert_int_equal(groups_left(), 0);
}

/* As in a container: the mounts begin at the group that it was given. */
static int made_in_a_part_of_the_hierarchy(void)
{
    struct cgroup c;
    struct error e;
    char path[CGROUP_NAME + 64];

    if (!own_mounts() || mount("none", "/mnt", "tmpfs", 0, NULL) != 0)
        return NOT_ALLOWED;
    for (int i = 0; i < HOME_DIRS; i++) {
        (void)snprintf(path, sizeof path, "/mnt/a b%d", i);
        if (mkdir(path, 0755) != 0 || mount(homes[i].dir, path, NULL, MS_BIND, NULL) != 0)
            return NOT_ALLOWED;
    }
    if (mount("none", "/sys/fs/cgroup", "tmpfs", 0, NULL) != 0)
        return NOT_ALLOWED;
    if (!cgroup_make(&few, &c, &e))
        return 1;
    for (int i = 0; i < HOME_DIRS; i++) {
        (void)snprintf(path, sizeof path, "/mnt/a b%d/%s", i, c.name);
        if (access(path, F_OK) != 0)
            return 2;
    }
    return cgroup_remove(&c, &e) ? 0 : 3;
}

static void mounts_that_show_a_part_are_fitted_to_the_group(void **state)
{
    int status = in_child(made_in_a_part_of_the_hierarchy);

    (void)state;
    assert_int_equal(status, 0);
    assert_int_equal(groups_left(), 0);
}

static bool all_v2(void)
{
    return homes[HOME_MEMORY].v2 && homes[HOME_PIDS].v2 && homes[HOME_CPU].v2;
}

/* Where both versions are, version 1 is the first to refuse, for all of its groups at once. */
static const char *mend(void)
{
    int v1 = !homes[HOME_MEMORY].v2 + !homes[HOME_PIDS].v2 + !homes[HOME_CPU].v2;

    return all_v2()  ? "systemd-run --user --scope -p Delegate=yes writ"
           : v1 == 1 ? "in the shell that runs writ: d="
                     : "in the shell that runs writ: for d in ";
}

/* Groups that were given to nobody. */
static int refused_as_a_stranger(void)
{
    struct cgroup c;
    struct error e;

    if (setresuid(SOME_USER + 1, SOME_USER + 1, SOME_USER + 1) != 0)
        return NOT_ALLOWED;
    if (cgroup_make(&few, &c, &e))
        return 1;
    return e.code == CODE_LAYER_MISSING && strstr(e.msg, mend()) ? 0 : 2;
}

static void a_user_without_groups_is_refused(void **state)
{
    int status = in_child(refused_as_a_stranger);

    (void)state;
    assert_int_equal(status, 0);
    assert_int_equal(groups_left(), 0);
}

/* In a group of version 2 that holds somebody else, too, below one that hands down. */
static int made_further_up(void)
{
    struct cgroup c;
    struct error e;
    char sub[CGROUP_NAME + 600];
    pid_t other;
    int result = 0;

    (void)snprintf(sub, sizeof sub, "%s/writ-sub", homes[HOME_MEMORY].dir);
    if (mkdir(sub, 0755) != 0 || !home_write(sub, "cgroup.procs", "0"))
        return 1;
    other = fork();
    if (other == 0)
        (void)wait_for_the_end();
    if (!cgroup_make(&few, &c, &e))
        result = 2;
    else if (!exists(HOME_MEMORY, c.name) || !cgroup_remove(&c, &e))
        result = 3;
    if (strstr(home_read(sub, "cgroup.subtree_control"), "memory"))
        result = 4;
    if (kill(other, SIGKILL) != 0 || waitpid(other, NULL, 0) != other ||
        !home_write(homes[HOME_MEMORY].dir, "writ-supervisor/cgroup.procs", "0") || rmdir(sub) != 0)
        result = 5;
    return result;
}

static void a_group_with_others_in_it_is_left_for_one_further_up(void **state)
{
    (void)state;
    assert_int_equal(in_child(made_further_up), 0);
    assert_int_equal(groups_left(), 0);
}

/* On version 2 this process has to be alone when it makes its first group. */
static int first_run(void **state)
{
    struct cgroup c;
    struct error e;

    (void)state;
    return cgroup_make(&few, &c, &e) && cgroup_remove(&c, &e) ? 0 : -1;
}

static int tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_with_others_in_it_is_left_for_one_further_up),
        cmocka_unit_test(what_is_removed_is_gone_everywhere),
        cmocka_unit_test(removing_ends_who_is_still_inside),
        cmocka_unit_test(a_thousand_runs_leave_nothing),
        cmocka_unit_test(a_limit_that_cannot_be_written_leaves_nothing),
        cmocka_unit_test(a_sweep_removes_the_groups_of_the_dead_and_of_nobody_else),
        cmocka_unit_test(a_sweep_tells_a_process_from_an_earlier_one_with_its_pid),
        cmocka_unit_test(a_sweep_finds_what_is_left_in_one_hierarchy_alone),
        cmocka_unit_test(hidden_hierarchies_are_refused_by_name),
        cmocka_unit_test(nothing_is_made_above_the_root_of_the_namespace),
        cmocka_unit_test(mounts_that_show_a_part_are_fitted_to_the_group),
        cmocka_unit_test(a_user_without_groups_is_refused),
    };

    /* The first one needs version 2; the last two take away what only root can. */
    size_t first = all_v2() ? 0 : 1;
    size_t last = sizeof tests / sizeof tests[0] - (geteuid() == 0 ? 0 : 2);

    return _cmocka_run_group_tests("cgroup_ends", tests + first, last - first, first_run, NULL);
}

int main(int argc, char **argv)
{
    return home_run(tests, argc > 1 && strcmp(argv[1], "--user") == 0 ? SOME_USER : 0);
}
