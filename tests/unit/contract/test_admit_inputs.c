/* SPDX-License-Identifier: Apache-2.0 */
/* test_admit_inputs.c: arguments, variables and sizes of what a command is given (IV-02 to IV-05).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "unit/contract/asking.h"

/* ---- IV-02 ---- */

static void ask_arguments(struct asking *q, const char *tool_id, const char *command,
                          const struct str *arguments, size_t count)
{
    struct admit_ask ask = typed(command);

    ask.registry = registry_of(q, CALLER);
    ask.person = !tool_id;
    ask.tool_id = text_or_none(tool_id);
    ask.arguments = arguments;
    ask.argument_count = count;
    put(q, &ask);
}

static void R_001_056_R_001_060_arguments_are_handed_over_and_counted(void **state)
{
    const struct str arguments[] = { str_of("-n"), str_of("a.*b?"), str_of(""), str_of("$(id)"),
                                     str_of("plain") };
    _asking_ struct asking q = { 0 }, plain = { 0 }, none = { 0 };

    (void)state;
    ask_arguments(&q, "SEARCH", "rg", arguments, COUNT(arguments));
    assert_true(q.good);
    check_sentence(&q, CHECK_ARGUMENTS, "escaped: 2");
    ask_arguments(&plain, NULL, "cat", arguments, 1);
    check_sentence(&plain, CHECK_ARGUMENTS, "ok");
    ask_arguments(&none, NULL, "cat", NULL, 0);
    check_sentence(&none, CHECK_ARGUMENTS, "ok");
}

static void R_001_056_R_001_060_each_character_is_blocked_where_the_tool_says_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHELL_CHARS; i++) {
        const char text[] = { 'a', shell_chars[i].text[0], '*', '\0' };
        const struct str arguments[] = { str_of("plain"), str_of(text) };
        _asking_ struct asking q = { 0 }, person = { 0 };
        const char *msg = arena_printf(
            &q.a,
            "argument 2 holds '%c', and tool 'LITERAL' takes none of the characters that `writ "
            "explain characters` lists",
            text[1]);

        ask_arguments(&q, "LITERAL", "lit", arguments, 2);
        check_refused(&q, CHECK_ARGUMENTS, CODE_ARGUMENT_REFUSED, msg);
        ask_arguments(&person, NULL, "lit", arguments, 2);
        check_refused(&person, CHECK_ARGUMENTS, CODE_ARGUMENT_REFUSED, msg);
    }
}

static void R_001_056_a_tool_that_blocks_takes_plain_arguments(void **state)
{
    const struct str arguments[] = { str_of("--plain=1"), str_of("a/b.c") };
    _asking_ struct asking q = { 0 };

    (void)state;
    ask_arguments(&q, "LITERAL", "lit", arguments, 2);
    assert_true(q.good);
    check_sentence(&q, CHECK_ARGUMENTS, "ok");
}

/* I06 */
static void R_001_056_what_no_program_can_be_given_is_refused(void **state)
{
    const struct str nul[] = { str_of("a"), { "b\0c", 3 } };
    _asking_ struct asking q = { 0 }, just = { 0 }, over = { 0 };
    char *text = arena_alloc(&q.a, ADMIT_TEXT_MAX);
    struct str longest = { memset(text, 'x', ADMIT_TEXT_MAX), ADMIT_TEXT_MAX - 1 };

    (void)state;
    ask_arguments(&q, NULL, "cat", nul, 2);
    check_refused(&q, CHECK_ARGUMENTS, CODE_ARGUMENT_REFUSED,
                  "argument 2 holds a NUL byte, which no program can be given");
    ask_arguments(&just, NULL, "cat", &longest, 1);
    assert_true(just.good);
    longest.n++;
    ask_arguments(&over, NULL, "cat", &longest, 1);
    check_refused(&over, CHECK_ARGUMENTS, CODE_ARGUMENT_REFUSED,
                  "argument 1 has 131072 bytes, allowed 131071; give it as a file");
}

/* ---- IV-04 ---- */

static const struct str roots[] = { { "/usr", 4 }, { "/repo", 5 } };

struct env_case {
    const char *asked[4]; /* NAME=value */
    const char *caller[4];
    const char *says;
    const char *kept; /* what is passed on, one after the other */
    const char *path; /* NULL: the policy's */
};

