/* SPDX-License-Identifier: Apache-2.0 */
/* test_repeatable.c: each of the six rows of determinism, both ways, and the key of a result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/repeatable.h"
#include "base/json_read.h"
#include "contract/shape.h"

static const struct digest adapter = { { 1 } }, program = { { 2 } }, libraries = { { 3 } },
                           contents = { { 4 } }, others = { { 5 } };

/* jq, say, over two files that the request lists, in a directory that has nothing in it. */
static const struct repeat_place places[] = {
    { "/work/a.json", PLACE_FILE, &contents, false, false },
    { "/work/b.json", PLACE_FILE, &others, false, false },
    { "/run/empty", PLACE_EMPTY, NULL, false, false },
    { "/opt/jq/bin/jq", PLACE_FILE, &program, true, false },
};

static const struct pair environment[] = { { { "LC_ALL", 6 }, { "C.UTF-8", 7 } },
                                           { { "TZ", 2 }, { "UTC", 3 } } };

struct ground {
    struct arena a;
    struct repeat_facts f;
    struct repeat_place places[COUNT(places)];
    struct pair environment[COUNT(environment)];
};

static const struct doc *params(struct ground *g, const char *text)
{
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;

    assert_true(json_read("params", str_of(text), &max, &g->a, &d, &e));
    return &d->root;
}

static int begin(void **state)
{
    struct ground *g = mem_zeroed(sizeof *g);

    memcpy(g->places, places, sizeof places);
    memcpy(g->environment, environment, sizeof environment);
    g->f = (struct repeat_facts){
        .adapter_id = str_of("ADP-007"),
        .adapter_version = str_of("1.0.0"),
        .operation = str_of("filter"),
        .adapter = &adapter,
        .executable = &program,
        .system = &libraries,
        .params = params(g, "{\"filter\":\".a\",\"raw\":true}"),
        .directory = "/run/empty",
        .environment = g->environment,
        .environment_count = COUNT(environment),
        .places = g->places,
        .place_count = COUNT(places),
        .seeded = true,
        .timeless = true,
        .network = NET_OFFLINE,
        .timeout_ms = 30000,
        .memory_mb = 512,
        .cpu_cores = 1,
        .max_children = 10,
        .mode = "stable",
    };
    *state = g;
    return 0;
}

static int end(void **state)
{
    struct ground *g = *state;

    arena_free(&g->a);
    free(g);
    return 0;
}

static void holds(struct ground *g)
{
    struct repeat_verdict v;

    repeatable(&g->f, &g->a, &v);
    for (size_t i = 0; i < REPEAT_COUNT; i++)
        assert_null(v.why[i]);
    assert_true(v.all);
}

/* That row and no other says no, with these words; then the facts are as they were. */
static void says_no(struct ground *g, enum repeat row, const char *why)
{
    struct repeat_verdict v;

    repeatable(&g->f, &g->a, &v);
    assert_false(v.all);
    for (size_t i = 0; i < REPEAT_COUNT; i++)
        if (i != row)
            assert_null(v.why[i]);
    assert_non_null(v.why[row]);
    assert_string_equal(v.why[row], why);
}

static void A01_13_all_six_rows_hold_for_listed_files_and_no_network(void **state)
{
    holds(*state);
}

static void R_001_148_versions_of_adapter_tool_and_libraries_are_pinned(void **state)
{
    struct ground *g = *state;
    const struct repeat_facts right = g->f;

    g->f.adapter_version = str_of("");
    says_no(g, REPEAT_VERSIONS, "version pinning: the adapter's version is not known");
    g->f = right;
    g->f.adapter = NULL;
    says_no(g, REPEAT_VERSIONS, "version pinning: the adapter's version is not known");
    g->f = right;
    g->f.executable = NULL;
    says_no(g, REPEAT_VERSIONS, "version pinning: the tool's version is not pinned");
    g->f.tool_version = str_of("1.7.1");
    holds(g);
    g->f = right;
    g->f.system = NULL;
    says_no(g, REPEAT_VERSIONS, "version pinning: the system's libraries are not known");
    g->f = right;
    g->places[3] = (struct repeat_place){ "/home/u/.pyenv", PLACE_TREE, NULL, true, false };
    says_no(g, REPEAT_VERSIONS, "version pinning: it runs on /home/u/.pyenv, which has no digest");
}

static void R_001_149_all_that_could_be_read_is_listed_and_unchanged(void **state)
{
    struct ground *g = *state;
    const struct repeat_facts right = g->f;

    g->f.secrets = true;
    says_no(g, REPEAT_INPUTS, "fixed inputs: it was handed a secret, and no key has one in it");
    g->f = right;
    g->f.cut = true;
    says_no(g, REPEAT_INPUTS, "fixed inputs: not all of its input was given to it");
    g->f = right;
    g->f.lasting = true;
    says_no(g, REPEAT_INPUTS, "fixed inputs: the server was asked before, and may remember");
    g->f = right;
    g->places[0].digest = NULL;
    says_no(g, REPEAT_INPUTS, "fixed inputs: /work/a.json has no digest, or changed meanwhile");
    g->places[0] = places[0];
    g->f.place_count = 0;
    holds(g);
}

static void R_001_149_R_001_151_a_tree_is_neither_listed_nor_in_order(void **state)
{
    struct ground *g = *state;
    struct repeat_verdict v;

    g->places[2] = (struct repeat_place){ "/work", PLACE_TREE, NULL, false, false };
    repeatable(&g->f, &g->a, &v);
    assert_false(v.all);
    assert_string_equal(v.why[REPEAT_INPUTS], "fixed inputs: it could read all of /work");
    assert_string_equal(v.why[REPEAT_FILESYSTEM],
                        "stable filesystem: the files of /work come in the order of the disk");
    assert_null(v.why[REPEAT_VERSIONS]);
    assert_null(v.why[REPEAT_NETWORK]);
}

