/* SPDX-License-Identifier: Apache-2.0 */
/* golden.c: `writ golden record`, `check` and `diff`: what calls must come to. */
#include <inttypes.h>
#include <string.h>

#include <writ/adapters.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/keeper.h"
#include "cli/print.h"
#include "cli/request.h"
#include "cli/stops.h"

enum { NAME_WIDTH = 20 };

struct goldens {
    bool json, diffs;
    int64_t all, same, differ; /* the rest could not be called */
    bool trouble;              /* it was not even begun */
};

/* "ADP-001.search"; nothing of a file that does not say so. */
static void show_call(const struct doc *d)
{
    if (doc_text(d, "adapter_id").n)
        out(CYAN, "%.*s.%.*s", STR_ARG(doc_text(d, "adapter_id")),
            STR_ARG(doc_text(d, "operation")));
}

/* From the project's top on. */
static void show_file(struct str file)
{
    const char *from = memmem(file.s, file.n, "/.writ/", strlen("/.writ/"));
    size_t cut = from ? (size_t)(from + 1 - file.s) : 0;

    out(DIM, "  %.*s", (int)(file.n - cut), file.s + cut);
}

/* A line of a diff has the colour of its sign. */
static void show_diff(struct str diff)
{
    while (diff.n) {
        const char *end = memchr(diff.s, '\n', diff.n);
        struct str line = { diff.s, end ? (size_t)(end - diff.s) : diff.n };
        enum colour colour = PLAIN;

        if (line.n && line.s[0] == '-')
            colour = RED;
        else if (line.n && line.s[0] == '+')
            colour = GREEN;
        else if (line.n && line.s[0] == '@')
            colour = CYAN;
        out(colour, "    %.*s\n", STR_ARG(line));
        diff = (struct str){ line.s + line.n + !!end, diff.n - line.n - !!end };
    }
}

static void show(struct goldens *all, const struct doc *d)
{
    bool same = doc_get(d, "same")->truth, recorded = doc_get(d, "recorded")->truth;
    const struct doc *error = doc_get(d, "error");

    all->all++;
    all->same += same;
    all->differ += !same && str_is(doc_text(error, "code"), "GOLDEN_DIFFERS");
    if (same && all->diffs)
        return;
    out(same ? GREEN : RED, "  %s ", same ? "✓" : "✗");
    out_cell(BOLD, doc_text(d, "name"), NAME_WIDTH);
    out(PLAIN, " ");
    show_call(d);
    if (recorded)
        show_file(doc_text(d, "file"));
    if (!same)
        out(PLAIN, "  %.*s [%.*s]", STR_ARG(doc_text(error, "message")),
            STR_ARG(doc_text(error, "code")));
    else if (doc_text(d, "adapter_changed").n)
        out(PLAIN, "  the same, but %.*s", STR_ARG(doc_text(d, "adapter_changed")));
    out(PLAIN, "\n");
    show_diff(doc_text(d, "diff"));
    for (const struct doc *w = doc_first(doc_get(d, "warnings"), DOC_LIST); w; w = w->next)
        say("%.*s: %.*s", STR_ARG(doc_text(d, "name")), STR_ARG(w->text));
}

static bool take_line(void *self, const char *text, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct goldens *all = self;
    const struct doc *d;

    if (all->json) {
        out_json_line((struct str){ text, len });
        return true;
    }
    d = answer_line((struct str){ text, len }, &a);
    if (!doc_get(d, "name"))
        all->trouble = keeper_trouble(d);
    else
        show(all, d);
    return true;
}

static void show_sum(const struct goldens *all)
{
    if (all->json || all->trouble)
        return;
    if (all->all == 0)
        out(PLAIN, "no golden outputs here; writ golden record keeps one\n");
    else
        out(PLAIN, "%" PRId64 " of %" PRId64 " as recorded\n", all->same, all->all);
}

static struct writ_call call_of(const struct args *args, const char *weak[WEAK_MAX + 1])
{
    request_weak(args, weak);
    return (struct writ_call){ .environment = args->environment,
                               .ledger = args_get(args, "ledger"),
                               .approve = args_get(args, "approve"),
                               .weak = weak,
                               .cancel = stops_watch() };
}

/* ---- record ---- */

