/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c: `writ checkpoint`: what the ledger is now, signed. */
#include <unistd.h>

#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"

/* The note, byte for byte; where a person looks on, line by line, so that nothing steers. */
static void show_note(struct str note)
{
    if (!print_person()) {
        out_text(note);
        return;
    }
    while (note.n) {
        const char *end = memchr(note.s, '\n', note.n);
        size_t n = end ? (size_t)(end - note.s) : note.n, used = end ? n + 1 : n;

        out(PLAIN, "%.*s\n", (int)n, note.s);
        note = (struct str){ note.s + used, note.n - used };
    }
}

static void show(const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);

    show_note(doc_text(d, "checkpoint"));
    if (!print_person()) { /* the note goes into a file; who typed that is to know the key, too */
        if (isatty(STDERR_FILENO))
            err(DIM, "signed by  %.*s\n", STR_ARG(doc_text(d, "key")));
        return;
    }
    err(PLAIN, "\n");
    err(DIM, "keep it where whoever can write the ledger cannot: another machine, paper\n");
    err(DIM, "  it is signed by  %.*s\n", STR_ARG(doc_text(d, "key")));
    err(CYAN, "  writ checkpoint >FILE");
    err(DIM, "             to keep it\n");
    err(CYAN, "  writ verify --checkpoint FILE");
    err(DIM, "     whether the ledger still has all of it\n");
}

static int run(const struct args *args)
{
    _ledger_ struct writ_ledger *ledger = NULL;
    bool json = args_get(args, "json");
    char *answer;
    int status;

    ledger = keeper_open(args, KEEP_WRITE, &status);
    if (!ledger)
        return status;
    status = writ_checkpoint(ledger, &answer);
    if (status != WRIT_OK)
        return keeper_tell(answer, status, json);
    if (json)
        out_json(answer);
    else
        show(answer);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_checkpoint = {
    .name = "checkpoint",
    .operands = "",
    .summary = "sign the present state of the ledger, to keep elsewhere",
    .about = "Prints a signed note (C2SP tlog-checkpoint): how many entries there are and the "
             "root of the tree over them. Whoever keeps it can tell later whether anything that "
             "was in the ledger then has been changed or taken away, even by its owner. If "
             "nothing was added since the last one, that one is printed again. The signer's "
             "verifier key is shown on a terminal and by --json, and is what `writ verify --key` "
             "takes: give it to others by another way than the notes. A ledger has one key for "
             "good: keep a copy of ~/.local/state/writ/keys (or $WRIT_STATE/keys) where nobody "
             "else can read it: without the key nothing more can be signed.",
    .examples = { { "writ checkpoint >2026-11-15.note",                "a note to keep elsewhere" },
                  { "writ verify --checkpoint 2026-11-15.note",        "whether it still holds" },
                  { "writ prove --since 2026-11-15.note",              "a proof of that for somebody else" } },
    .options = { { "ledger", "LEDGER", NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,     NULL, "the note, its size, root and key as one JSON object" } },
    .least = 0,
    .most = 0,
    .run = run,
};
/* clang-format on */
