/* SPDX-License-Identifier: Apache-2.0 */
/* test_values.c: numbers, ids and times are read strictly and written in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/stamp.h"
#include "base/uuid.h"
#include "base/world.h"

/* Copied to its exact size, so that a sanitizer sees a reader go past the end. */
static char *exact(const char *text, size_t n)
{
    char *copy = malloc(n > 0 ? n : 1);

    assert_non_null(copy);
    memcpy(copy, text, n);
    return copy;
}

/* ---- num ---- */

/* clang-format off */
static const struct { const char *text; int64_t v; } ints[] = {
    { "0", 0 }, { "7", 7 }, { "-7", -7 }, { "10", 10 }, { "1234567890", 1234567890 },
    { "9223372036854775807", INT64_MAX }, { "-9223372036854775808", INT64_MIN },
    { "-9223372036854775807", -INT64_MAX }, { "1000000000000000000", 1000000000000000000 },
};

static const char *const no_ints[] = {
    "", "-", "+1", "--1", "-0", "00", "01", "-01", " 1", "1 ", "1\n", "1.0", "1e3", "0x10", "1_000",
    "9223372036854775808", "-9223372036854775809", "9999999999999999999", "10000000000000000000",
    "18446744073709551616", "100000000000000000000", "/", ":", "1/", "1:", "\xff", "\xc2\xb2",
};
/* clang-format on */

static void whole_numbers_that_fit_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ints); i++) {
        _free_ char *text = exact(ints[i].text, strlen(ints[i].text));
        int64_t v = 42;

        assert_true(num_int((struct str){ text, strlen(ints[i].text) }, &v));
        assert_true(v == ints[i].v);
    }
}

static void everything_else_is_no_whole_number(void **state)
{
    int64_t v = 42;

    (void)state;
    for (size_t i = 0; i < COUNT(no_ints); i++) {
        _free_ char *text = exact(no_ints[i], strlen(no_ints[i]));

        assert_false(num_int((struct str){ text, strlen(no_ints[i]) }, &v));
    }
    assert_false(num_int((struct str){ 0 }, &v));
    assert_false(num_int((struct str){ "1\0", 2 }, &v));
    assert_true(v == 42);
}

/* ---- uuid ---- */

static const char id_text[] = "0f8fad5b-d9cb-469f-a165-70867728950e";

static const char *const no_ids[] = {
    "",
    "0f8fad5b-d9cb-469f-a165-70867728950",   /* one short */
    "0f8fad5b-d9cb-469f-a165-70867728950e0", /* one long */
    "0f8fad5b-d9cb-369f-a165-70867728950e",  /* version 3 */
    "0f8fad5b-d9cb-569f-a165-70867728950e",  /* version 5 */
    "0f8fad5b-d9cb-469f-7165-70867728950e",  /* variant 0111 */
    "0f8fad5b-d9cb-469f-c165-70867728950e",  /* variant 1100 */
    "0f8fad5bd-9cb-469f-a165-70867728950e",  /* a dash out of place */
    "0f8fad5b0d9cb0469f0a165070867728950e",  /* no dashes */
    "0f8fad5b-d9cb-469f-a165-70867728950g",
    "0f8fad5b-d9cb-469f-a165-7086772895 e",
    "{f8fad5b-d9cb-469f-a165-70867728950}",
    "00000000-0000-0000-0000-000000000000",
};

static void a_v4_uuid_is_read_in_either_case_and_written_in_lower(void **state)
{
    static const char *const spellings[] = { id_text, "0F8FAD5B-D9CB-469F-A165-70867728950E",
                                             "0f8FAd5b-D9cb-469F-a165-70867728950E" };

    (void)state;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        struct uuid id;
        char text[UUID_TEXT];

        assert_true(uuid_v4(str_of(spellings[i]), &id));
        assert_int_equal(id.b[0], 0x0f);
        assert_int_equal(id.b[15], 0x0e);
        uuid_text(&id, text);
        assert_string_equal(text, id_text);
    }
    assert_true(uuid_v4(str_of("00000000-0000-4000-8000-000000000000"), NULL));
    assert_true(uuid_v4(str_of("ffffffff-ffff-4fff-bfff-ffffffffffff"), NULL));
}

