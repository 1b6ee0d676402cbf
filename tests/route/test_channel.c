/* SPDX-License-Identifier: Apache-2.0 */
/* test_channel.c: whatever a worker does, an errand ends as what it was, and never as a false
 * success.
 *
 * usage: test_channel FAKE_WORKER [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "contract/limits.h"
#include "errands.h"
#include "route/channel_parts.h"

/* ---- a worker that does what it should ---- */

static void a_result_comes_with_what_was_printed_and_kept(void **state)
{
    char store[] = "/tmp/writ-channel-XXXXXX", path[128], digest[DIGEST_TEXT];
    struct digest file = digest_of("a file", 6), out = digest_of("out put\n", 8);
    struct scene s;

    (void)state;
    assert_non_null(mkdtemp(store));
    scene_open(&s, "good");
    s.errand.store = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(s.asked, 1);
    assert_str(s.errand.record, "{\"execution_id\":\"one\",\"cause\":\"exited\",\"exit_code\":0}");
    assert_str(s.errand.out.head, "out put\n");
    assert_str(s.errand.err.head, "err\n");
    assert_int_equal(s.errand.out.bytes, 8);
    assert_memory_equal(&s.errand.out.digest, &out, sizeof out);
    digest_text(&file, digest);
    (void)snprintf(path, sizeof path, "%s/sha256/%.2s/%s", store, digest + 7, digest + 9);
    assert_int_equal(access(path, R_OK), 0);
    assert_true(channel_is_open(s.c));
    (void)close(s.errand.store);
    scene_close(&s);
    (void)snprintf(path, sizeof path, "rm -r %s", store);
    assert_int_equal(system(path), 0); /* NOLINT: a path of our own */
}

static void a_channel_serves_one_errand_after_the_other(void **state)
{
    struct scene s;

    (void)state;
    scene_open(&s, "good");
    for (int i = 0; i < 100; i++) {
        scene_run(&s);
        assert_int_equal(s.errand.end, ERRAND_RESULT);
        assert_int_equal(s.errand.out.bytes, 8);
    }
    scene_close(&s);
}

/* More than pipes hold, in both directions at once. */
static void input_arrives_and_output_comes_back(void **state)
{
    enum { SIZE = (5 << 20) + 17 };
    char *bytes = malloc(SIZE);
    struct digest sent;
    struct scene s;

    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 31 + i / 1000);
    sent = digest_of(bytes, SIZE);
    scene_open(&s, "echo");
    s.errand.input = (struct str){ bytes, SIZE };
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(s.errand.out.bytes, SIZE);
    assert_memory_equal(&s.errand.out.digest, &sent, sizeof sent);
    assert_int_equal(s.errand.out.head.n, outputs[OUTPUT_STDOUT].bytes);
    scene_close(&s);
    free(bytes);
}

/* ---- workers that cannot be had ---- */