/* clang-format off */
static const struct env_case env_cases[] = {
    { { NULL },                               { NULL },                        "ok", "", NULL },
    { { "B=2", "A=1", "C=" },                 { NULL },                        "ok", "A=1 B=2 C= ", NULL },
    { { "A=1", "B=1", "A=2" },                { NULL },                        "ok", "A=2 B=1 ", NULL },
    { { "A=b=c" },                            { "TOKEN=s", "HOME=/h" },        "ok", "A=b=c ", NULL },
    { { "LD_PRELOAD=x", "A=1" },              { NULL },                        "stripped: LD_PRELOAD", "A=1 ", NULL },
    { { "LD_LIBRARY_PATH=/usr/lib" },         { NULL },                        "stripped: LD_LIBRARY_PATH", "", NULL },
    { { NULL },                               { "LD_PRELOAD=x" },              "stripped: LD_PRELOAD", "", NULL },
    { { "LD_PRELOAD=x" },                     { "LD_PRELOAD=y", "LD_AUDIT=z" },"stripped: LD_AUDIT, LD_PRELOAD", "", NULL },
    { { "PATH=/usr/bin:/repo/x", "Z=1" },     { NULL },                        "ok", "Z=1 ", "/usr/bin:/repo/x" },
    { { "PATH=/usr/bin:/tmp", "A=1" },        { NULL },                        "stripped: PATH", "A=1 ", NULL },
    { { "PATH=.:/usr/bin" },                  { NULL },                        "stripped: PATH", "", NULL },
    { { "PATH=" },                            { NULL },                        "stripped: PATH", "", NULL },
    { { NULL },                               { "PATH=/usr/bin" },             "ok", "", "/usr/bin" },
    { { NULL },                               { "PATH=/usr/bin:/home/u/bin" }, "stripped: PATH", "", NULL },
    { { "PATH=/repo/bin" },                   { "PATH=/tmp" },                 "ok", "", "/repo/bin" },
    { { "PATH=/tmp" },                        { "PATH=/usr/bin" },             "stripped: PATH", "", NULL },
    { { "PATH=/tmp", "PATH=/usr/bin" },       { NULL },                        "ok", "", "/usr/bin" },
    { { "PATH=/usr/bin", "PATH=/tmp" },       { NULL },                        "stripped: PATH", "", NULL },
    { { "PYTHONPATH=/repo/lib" },             { "PYTHONPATH=/tmp" },           "ok", "PYTHONPATH=/repo/lib ", NULL },
    { { "PYTHONPATH=/repo:/tmp" },            { NULL },                        "stripped: PYTHONPATH", "", NULL },
    { { NULL },                               { "PYTHONPATH=/repo/lib" },      "stripped: PYTHONPATH", "", NULL },
    { { "PYTHONSTARTUP=/repo/x" },            { "ENV=/x", "BASH_ENV=/x" },     "stripped: BASH_ENV, ENV, PYTHONSTARTUP", "", NULL },
    { { NULL },                               { "BASH_FUNC_ls%%=() { id; }" }, "stripped: BASH_FUNC_*", "", NULL },
    { { NULL },                               { "LD_\n\x1b[2J=1", "LD_\xff=1" }, "stripped: LD_*", "", NULL },
    { { NULL },                               { "LD_PRELOAD", "=x", "" },      "ok", "", NULL },
};
/* clang-format on */

static struct pair pair_of(const char *text)
{
    const char *equals = strchr(text, '=');

    assert_non_null(equals);
    return (struct pair){ { text, (size_t)(equals - text) }, str_of(equals + 1) };
}

static const char *kept_text(struct asking *q)
{
    const char *all = "";

    for (size_t i = 0; i < q->out.environment_count; i++)
        all = arena_printf(&q->a, "%s%.*s=%.*s ", all, STR_ARG(q->out.environment[i].key),
                           STR_ARG(q->out.environment[i].text));
    return all;
}

