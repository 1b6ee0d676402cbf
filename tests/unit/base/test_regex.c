/* SPDX-License-Identifier: Apache-2.0 */
/* test_regex.c: both dialects: what they take, what they refuse, what they match, at what cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/regex.h"

static struct work plenty(void)
{
    return (struct work){ .left = UINT64_MAX };
}

static bool takes(enum regex_dialect dialect, const char *pattern, struct error *e)
{
    _arena_ struct arena a = { 0 };
    const struct regex *r = NULL;

    *e = (struct error){ 0 };
    return regex_read(str_of(pattern), dialect, &a, &r, e);
}

/* "w" where the whole text matches, "s" where a part does, "ws", or "". */
static const char *matches(enum regex_dialect dialect, const char *pattern, struct str text)
{
    static const char *const said[] = { "", "w", "s", "ws" };
    _arena_ struct arena a = { 0 };
    struct work w = plenty();
    const struct regex *r;
    struct error e;
    int found;

    if (!regex_read(str_of(pattern), dialect, &a, &r, &e))
        fail_msg("%s: %s", pattern, e.msg);
    found = regex_whole(r, text, &w, &a) + 2 * regex_search(r, text, &w, &a);
    assert_false(w.over);
    return said[found];
}

struct pair {
    const char *pattern, *text, *found;
};

static void hold(enum regex_dialect dialect, const struct pair *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = matches(dialect, v[i].pattern, str_of(v[i].text));

        if (strcmp(found, v[i].found) != 0)
            fail_msg("%s on '%s': '%s', expected '%s'", v[i].pattern, v[i].text, found, v[i].found);
    }
}

static void both_dialects_match(void **state)
{
    static const struct pair pairs[] = {
        { "", "", "ws" },
        { "", "a", "s" },
        { "abc", "abc", "ws" },
        { "abc", "xabcx", "s" },
        { "abc", "abd", "" },
        { "a|b|", "b", "ws" },
        { "a|b|", "", "ws" },
        { "ab|cd", "cd", "ws" },
        { "(ab|cd)+", "abcdab", "ws" },
        { "a?b*c+", "bbc", "ws" },
        { "a?b*c+", "ab", "" },
        { "a{2}", "aa", "ws" },
        { "a{2}", "a", "" },
        { "a{2}", "aaa", "s" },
        { "a{2,}", "aaaaa", "ws" },
        { "a{0,}", "", "ws" },
        { "a{2,3}", "aaaa", "s" },
        { "a{0,2}b", "aab", "ws" },
        { "a{0,2}b", "aaab", "s" },
        { "a{0}", "", "ws" },
        { "(a*)*", "aaa", "ws" },
        { "(a*)+b", "aab", "ws" },
        { "(a{0,2}){0,2}", "aaaa", "ws" },
        { "(a|(b|c)d)e", "cde", "ws" },
        { ".", "\n", "" },
        { ".", "\r", "" },
        { ".", "\xc3\xa9", "ws" },
        { ".", "\xf0\x9f\x90\xb2", "ws" },
        { "[a-c]+", "abcd", "s" },
        { "[^a-c]+", "xyz", "ws" },
        { "[^a-c]", "b", "" },
        { "[-a]+", "-a", "ws" },
        { "[a-]+", "-a", "ws" },
        { "[\\-\\]]+", "-]", "ws" },
        { "[^^]", "^", "" },
        { "[.]", "x", "" },
        { "\\.", ".", "ws" },
        { "\\.", "x", "" },
        { "\\n\\t\\r", "\n\t\r", "ws" },
        { "\\p{L}+", "Stra\xc3\x9f\x65", "ws" },
        { "\\p{Lu}", "a", "" },
        { "\\p{Lu}", "\xc4\x80", "ws" },
        { "\\p{Ll}", "\xc4\x80", "" },
        { "\\p{Ll}", "\xc4\x81", "ws" },
        { "\\p{Lu}", "\xd0\x96", "ws" },
        { "\\P{Lu}", "\xd0\xb6", "ws" },
        { "[\\p{Nd}x]+", "1x2", "ws" },
        { "[^\\p{Nd}]+", "1x2", "s" },
        { "\\p{Cn}", "\xcd\xb8", "ws" },
        { "[\xc3\xa0-\xc3\xbf]", "\xc3\xa9", "ws" },
        { "[\xf0\x9f\x98\x80-\xf0\x9f\x98\x8f]", "\xf0\x9f\x98\x85", "ws" },
        { "^a", "ba", "" },
        { "a$", "ab", "" },
        { "^a$", "a", "ws" },
    };

    (void)state;
    hold(REGEX_I, pairs, COUNT(pairs));
    hold(REGEX_ECMA, pairs, COUNT(pairs));
}

