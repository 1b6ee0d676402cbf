/* SPDX-License-Identifier: Apache-2.0 */
/* test_template_plan.c: what a template comes to, and where what is said about it points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "plan/template.h"
#include "unit/contract/template_text.h"

enum { NOW = 1766000000 };

static const char full[] = "name: all\n"
                           "needs: [region, owner]\n"
                           "timeout_ms: 9000\n"
                           "priority: 2\n"
                           "estimated_duration_ms: 7\n"
                           "tags: [a, b]\n"
                           "metadata: {who: {is: me}}\n"
                           "retry: {max_attempts: 4}\n"
                           "steps:\n"
                           "- name: late\n"
                           "  action: json_select\n"
                           "  payload: {path: $, document: {}}\n"
                           "  after: [one, bare]\n"
                           "- name: one\n"
                           "  run: [rg, -n, x]\n"
                           "  tool: TL-1\n"
                           "  outputs: {exit_code: 1}\n"
                           "  timeout_ms: 5\n"
                           "  on_failure: skip\n"
                           "  inputs: {stdin: abc}\n"
                           "  sandbox: {memory_mb: 64}\n"
                           "- name: bare\n"
                           "  action: notify\n";

struct made {
    struct checked c;
    struct fake_world world;
    struct plan_doc plan;
};

static void made_free(struct made *m)
{
    checked_free(&m->c);
}

#define _made_ _cleanup_(made_free)

static const struct step_doc *make(struct made *m, const char *text)
{
    struct template_doc t = *(const struct template_doc *)check_text(&m->c, &template_shape, text);

    check_clean(&m->c);
    t.written = &m->c.document->root;
    fake_world_init(&m->world, NOW);
    template_plan(&t, &m->world.world, &m->c.a, &m->plan);
    return m->plan.steps.v;
}

static void check_json(const struct doc *d, const char *wanted)
{
    _buf_ struct buf json = { .max = 1 << 16 };

    json_doc(&json, d);
    assert_string_equal(json.s, wanted);
}

static void names_become_new_ids(void **state)
{
    _made_ struct made m = { 0 };
    const struct step_doc *steps = make(&m, full);
    const struct str *after = steps[0].depends_on.v;

    (void)state;
    assert_true(uuid_v4(m.plan.id, NULL));
    assert_int_equal(m.plan.steps.n, 3);
    for (size_t i = 0; i < m.plan.steps.n; i++) {
        assert_true(uuid_v4(steps[i].id, NULL));
        assert_false(str_eq(steps[i].id, m.plan.id));
        assert_false(str_eq(steps[i].id, steps[(i + 1) % m.plan.steps.n].id));
    }
    assert_int_equal(steps[0].depends_on.n, 2);
    assert_true(str_eq(after[0], steps[1].id));
    assert_true(str_eq(after[1], steps[2].id));
    assert_int_equal(steps[1].depends_on.n, 0);
}

static void what_is_said_is_kept(void **state)
{
    _made_ struct made m = { 0 };
    const struct step_doc *steps = make(&m, full);

    (void)state;
    check_is(m.plan.name, "all");
    assert_int_equal(m.plan.version, 1);
    assert_int_equal(m.plan.created_at, NOW);
    assert_int_equal(m.plan.timeout_ms, 9000);
    assert_int_equal(m.plan.priority, 2);
    assert_int_equal(m.plan.estimated_duration_ms, 7);
    assert_int_equal(m.plan.retry_policy->max_attempts, 4);
    check_texts(&m.plan.tags, (const char *const[]){ "a", "b" }, 2);
    check_texts(&m.plan.context_requirements, (const char *const[]){ "region", "owner" }, 2);
    check_is(steps[0].action, "json_select");
    check_is(steps[1].action, "execute");
    check_is(steps[2].action, "notify");
    assert_int_equal(steps[1].on_failure, ON_FAILURE_SKIP);
    assert_int_equal(steps[2].on_failure, ON_FAILURE_HALT);
    assert_int_equal(steps[1].timeout_ms, 5);
}

static void a_plan_that_needs_nothing_needs_the_usual_key(void **state)
{
    _made_ struct made m = { 0 };

    (void)state;
    (void)make(&m, template);
    check_texts(&m.plan.context_requirements, (const char *const[]){ TEMPLATE_KEY }, 1);
}

static void a_command_becomes_the_payload_of_execute(void **state)
{
    _made_ struct made m = { 0 }, m2 = { 0 };
    const struct step_doc *steps = make(&m, full), *few = make(&m2, template);

    (void)state;
    check_json(steps[0].payload, "{\"path\":\"$\",\"document\":{}}");
    check_json(steps[1].payload,
               "{\"tool_id\":\"TL-1\",\"inputs\":{\"command\":\"rg\",\"arguments\":[\"-n\",\"x\"],"
               "\"stdin\":\"abc\"},\"sandbox\":{\"memory_mb\":64},\"outputs\":{\"exit_code\":1}}");
    check_json(steps[2].payload, "{}");
    check_json(few[0].payload, "{\"inputs\":{\"command\":\"git\",\"arguments\":[\"fetch\"]}}");
    check_json(few[1].payload, "{\"inputs\":{\"command\":\"make\"}}");
}

/* Every made payload is right by the rows of execute. */
static void payloads_of_commands_are_right(void **state)
{
    _made_ struct made m = { 0 };
    const struct step_doc *steps = make(&m, full);
    struct report r = report_new(&m.c.a, "text", str_of(full));
    struct request_doc request = { 0 };

    (void)state;
    assert_true(shape_decode(&execute_shape, steps[1].payload, &r, &request));
    check_is(request.tool_id, "TL-1");
    check_is(request.inputs->command, "rg");
    assert_int_equal(request.inputs->arguments.n, 2);
    assert_int_equal(request.sandbox->memory_mb, 64);
}

