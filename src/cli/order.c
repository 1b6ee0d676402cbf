/* SPDX-License-Identifier: Apache-2.0 */
/* order.c: shows the steps of a plan in the order they would be started in. */
#include "cli/order.h"

#include <inttypes.h>

#include "cli/print.h"
#include "cli/units.h"

enum { INDENT = 2, GAP = 2, NAME_MOST = 32, LINE_MAX_BYTES = 1 << 20 };

static size_t widest(const struct doc *steps, const char *key, size_t most)
{
    size_t width = 0;

    for (const struct doc *s = steps->first; s; s = s->next) {
        size_t n = print_columns(doc_text(s, key));

        width = n > width ? n : width;
    }
    return width < most ? width : most;
}

static size_t digits(int64_t n)
{
    size_t count = 1;

    while (n /= 10)
        count++;
    return count;
}

/* "audit  7 steps · 5 m 00 s for all · one at a time" */
static void show_head(const struct doc *answer, const struct doc *steps)
{
    int64_t jobs = doc_whole(answer, "jobs");
    char limit[UNITS_TEXT];

    units_time(doc_whole(answer, "timeout_ms"), limit);
    out(BOLD, "%.*s", STR_ARG(doc_text(answer, "name")));
    out(DIM, "  %u step%s · %s for all · ", steps->count, steps->count == 1 ? "" : "s", limit);
    if (jobs > 1)
        out(DIM, "up to %" PRId64 " at a time\n", jobs);
    else
        out(DIM, "one at a time\n");
}

/* "offline", or how much of the network is open. */
static void say_network(const struct doc *network, struct buf *to)
{
    const struct doc *enabled = doc_get(network, "enabled");
    struct str level = doc_text(network, "level");

    if (!enabled || !enabled->truth)
        buf_adds(to, "offline");
    else
        buf_addf(to, "network %.*s", STR_ARG(level.n ? level : str_of("api")));
}

static const struct doc *lane_of(const struct doc *step)
{
    const struct doc *lane = doc_get(step, "lane");

    return lane && lane->kind == DOC_MAP ? lane : NULL;
}

/* A wrapper's walls are not ours. */
static bool is_wrapped(const struct doc *lane)
{
    const struct doc *held = lane ? doc_get(lane, "sandboxed") : NULL;

    return held && held->kind == DOC_BOOL && !held->truth;
}

/* "30.0 s, 512 MB, 1 core, files standard, offline · "; what is no command has a time alone, and
 * nothing where it is the plan's. */
static void say_limits(const struct doc *step, int64_t plan_ms, struct buf *to)
{
    const struct doc *limits = doc_get(step, "limits");
    bool command = limits && limits->kind == DOC_MAP;
    int64_t time_ms = doc_whole(step, "timeout_ms");
    char time[UNITS_TEXT];

    if (!command && time_ms >= plan_ms)
        return;
    units_time(time_ms, time);
    buf_adds(to, time);
    if (is_wrapped(lane_of(step))) {
        buf_adds(to, ", no other limit: it runs outside of the sandbox");
    } else if (command) {
        const struct doc *files = doc_get(limits, "filesystem");
        int64_t cores = doc_whole(limits, "cpu_cores");

        buf_addf(to, ", %" PRId64 " MB, %" PRId64 " core%s, files %.*s%s, ",
                 doc_whole(limits, "memory_mb"), cores, cores == 1 ? "" : "s",
                 STR_ARG(doc_text(files, "level")),
                 str_is(doc_text(files, "write_mode"), "cow") ? " (cow: not on the disk)" : "");
        say_network(doc_get(limits, "network"), to);
    }
    buf_adds(to, " · ");
}

static void say_failure(const struct doc *step, struct buf *to)
{
    int64_t attempts = doc_whole(step, "attempts");

    buf_addf(to, "on failure: %.*s", STR_ARG(doc_text(step, "on_failure")));
    if (attempts > 1)
        buf_addf(to, ", up to %" PRId64 " attempts", attempts);
}

static bool is_refused(const struct doc *d)
{
    const struct doc *refused = doc_get(d, "refused");

    return refused && refused->kind == DOC_MAP;
}

static void show_line(enum colour colour, size_t column, const struct buf *text)
{
    out(PLAIN, "%*s", (int)column, "");
    out_folded(colour, buf_str(text), column);
}

