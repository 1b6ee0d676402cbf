/* SPDX-License-Identifier: Apache-2.0 */
/* test_wrap.c: commands run by a wrapper: what they are given, what they print, how they end.
 *
 * usage: test_wrap WRAPPER [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "contract/layers.h"
#include "contract/limits.h"
#include "wraps.h"

/* ---- it ends by itself ---- */

static void R_000_019_the_exit_code_is_the_commands(void **state)
{
    static const struct {
        const char *code;
        int exit_code;
    } rows[] = { { "0", 0 },     { "1", 1 },     { "70", 70 },
                 { "126", 126 }, { "127", 127 }, { "255", 255 } };
    struct scene *s = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        s->permits = 0;
        play(s, "exit", rows[i].code);
        expect(s, CAUSE_EXITED, rows[i].exit_code);
        assert_string_equal(s->out.out.head.s, "out\n");
        assert_int_equal(s->out.out.bytes, 4);
        assert_int_equal(s->out.signal, 0);
        assert_false(s->out.forced);
    }
}

static void of_our_walls_none_held_it(void **state)
{
    struct scene *s = *state;

    play(s, "burn", NULL);
    expect(s, CAUSE_EXITED, 0);
    assert_int_equal(s->out.layers, 0);
    assert_int_equal(s->out.missing, LAYER_ALL);
    assert_string_equal(s->out.cgroup, "none");
    assert_true(s->out.cpu_ms > 0);
    assert_true(s->out.memory_peak_bytes > 0);
    assert_true(s->out.duration_ms >= 0 && s->out.duration_ms < HOUR_MS);
}

static void a_refusal_of_the_wrapper_is_no_failure_of_the_command(void **state)
{
    struct scene *s = *state;

    play(s, "exit", "75");
    expect_unavailable(s, " ended with 75, which is one of the worker's refusals");
    expect_unavailable(s, "said 'last ?[1mwords'; run it by hand");
    play(s, "exit", "69");
    expect_unavailable(s, " ended with 69,");
    s->permits = 0;
    s->worker.refusals.n = 0;
    play(s, "exit", "75");
    expect(s, CAUSE_EXITED, 75);
}

static void *nothing(void *self)
{
    return self;
}

