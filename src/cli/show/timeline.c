/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c: draws the events of an execution against time.
 *
 * A state lasts until the next event; the last one is a mark. Times are the events' own: whoever
 * wrote them may have erred, so that a bar never begins before the one above it.
 */
#include "cli/show/timeline.h"

#include <inttypes.h>

#include "base/stamp.h"
#include "cli/entry_line.h"
#include "cli/units.h"

enum { INDENT = 2, GAP = 2, STATE = 9, CLOCK = 12, LASTS = 8, BAR_LEAST = 8, BAR_MOST = 60 };

static bool instant(const struct doc *event, int64_t *ms)
{
    struct stamp stamp;
    const char *why;

    if (!stamp_read(doc_text(event, "createdAt"), &stamp, &why) &&
        !stamp_read(doc_text(event, "recordedAt"), &stamp, &why))
        return false;
    *ms = stamp_ms(&stamp);
    return true;
}

/* The latest of the times up to this event; `before` where it has none. */
static int64_t moment(const struct doc *event, int64_t before)
{
    int64_t ms;

    return instant(event, &ms) && ms > before ? ms : before;
}

int64_t timeline_span(const struct doc *events)
{
    const struct doc *first = doc_first(events, DOC_LIST);
    int64_t begin, end;

    if (!first || !instant(first, &begin))
        return -1;
    end = begin;
    for (const struct doc *e = first; e; e = e->next)
        end = moment(e, end);
    return end - begin;
}

/* ---- one bar ---- */

/* Where a bar begins and ends, in eighths of a column. */
struct bar {
    size_t from, to, columns;
};

size_t timeline_columns(size_t column, int64_t span_ms)
{
    size_t room = print_room(column);

    if (!print_person() || span_ms <= 0 || room < BAR_LEAST)
        return 0;
    return room < BAR_MOST ? room : BAR_MOST;
}

static struct bar bar_of(const struct timeline_scale *scale, int64_t from, int64_t to)
{
    double eighths = (double)scale->columns * 8 / (double)scale->span;
    int64_t end = scale->begin + scale->span;

    from = from < scale->begin ? scale->begin : from > end ? end : from;
    to = to < from ? from : to > end ? end : to;
    return (struct bar){ (size_t)((double)(from - scale->begin) * eighths),
                         (size_t)((double)(to - scale->begin) * eighths), scale->columns };
}

/* From the column it begins in; how many columns it takes: at least a little of one. */
static size_t draw_filled(const struct bar *bar, size_t column, enum colour colour)
{
    static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    size_t eighths = bar->to > column * 8 ? bar->to - column * 8 : 0;

    _buf_ struct buf text = { .max = 1 << 10 };

    for (size_t i = 0; i < eighths / 8; i++)
        buf_adds(&text, "█");
    buf_adds(&text, eighths ? parts[eighths % 8] : parts[1]);
    out(colour, "%s", text.s);
    return eighths ? (eighths + 7) / 8 : 1;
}

size_t timeline_bar(const struct timeline_scale *scale, int64_t from, int64_t to,
                    enum colour colour)
{
    struct bar bar = bar_of(scale, from, to);
    size_t column = bar.from / 8 < bar.columns ? bar.from / 8 : bar.columns - 1;

    out(PLAIN, "%*s", (int)column, "");
    return column + draw_filled(&bar, column, colour);
}

static const char *mark_of(struct str state)
{
    static const struct {
        const char *state, *mark;
    } marks[] = { { "succeeded", "✓" }, { "failed", "✗" }, { "cancelled", "■" } };

    for (size_t i = 0; i < COUNT(marks); i++)
        if (str_is(state, marks[i].state))
            return marks[i].mark;
    return "…";
}

static void draw(const struct bar *bar, struct str state, bool last)
{
    bool waits = !str_is(state, "running");
    size_t column = bar->from / 8, eighths = bar->to - column * 8;

    if (last || column >= bar->columns)
        column = column < bar->columns ? column : bar->columns - 1;
    out(PLAIN, "%*s", (int)column, "");
    if (last) {
        out(line_colour(state), "%s", mark_of(state));
        return;
    }
    if (waits) { /* a line: nothing is being done */
        out(line_is_end(state) ? line_colour(state) : DIM, "%s",
            line_is_end(state) ? mark_of(state)
            : eighths < 8      ? "·"
                               : "─");
        for (size_t i = 1; i < eighths / 8; i++)
            out(DIM, "─");
        return;
    }
    (void)draw_filled(bar, column, CYAN);
}

/* ---- one event ---- */

struct timeline {
    const struct doc *event;
    int64_t begin, span, now, until; /* ms: of all, of this event */
    size_t id_width;
    struct str day;
    int64_t attempt;
};

/* A line of its own where a day or an attempt begins. */
static void show_turn(struct timeline *t, bool several)
{
    struct str day = line_day(doc_text(t->event, "createdAt"));
    int64_t attempt = doc_whole(t->event, "attempt");

    if (several && attempt != t->attempt)
        out(DIM, "  attempt %" PRId64 "\n", attempt);
    if (t->day.n && !str_eq(day, t->day))
        out(DIM, "  %.*s\n", STR_ARG(day));
    t->attempt = attempt;
    t->day = day;
}

/* "14:02:11.120" */
static struct str clock_of(struct str stamp)
{
    enum { DATE = sizeof "2026-11-15T" - 1 };

    if (stamp.n < DATE + CLOCK)
        return line_clock(stamp);
    return (struct str){ stamp.s + DATE, CLOCK };
}

static void show_event(const struct timeline *t)
{
    struct str state = doc_text(t->event, "state"), at = doc_text(t->event, "createdAt");
    bool last = !t->event->next;
    struct timeline_scale scale = {
        t->begin, t->span,
        timeline_columns(INDENT + t->id_width + STATE + CLOCK + LASTS + 4 * GAP, t->span)
    };
    char lasts[UNITS_TEXT] = "";

    if (!last)
        units_time(t->until - t->now, lasts);
    out(PLAIN, "%*s", INDENT, "");
    out_cell(CYAN, line_short(doc_text(t->event, "ledger_id")), t->id_width + GAP);
    out_cell(line_colour(state), state, STATE + GAP);
    at = print_person() ? clock_of(at) : at;
    out_cell(PLAIN, at, at.n < CLOCK ? CLOCK : at.n);
    if (scale.columns || !last)
        out(PLAIN, "%*s%*s", GAP, "", LASTS, lasts);
    if (scale.columns) {
        struct bar bar = bar_of(&scale, t->now, t->until);

        out(PLAIN, "%*s", GAP, "");
        draw(&bar, state, last);
    }
    out(PLAIN, "\n");
}

void timeline_show(const struct doc *events)
{
    const struct doc *first = doc_first(events, DOC_LIST);
    struct timeline t = { .span = timeline_span(events) };
    bool several = first && doc_whole(events->last, "attempt") != doc_whole(first, "attempt");

    if (!first || !instant(first, &t.begin))
        t.begin = 0;
    t.now = t.begin;
    for (const struct doc *e = first; e; e = e->next) {
        struct str id = line_short(doc_text(e, "ledger_id"));

        t.id_width = id.n > t.id_width ? id.n : t.id_width;
    }
    for (const struct doc *e = first; e; e = e->next) {
        t.event = e;
        t.now = moment(e, t.now);
        t.until = e->next ? moment(e->next, t.now) : t.now;
        show_turn(&t, several);
        show_event(&t);
    }
}
