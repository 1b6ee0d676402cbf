/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c: `writ ledger append`, `input` and `erase`: what is done to the ledger by hand. */
#include <inttypes.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/entry_line.h"
#include "cli/keeper.h"
#include "cli/print.h"

/* ---- append ---- */

enum outcome { APPENDED, DUPLICATE, REFUSED, OUTCOMES };

static const struct {
    const char *status, *mark;
    enum colour colour;
} outcomes[OUTCOMES] = {
    [APPENDED] = { "appended", "✓", GREEN },
    [DUPLICATE] = { "duplicate", "·", DIM },
    [REFUSED] = { "refused", "✗", RED },
};

struct appending {
    bool json;  /* answers are JSON: that was asked for, or a program reads them */
    bool asked; /* it was asked for: then also that there is none */
    int64_t counts[OUTCOMES];
    bool lost; /* an answer did not get out */
};

enum { BESIDE = 6 };

/* "/payload/attempt: attempt is 0, allowed 1 or more [VALIDATION_ERROR]" */
static void show_problem(const struct doc *p, size_t column)
{
    _buf_ struct buf text = { .max = 1 << 16 };
    struct str pointer = doc_text(p, "pointer");

    if (pointer.n)
        buf_addf(&text, "%.*s: ", STR_ARG(pointer));
    buf_addf(&text, "%.*s [%.*s]", STR_ARG(doc_text(p, "message")), STR_ARG(doc_text(p, "code")));
    out_folded(PLAIN, buf_str(&text), column);
}

static void show_problems(const struct doc *list, const char *before, size_t column)
{
    for (const struct doc *p = doc_first(list, DOC_LIST); p; p = p->next) {
        out(YELLOW, "%*s%s", (int)column, "", before);
        show_problem(p, column + str_of(before).n);
    }
}

static void show_appended(const struct doc *line, enum outcome outcome)
{
    int64_t n = doc_whole(line, "line");
    struct str state = doc_text(line, "state");

    out(outcomes[outcome].colour, "  %s %-9s", outcomes[outcome].mark, outcomes[outcome].status);
    out(DIM, outcome == REFUSED ? "  line %" PRId64 : "  line %-4" PRId64, n);
    if (outcome != REFUSED) {
        out(CYAN, "  %.*s", STR_ARG(line_short(doc_text(line, "ledger_id"))));
        out(PLAIN, "  ");
        out_cut(PLAIN, line_short(doc_text(line, "execution")), LINE_ID);
        out(PLAIN, "  ");
        out(line_colour(state), "%.*s", STR_ARG(state));
        out(YELLOW, "%s\n", doc_get(line, "draft") ? "  draft" : "");
    } else {
        out(PLAIN, "\n");
        show_problems(doc_get(line, "problems"), "", BESIDE);
    }
    show_problems(doc_get(line, "warnings"), "warning: ", BESIDE);
}

static bool take_appended(void *self, const char *text, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct appending *all = self;
    const struct doc *line = answer_line((struct str){ text, len }, &a);
    struct str status = doc_text(line, "status");

    if (!all->asked && keeper_trouble(line))
        return true; /* told on standard error: it answers no event */
    if (all->json)
        out_json_line((struct str){ text, len });
    for (enum outcome i = 0; i < OUTCOMES && !all->json; i++)
        if (str_is(status, outcomes[i].status)) {
            all->counts[i]++;
            show_appended(line, i);
        }
    all->lost |= !print_flush(); /* an answer is worth most at once */
    return true;
}

static void show_counts(const struct appending *all)
{
    bool more = false;

    for (enum outcome i = 0; i < OUTCOMES; i++) {
        if (all->counts[i] == 0)
            continue;
        out(outcomes[i].colour, "%s%" PRId64 " %s", more ? ", " : "", all->counts[i],
            outcomes[i].status);
        more = true;
    }
    if (more)
        out(PLAIN, "\n");
}

static int run_append(const struct args *args)
{
    bool json = args_get(args, "json");
    struct appending all = { .json = json || !print_person(), .asked = json };
    struct writ_input input = { .name = args->operands[0] };
    _ledger_ struct writ_ledger *ledger = NULL;
    int status;

    ledger = keeper_open(args, KEEP_BEGIN, &status);
    if (!ledger)
        return status;
    status = writ_ledger_append(ledger, &input, args_get(args, "policy"), take_appended, &all);
    if (!all.json)
        show_counts(&all);
    return status;
}

/* ---- input ---- */

static void show_input(const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);
    bool known = str_is(doc_text(d, "status"), outcomes[DUPLICATE].status);

    out(PLAIN, "%.*s", STR_ARG(doc_text(d, "ledger_id")));
    if (print_person()) {
        out(known ? DIM : GREEN, "  %.*s", STR_ARG(doc_text(d, "status")));
        out(PLAIN, "  %.*s", STR_ARG(doc_text(d, "subject")));
    }
    out(PLAIN, "\n");
}

