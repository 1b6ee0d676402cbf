/* SPDX-License-Identifier: Apache-2.0 */
/* jq_leaks.c: the leaks of jq, as rows. */
#include "executor/jq_leaks.h"

#include "base/own.h"

/* Every row that raises says it the same way; a program that catches it learns nothing. */
#define RAISE(head) "def " head ": error(\"an executor sees its payload alone\");"
#define SHADOWED    "a function of the same name stands before the program"
#define BOUND       "a variable of the same name stands before the program"
#define SAME        "equal everywhere, and so no leak"

/* clang-format off */
const struct jq_leak jq_leaks[] = {
    { "env",               RAISE("env"),               "env",                     LEAK_RAISES,   NULL, SHADOWED },
    { "now",               RAISE("now"),               "now",                     LEAK_RAISES,   NULL, SHADOWED },
    { "localtime",         RAISE("localtime"),         "0 | localtime",           LEAK_RAISES,   NULL, SHADOWED },
    { "strflocaltime",     RAISE("strflocaltime(f)"),  "0 | strflocaltime(\"%c\")", LEAK_RAISES, NULL, SHADOWED },
    { "input",             RAISE("input"),             "input",                   LEAK_RAISES,   NULL, SHADOWED },
    { "inputs",            RAISE("inputs"),            "[inputs]",                LEAK_RAISES,   NULL, SHADOWED },
    { "input_filename",    RAISE("input_filename"),    "input_filename",          LEAK_RAISES,   NULL, SHADOWED },
    { "input_line_number", RAISE("input_line_number"), "input_line_number",       LEAK_RAISES,   NULL, SHADOWED },
    { "debug",             RAISE("debug"),             "debug",                   LEAK_RAISES,   NULL, SHADOWED },
    { "debug/1",           RAISE("debug(m)"),          "debug(1)",                LEAK_RAISES,   NULL, SHADOWED },
    { "stderr",            RAISE("stderr"),            "stderr",                  LEAK_RAISES,   NULL, SHADOWED },
    { "halt",              RAISE("halt"),              "halt",                    LEAK_RAISES,   NULL, SHADOWED },
    { "halt_error",        RAISE("halt_error"),        "halt_error",              LEAK_RAISES,   NULL, SHADOWED },
    { "halt_error/1",      RAISE("halt_error(c)"),     "halt_error(0)",           LEAK_RAISES,   NULL, SHADOWED },
    { "get_search_list",   RAISE("get_search_list"),   "get_search_list",         LEAK_RAISES,   NULL, SHADOWED },
    { "modulemeta",        RAISE("modulemeta"),        "\"leak\" | modulemeta",   LEAK_RAISES,   NULL, SHADOWED },

    /* jq 1.6 takes an error without a message for the end of the values. */
    { "error",   "def error: if . == null then error(\"null\") else error(.) end;",
                                                       "null | error",            LEAK_RAISES,   NULL, SHADOWED },
    { "error/1", "def error(m): m | error;",           "error(null)",             LEAK_RAISES,   NULL, SHADOWED },

    { "$ENV",              "{} as $ENV |",             "$ENV",                    LEAK_CONSTANT, "{}", BOUND },
    { "$__prog_args",      "{} as $__prog_args |",     "$__prog_args",            LEAK_CONSTANT, "{}", BOUND },

    { "$ARGS",             NULL, "$ARGS",                                         LEAK_REFUSED,  NULL, "nobody binds it" },
    { "import",            NULL, "import \"leak\" as l; l::leak",                 LEAK_REFUSED,  NULL, "not the first word of a program, and the walls refuse the file" },
    { "import of data",    NULL, "import \"leak\" as $l; $l",                     LEAK_REFUSED,  NULL, "not the first word of a program, and the walls refuse the file" },
    { "include",           NULL, "include \"leak\"; leak",                        LEAK_REFUSED,  NULL, "not the first word of a program, and the walls refuse the file" },
    { "module",            NULL, "module {\"search\": \"/\"}; .",                 LEAK_REFUSED,  NULL, "not the first word of a program" },
    { "$HOME/.jq",         NULL, "leak",                                          LEAK_REFUSED,  NULL, "there is no HOME, and the walls refuse the file" },

    { "%Z of strftime",    NULL, "0 | strftime(\"%Z\")",                          LEAK_CONSTANT, "\"UTC\"", "the zone is UTC" },
    { "%z of strftime",    NULL, "0 | strftime(\"%z\")",                          LEAK_CONSTANT, "\"+0000\"", "the zone is UTC" },
    { "%s of strftime",    NULL, "0 | strftime(\"%s\")",                          LEAK_CONSTANT, "\"0\"", "the zone is UTC" },
    { "%c of strftime",    NULL, "0 | strftime(\"%c\")",                          LEAK_CONSTANT, "\"Thu Jan  1 00:00:00 1970\"", "the locale is C" },
    { "mktime",            NULL, "\"2020-07-01T00:00:00Z\" | strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime",
                                                                                  LEAK_CONSTANT, "1593561600", SAME },
    { "gmtime",            NULL, "0 | gmtime",                                    LEAK_CONSTANT, "[1970,0,1,0,0,0,4,0]", SAME },
    { "$__loc__",          NULL, "$__loc__.file",                                 LEAK_CONSTANT, "\"<top-level>\"", SAME },
    { "infinite",          NULL, "infinite",                                      LEAK_CONSTANT, "1.7976931348623157e+308", SAME },
    { "nan",               NULL, "nan",                                           LEAK_CONSTANT, "null", SAME },
    { "the order of keys", NULL, "{b: 1, a: 2, c: 3} | del(.a) | .a = 4 | keys_unsorted",
                                                                                  LEAK_CONSTANT, "[\"b\",\"c\",\"a\"]", "the seed of libjq's tables is constant" },
    { "a comment",         NULL, "# def env: 1; \n env",                          LEAK_RAISES,   NULL, "no text of a program ends the prefix" },
    { "a caught error",    NULL, "try env catch .",                               LEAK_CONSTANT, "\"an executor sees its payload alone\"", SAME },
};
/* clang-format on */
const size_t jq_leak_count = COUNT(jq_leaks);