static void R_001_150_chance_is_seeded_or_not_drawn(void **state)
{
    struct ground *g = *state;

    g->f.seeded = false;
    says_no(g, REPEAT_RANDOMNESS,
            "controlled randomness: the adapter does not say that filter is deterministic");
}

static void R_001_151_nothing_is_written_and_no_directory_listed(void **state)
{
    struct ground *g = *state;

    g->places[2].written = true;
    says_no(g, REPEAT_FILESYSTEM, "stable filesystem: it could write to /run/empty");
    g->places[2] = places[2];
    g->places[1].written = true;
    says_no(g, REPEAT_FILESYSTEM, "stable filesystem: it could write to /work/b.json");
}

static void R_001_152_nothing_beyond_the_machine_is_reached(void **state)
{
    struct ground *g = *state;
    struct str host = str_of("api.example.com");

    g->f.network = NET_API;
    says_no(g, REPEAT_NETWORK, "no network variance: the network is api, not offline");
    g->f.hosts = &host;
    g->f.host_count = 1;
    says_no(g, REPEAT_NETWORK, "no network variance: api.example.com was reached");
    g->f.network = NET_OFFLINE;
    says_no(g, REPEAT_NETWORK, "no network variance: api.example.com was reached");
}

static void R_001_153_no_clock_is_read(void **state)
{
    struct ground *g = *state;

    g->f.timeless = false;
    says_no(g, REPEAT_TIME, "timestamp handling: filter could read the clock");
}

/* ---- the key ---- */

static bool same_key(struct ground *g, const struct repeat_facts *other)
{
    struct digest a = repeat_key(&g->f, &g->a), b = repeat_key(other, &g->a);

    return memcmp(&a, &b, sizeof a) == 0;
}

static void R_001_149_equal_calls_have_one_key(void **state)
{
    struct ground *g = *state;
    struct repeat_facts other = g->f;

    assert_true(same_key(g, &other));
    other.params = params(g, "{ \"raw\" : true, \"filter\" : \"\\u002ea\" }");
    assert_true(same_key(g, &other));
    other.host_count = 0;
    other.cut = true; /* found out later, or no part of the call */
    assert_true(same_key(g, &other));
}

static void R_001_148_R_001_149_R_001_156_whatever_changes_has_another_key(void **state)
{
    struct ground *g = *state;
    struct pair more[] = { environment[0], { environment[1].key, str_of("CET") } };
    struct repeat_place changed[COUNT(places)], moved[COUNT(places)];
    struct repeat_facts rows[20];
    size_t n = 0;

    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i] = g->f;
    memcpy(changed, places, sizeof places);
    memcpy(moved, places, sizeof places);
    changed[0].digest = &others;
    moved[0].path = "/work/c.json";
    rows[n++].adapter_id = str_of("ADP-008");
    rows[n++].adapter_version = str_of("1.0.1");
    rows[n++].adapter = &others;
    rows[n++].tool_version = str_of("1.7.1");
    rows[n++].executable = &others;
    rows[n++].system = &others;
    rows[n++].operation = str_of("sort");
    rows[n++].params = params(g, "{\"filter\":\".b\",\"raw\":true}");
    rows[n++].narrow = params(g, "{\"filesystem\":{\"deny\":[\"/work\"]}}");
    rows[n++].narrow = params(g, "{\"memory_mb\":64}");
    rows[n++].directory = "/run/other";
    rows[n++].environment = more;
    rows[n++].environment_count = 1;
    rows[n++].places = changed;
    rows[n++].places = moved;
    rows[n++].timeout_ms = 1;
    rows[n++].memory_mb = 1;
    rows[n++].cpu_cores = 2;
    rows[n++].max_children = 0;
    rows[n++].mode = "other";
    assert_int_equal(n, COUNT(rows));
    for (size_t i = 0; i < n; i++) {
        assert_false(same_key(g, &rows[i]));
        for (size_t k = 0; k < i; k++) {
            struct digest a = repeat_key(&rows[i], &g->a), b = repeat_key(&rows[k], &g->a);

            assert_memory_not_equal(&a, &b, sizeof a);
        }
    }
}

static void R_001_148_the_system_has_a_digest_that_stays(void **state)
{
    struct digest a, b;

    (void)state;
    assert_true(repeat_system(&a));
    assert_true(repeat_system(&b));
    assert_memory_equal(&a, &b, sizeof a);
}

#define ONE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(A01_13_all_six_rows_hold_for_listed_files_and_no_network),
        ONE(R_001_148_versions_of_adapter_tool_and_libraries_are_pinned),
        ONE(R_001_149_all_that_could_be_read_is_listed_and_unchanged),
        ONE(R_001_149_R_001_151_a_tree_is_neither_listed_nor_in_order),
        ONE(R_001_150_chance_is_seeded_or_not_drawn),
        ONE(R_001_151_nothing_is_written_and_no_directory_listed),
        ONE(R_001_152_nothing_beyond_the_machine_is_reached),
        ONE(R_001_153_no_clock_is_read),
        ONE(R_001_149_equal_calls_have_one_key),
        ONE(R_001_148_R_001_149_R_001_156_whatever_changes_has_another_key),
        ONE(R_001_148_the_system_has_a_digest_that_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