static void everything_else_is_no_v4_uuid(void **state)
{
    struct uuid id, before;

    (void)state;
    memset(&id, 0x5a, sizeof id);
    before = id;
    for (size_t i = 0; i < COUNT(no_ids); i++) {
        _free_ char *text = exact(no_ids[i], strlen(no_ids[i]));

        assert_false(uuid_v4((struct str){ text, strlen(no_ids[i]) }, &id));
    }
    for (size_t i = 0; i < UUID_TEXT - 1; i++) {
        _free_ char *text = exact(id_text, UUID_TEXT);

        text[i] = '_';
        assert_false(uuid_v4(str_of(text), &id));
    }
    assert_false(uuid_v4((struct str){ 0 }, &id));
    assert_memory_equal(&id, &before, sizeof id);
}

/* ---- stamp ---- */

/* clang-format off */
static const struct { const char *text; int64_t sec; uint32_t nano; bool leap; } stamps[] = {
    { "1970-01-01T00:00:00Z", 0, 0, false },
    { "1970-01-01t00:00:00z", 0, 0, false },
    { "1969-12-31T23:59:59.999Z", -1, 999000000, false },
    { "2025-01-19T10:15:30Z", 1737281730, 0, false },
    { "2025-01-19T10:15:30.5Z", 1737281730, 500000000, false },
    { "2025-01-19T10:15:30.123456789Z", 1737281730, 123456789, false },
    { "2025-01-19T10:15:30.000000001Z", 1737281730, 1, false },
    { "2025-01-19T12:15:30+02:00", 1737281730, 0, false },
    { "2025-01-19T04:45:30-05:30", 1737281730, 0, false },
    { "2025-01-20T10:14:30+23:59", 1737281730, 0, false },
    { "2025-01-18T10:16:30-23:59", 1737281730, 0, false },
    { "2025-01-19T10:15:30-00:00", 1737281730, 0, false },
    { "2025-01-19T10:15:30+00:00", 1737281730, 0, false },
    { "2024-02-29T00:00:00Z", 1709164800, 0, false },
    { "2000-02-29T00:00:00Z", 951782400, 0, false },
    { "0001-01-01T00:00:00Z", -62135596800, 0, false },
    { "0001-01-01T23:59:00+23:59", -62135596800, 0, false },
    { "9999-12-31T23:59:59.999999999Z", 253402300799, 999999999, false },
    { "9999-12-31T00:00:59-23:59", 253402300799, 0, false },
    { "9999-12-31T23:59:60Z", 253402300799, 0, true },
    { "1998-12-31T23:59:60Z", 915148799, 0, true },
    { "1998-12-31T23:59:60.123Z", 915148799, 123000000, true },
    { "1998-12-31T15:59:60-08:00", 915148799, 0, true },
    { "1999-01-01T05:29:60+05:30", 915148799, 0, true },
    { "2015-06-30T23:59:60Z", 1435708799, 0, true },
};