static int run_input(const struct args *args)
{
    struct writ_input input = { .name = args->operands[0] };
    _ledger_ struct writ_ledger *ledger = NULL;
    bool json = args_get(args, "json");
    char *answer;
    int status;

    ledger = keeper_open(args, KEEP_BEGIN, &status);
    if (!ledger)
        return status;
    status = writ_ledger_input(ledger, &input, args_get(args, "subject"), args_get(args, "tenant"),
                               &answer);
    if (status != WRIT_OK || json)
        return keeper_tell(answer, status, json);
    show_input(answer);
    writ_free(answer);
    return status;
}

/* ---- erase ---- */

static void show_erased(const char *answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = 1 << 12 };
    const struct doc *d = answer_read(answer, &a);

    buf_addf(&text,
             "the body of %.*s is gone for good; its leaf and every proof stay; that, and why, %s "
             "recorded as %.*s",
             STR_ARG(line_short(doc_text(d, "erased"))), doc_get(d, "again") ? "was before" : "is",
             STR_ARG(line_short(doc_text(d, "ledger_id"))));
    out(GREEN, "erased");
    out(PLAIN, "  ");
    out_folded(PLAIN, buf_str(&text), sizeof "erased" + 1);
}

static int run_erase(const struct args *args)
{
    _ledger_ struct writ_ledger *ledger = NULL;
    const char *reason = args_get(args, "reason");
    bool json = args_get(args, "json");
    char *answer;
    int status;

    if (!reason || !*reason) {
        say("erase needs --reason: what is gone cannot tell why");
        say("try: writ ledger erase --help");
        return WRIT_USAGE;
    }
    ledger = keeper_open(args, KEEP_WRITE, &status);
    if (!ledger)
        return status;
    status = writ_ledger_erase(ledger, args->operands[0], reason, &answer);
    if (status != WRIT_OK || json)
        return keeper_tell(answer, status, json);
    show_erased(answer);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_ledger = {
    .name = "ledger",
    .operands = "VERB",
    .summary = "append events, enter documents, erase a body, see what was refused",
    .about = "The ledger is a list of entries that only grows, with a hash tree over it: nothing in "
             "it can be changed or taken away unnoticed. `writ exec` records into it by itself; these "
             "verbs are for other programs and for its keeper. `writ log` and `writ show` read it, "
             "`writ verify` tells whether it is what it was.",
    .examples = { { "writ ledger append events.jsonl",    "execution events, one a line" },
                  { "writ ledger rejects",                "what was refused, and why" } },
};

const struct command cmd_ledger_append = {
    .name = "ledger append",
    .operands = "FILE",
    .summary = "execution events into the ledger, each answered",
    .about = "Reads one event or JSON lines; `-` is standard input. Every event is held against "
             "contract 002 (`writ explain event`) and answered in the order they came: appended, "
             "duplicate, or refused with every reason. In a pipe an answer is one JSON object a "
             "line, printed when the event is on the disk; why there is no answer is said on standard "
             "error, or with --json as {\"code\":..,\"message\":..}. Exit 0 when none was refused, 1 "
             "when one was, 65 when the file cannot be read, 74 when one could not be recorded.",
    .examples = { { "writ ledger append event.json",                  "one event" },
                  { "writ ledger append - <events.jsonl",             "many, from a pipe" },
                  { "writ ledger append --policy draft_only e.json",  "let what rests on part of its inputs run as a draft" } },
    .options = { { "policy", "POLICY", NULL, "what to do where inputs are partial: block (the default) or draft_only", .words = "block draft_only" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "one JSON object a line on a terminal, too" } },
    .least = 1,
    .most = 1,
    .run = run_append,
};

const struct command cmd_ledger_input = {
    .name = "ledger input",
    .operands = "FILE",
    .summary = "a document that events can depend on; prints its id",
    .about = "Enters a YAML or JSON document, so that the lineage of an event can name it. The same "
             "document about the same subject is entered once and keeps its id; a newer one makes "
             "what rests on the older stale.",
    .examples = { { "writ ledger input plan.yaml",                    "prints led-.. for dependsOnLedgerIds" },
                  { "writ ledger input p.yaml --subject plan:audit",  "under a name of its own" } },
    .options = { { "subject", "SUBJECT", NULL, "what it is about, else the file's name" },
                 { "tenant",  "TENANT",  NULL, "whose it is, else local" },
                 { "ledger",  "LEDGER",  NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",    NULL,      NULL, "id, seq, subject and digest as one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run_input,
};

const struct command cmd_ledger_erase = {
    .name = "ledger erase",
    .operands = "ID",
    .summary = "remove the body of an entry for good; proofs stay",
    .about = "For what must not be kept: a secret, a person's data. The entry, its time, its "
             "digests and its leaf stay, so `writ verify` and every proof still hold. That it was "
             "erased, when and why becomes an entry itself. What was refused of the same tenant "
             "and subject (an event: its execution) loses its text, too: `writ ledger rejects` "
             "has what is left, and what was no event at all, which belongs to nobody. This "
             "cannot be undone. Erasing again finishes an erasure that was interrupted before the "
             "last copy was gone, and adds no entry.",
    .examples = { { "writ ledger erase led-.. --reason 'a password in it'", "the whole id, as writ show has it; why is recorded" } },
    .options = { { "reason", "REASON", NULL, "why; it is needed, and recorded" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "what was erased as one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run_erase,
};
/* clang-format on */
