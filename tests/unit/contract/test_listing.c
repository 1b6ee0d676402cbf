/* SPDX-License-Identifier: Apache-2.0 */
/* test_listing.c: every table can be listed and searched, and its columns show their own members.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/json_read.h"
#include "contract/tables.h"

static void check_table(const struct table *t)
{
    struct ceilings max = ceilings_default();
    _arena_ struct arena a = { 0 };
    _buf_ struct buf json = { .max = 1 << 20 };
    const struct document *d;
    struct error e;

    assert_true(t->name[0] && t->about[strlen(t->about) - 1] == '.');
    assert_true(t->keys >= 1 && t->keys <= t->column_count && t->row_count > 0);
    table_json(t, &json);
    assert_true(buf_ok(&json));
    assert_true(json_read(t->name, buf_str(&json), &max, &a, &d, &e));
    assert_int_equal(doc_get(&d->root, "rows")->count, t->row_count);
}

static void check_keys(const struct table *t)
{
    for (size_t row = 0; row < t->row_count; row++) {
        _buf_ struct buf key = { .max = 4096 };

        table_cell(t, row, 0, &key);
        assert_true(key.len > 0);
        assert_true(table_row_is(t, row, buf_str(&key)));
    }
}

static void every_table_can_be_listed_and_searched(void **state)
{
    (void)state;
    assert_true(contract_table_count >= 25);
    for (size_t i = 0; i < contract_table_count; i++) {
        check_table(contract_tables[i]);
        check_keys(contract_tables[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(contract_tables[i]->name, contract_tables[k]->name);
    }
}

/* The last row of each table, as JSON shows it. */
/* clang-format off */
static const struct { const char *table, *row; } last[] = {
    { "codes",        "{\"name\":\"ON_FAILURE_WITHOUT_EFFECT\",\"origin\":\"writ\",\"severity\":\"warn\",\"retryable\":false,\"meaning\":\"A step whose failure always ends the plan says that the plan goes on.\",\"action\":\"Write halt, which is what happens; a step that may fail is a command or a call.\"}" },
    { "severities",   "{\"name\":\"fatal\",\"recoverable\":false,\"meaning\":\"The system failed; the plan cannot continue.\",\"response\":\"Halt the execution; the plan ends in failure.\"}" },
    { "recovery",     "{\"condition\":\"resource exhaustion\",\"code\":\"RESOURCE_EXHAUSTED\",\"recoverable\":\"by resource\"}" },
    { "limits",       "{\"name\":\"max_children\",\"default\":10,\"min\":0,\"max\":100,\"meaning\":\"Processes it may start besides itself; 0 means none.\"}" },
    { "outputs",      "{\"name\":\"artifacts\",\"method\":\"structured capture\",\"bytes\":10485760,\"kept\":\"evidence\"}" },
    { "filesystem",   "{\"level\":\"elevated\",\"read\":\"system paths\",\"write\":\"specific paths\",\"use\":\"system tools\",\"approval\":true,\"default\":false}" },
    { "network",      "{\"level\":\"open\",\"allowed\":\"any, logged\",\"use\":\"research\",\"approval\":true,\"default\":false}" },
    { "host_refusals", "{\"refusal\":\"request\",\"meaning\":\"Such a request, or its answer, goes nowhere, whatever is listed; `rule` tells why.\",\"mend\":\"\",\"option\":\"\"}" },
    { "disclosure",   "{\"level\":\"L3\",\"shown\":\"the full schema, examples and fixtures\",\"use\":\"debugging or documentation\"}" },
    { "checks",       "{\"id\":\"IV-05\",\"name\":\"input size\",\"meaning\":\"Standard input and files within limits.\",\"enforcement\":\"truncate or reject\"}" },
    { "characters",   "{\"character\":\"?\",\"meaning\":\"Stands for any character in a file pattern.\"}" },
    { "paths",        "{\"pattern\":\"C:\\\\Windows\\\\\",\"meaning\":\"The system, on Windows.\"}" },
    { "variables",    "{\"variable\":\"VISUAL\",\"kept_scoped\":false,\"meaning\":\"Names a program that others start.\"}" },
    { "inputs",       "{\"name\":\"input_files\",\"bytes\":10485760,\"meaning\":\"Bytes of all input files together.\"}" },
    { "exits",        "{\"codes\":\"69\",\"evidence\":\"lost\",\"meaning\":\"worker lost\",\"action\":\"look at what it did before running it again\"}" },
    { "causes",       "{\"cause\":\"undelivered\",\"meaning\":\"It ended by itself with a code that would mean success, and a file of output_files "
        "is missing, too large, or cannot be collected; own_exit_code is the command's.\"}" },
    { "statuses",     "{\"status\":125,\"meaning\":\"The sandbox could not be built; nothing ran.\",\"action\":\"Run `writ doctor` and do what it says.\"}" },
    { "route_states", "{\"from_state\":\"running\",\"trigger\":\"exit_zero\",\"to_state\":\"succeeded\"}" },
    { "event_states", "{\"state\":\"cancelled\",\"rank\":2,\"terminal\":true,\"meaning\":\"It was called off; nothing follows.\"}" },
    { "event_steps",  "{\"from\":\"failed\",\"to\":\"running\",\"attempt\":\"higher\"}" },
    { "state_words",  "{\"word\":\"failure\",\"contract\":\"004\",\"event\":\"failed\",\"note\":\"with the plan's error code\"}" },
    { "gate",         "{\"coherence\":\"stale\",\"policy\":\"draft_only\",\"dry_run\":false,\"runs\":false,\"ends\":\"failed\",\"code\":\"COHERENCE_BLOCKED\",\"retryable\":false,\"cancel_reason\":\"\",\"draft\":false}" },
    { "determinism",  "{\"requirement\":\"timestamp handling\",\"implementation\":\"use fixed or mocked timestamps\"}" },
    { "caches",       "{\"name\":\"golden outputs\",\"scope\":\"permanent\",\"ttl_ms\":0,\"until\":\"never\",\"invalidation\":\"manual update\"}" },
    { "forms",        "{\"name\":\"a class id\",\"example\":\"go_test\",\"pattern\":\"^[a-z0-9_][a-z0-9_-]*$\",\"format\":\"\",\"meaning\":\"Lower-case letters, digits and _ -, not beginning with -.\"}" },
    { "ceilings",     "{\"name\":\"problems\",\"value\":200,\"meaning\":\"Problems listed for one document; the rest are counted.\"}" },
};
/* clang-format on */

static const struct table *table_named(const char *name)
{
    for (size_t i = 0; i < contract_table_count; i++) {
        if (strcmp(contract_tables[i]->name, name) == 0)
            return contract_tables[i];
    }
    fail_msg("no table is named %s", name);
    return NULL;
}

static void rows_show_their_own_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(last); i++) {
        const struct table *t = table_named(last[i].table);
        _buf_ struct buf row = { .max = 1 << 16 };

        table_row_json(t, t->row_count - 1, &row);
        assert_string_equal(row.s, last[i].row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_can_be_listed_and_searched),
        cmocka_unit_test(rows_show_their_own_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
