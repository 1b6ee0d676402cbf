/* SPDX-License-Identifier: Apache-2.0 */
/* test_pure.c: hostile native code in a real worker: what it tries fails, and the next call is
 * answered as if nothing had been.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "executor/workers.h"

#define KILLED  "ended by signal 31 (SYS)"
#define CRASHED "ended by signal 11 (SEGV)"

struct attempt {
    const char *act;
    enum call_end end;
    const char *detail;
};

static struct pure *hostile(void)
{
    struct call_program program = workers_program("");

    return workers_start("hostile", &program);
}

static void try_all(const struct attempt *rows, size_t n)
{
    struct pure *p = hostile();

    for (size_t i = 0; i < n; i++) {
        struct call call = workers_call(p, rows[i].act);

        if (call.end != rows[i].end || (rows[i].detail && !call.detail) ||
            (rows[i].detail && strcmp(call.detail, rows[i].detail) != 0))
            fail_msg("%s: end %d '%.*s' %s", rows[i].act, (int)call.end, STR_ARG(call.text),
                     call.detail ? call.detail : "");
        workers_expect(p, "\"next\"", "\"next\"");
    }
    pure_stop(p);
}

static void try_calls(const char *const *names, size_t n)
{
    struct pure *p = hostile();

    for (size_t i = 0; i < n; i++) {
        struct call call = workers_call(p, names[i]);

        if (call.end != CALL_EXCEPTION || strcmp(call.detail, KILLED) != 0)
            fail_msg("%s: end %d '%.*s' %s", names[i], (int)call.end, STR_ARG(call.text),
                     call.detail ? call.detail : "");
        workers_expect(p, "\"next\"", "\"next\"");
    }
    pure_stop(p);
}

static void R_003_017_R_003_019_R_003_033_R_003_037_no_file_is_read_or_written(void **state)
{
    static const char *const names[] = {
        "call:openat",   "call:temp file",        "call:unlinkat", "call:mkdirat",
        "call:statx",    "call:getdents64",       "call:read 0",   "call:read 5",
        "call:write 1",  "call:write 2",          "call:pwrite64", "call:writev",
        "call:dup",      "call:mmap the channel", "call:flock",    "call:fcntl",
        "call:io_uring", "call:memfd_create",
    };

    (void)state;
    try_calls(names, COUNT(names));
}

static void R_003_018_R_003_034_R_003_035_R_003_036_no_network_of_any_family(void **state)
{
    static const char *const names[] = {
        "call:inet socket",    "call:inet6 socket", "call:unix socket",
        "call:netlink socket", "call:vsock socket", "call:socketpair",
        "call:connect",        "call:sendto",       "call:sendmsg",
    };

    (void)state;
    try_calls(names, COUNT(names));
}

static void R_003_020_R_003_038_no_process_is_started_or_touched(void **state)
{
    static const char *const names[] = {
        "call:clone",     "call:clone thread", "call:clone3",  "call:execve",
        "call:execveat",  "call:kill",         "call:ptrace",  "call:prctl",
        "call:prlimit64", "call:seccomp",      "call:shmget",  "call:mq_open",
        "call:mprotect",  "call:mmap code",    "call:madvise", "call:rt_sigaction",
        "call:beyond",
    };

    (void)state;
    try_calls(names, COUNT(names));
}

static void R_003_021_no_variable_is_seen(void **state)
{
    struct pure *p = hostile();

    (void)state;
    workers_expect(p, "variables", "TZ=UTC0 ");
    pure_stop(p);
}

static void R_003_022_no_clock_chance_or_place(void **state)
{
    static const char *const names[] = {
        "call:clock_gettime", "call:cpu clock", "call:gettimeofday",  "call:times",
        "call:getrusage",     "call:nanosleep", "call:futex on time", "call:getrandom",
        "call:getcwd",        "call:uname",     "call:sysinfo",       "call:getpid",
        "call:getppid",       "call:getuid",    "call:getcpu",        "call:sched_getaffinity",
    };

    (void)state;
    try_calls(names, COUNT(names));
}

/* Where the kernel lends its clock without a call, that is a crash. */
static void R_003_022_no_clock_without_a_call(void **state)
{
    static const struct attempt rows[] = {
        { "vdso clock", CALL_EXCEPTION, CRASHED },
        { "vdso time of day", CALL_EXCEPTION, CRASHED },
    };

    (void)state;
    try_all(rows, COUNT(rows));
}

