/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c: tells how a plan ended, from its answer: progress may have been missed, and tells
 * only which steps began. */
#include "cli/run/left.h"
#include "cli/run_summary.h"

#include <inttypes.h>
#include <string.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/entry_line.h"
#include "cli/print.h"
#include "cli/units.h"

enum { INDENT = 2, GAP = 2, FAILURES_MOST = 20, NAME_MOST = 24, LABEL = LISTS_LABEL };

static const struct {
    const char *status;
    enum colour colour;
} statuses[] = { { "success", GREEN }, { "partial", YELLOW }, { "failure", RED } };

static enum colour status_colour(struct str status)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (str_is(status, statuses[i].status))
            return statuses[i].colour;
    return PLAIN;
}

/* ---- the headline ---- */

static void add_count(const struct doc *result, struct buf *to)
{
    char took[UNITS_TEXT];
    int64_t total = doc_whole(result, "steps_total");

    units_time(doc_whole(result, "duration_ms"), took);
    buf_addf(to, "%" PRId64 " of %" PRId64 " step%s in %s", doc_whole(result, "steps_executed"),
             total, total == 1 ? "" : "s", took);
}

void run_summary_line(const struct doc *result, struct buf *to)
{
    buf_addf(to, "%.*s, ", STR_ARG(doc_text(result, "status")));
    add_count(result, to);
}

static void show_head(const struct doc *result)
{
    _buf_ struct buf text = { .max = 1 << 10 };
    struct str status = doc_text(result, "status");

    add_count(result, &text);
    out(status_colour(status), "%.*s", STR_ARG(status));
    out(PLAIN, "%*s%s\n", GAP, "", text.s);
}

/* ---- failures ---- */

struct failure {
    const struct doc *error;
    bool skipped; /* and the plan went on without it */
};

/* What went wrong, each step once. */
struct failures {
    struct failure *v;
    size_t n;
};

static struct str step_id(const struct doc *error)
{
    return doc_text(error, "step_id");
}

static bool is_skip(const struct doc *error)
{
    return str_is(doc_text(error, "error_code"), "STEP_SKIPPED");
}

/* Errors of a step stand close together: looking back finds them at once. */
static struct failure *of_step(struct failures *f, struct str id)
{
    for (size_t i = f->n; id.n && i > 0; i--)
        if (str_eq(step_id(f->v[i - 1].error), id))
            return &f->v[i - 1];
    return NULL;
}

static void add_failure(struct failures *f, const struct doc *error)
{
    struct failure *before = of_step(f, step_id(error));

    if (before && is_skip(error)) {
        before->skipped = true;
    } else if (before) {
        before->error = error;
    } else {
        f->v[f->n++] = (struct failure){ .error = error };
    }
}

static bool is_listed(const struct failures *f, const struct doc *error)
{
    for (size_t i = 0; i < f->n; i++)
        if (str_eq(doc_text(f->v[i].error, "error_code"), doc_text(error, "error_code")) &&
            str_eq(step_id(f->v[i].error), step_id(error)))
            return true;
    return false;
}

/* Of an attempt after which another completed the step: nothing failed. */
static bool is_overcome(const struct doc *payload, const struct doc *error)
{
    const struct doc *steps = line_member(payload, "steps");

    for (const struct doc *d = doc_first(steps, DOC_MAP); d; d = d->next)
        if (str_eq(d->key, step_id(error)))
            return !str_is(doc_text(error, "severity"), "warn");
    return false;
}

/* The errors of the trace, and the plan's own where it says something else: that a step halted it,
 * or what was promoted, is said by that step's. */
static void gather(const struct doc *result, struct arena *a, struct failures *f)
{
    const struct doc *error = doc_get(result, "error");
    const struct doc *payload = doc_get(result, "result_payload");
    const struct doc *warnings = line_member(payload, "warnings");
    const struct doc *errors, *cause;
    size_t most = 1;

    if (error && error->kind != DOC_MAP)
        error = NULL;
    errors = line_member(line_member(error, "context"), "errors");
    cause = line_member(error, "cause");
    most += doc_first(errors, DOC_LIST) ? errors->count : 0;
    most += doc_first(warnings, DOC_LIST) ? warnings->count : 0;
    f->v = arena_alloc(a, most * sizeof *f->v);
    for (const struct doc *d = doc_first(errors, DOC_LIST); d; d = d->next)
        if (!is_overcome(payload, d))
            add_failure(f, d);
    for (const struct doc *d = error ? NULL : doc_first(warnings, DOC_LIST); d; d = d->next)
        add_failure(f, d);
    if (error && !is_listed(f, error) && !(cause && cause->kind == DOC_MAP && is_listed(f, cause)))
        f->v[f->n++] = (struct failure){ .error = error };
}

