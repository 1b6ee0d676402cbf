/* SPDX-License-Identifier: Apache-2.0 */
/* test_channel_stop.c: errands that are stopped, and that print more than somebody reads.
 *
 * usage: test_channel_stop FAKE_WORKER [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "errands.h"
#include "route/channel_parts.h"

/* ---- out of time ---- */

static void a_timeout_asks_then_kills_then_gives_up(void **state)
{
    static const struct {
        const char *mode;
        bool at_once;
        enum errand_end end;
        bool forced, open;
        const char *moments;
    } rows[] = {
        { "stubborn", false, ERRAND_RESULT, true, true, "asked killed " },
        { "stubborn", true, ERRAND_RESULT, true, true, "asked killed " },
        { "unmoved", false, ERRAND_LOST, true, false, "asked killed " },
        { "unmoved", true, ERRAND_LOST, true, false, "asked killed " },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene s;

        scene_open(&s, rows[i].mode);
        s.errand.at_once = rows[i].at_once;
        s.errand.timeout_ms = 1;
        s.errand.pace.grace_ms = rows[i].at_once ? LONG_MS : 1;
        s.leap_at_go = !rows[i].open; /* who answers, answers by a clock that goes */
        if (rows[i].open)
            s.world = *world_real();
        scene_run(&s);
        if (s.errand.end != rows[i].end || s.errand.forced != rows[i].forced ||
            s.errand.stopped_for != CAUSE_TIMEOUT || channel_is_open(s.c) != rows[i].open ||
            strcmp(s.moments, rows[i].moments) != 0)
            fail_msg("%s: end %d, forced %d, moments %s", rows[i].mode, s.errand.end,
                     s.errand.forced, s.moments);
        scene_close(&s);
    }
}

/* What it had printed may come behind that; but it is not listened to for ever. */
static void who_never_stops_printing_is_left(void **state)
{
    struct scene s, own = { .leap_ms = 100 };
    const struct world world = { .mono_ms = scene_ms, .self = &own };
    _fd_ int nobody = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    scene_open(&s, "never_ends");
    s.errand.live[0] = nobody; /* it is looked at as it comes, and not when its time is up */
    s.errand.at_once = true;
    s.errand.pace.self = s.errand.permit_self = &s;
    s.errand.world = &world;
    channel_run(s.c, &s.errand, &s.a);
    assert_int_equal(s.errand.end, ERRAND_LOST);
    assert_int_equal(s.errand.stopped_for, CAUSE_TIMEOUT);
    assert_string_equal(s.moments, "asked killed ");
    assert_true(s.errand.out.bytes > 0);
    scene_close(&s);
}

/* A line can be dead and not say so. The errand has all the time of the world; the channel has not.
 */
static void who_is_not_heard_of_is_gone(void **state)
{
    struct scene s;

    (void)state;
    scene_open(&s, "unmoved");
    s.errand.timeout_ms = INT64_MAX / 4;
    s.leap_at_go = true;
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_LOST);
    assert_int_equal(s.errand.stopped_for, CAUSE_EXITED);
    assert_non_null(strstr(s.errand.why.msg, "nothing was heard of it for 30 s"));
    assert_false(channel_is_open(s.c));
    scene_close(&s);
}

static void who_ends_when_asked_was_not_forced(void **state)
{
    struct scene s;

    (void)state;
    scene_open(&s, "polite");
    s.world = *world_real();
    s.errand.timeout_ms = 1;
    s.errand.pace.grace_ms = LONG_MS;
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(s.errand.stopped_for, CAUSE_TIMEOUT);
    assert_false(s.errand.forced);
    assert_string_equal(s.moments, "asked ");
    scene_close(&s);
}

static void who_is_late_is_told_of_before(void **state)
{
    struct scene s;

    (void)state;
    scene_open(&s, "unmoved");
    s.errand.pace.soft_ms = 1;
    s.leap_at_go = true;
    scene_run(&s);
    assert_string_equal(s.moments, "late asked killed ");
    scene_close(&s);
}

static void who_does_not_get_ready_was_not_sent(void **state)
{
    struct scene s;

    (void)state;
    scene_open(&s, "never_ready");
    s.leap_ms = A_LEAP_MS;
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_UNSENT);
    assert_int_equal(s.errand.stopped_for, CAUSE_EXITED);
    assert_int_equal(s.asked, 0);
    assert_string_equal(s.errand.why.msg, "the worker 'fake' did not get ready");
    assert_string_equal(s.moments, "");
    scene_close(&s);
}

/* Only the errand's own clock goes on; what its class grants a command that runs would never end.
 */
