/* SPDX-License-Identifier: Apache-2.0 */
/* test_cache.c: what is remembered, for how long, and what makes it forgotten (contract 001). */
#include "unit/adapter/cache_ground.h"

/* ---- for how long ---- */

static void R_001_154_an_adapters_schema_is_kept_24_hours_for_all_sessions(void **state)
{
    struct ground *g = *state;

    put(g, CACHE_ADAPTERS, "ADP-001 1.0.0", "schema");
    g->place.session = "another";
    g->place.now_ms = NOON + INT64_C(24) * HOUR - 1;
    assert_string_equal(get(g, CACHE_ADAPTERS, "ADP-001 1.0.0"), "schema");
    g->place.now_ms++;
    assert_null(get(g, CACHE_ADAPTERS, "ADP-001 1.0.0"));
}

static void R_001_154_another_version_is_another_key(void **state)
{
    struct ground *g = *state;
    const struct str one[] = { str_of("ADP-001"), str_of("1.0.0") },
                     other[] = { str_of("ADP-001"), str_of("1.0.1") },
                     shifted[] = { str_of("ADP-0011"), str_of(".0.0") };
    struct digest a = cache_key(one, 2), b = cache_key(other, 2), c = cache_key(shifted, 2);
    struct str out;
    struct error e;

    assert_true(cache_put(&g->place, CACHE_ADAPTERS, &a, str_of("schema"), &e));
    assert_true(cache_get(&g->place, CACHE_ADAPTERS, &a, &g->a, &out));
    assert_false(cache_get(&g->place, CACHE_ADAPTERS, &b, &g->a, &out));
    assert_false(cache_get(&g->place, CACHE_ADAPTERS, &c, &g->a, &out));
}

static void R_001_155_what_is_known_of_a_tool_is_kept_an_hour_for_all_sessions(void **state)
{
    struct ground *g = *state;

    put(g, CACHE_TOOLS, "rg", "14.1.0");
    g->place.session = "another";
    g->place.now_ms = NOON + HOUR - 1;
    assert_string_equal(get(g, CACHE_TOOLS, "rg"), "14.1.0");
    g->place.now_ms++;
    assert_null(get(g, CACHE_TOOLS, "rg"));
}

static void R_001_155_a_manual_refresh_takes_its_place(void **state)
{
    struct ground *g = *state;
    struct error e;
    size_t removed;

    put(g, CACHE_TOOLS, "rg", "14.1.0");
    put(g, CACHE_TOOLS, "rg", "14.1.1");
    assert_string_equal(get(g, CACHE_TOOLS, "rg"), "14.1.1");
    put(g, CACHE_ADAPTERS, "ADP-001", "schema");
    assert_true(cache_clear(&g->place, CACHE_TOOLS, &removed, &e));
    assert_int_equal(removed, 1);
    assert_null(get(g, CACHE_TOOLS, "rg"));
    assert_non_null(get(g, CACHE_ADAPTERS, "ADP-001"));
}

static void R_001_156_results_are_seen_by_their_own_session_alone(void **state)
{
    struct ground *g = *state;

    put(g, CACHE_RESULTS, "call", "result");
    assert_string_equal(get(g, CACHE_RESULTS, "call"), "result");
    assert_null(get(g, CACHE_RESULTS, "call with another input"));
    g->place.session = "another";
    assert_null(get(g, CACHE_RESULTS, "call"));
    g->place.session = NULL;
    assert_null(get(g, CACHE_RESULTS, "call"));
}

static void R_001_156_without_a_session_there_are_no_results(void **state)
{
    struct ground *g = *state;
    struct digest k = key_of("call");
    struct error e;

    g->place.session = NULL;
    assert_false(cache_put(&g->place, CACHE_RESULTS, &k, str_of("result"), &e));
    assert_string_equal(e.msg, "there is no session to remember it in");
    put(g, CACHE_TOOLS, "rg", "14.1.0");
    assert_non_null(get(g, CACHE_TOOLS, "rg"));
}

/* A session that began at another moment has the number of this one; its leader is gone. */
static const char *ended_session(struct ground *g)
{
    char *name = arena_text(&g->a, str_of(cache_session(NULL, &g->a)));
    char *digit = strchr(name + 4, '-') + 1;

    *digit = *digit == '9' ? '8' : (char)(*digit + 1);
    return name;
}