static void dialects_differ(void **state)
{
    static const struct pair i[] = {
        { ".", "\xe2\x80\xa8", "ws" },
        { "\\-", "-", "ws" },
        { "^*a", "a", "ws" },
    };
    static const struct pair ecma[] = {
        { ".", "\xe2\x80\xa8", "" },
        { "^\\d+$", "12", "ws" },
        { "\\d", "\xd9\xa1", "" },
        { "\\D\\W\\S", "a-b", "ws" },
        { "\\w+", "a_9", "ws" },
        { "\\w", "\xc3\xa9", "" },
        { "\\s", "\xe2\x80\x83", "ws" },
        { "\\s", "\xef\xbb\xbf", "ws" },
        { "\\bfoo\\b", "a foo b", "s" },
        { "\\bfoo\\b", "afoo", "" },
        { "\\bfoo\\b", "foo", "ws" },
        { "\\Boo\\B", "food", "s" },
        { "\\Boo", "oo", "" },
        { "a\\b\\Bb|c", "c", "ws" },
        { "(?:ab)+?", "abab", "ws" },
        { "(?<year>\\d{4})-(?<m\xc3\xa9>\\d\\d)", "2026-11", "ws" },
        { "\\x41\\u0042\\u{43}\\u{1f432}", "ABC\xf0\x9f\x90\xb2", "ws" },
        { "\\ud83d\\udc32", "\xf0\x9f\x90\xb2", "ws" },
        { "[\\ud83d\\udc32]", "\xf0\x9f\x90\xb2", "ws" },
        { "\\ud83d", "\xf0\x9f\x90\xb2", "" },
        { "\\cJ\\cj", "\n\n", "ws" },
        { "[\\b]", "\b", "ws" },
        { "\\/\\$", "/$", "ws" },
        { "[\\w-]+", "a-b", "ws" },
        { "[a-b-d]+", "a-d", "ws" },
        { "[--/]+", "-./", "ws" },
        { "[[(.]+", "[(.", "ws" },
        { "[^]", "\n", "ws" },
        { "[]|a", "a", "ws" },
        { "\\p{Letter}\\p{gc=Nd}\\p{General_Category=Uppercase_Letter}", "\xc3\xa9\x31\x41", "ws" },
        { "\\p{digit}\\p{punct}\\p{ASCII}\\p{Any}\\p{Assigned}", "1!a\xc3\xa9z", "ws" },
        { "\\P{L}", "a", "" },
        { "(^a|b)c", "xbc", "s" },
        { "(^a|b)c", "xac", "" },
        { "a(?:$|b)", "xa", "s" },
        { "$^", "", "ws" },
        { "$^", "a", "" },
    };

    (void)state;
    hold(REGEX_I, i, COUNT(i));
    hold(REGEX_ECMA, ecma, COUNT(ecma));
    assert_string_equal(matches(REGEX_ECMA, "a\\0b", (struct str){ "a\0b", 3 }), "ws");
}

