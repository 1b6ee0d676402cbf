/* SPDX-License-Identifier: Apache-2.0 */
/* adopt.c: `writ adopt`: a person trusts a .writ that a command could make. */
#include <writ/adapters.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    bool json = args_get(args, "json");
    char *answer;
    int status = writ_adopt(args->count ? args->operands[0] : NULL, args->environment, &answer);

    if (json || status != WRIT_OK)
        return keeper_tell(answer, status, json);
    out(GREEN, "adopted");
    out(PLAIN, "  %.*s\n", STR_ARG(doc_text(answer_read(answer, &a), "adopted")));
    writ_free(answer);
    return status;
}

const struct command cmd_adopt = {
    .name = "adopt",
    .operands = "[DIRECTORY]",
    .summary = "trust a .writ that a command could make or change",
    .about =
        "A .writ says what commands may run, so none is obeyed that the command of a run could "
        "make or change: in a directory that had none when the run began, or below one that it "
        "could write. Such a .writ is refused with the code NOT_ADOPTED. After looking at "
        "its files, adopt it: it is obeyed until a command could change it again. DIRECTORY is "
        "a .writ or a directory that has one; without it, the nearest that holds here.",
    .examples = { { "writ adopt", "the .writ of this project, after reading what is in it" },
                  { "writ adopt lib/json", "that of a project which a command fetched" } },
    .options = { { "json", NULL, NULL, "one JSON object" } },
    .least = 0,
    .most = 1,
    .run = run,
};
