/* SPDX-License-Identifier: Apache-2.0 */
/* test_parse_regex.c: output as the named groups of a pattern see it. */
#include "base/regex.h"

#include "unit/adapter/loaded.h"

#define ONE(pattern) "{type: parse, spec: {regex: '" pattern "'}}"
#define ALL(pattern) "{type: parse, spec: {regex: '" pattern "', all: true}}"
#define LINES(pattern) \
    "{type: parse, spec: {regex: {pattern: '" pattern "', all: true, multiline: true}}}"

static void R_001_105_named_groups_become_a_map(void **state)
{
    (void)state;
    check_output(ONE("(?<major>\\d+)\\.(?<minor>\\d+)"), "git version 2.39.5",
                 "{\"major\":\"2\",\"minor\":\"39\"}");
    check_output(ONE("(?P<a>x)|(?<b>y)"), "zy", "{\"a\":null,\"b\":\"y\"}");
    check_output(ONE("(?<all>(.)(?:.)(?<last>.))"), "abc", "{\"all\":\"abc\",\"last\":\"c\"}");
    check_output(ONE("(?<a>é+)"), "caféé!", "{\"a\":\"éé\"}");
    check_output(ONE("^(?<a>)$"), "", "{\"a\":\"\"}");
}

static void R_001_105_all_matches_become_a_list(void **state)
{
    (void)state;
    check_output(ALL("(?<k>\\w+)=(?<v>\\w*)"), "a=1 b= c=3",
                 "[{\"k\":\"a\",\"v\":\"1\"},{\"k\":\"b\",\"v\":\"\"},{\"k\":\"c\",\"v\":\"3\"}]");
    check_output(ALL("(?<a>x)"), "abc", "[]");
    check_output(ALL("(?<a>a*)"), "baac",
                 "[{\"a\":\"\"},{\"a\":\"aa\"},{\"a\":\"\"},{\"a\":\"\"}]");
    check_output(LINES("^(?<hash>[0-9a-f]+) (?<subject>.*)$"), "1a first\r\nxx\n2b second one",
                 "[{\"hash\":\"1a\",\"subject\":\"first\"},{\"hash\":\"2b\","
                 "\"subject\":\"second one\"}]");
    check_output(ALL("^(?<a>.)"), "x\ny", "[{\"a\":\"x\"}]");
}

static void R_001_105_the_match_is_the_one_that_perl_would_find(void **state)
{
    (void)state;
    check_output(ONE("(?<a>a|ab)(?<b>c|bcd)"), "abcd", "{\"a\":\"a\",\"b\":\"bcd\"}");
    check_output(ONE("(?<a>a+)(?<b>a*)"), "aaa", "{\"a\":\"aaa\",\"b\":\"\"}");
    check_output(ONE("(?<a>a+?)(?<b>a*)"), "aaa", "{\"a\":\"a\",\"b\":\"aa\"}");
    check_output(ONE("(?<a>a{1,2}?)(?<b>a?"
                     "?)(?<c>a{0,2})"),
                 "aaaa", "{\"a\":\"a\",\"b\":\"\",\"c\":\"aa\"}");
    check_output(ONE("<(?<a>.*?)>"), "<x><y>", "{\"a\":\"x\"}");
    check_output(ONE("<(?<a>.*)>"), "<x><y>", "{\"a\":\"x><y\"}");
    check_output(ONE("(?:(?<a>a)|(?<b>b))*"), "ab", "{\"a\":\"a\",\"b\":\"b\"}");
    check_output(ONE("(?<a>x*)*y"), "xxy", "{\"a\":\"xx\"}");
    check_output(ONE("(?<a>(?:x*)*)(?<b>y|)"), "xz", "{\"a\":\"x\",\"b\":\"\"}");
    check_output(ONE("\\b(?<a>b\\w+)\\b"), "ab bcd", "{\"a\":\"bcd\"}");
}

static void R_001_105_a_pattern_that_matches_nothing_fails(void **state)
{
    (void)state;
    check_output_fails(ONE("v(?<a>\\d+)"), str_of("none"),
                       "parse: regex: 'v(?<a>\\d+)' matches nothing in it");
}