static void R_001_156_results_of_a_session_that_has_ended_go_with_the_next_put(void **state)
{
    struct ground *g = *state;
    size_t ended;

    g->place.session = cache_session(NULL, &g->a);
    assert_non_null(g->place.session);
    put(g, CACHE_RESULTS, "mine", "result");
    g->place.session = ended_session(g);
    put(g, CACHE_RESULTS, "old", "result"); /* and goes at once: its own session is over */
    g->place.session = "named";
    put(g, CACHE_RESULTS, "named", "result");
    assert_int_equal(count(g, &ended), 2);
    assert_int_equal(ended, 0);
    g->place.session = cache_session(NULL, &g->a);
    assert_string_equal(get(g, CACHE_RESULTS, "mine"), "result");
}

static void R_001_156_a_session_with_a_name_alone_ends_a_day_after_its_results_were_made(
    void **state)
{
    struct ground *g = *state;
    size_t ended;

    put(g, CACHE_RESULTS, "call", "result");
    g->place.now_ms = NOON + DAY_MS - 1;
    assert_string_equal(get(g, CACHE_RESULTS, "call"), "result");
    g->place.now_ms++;
    assert_null(get(g, CACHE_RESULTS, "call"));
    assert_int_equal(count(g, &ended), 1);
    assert_int_equal(ended, 1);
}

static void R_001_157_golden_outputs_are_not_kept_here(void **state)
{
    struct ground *g = *state;
    struct digest k = key_of("call");
    struct error e;

    assert_int_equal(cache_level(str_of("golden outputs")), CACHE_GOLDEN);
    assert_false(cache_put(&g->place, CACHE_GOLDEN, &k, str_of("x"), &e));
    assert_null(get(g, CACHE_GOLDEN, "call"));
}

/* ---- sessions ---- */

static void a_session_is_its_name_or_the_kernels(void **state)
{
    struct ground *g = *state;
    const char *const named[] = { "A=1", "WRIT_SESSION=ci 7", NULL },
                      *const other[] = { "WRIT_SESSION=ci 8", NULL },
                      *const empty[] = { "WRIT_SESSION=", NULL };
    const char *kernel = cache_session(NULL, &g->a);
    char one[SESSION_NAME], two[SESSION_NAME];
    struct session_eye eye;
    struct stat s = { 0 };

    assert_string_equal(cache_session(empty, &g->a), kernel);
    session_directory(kernel, one);
    assert_string_equal(one, kernel);
    assert_true(session_is_seen(one));
    session_look(&eye, NOON);
    assert_false(session_ended(&eye, one, &s));
    assert_true(session_ended(&eye, ended_session(g), &s));
    session_directory(cache_session(named, &g->a), one);
    session_directory(cache_session(other, &g->a), two);
    assert_string_not_equal(one, two);
    assert_true(session_is_one(one) && !session_is_seen(one));
}

static void a_session_of_another_machine_or_container_is_judged_by_its_age(void **state)
{
    struct ground *g = *state;
    char *away = arena_text(&g->a, str_of(cache_session(NULL, &g->a)));
    struct session_eye eye;
    struct stat s = { .st_mtim.tv_sec = NOON / 1000 };

    memcpy(strrchr(away, '-') + 1, "0123456789abcdef", 16);
    session_look(&eye, NOON + DAY_MS);
    assert_false(session_ended(&eye, away, &s));
    eye.now_ms++;
    assert_true(session_ended(&eye, away, &s));
}

static void a_name_cannot_lead_elsewhere(void **state)
{
    static const char *const names[] = { "../../x",  "sid-1-2-../../../etc/xx", "/etc",
                                         "sid-1-2-", "sid--1-0123456789abcdef", "." };
    char out[SESSION_NAME];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        session_directory(names[i], out);
        assert_int_equal(strncmp(out, "name-", 5), 0);
        assert_null(strchr(out, '/'));
        assert_false(session_is_one(names[i]));
    }
}

/* ---- files ---- */

static void a_value_has_any_bytes_and_any_length(void **state)
{
    struct ground *g = *state;
    const struct str values[] = { { "", 0 }, { "\0\n\r\xff", 4 }, { "writ-cache 1\n", 13 } };
    struct digest k = key_of("k");
    struct error e;
    struct str out;

    for (size_t i = 0; i < COUNT(values); i++) {
        assert_true(cache_put(&g->place, CACHE_TOOLS, &k, values[i], &e));
        assert_true(cache_get(&g->place, CACHE_TOOLS, &k, &g->a, &out));
        assert_true(str_eq(out, values[i]));
    }
}