/* Of a step that was completed a result does not say how many there were; its progress has. */
static int64_t attempts_of(const struct run_state *s, struct str id)
{
    const struct run_step *step = run_state_find(s, id);

    return step ? step->attempt : 0;
}

static struct str name_of(const struct run_state *s, struct str id)
{
    const struct run_step *step = run_state_find(s, id);

    if (id.n == 0)
        return str_of("plan");
    return step ? step->name : line_short(id);
}

/* The message with the names of steps for their ids: "step count failed". */
static void add_named(const struct run_state *s, struct str message, struct buf *to)
{
    enum { ID = 36 };

    for (size_t i = 0; i < message.n;) {
        size_t left = message.n - i;
        const struct run_step *step =
            left < ID ? NULL : run_state_find(s, (struct str){ message.s + i, ID });

        buf_add(to, step ? step->name.s : message.s + i, step ? step->name.n : 1);
        i += step ? ID : 1;
    }
}

static void show_below(struct str text, size_t column)
{
    out(PLAIN, "%*s", (int)column, "");
    out_folded(DIM, text, column);
}

/* What to do about a code, as its row says; nothing where there is nothing to do. */
static void show_action(struct str code, size_t column)
{
    _arena_ struct arena a = { 0 };
    char *answer;

    if (writ_explain(arena_text(&a, code), &answer) == WRIT_OK) {
        const struct doc *tables = doc_get(answer_read(answer, &a), "tables");
        const struct doc *table = doc_first(tables, DOC_LIST);
        const struct doc *row = table ? doc_first(doc_get(table, "rows"), DOC_LIST) : NULL;
        struct str action = row ? doc_text(row, "action") : str_of("");

        if (action.n && !str_begins(action, "None"))
            show_below(action, column);
    }
    writ_free(answer);
}

/* The code that knows best what to do: of what refused a step, else of the failure itself. */
static struct str telling_code(const struct doc *error)
{
    struct str inner = doc_text(line_member(error, "context"), "code");

    return inner.n ? inner : doc_text(error, "error_code");
}

/* Why it failed, or what to do now: what is known of this run goes before what holds of any. */
static void show_advice(const struct run_state *s, const struct doc *error, size_t column,
                        struct str last_code)
{
    struct str why = doc_text(line_member(error, "context"), "why"), code = telling_code(error);
    struct str id = line_short(doc_text(line_member(error, "context"), "execution_id"));
    _buf_ struct buf text = { .max = 1 << 10 };

    if (s->heard && str_is(code, "PLAN_TIMEOUT"))
        buf_addf(&text, "by writ, which got the signal SIG%s", sigabbrev_np(s->heard));
    else if (why.n)
        buf_add(&text, why.s, why.n);
    else if (id.n && str_is(code, "STEP_FAILED"))
        buf_addf(&text, "what it printed and left: writ show %.*s", STR_ARG(id));
    if (text.len)
        show_below(buf_str(&text), column);
    else if (!str_eq(code, last_code))
        show_action(code, column);
}

static void show_failure(const struct run_state *s, const struct failure *f, size_t width,
                         struct str last_code)
{
    struct str code = doc_text(f->error, "error_code"), message = doc_text(f->error, "message");
    bool warn = str_is(doc_text(f->error, "severity"), "warn");
    int64_t attempts = attempts_of(s, step_id(f->error));
    size_t column = INDENT + width + GAP;
    _buf_ struct buf text = { .max = 1 << 20 };

    out(PLAIN, "%*s", INDENT, "");
    out_cell(BOLD, name_of(s, step_id(f->error)), width);
    out(PLAIN, "%*s", GAP, "");
    out(warn || f->skipped ? YELLOW : RED, "%.*s", STR_ARG(code));
    add_named(s, message, &text);
    if (attempts > 1)
        buf_addf(&text, " (%" PRId64 " attempts)", attempts);
    if (f->skipped)
        buf_adds(&text, " (skipped)");
    if (print_columns(buf_str(&text)) + code.n + GAP <= print_room(column)) {
        out(PLAIN, "%*s%s\n", GAP, "", buf_str(&text).s);
    } else { /* a line of its own */
        out(PLAIN, "\n");
        out(PLAIN, "%*s", (int)column, "");
        out_folded(PLAIN, buf_str(&text), column);
    }
    show_advice(s, f->error, column, last_code);
}