static void R_003_022_no_counter_of_the_processor(void **state)
{
    static const struct attempt row = { "counter", CALL_EXCEPTION, CRASHED };
    int now;

    (void)state;
    if (prctl(PR_GET_TSC, &now) != 0)
        skip(); /* an arm64 kernel before 6.12 */
    try_all(&row, 1);
}

static void R_003_041_whatever_goes_wrong_is_an_exception(void **state)
{
    static const struct attempt rows[] = {
        { "raise", CALL_EXCEPTION, "the program raised an exception" },
        { "crash", CALL_EXCEPTION, CRASHED },
        { "deep", CALL_EXCEPTION, CRASHED },
        { "abort", CALL_EXCEPTION, KILLED },
        { "exit", CALL_EXCEPTION, "ended with status 3" },
        { "garbage", CALL_EXCEPTION, "it said what is no answer" },
        { "late", CALL_EXCEPTION, "it said what is no answer" }, /* A03-2 */
        { "nothing", CALL_NO_OUTPUT, NULL },
    };

    (void)state;
    try_all(rows, COUNT(rows));
}

/* The wall clock stands still: it is the time that the worker used. */
static void R_003_043_time_is_the_timer_s_alone(void **state)
{
    struct call_program program = workers_program("");
    struct fake_world still;
    struct pure *p;
    struct call call;

    (void)state;
    fake_world_init(&still, 0);
    program.world = &still.world;
    program.bounds.timeout_ms = 100;
    p = workers_start("hostile", &program);
    call = workers_call(p, "loop");
    assert_int_equal(call.end, CALL_TIMEOUT);
    assert_string_equal(call.detail, "its time was over");
    workers_expect(p, "1", "1");
    pure_stop(p);
}

static int64_t a_second_a_look(void *self)
{
    return *(int64_t *)self += 1000;
}

/* Who uses no processor is ended by the wall clock; here a second goes by at every look. */
static void R_003_043_who_sleeps_is_ended_too(void **state)
{
    struct call_program program = workers_program("");
    int64_t now = 0;
    struct world fast = { .mono_ms = a_second_a_look, .self = &now };
    struct pure *p;

    (void)state;
    program.world = &fast;
    program.bounds.timeout_ms = 1000;
    p = workers_start("hostile", &program);
    assert_int_equal(workers_call(p, "hang").end, CALL_TIMEOUT);
    workers_expect(p, "1", "1");
    pure_stop(p);
}

static void R_003_044_output_has_a_ceiling(void **state)
{
    static const struct attempt rows[] = {
        { "gigabyte", CALL_LIMIT, "more output, or deeper, than a call may have" },
        { "boast", CALL_LIMIT, "more output, or deeper, than a call may have" },
    };

    (void)state;
    try_all(rows, COUNT(rows));
}

static void a_worker_has_the_memory_it_was_given(void **state)
{
    struct pure *p = hostile();
    struct call call = workers_call(p, "memory");
    long mb = strtol(call.text.s, NULL, 10);

    (void)state;
    assert_int_equal(call.end, CALL_OUTPUT);
    assert_in_range(mb, 48, 64);
    workers_expect(p, "1", "1");
    pure_stop(p);
}

static void a_large_call_leaves_the_next_its_memory(void **state)
{
    enum { LARGE = 20 << 20 };
    struct call_program program = workers_program("");
    char *text = arena_alloc(&workers.a, LARGE + 1);
    struct pure *p;

    (void)state;
    memset(text, '7', LARGE);
    program.bounds.memory_bytes = 256 << 20;
    program.bounds.output_bytes = LARGE;
    p = workers_start("hostile", &program);
    workers_expect(p, text, text);
    assert_true(strtol(workers_call(p, "memory").text.s, NULL, 10) > 230);
    pure_stop(p);
}

/* R-003-039: an answer that was left behind is not the next call's. */
static void R_003_039_no_call_answers_for_the_next(void **state)
{
    struct pure *p = hostile();

    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(workers_call(p, "forge").end, CALL_OUTPUT);
        workers_expect(p, "\"next\"", "\"next\"");
    }
    pure_stop(p);
}

