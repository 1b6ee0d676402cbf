/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the steps of a plan's execution as the ledger has them, each with a bar for when it
 * ran. */
#include <inttypes.h>

#include "base/uuid.h"
#include "cli/entry_line.h"
#include "cli/print.h"
#include "cli/run_state.h"
#include "cli/show.h"
#include "cli/show/timeline.h"
#include "cli/units.h"

enum { INDENT = 2, MARK = 2, GAP = 2, TIME = 8, NAME_MOST = 24, BAR_SHARE = 2, BELOW = 6 };

enum mark { DONE, FAILED, SKIPPED, NOT_RUN, OPEN, MARKS };

static const struct {
    const char *state, *mark;
    enum colour colour;
} marks[MARKS] = {
    [DONE] = { "completed", "✓", GREEN }, [FAILED] = { "failed", "✗", RED },
    [SKIPPED] = { NULL, "!", YELLOW }, /* it failed, and the plan went on without it */
    [NOT_RUN] = { "not_run", "·", DIM },  [OPEN] = { "", "?", DIM }, /* it has no end on record */
};

struct steps {
    size_t rows, name_width, action_width;
    struct str asked, name; /* a step's id, and what it is called */
    const char *open; /* what has begun and has no end: it runs, or was killed, or who knows */
    struct timeline_scale scale;
};

/* Who wrote a manifest may have erred: a row that is no map, or tells no time, is a row all the
 * same. */
static void each_row(const struct doc *answer, struct steps *steps,
                     void (*row)(struct steps *steps, const struct doc *row))
{
    const struct doc *manifests = doc_get(answer, "manifests");

    for (const struct doc *m = doc_first(manifests, DOC_LIST); m; m = m->next) {
        const struct doc *body = doc_get(m, "body");

        if (!body || !str_is(doc_text(body, "what"), "plan_steps"))
            continue;
        for (const struct doc *d = doc_first(doc_get(body, "steps"), DOC_LIST); d; d = d->next)
            if (d->kind == DOC_MAP)
                row(steps, d);
    }
    for (const struct doc *d = doc_first(doc_get(answer, "steps_unended"), DOC_LIST); d;
         d = d->next)
        if (d->kind == DOC_MAP)
            row(steps, d);
}

static size_t wider(size_t width, struct str text)
{
    size_t n = print_columns(text);

    n = n < NAME_MOST ? n : NAME_MOST;
    return n > width ? n : width;
}

static bool times(const struct doc *row, int64_t *from, int64_t *to)
{
    const int64_t most = (int64_t)1 << 53;

    *from = doc_whole(row, "started_at");
    *to = doc_whole(row, "duration_ms");
    if (*from == 0 || *from > most || *to > most)
        return false;
    *to += *from;
    return true;
}

static void measure(struct steps *steps, const struct doc *row)
{
    struct timeline_scale *scale = &steps->scale;
    int64_t from, to, end = scale->begin + scale->span;

    steps->rows++;
    steps->name_width = wider(steps->name_width, doc_text(row, "name"));
    steps->action_width = wider(steps->action_width, doc_text(row, "action"));
    if (!times(row, &from, &to))
        return;
    if (scale->begin == 0)
        scale->begin = end = from;
    end = to > end ? to : end;
    scale->begin = from < scale->begin ? from : scale->begin;
    scale->span = end - scale->begin;
}

/* It is known that it has not: what it waits for has no end either, or it would be recorded. */
static bool is_unbegun(const struct doc *row)
{
    const struct doc *begun = doc_get(row, "begun");

    return begun && begun->kind == DOC_BOOL && !begun->truth;
}

static enum mark mark_of(const struct doc *row)
{
    struct str state = doc_text(row, "state");
    bool told = doc_text(row, "on_failure").n > 0; /* older rows do not */

    if (str_is(state, "succeeded")) /* its execution: the plan was killed before it told */
        return DONE;
    if (str_is(state, "cancelled"))
        return FAILED;
    for (enum mark i = DONE; i < OPEN; i++)
        if (marks[i].state && str_is(state, marks[i].state))
            return i == FAILED && told && run_goes_on(row) ? SKIPPED : i;
    return is_unbegun(row) ? NOT_RUN : OPEN;
}