static void show_failures(const struct run_state *s, const struct failures *f)
{
    size_t width = 0, shown = f->n < FAILURES_MOST ? f->n : FAILURES_MOST;
    struct str last = str_of("");

    for (size_t i = 0; i < shown; i++) {
        size_t n = print_columns(name_of(s, step_id(f->v[i].error)));

        n = n < NAME_MOST ? n : NAME_MOST;
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < shown; i++) {
        show_failure(s, &f->v[i], width, last);
        last = telling_code(f->v[i].error);
    }
    if (f->n > shown)
        out(DIM, "%*sand %zu more, which --json shows\n", INDENT, "", f->n - shown);
}

/* ---- what was not run ---- */

/* Which steps began is told by the lines of progress alone. */
static void show_incomplete(const struct run_state *s, const struct doc *result,
                            struct failures *failed)
{
    const struct doc *error = doc_get(result, "error");
    const struct doc *list =
        line_member(error ? doc_get(error, "context") : NULL, "incomplete_steps");
    struct name_list cut = { .text.max = 1 << 20 }, others = { .text.max = 1 << 20 };

    for (const struct doc *d = doc_first(list, DOC_LIST); d; d = d->next) {
        const struct run_step *step = d->kind == DOC_TEXT ? run_state_find(s, d->text) : NULL;

        if (d->kind == DOC_TEXT && !of_step(failed, d->text))
            name_list_add(step && step->state != STEP_WAITS ? &cut : &others, name_of(s, d->text));
    }
    name_list_show("cut off", &cut);
    name_list_show(s->told && !s->lost ? "not run" : "unfinished", &others);
}

/* ---- what waits for somebody ---- */

/* Of each step: what it did is its output, or stands with its error. */
static void show_left(const struct run_state *s, const struct doc *result,
                      const struct failures *failed,
                      void (*show)(struct str name, const struct doc *did, struct line_list *lines),
                      const char *label)
{
    const struct doc *steps = line_member(doc_get(result, "result_payload"), "steps");
    struct line_list lines = { .label = label };

    for (const struct doc *d = doc_first(steps, DOC_MAP); d; d = d->next)
        if (d->kind == DOC_MAP)
            show(name_of(s, d->key), d, &lines);
    for (size_t i = 0; i < failed->n; i++) {
        const struct doc *did = line_member(failed->v[i].error, "context");

        if (did && did->kind == DOC_MAP)
            show(name_of(s, step_id(failed->v[i].error)), did, &lines);
    }
    line_list_end(&lines);
}

/* ---- where it is recorded ---- */

static void show_recorded(const struct doc *answer, const struct doc *result)
{
    const struct doc *ledger = doc_get(answer, "ledger"), *evidence = doc_get(answer, "evidence");
    const struct doc *last = doc_first(ledger, DOC_LIST) ? ledger->last : NULL;
    struct str execution = line_short(doc_text(result, "execution_id"));
    int64_t files = evidence ? doc_whole(evidence, "files") : 0;
    _buf_ struct buf text = { .max = 1 << 16 }, show = { .max = 1 << 10 };
    char bytes[UNITS_TEXT];

    if (!last || last->kind != DOC_TEXT)
        return;
    buf_addf(&text, "%.*s ·", STR_ARG(line_short(last->text)));
    buf_addf(&show, "writ show %.*s", STR_ARG(execution));
    out(DIM, "%-*s", LABEL, "recorded");
    out(PLAIN, "%s", text.s);
    /* What is typed stays together: below, where it has no room beside. */
    if (print_columns(buf_str(&text)) + 1 + show.len > print_room(LABEL)) {
        out(PLAIN, "\n");
        out(PLAIN, "%*s", LABEL - 1, "");
    }
    out(CYAN, " %s\n", show.s);
    if (files) {
        units_bytes(doc_whole(evidence, "bytes"), bytes);
        out(DIM, "%-*s", LABEL, "evidence");
        buf_reset(&text);
        buf_addf(&text, "%" PRId64 " file%s, %s in %.*s", files, files == 1 ? "" : "s", bytes,
                 STR_ARG(doc_text(evidence, "directory")));
        out_folded(PLAIN, buf_str(&text), LABEL);
    }
}

void run_summary_show(const struct run_state *s, const struct doc *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *result = doc_get(answer, "result");
    struct failures failures = { 0 };

    show_head(result);
    gather(result, &a, &failures);
    show_failures(s, &failures);
    show_incomplete(s, result, &failures);
    show_left(s, result, &failures, left_lane, "lanes");
    show_left(s, result, &failures, left_missed, "not kept");
    show_left(s, result, &failures, left_changes, "changes");
    show_recorded(answer, result);
}
