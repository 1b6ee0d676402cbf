/* SPDX-License-Identifier: Apache-2.0 */
/* test_slots.c: a run that was made ahead is as any other, and carries nothing from one to another.
 *
 * usage: test_slots [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "slots.h"

/* ---- once ---- */

static void a_slot_is_used_once(void **state)
{
    static const char script[] = "readlink /proc/self/ns/mnt /proc/self/ns/pid; echo $$";
    enum { RUNS = 20 };
    const char *seen[RUNS];
    size_t before;

    (void)state;
    warm();
    before = kept_count(r.run.kept).taken;
    for (int i = 0; i < RUNS; i++) {
        seen[i] = printed(script);
        assert_non_null(strstr(seen[i], "]\n2\n"));
        if (i > 0) /* a number may come again, but not while the one before is there */
            assert_string_not_equal(seen[i], seen[i - 1]);
    }
    if (has_slots())
        assert_true(kept_count(r.run.kept).taken >= before + RUNS);
}

static void nothing_is_left_of_the_run_before(void **state)
{
    static const struct pair secret = { { "LEFT", 4 }, { "secret-of-the-first", 19 } };
    static const char script[] =
        "tr '\\0' '\\n' < /proc/self/environ; tr '\\0' '\\n' < "
        "/proc/self/cmdline; echo /proc/self/fd/*; pwd; find /tmp /run "
        "/dev/shm /home -type f; umask; ulimit -a; cat /proc/self/status "
        "| grep -E '^(Cap|Sig[PBIC]|Seccomp|NoNew|Threads|Groups|Uid|Gid)'";
    struct kept *kept = r.run.kept;
    const char *fresh;
    size_t before;

    (void)state;
    r.run.kept = NULL;
    fresh = printed(script);
    r.run.kept = kept;
    warm();
    before = kept_count(kept).taken;
    r.variables = &secret;
    r.variable_count = 1;
    r.run.result = true;
    r.run.input = str_of("secret-of-the-first");
    assert_non_null(strstr(printed("env; echo x > /tmp/x; echo x > /dev/shm/x; cd /tmp; umask 0; "
                                   "sleep 1000 & exec 9< /etc/passwd; echo result >&3"),
                           "LEFT=secret"));
    r.variables = NULL;
    r.variable_count = 0;
    r.run.result = false;
    r.run.input = (struct str){ 0 };
    assert_string_equal(printed(script), fresh);
    assert_taken(before);
}

static void the_record_is_that_of_a_fresh_run(void **state)
{
    static const char script[] =
        "echo out; echo err >&2; head -c 20000000 /dev/zero | tail -c 9000000 "
        "> /tmp/x; exit 3";
    struct kept *kept = r.run.kept;
    struct outcome fresh, slot;
    size_t before;

    (void)state;
    r.run.kept = NULL;
    fresh = runs_do(&r, world_real(), script);
    r.run.kept = kept;
    warm();
    before = kept_count(kept).taken;
    slot = runs_do(&r, world_real(), script);
    assert_taken(before);
    assert_int_equal(slot.cause, fresh.cause);
    assert_int_equal(slot.exit_code, 3);
    assert_int_equal(fresh.exit_code, 3);
    assert_int_equal(slot.layers, fresh.layers);
    assert_int_equal(slot.missing, fresh.missing);
    assert_int_equal(slot.landlock, fresh.landlock);
    assert_string_equal(slot.cgroup, fresh.cgroup);
    assert_memory_equal(&slot.program, &fresh.program, sizeof slot.program);
    assert_memory_equal(&slot.out.digest, &fresh.out.digest, sizeof slot.out.digest);
    assert_memory_equal(&slot.err.digest, &fresh.err.digest, sizeof slot.err.digest);
    assert_true(slot.memory_peak_bytes > 9 << 20); /* /tmp is the run's own */
    assert_true(slot.memory_peak_bytes < fresh.memory_peak_bytes + (8 << 20));
    assert_int_equal(slot.oom_events, 0);
    assert_int_equal(slot.pids_hits, 0);
    slot = runs_do(&r, world_real(), ":");
    assert_true(slot.memory_peak_bytes < 9 << 20); /* and gone with it */
}

