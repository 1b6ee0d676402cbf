/* SPDX-License-Identifier: Apache-2.0 */
/* executors.c: `writ executors` and `writ executors add`: the pure functions there are. */
#include <inttypes.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"
#include "cli/request.h"
#include "cli/units.h"

enum { VERSION = 8, KIND = 9 }; /* columns */

/* ---- which there are ---- */

static size_t widest(const struct doc *list, const char *key)
{
    size_t width = 0;

    for (const struct doc *x = list->first; x; x = x->next) {
        size_t n = print_columns(doc_text(x, key));

        width = n > width ? n : width;
    }
    return width;
}

/* What one call may use, and what it can: "1 s, 1 MB, depth 64, lists of 1000  COMPARE". */
static void show_limits(const struct doc *x, size_t column)
{
    const struct doc *limits = doc_get(x, "limits");
    _buf_ struct buf text = { .max = 1 << 12 };
    char time[UNITS_TEXT], bytes[UNITS_TEXT];

    units_time(doc_whole(limits, "timeout_ms"), time);
    units_bytes(doc_whole(limits, "max_payload_bytes"), bytes);
    buf_addf(&text, "%s, %s, depth %" PRId64 ", lists of %" PRId64, time, bytes,
             doc_whole(limits, "max_depth"), doc_whole(limits, "max_list_items"));
    for (const struct doc *c = doc_get(x, "capabilities")->first; c; c = c->next)
        buf_addf(&text, "  %.*s", STR_ARG(c->text));
    out_folded(DIM, buf_str(&text), column);
}

static void show_executor(const struct doc *x, size_t width)
{
    struct str about = doc_text(x, "about");
    size_t column = 2 + width + 2;

    out(PLAIN, "  ");
    out_cell(BOLD, doc_text(x, "executor_id"), width + 2);
    out_cell(PLAIN, doc_text(x, "version"), VERSION);
    out_cell(CYAN, doc_text(x, "kind"), KIND);
    show_limits(x, column + VERSION + KIND);
    if (about.n) {
        out(PLAIN, "%*s", (int)column, "");
        out_folded(PLAIN, about, column);
    }
}

/* It is not called any more; whoever put it there puts it there again. */
static void show_damage(const struct doc *x, size_t width)
{
    out(PLAIN, "  ");
    out_cell(BOLD, doc_text(x, "executor_id"), width + 2);
    out_cell(PLAIN, doc_text(x, "version"), VERSION);
    out_cell(RED, str_of("damaged"), KIND);
    out_folded(PLAIN, doc_text(x, "message"), 2 + width + 2 + VERSION + KIND);
}

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    char *answer;
    int status = writ_executors(args->environment, &answer);
    const struct doc *told = answer_read(answer, &a), *list = doc_get(told, "executors");

    if (!list)
        return keeper_tell(answer, status, args_get(args, "json"));
    if (args_get(args, "json")) {
        out_json(answer);
    } else {
        for (const struct doc *x = list->first; x; x = x->next)
            show_executor(x, widest(list, "executor_id"));
        for (const struct doc *x = doc_get(told, "damaged")->first; x; x = x->next)
            show_damage(x, widest(list, "executor_id"));
    }
    writ_free(answer);
    return status;
}

const struct command cmd_executors = {
    .name = "executors",
    .operands = "",
    .summary = "the pure functions there are",
    .about = "Lists the executors that ship and those that were added, with their version, kind, "
             "what one call may use and their capabilities. Exit 0, or 77 where one is not what "
             "was put there: it is told last, and is not called.",
    .examples = { { "writ executors", "all of them" },
                  { "writ executors add word_count.yaml",
                    "register one more, through the review gate" },
                  { "writ explain review", "what the gate checks" } },
    .options = { { "json", NULL, NULL, "one JSON object" } },
    .least = 0,
    .most = 0,
    .run = run,
};

/* ---- one more ---- */

static void show_review(const struct doc *d)
{
    const struct doc *checks = doc_get(d, "checks");
    size_t width = widest(checks, "check");
    bool accepted = doc_get(d, "accepted")->truth;

    for (const struct doc *c = checks->first; c; c = c->next) {
        bool ok = doc_get(c, "ok")->truth;

        out(ok ? GREEN : RED, "  %s ", ok ? "✓" : "✗");
        out_cell(PLAIN, doc_text(c, "check"), width + 2);
        out_folded(PLAIN, doc_text(c, "detail"), 4 + width + 2);
    }
    out(accepted ? GREEN : RED, accepted ? "accepted" : "refused");
    out(BOLD, "  %.*s", STR_ARG(doc_text(d, "executor_id")));
    out(PLAIN, " %.*s", STR_ARG(doc_text(d, "version")));
    out(DIM, "  %.*s\n", STR_ARG(doc_text(d, "ledger_id")));
}

static int run_add(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    struct writ_input manifest = { .name = args->operands[0] };
    bool json = args_get(args, "json");
    const char *weak[WEAK_MAX + 1];
    const struct doc *d;
    char *answer;
    int status;

    request_weak(args, weak);
    status =
        writ_executor_add(&manifest, args->environment, args_get(args, "ledger"), weak, &answer);
    d = answer_read(answer, &a);
    if (json || !doc_get(d, "checks"))
        return keeper_tell(answer, status, json);
    show_review(d);
    writ_free(answer);
    return status;
}

const struct command cmd_executors_add = {
    .name = "executors add",
    .operands = "MANIFEST",
    .summary = "register an executor, through the review gate",
    .about =
        "Reads the manifest and the program it names (wasm or jq), checks both, runs every fixture "
        "in two workers in opposite orders and compares the digests. An executor that is accepted "
        "is entered in the ledger and cannot change any more: the next one has a higher version. "
        "Exit 0 when it is accepted, 65 when the manifest is wrong, 77 when it is refused.",
    .examples = { { "writ executors add word_count.yaml", "what was checked, and the verdict" },
                  { "writ explain executor", "what a manifest may say" } },
    .options = { { "ledger", "LEDGER", NULL,
                   "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "allow-weak", "LAYER", "layers",
                   "compile wasm without a layer that this machine lacks", .many = true },
                 { "json", NULL, NULL, "one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run_add,
};