static const struct { const char *text, *why; } no_stamps[] = {
    { "", "look like" }, { "yesterday", "look like" }, { "1737281730", "date must look" },
    { "2025-01-19", "time must look" }, { "2025-01-19T", "time must look" },
    { "2025-01-19T10:15Z", "time must look" }, { "2025-01-19T10:15:3Z", "second must be" },
    { "2025-01-19T10:15:30", "zone is missing" }, { "2025-01-19T10:15:30.5", "zone is missing" },
    { "2025-01-19 10:15:30Z", "time must look" }, { "2025-01-19T10-15-30Z", "time must look" },
    { "2025-01-19T10:15-30Z", "time must look" },
    { "2025/01/19T10:15:30Z", "date must look" }, { "2025-01/19T10:15:30Z", "date must look" },
    { "20250119T101530Z", "date must look" }, { "x025-01-19T10:15:30Z", "date must look" },
    { "202x-01-19T10:15:30Z", "date must look" }, { "-025-01-19T10:15:30Z", "date must look" },
    { " 2025-01-19T10:15:30Z", "date must look" },
    { "0000-01-19T10:15:30Z", "0001..9999" }, { "0001-01-01T23:58:59+23:59", "in UTC" },
    { "9999-12-31T00:01:00-23:59", "in UTC" }, { "0001-01-01T23:58:60+23:59", "in UTC" },
    { "2025-00-19T10:15:30Z", "month must be 01..12" },
    { "2025-13-19T10:15:30Z", "month must be 01..12" },
    { "2025-1x-19T10:15:30Z", "month must be 01..12" },
    { "2025-01-00T10:15:30Z", "01..31" }, { "2025-01-32T10:15:30Z", "01..31" },
    { "2025-01-x9T10:15:30Z", "01..31" }, { "2025-04-31T10:15:30Z", "01..30" },
    { "2025-06-31T10:15:30Z", "01..30" }, { "2025-09-31T10:15:30Z", "01..30" },
    { "2025-11-31T10:15:30Z", "01..30" }, { "2025-02-29T10:15:30Z", "01..28" },
    { "1900-02-29T10:15:30Z", "01..28" }, { "2024-02-30T10:15:30Z", "01..29" },
    { "2025-01-19T24:00:00Z", "hour" }, { "2025-01-19Txx:00:00Z", "hour" },
    { "2025-01-19T10:60:30Z", "minute" }, { "2025-01-19T10:15:61Z", "second must be" },
    { "2025-01-19T10:15:-1Z", "second must be" },
    { "2025-01-19T10:15:30.Z", "1 to 9 digits" }, { "2025-01-19T10:15:30.", "1 to 9 digits" },
    { "2025-01-19T10:15:30.1234567890Z", "no more than 9" },
    { "2025-01-19T10:15:30,5Z", "zone must be" }, { "2025-01-19T10:15:30ZZ", "zone must be" },
    { "2025-01-19T10:15:30Z ", "zone must be" }, { "2025-01-19T10:15:30+0200", "zone must be" },
    { "2025-01-19T10:15:30+02", "zone must be" }, { "2025-01-19T10:15:30+02:000", "zone must be" },
    { "2025-01-19T10:15:30*02:00", "zone must be" }, { "2025-01-19T10:15:30+02-00", "zone must be" },
    { "2025-01-19T10:15:30+24:00", "00:00..23:59" }, { "2025-01-19T10:15:30+02:60", "00:00..23:59" },
    { "2025-01-19T10:15:30+x2:00", "00:00..23:59" },
    { "1998-12-31T23:58:60Z", "second 60" }, { "1998-12-31T22:59:60Z", "second 60" },
    { "1998-12-30T23:59:60Z", "second 60" }, { "1998-12-31T23:59:60+01:00", "second 60" },
    { "2015-03-31T23:59:60Z", "second 60" }, { "2015-07-31T23:59:60Z", "second 60" },
    { "2015-06-29T23:59:60Z", "second 60" }, { "2016-02-29T23:59:60Z", "second 60" },
    { "1999-01-05T23:59:60Z", "second 60" }, { "2015-07-10T23:59:60Z", "second 60" },
    { "1999-01-01T10:15:60Z", "second 60" }, { "2015-07-01T00:00:60Z", "second 60" },
};

/* Each row before the next. */
static const char *const in_order[] = {
    "0001-01-01T00:00:00Z", "0001-01-02T00:00:00+23:59", "1969-12-31T23:59:59.9Z",
    "1970-01-01T00:00:00Z", "1998-12-31T23:59:59Z", "1998-12-31T23:59:59.999999999Z",
    "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.5-08:00", "1998-12-31T23:59:60.999999999Z",
    "1999-01-01T00:00:00Z", "1999-01-01T00:00:00.000000001Z", "2025-01-19T12:15:30+02:00",
    "2025-01-19T10:15:30.000000001Z", "9999-12-31T00:00:58-23:59", "9999-12-31T23:59:59Z",
};
/* clang-format on */

