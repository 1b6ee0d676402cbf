/* SPDX-License-Identifier: Apache-2.0 */
/* test_carrier.c: programs outside of the walls, and that nothing of them is left.
 *
 * usage: test_carrier [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>

#include "contract/codes.h"
#include "people.h"
#include "route/carrier.h"

/* A script of the shell; how it is asked for beyond that a test may change. */
struct script {
    struct arena a;
    struct carrier_ask ask;
    struct carrier c;
};

static void script_start(struct script *s, const char *text)
{
    struct error e = { 0 };
    char **argv = arena_alloc(&s->a, 4 * sizeof *argv);

    argv[0] = arena_text(&s->a, str_of("sh"));
    argv[1] = arena_text(&s->a, str_of("-c"));
    argv[2] = arena_text(&s->a, str_of(text));
    s->ask.argv = argv;
    s->ask.environment = environ;
    if (!carrier_start(&s->ask, &s->a, &s->c, &e))
        fail_msg("%s", e.msg);
}

static int script_end(struct script *s)
{
    int status = carrier_end(&s->c);

    arena_free(&s->a);
    return status;
}

/* The same when it has come to its end by itself. */
static int script_wait(struct script *s)
{
    assert_true(is_ready(s->c.pidfd, LONG_MS));
    return script_end(s);
}

/* ---- signals that come while something is waited for ---- */

int __wrap_poll(struct pollfd *fds, nfds_t n, int patience_ms);
int __real_poll(struct pollfd *fds, nfds_t n, int patience_ms);

static int interrupts; /* how many of our next waits end by one; not those of a guard */
static pid_t tester;   /* whose they are */
static bool is_later;  /* one of them had more time than the one before */

int __wrap_poll(struct pollfd *fds, nfds_t n, int patience_ms)
{
    static int before_ms;

    if (interrupts == 0 || getpid() != tester)
        return __real_poll(fds, n, patience_ms);
    is_later = is_later || (before_ms && patience_ms > before_ms);
    before_ms = patience_ms;
    interrupts--;
    errno = EINTR;
    return -1;
}

static int open_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

static void it_is_spoken_to_and_ends_as_it_did(void **state)
{
    struct script s = { .ask = { .errors = true } };
    int before = open_descriptors();

    (void)state;
    script_start(&s, "read word; echo said $word; echo oh >&2; exit 7");
    assert_int_equal(write(s.c.to, "hello\n", 6), 6);
    assert_string_equal(next_line(s.c.from), "said hello");
    assert_string_equal(next_line(s.c.err), "oh");
    int status = script_wait(&s);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_true(s.c.used.ru_maxrss > 0);
    assert_int_equal(open_descriptors(), before);
}

static void a_signal_that_ended_it_is_told(void **state)
{
    static const int signals[] = { SIGKILL, SIGTERM, SIGSEGV };

    (void)state;
    for (size_t i = 0; i < COUNT(signals); i++) {
        struct script s = { 0 };
        char text[32];

        (void)snprintf(text, sizeof text, "kill -%d $$", signals[i]);
        script_start(&s, text);
        int status = script_wait(&s);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
    }
}

static void a_signal_reaches_its_group(void **state)
{
    struct script s = { 0 };

    (void)state;
    script_start(&s,
                 "trap 'echo got' TERM; (trap 'exit' TERM; echo ready; while :; do sleep 1000 & "
                 "wait; done); echo gone");
    assert_string_equal(next_line(s.c.from), "ready");
    carrier_signal(&s.c, SIGTERM);
    assert_string_equal(next_line(s.c.from), "got");
    assert_string_equal(next_line(s.c.from), "gone");
    assert_int_equal(script_wait(&s), 0);
}

static void it_has_its_stdio_and_standard_signals_and_nothing_else(void **state)
{
    struct script s = { 0 };
    int ours = open("/dev/null", O_RDONLY); /* deliberately not closed by exec */
    void (*pipes)(int) = signal(SIGPIPE, SIG_IGN);

    (void)state;
    script_start(&s, "ls /proc/$$/fd; grep -E 'Sig(Ign|Blk)' /proc/self/status");
    assert_string_equal(next_line(s.c.from), "0");
    assert_string_equal(next_line(s.c.from), "1");
    assert_string_equal(next_line(s.c.from), "2");
    assert_string_equal(next_line(s.c.from), "SigBlk:\t0000000000000000");
    assert_string_equal(next_line(s.c.from), "SigIgn:\t0000000000000000");
    assert_int_equal(script_wait(&s), 0);
    (void)signal(SIGPIPE, pipes);
    (void)close(ours);
}