static void who_does_not_speak_the_protocol_is_not_available(void **state)
{
    static const struct {
        const char *mode, *message;
    } rows[] = {
        { "banner", "the worker 'fake' did not speak writ-worker/1: it began with 'Welcome to the "
                    "machine" },
        { "dead", "the worker 'fake' did not speak writ-worker/1; it said: Permission denied "
                  "|(publickey)." },
        { "other", "the worker 'fake' speaks 'writ-worker/2', and this writ speaks writ-worker/1" },
        { "full", "the worker 'fake' takes no errands" },
        { "silly", "the worker 'fake' did not speak writ-worker/1" },
        { "ready_first",
          "the worker 'fake' did not speak writ-worker/1: it began with a frame 'ready'" },
        { "no-such-mode", "the worker 'fake' did not speak writ-worker/1" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error e = { 0 };
        struct scene s;

        assert_false(scene_try(&s, rows[i].mode, &e));
        if (strncmp(e.msg, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s: '%s'", rows[i].mode, e.msg);
        arena_free(&s.a);
    }
}

static void who_says_nothing_is_waited_for_as_long_as_its_patience(void **state)
{
    _arena_ struct arena a = { 0 };
    struct config_worker worker = fake_of("mute", &a);
    struct channel_ask ask = {
        .worker = &worker, .environment = environ, .cancel = -1, .world = world_real()
    };
    struct channel *c = NULL;
    struct error e = { 0 };

    (void)state;
    worker.patience_secs = 1;
    assert_false(channel_open(&ask, &c, &e));
    assert_string_equal(e.msg, "the worker 'fake' did not answer within 1 s");
    assert_null(c);
}

static void nobody_waits_who_was_cancelled(void **state)
{
    _arena_ struct arena a = { 0 };
    struct config_worker worker = fake_of("mute", &a);
    _fd_ int cancel = eventfd(1, EFD_CLOEXEC);
    struct channel_ask ask = {
        .worker = &worker, .environment = environ, .cancel = cancel, .world = world_real()
    };
    struct channel *c = NULL;
    struct error e = { 0 };

    (void)state;
    worker.patience_secs = 3600;
    assert_false(channel_open(&ask, &c, &e));
    assert_string_equal(e.msg, "the worker 'fake' was not waited for: cancelled");
}

/* ---- workers that do what they should not ---- */

enum { EITHER = -1 }; /* that it is ready and that it is gone are heard at about the same time */

static const struct {
    const char *mode;
    enum errand_end end;
    int asked;
    bool open; /* afterwards */
    const char *why;
} endings[] = {
    { "refuses", ERRAND_REFUSED, 0, true, "" },
    { "refuses_at_go", ERRAND_REFUSED, 1, true, "" },
    { "dead_at_run", ERRAND_UNSENT, 0, false, "the worker 'fake' went away" },
    { "dead_at_ready", ERRAND_UNSENT, EITHER, false, "the worker 'fake' went away" },
    { "garbage", ERRAND_UNSENT, 0, false,
      "the worker 'fake' cannot be understood: what came is no frame" },
    { "long", ERRAND_UNSENT, 0, false,
      "the worker 'fake' cannot be understood: a frame 'out' of 16777216 bytes came" },
    { "hello_again", ERRAND_UNSENT, 0, false,
      "the worker 'fake' cannot be understood: it sent a frame 'hello'" },
    { "eager", ERRAND_LOST, 0, false,
      "the worker 'fake' cannot be understood: it sent a frame 'result' of a command that was "
      "not told to go" },
    { "eager_output", ERRAND_LOST, 0, false,
      "the worker 'fake' cannot be understood: it sent a frame 'out' of a command that was not "
      "told to go" },
    { "dead_at_go", ERRAND_LOST, 1, false, "the worker 'fake' went away; it said: oops" },
    { "half_a_result", ERRAND_LOST, 1, false,
      "the worker 'fake' cannot be understood: the stream ended in the middle of a frame" },
    { "stranger", ERRAND_LOST, 1, false,
      "the worker 'fake' cannot be understood: it sent a frame 'result' of an errand that is "
      "not under way" },
    { "wrong_id", ERRAND_LOST, 1, false,
      "the worker 'fake' sent a result that cannot be believed: it is of another run, "
      "'somebody-else'" },
    { "no_id", ERRAND_LOST, 1, false,
      "the worker 'fake' sent a result that cannot be believed: it is of another run, ''" },
    { "not_json", ERRAND_LOST, 1, false,
      "the worker 'fake' sent a result that cannot be believed: " },
    { "list", ERRAND_LOST, 1, false,
      "the worker 'fake' sent a result that cannot be believed: it is not an object" },
    { "empty", ERRAND_LOST, 1, false, "the worker 'fake' sent a result that cannot be believed: " },
    { "wrong_digest", ERRAND_LOST, 1, false,
      "the worker 'fake' cannot be understood: it sent a frame 'file_end' whose digest is not "
      "that of the file" },
    { "open_file", ERRAND_LOST, 1, false,
      "the worker 'fake' cannot be understood: it sent a frame 'result' before the end of a "
      "file" },
    { "much", ERRAND_LOST, 1, false,
      "the worker 'fake' cannot be understood: it sent more files than are kept of a run" },
    { "ran_and_refuses", ERRAND_LOST, 1, false,
      "the worker 'fake' cannot be understood: it sent a frame 'refused' although the command "
      "ran" },
};

static void each_ends_as_what_it_was(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(endings); i++) {
        struct scene s;

        scene_open(&s, endings[i].mode);
        scene_run(&s);
        if (s.errand.end != endings[i].end ||
            (s.asked != endings[i].asked && endings[i].asked != EITHER) ||
            strncmp(s.errand.why.msg, endings[i].why, strlen(endings[i].why)) != 0 ||
            channel_is_open(s.c) != endings[i].open || s.errand.stopped_for != CAUSE_EXITED)
            fail_msg("%s: end %d, asked %d, '%s'", endings[i].mode, s.errand.end, s.asked,
                     s.errand.why.msg);
        if (!endings[i].open) {
            scene_run(&s); /* nothing goes by a dead channel */
            assert_int_equal(s.errand.end, ERRAND_UNSENT);
        }
        scene_close(&s);
    }
}

/* The first stands; then nobody listens any more. READY twice is found before or after GO. */
static void who_says_it_twice_is_not_heard_again(void **state)
{
    struct scene s;

    (void)state;
    scene_open(&s, "two_results");
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_UNSENT);
    scene_close(&s);
    scene_open(&s, "ready_twice");
    scene_run(&s);
    assert_true(s.errand.end == ERRAND_UNSENT || s.errand.end == ERRAND_LOST);
    assert_false(channel_is_open(s.c));
    scene_close(&s);
}

/* ---- permission ---- */

static void without_a_permit_nothing_goes(void **state)
{
    static const char *const modes[] = { "good", "unmoved", "stubborn", "polite" };

    (void)state;
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct scene s;

        scene_open(&s, modes[i]);
        s.allowed = false;
        s.leap_at_go = strcmp(modes[i], "unmoved") == 0 || strcmp(modes[i], "stubborn") == 0;
        scene_run(&s);
        assert_int_equal(s.errand.end, ERRAND_UNSENT);
        assert_true(s.errand.forbidden);
        assert_false(s.errand.forced);
        assert_string_equal(s.errand.why.msg, "not today");
        assert_int_equal(s.errand.out.bytes, 0);
        assert_string_equal(s.moments, "");
        scene_close(&s);
    }
}