/* How long it took, or why nobody can say. */
static const char *took(const struct steps *steps, const struct doc *row, char text[UNITS_TEXT])
{
    struct str state = doc_text(row, "state");

    if (str_is(state, "not_run"))
        return "not run";
    if (is_unbegun(row))
        return "not begun";
    if (state.n == 0)
        return doc_text(row, "execution_id").n ? steps->open : "no end";
    units_time(doc_whole(row, "duration_ms"), text);
    return text;
}

static size_t bar_column(const struct steps *steps)
{
    return INDENT + MARK + steps->name_width + steps->action_width + TIME + 3 * GAP;
}

/* What there is to say, and where more is found. */
static void add_notes(const struct doc *row, struct buf *to)
{
    int64_t attempt = doc_whole(row, "attempt");
    struct str note = doc_text(row, "note"), id = line_short(doc_text(row, "execution_id"));

    buf_addf(to, "%.*s", STR_ARG(note));
    if (attempt > 1)
        buf_addf(to, "%sattempt %" PRId64, to->len ? ", " : "", attempt);
    if (id.n)
        buf_addf(to, "%s%.*s", to->len ? ", " : "", STR_ARG(id));
}

static void show_failure(const struct doc *row)
{
    struct str code = doc_text(row, "code"), message = doc_text(row, "message");
    _buf_ struct buf text = { .max = SHOW_MAX };

    if (code.n == 0)
        return;
    buf_addf(&text, "%.*s%s%.*s", STR_ARG(code), message.n ? ": " : "", STR_ARG(message));
    out(PLAIN, "%*s", BELOW, "");
    out_folded(PLAIN, buf_str(&text), BELOW);
}

static void show_row(struct steps *steps, const struct doc *row)
{
    enum mark mark = mark_of(row);
    size_t column = bar_column(steps);
    bool ran = mark != NOT_RUN;
    char text[UNITS_TEXT];
    _buf_ struct buf notes = { .max = SHOW_MAX };
    size_t behind = 0; /* blanks, up to where bars end */
    int64_t from, to;

    out(marks[mark].colour, "%*s%s ", INDENT, "", marks[mark].mark);
    out_cell(ran ? PLAIN : DIM, doc_text(row, "name"), steps->name_width);
    out(PLAIN, "%*s", GAP, "");
    out_cell(DIM, doc_text(row, "action"), steps->action_width);
    out(PLAIN, "%*s", GAP + TIME, took(steps, row, text));
    if (steps->scale.columns && times(row, &from, &to)) {
        out(PLAIN, "%*s", GAP, "");
        behind = steps->scale.columns - timeline_bar(&steps->scale, from, to, marks[mark].colour);
        column += steps->scale.columns;
    }
    add_notes(row, &notes);
    if (notes.len && print_room(column + GAP) > 0) {
        out(PLAIN, "%*s", (int)behind + GAP, "");
        out_cut(PLAIN, buf_str(&notes), print_room(column + GAP));
    }
    out(PLAIN, "\n");
    show_failure(row);
}

static const char *word_of_open(const struct doc *answer)
{
    const struct doc *alive = doc_get(answer, "alive");

    if (!alive || alive->kind != DOC_BOOL)
        return "no end";
    return alive->truth ? "runs" : "killed";
}

bool show_plan(const struct doc *answer)
{
    struct steps steps = { .open = word_of_open(answer) };
    size_t room;

    each_row(answer, &steps, measure);
    if (steps.rows == 0)
        return false;
    room = timeline_columns(bar_column(&steps), steps.scale.span);
    steps.scale.columns = room / BAR_SHARE; /* the rest is for notes */
    each_row(answer, &steps, show_row);
    return true;
}

static void find(struct steps *steps, const struct doc *row)
{
    if (str_eq(doc_text(row, "step_id"), steps->asked))
        steps->name = doc_text(row, "name");
}

void show_named(const struct doc *answer, struct str message, struct buf *to)
{
    enum { ID = UUID_TEXT - 1 };
    struct uuid ignored;

    for (size_t i = 0; i < message.n;) {
        struct steps steps = { .asked = { message.s + i, ID } };

        if (message.n - i >= ID && uuid_v4(steps.asked, &ignored))
            each_row(answer, &steps, find);
        if (steps.name.n)
            buf_add(to, steps.name.s, steps.name.n);
        else
            buf_addc(to, message.s[i]);
        i += steps.name.n ? ID : 1;
    }
}