static void it_has_the_directory_and_the_input_it_is_given(void **state)
{
    int input = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    struct script s = { .ask = { .cwd = "/usr", .input = &input } };

    (void)state;
    script_start(&s, "pwd; cat");
    assert_int_equal(s.c.to, -1);
    assert_string_equal(next_line(s.c.from), "/usr");
    assert_string_equal(next_line(s.c.from), "test_carrier");
    assert_int_equal(script_wait(&s), 0);
    (void)close(input);
}

/* ---- finding it ---- */

static void what_cannot_be_started_is_told(void **state)
{
    static const struct {
        const char *name, *cwd, *message;
    } rows[] = {
        { "no-such-program", NULL, "'no-such-program' is not a program in PATH" },
        { "./sh", NULL, "'./sh' is not a program in PATH" },
        { "/etc", NULL, "'/etc' is not a program in PATH" },
        { "", NULL, "'' is not a program in PATH" },
        { "/bin/sh", "/no/such/place", "/bin/sh cannot be started: No such file or directory" },
    };
    int before = open_descriptors();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        char *argv[] = { arena_text(&a, str_of(rows[i].name)), NULL };
        struct carrier_ask ask = { .argv = argv, .environment = environ, .cwd = rows[i].cwd };
        struct carrier c;
        struct error e = { 0 };

        assert_false(carrier_start(&ask, &a, &c, &e));
        assert_int_equal(e.code, CODE_RCH_UNAVAILABLE);
        assert_string_equal(e.msg, rows[i].message);
    }
    assert_int_equal(open_descriptors(), before);
}

static void only_absolute_places_of_path_are_looked_at(void **state)
{
    static const struct {
        const char *path, *found;
    } rows[] = {
        { "PATH=/no/such:/bin:/usr/bin", "/bin/sh" },
        { "PATH=:.:bin", NULL },
        { "PATH=", NULL },
        { "PATHS=/bin", NULL },
    };

    (void)state;
    assert_int_equal(chdir("/"), 0); /* where bin/sh is */
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        char *environment[] = { arena_text(&a, str_of(rows[i].path)), NULL };
        const char *found = carrier_find("sh", environment, &a);

        assert_int_equal(found != NULL, rows[i].found != NULL);
        if (found)
            assert_string_equal(found, rows[i].found);
    }
}

/* ---- nothing is left ---- */

/* Prints its own number and those of a child that left its group and of one that is orphaned. */
static const char family[] = "echo $$; setsid sleep 100000 & echo $!; "
                             "(setsid sh -c 'echo $$; exec sleep 100000' & :); ";

enum { FAMILY = 3 };

static void family_hold(int from, int handles[FAMILY])
{
    for (int i = 0; i < FAMILY; i++)
        handles[i] = hold(next_pid(from));
}

static void family_is_gone(const int handles[FAMILY])
{
    for (int i = 0; i < FAMILY; i++)
        assert_dies(handles[i]);
}

