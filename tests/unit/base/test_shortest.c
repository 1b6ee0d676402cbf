/* SPDX-License-Identifier: Apache-2.0 */
/* test_shortest.c: doubles are written as ECMAScript writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/shortest.h"

void oracle_double(double v, char *out, int size);

struct row {
    uint64_t bits;
    const char *text;
};

/* RFC 8785, appendix B. */
/* clang-format off */
static const struct row appendix_b[] = {
    { 0x0000000000000000, "0" },
    { 0x8000000000000000, "0" },
    { 0x0000000000000001, "5e-324" },
    { 0x8000000000000001, "-5e-324" },
    { 0x7fefffffffffffff, "1.7976931348623157e+308" },
    { 0xffefffffffffffff, "-1.7976931348623157e+308" },
    { 0x4340000000000000, "9007199254740992" },
    { 0xc340000000000000, "-9007199254740992" },
    { 0x4430000000000000, "295147905179352830000" },
    { 0x44b52d02c7e14af5, "9.999999999999997e+22" },
    { 0x44b52d02c7e14af6, "1e+23" }, /* exactly half-way to the next: even takes it */
    { 0x44b52d02c7e14af7, "1.0000000000000001e+23" },
    { 0x444b1ae4d6e2ef4e, "999999999999999700000" },
    { 0x444b1ae4d6e2ef4f, "999999999999999900000" },
    { 0x444b1ae4d6e2ef50, "1e+21" },
    { 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" },
    { 0x3eb0c6f7a0b5ed8d, "0.000001" },
    { 0x41b3de4355555553, "333333333.3333332" },
    { 0x41b3de4355555554, "333333333.33333325" },
    { 0x41b3de4355555555, "333333333.3333333" },
    { 0x41b3de4355555556, "333333333.3333334" },
    { 0x41b3de4355555557, "333333333.33333343" },
    { 0xbecbf647612f3696, "-0.0000033333333333333333" },
    { 0x43143ff3c1cb0959, "1424953923781206.2" },
};

static const struct { double v; const char *text; } known[] = {
    { 1, "1" }, { -1, "-1" }, { 100, "100" }, { 0.5, "0.5" }, { -0.25, "-0.25" },
    { 0.1, "0.1" }, { 0.1 + 0.2, "0.30000000000000004" }, { 123.456, "123.456" },
    { 1e20, "100000000000000000000" }, { 1e21, "1e+21" }, { 1.5e21, "1.5e+21" },
    { 123456789012345680000., "123456789012345680000" },
    { 1e-6, "0.000001" }, { 1e-7, "1e-7" }, { 1.5e-7, "1.5e-7" }, { 1.25e-6, "0.00000125" },
    { 9007199254740991, "9007199254740991" }, { 9007199254740994, "9007199254740994" },
    { 9007199254740996, "9007199254740996" }, { 0.999999999999999, "0.999999999999999" },
    { 99999999999999.9, "99999999999999.9" }, { 999999999999999.9, "999999999999999.9" },
    { 1e-22, "1e-22" }, { 1.7e-22, "1.7e-22" }, { 1e-23, "1e-23" },
    /* The nearest 16 digits end in 1, but below a power of two the neighbour is too near. */
    { 0x1p-44, "5.684341886080802e-14" },
    /* Smallest normal, largest subnormal, and some of the smallest. */
    { 0x1p-1022, "2.2250738585072014e-308" },
    { 0x0.fffffffffffffp-1022, "2.225073858507201e-308" },
    { 0x1p-1073, "1e-323" }, { 0x3p-1074, "1.5e-323" },
    { 0x1p-1072, "2e-323" }, { 0x13p-1074, "9.4e-323" },
    { 0x1p-20, "9.5367431640625e-7" }, { 0x1p60, "1152921504606847000" },
};
/* clang-format on */

static void check(double v, const char *want)
{
    char text[SHORTEST_MAX];
    size_t n = shortest_double(v, text);

    assert_string_equal(text, want);
    assert_int_equal(n, strlen(want));
}

static void check_oracle(double v)
{
    char want[64];

    oracle_double(v, want, sizeof want);
    check(v, want);
}

static double of_bits(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void rfc_8785_appendix_b_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(appendix_b); i++)
        check(of_bits(appendix_b[i].bits), appendix_b[i].text);
}

static void known_hard_cases_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        check(known[i].v, known[i].text);
        check_oracle(known[i].v);
    }
}

/* v and the doubles on both sides, of both signs. */
static void check_around(double v)
{
    check_oracle(v);
    check_oracle(-v);
    check_oracle(nextafter(v, INFINITY));
    check_oracle(nextafter(v, 0));
}

static void powers_and_their_neighbours_agree_with_v8(void **state)
{
    char text[16];

    (void)state;
    for (int e = -1074; e <= 1023; e++)
        check_around(ldexp(1, e));
    for (int e = -323; e <= 308; e++) {
        for (int digit = 1; digit <= 9; digit++) {
            (void)snprintf(text, sizeof text, "%de%d", digit, e);
            double v = strtod(text, NULL);
            if (isfinite(v))
                check_around(v);
        }
    }
}

static void short_decimals_agree_with_v8(void **state)
{
    uint64_t seed = 0x243f6a8885a308d3;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t r = next(&seed);
        double whole = (double)(r >> (12 + r % 50));

        check_oracle(whole / pow(10, (double)(r >> 8 & 31)));
        check_oracle(whole * pow(10, (double)(r >> 8 & 31)));
    }
}

static void random_bits_agree_with_v8(void **state)
{
    const char *set = getenv("WRIT_DOUBLES");
    long count = set ? strtol(set, NULL, 10) : 100000;
    uint64_t seed = 0x13198a2e03707344;

    (void)state;
    for (long i = 0; i < count; i++) {
        double v = of_bits(next(&seed));

        if (isfinite(v))
            check_oracle(v);
    }
    print_message("# %ld doubles\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_8785_appendix_b_holds),
        cmocka_unit_test(known_hard_cases_hold),
        cmocka_unit_test(powers_and_their_neighbours_agree_with_v8),
        cmocka_unit_test(short_decimals_agree_with_v8),
        cmocka_unit_test(random_bits_agree_with_v8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
