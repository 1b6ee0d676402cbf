/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c: `writ tools`: the tools that are allowed here, and whether they are there. */
#include <writ/adapters.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/pretty.h"
#include "cli/print.h"

enum { GAP = 2, MARK = 4, NOTE_MAX = 4096, LINE_BYTES = 1 << 20 };

enum cell { ID, NAME, INSTALLED, VERSION, STATUS, CELLS };

static const char *const keys[CELLS] = { "tool_id", "name", "installed", "version", "status" };

static bool is_true(const struct doc *tool, const char *key)
{
    const struct doc *d = doc_get(tool, key);

    return d && d->kind == DOC_BOOL && d->truth;
}

static bool is_false(const struct doc *tool, const char *key)
{
    const struct doc *d = doc_get(tool, key);

    return d && d->kind == DOC_BOOL && !d->truth;
}

static bool has_command(const struct doc *tool)
{
    const struct doc *all = doc_get(doc_get(tool, "scope"), "commands");

    return all && all->count;
}

static bool is_missing(const struct doc *tool)
{
    return has_command(tool) && !doc_text(tool, "installed").n;
}

static struct str cell_text(const struct doc *tool, enum cell c)
{
    struct str text = doc_text(tool, keys[c]);

    return text.n ? text : str_of("-");
}

/* ---- what to see to ---- */

static void add_note(struct buf *notes, const char *text)
{
    buf_addf(notes, "%s%s", notes->len ? "; " : "", text);
}

static void find_notes(const struct doc *tool, struct buf *notes)
{
    struct str review = doc_text(tool, "next_review");

    if (is_false(tool, "fits"))
        add_note(notes, "another version than is allowed");
    if (doc_get(tool, "unasked"))
        add_note(notes, "not asked: no sandbox can be built here, see writ doctor");
    else if (is_missing(tool))
        add_note(notes, "not found, or it does not say its version");
    if (is_true(tool, "overdue")) {
        add_note(notes, "review overdue since ");
        buf_addf(notes, "%.*s", STR_ARG(review));
    }
}

static void show_mark(const struct doc *tool, bool noted)
{
    struct str status = doc_text(tool, "status");

    if (str_is(status, "blocked"))
        out(RED, "  ✗ ");
    else if (noted || str_is(status, "deprecated"))
        out(YELLOW, "  ! ");
    else
        out(GREEN, "  ✓ ");
}

/* ---- a person, and a pipe ---- */

static void show_row(const struct doc *tool, const size_t *widths)
{
    _buf_ struct buf notes = { .max = NOTE_MAX };
    enum colour status = str_is(doc_text(tool, "status"), "active") ? DIM : YELLOW;
    const enum colour colours[CELLS] = { BOLD, PLAIN, CYAN, DIM, status };

    find_notes(tool, &notes);
    show_mark(tool, notes.len > 0);
    for (enum cell c = 0; c < CELLS; c++)
        out_cell(colours[c], cell_text(tool, c), widths[c] + GAP);
    for (const struct doc *d = doc_get(tool, "adapters")->first; d; d = d->next)
        out(DIM, "%.*s%s", STR_ARG(d->text), d->next ? " " : "");
    out(PLAIN, "\n");
    if (notes.len) {
        out(PLAIN, "%*s", (int)(MARK + widths[ID] + GAP), "");
        out_folded(YELLOW, buf_str(&notes), MARK + widths[ID] + GAP);
    }
}

static void show_line(const struct doc *tool)
{
    _buf_ struct buf line = { .max = LINE_BYTES }, notes = { .max = NOTE_MAX };

    find_notes(tool, &notes);
    for (enum cell c = 0; c < CELLS; c++) {
        print_safe(&line, cell_text(tool, c));
        buf_addc(&line, '\t');
    }
    for (const struct doc *d = doc_get(tool, "adapters")->first; d; d = d->next) {
        print_safe(&line, d->text);
        buf_adds(&line, d->next ? "," : "");
    }
    buf_addf(&line, "\t%s\n", buf_str(&notes).s);
    out_text(buf_str(&line));
}

static void show_registry(const struct doc *answer)
{
    struct str file = doc_text(answer, "registry"), allowlist = doc_text(answer, "allowlist");

    if (file.n)
        out(DIM, "%.*s  allowlist %.*s\n", STR_ARG(file), STR_ARG(allowlist));
    else
        out(DIM, "there is no .writ/tools.yaml: these hold for the adapters that ship\n");
}

static void show_tools(const struct doc *answer)
{
    const struct doc *tools = doc_get(answer, "tools");
    size_t widths[CELLS] = { 0 };

    for (const struct doc *t = tools->first; t; t = t->next)
        for (enum cell c = 0; c < CELLS; c++) {
            size_t width = print_columns(cell_text(t, c));

            widths[c] = width > widths[c] ? width : widths[c];
        }
    if (print_person())
        show_registry(answer);
    for (const struct doc *t = tools->first; t; t = t->next)
        if (print_person())
            show_row(t, widths);
        else
            show_line(t);
}

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    const char *tool = args->count ? args->operands[0] : NULL;
    bool json = args_get(args, "json");
    char *answer;
    int status = writ_tools(tool, args_get(args, "fresh"), args->environment, &answer);
    const struct doc *d;

    if (json || (status != WRIT_OK && status != WRIT_WRONG))
        return keeper_tell(answer, status, json);
    d = answer_read(answer, &a);
    if (status == WRIT_WRONG)
        (void)answer_problems(d, false);
    else if (tool)
        pretty_show(doc_get(d, "tools")->first, 0);
    else
        show_tools(d);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_tools = {
    .name = "tools",
    .operands = "[TOOL]",
    .summary = "the tools that are allowed here",
    .about = "Lists the tools of the registry that holds here: the nearest .writ/tools.yaml from "
             "the repository's top upwards, or the one that ships where there is none. Shows "
             "which version is installed and whether it is one that is allowed, what is blocked "
             "or deprecated, and whose review is overdue. A tool is asked for its version in the "
             "sandbox, offline, and its answer is remembered for an hour. In a pipe a line has "
             "tabs between tool_id, name, installed, version, status, adapters and what needs "
             "attention.",
    .examples = { { "writ tools",         "all of them" },
                  { "writ tools TL-003",  "one, with its scope and approval" },
                  { "writ tools --fresh", "ask for the versions again" },
                  { "writ init",          "a registry to begin with" } },
    .options = { { "fresh", NULL, NULL, "look for installed versions again" },
                 { "json",  NULL, NULL, "one JSON object" } },
    .least = 0,
    .most = 1,
    .run = run,
};
/* clang-format on */
