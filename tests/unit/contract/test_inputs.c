/* SPDX-License-Identifier: Apache-2.0 */
/* test_inputs.c: what IV-01 to IV-05 look for in arguments, paths, variables and commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "contract/inputs.h"

static void R_001_055_R_001_056_R_001_057_R_001_058_R_001_059_the_five_checks_are_the_contracts(
    void **state)
{
    static const char *const want[CHECK_COUNT][3] = {
        { "IV-01", "command allowlist", "block if not listed" },
        { "IV-02", "argument sanitization", "escape or block" },
        { "IV-03", "path traversal", "normalize and validate" },
        { "IV-04", "environment filtering", "strip unapproved" },
        { "IV-05", "input size", "truncate or reject" },
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        assert_string_equal(checks[i].id, want[i][0]);
        assert_string_equal(checks[i].name, want[i][1]);
        assert_string_equal(checks[i].enforcement, want[i][2]);
    }
}

/* ---- arguments ---- */

static bool is_listed(int c)
{
    return c && strchr(";|&$`(){}[]<>\\\"'!#*?", c);
}

static void R_001_060_each_of_the_twenty_characters_counts(void **state)
{
    size_t listed = 0;

    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[] = { 'a', (char)c, 'b' };

        listed += is_listed(c);
        assert_int_equal(inputs_shell_chars((struct str){ text, sizeof text }), is_listed(c));
    }
    assert_int_equal(listed, SHELL_CHARS);
    assert_int_equal(inputs_shell_chars(str_of("$(rm -rf *); `id`")), 7);
    assert_int_equal(inputs_shell_chars(str_of("plain-text_1.0/%@:=,+~^")), 0);
    assert_int_equal(inputs_shell_chars(str_of("")), 0);
}

/* ---- paths ---- */

static void check_pattern(const char *path, const char *want)
{
    const struct path_pattern *p = inputs_path_pattern(str_of(path));

    if (!want && p)
        fail_msg("'%s' shows %s", path, p->text);
    if (want && !p)
        fail_msg("'%s' shows nothing, not %s", path, want);
    if (want)
        assert_string_equal(p->text, want);
}

static void check_all(const char *const *paths, const char *want)
{
    for (size_t i = 0; paths[i]; i++)
        check_pattern(paths[i], want);
}

static void R_001_061_climbing_by_slash(void **state)
{
    static const char *const paths[] = { "../x",   "a/../b",         "..",       "../",
                                         "a/..",   "/../etc/passwd", "a//..//b", "./..",
                                         "a/./..", "/etc/../x",      NULL };

    (void)state;
    check_all(paths, "../");
}

static void R_001_062_climbing_by_backslash(void **state)
{
    static const char *const paths[] = { "..\\x", "a\\..\\b",           "a\\..", "a/..\\b",
                                         "..\\",  "C:\\Windows\\..\\x", NULL };

    (void)state;
    check_all(paths, "..\\");
}

static void R_001_063_R_001_064_system_directories(void **state)
{
    static const char *const etc[] = { "/etc/passwd", "/etc/",        "/etc", "//etc/passwd",
                                       "/./etc/x",    "/etc//passwd", NULL };
    static const char *const var[] = { "/var/log/x", "/var/", "/var", "/.//var/x", NULL };

    (void)state;
    check_all(etc, "/etc/");
    check_all(var, "/var/");
}

static void R_001_065_the_windows_directory(void **state)
{
    static const char *const paths[] = { "C:\\Windows\\System32",
                                         "c:\\windows\\x",
                                         "C:\\WINDOWS\\",
                                         "C:/Windows/x",
                                         "C:\\Windows",
                                         "C:\\\\Windows\\\\x",
                                         NULL };

    (void)state;
    check_all(paths, "C:\\Windows\\");
}

static void ordinary_paths_show_no_pattern(void **state)
{
    static const char *const paths[] = {
        "",
        "a",
        "a/b",
        "./a",
        "/usr/etc/x",
        "etc/passwd",
        "var/x",
        "/etcetera",
        "/variable",
        "...",
        "a/.../b",
        "..a/b",
        "a../b",
        "/home/u/.git",
        "/",
        ".",
        "C:\\Program",
        "D:\\Windows\\x",
        "C:Windows",
        NULL,
    };

    (void)state;
    check_all(paths, NULL);
}

