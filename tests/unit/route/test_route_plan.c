/* SPDX-License-Identifier: Apache-2.0 */
/* test_route_plan.c: where a command goes, and how it is written down (contract 000, planning). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "route/lane.h"
#include "unit/route/planning.h"

static const struct config_worker pipe_worker = { .name = { "here", 4 }, .kind = WORKER_PIPE },
                                  ssh_worker = { .name = { "far", 3 }, .kind = WORKER_SSH },
                                  slurm_worker = { .name = { "many", 4 }, .kind = WORKER_SLURM };

/* ---- the bytes ---- */

static void R_000_001_equal_input_gives_equal_bytes(void **state)
{
    static const char *const argv[] = { "cargo", "test", "a b", NULL };
    static const char wanted[] =
        "{\"contract_version\":\"doctor-exec-adapter-v1\",\"command_id\":\"c1\","
        "\"command_class\":\"cargo_test\",\"correlation_id\":\"night:1\","
        "\"scenario_id\":\"cargo_test\",\"normalized_command\":\"cargo test 'a b'\","
        "\"argv\":[\"cargo\",\"test\",\"a b\"],\"route\":\"remote_rch\","
        "\"route_reason\":\"force_rch\",\"policy_id\":\"remote_rch_default\",\"worker\":\"rch\","
        "\"routed_command\":\"rch exec -- cargo test 'a b'\","
        "\"timeouts\":{\"soft_timeout_secs\":1500,\"hard_timeout_secs\":1800,"
        "\"cancel_grace_secs\":30},\"max_retries\":2,\"downgraded\":false,\"unavailable\":null,"
        "\"state\":\"planned\",\"artifact_manifest_fields\":[\"command_provenance\","
        "\"outcome_class\",\"run_id\",\"scenario_id\",\"trace_id\",\"transcript_path\","
        "\"worker_route\"]}";

    (void)state;
    for (int i = 0; i < 3; i++) {
        _planning_ struct planning p = { 0 };

        planning_begin(&p, "cargo_test");
        plan_words(&p, argv);
        assert_true(p.good);
        assert_string_equal(plan_json(&p), wanted);
    }
}

static void R_000_060_R_000_061_a_plan_begins_planned_and_names_the_manifest_fields(void **state)
{
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "make_build");
    plan_text(&p, "make");
    assert_int_equal(p.plan.state, ROUTE_PLANNED);
    assert_ptr_equal(p.plan.manifest_fields, &p.contract.artifact_manifest_fields);
    assert_non_null(strstr(plan_json(&p), "\"state\":\"planned\""));
}

/* ---- every class, every way ---- */

static void R_000_002_R_000_003_classes_choose_the_route(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        const char *prefix = classes[i].prefixes[0];

        for (int prefers = 0; prefers < 2; prefers++) {
            _planning_ struct planning p = { 0 };
            const char *line = strcmp(prefix, PREFIX_ANY) == 0 ? "anything" : prefix;

            planning_begin(&p, classes[i].class_id);
            p.lane.prefer_remote = prefers;
            plan_text(&p, line);
            if (classes[i].force_rch)
                check_planned(&p, ROUTE_REMOTE_RCH, REASON_FORCE_RCH, "remote_rch_default");
            else if (prefers)
                check_planned(&p, ROUTE_REMOTE_RCH, REASON_PREFER_REMOTE, "remote_rch_default");
            else
                check_planned(&p, ROUTE_LOCAL_DIRECT, REASON_CALLER_LOCAL, NULL);
            assert_int_equal(p.plan.hard_timeout_secs, classes[i].hard_timeout_secs);
            assert_int_equal(p.plan.soft_timeout_secs, classes[i].soft_timeout_secs);
            assert_int_equal(p.plan.cancel_grace_secs, classes[i].cancel_grace_secs);
            assert_int_equal(p.plan.max_retries, 2);
            check_is(p.plan.routed_command,
                     arena_printf(&p.a, "%s%s", p.plan.worker ? "rch exec -- " : "", line));
        }
    }
}

static void R_000_057_what_a_class_does_not_take_is_refused(void **state)
{
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "cargo_test");
    plan_text(&p, "cargo testify");
    check_refused(&p, "'cargo testify' is no command of the class cargo_test; these begin with "
                      "'cargo test'");
    plan_words(&p, (const char *const[]){ "cargo test", NULL });
    check_refused(&p, "`'cargo test'` is no command of the class cargo_test; these begin with "
                      "'cargo test'; where its first word is meant as a whole line, give each "
                      "word by itself (-- CMD ARG.., or each an item of argv)");
    plan_words(&p, (const char *const[]){ "cargo", "test;rm", NULL });
    check_refused(&p, "`cargo 'test;rm'` is no command of the class cargo_test; these begin with "
                      "'cargo test'");
    planning_begin(&p, "cargo_tset");
    plan_text(&p, "cargo test");
    check_refused(&p, "no class is called 'cargo_tset' (did you mean 'cargo_test'?); there are "
                      "cargo_build, cargo_check, cargo_clippy, cargo_fmt_check, cargo_test, "
                      "generic, make_build, ninja_build, npm_test, pytest");
}

