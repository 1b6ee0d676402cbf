/* SPDX-License-Identifier: Apache-2.0 */
/* input_rows.c: the checks of a command's inputs, and the characters, variables and sizes they
 * look for. */
#include "contract/inputs.h"

/* clang-format off */
const struct check_row checks[CHECK_COUNT] = {
    [CHECK_COMMAND]     = { "IV-01", "command allowlist",     "The command must be in the tool allowlist.", "block if not listed" },
    [CHECK_ARGUMENTS]   = { "IV-02", "argument sanitization", "No shell injection patterns.",               "escape or block" },
    [CHECK_PATHS]       = { "IV-03", "path traversal",        "No ../ in file paths.",                      "normalize and validate" },
    [CHECK_ENVIRONMENT] = { "IV-04", "environment filtering", "Only approved environment variables.",       "strip unapproved" },
    [CHECK_SIZE]        = { "IV-05", "input size",            "Standard input and files within limits.",    "truncate or reject" },
};

static const struct column check_columns[] = {
    { "id",          COLUMN_TEXT, offsetof(struct check_row, id) },
    { "name",        COLUMN_TEXT, offsetof(struct check_row, name) },
    { "meaning",     COLUMN_TEXT, offsetof(struct check_row, meaning) },
    { "enforcement", COLUMN_TEXT, offsetof(struct check_row, enforcement) },
};

const struct shell_char shell_chars[SHELL_CHARS] = {
    { ";",  "Ends a command and begins another." },
    { "|",  "Pipes into another command." },
    { "&",  "Runs in the background, or joins commands." },
    { "$",  "Puts in a variable or a command's output." },
    { "`",  "Puts in a command's output." },
    { "(",  "Opens a subshell." },
    { ")",  "Closes a subshell." },
    { "{",  "Opens a group or a list of words." },
    { "}",  "Closes a group or a list of words." },
    { "[",  "Opens a set of characters in a file pattern." },
    { "]",  "Closes a set of characters in a file pattern." },
    { "<",  "Reads from a file." },
    { ">",  "Writes to a file." },
    { "\\", "Takes the next character as it is." },
    { "\"", "Quotes, but lets variables through." },
    { "'",  "Quotes." },
    { "!",  "Repeats a command from history, or negates." },
    { "#",  "Begins a comment." },
    { "*",  "Stands for any text in a file pattern." },
    { "?",  "Stands for any character in a file pattern." },
};

static const struct column shell_char_columns[] = {
    { "character", COLUMN_TEXT, offsetof(struct shell_char, text) },
    { "meaning",   COLUMN_TEXT, offsetof(struct shell_char, meaning) },
};

/* The three rows of the contract, then what does the same by another name. The first row that fits
 * a name holds. */