static void who_is_ended_takes_everybody_along(void **state)
{
    struct script s = { 0 };
    char text[512];
    int handles[FAMILY];

    (void)state;
    (void)snprintf(text, sizeof text, "%s trap '' TERM; while :; do sleep 1; done", family);
    script_start(&s, text);
    assert_true(s.c.whole);
    family_hold(s.c.from, handles);
    int status = script_end(&s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (int i = 0; i < FAMILY; i++)
        assert_true(is_ready(handles[i], 0)); /* at once: it was waited for */
    family_is_gone(handles);
}

static void who_ends_takes_everybody_along(void **state)
{
    struct script s = { 0 };
    char text[512];
    int handles[FAMILY];

    (void)state;
    (void)snprintf(text, sizeof text, "%s read word; exit 5", family);
    script_start(&s, text);
    family_hold(s.c.from, handles);
    assert_int_equal(write(s.c.to, "\n", 1), 1);
    family_is_gone(handles);
    int status = script_wait(&s);
    assert_int_equal(WEXITSTATUS(status), 5);
}

static void a_guard_that_is_killed_takes_the_program_along(void **state)
{
    struct script s = { 0 };

    (void)state;
    script_start(&s, "echo $$; exec sleep 100000");
    int program = hold(next_pid(s.c.from));
    assert_int_equal(kill(s.c.pid, SIGKILL), 0);
    assert_dies(program);
    int status = script_end(&s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Whoever killed the guard, or stopped it: those who left its session are all that may be left. */
static void without_its_guard_the_session_ends_with_the_carrier(void **state)
{
    static const int signals[] = { SIGKILL, SIGSTOP };

    (void)state;
    for (size_t i = 0; i < COUNT(signals); i++) {
        struct script s = { 0 };
        char text[256];
        int child, orphan;

        (void)snprintf(text, sizeof text,
                       "set -m; sleep 100000 & echo $!; (sh -c 'echo $$; exec sleep 100000' & :); "
                       "read word; kill -%d $PPID; sleep 100000",
                       signals[i]);
        script_start(&s, text);
        child = hold(next_pid(s.c.from));
        orphan = hold(next_pid(s.c.from));
        assert_int_equal(write(s.c.to, "\n", 1), 1);
        if (signals[i] == SIGKILL)
            assert_true(is_ready(s.c.pidfd, LONG_MS));
        int status = script_end(&s);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_true(is_ready(child, 0) && is_ready(orphan, 0));
        assert_dies(child);
        assert_dies(orphan);
    }
}

static void a_guard_that_is_stopped_is_ended_all_the_same(void **state)
{
    struct script s = { 0 };

    (void)state;
    script_start(&s, "echo $$; exec sleep 100000");
    int program = hold(next_pid(s.c.from));
    assert_int_equal(kill(s.c.pid, SIGSTOP), 0);
    (void)script_end(&s);
    assert_dies(program);
}

/* A process in the middle starts the carrier, hands us what it prints and is killed. */
static void when_its_caller_is_killed_nothing_is_left(void **state)
{
    char text[512];
    int handles[FAMILY], said[2], guard, status;
    pid_t middle;

    (void)state;
    (void)snprintf(text, sizeof text, "%s trap '' TERM; while :; do sleep 1; done", family);
    assert_int_equal(pipe(said), 0);
    middle = fork();
    if (middle == 0) {
        struct script s = { 0 };
        char bytes[256];
        ssize_t n;

        script_start(&s, text);
        (void)dprintf(said[1], "%d\n", s.c.pid);
        while ((n = read(s.c.from, bytes, sizeof bytes)) > 0)
            (void)!write(said[1], bytes, (size_t)n);
        _exit(1);
    }
    guard = hold(next_pid(said[0]));
    family_hold(said[0], handles);
    assert_int_equal(kill(middle, SIGKILL), 0);
    assert_int_equal(waitpid(middle, &status, 0), middle);
    family_is_gone(handles);
    assert_dies(guard);
    (void)close(said[0]);
    (void)close(said[1]);
}

static void *start_it(void *self)
{
    script_start(self, "read word; echo $word");
    return NULL;
}

static void it_outlives_the_thread_that_started_it(void **state)
{
    struct script s = { 0 };
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, start_it, &s), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(write(s.c.to, "still\n", 6), 6);
    assert_string_equal(next_line(s.c.from), "still");
    assert_int_equal(script_wait(&s), 0);
}

static void signals_neither_end_the_wait_for_it_nor_make_it_longer(void **state)
{
    struct script s = { 0 };

    (void)state;
    tester = getpid();
    interrupts = 5; /* it says one word, and then no more */
    script_start(&s, "exit 3");
    assert_int_equal(interrupts, 0);
    assert_false(is_later);
    assert_int_equal(WEXITSTATUS(script_wait(&s)), 3);
}

static void ending_what_was_never_started_does_nothing(void **state)
{
    struct carrier c = { .pidfd = -1, .to = -1, .from = -1, .err = -1 };

    (void)state;
    carrier_signal(&c, SIGKILL);
    assert_int_equal(carrier_end(&c), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_spoken_to_and_ends_as_it_did),
        cmocka_unit_test(a_signal_that_ended_it_is_told),
        cmocka_unit_test(a_signal_reaches_its_group),
        cmocka_unit_test(it_has_its_stdio_and_standard_signals_and_nothing_else),
        cmocka_unit_test(it_has_the_directory_and_the_input_it_is_given),
        cmocka_unit_test(what_cannot_be_started_is_told),
        cmocka_unit_test(only_absolute_places_of_path_are_looked_at),
        cmocka_unit_test(who_is_ended_takes_everybody_along),
        cmocka_unit_test(who_ends_takes_everybody_along),
        cmocka_unit_test(a_guard_that_is_killed_takes_the_program_along),
        cmocka_unit_test(without_its_guard_the_session_ends_with_the_carrier),
        cmocka_unit_test(a_guard_that_is_stopped_is_ended_all_the_same),
        cmocka_unit_test(when_its_caller_is_killed_nothing_is_left),
        cmocka_unit_test(it_outlives_the_thread_that_started_it),
        cmocka_unit_test(signals_neither_end_the_wait_for_it_nor_make_it_longer),
        cmocka_unit_test(ending_what_was_never_started_does_nothing),
    };

    if (!become_who(argc, argv)) {
        (void)printf("1..0 # SKIP only root can become another user\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