static const struct {
    enum regex_dialect dialect;
    const char *pattern, *msg;
} refusals[] = {
    { REGEX_I, "a**", "found '*', which must be written '\\*', at character 3 of the pattern" },
    { REGEX_I, "a*?", "found '?', which must be written '\\?', at character 3 of the pattern" },
    { REGEX_I, "(a", "a group that no ')' ends, at character 1 of the pattern" },
    { REGEX_I, "a)", "found ')', which must be written '\\)', at character 2 of the pattern" },
    { REGEX_I, "(?:a)", "found '?', which must be written '\\?', at character 2 of the pattern" },
    { REGEX_I, "\\d", "'\\d' means nothing, at character 2 of the pattern" },
    { REGEX_I, "\\", "the pattern ends in a backslash, at character 2 of the pattern" },
    { REGEX_I, "[a", "a class that no ']' ends, at character 2 of the pattern" },
    { REGEX_I, "[]", "a class has at least one character, at character 2 of the pattern" },
    { REGEX_I, "[a-c-e]", "found '-', which must be written '\\-', at character 5 of the pattern" },
    { REGEX_I, "[a[]", "found '[', which must be written '\\[', at character 3 of the pattern" },
    { REGEX_I, "[z-a]", "a range has its smaller character first, at character 4 of the pattern" },
    { REGEX_I, "[a-\\p{L}]",
      "a range goes from one character to another, at character 4 of the pattern" },
    { REGEX_I, "\\p{Letter}",
      "found 'Letter', expected a general category of Unicode such as L or Nd, at character 4 "
      "of the pattern" },
    { REGEX_I, "\\pL", "a category is written \\p{..}, at character 3 of the pattern" },
    { REGEX_I, "\xc3\xa9{,2}",
      "a repetition in {} is {2}, {2,} or {2,5}, at character 3 of the pattern" },
    { REGEX_I, "a{3,2}",
      "a repetition has its smaller number first, at character 3 of the pattern" },
    { REGEX_I, "(a{0,1000}){0,1000}",
      "repetitions that come to more than 16384 steps when written out, at character 12 of the "
      "pattern" },
    { REGEX_I, "a{99999999999999999999}",
      "repetitions that come to more than 16384 steps when written out, at character 2 of the "
      "pattern" },
    { REGEX_ECMA, "(?=a)",
      "look-around is not regular: it would cost more than linear time, at character 1 of the "
      "pattern" },
    { REGEX_ECMA, "a(?<!a)",
      "look-around is not regular: it would cost more than linear time, at character 2 of the "
      "pattern" },
    { REGEX_ECMA, "(a)\\1",
      "a back-reference is not regular: it would cost more than linear time, at character 5 of "
      "the pattern" },
    { REGEX_ECMA, "(?<n>a)\\k<n>",
      "a back-reference is not regular: it would cost more than linear time, at character 9 of "
      "the pattern" },
    { REGEX_ECMA, "(?i:a)",
      "found '(?', expected '(?:' or '(?<name>', at character 1 of the pattern" },
    { REGEX_ECMA, "(?<1>a)",
      "a group has a name, as in (?<name>..), at character 4 of the pattern" },
    { REGEX_ECMA, "(?<>a)",
      "a group has a name, as in (?<name>..), at character 4 of the pattern" },
    { REGEX_ECMA, "^*", "an assertion cannot be repeated, at character 2 of the pattern" },
    { REGEX_ECMA, "\\a", "'\\a' means nothing, at character 2 of the pattern" },
    { REGEX_ECMA, "\\Z", "'\\Z' means nothing, at character 2 of the pattern" },
    { REGEX_ECMA, "\\-", "'\\-' means nothing, at character 2 of the pattern" },
    { REGEX_ECMA, "\\00", "'\\0' means nothing, at character 2 of the pattern" },
    { REGEX_ECMA, "a{", "a repetition in {} is {2}, {2,} or {2,5}, at character 3 of the pattern" },
    { REGEX_ECMA, "]", "found ']', which must be written '\\]', at character 1 of the pattern" },
    { REGEX_ECMA, "[\\d-z]",
      "a range goes from one character to another, at character 5 of the pattern" },
    { REGEX_ECMA, "\\u{110000}",
      "a character by number is \\u{0} to \\u{10ffff}, at character 4 of the pattern" },
    { REGEX_ECMA, "\\u12",
      "\\u is followed by four digits or {..}, at character 3 of the pattern" },
    { REGEX_ECMA, "\\xg0", "\\x is followed by two digits, at character 2 of the pattern" },
    { REGEX_ECMA, "\\p{Script=Greek}",
      "found 'Script=Greek', expected a general category of Unicode such as L or Nd, at "
      "character 4 of the pattern" },
};

