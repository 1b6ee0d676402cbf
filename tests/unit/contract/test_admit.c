/* SPDX-License-Identifier: Apache-2.0 */
/* test_admit.c: may a command run, and with which levels (IV-01). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "unit/contract/asking.h"

/* ---- IV-01 ---- */

struct command_row {
    enum registry_kind registry;
    const char *tool_id; /* NULL: a person asks */
    const char *command, *executable;
    const char *says; /* the sentence, or the message of the refusal */
};

static void check_command(const struct command_row *row, bool allowed)
{
    _asking_ struct asking q = { 0 };
    struct admit_ask ask = typed(row->command);

    ask.registry = registry_of(&q, row->registry);
    ask.person = !row->tool_id;
    ask.tool_id = text_or_none(row->tool_id);
    ask.executable = text_or_none(row->executable);
    put(&q, &ask);
    if (!allowed) {
        check_refused(&q, CHECK_COMMAND, CODE_COMMAND_NOT_ALLOWED, row->says);
        assert_null(q.out.tool);
        return;
    }
    if (!q.good)
        fail_msg("%s: %s", row->command, q.e.msg);
    check_sentence(&q, CHECK_COMMAND, row->says);
    check_sentence(&q, CHECK_PATHS, "ok");
    assert_int_equal(q.out.tool == NULL, strcmp(row->says, "allowed: caller") == 0);
    if (q.out.tool)
        assert_true(strncmp(row->says + 9, q.out.tool->tool_id.s, q.out.tool->tool_id.n) == 0);
}

static void check_commands(const struct command_row *rows, size_t count, bool allowed)
{
    for (size_t i = 0; i < count; i++)
        check_command(&rows[i], allowed);
}

/* clang-format off */
static void R_001_055_a_person_runs_what_the_registry_does_not_forbid(void **state)
{
    static const struct command_row rows[] = {
        { NONE,   NULL, "rg",          "/usr/bin/rg",   "allowed: caller" },
        { NONE,   NULL, "sh",          "/usr/bin/dash", "allowed: caller" },
        { NONE,   NULL, "./x",         NULL,            "allowed: caller" },
        { CALLER, NULL, "cat",         "/usr/bin/cat",  "allowed: caller" },
        { CALLER, NULL, "bash",        "/usr/bin/bash", "allowed: caller" },
        { CALLER, NULL, "rg",          "/usr/bin/rg",   "allowed: SEARCH" },
        { STRICT, NULL, "rg",          "/usr/bin/rg",   "allowed: SEARCH" },
        { STRICT, NULL, "fd",          "/usr/bin/fd",   "allowed: SEARCH" },
        { STRICT, NULL, "aged",        "/usr/bin/aged", "allowed: AGEING (deprecated)" },
        { STRICT, NULL, "old",         "/usr/bin/old",  "allowed: SEARCH" },
        { STRICT, NULL, "sh",          "/usr/bin/dash", "allowed: SHELL" },
    };

    (void)state;
    check_commands(rows, COUNT(rows), true);
}

static void R_001_055_a_strict_registry_binds_a_person(void **state)
{
    static const struct command_row rows[] = {
        { STRICT, NULL, "cat",  "/usr/bin/cat",  "'cat' is listed by no tool of the registry, which is strict; list '/usr/bin/cat' there, or let it say allowlist: caller" },
        { STRICT, NULL, "cat",  NULL,            "'cat' is listed by no tool of the registry, which is strict; list 'cat' there, or let it say allowlist: caller" },
        { STRICT, NULL, "bash", "/usr/bin/bash", "'bash' is listed by no tool of the registry, which is strict; list '/usr/bin/bash' there, or let it say allowlist: caller" },
        { STRICT, NULL, "cat",  "/home/somebody/.local/share/tools/versions/1.2.3/lib/some-tool/bin/cat", "'cat' is listed by no tool of the registry, which is strict; list '/home/somebody/.local/share/tools/versions/1.2.3/lib/some-tool/bin/cat' there, or let it say allowlist: caller" },
        { STRICT, NULL, "./rg", "/repo/rg",      "'./rg' is listed by no tool of the registry, which is strict; list '/repo/rg' there, or let it say allowlist: caller" },
        { STRICT, NULL, "gone", "/usr/bin/gone", "tool 'BLOCKED' is blocked in the registry; only active and deprecated tools run" },
        { CALLER, NULL, "gone", "/usr/bin/gone", "tool 'BLOCKED' is blocked in the registry; only active and deprecated tools run" },
        { NONE,   NULL, "",     NULL,            "the command is empty" },
    };

    (void)state;
    check_commands(rows, COUNT(rows), false);
}

