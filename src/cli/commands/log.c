/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: `writ log`: the entries of the ledger, a line each.
 *
 * Entries come one by one and there may be millions: columns are measured over a few hundred at a
 * time and never get narrower again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <writ/writ.h>

#include "base/world.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/entry_line.h"
#include "cli/keeper.h"
#include "cli/query.h"
#include "cli/units.h"

enum {
    NEWEST = 20,
    ROWS = 256,
    GAP = 2,
    WHAT_MAX = 1 << 20,
    CELL_PLAIN = 60,
    WHAT_LEAST = 12,
    BELOW = 4,
    LINE_CALL = 128
};

enum cell { SEQ, WHEN, ID, STATE, WHAT, TOOK, MEMORY, CELLS };

static const char *const titles[WHAT + 1] = { "seq", "when", "id", "state", "what" };

struct row {
    struct str cells[CELLS];
    struct str day;
};

struct log {
    struct arena arena; /* of the rows */
    struct row rows[ROWS];
    size_t n;
    size_t widths[CELLS];
    char day[LINE_DAY];                         /* of the last row shown */
    struct str execution;                       /* of the last row kept */
    char called[LINE_CALL], subject[LINE_CALL]; /* by the last request that says so, and its id */
    bool json, begun;
};

/* ---- showing rows ---- */

static bool has_figures(const struct row *row)
{
    return row->cells[TOOK].n || row->cells[MEMORY].n;
}

/* How much of a column a cell asks for. Of the words only those count that figures stand behind,
 * and in a pipe, where nothing is cut, a long one does not push all others away; nor does a long
 * id, which has up to 128 KiB. */
static size_t wanted(const struct row *row, enum cell c)
{
    size_t width = print_columns(row->cells[c]), most = SIZE_MAX;

    if (c == WHAT && !has_figures(row))
        return 0;
    if (c == ID)
        most = print_person() ? LINE_ID : CELL_PLAIN;
    if (c == WHAT && !print_person())
        most = CELL_PLAIN;
    return width < most ? width : most;
}

static void measure(struct log *log)
{
    for (size_t i = 0; i < log->n; i++) {
        for (enum cell c = 0; c < CELLS; c++) {
            size_t width = wanted(&log->rows[i], c);

            log->widths[c] = width > log->widths[c] ? width : log->widths[c];
        }
    }
}

/* Where a column begins. */
static size_t column_of(const struct log *log, enum cell cell)
{
    size_t column = 0;

    for (enum cell c = 0; c < cell; c++)
        column += log->widths[c] + GAP;
    return column;
}

/* In its column, as far as the terminal goes; in a pipe a long id is whole all the same. */
static void show_cell(const struct log *log, enum cell c, enum colour colour, struct str text)
{
    size_t room = print_room(column_of(log, c)), width = log->widths[c];

    if (print_person() || print_columns(text) <= width)
        out_cell(colour, text, width < room ? width : room);
    else
        out_cut(colour, text, SIZE_MAX);
    out(PLAIN, "%*s", GAP, "");
}

static void show_titles(struct log *log)
{
    for (enum cell c = 0; c <= WHAT; c++)
        if (log->widths[c] < str_of(titles[c]).n && c != WHAT)
            log->widths[c] = str_of(titles[c]).n;
    out(DIM, "%*s%*s", (int)log->widths[SEQ], titles[SEQ], GAP, "");
    for (enum cell c = WHEN; c < WHAT; c++)
        show_cell(log, c, DIM, str_of(titles[c]));
    out_cut(DIM, str_of(titles[WHAT]), print_room(column_of(log, WHAT)));
    out(PLAIN, "\n");
    log->begun = true;
}

static void show_figures(const struct log *log, const struct row *row)
{
    out(PLAIN, "%*s%*.*s", GAP, "", (int)log->widths[TOOK], STR_ARG(row->cells[TOOK]));
    if (row->cells[MEMORY].n)
        out(DIM, "%*s%*.*s", GAP, "", (int)log->widths[MEMORY], STR_ARG(row->cells[MEMORY]));
}

/* What it was, as far as the terminal goes; figures stand below each other. Why something failed
 * is worth more than how long it took. */
static void show_what(const struct log *log, const struct row *row)
{
    bool quiet = str_is(row->cells[STATE], "running") || line_colour(row->cells[STATE]) == DIM;
    enum colour colour = quiet ? DIM : PLAIN;
    size_t column = column_of(log, WHAT), room = print_room(column), width;
    size_t figures = log->widths[TOOK] + log->widths[MEMORY] + 2 * GAP;
    struct str what = row->cells[WHAT];

    if (room < WHAT_LEAST) { /* a few letters tell nothing: it has the line below */
        out(PLAIN, what.n ? "\n" : "");
        out(PLAIN, "%*s", what.n ? BELOW : 0, "");
        out_cut(colour, what, print_room(BELOW));
        return;
    }
    if (!has_figures(row)) {
        out_cut(colour, what, room);
        return;
    }
    room = room > figures ? room - figures : 0;
    width = log->widths[WHAT] < room ? log->widths[WHAT] : room;
    if (print_columns(what) > width &&
        (!print_person() || width < WHAT_LEAST || str_is(row->cells[STATE], "failed"))) {
        out_cut(colour, what, print_room(column));
        width = 0;
    } else {
        out_cell(colour, what, width);
    }
    if (width || !print_person())
        show_figures(log, row);
}

static void show_row(struct log *log, const struct row *row)
{
    struct str state = row->cells[STATE];

    if (print_person())
        line_new_day(row->day, log->day);
    out(DIM, "%*.*s%*s", (int)log->widths[SEQ], STR_ARG(row->cells[SEQ]), GAP, "");
    show_cell(log, WHEN, PLAIN, row->cells[WHEN]);
    show_cell(log, ID, CYAN, row->cells[ID]);
    show_cell(log, STATE, line_colour(state), state);
    show_what(log, row);
    out(PLAIN, "\n");
}

