/* SPDX-License-Identifier: Apache-2.0 */
/* test_skim.c: L0 is read off the top of a text, or left to the parser (R-001-138). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/own.h"
#include "unit/adapter/skim_agrees.h"
#include "unit/contract/data.h"

static void R_001_138_the_contracts_adapters_are_told_by_their_top(void **state)
{
    static const struct {
        const char *file, *id, *name, *tool;
        int type;
    } rows[] = {
        { "contract-001/adp-001.yaml", "ADP-001", "ripgrep-search", "TL-003", ADAPTER_CLI },
        { "contract-001/adp-002.yaml", "ADP-002", "rest-api-client", "TL-100", ADAPTER_API },
        { "contract-001/adp-003.yaml", "ADP-003", "mcp-filesystem", "TL-200", ADAPTER_MCP },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str text = str_of(data_text(&a, rows[i].file));
        struct skimmed s;

        assert_true(skim_yaml(text, true, &s));
        assert_true(str_is(s.adapter_id, rows[i].id));
        assert_true(str_is(s.name, rows[i].name));
        assert_true(str_is(s.tool_id, rows[i].tool));
        assert_int_equal(s.type, rows[i].type);
        assert_true(skim_yaml((struct str){ text.s, 120 }, false, &s));
        assert_true(str_is(s.adapter_id, rows[i].id));
    }
}

struct certain_row {
    const char *text;
    bool certain;
};

#define REST "tool_id: t\ntype: cli\n"

static const struct certain_row yaml_rows[] = {
    { "adapter_id: a\nname: b\n" REST, true },
    { "---\nadapter_id: a\nname: b\n" REST, true },
    { "# c\n\n---\nadapter_id: a\n   \nname: b\n# d\n" REST "# e", true },
    { "type: cli\ntool_id: t\nname: b\nadapter_id: a", true },
    { "adapter_id: \"a\"\nname: 'b c'  # d\n" REST, true },
    { "adapter_id:   a b   # c\nname: b\n" REST, true },
    { "adapter_id: a\nname: b\nversion: 1.0\n" REST "interface:\n  x: [\n", true },
    { "adapter_id: a\nname: '1'\n" REST, true },
    /* the parser must say */
    { "", false },
    { "adapter_id: a\n", false },
    { "adapter_id: a\nname: b\n" REST "  more\n", false },
    { "adapter_id: a\n  more\nname: b\n" REST, false },
    { "adapter_id: a\nname: 1\n" REST, false },
    { "adapter_id: a\nname: true\n" REST, false },
    { "adapter_id: a\nname: ~\n" REST, false },
    { "adapter_id: a\nname:\n" REST, false },
    { "adapter_id: a\nname: ''\n" REST, false },
    { "adapter_id: a\nname: 'it''s'\n" REST, false },
    { "adapter_id: a\nname: \"\\x41\"\n" REST, false },
    { "adapter_id: a\nname: \"b\n  c\"\n" REST, false },
    { "adapter_id: a\nname: |\n  b\n" REST, false },
    { "adapter_id: a\nname: &b c\n" REST, false },
    { "adapter_id: a\nname: *b\n" REST, false },
    { "adapter_id: a\nname: !b c\n" REST, false },
    { "adapter_id: a\nname: [b]\n" REST, false },
    { "adapter_id: a\nname: b: c\n" REST, false },
    { "adapter_id: a\nname: b#c\n" REST, false },
    { "adapter_id: a\nname: \"b\"c\n" REST, false },
    { "adapter_id: a\nname: b\tc\n" REST, false },
    { "adapter_id: a\nname: \xc3\xa4\n" REST, false },
    { "adapter_id: a\nadapter_id: b\nname: b\n" REST, false },
    { "adapter_id: a\r\nname: b\r\n" REST, false },
    { "\xef\xbb\xbf"
      "adapter_id: a\nname: b\n" REST,
      false },
    { "%YAML 1.2\n---\nadapter_id: a\nname: b\n" REST, false },
    { "adapter_id: a\n---\nname: b\n" REST, false },
    { "interface:\n  cli: x\nadapter_id: a\nname: b\n" REST, false },
    { "{adapter_id: a, name: b, tool_id: t, type: cli}", false },
    { "adapter_id: a\nname: b\ntool_id: t\ntype: other\n", false },
    { "? adapter_id\n: a\nname: b\n" REST, false },
    { "adapter_id : a\nname: b\n" REST, false },
};

