/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c: `writ diff`: what a run wrote beside the disk. */
#include <writ/changes.h>

#include "cli/answer.h"
#include "cli/change_lines.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"

/* The part of the diff that is about a change: at its place in the whole; of chosen paths the parts
 * follow each other as the changes do. */
static struct str next_part(const struct doc *change, struct str diff, bool whole, size_t *at)
{
    const struct doc *place = doc_get(change, "diff");
    size_t n = place && place->kind == DOC_MAP ? (size_t)doc_whole(place, "bytes") : 0;
    size_t from = n && whole ? (size_t)doc_whole(place, "at") : *at;

    if (from > diff.n || n > diff.n - from)
        return (struct str){ diff.s, 0 };
    *at = from + n;
    return (struct str){ diff.s + from, n };
}

static void show_stat(const struct doc *d, bool whole)
{
    struct str diff = doc_text(d, "diff");
    const struct doc *list = doc_get(d, "changes");
    char words[CHANGE_WORDS];
    size_t at = 0;

    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next)
        change_show(c, diff.n ? next_part(c, diff, whole, &at) : diff);
    change_words(list, words);
    out(PLAIN, "%s\n", words);
}

/* What a diff cannot say: said beside it. */
static void say_rest(const struct doc *d, bool stat)
{
    const struct doc *diff = doc_get(d, "diff"), *cut = doc_get(d, "diff_truncated");
    int64_t without = 0;

    for (const struct doc *c = doc_first(doc_get(d, "changes"), DOC_LIST); c; c = c->next)
        without += !doc_get(c, "diff");
    if (diff && diff->kind == DOC_NULL)
        say("%.*s%s", STR_ARG(doc_text(d, "message")), stat ? "" : "; --stat lists what changed");
    else if (cut && cut->truth)
        say("the diff is cut: it would be too long; --stat lists what changed");
    else if (without && !stat && print_person())
        err(DIM, "      %lld more without a text, such as directories: --stat lists them\n",
            (long long)without);
    if (doc_text(d, "truncated").n)
        say("not all changes are listed: %.*s", STR_ARG(doc_text(d, "truncated")));
}

/* The list is there also where the bytes of the diff are gone: who asks for it has it. */
static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    struct writ_changes ask = { .run = args->operands[0],
                                .paths = args->operands + 1,
                                .environment = args->environment,
                                .ledger = args_get(args, "ledger") };
    bool json = args_get(args, "json"), stat = args_get(args, "stat");
    char *answer;
    int status = writ_diff(&ask, &answer);
    const struct doc *d = answer_read(answer, &a);

    if (json || !doc_get(d, "changes"))
        return keeper_tell(answer, status, json);
    if (stat)
        show_stat(d, !args->operands[1]);
    else
        change_show_diff(doc_text(d, "diff"));
    say_rest(d, stat);
    writ_free(answer);
    return stat ? WRIT_OK : status;
}

/* clang-format off */
const struct command cmd_diff = {
    .name = "diff",
    .operands = "RUN [PATH...]",
    .summary = "show the changes of a run in write mode cow, as a diff",
    .about = "Shows what a run of `writ exec --write-mode cow` wrote instead of changing the "
             "disk: a unified diff of all that is text, as it was made when the run ended. In a "
             "pipe it is what `git apply` and `patch -p1` read, with paths from the top of the "
             "writable directory. A file of which it only says that it differs is not applied by "
             "them, and `git apply` may then refuse the whole diff: name the other paths, or use "
             "`writ commit`. With a PATH only what is at or below it is shown. RUN is an "
             "execution id; 8 characters are enough when nothing else begins with them.",
    .examples = { { "writ diff 8d2f61aa",             "all of it" },
                  { "writ diff 8d2f61aa src",         "what it did below src" },
                  { "writ diff --stat 8d2f61aa",      "one change a line" },
                  { "writ diff 8d2f61aa | patch -p1", "what writ commit does, without its checks" } },
    .options = { { "stat",   NULL,     NULL, "one change a line: what, and how many lines" },
                 { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "the list of changes and the diff as one JSON object" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .run = run,
};
/* clang-format on */
