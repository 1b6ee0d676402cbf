/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate.c: the coherence matrix, cell by cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "contract/gate.h"
#include "contract/names.h"

static const struct gate_row *cell(enum coherence coherence, enum policy policy, bool dry_run)
{
    const struct gate_row *row = gate_for(coherence, policy, dry_run);

    assert_int_equal(row->coherence, coherence);
    assert_int_equal(row->policy, policy);
    assert_int_equal(row->dry_run, dry_run);
    return row;
}

/* It runs, and may end as succeeded. */
static void check_open(const struct gate_row *row, bool draft)
{
    assert_true(row->runs);
    assert_int_equal(row->ends, EVENT_SUCCEEDED);
    assert_int_equal(row->code, CODE_NONE);
    assert_null(row->reason);
    assert_false(row->retryable);
    assert_null(row->cancel_reason);
    assert_int_equal(row->draft, draft);
}

/* It does not run, and ends where the gate says, for that reason. */
static void check_closed(const struct gate_row *row, enum event_state ends, enum code code,
                         const char *name)
{
    assert_false(row->runs);
    assert_int_equal(row->ends, ends);
    assert_int_equal(row->code, code);
    assert_string_equal(row->reason, name);
    assert_string_equal(codes[code].name, name);
    assert_false(row->retryable);
    assert_false(row->draft);
    if (ends == EVENT_CANCELLED)
        assert_string_equal(row->cancel_reason, name);
    else
        assert_null(row->cancel_reason);
}

static void check_blocked(const struct gate_row *row)
{
    check_closed(row, EVENT_FAILED, CODE_COHERENCE_BLOCKED, "COHERENCE_BLOCKED");
}

static void R_002_030_coherent_dry_run_succeeds(void **state)
{
    (void)state;
    check_open(cell(COHERENCE_COHERENT, POLICY_BLOCK, true), false);
    check_open(cell(COHERENCE_COHERENT, POLICY_DRAFT_ONLY, true), false);
}

static void R_002_031_coherent_real_run_stays_planned(void **state)
{
    (void)state;
    for (int policy = 0; policy < POLICY_COUNT; policy++)
        check_closed(cell(COHERENCE_COHERENT, (enum policy)policy, false), EVENT_PLANNED,
                     CODE_COHERENCE_GATE_PLANNED_ONLY, "COHERENCE_GATE_PLANNED_ONLY");
}

static void R_002_032_partial_is_blocked_by_policy_block(void **state)
{
    (void)state;
    check_blocked(cell(COHERENCE_PARTIAL, POLICY_BLOCK, true));
    check_blocked(cell(COHERENCE_PARTIAL, POLICY_BLOCK, false));
}

static void R_002_033_partial_dry_run_succeeds_as_a_draft(void **state)
{
    (void)state;
    check_open(cell(COHERENCE_PARTIAL, POLICY_DRAFT_ONLY, true), true);
}

static void R_002_034_partial_real_run_is_cancelled_for_review(void **state)
{
    (void)state;
    check_closed(cell(COHERENCE_PARTIAL, POLICY_DRAFT_ONLY, false), EVENT_CANCELLED,
                 CODE_PARTIAL_REQUIRES_REVIEW, "PARTIAL_REQUIRES_REVIEW");
}

static void R_002_035_stale_is_blocked_always(void **state)
{
    (void)state;
    for (int i = 0; i < POLICY_COUNT * 2; i++)
        check_blocked(cell(COHERENCE_STALE, (enum policy)(i / 2), i % 2));
}

/* Twelve rows, each cell once, and together only the six outcomes of the matrix. */
static void R_002_036_the_matrix_has_each_cell_once(void **state)
{
    size_t runs = 0, planned = 0, failed = 0, cancelled = 0, drafts = 0;

    (void)state;
    for (size_t i = 0; i < GATE_ROWS; i++) {
        assert_ptr_equal(gate_for(gate[i].coherence, gate[i].policy, gate[i].dry_run), &gate[i]);
        runs += gate[i].runs;
        drafts += gate[i].draft;
        planned += gate[i].ends == EVENT_PLANNED;
        failed += gate[i].ends == EVENT_FAILED;
        cancelled += gate[i].ends == EVENT_CANCELLED;
    }
    assert_int_equal(GATE_ROWS, 12);
    assert_int_equal(runs, 3);
    assert_int_equal(drafts, 1);
    assert_int_equal(planned, 2);
    assert_int_equal(failed, 6);
    assert_int_equal(cancelled, 1);
}

/* What the gate decides at once, the ledger takes as the first event of an execution. */
static void verdicts_can_be_recorded(void **state)
{
    struct error e;

    (void)state;
    for (size_t i = 0; i < GATE_ROWS; i++) {
        enum event_state first = gate[i].runs ? EVENT_PLANNED : gate[i].ends;

        assert_true(ledger_first(first, 1, gate[i].code, &e));
    }
}

static void what_is_no_coherence_is_blocked(void **state)
{
    (void)state;
    check_blocked(gate_for(COHERENCE_COUNT, POLICY_BLOCK, true));
}

static void names_are_the_contracts(void **state)
{
    (void)state;
    assert_int_equal(name_at(coherence_names, str_of("coherent")), COHERENCE_COHERENT);
    assert_int_equal(name_at(coherence_names, str_of("partial")), COHERENCE_PARTIAL);
    assert_int_equal(name_at(coherence_names, str_of("stale")), COHERENCE_STALE);
    assert_int_equal(name_at(coherence_names, str_of("fresh")), -1);
    assert_int_equal(name_at(policy_names, str_of("block")), POLICY_BLOCK);
    assert_int_equal(name_at(policy_names, str_of("draft_only")), POLICY_DRAFT_ONLY);
    assert_int_equal(name_at(policy_names, str_of("draft")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_002_030_coherent_dry_run_succeeds),
        cmocka_unit_test(R_002_031_coherent_real_run_stays_planned),
        cmocka_unit_test(R_002_032_partial_is_blocked_by_policy_block),
        cmocka_unit_test(R_002_033_partial_dry_run_succeeds_as_a_draft),
        cmocka_unit_test(R_002_034_partial_real_run_is_cancelled_for_review),
        cmocka_unit_test(R_002_035_stale_is_blocked_always),
        cmocka_unit_test(R_002_036_the_matrix_has_each_cell_once),
        cmocka_unit_test(verdicts_can_be_recorded),
        cmocka_unit_test(what_is_no_coherence_is_blocked),
        cmocka_unit_test(names_are_the_contracts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
