/* SPDX-License-Identifier: Apache-2.0 */
/* test_handler.c: every step has a handler, and its payload suits it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/handler.h"
#include "unit/contract/plan_text.h"

/* It wants to be asked about each step once, and a payload with a "to". */
struct picky {
    size_t asked;
};

static void wants_to(void *self, const struct step_doc *step, struct report *r)
{
    ((struct picky *)self)->asked++;
    if (!doc_get(step->payload, "to"))
        report_add(r, ABOUT_VALUE, step->payload, CODE_INVALID_PAYLOAD, "payload has no 'to'");
}

static const struct handler *find(void *self, struct str action)
{
    static struct handler notify = { .action = "notify", .check = wants_to };
    static const struct handler any = { .action = "validate" };

    notify.self = self;
    if (str_is(action, "notify"))
        return &notify;
    return str_is(action, "validate") ? &any : NULL;
}

/* The plan of plan_text.h has an execute, a validate and a notify. */
static size_t check_plan(struct checked *c, const char *from, const char *to)
{
    struct picky picky = { 0 };
    const struct handlers all = { find, &picky };
    const struct plan_doc *doc = check_text(c, &plan_shape, check_swap(&c->a, plan, from, to));

    c->report = report_new(&c->a, "text", c->document->text);
    handlers_check(&all, doc, &c->document->root, &c->report);
    report_finish(&c->report);
    return picky.asked;
}

static void R_004_070_R_004_080_R_004_069_R_004_075_all_that_is_wrong_is_found(void **state)
{
    _checked_ struct checked c = { 0 };

    (void)state;
    assert_int_equal(check_plan(&c, "name: nightly", "name: nightly"), 1);
    check_problems(
        &c,
        (const struct refusal[]){
            { .pointer = "/steps/0/action",
              .code = CODE_ACTION_NOT_FOUND,
              .msg = "there is no action 'execute'; `writ explain actions` tells what there is" },
            { .pointer = "/steps/2/payload",
              .code = CODE_INVALID_PAYLOAD,
              .msg = "payload has no 'to'" },
        },
        2);
}

static void R_004_080_what_suits_is_not_mentioned(void **state)
{
    _checked_ struct checked c = { 0 };

    (void)state;
    assert_int_equal(
        check_plan(&c, "action: execute, payload: {}", "action: notify, payload: {to: x}"), 2);
    check_problems(&c,
                   &(struct refusal){ .pointer = "/steps/2/payload",
                                      .code = CODE_INVALID_PAYLOAD,
                                      .msg = "payload has no 'to'" },
                   1);
}

/* A step without an action or a payload has had its word said; nobody is asked about it. */
static void R_004_080_a_step_that_is_wrong_already_is_left_alone(void **state)
{
    _checked_ struct checked no_payload = { 0 }, no_action = { 0 };

    (void)state;
    assert_int_equal(check_plan(&no_payload, "action: notify, payload: {}", "action: notify"), 0);
    check_problems(
        &no_payload,
        &(struct refusal){
            .pointer = "/steps/0/action",
            .code = CODE_ACTION_NOT_FOUND,
            .msg = "there is no action 'execute'; `writ explain actions` tells what there is" },
        1);
    assert_int_equal(check_plan(&no_action, "action: execute, ", ""), 1);
    check_problems(&no_action,
                   &(struct refusal){ .pointer = "/steps/2/payload",
                                      .code = CODE_INVALID_PAYLOAD,
                                      .msg = "payload has no 'to'" },
                   1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_070_R_004_080_R_004_069_R_004_075_all_that_is_wrong_is_found),
        cmocka_unit_test(R_004_080_what_suits_is_not_mentioned),
        cmocka_unit_test(R_004_080_a_step_that_is_wrong_already_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
