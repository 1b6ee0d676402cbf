/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c: opens the ledger that --ledger names, and says why there is no answer. */
#include "cli/keeper.h"

#include "cli/answer.h"
#include "cli/print.h"

bool keeper_is(const char *answer, const char *code)
{
    _arena_ struct arena a = { 0 };

    return str_is(doc_text(answer_read(answer, &a), "code"), code);
}

struct writ_ledger *keeper_try(const struct args *args, bool append, int *status, char **answer)
{
    struct writ_ledger *ledger = NULL;

    *status =
        writ_ledger_open(args_get(args, "ledger"), args->environment, append, &ledger, answer);
    return *status == WRIT_OK ? ledger : NULL;
}

int keeper_refuse(char *answer, int status, bool json)
{
    bool missing = keeper_is(answer, "LEDGER_MISSING");

    (void)keeper_tell(answer, status, json);
    if (missing && !json)
        err(DIM, "      --ledger names another; writ exec and writ ledger append begin one\n");
    return status;
}

static struct writ_ledger *try_open(const struct args *args, bool append, int *status)
{
    char *answer = NULL;
    struct writ_ledger *ledger = keeper_try(args, append, status, &answer);

    if (!ledger)
        (void)keeper_refuse(answer, *status, args_get(args, "json"));
    return ledger;
}

struct writ_ledger *keeper_open(const struct args *args, enum opening how, int *status)
{
    /* Appending makes a ledger; who reads first learns that there is none. */
    if (how == KEEP_WRITE) {
        _ledger_ struct writ_ledger *there = try_open(args, false, status);

        if (!there)
            return NULL;
    }
    return try_open(args, how != KEEP_READ, status);
}

void keeper_close(struct writ_ledger **ledger)
{
    if (*ledger)
        writ_ledger_close(*ledger);
}

/* An id that has more than one meaning: each of them, as it was found. */
static void show_candidates(const struct doc *d)
{
    for (const struct doc *c = doc_first(doc_get(d, "candidates"), DOC_LIST); c; c = c->next) {
        struct str id = c->kind == DOC_TEXT ? c->text : doc_text(c, "ledger_id");

        err(CYAN, "      %.*s\n", STR_ARG(id));
    }
}

bool keeper_trouble(const struct doc *line)
{
    if (doc_get(line, "seq") || doc_get(line, "status") || doc_get(line, "n") ||
        !doc_get(line, "message"))
        return false;
    say("%.*s", STR_ARG(doc_text(line, "message")));
    show_candidates(line);
    return true;
}

int keeper_tell(char *answer, int status, bool json)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d;

    if (json) {
        out_json(answer);
        writ_free(answer);
        return status;
    }
    d = answer_read(answer, &a);
    if (doc_first(doc_get(d, "problems"), DOC_LIST))
        (void)answer_problems(d, false);
    else if (!keeper_trouble(d))
        say("the ledger gave no answer (status %d)", status);
    writ_free(answer);
    return status;
}
