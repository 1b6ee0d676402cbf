/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_extend.c: the contract that holds: what writ ships, and classes that were added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "contract/config_doc.h"
#include "unit/contract/route_text.h"

enum { MANY = 100000, MOST = 1000 };

/* Configurations as one after the other adds them; the report is that of the last. */
struct extended {
    struct checked c[2];
    const struct doc *documents[2];
    const struct config_doc *configs[2];
    struct route_doc contract;
    bool good;
};

static void extended_free(struct extended *x)
{
    checked_free(&x->c[0]);
    checked_free(&x->c[1]);
}

#define _extended_ _cleanup_(extended_free)

static void extend(struct extended *x, const char *first, const char *second)
{
    const char *const texts[] = { first, second };

    for (size_t i = 0; i < COUNT(texts) && texts[i]; i++) {
        x->configs[i] = check_text(&x->c[i], &config_shape, texts[i]);
        x->documents[i] = &x->c[i].document->root;
        check_clean(&x->c[i]);
        x->good = route_extended(x->documents, x->configs, i + 1, &x->c[i].a, &x->contract,
                                 &x->c[i].report);
        report_finish(&x->c[i].report);
    }
}

/* The contract holds by its own invariants, as its text says them. */
static void check_holds(const struct route_doc *contract)
{
    _checked_ struct checked c = { 0 };
    _buf_ struct buf text = { .max = 64 << 20 };

    shape_json(&route_shape, contract, &text);
    (void)check_str(&c, &route_shape, buf_str(&text));
    check_clean(&c);
}

static const struct class_doc *class_at(const struct route_doc *contract, size_t i)
{
    return (const struct class_doc *)contract->command_classes.v + i;
}

static void R_000_041_R_000_042_classes_are_merged_in_lexical_order(void **state)
{
    static const char first[] =
        "classes:\n"
        "- {class_id: zig, allowed_prefixes: [zig build, zig ast-check], hard_timeout_secs: 60}\n"
        "- {class_id: a, label: A, allowed_prefixes: ['*'], hard_timeout_secs: 9, "
        "soft_timeout_secs: 4, default_timeout_secs: 5, cancel_grace_secs: 2}\n";
    static const char second[] =
        "classes: [{class_id: cargo_x, allowed_prefixes: [cargo x], force_rch: true, "
        "hard_timeout_secs: 7}]\n";
    _extended_ struct extended x = { 0 };
    const struct timeout_doc *timeout;

    (void)state;
    extend(&x, first, second);
    assert_true(x.good);
    assert_int_equal(x.contract.command_classes.n, CLASS_COUNT + 3);
    check_holds(&x.contract);
    check_is(class_at(&x.contract, 0)->class_id, "a");
    check_is(class_at(&x.contract, 0)->label, "A");
    assert_int_equal(class_at(&x.contract, 0)->default_timeout_secs, 5);
    check_is(class_at(&x.contract, 6)->class_id, "cargo_x");
    check_is(class_at(&x.contract, 6)->label, "cargo_x");
    assert_true(class_at(&x.contract, 6)->force_rch);
    check_is(class_at(&x.contract, CLASS_COUNT + 2)->class_id, "zig");
    check_texts(&class_at(&x.contract, CLASS_COUNT + 2)->allowed_prefixes,
                (const char *const[]){ "zig ast-check", "zig build" }, 2);
    timeout = (const struct timeout_doc *)x.contract.timeout_profiles.v + CLASS_COUNT + 2;
    check_is(timeout->class_id, "zig");
    assert_int_equal(timeout->soft_timeout_secs, 60);
    assert_int_equal(timeout->cancel_grace_secs, 10);
}

static void without_a_configuration_it_is_what_ships(void **state)
{
    _buf_ struct buf text = { .max = 1 << 20 };
    _extended_ struct extended x = { 0 };
    _arena_ struct arena a = { 0 };

    (void)state;
    extend(&x, "classes: []\n", NULL);
    shape_json(&route_shape, &x.contract, &text);
    assert_string_equal(text.s, shipped(&a));
}

static void nobody_changes_what_a_shipped_class_means(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        _checked_ struct checked c = { 0 };
        const struct refusal row = {
            .pointer = "/classes/0/class_id",
            .code = CODE_CONTRACT_INVALID,
            .msg = arena_printf(&c.a,
                                "'%s' is a class that writ ships, and means the same everywhere; "
                                "choose another id",
                                classes[i].class_id),
        };

        (void)check_text(&c, &config_shape,
                         arena_printf(&c.a,
                                      "classes: [{class_id: %s, allowed_prefixes: ['*'], "
                                      "hard_timeout_secs: 1}]\n",
                                      classes[i].class_id));
        check_problems(&c, &row, 1);
    }
}

static void a_class_of_another_document_is_reported_where_it_is_written_last(void **state)
{
    static const char first[] =
        "classes: [{class_id: go, allowed_prefixes: [go], hard_timeout_secs: 1}]\n";
    static const char second[] =
        "classes:\n- {class_id: b, allowed_prefixes: [b], hard_timeout_secs: 1}\n"
        "- {class_id: go, allowed_prefixes: ['*'], hard_timeout_secs: 1}\n";
    _extended_ struct extended x = { 0 };

    (void)state;
    extend(&x, first, second);
    assert_false(x.good);
    assert_int_equal(x.c[1].report.errors, 1);
    assert_string_equal(x.c[1].report.first->pointer, "/classes/1/class_id");
    assert_int_equal(x.c[1].report.first->line, 3);
    assert_string_equal(x.c[1].report.first->msg,
                        "'go' is a class of text already; choose another id");
}

/* n classes with ids in the opposite of their order; `same`: all have one id. */
static const char *many(struct buf *text, int n, bool same)
{
    buf_adds(text, "{\"classes\":[");
    for (int i = 0; i < n; i++)
        buf_addf(text,
                 "%s{\"class_id\":\"c%06d\",\"allowed_prefixes\":[\"p%d\"],"
                 "\"hard_timeout_secs\":9}",
                 i ? "," : "", same ? 0 : n - i, i);
    buf_adds(text, "]}");
    return text->s;
}

static void as_many_as_are_allowed_are_merged(void **state)
{
    _buf_ struct buf text = { .max = 64 << 20 };
    _extended_ struct extended x = { 0 };

    (void)state;
    extend(&x, many(&text, MOST, false), NULL);
    assert_true(x.good);
    assert_int_equal(x.contract.command_classes.n, MOST + CLASS_COUNT);
    check_holds(&x.contract);
}

static void a_hundred_thousand_classes_are_refused_whatever_they_are_called(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        _buf_ struct buf text = { .max = 64 << 20 };
        _checked_ struct checked c = { 0 };

        (void)check_text(&c, &config_shape, many(&text, MANY, same));
        assert_false(c.good);
        assert_int_equal(c.report.errors, same ? MANY : 1);
        assert_string_equal(c.report.first->pointer, "/classes");
        assert_string_equal(c.report.first->msg, "classes has 100000 entries, allowed 0..1000");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_041_R_000_042_classes_are_merged_in_lexical_order),
        cmocka_unit_test(without_a_configuration_it_is_what_ships),
        cmocka_unit_test(nobody_changes_what_a_shipped_class_means),
        cmocka_unit_test(a_class_of_another_document_is_reported_where_it_is_written_last),
        cmocka_unit_test(as_many_as_are_allowed_are_merged),
        cmocka_unit_test(a_hundred_thousand_classes_are_refused_whatever_they_are_called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
