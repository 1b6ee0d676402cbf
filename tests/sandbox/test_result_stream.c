/* SPDX-License-Identifier: Apache-2.0 */
/* test_result_stream.c: a descriptor 3, on which a command hands over a result.
 *
 * usage: test_result_stream [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/stages.h"
#include "streams.h"

/* ---- what is open ---- */

static void only_the_first_three_are_open(void **state)
{
    struct outcome out;

    (void)state;
    for (int i = 0; i < 2; i++) {
        out = ran(list_open);
        assert_printed(&out.out, "0 1 2 ");
        assert_null(out.result.head.s);
        assert_int_equal(out.result.bytes, 0);
    }
}

static void three_is_open_where_a_result_is_asked_for(void **state)
{
    struct outcome out;

    (void)state;
    r.run.result = true;
    for (int i = 0; i < 2; i++) {
        out = ran(list_open);
        assert_printed(&out.out, "0 1 2 3 ");
        assert_printed(&out.result, "");
    }
    r.run.result = false; /* nor is it left for the next one in the same berth */
    out = ran(list_open);
    assert_printed(&out.out, "0 1 2 ");
}

/* Where the line to the supervisor is at 3, it makes room. */
static void the_line_makes_room_for_the_result(void **state)
{
    struct jail jail = { .streams = { -1, -1, -1, 100 }, .line = STREAM_RESULT };
    struct child child = { .jail = &jail };
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        bool ok = dup2(STDOUT_FILENO, STREAM_RESULT) >= 0 && stage_clear_result(&child) == 0 &&
                  jail.line > STREAM_RESULT && fcntl(jail.line, F_GETFD) == FD_CLOEXEC;

        jail.streams[STREAM_RESULT] = -1;
        jail.line = STREAM_RESULT;
        ok = ok && stage_clear_result(&child) == 0 && jail.line == STREAM_RESULT;
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- a result ---- */

static void a_result_is_captured_beside_what_is_printed(void **state)
{
    struct outcome out;

    (void)state;
    r.run.result = true;
    r.run.input = str_of("five");
    out = ran("cat >&3; echo printed; echo said >&2; printf ' more' >&3; exit 7");
    assert_printed(&out.result, "five more");
    assert_printed(&out.out, "printed\n");
    assert_printed(&out.err, "said\n");
    assert_int_equal(out.exit_code, 7);
    assert_int_equal(out.cause, CAUSE_EXITED);
}

static void a_long_result_is_counted_and_cut(void **state)
{
    char *zeroes = arena_alloc(&r.a, 2 * MIB);
    struct digest digest;
    struct outcome out;

    (void)state;
    memset(zeroes, 0, 2 * MIB);
    digest = digest_of(zeroes, 2 * MIB);
    r.run.result = true;
    out = ran("head -c 2097152 /dev/zero >&3; head -c 2097152 /dev/zero; echo here");
    assert_int_equal(out.exit_code, 0);
    assert_int_equal(out.result.bytes, 2 * MIB);
    assert_int_equal(out.result.head.n, MIB);
    assert_memory_equal(&out.result.digest, &digest, sizeof digest);
    assert_int_equal(out.out.bytes, 2 * MIB + 5);
}

static void a_child_that_keeps_the_result_open_holds_nobody_up(void **state)
{
    struct fake_world still;
    struct outcome out;

    (void)state;
    fake_world_init(&still, 0); /* no time runs out in that world */
    r.run.result = true;
    out =
        runs_do(&r, &still.world,
                "(trap '' TERM HUP; while :; do sleep 1000; done) >/dev/null 2>&1 & printf a >&3");
    assert_printed(&out.result, "a");
    assert_int_equal(out.exit_code, 0);
}

static void a_result_can_be_closed_and_time_goes_on(void **state)
{
    struct outcome out;

    (void)state;
    r.run.result = true;
    out = ran("exec 3>&-; echo on");
    assert_printed(&out.result, "");
    assert_printed(&out.out, "on\n");
    r.limits.timeout_ms = 200;
    r.run.at_once = true;
    out = ran("printf part >&3; while :; do :; done");
    assert_printed(&out.result, "part");
    assert_int_equal(out.cause, CAUSE_TIMEOUT);
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        BOTH(only_the_first_three_are_open),
        BOTH(three_is_open_where_a_result_is_asked_for),
        cmocka_unit_test(the_line_makes_room_for_the_result),
        BOTH(a_result_is_captured_beside_what_is_printed),
        BOTH(a_long_result_is_counted_and_cut),
        BOTH(a_child_that_keeps_the_result_open_holds_nobody_up),
        BOTH(a_result_can_be_closed_and_time_goes_on),
    };

    return cmocka_run_group_tests(list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