/* "class generic on worker box, route remote_ssh; local_direct if it cannot be reached" */
static void show_lane(const struct doc *lane, size_t column)
{
    _buf_ struct buf text = { .max = LINE_MAX_BYTES };
    struct str route = doc_text(lane, "route"), worker = doc_text(lane, "worker"),
               otherwise = doc_text(lane, "otherwise"), gone = doc_text(lane, "unavailable"),
               step = doc_text(lane, "step");

    if (step.n)
        buf_addf(&text, "%.*s: ", STR_ARG(step));
    buf_addf(&text, "class %.*s", STR_ARG(doc_text(lane, "class")));
    if (worker.n)
        buf_addf(&text, " on worker %.*s", STR_ARG(worker));
    buf_addf(&text, ", route %.*s", STR_ARG(route));
    if (otherwise.n)
        buf_addf(&text, "; %.*s if it cannot be reached", STR_ARG(otherwise));
    if (gone.n)
        buf_addf(&text, ": %.*s", STR_ARG(gone));
    if (step.n && is_wrapped(lane))
        buf_adds(&text, ": outside of the sandbox, with no limit but its time");
    show_line(gone.n || is_wrapped(lane) ? YELLOW : DIM, column, &text);
}

/* Its own, or those of an inner plan's steps. */
static void show_lanes(const struct doc *step, size_t column)
{
    const struct doc *lanes = doc_get(step, "lane");

    if (lane_of(step))
        show_lane(lane_of(step), column);
    for (const struct doc *lane = doc_first(lanes, DOC_LIST); lane; lane = lane->next)
        show_lane(lane, column);
}

/* What the registry will say to it. */
static void show_refusal(const struct doc *step, size_t column)
{
    const struct doc *refused = doc_get(step, "refused");
    const struct doc *sure = refused ? doc_get(refused, "sure") : NULL;
    bool unsure = sure && sure->kind == DOC_BOOL && !sure->truth;
    _buf_ struct buf text = { .max = LINE_MAX_BYTES };

    if (is_refused(step)) {
        buf_addf(&text, "%s: %.*s [%.*s]", unsure ? "as things are, refused" : "will be refused",
                 STR_ARG(doc_text(refused, "message")), STR_ARG(doc_text(refused, "code")));
        show_line(unsure ? YELLOW : RED, column, &text);
    }
    for (const struct doc *w = doc_first(doc_get(step, "warnings"), DOC_LIST); w; w = w->next)
        if (w->kind == DOC_TEXT) {
            out(PLAIN, "%*s", (int)column, "");
            out_folded(YELLOW, w->text, column);
        }
}

/* What becomes of the plan, where that is known already. */
static void show_verdict(const struct doc *answer, const struct doc *steps)
{
    const struct doc *refused = doc_get(answer, "refused");
    size_t n = 0;
    _buf_ struct buf text = { .max = LINE_MAX_BYTES };

    for (const struct doc *s = steps->first; s; s = s->next)
        n += is_refused(s);
    if (n)
        out(YELLOW, "%zu of %u step%s would be refused as things are\n", n, steps->count,
            steps->count == 1 ? "" : "s");
    if (!is_refused(answer))
        return;
    buf_addf(&text, "the plan would be refused before anything runs: %.*s [%.*s]",
             STR_ARG(doc_text(refused, "message")), STR_ARG(doc_text(refused, "code")));
    out_folded(RED, buf_str(&text), 0);
}

/* width: of the names; plan_ms: the time of them all. */
static void show_step(const struct doc *step, int64_t number, size_t number_width, size_t width,
                      int64_t plan_ms)
{
    _buf_ struct buf does = { .max = LINE_MAX_BYTES }, how = { .max = LINE_MAX_BYTES },
                     why = { .max = LINE_MAX_BYTES };
    struct str about = doc_text(step, "about"), action = doc_text(step, "action");
    size_t column = INDENT + number_width + GAP;

    buf_addf(&does, "%.*s%s%.*s", STR_ARG(action), about.n ? "  " : "", STR_ARG(about));
    out(DIM, "%*s%*" PRId64 "%*s", INDENT, "", (int)number_width, number, GAP, "");
    out_cell(BOLD, doc_text(step, "name"), width);
    out(PLAIN, "%*s", GAP, "");
    column += width + GAP;
    out_cut(PLAIN, buf_str(&does), print_room(column));
    out(PLAIN, "\n");
    say_limits(step, plan_ms, &how);
    say_failure(step, &how);
    show_line(DIM, column, &how);
    show_lanes(step, column);
    buf_addf(&why, "%.*s", STR_ARG(doc_text(step, "why")));
    show_line(DIM, column, &why);
    show_refusal(step, column);
}

void order_show(const struct doc *answer)
{
    const struct doc *steps = doc_get(answer, "steps");
    size_t width = widest(steps, "name", print_person() ? NAME_MOST : NO_EDGE);
    int64_t number = 1;

    show_head(answer, steps);
    for (const struct doc *s = steps->first; s; s = s->next)
        show_step(s, number++, digits(steps->count), width, doc_whole(answer, "timeout_ms"));
    show_verdict(answer, steps);
}