const struct env_row env_rows[ENV_ROWS] = {
    { "LD_PRELOAD",                       false, "Puts foreign code into every program." },
    { "LD_LIBRARY_PATH",                  false, "Replaces the libraries of every program." },
    { "PATH",                             true,  "Decides which program a name means." },

    /* The loader and the C library. */
    { "LD_*",                             false, "Tells the loader what to load, watch or write." },
    { "GCONV_PATH",                       false, "Loads code when text is converted." },
    { "GETCONF_DIR",                      false, "Names the programs that getconf starts." },
    { "GLIBC_TUNABLES",                   false, "Changes how the C library guards memory." },
    { "HOSTALIASES",                      false, "Reads a file that renames hosts." },
    { "LOCALDOMAIN",                      false, "Changes where names are looked up." },
    { "LOCPATH",                          false, "Replaces the language data of the C library." },
    { "MALLOC_*",                         false, "Changes how memory is guarded, or writes a trace." },
    { "NLSPATH",                          false, "Replaces the messages of programs, and with them their formats." },
    { "RESOLV_*",                         false, "Changes where names are looked up." },
    { "RES_OPTIONS",                      false, "Changes how names are looked up." },
    { "TMPDIR",                           true,  "Decides where temporary files go." },
    { "TZDIR",                            false, "Replaces the time zones." },

    /* Shells. */
    { "BASHOPTS",                         false, "Sets options of every bash." },
    { "BASH_ENV",                         false, "Names a file that every bash runs first." },
    { "BASH_FUNC_*",                      false, "Puts a function into every bash." },
    { "CDPATH",                           true,  "Decides which directory a name means." },
    { "ENV",                              false, "Names a file that every sh runs first." },
    { "IFS",                              false, "Changes how a shell parts words." },
    { "PROMPT_COMMAND",                   false, "Is run by bash before every prompt." },
    { "PS4",                              false, "Is evaluated by a shell that traces." },
    { "SHELLOPTS",                        false, "Sets options of every bash." },
    { "ZDOTDIR",                          false, "Names the directory of the files zsh runs first." },

    /* Interpreters. */
    { "CLASSPATH",                        true,  "Decides which classes Java loads." },
    { "GEM_HOME",                         true,  "Decides which libraries Ruby loads." },
    { "GEM_PATH",                         true,  "Decides which libraries Ruby loads." },
    { "JAVA_TOOL_OPTIONS",                false, "Puts foreign code into every Java program." },
    { "JDK_JAVA_OPTIONS",                 false, "Puts foreign code into every Java program." },
    { "_JAVA_OPTIONS",                    false, "Puts foreign code into every Java program." },
    { "LUA_CPATH*",                       false, "Decides which libraries Lua loads." },
    { "LUA_INIT*",                        false, "Is run by every Lua program first." },
    { "LUA_PATH*",                        false, "Decides which modules Lua loads." },
    { "NODE_OPTIONS",                     false, "Puts foreign code into every Node program." },
    { "NODE_PATH",                        true,  "Decides which modules Node loads." },
    { "PERL5DB",                          false, "Is run by Perl's debugger." },
    { "PERL5LIB",                         true,  "Decides which modules Perl loads." },
    { "PERL5OPT",                         false, "Puts foreign code into every Perl program." },
    { "PERLLIB",                          true,  "Decides which modules Perl loads." },
    { "PHPRC",                            false, "Replaces the settings of PHP, which can load code." },
    { "PHP_INI_SCAN_DIR",                 false, "Replaces the settings of PHP, which can load code." },
    { "PYTHONBREAKPOINT",                 false, "Names what Python runs at a breakpoint." },
    { "PYTHONHOME",                       false, "Replaces the whole library of Python." },
    { "PYTHONPATH",                       true,  "Decides which modules Python loads." },
    { "PYTHONSTARTUP",                    false, "Names a file that Python runs first." },
    { "PYTHONUSERBASE",                   false, "Decides which modules Python loads, and runs what lies there." },
    { "PYTHONWARNINGS",                   false, "Makes Python load the module it names." },
    { "RUBYLIB",                          true,  "Decides which libraries Ruby loads." },
    { "RUBYOPT",                          false, "Puts foreign code into every Ruby program." },
    { "RUBYSHELL",                        false, "Names the shell Ruby starts." },

    /* Compilers and their like. */
    { "CARGO_BUILD_RUSTC*",               false, "Names programs that cargo starts instead of the compiler." },
    { "CARGO_TARGET_DIR",                 true,  "Decides where cargo builds." },
    { "CARGO_TARGET_*",                   false, "Names programs that cargo starts." },
    { "COMPILER_PATH",                    true,  "Decides which programs a compiler starts." },
    { "GCC_EXEC_PREFIX",                  false, "Decides which programs gcc starts." },
    { "GOFLAGS",                          false, "Names programs that go starts." },
    { "MAKEFILES",                        false, "Names files that every make reads first." },
    { "MAKEFLAGS",                        false, "Sets options of every make, which can run code." },
    { "OPENSSL_CONF",                     false, "Replaces the settings of OpenSSL, which can load code." },
    { "OPENSSL_ENGINES",                  false, "Makes OpenSSL load code." },
    { "OPENSSL_MODULES",                  false, "Makes OpenSSL load code." },
    { "RUSTC_WORKSPACE_WRAPPER",          false, "Names a program that cargo starts instead of the compiler." },
    { "RUSTC_WRAPPER",                    false, "Names a program that cargo starts instead of the compiler." },

    /* Programs that others start. */
    { "BROWSER",                          false, "Names a program that others start." },
    { "EDITOR",                           false, "Names a program that others start." },
    { "GIT_ALTERNATE_OBJECT_DIRECTORIES", false, "Gives git objects from elsewhere." },
    { "GIT_ASKPASS",                      false, "Names a program that git starts." },
    { "GIT_COMMON_DIR",                   false, "Replaces git's settings, which can run code." },
    { "GIT_CONFIG*",                      false, "Replaces git's settings, which can run code." },
    { "GIT_DIR",                          false, "Replaces git's settings, which can run code." },
    { "GIT_EDITOR",                       false, "Names a program that git starts." },
    { "GIT_EXEC_PATH",                    false, "Decides which programs git starts." },
    { "GIT_EXTERNAL_DIFF",                false, "Names a program that git starts." },
    { "GIT_PAGER",                        false, "Names a program that git starts." },
    { "GIT_PROXY_COMMAND",                false, "Names a program that git starts." },
    { "GIT_SEQUENCE_EDITOR",              false, "Names a program that git starts." },
    { "GIT_SSH*",                         false, "Names a program that git starts." },
    { "GIT_TEMPLATE_DIR",                 false, "Puts hooks into new repositories." },
    { "LESSCLOSE",                        false, "Is run by less." },
    { "LESSOPEN",                         false, "Is run by less." },
    { "MANPAGER",                         false, "Names a program that man starts." },
    { "PAGER",                            false, "Names a program that others start." },
    { "SSH_ASKPASS",                      false, "Names a program that ssh starts." },
    { "VISUAL",                           false, "Names a program that others start." },
};