static void who_does_not_get_ready_nor_leave_has_no_grace(void **state)
{
    struct scene s, own = { .leap_ms = A_LEAP_MS };
    const struct world world = { .mono_ms = scene_ms, .self = &own };

    (void)state;
    scene_open(&s, "asleep");
    s.errand.pace.grace_ms = INT64_MAX / 4;
    s.errand.pace.self = s.errand.permit_self = &s;
    s.errand.world = &world;
    channel_run(s.c, &s.errand, &s.a);
    assert_int_equal(s.errand.end, ERRAND_UNSENT);
    assert_string_equal(s.errand.why.msg, "the worker 'fake' did not get ready");
    assert_string_equal(s.moments, "");
    assert_false(s.errand.forced);
    scene_close(&s);
}

/* ---- cancelled ---- */

static void who_is_cancelled_before_it_is_ready_never_goes(void **state)
{
    static const struct {
        const char *mode;
        enum errand_end end;
        bool open;
    } rows[] = {
        { "never_ready", ERRAND_UNSENT, true },
        { "refuses_at_stop", ERRAND_UNSENT, true },
        { "lies_at_stop", ERRAND_LOST, false },
        { "gone_at_stop", ERRAND_UNSENT, false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _fd_ int cancel = eventfd(1, EFD_CLOEXEC);
        struct scene s;

        scene_open(&s, rows[i].mode);
        s.errand.cancel = cancel;
        scene_run(&s);
        if (s.errand.end != rows[i].end || channel_is_open(s.c) != rows[i].open)
            fail_msg("%s: end %d, '%s'", rows[i].mode, s.errand.end, s.errand.why.msg);
        assert_int_equal(s.errand.stopped_for, CAUSE_CANCELLED);
        assert_int_equal(s.asked, 0);
        assert_false(s.errand.forced);
        assert_string_equal(s.moments, "asked ");
        scene_close(&s);
    }
}

struct canceller {
    struct scene *s;
    int cancel, times;
};

static bool cancel_and_go(void *self, struct error *e)
{
    struct canceller *by = self;

    (void)e;
    (void)eventfd_write(by->cancel, 1);
    return true;
}

static void who_is_cancelled_while_it_is_permitted_never_goes(void **state)
{
    _fd_ int cancel = eventfd(0, EFD_CLOEXEC);
    struct scene s;
    struct canceller by = { &s, cancel, 1 };

    (void)state;
    scene_open(&s, "polite");
    s.errand.cancel = cancel;
    s.errand.permit = cancel_and_go;
    s.errand.permit_self = &by;
    s.errand.pace.self = &s;
    s.errand.world = &s.world;
    channel_run(s.c, &s.errand, &s.a);
    assert_int_equal(s.errand.end, ERRAND_UNSENT);
    assert_int_equal(s.errand.stopped_for, CAUSE_CANCELLED);
    assert_false(s.errand.forced);
    assert_string_equal(s.moments, "asked ");
    assert_true(channel_is_open(s.c));
    scene_close(&s);
}

static void cancel_again(void *self, enum pace_news news, enum cause cause)
{
    struct canceller *by = self;

    scene_moment(by->s, news, cause);
    if (news != PACE_KILLED && by->times-- > 0)
        (void)eventfd_write(by->cancel, 1);
}

/* The clock stands still: nobody waits for a grace that never ends. It is cancelled when it is told
 * that it is late, so after it went. */
static void a_second_cancel_kills_at_once(void **state)
{
    static const struct {
        const char *mode, *moments;
        int times;
    } rows[] = { { "polite", "late asked ", 1 }, { "stubborn", "late asked killed ", 2 } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _fd_ int cancel = eventfd(0, EFD_CLOEXEC);
        struct scene s;
        struct canceller by = { &s, cancel, rows[i].times };

        scene_open(&s, rows[i].mode);
        s.errand.cancel = cancel;
        s.errand.permit_self = &s;
        s.errand.pace.soft_ms = -1; /* from the beginning */
        s.errand.pace.news = cancel_again;
        s.errand.pace.self = &by;
        s.errand.world = &s.world;
        channel_run(s.c, &s.errand, &s.a);
        assert_int_equal(s.errand.end, ERRAND_RESULT);
        assert_int_equal(s.errand.stopped_for, CAUSE_CANCELLED);
        assert_int_equal(s.errand.forced, rows[i].times == 2);
        assert_string_equal(s.moments, rows[i].moments);
        scene_close(&s);
    }
}

/* ---- output ---- */

struct reader {
    int from;
    int64_t bytes;
    struct sha256 sum;
};

static void *read_slowly(void *self)
{
    struct reader *r = self;
    char bytes[1000];
    ssize_t n;

    while ((n = read(r->from, bytes, sizeof bytes)) > 0) {
        sha256_add(&r->sum, bytes, (size_t)n);
        r->bytes += n;
    }
    return NULL;
}

static void all_of_a_flood_is_passed_on_counted_and_digested(void **state)
{
    struct reader r = { 0 };
    struct digest read;
    struct scene s;
    pthread_t thread;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    r.from = ends[0];
    sha256_begin(&r.sum);
    assert_int_equal(pthread_create(&thread, NULL, read_slowly, &r), 0);
    scene_open(&s, "flood");
    s.errand.live[0] = ends[1];
    scene_run(&s);
    (void)close(ends[1]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)close(ends[0]);
    read = sha256_end(&r.sum);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(s.errand.out.bytes, 512 << 16);
    assert_int_equal(s.errand.out.lost, 0);
    assert_int_equal(r.bytes, 512 << 16);
    assert_memory_equal(&read, &s.errand.out.digest, sizeof read);
    scene_close(&s);
}

/* Somebody looks on and does not read. By the time the errand is stopped, more is waiting than may
 * wait, and the answer is behind it. */
static void a_slow_reader_does_not_keep_it_from_being_stopped(void **state)
{
    struct scene s;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    scene_open(&s, "endless");
    s.errand.live[0] = ends[1];
    s.errand.at_once = true;
    s.errand.timeout_ms = 500;
    s.world = *world_real();
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(s.errand.stopped_for, CAUSE_TIMEOUT);
    assert_true(s.errand.out.bytes > 0);
    assert_int_equal(s.errand.out.lost, ECANCELED);
    (void)close(ends[0]);
    (void)close(ends[1]);
    scene_close(&s);
}

/* A clock that goes on by half of the silence that ends a channel, and a reader that looks on for
 * the first time when all of it is over. */
struct slow {
    int64_t now_ms;
    struct buf *waiting;
};

static int64_t slow_ms(void *self)
{
    struct slow *slow = self;

    slow->now_ms += SILENCE_MS / 2;
    if (slow->now_ms > 2 * SILENCE_MS)
        buf_reset(slow->waiting);
    return slow->now_ms;
}

static void while_a_reader_is_slow_nobody_is_taken_for_silent(void **state)
{
    struct slow slow = { 0 };
    struct world world = { .mono_ms = slow_ms, .self = &slow };
    struct underway u = { .news = -1, .go_end = 1 };
    struct errand errand = { .live = { 0, -1 }, .store = -1 };
    struct channel c = { .world = &world, .underway = &u };
    const struct frame piece = { FRAME_OUT, 0, { "more", 4 } };
    _fd_ int nobody = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct error e;

    (void)state;
    c.carrier.to = nobody;
    (void)pthread_mutex_init(&c.lock, NULL);
    (void)pthread_cond_init(&c.room, NULL);
    intake_begin(&u, &errand);
    slow.waiting = &u.streams[0].waiting;
    while (slow.waiting->len <= WAITING_MAX)
        buf_addc(slow.waiting, '.');
    (void)pthread_mutex_lock(&c.lock);
    assert_true(intake(&c, &u, &piece, &e));
    (void)pthread_mutex_unlock(&c.lock);
    assert_int_equal(slow.waiting->len, piece.body.n);
    assert_true(slow.now_ms - c.heard_ms < SILENCE_MS);
    intake_end(&u);
    buf_free(&c.outgoing);
    (void)pthread_cond_destroy(&c.room);
    (void)pthread_mutex_destroy(&c.lock);
}

static void who_does_not_look_any_more_changes_nothing(void **state)
{
    struct scene s;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    scene_open(&s, "flood");
    s.errand.live[0] = ends[1];
    scene_run(&s);
    assert_int_equal(s.errand.end, ERRAND_RESULT);
    assert_int_equal(s.errand.out.bytes, 512 << 16);
    (void)close(ends[1]);
    scene_close(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeout_asks_then_kills_then_gives_up),
        cmocka_unit_test(who_never_stops_printing_is_left),
        cmocka_unit_test(who_is_not_heard_of_is_gone),
        cmocka_unit_test(who_ends_when_asked_was_not_forced),
        cmocka_unit_test(who_is_late_is_told_of_before),
        cmocka_unit_test(who_does_not_get_ready_was_not_sent),
        cmocka_unit_test(who_does_not_get_ready_nor_leave_has_no_grace),
        cmocka_unit_test(who_is_cancelled_before_it_is_ready_never_goes),
        cmocka_unit_test(who_is_cancelled_while_it_is_permitted_never_goes),
        cmocka_unit_test(a_second_cancel_kills_at_once),
        cmocka_unit_test(all_of_a_flood_is_passed_on_counted_and_digested),
        cmocka_unit_test(a_slow_reader_does_not_keep_it_from_being_stopped),
        cmocka_unit_test(while_a_reader_is_slow_nobody_is_taken_for_silent),
        cmocka_unit_test(who_does_not_look_any_more_changes_nothing),
    };

    fake_worker = realpath(argv[1], NULL);
    if (!become_who(argc, argv)) {
        (void)printf("1..0 # SKIP only root can become another user\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
