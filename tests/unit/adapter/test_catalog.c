/* SPDX-License-Identifier: Apache-2.0 */
/* test_catalog.c: adapters of three origins as one list, found by id and name, and loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/adapter/place.h"

#define PROJECT "project/.writ/adapters/"
#define USER    "user/adapters/"

static void R_001_138_a_list_has_four_members_and_where_each_comes_from(void **state)
{
    struct place *p = *state;
    const struct catalog_entry *e;

    place_adapter(p, PROJECT "b.yaml", "B", "TL-1", "");
    place_adapter(p, PROJECT "a.yml", "A", "TL-2", "");
    place_put(p, USER "c.json",
              "{\"adapter_id\":\"C\",\"name\":\"see\",\"tool_id\":\"TL-3\",\"type\":\"api\"}");
    place_put(p, PROJECT "notes.txt", "not looked at");
    place_put(p, PROJECT ".hidden.yaml", "not looked at");
    (void)place_list(p);
    assert_int_equal(p->c.n, 3 + shipped_count);
    assert_int_equal(p->c.fault_count, 0);
    for (size_t i = 1; i < p->c.n; i++)
        assert_true(str_cmp(p->c.v[i - 1].adapter_id, p->c.v[i].adapter_id) < 0);
    e = place_entry(&p->c, "C", ORIGIN_USER);
    assert_non_null(e);
    assert_true(str_is(e->name, "see") && str_is(e->tool_id, "TL-3"));
    assert_int_equal(e->type, ADAPTER_API);
    assert_string_equal(e->path, place_path(p, USER "c.json"));
    assert_string_equal(place_entry(&p->c, "A", ORIGIN_PROJECT)->path,
                        place_path(p, PROJECT "a.yml"));
    assert_string_equal(place_entry(&p->c, "ADP-001", ORIGIN_SHIPPED)->path, "ripgrep.yaml");
}

static void R_001_138_what_cannot_be_skimmed_is_parsed(void **state)
{
    struct place *p = *state;

    place_put(p, PROJECT "a.yaml",
              "{type: mcp, name: \"n\\u0061me\", interface: 1, tool_id: T, adapter_id: \xc3\xa4}");
    (void)place_list(p);
    assert_non_null(place_entry(&p->c, "\xc3\xa4", ORIGIN_PROJECT));
    assert_true(str_is(place_entry(&p->c, "\xc3\xa4", ORIGIN_PROJECT)->name, "name"));
    assert_int_equal(place_entry(&p->c, "\xc3\xa4", ORIGIN_PROJECT)->type, ADAPTER_MCP);
}

static void R_001_081_two_of_one_origin_are_a_fault_and_ambiguous(void **state)
{
    struct place *p = *state;
    const struct catalog_entry *e;

    place_adapter(p, PROJECT "a.yaml", "A", "T", "");
    place_adapter(p, PROJECT "b.yaml", "A", "T", "");
    place_adapter(p, USER "c.yaml", "A", "T", "");
    (void)place_list(p);
    assert_int_equal(p->c.fault_count, 1);
    assert_string_equal(p->c.faults[0].path, place_path(p, PROJECT "b.yaml"));
    assert_non_null(strstr(p->c.faults[0].why, "a.yaml"));
    assert_true(place_entry(&p->c, "A", ORIGIN_PROJECT)->twice);
    assert_false(place_entry(&p->c, "A", ORIGIN_USER)->twice);
    assert_true(place_entry(&p->c, "A", ORIGIN_USER)->shadowed);
    assert_false(catalog_find(&p->c, str_of("A"), &p->a, &e, &p->e));
    assert_int_equal(p->e.code, CODE_ADAPTER_AMBIGUOUS);
    assert_false(catalog_find(&p->c, str_of("name-of-A"), &p->a, &e, &p->e));
    assert_int_equal(p->e.code, CODE_ADAPTER_AMBIGUOUS);
}

static void R_001_081_the_nearer_origin_holds_and_the_list_says_so(void **state)
{
    struct place *p = *state;
    const struct catalog_entry *e;

    place_adapter(p, PROJECT "a.yaml", "ADP-001", "T", "");
    place_adapter(p, USER "a.yaml", "ADP-001", "T", "");
    place_adapter(p, USER "b.yaml", "ADP-003", "T", "");
    (void)place_list(p);
    assert_int_equal(p->c.fault_count, 0);
    assert_true(catalog_find(&p->c, str_of("ADP-001"), &p->a, &e, &p->e));
    assert_int_equal(e->origin, ORIGIN_PROJECT);
    assert_false(e->shadowed);
    assert_true(place_entry(&p->c, "ADP-001", ORIGIN_USER)->shadowed);
    assert_true(place_entry(&p->c, "ADP-001", ORIGIN_SHIPPED)->shadowed);
    assert_true(catalog_find(&p->c, str_of("ADP-003"), &p->a, &e, &p->e));
    assert_int_equal(e->origin, ORIGIN_USER);
    assert_false(place_entry(&p->c, "ADP-002", ORIGIN_SHIPPED)->shadowed);
    /* what is shadowed does not go by its name, either */
    assert_false(catalog_find(&p->c, str_of("ripgrep-search"), &p->a, &e, &p->e));
    assert_int_equal(p->e.code, CODE_ADAPTER_UNKNOWN);
}

