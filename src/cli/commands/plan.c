/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: `writ plan show` and `writ plan graph`: a plan before anything of it runs. */
#include <string.h>

#include <writ/plans.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/keeper.h"
#include "cli/pretty.h"
#include "cli/print.h"

/* ---- show ---- */

static int run_show(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    struct writ_input input = { .name = args->operands[0] };
    struct writ_plan plan = { .plan = &input };
    bool json = args_get(args, "json");
    char *answer;
    int status = writ_plan_show(&plan, &answer);

    if (status != WRIT_OK || json || !print_person())
        return keeper_tell(answer, status, status == WRIT_OK || json);
    pretty_show(answer_read(answer, &a), 0);
    writ_free(answer);
    return status;
}

/* ---- graph ---- */

static const struct {
    const char *name;
    void (*write)(const struct graph *g, struct buf *to); /* NULL: it is for people */
} formats[] = {
    { "text", NULL },
    { "dot", graph_dot },
    { "mermaid", graph_mermaid },
    { "json", graph_json },
};

static size_t format_named(const char *name)
{
    size_t i = 0;

    while (i < COUNT(formats) && strcmp(formats[i].name, name) != 0)
        i++;
    return i;
}

/* A pipe gets it as it is; on a terminal nothing in it steers. */
static void out_lines(struct str text)
{
    if (!print_person()) {
        out_text(text);
        return;
    }
    while (text.n > 0) {
        const char *end = memchr(text.s, '\n', text.n);
        size_t n = end ? (size_t)(end - text.s) : text.n;

        out_line("%.*s", (int)n, text.s);
        n += end != NULL;
        text = (struct str){ text.s + n, text.n - n };
    }
}

static void draw(const char *answer, size_t format)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = SIZE_MAX / 2 };
    struct graph g = graph_of(answer_read(answer, &a), &a);

    if (!formats[format].write) {
        graph_show(&g);
        return;
    }
    formats[format].write(&g, &text);
    out_lines(buf_str(&text));
}

static int run_graph(const struct args *args)
{
    struct writ_input input = { .name = args->operands[0] };
    struct writ_plan plan = { .plan = &input };
    bool json = args_get(args, "json");
    const char *typed = args_get(args, "format"), *wanted = json ? "json" : formats[0].name;
    size_t format = format_named(typed ? typed : wanted);
    char *answer;
    int status;

    if (format == COUNT(formats)) {
        say("there is no format '%s'; there are dot, json, mermaid and text", typed);
        return WRIT_USAGE;
    }
    if (json && format != format_named("json")) {
        say("--json is a format of its own: give it or --format %s, not both", typed);
        return WRIT_USAGE;
    }
    status = writ_plan_show(&plan, &answer);
    if (status != WRIT_OK)
        return keeper_tell(answer, status, json || format == format_named("json"));
    draw(answer, format);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_plan = {
    .name = "plan",
    .operands = "VERB",
    .summary = "a plan before it runs: what it says, what waits for what",
    .about = "A plan is steps in order. People write it as a template, with names for ids and "
             "defaults left out: `writ explain template` has its fields, writ-plan(5) tells how. "
             "These verbs show what a template comes to; nothing runs. `writ run` runs it.",
    .examples = { { "writ plan graph audit.yaml",  "what waits for what" },
                  { "writ plan show audit.yaml",   "the plan that would run, as JSON" } },
};

const struct command cmd_plan_show = {
    .name = "plan show",
    .operands = "PLAN",
    .summary = "the plan that would run, as JSON",
    .about = "Prints a plan as it is, and a template as the plan it comes to: new ids for names, "
             "which are kept in metadata.writ.names, a time, and defaults for what was left out. "
             "`-` is standard input. Exit 65 when the document is wrong.",
    .examples = { { "writ plan show audit.yaml",               "for people on a terminal, one line in a pipe" },
                  { "writ plan show audit.yaml >plan.json",    "a plan of its own, to be run once" } },
    .options = { { "json", NULL, NULL, "one line of JSON on a terminal, too" } },
    .least = 1,
    .most = 1,
    .run = run_show,
};

const struct command cmd_plan_graph = {
    .name = "plan graph",
    .operands = "PLAN",
    .summary = "draw what waits for what: a tree, or text for Graphviz or Mermaid",
    .about = "Draws the steps of a plan or a template. In the tree a step stands below the step "
             "it waits for that is completed last; the other steps it waits for are named behind "
             "it; ↓ marks a step that follows the one above it. Dashed boxes, in the drawings, "
             "are steps that may fail without ending the plan.",
    .examples = { { "writ plan graph audit.yaml",                                "a tree" },
                  { "writ plan graph audit.yaml --format dot | dot -Tsvg >a.svg", "a picture, by Graphviz" },
                  { "writ plan graph audit.yaml --format mermaid",               "for a page that draws Mermaid" } },
    .options = { { "format", "FORMAT", NULL, "text, the default, dot, mermaid or json", .words = "text dot mermaid json" },
                 { "json",   NULL,     NULL, "the steps, and what each waits for, as one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run_graph,
};
/* clang-format on */
