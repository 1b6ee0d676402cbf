/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: `writ init`: a registry and an adapter to begin with. */
#include <writ/adapters.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/keeper.h"
#include "cli/print.h"

static void show(const struct doc *files, enum colour colour, const char *what)
{
    for (const struct doc *f = files->first; f; f = f->next) {
        out(colour, "%s", what);
        out(PLAIN, "  %.*s\n", STR_ARG(f->text));
    }
}

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    bool json = args_get(args, "json");
    char *answer;
    int status = writ_init(args->count ? args->operands[0] : NULL, args->environment, &answer);
    const struct doc *d;

    if (json || status != WRIT_OK)
        return keeper_tell(answer, status, json);
    d = answer_read(answer, &a);
    show(doc_get(d, "written"), GREEN, "written");
    show(doc_get(d, "kept"), DIM, "kept   ");
    if (doc_text(d, "top").n)
        say("this is below the top of a repository; writ reads the .writ of the top, %.*s",
            STR_ARG(doc_text(d, "top")));
    writ_free(answer);
    return status;
}

const struct command cmd_init = {
    .name = "init",
    .operands = "[DIRECTORY]",
    .summary = "write a registry and an adapter to begin with",
    .about = "Writes .writ/tools.yaml, the tools that may be used in a project, and "
             ".writ/adapters/example.yaml, a tool described for writ; both with comments. A file "
             "that exists is left as it is. In a repository they belong at the top, where writ "
             "finds them from every directory below: they are written there, and a DIRECTORY that "
             "is below the top is refused.",
    .examples = { { "writ init", "in the current directory, or the top of its repository" },
                  { "writ check .writ/tools.yaml", "is what I wrote right?" },
                  { "writ explain adapter", "all that an adapter may say" } },
    .options = { { "json", NULL, NULL, "one JSON object" } },
    .least = 0,
    .most = 1,
    .run = run,
};
