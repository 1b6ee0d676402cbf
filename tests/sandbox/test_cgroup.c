/* SPDX-License-Identifier: Apache-2.0 */
/* test_cgroup.c: control groups hold a tree of processes to its limits, on this very kernel.
 *
 * usage: test_cgroup [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "groups.h"

/* ---- what a process does inside ---- */

static int touch(size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (size_t i = 0; p != MAP_FAILED && i < bytes; i += 4096)
        p[i] = 1;
    return p == MAP_FAILED;
}

static int touch_too_much(void)
{
    return touch(128UL * MIB);
}

static int touch_enough(void)
{
    return touch(16UL * MIB);
}

/* Neither of the two is above the limit, both together are. */
static int touch_too_much_by_two(void)
{
    int status = 0;
    pid_t pid;

    if (touch(40UL * MIB) != 0)
        return 1;
    pid = fork();
    if (pid == 0)
        _exit(touch(40UL * MIB));
    if (waitpid(pid, &status, 0) != pid)
        return 2;
    return WIFSIGNALED(status) ? 40 : 3;
}

/* As many children as it can have; they stay. */
static int fork_until_refused(void)
{
    for (int n = 0; n < 100; n++) {
        pid_t pid = fork();

        if (pid == 0)
            (void)wait_for_the_end();
        if (pid < 0)
            return errno == EAGAIN ? n : 98;
    }
    return 97;
}

static int ready[2]; /* a pipe: what is inside says that it has begun */

static void *sit(void *unused)
{
    (void)wait_for_the_end();
    return unused;
}

static int have_three_threads(void)
{
    pthread_t t;

    if (pthread_create(&t, NULL, sit, NULL) != 0 || pthread_create(&t, NULL, sit, NULL) != 0)
        return 1;
    (void)!write(ready[1], "x", 1);
    return wait_for_the_end();
}

/* ---- limits ---- */

static void R_001_012_R_001_013_limits_are_written_before_anyone_is_inside(void **state)
{
    struct cgroup c = made(&few);

    (void)state;
    if (homes[HOME_MEMORY].v2) {
        assert_string_equal(home_read(dir_of(HOME_MEMORY, c.name), "memory.max"), "67108864\n");
        assert_string_equal(home_read(dir_of(HOME_MEMORY, c.name), "memory.oom.group"), "1\n");
    } else
        assert_string_equal(home_read(dir_of(HOME_MEMORY, c.name), "memory.limit_in_bytes"),
                            "67108864\n");
    assert_string_equal(home_read(dir_of(HOME_PIDS, c.name), "pids.max"), "8\n");
    if (homes[HOME_CPU].v2)
        assert_string_equal(home_read(dir_of(HOME_CPU, c.name), "cpu.max"), "100000 100000\n");
    else
        assert_string_equal(home_read(dir_of(HOME_CPU, c.name), "cpu.cfs_quota_us"), "100000\n");
    for (int i = 0; i < HOME_DIRS; i++)
        assert_string_equal(home_read(dir_of(i, c.name), "cgroup.procs"), "");
    assert_int_equal(cgroup_processes(&c), 0);
    removed(&c);
}

static void swap_is_no_way_around_the_limit_on_memory(void **state)
{
    struct cgroup c = made(&few);
    bool v2 = homes[HOME_MEMORY].v2;
    const char *file = v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes";
    const char *text = home_read(dir_of(HOME_MEMORY, c.name), file);

    (void)state;
    if (*text) /* this kernel counts swap */
        assert_string_equal(text, v2 ? "0\n" : "67108864\n");
    assert_true(exists(HOME_MEMORY, c.name));
    removed(&c);
}

static void R_001_041_cores_are_a_quota_of_as_many(void **state)
{
    struct cgroup_limits four = few;
    struct cgroup c;

    (void)state;
    four.cores = 4;
    c = made(&four);
    if (homes[HOME_CPU].v2)
        assert_string_equal(home_read(dir_of(HOME_CPU, c.name), "cpu.max"), "400000 100000\n");
    else
        assert_string_equal(home_read(dir_of(HOME_CPU, c.name), "cpu.cfs_quota_us"), "400000\n");
    removed(&c);
}

static void R_001_012_more_memory_than_allowed_is_killed_and_counted(void **state)
{
    struct cgroup c = made(&few);
    struct cgroup_usage u;
    int status = finish(start(&c, touch_too_much));

    (void)state;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    cgroup_usage(&c, &u);
    assert_in_range(u.oom_kills, 1, homes[HOME_MEMORY].v2 ? 2 : 1);
    assert_int_equal(u.task_hits, 0);
    if (u.memory_peak_bytes >= 0)
        assert_in_range(u.memory_peak_bytes, 32 * MIB, 64 * MIB);
    removed(&c);
}

static void R_001_037_memory_counts_for_all_processes_together(void **state)
{
    struct cgroup c = made(&few);
    struct cgroup_usage u;
    int status = finish(start(&c, touch_too_much_by_two));

    (void)state;
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 40);
    cgroup_usage(&c, &u);
    assert_true(u.oom_kills >= 1);
    removed(&c);
}

static void what_stays_within_its_limits_is_left_alone(void **state)
{
    struct cgroup c = made(&few);
    struct cgroup_usage u;

    (void)state;
    assert_int_equal(finish(start(&c, touch_enough)), 0);
    cgroup_usage(&c, &u);
    assert_int_equal(u.oom_kills, 0);
    assert_int_equal(u.task_hits, 0);
    if (u.memory_peak_bytes >= 0)
        assert_in_range(u.memory_peak_bytes, 16 * MIB, 64 * MIB);
    assert_true(u.cpu_ms >= (homes[HOME_CPU].v2 ? 0 : -1));
    removed(&c);
}

