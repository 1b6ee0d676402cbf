/* SPDX-License-Identifier: Apache-2.0 */
/* adapters.c: `writ adapters`: the tools that can be called, a line each.
 *
 * There may be ten thousand: they come one by one, columns are measured over a few hundred at a
 * time and never get narrower again. In a pipe there are no columns but tabs.
 */
#include <writ/adapters.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/pretty.h"
#include "cli/print.h"

enum { ROWS = 256, GAP = 2, LINE_MAX_BYTES = 1 << 20 };

enum cell { ID, NAME, TOOL, TYPE, ORIGIN, FILE_NAME, CELLS };

static const char *const keys[CELLS] = {
    "adapter_id", "name", "tool_id", "type", "origin", "file"
};
/* What stands before each in a line that has no others. */
static const char *const before[CELLS] = { "{\"adapter_id\":\"", "\",\"name\":\"",
                                           "\",\"tool_id\":\"",  "\",\"type\":\"",
                                           "\",\"origin\":\"",   "\",\"file\":\"" };
static const enum colour colours[CELLS] = { BOLD, PLAIN, PLAIN, CYAN, DIM, DIM };

struct row {
    struct str cells[CELLS];
    const char *note;
};

struct listing {
    struct arena arena; /* of the rows */
    struct row rows[ROWS];
    size_t n, shown;
    size_t widths[CELLS];
    struct buf line;
    bool json, whole;
};

/* ---- columns ---- */

/* What keeps it from being called. */
static const char *note_of(const struct doc *entry)
{
    if (doc_get(entry, "twice"))
        return "its id is given twice";
    return doc_get(entry, "shadowed") ? "shadowed by a nearer one" : NULL;
}

static void show_row(const struct listing *l, const struct row *row)
{
    size_t column = GAP;

    out(PLAIN, "%*s", GAP, "");
    for (enum cell c = 0; c < FILE_NAME; c++) {
        out_cell(row->note ? DIM : colours[c], row->cells[c], l->widths[c] + GAP);
        column += l->widths[c] + GAP;
    }
    if (row->note)
        out(YELLOW, "%s\n", row->note);
    else
        out_cut(DIM, row->cells[FILE_NAME], print_room(column));
    if (!row->note)
        out(PLAIN, "\n");
}

static void show_rows(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++) {
        for (enum cell c = 0; c < CELLS; c++) {
            size_t width = print_columns(l->rows[i].cells[c]);

            l->widths[c] = width > l->widths[c] ? width : l->widths[c];
        }
    }
    for (size_t i = 0; i < l->n; i++)
        show_row(l, &l->rows[i]);
    l->n = 0;
    arena_reset(&l->arena);
}

static void keep_row(struct listing *l, const struct str cells[CELLS], const char *note)
{
    struct row *row = &l->rows[l->n++];

    for (enum cell c = 0; c < CELLS; c++)
        row->cells[c] = (struct str){ arena_text(&l->arena, cells[c]), cells[c].n };
    row->note = note;
    if (l->n == ROWS)
        show_rows(l);
}

/* ---- a pipe, and whole adapters ---- */

/* `visible`: nothing in it steers a terminal. */
static void show_line(struct listing *l, const struct str cells[CELLS], bool visible,
                      const char *note)
{
    buf_reset(&l->line);
    for (enum cell c = 0; c < CELLS; c++) {
        if (c > 0)
            buf_addc(&l->line, '\t');
        if (visible)
            buf_add(&l->line, cells[c].s, cells[c].n);
        else
            print_safe(&l->line, cells[c]);
    }
    if (note)
        buf_addf(&l->line, "\t%s", note);
    buf_addc(&l->line, '\n');
    out_text(buf_str(&l->line));
}

/* The members of an ordinary line, in the order they are written. False: it is another one, and
 * must be read. */
static bool pick_cells(struct str line, struct str cells[CELLS])
{
    const char *at = line.s, *end = line.s + line.n;

    for (enum cell c = 0; c < CELLS; c++) {
        struct str begin = str_of(before[c]);
        const char *quote;

        if ((size_t)(end - at) < begin.n || memcmp(at, begin.s, begin.n) != 0)
            return false;
        at += begin.n;
        quote = memchr(at, '"', (size_t)(end - at));
        if (!quote)
            return false;
        cells[c] = (struct str){ at, (size_t)(quote - at) };
        at = quote;
    }
    return end - at == 2 && at[1] == '}' && str_visible(line) && !memchr(line.s, '\\', line.n);
}

