/* SPDX-License-Identifier: Apache-2.0 */
/* test_catalog_choose.c: the contract's way of loading: by tool, level by level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/disclose.h"
#include "unit/adapter/place.h"

#define PROJECT "project/.writ/adapters/"
#define USER    "user/adapters/"

static bool choose(struct place *p, const struct catalog_want *want, struct catalog_choice *out)
{
    struct catalog c;

    *out = (struct catalog_choice){ 0 };
    return catalog_list(&p->ask, &p->a, &c, &p->e) && catalog_pick(&c, want, &p->a, out, &p->e);
}

static void R_001_142_R_001_144_one_that_matches_is_taken_without_L1(void **state)
{
    struct place *p = *state;
    struct catalog_want want = { .tool_id = str_of("TL-1"), .type = -1 };
    struct catalog_choice c;

    place_adapter(p, PROJECT "a.yaml", "A", "TL-1", "");
    place_adapter(p, PROJECT "b.yaml", "B", "TL-2", "");
    assert_true(choose(p, &want, &c));
    assert_true(str_is(c.entry->adapter_id, "A"));
    assert_int_equal(c.listed, 2 + shipped_count);
    assert_int_equal(c.compared, 0);
}

static void R_001_143_L0_comes_from_the_cache_when_it_is_there(void **state)
{
    struct place *p = *state;
    struct catalog_want want = { .tool_id = str_of("TL-1"), .type = -1 };
    struct catalog_choice c;

    place_adapter(p, PROJECT "a.yaml", "A", "TL-1", "");
    assert_true(choose(p, &want, &c));
    assert_false(c.from_cache);
    assert_true(choose(p, &want, &c));
    assert_true(c.from_cache);
    assert_true(str_is(c.entry->adapter_id, "A"));
}

static void R_001_144_R_001_145_of_several_the_one_that_does_the_task_is_chosen(void **state)
{
    struct place *p = *state;
    struct catalog_want want = { .tool_id = str_of("TL-1"),
                                 .operation = str_of("two"),
                                 .type = -1 };
    struct catalog_choice c;

    place_adapter(p, PROJECT "a.yaml", "A", "TL-1", "operations: {one: {}}\n");
    place_adapter(p, PROJECT "b.yaml", "B", "TL-1", "operations: {two: {}}\n");
    place_adapter(p, USER "c.yaml", "C", "TL-1", "operations: {two: {}}\n");
    assert_true(choose(p, &want, &c));
    assert_true(str_is(c.entry->adapter_id, "B"));
    assert_int_equal(c.compared, 3);
    want.operation = str_of("three");
    assert_false(choose(p, &want, &c));
    assert_int_equal(p->e.code, CODE_ADAPTER_UNKNOWN);
}

static void R_001_145_R_001_159_the_tools_version_and_the_type_decide(void **state)
{
    struct place *p = *state;
    struct catalog_want want = { .tool_id = str_of("TL-1"), .type = -1 };
    struct catalog_choice c;

    place_adapter(p, PROJECT "a.yaml", "A", "TL-1", "tool_version: \"13+\"\n");
    place_adapter(p, PROJECT "b.yaml", "B", "TL-1", "tool_version: \"12\"\n");
    want.installed = str_of("12.4.0");
    assert_true(choose(p, &want, &c));
    assert_true(str_is(c.entry->adapter_id, "B"));
    want.installed = str_of("13.0.0");
    assert_true(choose(p, &want, &c));
    assert_true(str_is(c.entry->adapter_id, "A"));
    want.installed = str_of("11.0.0");
    assert_false(choose(p, &want, &c));
    want = (struct catalog_want){ .tool_id = str_of("TL-1"), .type = ADAPTER_API };
    assert_false(choose(p, &want, &c));
    want.type = ADAPTER_CLI; /* of those that suit, the first by adapter_id */
    assert_true(choose(p, &want, &c));
    assert_true(str_is(c.entry->adapter_id, "A"));
}

static void one_whose_id_is_given_twice_is_never_chosen(void **state)
{
    struct place *p = *state;
    struct catalog_want want = { .tool_id = str_of("TL-1"), .type = -1 };
    struct catalog_choice c;

    place_adapter(p, PROJECT "a.yaml", "A", "TL-1", "");
    place_adapter(p, PROJECT "b.yaml", "A", "TL-1", "");
    assert_false(choose(p, &want, &c));
    assert_int_equal(p->e.code, CODE_ADAPTER_UNKNOWN);
    place_adapter(p, PROJECT "c.yaml", "C", "TL-1", "");
    assert_true(choose(p, &want, &c));
    assert_true(str_is(c.entry->adapter_id, "C"));
}

/* Which members of ADP-003 each level has. */
static void R_001_138_R_001_139_R_001_140_R_001_141_each_level_adds_to_the_one_before(void **state)
{
    static const struct {
        const char *member;
        enum level from;
    } rows[] = {
        { "\"adapter_id\":", L0 }, { "\"name\":", L0 },         { "\"tool_id\":", L0 },
        { "\"type\":", L0 },       { "\"tool_mapping\":", L1 }, { "\"transport\":", L2 },
        { "\"transforms\":", L2 }, { "\"errors\":", L2 },       { "\"sandbox_override\":", L2 },
        { "\"metadata\":", L3 },
    };
    struct place *p = *state;
    struct catalog_want want = { .tool_id = str_of("TL-200"), .type = -1 };
    struct catalog_choice c;
    struct adapter adapter;
    struct report r;

    assert_true(choose(p, &want, &c) && catalog_load(&p->ask, c.entry, &p->a, &adapter, &r));
    for (enum level level = L0; level <= L3; level++) {
        _buf_ struct buf shown = { .max = 1 << 20 };

        adapter_disclose(adapter.tree, level, &shown);
        for (size_t i = 0; i < COUNT(rows); i++)
            if ((strstr(shown.s, rows[i].member) != NULL) != (level >= rows[i].from))
                fail_msg("%s at L%d: %s", rows[i].member, (int)level, shown.s);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(R_001_142_R_001_144_one_that_matches_is_taken_without_L1),
        TEST(R_001_143_L0_comes_from_the_cache_when_it_is_there),
        TEST(R_001_144_R_001_145_of_several_the_one_that_does_the_task_is_chosen),
        TEST(R_001_145_R_001_159_the_tools_version_and_the_type_decide),
        TEST(one_whose_id_is_given_twice_is_never_chosen),
        TEST(R_001_138_R_001_139_R_001_140_R_001_141_each_level_adds_to_the_one_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