static void R_001_105_a_pattern_that_is_none_is_found_early(void **state)
{
    static const struct {
        const char *pattern, *msg;
    } rows[] = {
        { "abc", "the pattern has no group with a name, as in (?<name>..)" },
        { "(?<a>x", "a group that no ')' ends, at character 1 of the pattern" },
        { "(?<a>x)(?<a>y)", "two groups have the same name, at character 8 of the pattern" },
        { "(?<a>x)(?=y)", "look-around is not regular: it would cost more than linear time, at "
                          "character 8 of the pattern" },
        { "(?<1>x)", "a group has a name, as in (?<name>..), at character 4 of the pattern" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _loaded_ struct loaded l = { 0 };

        check_problem(arena_printf(&l.a,
                                   "transforms: {output: [{type: parse, spec: {regex: '%s'}}]}",
                                   rows[i].pattern),
                      "/transforms/output/0/spec/regex", rows[i].msg);
    }
}

/* ---- the engine itself ---- */

/* Steps that all matches of a pattern in n times `piece` take. */
static uint64_t steps_for(const char *pattern, const char *piece, size_t n, size_t *matches)
{
    _arena_ struct arena a = { 0 };
    struct work w = { .left = UINT64_MAX };
    const struct regex_groups *g;
    struct str whole, groups[REGEX_GROUPS];
    struct regex_walk *walk;
    struct error e;
    size_t len = strlen(piece);
    char *text = arena_alloc(&a, n * len);

    for (size_t i = 0; i < n; i++)
        memcpy(text + i * len, piece, len);
    assert_true(regex_groups_read(str_of(pattern), false, &a, &g, &e));
    assert_true(regex_walk_begin(g, (struct str){ text, n * len }, &w, &a, &walk, &e));
    for (*matches = 0; regex_walk_next(walk, &whole, groups); ++*matches)
        assert_true(whole.s >= text);
    assert_false(w.over);
    return UINT64_MAX - w.left;
}

/* Each match could look to the end of the text before it knows that it is a short one. */
static void all_matches_together_are_linear(void **state)
{
    static const struct {
        const char *pattern, *piece;
    } rows[] = {
        { "(?<a>a[^]*b|a)", "a" },         { "(?<a>(?:a+)+)b|(?<b>a)", "a" },
        { "(?<a>(?:a*)*)*?b|x", "a" },     { "(?<a>.*?)(?<b>.*?)(?<c>.*?)!", "ab" },
        { "(?<a>[ab]*a[ab]{8})", "abba" }, { "\\b(?<a>\\w)|$", "a " },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t few, many;
        uint64_t once = steps_for(rows[i].pattern, rows[i].piece, 20000, &few);
        uint64_t twice = steps_for(rows[i].pattern, rows[i].piece, 40000, &many);

        assert_true(twice <= 2 * once + 1000);
    }
}

static void a_walk_stops_when_its_work_is_over(void **state)
{
    _loaded_ struct loaded l = { 0 };
    struct work w = { .left = 100 };
    const struct regex_groups *g;
    struct regex_walk *walk;
    char text[1000];

    (void)state;
    memset(text, 'a', sizeof text);
    assert_true(regex_groups_read(str_of("(?<a>a)"), false, &l.a, &g, &l.e));
    assert_false(regex_walk_begin(g, (struct str){ text, sizeof text }, &w, &l.a, &walk, &l.e));
    assert_string_equal(l.e.msg, "the pattern takes too many steps for this text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_105_named_groups_become_a_map),
        cmocka_unit_test(R_001_105_all_matches_become_a_list),
        cmocka_unit_test(R_001_105_the_match_is_the_one_that_perl_would_find),
        cmocka_unit_test(R_001_105_a_pattern_that_matches_nothing_fails),
        cmocka_unit_test(R_001_105_a_pattern_that_is_none_is_found_early),
        cmocka_unit_test(all_matches_together_are_linear),
        cmocka_unit_test(a_walk_stops_when_its_work_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