static void bytes_after_the_path_are_not_read(void **state)
{
    (void)state;
    assert_null(inputs_path_pattern((struct str){ "/etcetera", 3 }));
    assert_non_null(inputs_path_pattern((struct str){ "/etcetera", 4 }));
    assert_null(inputs_path_pattern((struct str){ "a/..", 3 }));
    assert_null(inputs_path_pattern((struct str){ NULL, 0 }));
}

/* ---- variables ---- */

static void R_001_066_R_001_067_R_001_068_dangerous_variables_are_stripped(void **state)
{
    (void)state;
    assert_true(inputs_env_stripped(str_of("LD_PRELOAD")));
    assert_true(inputs_env_stripped(str_of("LD_LIBRARY_PATH")));
    assert_true(inputs_env_stripped(str_of("PATH")));
    assert_false(inputs_env_stripped(str_of("HOME")));
    assert_false(inputs_env_stripped(str_of("PATHS")));
    assert_false(inputs_env_stripped(str_of("PAT")));
    assert_false(inputs_env_stripped(str_of("")));
    for (size_t i = 0; i < 3; i++) {
        static const char *const contract[] = { "LD_PRELOAD", "LD_LIBRARY_PATH", "PATH" };

        assert_string_equal(env_rows[i].name, contract[i]);
        assert_int_equal(env_rows[i].scoped, i == 2);
    }
}

/* The same by other names: the loader, the C library, shells, interpreters, compilers, git. */
static void R_001_058_what_does_the_same_is_stripped_too(void **state)
{
    static const char *const stripped[] = {
        "LD_AUDIT",     "LD_",           "LD_BIND_NOW",      "GCONV_PATH",        "GLIBC_TUNABLES",
        "MALLOC_CHECK", "NLSPATH",       "HOSTALIASES",      "LOCPATH",           "RES_OPTIONS",
        "TMPDIR",       "PYTHONPATH",    "PYTHONSTARTUP",    "PYTHONHOME",        "BASH_ENV",
        "ENV",          "BASH_FUNC_x%%", "NODE_OPTIONS",     "NODE_PATH",         "PERL5LIB",
        "PERL5OPT",     "RUBYOPT",       "RUBYLIB",          "GIT_SSH",           "GIT_SSH_COMMAND",
        "GIT_PAGER",    "GIT_EDITOR",    "GIT_CONFIG_KEY_0", "GIT_EXTERNAL_DIFF", "IFS",
        NULL,
    };
    static const char *const kept[] = { "LD",          "L",      "LDFLAGS", "GIT_AUTHOR_NAME",
                                        "ENVIRONMENT", "MALLOC", "TMP",     "PYTHONHASHSEED",
                                        "ld_preload",  "_LD_X",  NULL };
    static const char *const scoped[] = { "PATH",     "TMPDIR",  "PYTHONPATH",       "NODE_PATH",
                                          "PERL5LIB", "RUBYLIB", "CARGO_TARGET_DIR", NULL };

    (void)state;
    for (size_t i = 0; stripped[i]; i++)
        if (!inputs_env_stripped(str_of(stripped[i])))
            fail_msg("%s is not stripped", stripped[i]);
    for (size_t i = 0; kept[i]; i++)
        if (inputs_env_stripped(str_of(kept[i])))
            fail_msg("%s is stripped", kept[i]);
    for (size_t i = 0; scoped[i]; i++)
        assert_true(inputs_env_row(str_of(scoped[i]))->scoped);
    assert_false(inputs_env_row(str_of("LD_AUDIT"))->scoped);
    assert_false(inputs_env_stripped((struct str){ "PATH\0", 5 }));
    assert_false(inputs_env_stripped((struct str){ NULL, 0 }));
}

/* A01-4 */
static void R_001_068_a_search_path_is_scoped_where_every_part_lies_under_a_root(void **state)
{
    const struct str roots[] = { str_of("/usr/"), str_of("/repo/tools") };
    static const char *const kept[] = { "/usr/bin", "/usr", "/usr/bin:/usr/local/bin:/repo/tools/x",
                                        "/repo//tools/", NULL };
    static const char *const replaced[] = {
        "",          "bin",   "/usr/bin:", ":/usr/bin",  "/usr::/usr",        "/usr/../tmp",
        "/usrlocal", "/repo", "/usr:/tmp", "/usr/bin:.", "/usr:/repo/toolsx", "/usr\\bin",
        NULL
    };

    (void)state;
    for (size_t i = 0; kept[i]; i++)
        assert_true(inputs_path_scoped(str_of(kept[i]), roots, COUNT(roots)));
    for (size_t i = 0; replaced[i]; i++)
        assert_false(inputs_path_scoped(str_of(replaced[i]), roots, COUNT(roots)));
    assert_false(inputs_path_scoped(str_of("/usr/bin"), roots, 0));
    assert_false(inputs_path_scoped(str_of("/usr/bin"), &(struct str){ "", 0 }, 1));
}