/* ---- nothing is left ---- */

static void a_closed_channel_leaves_nobody(void **state)
{
    struct scene s;
    int pids[2], handles[2];

    (void)state;
    scene_open(&s, "family");
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(sscanf(s.errand.out.head.s, "%d %d", &pids[0], &pids[1]), 2);
    for (int i = 0; i < 2; i++)
        handles[i] = hold(pids[i]);
    scene_close(&s);
    for (int i = 0; i < 2; i++) {
        assert_true(is_ready(handles[i], 0));
        assert_dies(handles[i]);
    }
}

static bool has_children(void)
{
    siginfo_t child;

    return waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

/* Whoever has it may have it for long. */
static void a_channel_that_died_has_no_carrier_while_it_is_held(void **state)
{
    static const char *const modes[] = { "dead_at_run", "dead_at_go", "garbage", "wrong_id" };

    (void)state;
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct scene s;

        scene_open(&s, modes[i]);
        assert_true(has_children());
        scene_run(&s);
        for (int ms = 0; has_children() && ms < LONG_MS; ms++)
            (void)poll(NULL, 0, 1);
        assert_false(has_children());
        scene_close(&s);
    }
}

static void a_carrier_that_never_stops_talking_is_listened_to_for_a_turn(void **state)
{
    struct channel c = { .carrier = { .err = open("/dev/zero", O_RDONLY | O_CLOEXEC) } };

    (void)state;
    assert_true(wire_listen(&c));
    assert_int_equal(c.said_n, SAID_MAX);
    assert_int_equal(close(c.carrier.err), 0);
}