static const struct certain_row json_rows[] = {
    { "{\"adapter_id\":\"a\",\"name\":\"b\",\"tool_id\":\"t\",\"type\":\"cli\"}", true },
    { " {\n \"version\" : \"1\" , \"adapter_id\":\"a\",\"name\":\"b\",\"tool_id\":\"t\","
      "\"type\":\"cli\", \"x\": [",
      true },
    { "{\"adapter_id\":\"a\",\"name\":\"\\u0041\",\"tool_id\":\"t\",\"type\":\"cli\"}", false },
    { "{\"adapter_id\":\"a\",\"x\":1,\"name\":\"b\",\"tool_id\":\"t\",\"type\":\"cli\"}", false },
    { "{\"adapter_id\":\"a\",\"adapter_id\":\"b\",\"name\":\"b\",\"tool_id\":\"t\",\"type\":\"cli\"}",
      false },
    { "{\"adapter_id\":\"\",\"name\":\"b\",\"tool_id\":\"t\",\"type\":\"cli\"}", false },
    { "[\"adapter_id\"]", false },
};

static void check_row(const struct certain_row *row, bool json)
{
    bool certain;

    if (!skim_agrees(str_of(row->text), json, &certain))
        fail_msg("the parser says otherwise of: %s", row->text);
    if (certain != row->certain)
        fail_msg("%s: %s", certain ? "certain" : "not certain", row->text);
}

static void R_001_138_what_is_not_certain_is_left_to_the_parser(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(yaml_rows); i++)
        check_row(&yaml_rows[i], false);
    for (size_t i = 0; i < COUNT(json_rows); i++)
        check_row(&json_rows[i], true);
}

static void a_text_that_is_cut_ends_no_value(void **state)
{
    static const char text[] = "adapter_id: a\nname: b\ntool_id: t\ntype: cli\ninterface:\n";
    struct skimmed s;

    (void)state;
    for (size_t n = 0; n < sizeof text - 1; n++)
        assert_false(skim_yaml((struct str){ text, n }, false, &s));
    assert_true(skim_yaml((struct str){ text, sizeof text - 1 }, false, &s));
}

/* Lines of every kind; the first five come most often. */
static const char *const lines[] = {
    "adapter_id: ADP-1",
    "name: some name",
    "tool_id: TL-1",
    "type: cli",
    "type: mcp",
    "name: 'quoted'",
    "name: \"x\" # c",
    "name: 12",
    "name: no",
    "version: \"1.0.0\"",
    "interface:",
    "  cli: {executable: rg}",
    "  more words",
    "# remark",
    "",
    "   ",
    "---",
    "...",
    "- item",
    "name: |",
    "name: >-",
    "  text",
    "name: [a, b]",
    "name: {a: b}",
    "name: a: b",
    "name:",
    "tool_id: 0x1f",
    "tool_id: 1e3",
    "tool_id: .inf",
    "tool_id: \"a",
    "b\"",
    "tool_id: 'a",
    "b'",
    "\ttab: x",
    "name: a\tb",
    "name: \xc3\xa9",
    "%TAG x",
    "? name",
    ": x",
    "name: &a x",
    "x: *a",
    "name: a #b",
    "name: a#b",
    "name: -",
    "name: a  b ",
    "null: x",
};

/* Put together by chance: whatever comes out, skim and parser agree. */
static void whatever_the_lines_are_the_parser_says_the_same(void **state)
{
    uint32_t chance = 7;
    size_t told = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        _buf_ struct buf text = { .max = 1 << 16 };
        bool certain;

        for (int n = 0; n < 9; n++) {
            size_t which;

            chance = chance * 1664525 + 1013904223;
            which = (chance >> 16) % (chance & 0x8000 ? 5 : COUNT(lines));
            buf_adds(&text, lines[which]);
            buf_addc(&text, '\n');
        }
        if (!skim_agrees(buf_str(&text), false, &certain))
            fail_msg("the parser says otherwise of:\n%s", text.s);
        told += certain;
    }
    assert_true(told > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_138_the_contracts_adapters_are_told_by_their_top),
        cmocka_unit_test(R_001_138_what_is_not_certain_is_left_to_the_parser),
        cmocka_unit_test(a_text_that_is_cut_ends_no_value),
        cmocka_unit_test(whatever_the_lines_are_the_parser_says_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