static void R_001_020_tasks_beyond_the_limit_are_refused_and_counted(void **state)
{
    struct cgroup c = made(&few);
    struct cgroup_usage u;
    int status = finish(start(&c, fork_until_refused));

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), few.tasks - 1);
    cgroup_usage(&c, &u);
    assert_true(u.task_hits >= 1);
    assert_int_equal(u.oom_kills, 0);
    assert_int_equal(cgroup_processes(&c), few.tasks - 1);
    removed(&c);
    assert_true(reaped((int)few.tasks - 1));
}

/* As in a container that was given half a core. The first test: the quotas of groups that are gone
 * are in the way for a moment. */
static void a_smaller_quota_further_up_stays_the_limit(void **state)
{
    struct cgroup c;
    const char *dir = homes[HOME_CPU].dir;

    (void)state;
    assert_true(home_write(dir, "cpu.cfs_quota_us", "50000"));
    c = made(&few);
    assert_string_equal(home_read(dir, "cpu.cfs_quota_us"), "50000\n");
    removed(&c);
    assert_true(home_write(dir, "cpu.cfs_quota_us", "-1"));
}

/* ---- asking ---- */

static void processes_are_counted_and_threads_are_not(void **state)
{
    struct cgroup c = made(&few);
    pid_t pid;
    char x;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid = start(&c, have_three_threads);
    assert_int_equal(read(ready[0], &x, 1), 1);
    assert_int_equal(cgroup_processes(&c), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(finish(pid), SIGKILL);
    assert_int_equal(cgroup_processes(&c), 0); /* at once, not some time later */
    removed(&c);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

static void its_kind_is_that_of_its_hierarchies(void **state)
{
    struct cgroup c = made(&few), none = { 0 };
    int v2 = homes[0].v2 + homes[1].v2 + homes[2].v2;

    (void)state;
    assert_string_equal(cgroup_kind(&c), v2 == 0 ? "v1" : v2 == 3 ? "v2" : "hybrid");
    assert_true((cgroup_into(&c) >= 0) == (v2 > 0));
    removed(&c);
    assert_string_equal(cgroup_kind(&c), "none");
    assert_int_equal(cgroup_into(&c), -1);
    assert_int_equal(cgroup_processes(&none), -1);
    removed(&none);
}

static void doctor_finds_all_three_by_making_groups(void **state)
{
    struct cgroup_finding found[CGROUP_LIMITED];

    (void)state;
    cgroup_probe(found);
    for (int i = 0; i < CGROUP_LIMITED; i++) {
        assert_string_equal(found[i].controller, home_names[i]);
        if (!found[i].kind)
            fail_msg("%s", found[i].why);
        assert_string_equal(found[i].kind, homes[i].v2 ? "v2" : "v1");
    }
    assert_int_equal(groups_left(), 0);
}

/* Wherever it is that there is none left. */
static void who_has_no_descriptor_left_is_told_so(void **state)
{
    struct cgroup c = { 0 };
    struct error e = { 0 };
    struct rlimit all, few_files;
    bool ok = false;
    int next = dup(0);

    (void)state;
    assert_int_equal(close(next), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
    few_files = all;
    for (rlim_t more = 0; !ok && more < 32; more++) {
        few_files.rlim_cur = (rlim_t)next + more;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few_files), 0);
        ok = cgroup_make(&few, &c, &e);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
        if (!ok && !strstr(e.msg, "Too many open files"))
            fail_msg("%d more: %s", (int)more, e.msg);
    }
    assert_true(ok);
    removed(&c);
}

static int tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smaller_quota_further_up_stays_the_limit),
        cmocka_unit_test(doctor_finds_all_three_by_making_groups),
        cmocka_unit_test(R_001_012_R_001_013_limits_are_written_before_anyone_is_inside),
        cmocka_unit_test(swap_is_no_way_around_the_limit_on_memory),
        cmocka_unit_test(R_001_041_cores_are_a_quota_of_as_many),
        cmocka_unit_test(R_001_012_more_memory_than_allowed_is_killed_and_counted),
        cmocka_unit_test(R_001_037_memory_counts_for_all_processes_together),
        cmocka_unit_test(what_stays_within_its_limits_is_left_alone),
        cmocka_unit_test(R_001_020_tasks_beyond_the_limit_are_refused_and_counted),
        cmocka_unit_test(processes_are_counted_and_threads_are_not),
        cmocka_unit_test(its_kind_is_that_of_its_hierarchies),
        cmocka_unit_test(who_has_no_descriptor_left_is_told_so),
    };

    /* The first one needs root, and a hierarchy of version 1. The last one needs version 1, too:
     * version 2 asks its files what stands in the way, and cannot open them. */
    size_t first = geteuid() == 0 && !homes[HOME_CPU].v2 ? 0 : 1;
    size_t last = homes[HOME_MEMORY].v2 || homes[HOME_PIDS].v2 || homes[HOME_CPU].v2 ? 1 : 0;

    return _cmocka_run_group_tests("cgroup", tests + first,
                                   sizeof tests / sizeof tests[0] - first - last, NULL, NULL);
}

int main(int argc, char **argv)
{
    return home_run(tests, argc > 1 && strcmp(argv[1], "--user") == 0 ? SOME_USER : 0);
}