static void of_what_a_carrier_says_the_last_is_kept(void **state)
{
    struct channel c = { 0 };
    char said[5 * SAID_MAX];
    int ends[2];

    (void)state;
    for (size_t i = 0; i < sizeof said; i++)
        said[i] = (char)('a' + i % 26);
    for (size_t n = 0; n <= sizeof said; n += SAID_MAX / 3) {
        size_t kept = n < SAID_MAX ? n : SAID_MAX;

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        c.carrier.err = ends[0];
        c.said_n = 0;
        assert_int_equal(write(ends[1], said, n), n);
        assert_true(wire_listen(&c));
        assert_int_equal(c.said_n, kept);
        assert_memory_equal(c.said, said + n - kept, kept);
        assert_int_equal(close(ends[1]), 0);
        assert_false(wire_listen(&c));
        assert_int_equal(close(ends[0]), 0);
    }
}

static void closing_nothing_does_nothing(void **state)
{
    (void)state;
    channel_close(NULL, NULL);
}

/* ---- many ---- */

enum { THREADS = 8, EACH = 100 };

struct crowd {
    struct channel *c;
    int number, results;
};

static bool always(void *self, struct error *e)
{
    (void)self;
    (void)e;
    return true;
}

static void *run_many(void *self)
{
    struct crowd *crowd = self;

    for (int i = 0; i < EACH; i++) {
        _arena_ struct arena a = { 0 };
        char *request = arena_printf(&a, "{\"execution_id\":\"run-%d-%d\"}", crowd->number, i);
        struct errand errand = { .request = str_of(request),
                                 .attempt = 1,
                                 .timeout_ms = LONG_MS,
                                 .live = { -1, -1 },
                                 .cancel = -1,
                                 .store = -1,
                                 .world = world_real(),
                                 .permit = always };

        channel_run(crowd->c, &errand, &a);
        crowd->results += errand.end == ERRAND_RESULT && errand.out.bytes == 8 &&
                          strstr(errand.record.s, request + 1) == NULL &&
                          memcmp(errand.record.s, request, strlen(request) - 1) == 0;
    }
    return NULL;
}

static void many_at_once_each_get_their_own(void **state)
{
    struct crowd crowds[THREADS];
    pthread_t threads[THREADS];
    struct scene s;

    (void)state;
    scene_open(&s, "good");
    for (int i = 0; i < THREADS; i++) {
        crowds[i] = (struct crowd){ s.c, i, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &crowds[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(crowds[i].results, EACH);
    }
    scene_close(&s);
}

/* All of them are told, and none is taken for a success. */
static void when_it_dies_everybody_knows(void **state)
{
    struct crowd crowds[THREADS];
    pthread_t threads[THREADS];
    struct scene s;

    (void)state;
    scene_open(&s, "dead_at_go");
    for (int i = 0; i < THREADS; i++) {
        crowds[i] = (struct crowd){ s.c, i, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &crowds[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(crowds[i].results, 0);
    }
    assert_false(channel_is_open(s.c));
    scene_close(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_comes_with_what_was_printed_and_kept),
        cmocka_unit_test(a_channel_serves_one_errand_after_the_other),
        cmocka_unit_test(input_arrives_and_output_comes_back),
        cmocka_unit_test(who_does_not_speak_the_protocol_is_not_available),
        cmocka_unit_test(who_says_nothing_is_waited_for_as_long_as_its_patience),
        cmocka_unit_test(nobody_waits_who_was_cancelled),
        cmocka_unit_test(each_ends_as_what_it_was),
        cmocka_unit_test(who_says_it_twice_is_not_heard_again),
        cmocka_unit_test(without_a_permit_nothing_goes),
        cmocka_unit_test(a_closed_channel_leaves_nobody),
        cmocka_unit_test(a_channel_that_died_has_no_carrier_while_it_is_held),
        cmocka_unit_test(a_carrier_that_never_stops_talking_is_listened_to_for_a_turn),
        cmocka_unit_test(of_what_a_carrier_says_the_last_is_kept),
        cmocka_unit_test(closing_nothing_does_nothing),
        cmocka_unit_test(many_at_once_each_get_their_own),
        cmocka_unit_test(when_it_dies_everybody_knows),
    };

    fake_worker = realpath(argv[1], NULL);
    if (!become_who(argc, argv)) {
        (void)printf("1..0 # SKIP only root can become another user\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
