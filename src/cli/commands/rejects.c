/* SPDX-License-Identifier: Apache-2.0 */
/* rejects.c: `writ ledger rejects`: what the ledger refused, and why. */
#include <inttypes.h>
#include <limits.h>

#include <writ/writ.h>

#include "base/num.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/entry_line.h"
#include "cli/keeper.h"
#include "cli/print.h"

enum { NEWEST = 20, INDENT = 6 };

struct rejects {
    bool json, any;
    char day[LINE_DAY];
};

static bool is_erased(const struct doc *d)
{
    const struct doc *erased = doc_get(d, "erased");

    return erased && erased->kind == DOC_BOOL && erased->truth;
}

/* Two lines each: what it was, and why not. In a pipe one line, with all there is. */
static void show(struct rejects *all, const struct doc *d)
{
    _buf_ struct buf why = { .max = 1 << 16 };
    struct str at = doc_text(d, "recordedAt"), pointer = doc_text(d, "pointer");
    struct str subject = line_short(doc_text(d, "subject"));
    bool person = print_person();

    if (person)
        line_new_day(line_day(at), all->day);
    out(DIM, "%4" PRId64 "  ", doc_whole(d, "seq"));
    out(PLAIN, "%.*s  ", STR_ARG(person ? line_clock(at) : at));
    out(RED, "%.*s", STR_ARG(doc_text(d, "code")));
    if (subject.n) {
        out(PLAIN, "  ");
        out_cut(CYAN, subject, person ? LINE_ID : SIZE_MAX);
    }
    out(DIM, "  %" PRId64 " bytes", doc_whole(d, "bytes"));
    if (pointer.n)
        buf_addf(&why, "%.*s: ", STR_ARG(pointer));
    if (is_erased(d))
        buf_adds(&why, "what it was, and why not, was erased with the entry of its execution");
    buf_addf(&why, "%.*s", STR_ARG(doc_text(d, "message")));
    if (!person) {
        out(PLAIN, "  %s\n", why.s);
        return;
    }
    out(PLAIN, "\n");
    out(PLAIN, "%*s", INDENT, "");
    out_folded(PLAIN, buf_str(&why), INDENT);
}

static bool take_line(void *self, const char *text, size_t len)
{
    _arena_ struct arena a = { 0 };
    struct rejects *all = self;
    const struct doc *line;

    all->any = true;
    if (all->json) {
        out_json_line((struct str){ text, len });
        return true;
    }
    line = answer_line((struct str){ text, len }, &a);
    if (!keeper_trouble(line))
        show(all, line);
    return true;
}

static int run(const struct args *args)
{
    struct rejects all = { .json = args_get(args, "json") };
    _ledger_ struct writ_ledger *ledger = NULL;
    const char *typed = args_get(args, "limit");
    int64_t newest = NEWEST;
    int status;

    if (typed && (!num_int(str_of(typed), &newest) || newest < 0 || newest > LONG_MAX)) {
        say("--limit is a whole number, 0 for all; '%s' is none", typed);
        return WRIT_USAGE;
    }
    ledger = keeper_open(args, KEEP_READ, &status);
    if (!ledger)
        return status;
    status = writ_rejects(ledger, newest ? (long)newest : LONG_MAX, take_line, &all);
    if (status == WRIT_OK && !all.any && !all.json)
        say("nothing was refused");
    return status;
}

/* clang-format off */
const struct command cmd_ledger_rejects = {
    .name = "ledger rejects",
    .operands = "",
    .summary = "what was refused, and why",
    .about = "An event that breaks a rule of the contract is never recorded as one. It is kept as a "
             "refusal, an entry of its own, with the code and the place of what was wrong, oldest "
             "first. `writ explain CODE` has what to do next.",
    .examples = { { "writ ledger rejects",                     "the newest 20" },
                  { "writ ledger rejects --limit 0 --json",    "all of them, with their text" } },
    .options = { { "limit",  "N",      NULL, "the newest so many, else 20; 0: all" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "one JSON object a line, with the text that was refused" } },
    .least = 0,
    .most = 0,
    .run = run,
};
/* clang-format on */