static void refusals_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct error e;

        if (takes(refusals[i].dialect, refusals[i].pattern, &e))
            fail_msg("%s was taken", refusals[i].pattern);
        assert_string_equal(e.msg, refusals[i].msg);
        assert_int_equal(e.code, ERROR_SYNTAX);
    }
}

static void programs_have_ceilings(void **state)
{
    _buf_ struct buf deep = { .max = 1 << 20 }, long_one = { .max = 1 << 20 };
    struct error e;

    (void)state;
    for (int i = 0; i < 101; i++)
        buf_addc(&deep, '(');
    assert_false(takes(REGEX_I, deep.s, &e));
    assert_string_equal(e.msg, "groups inside each other, more than 100 deep, at character 101 of "
                               "the pattern");
    for (int i = 0; i < 16385; i++)
        buf_addc(&long_one, 'a');
    assert_false(takes(REGEX_I, long_one.s, &e));
    assert_string_equal(e.msg, "the pattern has 16385 bytes, allowed are 16384");
    assert_true(takes(REGEX_I, long_one.s + 1, &e));
    assert_false(takes(REGEX_I, "a{9000}b{9000}", &e));
    assert_string_equal(e.msg, "the pattern comes to more than 16384 steps");
    assert_true(takes(REGEX_I, "(((){9999}){9999}){9999}", &e));
    assert_true(takes(REGEX_I, "a{1,8000}", &e));
    assert_false(takes(REGEX_I, "a\xff", &e));
    assert_int_equal(e.code, ERROR_ENCODING);
}

/* Patterns that make backtracking take ages: a bounded number of steps for each character. */
static void cost_is_linear_in_the_text(void **state)
{
    static const char *const patterns[] = { "(a*)*b",       "(a|aa)+b",   "(a|a)*b",
                                            "(a*a*a*a*)*b", "(.*a){12}b", "[ab]*a[ab]{200}b" };
    _buf_ struct buf text = { .max = 1 << 20 };

    (void)state;
    for (int i = 0; i < 20000; i++)
        buf_adds(&text, i % 7 ? "a" : "\xc3\xa4");
    for (size_t i = 0; i < COUNT(patterns); i++) {
        _arena_ struct arena a = { 0 };
        struct work w = { .left = UINT64_C(20000) * 2000 }, few = { .left = 1000 };
        const struct regex *r;
        struct error e;

        assert_true(regex_read(str_of(patterns[i]), REGEX_I, &a, &r, &e));
        assert_false(regex_search(r, buf_str(&text), &w, &a));
        assert_false(w.over);
        assert_false(regex_search(r, buf_str(&text), &few, &a));
        assert_true(few.over);
    }
}

static uint32_t seed = 7;

static uint32_t dice(uint32_t sides)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % sides;
}

/* [ab]*a[ab]{12} has 8192 states, far more than there is room for; what was forgotten is found
 * again. The other has 8, among which a text goes to and fro. */
static void forgetting_changes_nothing(void **state)
{
    enum { WINDOW = 100 };
    static const struct {
        const char *pattern;
        size_t tail;
    } cases[] = { { "[ab]*a[ab]{2}", 3 }, { "[ab]*a[ab]{12}", 13 } };
    char text[5000];

    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = dice(2) ? 'a' : 'b';
    for (size_t k = 0; k < COUNT(cases); k++) {
        _arena_ struct arena a = { 0 };
        struct work w = plenty();
        const struct regex *r;
        struct error e;

        assert_true(regex_read(str_of(cases[k].pattern), REGEX_I, &a, &r, &e));
        for (size_t i = 0; i + WINDOW <= sizeof text; i++)
            assert_int_equal(regex_whole(r, (struct str){ text + i, WINDOW }, &w, &a),
                             text[i + WINDOW - cases[k].tail] == 'a');
    }
}