static struct stamp read_ok(const char *text)
{
    struct stamp s;
    const char *why;
    _free_ char *copy = exact(text, strlen(text));

    if (!stamp_read((struct str){ copy, strlen(text) }, &s, &why))
        fail_msg("%s: %s", text, why);
    return s;
}

static void date_times_are_read_as_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stamps); i++) {
        struct stamp s = read_ok(stamps[i].text);

        if (s.sec != stamps[i].sec || s.nano != stamps[i].nano || s.leap != stamps[i].leap)
            fail_msg("%s is %jd", stamps[i].text, (intmax_t)s.sec);
    }
}

static void everything_else_is_refused_with_a_reason(void **state)
{
    struct stamp s = { 1, 2, true };

    (void)state;
    for (size_t i = 0; i < COUNT(no_stamps); i++) {
        const char *text = no_stamps[i].text, *why = "nothing";
        _free_ char *copy = exact(text, strlen(text));

        if (stamp_read((struct str){ copy, strlen(text) }, &s, &why))
            fail_msg("'%s' was read", text);
        if (!strstr(why, no_stamps[i].why))
            fail_msg("'%s': %s", text, why);
    }
    assert_true(s.sec == 1 && s.nano == 2 && s.leap);
}

static void instants_are_ordered_whatever_their_offset(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in_order); i++) {
        for (size_t j = 0; j < COUNT(in_order); j++) {
            struct stamp a = read_ok(in_order[i]), b = read_ok(in_order[j]);

            assert_int_equal(stamp_cmp(&a, &b), (i > j) - (i < j));
            assert_true(i > j || stamp_ms(&a) <= stamp_ms(&b));
        }
    }
}

static void milliseconds_are_rounded_down(void **state)
{
    struct stamp before = { -1, 999999999, false }, after = { 0, 999999, false };
    struct stamp leap = { 86399, 5, true };

    (void)state;
    assert_int_equal(stamp_ms(&before), -1);
    assert_int_equal(stamp_ms(&after), 0);
    assert_int_equal(stamp_ms(&leap), 86399999);
}

static void check_text(int64_t ms, const char *want)
{
    char text[STAMP_TEXT];

    stamp_text(ms, text);
    assert_string_equal(text, want);
}

static void unix_time_is_written_in_utc(void **state)
{
    (void)state;
    check_text(0, "1970-01-01T00:00:00.000Z");
    check_text(1737281730000, "2025-01-19T10:15:30.000Z");
    check_text(1737281730789, "2025-01-19T10:15:30.789Z");
    check_text(-1, "1969-12-31T23:59:59.999Z");
    check_text(951868799999, "2000-02-29T23:59:59.999Z");
    check_text(253402300799999, "9999-12-31T23:59:59.999Z");
    check_text(253402300800000, "9999-12-31T23:59:59.999Z");
    check_text(INT64_MAX, "9999-12-31T23:59:59.999Z");
    check_text(-62167219200000, "0000-01-01T00:00:00.000Z");
    check_text(-62167219200001, "0000-01-01T00:00:00.000Z");
    check_text(INT64_MIN, "0000-01-01T00:00:00.000Z");
}

/* The C library's calendar is the judge. 11 does not divide the 146097 days after which the
 * calendar repeats itself, so in 25 such rounds every day of a round gets its turn, twice. */