/* ---- many at once ---- */

enum { MANY = 2000 };

static void R_003_039_in_a_batch_only_the_guilty_are_concerned(void **state)
{
    static const struct {
        size_t at;
        struct attempt attempt;
    } guilty[] = {
        { 0, { "exit", CALL_EXCEPTION, "ended with status 3" } },
        { 1, { "crash", CALL_EXCEPTION, CRASHED } },
        { 700, { "loop", CALL_TIMEOUT, "its time was over" } },
        { 701, { "garbage", CALL_EXCEPTION, "it said what is no answer" } },
        { 1500, { "call:getpid", CALL_EXCEPTION, KILLED } },
        { 1501, { "raise", CALL_EXCEPTION, "the program raised an exception" } },
        { MANY - 1, { "gigabyte", CALL_LIMIT, "more output, or deeper, than a call may have" } },
    };
    struct call *calls = arena_alloc(&workers.a, MANY * sizeof *calls);
    struct call_program program = workers_program("");
    struct pure *p;
    size_t next = 0;

    (void)state;
    program.bounds.timeout_ms = 500;
    p = workers_start("hostile", &program);
    for (size_t i = 0; i < MANY; i++)
        calls[i].payload = str_of(arena_printf(&workers.a, "%zu%0*d", i, (int)(i % 300), 0));
    for (size_t i = 0; i < COUNT(guilty); i++)
        calls[guilty[i].at].payload = str_of(guilty[i].attempt.act);
    pure_calls(p, calls, MANY, &workers.a);
    for (size_t i = 0; i < MANY; i++) {
        if (i == guilty[next].at) {
            assert_int_equal(calls[i].end, guilty[next].attempt.end);
            assert_string_equal(calls[i].detail, guilty[next].attempt.detail);
            next++;
            continue;
        }
        assert_int_equal(calls[i].end, CALL_OUTPUT);
        assert_true(str_eq(calls[i].text, calls[i].payload));
    }
    assert_int_equal(next, COUNT(guilty));
    pure_stop(p);
}

static void large_payloads_go_both_ways(void **state)
{
    enum { LARGE = 1 << 20, FEW = 20 };
    struct call calls[FEW] = { 0 };
    char *text = arena_alloc(&workers.a, LARGE);
    struct pure *p = hostile();

    (void)state;
    memset(text, '7', LARGE);
    for (size_t i = 0; i < FEW; i++)
        calls[i].payload = (struct str){ text, LARGE - i };
    pure_calls(p, calls, FEW, &workers.a);
    for (size_t i = 0; i < FEW; i++) {
        assert_int_equal(calls[i].end, CALL_OUTPUT);
        assert_true(str_eq(calls[i].text, calls[i].payload));
    }
    workers_expect(p, "1", "1");
    pure_stop(p);
}

/* ---- lives ---- */

static pid_t only_child(void)
{
    _arena_ struct arena a = { 0 };
    FILE *f = fopen(arena_printf(&a, "/proc/self/task/%d/children", (int)getpid()), "re");
    long pid = 0;
    char text[64];

    if (!f)
        skip(); /* a kernel without this list */
    if (fgets(text, sizeof text, f))
        pid = strtol(text, NULL, 10);
    (void)fclose(f);
    return (pid_t)pid;
}

/* What the kernel says of the worker; only root may look. */
static void R_003_022_R_003_033_a_worker_has_its_channel_and_nothing_else(void **state)
{
    static const char *const says[] = {
        "NoNewPrivs:\t1\n",
        "Seccomp:\t2\n",
        "Seccomp_filters:\t2\n",
    };
    struct pure *p = hostile();
    char dir[64], text[8192] = "";
    const struct dirent *entry;
    DIR *d;
    FILE *f;

    (void)state;
    (void)snprintf(dir, sizeof dir, "/proc/%d", (int)only_child());
    assert_int_equal(chdir(dir), 0);
    d = opendir("fd");
    if (d) {
        while ((entry = readdir(d)))
            if (entry->d_name[0] != '.')
                assert_string_equal(entry->d_name, "3");
        (void)closedir(d);
        assert_int_equal(readlink("cwd", text, sizeof text), 1);
        assert_string_equal(text, "/");
        f = fopen("environ", "re"); /* as it was started */
        assert_non_null(f);
        assert_int_equal(fread(text, 1, sizeof text, f), 0);
        (void)fclose(f);
    }
    f = fopen("status", "re");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    for (size_t i = 0; i < COUNT(says); i++)
        assert_non_null(strstr(text, says[i]));
    f = fopen("limits", "re");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    assert_non_null(strstr(text, "Max core file size        0                    0 "));
    assert_non_null(strstr(text, "Max open files            0                    0 "));
    assert_non_null(strstr(text, "Max processes             0                    0 "));
    assert_int_equal(chdir(workers.dir), 0);
    pure_stop(p);
}