/* ---- commands and sizes ---- */

/* A01-2 */
static void shells_are_known_by_their_base_name(void **state)
{
    static const char *const shells[] = {
        "sh",       "ash",     "bash",       "csh",    "dash",     "fish",    "ksh",
        "mksh",     "pwsh",    "rbash",      "tcsh",   "zsh",      "busybox", "toybox",
        "env",      "xargs",   "awk",        "gawk",   "mawk",     "nawk",    "original-awk",
        "bun",      "deno",    "lua",        "luajit", "node",     "nodejs",  "perl",
        "php",      "pypy",    "python",     "ruby",   "tclsh",    "/bin/sh", "./node",
        "a/b/bash", "python3", "python3.11", "ksh93",  "bash-5.2", NULL,
    };
    static const char *const others[] = { "rg",    "/bin/ls", "push", "shasum", "sh/",  "basher",
                                          "cargo", "",        "3",    "/",      "Bash", NULL };

    (void)state;
    for (size_t i = 0; shells[i]; i++)
        assert_true(inputs_is_shell(str_of(shells[i])));
    for (size_t i = 0; others[i]; i++)
        assert_false(inputs_is_shell(str_of(others[i])));
    assert_false(inputs_is_shell((struct str){ "sh\0", 3 }));
}

/* Two names of one file. */
static void R_001_055_a_version_may_differ_from_the_name_of_the_file_itself(void **state)
{
    static const struct {
        const char *a, *b, *real;
        bool same;
    } rows[] = {
        { "python3", "/usr/bin/python3", "/usr/bin/python3.11", true },
        { "python3", "python3.11", "/usr/bin/python3.11", true },
        { "/usr/bin/python3.11", "python", "/usr/bin/python3.11", true },
        { "rg", "/opt/rg", "/opt/rg", true },
        { "mkfs.ext2", "mkfs.ext4", "/usr/sbin/mke2fs", false }, /* does what its name says */
        { "lsmod", "insmod", "/usr/bin/kmod", false },
        { "", "", "", false },
        { "7", "8", "/bin/9", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str a = str_of(rows[i].a), b = str_of(rows[i].b), real = str_of(rows[i].real);

        assert_int_equal(inputs_same_name(a, b, real), rows[i].same);
        assert_int_equal(inputs_same_name(b, a, real), rows[i].same);
    }
}

/* A01-6 */
static void R_001_059_inputs_have_their_sizes(void **state)
{
    (void)state;
    assert_string_equal(input_sizes[INPUT_STDIN].name, "stdin");
    assert_int_equal(input_sizes[INPUT_STDIN].bytes, 1048576);
    assert_string_equal(input_sizes[INPUT_FILES].name, "input_files");
    assert_int_equal(input_sizes[INPUT_FILES].bytes, 10485760);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_001_055_R_001_056_R_001_057_R_001_058_R_001_059_the_five_checks_are_the_contracts),
        cmocka_unit_test(R_001_060_each_of_the_twenty_characters_counts),
        cmocka_unit_test(R_001_061_climbing_by_slash),
        cmocka_unit_test(R_001_062_climbing_by_backslash),
        cmocka_unit_test(R_001_063_R_001_064_system_directories),
        cmocka_unit_test(R_001_065_the_windows_directory),
        cmocka_unit_test(ordinary_paths_show_no_pattern),
        cmocka_unit_test(bytes_after_the_path_are_not_read),
        cmocka_unit_test(R_001_066_R_001_067_R_001_068_dangerous_variables_are_stripped),
        cmocka_unit_test(R_001_058_what_does_the_same_is_stripped_too),
        cmocka_unit_test(R_001_068_a_search_path_is_scoped_where_every_part_lies_under_a_root),
        cmocka_unit_test(shells_are_known_by_their_base_name),
        cmocka_unit_test(R_001_055_a_version_may_differ_from_the_name_of_the_file_itself),
        cmocka_unit_test(R_001_059_inputs_have_their_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