static void check_env(const struct env_case *row)
{
    _asking_ struct asking q = { 0 };
    struct pair asked[COUNT(row->asked)];
    struct admit_ask ask = typed("rg");

    while (ask.environment_count < COUNT(row->asked) && row->asked[ask.environment_count]) {
        asked[ask.environment_count] = pair_of(row->asked[ask.environment_count]);
        ask.environment_count++;
    }
    ask.environment = asked;
    ask.caller_env = row->caller;
    ask.path_roots = roots;
    ask.path_root_count = COUNT(roots);
    put(&q, &ask);
    assert_true(q.good);
    check_sentence(&q, CHECK_ENVIRONMENT, row->says);
    assert_string_equal(kept_text(&q), row->kept);
    assert_int_equal(q.out.path.s == NULL, row->path == NULL);
    if (row->path)
        check_is(q.out.path, row->path);
}

/* A01-4, A01-5, I02, I03 */
static void R_001_058_R_001_066_R_001_067_R_001_068_dangerous_variables_do_not_reach_it(
    void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(env_cases); i++)
        check_env(&env_cases[i]);
}

static void R_001_058_no_environment_at_all_is_fine(void **state)
{
    _asking_ struct asking q = { 0 };
    struct admit_ask ask = typed("rg");

    (void)state;
    put(&q, &ask);
    assert_true(q.good);
    check_sentence(&q, CHECK_ENVIRONMENT, "ok");
    assert_int_equal(q.out.environment_count, 0);
}

static void R_001_058_the_sentence_has_an_end(void **state)
{
    _asking_ struct asking q = { 0 };
    struct admit_ask ask = typed("rg");
    const char **caller = arena_alloc(&q.a, 42 * sizeof *caller);
    char *name = arena_alloc(&q.a, 1000);

    (void)state;
    for (int i = 0; i < 40; i++)
        caller[i] = arena_printf(&q.a, "LD_%02d=1", i);
    memcpy(memset(name, 'X', 998), "LD_", 3);
    name[998] = '=';
    caller[40] = name;
    ask.caller_env = caller;
    put(&q, &ask);
    assert_true(q.good);
    assert_true(strncmp(q.out.checks[CHECK_ENVIRONMENT], "stripped: LD_*, LD_00, LD_01, ", 30) ==
                0);
    assert_non_null(strstr(q.out.checks[CHECK_ENVIRONMENT], "LD_30 and 9 more"));
}