static void show_rows(struct log *log)
{
    measure(log);
    if (!log->begun && log->n)
        show_titles(log);
    for (size_t i = 0; i < log->n; i++)
        show_row(log, &log->rows[i]);
    log->n = 0;
    log->execution = str_of("");
    arena_reset(&log->arena);
}

/* ---- keeping rows ---- */

static struct str keep(struct log *log, struct str text)
{
    return (struct str){ arena_text(&log->arena, text), text.n };
}

static struct str keep_figure(struct log *log, int64_t n, void (*write)(int64_t, char *))
{
    char text[UNITS_TEXT] = "";

    if (n >= 0)
        write(n, text);
    return keep(log, str_of(text));
}

/* What an event's execution calls is in its request, which comes before it. */
static struct str call_of(struct log *log, const struct doc *entry)
{
    _buf_ struct buf call = { .max = LINE_CALL - 1 };
    struct str subject = doc_text(entry, "subject");

    if (line_is_event(entry))
        return str_of(str_is(subject, log->subject) ? log->called : "");
    if (subject.n < LINE_CALL && line_call(doc_get(entry, "body"), &call) && buf_ok(&call)) {
        (void)snprintf(log->called, LINE_CALL, "%.*s", STR_ARG(buf_str(&call)));
        (void)snprintf(log->subject, LINE_CALL, "%.*s", STR_ARG(subject));
    }
    return str_of("");
}

static void keep_row(struct log *log, const struct doc *entry)
{
    _buf_ struct buf what = { .max = WHAT_MAX };
    struct row *row = &log->rows[log->n++];
    struct str at = doc_text(entry, "recordedAt"), subject = doc_text(entry, "subject");
    struct str call = call_of(log, entry);
    bool event = line_is_event(entry), again = event && str_eq(subject, log->execution);

    /* What an execution is about need not be said twice in a row. */
    again = again && str_is(doc_text(entry, "state"), "running") &&
            doc_whole(entry, "attempt") <= 1 && !doc_get(entry, "alive");
    if (!again || !print_person())
        line_what_called(entry, call, &what);
    row->cells[SEQ] = str_of(arena_printf(&log->arena, "%" PRId64, doc_whole(entry, "seq")));
    row->cells[WHEN] = keep(log, print_person() ? line_clock(at) : at);
    row->cells[ID] = keep(log, line_name(entry));
    row->cells[STATE] = keep(log, line_state(entry));
    row->cells[WHAT] = keep(log, buf_str(&what));
    row->cells[TOOK] = keep_figure(log, event ? line_took(entry) : -1, units_time);
    row->cells[MEMORY] = keep_figure(log, event ? line_memory(entry) : -1, units_bytes);
    row->day = keep(log, line_day(at));
    log->execution = event ? keep(log, subject) : str_of("");
}

static bool take_line(void *self, const char *line, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct log *log = self;
    struct str text = { line, len };
    const struct doc *entry;

    if (log->json) {
        out_json_line(text);
        return true;
    }
    entry = answer_line(text, &a);
    if (keeper_trouble(entry))
        return true;
    keep_row(log, entry);
    if (log->n == ROWS)
        show_rows(log);
    return true;
}

/* Of ids that begin like this none is looked for. */
static bool is_short(const char *execution)
{
    enum { NEEDED = 8 };

    return execution && strlen(execution) < NEEDED;
}

static int run(const struct args *args)
{
    static struct log log;
    _buf_ struct buf query = { .max = 1 << 20 };
    _ledger_ struct writ_ledger *ledger = NULL;
    const struct world *world = world_real();
    bool live = args_get(args, "live");
    int status;

    if (!query_write(args, live ? 0 : NEWEST, world->wall_ms(world->self), &query))
        return WRIT_USAGE;
    ledger = keeper_open(args, KEEP_READ, &status);
    if (!ledger)
        return status;
    log = (struct log){ .json = args_get(args, "json") };
    status = writ_log(ledger, query.s, take_line, &log);
    show_rows(&log);
    if (status == WRIT_OK && !log.begun && !log.json)
        say("%s%s", live ? "nothing like that runs now" : "no entry is like that",
            is_short(args_get(args, "execution"))
                ? "; the beginning of an execution's id needs 8 characters"
                : "");
    arena_free(&log.arena);
    return status;
}

/* clang-format off */
const struct command cmd_log = {
    .name = "log",
    .operands = "",
    .summary = "what was run and recorded, a line each",
    .about = "Shows the entries of the ledger, oldest first, as they were recorded: which "
             "execution, what it came to, how long it took. Times are UTC. On a terminal ids are "
             "as short as `writ show` needs them; in a pipe they are whole and nothing is cut. "
             "With --live it shows the entries of what runs at present: commands, plans and their "
             "steps.",
    .examples = { { "writ log",                            "the newest 20 entries" },
                  { "writ log --state failed --since 2h",  "what failed in the last two hours" },
                  { "writ log --execution 8d2f61aa",       "one execution, from plan to end" },
                  { "writ log --live",                     "what runs now, and since when" },
                  { "writ log --limit 0 --json",           "every entry with its body, a JSON object a line" } },
    .options = { QUERY_OPTIONS,
                 { "live",   NULL,     NULL, "what runs now on this machine; all of it, without --limit" },
                 { "limit",  "N",      NULL, "the newest so many, else 20; 0: all" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "one JSON object a line" } },
    .least = 0,
    .most = 0,
    .greets = true,
    .run = run,
};
/* clang-format on */