static void R_001_158_R_001_162_a_document_runs_what_its_tool_lists(void **state)
{
    static const struct command_row rows[] = {
        { STRICT, "SEARCH", "rg",              "/usr/bin/rg",                        "allowed: SEARCH" },
        { CALLER, "SEARCH", "rg",              "/usr/bin/rg",                        "allowed: SEARCH" },
        { STRICT, "SEARCH", "rg",              NULL,                                 "allowed: SEARCH" },
        { STRICT, "SEARCH", "gcc",             "/usr/bin/aarch64-linux-gnu-gcc-12",  "allowed: SEARCH" },
        { STRICT, "SEARCH", "fd",              "/usr/bin/fd",                        "allowed: SEARCH" },
        { STRICT, "SEARCH", "/bin/fd",         "/usr/bin/fd",                        "allowed: SEARCH" },
        { STRICT, "SEARCH", "/usr/bin/fd",     NULL,                                 "allowed: SEARCH" },
        { STRICT, "AGEING", "aged",            "/usr/bin/aged",                      "allowed: AGEING (deprecated)" },
        { STRICT, "SHELL",  "python3",         "/usr/bin/python3.11",                "allowed: SHELL" },
        { STRICT, "SHELL",  "ls",              "/usr/bin/busybox",                   "allowed: SHELL" },
    };

    (void)state;
    check_commands(rows, COUNT(rows), true);
}

static void R_001_055_R_001_158_R_001_162_a_document_runs_nothing_else(void **state)
{
    static const struct command_row rows[] = {
        { NONE,   "SEARCH",  "rg",           "/usr/bin/rg",     "a document may run only what a registry lists, and there is none: `writ init` writes one; list tool 'SEARCH' in .writ/tools.yaml" },
        { STRICT, "OTHER",   "rg",           "/usr/bin/rg",     "tool 'OTHER' is not in the registry" },
        { CALLER, "OTHER",   "rg",           "/usr/bin/rg",     "tool 'OTHER' is not in the registry" },
        { CALLER, "",        "rg",           "/usr/bin/rg",     "tool '' is not in the registry" },
        { STRICT, "BLOCKED", "old",          "/usr/bin/old",    "tool 'BLOCKED' is blocked in the registry; only active and deprecated tools run" },
        { STRICT, "NOTHING", "search",       "/usr/bin/search", "tool 'NOTHING' may not run 'search'; its scope.commands in the registry must list '/usr/bin/search'" },
        { STRICT, "AGEING",  "rg",           "/usr/bin/rg",     "tool 'AGEING' may not run 'rg'; its scope.commands in the registry must list '/usr/bin/rg'" },
        { CALLER, "AGEING",  "rg",           NULL,              "tool 'AGEING' may not run 'rg'; its scope.commands in the registry must list 'rg'" },
        { STRICT, "SEARCH",  "./rg",         "/repo/rg",        "tool 'SEARCH' may not run './rg'; its scope.commands in the registry must list '/repo/rg'" },
        { STRICT, "SEARCH",  "/usr/bin/rg",  "/usr/bin/rg",     "tool 'SEARCH' may not run '/usr/bin/rg'; its scope.commands in the registry must list '/usr/bin/rg'" },
        { STRICT, "SEARCH",  "fd",           "/repo/fd",        "tool 'SEARCH' may not run 'fd'; its scope.commands in the registry must list '/repo/fd'" },
        { STRICT, "SEARCH",  "/usr/bin/fd",  "/tmp/fd",         "tool 'SEARCH' may not run '/usr/bin/fd'; its scope.commands in the registry must list '/tmp/fd'" },
        { STRICT, "SEARCH",  "fd",           NULL,              "tool 'SEARCH' may not run 'fd'; its scope.commands in the registry must list 'fd'" },
        { STRICT, "SEARCH",  "rg ",          NULL,              "tool 'SEARCH' may not run 'rg '; its scope.commands in the registry must list 'rg '" },
        { STRICT, "SEARCH",  "RG",           NULL,              "tool 'SEARCH' may not run 'RG'; its scope.commands in the registry must list 'RG'" },
        { STRICT, "SEARCH",  "",             NULL,              "the command is empty" },
    };

    (void)state;
    check_commands(rows, COUNT(rows), false);
}

/* A01-2 */
static void R_001_055_a_shell_runs_only_where_it_is_named(void **state)
{
    static const struct command_row rows[] = {
        { STRICT, "SEARCH", "bash", "/usr/bin/bash",    "tool 'SEARCH' may not run 'bash'; its scope.commands in the registry must list '/usr/bin/bash'" },
        { STRICT, "SEARCH", "ls",   "/usr/bin/busybox", "tool 'SEARCH' may not run 'ls'; its scope.commands in the registry must list '/usr/bin/busybox'" },
        { STRICT, "SEARCH", "rg",   "/usr/bin/perl",    "tool 'SEARCH' may not run 'rg'; its scope.commands in the registry must list '/usr/bin/perl'" },
        { STRICT, "SHELL",  "bash", "/usr/bin/bash",    "tool 'SHELL' may not run 'bash'; its scope.commands in the registry must list '/usr/bin/bash'" },
        { STRICT, "SHELL",  "perl", NULL,               "tool 'SHELL' may not run 'perl'; its scope.commands in the registry must list 'perl'" },
    };

    (void)state;
    check_commands(rows, COUNT(rows), false);
}
/* clang-format on */