static void R_001_058_a_variable_that_cannot_be_given_is_refused(void **state)
{
    static const struct {
        struct pair pair;
        const char *msg;
    } rows[] = {
        { { { "", 0 }, { "x", 1 } }, "variable '' is not a variable name such as HTTP_PROXY" },
        { { { "A=B", 3 }, { "x", 1 } },
          "variable 'A=B' is not a variable name such as HTTP_PROXY" },
        { { { "A\0B", 3 }, { "x", 1 } },
          "variable 'A\\x00B' is not a variable name such as HTTP_PROXY" },
        { { { "A", 1 }, { "x\0y", 3 } },
          "variable 'A' holds a NUL byte, which no program can be given" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _asking_ struct asking q = { 0 };
        struct admit_ask ask = typed("rg");

        ask.environment = &rows[i].pair;
        ask.environment_count = 1;
        put(&q, &ask);
        check_refused(&q, CHECK_ENVIRONMENT, CODE_ARGUMENT_REFUSED, rows[i].msg);
    }
}

/* A tool is not called without what its adapter says it needs; a run goes without it. */
static void R_001_058_a_call_is_refused_a_variable_that_a_run_would_lose(void **state)
{
    static const struct {
        struct pair pair;
        const char *msg; /* of a call; NULL: it is given */
    } rows[] = {
        { { { "LD_PRELOAD", 10 }, { "/tmp/x.so", 9 } },
          "variable 'LD_PRELOAD' is given to no tool; `writ explain variables` lists such names" },
        { { { "PYTHONPATH", 10 }, { "/elsewhere", 10 } },
          "variable 'PYTHONPATH' may name only directories that the run sees; `writ explain "
          "variables` lists such names" },
        { { { "LANG", 4 }, { "C", 1 } }, NULL },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _asking_ struct asking call = { 0 }, run = { 0 };
        struct admit_ask ask = typed("rg");

        ask.environment = &rows[i].pair;
        ask.environment_count = 1;
        put(&run, &ask);
        assert_true(run.good);
        assert_int_equal(run.out.not_given_count, rows[i].msg != NULL);
        ask.call = true;
        put(&call, &ask);
        if (rows[i].msg)
            check_refused(&call, CHECK_ENVIRONMENT, CODE_ARGUMENT_REFUSED, rows[i].msg);
        else
            assert_true(call.good);
    }
}

static void R_001_058_a_variable_has_the_kernels_length(void **state)
{
    _asking_ struct asking q = { 0 }, over = { 0 };
    char *text = arena_alloc(&q.a, ADMIT_TEXT_MAX);
    struct pair longest = { str_of("A"),
                            { memset(text, 'x', ADMIT_TEXT_MAX), ADMIT_TEXT_MAX - 3 } };
    struct admit_ask ask = typed("rg");

    (void)state;
    ask.environment = &longest;
    ask.environment_count = 1;
    put(&q, &ask);
    assert_true(q.good);
    longest.text.n++;
    put(&over, &ask);
    check_refused(&over, CHECK_ENVIRONMENT, CODE_ARGUMENT_REFUSED,
                  "variable 'A' has 131071 bytes with its name, allowed 131070");
}

/* ---- IV-05 ---- */

struct size_case {
    int64_t stdin_bytes, file_bytes;
    bool truncate;
    const char *says;
    bool stdin_cut, files_cut;
};

/* clang-format off */
static const struct size_case size_cases[] = {
    {      -1,       -1, false, "ok", false, false },
    {       0,        0, false, "ok", false, false },
    { 1048576, 10485760, false, "ok", false, false },
    { 1048576, 10485760, true,  "ok", false, false },
    { 1048577,       -1, true,  "cut: stdin to 1048576 bytes", true, false },
    {      -1, 10485761, true,  "cut: input_files to 10485760 bytes", false, true },
    { 9999999, 99999999, true,  "cut: stdin to 1048576 bytes, input_files to 10485760 bytes", true, true },
};

static const struct size_case too_large[] = {
    { 1048577,       -1, false, "stdin has more than 1048576 bytes, allowed 1048576; give less; a request (-f) may also say on_oversize: truncate", false, false },
    {       0, 10485761, false, "input_files has 10485761 bytes, allowed 10485760; give less; a request (-f) may also say on_oversize: truncate", false, false },
};
/* clang-format on */

static void ask_sizes(struct asking *q, const struct size_case *row)
{
    struct admit_ask ask = typed("rg");

    ask.stdin_bytes = row->stdin_bytes;
    ask.file_bytes = row->file_bytes;
    ask.truncate = row->truncate;
    put(q, &ask);
    assert_int_equal(q->out.stdin_cut, row->stdin_cut);
    assert_int_equal(q->out.files_cut, row->files_cut);
}

/* A01-6 */
static void R_001_059_inputs_are_cut_where_that_is_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(size_cases); i++) {
        _asking_ struct asking q = { 0 };

        ask_sizes(&q, &size_cases[i]);
        assert_true(q.good);
        check_sentence(&q, CHECK_SIZE, size_cases[i].says);
    }
}

static void R_001_059_inputs_over_their_size_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(too_large); i++) {
        _asking_ struct asking q = { 0 };

        ask_sizes(&q, &too_large[i]);
        check_refused(&q, CHECK_SIZE, CODE_INPUT_TOO_LARGE, too_large[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_056_R_001_060_arguments_are_handed_over_and_counted),
        cmocka_unit_test(R_001_056_R_001_060_each_character_is_blocked_where_the_tool_says_so),
        cmocka_unit_test(R_001_056_a_tool_that_blocks_takes_plain_arguments),
        cmocka_unit_test(R_001_056_what_no_program_can_be_given_is_refused),
        cmocka_unit_test(
            R_001_058_R_001_066_R_001_067_R_001_068_dangerous_variables_do_not_reach_it),
        cmocka_unit_test(R_001_058_no_environment_at_all_is_fine),
        cmocka_unit_test(R_001_058_the_sentence_has_an_end),
        cmocka_unit_test(R_001_058_a_variable_that_cannot_be_given_is_refused),
        cmocka_unit_test(R_001_058_a_call_is_refused_a_variable_that_a_run_would_lose),
        cmocka_unit_test(R_001_058_a_variable_has_the_kernels_length),
        cmocka_unit_test(R_001_059_inputs_are_cut_where_that_is_asked_for),
        cmocka_unit_test(R_001_059_inputs_over_their_size_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
