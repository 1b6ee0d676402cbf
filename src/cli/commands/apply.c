/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: `writ apply`: calls a pure function under its contract. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <writ/writ.h>

#include "base/json_write.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/pretty.h"
#include "cli/print.h"
#include "cli/units.h"

static const struct {
    const char *status, *mark;
    enum colour colour;
} marks[] = {
    { "SUCCESS", "✓", GREEN },
    { "FAILED", "✗", RED },
    { "BLOCKED", "✗", YELLOW },
};

struct applied {
    bool json, output, lost;
};

/* The result as the contract has it; what the caller asked for besides comes last. Who has
 * nothing on stderr reads there why it did not succeed. */
static void print_result(const struct doc *line, bool output, bool why)
{
    _buf_ struct buf json = { .max = SIZE_MAX / 2 };

    json_open(&json, '{');
    for (const struct doc *m = doc_get(line, "result")->first; m; m = m->next) {
        json_text(&json, m->key);
        buf_addc(&json, ':');
        json_doc(&json, m);
    }
    if (output) {
        json_key(&json, "output");
        json_doc(&json, doc_get(line, "output"));
    }
    if (why) {
        json_key(&json, "detail");
        json_doc(&json, doc_get(line, "detail"));
        json_key(&json, "words");
        json_doc(&json, doc_get(line, "words"));
    }
    json_close(&json, '}');
    out_json(json.s);
}

static void show_digest(const char *name, const struct doc *digest)
{
    out(DIM, "    %-7s", name);
    if (digest && digest->kind == DOC_TEXT)
        out(PLAIN, "%.*s\n", STR_ARG(digest->text));
    else
        out(DIM, "none\n");
}

static void show_result(const struct doc *line, bool output)
{
    const struct doc *result = doc_get(line, "result");
    struct str status = doc_text(result, "status");
    char took[UNITS_TEXT];

    units_time(doc_whole(result, "duration_ms"), took);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (str_is(status, marks[i].status))
            out(marks[i].colour, "  %s %s", marks[i].mark, marks[i].status);
    out(BOLD, "  %.*s", STR_ARG(doc_text(result, "executor_id")));
    out(PLAIN, " %.*s", STR_ARG(doc_text(result, "executor_version")));
    out(DIM, "  %s\n", took);
    show_digest("input", doc_get(result, "input_digest"));
    show_digest("output", doc_get(result, "output_digest"));
    show_digest("trace", doc_get(result, "trace_id"));
    if (output && doc_text(result, "output_digest").n)
        pretty_show(doc_get(line, "output"), sizeof "   ");
}

/* Why a call did not succeed, on stderr: stdout has the result. */
static void say_why(const struct doc *line, bool output)
{
    _buf_ struct buf reasons = { .max = 1 << 10 };
    struct str detail = doc_text(line, "detail"), words = doc_text(line, "words");
    int64_t number = doc_whole(line, "line");
    char place[32] = "";

    for (const struct doc *r = doc_get(doc_get(line, "result"), "reason_codes")->first; r;
         r = r->next)
        buf_addf(&reasons, "%s%.*s", reasons.len ? ", " : "", STR_ARG(r->text));
    if (reasons.len == 0)
        return;
    if (number)
        (void)snprintf(place, sizeof place, "line %" PRId64 ": ", number);
    say("%s%.*s [%s]", place, STR_ARG(detail.n ? detail : str_of("it did not succeed")), reasons.s);
    if (words.n)
        err(PLAIN, "      %.*s\n", STR_ARG(words));
    else if (!output && strstr(reasons.s, "EXECUTOR_EXCEPTION"))
        err(DIM, "      --output shows what the executor says about it\n");
}

static bool take(void *self, const char *text, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct applied *x = self;
    const struct doc *line = answer_line((struct str){ text, len }, &a);

    if (!doc_get(line, "result")) {
        if (x->json)
            out_json_line((struct str){ text, len });
        else
            (void)keeper_trouble(line);
        return true;
    }
    if (x->json || !print_person())
        print_result(line, x->output, x->json && x->output);
    else
        show_result(line, x->output);
    if (!x->json)
        say_why(line, x->output);
    arena_wipe(&a);
    x->lost |= !print_flush();
    return !x->lost;
}

static int run(const struct args *args)
{
    const char *file = args_get(args, "payload");
    struct writ_input payload = { .name = file ? file : "-" };
    struct applied x = { .json = args_get(args, "json"), .output = args_get(args, "output") };
    struct writ_action action = {
        .executor = args->operands[0],
        .version = args_get(args, "version"),
        .payload = &payload,
        .trace_id = args_get(args, "trace-id"),
        .environment = args->environment,
        .ledger = args_get(args, "ledger"),
        .lines = args_get(args, "lines"),
        .output = x.output,
    };

    if (!file && isatty(STDIN_FILENO)) /* nobody types JSON: it is called without a payload */
        payload = (struct writ_input){ .name = "payload", .text = "null", .len = 4 };
    if (action.lines && action.trace_id) {
        say("--trace-id names one call, and --lines makes many");
        return WRIT_USAGE;
    }
    return writ_apply(&action, take, &x);
}

/* clang-format off */
const struct command cmd_apply = {
    .name = "apply",
    .operands = "EXECUTOR",
    .summary = "call a pure function; only digests are recorded",
    .about = "Gives the payload to an executor that can do nothing but compute, and prints the "
             "outcome: status, reason codes, the digests of payload and output. The call is in "
             "the ledger before it is made, its outcome afterwards; neither payload nor output is "
             "ever stored. Without --payload standard input is read; where that is a terminal, "
             "the payload is null. Exit 0 when it succeeded, 1 when it failed, 77 when it was "
             "blocked, 74 when it could not be recorded and so did not run.",
    .examples = { { "echo '{\"path\":\"$..id\",\"document\":{\"id\":7}}' | writ apply json_select --output", "the result, and the output in it" },
                  { "writ apply text_digest --payload text.json",            "the same payload has the same digests, everywhere" },
                  { "writ apply semver_compare --payload pairs.jsonl --lines", "a call for each line" } },
    .options = { { "payload",  "FILE",   NULL, "JSON; - is standard input" },
                 { "output",   NULL,     NULL, "also show the output, and with --json why there is none; it is not stored" },
                 { "lines",    NULL,     NULL, "the payload is JSON lines: a call for each" },
                 { "trace-id", "UUID",   NULL, "names the call; a new one when left out" },
                 { "version",  "X.Y.Z",  NULL, "the version that is wanted; else the newest" },
                 { "ledger",   "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",     NULL,     NULL, "the result as one JSON object a line, nothing on stderr" } },
    .table = "executors",
    .least = 1,
    .most = 1,
    .run = run,
};
/* clang-format on */