/* Of several tools that list a command it is the best that counts, wherever it stands. */
static void R_001_055_an_active_tool_comes_first_in_any_order(void **state)
{
    static const char *const names[] = { "active", "deprecated", "blocked" };
    static const int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

    (void)state;
    for (size_t i = 0; i < COUNT(orders) * 2; i++) {
        const int *order = orders[i / 2];
        bool all = i % 2 == 0; /* or all but the active one */
        _asking_ struct asking q = { 0 };
        struct admit_ask ask = typed("rg");
        const char *text = "tools:\n";

        for (size_t k = 0; k < 3; k++)
            if (all || order[k] != 0)
                text = arena_printf(&q.a,
                                    "%s- {tool_id: T%d, name: n, owner: o, status: %s, scope: "
                                    "{commands: [rg]}}\n",
                                    text, order[k], names[order[k]]);
        ask.registry = check_text(&q.registry, &registry_shape, text);
        put(&q, &ask);
        if (!q.good)
            fail_msg("%s: %s", text, q.e.msg);
        check_sentence(&q, CHECK_COMMAND, all ? "allowed: T0" : "allowed: T1 (deprecated)");
    }
}

static void R_001_055_of_tools_alike_the_first_counts(void **state)
{
    static const char one[] = "{name: n, owner: o, status: active, scope: {commands: [rg]}, ";
    _asking_ struct asking q = { 0 };
    struct admit_ask ask = typed("rg");

    (void)state;
    ask.registry =
        check_text(&q.registry, &registry_shape,
                   arena_printf(&q.a, "tools:\n- %stool_id: ONE}\n- %stool_id: TWO}\n", one, one));
    put(&q, &ask);
    check_sentence(&q, CHECK_COMMAND, "allowed: ONE");
}

/* What the disk says of links comes from the caller; whether that counts is decided here. */
static void R_001_055_A01_16_an_entry_that_leads_to_the_file_lets_it_run_under_its_name(
    void **state)
{
    static const struct {
        const char *tool_id, *command, *executable, *leads;
        bool allowed;
    } rows[] = {
        { "SEARCH", "/usr/bin/rg", "/usr/bin/rg", "rg", true },
        { "SEARCH", "/usr/bin/rg-14", "/usr/bin/rg-14", "rg", true },
        { "SEARCH", "fd", "/opt/fd/fd-9.0", "/usr/bin/fd", true },
        { "SHELL", "/usr/bin/python3.11", "/usr/bin/python3.11", "python3", true },
        { "SEARCH", "/usr/bin/rg", "/usr/bin/rg", "fd", false },    /* another one leads there */
        { "SEARCH", "/sbin/insmod", "/usr/bin/kmod", "rg", false }, /* another name */
        { "SEARCH", "./rg", "/usr/bin/rg", "rg", false },           /* a link that lies about */
        { "SEARCH", "bin/rg", "/usr/bin/rg", "rg", false },
        { "SEARCH", "/usr/bin/rg", NULL, "rg", false },            /* nothing is there */
        { "SEARCH", "/usr/bin/rg", "/usr/bin/perl", "rg", false }, /* an interpreter has its name */
        { "AGEING", "/usr/bin/rg", "/usr/bin/rg", "rg", false },   /* another tool lists it */
        { "SEARCH", "/usr/bin/rg", "/usr/bin/rg", "grep", false }, /* nobody lists it */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _asking_ struct asking q = { 0 };
        struct admit_ask ask = typed(rows[i].command);
        struct str leads = str_of(rows[i].leads);

        ask.registry = registry_of(&q, STRICT);
        ask.person = false;
        ask.tool_id = str_of(rows[i].tool_id);
        ask.executable = text_or_none(rows[i].executable);
        ask.same = (struct items){ &leads, 1 };
        put(&q, &ask);
        if (q.good != rows[i].allowed)
            fail_msg("row %zu, %s: %s", i, rows[i].command, q.good ? "it runs" : q.e.msg);
    }
}

/* I06 */
static void R_001_055_a_command_holds_no_NUL(void **state)
{
    _asking_ struct asking q = { 0 };
    struct admit_ask ask = typed("");

    (void)state;
    ask.command = (struct str){ "rg\0x", 4 };
    put(&q, &ask);
    check_refused(&q, CHECK_COMMAND, CODE_COMMAND_NOT_ALLOWED,
                  "the command holds a NUL byte, which no name can");
}