static void of_many_classes_some_are_named(void **state)
{
    enum { MANY = 40, LONG = 400 };
    _planning_ struct planning p = { 0 };
    struct class_doc all[MANY] = { { .class_id = { 0 } } };
    char name[LONG + 1] = { 0 };

    (void)state;
    memset(name, 'x', LONG);
    planning_begin(&p, "nope");
    p.contract.command_classes = (struct items){ all, MANY };
    for (size_t i = 0; i < MANY; i++)
        all[i].class_id = (struct str){ name, 15 };
    plan_text(&p, "true");
    assert_false(p.good);
    assert_non_null(strstr(p.e.msg, "; there are xxxxxxxxxxxxxxx, xxxxxxxxxxxxxxx, "));
    assert_non_null(strstr(p.e.msg, "xxxxxxxxxxxxxxx and 24 more"));
    for (size_t i = 0; i < MANY; i++)
        all[i].class_id = (struct str){ name, LONG };
    plan_text(&p, "true");
    check_refused(&p, "no class is called 'nope'; there are 40 of long names");
}

/* ---- texts and lists ---- */

static void R_000_056_texts_are_collapsed(void **state)
{
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "cargo_test");
    plan_text(&p, "  cargo \t test   -p  x ");
    assert_true(p.good);
    check_is(p.plan.normalized_command, "cargo test -p x");
    check_is(p.plan.routed_command, "rch exec -- cargo test -p x");
    assert_int_equal(p.plan.words.n, 4);
    check_is(p.plan.words.v[3], "x");
    assert_int_equal(p.plan.routed_words.n, 7);
}

static void A00_6_texts_that_a_shell_would_read_are_refused_with_advice(void **state)
{
    static const char *const rows[] = {
        "cargo test 'a b'", "cargo test \"a\"", "cargo test a\\ b", "cargo test\n", "cargo\rtest",
        "cargo test; rm",   "cargo test $HOME", "cargo test *",     "cargo test #",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _planning_ struct planning p = { 0 };

        planning_begin(&p, "cargo_test");
        plan_text(&p, rows[i]);
        check_refused(&p, "raw_command holds characters a shell would read; pass the command as "
                          "argv");
    }
}

/* The same words and the same texts are in tests/route/lanes.py, of a command that runs. */
static void R_000_078_a_plan_has_the_lineage_of_a_run(void **state)
{
    static const char *const argv[] = { "/bin/echo", "two words", "it's", NULL };
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "generic");
    plan_words(&p, argv);
    assert_true(p.good);
    check_is(p.plan.routed_command, "/bin/echo 'two words' 'it'\\''s'");
    check_is(lane_provenance(&p.plan, &p.a),
             "generic sha256:f31095962619ca028a76578f266d1c707dc4e7242c69467610f6a69b548b8e9c "
             "/bin/echo 'two words' 'it'\\''s'");
}

static void A00_6_a_list_is_what_runs_and_the_text_is_for_people(void **state)
{
    static const char *const argv[] = { "cargo", "test", "it's; $x", "", NULL };
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "cargo_test");
    plan_words(&p, argv);
    assert_true(p.good);
    check_is(p.plan.normalized_command, "cargo test 'it'\\''s; $x' ''");
    check_is(p.plan.routed_command, "rch exec -- cargo test 'it'\\''s; $x' ''");
    assert_int_equal(p.plan.words.n, 4);
    check_is(p.plan.words.v[2], "it's; $x");
    assert_int_equal(p.plan.routed_words.n, 7);
    check_is(p.plan.routed_words.v[5], "it's; $x");
}

static void a_command_of_no_words_is_refused(void **state)
{
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "generic");
    plan_text(&p, " \t ");
    check_refused(&p, "there is no command to route");
    plan_text(&p, "");
    check_refused(&p, "there is no command to route");
    plan_words(&p, (const char *const[]){ "", "x", NULL });
    check_refused(&p, "there is no command to route");
    plan_words(&p, (const char *const[]){ "rch", "exec", "--", "", NULL });
    check_refused(&p, "there is no command to route");
}

/* ---- wrapping ---- */

