/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.c: `writ cancel`: asks a lane to end. */
#include <writ/routes.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"

static void tell(const char *answer, int status)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a), *several;

    if (status == WRIT_OK) {
        out_line("%.*s was asked to end", STR_ARG(doc_text(d, "run_id")));
        return;
    }
    say("%.*s", STR_ARG(doc_text(d, "message")));
    several = doc_get(d, "candidates");
    if (!several || several->count < 2)
        return;
    for (const struct doc *c = several->first; c; c = c->next)
        err(DIM, "      %.*s\n", STR_ARG(c->text));
}

static int run(const struct args *args)
{
    bool json = args_get(args, "json");
    char *answer;
    int status =
        writ_cancel(args->operands[0], args_get(args, "reason"), args->environment, &answer);

    if (json)
        out_json(answer);
    else
        tell(answer, status);
    writ_free(answer);
    return status;
}

/* clang-format off */
const struct command cmd_cancel = {
    .name = "cancel",
    .operands = "RUN",
    .summary = "ask a lane to end",
    .about = "Asks a lane, which is a command that runs by `writ exec --class`, to end: it gets "
             "SIGTERM, the grace period of its class, and then is killed. When asked a second "
             "time, it does not wait for the grace. A lane that ends in its grace was cancelled; "
             "one that had to be killed has failed. RUN is run-<execution id>, the id, or 8 "
             "characters of it; `writ log --live` lists what runs.",
    .examples = { { "writ cancel run-5b1f0c9e",                   "as much of the id as is needed" },
                  { "writ cancel 5b1f0c9e --reason 'wrong branch'", "the reason goes on record" } },
    .options = { { "reason", "TEXT", NULL, "why, for the record" },
                 { "json",   NULL,   NULL, "the answer as one JSON object" } },
    .least = 1,
    .most = 1,
    .run = run,
};
/* clang-format on */