/* Every file that is not byte for byte what was written is not there. */
static void a_file_that_is_torn_or_changed_is_not_there(void **state)
{
    struct ground *g = *state;
    const char *path = file_of(g, CACHE_TOOLS, "k");
    struct str text;
    struct error e;

    put(g, CACHE_TOOLS, "k", "value");
    assert_true(fs_read(path, 4096, &g->a, &text, &e));
    for (size_t i = 0; i < text.n; i++) {
        char *changed = arena_text(&g->a, text);

        assert_true(fs_write(path, (struct str){ text.s, i }, &e));
        assert_null(get(g, CACHE_TOOLS, "k"));
        changed[i] ^= 1;
        assert_true(fs_write(path, (struct str){ changed, text.n }, &e));
        assert_null(get(g, CACHE_TOOLS, "k"));
    }
    assert_true(fs_write(path, str_of(arena_printf(&g->a, "%.*sx", STR_ARG(text))), &e));
    assert_null(get(g, CACHE_TOOLS, "k"));
    assert_true(fs_write(path, text, &e));
    assert_string_equal(get(g, CACHE_TOOLS, "k"), "value");
}

static void a_file_under_another_key_or_level_is_not_there(void **state)
{
    struct ground *g = *state;

    put(g, CACHE_TOOLS, "k", "value");
    put(g, CACHE_ADAPTERS, "other", "value");
    assert_int_equal(rename(file_of(g, CACHE_TOOLS, "k"), file_of(g, CACHE_TOOLS, "l")), 0);
    assert_null(get(g, CACHE_TOOLS, "l"));
    assert_int_equal(rename(file_of(g, CACHE_TOOLS, "l"), file_of(g, CACHE_ADAPTERS, "k")), 0);
    assert_null(get(g, CACHE_ADAPTERS, "k"));
}

static void a_file_that_others_may_write_a_link_or_a_pipe_is_not_there(void **state)
{
    struct ground *g = *state;
    const char *path = file_of(g, CACHE_TOOLS, "k"), *away = file_of(g, CACHE_TOOLS, "l");

    put(g, CACHE_TOOLS, "k", "value");
    assert_int_equal(chmod(path, 0620), 0);
    assert_null(get(g, CACHE_TOOLS, "k"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_non_null(get(g, CACHE_TOOLS, "k"));
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(symlink(away, path), 0);
    assert_null(get(g, CACHE_TOOLS, "k"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(get(g, CACHE_TOOLS, "k"));
}

static void what_was_made_later_than_now_is_not_there(void **state)
{
    struct ground *g = *state;

    put(g, CACHE_TOOLS, "k", "value");
    g->place.now_ms = NOON - 1;
    assert_null(get(g, CACHE_TOOLS, "k"));
}

static void files_are_for_their_owner_alone(void **state)
{
    struct ground *g = *state;
    mode_t before = umask(0);
    struct stat s;

    put(g, CACHE_RESULTS, "k", "value");
    (void)umask(before);
    assert_int_equal(stat(file_of(g, CACHE_RESULTS, "k"), &s), 0);
    assert_int_equal(s.st_mode & 07777, 0600);
    assert_int_equal(stat(g->place.directory, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0700);
}

static void a_cache_that_cannot_be_written_says_so(void **state)
{
    struct ground *g = *state;
    struct digest k = key_of("k");
    struct error e;

    g->place.directory = "/proc/nope";
    assert_false(cache_put(&g->place, CACHE_TOOLS, &k, str_of("v"), &e));
    assert_non_null(strstr(e.msg, "/proc/nope"));
    g->place.directory = NULL;
    assert_false(cache_put(&g->place, CACHE_TOOLS, &k, str_of("v"), &e));
    assert_null(get(g, CACHE_TOOLS, "k"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(R_001_154_an_adapters_schema_is_kept_24_hours_for_all_sessions),
        ONE(R_001_154_another_version_is_another_key),
        ONE(R_001_155_what_is_known_of_a_tool_is_kept_an_hour_for_all_sessions),
        ONE(R_001_155_a_manual_refresh_takes_its_place),
        ONE(R_001_156_results_are_seen_by_their_own_session_alone),
        ONE(R_001_156_without_a_session_there_are_no_results),
        ONE(R_001_156_results_of_a_session_that_has_ended_go_with_the_next_put),
        ONE(R_001_156_a_session_with_a_name_alone_ends_a_day_after_its_results_were_made),
        ONE(R_001_157_golden_outputs_are_not_kept_here),
        ONE(a_session_is_its_name_or_the_kernels),
        ONE(a_session_of_another_machine_or_container_is_judged_by_its_age),
        ONE(a_name_cannot_lead_elsewhere),
        ONE(a_value_has_any_bytes_and_any_length),
        ONE(a_file_that_is_torn_or_changed_is_not_there),
        ONE(a_file_under_another_key_or_level_is_not_there),
        ONE(a_file_that_others_may_write_a_link_or_a_pipe_is_not_there),
        ONE(what_was_made_later_than_now_is_not_there),
        ONE(files_are_for_their_owner_alone),
        ONE(a_cache_that_cannot_be_written_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
