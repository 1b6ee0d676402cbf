/* SPDX-License-Identifier: Apache-2.0 */
/* test_sha256_x86_model.c: the SHA-NI block function agrees with the plain one, on any machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Under its own name: on x86 the library brings the real sha256_x86. */
#define sha256_x86 sha256_x86_model
#include "sha256_x86_model.h"

#include "base/sha256_x86.c"

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void blocks_give_what_the_plain_ones_give(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15;

    (void)state;
    for (int i = 0; i < 400; i++) {
        uint8_t blocks[3 * 64];
        uint32_t a[8], b[8];

        for (size_t j = 0; j < sizeof blocks; j++)
            blocks[j] = (uint8_t)(next(&seed) >> 32);
        for (size_t j = 0; j < 8; j++)
            a[j] = b[j] = (uint32_t)(next(&seed) >> 32);
        sha256_x86_model.fold(a, blocks, (size_t)i % 4);
        sha256_plain.fold(b, blocks, (size_t)i % 4);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void two_messages_side_by_side_give_what_each_gives_alone(void **state)
{
    uint64_t seed = 0xd1b54a32d192ed03;

    (void)state;
    for (int i = 0; i < 400; i++) {
        uint8_t blocks[2][3 * 64];
        const uint8_t *const bytes[2] = { blocks[0], blocks[1] };
        uint32_t a[2][8], b[2][8], *const both[2] = { a[0], a[1] };

        for (size_t j = 0; j < sizeof blocks; j++)
            ((uint8_t *)blocks)[j] = (uint8_t)(next(&seed) >> 32);
        for (size_t j = 0; j < 16; j++)
            ((uint32_t *)a)[j] = ((uint32_t *)b)[j] = (uint32_t)(next(&seed) >> 32);
        sha256_x86_model.fold_lanes(both, bytes, (size_t)i % 4);
        for (int k = 0; k < 2; k++)
            sha256_plain.fold(b[k], blocks[k], (size_t)i % 4);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void a_cpu_without_any_of_the_features_is_refused(void **state)
{
    static const uint32_t all7 = 1u << 29, all1 = 1u << 9 | 1u << 19;

    (void)state;
    assert_true(sha256_x86_model.works());
    model_leaf7_ebx = ~all7;
    assert_false(sha256_x86_model.works());
    model_leaf7_ebx = all7;
    model_leaf1_ecx = ~(1u << 9);
    assert_false(sha256_x86_model.works());
    model_leaf1_ecx = ~(1u << 19);
    assert_false(sha256_x86_model.works());
    model_leaf1_ecx = all1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_give_what_the_plain_ones_give),
        cmocka_unit_test(two_messages_side_by_side_give_what_each_gives_alone),
        cmocka_unit_test(a_cpu_without_any_of_the_features_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