/* ---- levels ---- */

struct level_case {
    const char *tool_id; /* NULL: a person asks */
    const char *command;
    enum fs_level fs;
    enum net_level net;
    bool approved;
    const char *msg; /* NULL: it is granted */
};

/* clang-format off */
static const struct level_case level_cases[] = {
    { "SEARCH", "rg",   FS_STANDARD, NET_OFFLINE,  false, NULL },
    { "SEARCH", "rg",   FS_MINIMAL,  NET_OFFLINE,  false, NULL },
    { "SEARCH", "rg",   FS_EXTENDED, NET_OFFLINE,  false, "filesystem level 'extended' is more than tool 'SEARCH' may have, which is 'standard'" },
    { "SEARCH", "rg",   FS_ELEVATED, NET_OFFLINE,  true,  "filesystem level 'elevated' is more than tool 'SEARCH' may have, which is 'standard'" },
    { "SEARCH", "rg",   FS_STANDARD, NET_REGISTRY, true,  "network level 'registry' is more than tool 'SEARCH' may have, which is 'offline'" },
    { "MORE",   "make", FS_EXTENDED, NET_API,      false, NULL },
    { "MORE",   "make", FS_EXTENDED, NET_OPEN,     true,  "network level 'open' is more than tool 'MORE' may have, which is 'api'" },
    { "MOST",   "nmap", FS_ELEVATED, NET_OPEN,     true,  NULL },
    { "MOST",   "nmap", FS_ELEVATED, NET_OFFLINE,  false, "filesystem level 'elevated' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
    { "MOST",   "nmap", FS_STANDARD, NET_OPEN,     false, "network level 'open' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
    { NULL,     "rg",   FS_ELEVATED, NET_OPEN,     true,  NULL },
    { NULL,     "rg",   FS_EXTENDED, NET_API,      false, NULL },
    { NULL,     "rg",   FS_ELEVATED, NET_OFFLINE,  false, "filesystem level 'elevated' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
    { NULL,     "rg",   FS_STANDARD, NET_OPEN,     false, "network level 'open' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
};
/* clang-format on */

static void check_level(const struct level_case *row)
{
    _asking_ struct asking q = { 0 };
    struct admit_ask ask = typed(row->command);

    ask.registry = registry_of(&q, STRICT);
    ask.person = !row->tool_id;
    ask.tool_id = text_or_none(row->tool_id);
    ask.fs = row->fs;
    ask.net = row->net;
    ask.approved = row->approved;
    put(&q, &ask);
    if (row->msg)
        check_refused(&q, CHECK_COMMAND, CODE_APPROVAL_MISSING, row->msg);
    else
        assert_true(q.good);
}

/* A01-8 */
static void R_001_049_R_001_054_R_001_162_levels_stay_within_the_scope_and_its_approval(
    void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(level_cases); i++)
        check_level(&level_cases[i]);
}

static void R_001_049_R_001_054_a_document_needs_the_approval_of_the_registry_too(void **state)
{
    _asking_ struct asking q = { 0 };
    struct tool_scope scope = { .commands = { &(struct str){ "x", 1 }, 1 },
                                .filesystem = FS_ELEVATED };
    struct tool_doc tool = { .tool_id = str_of("T"), .scope = &scope };
    struct registry_doc registry = { .tools = { &tool, 1 } };
    struct admit_ask ask = typed("x");

    (void)state;
    ask.registry = &registry;
    ask.person = false;
    ask.tool_id = str_of("T");
    ask.fs = FS_ELEVATED;
    ask.approved = true;
    put(&q, &ask);
    check_refused(
        &q, CHECK_COMMAND, CODE_APPROVAL_MISSING,
        "filesystem level 'elevated' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_055_a_person_runs_what_the_registry_does_not_forbid),
        cmocka_unit_test(R_001_055_a_strict_registry_binds_a_person),
        cmocka_unit_test(R_001_158_R_001_162_a_document_runs_what_its_tool_lists),
        cmocka_unit_test(R_001_055_R_001_158_R_001_162_a_document_runs_nothing_else),
        cmocka_unit_test(R_001_055_a_shell_runs_only_where_it_is_named),
        cmocka_unit_test(R_001_055_an_active_tool_comes_first_in_any_order),
        cmocka_unit_test(R_001_055_of_tools_alike_the_first_counts),
        cmocka_unit_test(
            R_001_055_A01_16_an_entry_that_leads_to_the_file_lets_it_run_under_its_name),
        cmocka_unit_test(R_001_055_a_command_holds_no_NUL),
        cmocka_unit_test(
            R_001_049_R_001_054_R_001_162_levels_stay_within_the_scope_and_its_approval),
        cmocka_unit_test(R_001_049_R_001_054_a_document_needs_the_approval_of_the_registry_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
