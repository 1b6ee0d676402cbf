/* SPDX-License-Identifier: Apache-2.0 */
/* test_kept_groups.c: groups that carry one run after the other count each of them alone.
 *
 * usage: test_kept_groups [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kept_runs.h"

static int end_groups(void **state)
{
    (void)end(state);
    assert_int_equal(groups_left(), 0);
    return 0;
}

/* The group that counts tasks, as the command itself sees it. */
static const char *group(const char *script)
{
    struct outcome out = ran(arena_printf(
        &r.a, "%s; sed -n 's,^[0-9]*:\\(pids\\)\\?:.*/\\(writ-4.*\\),\\2,p' /proc/self/cgroup",
        script));

    assert_int_equal(out.exit_code, 0);
    assert_true(out.out.head.n > 0);
    return arena_text(&r.a, out.out.head);
}

enum { TRIES = 20 };

static void on_version_1_a_group_is_used_again(void **state)
{
    const char *seen[TRIES];
    bool again = false;

    (void)state;
    for (size_t i = 0; i < TRIES && !again; i++) { /* now and then too much is left of a run */
        seen[i] = group(":");
        for (size_t k = 0; k < i; k++) /* there are two, which may take turns */
            again |= strcmp(seen[k], seen[i]) == 0;
    }
    assert_int_equal(again, !homes[HOME_PIDS].v2);
}

static void other_limits_make_another_group(void **state)
{
    const char *first = group(":");

    (void)state;
    r.limits.memory_mb = 128;
    assert_string_not_equal(first, group(":"));
    r.limits.memory_mb = 256;
    r.limits.cpu_cores = 2;
    assert_string_not_equal(first, group(":"));
}

static void tasks_are_limited_for_each_run(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct outcome out;

        r.processes.max_children = 2;
        out = ran("for i in 1 2 3 4 5 6; do sleep 60 & done");
        assert_true(out.pids_hits > 0);
        r.processes.max_children = 32;
        out = ran("for i in 1 2 3 4 5 6; do sleep 60 & done");
        assert_int_equal(out.pids_hits, 0);
        assert_int_equal(out.exit_code, 0);
    }
}

static void who_ran_out_of_memory_is_counted_in_its_run_only(void **state)
{
    (void)state;
    r.limits.memory_mb = 64;
    for (int i = 0; i < 2; i++) {
        struct outcome out = ran("python3 -c 'x = b\"1\" * (200 << 20)'");

        assert_true(out.oom_events > 0);
        assert_true(out.memory_peak_bytes > 60 << 20);
        out = ran(":");
        assert_int_equal(out.oom_events, 0);
        assert_int_equal(out.exit_code, 0);
        assert_true(out.memory_peak_bytes < 20 << 20);
    }
}

/* What was written stays in memory, and charged to who wrote it. */
static void what_is_still_charged_is_not_told_of_another_run(void **state)
{
    struct outcome out = ran("head -c 20000000 /dev/zero > written");

    (void)state;
    assert_int_equal(out.exit_code, 0);
    out = ran(":");
    assert_true(out.memory_peak_bytes < 10 << 20);
}

#define FILL                                                                    \
    "python3 -c 'import socket\n"                                               \
    "l = socket.create_server((\"127.0.0.1\", 0))\n"                            \
    "n, block, kept = 0, bytes(65536), []\n"                                    \
    "for i in range(40):\n"                                                     \
    "    s = socket.create_connection(l.getsockname()); s.setblocking(False)\n" \
    "    kept += [s, l.accept()]\n"                                             \
    "    try:\n"                                                                \
    "        while n < 16 << 20: n += s.send(block)\n"                          \
    "    except BlockingIOError: pass\n"                                        \
    "print(n)'"

/* What sockets hold is memory of the run, and of that run alone. */
static void what_sockets_held_is_told_of_their_run(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct outcome with = ran(FILL), out;

        assert_int_equal(with.exit_code, 0);
        assert_true(strtoll(arena_text(&r.a, with.out.head), NULL, 10) > 2 << 20);
        out = ran("python3 -c 'import socket'");
        assert_int_equal(out.exit_code, 0);
        assert_true(with.memory_peak_bytes > out.memory_peak_bytes + (1 << 20));
    }
}

static void processor_time_is_that_of_one_run(void **state)
{
    struct outcome out =
        ran("python3 -c 'import time\nwhile time.process_time() < 0.3: pass' && echo done");

    (void)state;
    assert_int_equal(out.exit_code, 0);
    /* An ordinary user may have no group where time is counted, and then is told none. */
    assert_true(out.cpu_ms >= 290 || (geteuid() != 0 && out.cpu_ms < 0));
    out = ran(":");
    assert_true(out.cpu_ms < 290);
}

/* Somebody who tidies up takes an empty group away. */
static void a_group_that_is_gone_is_made_anew(void **state)
{
    const char *first = group(":");

    (void)state;
    for (int i = 0; i < HOME_DIRS; i++) {
        char name[CGROUP_NAME];

        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(first, "\n"), first);
        if (exists(i, name))
            assert_int_equal(rmdir(dir_of(i, name)), 0);
    }
    assert_string_not_equal(first, group(":"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_kept, end_groups)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(on_version_1_a_group_is_used_again),
        TEST(other_limits_make_another_group),
        TEST(tasks_are_limited_for_each_run),
        TEST(who_ran_out_of_memory_is_counted_in_its_run_only),
        TEST(what_is_still_charged_is_not_told_of_another_run),
        TEST(what_sockets_held_is_told_of_their_run),
        TEST(processor_time_is_that_of_one_run),
        TEST(a_group_that_is_gone_is_made_anew),
    };

    return cmocka_run_group_tests_name("kept_groups", list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