static void R_000_058_A00_7_wrapping_twice_is_wrapping_once(void **state)
{
    static const char *const argv[] = { "cargo", "test", "a b", NULL };
    _planning_ struct planning p = { 0 };
    const char *first, *wrapped[PLANNING_WORDS] = { 0 };

    (void)state;
    planning_begin(&p, "cargo_test");
    plan_text(&p, "cargo test -p x");
    first = plan_json(&p);
    plan_text(&p, arena_text(&p.a, p.plan.routed_command));
    assert_string_equal(plan_json(&p), first);
    plan_words(&p, argv);
    first = plan_json(&p);
    for (size_t i = 0; i < p.plan.routed_words.n; i++)
        wrapped[i] = arena_text(&p.a, p.plan.routed_words.v[i]);
    plan_words(&p, wrapped);
    assert_string_equal(plan_json(&p), first);
}

static void a_wrapper_of_ones_own_is_put_on_and_taken_off(void **state)
{
    static const struct str words[] = { { "/opt/my wrap", 12 }, { "-v", 2 } };
    const struct config_worker mine = { .name = { "mine", 4 },
                                        .kind = WORKER_WRAP,
                                        .command = { (void *)words, COUNT(words) } };
    static const char *const wrapped[] = { "/opt/my wrap", "-v", "exec", "--", "make", NULL };
    static const char *const bare[] = { "/opt/my wrap", "-v", "exec", "--", NULL };
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "make_build");
    p.ask.worker = &mine;
    p.ask.named = true;
    plan_text(&p, "make");
    check_planned(&p, ROUTE_REMOTE_RCH, REASON_PREFER_REMOTE, "remote_rch_default");
    check_is(p.plan.routed_command, "'/opt/my wrap' -v exec -- make");
    plan_words(&p, wrapped);
    check_planned(&p, ROUTE_REMOTE_RCH, REASON_PREFER_REMOTE, "remote_rch_default");
    check_is(p.plan.normalized_command, "make");
    check_is(p.plan.routed_command, "'/opt/my wrap' -v exec -- make");
    plan_words(&p, bare); /* nothing is wrapped in it */
    assert_false(p.good);
    assert_non_null(strstr(p.e.msg, "'/opt/my wrap' -v exec --` is no command of the class"));
}

static void framed_workers_are_given_the_command_as_it_is(void **state)
{
    static const struct {
        const struct config_worker *worker;
        enum route route;
    } rows[] = {
        { &pipe_worker, ROUTE_LOCAL_WORKER },
        { &ssh_worker, ROUTE_REMOTE_SSH },
        { &slurm_worker, ROUTE_REMOTE_SLURM },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _planning_ struct planning p = { 0 };

        planning_begin(&p, "cargo_test");
        p.ask.worker = rows[i].worker;
        plan_text(&p, "rch exec -- cargo test");
        check_planned(&p, rows[i].route, REASON_FORCE_RCH, "remote_rch_default");
        assert_ptr_equal(p.plan.worker, rows[i].worker);
        check_is(p.plan.routed_command, "cargo test");
        assert_int_equal(p.plan.routed_words.n, 2);
    }
}

/* ---- without the worker ---- */

static void R_000_005_R_000_059_A00_4_without_a_worker_the_fallback_decides(void **state)
{
    static const struct {
        const char *class_id;
        bool prefers, named, there;
    } rows[] = {
        { "cargo_test", false, false, false }, { "cargo_test", true, false, false },
        { "make_build", true, false, false },  { "make_build", false, true, false },
        { "make_build", false, true, true }, /* a worker that nobody knows */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (enum fallback fallback = 0; fallback <= FALLBACK_FAIL_CLOSED; fallback++) {
            _planning_ struct planning p = { 0 };
            bool closed = fallback == FALLBACK_FAIL_CLOSED;

            planning_begin(&p, rows[i].class_id);
            p.lane.prefer_remote = rows[i].prefers;
            p.ask.named = rows[i].named;
            p.ask.worker = rows[i].there ? NULL : &worker_rch;
            p.ask.available = rows[i].there;
            p.ask.unavailable = "rch is gone";
            p.ask.fallback = fallback;
            plan_text(&p, rows[i].class_id[0] == 'c' ? "cargo test" : "make");
            check_planned(&p, closed ? ROUTE_NOWHERE : ROUTE_LOCAL_DIRECT, REASON_RCH_UNAVAILABLE,
                          closed ? "fail_closed" : "local_fallback_on_rch_unavailable");
            assert_true(p.plan.downgraded);
            assert_null(p.plan.worker);
            assert_string_equal(p.plan.unavailable, "rch is gone");
            assert_int_equal(p.plan.max_retries, closed ? 0 : 2);
            assert_true(str_eq(p.plan.routed_command, p.plan.normalized_command));
        }
    }
}

