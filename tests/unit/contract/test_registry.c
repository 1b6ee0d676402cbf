/* SPDX-License-Identifier: Apache-2.0 */
/* test_registry.c: the registry of tools, as .writ/tools.yaml has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/registry_doc.h"
#include "unit/contract/check.h"

static const char registry_text[] =
    "allowlist: strict            # strict: only what is listed runs\n"
    "tools:\n"
    "  - tool_id: TL-003\n"
    "    name: ripgrep\n"
    "    version: \"13+\"           # \"13+\" means at least; an exact version pins\n"
    "    owner: platform\n"
    "    provenance: debian:ripgrep\n"
    "    scope: {commands: [rg], operations: [search], filesystem: standard, network: offline, "
    "iv02: escape}\n"
    "    approval: {by: platform, at: \"2026-01-16\", reason: \"read-only search\"}\n"
    "    status: active\n"
    "    last_review: \"2026-01-16\"\n"
    "    next_review: \"2027-01-16\"\n";

static const char least[] = "tools: [{tool_id: T, name: n, owner: o, scope: {}, status: active}]\n";

static void refused(const struct refusal *rows, size_t count)
{
    check_refusals(&registry_shape, least, rows, count);
}

static void accepted(const char *from, const char *to)
{
    check_accepts(&registry_shape, least, from, to);
}

static void the_example_is_read_as_given(void **state)
{
    static const char *const commands[] = { "rg" }, *const operations[] = { "search" };
    _checked_ struct checked c = { 0 };
    const struct registry_doc *registry = check_text(&c, &registry_shape, registry_text);
    const struct tool_doc *tool = registry->tools.v;

    (void)state;
    check_clean(&c);
    assert_int_equal(registry->allowlist, ALLOWLIST_STRICT);
    assert_int_equal(registry->tools.n, 1);
    check_is(tool->tool_id, "TL-003");
    check_is(tool->name, "ripgrep");
    check_is(tool->version, "13+");
    check_is(tool->owner, "platform");
    check_is(tool->provenance, "debian:ripgrep");
    check_texts(&tool->scope->commands, commands, COUNT(commands));
    check_texts(&tool->scope->operations, operations, COUNT(operations));
    assert_int_equal(tool->scope->filesystem, FS_STANDARD);
    assert_int_equal(tool->scope->network, NET_OFFLINE);
    assert_int_equal(tool->scope->iv02, IV02_ESCAPE);
    check_is(tool->approval->by, "platform");
    check_is(tool->approval->at, "2026-01-16");
    check_is(tool->approval->reason, "read-only search");
    assert_int_equal(tool->status, TOOL_ACTIVE);
    check_is(tool->last_review, "2026-01-16");
    check_is(tool->next_review, "2027-01-16");
}

static void what_is_left_out_has_its_default(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct registry_doc *registry = check_text(&c, &registry_shape, least);
    const struct tool_doc *tool = registry->tools.v;

    (void)state;
    check_clean(&c);
    assert_int_equal(registry->allowlist, ALLOWLIST_STRICT);
    assert_int_equal(tool->scope->commands.n, 0);
    assert_int_equal(tool->scope->operations.n, 0);
    assert_int_equal(tool->scope->filesystem, FS_STANDARD);
    assert_int_equal(tool->scope->network, NET_OFFLINE);
    assert_int_equal(tool->scope->iv02, IV02_ESCAPE);
    assert_null(tool->approval);
    accepted("tools: ", "allowlist: caller\ntools: ");
    accepted("[{tool_id: T, name: n, owner: o, scope: {}, status: active}]", "[]");
}

static void what_is_not_in_the_form_is_refused(void **state)
{
    static const struct refusal rows[] = {
        { "tools: ", "allowlist: open\ntools: ", "/allowlist", CODE_VALIDATION_ERROR,
          "'open' is not one of strict, caller" },
        { "tool_id: T, ", "", "/tools/0", CODE_VALIDATION_ERROR, "a tool needs 'tool_id'" },
        { "owner: o, ", "", "/tools/0", CODE_VALIDATION_ERROR, "a tool needs 'owner'" },
        { "scope: {}, ", "", "/tools/0", CODE_VALIDATION_ERROR, "a tool needs 'scope'" },
        { "status: active", "status: retired", "/tools/0/status", CODE_VALIDATION_ERROR,
          "'retired' is not one of active, deprecated, blocked" },
        { "name: n", "name: n, version: '>=13'", "/tools/0/version", CODE_VALIDATION_ERROR,
          "'>=13' is not a tool version such as 13+" },
        { "scope: {}", "scope: {command: [rg]}", "/tools/0/scope/command", CODE_VALIDATION_ERROR,
          "a tool's scope has no field 'command' (did you mean 'commands'?)" },
        { "scope: {}", "scope: {iv02: allow}", "/tools/0/scope/iv02", CODE_VALIDATION_ERROR,
          "'allow' is not one of escape, block" },
        { "name: n", "name: n, next_review: later", "/tools/0/next_review", CODE_VALIDATION_ERROR,
          "'later' is not a date or a timestamp such as 2026-01-16" },
        { "name: n", "name: n, approval: {by: b, reason: r}", "/tools/0/approval",
          CODE_VALIDATION_ERROR, "a tool's approval needs 'at'" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void a_registry_without_tools_is_refused(void **state)
{
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &registry_shape, "allowlist: strict\n");
    assert_int_equal(c.report.errors, 1);
    assert_string_equal(c.report.first->msg, "a registry needs 'tools'");
}

static void tool_ids_are_unique(void **state)
{
    static const char text[] = "tools:\n"
                               "  - {tool_id: B, name: n, owner: o, scope: {}, status: active}\n"
                               "  - {tool_id: A, name: n, owner: o, scope: {}, status: active}\n"
                               "  - {tool_id: B, name: n, owner: o, scope: {}, status: blocked}\n"
                               "  - {tool_id: C, name: n, owner: o, scope: {}, status: active}\n";
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &registry_shape, text);
    assert_int_equal(c.report.errors, 1);
    assert_string_equal(c.report.first->pointer, "/tools/2/tool_id");
    assert_string_equal(c.report.first->msg, "'B' is the id of tool 0 already; ids are unique");
    assert_int_equal(c.report.first->code, CODE_VALIDATION_ERROR);
    assert_int_equal(c.report.first->line, 4);
}

static void a_shell_is_warned_about(void **state)
{
    static const struct refusal rows[] = {
        { "scope: {}", "scope: {commands: [rg, bash]}", "/tools/0/scope/commands/1",
          CODE_REGISTRY_SHELL,
          "'bash' can run anything; name the programs it should start instead" },
        { "scope: {}", "scope: {commands: [/bin/sh]}", "/tools/0/scope/commands/0",
          CODE_REGISTRY_SHELL,
          "'/bin/sh' can run anything; name the programs it should start instead" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    refused(rows, COUNT(rows));
    (void)check_text(&c, &registry_shape,
                     check_swap(&c.a, least, "scope: {}", "scope: {commands: [bash]}"));
    assert_true(c.good); /* allowed where it is named by itself */
    assert_int_equal(c.report.warnings, 1);
}

static void R_001_049_R_001_054_elevated_and_open_need_an_approval(void **state)
{
    static const struct refusal rows[] = {
        { "scope: {}", "scope: {filesystem: elevated}", "/tools/0/scope/filesystem",
          CODE_APPROVAL_MISSING,
          "filesystem level 'elevated' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
        { "scope: {}", "scope: {network: open}", "/tools/0/scope/network", CODE_APPROVAL_MISSING,
          "network level 'open' needs a recorded approval, and there is none: --approve REASON, or approval: {reason: ..} in a document" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted("scope: {}", "scope: {filesystem: elevated, network: open}, "
                          "approval: {by: b, at: '2026-01-16', reason: r}");
    accepted("scope: {}", "scope: {filesystem: extended, network: api}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_read_as_given),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(what_is_not_in_the_form_is_refused),
        cmocka_unit_test(a_registry_without_tools_is_refused),
        cmocka_unit_test(tool_ids_are_unique),
        cmocka_unit_test(a_shell_is_warned_about),
        cmocka_unit_test(R_001_049_R_001_054_elevated_and_open_need_an_approval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