static int run_record(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    struct goldens all = { .json = args_get(args, "json") };
    const char *typed = args->operands[1], *dot = strrchr(typed, '.');
    const char *file = args_get(args, "params");
    struct writ_input params = { .name = file };
    const char *weak[WEAK_MAX + 1];
    struct writ_call call;

    if (file && !given_read(file, all.json, &a, &params))
        return WRIT_WRONG;
    call = call_of(args, weak);
    /* The last dot parts them; an adapter's name may have dots of its own. */
    if (dot && !dot[1])
        dot = NULL; /* there is no operation without a name */
    call.adapter = dot ? arena_text(&a, (struct str){ typed, (size_t)(dot - typed) }) : typed;
    call.operation = dot ? dot + 1 : NULL;
    call.params = file ? &params : NULL;
    call.set = args->operands + 2;
    return writ_golden("record", args->operands[0], args_get(args, "force"), &call, take_line,
                       &all);
}

/* clang-format off */
#define LEDGER { "ledger",  "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" }
#define WEAK { "allow-weak", "LAYER", "layers", "run without a layer that this machine lacks", .many = true }
#define APPROVE { "approve", "REASON", NULL, "allow what needs an approval, for this reason" }

const struct command cmd_golden_record = {
    .name = "golden record",
    .operands = "NAME ADAPTER[.OPERATION] [KEY=VALUE|KEY:=JSON]...",
    .summary = "call an operation and keep the result",
    .about = "Calls it as writ call does and writes the parameters, the output, the version of the adapter and, below the top of the project, the directory to .writ/golden/ADAPTER.OPERATION.NAME.json, to be reviewed and committed. "
             "Where parts of the output change from call to call, as the times that ripgrep tells, list their JSON Pointers under volatile in that file: they are not compared, and stay listed when it is recorded again. "
             "/rows/*/time means that member of every item of the list.",
    .examples = { { "writ golden record names jq.filter filter='map(.name)' input='[{\"name\":\"a\"}]'", "what the filter comes to now" },
                  { "writ golden record names jq.filter filter='map(.name)' input='[{\"name\":\"b\"}]' --force", "the new output is right" } },
    .options = { { "params",  "FILE",   NULL, "parameters from a YAML or JSON map; - is standard input" },
                 { "force",   NULL,     NULL, "replace one that is there" },
                 APPROVE,
                 WEAK,
                 LEDGER,
                 { "json",    NULL,     NULL, "one JSON object" } },
    .least = 2,
    .most = OPERANDS_MAX,
    .run = run_record,
};
/* clang-format on */

/* ---- check and diff ---- */

static int again(const struct args *args, const char *verb)
{
    struct goldens all = { .json = args_get(args, "json"), .diffs = strcmp(verb, "diff") == 0 };
    const char *weak[WEAK_MAX + 1];
    struct writ_call call = call_of(args, weak);
    int status =
        writ_golden(verb, args->count ? args->operands[0] : NULL, false, &call, take_line, &all);

    show_sum(&all);
    if (all.differ && !all.diffs && !all.json)
        err(DIM, "      writ golden diff shows what differs\n");
    return status;
}

static int run_check(const struct args *args)
{
    return again(args, "check");
}

static int run_diff(const struct args *args)
{
    return again(args, "diff");
}

/* clang-format off */
const struct command cmd_golden_check = {
    .name = "golden check",
    .operands = "[NAME]",
    .summary = "call again and compare with what was recorded",
    .about = "Makes the call of every golden output, or of those of that name, anew, in the directory of the project where it was recorded: nothing that is remembered is used. JSON is compared by value, text by byte. Exit 0 when all are as recorded, 1 when one differs or could not be called.",
    .examples = { { "writ golden check",       "all of them, for CI" },
                  { "writ golden check todos", "one of them" } },
    .options = { APPROVE, WEAK, LEDGER, { "json", NULL, NULL, "one JSON object a line" } },
    .least = 0,
    .most = 1,
    .run = run_check,
};

const struct command cmd_golden_diff = {
    .name = "golden diff",
    .operands = "[NAME]",
    .summary = "call again and show what differs",
    .about = "As writ golden check, and shows what differs: of JSON the pointer and the value, - as it was recorded and + as it is now; of text a unified diff.",
    .examples = { { "writ golden diff",       "of all of them" },
                  { "writ golden diff todos", "of one" } },
    .options = { APPROVE, WEAK, LEDGER, { "json", NULL, NULL, "one JSON object a line" } },
    .least = 0,
    .most = 1,
    .run = run_diff,
};

/* ---- the group ---- */

const struct command cmd_golden = {
    .name = "golden",
    .operands = "VERB",
    .summary = "the expected results of calls: record once, check ever after",
    .about = "A golden output is a file of the project, below .writ/golden: a call of an adapter "
             "and its result. It never expires and is changed only by recording it again.",
    .examples = { { "writ golden record names jq.filter filter='map(.name)' input='[{\"name\":\"a\"}]'", "keep the result of a call" },
                  { "writ golden check", "are all results still the same" },
                  { "writ golden diff",  "what differs" } },
};
/* clang-format on */