static void the_calendar_agrees_with_the_c_library(void **state)
{
    const int64_t day = 86400, first = -719162, last = 2932896;

    (void)state;
    for (int64_t d = first; d <= last; d += 11) {
        time_t at = d * day + (d * 7919 % day + day) % day;
        struct tm tm;
        char want[64], text[STAMP_TEXT];
        struct stamp s;
        const char *why;

        assert_non_null(gmtime_r(&at, &tm));
        (void)snprintf(want, sizeof want, "%04d-%02d-%02dT%02d:%02d:%02d.000Z", tm.tm_year + 1900,
                       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        stamp_text(at * 1000, text);
        if (strcmp(text, want) != 0)
            fail_msg("%s is not %s", text, want);
        if (!stamp_read(str_of(text), &s, &why) || s.sec != at)
            fail_msg("%s", text);
    }
}

static void calendar_dates_are_told_from_other_text(void **state)
{
    static const char *const good[] = { "2026-01-16", "2024-02-29", "0001-01-01", "9999-12-31" };
    static const char *const bad[] = { "",           "2026-01-1",  "2026-1-16",   "2026-01-16Z",
                                       "2026-02-29", "2026-13-01", "0000-01-01",  "2026/01/16",
                                       "20260116",   "2026-01-00", "2026-01-16 ", "2026-04-31" };

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(stamp_date(str_of(good[i])));
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(stamp_date(str_of(bad[i])));
    assert_false(stamp_date((struct str){ 0 }));
}

/* ---- world ---- */

static void the_fake_world_repeats_itself(void **state)
{
    struct fake_world a, b;
    uint8_t x[32], y[32];
    char text[UUID_TEXT];

    (void)state;
    fake_world_init(&a, 1000);
    fake_world_init(&b, 1000);
    fake_world_tick(&a, 500);
    assert_int_equal(a.world.wall_ms(a.world.self), 1500);
    assert_int_equal(a.world.mono_ms(a.world.self), 1500);
    assert_int_equal(b.world.wall_ms(b.world.self), 1000);
    struct uuid first = a.world.new_id(a.world.self), second = a.world.new_id(a.world.self);
    uuid_text(&first, text);
    assert_string_equal(text, "00000000-0000-4000-8000-000000000001");
    uuid_text(&second, text);
    assert_string_equal(text, "00000000-0000-4000-8000-000000000002");
    /* In one draw or in two, the bytes are the same; and they go on. */
    a.world.chance(a.world.self, x, sizeof x);
    b.world.chance(b.world.self, y, 5);
    b.world.chance(b.world.self, y + 5, sizeof y - 5);
    assert_memory_equal(x, y, sizeof x);
    a.world.chance(a.world.self, x, sizeof x);
    assert_memory_not_equal(x, y, sizeof x);
}

static void the_real_world_moves(void **state)
{
    const struct world *w = world_real();
    uint8_t x[1024] = { 0 }, y[1024] = { 0 };
    char text[UUID_TEXT];
    int64_t mono = w->mono_ms(w->self);

    (void)state;
    assert_true(w->mono_ms(w->self) >= mono);
    assert_true(w->wall_ms(w->self) > 1700000000000);
    assert_true(w->wall_ms(w->self) < 253402300800000);
    struct uuid a = w->new_id(w->self), b = w->new_id(w->self);
    assert_memory_not_equal(&a, &b, sizeof a);
    uuid_text(&a, text);
    assert_true(uuid_v4(str_of(text), NULL));
    w->chance(w->self, x, sizeof x);
    w->chance(w->self, y, sizeof y);
    assert_memory_not_equal(x, y, sizeof x);
    assert_memory_not_equal(x + 1000, y + 1000, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_that_fit_are_read),
        cmocka_unit_test(everything_else_is_no_whole_number),
        cmocka_unit_test(a_v4_uuid_is_read_in_either_case_and_written_in_lower),
        cmocka_unit_test(everything_else_is_no_v4_uuid),
        cmocka_unit_test(date_times_are_read_as_instants),
        cmocka_unit_test(everything_else_is_refused_with_a_reason),
        cmocka_unit_test(instants_are_ordered_whatever_their_offset),
        cmocka_unit_test(milliseconds_are_rounded_down),
        cmocka_unit_test(unix_time_is_written_in_utc),
        cmocka_unit_test(the_calendar_agrees_with_the_c_library),
        cmocka_unit_test(calendar_dates_are_told_from_other_text),
        cmocka_unit_test(the_fake_world_repeats_itself),
        cmocka_unit_test(the_real_world_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
