/* SPDX-License-Identifier: Apache-2.0 */
/* prove.c: `writ prove`: that an entry is in the ledger, for somebody who does not have it. */
#include <writ/writ.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"

/* The whole id of what a person means of a tenant or robot: an entry, or the last event of an
 * execution. NULL: there is none, or more than one; *answer says so. */
static const char *find(struct writ_ledger *ledger, const struct args *args, struct arena *a,
                        int *status, char **answer)
{
    const struct doc *d, *events;
    struct str id = { 0 };
    const char *whole;

    *status = writ_show_of(ledger, args->operands[0], args_get(args, "tenant"),
                           args_get(args, "robot"), answer);
    if (*status != WRIT_OK)
        return NULL;
    d = answer_read(*answer, a);
    events = doc_get(d, "events");
    if (doc_get(d, "entry"))
        id = doc_text(doc_get(d, "entry"), "ledger_id");
    else if (doc_first(events, DOC_LIST))
        id = doc_text(events->last, "ledger_id");
    whole = arena_text(a, id);
    writ_free(*answer);
    return whole;
}

static int prove(struct writ_ledger *ledger, const struct args *args, char **answer)
{
    _arena_ struct arena a = { 0 };
    const char *id = NULL, *since = args_get(args, "since");
    struct writ_input checkpoint = { .name = since };
    int status;

    if (since)
        return writ_prove(ledger, NULL, &checkpoint, answer);
    if (!args_get(args, "tenant") && !args_get(args, "robot"))
        return writ_prove(ledger, args->operands[0], NULL, answer);
    id = find(ledger, args, &a, &status, answer);
    return id ? writ_prove(ledger, id, NULL, answer) : status;
}

/* False: the ledger cannot be had, and that was said. */
static bool prove_by(enum opening how, const struct args *args, int *status, char **answer)
{
    _ledger_ struct writ_ledger *ledger = keeper_open(args, how, status);

    if (!ledger)
        return false;
    *status = prove(ledger, args, answer);
    return true;
}

/* An entry that a checkpoint covers already is proved by who may read alone; else one is made
 * first, as it is of what came since another: that one may come by a pipe, and is read once. */
static bool read_or_sign(const struct args *args, int *status, char **answer)
{
    if (!args_get(args, "since")) {
        if (!prove_by(KEEP_READ, args, status, answer))
            return false;
        if (*status != WRIT_USAGE)
            return true;
        writ_free(*answer);
    }
    return prove_by(KEEP_WRITE, args, status, answer);
}

static int run(const struct args *args)
{
    bool id = args->count, since = args_get(args, "since");
    char *answer;
    int status;

    if (id == since) {
        say(id ? "an entry is proved, or what came since a checkpoint: not both at once"
               : "prove needs ID, or --since CHECKPOINT");
        say("try: writ prove --help");
        return WRIT_USAGE;
    }
    if (since && (args_get(args, "tenant") || args_get(args, "robot"))) {
        say("--since is about the whole ledger: --tenant and --robot go with an ID");
        return WRIT_USAGE;
    }
    if (!read_or_sign(args, &status, &answer))
        return status;
    if (status != WRIT_OK)
        return keeper_tell(answer, status, args_get(args, "json"));
    out_json(answer);
    writ_free(answer);
    if (print_person()) {
        err(PLAIN, "\n");
        err(DIM, "whoever has this needs neither the ledger nor its owner:\n");
        err(CYAN, "  writ verify --proof FILE --key KEY\n");
    }
    return status;
}

/* clang-format off */
const struct command cmd_prove = {
    .name = "prove",
    .operands = "[ID]",
    .summary = "prove that an entry is in the ledger, to those who do not have it",
    .about = "ID is an entry's, or an execution's: then its last event is proved. Prints the entry, its path to the root of the tree and a signed checkpoint, as one "
             "JSON object. With --since it is a proof that the ledger still has everything it had "
             "when that checkpoint was made. `writ verify --proof` checks either.",
    .examples = { { "writ prove 8d2f61aa >proof.json",                     "how this execution ended, and that it is recorded" },
                  { "writ prove --since 2026-11-15.note >proof.json",      "that nothing was taken away since" },
                  { "writ verify --proof proof.json --key \"$KEY\"",       "what the other side types" } },
    .options = { { "since",  "CHECKPOINT", NULL, "a file with an earlier checkpoint, instead of an entry" },
                 { "tenant", "TENANT",     NULL, "of this tenant, where more than one uses the id" },
                 { "robot",  "ROBOT",      NULL, "of this robot" },
                 { "ledger", "LEDGER",     NULL, "a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",   NULL,         NULL, "as without it: a proof is JSON" } },
    .least = 0,
    .most = 1,
    .run = run,
};
/* clang-format on */