static void who_dies_between_calls_is_replaced(void **state)
{
    struct pure *p = hostile();
    siginfo_t how;

    (void)state;
    for (int i = 0; i < 3; i++) {
        pid_t pid = only_child();

        assert_true(pid > 0);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitid(P_PID, (id_t)pid, &how, WEXITED | WNOWAIT), 0);
        workers_expect(p, "1", "1");
    }
    pure_stop(p);
}

/* The worker comes to us when its parent is gone, and is dead. */
static void a_worker_ends_with_its_parent(void **state)
{
    int status, ready[2];
    pid_t parent;
    char byte;

    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(pipe(ready), 0);
    parent = fork();
    if (parent == 0) {
        struct call_program program = workers_program("");

        program.bounds.timeout_ms = 100000;
        struct pure *p = workers_start("hostile", &program);

        (void)!write(ready[1], "1", 1);
        (void)workers_call(p, "loop");
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(waitpid(-1, &status, 0) > 0);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

static void a_worker_that_is_none_is_an_error(void **state)
{
    static const struct {
        const char *kind, *worker, *file, *says;
    } rows[] = {
        { "hostile", "/nonexistent", "program", "/nonexistent cannot be started" },
        { "hostile", "/bin/true", "program", "its worker ended with status 0" },
        { "hostile", NULL, "nowhere", "nowhere cannot be found" },
        { "rexx", NULL, "program", "this worker was built without rexx" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct call_program program = workers_program("");
        struct error e = { 0 };
        struct pure *p = NULL;

        program.worker = rows[i].worker ? rows[i].worker : program.worker;
        program.file = rows[i].file;
        assert_false(pure_start(rows[i].kind, &program, &workers.a, &p, &e));
        if (!strstr(e.msg, rows[i].says))
            fail_msg("%s", e.msg);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_017_R_003_019_R_003_033_R_003_037_no_file_is_read_or_written),
        cmocka_unit_test(R_003_018_R_003_034_R_003_035_R_003_036_no_network_of_any_family),
        cmocka_unit_test(R_003_020_R_003_038_no_process_is_started_or_touched),
        cmocka_unit_test(R_003_021_no_variable_is_seen),
        cmocka_unit_test(R_003_022_no_clock_chance_or_place),
        cmocka_unit_test(R_003_022_no_clock_without_a_call),
        cmocka_unit_test(R_003_022_no_counter_of_the_processor),
        cmocka_unit_test(R_003_041_whatever_goes_wrong_is_an_exception),
        cmocka_unit_test(R_003_043_time_is_the_timer_s_alone),
        cmocka_unit_test(R_003_043_who_sleeps_is_ended_too),
        cmocka_unit_test(R_003_044_output_has_a_ceiling),
        cmocka_unit_test(a_worker_has_the_memory_it_was_given),
        cmocka_unit_test(a_large_call_leaves_the_next_its_memory),
        cmocka_unit_test(R_003_039_no_call_answers_for_the_next),
        cmocka_unit_test(R_003_039_in_a_batch_only_the_guilty_are_concerned),
        cmocka_unit_test(large_payloads_go_both_ways),
        cmocka_unit_test(R_003_022_R_003_033_a_worker_has_its_channel_and_nothing_else),
        cmocka_unit_test(who_dies_between_calls_is_replaced),
        cmocka_unit_test(a_worker_ends_with_its_parent),
        cmocka_unit_test(a_worker_that_is_none_is_an_error),
    };

    return workers_run(argc, argv, tests, COUNT(tests));
}
