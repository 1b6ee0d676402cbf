/* SPDX-License-Identifier: Apache-2.0 */
/* test_order.c: what would run, in which order and why: the answer, and as people see it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <writ/plans.h>

#include "cli/answer.h"
#include "cli/order.h"
#include "cli/print.h"
#include "emulated.h"

static const char template[] =
    "name: nightly\n"
    "timeout_ms: 90000\n"
    "retry: {max_attempts: 3}\n"
    "steps:\n"
    "- {name: report, action: notify, payload: {text: done}, after: [build, lint]}\n"
    "- {name: build, run: [make, -j, two words], after: [fetch], on_failure: retry,\n"
    "   sandbox: {memory_mb: 64, network: {enabled: true, allow: [example.org]}}}\n"
    "- {name: fetch, run: [git, fetch], timeout_ms: 5000}\n"
    "- {name: lint, action: json_select, on_failure: skip, timeout_ms: 100000}\n"
    "- {name: all, action: execute_plan, payload: {plan: {name: inner, steps: [{name: a, action: notify}]}},\n"
    "   after: [report, build, fetch, lint, report], timeout_ms: 300}\n";

struct ordered {
    struct arena a;
    char *answer;
    const struct doc *d, *steps;
    int status;
};

static void ordered_free(struct ordered *o)
{
    writ_free(o->answer);
    arena_free(&o->a);
}

#define _ordered_ _cleanup_(ordered_free)

static void order(struct ordered *o, const char *text, int jobs)
{
    struct writ_input input = { "plan.yaml", text, strlen(text) };
    struct writ_plan plan = { .plan = &input, .jobs = jobs };

    o->status = writ_plan_order(&plan, &o->answer);
    o->d = answer_read(o->answer, &o->a);
    o->steps = doc_get(o->d, "steps");
}

static const struct doc *nth(const struct ordered *o, int n)
{
    const struct doc *d = o->steps->first;

    while (n-- > 0)
        d = d->next;
    return d;
}

static void check_text(const struct doc *d, const char *key, const char *wanted)
{
    struct str found = doc_text(d, key);

    if (!str_is(found, wanted))
        fail_msg("%s is '%.*s', not '%s'", key, STR_ARG(found), wanted);
}

/* The smallest place in the list first, among those that wait for nothing more. Where no directory
 * is opened, what would be refused is told in another way. */
static void steps_come_in_order_and_say_why(void **state)
{
    static const struct {
        const char *name, *about, *why;
        int wave;
    } rows[] = {
        { "fetch", "git fetch", "first in the list that waits for nothing", 1 },
        { "build", "make -j 'two words'", "fetch is completed by then", 2 },
        { "lint", "Selects values from a document by a JSONPath (RFC 9535).",
          "next in the list; waits for nothing", 1 },
        { "report", "done", "waits for build, which will be refused", 3 },
        { "all", "plan inner", "waits for report, which will not be run", 4 },
    };
    _ordered_ struct ordered o = { 0 };

    (void)state;
    if (!opens_directories())
        skip();
    order(&o, template, 0);
    assert_int_equal(o.status, WRIT_OK);
    assert_int_equal(o.steps->count, COUNT(rows));
    for (int i = 0; i < (int)COUNT(rows); i++) {
        check_text(nth(&o, i), "name", rows[i].name);
        check_text(nth(&o, i), "about", rows[i].about);
        check_text(nth(&o, i), "why", rows[i].why);
        assert_int_equal(doc_whole(nth(&o, i), "wave"), rows[i].wave);
    }
    check_text(o.d, "name", "nightly");
    assert_int_equal(doc_whole(o.d, "jobs"), 1);
    assert_int_equal(doc_whole(o.d, "timeout_ms"), 90000);
    assert_int_equal(doc_get(nth(&o, 3), "after")->count, 2);
}

static void limits_attempts_and_times_are_what_holds(void **state)
{
    _ordered_ struct ordered o = { 0 };
    const struct doc *fetch, *build, *lint;

    (void)state;
    order(&o, template, 4);
    fetch = nth(&o, 0);
    build = nth(&o, 1);
    lint = nth(&o, 2);
    assert_int_equal(doc_whole(o.d, "jobs"), 4);
    assert_int_equal(doc_whole(doc_get(fetch, "limits"), "memory_mb"), 512);
    assert_int_equal(doc_whole(doc_get(build, "limits"), "memory_mb"), 64);
    assert_true(doc_get(doc_get(doc_get(build, "limits"), "network"), "enabled")->truth);
    assert_int_equal(doc_get(lint, "limits")->kind, DOC_NULL);
    assert_int_equal(doc_whole(fetch, "timeout_ms"), 5000);
    assert_int_equal(doc_whole(build, "timeout_ms"), 90000); /* the command says none itself */
    assert_int_equal(doc_whole(lint, "timeout_ms"), 1000);   /* the executor has no more */
    assert_int_equal(doc_whole(nth(&o, 3), "timeout_ms"), 90000);
    assert_int_equal(doc_whole(nth(&o, 4), "timeout_ms"), 300);
    assert_int_equal(doc_whole(build, "attempts"), 3);
    assert_int_equal(doc_whole(lint, "attempts"), 1);
}

