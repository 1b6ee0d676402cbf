/* SPDX-License-Identifier: Apache-2.0 */
/* test_shipped.c: what ships is right, is what the contract prints, and is allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/catalog.h"
#include "adapter/catalog_skim.h"
#include "contract/registry_doc.h"
#include "unit/contract/data.h"

static const char *text_of(const char *name)
{
    for (size_t i = 0; i < shipped_count; i++)
        if (strcmp(shipped_adapters[i].name, name) == 0)
            return shipped_adapters[i].text;
    fail_msg("%s does not ship", name);
    return NULL;
}

static void R_001_121_R_001_127_R_001_133_R_001_137_the_contracts_three_ship_as_printed(
    void **state)
{
    static const char *const rows[][2] = {
        { "ripgrep.yaml", "contract-001/adp-001.yaml" },
        { "rest.yaml", "contract-001/adp-002.yaml" },
        { "mcp-filesystem.yaml", "contract-001/adp-003.yaml" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(text_of(rows[i][0]), data_text(&a, rows[i][1]));
}

static const struct tool_doc *tool_named(const struct registry_doc *registry, struct str id)
{
    const struct tool_doc *tools = registry->tools.v;

    for (size_t i = 0; i < registry->tools.n; i++)
        if (str_eq(tools[i].tool_id, id))
            return &tools[i];
    return NULL;
}

static bool has(const struct items *list, struct str text)
{
    const struct str *texts = list->v;

    for (size_t i = 0; i < list->n; i++)
        if (str_eq(texts[i], text))
            return true;
    return false;
}

static void check_allowed(const struct adapter *adapter, const struct tool_doc *tool,
                          struct arena *a)
{
    struct items operations = adapter_operations(adapter, a);
    const struct sandbox_override *limits_own = adapter->doc.sandbox_override;

    assert_int_equal(tool->status, TOOL_ACTIVE);
    assert_true(tool->provenance.n > 0);
    for (size_t i = 0; i < operations.n; i++)
        assert_true(has(&tool->scope->operations, ((const struct str *)operations.v)[i]));
    if (adapter->doc.type == ADAPTER_CLI)
        assert_true(has(&tool->scope->commands, adapter->doc.interface->cli->executable));
    if (limits_own->network && limits_own->network->enabled) {
        assert_true(tool->scope->network >= NET_API);
        assert_non_null(tool->approval);
    }
}

static void R_001_158_R_001_173_every_adapter_that_ships_is_right_and_allowed(void **state)
{
    _checked_ struct checked listed = { 0 };
    const struct registry_doc *registry = check_text(&listed, &registry_shape, shipped_tools);

    (void)state;
    assert_true(listed.good);
    for (size_t i = 0; i < shipped_count; i++) {
        _checked_ struct checked c = { 0 };
        const struct adapter_doc *doc = check_text(&c, &adapter_shape, shipped_adapters[i].text);
        struct adapter adapter = { .doc = *doc, .tree = &c.document->root };
        const struct tool_doc *tool = tool_named(registry, doc->tool_id);
        struct skimmed s;

        check_clean(&c);
        assert_non_null(tool);
        check_allowed(&adapter, tool, &c.a);
        assert_true(skim_yaml(str_of(shipped_adapters[i].text), true, &s));
        assert_true(str_eq(s.adapter_id, doc->adapter_id));
    }
}

static void what_init_writes_is_right_and_fits_together(void **state)
{
    _checked_ struct checked listed = { 0 }, c = { 0 };
    const struct registry_doc *registry = check_text(&listed, &registry_shape, shipped_init_tools);
    const struct adapter_doc *doc = check_text(&c, &adapter_shape, shipped_init_adapter);
    struct adapter adapter = { .doc = *doc, .tree = &c.document->root };
    const struct tool_doc *tool = tool_named(registry, doc->tool_id);

    (void)state;
    assert_int_equal(listed.report.errors, 0);
    for (const struct problem *p = listed.report.first; p; p = p->next)
        assert_int_equal(p->code, CODE_REGISTRY_SHELL); /* python3 is what TL-012 runs */
    check_clean(&c);
    assert_non_null(tool);
    check_allowed(&adapter, tool, &c.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_001_121_R_001_127_R_001_133_R_001_137_the_contracts_three_ship_as_printed),
        cmocka_unit_test(R_001_158_R_001_173_every_adapter_that_ships_is_right_and_allowed),
        cmocka_unit_test(what_init_writes_is_right_and_fits_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