/* ---- walls ---- */

static void other_walls_are_other_slots(void **state)
{
    static const char size[] = "df -k /tmp | tail -n 1 | awk '{print $2}'";
    static struct str secret = { "secret", 6 };

    (void)state;
    runs_write(&r, "secret", "hidden\n");
    for (int i = 0; i < 4; i++) {
        warm();
        r.limits.memory_mb = 128;
        assert_string_equal(printed(size), "65536\n");
        r.limits.memory_mb = 256;
        assert_string_equal(printed(size), "131072\n");
        r.processes.allow_fork = false;
        assert_int_equal(runs_do(&r, world_real(), "(:) 2>/dev/null; exit 0").exit_code, 2);
        r.processes.allow_fork = true;
        assert_int_equal(runs_do(&r, world_real(), "(:); exit 0").exit_code, 0);
        r.filesystem.deny = (struct items){ .v = &secret, .n = 1 };
        assert_int_not_equal(runs_do(&r, world_real(), "cat secret 2>/dev/null").exit_code, 0);
        r.filesystem.deny = (struct items){ 0 };
        assert_string_equal(printed("cat secret"), "hidden\n");
    }
}

/* What the caller has narrowed for itself is narrow for what it runs. */
static void a_slot_has_the_limits_that_its_caller_has_now(void **state)
{
    struct rlimit before, narrow;
    cpu_set_t all, one;
    int cpu = -1;

    (void)state;
    warm();
    assert_int_equal(getrlimit(RLIMIT_CPU, &before), 0);
    narrow = (struct rlimit){ 900, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_CPU, &narrow), 0);
    for (int i = 0; i < 4; i++)
        assert_string_equal(printed("ulimit -t"), "900\n");
    assert_int_equal(setrlimit(RLIMIT_CPU, &before), 0);

    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        cpu = CPU_ISSET(i, &all) ? i : cpu;
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    r.limits.cpu_cores = CPU_COUNT(&all);
    for (int i = 0; i < 4; i++)
        assert_string_equal(printed("nproc"), "1\n");
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void walls_hold_in_a_slot(void **state)
{
    char outside[64];
    size_t before;

    (void)state;
    (void)snprintf(outside, sizeof outside, "/var/tmp/writ-outside-%d", (int)getpid());
    warm();
    before = kept_count(r.run.kept).taken;
    assert_string_equal(
        printed(arena_printf(
            &r.a,
            "(echo x > %s) 2>/dev/null && echo wrote; (echo x > /etc/x) 2>/dev/null && echo etc; "
            "mount -t tmpfs x /tmp 2>/dev/null && echo mounted; "
            "unshare -r true 2>/dev/null && echo unshared; kill -9 1 2>/dev/null; "
            "echo x > /proc/1/oom_score_adj 2>/dev/null && echo proc; "
            "chmod u+s /tmp 2>/dev/null && echo suid; ls /proc/1/root 2>/dev/null && echo root; "
            "cat /proc/1/environ 2>/dev/null && echo environ; echo /proc/[0-9]*",
            outside)),
        "/proc/2\n");
    assert_int_not_equal(access(outside, F_OK), 0);
    assert_taken(before);
}

static void what_a_run_used_is_not_in_a_slot(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        warm();
        (void)printed("perl -e 'use Socket; socket(S, PF_INET, SOCK_STREAM, 0); "
                      "connect(S, sockaddr_in(9, inet_aton(\"127.0.0.1\")))'");
        assert_string_equal(printed("sed -n 's/ *lo: *\\([0-9]*\\).*/\\1/p' /proc/self/net/dev"),
                            "0\n");
    }
}

static void the_groups_are_entered_when_it_is_handed_over(void **state)
{
    (void)state;
    warm();
    if (strcmp(ran(":").cgroup, "v1") == 0) /* of version 2 it sees none but its own */
        assert_string_equal(printed("grep -cE '(memory|pids).*writ-' /proc/self/cgroup >/dev/null "
                                    "|| cat /proc/self/cgroup"),
                            "");
    for (int i = 0; i < 6; i++) {
        r.processes.max_children = 3 + i % 2;
        assert_int_equal(
            runs_do(&r, world_real(), "sleep 100 & sleep 100 & sleep 100 & (:) 2>/dev/null")
                .exit_code,
            i % 2 ? 0 : 2);
    }
}