/* Where a complaint about a value of a payload points: at the words of the user. */
static void complaints_point_into_the_users_file(void **state)
{
    static const struct {
        const char *way[3], *pointer, *text; /* the text found there */
    } rows[] = {
        { { NULL }, "/steps/1/run", "[rg, -n, x]" },
        { { "tool_id" }, "/steps/1/tool", "TL-1" },
        { { "inputs" }, "/steps/1/inputs", "{stdin" },
        { { "inputs", "command" }, "/steps/1/run/0", "rg" },
        { { "inputs", "arguments" }, "/steps/1/run/0", "[rg, -n" },
        { { "inputs", "stdin" }, "/steps/1/inputs/stdin", "abc" },
        { { "sandbox" }, "/steps/1/sandbox", "{memory_mb" },
        { { "sandbox", "memory_mb" }, "/steps/1/sandbox/memory_mb", "64" },
        { { "outputs", "exit_code" }, "/steps/1/outputs/exit_code", "1" },
    };
    _made_ struct made m = { 0 };
    const struct step_doc *steps = make(&m, full);

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct doc *d = steps[1].payload;
        struct report r = report_new(&m.c.a, "text", str_of(full));

        for (size_t j = 0; j < COUNT(rows[i].way) && rows[i].way[j]; j++)
            d = doc_get(d, rows[i].way[j]);
        report_add(&r, ABOUT_VALUE, d, CODE_INVALID_PAYLOAD, "x");
        assert_string_equal(r.first->pointer, rows[i].pointer);
        assert_int_equal(strncmp(full + r.first->at, rows[i].text, strlen(rows[i].text)), 0);
    }
}

static void places_of_what_was_not_said(void **state)
{
    _made_ struct made m = { 0 };
    const struct step_doc *steps = make(&m, full);
    const struct doc *arguments = doc_get(doc_get(steps[1].payload, "inputs"), "arguments");
    struct report r = report_new(&m.c.a, "text", str_of(full));

    (void)state;
    report_add(&r, ABOUT_VALUE, arguments->first->next, CODE_INVALID_PAYLOAD, "x");
    assert_string_equal(r.first->pointer, "/steps/1/run/2");
    report_add(&r, ABOUT_VALUE, steps[2].payload, CODE_INVALID_PAYLOAD, "x");
    assert_string_equal(r.first->pointer, "/steps/2/payload");
    assert_int_equal(strncmp(full + r.first->at, "name: bare", 10), 0);
    report_finish(&r);
    assert_int_equal(r.errors, 2);
    for (const struct problem *p = r.first; p; p = p->next)
        assert_true(p->line > 0);
}

static void names_and_the_templates_digest_are_in_the_metadata(void **state)
{
    _made_ struct made m = { 0 };
    const struct step_doc *steps = make(&m, full);
    const struct doc *writ = doc_get(m.plan.metadata, "writ"), *names = doc_get(writ, "names");
    _buf_ struct buf canon = { .max = 1 << 16 };
    struct digest digest;
    char text[DIGEST_TEXT];

    (void)state;
    json_canon(&m.c.document->root, &m.c.a, &canon);
    digest = digest_of(canon.s, canon.len);
    digest_text(&digest, text);
    check_is(doc_text(writ, "template"), text);
    assert_int_equal(names->count, 3);
    check_is(doc_text(names, steps[0].id.s), "late");
    check_is(doc_text(names, steps[1].id.s), "one");
    check_is(doc_text(names, steps[2].id.s), "bare");
    check_json(doc_get(m.plan.metadata, "who"), "{\"is\":\"me\"}");
    assert_int_equal(m.plan.metadata->count, 2);
}

/* The plan is right by the rows of a plan, and the template's own tree is as it was. */
static void the_plan_is_a_plan(void **state)
{
    _made_ struct made m = { 0 };
    _checked_ struct checked again = { 0 };
    _buf_ struct buf json = { .max = 1 << 16 }, before = { .max = 1 << 16 },
                     after = { .max = 1 << 16 };
    const struct document *fresh;
    struct ceilings max = ceilings_default();
    struct error e;

    (void)state;
    (void)make(&m, full);
    shape_json(&plan_shape, &m.plan, &json);
    (void)check_str(&again, &plan_shape, buf_str(&json));
    check_clean(&again);
    assert_true(doc_read("text", str_of(full), &max, &again.a, &fresh, &e));
    json_doc(&before, &fresh->root);
    json_doc(&after, &m.c.document->root);
    assert_string_equal(before.s, after.s);
}

static void the_same_world_makes_the_same_plan(void **state)
{
    _made_ struct made m = { 0 }, m2 = { 0 };
    _buf_ struct buf one = { .max = 1 << 16 }, two = { .max = 1 << 16 };

    (void)state;
    (void)make(&m, full);
    (void)make(&m2, full);
    shape_json(&plan_shape, &m.plan, &one);
    shape_json(&plan_shape, &m2.plan, &two);
    assert_string_equal(one.s, two.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_new_ids),
        cmocka_unit_test(what_is_said_is_kept),
        cmocka_unit_test(a_plan_that_needs_nothing_needs_the_usual_key),
        cmocka_unit_test(a_command_becomes_the_payload_of_execute),
        cmocka_unit_test(payloads_of_commands_are_right),
        cmocka_unit_test(complaints_point_into_the_users_file),
        cmocka_unit_test(places_of_what_was_not_said),
        cmocka_unit_test(names_and_the_templates_digest_are_in_the_metadata),
        cmocka_unit_test(the_plan_is_a_plan),
        cmocka_unit_test(the_same_world_makes_the_same_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