static void a_plan_that_loses_its_worker_is_the_plan_without_it(void **state)
{
    _planning_ struct planning p = { 0 };
    struct route_plan later;
    const char *without;

    (void)state;
    planning_begin(&p, "cargo_test");
    plan_text(&p, "cargo test");
    assert_true(route_downgrade(&p.ask, "it hung up", &p.a, &later, &p.e));
    p.ask.available = false;
    p.ask.unavailable = "it hung up";
    plan_text(&p, "cargo test");
    without = plan_json(&p);
    p.plan = later;
    assert_string_equal(plan_json(&p), without);
}

static void a_contract_of_ones_own_may_lack_fail_closed_or_refuse_to_fall_back(void **state)
{
    _planning_ struct planning p = { 0 };
    struct policy_doc *policy;

    (void)state;
    planning_begin(&p, "cargo_test");
    p.ask.available = false;
    policy = p.contract.route_policies.v;
    p.contract.route_policies = (struct items){ policy + 1, 2 };
    p.ask.fallback = FALLBACK_FAIL_CLOSED;
    plan_text(&p, "cargo test");
    check_planned(&p, ROUTE_NOWHERE, REASON_RCH_UNAVAILABLE, NULL);
    assert_int_equal(p.plan.max_retries, 0);
    p.ask.fallback = FALLBACK_LOCAL;
    policy[1].route = ROUTE_NOWHERE;
    policy[1].retry_strategy = RETRY_NONE;
    plan_text(&p, "cargo test");
    check_planned(&p, ROUTE_NOWHERE, REASON_RCH_UNAVAILABLE, "local_fallback_on_rch_unavailable");
    assert_int_equal(p.plan.max_retries, 0);
}

static void a_line_that_is_too_long_is_refused_not_cut(void **state)
{
    enum { QUOTES = 5 << 20 }; /* each takes four bytes */
    _planning_ struct planning p = { 0 };
    char *word = malloc(QUOTES + 1);

    (void)state;
    assert_non_null(word);
    memset(word, '\'', QUOTES);
    word[QUOTES] = '\0';
    planning_begin(&p, "generic");
    plan_words(&p, (const char *const[]){ "echo", word, NULL });
    assert_false(p.good);
    assert_int_equal(p.e.code, CODE_CEILING);
    assert_string_equal(p.e.msg, "the command as a line has more than 16777216 bytes");
    free(word);
}

static void A00_12_a_scenario_is_the_one_given_or_the_class(void **state)
{
    _planning_ struct planning p = { 0 };

    (void)state;
    planning_begin(&p, "make_build");
    plan_text(&p, "make");
    check_is(p.plan.scenario_id, "make_build");
    p.lane.scenario_id = str_of("nightly");
    plan_text(&p, "make");
    check_is(p.plan.scenario_id, "nightly");
}

static void timeouts_are_found_in_any_order(void **state)
{
    _planning_ struct planning p = { 0 };
    struct timeout_doc *timeout, first;

    (void)state;
    planning_begin(&p, "cargo_test");
    timeout = p.contract.timeout_profiles.v;
    first = timeout[0];
    timeout[0] = timeout[4];
    timeout[4] = first;
    timeout[0].hard_timeout_secs = 7;
    plan_text(&p, "cargo test");
    assert_true(p.good);
    assert_int_equal(p.plan.hard_timeout_secs, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_001_equal_input_gives_equal_bytes),
        cmocka_unit_test(R_000_078_a_plan_has_the_lineage_of_a_run),
        cmocka_unit_test(R_000_060_R_000_061_a_plan_begins_planned_and_names_the_manifest_fields),
        cmocka_unit_test(R_000_002_R_000_003_classes_choose_the_route),
        cmocka_unit_test(R_000_057_what_a_class_does_not_take_is_refused),
        cmocka_unit_test(of_many_classes_some_are_named),
        cmocka_unit_test(R_000_056_texts_are_collapsed),
        cmocka_unit_test(A00_6_texts_that_a_shell_would_read_are_refused_with_advice),
        cmocka_unit_test(A00_6_a_list_is_what_runs_and_the_text_is_for_people),
        cmocka_unit_test(a_command_of_no_words_is_refused),
        cmocka_unit_test(R_000_058_A00_7_wrapping_twice_is_wrapping_once),
        cmocka_unit_test(a_wrapper_of_ones_own_is_put_on_and_taken_off),
        cmocka_unit_test(framed_workers_are_given_the_command_as_it_is),
        cmocka_unit_test(R_000_005_R_000_059_A00_4_without_a_worker_the_fallback_decides),
        cmocka_unit_test(a_plan_that_loses_its_worker_is_the_plan_without_it),
        cmocka_unit_test(a_contract_of_ones_own_may_lack_fail_closed_or_refuse_to_fall_back),
        cmocka_unit_test(a_line_that_is_too_long_is_refused_not_cut),
        cmocka_unit_test(A00_12_a_scenario_is_the_one_given_or_the_class),
        cmocka_unit_test(timeouts_are_found_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