/* ---- being stopped ---- */

static bool cancel(void *unused, struct error *e)
{
    (void)unused;
    (void)e;
    return eventfd_write(r.run.cancel, 1) == 0;
}

static void a_run_in_a_slot_can_be_stopped(void **state)
{
    struct outcome out;
    size_t before;

    (void)state;
    warm();
    before = kept_count(r.run.kept).taken;
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.permit = cancel;
    for (int i = 0; i < 10; i++) {
        out = runs_do(&r, world_real(), "while :; do :; done");
        assert_int_equal(out.cause, CAUSE_CANCELLED);
    }
    (void)close(r.run.cancel);
    r.run.cancel = -1;
    r.run.permit = NULL;
    assert_taken(before);
    r.run.at_once = true;
    r.limits.timeout_ms = 100;
    out = runs_do(&r, world_real(), "(while :; do :; done) & while :; do :; done");
    assert_int_equal(out.cause, CAUSE_TIMEOUT);
    r.limits.timeout_ms = 60000;
    assert_string_equal(printed("echo /proc/[0-9]*"), "/proc/2\n");
}

static bool refuse(void *unused, struct error *e)
{
    (void)unused;
    return error_set(e, CODE_IO, "it may not");
}

static int64_t no_time_passes(void *self)
{
    (void)self;
    return 1000;
}

/* To a supervisor for which time stands still nobody is ever late: init ends the tree. */
static void init_has_a_clock_of_its_own_in_a_slot_and_without_one(void **state)
{
    const struct world still = { .mono_ms = no_time_passes, .wall_ms = world_real()->wall_ms };
    struct kept *kept = r.run.kept;
    struct outcome out;
    size_t before;

    (void)state;
    warm();
    before = kept_count(kept).taken;
    r.limits.timeout_ms = 1;
    r.run.at_once = true;
    out = runs_do(&r, &still, "while :; do sleep 1; done");
    assert_int_equal(out.exit_code, 128 + SIGKILL);
    r.run.kept = NULL;
    out = runs_do(&r, &still, "while :; do sleep 1; done");
    assert_int_equal(out.exit_code, 128 + SIGKILL);
    r.run.kept = kept;
    r.limits.timeout_ms = 60000;
    r.run.at_once = false;
    assert_taken(before);
}

static void who_may_not_run_leaves_no_slot(void **state)
{
    struct outcome out;
    struct error e;

    (void)state;
    warm();
    for (int i = 0; i < 5; i++) {
        r.run.permit = refuse;
        assert_false(runs_try(&r, world_real(), "echo x > ran", &out, &e));
        assert_string_equal(e.msg, "it may not");
        r.run.permit = NULL;
        assert_string_equal(printed("ls"), "");
    }
}

static void a_slot_that_has_waited_too_long_is_gone(void **state)
{
    size_t before;

    (void)state;
    kept_free(r.run.kept);
    r.run.kept = kept_new();
    kept_set_patience(r.run.kept, 1);
    before = kept_count(r.run.kept).taken;
    for (int i = 0; i < 50; i++)
        assert_string_equal(printed("echo here"), "here\n");
    assert_true(kept_count(r.run.kept).taken <= before + 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_kept, end_slots)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(a_slot_is_used_once),
        TEST(nothing_is_left_of_the_run_before),
        TEST(the_record_is_that_of_a_fresh_run),
        TEST(other_walls_are_other_slots),
        TEST(a_slot_has_the_limits_that_its_caller_has_now),
        TEST(walls_hold_in_a_slot),
        TEST(what_a_run_used_is_not_in_a_slot),
        TEST(the_groups_are_entered_when_it_is_handed_over),
        TEST(a_run_in_a_slot_can_be_stopped),
        TEST(init_has_a_clock_of_its_own_in_a_slot_and_without_one),
        TEST(who_may_not_run_leaves_no_slot),
        TEST(a_slot_that_has_waited_too_long_is_gone),
    };

    return cmocka_run_group_tests_name("slots", list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