static const struct column env_columns[] = {
    { "variable",    COLUMN_TEXT, offsetof(struct env_row, name) },
    { "kept_scoped", COLUMN_BOOL, offsetof(struct env_row, scoped) },
    { "meaning",     COLUMN_TEXT, offsetof(struct env_row, meaning) },
};

/* A01-6 */
const struct input_size_row input_sizes[INPUT_SIZE_COUNT] = {
    [INPUT_STDIN] = { "stdin",        1048576, "Bytes given on standard input." },
    [INPUT_FILES] = { "input_files", 10485760, "Bytes of all input files together." },
};

static const struct column input_size_columns[] = {
    { "name",    COLUMN_TEXT,  offsetof(struct input_size_row, name) },
    { "bytes",   COLUMN_INT64, offsetof(struct input_size_row, bytes) },
    { "meaning", COLUMN_TEXT,  offsetof(struct input_size_row, meaning) },
};
/* clang-format on */

const struct table checks_table = {
    .name = "checks",
    .about = "What is checked before a command runs, from contract 001.",
    COLUMNS(check_columns),
    .keys = 1,
    ROWS(checks),
};

const struct table shell_chars_table = {
    .name = "characters",
    .about = "The characters IV-02 looks for in an argument.",
    COLUMNS(shell_char_columns),
    .keys = 1,
    ROWS(shell_chars),
};

const struct table env_table = {
    .name = "variables",
    .about = "The environment variables IV-04 strips; * stands for any ending.",
    COLUMNS(env_columns),
    .keys = 1,
    ROWS(env_rows),
};

const struct table input_sizes_table = {
    .name = "inputs",
    .about = "How much a command may be given; IV-05 looks at it.",
    COLUMNS(input_size_columns),
    .keys = 1,
    ROWS(input_sizes),
};

static bool is_shell_char(char c)
{
    for (size_t i = 0; i < SHELL_CHARS; i++) {
        if (shell_chars[i].text[0] == c)
            return true;
    }
    return false;
}

size_t inputs_shell_chars(struct str argument)
{
    size_t found = 0;

    for (size_t i = 0; i < argument.n; i++)
        found += is_shell_char(argument.s[i]);
    return found;
}

static bool env_names(const struct env_row *row, struct str name)
{
    size_t n = strlen(row->name) - 1;

    if (row->name[n] == '*')
        return name.n >= n && memcmp(name.s, row->name, n) == 0;
    return str_is(name, row->name);
}

const struct env_row *inputs_env_row(struct str name)
{
    for (size_t i = 0; name.n && i < ENV_ROWS; i++) {
        if (env_rows[i].name[0] == name.s[0] && env_names(&env_rows[i], name))
            return &env_rows[i];
    }
    return NULL;
}

bool inputs_env_stripped(struct str name)
{
    return inputs_env_row(name) != NULL;
}
