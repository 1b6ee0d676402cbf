/* SPDX-License-Identifier: Apache-2.0 */
/* test_held.c: a clock that stands still, and the code that reads it in place of the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/held.h"
#include "sandbox/held/code.h"
#include "sandbox/held/dirs.h"
#include "sandbox/held_open.h"

#define MS UINT64_C(1000000)

static const struct digest seed = { { 1, 2, 3 } };

static struct held made(const char *day)
{
    char home[] = "HOME=/", text[64];
    char *env[] = { home, text, NULL };

    (void)snprintf(text, sizeof text, "%s", day);
    return held_make(env, &seed);
}

/* ---- the clock ---- */

static void R_001_153_the_environment_says_which_day_it_is(void **state)
{
    static const struct {
        const char *env;
        int64_t s;
    } rows[] = {
        { "SOURCE_DATE_EPOCH=0", 0 },
        { "SOURCE_DATE_EPOCH=1700000000", 1700000000 },
        { "SOURCE_DATE_EPOCH=8589934592", 8589934592 },
        { "SOURCE_DATE_EPOCH=8589934593", 315532800 },
        { "SOURCE_DATE_EPOCH=99999999999999999999999", 315532800 },
        { "SOURCE_DATE_EPOCH=", 315532800 },
        { "SOURCE_DATE_EPOCH=-1", 315532800 },
        { "SOURCE_DATE_EPOCH=1x", 315532800 },
        { "TZ=UTC", 315532800 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(made(rows[i].env).wall_s, rows[i].s);
}

static void R_001_153_each_clock_has_its_beginning(void **state)
{
    static const struct {
        int clock;
        int64_t s; /* -1: there is no such clock */
    } rows[] = {
        { CLOCK_REALTIME, 100 },
        { CLOCK_MONOTONIC, 1000 },
        { CLOCK_PROCESS_CPUTIME_ID, 0 },
        { CLOCK_THREAD_CPUTIME_ID, 0 },
        { CLOCK_MONOTONIC_RAW, 1000 },
        { CLOCK_REALTIME_COARSE, 100 },
        { CLOCK_MONOTONIC_COARSE, 1000 },
        { CLOCK_BOOTTIME, 1000 },
        { CLOCK_REALTIME_ALARM, 100 },
        { CLOCK_BOOTTIME_ALARM, 1000 },
        { 10, -1 },
        { CLOCK_TAI, 100 },
        { 12, -1 },
        { -6, 0 },
    };
    struct held h = made("SOURCE_DATE_EPOCH=100");
    struct held_state s = held_begin();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct held_time t = { -1, 0 };

        assert_int_equal(held_clock(&h, &s, rows[i].clock, &t), rows[i].s >= 0);
        assert_int_equal(t.s, rows[i].s);
        assert_int_equal(t.ns, 0);
    }
}

static void R_001_153_only_a_wait_that_ends_moves_the_clock(void **state)
{
    struct held_state s = held_begin();
    uint64_t due = held_deadline(&s, 5 * MS);

    (void)state;
    held_pass(&s, due);
    assert_int_equal(s.mono_ns, HELD_START_NS + 5 * MS);
    held_pass(&s, due - MS); /* of two that wait at once the later counts */
    assert_int_equal(s.mono_ns, HELD_START_NS + 5 * MS);
    assert_true(held_deadline(&s, UINT64_MAX) > s.mono_ns);

    due = held_deadline(&s, 5 * MS);
    for (int i = 1; i < HELD_STALLS; i++)
        held_stall(&s, due);
    assert_int_equal(s.mono_ns, HELD_START_NS + 5 * MS);
    held_stall(&s, due);
    assert_int_equal(s.mono_ns, HELD_START_NS + 6 * MS);
}

static void a_wait_that_a_timer_cuts_off_lasts_as_long_as_that(void **state)
{
    enum { REAL = -1 };
    struct held_state s = held_begin();
    uint64_t began = s.mono_ns, due = held_deadline(&s, 50 * MS);

    (void)state;
    assert_int_equal(held_cut(&s, REAL, began, due), began + MS); /* some time, at least */
    held_set(&s, REAL, 20 * MS);
    assert_int_equal(held_cut(&s, REAL, began, due), began + 20 * MS);
    assert_int_equal(held_cut(&s, REAL, began, held_deadline(&s, UINT64_MAX)), began + 20 * MS);
    s.mono_ns += 100 * MS; /* by others, who wait beside it */
    assert_int_equal(held_cut(&s, REAL, began, due), began + 20 * MS);
    held_set(&s, REAL, 60 * MS);
    assert_int_equal(held_cut(&s, REAL, began, due), due);
}

static void each_timer_has_its_own_time(void **state)
{
    struct held_state s = held_begin();
    uint64_t began = s.mono_ns, due = held_deadline(&s, 50 * MS);

    (void)state;
    for (int timer = -HELD_INTERVALS; timer < HELD_TICKS - HELD_INTERVALS; timer++)
        held_set(&s, timer, (uint64_t)(20 + timer) * MS);
    for (int timer = -HELD_INTERVALS; timer < HELD_TICKS - HELD_INTERVALS; timer++)
        assert_int_equal(held_cut(&s, timer, began, due), began + (uint64_t)(20 + timer) * MS);
    for (int timer = HELD_TICKS; timer < 5 * HELD_TICKS; timer++) { /* and no other has it */
        assert_int_equal(held_cut(&s, timer, began, due), began + MS);
        held_set(&s, timer, 30 * MS);
        assert_int_equal(held_cut(&s, timer, began, due), began + 30 * MS);
    }
    assert_int_equal(held_cut(&s, -1, began, due), began + 19 * MS);
    held_set(&s, INT32_MAX, 40 * MS);
    assert_int_equal(held_cut(&s, INT32_MAX, began, due), began + 40 * MS);
}

static void who_only_asks_gets_on(void **state)
{
    struct held_state s = held_begin();

    (void)state;
    held_asked(&s, HELD_READS - 1);
    assert_int_equal(s.mono_ns, HELD_START_NS);
    held_asked(&s, 1);
    assert_int_equal(s.mono_ns, HELD_START_NS + MS);
    held_asked(&s, HELD_READS_SLOW);
    assert_int_equal(s.mono_ns, HELD_START_NS + MS);
}

static void short_sleeps_count_where_nothing_else_moves_the_clock(void **state)
{
    struct held_state s = held_begin();

    (void)state;
    for (int i = 0; i < HELD_SLEEPS; i++)
        held_slept(&s, held_deadline(&s, 5 * MS));
    assert_int_equal(s.mono_ns, HELD_START_NS);
    held_slept(&s, held_deadline(&s, 5 * MS));
    held_slept(&s, held_deadline(&s, 5 * MS));
    assert_int_equal(s.mono_ns, HELD_START_NS + 10 * MS);
    held_pass(&s, HELD_START_NS); /* does not move it */
    held_slept(&s, held_deadline(&s, 5 * MS));
    assert_int_equal(s.mono_ns, HELD_START_NS + 15 * MS);
    held_pass(&s, held_deadline(&s, 5 * MS));
    held_slept(&s, held_deadline(&s, 5 * MS));
    assert_int_equal(s.mono_ns, HELD_START_NS + 20 * MS);
}

static void R_001_150_a_stream_is_its_own_and_the_same_each_time(void **state)
{
    struct held h = made("TZ=UTC"), other = h;
    unsigned char a[3][HELD_PART], b[HELD_PART];
    uint64_t one = 0, two = 0, three = 0;

    (void)state;
    other.seed.b[0]++;
    held_draw(&h, 2, &one, a[0]);
    held_draw(&h, 2, &one, a[1]);
    held_draw(&h, 3, &two, a[2]);
    assert_memory_not_equal(a[0], a[1], HELD_PART);
    assert_memory_not_equal(a[0], a[2], HELD_PART);
    held_draw(&h, 2, &three, b);
    assert_memory_equal(a[0], b, HELD_PART);
    three = 0;
    held_draw(&other, 2, &three, b);
    assert_memory_not_equal(a[0], b, HELD_PART);
}

/* ---- the code ---- */

typedef int (*clock_function)(int clock, struct timespec *out);
typedef int (*day_function)(struct timeval *out, struct timezone *zone);
typedef long (*number_function)(void *out);

/* The code as a process has it. */
struct loaded {
    unsigned char *at;
    struct held h;
    struct held_state s;
};

static union {
    unsigned char *at;
    clock_function clock;
    day_function day;
    number_function number;
} entry;

static void load(struct loaded *l)
{
    unsigned char code[HELD_CODE_MAX];
    struct held_constants constants = { .start_ns = HELD_START_NS };
    size_t n;

    l->h = made("SOURCE_DATE_EPOCH=1700000000");
    l->s = held_begin();
    constants.state = (uintptr_t)&l->s;
    constants.wall_ahead_ns = held_wall_ahead_ns(&l->h);
    n = held_code_make(&constants, code);
    assert_int_equal(n % 8, 0);
    l->at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(l->at != MAP_FAILED);
    memcpy(l->at, code, n);
    assert_int_equal(mprotect(l->at, 4096, PROT_READ | PROT_EXEC), 0);
    __builtin___clear_cache((char *)l->at, (char *)l->at + n);
}

static void set_entry(const struct loaded *l, enum held_function f)
{
    entry.at = l->at + held_code_entry(f);
}

static void I08_the_code_says_what_the_clock_says(void **state)
{
    struct loaded l;
    struct timespec t;

    (void)state;
    load(&l);
    l.s.mono_ns += 3 * HELD_SECOND_NS + 999999999;
    set_entry(&l, HELD_CLOCK_GETTIME);
    for (int clock = 0; clock <= CLOCK_TAI; clock++) {
        struct held_time want;

        if (!held_clock(&l.h, &l.s, clock, &want))
            continue;
        assert_int_equal(entry.clock(clock, &t), 0);
        assert_int_equal(t.tv_sec, want.s);
        assert_int_equal(t.tv_nsec, want.ns);
    }
    assert_int_equal(l.s.reads, 11);
    assert_int_equal(entry.clock(10, &t), -EINVAL); /* the kernel's own answer */
    assert_int_equal(entry.clock(100, &t), -EINVAL);
    assert_int_equal(l.s.reads, 11);
}

static void I08_the_code_gets_on_when_it_is_asked_often(void **state)
{
    struct loaded l;
    struct held_state same;
    struct timespec t;

    (void)state;
    load(&l);
    same = l.s;
    set_entry(&l, HELD_CLOCK_GETTIME);
    for (int i = 0; i < 3 * HELD_READS + 5; i++) {
        assert_int_equal(entry.clock(CLOCK_MONOTONIC, &t), 0);
        held_asked(&same, 1);
        assert_int_equal((uint64_t)t.tv_sec * HELD_SECOND_NS + (uint64_t)t.tv_nsec, same.mono_ns);
    }
    assert_memory_equal(&l.s, &same, sizeof same);
}

static void I08_the_code_gets_on_whatever_it_is_asked_for(void **state)
{
    struct loaded l;
    struct timeval day;

    (void)state;
    load(&l);
    set_entry(&l, HELD_GETTIMEOFDAY);
    for (int i = 0; i < HELD_READS; i++)
        assert_int_equal(entry.day(&day, NULL), 0);
    assert_int_equal(day.tv_usec, 1000);
#ifdef __x86_64__
    set_entry(&l, HELD_TIME);
    for (int i = 0; i < HELD_READS; i++)
        assert_int_equal(entry.number(NULL), 1700000000);
    assert_int_equal(l.s.mono_ns, HELD_START_NS + 2 * MS);
#endif
}

static void I08_the_code_knows_the_day(void **state)
{
    struct loaded l;
    struct timeval t = { 0 };
    struct timezone zone = { 5, 5 };

    (void)state;
    load(&l);
    l.s.mono_ns += 1234567;
    set_entry(&l, HELD_GETTIMEOFDAY);
    assert_int_equal(entry.day(&t, &zone), 0);
    assert_int_equal(t.tv_sec, 1700000000);
    assert_int_equal(t.tv_usec, 1234);
    assert_int_equal(zone.tz_minuteswest, 0);
    assert_int_equal(zone.tz_dsttime, 0);
    assert_int_equal(entry.day(NULL, NULL), 0);
#ifdef __x86_64__
    long seconds = 0;

    set_entry(&l, HELD_TIME);
    assert_int_equal(entry.number(&seconds), 1700000000);
    assert_int_equal(seconds, 1700000000);
    assert_int_equal(entry.number(NULL), 1700000000);
#endif
    set_entry(&l, HELD_GETRANDOM);
    assert_int_equal(entry.number(NULL), -ENOSYS);
}

static void I08_the_code_asks_the_kernel_how_fine_a_clock_is(void **state)
{
    struct loaded l;
    struct timespec t = { -1, -1 }, want;

    (void)state;
    load(&l);
    set_entry(&l, HELD_GETRES);
    assert_int_equal(clock_getres(CLOCK_MONOTONIC_COARSE, &want), 0);
    assert_int_equal(entry.clock(CLOCK_MONOTONIC_COARSE, &t), 0);
    assert_memory_equal(&t, &want, sizeof t);
    assert_int_equal(entry.clock(10, &t), -EINVAL);
}

/* ---- its place ---- */

static void the_kernels_code_has_room_or_is_hidden(void **state)
{
    union {
        unsigned long number;
        const unsigned char *bytes;
    } image = { getauxval(AT_SYSINFO_EHDR) };
    struct held_places places = held_code_find(image.bytes, (size_t)sysconf(_SC_PAGESIZE));

    (void)state;
    if (!places.found)
        return;
    assert_int_equal(places.code % 8, 0);
    assert_in_range(places.jump_count, 1, COUNT(places.jumps));
    for (size_t i = 0; i < places.jump_count; i++)
        assert_true(places.jumps[i].at < places.code);
}

/* Nobody writes these, but whoever reads them runs as init. */
static void what_is_no_such_image_is_left_alone(void **state)
{
    enum { PAGE = 4096 };
    static unsigned char image[2 * PAGE];
    union {
        unsigned long number;
        const unsigned char *bytes;
    } real = { getauxval(AT_SYSINFO_EHDR) };

    (void)state;
    assert_false(held_code_find(NULL, PAGE).found);
    assert_false(held_code_find(image, PAGE).found);
    if (!real.bytes)
        return;
    for (size_t cut = 16; cut < PAGE; cut += 8) { /* the end is missing */
        memset(image, 0, sizeof image);
        memcpy(image, real.bytes, cut);
        (void)held_code_find(image, PAGE);
    }
}

/* ---- directories ---- */

static size_t put_entry(unsigned char *to, uint64_t after, const char *name)
{
    uint16_t length = (uint16_t)((19 + strlen(name) + 1 + 7) / 8 * 8);

    memset(to, 0, length);
    memcpy(to, &after, sizeof after); /* the number of the file: one that goes with the name */
    memcpy(to + 8, &after, sizeof after);
    memcpy(to + 16, &length, sizeof length);
    memcpy(to + 19, name, strlen(name));
    return length;
}

static void R_001_151_names_are_put_in_order_and_places_stay(void **state)
{
    static const char *const names[] = { "b", "a-long-one", ".", "a", "..", "\xff", "B" };
    static const char *const sorted[] = { ".", "..", "B", "a", "a-long-one", "b", "\xff" };
    static unsigned char entries[HELD_DIR_BYTES], room[HELD_DIR_BYTES];
    size_t n = 0, at = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        n += put_entry(entries + n, i + 1, names[i]);
    held_dirs_sort(entries, n, room);
    for (size_t i = 0; i < COUNT(sorted); i++) {
        uint64_t after, number;
        uint16_t length;

        memcpy(&number, entries + at, sizeof number);
        memcpy(&after, entries + at + 8, sizeof after);
        memcpy(&length, entries + at + 16, sizeof length);
        assert_string_equal((char *)entries + at + 19, sorted[i]);
        assert_string_equal(names[number - 1], sorted[i]);
        assert_int_equal(after, i + 1);
        at += length;
    }
    assert_int_equal(at, n);
}

static void R_001_151_what_is_not_well_formed_stays(void **state)
{
    static unsigned char entries[HELD_DIR_BYTES], before[HELD_DIR_BYTES], room[HELD_DIR_BYTES];
    size_t n;

    (void)state;
    n = put_entry(entries, 1, "b");
    n += put_entry(entries + n, 2, "a");
    memcpy(before, entries, sizeof before);
    for (size_t cut = 1; cut < n; cut++) {
        held_dirs_sort(entries, cut, room);
        assert_memory_equal(entries, before, n);
    }
    held_dirs_sort(entries, HELD_DIR_BYTES + 1, room);
    assert_memory_equal(entries, before, n);
    held_dirs_sort(entries, 0, room);
    memset(entries + 24 + 19, 'x', 5); /* a name without an end */
    memcpy(before, entries, sizeof before);
    held_dirs_sort(entries, n, room);
    assert_memory_equal(entries, before, n);
}

static void I09_what_is_open_is_named_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < HELD_OPEN; i++) {
        assert_non_null(held_open_rows[i].what);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(held_open_rows[i].what, held_open_rows[k].what);
        if (!held_open_rows[i].is_open)
            assert_true(held_is_open(&held_open_rows[i]));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_153_the_environment_says_which_day_it_is),
        cmocka_unit_test(R_001_153_each_clock_has_its_beginning),
        cmocka_unit_test(R_001_153_only_a_wait_that_ends_moves_the_clock),
        cmocka_unit_test(a_wait_that_a_timer_cuts_off_lasts_as_long_as_that),
        cmocka_unit_test(each_timer_has_its_own_time),
        cmocka_unit_test(who_only_asks_gets_on),
        cmocka_unit_test(short_sleeps_count_where_nothing_else_moves_the_clock),
        cmocka_unit_test(R_001_150_a_stream_is_its_own_and_the_same_each_time),
        cmocka_unit_test(I08_the_code_says_what_the_clock_says),
        cmocka_unit_test(I08_the_code_gets_on_when_it_is_asked_often),
        cmocka_unit_test(I08_the_code_gets_on_whatever_it_is_asked_for),
        cmocka_unit_test(I08_the_code_knows_the_day),
        cmocka_unit_test(I08_the_code_asks_the_kernel_how_fine_a_clock_is),
        cmocka_unit_test(the_kernels_code_has_room_or_is_hidden),
        cmocka_unit_test(what_is_no_such_image_is_left_alone),
        cmocka_unit_test(R_001_151_names_are_put_in_order_and_places_stay),
        cmocka_unit_test(R_001_151_what_is_not_well_formed_stays),
        cmocka_unit_test(I09_what_is_open_is_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
