/* SPDX-License-Identifier: Apache-2.0 */
/* commit.c: `writ commit` and `writ discard`: a run's changes to the disk, back, or given up.
 */
#include <inttypes.h>

#include <writ/changes.h>

#include "cli/answer.h"
#include "cli/change_lines.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"

enum { SHOWN = 20 };

#define LEDGER_OPTION                                                                             \
    {                                                                                             \
        "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" \
    }

/* Why nothing was done, path by path. */
static int tell_refused(const char *run, char *answer, int status)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);
    const struct doc *refused = doc_get(d, "refused");
    struct str conflict = { 0 };
    size_t n = 0;

    if (!doc_first(refused, DOC_LIST))
        return keeper_tell(answer, status, false);
    say("nothing was changed:");
    for (const struct doc *r = refused->first; r; r = r->next) {
        if (!conflict.n && str_is(doc_text(r, "code"), "CHANGE_CONFLICT"))
            conflict = doc_text(r, "path");
        if (n++ < SHOWN)
            err(PLAIN, "      %.*s: %.*s\n", STR_ARG(doc_text(r, "path")),
                STR_ARG(doc_text(r, "message")));
    }
    if (n > SHOWN)
        err(DIM, "      and %zu more\n", n - SHOWN);
    if (conflict.n)
        err(DIM, "      compare: writ diff %s %.*s shows what the run did to it\n", run,
            STR_ARG(conflict));
    if (doc_get(d, "begun"))
        err(DIM, "      it was begun before: writ commit --undo %s takes that back\n", run);
    writ_free(answer);
    return status;
}

/* What an undo did not take back, and why. */
static void show_left(const struct doc *left, bool dry)
{
    size_t n = 0;

    if (!doc_first(left, DOC_LIST))
        return;
    say(dry ? "would be left as it is:" : "left as it is:");
    for (const struct doc *r = left->first; r; r = r->next)
        if (n++ < SHOWN)
            err(PLAIN, "      %.*s: %.*s\n", STR_ARG(doc_text(r, "path")),
                STR_ARG(doc_text(r, "message")));
    if (n > SHOWN)
        err(DIM, "      and %zu more\n", n - SHOWN);
}

/* What a person has to know of some of the paths. */
static const struct remark {
    const char *member, *says;
} remarks[] = {
    { "narrowed", "its old owner or group could not be given back, so its permissions are fewer:" },
    { "runs_later", "by their names tools obey these, outside of any sandbox; look at them:" },
};

static void show_remark(const struct doc *done, const struct remark *remark)
{
    size_t n = 0;

    for (const struct doc *r = doc_first(done, DOC_LIST); r; r = r->next) {
        if (!doc_get(r, remark->member))
            continue;
        if (n == 0)
            say("%s", remark->says);
        if (n++ < SHOWN)
            err(PLAIN, "      %.*s\n", STR_ARG(doc_text(r, "path")));
    }
    if (n > SHOWN)
        err(DIM, "      and %zu more\n", n - SHOWN);
}

static void show_done(const struct doc *d, bool undo)
{
    const struct doc *done = doc_get(d, "done");
    int64_t already = doc_whole(d, "already");
    bool dry = doc_get(d, "dry_run")->truth;
    char words[CHANGE_WORDS];

    if (dry)
        for (const struct doc *c = doc_first(done, DOC_LIST); c; c = c->next)
            change_show(c, str_of(""));
    change_words(done, words);
    if (!doc_first(done, DOC_LIST))
        out(PLAIN, "nothing to be %s", undo ? "taken back" : "committed");
    else if (undo) /* the words are about the disk, not about what the run did */
        out(PLAIN, "%staken back: %s", dry ? "would be " : "", words);
    else
        out(PLAIN, "%s%s committed", words, dry ? " would be" : "");
    if (already)
        out(DIM, "; %" PRId64 " already %s", already, undo ? "back" : "there");
    out(PLAIN, "\n");
    for (size_t i = 0; i < COUNT(remarks); i++)
        show_remark(done, &remarks[i]);
    show_left(doc_get(d, "left"), dry);
}

static int run_commit(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    struct writ_changes ask = { .run = args->operands[0],
                                .paths = args->operands + 1,
                                .environment = args->environment,
                                .ledger = args_get(args, "ledger"),
                                .undo = args_get(args, "undo"),
                                .dry_run = args_get(args, "dry-run") };
    char *answer;
    int status = writ_commit(&ask, &answer);

    if (args_get(args, "json"))
        return keeper_tell(answer, status, true);
    if (status != WRIT_OK)
        return tell_refused(ask.run, answer, status);
    show_done(answer_read(answer, &a), ask.undo);
    writ_free(answer);
    return status;
}

static int run_discard(const struct args *args)
{
    struct writ_changes ask = { .run = args->operands[0],
                                .environment = args->environment,
                                .ledger = args_get(args, "ledger") };
    char *answer;
    int status = writ_discard(&ask, &answer);

    if (args_get(args, "json"))
        return keeper_tell(answer, status, true);
    if (status != WRIT_OK)
        return tell_refused(ask.run, answer, status);
    out(PLAIN, "discarded: none of it can be committed any more\n");
    out(DIM, "its bytes stay in the evidence store, as all evidence does\n");
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_commit = {
    .name = "commit",
    .operands = "RUN [PATH...]",
    .summary = "write the changes of a run in write mode cow to the disk",
    .about = "Writes the changes of a run of `writ exec --write-mode cow` to the disk, or those "
             "at and below each PATH. All of them are checked first; if one is refused, nothing "
             "is changed. Refused are protected names (AGENTS.md and others that people's "
             "own tools write, unless a PATH names them: `writ explain protected`), what git would run in a new repository or a "
             "deeper one unless a PATH names its .git, what the run's policy denies, what lies "
             "outside of its writable directories or behind a link, and what somebody changed "
             "since the run. At every moment each file is the old or the new one. A commit that "
             "was interrupted is finished by the same command, or taken back by --undo, which "
             "does not touch what somebody changed meanwhile; --undo also takes back a finished "
             "commit, if nothing changed since.",
    .examples = { { "writ commit 8d2f61aa",           "all of it" },
                  { "writ commit 8d2f61aa src a.txt", "a directory and a file" },
                  { "writ commit --dry-run 8d2f61aa", "what would be done" },
                  { "writ commit --undo 8d2f61aa",    "everything back as it was" } },
    .options = { { "dry-run", NULL, NULL, "check, and change nothing" },
                 { "undo",    NULL, NULL, "take back what was committed of this run" },
                 LEDGER_OPTION,
                 { "json",    NULL, NULL, "one JSON object" } },
    .least = 1,
    .most = OPERANDS_MAX,
    .run = run_commit,
};

const struct command cmd_discard = {
    .name = "discard",
    .operands = "RUN",
    .summary = "drop the changes of a run in write mode cow",
    .about = "Drops the changes of a run of `writ exec --write-mode cow`: none of them can be "
             "committed any more. What was committed before stays, and can be taken back. The "
             "record and the diff stay, too.",
    .examples = { { "writ discard 8d2f61aa", "nothing of it comes to the disk" } },
    .options = { LEDGER_OPTION,
                 { "json",    NULL, NULL, "one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run_discard,
};
/* clang-format on */