static void a_wrong_plan_has_no_order(void **state)
{
    _ordered_ struct ordered o = { 0 };

    (void)state;
    order(&o, "name: x\nsteps:\n- {name: a, action: execute, payload: {input: 1}}\n", 0);
    assert_int_equal(o.status, WRIT_NO); /* as that of its run */
    check_text(o.d, "kind", "template");
    check_text(doc_get(o.d, "problems")->first, "pointer", "/steps/0/payload");
}

/* What order_show() writes to stdout. */
static void shown(const struct doc *answer, size_t width, char *text, size_t size)
{
    int kept = dup(STDOUT_FILENO);
    FILE *file = tmpfile();

    assert_true(kept >= 0 && file && print_flush());
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    print_setup(false, false, width);
    order_show(answer);
    assert_true(print_flush());
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    (void)close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    (void)fclose(file);
}

static void people_see_a_step_a_row(void **state)
{
    static const char begins[] =
        "nightly  5 steps · 1 m 30 s for all · one at a time\n"
        "  1  fetch   execute  git fetch\n"
        "             5.0 s, 512 MB, 1 core, files standard, offline · on failure: halt\n"
        "             first in the list that waits for nothing\n"
        "  2  build   execute  make -j 'two words'\n"
        "             1 m 30 s, 64 MB, 1 core, files standard, network api · on failure: retry, up "
        "to 3 attempts\n"
        "             fetch is completed by then\n"
        "             will be refused: tool 'TL-2' is blocked in the registry; only active and "
        "deprecated tools run [COMMAND_NOT_ALLOWED]\n"
        "  3  lint    json_select  Selects values from a document by a JSONPath (RFC 9535).\n"
        "             1.0 s · on failure: skip\n"
        "             next in the list; waits for nothing\n"
        "  4  report  notify  done\n"
        "             on failure: halt\n"
        "             waits for build, which will be refused\n"
        "  5  all     execute_plan  plan inner\n"
        "             300 ms · on failure: halt\n";
    _ordered_ struct ordered o = { 0 };
    char text[8192];

    (void)state;
    if (!opens_directories())
        skip();
    order(&o, template, 1);
    shown(o.d, NO_EDGE, text, sizeof text);
    if (strncmp(text, begins, sizeof begins - 1) != 0)
        fail_msg("this was shown:\n%s", text);
}

static void lines_end_at_the_edge(void **state)
{
    enum { EDGE = 48 };
    _ordered_ struct ordered o = { 0 };
    char text[8192];

    (void)state;
    order(&o, template, 8);
    shown(o.d, EDGE, text, sizeof text);
    assert_non_null(strstr(text, "up to 8 at a time"));
    for (char *line = strchr(text, '\n') + 1, *end; (end = strchr(line, '\n')); line = end + 1)
        assert_true(print_columns((struct str){ line, (size_t)(end - line) }) <= EDGE);
}

static void a_name_that_is_cut_keeps_its_gap(void **state)
{
    _ordered_ struct ordered o = { 0 };
    char text[1024];

    (void)state;
    order(&o,
          "name: x\nsteps:\n- {name: a-very-long-step-name-that-is-always-cut, run: ['true']}\n",
          1);
    shown(o.d, 80, text, sizeof text);
    if (!strstr(text, "  1  a-very-long-step-name-that-is-a…  execute  true\n"))
        fail_msg("this was shown:\n%s", text);
}

/* A registry of its own: what the steps are told does not depend on where the test runs. */
static int settle(void **state)
{
    static const char registry[] =
        "tools:\n"
        "- {tool_id: TL-1, name: a, owner: b, status: active, scope: {commands: [git]}}\n"
        "- {tool_id: TL-2, name: a, owner: b, status: blocked, scope: {commands: [make]}}\n";
    static char place[] = "/tmp/test_order.XXXXXX";
    FILE *file;

    *state = place;
    if (!mkdtemp(place) || chdir(place) != 0 || mkdir(".writ", 0700) != 0)
        return -1;
    file = fopen(".writ/tools.yaml", "w");
    return file && fputs(registry, file) >= 0 && fclose(file) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    return unlink(".writ/tools.yaml") == 0 && rmdir(".writ") == 0 && chdir("/") == 0 &&
                   rmdir(*state) == 0
               ? 0
               : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_come_in_order_and_say_why),
        cmocka_unit_test(limits_attempts_and_times_are_what_holds),
        cmocka_unit_test(a_wrong_plan_has_no_order),
        cmocka_unit_test(people_see_a_step_a_row),
        cmocka_unit_test(lines_end_at_the_edge),
        cmocka_unit_test(a_name_that_is_cut_keeps_its_gap),
    };

    return cmocka_run_group_tests(tests, settle, leave);
}