static void an_adapter_is_found_by_its_name_and_an_unknown_one_is_guessed(void **state)
{
    struct place *p = *state;
    const struct catalog_entry *e;

    place_adapter(p, PROJECT "a.yaml", "A", "T", "");
    place_adapter(p, USER "b.yaml", "name-of-A", "T", "");
    (void)place_list(p);
    assert_true(catalog_find(&p->c, str_of("ripgrep-search"), &p->a, &e, &p->e));
    assert_true(str_is(e->adapter_id, "ADP-001"));
    assert_true(catalog_find(&p->c, str_of("name-of-A"), &p->a, &e, &p->e)); /* the id first */
    assert_int_equal(e->origin, ORIGIN_USER);
    assert_false(catalog_find(&p->c, str_of("ripgrep-serch"), &p->a, &e, &p->e));
    assert_int_equal(p->e.code, CODE_ADAPTER_UNKNOWN);
    assert_non_null(strstr(p->e.msg, "did you mean 'ripgrep-search'?"));
    assert_false(catalog_find(&p->c, str_of(""), &p->a, &e, &p->e));
}

static void what_is_no_adapter_is_a_fault_and_hides_no_other(void **state)
{
    static const struct {
        const char *file, *text, *why;
    } rows[] = {
        { PROJECT "1.yaml", "adapter_id: [", "this is not YAML" },
        { PROJECT "2.yaml", "steps: []", "'adapter_id' must be a text" },
        { PROJECT "3.yaml", "adapter_id: a\nname: b\ntool_id: c\ntype: x\n", "'type' must be" },
        { PROJECT "4.json", "{\"adapter_id\": 1}", "'adapter_id' must be a text" },
        { PROJECT "5.yaml", "- a", "not a map" },
        { PROJECT "6.yaml", "", "empty" },
    };
    struct place *p = *state;

    for (size_t i = 0; i < COUNT(rows); i++)
        place_put(p, rows[i].file, rows[i].text);
    assert_int_equal(mkdir(place_path(p, PROJECT "7.yaml"), 0755), 0);
    assert_int_equal(mkfifo(place_path(p, PROJECT "8.yaml"), 0644), 0);
    assert_int_equal(symlink("nowhere", place_path(p, PROJECT "9.yaml")), 0);
    place_adapter(p, PROJECT "good.yaml", "GOOD", "T", "");
    (void)place_list(p);
    assert_int_equal(p->c.n, 1 + shipped_count);
    assert_int_equal(p->c.fault_count, COUNT(rows) + 3);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(p->c.faults[i].path, place_path(p, rows[i].file));
        if (!strstr(p->c.faults[i].why, rows[i].why))
            fail_msg("%s: %s", rows[i].file, p->c.faults[i].why);
    }
    assert_string_equal(p->c.faults[COUNT(rows)].why, "is no ordinary file");
    assert_string_equal(p->c.faults[COUNT(rows) + 1].why, "is no ordinary file");
    assert_non_null(strstr(p->c.faults[COUNT(rows) + 2].why, "cannot be opened"));
}

static void a_directory_that_is_none_is_a_fault(void **state)
{
    struct place *p = *state;

    place_put(p, "project/.writ/adapters", "a file");
    (void)place_list(p);
    assert_int_equal(p->c.fault_count, 1);
    assert_int_equal(p->c.n, shipped_count);
}

static void an_adapter_is_loaded_with_its_tree_and_digest(void **state)
{
    struct place *p = *state;
    const struct catalog_entry *e;
    struct adapter one, other;
    struct report r;

    place_adapter(p, PROJECT "a.yaml", "A", "T", "");
    place_adapter(p, USER "b.yaml", "B", "T", "");
    (void)place_list(p);
    assert_true(catalog_find(&p->c, str_of("A"), &p->a, &e, &p->e));
    assert_true(catalog_load(&p->ask, e, &p->a, &one, &r));
    assert_true(str_is(one.doc.adapter_id, "A"));
    assert_non_null(one.doc.interface->cli);
    assert_string_equal(one.directory, p->ask.project);
    assert_true(catalog_find(&p->c, str_of("B"), &p->a, &e, &p->e));
    assert_true(catalog_load(&p->ask, e, &p->a, &other, &r));
    assert_string_equal(other.directory, place_path(p, "user/adapters"));
    assert_memory_not_equal(&one.digest, &other.digest, sizeof one.digest);
}

static void what_is_wrong_further_down_is_said_when_it_is_loaded(void **state)
{
    struct place *p = *state;
    const struct catalog_entry *e;
    struct adapter adapter;
    struct report r;

    place_put(p, PROJECT "a.yaml", "adapter_id: A\nname: b\ntool_id: T\ntype: cli\ninterface: 1\n");
    (void)place_list(p);
    assert_true(catalog_find(&p->c, str_of("A"), &p->a, &e, &p->e));
    assert_false(catalog_load(&p->ask, e, &p->a, &adapter, &r));
    report_finish(&r);
    assert_true(r.errors > 0);
    assert_int_equal(unlink(e->path), 0);
    assert_false(catalog_load(&p->ask, e, &p->a, &adapter, &r));
    assert_int_equal(r.errors, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(R_001_138_a_list_has_four_members_and_where_each_comes_from),
        TEST(R_001_138_what_cannot_be_skimmed_is_parsed),
        TEST(R_001_081_two_of_one_origin_are_a_fault_and_ambiguous),
        TEST(R_001_081_the_nearer_origin_holds_and_the_list_says_so),
        TEST(an_adapter_is_found_by_its_name_and_an_unknown_one_is_guessed),
        TEST(what_is_no_adapter_is_a_fault_and_hides_no_other),
        TEST(a_directory_that_is_none_is_a_fault),
        TEST(an_adapter_is_loaded_with_its_tree_and_digest),
        TEST(what_is_wrong_further_down_is_said_when_it_is_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