/* As `writ call` takes them. */
static void show_operations(const struct doc *entry)
{
    const struct doc *c = doc_first(doc_get(entry, "operations"), DOC_LIST);

    if (!c)
        out(YELLOW, "%*sno operation is named; scope.operations of %.*s in .writ/tools.yaml does\n",
            GAP, "", STR_ARG(doc_text(entry, "tool_id")));
    for (; c; c = c->next)
        out(CYAN, "%*swrit call %.*s.%.*s\n", GAP, "", STR_ARG(doc_text(entry, "name")),
            STR_ARG(c->text));
}

static void show_whole(struct listing *l, const struct doc *entry)
{
    const char *note = note_of(entry);

    if (l->shown > 1)
        out(PLAIN, "\n");
    out(BOLD, "%.*s", STR_ARG(doc_text(entry, "adapter_id")));
    out(PLAIN, "  %.*s", STR_ARG(doc_text(entry, "name")));
    out(DIM, "  %.*s  %.*s", STR_ARG(doc_text(entry, "origin")), STR_ARG(doc_text(entry, "file")));
    out(YELLOW, "%s%s\n", note ? "  " : "", note ? note : "");
    show_operations(entry);
    pretty_show(doc_get(entry, "adapter"), GAP);
}

static void show_entry(struct listing *l, const struct doc *entry)
{
    struct str cells[CELLS];

    for (enum cell c = 0; c < CELLS; c++)
        cells[c] = doc_text(entry, keys[c]);
    if (print_person())
        keep_row(l, cells, note_of(entry));
    else
        show_line(l, cells, false, note_of(entry));
}

static bool tell_fault(const struct doc *entry)
{
    struct str file;

    if (!doc_get(entry, "fault"))
        return false;
    file = doc_text(entry, "file");
    if (doc_whole(entry, "problems"))
        say("%.*s: %.*s; it cannot be called, `writ check %.*s` tells all that is wrong",
            STR_ARG(file), STR_ARG(doc_text(entry, "fault")), STR_ARG(file));
    else
        say("%.*s: %.*s", STR_ARG(file), STR_ARG(doc_text(entry, "fault")));
    return true;
}

static bool take_line(void *self, const char *line, size_t len)
{
    struct listing *l = self;
    _arena_ struct arena a = { 0 };
    struct str cells[CELLS];
    const struct doc *entry;

    if (l->json) {
        out_json_line((struct str){ line, len });
        return true;
    }
    if (!l->whole && !print_person() && pick_cells((struct str){ line, len }, cells)) {
        show_line(l, cells, true, NULL);
        l->shown++;
        return true;
    }
    entry = answer_line((struct str){ line, len }, &a);
    if (keeper_trouble(entry) || tell_fault(entry))
        return true;
    l->shown++;
    if (l->whole)
        show_whole(l, entry);
    else
        show_entry(l, entry);
    return true;
}

static int run(const struct args *args)
{
    static struct listing l;
    const char *level = args_get(args, "level"), *tool = args_get(args, "tool");
    int status;

    l = (struct listing){ .json = args_get(args, "json"),
                          .line = { .max = LINE_MAX_BYTES },
                          .whole = level && strcmp(level, "L0") != 0 };
    status = writ_adapters(args->count ? args->operands[0] : NULL, tool, level, args->environment,
                           take_line, &l);
    show_rows(&l);
    if (status == WRIT_OK && !l.shown && !l.json && tool)
        say("no adapter is for the tool '%s'", tool);
    buf_free(&l.line);
    arena_free(&l.arena);
    return status;
}

/* clang-format off */
const struct command cmd_adapters = {
    .name = "adapters",
    .operands = "[ADAPTER]",
    .summary = "the tools that can be called, and how",
    .about = "Lists the adapters of the project (.writ/adapters), of the user (adapters in the "
             "configuration directory) and those that ship; of one adapter_id the nearest holds. "
             "L0 lists them, L1 adds the names of their operations, L2 what a call needs, L3 all "
             "of it. In a pipe a line has tabs between adapter_id, name, tool_id, type, origin and "
             "file. Files that are no adapters are named on stderr.",
    .examples = { { "writ adapters",                    "all of them, a line each" },
                  { "writ adapters git --level L1",     "one, with its operations" },
                  { "writ adapters --tool TL-003",      "those for a tool of the registry" },
                  { "writ adapters ADP-001 --level L3", "everything about one" } },
    .options = { { "level", "LEVEL", NULL, "how much is shown: L0 (the default), L1, L2, L3", .words = "L0 L1 L2 L3" },
                 { "tool",  "TOOL",  NULL, "only those for this tool_id" },
                 { "json",  NULL,    NULL, "one JSON object a line" } },
    .least = 0,
    .most = 1,
    .run = run,
};
/* clang-format on */