/* --- a second opinion: a matcher that tries everything, for small patterns --- */

static const char *past(const char *p)
{
    int depth = 0;

    if (*p != '(' && *p != '[')
        return p + 1;
    if (*p == '[')
        return strchr(p, ']') + 1;
    for (;; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0)
            return p + 1;
    }
}

/* ends: bit i where the text up to i can be matched, beginning at any bit of `from`. */
static uint32_t ends_one_of(const char **p, const char *text, uint32_t from);

static uint32_t ends_atom(const char *p, const char *text, uint32_t from)
{
    uint32_t to = 0;

    if (*p == '(') {
        p++;
        return ends_one_of(&p, text, from);
    }
    for (uint32_t i = 0; text[i]; i++) {
        bool fits = *p == '.' || *p == text[i] ||
                    (*p == '[' && (p[1] == '^') != (p[1 + (p[1] == '^')] == text[i]));

        if (from >> i & 1 && fits)
            to |= UINT32_C(1) << (i + 1);
    }
    return to;
}

static uint32_t ends_repeat(const char *p, const char *text, uint32_t from, int min, int max)
{
    uint32_t all = min == 0 ? from : 0;

    for (int i = 1; i <= max; i++) {
        from = ends_atom(p, text, from);
        if (i >= min)
            all |= from;
    }
    return all;
}

static uint32_t ends_one_of(const char **p, const char *text, uint32_t from)
{
    uint32_t all = 0, now = from;

    while (**p && **p != ')') {
        const char *atom = *p, *behind = past(atom);
        int min = 1, max = 1;

        if (*atom == '|') {
            all |= now;
            now = from;
            (*p)++;
            continue;
        }
        if (*behind == '*' || *behind == '?' || *behind == '+') {
            min = *behind == '+';
            max = *behind == '?' ? 1 : 20;
            behind++;
        } else if (*behind == '{') {
            min = behind[1] - '0';
            max = behind[3] - '0';
            behind += 5;
        }
        now = ends_repeat(atom, text, now, min, max);
        *p = behind;
    }
    return all | now;
}

static void random_pattern(struct buf *to, int depth)
{
    static const char *const atoms[] = { "a", "b", ".", "[a]", "[^a]", "[^b]" };
    static const char *const behind[] = { "", "", "", "*", "+", "?", "{0,2}", "{1,3}", "{2,2}" };
    uint32_t n = dice(4);

    for (uint32_t i = 0; i < n; i++) {
        if (depth > 0 && dice(3) == 0) {
            buf_addc(to, '(');
            random_pattern(to, depth - 1);
            buf_addc(to, ')');
        } else {
            buf_adds(to, atoms[dice(COUNT(atoms))]);
        }
        buf_adds(to, behind[dice(COUNT(behind))]);
        if (dice(4) == 0)
            buf_addc(to, '|');
    }
}

static void agrees_with_trying_everything(void **state)
{
    int taken = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        _buf_ struct buf pattern = { .max = 1 << 12 };

        buf_adds(&pattern, "");
        random_pattern(&pattern, 3);
        for (int k = 0; k < 8; k++) {
            char text[9] = "";
            const char *p = pattern.s;
            uint32_t n = dice(sizeof text);
            bool whole, found;

            for (uint32_t j = 0; j < n; j++)
                text[j] = dice(2) ? 'a' : 'b';
            whole = ends_one_of(&p, text, 1) >> n & 1;
            p = pattern.s;
            found = ends_one_of(&p, text, (UINT32_C(2) << n) - 1) != 0;
            assert_string_equal(matches(REGEX_I, pattern.s, str_of(text)), whole   ? "ws"
                                                                           : found ? "s"
                                                                                   : "");
            taken += whole;
        }
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_dialects_match),
        cmocka_unit_test(dialects_differ),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(programs_have_ceilings),
        cmocka_unit_test(cost_is_linear_in_the_text),
        cmocka_unit_test(forgetting_changes_nothing),
        cmocka_unit_test(agrees_with_trying_everything),
    };

    return cmocka_run_group_tests_name("regex", tests, NULL, NULL);
}