/* 32 and 33 are the C library's own: once there was a thread, it has handlers for them. */
static void a_signal_that_nobody_sent_is_no_success(void **state)
{
    static const int signals[] = { SIGKILL, SIGSEGV, SIGTERM, SIGHUP, 32, 33, 64 };
    struct scene *s = *state;
    pthread_t thread;
    char text[8];

    assert_int_equal(pthread_create(&thread, NULL, nothing, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (size_t i = 0; i < COUNT(signals); i++) {
        s->permits = 0;
        (void)snprintf(text, sizeof text, "%d", signals[i]);
        play(s, "signal", text);
        expect(s, CAUSE_SIGNALED, 128 + signals[i]);
        assert_int_equal(s->out.signal, signals[i]);
        assert_false(s->out.forced);
    }
    expect_moments(s, "");
}

/* ---- it does not even begin ---- */

static void a_wrapper_that_is_not_there_is_unavailable(void **state)
{
    static const char *const names[] = { "writ-no-such-wrapper", "/nowhere/wrapper" };
    struct scene *s = *state;

    for (size_t i = 0; i < COUNT(names); i++) {
        s->command[0] = str_of(names[i]);
        play(s, "exit", "0");
        expect_unavailable(s, names[i]);
        assert_int_equal(s->permits, 0);
    }
}

static void a_wrapper_that_cannot_be_started_is_unavailable(void **state)
{
    static const struct {
        const char *text;
        mode_t mode;
    } rows[] = { { "#!/bin/sh\nexit 0\n", 0600 },
                 { "#!/nowhere/interpreter\n", 0700 },
                 { "\x7f"
                   "ELF",
                   0700 } };
    struct scene *s = *state;
    char *path = arena_printf(&s->a, "%s/wrapper", s->dir);
    struct error e;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(fs_write(path, str_of(rows[i].text), &e));
        assert_int_equal(chmod(path, rows[i].mode), 0);
        s->command[0] = str_of(path);
        play(s, "exit", "0");
        expect_unavailable(s, "wrapper");
    }
}

static void nothing_is_started_without_a_permit(void **state)
{
    struct scene *s = *state;
    char byte;

    s->forbid = true;
    play(s, "leave", s->fifo);
    assert_int_equal(s->end, WRAP_FORBIDDEN);
    assert_string_equal(s->e.msg, "not today");
    assert_int_equal(s->permits, 1);
    assert_int_equal(read(s->ends, &byte, 1), -1);
}

/* ---- what it is given and gives ---- */

static void it_is_started_as_the_caller_would(void **state)
{
    struct scene *s = *state;
    char act[] = "tell", empty[] = "", odd[] = "a 'b' $(c)\n*", dashes[] = "--";
    char *argv[] = { act, empty, odd, dashes, NULL };
    const char *expected = arena_printf(&s->a, "[][%s][--]\n%s\nis here\n0,1,2,", odd, s->dir);

    s->ask.argv = argv;
    s->end = wrap_run(&s->ask, world_real(), &s->a, &s->out, &s->e);
    expect(s, CAUSE_EXITED, 0);
    assert_string_equal(s->out.out.head.s, expected);
}

static void input_comes_whole(void **state)
{
    struct scene *s = *state;
    char *text = arena_alloc(&s->a, 1 << 20);

    for (size_t i = 0; i < 1 << 20; i++)
        text[i] = (char)(i * i >> 7);
    s->ask.input = (struct str){ text, 1 << 20 };
    play(s, "copy", NULL);
    expect(s, CAUSE_EXITED, 0);
    assert_int_equal(s->out.out.bytes, 1 << 20);
    assert_memory_equal(s->out.out.head.s, text, 1 << 20);
    s->permits = 0;
    s->ask.input = (struct str){ 0 };
    play(s, "copy", NULL);
    expect(s, CAUSE_EXITED, 0);
    assert_int_equal(s->out.out.bytes, 0);
}

static void of_a_flood_the_head_is_kept_and_all_is_counted(void **state)
{
    enum { BYTES = 128 << 16 };
    struct scene *s = *state;
    char *text = arena_alloc(&s->a, BYTES);
    struct digest all;

    (void)memset(text, 'x', BYTES);
    all = digest_of(text, BYTES);
    play(s, "flood", "128");
    expect(s, CAUSE_EXITED, 0);
    assert_int_equal(s->out.out.head.n, outputs[OUTPUT_STDOUT].bytes);
    assert_int_equal(s->out.err.head.n, outputs[OUTPUT_STDERR].bytes);
    assert_int_equal(s->out.out.bytes, BYTES);
    assert_int_equal(s->out.err.bytes, BYTES);
    assert_memory_equal(&s->out.out.digest, &all, sizeof all);
    assert_memory_equal(&s->out.err.digest, &all, sizeof all);
}

static void what_it_prints_is_passed_on(void **state)
{
    struct scene *s = *state;
    char text[16] = { 0 };
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    s->ask.live[0] = ends[1];
    play(s, "exit", "0");
    assert_int_equal(read(ends[0], text, sizeof text), 4);
    assert_string_equal(text, "out\n");
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void who_closes_its_output_early_is_still_waited_for(void **state)
{
    struct scene *s = *state;

    s->ask.pace.soft_ms = 50;
    s->tell_when_late = true;
    play(s, "close", s->fifo);
    expect(s, CAUSE_EXITED, 7);
    expect_moments(s, "l");
}

/* The pipe's other end is in a message that nobody takes. */
static void output_that_others_hold_is_not_waited_for(void **state)
{
    struct scene *s = *state;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    _fd_ int line = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", s->dir);
    assert_int_equal(bind(line, (const struct sockaddr *)&at, sizeof at), 0);
    play(s, "give", at.sun_path);
    expect(s, CAUSE_EXITED, 0);
    assert_string_equal(s->out.out.head.s, "given\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(R_000_019_the_exit_code_is_the_commands),
        TEST(of_our_walls_none_held_it),
        TEST(a_refusal_of_the_wrapper_is_no_failure_of_the_command),
        TEST(a_signal_that_nobody_sent_is_no_success),
        TEST(a_wrapper_that_is_not_there_is_unavailable),
        TEST(a_wrapper_that_cannot_be_started_is_unavailable),
        TEST(nothing_is_started_without_a_permit),
        TEST(it_is_started_as_the_caller_would),
        TEST(input_comes_whole),
        TEST(of_a_flood_the_head_is_kept_and_all_is_counted),
        TEST(what_it_prints_is_passed_on),
        TEST(who_closes_its_output_early_is_still_waited_for),
        TEST(output_that_others_hold_is_not_waited_for),
    };

    return run_scenes(argc, argv, tests, COUNT(tests));
}
